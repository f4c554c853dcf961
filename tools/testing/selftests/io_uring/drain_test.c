// SPDX-License-Identifier: GPL-2.0
/*
 * IOSQE_IO_DRAIN: what is held back, when it starts, and what happens to it on
 * its way from one to the other.
 */
#include "common.h"

#include <poll.h>

#define DEFER_FLAGS	(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

enum { READ_ID = 1, DRAIN_ID, TIMEOUT_ID, POLL_ID, REMOVE_ID = 100, CANCEL_ID = 200 };

FIXTURE(drain)
{
	struct ring r;
	int fds[2];
	char byte;
	unsigned int seen[CANCEL_ID + 1];
};

FIXTURE_VARIANT(drain)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(drain, plain) { .flags = 0 };
FIXTURE_VARIANT_ADD(drain, defer) { .flags = DEFER_FLAGS };

FIXTURE_SETUP(drain)
{
	memset(self->seen, 0, sizeof(self->seen));
	ASSERT_EQ(0, pipe(self->fds));
	ASSERT_EQ(0, ring_open(&self->r, 16, variant->flags));
}

FIXTURE_TEARDOWN(drain)
{
	ring_close(&self->r);
	close(self->fds[0]);
	close(self->fds[1]);
}

static void sqe_read_pipe(struct ring *r, int fd, char *byte)
{
	sqe_rw(r, IORING_OP_READ, fd, byte, 1, 0)->user_data = READ_ID;
}

TEST_F(drain, waits_for_earlier_and_holds_later)
{
	struct cqe cqe;

	sqe_read_pipe(&self->r, self->fds[0], &self->byte);
	sqe_nop(&self->r, DRAIN_ID)->flags = IOSQE_IO_DRAIN;
	sqe_nop(&self->r, 3);
	ASSERT_EQ(3, ring_submit(&self->r));
	EXPECT_RES(0, ring_get_events(&self->r));
	EXPECT_EQ(0, ring_ready(&self->r));

	ASSERT_EQ(1, write(self->fds[1], "x", 1));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(READ_ID, cqe.user_data);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(DRAIN_ID, cqe.user_data);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(3, cqe.user_data);
}

TEST_F(drain, costs_nothing_when_nothing_is_before_it)
{
	struct cqe cqe;

	sqe_nop(&self->r, DRAIN_ID)->flags = IOSQE_IO_DRAIN;
	EXPECT_RES(0, ring_run_cqe(&self->r, &cqe));
	sqe_nop(&self->r, 3);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(1, ring_ready(&self->r));
}

/* What has been let go but not yet been issued has no timer and no place in a wait queue. */
TEST_F(drain, removed_before_it_is_issued)
{
	static const struct __kernel_timespec ts = { .tv_sec = 100 };
	struct io_uring_sqe *sqe;
	struct cqe cqe;
	unsigned int i;

	sqe_read_pipe(&self->r, self->fds[0], &self->byte);
	sqe_nop(&self->r, DRAIN_ID)->flags = IOSQE_IO_DRAIN;
	sqe = sqe_op(&self->r, IORING_OP_TIMEOUT, TIMEOUT_ID);
	sqe->addr = (uintptr_t)&ts;
	sqe->len = 1;
	sqe = sqe_op(&self->r, IORING_OP_POLL_ADD, POLL_ID);
	sqe->fd = self->fds[0];
	sqe->poll32_events = POLLIN;
	ASSERT_EQ(4, ring_submit(&self->r));
	ASSERT_EQ(1, write(self->fds[1], "x", 1));

	/* One look at a time, so that one of the rounds meets both on their way. */
	for (i = 0; i < 4; i++) {
		EXPECT_RES(0, ring_get_events(&self->r));
		sqe_op(&self->r, IORING_OP_TIMEOUT_REMOVE, REMOVE_ID)->addr = TIMEOUT_ID;
		sqe_op(&self->r, IORING_OP_POLL_REMOVE, REMOVE_ID)->addr = POLL_ID;
		ASSERT_EQ(2, ring_submit(&self->r));
	}
	sqe = sqe_op(&self->r, IORING_OP_ASYNC_CANCEL, CANCEL_ID);
	sqe->cancel_flags = IORING_ASYNC_CANCEL_ANY;
	ASSERT_EQ(1, ring_submit(&self->r));

	/* Each request leaves one CQE. */
	for (i = 0; i < 4 + 8 + 1; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		ASSERT_LE(cqe.user_data, CANCEL_ID);
		self->seen[cqe.user_data]++;
		if (cqe.user_data == REMOVE_ID)
			EXPECT_TRUE(cqe.res == 0 || cqe.res == -ENOENT);
	}
	EXPECT_EQ(1, self->seen[READ_ID]);
	EXPECT_EQ(1, self->seen[DRAIN_ID]);
	EXPECT_EQ(1, self->seen[TIMEOUT_ID]);
	EXPECT_EQ(1, self->seen[POLL_ID]);
	EXPECT_EQ(8, self->seen[REMOVE_ID]);
	EXPECT_EQ(0, ring_ready(&self->r));
}

TEST_HARNESS_MAIN
