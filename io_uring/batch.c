// SPDX-License-Identifier: GPL-2.0
/*
 * What is put off while a batch of requests is completed, and settled at its end.
 *
 * Transitions: none of its own; see drain.c and seqwatch.c.
 */
#include <linux/io_uring_types.h>

#include "batch.h"
#include "drain.h"
#include "request.h"
#include "seqwatch.h"

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
