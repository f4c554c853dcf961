// SPDX-License-Identifier: GPL-2.0
/*
 * The end of rings, and of tasks that use them: exec, exit, the last close.
 *
 * Transitions: HELD, ARMED, QUEUED -> INBOX (cancelled), through cancel.c and drain.c.
 *
 * A ring ends in steps, of which none waits for anything that user space controls:
 *
 *  1. The last close marks it dying, unlinks it from its tasks, cancels what can be cancelled and
 *     completes it at once, and drops its tables. If nothing is in the hands of a driver then, all
 *     that requests held is free when close() returns.
 *  2. exit_work repeats the cancel pass now and then, for requests that were in transit. It does
 *     not sleep in between.
 *  3. The last ring reference goes with the last request. After a grace period, for producers
 *     that still look at the ring, free_work frees it.
 *
 * A task that execs ends all its requests and waits for them. One that exits only waits for those
 * that keep a ring file open, or wait for the task's memory or children; its other requests live
 * on, and are completed by the fallback work of their ring if they need a task.
 */
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "batch.h"
#include "cancel.h"
#include "drain.h"
#include "eventfd.h"
#include "exit.h"
#include "inbox.h"
#include "node.h"
#include "pool.h"
#include "run.h"
#include "task.h"
#include "teardown.h"

#define IO_EXIT_INTERVAL	(HZ / 20)

/* Stop what can be stopped, and run what has arrived. Returns true if requests are left. */
static bool io_ring_cancel_pass(struct io_ring_ctx *ctx, unsigned int how)
{
	bool left;

	io_ring_lock(ctx);
	io_drain_cancel(ctx, NULL);
	io_cancel_task(ctx, NULL, true);
	io_run_deferred(ctx, UINT_MAX, how);
	io_batch_end(ctx);
	io_req_cache_trim(ctx, 0);
	left = ctx->nr_reqs;
	io_ring_unlock(ctx);
	return left;
}

/* The ring's tasks forget it. Requests that are left are completed without them. */
static void io_ring_detach_tasks(struct io_ring_ctx *ctx)
{
	struct io_task_node *node, *tmp;

	list_for_each_entry_safe(node, tmp, &ctx->nodes, entry)
		io_task_node_detach(node);
}

/**
 * io_ring_exit_work - cancel again what a dying ring still has
 * @work: io_ring_ctx.exit_work
 *
 * Context: kernel worker.
 */
void io_ring_exit_work(struct work_struct *work)
{
	struct delayed_work *dwork = to_delayed_work(work);
	struct io_ring_ctx *ctx = container_of(dwork, struct io_ring_ctx, exit_work);

	if (io_ring_cancel_pass(ctx, IO_HOW_NONBLOCK | IO_HOW_LOCKED | IO_HOW_DEAD))
		queue_delayed_work(system_unbound_wq, &ctx->exit_work, IO_EXIT_INTERVAL);
}

/**
 * io_ring_exit - the last file reference of a ring is gone
 * @ctx: the ring
 *
 * Context: process context, no ring lock held; may sleep.
 */
void io_ring_exit(struct io_ring_ctx *ctx)
{
	struct io_uring_task *tctx = current->io_uring;
	unsigned int how = IO_HOW_NONBLOCK | IO_HOW_LOCKED | IO_HOW_DEAD;

	/* Ours until we are through: the last request may go with its reference at any moment. */
	percpu_ref_get(&ctx->refs);
	io_ring_lock(ctx);
	WRITE_ONCE(ctx->dying, true);
	/* From here on the ring's own inbox is run by whoever ends the ring. */
	atomic_set(&ctx->inbox.bell, IO_BELL_DEAD);
	io_eventfd_unregister(ctx);
	io_drain_cancel(ctx, NULL);
	io_cancel_task(ctx, NULL, true);
	io_ring_detach_tasks(ctx);
	io_ring_unlock(ctx);

	/* What was cancelled is in the inbox of its task. If that is us it ends here and now. */
	if (tctx && !(current->flags & PF_KTHREAD))
		io_run_task(tctx);
	io_ring_lock(ctx);
	io_teardown_tables(ctx);
	io_ring_unlock(ctx);
	percpu_ref_kill(&ctx->refs);
	if (io_ring_cancel_pass(ctx, how))
		queue_delayed_work(system_unbound_wq, &ctx->exit_work, IO_EXIT_INTERVAL);
	percpu_ref_put(&ctx->refs);
}

/* A reference on a ring that one of current's nodes leads to, or NULL if it is going away */
static struct io_ring_ctx *io_task_ring_get(struct io_uring_task *tctx, unsigned long index)
{
	struct io_ring_ctx *ctx = NULL;

	rcu_read_lock();
	if (xa_load(&tctx->nodes, index)) {
		/* The entry goes under the ring lock before the ring's memory does, after RCU. */
		ctx = (struct io_ring_ctx *)index;
		if (!percpu_ref_tryget(&ctx->refs))
			ctx = NULL;
	}
	rcu_read_unlock();
	return ctx;
}

