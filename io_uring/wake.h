/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whom to tell that a ring has CQEs: sleepers in io_uring_enter, pollers of the ring file.
 */
#ifndef IO_URING_WAKE_H
#define IO_URING_WAKE_H

#include <linux/fs.h>
#include <linux/eventpoll.h>
#include <linux/io_uring_types.h>
#include <linux/poll.h>

/**
 * io_rings_rcu - the ring memory, for who does not hold the ring lock
 * @ctx: the ring
 *
 * A resize replaces it and frees the old one after a grace period.
 *
 * Context: RCU read section.
 */
static inline struct io_rings *io_rings_rcu(struct io_ring_ctx *ctx)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "ring memory used outside an RCU read section");
	return READ_ONCE(ctx->rings);
}

/**
 * io_wake_pollers - wake everybody on the ring's wait queue
 * @ctx: the ring
 *
 * The key carries EPOLL_URING_WAKE, by which an io_uring poll request on this ring's file knows
 * that it must not go on for ever.
 *
 * Context: any.
 */
static inline void io_wake_pollers(struct io_ring_ctx *ctx)
{
	__wake_up(&ctx->cq_wait, TASK_NORMAL, 0,
		  poll_to_key(EPOLL_URING_WAKE | EPOLLIN | EPOLLRDNORM));
}

/**
 * io_listen - start to be told of each batch of CQEs
 * @ctx: the ring
 */
static inline void io_listen(struct io_ring_ctx *ctx)
{
	atomic_inc(&ctx->listeners);
	/* (cq-listen) count, then look at the tail; pairs with io_cq_publish() */
	smp_mb__after_atomic();
}

static inline void io_unlisten(struct io_ring_ctx *ctx)
{
	atomic_dec(&ctx->listeners);
}

#endif
