// SPDX-License-Identifier: GPL-2.0
/*
 * FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAITV.
 *
 * Transitions: ISSUED -> ARMED; ARMED -> INBOX (woken, or cancelled).
 *
 * A wake-up runs with the lock of the futex's hash bucket held. It takes the entry off the bucket
 * and says so by clearing lock_ptr; from then on the entry belongs to us again.
 *
 * With a single futex this decides all: who takes the entry off, the wake-up or a cancel, owns the
 * request and pushes it. With several there is one word more, since any of them may be woken at
 * any time, even while the others are being queued:
 *
 *	BUSY	somebody owns the request, and pushes or completes it: who queues the entries, the
 *		first wake-up, or a cancel
 *	WOKEN	a wake-up took an entry off, or is about to
 *
 * A wake-up sets both before it clears lock_ptr. If it is not the owner that was its last look at
 * the request. Who queued the entries gives BUSY back only if WOKEN is not set.
 *
 * A private futex is known by its mm, which the request does not hold: it ends with its task.
 */
#include <linux/io_uring_types.h>

#include "../../kernel/futex/futex.h"
#include "../batch.h"
#include "../inbox.h"
#include "../registry.h"
#include "../request.h"
#include "futex.h"

#define IO_FUTEX_BUSY	1
#define IO_FUTEX_WOKEN	2

/* FUTEX_WAIT and FUTEX_WAKE; the entry of a wait is the async data */
struct io_futex {
	struct file	*file;
	u32 __user	*uaddr;
	unsigned long	val;		/* expected; or how many to wake */
	unsigned long	bitset;
	unsigned int	flags;
};

/* FUTEX_WAITV */
struct io_futexv {
	struct file	*file;
	atomic_t	state;		/* A */
	unsigned int	nr;
};

/* Read what FUTEX_WAIT and FUTEX_WAKE have in common. */
static int io_futex_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_futex *f = io_op_data(req, struct io_futex);
	u32 flags = READ_ONCE(sqe->fd);

	if (READ_ONCE(sqe->len) || READ_ONCE(sqe->futex_flags) || READ_ONCE(sqe->buf_index) ||
	    READ_ONCE(sqe->file_index))
		return -EINVAL;
	f->uaddr = u64_to_user_ptr(READ_ONCE(sqe->addr));
	f->val = READ_ONCE(sqe->addr2);
	f->bitset = READ_ONCE(sqe->addr3);
	if (flags & ~FUTEX2_VALID_MASK)
		return -EINVAL;
	f->flags = futex2_to_flags(flags);
	if (!futex_flags_valid(f->flags) || !futex_validate_input(f->flags, f->val) ||
	    !futex_validate_input(f->flags, f->bitset))
		return -EINVAL;
	return 0;
}

/* A futex was woken. Lock of the hash bucket held. */
static void io_futex_woken(struct wake_q_head *wake_q, struct futex_q *q)
{
	struct io_kiocb *req = q->wake_data;

	if (likely(__futex_wake_mark(q)))
		io_inbox_push(req, IO_KIND_EVENT, true);
}

/**
 * io_futex_wait_prep - read the SQE of FUTEX_WAIT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int io_futex_wait_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_futex *f = io_op_data(req, struct io_futex);
	struct futex_q *q;
	int ret;

	ret = io_futex_prep(req, sqe);
	if (ret)
		return ret;
	q = io_req_alloc_data(req, sizeof(*q));
	if (!q)
		return -ENOMEM;
	*q = futex_q_init;
	q->bitset = f->bitset;
	q->wake = io_futex_woken;
	q->wake_data = req;
	return 0;
}

static enum io_outcome io_futex_wait_start(struct io_kiocb *req)
{
	struct io_futex *f = io_op_data(req, struct io_futex);
	struct futex_q *q = req->async_data;
	struct futex_hash_bucket *hb;
	int ret = -EINVAL;

	if (f->bitset) {
		/* The wake-up may come as soon as the lock of the bucket is dropped. */
		io_registry_add(req, IO_ARMED_OP);
		ret = futex_wait_setup(f->uaddr, f->val, f->flags, q, &hb);
		if (likely(!ret)) {
			__acquire(&hb->lock);	/* by futex_wait_setup() */
			futex_queue(q, hb, NULL);
			return IO_PENDING;
		}
		io_registry_del(req);
	}
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_futex_wait_issue - start to wait for a futex
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 */
enum io_outcome io_futex_wait_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_ring_ctx *ctx = req->ctx;
	enum io_outcome outcome;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	outcome = io_futex_wait_start(req);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	return outcome;
}

/**
 * io_futex_event - the futex was woken
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held.
 */
enum io_outcome io_futex_event(struct io_kiocb *req, unsigned int how)
{
	io_registry_del(req);
	io_set_res(req, 0, 0);
	return IO_DONE;
}

/**
 * io_futex_cancel - stop a wait for a futex
 * @req: the request, in the registry
 *
 * Context: ring lock held.
 * Return: true: it ends as -ECANCELED. False: it was woken.
 */
