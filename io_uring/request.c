// SPDX-License-Identifier: GPL-2.0
/*
 * The request cache of a ring, and the memory that requests bring along.
 *
 * Transitions: CACHED -> INIT and DONE -> CACHED (inline, in request.h). io_req_move() checks all.
 *
 * A request holds one reference on its ring from the slab to the slab, whether it is in use or in
 * the cache. References are thus taken and dropped in bulk, and nr_reqs counts both.
 */
#include <linux/io_uring_types.h>
#include <linux/slab.h>

#include "request.h"

#define IO_REQ_REFILL	16

static struct kmem_cache *io_req_slab;

/**
 * io_req_cache_create - make the slab that requests come from
 *
 * Context: boot.
 */
int __init io_req_cache_create(void)
{
	/* An operation may copy small parts of its data to user space. */
	io_req_slab = kmem_cache_create_usercopy("io_kiocb", sizeof(struct io_kiocb), 64,
						 SLAB_PANIC | SLAB_ACCOUNT | SLAB_HWCACHE_ALIGN,
						 offsetof(struct io_kiocb, data),
						 IO_OP_DATA_SIZE, NULL);
	return 0;
}

static void io_req_init_once(struct io_ring_ctx *ctx, struct io_kiocb *req)
{
	memset(req, 0, sizeof(*req));
	req->ctx = ctx;
}

/**
 * io_req_cache_refill - put some requests from the slab into the cache
 * @ctx: the ring
 *
 * Context: ring lock held; may sleep.
 * Return: false without memory.
 */
noinline bool io_req_cache_refill(struct io_ring_ctx *ctx)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	void *reqs[IO_REQ_REFILL];
	int nr, i;

	lockdep_assert_held(&ctx->lock);
	nr = kmem_cache_alloc_bulk(io_req_slab, gfp, IO_REQ_REFILL, reqs);
	if (unlikely(nr <= 0)) {
		/* The bulk call is all or nothing; one may still be had. */
		reqs[0] = kmem_cache_alloc(io_req_slab, gfp);
		if (!reqs[0])
			return false;
		nr = 1;
	}
	percpu_ref_get_many(&ctx->refs, nr);
	ctx->nr_reqs += nr;
	for (i = 0; i < nr; i++) {
		struct io_kiocb *req = reqs[i];

		io_req_init_once(ctx, req);
		req->next = ctx->free;
		ctx->free = req;
	}
	ctx->nr_free += nr;
	return true;
}

/**
 * io_req_cache_trim - give cached requests, and their ring references, back
 * @ctx: the ring; the caller holds a reference of its own
 * @keep: how many may stay
 *
 * Context: ring lock held.
 */
void io_req_cache_trim(struct io_ring_ctx *ctx, unsigned int keep)
{
	lockdep_assert_held(&ctx->lock);
	while (ctx->nr_free > keep) {
		void *reqs[IO_REQ_REFILL];
		unsigned int nr = 0;

		while (nr < IO_REQ_REFILL && ctx->nr_free > keep) {
			struct io_kiocb *req = ctx->free;

			ctx->free = req->next;
			ctx->nr_free--;
			reqs[nr++] = req;
		}
		ctx->nr_reqs -= nr;
		kmem_cache_free_bulk(io_req_slab, nr, reqs);
		percpu_ref_put_many(&ctx->refs, nr);
	}
}

/**
 * io_req_alloc_foreign - a request that nobody waits for, for a ring whose lock is not held
 * @ctx: the ring it is for; the caller holds a reference
 *
 * It belongs to no task, and joins the ring's books when it is taken from the inbox.
 *
 * Context: may sleep.
 * Return: a request in state INIT, or NULL.
 */
struct io_kiocb *io_req_alloc_foreign(struct io_ring_ctx *ctx)
{
	struct io_kiocb *req = kmem_cache_alloc(io_req_slab, GFP_KERNEL);

	if (!req)
		return NULL;
	percpu_ref_get(&ctx->refs);
	io_req_init_once(ctx, req);
	io_req_move(req, IO_REQ_INIT);
	req->flags = IO_REQ_FOREIGN;
	return req;
}

/**
 * io_req_get_foreign - io_req_alloc_foreign() from the cache of the ring
 * @ctx: the ring it is for
 *
 * Context: ring lock held; may sleep.
 * Return: a request in state INIT, or NULL.
 */
struct io_kiocb *io_req_get_foreign(struct io_ring_ctx *ctx)
{
	struct io_kiocb *req = io_req_get(ctx);

	lockdep_assert_held(&ctx->lock);
	if (!req)
		return NULL;
	ctx->nr_reqs--;
	req->node = NULL;
	req->link = NULL;
	req->flags = IO_REQ_FOREIGN;
	return req;
}

/**
 * io_req_alloc_data - memory that lives as long as the request
 * @req: the request, without async data
 * @size: bytes
 *
 * Context: may sleep.
 * Return: zeroed memory, or NULL.
 */
void *io_req_alloc_data(struct io_kiocb *req, size_t size)
{
	WARN_ON_ONCE(req->flags & IO_REQ_ASYNC_DATA);
	req->async_data = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (req->async_data)
		req->flags |= IO_REQ_ASYNC_DATA;
	return req->async_data;
}

#ifdef CONFIG_IO_URING_DEBUG
#define TO(state)	BIT(IO_REQ_##state)

/* The transition table of request.h. A worker's request may reach the inbox while being issued. */
static const u16 io_req_moves[IO_REQ_NR_STATES] = {
	[IO_REQ_CACHED]		= TO(INIT),
	[IO_REQ_INIT]		= TO(HELD) | TO(ISSUED) | TO(DONE) | TO(INBOX) | TO(QUEUED),
	[IO_REQ_HELD]		= TO(ISSUED) | TO(DONE) | TO(INBOX) | TO(ARMED) | TO(QUEUED),
	[IO_REQ_ISSUED]		= TO(DONE) | TO(ARMED) | TO(QUEUED) | TO(INFLIGHT) | TO(INBOX) |
				  TO(ISSUED),
	[IO_REQ_ARMED]		= TO(INBOX) | TO(DONE),
	[IO_REQ_QUEUED]		= TO(ISSUED) | TO(INBOX),
	[IO_REQ_INFLIGHT]	= TO(INBOX),
	[IO_REQ_INBOX]		= TO(ISSUED) | TO(ARMED) | TO(QUEUED) | TO(INBOX) | TO(DONE),
	[IO_REQ_DONE]		= TO(CACHED),
};

/**
 * io_req_move - note that a request enters another state, and check that it may
 * @req: the request, owned by the caller
 * @to: new state
 *
 * Context: any.
 */
void io_req_move(struct io_kiocb *req, enum io_req_state to)
{
	WARN_ONCE(!(io_req_moves[req->state] & BIT(to)),
		  "io_uring: request of opcode %u moves from state %u to %u\n",
		  req->opcode, req->state, to);
	req->state = to;
}
#endif
