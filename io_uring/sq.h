/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The submission ring: from SQEs to started requests.
 */
#ifndef IO_URING_SQ_H
#define IO_URING_SQ_H

#include <linux/io_uring_types.h>

int io_submit(struct io_ring_ctx *ctx, struct io_task_node *node, unsigned int nr);

/**
 * io_sq_pending - SQEs that the application has published and the kernel has not taken
 * @ctx: the ring
 *
 * Context: any; exact only for who consumes the SQ.
 */
static inline u32 io_sq_pending(const struct io_ring_ctx *ctx)
{
	/* (sq-tail) acquire: SQEs are read after the tail that covers them; pairs with the app */
	return smp_load_acquire(&ctx->rings->sq_tail) - READ_ONCE(ctx->sq_head);
}

#endif
