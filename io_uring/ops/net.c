// SPDX-License-Identifier: GPL-2.0
/*
 * SEND and RECV, and what they share with SENDMSG and RECVMSG.
 *
 * Transitions: none of its own. Where an attempt would wait, the core waits for the socket.
 *
 * What the SQE points to is copied at submission and never changed afterwards; how far the
 * transfer has come is a number beside it. Each attempt builds its struct msghdr from these two,
 * on the stack, so nothing has to be put right after one that failed. A plain buffer needs no
 * memory beyond the request; a destination or several segments do.
 *
 * With MSG_WAITALL a short transfer on a socket that keeps no record boundaries is continued: it
 * waits like one that could not move anything. If it cannot go on, for whatever reason, the result
 * is what was moved; see io_net_fail().
 */
#include <linux/io_uring_types.h>
#include <linux/net.h>
#include <linux/socket.h>
#include <linux/uio.h>
#include <net/compat.h>

#include "../request.h"
#include "net.h"

static_assert(sizeof(struct io_net) <= IO_OP_DATA_SIZE);

/**
 * io_net_take - copy what a transfer needs besides the SQE
 * @req: the request
 * @dir: ITER_SOURCE or ITER_DEST
 * @name: user address of the destination, or NULL
 * @namelen: its length
 * @vec: io_net.addr is an array of io_net.len segments; otherwise it is the buffer already
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL: number or length of segments, length of the destination; -EFAULT; -ENOMEM.
 */
int io_net_take(struct io_kiocb *req, int dir, struct sockaddr __user *name, int namelen, bool vec)
{
	struct io_net *net = io_op_data(req, struct io_net);
	unsigned int nr = vec ? net->len : 0;
	struct io_net_async *async = NULL;
	struct iovec one, *iov = &one;
	struct iov_iter iter;
	ssize_t ret;

	if (nr > UIO_MAXIOV)
		return -EINVAL;
	if (name || nr > 1) {
		async = io_req_alloc_data(req, struct_size(async, iov, nr > 1 ? nr : 0));
		if (!async)
			return -ENOMEM;
	}
	if (name) {
		ret = move_addr_to_kernel(name, namelen, &async->name);
		if (ret)
			return ret;
		net->namelen = namelen;
		req->flags |= IO_NET_NAME;
	}
	if (!vec)
		return 0;
	if (nr > 1) {
		async->nr_segs = nr;
		iov = async->iov;
	}
	net->len = 0;
	if (!nr)
		return 0;
	/* A single segment is as good as a plain buffer. */
	ret = __import_iovec(dir, net->addr, nr, nr, &iov, &iter, req->ctx->compat);
	if (ret < 0)
		return ret;
	if (nr == 1)
		net->addr = iter.ubuf;
	net->len = ret;
	return 0;
}

/**
 * io_net_iter_vec - io_net_iter() where there is async data
 * @req: the request
 * @dir: ITER_SOURCE or ITER_DEST
 * @iter: result
 *
 * Return: 0 or -EFAULT.
 */
int io_net_iter_vec(struct io_kiocb *req, int dir, struct iov_iter *iter)
{
	struct io_net *net = io_op_data(req, struct io_net);
	struct io_net_async *async = req->async_data;

	if (!async->nr_segs)
		return import_ubuf(dir, net->addr + net->done, net->len - net->done, iter);
	iov_iter_init(iter, dir, async->iov, async->nr_segs, net->len);
	if (net->done)
		iov_iter_advance(iter, net->done);
	return 0;
}

/* May a transfer that moved less than was asked for go on? */
static bool io_net_continues(struct io_kiocb *req, const struct io_net *net)
{
	const struct socket *sock = sock_from_file(net->file);

	/* To look at the same data once more is no progress. */
	if (!(net->msg_flags & MSG_WAITALL) || (net->msg_flags & MSG_PEEK))
		return false;
	/* What came with the first part would be overwritten. */
	if (req->opcode == IORING_OP_RECVMSG && net->controllen)
		return false;
	return sock->type == SOCK_STREAM || sock->type == SOCK_SEQPACKET;
}

/* An attempt that was not simply successful */
static noinline enum io_outcome io_net_finish_slow(struct io_kiocb *req, unsigned int how,
						   ssize_t moved, const struct msghdr *msg,
						   u32 cflags)
{
	struct io_net *net = io_op_data(req, struct io_net);
	bool is_short = moved < (ssize_t)(net->len - net->done);

	if (how & IO_HOW_NONBLOCK) {
		if (moved == -EAGAIN)
			return IO_AGAIN;
		if (is_short && moved > 0 && io_net_continues(req, net)) {
			net->done += moved;
			/* They went with the first part. */
			net->controllen = 0;
			return IO_AGAIN;
		}
	}
	if (moved < 0 && !net->done) {
		io_set_status(req, moved);
		return IO_DONE;
	}
	/* Something was moved, or nothing is no error: then MSG_WAITALL is set. */
	if (is_short || (msg && (msg->msg_flags & (MSG_TRUNC | MSG_CTRUNC))))
		req->flags |= IO_REQ_FAIL;
	io_set_res(req, net->done + max(moved, 0), cflags);
	return IO_DONE;
}

/**
 * io_net_finish - decide what an attempt to transfer means for the request
 * @req: the request
 * @how: IO_HOW_*
 * @moved: bytes, or a negative errno
 * @msg: receives: as the socket left it; sends: NULL
 *
 * Context: as ->issue.
 */
