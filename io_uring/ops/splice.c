// SPDX-License-Identifier: GPL-2.0
/*
 * Moving data through pipes, always in a worker.
 *
 * Transitions: none.
 *
 * The file of the request is the one written to. The other one is looked up when the operation
 * runs, as a link before it may be what opens it.
 */
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/splice.h>

#include "../batch.h"
#include "../files.h"
#include "../request.h"
#include "../rsrc.h"
#include "splice.h"

/**
 * struct io_splice - SPLICE and TEE
 * @out: where the data goes (X)
 * @off_in: position in the input, -1: its own, or it has none (X)
 * @off_out: the same of the output (X)
 * @len: bytes (X)
 * @flags: SPLICE_F_* (X)
 * @fd_in: where the data comes from (X)
 */
struct io_splice {
	struct file *out;
	loff_t off_in;
	loff_t off_out;
	unsigned int len;
	unsigned int flags;
	int fd_in;
};

static int io_splice_prep_common(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_splice *splice = io_op_data(req, struct io_splice);

	splice->len = READ_ONCE(sqe->len);
	splice->flags = READ_ONCE(sqe->splice_flags);
	splice->fd_in = READ_ONCE(sqe->splice_fd_in);
	return splice->flags & ~(SPLICE_F_ALL | SPLICE_F_FD_IN_FIXED) ? -EINVAL : 0;
}

/**
 * io_splice_prep - read the SQE of SPLICE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL.
 */
int io_splice_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_splice *splice = io_op_data(req, struct io_splice);

	splice->off_in = READ_ONCE(sqe->splice_off_in);
	splice->off_out = READ_ONCE(sqe->off);
	return io_splice_prep_common(req, sqe);
}

/**
 * io_tee_prep - read the SQE of TEE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL.
 */
int io_tee_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	if (READ_ONCE(sqe->splice_off_in) || READ_ONCE(sqe->off))
		return -EINVAL;
	return io_splice_prep_common(req, sqe);
}

static long io_do_splice(struct io_splice *splice, struct file *in)
{
	return do_splice(in, splice->off_in == -1 ? NULL : &splice->off_in,
			 splice->out, splice->off_out == -1 ? NULL : &splice->off_out,
			 splice->len, splice->flags & SPLICE_F_ALL);
}

static long io_do_tee(struct io_splice *splice, struct file *in)
{
	return do_tee(in, splice->out, splice->len, splice->flags & SPLICE_F_ALL);
}

/* Have the input file while @move runs. */
static long io_splice_from(struct io_kiocb *req, unsigned int how,
			   long (*move)(struct io_splice *splice, struct file *in))
{
	struct io_splice *splice = io_op_data(req, struct io_splice);
	struct io_rsrc_node *node;
	long ret;

	if (!(splice->flags & SPLICE_F_FD_IN_FIXED)) {
		struct file *in = fget(splice->fd_in);

		if (!in)
			return -EBADF;
		ret = splice->len ? move(splice, in) : 0;
		fput(in);
		return ret;
	}

	node = io_file_node_get(req->ctx, splice->fd_in, how);
	if (!node)
		return -EBADF;
	ret = splice->len ? move(splice, node->file) : 0;
	io_ring_lock(req->ctx);
	io_rsrc_put(req->ctx, node);
	io_ring_unlock(req->ctx);
	return ret;
}

static enum io_outcome io_splice_done(struct io_kiocb *req, long ret)
{
	struct io_splice *splice = io_op_data(req, struct io_splice);

	io_set_status(req, ret);
	/* Who is next in the chain counts on all of the data. */
	if (ret != splice->len)
		req->flags |= IO_REQ_FAIL;
	return IO_DONE;
}

/**
 * io_splice_issue - splice(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_splice_issue(struct io_kiocb *req, unsigned int how)
{
	return io_splice_done(req, io_splice_from(req, how, io_do_splice));
}

/**
 * io_tee_issue - tee(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_tee_issue(struct io_kiocb *req, unsigned int how)
{
	return io_splice_done(req, io_splice_from(req, how, io_do_tee));
}
