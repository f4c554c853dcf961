// SPDX-License-Identifier: GPL-2.0
/*
 * Requests on worker threads: how they get there, and how they are run.
 *
 * Transitions: INIT, ISSUED, HELD -> QUEUED; QUEUED -> ISSUED (in a worker) and -> INBOX.
 *
 * A worker issues without the ring lock, so two sides may be done with a request in any order:
 * the worker, when ->issue returns, and whoever completes it. While IO_REQ_WORKER is set the
 * request has two hands on it and reaches its inbox when the second lets go.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/sched.h>
#include <trace/events/io_uring.h>

#include "complete.h"
#include "files.h"
#include "inbox.h"
#include "issue.h"
#include "op.h"
#include "poll.h"
#include "punt.h"
#include "registry.h"
#include "stop.h"

/* Choose the class of workers, and whether the work is serialised by inode */
static void io_punt_classify(struct io_kiocb *req, const struct io_op *op)
{
	struct io_pool_work *work = io_req_work(req);
	umode_t mode = 0;

	work->flags = 0;
	if (op->attrs & IO_OP_FILE)
		mode = file_inode(req->file)->i_mode;
	if (!S_ISREG(mode) && !S_ISBLK(mode)) {
		if (op->attrs & IO_OP_UNBOUND)
			work->flags |= IO_POOL_UNBOUND;
		return;
	}
	if (!(op->attrs & IO_OP_HASH) || !S_ISREG(mode))
		return;
	/* Direct writes that the file system serialises no further need no order of ours. */
	if ((req->file->f_flags & O_DIRECT) && (req->file->f_op->fop_flags & FOP_DIO_PARALLEL_WRITE) &&
	    !(req->ctx->flags & IORING_SETUP_IOPOLL))
		return;
	io_pool_work_hash(work, file_inode(req->file));
}

/**
 * io_punt - queue a request for a worker of the task that submitted it
 * @req: the request, counted
 *
 * Context: ring lock held; the submitting task, or any other for which the request is first sent
 * home.
 * Return: IO_PENDING, or IO_DONE with a result set if it cannot run.
 */
enum io_outcome io_punt(struct io_kiocb *req)
{
	const struct io_op *op = io_op_of(req);
	struct io_uring_task *tctx = current->io_uring;

	/* Only the owner may touch its pool, which lives and dies with it. */
	if (unlikely(req->node->task != current)) {
		io_issue_later(req);
		return IO_PENDING;
	}
	if ((op->attrs & IO_OP_FILE) && !(req->flags & (IO_REQ_FILE | IO_REQ_FILE_NODE)) &&
	    io_file_assign(req, IO_HOW_LOCKED)) {
		io_set_fail(req, -EBADF);
		return IO_DONE;
	}
	if (unlikely(!tctx->pool || (current->flags & PF_EXITING))) {
		io_set_fail(req, -ECANCELED);
		return IO_DONE;
	}
	if (!(req->flags & IO_REQ_CREDS)) {
		req->creds = get_current_cred();
		req->flags |= IO_REQ_CREDS;
	}
	req->flags |= IO_REQ_POOLED;
	req->stopped = false;
	io_punt_classify(req, op);
	trace_io_uring_queue_async_work(req, io_req_work(req)->flags & IO_POOL_HASHED);
	io_req_move(req, IO_REQ_QUEUED);
	io_pool_queue(tctx->pool, io_req_work(req));
	return IO_PENDING;
}

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

/**
 * io_worker_run - run, or cancel, a queued request
 * @work: its place in the queue
 *
 * The request stays findable for a cancel until io_worker_put(), so it is not let go here.
 *
 * Context: a worker thread; with IO_POOL_CANCELLED whoever cancels, with or without a ring lock.
 */
void io_worker_run(struct io_pool_work *work)
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

/**
 * io_worker_put - let go of a request after io_worker_run()
 * @work: its place in the queue
 *
 * Context: as io_worker_run().
 */
void io_worker_put(struct io_pool_work *work)
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
 * io_punt_pool_create - the worker pool of a task
 * @ctx: the task's first ring, which decides the limit of bounded workers
 * @owner: the task
 *
 * Return: the pool, or ERR_PTR.
 */
struct io_pool *io_punt_pool_create(struct io_ring_ctx *ctx, struct task_struct *owner)
{
	const struct io_pool_params params = {
		.owner = owner,
		.bounded = min(ctx->sq_entries, 4 * num_online_cpus()),
		.run = io_worker_run,
		.put = io_worker_put,
	};

	return io_pool_create(&params);
}
