// SPDX-License-Identifier: GPL-2.0
/*
 * The submission ring: fetch SQEs, turn them into requests, build chains, start them.
 *
 * Transitions: CACHED -> INIT -> ISSUED, HELD or DONE (refused SQE).
 *
 * An SQE belongs to the application and may change at any time: each byte is read once, here or
 * in the operation's ->prep, and never after that. The head is published once per call, when
 * everything that has been taken no longer needs its SQE.
 *
 * What is rare is kept behind two tests: one of the SQE's flags and ring's strictness on the way
 * in (io_sqe_check), and one of request flags on the way out (io_complete).
 */
#include <linux/blkdev.h>
#include <linux/cred.h>
#include <linux/io_uring_types.h>
#include <linux/nospec.h>
#include <linux/security.h>
#include <trace/events/io_uring.h>

#include "complete.h"
#include "drain.h"
#include "issue.h"
#include "link.h"
#include "op.h"
#include "request.h"
#include "restrict.h"
#include "sq.h"

/**
 * struct io_batch - one call of io_submit()
 * @node: the submitting task on this ring
 * @left: SQ entries that may still be taken
 * @plugged: @plug was started, by the first operation that wants one
 * @may_plug: the batch is long enough for it
 * @stop: a refused SQE ended the batch
 * @plug: block plug
 */
struct io_batch {
	struct io_task_node *node;
	unsigned int left;
	bool plugged;
	bool may_plug;
	bool stop;
	struct blk_plug plug;
};

/* The next SQE, or NULL if its index is bad; either way it is consumed. */
static __always_inline const struct io_uring_sqe *io_sqe_fetch(struct io_ring_ctx *ctx)
{
	u32 slot = ctx->sq_head++ & (ctx->sq_entries - 1);

	if (ctx->sq_array) {
		slot = READ_ONCE(ctx->sq_array[slot]);
		if (unlikely(slot >= ctx->sq_entries)) {
			WRITE_ONCE(ctx->rings->sq_dropped, ctx->rings->sq_dropped + 1);
			return NULL;
		}
		slot = array_index_nospec(slot, ctx->sq_entries);
	}
	return &ctx->sqes[slot << ctx->sqe_shift];
}

/*
 * A 128-byte operation on a ring of 64-byte SQEs: two neighbours in memory, both submitted now.
 * The second is consumed only if all of this holds.
 */
static int io_sqe_take_pair(struct io_ring_ctx *ctx, struct io_batch *batch,
			    const struct io_uring_sqe *sqe)
{
	if (!(ctx->flags & IORING_SETUP_SQE_MIXED) || sqe - ctx->sqes == ctx->sq_entries - 1 ||
	    !batch->left)
		return -EINVAL;
	ctx->sq_head++;
	batch->left--;
	return 0;
}

/* Run with other credentials than the submitter's */
static int io_req_personality(struct io_kiocb *req, unsigned int id)
{
	int ret;

	req->creds = xa_load(&req->ctx->personalities, id);
	if (!req->creds)
		return -EINVAL;
	get_cred(req->creds);
	req->flags |= IO_REQ_CREDS;
	ret = security_uring_override_creds(req->creds);
	return ret;
}

/* The checks of SQE flags and ring modes that a plain SQE on a plain ring does not need */
static noinline int io_sqe_check(struct io_ring_ctx *ctx, struct io_kiocb *req,
				 const struct io_op *op, u32 flags)
{
	if (flags & ~IO_REQ_SQE_FLAGS)
		return -EINVAL;
	if ((flags & IOSQE_BUFFER_SELECT) && !(op->attrs & IO_OP_BUFFER_SELECT))
		return -EOPNOTSUPP;
	if (flags & IOSQE_CQE_SKIP_SUCCESS)
		ctx->skip_used = true;
	if ((flags & IOSQE_IO_DRAIN) && ctx->skip_used)
		return -EOPNOTSUPP;
	if (unlikely(ctx->strict & IO_STRICT_RESTRICTED) &&
	    !io_restriction_allows(&ctx->restriction, req->opcode, flags))
		return -EACCES;
	return 0;
}

/*
 * Fill a request from its SQE, up to and including ->prep. On an error the request holds nothing
 * but what io_req_release() gives back.
 */
static __always_inline int io_req_fill(struct io_ring_ctx *ctx, struct io_batch *batch,
				       struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	unsigned int opcode = READ_ONCE(sqe->opcode);
	u32 flags = READ_ONCE(sqe->flags);
	unsigned int personality;
	const struct io_op *op;
	int ret;

	req->opcode = opcode;
	req->flags = flags & IO_REQ_SQE_FLAGS;
	req->cqe.user_data = READ_ONCE(sqe->user_data);
	io_set_res(req, 0, 0);
	req->node = batch->node;
	req->fd = READ_ONCE(sqe->fd);

	if (unlikely(opcode >= IORING_OP_LAST)) {
		req->opcode = IORING_OP_NOP;
		req->link = NULL;
		return -EINVAL;
	}
	opcode = array_index_nospec(opcode, IORING_OP_LAST);
	op = &io_ops[opcode];
	if (unlikely(flags | ctx->strict))
		req->link = NULL;
	if (unlikely((op->attrs & IO_OP_SQE128) && !ctx->sqe_shift)) {
		ret = io_sqe_take_pair(ctx, batch, sqe);
		if (ret)
			return ret;
	}
	if (unlikely(flags | ctx->strict)) {
		ret = io_sqe_check(ctx, req, op, flags);
		if (ret)
			return ret;
	}
	if (unlikely(!op->prep))
		return -EINVAL;
	if (unlikely(!(op->attrs & IO_OP_IOPRIO) && READ_ONCE(sqe->ioprio)))
		return -EINVAL;
	if (unlikely((ctx->strict & IO_STRICT_IOPOLL) && !(op->attrs & IO_OP_IOPOLL)))
		return -EINVAL;
	personality = READ_ONCE(sqe->personality);
	if (unlikely(personality)) {
		ret = io_req_personality(req, personality);
		if (ret)
			return ret;
	}
	if (unlikely((op->attrs & IO_OP_PLUG) && batch->may_plug)) {
		batch->may_plug = false;
		batch->plugged = true;
		blk_start_plug_nr_ios(&batch->plug, batch->left + 1);
	}
	return op->prep(req, sqe);
}

