/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands that io_uring_register() dispatches to. All run under the ring lock.
 */
#ifndef IO_URING_REGISTER_H
#define IO_URING_REGISTER_H

#include <linux/io_uring_types.h>

#include "cancel.h"
#include "eventfd.h"
#include "files.h"
#include "restrict.h"

int io_probe(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
int io_register_query(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
int io_register_mem_region(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
int io_register_iowq_aff(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
int io_unregister_iowq_aff(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
int io_register_iowq_limits(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);

#endif
