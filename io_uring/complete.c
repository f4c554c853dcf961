// SPDX-License-Identifier: GPL-2.0
/*
 * The end of requests that are more than a CQE and a push to the cache.
 *
 * Transitions: ISSUED, INBOX, INIT, HELD -> DONE -> CACHED.
 */
#include <linux/io_uring_types.h>

#include "complete.h"
#include "drain.h"
#include "link.h"
#include "op.h"
#include "seqwatch.h"

/* Post the CQE of a request, or keep silent if its flags ask for it. */
static void io_post_result(struct io_ring_ctx *ctx, struct io_kiocb *req)
{
	u32 flags = req->flags;

	if (flags & IO_REQ_NO_CQE)
		return;
	if ((flags & IOSQE_CQE_SKIP_SUCCESS) && !(flags & IO_REQ_FAIL))
		return;
	if (flags & IO_REQ_POOLED)
		ctx->pooled_cqe = true;
	if (flags & IO_REQ_CQE32)
		io_cqe_post_big(ctx, &req->cqe, req->big_cqe);
	else
		io_cqe_post(ctx, &req->cqe);
}

/**
 * io_finish - finish a request without looking at its chain
 * @req: the request, result set; gone afterwards
 *
 * Context: ring lock held; may sleep.
 */
void io_finish(struct io_kiocb *req)
{
	struct io_ring_ctx *ctx = req->ctx;

	io_req_move(req, IO_REQ_DONE);
	io_trace_complete(req);
	io_post_result(ctx, req);
	if (req->flags & IO_REQ_CQE32)
		req->big_cqe[0] = req->big_cqe[1] = 0;
	io_req_release(req);
	io_req_put(ctx, req);
}

/**
 * io_complete_slow - io_complete() for a request that holds something or is part of a chain
 * @req: the request, result set; gone afterwards
 *
 * Context: ring lock held; may sleep.
 * Return: the next request of the chain, to be issued by the caller, or NULL.
 */
noinline struct io_kiocb *io_complete_slow(struct io_kiocb *req)
{
	struct io_kiocb *rest = NULL;
	u32 flags = req->flags;

	lockdep_assert_held(&req->ctx->lock);
	if (flags & (IO_REQ_CHAIN | IO_REQ_LTIMEOUT))
		rest = io_link_detach(req);
	if ((flags & IO_REQ_FAIL) && req->cqe.res < 0 && io_op_of(req)->fail)
		io_op_of(req)->fail(req);
	io_finish(req);
	if (rest && (flags & IO_REQ_FAIL) && !(flags & IOSQE_IO_HARDLINK)) {
		io_chain_cancel(rest, flags & IOSQE_CQE_SKIP_SUCCESS);
		rest = NULL;
	}
	return rest;
}

/**
 * io_batch_end_slow - io_batch_end() when something watches the ring
 * @ctx: the ring
 *
 * Context: ring lock held; may sleep.
 */
noinline void io_batch_end_slow(struct io_ring_ctx *ctx)
{
	if (ctx->watch & IO_WATCH_TIMEOUT)
		io_seqwatch_run(ctx);
	if (ctx->watch & IO_WATCH_DRAIN)
		io_drain_release(ctx);
	if (ctx->nr_free > IO_REQ_CACHE_HIGH)
		io_req_cache_trim(ctx, IO_REQ_CACHE_KEEP);
}
