/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of rings and of tasks that use them.
 */
#ifndef IO_URING_EXIT_H
#define IO_URING_EXIT_H

#include <linux/io_uring_types.h>

void io_ring_exit(struct io_ring_ctx *ctx);
void io_ring_exit_work(struct work_struct *work);

#endif
