// SPDX-License-Identifier: GPL-2.0
/*
 * An eventfd that tells of completions: IORING_REGISTER_EVENTFD, _ASYNC,
 * IORING_UNREGISTER_EVENTFD, and IORING_CQ_EVENTFD_DISABLED.
 */
#include <sys/eventfd.h>

#include "common.h"

FIXTURE(evfd)
{
	struct ring r;
	int fd;
};

FIXTURE_VARIANT(evfd)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(evfd, plain)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(evfd, coop)
{
	.flags = IORING_SETUP_COOP_TASKRUN,
};

FIXTURE_VARIANT_ADD(evfd, defer)
{
	.flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(evfd, cqe32)
{
	.flags = IORING_SETUP_CQE32,
};

FIXTURE_SETUP(evfd)
{
	ASSERT_EQ(0, ring_open(&self->r, 8, variant->flags));
	self->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(evfd)
{
	ring_close(&self->r);
	close(self->fd);
}

static int register_evfd(struct ring *r, unsigned int op, int fd)
{
	return sys_register(r->fd, op, &fd, 1);
}

static int unregister_evfd(struct ring *r)
{
	return sys_register(r->fd, IORING_UNREGISTER_EVENTFD, NULL, 0);
}

/* How often it was signalled since it was last asked. */
static unsigned int signals(int fd)
{
	__u64 n;

	return read(fd, &n, 8) == 8 ? n : 0;
}

static void take_all(struct ring *r)
{
	struct cqe cqe;

	while (ring_take(r, &cqe))
		;
}

TEST_F(evfd, one_completion)
{
	unsigned int i;

	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	EXPECT_EQ(0, signals(self->fd));
	for (i = 0; i < 5; i++) {
		sqe_nop(&self->r, i);
		ASSERT_EQ(1, ring_submit(&self->r));
		EXPECT_EQ(1, signals(self->fd));
	}
}

TEST_F(evfd, a_batch_is_told_of_once)
{
	unsigned int i;

	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	for (i = 0; i < 8; i++)
		sqe_nop(&self->r, i);
	ASSERT_EQ(8, ring_submit(&self->r));
	EXPECT_EQ(8, ring_ready(&self->r));
	EXPECT_EQ(1, signals(self->fd));
}

TEST_F(evfd, only_when_something_is_posted)
{
	unsigned int i;

	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	EXPECT_RES(0, ring_get_events(&self->r));
	for (i = 0; i < 4; i++)
		sqe_nop(&self->r, i)->flags = IOSQE_CQE_SKIP_SUCCESS;
	ASSERT_EQ(4, ring_submit(&self->r));
	EXPECT_EQ(0, ring_ready(&self->r));
	EXPECT_EQ(0, signals(self->fd));
}

TEST_F(evfd, bad_sqe)
{
	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	sqe_op(&self->r, 255, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(1, signals(self->fd));
}

/* A program that sleeps on the eventfd hears of what completes meanwhile. */
TEST_F(evfd, completion_while_asleep)
{
	struct pollfd pfd = { .fd = self->fd, .events = POLLIN };
	__u64 value = 0, one = 1;
	int event = eventfd(0, 0), ret;
	struct cqe cqe;

	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	sqe_rw(&self->r, IORING_OP_READ, event, &value, 8, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(0, poll(&pfd, 1, SETTLE_MS));
	ASSERT_EQ(8, write(event, &one, 8));
	do
		ret = poll(&pfd, 1, WAIT_MS);
	while (ret < 0 && errno == EINTR);
	EXPECT_EQ(1, ret);
	EXPECT_LE(1, signals(self->fd));
	EXPECT_RES(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(8, cqe.res);
	close(event);
}

/* Work that waits for the submitter is announced, before there is a CQE. */
TEST(deferred_work_is_announced)
{
	int fd = eventfd(0, EFD_NONBLOCK), event = eventfd(0, 0);
	__u64 value = 1;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, DEFER_FLAGS));
	ASSERT_EQ(0, register_evfd(&r, IORING_REGISTER_EVENTFD, fd));
	sqe_rw(&r, IORING_OP_READ, event, &value, 8, 0);
	ASSERT_EQ(1, ring_submit(&r));
	ASSERT_EQ(8, write(event, &value, 8));
	EXPECT_TRUE(BECOMES(signals(fd) > 0));
	EXPECT_EQ(0, ring_ready(&r));
	EXPECT_RES(0, ring_get_events(&r));
	EXPECT_EQ(1, ring_ready(&r));
	ring_close(&r);
}

TEST_F(evfd, disabled_by_the_program)
{
	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	store_release(self->r.cq_flags, IORING_CQ_EVENTFD_DISABLED);
	sqe_nop(&self->r, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(1, ring_ready(&self->r));
	EXPECT_EQ(0, signals(self->fd));
	store_release(self->r.cq_flags, 0);
	EXPECT_EQ(0, signals(self->fd));
	sqe_nop(&self->r, 2);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(1, signals(self->fd));
}

TEST_F(evfd, unregistered)
{
	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	ASSERT_EQ(0, unregister_evfd(&self->r));
	sqe_nop(&self->r, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(0, signals(self->fd));
	/* And once more. */
	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	sqe_nop(&self->r, 2);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(1, signals(self->fd));
}

TEST_F(evfd, outlives_its_descriptor)
{
	int copy = dup(self->fd), fd = self->fd;

	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, fd));
	close(fd);
	sqe_nop(&self->r, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(1, signals(copy));
	self->fd = copy;
}

TEST_F(evfd, shared_by_two_rings)
{
	struct ring other;

	ASSERT_EQ(0, ring_open(&other, 8, 0));
	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	ASSERT_EQ(0, register_evfd(&other, IORING_REGISTER_EVENTFD, self->fd));
	sqe_nop(&self->r, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	sqe_nop(&other, 1);
	ASSERT_EQ(1, ring_submit(&other));
	EXPECT_EQ(2, signals(self->fd));
	ring_close(&other);
}

TEST_F(evfd, overflow_is_announced_when_it_is_posted)
{
	unsigned int i;

	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	for (i = 0; i < self->r.p.cq_entries; i++) {
		sqe_nop(&self->r, i);
		ASSERT_EQ(1, ring_submit(&self->r));
	}
	EXPECT_EQ(self->r.p.cq_entries, signals(self->fd));
	sqe_nop(&self->r, i);
	ASSERT_EQ(1, ring_submit(&self->r));
	signals(self->fd);
	take_all(&self->r);
	EXPECT_RES(0, ring_get_events(&self->r));
	EXPECT_EQ(1, ring_ready(&self->r));
	EXPECT_EQ(1, signals(self->fd));
}

/* A reader that never comes: the counter stops at its limit, the ring goes on. */
TEST_F(evfd, counter_at_its_limit)
{
	__u64 full = -2ull;

	ASSERT_EQ(8, write(self->fd, &full, 8));
	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD, self->fd));
	sqe_nop(&self->r, 1);
	EXPECT_RES(0, ring_run(&self->r));
	sqe_nop(&self->r, 2);
	EXPECT_RES(0, ring_run(&self->r));
}

/* The asynchronous kind */

TEST_F(evfd, async_is_silent_about_the_rest)
{
	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD_ASYNC, self->fd));
	sqe_nop(&self->r, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_EQ(1, ring_ready(&self->r));
	EXPECT_EQ(0, signals(self->fd));
}

TEST_F(evfd, async_is_silent_about_requests_that_waited)
{
	int event = eventfd(0, 0);
	__u64 value = 1;
	struct cqe cqe;

	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD_ASYNC, self->fd));
	sqe_rw(&self->r, IORING_OP_READ, event, &value, 8, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(8, write(event, &value, 8));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(8, cqe.res);
	sleep_ms(SETTLE_MS);
	EXPECT_EQ(0, signals(self->fd));
	close(event);
}

TEST_F(evfd, async_tells_of_the_pool)
{
	int fd = temp_file(0);
	char buf[8];

	NEEDS_PIECE("pool");
	ASSERT_EQ(8, pwrite(fd, "12345678", 8, 0));
	ASSERT_EQ(0, register_evfd(&self->r, IORING_REGISTER_EVENTFD_ASYNC, self->fd));
	sqe_rw(&self->r, IORING_OP_READ, fd, buf, 8, 0)->flags = IOSQE_ASYNC;
	EXPECT_RES(8, ring_run(&self->r));
	EXPECT_TRUE(BECOMES(signals(self->fd) > 0));
	close(fd);
}

/* Registration */

TEST_F(evfd, bad_registrations)
{
	static const unsigned int ops[] = {
		IORING_REGISTER_EVENTFD, IORING_REGISTER_EVENTFD_ASYNC,
	};
	int pipes[2];
	unsigned int i;

	ASSERT_EQ(0, pipe(pipes));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		EXPECT_RES(-EINVAL, sys_register(self->r.fd, ops[i], &self->fd, 0));
		EXPECT_RES(-EINVAL, sys_register(self->r.fd, ops[i], &self->fd, 2));
		EXPECT_RES(-EFAULT, sys_register(self->r.fd, ops[i], NULL, 1));
		EXPECT_RES(-EFAULT, sys_register(self->r.fd, ops[i], BAD_PTR, 1));
		EXPECT_RES(-EBADF, register_evfd(&self->r, ops[i], -1));
		EXPECT_RES(-EBADF, register_evfd(&self->r, ops[i], 1000));
		EXPECT_RES(-EINVAL, register_evfd(&self->r, ops[i], pipes[0]));
		EXPECT_RES(-EINVAL, register_evfd(&self->r, ops[i], self->r.fd));
		EXPECT_RES(-ENXIO, unregister_evfd(&self->r));

		EXPECT_RES(0, register_evfd(&self->r, ops[i], self->fd));
		EXPECT_RES(-EBUSY, register_evfd(&self->r, ops[0], self->fd));
		EXPECT_RES(-EBUSY, register_evfd(&self->r, ops[1], self->fd));
		EXPECT_RES(-EINVAL, sys_register(self->r.fd, IORING_UNREGISTER_EVENTFD, NULL, 1));
		EXPECT_RES(-EINVAL, sys_register(self->r.fd, IORING_UNREGISTER_EVENTFD, &self->fd,
						 0));
		EXPECT_RES(0, unregister_evfd(&self->r));
		EXPECT_RES(-ENXIO, unregister_evfd(&self->r));
	}
}

/* Which of two faults is reported. */
TEST_F(evfd, checks_ordering)
{
	const unsigned int op = IORING_REGISTER_EVENTFD;

	/* The number before the pointer. */
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, NULL, 2));
	ASSERT_EQ(0, register_evfd(&self->r, op, self->fd));
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, &self->fd, 2));
	/* One that is there before one that is none. */
	EXPECT_RES(-EBUSY, register_evfd(&self->r, op, -1));
	EXPECT_RES(-EBUSY, sys_register(self->r.fd, op, NULL, 1));
}

TEST_HARNESS_MAIN
