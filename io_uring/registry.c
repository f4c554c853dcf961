// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of a ring: every request that waits for an event, hashed by its user_data.
 *
 * Transitions: ISSUED, INBOX, HELD -> ARMED. Leaving the registry moves no state: the request is
 * in its inbox already, or is about to be completed or pushed by the caller.
 *
 * Requests come in whatever number the application likes, so the table doubles as soon as there
 * are more requests than lists, and adding, finding and removing cost the same for a few and for
 * tens of thousands. It is not made smaller before the ring ends; a peak may come again.
 */
#include <linux/hash.h>
#include <linux/io_uring_types.h>
#include <linux/slab.h>

#include "inbox.h"
#include "registry.h"
#include "request.h"

#define IO_REGISTRY_MIN_BITS	4
#define IO_REGISTRY_MAX_BITS	16

static struct hlist_head *io_registry_alloc(unsigned int bits)
{
	return kvcalloc(1u << bits, sizeof(struct hlist_head), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

/**
 * io_registry_init - make an empty registry
 * @reg: the registry
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int io_registry_init(struct io_registry *reg)
{
	reg->bits = IO_REGISTRY_MIN_BITS;
	reg->nr = 0;
	reg->table = io_registry_alloc(reg->bits);
	return reg->table ? 0 : -ENOMEM;
}

/**
 * io_registry_exit - free the table of a registry that nothing is left in
 * @reg: the registry, possibly one that io_registry_init() failed for
 */
void io_registry_exit(struct io_registry *reg)
{
	WARN_ON_ONCE(reg->nr);
	kvfree(reg->table);
	reg->table = NULL;
}

/**
 * io_registry_head - the list that requests with a given user_data are in
 * @reg: the registry
 * @user_data: as in the CQE
 *
 * Context: ring lock held.
 */
struct hlist_head *io_registry_head(struct io_registry *reg, u64 user_data)
{
	return &reg->table[hash_64(user_data, reg->bits)];
}

/* Twice as many lists. Without memory the old ones do, they only get longer. */
static noinline void io_registry_grow(struct io_registry *reg)
{
	unsigned int i, nr = io_registry_size(reg);
	struct hlist_head *old = reg->table;
	struct hlist_head *table;

	table = io_registry_alloc(reg->bits + 1);
	if (!table)
		return;
	reg->table = table;
	reg->bits++;
	for (i = 0; i < nr; i++) {
		struct hlist_node *tmp;
		struct io_kiocb *req;

		hlist_for_each_entry_safe(req, tmp, &old[i], armed_entry)
			hlist_add_head(&req->armed_entry,
				       io_registry_head(reg, req->cqe.user_data));
	}
	kvfree(old);
}

/**
 * io_registry_add - a request begins to wait for an event
 * @req: the request, whose event cannot come yet, or finds that it is still ours
 * @armed: how it can be stopped
 *
 * Context: ring lock held; may sleep.
 */
void io_registry_add(struct io_kiocb *req, enum io_armed armed)
{
	struct io_registry *reg = &req->ctx->registry;

	lockdep_assert_held(&req->ctx->lock);
	WARN_ON_ONCE(req->armed);
	if (unlikely(reg->nr >= io_registry_size(reg) && reg->bits < IO_REGISTRY_MAX_BITS))
		io_registry_grow(reg);
	reg->nr++;
	req->armed = armed;
	hlist_add_head(&req->armed_entry, io_registry_head(reg, req->cqe.user_data));
	io_req_move(req, IO_REQ_ARMED);
}

/**
 * io_registry_del - a request waits no more: its event is being handled, or it was stopped
 * @req: the request, in the registry
 *
 * Context: ring lock held.
 */
void io_registry_del(struct io_kiocb *req)
{
	lockdep_assert_held(&req->ctx->lock);
	WARN_ON_ONCE(!req->armed);
	hlist_del(&req->armed_entry);
	req->armed = IO_ARMED_NOT;
	req->ctx->registry.nr--;
}

/**
 * io_registry_rekey - give a waiting request another user_data
 * @req: the request, in the registry
 * @user_data: the new one
 *
 * Context: ring lock held.
 */
void io_registry_rekey(struct io_kiocb *req, u64 user_data)
{
	lockdep_assert_held(&req->ctx->lock);
	hlist_del(&req->armed_entry);
	req->cqe.user_data = user_data;
	hlist_add_head(&req->armed_entry, io_registry_head(&req->ctx->registry, user_data));
}

/**
 * io_issue_later - send a request to its inbox, to be issued from there
 * @req: the request
 *
 * It can be found and stopped on the way.
 *
 * Context: ring lock held; may sleep.
 */
void io_issue_later(struct io_kiocb *req)
{
	io_registry_add(req, IO_ARMED_ISSUE);
	io_inbox_push(req, IO_KIND_ISSUE, false);
}

/**
 * io_registry_find - a waiting request of a given kind, started and not stopped
 * @reg: the registry
 * @user_data: as in the CQE
 * @opcode: IORING_OP_*
 *
 * Context: ring lock held.
 * Return: the one that was added last, if there are several, or NULL.
 */
struct io_kiocb *io_registry_find(struct io_registry *reg, u64 user_data, u8 opcode)
{
	struct io_kiocb *req;

	hlist_for_each_entry(req, io_registry_head(reg, user_data), armed_entry) {
		/* What has yet to be issued has no timer and no place in a queue. */
		if (req->cqe.user_data == user_data && req->opcode == opcode &&
		    req->armed != IO_ARMED_ISSUE)
			return req;
	}
	return NULL;
}
