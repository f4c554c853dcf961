// SPDX-License-Identifier: GPL-2.0
/*
 * Timers of requests, and the timer that is a deadline for another request.
 *
 * Transitions: ARMED -> INBOX, by the timer; HELD -> ARMED for deadlines.
 *
 * A timer only says that it fired and pushes its request. Everything else is done under the ring
 * lock: there the request's event is handled, and there io_timer_stop() decides between two
 * owners. If it stops the timer before it fires the caller owns the request; if not the request
 * is in its inbox, or about to be, and ends by its event.
 */
#include <linux/hrtimer.h>
#include <linux/io_uring_types.h>

#include "finish.h"
#include "inbox.h"
#include "registry.h"
#include "request.h"
#include "timer.h"

static enum hrtimer_restart io_timer_fn(struct hrtimer *hrtimer)
{
	struct io_kiocb *req = container_of(hrtimer, struct io_timer, timer)->req;

	WRITE_ONCE(io_op_data(req, struct io_timeout)->fired, true);
	/* An expiry ends a wait, whatever number of completions it is for. */
	io_inbox_push(req, IO_KIND_EVENT, false);
	return HRTIMER_NORESTART;
}

/* Is the time up as soon as it starts? Then it needs no timer. */
static bool io_timer_at_once(const struct io_timeout *t)
{
	return !t->time && !(t->flags & (IORING_TIMEOUT_ABS | IORING_TIMEOUT_MULTISHOT));
}

/**
 * io_timer_alloc - get what io_timer_start() needs
 * @req: request whose data is a struct io_timeout, with time and flags set
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int io_timer_alloc(struct io_kiocb *req)
{
	struct io_timer *timer;

	static_assert(sizeof(struct io_timeout) <= IO_OP_DATA_SIZE);
	if (io_timer_at_once(io_op_data(req, struct io_timeout)))
		return 0;
	timer = io_req_alloc_data(req, sizeof(*timer));
	if (unlikely(!timer))
		return -ENOMEM;
	timer->req = req;
	return 0;
}

/**
 * io_timer_start - start the timer of a request
 * @req: the request, in the registry. Not the caller's any more on return.
 *
 * Context: ring lock held.
 */
void io_timer_start(struct io_kiocb *req)
{
	struct io_timeout *t = io_op_data(req, struct io_timeout);
	struct io_timer *timer = req->async_data;
	enum hrtimer_mode mode = HRTIMER_MODE_REL;

	lockdep_assert_held(&req->ctx->lock);
	if (io_timer_at_once(t)) {
		t->fired = true;
		io_inbox_push(req, IO_KIND_EVENT, false);
		return;
	}
	if (t->flags & IORING_TIMEOUT_ABS)
		mode = HRTIMER_MODE_ABS;
	t->fired = false;
	hrtimer_init(&timer->timer, io_timer_clock(t->flags), mode);
	timer->timer.function = io_timer_fn;
	hrtimer_start(&timer->timer, t->time, mode);
}

/**
 * io_timer_next - start a timer that fired for another period
 * @req: the request, in the registry. Not the caller's any more on return.
 *
 * Periods follow each other without drift; those that have passed already are left out.
 *
 * Context: ring lock held.
 */
void io_timer_next(struct io_kiocb *req)
{
	struct io_timeout *t = io_op_data(req, struct io_timeout);
	struct io_timer *timer = req->async_data;

	lockdep_assert_held(&req->ctx->lock);
	t->fired = false;
	hrtimer_forward_now(&timer->timer, t->time);
	hrtimer_restart(&timer->timer);
}

/**
 * io_timer_stop - stop the timer of a request
 * @req: the request; its timer was started
 *
 * Context: ring lock held.
 * Return: true: the caller owns the request. False: it fired and is in its inbox.
 */
bool io_timer_stop(struct io_kiocb *req)
{
	struct io_timeout *t = io_op_data(req, struct io_timeout);
	struct io_timer *timer = req->async_data;
	int ret;

	lockdep_assert_held(&req->ctx->lock);
	while (!READ_ONCE(t->fired)) {
		ret = hrtimer_try_to_cancel(&timer->timer);
		if (ret >= 0)
			return ret;
		/*
		 * It runs at this moment, and we shall see that it fired; unless it is an earlier
		 * timer of the same address that has not yet left its function.
		 */
		hrtimer_cancel_wait_running(&timer->timer);
	}
	return false;
}

/**
 * io_timer_guard - start the deadline of a request
 * @timeout: a LINK_TIMEOUT, so far unknown to anybody but its chain
 * @head: the request
 *
 * Context: ring lock held.
 */
void io_timer_guard(struct io_kiocb *timeout, struct io_kiocb *head)
{
	io_op_data(timeout, struct io_timeout)->head = head;
	io_req_count(timeout);
	io_registry_add(timeout, IO_ARMED_GUARD);
	io_timer_start(timeout);
}

/**
 * io_timer_unguard - a request is done: end its deadline
 * @timeout: started by io_timer_guard(), and still linked to the request
 *
 * Context: ring lock held.
 * Return: true: the caller owns @timeout and completes it. False: it fired and is in its inbox;
 *	when it gets its turn it finds that the request is gone.
 */
bool io_timer_unguard(struct io_kiocb *timeout)
{
	io_registry_del(timeout);
	if (io_timer_stop(timeout))
		return true;
	io_op_data(timeout, struct io_timeout)->head = NULL;
	return false;
}
