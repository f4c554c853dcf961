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
 * Most SQEs are plain: no flags beyond the file's, no credentials, no chain, an operation that is
 * tried right here. One look at all of that (io_submit_one) parts them from those of a chain and
 * from the odd rest. A plain request that is done at once is used again for the next SQE.
 */
#include <linux/audit.h>
#include <linux/blkdev.h>
#include <linux/cred.h>
#include <linux/io_uring_types.h>
#include <linux/nospec.h>
#include <linux/security.h>
#include <trace/events/io_uring.h>

#include "batch.h"
#include "complete.h"
#include "drain.h"
#include "issue.h"
#include "link.h"
#include "op.h"
#include "request.h"
#include "restrict.h"
#include "sq.h"

#define IO_SUBMIT_HOW	(IO_HOW_NONBLOCK | IO_HOW_LOCKED)

/**
 * struct io_batch - one call of io_submit()
 * @end: value of ctx->sq_head at which it ends
 * @odd_attrs: IO_OP_* of operations that are not plain
 * @plugged: ctx->plug was started, by the first operation that wants it
 */
struct io_batch {
	u32 end;
	u32 odd_attrs;
	bool plugged;
};

/* The SQE of an entry, where it is not simply the one in that slot. NULL: its index is bad. */
static noinline const struct io_uring_sqe *io_sqe_indirect(struct io_ring_ctx *ctx, u32 slot)
{
	if (ctx->sq_array) {
		slot = READ_ONCE(ctx->sq_array[slot]);
		if (unlikely(slot > ctx->sq_mask)) {
			WRITE_ONCE(ctx->rings->sq_dropped, ctx->rings->sq_dropped + 1);
			return NULL;
		}
		slot = array_index_nospec(slot, ctx->sq_mask + 1);
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
	if (!(ctx->flags & IORING_SETUP_SQE_MIXED) || sqe - ctx->sqes == ctx->sq_mask ||
	    ctx->sq_head == batch->end)
		return -EINVAL;
	ctx->sq_head++;
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

/* The first operation of a batch that is worth it starts a block plug. */
static void io_batch_plug(struct io_ring_ctx *ctx, struct io_batch *batch)
{
	batch->odd_attrs &= ~IO_OP_PLUG;
	batch->plugged = true;
	blk_start_plug_nr_ios(&ctx->plug, batch->end - ctx->sq_head + 1);
}

/* What an odd SQE has to be checked for. @opcode: as submitted, perhaps not that of @req. */
static int io_sqe_check(struct io_ring_ctx *ctx, struct io_batch *batch, struct io_kiocb *req,
			const struct io_uring_sqe *sqe, unsigned int opcode)
{
	const struct io_op *op = io_op_of(req);
	u32 flags = req->flags;
	unsigned int personality;
	int ret;

	req->flags = flags & IO_REQ_SQE_FLAGS;
	if (opcode >= IORING_OP_LAST)
		return -EINVAL;
	if ((op->attrs & IO_OP_SQE128) && !ctx->sqe_shift) {
		ret = io_sqe_take_pair(ctx, batch, sqe);
		if (ret)
			return ret;
	}
	if (flags & ~IO_REQ_SQE_FLAGS)
		return -EINVAL;
	if ((flags & IOSQE_BUFFER_SELECT) && !(op->attrs & IO_OP_BUFFER_SELECT))
		return -EOPNOTSUPP;
	if (flags & IOSQE_CQE_SKIP_SUCCESS)
		ctx->odd_flags &= ~IOSQE_CQE_SKIP_SUCCESS;
	/* Whoever has once suppressed a CQE cannot drain. */
	if ((flags & IOSQE_IO_DRAIN) && !(ctx->odd_flags & IOSQE_CQE_SKIP_SUCCESS))
		return -EOPNOTSUPP;
	if ((ctx->strict & IO_STRICT_RESTRICTED) &&
	    !io_restriction_allows(&ctx->restriction, req->opcode, flags))
		return -EACCES;
	if (!(op->attrs & IO_OP_IOPRIO) && READ_ONCE(sqe->ioprio))
		return -EINVAL;
	if ((ctx->strict & IO_STRICT_IOPOLL) && !(op->attrs & IO_OP_IOPOLL))
		return -EINVAL;
	personality = READ_ONCE(sqe->personality);
	return personality ? io_req_personality(req, personality) : 0;
}

/* The chain under construction is complete, or the batch is over: start it. */
static noinline void io_chain_close(struct io_ring_ctx *ctx)
{
	struct io_kiocb *head = ctx->chain_head;
	u32 flags = ctx->chain_flags;

	ctx->chain_tail->link = NULL;
	ctx->chain_head = NULL;
	ctx->chain_tail = NULL;
	ctx->chain_flags = 0;
	ctx->strict &= ~IO_STRICT_CHAIN;
	if (unlikely(flags & IO_REQ_FAIL)) {
		io_chain_refuse(head);
		return;
	}
	if (unlikely((flags & IOSQE_IO_DRAIN) || (ctx->strict & IO_STRICT_DRAIN)) &&
	    io_drain_hold(ctx, head))
		return;
	io_start(head, IO_SUBMIT_HOW);
}

/* Join the chain under construction, or begin one, and end it if this is its last member. */
static __always_inline void io_chain_add(struct io_ring_ctx *ctx, struct io_kiocb *req)
{
	if (ctx->chain_head) {
		trace_io_uring_link(req, ctx->chain_head);
		ctx->chain_tail->link = req;
		io_req_move(req, IO_REQ_HELD);
	} else {
		ctx->chain_head = req;
		ctx->strict |= IO_STRICT_CHAIN;
	}
	ctx->chain_tail = req;
	if (!(req->flags & IO_REQ_CHAIN))
		io_chain_close(ctx);
}

/* An SQE was refused: its CQE, and whether the batch goes on. */
static noinline void io_submit_refused(struct io_ring_ctx *ctx, struct io_batch *batch,
				       struct io_kiocb *req, const struct io_uring_sqe *sqe,
				       int err)
{
	trace_io_uring_req_failed(sqe, req, err);
	io_set_fail(req, err);
	if (!(ctx->flags & IORING_SETUP_SUBMIT_ALL) && !(req->flags & IO_REQ_CHAIN))
		batch->end = ctx->sq_head;
	ctx->chain_flags |= IO_REQ_FAIL;
	io_chain_add(ctx, req);
}

/* An SQE that is neither plain nor merely part of a chain */
static noinline void io_submit_odd(struct io_ring_ctx *ctx, struct io_batch *batch,
				   struct io_kiocb *req, const struct io_uring_sqe *sqe,
				   unsigned int opcode)
{
	const struct io_op *op = io_op_of(req);
	int err = io_sqe_check(ctx, batch, req, sqe, opcode);

	if (!err) {
		if (op->attrs & batch->odd_attrs & IO_OP_PLUG)
			io_batch_plug(ctx, batch);
		err = op->prep(req, sqe);
	}
	trace_io_uring_submit_req(req);
	if (err) {
		io_submit_refused(ctx, batch, req, sqe, err);
	} else if ((req->flags & (IO_REQ_CHAIN | IOSQE_IO_DRAIN)) ||
		   (ctx->strict & (IO_STRICT_CHAIN | IO_STRICT_DRAIN))) {
		ctx->chain_flags |= req->flags & IOSQE_IO_DRAIN;
		io_chain_add(ctx, req);
	} else {
		io_start(req, IO_SUBMIT_HOW);
	}
}

/* An SQE that is part of a chain and else plain */
static __always_inline void io_submit_member(struct io_ring_ctx *ctx, struct io_batch *batch,
					     struct io_kiocb *req, const struct io_op *op,
					     const struct io_uring_sqe *sqe)
{
	int err = op->prep(req, sqe);

	trace_io_uring_submit_req(req);
	if (unlikely(err))
		io_submit_refused(ctx, batch, req, sqe, err);
	else
		io_chain_add(ctx, req);
}

/*
 * Fill a request from its SQE and start it, as far as its chain allows. Returns true if that is
 * all, and the request may be used for the next SQE.
 */
static __always_inline bool io_submit_one(struct io_ring_ctx *ctx, struct io_batch *batch,
					  struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	unsigned int opcode = READ_ONCE(sqe->opcode);
	unsigned int row = array_index_nospec(opcode, IORING_OP_LAST);	/* 0 if beyond */
	const struct io_op *op = &io_ops[row];
	u32 flags = READ_ONCE(sqe->flags);
	enum io_outcome outcome;
	u32 bound, odd;
	int err;

	req->opcode = row;
	req->flags = flags;
	req->cqe.user_data = READ_ONCE(sqe->user_data);
	io_set_res(req, 0, 0);
	req->fd = READ_ONCE(sqe->fd);

	bound = (flags & ctx->odd_flags) | ctx->strict;
	/* Where a zero is found here, it stands; else io_sqe_check() takes another look. */
	odd = (op->attrs & batch->odd_attrs) |
	      (READ_ONCE(sqe->ioprio) + READ_ONCE(sqe->personality));
	if (unlikely(odd || opcode >= IORING_OP_LAST)) {
		io_submit_odd(ctx, batch, req, sqe, opcode);
		return false;
	}
	if (unlikely(bound)) {
		if (bound & ~(IO_REQ_CHAIN | IO_STRICT_CHAIN))
			io_submit_odd(ctx, batch, req, sqe, opcode);
		else
			io_submit_member(ctx, batch, req, op, sqe);
		return false;
	}

	err = op->prep(req, sqe);
	trace_io_uring_submit_req(req);
	if (unlikely(err)) {
		io_submit_refused(ctx, batch, req, sqe, err);
		return false;
	}
	if ((op->attrs & IO_OP_FILE) && unlikely(!io_file_ensure(req, IO_SUBMIT_HOW))) {
		io_settle(req, IO_DONE, IO_SUBMIT_HOW);
		return false;
	}
	io_req_move(req, IO_REQ_ISSUED);
	outcome = op->issue(req, IO_SUBMIT_HOW);
	if (likely(outcome == IO_DONE && io_complete_plain(ctx, req))) {
		io_req_reuse(req);
		return true;
	}
	if (outcome == IO_PENDING)
		io_req_leaves(req);
	else
		io_settle(req, outcome, IO_SUBMIT_HOW);
	return false;
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
	struct io_kiocb *req = NULL;
	struct io_batch batch;
	u32 start;

	lockdep_assert_held(&ctx->lock);
	nr = io_batch_size(ctx, nr);
	if (unlikely(!nr))
		return 0;
	start = ctx->sq_head;
	batch.end = start + nr;
	batch.plugged = false;
	batch.odd_attrs = IO_OP_SQE128 | IO_OP_WORKER;
	if (nr > 2)
		batch.odd_attrs |= IO_OP_PLUG;
	if (audit_context())
		batch.odd_attrs |= IO_OP_AUDIT;

	do {
		const struct io_uring_sqe *sqe;
		u32 slot;

		if (unlikely(!req)) {
			req = io_req_get(ctx);
			if (unlikely(!req))
				break;
			req->node = node;
		}
		slot = ctx->sq_head++ & ctx->sq_mask;
		sqe = &ctx->sqes[slot];
		if (unlikely(ctx->sq_indirect)) {
			sqe = io_sqe_indirect(ctx, slot);
			if (unlikely(!sqe)) {
				start++;	/* consumed, but not counted */
				break;
			}
		}
		if (!io_submit_one(ctx, &batch, req, sqe))
			req = NULL;
	} while (ctx->sq_head != batch.end);

	if (req) {
		io_req_move(req, IO_REQ_DONE);
		io_req_put(ctx, req);
	} else if (unlikely(ctx->sq_head == start)) {
		return -EAGAIN;
	}
	if (unlikely(ctx->chain_head))
		io_chain_close(ctx);
	if (unlikely(batch.plugged))
		blk_finish_plug(&ctx->plug);
	if (!(ctx->flags & IORING_SETUP_SQ_REWIND))
		/* (sq-head) SQEs were read before the application may reuse them */
		smp_store_release(&ctx->rings->sq_head, ctx->sq_head);
	return ctx->sq_head - start;
}
