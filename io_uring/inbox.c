// SPDX-License-Identifier: GPL-2.0
/*
 * Inboxes: multi-producer queues that lead every asynchronous event back to the ring lock.
 *
 * Transitions: ISSUED, ARMED, QUEUED, INFLIGHT, HELD -> INBOX.
 *
 * A producer may be in any context: hard interrupt, under a foreign wait-queue lock, a worker,
 * another ring's task. It pushes, and it rings if it has to:
 *
 *  - The consumer sleeps in io_uring_enter (want != 0). Entries that will yield one CQE each are
 *    counted, and the one that makes up the number wakes the sleeper; any other entry wakes it at
 *    once. The sleeper drains its inbox itself, no task_work is involved.
 *  - The ring has its own inbox (DEFER_TASKRUN) and nobody sleeps: the entry waits for the next
 *    io_uring_enter. Only whoever watches the ring from outside is told.
 *  - The inbox is a task's and nobody sleeps: the first entry queues task_work.
 *  - The consumer is dead: the ring's fallback work drains and cancels.
 *
 * Pushing gives the request away: a consumer may complete it, and free the node, the task's
 * context and the ring with it, before the push returns. All of these are freed after an RCU
 * grace period, and the push runs inside a read section.
 */
#include <linux/io_uring_types.h>
#include <linux/sched/signal.h>

#include "eventfd.h"
#include "inbox.h"
#include "request.h"
#include "wake.h"

/**
 * io_inbox_init - set up an empty inbox
 * @inbox: the inbox
 */
void io_inbox_init(struct io_inbox *inbox)
{
	init_llist_head(&inbox->list);
	atomic_set(&inbox->pending, 0);
	atomic_set(&inbox->bell, IO_BELL_IDLE);
	inbox->want = 0;
}

/* The consumer of @ctx->inbox died: its fallback work takes over, holding a ring reference. */
static void io_inbox_fallback(struct io_ring_ctx *ctx)
{
	if (!percpu_ref_tryget(&ctx->refs))
		return;
	if (!queue_work(system_unbound_wq, &ctx->fallback))
		percpu_ref_put(&ctx->refs);
}

/**
 * io_inbox_redirect - hand a dead task's inbox to the fallback work of the rings concerned
 * @inbox: inbox whose bell is IO_BELL_DEAD
 *
 * The entries taken are the caller's, so their rings are pinned until they are pushed again.
 *
 * Context: any, RCU read section held.
 */
void io_inbox_redirect(struct io_inbox *inbox)
{
	struct llist_node *entry = llist_reverse_order(llist_del_all(&inbox->list));

	while (entry) {
		struct io_kiocb *req = llist_entry(entry, struct io_kiocb, inbox);
		struct io_ring_ctx *ctx = req->ctx;

		entry = entry->next;
		llist_add(&req->inbox, &ctx->inbox.list);
		io_inbox_fallback(ctx);
	}
}

/**
 * io_bell_work - tell those who watch a ring from outside that deferred work waits
 * @work: io_ring_ctx.bell_work
 *
 * Detached from the producer, who may hold the lock of a wait queue that leads here again.
 *
 * Context: hard interrupt.
 */
void io_bell_work(struct irq_work *work)
{
	struct io_ring_ctx *ctx = container_of(work, struct io_ring_ctx, bell_work);

	io_eventfd_signal(ctx, IO_EVENTFD_DEFERRED);
	if (READ_ONCE(ctx->polled))
		io_wake_pollers(ctx);
}

static void io_inbox_flag_taskrun(struct io_ring_ctx *ctx)
{
	struct io_rings *rings = io_rings_rcu(ctx);

	if (!(atomic_read(&rings->sq_flags) & IORING_SQ_TASKRUN))
		atomic_or(IORING_SQ_TASKRUN, &rings->sq_flags);
}

/*
 * Nobody sleeps on the ring's own inbox: tell who watches the ring, or, without an owner (it is
 * dead, or the ring has none and the entry comes from another ring), use the fallback work.
 */
