// SPDX-License-Identifier: GPL-2.0
/*
 * ASYNC_CANCEL: cancel other requests of the ring.
 */
#include <linux/io_uring_types.h>

#include "../batch.h"
#include "../cancel.h"
#include "cancel.h"

struct io_async_cancel {
	struct file *file;
	struct io_cancel what;
};

/**
 * io_async_cancel_prep - read the SQE of an ASYNC_CANCEL
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_async_cancel_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_cancel *what = &io_op_data(req, struct io_async_cancel)->what;

	if (READ_ONCE(sqe->off) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	*what = (struct io_cancel) {
		.user_data = READ_ONCE(sqe->addr),
		.flags = READ_ONCE(sqe->cancel_flags),
		.fd = req->fd,
	};
	if (req->flags & IOSQE_FIXED_FILE)
		what->flags |= IORING_ASYNC_CANCEL_FD_FIXED;
	if (what->flags & IORING_ASYNC_CANCEL_OP)
		what->opcode = READ_ONCE(sqe->len);
	return io_cancel_check(what);
}

/**
 * io_async_cancel_issue - cancel what is meant
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 */
enum io_outcome io_async_cancel_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_cancel *what = &io_op_data(req, struct io_async_cancel)->what;
	struct io_ring_ctx *ctx = req->ctx;
	int ret;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	ret = io_cancel(ctx, what, req);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	io_set_status(req, ret);
	return IO_DONE;
}
