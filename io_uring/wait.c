// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeping in io_uring_enter() until enough CQEs are there.
 *
 * Transitions: none itself; it calls run.c, which takes requests out of inboxes.
 *
 * The sleeper tells two sides what it lacks. Its inbox (io_inbox_arm) counts entries that will
 * become CQEs, and wakes it when they make up the number; whoever posts CQEs itself goes through
 * the ring's wait queue, where io_wait_wake() lowers that number. Order of set-up and tear-down:
 * arm, enqueue, look, sleep, dequeue, disarm, drain. The look comes last, so nothing that came
 * before it is missed; dequeue before disarm, so io_wait_wake() never touches an inbox whose
 * owner does not sleep.
 */
#include <linux/compat.h>
#include <linux/hrtimer.h>
#include <linux/io_uring_types.h>
#include <linux/sched/signal.h>
#include <linux/time_namespace.h>
#include <linux/uaccess.h>
#include <trace/events/io_uring.h>

#include "batch.h"
#include "cq.h"
#include "inbox.h"
#include "issue.h"
#include "node.h"
#include "run.h"
#include "task.h"
#include "wait.h"
#include "wake.h"

/* Deferred work that one wait runs at least, however few CQEs it asks for */
#define IO_WAIT_RUN_MIN	20

/**
 * struct io_wait_args - what a wait is asked for, copied in
 * @sigmask: signals to block meanwhile, or NULL
 * @sigmask_sz: size of what it points to
 * @has_deadline: @deadline is set
 * @deadline: absolute, on the ring's clock
 * @min_wait: nanoseconds to insist on the full number; 0: none
 * @timeouts: ctx->timeouts, before what had arrived was run: an expiry among that counts
 */
struct io_wait_args {
	const sigset_t __user *sigmask;
	size_t sigmask_sz;
	bool has_deadline;
	ktime_t deadline;
	u64 min_wait;
	int timeouts;
};

/**
 * struct io_waiter - a sleeper
 * @entry: in ctx->cq_wait (W)
 * @ctx: the ring (I)
 * @inbox: that of current for this ring; NULL: it has none (I)
 * @target: CQ tail to wait for (T, read by wakers)
 * @timeouts: ctx->timeouts at the start (I)
 */
struct io_waiter {
	struct wait_queue_entry entry;
	struct io_ring_ctx *ctx;
	struct io_inbox *inbox;
	u32 target;
	int timeouts;
};

static ktime_t io_clock_now(const struct io_ring_ctx *ctx)
{
	return ctx->clockid == CLOCK_BOOTTIME ? ktime_get_boottime() : ktime_get();
}

static u32 io_cq_tail_seen(const struct io_ring_ctx *ctx)
{
	return READ_ONCE(ctx->rings->cq_tail);
}

/* CQEs that the application can see */
static u32 io_cq_visible(const struct io_ring_ctx *ctx)
{
	return io_cq_tail_seen(ctx) - READ_ONCE(ctx->rings->cq_head);
}

static bool io_cq_overflown(const struct io_ring_ctx *ctx)
{
	return atomic_read(&ctx->rings->sq_flags) & IORING_SQ_CQ_OVERFLOW;
}

static bool io_wait_satisfied(const struct io_waiter *w)
{
	return (s32)(io_cq_tail_seen(w->ctx) - READ_ONCE(w->target)) >= 0 ||
	       atomic_read(&w->ctx->timeouts) != w->timeouts;
}

/* CQEs were published by somebody else. Wake the sleeper, or note that it lacks fewer. */
static int io_wait_wake(struct wait_queue_entry *entry, unsigned int mode, int sync, void *key)
{
	struct io_waiter *w = container_of(entry, struct io_waiter, entry);
	s32 lacking;

	if (io_wait_satisfied(w) || io_cq_overflown(w->ctx))
		return autoremove_wake_function(entry, mode, sync, key);
	lacking = READ_ONCE(w->target) - io_cq_tail_seen(w->ctx);
	if (w->inbox && io_inbox_rewant(w->inbox, lacking))
		return autoremove_wake_function(entry, mode, sync, key);
	return 0;
}

