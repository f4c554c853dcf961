/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The completion ring. The right to write it is the ring lock, and nothing else.
 */
#ifndef IO_URING_CQ_H
#define IO_URING_CQ_H

#include <linux/io_uring_types.h>

/**
 * struct io_overflow_cqe - a CQE that found the ring full
 * @list: in ctx->overflow (U)
 * @cqe: contents (U)
 * @big: second half, if @is_big (U)
 * @is_big: takes 32 bytes (U)
 */
struct io_overflow_cqe {
	struct list_head list;
	struct io_req_cqe cqe;
	u64 big[2];
	bool is_big;
};

void io_cq_reset_room(struct io_ring_ctx *ctx);
bool io_cqe_post_slow(struct io_ring_ctx *ctx, const struct io_req_cqe *cqe,
		      const u64 big[2], bool may_overflow);
void io_cq_publish(struct io_ring_ctx *ctx);
void io_cq_flush_overflow(struct io_ring_ctx *ctx);
void io_cq_drop_overflow(struct io_ring_ctx *ctx);

/* Write a CQE the short way. False: that is not known to be possible, nothing written. */
static __always_inline bool io_cqe_post_quick(struct io_ring_ctx *ctx,
					      const struct io_req_cqe *cqe)
{
	u32 tail = ctx->cq_tail;
	struct io_uring_cqe *slot = &ctx->cqes[tail & ctx->cq_mask];

	if (unlikely(tail == ctx->cq_limit))
		return false;
	static_assert(sizeof(*cqe) == 16 && sizeof(*slot) == 16);
	memcpy(slot, cqe, sizeof(*cqe));
	ctx->cq_tail = tail + 1;
	return true;
}

/**
 * io_cqe_post - write a CQE of ordinary size, or put it on the overflow list
 * @ctx: the ring
 * @cqe: contents
 *
 * This and io_cqe_post_big() are the only writers of CQEs. The application sees them at the next
 * io_cq_publish(), at the latest when the ring lock is dropped.
 *
 * Context: ring lock held; may sleep when the ring is full.
 */
static __always_inline void io_cqe_post(struct io_ring_ctx *ctx, const struct io_req_cqe *cqe)
{
	if (unlikely(!io_cqe_post_quick(ctx, cqe)))
		io_cqe_post_slow(ctx, cqe, NULL, true);
}

/**
 * io_cqe_post_big - write a CQE that carries 16 more bytes, where the ring has place for them
 * @ctx: the ring
 * @cqe: contents
 * @big: second half; left out on a ring of plain 16-byte CQEs
 *
 * Context: as io_cqe_post().
 */
static inline void io_cqe_post_big(struct io_ring_ctx *ctx, const struct io_req_cqe *cqe,
				   const u64 big[2])
{
	io_cqe_post_slow(ctx, cqe, big, true);
}

/**
 * io_cqe_post_more - post one of several CQEs of a request
 * @ctx: the ring
 * @user_data: as submitted
 * @res: result
 * @cflags: flags, IORING_CQE_F_MORE included if that is meant
 *
 * Never uses the overflow list: a multishot request that finds the ring full ends, with this
 * result as its last, ordinary CQE.
 *
 * Context: ring lock held.
 * Return: false if there was no room and nothing was posted.
 */
static inline bool io_cqe_post_more(struct io_ring_ctx *ctx, u64 user_data, s32 res, u32 cflags)
{
	struct io_req_cqe cqe = { .user_data = user_data, .res = res, .flags = cflags };

	return io_cqe_post_quick(ctx, &cqe) || io_cqe_post_slow(ctx, &cqe, NULL, false);
}

/**
 * io_cq_ready - CQEs that the application has not taken yet, unpublished ones included
 * @ctx: the ring
 *
 * Context: ring lock held.
 */
static inline u32 io_cq_ready(const struct io_ring_ctx *ctx)
{
	return ctx->cq_tail - READ_ONCE(ctx->rings->cq_head);
}

#endif
