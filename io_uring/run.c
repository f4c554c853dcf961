// SPDX-License-Identifier: GPL-2.0
/*
 * Emptying inboxes: the one consumer side of everything asynchronous.
 *
 * Transitions: INBOX -> ISSUED, ARMED, DONE.
 *
 * A batch takes the ring lock once per ring, and holds a ring reference while it does: the
 * requests it completes may have been the last to hold one.
 */
#include <linux/io_uring_types.h>
#include <linux/resume_user_mode.h>
#include <trace/events/io_uring.h>

#include "batch.h"
#include "complete.h"
#include "inbox.h"
#include "issue.h"
#include "op.h"
#include "poll.h"
#include "registry.h"
#include "run.h"

/* After this many requests of one ring let others have the CPU and the lock. */
#define IO_RUN_SLICE	256

static void io_run_one(struct io_kiocb *req, unsigned int how)
{
	const struct io_op *op = io_op_of(req);
	enum io_outcome outcome = IO_DONE;

	if (unlikely(req->flags & IO_REQ_FOREIGN))
		io_req_join(req);
	switch (req->kind & ~IO_KIND_SINGLE) {
	case IO_KIND_DONE:
		if (req->cqe.res < 0)
			req->flags |= IO_REQ_FAIL;
		break;
	case IO_KIND_ISSUE:
		if (req->armed)
			io_registry_del(req);
		if (likely(!(req->flags & IO_REQ_CANCELLED))) {
			io_start(req, how);
			return;
		}
		io_set_fail(req, -ECANCELED);
		break;
	case IO_KIND_POLL:
		outcome = io_poll_event(req, how);
		if (outcome == IO_AGAIN)
			outcome = io_issue(req, op, how);
		break;
	case IO_KIND_EVENT:
		outcome = op->event(req, how);
		break;
	}
	if (likely(outcome == IO_DONE)) {
		req = io_complete_slow(req);
		if (unlikely(req))
			io_start(req, how);
		return;
	}
	io_settle(req, outcome, how);
}

/* Tell the application that nothing waits, unless something came meanwhile */
static void io_run_clear_taskrun(struct io_ring_ctx *ctx, struct io_inbox *inbox)
{
	/* A ring whose set-up failed has no memory. */
	if (!(ctx->flags & IORING_SETUP_TASKRUN_FLAG) || unlikely(!ctx->rings))
		return;
	atomic_andnot(IORING_SQ_TASKRUN, &ctx->rings->sq_flags);
	/* (taskrun) clear, then look; the producer adds, then sets it if it is clear */
	smp_mb__after_atomic();
	if (!llist_empty(&inbox->list) || ctx->backlog)
		atomic_or(IORING_SQ_TASKRUN, &ctx->rings->sq_flags);
}

/**
 * io_run_deferred - run what is in the ring's own inbox
 * @ctx: the ring
 * @max: requests to run at most
 * @how: IO_HOW_NONBLOCK | IO_HOW_LOCKED for the submitter, IO_HOW_DEAD added without one
 *
 * Context: ring lock held; the submitter, or nobody is; may sleep.
 * Return: requests run.
 */
unsigned int io_run_deferred(struct io_ring_ctx *ctx, unsigned int max, unsigned int how)
{
	unsigned int nr = 0;

	lockdep_assert_held(&ctx->lock);
	while (nr < max) {
		struct llist_node *entry = ctx->backlog;

		if (!entry)
			entry = llist_reverse_order(llist_del_all(&ctx->inbox.list));
		if (!entry)
			break;
		/* What runs may come here again, so the rest has to be in its place. */
		while (entry && nr < max) {
			WRITE_ONCE(ctx->backlog, entry->next);
			io_run_one(llist_entry(entry, struct io_kiocb, inbox), how);
			if (!(++nr % IO_RUN_SLICE))
				cond_resched();
			entry = ctx->backlog;
		}
	}
	if (ctx->flags & IORING_SETUP_DEFER_TASKRUN)
		io_run_clear_taskrun(ctx, &ctx->inbox);
	trace_io_uring_local_work_run(ctx, nr, 1);
	return nr;
}

/**
 * io_run_task - run what is in the inbox of current
 * @tctx: current->io_uring
 *
 * Context: task context, no ring lock held; may sleep.
 * Return: requests run.
 */
unsigned int io_run_task(struct io_uring_task *tctx)
{
	struct llist_node *entry = llist_reverse_order(llist_del_all(&tctx->inbox.list));
	unsigned int how = IO_HOW_NONBLOCK | IO_HOW_LOCKED;
	struct io_ring_ctx *ctx = NULL;
	unsigned int nr = 0;

	if (current->flags & PF_EXITING)
		how |= IO_HOW_DEAD;
	while (entry) {
		struct io_kiocb *req = llist_entry(entry, struct io_kiocb, inbox);

		entry = entry->next;
		if (req->ctx != ctx || !(nr % IO_RUN_SLICE)) {
			if (ctx) {
				io_ring_unlock(ctx);
				percpu_ref_put(&ctx->refs);
				cond_resched();
			}
			ctx = req->ctx;
			percpu_ref_get(&ctx->refs);
			io_ring_lock(ctx);
			io_run_clear_taskrun(ctx, &tctx->inbox);
		}
		io_run_one(req, how);
		nr++;
	}
	if (ctx) {
		io_ring_unlock(ctx);
		percpu_ref_put(&ctx->refs);
	}
	trace_io_uring_task_work_run(tctx, nr);
	return nr;
}

/**
 * io_run_task_work - the doorbell of a task's inbox rang
 * @work: io_uring_task.work
 *
 * Context: task work of the inbox's owner.
 */
void io_run_task_work(struct callback_head *work)
{
	struct io_uring_task *tctx = container_of(work, struct io_uring_task, work);

	/*
	 * (inbox-bell) Idle before the list is taken, and a full barrier: who adds after that
	 * rings again. A bell that exec or exit has silenced stays so.
	 */
	atomic_cmpxchg(&tctx->inbox.bell, IO_BELL_RUNG, IO_BELL_IDLE);
	io_run_task(tctx);
}

/**
 * io_run_fallback - run the ring's inbox for a consumer that is gone
 * @work: io_ring_ctx.fallback, which carries a ring reference
 *
 * Context: kernel worker.
 */
void io_run_fallback(struct work_struct *work)
{
	struct io_ring_ctx *ctx = container_of(work, struct io_ring_ctx, fallback);

	io_ring_lock(ctx);
	io_run_deferred(ctx, UINT_MAX, IO_HOW_NONBLOCK | IO_HOW_LOCKED | IO_HOW_DEAD);
	io_ring_unlock(ctx);
	percpu_ref_put(&ctx->refs);
}

/**
 * io_run_all - run all that waits for current: its inbox, other task work
 * Context: task context, no ring lock held; may sleep.
 */
void io_run_all(void)
{
	struct io_uring_task *tctx = current->io_uring;

	if (tctx && !io_inbox_empty(&tctx->inbox))
		io_run_task(tctx);
	if (test_thread_flag(TIF_NOTIFY_SIGNAL))
		clear_notify_signal();
	if (task_work_pending(current)) {
		__set_current_state(TASK_RUNNING);
		task_work_run();
	}
	if (current->flags & PF_IO_WORKER)
		return;
	if (test_thread_flag(TIF_NOTIFY_RESUME))
		resume_user_mode_work(NULL);
}
