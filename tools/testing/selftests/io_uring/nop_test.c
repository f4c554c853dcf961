// SPDX-License-Identifier: GPL-2.0
/*
 * IORING_OP_NOP and IORING_OP_NOP128: every flag, on every kind of ring.
 */
#include "common.h"

RING_KIND_VARIANT(nop);

FIXTURE(nop)
{
	struct ring r;
	bool wide_cqes;
};

RING_KINDS(nop);

FIXTURE_SETUP(nop)
{
	NEEDS_RING_KIND(variant);
	ASSERT_EQ(0, ring_open(&self->r, 4, variant->flags));
	self->wide_cqes = variant->flags & (IORING_SETUP_CQE32 | IORING_SETUP_CQE_MIXED);
}

FIXTURE_TEARDOWN(nop)
{
	ring_close(&self->r);
}

static int run_nop(struct ring *r, unsigned int nop_flags, int fd)
{
	struct io_uring_sqe *sqe = sqe_nop(r, 0);

	sqe->nop_flags = nop_flags;
	sqe->fd = fd;
	return ring_run(r);
}

/* Is this bit of nop_flags known? It may fail all the same, for want of what it names. */
static bool has_nop_flag(unsigned int flag)
{
	struct ring r;
	int ret;

	if (ring_open(&r, 1, IORING_SETUP_CQE32))
		return false;
	ret = run_nop(&r, flag, 0);
	ring_close(&r);
	return ret != -EINVAL;
}

TEST_F(nop, does_nothing)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		struct cqe cqe;

		sqe_nop(&self->r, 0x1000 + i);
		EXPECT_RES(0, ring_run_cqe(&self->r, &cqe));
		EXPECT_EQ(0x1000 + i, cqe.user_data);
		EXPECT_EQ(0, cqe.flags);
		EXPECT_EQ(0, cqe.big[0]);
		EXPECT_EQ(0, cqe.big[1]);
	}
	EXPECT_EQ(0, *self->r.cq_overflow);
}

