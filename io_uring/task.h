/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a task keeps for io_uring, and its registered rings.
 */
#ifndef IO_URING_TASK_H
#define IO_URING_TASK_H

#include <linux/io_uring_types.h>

struct io_task_node *io_task_attach(struct io_ring_ctx *ctx);
struct io_uring_task *io_task_get(struct io_ring_ctx *ctx);
int io_task_add_ring(struct file *file, int start, int end);
struct file *io_task_ring_file(unsigned int index);
void io_task_drop_rings(struct io_uring_task *tctx);
int io_task_register_rings(void __user *arg, unsigned int nr);
int io_task_unregister_rings(void __user *arg, unsigned int nr);

#endif
