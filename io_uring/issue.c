// SPDX-License-Identifier: GPL-2.0
/*
 * Running an operation with the ring lock held, and what its outcome leads to.
 *
 * Transitions: INIT, HELD, INBOX -> ISSUED; ISSUED -> DONE, ARMED, QUEUED, INFLIGHT, INBOX.
 *
 * A request is free to complete in an interrupt while ->issue has not yet returned: it then sits
 * in its inbox, and whoever takes it out needs the ring lock that we hold. What is done here
 * after IO_PENDING is therefore still safe.
 */
#include <linux/cred.h>
#include <linux/io_uring_types.h>

#include "complete.h"
#include "finish.h"
#include "issue.h"
#include "link.h"
#include "poll.h"
#include "punt.h"
#include "registry.h"

/**
 * io_issue_slow - io_issue() with credentials or audit
 * @req: the request, owned by the caller
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_issue_slow(struct io_kiocb *req, unsigned int how)
{
	const struct io_op *op = io_op_of(req);
	const struct cred *old = NULL;
	enum io_outcome outcome;

	io_req_move(req, IO_REQ_ISSUED);
	if ((req->flags & IO_REQ_CREDS) && req->creds != current_cred())
		old = override_creds(req->creds);

	if ((op->attrs & IO_OP_FILE) && unlikely(!io_file_ensure(req, how))) {
		outcome = IO_DONE;
	} else if (!(op->attrs & IO_OP_AUDIT)) {
		outcome = op->issue(req, how);
	} else {
		audit_uring_entry(req->opcode);
		outcome = op->issue(req, how);
		/* Only a finished request has a result to log. */
		audit_uring_exit(outcome == IO_DONE, outcome == IO_DONE ? req->cqe.res : 0);
	}

	if (old)
		revert_creds(old);
	return outcome;
}

/*
 * The request would block: let the file wake it, else give it to a worker. IO_PENDING: that is
 * settled; IO_DONE: it failed; IO_AGAIN: the file is ready after all.
 */
static enum io_outcome io_block(struct io_kiocb *req, unsigned int how)
{
	const struct io_op *op = io_op_of(req);

	if (req->flags & IO_REQ_NOWAIT) {
		io_set_fail(req, -EAGAIN);
		return IO_DONE;
	}
	if ((op->attrs & (IO_OP_POLLIN | IO_OP_POLLOUT)) && !(req->flags & IO_REQ_RETRY_BOUND)) {
		switch (io_poll_arm(req, how)) {
		case IO_POLL_ARMED:
			return IO_PENDING;
		case IO_POLL_READY:
			return IO_AGAIN;
		case IO_POLL_NO:
			break;
		}
	}
	if (req->flags & IO_REQ_MULTISHOT) {
		io_set_fail(req, -EBADFD);	/* a worker would be kept for ever */
		return IO_DONE;
	}
	return io_punt(req);
}

/* Act on an outcome. Returns the successor if the request is done and has one. */
static struct io_kiocb *io_settle_one(struct io_kiocb *req, enum io_outcome outcome,
				      unsigned int how)
{
	while (outcome == IO_AGAIN) {
		/* What blocks outlives the submission; this must be said before it is let go. */
		io_req_leaves(req);
		outcome = io_block(req, how);
		if (outcome == IO_PENDING)
			return NULL;
		if (outcome == IO_AGAIN)
			outcome = io_issue(req, io_op_of(req), how);
	}
	if (likely(outcome == IO_DONE))
		return io_complete(req);

	io_req_leaves(req);
	if (outcome == IO_REQUEUE)
		io_issue_later(req);
	return NULL;
}

/**
 * io_settle - act on what ->issue or ->event made of a request
 * @req: the request
 * @outcome: what it returned
 * @how: IO_HOW_*
 *
 * Successors are started as far as they go.
 *
 * Context: ring lock held; may sleep.
 */
void io_settle(struct io_kiocb *req, enum io_outcome outcome, unsigned int how)
{
	req = io_settle_one(req, outcome, how);
	if (unlikely(req))
		io_start(req, how);
}

/**
 * io_start - start a request that has not been tried yet, and its successors
 * @req: the request
 * @how: IO_HOW_*; with IO_HOW_DEAD everything ends as cancelled
 *
 * Context: ring lock held; the task that submitted @req, or IO_HOW_DEAD; may sleep.
 */
void io_start(struct io_kiocb *req, unsigned int how)
{
	while (req) {
		const struct io_op *op = io_op_of(req);
		enum io_outcome outcome;

		if (unlikely(how & IO_HOW_DEAD)) {
			io_set_fail(req, -ECANCELED);
			outcome = IO_DONE;
		} else if (unlikely(io_wants_worker(req, op))) {
			io_req_leaves(req);
			outcome = io_punt(req);
			if (outcome == IO_PENDING)
				return;
		} else {
			outcome = io_issue(req, op, how);
		}
		if (likely(outcome == IO_DONE))
			req = io_complete(req);
		else
			req = io_settle_one(req, outcome, how);
	}
}
