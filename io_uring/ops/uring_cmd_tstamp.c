// SPDX-License-Identifier: GPL-2.0
/*
 * SOCKET_URING_OP_TX_TIMESTAMP: report when what a socket sends leaves, stamp by stamp.
 *
 * Transitions: ISSUED, INBOX -> ARMED; ARMED -> INBOX (by poll.c); INBOX -> DONE.
 *
 * The stamps come as empty packets in the socket's error queue, where recvmsg(2) finds them with
 * MSG_ERRQUEUE, too. The request waits for that queue until it is cancelled, or until a stamp
 * finds no place in the CQ. Packets with payload are left for recvmsg(2).
 */
#include <linux/errqueue.h>
#include <linux/file.h>
#include <linux/io_uring/cmd.h>
#include <linux/io_uring_types.h>
#include <linux/net_tstamp.h>
#include <linux/ptp_clock_kernel.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "../batch.h"
#include "../poll.h"
#include "../registry.h"
#include "uring_cmd.h"

static_assert(BIT(IORING_TIMESTAMP_HW_SHIFT) == IORING_CQE_F_TSTAMP_HW);

/* The time a packet of the error queue tells, if that is all it tells and the socket wants it */
static ktime_t io_tstamp_time(struct sock *sk, struct sk_buff *skb, bool *hw)
{
	const struct sock_exterr_skb *err = SKB_EXT_ERR(skb);
	u32 wanted = READ_ONCE(sk->sk_tsflags);
	ktime_t time = skb_hwtstamps(skb)->hwtstamp;

	if (err->ee.ee_errno != ENOMSG || err->ee.ee_origin != SO_EE_ORIGIN_TIMESTAMPING ||
	    err->opt_stats || skb->len)
		return 0;
	*hw = !skb->tstamp;
	if (skb->tstamp)
		return wanted & SOF_TIMESTAMPING_SOFTWARE ? skb->tstamp : 0;
	if (!(wanted & SOF_TIMESTAMPING_RAW_HARDWARE))
		return 0;
	if (wanted & SOF_TIMESTAMPING_BIND_PHC)
		return ptp_convert_timestamp(&time, READ_ONCE(sk->sk_bind_phc));
	return time;
}

/* Take the oldest stamp out of the error queue. */
static struct sk_buff *io_tstamp_take(struct sock *sk, ktime_t *time, bool *hw)
{
	struct sk_buff_head *queue = &sk->sk_error_queue;
	struct sk_buff *skb, *found = NULL;
	unsigned long irq;

	spin_lock_irqsave(&queue->lock, irq);
	skb_queue_walk(queue, skb) {
		*time = io_tstamp_time(sk, skb, hw);
		if (*time) {
			__skb_unlink(skb, queue);
			found = skb;
			break;
		}
	}
	spin_unlock_irqrestore(&queue->lock, irq);
	return found;
}

static bool io_tstamp_post(struct io_kiocb *req, struct sk_buff *skb, ktime_t time, bool hw)
{
	const struct sock_exterr_skb *err = SKB_EXT_ERR(skb);
	struct timespec64 ts = ktime_to_timespec64(time);
	const struct io_req_cqe cqe = {
		.user_data = req->cqe.user_data,
		.res = err->ee.ee_data,
		.flags = IORING_CQE_F_MORE | (hw ? IORING_CQE_F_TSTAMP_HW : 0) |
			 (err->ee.ee_info << IORING_TIMESTAMP_TYPE_SHIFT),
	};
	const u64 big[2] = { ts.tv_sec, ts.tv_nsec };	/* struct io_timespec */

	static_assert(sizeof(big) == sizeof(struct io_timespec));
	return io_cqe_post_slow(req->ctx, &cqe, big, false);
}

/* Report all stamps there are. False: the CQ is full, and the rest stays where it was. */
static bool io_tstamp_report(struct io_kiocb *req)
{
	struct socket *sock = req->file->private_data;
	struct sock *sk = sock->sk;
	struct sk_buff *skb;
	ktime_t time;
	bool hw;

	while ((skb = io_tstamp_take(sk, &time, &hw))) {
		if (!io_tstamp_post(req, skb, time, hw)) {
			skb_queue_head(&sk->sk_error_queue, skb);
			return false;
		}
		consume_skb(skb);
	}
	return true;
}

