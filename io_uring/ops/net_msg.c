// SPDX-License-Identifier: GPL-2.0
/*
 * SENDMSG and RECVMSG.
 *
 * Transitions: none of its own, as net.c.
 *
 * The message header is copied at submission, and its array of segments and the destination with
 * it. The ancillary data of a send, like the data, stay where they are until they are sent.
 */
#include <linux/io_uring_types.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/uaccess.h>
#include <net/compat.h>

#include "../request.h"
#include "net.h"

/* Read the header, with the checks that the system calls make. */
static int io_msg_copy_header(struct io_ring_ctx *ctx, struct io_net *net)
{
	struct user_msghdr umsg;
	struct msghdr msg;
	int ret;

	if (IS_ENABLED(CONFIG_COMPAT) && ctx->compat) {
		struct compat_msghdr cmsg;

		if (copy_from_user(&cmsg, net->umsg, sizeof(cmsg)))
			return -EFAULT;
		net->addr = compat_ptr(cmsg.msg_iov);
		net->len = cmsg.msg_iovlen;
		ret = __get_compat_msghdr(&msg, &cmsg, &net->uname);
	} else {
		if (copy_from_user(&umsg, net->umsg, sizeof(umsg)))
			return -EFAULT;
		net->addr = umsg.msg_iov;
		net->len = umsg.msg_iovlen;
		ret = __copy_msghdr(&msg, &umsg, &net->uname);
	}
	/* The number of segments is refused as that of any other vector is. */
	if (ret)
		return ret == -EMSGSIZE ? -EINVAL : ret;
	net->namelen = msg.msg_namelen;
	net->control = msg.msg_control_user;
	net->controllen = min_t(size_t, msg.msg_controllen, U32_MAX);
	return 0;
}

static int io_msg_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe, u16 allowed)
{
	struct io_net *net = io_op_data(req, struct io_net);

	if (READ_ONCE(sqe->addr2) || READ_ONCE(sqe->file_index))
		return -EINVAL;
	net->umsg = u64_to_user_ptr(READ_ONCE(sqe->addr));
	if (io_net_prep_flags(req, sqe, allowed))
		return -EINVAL;
	if (req->ctx->compat)
		net->msg_flags |= MSG_CMSG_COMPAT;
	return io_msg_copy_header(req->ctx, net);
}

/**
 * io_sendmsg_prep_flags - read the SQE of SENDMSG or SENDMSG_ZC, and the header it points to
 * @req: the request
 * @sqe: its SQE
 * @allowed: IORING_RECVSEND_*, IORING_SEND_*
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL: flags, fields that are not used, number of segments; -EFAULT; as
 * io_net_take().
 */
int io_sendmsg_prep_flags(struct io_kiocb *req, const struct io_uring_sqe *sqe, u16 allowed)
{
	struct io_net *net = io_op_data(req, struct io_net);
	int ret;

	ret = io_msg_prep(req, sqe, allowed);
	if (ret)
		return ret;
	net->msg_flags &= ~MSG_INTERNAL_SENDMSG_FLAGS;
	net->msg_flags |= MSG_NOSIGNAL;
	return io_net_take(req, ITER_SOURCE, net->namelen ? net->uname : NULL, net->namelen, true);
}

/**
 * io_sendmsg_prep - read the SQE of SENDMSG, and the header it points to
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_sendmsg_prep_flags().
 */
int io_sendmsg_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_sendmsg_prep_flags(req, sqe, IORING_RECVSEND_POLL_FIRST |
					       IORING_SEND_VECTORIZED);
}

/**
 * io_sendmsg - issue SENDMSG
 * @req: the request, with its file
 * @how: IO_HOW_*
 *
 * Errors as io_send().
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_sendmsg(struct io_kiocb *req, unsigned int how)
{
	struct io_net *net = io_op_data(req, struct io_net);
	struct socket *sock = sock_from_file(net->file);
	struct msghdr msg = {
		.msg_control_is_user = true,
		.msg_controllen = net->controllen,
	};
	ssize_t ret;

	if (unlikely(!sock)) {
		io_set_fail(req, -ENOTSOCK);
		return IO_DONE;
	}
	if (io_net_poll_first(net))
		return IO_AGAIN;

	io_net_set_name(req, &msg);
	msg.msg_control_user = net->control;
	ret = io_net_iter(req, ITER_SOURCE, &msg.msg_iter);
	if (likely(!ret))
		ret = __sys_sendmsg_sock(sock, &msg, io_net_msg_flags(net, how));
	return io_net_finish(req, how, ret, NULL);
}

/**
 * io_recvmsg_prep - read the SQE of RECVMSG, and the header it points to
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_sendmsg_prep().
 */
int io_recvmsg_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	int ret;

	ret = io_msg_prep(req, sqe, IORING_RECVSEND_POLL_FIRST);
	if (ret)
		return ret;
	return io_net_take(req, ITER_DEST, NULL, 0, true);
}

/**
 * io_recvmsg - issue RECVMSG
 * @req: the request, with its file
 * @how: IO_HOW_*
 *
 * Errors as io_send(). What the header gives back is written to user memory.
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_recvmsg(struct io_kiocb *req, unsigned int how)
{
	struct io_net *net = io_op_data(req, struct io_net);
	struct socket *sock = sock_from_file(net->file);
	struct msghdr msg = {
		.msg_get_inq = 1,
		.msg_control_is_user = true,
		.msg_controllen = net->controllen,
	};
	ssize_t ret;

	if (unlikely(!sock)) {
		io_set_fail(req, -ENOTSOCK);
		return IO_DONE;
	}
	if (io_net_poll_first(net))
		return IO_AGAIN;

	msg.msg_control_user = net->control;
	ret = io_net_iter(req, ITER_DEST, &msg.msg_iter);
	if (likely(!ret))
		ret = __sys_recvmsg_sock(sock, &msg, net->umsg, net->uname,
					 io_net_msg_flags(net, how));
	return io_net_finish(req, how, ret, &msg);
}
