// SPDX-License-Identifier: GPL-2.0
/*
 * The end of requests that are more than a CQE and a push to the cache.
 *
 * Transitions: ISSUED, INBOX, INIT, HELD -> DONE -> CACHED.
 */
#include <linux/io_uring_types.h>

#include "complete.h"
#include "finish.h"
#include "link.h"
#include "op.h"

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
	if (likely(!(flags & (IO_REQ_CHAIN | IO_REQ_LTIMEOUT | IO_REQ_FAIL)))) {
		io_finish(req);
		return NULL;
	}
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