static int io_tstamp_wake(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	struct io_kiocb *req = entry->private;

	return io_poll_woken(req, req->async_data, entry, key, IO_KIND_EVENT);
}

/* The error queue has something new, or the request is to end. */
static void io_tstamp_event(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct io_kiocb *req = io_op_req(cmd);
	struct io_poll *poll = req->async_data;
	int ret = -ENOBUFS;

	if ((atomic_read(&poll->state) & IO_POLL_STOP) || (issue_flags & IO_URING_F_TASK_DEAD)) {
		io_poll_stopped(req, poll);
		ret = -ECANCELED;
	} else {
		io_poll_look(req, poll);
		if (io_tstamp_report(req)) {
			io_req_move(req, IO_REQ_ARMED);
			io_poll_let_wait(req, poll, IO_KIND_EVENT);
			return;
		}
		io_poll_unqueue(req, poll);
		io_registry_del(req);
	}
	io_uring_cmd_done(cmd, ret, 0, issue_flags);
}

/* Memory for the wait, in place of the SQE, of which nothing is needed any more */
static struct io_poll *io_tstamp_alloc(struct io_kiocb *req, struct io_uring_cmd *cmd)
{
	cmd->sqe = NULL;
	if (req->flags & IO_REQ_ASYNC_DATA) {
		kfree(req->async_data);
		req->flags &= ~IO_REQ_ASYNC_DATA;
	}
	return io_req_alloc_data(req, sizeof(struct io_poll));
}

/* Leave the queues of a request that never waited. */
static void io_tstamp_disarm(struct io_kiocb *req, struct io_poll *poll)
{
	io_poll_unqueue(req, poll);
	/* A second queue, which sockets with stamps do not have, is where the big CQE has to be. */
	if (req->flags & IO_REQ_POLLED) {
		kfree(req->poll);
		req->poll = NULL;
		req->flags &= ~IO_REQ_POLLED;
	}
}

/* Begin to wait. Ring lock held. */
static int io_tstamp_arm(struct io_uring_cmd *cmd)
{
	struct io_kiocb *req = io_op_req(cmd);
	struct io_poll *poll = io_tstamp_alloc(req, cmd);
	__poll_t ready;

	if (!poll)
		return -ENOMEM;
	req->flags |= IO_REQ_MULTISHOT;
	cmd->task_work_cb = io_tstamp_event;
	poll->events = EPOLLERR;
	atomic_set(&poll->state, IO_POLL_BUSY);
	if (io_poll_enqueue(req, poll, io_tstamp_wake, &ready) || (req->flags & IO_REQ_POLLED)) {
		io_tstamp_disarm(req, poll);
		return -ECANCELED;
	}
	if (!io_tstamp_report(req)) {
		io_tstamp_disarm(req, poll);
		return -ENOBUFS;
	}
	io_registry_add(req, IO_ARMED_OP);
	io_poll_let_wait(req, poll, IO_KIND_EVENT);
	return -EIOCBQUEUED;
}

static void io_tstamp_start(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	int ret = -ECANCELED;

	if (!(issue_flags & IO_URING_F_TASK_DEAD))
		ret = io_tstamp_arm(cmd);
	if (ret != -EIOCBQUEUED)
		io_uring_cmd_done(cmd, ret, 0, issue_flags);
}

/**
 * io_uring_cmd_tstamp - issue TX_TIMESTAMP
 * @cmd: the command
 * @issue_flags: as given to ->uring_cmd
 *
 * Context: as ->uring_cmd; may sleep.
 * Return: -EIOCBQUEUED: CQEs will come; -EINVAL: they have no place for a time; -ENOBUFS: the CQ
 * is full; -ECANCELED: the socket cannot be waited for; -ENOMEM.
 */
int io_uring_cmd_tstamp(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	if (!(issue_flags & IO_URING_F_CQE32))
		return -EINVAL;
	if (issue_flags & IO_URING_F_UNLOCKED) {
		io_uring_cmd_complete_in_task(cmd, io_tstamp_start);
		return -EIOCBQUEUED;
	}
	return io_tstamp_arm(cmd);
}

/**
 * io_uring_cmd_tstamp_stop - cancel a TX_TIMESTAMP that waits
 * @req: the request, in the registry; it leaves it
 *
 * Context: ring lock held.
 */
void io_uring_cmd_tstamp_stop(struct io_kiocb *req)
{
	io_poll_stop(req, req->async_data, IO_KIND_EVENT);
}
