// SPDX-License-Identifier: GPL-2.0
/*
 * TIMEOUT ends at a time or after a number of completions, TIMEOUT_REMOVE ends or changes it, and
 * LINK_TIMEOUT is the deadline of the request before it in a chain.
 *
 * Transitions: ISSUED -> ARMED; ARMED -> INBOX (cancelled); INBOX -> ARMED (next period), DONE.
 *
 * Every TIMEOUT ends by io_timeout_event(), whatever it ends of: there its completion is counted.
 */
#include <linux/io_uring_types.h>
#include <linux/time_namespace.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include "../batch.h"
#include "../cancel.h"
#include "../inbox.h"
#include "../registry.h"
#include "../seqwatch.h"
#include "../timer.h"
#include "timeout.h"

#define IO_TIMEOUT_FLAGS	(IORING_TIMEOUT_ABS | IORING_TIMEOUT_CLOCK_MASK | \
				 IORING_TIMEOUT_ETIME_SUCCESS | IORING_TIMEOUT_MULTISHOT | \
				 IORING_TIMEOUT_IMMEDIATE_ARG)

/* TIMEOUT_REMOVE */
struct io_timeout_remove {
	struct file *file;
	u64 user_data;		/* of the timeout */
	ktime_t time;		/* as given */
	u32 flags;		/* IORING_TIMEOUT_*, IORING_LINK_TIMEOUT_UPDATE */
};

/* The time an SQE speaks of: nanoseconds, or the address of a timespec */
static int io_timeout_read(u64 arg, u32 flags, ktime_t *time)
{
	struct timespec64 ts;

	if (flags & IORING_TIMEOUT_IMMEDIATE_ARG) {
		*time = ns_to_ktime(arg);
		return *time < 0 ? -EINVAL : 0;
	}
	if (get_timespec64(&ts, u64_to_user_ptr(arg)))
		return -EFAULT;
	if (ts.tv_sec < 0 || ts.tv_nsec < 0)
		return -EINVAL;
	*time = ktime_add_safe(ktime_set(ts.tv_sec, 0), ns_to_ktime(ts.tv_nsec));
	return 0;
}

/* Set when a timeout is to end, in the terms of the host's clock */
static void io_timeout_set(struct io_timeout *t, ktime_t time)
{
	if (t->flags & IORING_TIMEOUT_ABS)
		time = timens_ktime_to_host(io_timer_clock(t->flags), time);
	t->time = time;
}

/* What TIMEOUT and LINK_TIMEOUT have in common */
static int io_timeout_fill(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_timeout *t = io_op_data(req, struct io_timeout);
	ktime_t time;
	int ret;

	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->len) != 1 ||
	    READ_ONCE(sqe->splice_fd_in) || READ_ONCE(sqe->addr3) || READ_ONCE(sqe->__pad2[0]))
		return -EINVAL;
	t->count = READ_ONCE(sqe->off);
	t->flags = READ_ONCE(sqe->timeout_flags);
	if (t->flags & ~IO_TIMEOUT_FLAGS)
		return -EINVAL;
	if ((t->flags & IORING_TIMEOUT_CLOCK_MASK) == IORING_TIMEOUT_CLOCK_MASK)
		return -EINVAL;
	if ((t->flags & IORING_TIMEOUT_MULTISHOT) && (t->flags & IORING_TIMEOUT_ABS))
		return -EINVAL;
	ret = io_timeout_read(READ_ONCE(sqe->addr), t->flags, &time);
	if (ret)
		return ret;
	io_timeout_set(t, time);
	t->head = NULL;
	t->fired = false;
	INIT_LIST_HEAD(&t->seq);
	return 0;
}

/**
 * io_timeout_prep - read the SQE of a TIMEOUT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL, -EFAULT (no timespec there) or -ENOMEM.
 */
int io_timeout_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	int ret = io_timeout_fill(req, sqe);

	if (ret)
		return ret;
	if (io_op_data(req, struct io_timeout)->flags & IORING_TIMEOUT_MULTISHOT)
		req->flags |= IO_REQ_MULTISHOT;
	return io_timer_alloc(req);
}

