// SPDX-License-Identifier: GPL-2.0
/*
 * IORING_OP_CLOSE of ordinary descriptors and of fixed ones.
 */
#include "common.h"

FIXTURE(close)
{
	struct ring r;
	int pipe[2];
};

FIXTURE_VARIANT(close)
{
	unsigned int ring_flags, sqe_flags;
};

FIXTURE_VARIANT_ADD(close, plain)
{
	.ring_flags = 0,
};

FIXTURE_VARIANT_ADD(close, defer)
{
	.ring_flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(close, async)
{
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_SETUP(close)
{
	if (variant->sqe_flags & IOSQE_ASYNC)
		NEEDS_PIECE("pool");
	ASSERT_EQ(0, ring_open(&self->r, 8, variant->ring_flags));
	ASSERT_EQ(0, pipe(self->pipe));
}

FIXTURE_TEARDOWN(close)
{
	ring_close(&self->r);
}

static struct io_uring_sqe *close_sqe(struct ring *r, unsigned int flags, int fd)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_CLOSE, 1);

	sqe->flags = flags;
	sqe->fd = fd;
	return sqe;
}

static struct io_uring_sqe *close_slot_sqe(struct ring *r, unsigned int flags, unsigned int index)
{
	struct io_uring_sqe *sqe = close_sqe(r, flags, 0);

	sqe->file_index = index;
	return sqe;
}

TEST_F(close, descriptor)
{
	char c;

	close_sqe(&self->r, variant->sqe_flags, self->pipe[1]);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_FALSE(fd_is_open(self->pipe[1]));
	/* It was the last one: the file is gone too. */
	EXPECT_EQ(0, read(self->pipe[0], &c, 1));
}

TEST_F(close, one_of_two_descriptors)
{
	int copy = dup(self->pipe[1]);

	close_sqe(&self->r, variant->sqe_flags, self->pipe[1]);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_FALSE(fd_is_open(self->pipe[1]));
	EXPECT_EQ(1, write(copy, "x", 1));
}

TEST_F(close, file_with_flush)
{
	int fd = temp_file(0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(1, write(fd, "x", 1));
	close_sqe(&self->r, variant->sqe_flags, fd);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_FALSE(fd_is_open(fd));
}

TEST_F(close, twice)
{
	close_sqe(&self->r, variant->sqe_flags, self->pipe[0]);
	EXPECT_RES(0, ring_run(&self->r));
	close_sqe(&self->r, variant->sqe_flags, self->pipe[0]);
	EXPECT_RES(-EBADF, ring_run(&self->r));
}

TEST_F(close, no_descriptor)
{
	static const int bad[] = { -1, 1000, INT_MAX, INT_MIN };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		close_sqe(&self->r, variant->sqe_flags, bad[i]);
		EXPECT_RES_OF(res_name(bad[i]), -EBADF, ring_run(&self->r));
	}
}

TEST_F(close, no_ring)
{
	struct ring other;

	ASSERT_EQ(0, ring_open(&other, 1, 0));
	close_sqe(&self->r, variant->sqe_flags, self->r.fd);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	close_sqe(&self->r, variant->sqe_flags, other.fd);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	EXPECT_TRUE(fd_is_open(other.fd));
	sqe_nop(&self->r, 1);
	EXPECT_RES(0, ring_run(&self->r));
	ring_close(&other);
}

/* A read that waits keeps the file, not the descriptor. */
TEST_F(close, under_a_read)
{
	char c = 0;
	struct cqe cqe;

	sqe_rw(&self->r, IORING_OP_READ, self->pipe[0], &c, 1, 0)->user_data = 2;
	ASSERT_EQ(1, ring_submit(&self->r));
	close_sqe(&self->r, variant->sqe_flags, self->pipe[0]);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_FALSE(fd_is_open(self->pipe[0]));
	ASSERT_EQ(1, write(self->pipe[1], "x", 1));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(2, cqe.user_data);
	EXPECT_EQ(1, cqe.res);
	EXPECT_EQ('x', c);
}

TEST_F(close, many)
{
	int before = count_fds(), fds[8], round;
	unsigned int i;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < 8; i++) {
			fds[i] = dup(self->pipe[0]);
			close_sqe(&self->r, variant->sqe_flags, fds[i]);
		}
		ASSERT_EQ(8, ring_submit_and_wait(&self->r, 8));
		for (i = 0; i < 8; i++) {
			struct cqe cqe;

			ASSERT_EQ(0, ring_wait(&self->r, &cqe));
			EXPECT_RES(0, cqe.res);
		}
		EXPECT_EQ(before, count_fds());
	}
}

TEST_F(close, fields_that_must_be_zero)
{
	unsigned int field;

	for (field = 0; field < 6; field++) {
		struct io_uring_sqe *sqe = close_sqe(&self->r, variant->sqe_flags, self->pipe[0]);

		switch (field) {
		case 0:
			sqe->off = 1;
			break;
		case 1:
			sqe->addr = 1;
			break;
		case 2:
			sqe->len = 1;
			break;
		case 3:
			sqe->rw_flags = 1;
			break;
		case 4:
			sqe->buf_index = 1;
			break;
		case 5:
			sqe->ioprio = 1;
			break;
		}
		EXPECT_RES_OF(res_name(field), -EINVAL, ring_run(&self->r));
	}
	EXPECT_TRUE(fd_is_open(self->pipe[0]));
}

/* file_index: slot + 1 */

TEST_F(close, slot_without_table)
{
	close_slot_sqe(&self->r, variant->sqe_flags, 1);
	EXPECT_RES(-ENXIO, ring_run(&self->r));
	close_slot_sqe(&self->r, variant->sqe_flags, UINT_MAX);
	EXPECT_RES(-ENXIO, ring_run(&self->r));
	/* This is not the way to say it. */
	close_sqe(&self->r, variant->sqe_flags | IOSQE_FIXED_FILE, 0);
	EXPECT_RES(-EBADF, ring_run(&self->r));
}

TEST_F(close, slot)
{
	int fds[3] = { self->pipe[0], -1, self->pipe[1] };
	char c;

	NEEDS_PIECE("files");
	ASSERT_EQ(0, sys_register(self->r.fd, IORING_REGISTER_FILES, fds, 3));
	close(self->pipe[1]);
	close_slot_sqe(&self->r, variant->sqe_flags, 2);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	close_slot_sqe(&self->r, variant->sqe_flags, 4);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	close_slot_sqe(&self->r, variant->sqe_flags, UINT_MAX);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	close_slot_sqe(&self->r, variant->sqe_flags, 3);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_EQ(0, read(self->pipe[0], &c, 1));
	close_slot_sqe(&self->r, variant->sqe_flags, 3);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	EXPECT_TRUE(fd_is_open(self->pipe[0]));
}

/* Which of two faults is reported. */
TEST_F(close, checks_ordering)
{
	struct io_uring_sqe *sqe;

	/* Fields before the descriptor. */
	close_sqe(&self->r, variant->sqe_flags, -1)->off = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	/* Fields before the kind of file. */
	close_sqe(&self->r, variant->sqe_flags | IOSQE_FIXED_FILE, -1)->len = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	/* The kind of file before the choice of one. */
	sqe = close_sqe(&self->r, variant->sqe_flags | IOSQE_FIXED_FILE, self->pipe[0]);
	sqe->file_index = 1;
	EXPECT_RES(-EBADF, ring_run(&self->r));
	/* One or the other, not both. */
	close_sqe(&self->r, variant->sqe_flags, self->pipe[0])->file_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	EXPECT_TRUE(fd_is_open(self->pipe[0]));
}

TEST_HARNESS_MAIN
