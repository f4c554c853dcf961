// SPDX-License-Identifier: GPL-2.0
/*
 * Answers to "what can you do": IORING_REGISTER_PROBE and IORING_REGISTER_QUERY.
 *
 * Transitions: none.
 */
#include <linux/io_uring_types.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/io_uring/query.h>

#include "features.h"
#include "op.h"
#include "register.h"

#define IO_PROBE_MAX_OPS	256
#define IO_QUERY_MAX_ENTRIES	1000

/**
 * io_probe - IORING_REGISTER_PROBE
 * @ctx: any ring
 * @arg: struct io_uring_probe with room for @nr operations, all zero
 * @nr: at most 256
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL (too many, or not zero), -EFAULT, -ENOMEM.
 */
int io_probe(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_uring_probe *probe __free(kfree) = NULL;
	unsigned int i;
	size_t size;

	if (nr > IO_PROBE_MAX_OPS)
		return -EINVAL;
	size = struct_size(probe, ops, nr);
	probe = memdup_user(arg, size);
	if (IS_ERR(probe))
		return PTR_ERR(no_free_ptr(probe));
	if (memchr_inv(probe, 0, size))
		return -EINVAL;

	probe->last_op = IORING_OP_LAST - 1;
	probe->ops_len = min_t(unsigned int, nr, IORING_OP_LAST);
	for (i = 0; i < probe->ops_len; i++) {
		probe->ops[i].op = i;
		if (io_ops[i].issue)
			probe->ops[i].flags = IO_URING_OP_SUPPORTED;
	}
	return copy_to_user(arg, probe, size) ? -EFAULT : 0;
}

union io_query_data {
	struct io_uring_query_opcode opcodes;
	struct io_uring_query_scq scq;
};

/* Fill in the answer. Returns its size, or a negative errno for the entry's result. */
static int io_query_answer(u32 op, union io_query_data *data)
{
	switch (op) {
	case IO_URING_QUERY_OPCODES:
		data->opcodes = (struct io_uring_query_opcode) {
			.nr_request_opcodes = IORING_OP_LAST,
			.nr_register_opcodes = IORING_REGISTER_LAST,
			.feature_flags = IO_FEATURES,
			.ring_setup_flags = IO_SETUP_FLAGS,
			.enter_flags = IO_ENTER_FLAGS,
			.sqe_flags = IO_SQE_FLAGS,
			.nr_query_opcodes = __IO_URING_QUERY_MAX,
		};
		return sizeof(data->opcodes);
	case IO_URING_QUERY_SCQ:
		data->scq = (struct io_uring_query_scq) {
			.hdr_size = sizeof(struct io_rings),
			.hdr_alignment = __alignof__(struct io_rings),
		};
		return sizeof(data->scq);
	default:
		return -EOPNOTSUPP;
	}
}

/* One entry of the chain. Its own errors go to hdr->result; only faults end the walk. */
static int io_query_one(struct io_uring_query_hdr *hdr)
{
	void __user *udata = u64_to_user_ptr(hdr->query_data);
	union io_query_data data = {};
	int ret = -EINVAL, size;

	if (!hdr->result && hdr->size && !memchr_inv(hdr->__resv, 0, sizeof(hdr->__resv))) {
		if (hdr->size > PAGE_SIZE)
			return -E2BIG;
		ret = io_query_answer(hdr->query_op, &data);
	}
	if (hdr->query_op >= __IO_URING_QUERY_MAX)
		ret = -EOPNOTSUPP;
	hdr->result = min(ret, 0);
	if (ret < 0) {
		hdr->size = 0;
		return 0;
	}
	size = min_t(u32, hdr->size, ret);
	if (copy_to_user(udata, &data, size) ||
	    clear_user(udata + size, hdr->size - size))
		return -EFAULT;
	hdr->size = size;
	return 0;
}

/**
 * io_register_query - IORING_REGISTER_QUERY
 * @ctx: a ring or NULL, makes no difference
 * @arg: first struct io_uring_query_hdr of a chain
 * @nr: 0
 *
 * Context: may sleep; with or without the ring lock.
 * Return: 0, -EFAULT, -E2BIG (an answer larger than a page wanted), -ERANGE (chain too long),
 * -EINTR (killed).
 */
int io_register_query(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_uring_query_hdr hdr;
	unsigned int count = 0;
	int ret;

	while (arg) {
		if (copy_from_user(&hdr, arg, sizeof(hdr)))
			return -EFAULT;
		ret = io_query_one(&hdr);
		if (ret)
			return ret;
		if (copy_to_user(arg, &hdr, sizeof(hdr)))
			return -EFAULT;
		arg = u64_to_user_ptr(hdr.next_entry);
		if (++count > IO_QUERY_MAX_ENTRIES)
			return -ERANGE;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}
