/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IOSQE_IO_DRAIN: requests held back until all earlier ones are done.
 */
#ifndef IO_URING_DRAIN_H
#define IO_URING_DRAIN_H

#include <linux/io_uring_types.h>

bool io_drain_hold(struct io_ring_ctx *ctx, struct io_kiocb *head);
void io_drain_release(struct io_ring_ctx *ctx);
void io_drain_cancel(struct io_ring_ctx *ctx, struct io_task_node *node);

#endif