/* The chain under construction is complete, or the batch is over: start it. */
static void io_chain_close(struct io_ring_ctx *ctx)
{
	struct io_kiocb *head = ctx->chain_head, *req;
	u32 flags = 0;

	ctx->chain_tail->link = NULL;
	ctx->chain_head = NULL;
	ctx->chain_tail = NULL;
	for (req = head; req; req = req->link)
		flags |= req->flags;
	if (flags & IO_REQ_FAIL) {
		io_chain_refuse(head);
		return;
	}
	if (((flags & IOSQE_IO_DRAIN) || (ctx->strict & IO_STRICT_DRAIN)) &&
	    io_drain_hold(ctx, head))
		return;
	io_start(head, IO_HOW_NONBLOCK | IO_HOW_LOCKED);
}

/* An SQE was refused: its CQE, and whether the batch goes on. */
static void io_sqe_refused(struct io_ring_ctx *ctx, struct io_batch *batch, struct io_kiocb *req,
			   const struct io_uring_sqe *sqe, int err)
{
	trace_io_uring_req_failed(sqe, req, err);
	io_set_fail(req, err);
	if (!(ctx->flags & IORING_SETUP_SUBMIT_ALL) && !(req->flags & IO_REQ_CHAIN))
		batch->stop = true;
}

/* A request that is part of a chain, is refused, drained or held back */
static noinline void io_submit_slow(struct io_ring_ctx *ctx, struct io_batch *batch,
				    struct io_kiocb *req, const struct io_uring_sqe *sqe, int err)
{
	bool more = req->flags & IO_REQ_CHAIN;

	if (err)
		io_sqe_refused(ctx, batch, req, sqe, err);

	if (ctx->chain_head) {
		trace_io_uring_link(req, ctx->chain_head);
		ctx->chain_tail->link = req;
	} else {
		ctx->chain_head = req;
	}
	ctx->chain_tail = req;
	if (ctx->chain_head != req)
		io_req_move(req, IO_REQ_HELD);
	if (!more)
		io_chain_close(ctx);
}

static __always_inline void io_submit_one(struct io_ring_ctx *ctx, struct io_batch *batch,
					  struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	const unsigned int how = IO_HOW_NONBLOCK | IO_HOW_LOCKED;
	int err = io_req_fill(ctx, batch, req, sqe);
	const struct io_op *op;
	enum io_outcome outcome;

	trace_io_uring_submit_req(req);
	if (unlikely(err || (req->flags & (IO_REQ_CHAIN | IOSQE_IO_DRAIN)) || ctx->chain_head ||
		     (ctx->strict & IO_STRICT_DRAIN))) {
		io_submit_slow(ctx, batch, req, sqe, err);
		return;
	}
	op = &io_ops[req->opcode];
	if (unlikely(io_wants_worker(req, op))) {
		io_start(req, how);
		return;
	}
	outcome = io_issue(req, op, how);
	if (likely(outcome == IO_DONE))
		io_complete(req);	/* no chain, so no successor */
	else
		io_settle(req, outcome, how);
}

/* How many SQ entries this call may take */
static unsigned int io_batch_size(struct io_ring_ctx *ctx, unsigned int nr)
{
	if (ctx->flags & IORING_SETUP_SQ_REWIND) {
		ctx->sq_head = 0;
		return min(nr, ctx->sq_entries);
	}
	return min3(nr, io_sq_pending(ctx), ctx->sq_entries);
}

/**
 * io_submit - take SQEs and start what they ask for
 * @ctx: the ring
 * @node: current on this ring
 * @nr: SQEs the caller wants to submit
 *
 * Context: ring lock held; task context; may sleep.
 * Return: SQ entries consumed, -EAGAIN if there is no memory even for the first.
 */
int io_submit(struct io_ring_ctx *ctx, struct io_task_node *node, unsigned int nr)
{
	struct io_batch batch = { .node = node };
	unsigned int total;

	lockdep_assert_held(&ctx->lock);
	batch.left = total = io_batch_size(ctx, nr);
	if (unlikely(!total))
		return 0;
	batch.may_plug = total > 2;

	do {
		const struct io_uring_sqe *sqe;
		struct io_kiocb *req = io_req_get(ctx);

		if (unlikely(!req)) {
			if (batch.left == total)
				return -EAGAIN;
			break;
		}
		sqe = io_sqe_fetch(ctx);
		if (unlikely(!sqe)) {
			io_req_move(req, IO_REQ_DONE);
			io_req_put(ctx, req);
			break;
		}
		batch.left--;
		io_submit_one(ctx, &batch, req, sqe);
	} while (batch.left && !batch.stop);

	if (unlikely(ctx->chain_head))
		io_chain_close(ctx);
	if (unlikely(batch.plugged))
		blk_finish_plug(&batch.plug);
	/* (sq-head) release: SQEs were read before the application may reuse them */
	if (!(ctx->flags & IORING_SETUP_SQ_REWIND))
		smp_store_release(&ctx->rings->sq_head, ctx->sq_head);
	return total - batch.left;
}