/* Cancel on all rings of current. Returns whether there is something left to wait for. */
static bool io_task_cancel_pass(struct io_uring_task *tctx, bool all)
{
	struct io_task_node *node;
	unsigned long index;
	bool left = false;

	xa_for_each(&tctx->nodes, index, node) {
		struct io_ring_ctx *ctx = io_task_ring_get(tctx, index);

		if (!ctx)
			continue;
		io_ring_lock(ctx);
		node = xa_load(&tctx->nodes, index);
		if (node) {
			bool found;

			if (all)
				io_drain_cancel(ctx, node);
			found = io_cancel_task(ctx, node, all);
			if (node->inbox == &ctx->inbox)
				io_run_deferred(ctx, UINT_MAX, IO_HOW_NONBLOCK | IO_HOW_LOCKED);
			left |= all ? node->inflight : found;
		}
		io_ring_unlock(ctx);
		percpu_ref_put(&ctx->refs);
	}
	return left;
}

/* Unlink current from all its rings. */
static void io_task_leave_rings(struct io_uring_task *tctx)
{
	struct io_task_node *node;
	unsigned long index;

	xa_for_each(&tctx->nodes, index, node) {
		struct io_ring_ctx *ctx = io_task_ring_get(tctx, index);

		if (!ctx)
			continue;
		io_ring_lock(ctx);
		node = xa_load(&tctx->nodes, index);
		if (node) {
			if (node->inbox == &ctx->inbox) {
				/* It loses its only consumer: the fallback work takes over. */
				atomic_set(&ctx->inbox.bell, IO_BELL_DEAD);
				/* (inbox-bell) store, then look; the producer adds, reads */
				smp_mb();
				io_run_deferred(ctx, UINT_MAX, IO_HOW_NONBLOCK | IO_HOW_LOCKED);
			}
			io_task_node_detach(node);
		}
		io_ring_unlock(ctx);
		percpu_ref_put(&ctx->refs);
	}
}

/*
 * Sleep until something reaches the inbox or a request ends. Not interruptible, as a pending kill
 * would make the caller spin, but short: what was in transit is found by a later look.
 */
static void io_task_doze(struct io_uring_task *tctx)
{
	DEFINE_WAIT(wait);

	prepare_to_wait(&tctx->wait, &wait, TASK_UNINTERRUPTIBLE);
	io_inbox_arm(&tctx->inbox, NULL, 1);
	if (io_inbox_empty(&tctx->inbox) && !task_work_pending(current))
		schedule_timeout(HZ / 50);
	io_inbox_disarm(&tctx->inbox);
	finish_wait(&tctx->wait, &wait);
}

/* Cancel, run what that yields, and sleep until a request ends, until nothing is left. */
static void io_task_cancel(struct io_uring_task *tctx, bool all)
{
	atomic_inc(&tctx->cancelling);
	while (io_task_cancel_pass(tctx, all)) {
		io_run_all();
		if (!io_task_cancel_pass(tctx, all))
			break;
		io_task_doze(tctx);
	}
	atomic_dec(&tctx->cancelling);
}

/*
 * A thread that ends by itself leaves its reads and writes of files behind: they are done, and
 * their results are for the other users of the ring. A process that ends does not wait.
 */
static void io_task_finish_files(struct io_uring_task *tctx)
{
	while (tctx->pool && io_pool_finish(tctx->pool) &&
	       !(READ_ONCE(current->signal->flags) & SIGNAL_GROUP_EXIT)) {
		io_run_all();
		if (io_pool_finish(tctx->pool))
			io_task_doze(tctx);
	}
}

/* No more task_work for the inbox: what is there runs now, what comes goes to the fallback. */
static void io_task_silence(struct io_uring_task *tctx)
{
	for (;;) {
		int bell = atomic_cmpxchg(&tctx->inbox.bell, IO_BELL_IDLE, IO_BELL_DEAD);

		if (bell != IO_BELL_RUNG)
			break;
		/* The ringer queues the work right after it has set the bell. */
		task_work_run();
		cond_resched();
	}
	io_run_task(tctx);
}

/**
 * __io_uring_cancel - current execs or exits
 * @cancel_all: exec: end all its requests and forget its io_uring state. Else exit: end only
 *	those that must not outlive the task.
 *
 * Context: process context; may sleep.
 */
void __io_uring_cancel(bool cancel_all)
{
	struct io_uring_task *tctx = current->io_uring;
	struct io_pool *pool = tctx->pool;

	io_task_drop_rings(tctx);
	io_task_cancel(tctx, cancel_all);
	if (!cancel_all)
		io_task_finish_files(tctx);

	/* The pool goes when no ring leads to it; its cancelled items come to our inbox. */
	if (pool)
		io_pool_exit_start(pool);
	io_task_leave_rings(tctx);
	WRITE_ONCE(tctx->pool, NULL);
	if (pool)
		io_pool_destroy(pool);
	io_task_silence(tctx);
	xa_destroy(&tctx->nodes);	/* a failed store may have left an inner node */

	if (cancel_all) {
		current->io_uring = NULL;
		WARN_ON_ONCE(!llist_empty(&tctx->inbox.list));
		kfree_rcu(tctx, rcu);
	}
}
