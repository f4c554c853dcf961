// SPDX-License-Identifier: GPL-2.0
/*
 * EPOLL_CTL and EPOLL_WAIT.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "common.h"

FIXTURE(evpoll)
{
	struct ring r;
	int ep, fd;
};

RING_KIND_VARIANT(evpoll);
RING_KIND(evpoll, plain, .flags = 0);
RING_KIND(evpoll, coop, .flags = IORING_SETUP_COOP_TASKRUN);
RING_KIND(evpoll, defer, .flags = DEFER_FLAGS);
RING_KIND(evpoll, sqpoll, .flags = IORING_SETUP_SQPOLL, .piece = "sqpoll");

FIXTURE_SETUP(evpoll)
{
	NEEDS_RING_KIND(variant);
	ASSERT_EQ(0, ring_open(&self->r, 16, variant->flags));
	self->ep = epoll_create1(EPOLL_CLOEXEC);
	self->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	ASSERT_LE(0, self->ep);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(evpoll)
{
	close(self->ep);
	close(self->fd);
	ring_close(&self->r);
}

static struct io_uring_sqe *sqe_ctl(struct ring *r, int ep, int op, int fd, void *event)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_EPOLL_CTL, 1);

	sqe->fd = ep;
	sqe->len = op;
	sqe->off = fd;
	sqe->addr = (uintptr_t)event;
	return sqe;
}

static struct io_uring_sqe *sqe_epwait(struct ring *r, int ep, void *events, unsigned int max)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_EPOLL_WAIT, 2);

	sqe->fd = ep;
	sqe->addr = (uintptr_t)events;
	sqe->len = max;
	return sqe;
}

static bool has_epoll_wait(struct ring *r, int ep)
{
	struct epoll_event event;

	sqe_epwait(r, ep, &event, 0)->off = 1;
	/* Both kinds of kernel refuse this one, the older ones also without the 1. */
	if (ring_run(r) != -EINVAL)
		return false;
	sqe_epwait(r, -1, &event, 1);
	return ring_run(r) == -EBADF;
}

static int signal_fd(int fd)
{
	uint64_t one = 1;

	return write(fd, &one, sizeof(one)) == sizeof(one) ? 0 : -1;
}

static bool stays_quiet(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

TEST_F(evpoll, ctl)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 42 }, got = {};

	sqe_ctl(&self->r, self->ep, EPOLL_CTL_ADD, self->fd, &event);
	EXPECT_RES(0, ring_run(&self->r));
	sqe_ctl(&self->r, self->ep, EPOLL_CTL_ADD, self->fd, &event);
	EXPECT_RES(-EEXIST, ring_run(&self->r));
	ASSERT_EQ(0, signal_fd(self->fd));
	ASSERT_EQ(1, epoll_wait(self->ep, &got, 1, 0));
	EXPECT_EQ(42, got.data.u64);
	event.data.u64 = 43;
	sqe_ctl(&self->r, self->ep, EPOLL_CTL_MOD, self->fd, &event)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
	ASSERT_EQ(1, epoll_wait(self->ep, &got, 1, 0));
	EXPECT_EQ(43, got.data.u64);
	sqe_ctl(&self->r, self->ep, EPOLL_CTL_DEL, self->fd, BAD_PTR);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_EQ(0, epoll_wait(self->ep, &got, 1, 0));
}

TEST_F(evpoll, ctl_refused)
{
	struct epoll_event event = { .events = EPOLLIN };

	sqe_ctl(&self->r, self->ep, EPOLL_CTL_ADD, self->fd, &event)->buf_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_ctl(&self->r, self->ep, EPOLL_CTL_ADD, self->fd, &event)->splice_fd_in = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_ctl(&self->r, -1, EPOLL_CTL_ADD, self->fd, BAD_PTR);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe_ctl(&self->r, -1, EPOLL_CTL_ADD, self->fd, &event);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_ctl(&self->r, self->ep, EPOLL_CTL_ADD, -1, &event);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_ctl(&self->r, self->fd, EPOLL_CTL_ADD, self->ep, &event);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_ctl(&self->r, self->ep, 77, self->fd, &event);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_ctl(&self->r, self->ep, EPOLL_CTL_DEL, self->fd, NULL);
	EXPECT_RES(-ENOENT, ring_run(&self->r));
}

TEST_F(evpoll, wait)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 42 }, got[4] = {};
	uint64_t value;
	struct cqe cqe;

	NEEDS_73(has_epoll_wait(&self->r, self->ep));
	ASSERT_EQ(0, epoll_ctl(self->ep, EPOLL_CTL_ADD, self->fd, &event));
	sqe_epwait(&self->r, self->ep, got, 4);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(0, signal_fd(self->fd));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(1, cqe.res);
	EXPECT_EQ(42, got[0].data.u64);
	EXPECT_EQ(EPOLLIN, got[0].events);

	/* Level-triggered: still there. */
	sqe_epwait(&self->r, self->ep, got, 4);
	EXPECT_RES(1, ring_run(&self->r));
	ASSERT_EQ(sizeof(value), read(self->fd, &value, sizeof(value)));

	sqe_epwait(&self->r, self->ep, got, 4)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(0, signal_fd(self->fd));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(1, cqe.res);
}

TEST_F(evpoll, wait_cancelled)
{
	struct epoll_event got;
	struct io_uring_sqe *sqe;
	struct cqe cqe;
	int i;

	NEEDS_73(has_epoll_wait(&self->r, self->ep));
	sqe_epwait(&self->r, self->ep, &got, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	sqe = sqe_op(&self->r, IORING_OP_ASYNC_CANCEL, 9);
	sqe->addr = 2;
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(cqe.user_data == 2 ? -ECANCELED : 0, cqe.res);
	}
}

TEST_F(evpoll, wait_refused)
{
	struct epoll_event event = { .events = EPOLLIN }, got;

	NEEDS_73(has_epoll_wait(&self->r, self->ep));
	sqe_epwait(&self->r, self->ep, &got, 1)->rw_flags = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_epwait(&self->r, self->ep, &got, 1)->buf_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_epwait(&self->r, self->ep, &got, 1)->splice_fd_in = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_epwait(&self->r, -1, &got, 0);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_epwait(&self->r, self->fd, &got, 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_epwait(&self->r, self->ep, &got, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_epwait(&self->r, self->ep, &got, INT_MAX);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_epwait(&self->r, self->ep, KERNEL_PTR, 1);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	ASSERT_EQ(0, epoll_ctl(self->ep, EPOLL_CTL_ADD, self->fd, &event));
	ASSERT_EQ(0, signal_fd(self->fd));
	sqe_epwait(&self->r, self->ep, BAD_PTR, 1);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
}

TEST_HARNESS_MAIN
