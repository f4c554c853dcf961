// SPDX-License-Identifier: GPL-2.0
/*
 * Stopping one request that is in the registry, by whatever it waits for.
 *
 * Transitions: ARMED -> INBOX, through poll.c and the operations.
 *
 * Nothing is completed here: a request that is stopped comes to its inbox.
 */
#include <linux/io_uring_types.h>

#include "batch.h"
#include "op.h"
#include "poll.h"
#include "registry.h"
#include "request.h"
#include "stop.h"

/**
 * io_can_stop - is it the registry where a request can be stopped?
 * @req: the request
 * @exit: its task or ring goes away: drivers are asked too
 *
 * Context: ring lock held.
 */
bool io_can_stop(const struct io_kiocb *req, bool exit)
{
	switch (req->armed) {
	case IO_ARMED_NOT:
	case IO_ARMED_GUARD:
		return false;
	case IO_ARMED_CMD:
		return exit;
	default:
		return true;
	}
}

/**
 * io_stop - stop a request for which io_can_stop() is true
 * @req: the request
 *
 * Context: ring lock held; may sleep.
 * Return: true: it ends as cancelled. False: its event is under way, or its driver keeps it.
 */
bool io_stop(struct io_kiocb *req)
{
	bool stopped = true;

	lockdep_assert_held(&req->ctx->lock);
	switch (req->armed) {
	case IO_ARMED_POLL:
		stopped = io_poll_cancel(req);
		break;
	case IO_ARMED_ISSUE:
		req->flags |= IO_REQ_CANCELLED;
		io_registry_del(req);
		break;
	default:
		stopped = io_op_of(req)->cancel(req);
		if (stopped && req->armed)
			io_registry_del(req);
	}
	/* A worker may not have let go of it yet: its pool is not to find it again. */
	req->stopped |= stopped;
	return stopped;
}

/**
 * io_stop_interrupted - a worker was told to stop while it armed the request: do it now
 * @req: request whose issue, in the calling worker, said IO_PENDING
 *
 * Context: a worker that has not yet let go of @req; ring lock not held; may sleep.
 */
void io_stop_interrupted(struct io_kiocb *req)
{
	struct io_ring_ctx *ctx = req->ctx;

	io_ring_lock(ctx);
	if (io_can_stop(req, false))
		io_stop(req);
	io_ring_unlock(ctx);
}