enum io_outcome io_net_finish(struct io_kiocb *req, unsigned int how, ssize_t moved,
			      const struct msghdr *msg)
{
	struct io_net *net = io_op_data(req, struct io_net);
	u32 cflags = msg && msg->msg_inq > 0 ? IORING_CQE_F_SOCK_NONEMPTY : 0;

	if (unlikely(moved < 0 || (net->msg_flags & MSG_WAITALL)))
		return io_net_finish_slow(req, how, moved, msg, cflags);
	io_set_res(req, moved, cflags);
	return IO_DONE;
}

/**
 * io_net_fail - a transfer was cancelled, or must not wait: its result is what was moved
 * @req: the request
 *
 * Context: ring lock held.
 */
void io_net_fail(struct io_kiocb *req)
{
	struct io_net *net = io_op_data(req, struct io_net);

	if (net->done)
		req->cqe.res = net->done;
}

/* What SEND and RECV have in common */
static __always_inline int io_net_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe,
				       u16 allowed)
{
	struct io_net *net = io_op_data(req, struct io_net);

	net->addr = u64_to_user_ptr(READ_ONCE(sqe->addr));
	net->len = READ_ONCE(sqe->len);
	net->controllen = 0;
	return io_net_prep_flags(req, sqe, allowed);
}

/**
 * io_send_prep_flags - read the SQE of SEND or SEND_ZC
 * @req: the request
 * @sqe: its SQE
 * @allowed: IORING_RECVSEND_*, IORING_SEND_*
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL: flags, length, padding; as io_net_take().
 */
int io_send_prep_flags(struct io_kiocb *req, const struct io_uring_sqe *sqe, u16 allowed)
{
	struct io_net *net = io_op_data(req, struct io_net);
	struct sockaddr __user *name = u64_to_user_ptr(READ_ONCE(sqe->addr2));
	int ret;

	if (unlikely(READ_ONCE(sqe->__pad3[0])))
		return -EINVAL;
	ret = io_net_prep(req, sqe, allowed);
	if (unlikely(ret))
		return ret;
	if (unlikely((s32)net->len < 0))
		return -EINVAL;
	net->msg_flags &= ~MSG_INTERNAL_SENDMSG_FLAGS;
	net->msg_flags |= MSG_NOSIGNAL;
	if (likely(!name && !(net->flags & IORING_SEND_VECTORIZED)))
		return 0;
	return io_net_take(req, ITER_SOURCE, name, READ_ONCE(sqe->addr_len),
			   net->flags & IORING_SEND_VECTORIZED);
}

/**
 * io_send_prep - read the SQE of SEND
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_send_prep_flags().
 */
int io_send_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_send_prep_flags(req, sqe, IORING_RECVSEND_POLL_FIRST | IORING_RECVSEND_BUNDLE |
					    IORING_SEND_VECTORIZED);
}

/**
 * io_send - issue SEND
 * @req: the request, with its file
 * @how: IO_HOW_*
 *
 * Errors, besides those of the socket: -ENOTSOCK; -EFAULT.
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_send(struct io_kiocb *req, unsigned int how)
{
	struct io_net *net = io_op_data(req, struct io_net);
	struct socket *sock = sock_from_file(net->file);
	struct msghdr msg __uninitialized;	/* each field that the socket reads is set */
	ssize_t ret;

	if (unlikely(!sock)) {
		io_set_fail(req, -ENOTSOCK);
		return IO_DONE;
	}
	if (io_net_poll_first(net))
		return IO_AGAIN;

	io_net_set_name(req, &msg);
	msg.msg_control = NULL;
	msg.msg_controllen = 0;
	msg.msg_ubuf = NULL;
	msg.msg_flags = io_net_msg_flags(net, how);
	ret = io_net_iter(req, ITER_SOURCE, &msg.msg_iter);
	if (likely(!ret))
		ret = sock_sendmsg(sock, &msg);
	return io_net_finish(req, how, ret, NULL);
}

/**
 * io_recv_prep - read the SQE of RECV
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0; -EINVAL: flags, or fields that are not used.
 */
int io_recv_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	if (unlikely(READ_ONCE(sqe->addr2) || READ_ONCE(sqe->optlen)))
		return -EINVAL;
	return io_net_prep(req, sqe, IORING_RECVSEND_POLL_FIRST | IORING_RECVSEND_BUNDLE);
}

/**
 * io_recv - issue RECV
 * @req: the request, with its file
 * @how: IO_HOW_*
 *
 * Errors as io_send().
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_recv(struct io_kiocb *req, unsigned int how)
{
	struct io_net *net = io_op_data(req, struct io_net);
	struct socket *sock = sock_from_file(net->file);
	struct msghdr msg __uninitialized;	/* each field that the socket reads is set */
	ssize_t ret;

	if (unlikely(!sock)) {
		io_set_fail(req, -ENOTSOCK);
		return IO_DONE;
	}
	if (io_net_poll_first(net))
		return IO_AGAIN;

	msg.msg_name = NULL;
	msg.msg_namelen = 0;
	msg.msg_inq = 0;
	msg.msg_get_inq = 1;
	msg.msg_control = NULL;
	msg.msg_control_is_user = true;
	msg.msg_controllen = 0;
	msg.msg_flags = 0;
	msg.msg_iocb = NULL;
	msg.msg_ubuf = NULL;
	ret = io_net_iter(req, ITER_DEST, &msg.msg_iter);
	if (likely(!ret))
		ret = sock_recvmsg(sock, &msg, io_net_msg_flags(net, how));
	return io_net_finish(req, how, ret, &msg);
}