/* Run what has arrived, and move kept CQEs to the ring */
static void io_wait_collect(struct io_ring_ctx *ctx, unsigned int min)
{
	bool deferred = (ctx->flags & IORING_SETUP_DEFER_TASKRUN) && io_run_pending(ctx);

	if (deferred || io_cq_overflown(ctx)) {
		io_ring_lock(ctx);
		if (deferred)
			io_run_deferred(ctx, max_t(unsigned int, IO_WAIT_RUN_MIN, min),
					IO_HOW_NONBLOCK | IO_HOW_LOCKED);
		io_cq_flush_overflow(ctx);
		io_ring_unlock(ctx);
	}
	io_run_all();
}

static bool io_wait_may_sleep(struct io_waiter *w)
{
	struct io_ring_ctx *ctx = w->ctx;

	return !io_wait_satisfied(w) && !io_cq_overflown(ctx) && !READ_ONCE(ctx->dropped) &&
	       !((ctx->flags & IORING_SETUP_DEFER_TASKRUN) && io_run_pending(ctx)) &&
	       !(w->inbox && !io_inbox_empty(w->inbox)) &&
	       !task_work_pending(current) && !signal_pending(current);
}

/* One sleep. Returns false when @deadline, if there is one, has passed. */
static bool io_wait_sleep(struct io_waiter *w, const ktime_t *deadline, bool iowait)
{
	struct io_ring_ctx *ctx = w->ctx;
	ktime_t expires = deadline ? *deadline : 0;
	bool in_time = true;

	if (w->inbox)
		io_inbox_arm(w->inbox, ctx, max(1, (s32)(w->target - io_cq_tail_seen(ctx))));
	prepare_to_wait_exclusive(&ctx->cq_wait, &w->entry, TASK_INTERRUPTIBLE);
	/* (cq-listen) queued and counted, now look at the tail; pairs with io_cq_publish() */
	smp_mb();
	if (io_wait_may_sleep(w)) {
		if (iowait)
			current->in_iowait = 1;
		in_time = schedule_hrtimeout_range_clock(deadline ? &expires : NULL, 0,
							 HRTIMER_MODE_ABS, ctx->clockid);
		current->in_iowait = 0;
	}
	finish_wait(&ctx->cq_wait, &w->entry);
	if (w->inbox)
		io_inbox_disarm(w->inbox);
	return in_time;
}

/* The minimum wait is over: be content with one CQE from now on. Returns 0 to go on. */
static int io_wait_min_over(struct io_waiter *w, const struct io_wait_args *args)
{
	if (io_cq_visible(w->ctx))
		return 1;
	if (!args->has_deadline)
		return -ETIME;
	WRITE_ONCE(w->target, READ_ONCE(w->ctx->rings->cq_head) + 1);
	return 0;
}

/* Sleep and collect until there is a reason to return: 0, -ETIME, -EINTR */
static int io_wait_loop(struct io_waiter *w, const struct io_wait_args *args, bool iowait)
{
	struct io_ring_ctx *ctx = w->ctx;
	ktime_t min_end = args->min_wait ? ktime_add_ns(io_clock_now(ctx), args->min_wait) : 0;
	bool min_phase = args->min_wait;

	for (;;) {
		const ktime_t *deadline = min_phase ? &min_end :
					  args->has_deadline ? &args->deadline : NULL;
		bool in_time = io_wait_sleep(w, deadline, iowait);
		int ret;

		io_wait_collect(ctx, w->target - io_cq_tail_seen(ctx));
		if (io_wait_satisfied(w) || io_cq_overflown(ctx) || READ_ONCE(ctx->dropped))
			return 0;
		if (task_sigpending(current))
			return -EINTR;
		if (in_time)
			continue;
		if (!min_phase)
			return -ETIME;
		min_phase = false;
		ret = io_wait_min_over(w, args);
		if (ret)
			return min(ret, 0);
	}
}

