// SPDX-License-Identifier: GPL-2.0
/*
 * SEND_ZC and SENDMSG_ZC: the network sends from the application's pages, and a second CQE, the
 * notification, tells when it does not need them any more.
 *
 * Transitions: INIT -> INBOX, of the notification.
 *
 * The notification is a request of its own. It is made by the first attempt to send, and counted:
 * each packet that holds pages has a reference, and the request itself has one until its CQE is
 * posted. So the notification cannot come first. A request whose CQE lacks F_MORE never had one.
 *
 * When the last reference goes, in any context, the notification is pushed to the inbox of the
 * ring. It belongs to no task: a peer that does not read may keep it for as long as it likes, and
 * neither exit, exec nor a drain waits for it. The ring does, as it holds a reference.
 *
 * A packet belongs to one notification only. TCP would like to add the data of the next send to
 * the last packet; it finds another notification there and begins a new packet.
 */
#include <linux/io_uring_types.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/socket.h>

#include "../account.h"
#include "../finish.h"
#include "../inbox.h"
#include "../request.h"
#include "net.h"
#include "net_zc.h"

/**
 * struct io_notif - a notification; the data of a request
 * @file: not used
 * @uarg: what packets refer to (A)
 * @nr_pages: charged to the owner of the ring (I)
 * @report: tell whether data were copied after all (I)
 * @used: some packet was sent from the pages (A)
 * @copied: some packet was copied (A)
 */
struct io_notif {
	struct file		*file;
	struct ubuf_info	uarg;
	unsigned int		nr_pages;
	bool			report;
	bool			used;
	bool			copied;
};

static struct io_kiocb *io_notif_req(struct ubuf_info *uarg)
{
	return io_op_req(container_of(uarg, struct io_notif, uarg));
}

/* A packet does not need the pages any more. Any context. */
static void io_notif_put(struct sk_buff *skb, struct ubuf_info *uarg, bool success)
{
	struct io_notif *n = container_of(uarg, struct io_notif, uarg);

	if (!success)
		WRITE_ONCE(n->copied, true);
	else if (skb)
		WRITE_ONCE(n->used, true);
	/* (notif) the above before the last reference goes; pairs with io_send_zc_event() */
	if (refcount_dec_and_test(&uarg->refcnt))
		io_inbox_push(io_notif_req(uarg), IO_KIND_EVENT, true);
}

#define IO_ZC_FLAGS	(IORING_RECVSEND_POLL_FIRST | IORING_SEND_ZC_REPORT_USAGE | \
			 IORING_SEND_VECTORIZED)

static const struct ubuf_info_ops io_notif_ops = {
	.complete = io_notif_put,
};

/* Make the notification of a request that has none yet. */
static int io_notif_make(struct io_kiocb *req, struct io_net *net, unsigned int how)
{
	struct io_ring_ctx *ctx = req->ctx;
	struct io_kiocb *notif;
	unsigned int nr_pages;
	struct io_notif *n;
	int ret;

	if (net->notif)
		return 0;
	/* Wherever the data begin, they cover at most so many pages and two halves. */
	nr_pages = (net->len >> PAGE_SHIFT) + 2;
	ret = io_account_locked(&ctx->account, nr_pages);
	if (ret)
		return ret;
	notif = how & IO_HOW_WORKER ? io_req_alloc_foreign(ctx) : io_req_get_foreign(ctx);
	if (!notif) {
		io_unaccount_locked(&ctx->account, nr_pages);
		return -ENOMEM;
	}
	n = io_op_data(notif, struct io_notif);
	n->nr_pages = nr_pages;
	n->report = net->flags & IORING_SEND_ZC_REPORT_USAGE;
	n->used = false;
	n->copied = false;
	n->uarg.ops = &io_notif_ops;
	n->uarg.flags = SKBFL_ZEROCOPY_FRAG | SKBFL_DONT_ORPHAN;
	refcount_set(&n->uarg.refcnt, 1);
	notif->opcode = IORING_OP_SEND_ZC;
	notif->cqe.user_data = net->notif_data;
	net->notif = notif;
	req->flags |= IO_REQ_CLEANUP;
	return 0;
}

/**
 * io_send_zc_event - nobody needs the pages of a send any more
 * @notif: the notification
 * @how: IO_HOW_*
 *
 * Context: ring lock held.
 */
enum io_outcome io_send_zc_event(struct io_kiocb *notif, unsigned int how)
{
	struct io_notif *n = io_op_data(notif, struct io_notif);
	u32 res = 0;

