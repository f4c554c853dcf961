// SPDX-License-Identifier: GPL-2.0
/*
 * IORING_REGISTER_RESTRICTIONS: what a ring may be asked to do, fixed before it is enabled.
 *
 * Transitions: none.
 */
#include <linux/io_uring_types.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "restrict.h"

#define IO_MAX_RESTRICTIONS	(IORING_RESTRICTION_LAST + IORING_REGISTER_LAST + IORING_OP_LAST)

static int io_restriction_add(struct io_restriction *res, const struct io_uring_restriction *r)
{
	switch (r->opcode) {
	case IORING_RESTRICTION_REGISTER_OP:
		if (r->register_op >= IORING_REGISTER_LAST)
			return -EINVAL;
		__set_bit(r->register_op, res->register_op);
		res->register_active = true;
		return 0;
	case IORING_RESTRICTION_SQE_OP:
		if (r->sqe_op >= IORING_OP_LAST)
			return -EINVAL;
		__set_bit(r->sqe_op, res->sqe_op);
		break;
	case IORING_RESTRICTION_SQE_FLAGS_ALLOWED:
		res->sqe_flags_allowed = r->sqe_flags;
		break;
	case IORING_RESTRICTION_SQE_FLAGS_REQUIRED:
		res->sqe_flags_required = r->sqe_flags;
		break;
	default:
		return -EINVAL;
	}
	res->op_active = true;
	return 0;
}

/**
 * io_register_restrictions - IORING_REGISTER_RESTRICTIONS
 * @ctx: a ring that is still disabled
 * @arg: struct io_uring_restriction[@nr]
 * @nr: number of entries; none: nothing is allowed at all
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EBADFD (enabled), -EBUSY (already restricted), -EINVAL, -EFAULT, -ENOMEM; on an
 * error nothing has changed.
 */
int io_register_restrictions(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_uring_restriction *entries;
	struct io_restriction res = {};
	unsigned int i;
	int ret = 0;

	if (!(ctx->flags & IORING_SETUP_R_DISABLED))
		return -EBADFD;
	if (ctx->restriction.op_active || ctx->restriction.register_active)
		return -EBUSY;
	if (!arg || nr > IO_MAX_RESTRICTIONS)
		return -EINVAL;

	entries = memdup_array_user(arg, nr, sizeof(*entries));
	if (IS_ERR(entries))
		return PTR_ERR(entries);
	for (i = 0; i < nr && !ret; i++)
		ret = io_restriction_add(&res, &entries[i]);
	kfree(entries);
	if (ret)
		return ret;
	if (!nr) {
		res.op_active = true;
		res.register_active = true;
	}
	ctx->restriction = res;
	return 0;
}
