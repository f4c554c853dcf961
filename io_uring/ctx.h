/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring: making it and, when nothing refers to it any more, freeing it.
 */
#ifndef IO_URING_CTX_H
#define IO_URING_CTX_H

#include <linux/io_uring_types.h>

struct io_ring_ctx *io_ctx_alloc(unsigned int setup_flags);
void io_ctx_abort(struct io_ring_ctx *ctx);
int io_ctx_alloc_rings(struct io_ring_ctx *ctx, struct io_uring_params *p);
int __init io_ctx_init(void);

/* Every ring, for the shrinker of request caches */
extern struct list_head io_rings_list;
extern spinlock_t io_rings_lock;

#endif