TEST_F(nop, fields_without_meaning)
{
	struct io_uring_sqe *sqe = sqe_nop(&self->r, 1);

	sqe->fd = -7;
	sqe->off = -1;
	sqe->addr = -1;
	sqe->len = -1;
	sqe->buf_index = -1;
	sqe->file_index = -1;
	sqe->addr3 = -1;
	sqe->__pad2[0] = -1;
	EXPECT_RES(0, ring_run(&self->r));
	/* There is no file to be fixed. */
	sqe_nop(&self->r, 1)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(nop, unknown_flags)
{
	unsigned int bit;

	for (bit = 6; bit < 32; bit++)
		EXPECT_RES_OF(res_name(bit), -EINVAL, run_nop(&self->r, 1u << bit, 0));
	EXPECT_RES(-EINVAL, run_nop(&self->r, UINT_MAX, 0));
}

TEST_F(nop, inject_result)
{
	static const int results[] = {
		0, 1, 4096, INT_MAX, -EPERM, -EIO, -EAGAIN, -ECANCELED, -4095, -4096, INT_MIN,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(results); i++) {
		struct io_uring_sqe *sqe = sqe_nop(&self->r, i);
		struct cqe cqe = {};

		sqe->nop_flags = IORING_NOP_INJECT_RESULT;
		sqe->len = results[i];
		ring_run_cqe(&self->r, &cqe);
		EXPECT_RES(results[i], cqe.res);
		EXPECT_EQ(i, cqe.user_data);
		EXPECT_EQ(0, cqe.flags);
	}
}

TEST_F(nop, async)
{
	NEEDS_PIECE("pool");
	sqe_nop(&self->r, 5)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(nop, file)
{
	int fd = open("/dev/null", O_RDWR);

	ASSERT_LE(0, fd);
	NEEDS_73(has_nop_flag(IORING_NOP_FILE));
	EXPECT_RES(0, run_nop(&self->r, IORING_NOP_FILE, fd));
	EXPECT_RES(-EBADF, run_nop(&self->r, IORING_NOP_FILE, -1));
	EXPECT_RES(-EBADF, run_nop(&self->r, IORING_NOP_FILE, 1000));
	close(fd);
	EXPECT_RES(-EBADF, run_nop(&self->r, IORING_NOP_FILE, fd));
	/* Without a table there are no fixed ones, however they are asked for. */
	EXPECT_RES(-EBADF, run_nop(&self->r, IORING_NOP_FILE | IORING_NOP_FIXED_FILE, 0));
	sqe_nop(&self->r, 1)->flags = IOSQE_FIXED_FILE;
	ring_slot(&self->r, self->r.sq_next - 1)->nop_flags = IORING_NOP_FILE;
	EXPECT_RES(-EBADF, ring_run(&self->r));
	/* FIXED_FILE says which kind of FILE, it does not ask for one. */
	EXPECT_RES(0, run_nop(&self->r, IORING_NOP_FIXED_FILE, -1));
}

TEST_F(nop, file_and_result)
{
	int fd = open("/dev/null", O_RDWR);
	struct io_uring_sqe *sqe;

	ASSERT_LE(0, fd);
	NEEDS_73(has_nop_flag(IORING_NOP_FILE));
	sqe = sqe_nop(&self->r, 1);
	sqe->nop_flags = IORING_NOP_FILE | IORING_NOP_INJECT_RESULT;
	sqe->fd = fd;
	sqe->len = 77;
	EXPECT_RES(77, ring_run(&self->r));
	/* The fault goes before the result that was asked for. */
	sqe = sqe_nop(&self->r, 1);
	sqe->nop_flags = IORING_NOP_FILE | IORING_NOP_INJECT_RESULT;
	sqe->fd = -1;
	sqe->len = 77;
	EXPECT_RES(-EBADF, ring_run(&self->r));
}

TEST_F(nop, fixed_file)
{
	int fds[2] = { open("/dev/null", O_RDWR), -1 };
	unsigned int op = IORING_REGISTER_FILES;
	struct io_uring_sqe *sqe;

	NEEDS_PIECE("files");
	NEEDS_73(has_nop_flag(IORING_NOP_FILE));
	ASSERT_LE(0, fds[0]);
	if (variant->flags & IORING_SETUP_REGISTERED_FD_ONLY)
		op |= IORING_REGISTER_USE_REGISTERED_RING;
	ASSERT_EQ(0, sys_register(self->r.fd, op, fds, 2));
	close(fds[0]);
	EXPECT_RES(0, run_nop(&self->r, IORING_NOP_FILE | IORING_NOP_FIXED_FILE, 0));
	EXPECT_RES(-EBADF, run_nop(&self->r, IORING_NOP_FILE | IORING_NOP_FIXED_FILE, 1));
	EXPECT_RES(-EBADF, run_nop(&self->r, IORING_NOP_FILE | IORING_NOP_FIXED_FILE, 2));
	EXPECT_RES(-EBADF, run_nop(&self->r, IORING_NOP_FILE | IORING_NOP_FIXED_FILE, -1));
	sqe = sqe_nop(&self->r, 1);
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->nop_flags = IORING_NOP_FILE;
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(nop, buffer_that_is_not_there)
{
	struct io_uring_sqe *sqe;

	NEEDS_73(has_nop_flag(IORING_NOP_FIXED_BUFFER));
	EXPECT_RES(-EFAULT, run_nop(&self->r, IORING_NOP_FIXED_BUFFER, 0));
	sqe = sqe_nop(&self->r, 1);
	sqe->nop_flags = IORING_NOP_FIXED_BUFFER;
	sqe->buf_index = 0xffff;
	EXPECT_RES(-EFAULT, ring_run(&self->r));
}

TEST_F(nop, buffer)
{
	struct iovec iov = { anon_map(4096), 4096 };
	unsigned int op = IORING_REGISTER_BUFFERS;
	struct io_uring_sqe *sqe;

	NEEDS_PIECE("buffers");
	NEEDS_73(has_nop_flag(IORING_NOP_FIXED_BUFFER));
	if (variant->flags & IORING_SETUP_REGISTERED_FD_ONLY)
		op |= IORING_REGISTER_USE_REGISTERED_RING;
	ASSERT_EQ(0, sys_register(self->r.fd, op, &iov, 1));
	EXPECT_RES(0, run_nop(&self->r, IORING_NOP_FIXED_BUFFER, 0));
	sqe = sqe_nop(&self->r, 1);
	sqe->nop_flags = IORING_NOP_FIXED_BUFFER;
	sqe->buf_index = 1;
	EXPECT_RES(-EFAULT, ring_run(&self->r));
}

TEST_F(nop, through_task_work)
{
	struct io_uring_sqe *sqe;
	struct cqe cqe;

	NEEDS_73(has_nop_flag(IORING_NOP_TW));
	sqe = sqe_nop(&self->r, 9);
	sqe->nop_flags = IORING_NOP_TW;
	ASSERT_EQ(1, ring_submit(&self->r));
	if (variant->flags & IORING_SETUP_DEFER_TASKRUN)
		EXPECT_EQ(0, ring_ready(&self->r));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(9, cqe.user_data);
	EXPECT_RES(0, cqe.res);

	sqe = sqe_nop(&self->r, 10);
	sqe->nop_flags = IORING_NOP_TW | IORING_NOP_INJECT_RESULT;
	sqe->len = -EIO;
	EXPECT_RES(-EIO, ring_run(&self->r));
	EXPECT_EQ(0, ring_ready(&self->r));
}

TEST_F(nop, wide_result)
{
	unsigned int wide = variant->flags & IORING_SETUP_CQE_MIXED ? IORING_CQE_F_32 : 0;
	unsigned int i;

	NEEDS_73(has_nop_flag(IORING_NOP_CQE32));
	for (i = 0; i < 10; i++) {
		struct io_uring_sqe *sqe = sqe_nop(&self->r, i);
		struct cqe cqe = {};

		sqe->nop_flags = IORING_NOP_CQE32 | (i & 1 ? IORING_NOP_TW : 0);
		sqe->off = 0x0102030405060708ull + i;
		sqe->addr = -5ull - i;
		if (!self->wide_cqes) {
			EXPECT_RES(-EINVAL, ring_run(&self->r));
			continue;
		}
		EXPECT_RES(0, ring_run_cqe(&self->r, &cqe));
		EXPECT_EQ(i, cqe.user_data);
		EXPECT_EQ(wide, cqe.flags);
		EXPECT_EQ(0x0102030405060708ull + i, cqe.big[0]);
		EXPECT_EQ(-5ull - i, cqe.big[1]);
	}
}

TEST_F(nop, wide_sqe)
{
	struct io_uring_sqe *sqe;
	int slots = variant->flags & IORING_SETUP_SQE_MIXED ? 2 : 1;
	struct cqe cqe;

	if (!(variant->flags & (IORING_SETUP_SQE128 | IORING_SETUP_SQE_MIXED))) {
		sqe_op(&self->r, IORING_OP_NOP128, 1);
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		return;
	}
	NEEDS_73(has_setup_flags(IORING_SETUP_SQE_MIXED));
	sqe = sqe_op(&self->r, IORING_OP_NOP128, 1);
	sqe->nop_flags = IORING_NOP_INJECT_RESULT;
	sqe->len = 123;
	if (slots == 2)
		ring_sqe(&self->r);
	EXPECT_RES(slots, ring_submit(&self->r));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(123, cqe.res);
	sqe = sqe_op(&self->r, IORING_OP_NOP128, 1);
	sqe->nop_flags = 1u << 31;
	if (slots == 2)
		ring_sqe(&self->r);
	EXPECT_RES(slots, ring_submit(&self->r));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(-EINVAL, cqe.res);
}

/* Which of two faults is reported. */
TEST_F(nop, checks_ordering)
{
	NEEDS_73(has_nop_flag(IORING_NOP_CQE32));
	/* Unknown flags before what known ones name. */
	EXPECT_RES(-EINVAL, run_nop(&self->r, IORING_NOP_FILE | 1u << 31, -1));
	/* The kind of CQE before the file, the file before the buffer. */
	EXPECT_RES(self->wide_cqes ? -EBADF : -EINVAL,
		   run_nop(&self->r, IORING_NOP_CQE32 | IORING_NOP_FILE, -1));
	EXPECT_RES(-EBADF, run_nop(&self->r, IORING_NOP_FILE | IORING_NOP_FIXED_BUFFER, -1));
}

TEST_HARNESS_MAIN
