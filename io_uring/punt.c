// SPDX-License-Identifier: GPL-2.0
/*
 * How requests get to worker threads.
 *
 * Transitions: INIT, ISSUED, HELD -> QUEUED.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/sched.h>
#include <trace/events/io_uring.h>

#include "files.h"
#include "inbox.h"
#include "op.h"
#include "punt.h"
#include "registry.h"
#include "request.h"

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
	work->flags |= IO_POOL_FINISH;
	if (!(op->attrs & IO_OP_HASH) || !S_ISREG(mode))
		return;
	/* Direct writes that the file system serialises no further need no order of ours. */
	if ((req->file->f_flags & O_DIRECT) &&
	    (req->file->f_op->fop_flags & FOP_DIO_PARALLEL_WRITE) &&
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
