/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a ring may be asked to do.
 */
#ifndef IO_URING_RESTRICT_H
#define IO_URING_RESTRICT_H

#include <linux/bitmap.h>
#include <linux/io_uring_types.h>

/**
 * io_restriction_allows - is an SQE within the ring's restrictions?
 * @res: the restrictions
 * @opcode: below IORING_OP_LAST
 * @flags: IOSQE_*
 *
 * Context: ring lock held.
 */
static inline bool io_restriction_allows(const struct io_restriction *res, u8 opcode, u32 flags)
{
	u32 allowed = res->sqe_flags_allowed | res->sqe_flags_required;

	return test_bit(opcode, res->sqe_op) && !(flags & ~allowed) &&
	       (flags & res->sqe_flags_required) == res->sqe_flags_required;
}

int io_register_restrictions(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);

#endif
