// SPDX-License-Identifier: GPL-2.0
/*
 * Chains: what follows a request, and what becomes of it when the request fails.
 *
 * Transitions: HELD -> DONE (cancelled). HELD -> ISSUED is done by the caller of io_complete(),
 * to whom the successor is returned, so a chain of any length needs no recursion.
 *
 * A chain hangs on its running member by ->link, and nobody else knows of those behind it. A
 * LINK_TIMEOUT directly behind a request is its deadline rather than its successor: it is armed
 * when the request goes asynchronous, ends when the request does, and the chain continues behind
 * it. All of this happens under the ring lock; the timer itself only pushes to the inbox.
 */
#include <linux/io_uring_types.h>

#include "finish.h"
#include "link.h"
#include "request.h"
#include "timer.h"

/**
 * io_link_timeout_start - the guarded request goes asynchronous: arm its deadline
 * @head: the request; nothing happens if it has no deadline, or an armed one
 *
 * Context: ring lock held.
 */
void io_link_timeout_start(struct io_kiocb *head)
{
	if ((head->flags & IO_REQ_LTIMEOUT) || !io_link_has_timeout(head))
		return;
	head->flags |= IO_REQ_LTIMEOUT;
	io_timer_guard(head->link, head);
}

/* The guarded request is done: end its deadline. Returns what follows in the chain. */
static struct io_kiocb *io_link_timeout_end(struct io_kiocb *head, struct io_kiocb *timeout)
{
	struct io_kiocb *rest = timeout->link;
	bool armed = head->flags & IO_REQ_LTIMEOUT;

	timeout->link = NULL;
	timeout->flags &= ~IO_REQ_CHAIN;
	if (armed && !io_timer_unguard(timeout))
		return rest;	/* it fired: it is in the inbox, and finds that we are gone */
	if (timeout->flags & IOSQE_CQE_SKIP_SUCCESS)
		timeout->flags |= IO_REQ_NO_CQE;
	io_set_res(timeout, -ECANCELED, 0);
	io_finish(timeout);
	return rest;
}

/**
 * io_link_detach - cut a finished request off its chain
 * @req: the request, result set
 *
 * Context: ring lock held; may sleep.
 * Return: the rest of the chain, or NULL.
 */
struct io_kiocb *io_link_detach(struct io_kiocb *req)
{
	struct io_kiocb *next = req->link;

	req->link = NULL;
	if (next && next->opcode == IORING_OP_LINK_TIMEOUT)
		next = io_link_timeout_end(req, next);
	return next;
}

/**
 * io_chain_cancel - the rest of a chain whose running member failed ends as -ECANCELED
 * @head: first of the rest, not started
 * @silent: the failing member asked for suppression: its CQE stands for all
 *
 * Context: ring lock held; may sleep.
 */
void io_chain_cancel(struct io_kiocb *head, bool silent)
{
	while (head) {
		struct io_kiocb *req = head;

		head = req->flags & IO_REQ_CHAIN ? req->link : NULL;
		req->link = NULL;
		/* One that was refused at submission keeps its errno. */
		if (!(req->flags & IO_REQ_FAIL))
			io_set_fail(req, -ECANCELED);
		if (silent)
			req->flags |= IO_REQ_NO_CQE;
		io_finish(req);
	}
}

/**
 * io_chain_refuse - a member was refused at submission: none of the chain is issued
 * @head: the chain; the refused member has its errno and IO_REQ_FAIL
 *
 * Context: ring lock held; may sleep.
 */
void io_chain_refuse(struct io_kiocb *head)
{
	struct io_kiocb *rest = head->link;
	bool silent = head->flags & IOSQE_CQE_SKIP_SUCCESS;

	head->link = NULL;
	if (!(head->flags & IO_REQ_FAIL))
		io_set_fail(head, -ECANCELED);
	io_finish(head);
	io_chain_cancel(rest, silent);
}
