/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding requests and stopping them.
 */
#ifndef IO_URING_CANCEL_H
#define IO_URING_CANCEL_H

#include <linux/io_uring_types.h>

/**
 * struct io_cancel - which requests are meant
 * @user_data: if IORING_ASYNC_CANCEL_USERDATA, or neither FD nor OP
 * @file: if IORING_ASYNC_CANCEL_FD
 * @flags: IORING_ASYNC_CANCEL_*
 * @fd: where @file comes from; a fixed slot with FD_FIXED
 * @opcode: if IORING_ASYNC_CANCEL_OP
 */
struct io_cancel {
	u64 user_data;
	struct file *file;
	u32 flags;
	int fd;
	u32 opcode;
};

int io_cancel_check(const struct io_cancel *what);
bool io_cancel_match(const struct io_kiocb *req, const struct io_cancel *what);
int io_cancel(struct io_ring_ctx *ctx, struct io_cancel *what, const struct io_kiocb *self);
int io_cancel_request(struct io_kiocb *req);
bool io_cancel_task(struct io_ring_ctx *ctx, struct io_task_node *node, bool all);
int io_sync_cancel(struct io_ring_ctx *ctx, void __user *arg);

#endif
