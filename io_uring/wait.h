/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sleeping until completions arrive.
 */
#ifndef IO_URING_WAIT_H
#define IO_URING_WAIT_H

#include <linux/io_uring_types.h>

int io_wait_cqes(struct io_ring_ctx *ctx, unsigned int min_complete, u32 flags,
		 const void __user *argp, size_t argsz);

#endif
