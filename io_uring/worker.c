// SPDX-License-Identifier: GPL-2.0
/*
 * Requests on worker threads.
 *
 * Transitions: QUEUED -> ISSUED, and QUEUED -> INBOX (cancelled).
 *
 * A worker issues without the ring lock, so two sides may be done with a request in any order:
 * the worker, when ->issue returns, and whoever completes it. While IO_REQ_WORKER is set the
 * request has two hands on it and reaches its inbox when the second lets go.
 */
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/poll.h>
#include <linux/sched.h>

#include "inbox.h"
#include "issue.h"
#include "op.h"
#include "poll.h"
#include "pool.h"
#include "punt.h"
#include "request.h"
#include "stop.h"
#include "worker.h"

/* Issue in a worker until there is an outcome other than IO_AGAIN. */
static enum io_outcome io_worker_issue(struct io_kiocb *req)
{
	const struct io_op *op = io_op_of(req);
	unsigned int how = IO_HOW_WORKER;
	enum io_outcome outcome;

	/* Where the file can wake us, waiting in a worker would only keep the worker. */
	if ((op->attrs & (IO_OP_POLLIN | IO_OP_POLLOUT)) && !(req->flags & IO_REQ_RETRY_BOUND) &&
	    file_can_poll(req->file))
		how |= IO_HOW_NONBLOCK;

	while ((outcome = io_issue_slow(req, how)) == IO_AGAIN) {
		if (req->flags & IO_REQ_NOWAIT) {
			io_set_fail(req, -EAGAIN);
			return IO_DONE;
		}
		if (how & IO_HOW_NONBLOCK) {
			switch (io_poll_arm(req, how)) {
			case IO_POLL_ARMED:
				return IO_PENDING;
			case IO_POLL_READY:
				continue;
			case IO_POLL_NO:
				how &= ~IO_HOW_NONBLOCK;
				continue;
			}
		}
		if (!(req->ctx->flags & IORING_SETUP_IOPOLL)) {
			io_set_fail(req, -EAGAIN);
			return IO_DONE;
		}
		/* A polled queue is full; its owner makes room by polling. */
		if (io_pool_worker_stopping()) {
			io_set_fail(req, -ECANCELED);
			return IO_DONE;
		}
		cond_resched();
	}
	return outcome;
}

/*
 * Run, or cancel, a queued request.
 *
 * The request stays findable for a cancel until io_worker_put(), so it is not let go here.
 *
 * Context: a worker thread; with IO_POOL_CANCELLED whoever cancels, with or without a ring lock.
 */
static void io_worker_run(struct io_pool_work *work)
{
	struct io_kiocb *req = io_work_req(work);

	if (work->flags & IO_POOL_CANCELLED) {
		req->cqe.res = -ECANCELED;
		req->outcome = IO_DONE;
		return;
	}
	req->flags |= IO_REQ_WORKER;
	atomic_set(&req->hands, 2);
	req->outcome = io_worker_issue(req);
	/* Whoever looked for it while it was being armed could not stop it. */
	if (req->outcome == IO_PENDING && io_pool_worker_stopping())
		io_stop_interrupted(req);
}

/* Let go of a request after io_worker_run(), in the same context. */
static void io_worker_put(struct io_pool_work *work)
{
	struct io_kiocb *req = io_work_req(work);

	if (req->outcome == IO_PENDING) {
		io_inbox_let_go(req);
		return;
	}
	req->flags &= ~IO_REQ_WORKER;
	if (req->outcome == IO_REQUEUE)
		io_inbox_push(req, IO_KIND_ISSUE, false);
	else
		io_inbox_push(req, IO_KIND_DONE, true);
}

/**
 * io_worker_pool_create - the worker pool of a task
 * @ctx: the task's first ring, which decides the limit of bounded workers
 * @owner: the task
 *
 * Return: the pool, or ERR_PTR.
 */
struct io_pool *io_worker_pool_create(struct io_ring_ctx *ctx, struct task_struct *owner)
{
	const struct io_pool_params params = {
		.owner = owner,
		.bounded = min(ctx->sq_entries, 4 * num_online_cpus()),
		.run = io_worker_run,
		.put = io_worker_put,
	};

	return io_pool_create(&params);
}
