/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests on worker threads.
 */
#ifndef IO_URING_WORKER_H
#define IO_URING_WORKER_H

#include <linux/io_uring_types.h>

struct io_pool *io_worker_pool_create(struct io_ring_ctx *ctx, struct task_struct *owner);

#endif
