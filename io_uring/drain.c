// SPDX-License-Identifier: GPL-2.0
/*
 * Draining: a request with IOSQE_IO_DRAIN starts when all before it are done, and those behind it
 * start when it is done.
 *
 * Transitions: INIT -> HELD, HELD -> INBOX (its turn has come, or it is cancelled).
 *
 * Nothing is counted for it while it is not used: the ring knows how many of its requests are
 * live. Those in the list are live too, so what has been started is io_req_live() - nr_drain.
 * The list holds heads of chains (a single request is a chain of one) in submission order. Once
 * something is held back, or a draining request runs, everything submitted later joins the list
 * (IO_STRICT_DRAIN), and the end of each batch looks at it (IO_WATCH_DRAIN).
 */
#include <linux/io_uring_types.h>

#include "drain.h"
#include "inbox.h"
#include "registry.h"
#include "request.h"

static unsigned int io_chain_len(const struct io_kiocb *req)
{
	unsigned int len = 1;

	while ((req->flags & IO_REQ_CHAIN) && req->link) {
		req = req->link;
		len++;
	}
	return len;
}

static bool io_chain_drains(const struct io_kiocb *req)
{
	for (; req; req = req->flags & IO_REQ_CHAIN ? req->link : NULL) {
		if (req->flags & IOSQE_IO_DRAIN)
			return true;
	}
	return false;
}

static void io_drain_active(struct io_ring_ctx *ctx, bool active)
{
	if (active) {
		ctx->strict |= IO_STRICT_DRAIN;
		ctx->watch |= IO_WATCH_DRAIN;
	} else {
		ctx->strict &= ~IO_STRICT_DRAIN;
		ctx->watch &= ~IO_WATCH_DRAIN;
	}
}

/**
 * io_drain_hold - decide whether a chain may start, and keep it if not
 * @ctx: the ring
 * @head: the chain, complete, just submitted
 *
 * Called when the chain drains, or IO_STRICT_DRAIN is set.
 *
 * Context: ring lock held.
 * Return: true if the chain is held back; false: the caller starts it.
 */
bool io_drain_hold(struct io_ring_ctx *ctx, struct io_kiocb *head)
{
	bool middle = !(head->flags & IOSQE_IO_DRAIN) && io_chain_drains(head);
	bool drains = (head->flags & IOSQE_IO_DRAIN) || middle || ctx->drain_next;
	unsigned int len = io_chain_len(head);

	/* A drain in the middle of a chain holds for the whole of it, and for what follows. */
	ctx->drain_next = middle;
	if (drains)
		head->flags |= IOSQE_IO_DRAIN;
	else if (!ctx->drain_head && !ctx->drain_busy)
		return false;

	io_drain_active(ctx, true);
	if (!ctx->drain_head && io_req_live(ctx) == len) {
		ctx->drain_busy = drains;
		return false;
	}

	io_req_move(head, IO_REQ_HELD);
	head->next = NULL;
	if (ctx->drain_head)
		ctx->drain_tail->next = head;
	else
		ctx->drain_head = head;
	ctx->drain_tail = head;
	ctx->nr_drain += len;
	head->flags |= IO_REQ_COUNTED;
	head->node->inflight++;
	return true;
}

/**
 * io_drain_release - start what needs no longer wait
 * @ctx: the ring
 *
 * Context: ring lock held, end of a batch.
 */
void io_drain_release(struct io_ring_ctx *ctx)
{
	struct io_kiocb *head;

	lockdep_assert_held(&ctx->lock);
	while ((head = ctx->drain_head)) {
		bool drains = head->flags & IOSQE_IO_DRAIN;

		if ((drains || ctx->drain_busy) && io_req_live(ctx) != ctx->nr_drain)
			return;
		ctx->drain_head = head->next;
		ctx->nr_drain -= io_chain_len(head);
		ctx->drain_busy = drains;
		io_issue_later(head);
	}
	if (ctx->drain_busy && io_req_live(ctx))
		return;
	ctx->drain_busy = false;
	/* Stays active for a chain whose successor has to be drained too, if one ever comes. */
	io_drain_active(ctx, ctx->drain_next);
}

/**
 * io_drain_cancel - end what is held back for a task that goes away
 * @ctx: the ring
 * @node: only what this task submitted; NULL: all
 *
 * Context: ring lock held.
 */
void io_drain_cancel(struct io_ring_ctx *ctx, struct io_task_node *node)
{
	struct io_kiocb **link = &ctx->drain_head, *last = NULL;

	lockdep_assert_held(&ctx->lock);
	while (*link) {
		struct io_kiocb *head = *link;

		if (node && head->node != node) {
			last = head;
			link = &head->next;
			continue;
		}
		*link = head->next;
		ctx->nr_drain -= io_chain_len(head);
		io_set_fail(head, -ECANCELED);
		if (head->flags & IO_REQ_CHAIN) {
			/* the chain goes with it, hard-linked or not */
			head->flags &= ~IOSQE_IO_HARDLINK;
			head->flags |= IOSQE_IO_LINK;
		}
		io_inbox_push(head, IO_KIND_DONE, false);
	}
	ctx->drain_tail = last;
}
