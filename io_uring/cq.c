// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: where CQEs are written, published and, when the ring is full, kept.
 *
 * Transitions: none of its own; complete.c calls it on the way from DONE to CACHED.
 *
 * Everything here runs under the ring lock. The tail is kept private while a batch is written and
 * stored once, at the end of the batch. ctx->cq_limit is a tail up to which ordinary CQEs may be
 * written without looking at the head, which belongs to the application. It equals the tail on
 * rings of 32-byte CQEs, and while anything is on the overflow list, so that the order is kept:
 * then all go by way of io_cqe_post_slow().
 */
#include <linux/io_uring_types.h>
#include <linux/slab.h>
#include <trace/events/io_uring.h>

#include "cq.h"
#include "eventfd.h"
#include "wake.h"

/**
 * io_cq_reset_room - forget what is known about free slots
 * @ctx: the ring
 *
 * Context: ring lock held, or the ring is not yet shared.
 */
void io_cq_reset_room(struct io_ring_ctx *ctx)
{
	ctx->cq_limit = ctx->cq_tail;
}

/* Free slots. A head that makes no sense counts as a full ring. */
static u32 io_cq_room(struct io_ring_ctx *ctx)
{
	/*
	 * (cq-head) Acquire: the application has read the CQEs before it stored the head by
	 * release; we must not overwrite them earlier.
	 */
	u32 used = ctx->cq_tail - smp_load_acquire(&ctx->rings->cq_head);

	return ctx->cq_entries - min(used, ctx->cq_entries);
}

static struct io_uring_cqe *io_cqe_next(struct io_ring_ctx *ctx)
{
	u32 slot = ctx->cq_tail++ & ctx->cq_mask;

	return &ctx->cqes[slot << ctx->cqe_shift];
}

/* Write a CQE, in the size and shape that the ring wants. False: no room, nothing written. */
static bool io_cqe_write(struct io_ring_ctx *ctx, const struct io_req_cqe *cqe, const u64 big[2])
{
	bool pair = big && (ctx->flags & IORING_SETUP_CQE_MIXED);
	u32 room = io_cq_room(ctx), slots = pair ? 2 : 1;
	bool last = (ctx->cq_tail & ctx->cq_mask) == ctx->cq_mask;
	struct io_uring_cqe *slot;

	/* A pair may not wrap: the last slot is filled, and only if all three fit. */
	if (room < slots + (pair && last))
		return false;
	if (!ctx->cqe_shift)
		ctx->cq_limit = ctx->cq_tail + room;
	if (pair && last) {
		static const struct io_uring_cqe filler = { .flags = IORING_CQE_F_SKIP };

		memcpy(io_cqe_next(ctx), &filler, sizeof(filler));
	}

	slot = io_cqe_next(ctx);
	memcpy(slot, cqe, sizeof(*cqe));
	if (pair) {
		slot->flags |= IORING_CQE_F_32;
		io_cqe_next(ctx);
	}
	if (ctx->cqe_shift)
		ctx->cq_limit = ctx->cq_tail;
	if (pair || ctx->cqe_shift) {
		slot->big_cqe[0] = big ? big[0] : 0;
		slot->big_cqe[1] = big ? big[1] : 0;
	}
	return true;
}

/* Keep a CQE that found the ring full. Without memory it is lost, which is counted: false. */
static bool io_cqe_overflow(struct io_ring_ctx *ctx, const struct io_req_cqe *cqe, const u64 big[2])
{
	struct io_overflow_cqe *ocqe = kmalloc(sizeof(*ocqe), GFP_KERNEL_ACCOUNT);

	trace_io_uring_cqe_overflow(ctx, cqe->user_data, cqe->res, cqe->flags, ocqe);
	if (!ocqe) {
		WRITE_ONCE(ctx->rings->cq_overflow, ctx->rings->cq_overflow + 1);
		WRITE_ONCE(ctx->dropped, true);
		return false;
	}
	ocqe->cqe = *cqe;
	ocqe->is_big = big;
	if (big)
		memcpy(ocqe->big, big, sizeof(ocqe->big));
	if (list_empty(&ctx->overflow))
		atomic_or(IORING_SQ_CQ_OVERFLOW, &ctx->rings->sq_flags);
	list_add_tail(&ocqe->list, &ctx->overflow);
	ctx->nr_overflow++;
	io_cq_reset_room(ctx);
	return true;
}

