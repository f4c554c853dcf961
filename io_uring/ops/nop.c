// SPDX-License-Identifier: GPL-2.0
/*
 * NOP and NOP128: nothing, and on demand whatever a test wants to see done for nothing.
 *
 * Transitions: INIT -> ISSUED -> DONE; with IORING_NOP_TW by way of the inbox.
 */
#include <linux/io_uring_types.h>

#include "../batch.h"
#include "../files.h"
#include "../inbox.h"
#include "../request.h"
#include "../rsrc.h"
#include "nop.h"

#define IO_NOP_FLAGS	(IORING_NOP_INJECT_RESULT | IORING_NOP_FILE | IORING_NOP_FIXED_FILE | \
			 IORING_NOP_FIXED_BUFFER | IORING_NOP_TW | IORING_NOP_CQE32)

/**
 * struct io_nop - what a NOP is to do
 * @file: looked up with IORING_NOP_FILE
 * @flags: IORING_NOP_*
 * @result: what IORING_NOP_INJECT_RESULT asks for, else 0; set if there are flags
 */
struct io_nop {
	struct file *file;
	u32 flags;
	s32 result;
};

static noinline int io_nop_prep_flags(struct io_kiocb *req, const struct io_uring_sqe *sqe,
				      u32 flags)
{
	struct io_nop *nop = io_op_data(req, struct io_nop);
	struct io_ring_ctx *ctx = req->ctx;

	if (flags & ~IO_NOP_FLAGS)
		return -EINVAL;
	nop->result = flags & IORING_NOP_INJECT_RESULT ? READ_ONCE(sqe->len) : 0;
	if (flags & IORING_NOP_FIXED_FILE)
		req->flags |= IOSQE_FIXED_FILE;
	if (flags & IORING_NOP_FIXED_BUFFER)
		req->buf_index = READ_ONCE(sqe->buf_index);
	if (flags & IORING_NOP_CQE32) {
		if (!(ctx->flags & (IORING_SETUP_CQE32 | IORING_SETUP_CQE_MIXED)))
			return -EINVAL;
		req->flags |= IO_REQ_CQE32;
		req->big_cqe[0] = READ_ONCE(sqe->off);
		req->big_cqe[1] = READ_ONCE(sqe->addr);
	}
	return 0;
}

/**
 * io_nop_prep - read the SQE of a NOP
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL (unknown flag, 32-byte CQE on a ring of smaller ones).
 */
int io_nop_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_nop *nop = io_op_data(req, struct io_nop);
	u32 flags = READ_ONCE(sqe->nop_flags);

	nop->flags = flags;
	if (unlikely(flags))
		return io_nop_prep_flags(req, sqe, flags);
	return 0;
}

/* Look up what the flags name. Returns the result of the NOP. */
static int io_nop_resolve(struct io_kiocb *req, const struct io_nop *nop, unsigned int how)
{
	struct io_ring_ctx *ctx = req->ctx;
	int ret = nop->result;

	if ((nop->flags & IORING_NOP_FILE) && !(req->flags & (IO_REQ_FILE | IO_REQ_FILE_NODE)) &&
	    io_file_assign(req, how))
		return -EBADF;
	if (!(nop->flags & IORING_NOP_FIXED_BUFFER) || (req->flags & IO_REQ_BUF_NODE))
		return ret;

	if (!(how & IO_HOW_LOCKED))
		io_ring_lock(ctx);
	req->buf_node = io_rsrc_lookup(&ctx->bufs, req->buf_index);
	if (req->buf_node) {
		req->buf_node->refs++;
		req->flags |= IO_REQ_BUF_NODE;
	} else {
		ret = -EFAULT;
	}
	if (!(how & IO_HOW_LOCKED))
		io_ring_unlock(ctx);
	return ret;
}

/* A NOP with flags */
static noinline enum io_outcome io_nop_issue_flags(struct io_kiocb *req, unsigned int how)
{
	const struct io_nop *nop = io_op_data(req, struct io_nop);

	io_set_status(req, io_nop_resolve(req, nop, how));
	if (!(nop->flags & IORING_NOP_TW) || (how & IO_HOW_WORKER))
		return IO_DONE;
	io_inbox_push(req, IO_KIND_DONE, true);
	return IO_PENDING;
}

/**
 * io_nop_issue - do nothing
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless in a worker.
 * Return: IO_DONE, or IO_PENDING with IORING_NOP_TW.
 */
enum io_outcome io_nop_issue(struct io_kiocb *req, unsigned int how)
{
	if (unlikely(io_op_data(req, struct io_nop)->flags))
		return io_nop_issue_flags(req, how);
	return IO_DONE;
}