static int io_wait_set_sigmask(const struct io_wait_args *args)
{
	if (!args->sigmask)
		return 0;
	if (in_compat_syscall())
		return set_compat_user_sigmask((const compat_sigset_t __user *)args->sigmask,
					       args->sigmask_sz);
	return set_user_sigmask(args->sigmask, args->sigmask_sz);
}

/* The deadline that a timespec means on the ring's clock */
static void io_wait_set_deadline(struct io_ring_ctx *ctx, struct io_wait_args *args,
				 struct timespec64 *ts, u32 flags)
{
	ktime_t t = timespec64_to_ktime(*ts);

	args->has_deadline = true;
	if (flags & IORING_ENTER_ABS_TIMER)
		args->deadline = timens_ktime_to_host(ctx->clockid, t);
	else
		args->deadline = ktime_add_safe(io_clock_now(ctx), max(t, 0));
}

/* Arguments that lie in the region registered for them; @offset is what argp says */
static int io_wait_args_registered(struct io_ring_ctx *ctx, struct io_wait_args *args,
				   size_t offset, u32 flags)
{
	struct io_uring_reg_wait arg;
	size_t size = READ_ONCE(ctx->wait_args_size);
	struct timespec64 ts;

	if (!IS_ALIGNED(offset, sizeof(long)) || size < sizeof(arg) || offset > size - sizeof(arg))
		return -EFAULT;
	/* (wait-args) acquire: the size is stored after the pointer */
	smp_rmb();
	memcpy(&arg, READ_ONCE(ctx->wait_args) + array_index_nospec(offset, size), sizeof(arg));
	if (arg.flags & ~IORING_REG_WAIT_TS)
		return -EINVAL;
	args->sigmask = u64_to_user_ptr(arg.sigmask);
	args->sigmask_sz = arg.sigmask_sz;
	args->min_wait = (u64)arg.min_wait_usec * NSEC_PER_USEC;
	if (arg.flags & IORING_REG_WAIT_TS) {
		ts.tv_sec = arg.ts.tv_sec;
		ts.tv_nsec = arg.ts.tv_nsec;
		io_wait_set_deadline(ctx, args, &ts, flags);
	}
	return 0;
}

static int io_wait_args_user(struct io_ring_ctx *ctx, struct io_wait_args *args,
			     const void __user *argp, u32 flags)
{
	struct io_uring_getevents_arg arg;
	struct timespec64 ts;

	if (copy_from_user(&arg, argp, sizeof(arg)))
		return -EFAULT;
	args->sigmask = u64_to_user_ptr(arg.sigmask);
	args->sigmask_sz = arg.sigmask_sz;
	args->min_wait = (u64)arg.min_wait_usec * NSEC_PER_USEC;
	if (arg.ts) {
		if (get_timespec64(&ts, u64_to_user_ptr(arg.ts)))
			return -EFAULT;
		io_wait_set_deadline(ctx, args, &ts, flags);
	}
	return 0;
}

/* Copy in the arguments, in whichever of the three forms they come */
static int io_wait_get_args(struct io_ring_ctx *ctx, struct io_wait_args *args, u32 flags,
			    const void __user *argp, size_t argsz)
{
	memset(args, 0, sizeof(*args));
	if (!(flags & IORING_ENTER_EXT_ARG)) {
		args->sigmask = argp;
		args->sigmask_sz = argsz;
		return 0;
	}
	if (flags & IORING_ENTER_EXT_ARG_REG) {
		if (argsz != sizeof(struct io_uring_reg_wait))
			return -EINVAL;
		return io_wait_args_registered(ctx, args, (size_t)(uintptr_t)argp, flags);
	}
	if (argsz != sizeof(struct io_uring_getevents_arg))
		return -EINVAL;
	return io_wait_args_user(ctx, args, argp, flags);
}

