/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of one request: its CQE, and what it gives back.
 */
#ifndef IO_URING_FINISH_H
#define IO_URING_FINISH_H

#include <linux/io_uring_types.h>
#include <trace/events/io_uring.h>

#include "request.h"

void io_finish(struct io_kiocb *req);

/**
 * io_req_count - a request leaves the submission path: exec and exit have to wait for it
 * @req: the request, not yet in anybody else's hands, or in an inbox
 *
 * Context: ring lock held.
 */
static inline void io_req_count(struct io_kiocb *req)
{
	lockdep_assert_held(&req->ctx->lock);
	if (req->flags & IO_REQ_COUNTED)
		return;
	req->flags |= IO_REQ_COUNTED;
	req->node->inflight++;
}

/* The arguments would be loaded in front of the disabled tracepoint otherwise. */
static __always_inline void io_trace_complete(struct io_kiocb *req)
{
	if (trace_io_uring_complete_enabled())
		trace_io_uring_complete(req->ctx, req, req->cqe.user_data, req->cqe.res,
					req->cqe.flags, 0, 0);
}

#endif
