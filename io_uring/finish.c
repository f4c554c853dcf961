// SPDX-License-Identifier: GPL-2.0
/*
 * The end of one request, whatever follows it: its CQE, and what it gives back.
 *
 * Transitions: ISSUED, INBOX, INIT, HELD -> DONE -> CACHED.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/slab.h>

#include "cq.h"
#include "finish.h"
#include "node.h"
#include "op.h"
#include "request.h"
#include "rsrc.h"

/* The last request of a task that left the ring frees the node; exec and exit wait for it. */
static void io_req_uncount(struct io_kiocb *req)
{
	struct io_task_node *node = req->node;

	if (--node->inflight)
		return;
	if (node->detached)
		io_task_node_free(node);
	else if (atomic_read(&node->tctx->cancelling))
		wake_up(&node->tctx->wait);
}

/* What few requests hold */
#define IO_REQ_RARE	(IO_REQ_CLEANUP | IO_REQ_POLLED | IO_REQ_ASYNC_DATA | IO_REQ_CREDS)

static noinline void io_req_release_rare(struct io_kiocb *req)
{
	u32 flags = req->flags;

	if (flags & IO_REQ_CLEANUP)
		io_op_of(req)->cleanup(req);
	if (flags & IO_REQ_POLLED) {
		kfree(req->poll);
		req->poll = NULL;
	}
	if (flags & IO_REQ_ASYNC_DATA) {
		kfree(req->async_data);
		req->async_data = NULL;
	}
	if (flags & IO_REQ_CREDS)
		put_cred(req->creds);
}

/*
 * Give back everything that a request holds, but for the request itself: the one way out for
 * files, buffers, credentials and operation data.
 */
static __always_inline void io_req_release(struct io_kiocb *req)
{
	u32 flags = req->flags;

	if (unlikely(flags & IO_REQ_RARE))
		io_req_release_rare(req);
	if (flags & IO_REQ_FILE)
		fput(req->file);
	if (flags & IO_REQ_FILE_NODE)
		io_rsrc_put(req->ctx, req->file_node);
	if (flags & IO_REQ_BUF_NODE)
		io_rsrc_put(req->ctx, req->buf_node);
	if (flags & IO_REQ_COUNTED)
		io_req_uncount(req);
	req->flags = 0;
}

/* Whatever is not a CQE of the ordinary kind, and only for an ordinary result */
static noinline void io_post_special(struct io_ring_ctx *ctx, struct io_kiocb *req)
{
	u32 flags = req->flags;

	if (!(flags & IO_REQ_NO_CQE) &&
	    (!(flags & IOSQE_CQE_SKIP_SUCCESS) || (flags & IO_REQ_FAIL))) {
		if (flags & IO_REQ_POOLED)
			ctx->pooled_cqe = true;
		if (flags & IO_REQ_CQE32)
			io_cqe_post_big(ctx, &req->cqe, req->big_cqe);
		else
			io_cqe_post(ctx, &req->cqe);
	}
	if (flags & IO_REQ_CQE32)
		memset(req->big_cqe, 0, sizeof(req->big_cqe));
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
	if (unlikely(req->flags & (IO_REQ_NO_CQE | IOSQE_CQE_SKIP_SUCCESS | IO_REQ_POOLED |
				   IO_REQ_CQE32)))
		io_post_special(ctx, req);
	else
		io_cqe_post(ctx, &req->cqe);
	io_req_release(req);
	io_req_put(ctx, req);
}
