// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that wait for an event: timeouts, polls; and how often a waiting task is woken.
 */
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "bench.h"

#define FDS	32

static struct ring ring;
static int fds[FDS];

static int event_open(const struct load *l)
{
	int i, err = ring_open(&ring, 64, l->flags);

	for (i = 0; i < FDS; i++)
		fds[i] = -1;
	return err;
}

static void event_close(const struct load *l)
{
	int i;

	for (i = 0; i < FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	ring_close(&ring);
}

static void timeout_run(const struct load *l, unsigned int ops)
{
	struct __kernel_timespec ts = { .tv_nsec = 1000 };
	unsigned int done, i;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++) {
			struct io_uring_sqe *sqe = ring_sqe(&ring);

			sqe->opcode = IORING_OP_TIMEOUT;
			sqe->addr = (uintptr_t)&ts;
			sqe->len = 1;
		}
		ring_enter(&ring, l->batch);
		for (i = ring_reap(&ring, -ETIME); i < l->batch; i += ring_reap(&ring, -ETIME))
			ring_enter(&ring, 1);
	}
}

static int poll_open(const struct load *l)
{
	int i, err = event_open(l);

	for (i = 0; !err && i < FDS; i++) {
		fds[i] = eventfd(0, EFD_NONBLOCK);
		if (fds[i] < 0)
			err = -errno;
	}
	return err;
}

static void poll_add(int fd)
{
	struct io_uring_sqe *sqe = ring_sqe(&ring);

	sqe->opcode = IORING_OP_POLL_ADD;
	sqe->fd = fd;
	sqe->poll32_events = POLLIN;
}

static void poll_run(const struct load *l, unsigned int ops)
{
	unsigned int done, i;
	uint64_t one = 1;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++)
			poll_add(fds[i]);
		ring_enter(&ring, 0);
		for (i = 0; i < l->batch; i++)
			if (write(fds[i], &one, sizeof(one)) != sizeof(one))
				die("write to an eventfd: %s", strerror(errno));
		ring_enter(&ring, l->batch);
		ring_reap(&ring, POLLIN);
		for (i = 0; i < l->batch; i++)
			if (read(fds[i], &one, sizeof(one)) != sizeof(one))
				die("read of an eventfd: %s", strerror(errno));
	}
}

static int sleep_open(const struct load *l)
{
	int i, err = event_open(l);

	for (i = 0; !err && i < FDS; i++) {
		fds[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
		if (fds[i] < 0)
			err = -errno;
	}
	return err;
}

/* Timers that expire a millisecond after one another, and one wait for all of them */
static void sleep_run(const struct load *l, unsigned int ops)
{
	unsigned int done, i;
	uint64_t expired;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++) {
			struct itimerspec t = { .it_value.tv_nsec = (i + 1) * 1000000 };

			if (timerfd_settime(fds[i], 0, &t, NULL))
				die("timerfd_settime: %s", strerror(errno));
			poll_add(fds[i]);
		}
		ring_enter(&ring, l->batch);
		ring_reap(&ring, POLLIN);
		for (i = 0; i < l->batch; i++)
			if (read(fds[i], &expired, sizeof(expired)) != sizeof(expired))
				die("read of a timerfd: %s", strerror(errno));
	}
}

#define EVENT(name_, ops_, kind, flags_, batch_, waits_)				\
	{ .name = name_, .ops = ops_, .open = kind##_open, .run = kind##_run,		\
	  .close = event_close, .flags = flags_, .batch = batch_, .waits = waits_ }
#define timeout_open	event_open

const struct load event_loads[] = {
	EVENT("poll-add-trigger", 8000, poll, DEFER, 32, 0),
	EVENT("timeout-1us", 8000, timeout, DEFER, 32, 0),
	EVENT("sleep-8-defer", 400, sleep, DEFER, 8, 8),
	EVENT("sleep-32-defer", 640, sleep, DEFER, 32, 32),
	EVENT("sleep-8-default", 400, sleep, 0, 8, 8),
	EVENT("sleep-32-default", 640, sleep, 0, 32, 32),
	{ }
};
