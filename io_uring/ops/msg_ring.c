// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_RING: post a CQE on another ring, or hand it a fixed file.
 *
 * Transitions: none of its own.
 *
 * The target cannot go away, since the request holds its file. To hand over a file takes the lock
 * of the target. Inline, with our own ring's held, that is only tried; a worker, which holds none
 * when it starts, takes the one after the other.
 */
#include <linux/file.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>

#include "../batch.h"
#include "../files.h"
#include "../inbox.h"
#include "../message.h"
#include "../request.h"
#include "../rsrc.h"
#include "msg_ring.h"

/**
 * struct io_msg_ring - MSG_RING
 * @file: the target
 * @passed: MSG_SEND_FD: the file, referenced, once it was found
 * @msg: the message
 */
struct io_msg_ring {
	struct file		*file;
	struct file		*passed;
	struct io_message	msg;
};

/**
 * io_msg_ring_prep - read the SQE of MSG_RING
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_msg_ring_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_msg_ring *mr = io_op_data(req, struct io_msg_ring);

	mr->passed = NULL;
	return io_message_read(&mr->msg, sqe);
}

/* Find the file to be handed over, and keep it until the end of the request. */
static int io_msg_find_file(struct io_kiocb *req, struct io_msg_ring *mr, unsigned int how)
{
	struct io_ring_ctx *ctx = req->ctx;
	struct io_rsrc_node *node = NULL;

	if (mr->passed)
		return 0;
	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	if (mr->msg.slot <= U32_MAX)
		node = io_rsrc_lookup(&ctx->files.data, mr->msg.slot);
	if (node) {
		mr->passed = get_file(node->file);
		req->flags |= IO_REQ_CLEANUP;
	}
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	return mr->passed ? 0 : -EBADF;
}

/* Give the target the file, and tell it. The target's lock is held. */
static int io_msg_install(struct io_ring_ctx *target, const struct io_msg_ring *mr)
{
	struct io_req_cqe cqe = { .user_data = mr->msg.user_data };
	int ret;

	if ((target->flags & IORING_SETUP_DEFER_TASKRUN) &&
	    atomic_read(&target->inbox.bell) == IO_BELL_DEAD)
		return -EOWNERDEAD;
	ret = io_file_install_fixed(target, get_file(mr->passed), mr->msg.file_index);
	if (ret < 0 || (mr->msg.flags & IORING_MSG_RING_CQE_SKIP))
		return ret;
	cqe.res = ret;
	/* It has the file, whether it learns of it or not. */
	return io_message_post(target, &cqe) ? -EOVERFLOW : ret;
}

/* MSG_SEND_FD. Returns -EAGAIN if a worker has to do it. */
static int io_msg_send_fd(struct io_kiocb *req, struct io_msg_ring *mr, unsigned int how)
{
	struct io_ring_ctx *target = mr->file->private_data;
	int ret;

	if (mr->msg.len || target == req->ctx)
		return -EINVAL;
	if (!io_message_accepted(target))
		return -EBADFD;
	ret = io_msg_find_file(req, mr, how);
	if (ret)
		return ret;

	if (how & IO_HOW_WORKER)
		io_ring_lock(target);
	else if (!mutex_trylock(&target->lock))
		return -EAGAIN;
	ret = io_msg_install(target, mr);
	io_ring_unlock(target);
	return ret;
}

/**
 * io_msg_ring_issue - send a message to a ring
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_msg_ring_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_msg_ring *mr = io_op_data(req, struct io_msg_ring);
	int ret = -EINVAL;

	if (!io_is_uring_fops(mr->file))
		ret = -EBADFD;
	else if (mr->msg.cmd == IORING_MSG_DATA)
		ret = io_message_data(mr->file->private_data, &mr->msg,
				      how & IO_HOW_WORKER ? NULL : req->ctx);
	else if (mr->msg.cmd == IORING_MSG_SEND_FD)
		ret = io_msg_send_fd(req, mr, how);

	if (ret == -EAGAIN)
		return IO_AGAIN;
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_msg_ring_cleanup - let go of the file that was handed over
 * @req: the request
 *
 * Context: ring lock held; may sleep.
 */
void io_msg_ring_cleanup(struct io_kiocb *req)
{
	fput(io_op_data(req, struct io_msg_ring)->passed);
}