/**
 * io_timeout_issue - start to wait
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 */
enum io_outcome io_timeout_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_timeout *t = io_op_data(req, struct io_timeout);
	struct io_ring_ctx *ctx = req->ctx;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	io_registry_add(req, IO_ARMED_OP);
	if (t->count && !(t->flags & IORING_TIMEOUT_MULTISHOT))
		io_seqwatch_add(req);
	io_timer_start(req);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	return IO_PENDING;
}

/* A timeout leaves a CQE: it ends waits, and completion counts do not include it. */
static void io_timeout_account(struct io_ring_ctx *ctx)
{
	ctx->cq_timeouts++;
	atomic_inc(&ctx->timeouts);
}

/* Report the end of a period, and begin the next. False: this one is the last. */
static bool io_timeout_repeat(struct io_kiocb *req, struct io_timeout *t)
{
	struct io_ring_ctx *ctx = req->ctx;

	if (!(t->flags & IORING_TIMEOUT_MULTISHOT) || t->count == 1)
		return false;
	if (!io_cqe_post_more(ctx, req->cqe.user_data, -ETIME, IORING_CQE_F_MORE))
		return false;
	io_timeout_account(ctx);
	if (t->count)
		t->count--;
	io_req_move(req, IO_REQ_ARMED);
	io_timer_next(req);
	return true;
}

/**
 * io_timeout_event - time is up, the count is reached, or the timeout was cancelled
 * @req: the request; if its timer has not fired it has its result, and is nowhere else any more
 * @how: IO_HOW_*
 *
 * Context: ring lock held; may sleep.
 */
enum io_outcome io_timeout_event(struct io_kiocb *req, unsigned int how)
{
	struct io_timeout *t = io_op_data(req, struct io_timeout);
	int res = req->cqe.res;

	if (t->fired) {
		res = -ETIME;
		if (!(how & IO_HOW_DEAD) && io_timeout_repeat(req, t))
			return IO_PENDING;
		io_seqwatch_del(req);
		io_registry_del(req);
	}
	if (res == -ETIME && (t->flags & IORING_TIMEOUT_ETIME_SUCCESS))
		io_set_res(req, res, 0);
	else
		io_set_status(req, res);
	if ((req->flags & IO_REQ_FAIL) || !(req->flags & IOSQE_CQE_SKIP_SUCCESS))
		io_timeout_account(req->ctx);
	else
		atomic_inc(&req->ctx->timeouts);
	return IO_DONE;
}

/**
 * io_timeout_cancel - stop a timeout
 * @req: the request, in the registry; it leaves it if it is stopped
 *
 * Context: ring lock held.
 * Return: true: it will end as -ECANCELED; false: it has expired and ends as that.
 */
bool io_timeout_cancel(struct io_kiocb *req)
{
	struct io_timeout *t = io_op_data(req, struct io_timeout);
	bool owner = io_timer_stop(req);

	/* One that would go on after its event is stopped although that is under way. */
	if (!owner && !(t->flags & IORING_TIMEOUT_MULTISHOT))
		return false;
	t->fired = false;
	io_seqwatch_del(req);
	io_registry_del(req);
	io_set_res(req, -ECANCELED, 0);
	if (owner)
		io_inbox_push(req, IO_KIND_EVENT, false);
	return true;
}

/**
 * io_timeout_remove_prep - read the SQE of a TIMEOUT_REMOVE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL or -EFAULT (no timespec there).
 */
int io_timeout_remove_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	const u32 with_update = IORING_TIMEOUT_UPDATE_MASK | IORING_TIMEOUT_ABS |
				IORING_TIMEOUT_IMMEDIATE_ARG;
	struct io_timeout_remove *rem = io_op_data(req, struct io_timeout_remove);

	if (req->flags & IOSQE_FIXED_FILE)
		return -EINVAL;
	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->len) || READ_ONCE(sqe->splice_fd_in) ||
	    READ_ONCE(sqe->addr3) || READ_ONCE(sqe->__pad2[0]))
		return -EINVAL;
	rem->user_data = READ_ONCE(sqe->addr);
	rem->flags = READ_ONCE(sqe->timeout_flags);
	if (!rem->flags)
		return 0;
	if (!(rem->flags & IORING_TIMEOUT_UPDATE_MASK) || (rem->flags & ~with_update))
		return -EINVAL;
	return io_timeout_read(READ_ONCE(sqe->addr2), rem->flags, &rem->time);
}

