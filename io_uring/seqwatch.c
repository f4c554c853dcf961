// SPDX-License-Identifier: GPL-2.0
/*
 * TIMEOUT requests that end when a number of CQEs has been posted since they were issued.
 *
 * Transitions: ARMED -> INBOX.
 *
 * What is counted are slots of the completion ring, filled or owed by the overflow list, less the
 * CQEs that TIMEOUT requests left (ctx->cq_timeouts). All of it are 32-bit counters which wrap, so
 * ctx->seq is their difference carried on to 64 bits, brought up to date at each look. While any
 * request waits for a count this happens at the end of each batch, long before they have gone half
 * round. The list is sorted by target, so a look in vain costs one comparison.
 *
 * A CQE that is lost for want of memory is not counted, though that of a timeout has been taken
 * off before; ctx->seq may thus go back by some. A target is missed by as many, but never passed.
 */
#include <linux/io_uring_types.h>

#include "inbox.h"
#include "registry.h"
#include "request.h"
#include "seqwatch.h"
#include "timer.h"

static u32 io_seq_low(const struct io_ring_ctx *ctx)
{
	return ctx->cq_tail + ctx->nr_overflow - ctx->cq_timeouts;
}

static u64 io_seq_now(struct io_ring_ctx *ctx)
{
	ctx->seq = io_seq_extend(ctx->seq, io_seq_low(ctx));
	return ctx->seq;
}

/**
 * io_seqwatch_add - wait for a number of completions
 * @req: a TIMEOUT; its data has the count, which is not 0
 *
 * Context: ring lock held.
 */
void io_seqwatch_add(struct io_kiocb *req)
{
	struct io_timeout *t = io_op_data(req, struct io_timeout), *before;
	struct io_ring_ctx *ctx = req->ctx;

	lockdep_assert_held(&ctx->lock);
	/* Nobody has looked for a while: start anew, with room below for a count that goes back. */
	if (list_empty(&ctx->timeouts_seq))
		ctx->seq = BIT_ULL(32) | io_seq_low(ctx);
	t->target = io_seq_now(ctx) + t->count;
	list_for_each_entry_reverse(before, &ctx->timeouts_seq, seq) {
		if (before->target <= t->target)
			break;
	}
	list_add(&t->seq, &before->seq);
	ctx->watch |= IO_WATCH_TIMEOUT;
}

/**
 * io_seqwatch_del - do not wait for completions any more
 * @req: a TIMEOUT, whether it waits for completions or not
 *
 * Context: ring lock held.
 */
void io_seqwatch_del(struct io_kiocb *req)
{
	struct io_ring_ctx *ctx = req->ctx;

	lockdep_assert_held(&ctx->lock);
	list_del_init(&io_op_data(req, struct io_timeout)->seq);
	if (list_empty(&ctx->timeouts_seq))
		ctx->watch &= ~IO_WATCH_TIMEOUT;
}

/**
 * io_seqwatch_run - end the timeouts whose count is reached
 * @ctx: the ring
 *
 * Context: ring lock held, end of a batch.
 */
void io_seqwatch_run(struct io_ring_ctx *ctx)
{
	u64 now = io_seq_now(ctx);
	struct io_timeout *t;

	lockdep_assert_held(&ctx->lock);
	while ((t = list_first_entry_or_null(&ctx->timeouts_seq, struct io_timeout, seq))) {
		struct io_kiocb *req = io_op_req(t);

		if (t->target > now)
			return;
		io_seqwatch_del(req);
		/* If time was up first it ends by that. */
		if (!io_timer_stop(req))
			continue;
		io_registry_del(req);
		io_set_res(req, 0, 0);
		io_inbox_push(req, IO_KIND_EVENT, false);
	}
}