	io_unaccount_locked(&notif->ctx->account, n->nr_pages);
	/* (notif) after the last reference; pairs with io_notif_put() */
	if (n->report && (READ_ONCE(n->copied) || !READ_ONCE(n->used)))
		res = IORING_NOTIF_USAGE_ZC_COPIED;
	io_set_res(notif, res, IORING_CQE_F_NOTIF);
	return IO_DONE;
}

/* What both opcodes have in common; the rest was read. */
static int io_zc_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_net *net = io_op_data(req, struct io_net);

	net->notif = NULL;
	net->notif_data = READ_ONCE(sqe->addr3) ?: req->cqe.user_data;
	net->msg_flags |= MSG_ZEROCOPY;
	return 0;
}

/**
 * io_send_zc_prep - read the SQE of SEND_ZC
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_send_prep(); -EINVAL: with IOSQE_CQE_SKIP_SUCCESS.
 */
int io_send_zc_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	int ret;

	if (READ_ONCE(sqe->__pad2[0]) || (req->flags & IOSQE_CQE_SKIP_SUCCESS))
		return -EINVAL;
	ret = io_send_prep_flags(req, sqe, IO_ZC_FLAGS);
	return ret ?: io_zc_prep(req, sqe);
}

/**
 * io_sendmsg_zc_prep - read the SQE of SENDMSG_ZC, and the header it points to
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_sendmsg_prep(); -EINVAL: with IOSQE_CQE_SKIP_SUCCESS.
 */
int io_sendmsg_zc_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	int ret;

	if (READ_ONCE(sqe->__pad2[0]) || (req->flags & IOSQE_CQE_SKIP_SUCCESS))
		return -EINVAL;
	ret = io_sendmsg_prep_flags(req, sqe, IO_ZC_FLAGS);
	return ret ?: io_zc_prep(req, sqe);
}

/* One attempt to send. Returns bytes or an errno. */
static ssize_t io_zc_attempt(struct io_kiocb *req, struct socket *sock, unsigned int how)
{
	struct io_net *net = io_op_data(req, struct io_net);
	struct msghdr msg = {
		.msg_control_is_user = true,
		.msg_controllen = net->controllen,
	};
	ssize_t ret;

	ret = io_notif_make(req, net, how);
	if (ret)
		return ret;
	if (!test_bit(SOCK_SUPPORT_ZC, &sock->flags))
		return -EOPNOTSUPP;
	io_net_set_name(req, &msg);
	if (net->controllen)
		msg.msg_control_user = net->control;
	msg.msg_ubuf = &io_op_data(net->notif, struct io_notif)->uarg;
	ret = io_net_iter(req, ITER_SOURCE, &msg.msg_iter);
	if (ret)
		return ret;
	if (net->controllen)
		return __sys_sendmsg_sock(sock, &msg, io_net_msg_flags(net, how));
	msg.msg_flags = io_net_msg_flags(net, how);
	return sock_sendmsg(sock, &msg);
}

/**
 * io_send_zc - issue SEND_ZC or SENDMSG_ZC
 * @req: the request, with its file
 * @how: IO_HOW_*
 *
 * Errors as io_send(); -EOPNOTSUPP: the protocol always copies; -ENOMEM: RLIMIT_MEMLOCK.
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_send_zc(struct io_kiocb *req, unsigned int how)
{
	struct io_net *net = io_op_data(req, struct io_net);
	struct socket *sock = sock_from_file(net->file);
	enum io_outcome outcome;

	if (unlikely(!sock)) {
		io_set_fail(req, -ENOTSOCK);
		return IO_DONE;
	}
	if (io_net_poll_first(net))
		return IO_AGAIN;
	outcome = io_net_finish(req, how, io_zc_attempt(req, sock, how), NULL);
	if (outcome == IO_DONE && net->notif)
		req->cqe.flags |= IORING_CQE_F_MORE;
	return outcome;
}

/**
 * io_send_zc_fail - a send was cancelled, or must not wait
 * @req: the request
 *
 * Context: ring lock held.
 */
void io_send_zc_fail(struct io_kiocb *req)
{
	io_net_fail(req);
	if (io_op_data(req, struct io_net)->notif)
		req->cqe.flags |= IORING_CQE_F_MORE;
}

/**
 * io_send_zc_cleanup - the CQE of the request is posted: its notification may come
 * @req: the request
 *
 * Context: ring lock held.
 */
void io_send_zc_cleanup(struct io_kiocb *req)
{
	struct io_kiocb *notif = io_op_data(req, struct io_net)->notif;
	struct io_notif *n = io_op_data(notif, struct io_notif);

	if (!refcount_dec_and_test(&n->uarg.refcnt))
		return;
	/* All was copied, or sent already: no need to go through the inbox. */
	io_req_join(notif);
	io_send_zc_event(notif, IO_HOW_LOCKED);
	io_finish(notif);
}