/* Nothing to sleep for was there: do it the long way */
static int io_wait_long(struct io_ring_ctx *ctx, u32 min, u32 flags,
			const struct io_wait_args *args)
{
	struct io_uring_task *tctx = current->io_uring;
	struct io_task_node *node = io_task_node_cached(ctx);
	struct io_waiter w = {
		.ctx = ctx,
		.target = READ_ONCE(ctx->rings->cq_head) + min,
		.timeouts = args->timeouts,
	};
	bool iowait = node && READ_ONCE(node->inflight) && !(flags & IORING_ENTER_NO_IOWAIT);
	int ret;

	if (ctx->flags & IORING_SETUP_DEFER_TASKRUN)
		w.inbox = &ctx->inbox;
	else if (tctx)
		w.inbox = &tctx->inbox;
	init_wait(&w.entry);
	w.entry.func = io_wait_wake;

	ret = io_wait_set_sigmask(args);
	if (ret)
		return ret;
	trace_io_uring_cqring_wait(ctx, min);
	io_listen(ctx);
	ret = io_wait_loop(&w, args, iowait);
	io_unlisten(ctx);
	restore_saved_sigmask_unless(ret == -EINTR);
	return ret;
}

/* Run what has arrived, and sleep for what is lacking */
static noinline int io_wait_slow(struct io_ring_ctx *ctx, u32 min, u32 flags,
				 const void __user *argp, size_t argsz)
{
	struct io_wait_args args;
	int ret = io_wait_get_args(ctx, &args, flags, argp, argsz);

	if (unlikely(ret))
		return ret;
	if (unlikely((ctx->flags & IORING_SETUP_DEFER_TASKRUN) && ctx->submitter != current))
		return -EEXIST;
	args.timeouts = atomic_read(&ctx->timeouts);
	io_wait_collect(ctx, min);
	if (unlikely(io_cq_overflown(ctx)) || (s32)(io_cq_visible(ctx) - min) >= 0)
		return 0;

	ret = READ_ONCE(ctx->dropped) ? 0 : io_wait_long(ctx, min, flags, &args);
	if (io_cq_visible(ctx))
		return 0;
	if (unlikely(READ_ONCE(ctx->dropped))) {
		WRITE_ONCE(ctx->dropped, false);
		return -EBADR;
	}
	return ret;
}

/**
 * io_wait_cqes - IORING_ENTER_GETEVENTS
 * @ctx: the ring
 * @min_complete: CQEs to wait for; 0: only run what is pending
 * @flags: IORING_ENTER_*
 * @argp: signal mask, or extended argument, or offset of a registered one
 * @argsz: its size
 *
 * Context: task context, no ring lock held; may sleep.
 * Return: 0 if there are CQEs; -EEXIST (DEFER_TASKRUN ring of another task), -EINVAL, -EFAULT
 * (arguments), -ETIME, -EINTR, -EBADR (a CQE was lost).
 */
int io_wait_cqes(struct io_ring_ctx *ctx, unsigned int min_complete, u32 flags,
		 const void __user *argp, size_t argsz)
{
	u32 min = min_t(s32, min_complete, ctx->cq_entries);

	/*
	 * Enough is there, and nothing to run. Not even in the task's inbox: the application may
	 * have seen IORING_SQ_TASKRUN, which is set before the task work is queued.
	 */
	if (!(flags & IORING_ENTER_EXT_ARG) && !io_run_pending(ctx) && !io_cq_overflown(ctx) &&
	    (s32)(io_cq_visible(ctx) - min) >= 0 &&
	    likely(!current->io_uring || io_inbox_empty(&current->io_uring->inbox)) &&
	    likely(!(ctx->flags & IORING_SETUP_DEFER_TASKRUN) || ctx->submitter == current))
		return 0;
	return io_wait_slow(ctx, min, flags, argp, argsz);
}
