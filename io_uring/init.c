// SPDX-License-Identifier: GPL-2.0
/*
 * Boot, and what must hold at build time.
 *
 * Transitions: none.
 */
#include <linux/init.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>

#include "ctx.h"
#include "op.h"
#include "request.h"

#define CREATE_TRACE_POINTS
#include <trace/events/io_uring.h>

static_assert(sizeof(struct io_uring_sqe) == 64);
static_assert(sizeof(struct io_uring_cqe) == 16);
static_assert(sizeof(struct io_uring_params) == 120);
static_assert(sizeof(struct io_rings) == 64);
static_assert(IORING_OP_LAST <= U8_MAX);
/* The SQE's flags are the request's lowest ones. */
static_assert((IOSQE_FIXED_FILE | IOSQE_IO_DRAIN | IOSQE_IO_LINK | IOSQE_IO_HARDLINK | IOSQE_ASYNC |
	       IOSQE_BUFFER_SELECT | IOSQE_CQE_SKIP_SUCCESS) == IO_REQ_SQE_FLAGS);

/**
 * io_uring_get_opcode - name of an operation
 * @opcode: any number
 *
 * Context: any.
 */
const char *io_uring_get_opcode(u8 opcode)
{
	if (opcode < IORING_OP_LAST && io_ops[opcode].name)
		return io_ops[opcode].name;
	return "INVALID";
}

static int __init io_uring_init(void)
{
	int ret = io_req_cache_create();

	return ret ?: io_ctx_init();
}
device_initcall(io_uring_init);