/**
 * io_cqe_post_slow - post any CQE
 * @ctx: the ring
 * @cqe: contents
 * @big: second half, or NULL
 * @may_overflow: keep it on the overflow list if the ring is full
 *
 * Context: ring lock held; may sleep.
 * Return: false: the ring is full. Without @may_overflow nothing happened; with it there was no
 * memory either, and the CQE is lost.
 */
bool io_cqe_post_slow(struct io_ring_ctx *ctx, const struct io_req_cqe *cqe,
		      const u64 big[2], bool may_overflow)
{
	lockdep_assert_held(&ctx->lock);
	if (likely(list_empty(&ctx->overflow) && io_cqe_write(ctx, cqe, big)))
		return true;
	if (!may_overflow)
		return false;
	return io_cqe_overflow(ctx, cqe, big);
}

/**
 * io_cq_publish - show the application what was posted, and tell who waits for it
 * @ctx: the ring
 *
 * Called at the end of a batch; io_ring_unlock() includes it.
 *
 * Context: ring lock held.
 */
void io_cq_publish(struct io_ring_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (ctx->cq_tail == ctx->cq_published && list_empty(&ctx->overflow))
		return;
	if (ctx->cq_tail != ctx->cq_published)
		/* (cq-tail) CQEs before the tail; pairs with the application's acquire */
		smp_store_release(&ctx->rings->cq_tail, ctx->cq_tail);
	/* (cq-listen) store the tail, then look for listeners; pairs with io_listen() */
	smp_mb();
	if (atomic_read(&ctx->listeners)) {
		if (wq_has_sleeper(&ctx->cq_wait))
			io_wake_pollers(ctx);
		if (ctx->cq_tail != ctx->cq_published)
			io_eventfd_signal(ctx, ctx->pooled_cqe ? IO_EVENTFD_POOLED :
							 IO_EVENTFD_POSTED);
	}
	ctx->cq_published = ctx->cq_tail;
	ctx->pooled_cqe = false;
}

/**
 * io_cq_flush_overflow - move kept CQEs to the ring, as far as they fit
 * @ctx: the ring
 *
 * Context: ring lock held; may sleep.
 */
void io_cq_flush_overflow(struct io_ring_ctx *ctx)
{
	lockdep_assert_held(&ctx->lock);
	if (list_empty(&ctx->overflow))
		return;
	while (!list_empty(&ctx->overflow)) {
		struct io_overflow_cqe *ocqe =
			list_first_entry(&ctx->overflow, struct io_overflow_cqe, list);

		if (!io_cqe_write(ctx, &ocqe->cqe, ocqe->is_big ? ocqe->big : NULL))
			break;
		list_del(&ocqe->list);
		ctx->nr_overflow--;
		kfree(ocqe);
		if (!(ctx->nr_overflow % 64))
			cond_resched();
	}
	if (list_empty(&ctx->overflow))
		atomic_andnot(IORING_SQ_CQ_OVERFLOW, &ctx->rings->sq_flags);
	else
		io_cq_reset_room(ctx);
}

/**
 * io_cq_drop_overflow - free what nobody will read any more
 * @ctx: a ring without users
 */
void io_cq_drop_overflow(struct io_ring_ctx *ctx)
{
	struct io_overflow_cqe *ocqe, *tmp;

	list_for_each_entry_safe(ocqe, tmp, &ctx->overflow, list)
		kfree(ocqe);
	INIT_LIST_HEAD(&ctx->overflow);
	ctx->nr_overflow = 0;
}