bool io_futex_cancel(struct io_kiocb *req)
{
	if (!futex_unqueue(req->async_data))
		return false;
	io_registry_del(req);
	io_set_res(req, -ECANCELED, 0);
	io_inbox_push(req, IO_KIND_DONE, true);
	return true;
}

/**
 * io_futex_wake_prep - read the SQE of FUTEX_WAKE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_futex_wake_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_futex_prep(req, sqe);
}

/**
 * io_futex_wake_issue - wake who waits for a futex
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_futex_wake_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_futex *f = io_op_data(req, struct io_futex);

	/* Strict: to wake none wakes none. */
	io_set_status(req, futex_wake(f->uaddr, FLAGS_STRICT | f->flags, f->val, f->bitset));
	return IO_DONE;
}

/* One of several futexes was woken. Lock of the hash bucket held. */
static void io_futex_waitv_woken(struct wake_q_head *wake_q, struct futex_q *q)
{
	struct io_kiocb *req = q->wake_data;
	struct io_futexv *f = io_op_data(req, struct io_futexv);
	/* (futexv) claim, before the entry is given back; pairs with io_futex_waitv_let_wait() */
	int old = atomic_fetch_or(IO_FUTEX_BUSY | IO_FUTEX_WOKEN, &f->state);

	if (likely(__futex_wake_mark(q)) && !(old & IO_FUTEX_BUSY))
		io_inbox_push(req, IO_KIND_EVENT, true);
}

/**
 * io_futex_waitv_prep - read the SQE of FUTEX_WAITV, and its array
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL, -EFAULT, -ENOMEM.
 */
int io_futex_waitv_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_futexv *f = io_op_data(req, struct io_futexv);
	struct futex_vector *v;

	if (READ_ONCE(sqe->fd) || READ_ONCE(sqe->addr2) || READ_ONCE(sqe->addr3) ||
	    READ_ONCE(sqe->futex_flags) || READ_ONCE(sqe->buf_index) ||
	    READ_ONCE(sqe->file_index))
		return -EINVAL;
	f->nr = READ_ONCE(sqe->len);
	if (!f->nr || f->nr > FUTEX_WAITV_MAX)
		return -EINVAL;
	atomic_set(&f->state, IO_FUTEX_BUSY);
	v = io_req_alloc_data(req, f->nr * sizeof(*v));
	if (!v)
		return -ENOMEM;
	return futex_parse_waitv(v, u64_to_user_ptr(READ_ONCE(sqe->addr)), f->nr,
				 io_futex_waitv_woken, req);
}

/* All entries are queued. False: one was woken meanwhile, and the request is still ours. */
static bool io_futex_waitv_let_wait(struct io_futexv *f)
{
	/* (futexv) fails if a wake-up came; pairs with io_futex_waitv_woken() */
	return atomic_cmpxchg(&f->state, IO_FUTEX_BUSY, 0) == IO_FUTEX_BUSY;
}

static enum io_outcome io_futex_waitv_start(struct io_kiocb *req)
{
	struct io_futexv *f = io_op_data(req, struct io_futexv);
	struct futex_vector *v = req->async_data;
	int ret, woken;

	io_registry_add(req, IO_ARMED_OP);
	ret = futex_wait_multiple_setup(v, f->nr, &woken);
	/* It prepares for a sleep that is not ours. */
	__set_current_state(TASK_RUNNING);
	if (!ret) {
		if (likely(io_futex_waitv_let_wait(f)))
			return IO_PENDING;
		woken = futex_unqueue_multiple(v, f->nr);
		ret = 1;
	}
	io_registry_del(req);
	io_set_status(req, ret > 0 ? woken : ret);
	return IO_DONE;
}

/**
 * io_futex_waitv_issue - start to wait for one of several futexes
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 */
enum io_outcome io_futex_waitv_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_ring_ctx *ctx = req->ctx;
	enum io_outcome outcome;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	outcome = io_futex_waitv_start(req);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	return outcome;
}

/**
 * io_futex_waitv_event - one of several futexes was woken
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held.
 */
enum io_outcome io_futex_waitv_event(struct io_kiocb *req, unsigned int how)
{
	struct io_futexv *f = io_op_data(req, struct io_futexv);

	io_registry_del(req);
	io_set_res(req, futex_unqueue_multiple(req->async_data, f->nr), 0);
	return IO_DONE;
}

/**
 * io_futex_waitv_cancel - stop a wait for several futexes
 * @req: the request, in the registry
 *
 * Context: ring lock held.
 * Return: true: it ends as -ECANCELED. False: one was woken.
 */
bool io_futex_waitv_cancel(struct io_kiocb *req)
{
	struct io_futexv *f = io_op_data(req, struct io_futexv);
	int woken;

	if (atomic_fetch_or(IO_FUTEX_BUSY, &f->state) & IO_FUTEX_BUSY)
		return false;
	woken = futex_unqueue_multiple(req->async_data, f->nr);
	io_registry_del(req);
	/* Woken after all: who did it relies on somebody having noticed. */
	io_set_res(req, woken >= 0 ? woken : -ECANCELED, 0);
	io_inbox_push(req, IO_KIND_DONE, true);
	return woken < 0;
}
