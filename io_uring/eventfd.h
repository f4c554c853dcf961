/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The eventfd of a ring.
 */
#ifndef IO_URING_EVENTFD_H
#define IO_URING_EVENTFD_H

#include <linux/io_uring_types.h>

/**
 * enum io_eventfd_cause - why an eventfd is to be signalled
 * @IO_EVENTFD_POSTED: CQEs were published
 * @IO_EVENTFD_POOLED: CQEs were published, some of them from a worker
 * @IO_EVENTFD_DEFERRED: work waits that will yield CQEs
 */
enum io_eventfd_cause {
	IO_EVENTFD_POSTED,
	IO_EVENTFD_POOLED,
	IO_EVENTFD_DEFERRED,
};

void io_eventfd_signal(struct io_ring_ctx *ctx, enum io_eventfd_cause cause);
bool io_eventfd_wanted(struct io_ring_ctx *ctx);
int io_eventfd_register(struct io_ring_ctx *ctx, void __user *arg, bool async);
int io_eventfd_unregister(struct io_ring_ctx *ctx);

#endif
