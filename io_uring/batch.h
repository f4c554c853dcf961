/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring lock, and what is due at the end of a batch of work under it.
 */
#ifndef IO_URING_BATCH_H
#define IO_URING_BATCH_H

#include <linux/io_uring_types.h>

#include "cq.h"
#include "request.h"

void io_batch_end_slow(struct io_ring_ctx *ctx);

/**
 * io_batch_end - settle what was put off while a batch was completed
 * @ctx: the ring
 *
 * Context: ring lock held; may sleep.
 */
static inline void io_batch_end(struct io_ring_ctx *ctx)
{
	if (unlikely(ctx->watch || ctx->nr_free > IO_REQ_CACHE_HIGH))
		io_batch_end_slow(ctx);
	io_cq_publish(ctx);
}

static inline void io_ring_lock(struct io_ring_ctx *ctx)
{
	mutex_lock(&ctx->lock);
}

/**
 * io_ring_unlock - end the batch and drop the ring lock
 * @ctx: the ring
 *
 * CQEs posted under the lock are visible afterwards.
 */
static inline void io_ring_unlock(struct io_ring_ctx *ctx)
{
	io_batch_end(ctx);
	mutex_unlock(&ctx->lock);
}

#endif