static void io_inbox_ring_deferred(struct io_ring_ctx *ctx)
{
	bool owned = ctx->flags & IORING_SETUP_DEFER_TASKRUN;

	if (unlikely(!owned || atomic_read(&ctx->inbox.bell) == IO_BELL_DEAD))
		io_inbox_fallback(ctx);
	else if (READ_ONCE(ctx->polled) || io_eventfd_wanted(ctx))
		irq_work_queue(&ctx->bell_work);
}

/* Nobody sleeps on this task's inbox: interrupt it */
static void io_inbox_ring_task(struct io_inbox *inbox, struct io_ring_ctx *ctx)
{
	struct io_uring_task *tctx = container_of(inbox, struct io_uring_task, inbox);
	int bell = atomic_cmpxchg(&inbox->bell, IO_BELL_IDLE, IO_BELL_RUNG);

	if (bell == IO_BELL_RUNG)
		return;
	if (likely(bell == IO_BELL_IDLE)) {
		if (likely(!task_work_add(tctx->task, &tctx->work, ctx->notify)))
			return;
		atomic_set(&inbox->bell, IO_BELL_DEAD);
	}
	io_inbox_redirect(inbox);
}

/* May the wait for @ring go on although an entry that leaves one CQE on @ctx was pushed? */
static bool io_inbox_may_wait(struct io_inbox *inbox, struct io_ring_ctx *ctx)
{
	/* Somebody else wants these CQEs, or they are not those that are counted. */
	if (READ_ONCE(inbox->ring) != ctx || atomic_read(&ctx->listeners) != 1)
		return false;
	/* (inbox-count) RMW, then want again; pairs with io_inbox_rewant() */
	return atomic_inc_return(&inbox->pending) < READ_ONCE(inbox->want);
}

static void io_inbox_add(struct io_kiocb *req)
{
	struct io_ring_ctx *ctx = req->ctx;
	struct io_inbox *inbox = req->node ? req->node->inbox : &ctx->inbox;
	unsigned int flags = ctx->flags;
	bool single = req->kind & IO_KIND_SINGLE;
	bool first;

	guard(rcu)();
	/* (inbox-sleep) the full barrier of llist_add() orders it before the look at want */
	first = llist_add(&req->inbox, &inbox->list);

	if (READ_ONCE(inbox->want)) {
		if (!single || !io_inbox_may_wait(inbox, ctx))
			wake_up_process(READ_ONCE(inbox->waiter));
		return;
	}
	if ((flags & IORING_SETUP_TASKRUN_FLAG) &&
	    (inbox != &ctx->inbox || (flags & IORING_SETUP_DEFER_TASKRUN)))
		io_inbox_flag_taskrun(ctx);
	if (!first)
		return;
	if (inbox == &ctx->inbox)
		io_inbox_ring_deferred(ctx);
	else
		io_inbox_ring_task(inbox, ctx);
}

/**
 * io_inbox_push - give a request to its inbox
 * @req: the request; the caller owns it and loses it
 * @kind: what is to be done with it
 * @single: it will leave exactly one CQE, unless its flags say otherwise
 *
 * A request that a worker is still issuing reaches the inbox when the worker lets go too.
 *
 * Context: any. The request and all it leads to may be gone on return.
 */
void io_inbox_push(struct io_kiocb *req, enum io_inbox_kind kind, bool single)
{
	if (req->flags & (IO_REQ_CHAIN | IOSQE_CQE_SKIP_SUCCESS | IO_REQ_MULTISHOT))
		single = false;
	req->kind = kind | (single ? IO_KIND_SINGLE : 0);
	io_req_move(req, IO_REQ_INBOX);
	if (unlikely(req->flags & IO_REQ_WORKER)) {
		io_inbox_let_go(req);
		return;
	}
	io_inbox_add(req);
}

/**
 * io_inbox_let_go - one of the two holders of a request issued by a worker is done with it
 * @req: request with IO_REQ_WORKER: the worker calls this when ->issue said IO_PENDING, the
 *	completer by way of io_inbox_push(). The second one makes the entry.
 *
 * Context: any.
 */
void io_inbox_let_go(struct io_kiocb *req)
{
	if (!atomic_dec_and_test(&req->hands))
		return;
	req->flags &= ~IO_REQ_WORKER;
	io_inbox_add(req);
}
