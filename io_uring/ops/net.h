/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moving data through sockets.
 */
#ifndef IO_URING_OPS_NET_H
#define IO_URING_OPS_NET_H

#include <linux/io_uring_types.h>
#include <linux/socket.h>
#include <linux/uio.h>

#include "../op.h"
#include "../request.h"

/* The destination of a send is in the async data. */
#define IO_NET_NAME	IO_REQ_OP1

/**
 * struct io_net - SEND, RECV, SENDMSG, RECVMSG, SEND_ZC, SENDMSG_ZC
 * @file: the socket
 * @addr: user address of the buffer; not used with several segments
 * @len: bytes to transfer
 * @done: of them, transferred by earlier attempts
 * @msg_flags: MSG_*, for every attempt
 * @flags: IORING_RECVSEND_*; POLL_FIRST until that was done
 * @namelen: length of the destination, if there is one
 * @umsg: RECVMSG: where lengths and flags are given back
 * @notif: SEND_ZC, SENDMSG_ZC: the notification, from the first attempt on
 * @uname: RECVMSG: where the address of the sender goes
 * @notif_data: SEND_ZC, SENDMSG_ZC: user_data of the notification
 * @control: opcodes with a header: user address of the ancillary data
 * @controllen: size of them; more than 4 GiB count as that
 */
struct io_net {
	struct file			*file;
	void __user			*addr;
	u32				len;
	u32				done;
	u32				msg_flags;
	u16				flags;
	u16				namelen;
	union {
		struct user_msghdr __user *umsg;
		struct io_kiocb		*notif;
	};
	union {
		struct sockaddr __user	*uname;
		u64			notif_data;
	};
	void __user			*control;
	u32				controllen;
};

/**
 * struct io_net_async - what only some transfers need
 * @name: destination
 * @nr_segs: entries of @iov; 0: the buffer is io_net.addr
 * @iov: copy of the segments
 */
struct io_net_async {
	struct sockaddr_storage	name;
	unsigned int		nr_segs;
	struct iovec		iov[] __counted_by(nr_segs);
};

/* net.c */
int io_send_prep_flags(struct io_kiocb *req, const struct io_uring_sqe *sqe, u16 allowed);
int io_send_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_send(struct io_kiocb *req, unsigned int how);
int io_recv_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_recv(struct io_kiocb *req, unsigned int how);
void io_net_fail(struct io_kiocb *req);

int io_net_take(struct io_kiocb *req, int dir, struct sockaddr __user *name, int namelen, bool vec);
int io_net_iter_vec(struct io_kiocb *req, int dir, struct iov_iter *iter);
enum io_outcome io_net_finish(struct io_kiocb *req, unsigned int how, ssize_t moved,
			      const struct msghdr *msg);

/* net_msg.c */
int io_sendmsg_prep_flags(struct io_kiocb *req, const struct io_uring_sqe *sqe, u16 allowed);
int io_sendmsg_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_sendmsg(struct io_kiocb *req, unsigned int how);
int io_recvmsg_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_recvmsg(struct io_kiocb *req, unsigned int how);

/**
 * io_net_poll_first - is the file to be waited for before the first attempt?
 * @net: the transfer
 *
 * Return: true, once, if the application asked for it.
 */
static inline bool io_net_poll_first(struct io_net *net)
{
	if (likely(!(net->flags & IORING_RECVSEND_POLL_FIRST)))
		return false;
	net->flags &= ~IORING_RECVSEND_POLL_FIRST;
	return true;
}

/**
 * io_net_prep_flags - read what all transfers have in common from the SQE
 * @req: the request
 * @sqe: its SQE
 * @allowed: IORING_RECVSEND_*, IORING_SEND_*
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
static inline int io_net_prep_flags(struct io_kiocb *req, const struct io_uring_sqe *sqe,
				    u16 allowed)
{
	struct io_net *net = io_op_data(req, struct io_net);

	net->done = 0;
	net->msg_flags = READ_ONCE(sqe->msg_flags);
	net->flags = READ_ONCE(sqe->ioprio);
	if (unlikely(net->msg_flags & MSG_DONTWAIT))
		req->flags |= IO_REQ_NOWAIT;
	if (unlikely(net->msg_flags & MSG_ERRQUEUE))
		req->flags |= IO_REQ_POLL_ERR;
	return unlikely(net->flags & ~allowed) ? -EINVAL : 0;
}

/**
 * io_net_iter - build the iov_iter over what is left to transfer
 * @req: the request
 * @dir: ITER_SOURCE or ITER_DEST
 * @iter: result
 *
 * Return: 0 or -EFAULT.
 */
static __always_inline int io_net_iter(struct io_kiocb *req, int dir, struct iov_iter *iter)
{
	struct io_net *net = io_op_data(req, struct io_net);

	if (unlikely(req->flags & IO_REQ_ASYNC_DATA))
		return io_net_iter_vec(req, dir, iter);
	return import_ubuf(dir, net->addr + net->done, net->len - net->done, iter);
}

/* Let a message go to the destination that the request has, if any. */
static inline void io_net_set_name(struct io_kiocb *req, struct msghdr *msg)
{
	struct io_net_async *async = req->async_data;

	msg->msg_name = NULL;
	msg->msg_namelen = 0;
	if (unlikely(req->flags & IO_NET_NAME)) {
		msg->msg_name = &async->name;
		msg->msg_namelen = io_op_data(req, struct io_net)->namelen;
	}
}

/* MSG_* for the next attempt */
static inline unsigned int io_net_msg_flags(const struct io_net *net, unsigned int how)
{
	return net->msg_flags | (how & IO_HOW_NONBLOCK ? MSG_DONTWAIT : 0);
}

#endif
