/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dropping the tables of a ring.
 */
#ifndef IO_URING_TEARDOWN_H
#define IO_URING_TEARDOWN_H

#include <linux/io_uring_types.h>

void io_teardown_tables(struct io_ring_ctx *ctx);

#endif