static int io_timeout_update(struct io_ring_ctx *ctx, const struct io_timeout_remove *rem)
{
	bool link = rem->flags & IORING_LINK_TIMEOUT_UPDATE;
	struct io_timeout *t;
	struct io_kiocb *req;

	req = io_registry_find(&ctx->registry, rem->user_data,
			       link ? IORING_OP_LINK_TIMEOUT : IORING_OP_TIMEOUT);
	if (!req)
		return -ENOENT;
	t = io_op_data(req, struct io_timeout);
	if ((rem->flags & IORING_TIMEOUT_ABS) && (t->flags & IORING_TIMEOUT_MULTISHOT))
		return -EINVAL;
	if (!io_timer_stop(req))
		return -EALREADY;
	if (!link)
		io_seqwatch_del(req);
	t->flags &= ~IORING_TIMEOUT_ABS;
	t->flags |= rem->flags & IORING_TIMEOUT_ABS;
	io_timeout_set(t, rem->time);
	io_timer_start(req);
	return 0;
}

static int io_timeout_remove(struct io_ring_ctx *ctx, const struct io_timeout_remove *rem)
{
	struct io_kiocb *req;

	if (rem->flags & IORING_TIMEOUT_UPDATE)
		return io_timeout_update(ctx, rem);
	req = io_registry_find(&ctx->registry, rem->user_data, IORING_OP_TIMEOUT);
	if (!req)
		return -ENOENT;
	return io_timeout_cancel(req) ? 0 : -EALREADY;
}

/**
 * io_timeout_remove_issue - remove or change a timeout
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it.
 */
enum io_outcome io_timeout_remove_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_timeout_remove *rem = io_op_data(req, struct io_timeout_remove);
	struct io_ring_ctx *ctx = req->ctx;
	int ret;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	ret = io_timeout_remove(ctx, rem);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_link_timeout_prep - read the SQE of a LINK_TIMEOUT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_timeout_prep(); -EINVAL too if there is no request that it could guard.
 */
int io_link_timeout_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	const struct io_kiocb *head = req->ctx->chain_tail;
	int ret;

	if (!head || head->opcode == IORING_OP_LINK_TIMEOUT)
		return -EINVAL;
	if (READ_ONCE(sqe->off))
		return -EINVAL;
	ret = io_timeout_fill(req, sqe);
	if (ret)
		return ret;
	return io_timer_alloc(req);
}

/**
 * io_link_timeout_issue - never called: a deadline is started by what it guards
 * @req: the request
 * @how: IO_HOW_*
 */
enum io_outcome io_link_timeout_issue(struct io_kiocb *req, unsigned int how)
{
	WARN_ON_ONCE(1);
	io_set_fail(req, -ECANCELED);
	return IO_DONE;
}

/**
 * io_link_timeout_event - a deadline has passed
 * @req: the LINK_TIMEOUT
 * @how: IO_HOW_*
 *
 * The guarded request is still there, unless it was completed since the timer fired. It goes on
 * with the rest of the chain and without the timeout; its flags are not touched, as a worker may
 * be at it.
 *
 * Context: ring lock held; may sleep.
 */
enum io_outcome io_link_timeout_event(struct io_kiocb *req, unsigned int how)
{
	struct io_kiocb *head = io_op_data(req, struct io_timeout)->head;
	int res = -ENOENT;

	if (head) {
		head->link = req->link;
		req->link = NULL;
		req->flags &= ~IO_REQ_CHAIN;
		io_registry_del(req);
		res = -ECANCELED;
		if (!(how & IO_HOW_DEAD))
			res = io_cancel_request(head) ?: -ETIME;
	}
	if (req->flags & IOSQE_CQE_SKIP_SUCCESS)
		req->flags |= IO_REQ_NO_CQE;
	io_set_res(req, res, 0);
	return IO_DONE;
}
