/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a request: its CQE, its successor, its way back to the cache.
 */
#ifndef IO_URING_COMPLETE_H
#define IO_URING_COMPLETE_H

#include <linux/io_uring_types.h>

#include "cq.h"
#include "finish.h"
#include "request.h"

struct io_kiocb *io_complete_slow(struct io_kiocb *req);

/**
 * io_complete_plain - finish a request if it holds nothing and succeeded
 * @ctx: its ring
 * @req: the request, result set; stays the caller's
 *
 * Context: ring lock held; may sleep.
 * Return: false if there is more to it; nothing was done then.
 */
static __always_inline bool io_complete_plain(struct io_ring_ctx *ctx, struct io_kiocb *req)
{
	bool silent = false;

	if (unlikely(req->flags & (IO_REQ_SLOW_OUT | IOSQE_CQE_SKIP_SUCCESS))) {
		if (req->flags & IO_REQ_SLOW_OUT)
			return false;
		silent = true;
	}
	io_req_move(req, IO_REQ_DONE);
	io_trace_complete(req);
	if (!silent)
		io_cqe_post(ctx, &req->cqe);
	return true;
}

/**
 * io_complete - finish a request whose result is set
 * @req: the request, owned by the caller; gone afterwards
 *
 * Context: ring lock held; may sleep.
 * Return: the next request of the chain, to be issued by the caller, or NULL.
 */
static __always_inline struct io_kiocb *io_complete(struct io_kiocb *req)
{
	struct io_ring_ctx *ctx = req->ctx;
	struct io_kiocb *next = req->flags & IO_REQ_CHAIN ? req->link : NULL;

	if (unlikely(next && next->opcode == IORING_OP_LINK_TIMEOUT) ||
	    unlikely(!io_complete_plain(ctx, req)))
		return io_complete_slow(req);
	io_req_put(ctx, req);
	return next;
}

#endif
