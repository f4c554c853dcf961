/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Running an operation, and what its outcome leads to.
 */
#ifndef IO_URING_ISSUE_H
#define IO_URING_ISSUE_H

#include <linux/audit.h>
#include <linux/io_uring_types.h>

#include "files.h"
#include "finish.h"
#include "link.h"
#include "op.h"
#include "request.h"

void io_start(struct io_kiocb *req, unsigned int how);
void io_settle(struct io_kiocb *req, enum io_outcome outcome, unsigned int how);
enum io_outcome io_issue_slow(struct io_kiocb *req, unsigned int how);

/* Must this request go to a worker before it is tried here? */
static __always_inline bool io_wants_worker(const struct io_kiocb *req, const struct io_op *op)
{
	return ((req->flags & IOSQE_ASYNC) || (op->attrs & IO_OP_WORKER)) &&
	       !(req->flags & IO_REQ_POOLED);
}

/* The request will be finished by somebody else: it leaves the submission path. */
static __always_inline void io_req_leaves(struct io_kiocb *req)
{
	io_req_count(req);
	if (unlikely(req->flags & IO_REQ_CHAIN))
		io_link_timeout_start(req);
}

/* Find the file if there is none yet. False: -EBADF is set. */
static __always_inline bool io_file_ensure(struct io_kiocb *req, unsigned int how)
{
	if ((req->flags & (IO_REQ_FILE | IO_REQ_FILE_NODE)) || likely(!io_file_assign(req, how)))
		return true;
	io_set_fail(req, -EBADF);
	return false;
}

/**
 * io_issue - find the file, and call the operation
 * @req: the request, owned by the caller
 * @op: its row
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
static __always_inline enum io_outcome io_issue(struct io_kiocb *req, const struct io_op *op,
						unsigned int how)
{
	if (unlikely(((op->attrs & IO_OP_AUDIT) && audit_context()) ||
		     (req->flags & IO_REQ_CREDS)))
		return io_issue_slow(req, how);
	if ((op->attrs & IO_OP_FILE) && unlikely(!io_file_ensure(req, how)))
		return IO_DONE;
	io_req_move(req, IO_REQ_ISSUED);
	return op->issue(req, how);
}

#endif
