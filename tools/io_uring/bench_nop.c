// SPDX-License-Identifier: GPL-2.0
/*
 * NOPs: what a request costs that does nothing.
 */
#include "bench.h"

static struct ring ring;

static int nop_open(const struct load *l)
{
	return ring_open(&ring, 256, l->flags);
}

static void nop_close(const struct load *l)
{
	ring_close(&ring);
}

/* @arg: IOSQE_* for all of a batch */
static void nop_run(const struct load *l, unsigned int ops)
{
	unsigned int done, i;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++) {
			struct io_uring_sqe *sqe = ring_sqe(&ring);

			sqe->opcode = IORING_OP_NOP;
			sqe->flags = l->arg;
		}
		ring_enter(&ring, l->batch);
		ring_reap(&ring, 0);
	}
}

/* @arg: IOSQE_* for all but the last of each four, @batch with waiting for the others' CQEs */
static void nop_run_chains(const struct load *l, unsigned int ops)
{
	unsigned int done, i;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++) {
			struct io_uring_sqe *sqe = ring_sqe(&ring);

			sqe->opcode = IORING_OP_NOP;
			sqe->flags = i % 4 == 3 ? 0 : IOSQE_IO_LINK;
		}
		ring_enter(&ring, l->batch);
		ring_reap(&ring, 0);
	}
}

/* The last one of each batch alone leaves a CQE */
static void nop_run_silent(const struct load *l, unsigned int ops)
{
	unsigned int done, i;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++) {
			struct io_uring_sqe *sqe = ring_sqe(&ring);

			sqe->opcode = IORING_OP_NOP;
			sqe->flags = i == l->batch - 1 ? 0 : IOSQE_CQE_SKIP_SUCCESS;
		}
		ring_enter(&ring, 1);
		ring_reap(&ring, 0);
	}
}

#define NOP(name_, ops_, run_, flags_, batch_, arg_)					\
	{ .name = name_, .ops = ops_, .open = nop_open, .run = run_, .close = nop_close,	\
	  .flags = flags_, .batch = batch_, .arg = arg_ }

const struct load nop_loads[] = {
	NOP("nop", 32000, nop_run, DEFER, 32, 0),
	NOP("nop-batch-1", 8000, nop_run, DEFER, 1, 0),
	NOP("nop-batch-4", 16000, nop_run, DEFER, 4, 0),
	NOP("nop-batch-128", 32000, nop_run, DEFER, 128, 0),
	NOP("nop-default-ring", 32000, nop_run, 0, 32, 0),
	NOP("nop-silent", 32000, nop_run_silent, DEFER, 32, 0),
	NOP("nop-chain-4", 32000, nop_run_chains, DEFER, 32, 0),
	NOP("nop-pool", 16000, nop_run, DEFER, 32, IOSQE_ASYNC),
	{ }
};
