// SPDX-License-Identifier: GPL-2.0
/*
 * POLL_ADD and POLL_REMOVE, and requests that wait for their file to become
 * ready: which events are reported and how often, that none is lost, and that
 * each request ends exactly once.
 */
#include <dirent.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "common.h"

#define KEY		1000		/* user_data of the poll in question */
#define OTHER		2000		/* of what acts on it */
#define MORE		IORING_CQE_F_MORE
#define ALWAYS		(POLLERR | POLLHUP)

FIXTURE(poll)
{
	struct ring r;
	int in, out;			/* a pipe */
};

FIXTURE_VARIANT(poll)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(poll, plain)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(poll, coop)
{
	.flags = IORING_SETUP_COOP_TASKRUN,
};

FIXTURE_VARIANT_ADD(poll, defer)
{
	.flags = DEFER_FLAGS,
};

FIXTURE_SETUP(poll)
{
	int fds[2];

	ASSERT_EQ(0, ring_open(&self->r, 64, variant->flags));
	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	self->in = fds[0];
	self->out = fds[1];
}

FIXTURE_TEARDOWN(poll)
{
	ring_close(&self->r);
	close(self->in);
	close(self->out);
}

static struct io_uring_sqe *sqe_poll(struct ring *r, int fd, unsigned int events,
				     unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_POLL_ADD, KEY);

	sqe->fd = fd;
	sqe->len = flags;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	events = events << 16 | events >> 16;
#endif
	sqe->poll32_events = events;
	return sqe;
}

static int start_poll(struct ring *r, int fd, unsigned int events, unsigned int flags)
{
	sqe_poll(r, fd, events, flags);
	return ring_submit(r) == 1 ? 0 : -EIO;
}

static struct io_uring_sqe *sqe_remove(struct ring *r, uint64_t key, unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_POLL_REMOVE, OTHER);

	sqe->addr = key;
	sqe->len = flags;
	return sqe;
}

/* The CQE of user_data, which must come; others before it are dropped. */
static struct cqe cqe_of(struct ring *r, uint64_t user_data)
{
	struct cqe cqe;

	while (!ring_wait(r, &cqe))
		if (cqe.user_data == user_data)
			return cqe;
	return (struct cqe){ .res = NO_CQE };
}

/* Nothing comes in a while. */
static bool silent(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

/* Remove what was queued in sqe; returns its result, and in *cqe that of the poll. */
static int run_remove(struct ring *r, struct cqe *poll)
{
	struct cqe cqe;
	int i, res = NO_CQE;

	if (ring_submit(r) != 1)
		return NO_CQE;
	*poll = (struct cqe){ .res = NO_CQE };
	for (i = 0; i < 2; i++) {
		if (ring_wait(r, &cqe))
			break;
		if (cqe.user_data == OTHER)
			res = cqe.res;
		else
			*poll = cqe;
	}
	return res;
}

static int put(int fd)
{
	return write(fd, "x", 1) == 1 ? 0 : -errno;
}

static int get(int fd)
{
	char c;

	return read(fd, &c, 1) == 1 ? 0 : -errno;
}

/* One shot */

TEST_F(poll, ready)
{
	struct cqe cqe;

	ASSERT_EQ(0, put(self->out));
	sqe_poll(&self->r, self->in, POLLIN, 0);
	EXPECT_RES(POLLIN, ring_run_cqe(&self->r, &cqe));
	EXPECT_EQ(KEY, cqe.user_data);
	EXPECT_EQ(0, cqe.flags);
	EXPECT_TRUE(silent(&self->r));
}

TEST_F(poll, waits)
{
	struct cqe cqe;

	ASSERT_EQ(0, start_poll(&self->r, self->in, POLLIN, 0));
	EXPECT_TRUE(silent(&self->r));
	ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(POLLIN, cqe.res);
	EXPECT_EQ(0, cqe.flags);
	EXPECT_TRUE(silent(&self->r));
}

TEST_F(poll, always_reported)
{
	struct cqe cqe;

	ASSERT_EQ(0, start_poll(&self->r, self->in, 0, 0));
	ASSERT_EQ(0, put(self->out));
	EXPECT_TRUE(silent(&self->r));
	close(self->out);
	self->out = -1;
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(POLLHUP, cqe.res);
}

TEST_F(poll, peer_shut_down)
{
	struct cqe cqe;
	int sv[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv));
	ASSERT_EQ(0, start_poll(&self->r, sv[0], POLLPRI, 0));
	ASSERT_EQ(0, shutdown(sv[1], SHUT_WR));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(POLLRDHUP, cqe.res);
	close(sv[0]);
	close(sv[1]);
}

TEST_F(poll, file_without_poll)
{
	int fd = temp_file(O_RDWR);

	ASSERT_LE(0, fd);
	sqe_poll(&self->r, fd, POLLIN | POLLOUT | POLLPRI, 0);
	EXPECT_RES(POLLIN | POLLOUT, ring_run(&self->r));
	sqe_poll(&self->r, fd, POLLPRI, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	close(fd);
}

TEST_F(poll, two_queues)
{
	struct cqe cqe;
	char path[] = "/tmp/io_uring_fifo.XXXXXX";
	int fd;

	/* Opened for both, a fifo has a queue of readers and one of writers. */
	ASSERT_LE(0, fd = mkstemp(path));
	close(fd);
	unlink(path);
	ASSERT_EQ(0, mkfifo(path, 0600));
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	unlink(path);

	ASSERT_EQ(0, start_poll(&self->r, fd, POLLIN, 0));
	EXPECT_TRUE(silent(&self->r));
	ASSERT_EQ(0, put(fd));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(POLLIN, cqe.res);
	while (!put(fd))
		;
	ASSERT_EQ(0, start_poll(&self->r, fd, POLLOUT, IORING_POLL_ADD_MULTI));
	EXPECT_TRUE(silent(&self->r));
	sqe_remove(&self->r, KEY, 0);
	EXPECT_RES(0, run_remove(&self->r, &cqe));
	EXPECT_RES(-ECANCELED, cqe.res);
	while (!get(fd))
		;
	EXPECT_TRUE(silent(&self->r));
	close(fd);
}

TEST_F(poll, bad_fields)
{
	static const unsigned int lens[] = { 2, 4, 8, 9, 16, 1u << 31 };
	struct ring *r = &self->r;
	struct io_uring_sqe *sqe;
	unsigned int i;

	sqe_poll(r, self->in, POLLIN, 0)->buf_index = 1;
	EXPECT_RES_OF("buf_index", -EINVAL, ring_run(r));
	sqe_poll(r, self->in, POLLIN, 0)->off = 1;
	EXPECT_RES_OF("off", -EINVAL, ring_run(r));
	sqe_poll(r, self->in, POLLIN, 0)->addr = 1;
	EXPECT_RES_OF("addr", -EINVAL, ring_run(r));
	sqe_poll(r, self->in, POLLIN, 0)->ioprio = 1;
	EXPECT_RES_OF("ioprio", -EINVAL, ring_run(r));
	for (i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
		if (lens[i] & IORING_POLL_ADD_LEVEL && on_stock())
			continue;
		sqe_poll(r, self->in, POLLIN, lens[i]);
		EXPECT_RES_OF("len", -EINVAL, ring_run(r));
	}
	sqe = sqe_poll(r, self->in, POLLIN, IORING_POLL_ADD_MULTI);
	sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
	EXPECT_RES_OF("multishot and silent", -EINVAL, ring_run(r));
	sqe_poll(r, -1, POLLIN, 0);
	EXPECT_RES_OF("fd", -EBADF, ring_run(r));
	sqe_poll(r, 0, POLLIN, 0)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES_OF("slot", -EBADF, ring_run(r));
}

TEST_F(poll, in_worker)
{
	struct cqe cqe;

	sqe_poll(&self->r, self->in, POLLIN, 0)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(silent(&self->r));
	ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(POLLIN, cqe.res);
}

TEST_F(poll, closed_descriptor)
{
	struct cqe cqe;
	int fd = dup(self->in);

	ASSERT_EQ(0, start_poll(&self->r, fd, POLLIN, 0));
	close(fd);
	EXPECT_TRUE(silent(&self->r));
	ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(POLLIN, cqe.res);
}

/* Multishot */

TEST_F(poll, multishot)
{
	struct cqe cqe;
	int i;

	ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, start_poll(&self->r, self->in, POLLIN, IORING_POLL_ADD_MULTI));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(POLLIN, cqe.res);
		EXPECT_EQ(MORE, cqe.flags);
		EXPECT_EQ(KEY, cqe.user_data);
		ASSERT_EQ(0, get(self->in));
		EXPECT_TRUE(silent(&self->r));
		ASSERT_EQ(0, put(self->out));
	}
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	sqe_remove(&self->r, KEY, 0);
	EXPECT_RES(0, run_remove(&self->r, &cqe));
	EXPECT_RES(-ECANCELED, cqe.res);
	EXPECT_EQ(0, cqe.flags);
	ASSERT_EQ(0, put(self->out));
	EXPECT_TRUE(silent(&self->r));
}

/* Hanging up is an event like others, and is reported a bounded number of times. */
TEST_F(poll, multishot_hangup)
{
	struct cqe cqe;
	unsigned int n = 0;

	ASSERT_EQ(0, start_poll(&self->r, self->in, POLLIN, IORING_POLL_ADD_MULTI));
	close(self->out);
	self->out = -1;
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(POLLHUP, cqe.res);
	EXPECT_EQ(MORE, cqe.flags);
	sleep_ms(SETTLE_MS);
	ring_get_events(&self->r);
	while (ring_take(&self->r, &cqe))
		n++;
	EXPECT_GE(4, n);
}

TEST(poll_multishot_full_ring)
{
	struct io_uring_params *p;
	struct ring r = { .p.flags = IORING_SETUP_CQSIZE, .p.cq_entries = 2 };
	struct cqe cqe;
	int i, n = 0, fd = eventfd(0, EFD_CLOEXEC);
	bool last = false;

	p = &r.p;
	ASSERT_EQ(0, ring_open_params(&r, 2));
	ASSERT_EQ(2, p->cq_entries);
	ASSERT_EQ(0, start_poll(&r, fd, POLLIN, IORING_POLL_ADD_MULTI));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, eventfd_write(fd, 1));
		ring_get_events(&r);
	}
	while (!last && !ring_wait(&r, &cqe)) {
		EXPECT_RES(POLLIN, cqe.res);
		last = !(cqe.flags & MORE);
		n++;
	}
	/* Two that fit, and the last, which the overflow list has kept. */
	EXPECT_EQ(3, n);
	EXPECT_TRUE(last);
	ASSERT_EQ(0, eventfd_write(fd, 1));
	EXPECT_TRUE(silent(&r));
	sqe_remove(&r, KEY, 0);
	EXPECT_RES(-ENOENT, ring_run(&r));
	ring_close(&r);
	close(fd);
}

/* A ring's own completions end a multishot poll of the ring, which else would feed itself. */
TEST(poll_ring_by_itself)
{
	struct ring r;
	struct cqe cqe;
	int n = 0;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	ASSERT_EQ(0, start_poll(&r, r.fd, POLLIN, IORING_POLL_ADD_MULTI));
	sqe_nop(&r, 1);
	ASSERT_EQ(1, ring_submit(&r));
	sleep_ms(SETTLE_MS);
	ring_get_events(&r);
	while (ring_take(&r, &cqe)) {
		if (cqe.user_data == KEY) {
			n++;
			EXPECT_EQ(POLLIN, cqe.res & POLLIN);
			EXPECT_EQ(0, cqe.flags & MORE);
		}
	}
	EXPECT_EQ(1, n);
	ring_close(&r);
}

TEST_F(poll, ring_by_ring)
{
	struct ring other;
	struct cqe cqe;

	ASSERT_EQ(0, ring_open(&other, 8, 0));
	ASSERT_EQ(0, start_poll(&self->r, other.fd, POLLIN, 0));
	EXPECT_TRUE(silent(&self->r));
	sqe_nop(&other, 1);
	ASSERT_EQ(1, ring_submit(&other));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(POLLIN, cqe.res & POLLIN);
	ring_close(&other);
}

/* One waiter of several with EPOLLEXCLUSIVE */

static int cqes_after_event(struct ring *r, int fd)
{
	struct cqe cqe;
	int n = 0;

	eventfd_write(fd, 1);
	sleep_ms(SETTLE_MS);
	ring_get_events(r);
	while (ring_take(r, &cqe))
		n++;
	return n;
}

TEST_F(poll, exclusive)
{
	int i, fd = eventfd(0, EFD_CLOEXEC);
	eventfd_t value;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, start_poll(&self->r, fd, POLLIN | EPOLLEXCLUSIVE, 0));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(1, cqes_after_event(&self->r, fd));
		eventfd_read(fd, &value);
	}
	EXPECT_EQ(0, cqes_after_event(&self->r, fd));
	close(fd);
}

/* A wake-up that went to a poll which is removed before it could report it goes to the next. */
TEST(poll_exclusive_handed_on)
{
	struct ring a, b;
	struct cqe cqe;
	int fd = eventfd(0, EFD_CLOEXEC);

	if (on_stock())
		SKIP(return, "known to lose the wake-up");
	ASSERT_EQ(0, ring_open(&a, 8, DEFER_FLAGS));
	ASSERT_EQ(0, ring_open(&b, 8, 0));
	ASSERT_EQ(0, start_poll(&a, fd, POLLIN | EPOLLEXCLUSIVE, 0));
	ASSERT_EQ(0, start_poll(&b, fd, POLLIN | EPOLLEXCLUSIVE, 0));
	/* a's poll is woken, and waits in a's inbox, as a is not entered. */
	ASSERT_EQ(0, eventfd_write(fd, 1));
	EXPECT_TRUE(silent(&b));
	sqe_remove(&a, KEY, 0);
	EXPECT_RES(0, run_remove(&a, &cqe));
	EXPECT_RES(-ECANCELED, cqe.res);
	ASSERT_EQ(0, ring_wait(&b, &cqe));
	EXPECT_RES(POLLIN, cqe.res);
	ring_close(&a);
	ring_close(&b);
	close(fd);
}

/* Removal and change */

TEST_F(poll, remove)
{
	struct cqe cqe;

	ASSERT_EQ(0, start_poll(&self->r, self->in, POLLIN, 0));
	sqe_remove(&self->r, KEY, 0);
	EXPECT_RES(0, run_remove(&self->r, &cqe));
	EXPECT_RES(-ECANCELED, cqe.res);
	EXPECT_EQ(KEY, cqe.user_data);
	sqe_remove(&self->r, KEY, 0);
	EXPECT_RES(-ENOENT, ring_run(&self->r));
	ASSERT_EQ(0, put(self->out));
	EXPECT_TRUE(silent(&self->r));
}

TEST_F(poll, remove_only_polls)
{
	struct ring *r = &self->r;
	char c;

	sqe_rw(r, IORING_OP_READ, self->in, &c, 1, -1)->user_data = KEY;
	ASSERT_EQ(1, ring_submit(r));
	sqe_remove(r, KEY, 0);
	EXPECT_RES(-ENOENT, ring_run(r));
	ASSERT_EQ(0, put(self->out));
	EXPECT_RES(1, cqe_of(r, KEY).res);
}

TEST_F(poll, remove_bad_fields)
{
	struct ring *r = &self->r;

	sqe_remove(r, KEY, 0)->buf_index = 1;
	EXPECT_RES_OF("buf_index", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, 0)->splice_fd_in = 1;
	EXPECT_RES_OF("splice_fd_in", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, 0)->off = 1;
	EXPECT_RES_OF("new user_data without flag", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, 0)->poll32_events = POLLIN;
	EXPECT_RES_OF("new events without flag", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, IORING_POLL_ADD_MULTI);
	EXPECT_RES_OF("multishot without update", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, IORING_POLL_ADD_LEVEL);
	EXPECT_RES_OF("level", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, 16);
	EXPECT_RES_OF("unknown flag", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, IORING_POLL_UPDATE_EVENTS);
	EXPECT_RES_OF("update of nothing", -ENOENT, ring_run(r));
}

static void sqe_update(struct ring *r, unsigned int events, unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_remove(r, KEY, flags | IORING_POLL_UPDATE_EVENTS);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	events = events << 16 | events >> 16;
#endif
	sqe->poll32_events = events;
}

TEST_F(poll, update_events)
{
	struct cqe cqe;
	int sv[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv));
	ASSERT_EQ(0, start_poll(&self->r, sv[0], POLLIN, 0));
	/* Not there either, and the event that was asked for before is none any more. */
	sqe_update(&self->r, POLLPRI, 0);
	EXPECT_RES(0, ring_run(&self->r));
	ASSERT_EQ(0, put(sv[1]));
	EXPECT_TRUE(silent(&self->r));
	/* This one is there already. */
	sqe_update(&self->r, POLLOUT, 0);
	EXPECT_RES(0, run_remove(&self->r, &cqe));
	EXPECT_RES(POLLOUT, cqe.res);
	EXPECT_EQ(0, cqe.flags);
	close(sv[0]);
	close(sv[1]);
}

TEST_F(poll, update_user_data)
{
	struct io_uring_sqe *sqe;
	struct cqe cqe;

	ASSERT_EQ(0, start_poll(&self->r, self->in, POLLIN, 0));
	sqe = sqe_remove(&self->r, KEY, IORING_POLL_UPDATE_USER_DATA);
	sqe->off = KEY + 1;
	EXPECT_RES(0, ring_run(&self->r));
	sqe_remove(&self->r, KEY, 0);
	EXPECT_RES(-ENOENT, ring_run(&self->r));
	ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(KEY + 1, cqe.user_data);
	EXPECT_RES(POLLIN, cqe.res);
}

TEST_F(poll, update_keeps_multishot)
{
	struct io_uring_sqe *sqe;
	struct cqe cqe;
	int i;

	ASSERT_EQ(0, start_poll(&self->r, self->in, POLLPRI, IORING_POLL_ADD_MULTI));
	ASSERT_EQ(0, put(self->out));
	EXPECT_TRUE(silent(&self->r));
	sqe_update(&self->r, POLLIN, IORING_POLL_UPDATE_USER_DATA);
	sqe = ring_slot(&self->r, self->r.sq_next - 1);
	sqe->off = KEY + 1;
	EXPECT_RES(0, run_remove(&self->r, &cqe));
	for (i = 0; i < 3; i++) {
		EXPECT_RES(POLLIN, cqe.res);
		EXPECT_EQ(KEY + 1, cqe.user_data);
		EXPECT_EQ(MORE, cqe.flags);
		ASSERT_EQ(0, get(self->in));
		ASSERT_EQ(0, put(self->out));
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	}
}

TEST_F(poll, update_keeps_one_shot)
{
	struct cqe cqe;

	ASSERT_EQ(0, start_poll(&self->r, self->in, POLLPRI, 0));
	sqe_update(&self->r, POLLIN, IORING_POLL_ADD_MULTI);
	EXPECT_RES(0, ring_run(&self->r));
	ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(POLLIN, cqe.res);
	EXPECT_EQ(0, cqe.flags);
	ASSERT_EQ(0, put(self->out));
	EXPECT_TRUE(silent(&self->r));
}

/* A queue of waiters that ends before the poll does: that of a process's signals */

static int poll_signals(void *arg)
{
	struct ring *r = arg;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	fd = signalfd(-1, &set, 0);
	return fd < 0 || start_poll(r, fd, POLLIN, 0);
}

TEST(poll_queue_disappears)
{
	struct cqe cqe;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	ASSERT_EQ(0, in_child(poll_signals, &r));
	/* The child is gone, and with it the queue. */
	ASSERT_EQ(0, ring_wait(&r, &cqe));
	EXPECT_EQ(KEY, cqe.user_data);
	EXPECT_RES(-ECANCELED, cqe.res);
	ring_close(&r);
}

/* Requests that wait until their file is ready */

TEST_F(poll, read_waits)
{
	struct cqe cqe;
	char c = 0;

	sqe_rw(&self->r, IORING_OP_READ, self->in, &c, 1, -1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(silent(&self->r));
	ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(1, cqe.res);
	EXPECT_EQ('x', c);
}

TEST_F(poll, write_waits)
{
	static char buf[65536];
	struct cqe cqe;

	ASSERT_LT(0, fcntl(self->out, F_SETPIPE_SZ, 65536));
	ASSERT_EQ(65536, write(self->out, buf, 65536));
	sqe_rw(&self->r, IORING_OP_WRITE, self->out, "y", 1, -1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(silent(&self->r));
	ASSERT_EQ(65536, read(self->in, buf, 65536));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(1, cqe.res);
}

/* A read and a write of one ring that wait for each other, while the task waits for both */
TEST_F(poll, requests_depend_on_each_other)
{
	static char buf[65536];
	struct ring *r = &self->r;
	struct cqe cqe;
	int i;

	if (variant->flags & IORING_SETUP_DEFER_TASKRUN)
		SKIP(return, "on such a ring a wait for two lets requests wait for two");
	ASSERT_LT(0, fcntl(self->out, F_SETPIPE_SZ, 65536));
	ASSERT_EQ(65536, write(self->out, buf, 65536));
	sqe_rw(r, IORING_OP_WRITE, self->out, buf, 4096, -1)->user_data = 1;
	ASSERT_EQ(1, ring_submit(r));
	for (i = 0; i < 16; i++)
		sqe_rw(r, IORING_OP_READ, self->in, buf, 4096, -1)->user_data = 2;
	ASSERT_EQ(16, ring_submit(r));
	EXPECT_RES(0, ring_wait_ms(r, 17, WAIT_MS));
	for (i = 0; i < 17; i++) {
		ASSERT_EQ(0, ring_wait(r, &cqe));
		EXPECT_RES(4096, cqe.res);
	}
}

/* Many readers, less data: each byte goes to one of them, the others wait on. */
TEST_F(poll, herd)
{
	enum { READERS = 16 };
	bool done[READERS] = {};
	struct cqe cqe;
	char buf[READERS];
	int i, n;

	for (i = 0; i < READERS; i++)
		sqe_rw(&self->r, IORING_OP_READ, self->in, &buf[i], 1, -1)->user_data = i;
	ASSERT_EQ(READERS, ring_submit(&self->r));
	for (n = 0; n < READERS; n++) {
		ASSERT_EQ(0, put(self->out));
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(1, cqe.res);
		ASSERT_GT(READERS, cqe.user_data);
		EXPECT_FALSE(done[cqe.user_data]);
		done[cqe.user_data] = true;
		ring_get_events(&self->r);
		EXPECT_EQ(0, ring_ready(&self->r));
	}
}

static int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

/* Who is woken in vain ever more often ends up in a worker, and still gets its data. */
TEST_F(poll, retries_are_bounded)
{
	char c = 0, path[32];
	int i, thief;
	struct cqe cqe;

	/* Only a ring that has to be entered is slow enough to be robbed. */
	if (!(variant->flags & IORING_SETUP_DEFER_TASKRUN))
		SKIP(return, "gets its data at once");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->in);
	thief = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, thief);
	sqe_rw(&self->r, IORING_OP_READ, self->in, &c, 1, -1)->user_data = 7;
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 140; i++) {
		EXPECT_EQ(true, i > 100 || count_threads() == 1);
		ASSERT_EQ(0, put(self->out));
		if (get(thief))
			break;
		ring_get_events(&self->r);
	}
	EXPECT_EQ(2, count_threads());
	/* If the loop ended early the worker has had its byte. */
	if (i == 140)
		ASSERT_EQ(0, put(self->out));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(7, cqe.user_data);
	EXPECT_RES(1, cqe.res);
	EXPECT_EQ('x', c);
	close(thief);
}

/* Events, removals and changes at the same time: each poll ends once, and no event is lost. */

struct writer {
	int fd;
	atomic_bool stop;
};

static void *write_events(void *arg)
{
	struct writer *w = arg;

	while (!atomic_load(&w->stop)) {
		eventfd_write(w->fd, 1);
		sched_yield();
	}
	return NULL;
}

/* What became of a poll and of its removal */
struct outcome {
	int polls;			/* final CQEs of the poll */
	int removed;			/* result of the removal, or NO_CQE */
	int wrong;			/* CQEs that may not be */
};

static void count_outcome(struct ring *r, const struct cqe *cqe, bool multi, struct outcome *o)
{
	switch (cqe->user_data) {
	case KEY:
		o->wrong += cqe->res != POLLIN && cqe->res != -ECANCELED;
		o->wrong += cqe->flags & MORE && !multi;
		o->polls += !(cqe->flags & MORE);
		break;
	case OTHER:
		o->removed = cqe->res;
		/* An older kernel may want to be asked again. */
		if (cqe->res == -EALREADY && on_stock()) {
			o->removed = NO_CQE;
			sqe_remove(r, KEY, 0);
			ring_submit(r);
		}
		break;
	}
}

static struct outcome race_removal(struct ring *r, int fd, unsigned int round)
{
	struct outcome o = { .removed = NO_CQE };
	bool multi = round & 1;
	eventfd_t value;
	struct cqe cqe;

	eventfd_read(fd, &value);
	sqe_poll(r, fd, POLLIN, multi ? IORING_POLL_ADD_MULTI : 0);
	if (round & 2) {
		sqe_update(r, POLLIN, 0);
		ring_slot(r, r->sq_next - 1)->user_data = OTHER + 1;
	}
	if (round & 4)
		ring_submit(r);
	sqe_remove(r, KEY, 0);
	ring_submit(r);
	while (!o.polls || o.removed == NO_CQE) {
		if (ring_wait(r, &cqe))
			break;
		count_outcome(r, &cqe, multi, &o);
	}
	ring_get_events(r);
	while (ring_take(r, &cqe))
		count_outcome(r, &cqe, multi, &o);
	return o;
}

static unsigned int rounds(void)
{
	const char *s = getenv("ROUNDS");

	return s ? atoi(s) : 3000;
}

TEST_F(poll, race_with_removal)
{
	struct writer w = { .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	unsigned int i, n = rounds();
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, write_events, &w));
	for (i = 0; i < n; i++) {
		struct outcome o = race_removal(&self->r, w.fd, i);

		ASSERT_EQ(1, o.polls);
		ASSERT_EQ(0, o.wrong);
		if (o.removed != -ENOENT)
			ASSERT_EQ(0, o.removed);
	}
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	close(w.fd);
}

/* No wake-up is lost when the event comes at the moment of arming. */
struct partner {
	int in, out;
};

static void *echo(void *arg)
{
	struct partner *p = arg;
	char c;

	while (read(p->in, &c, 1) == 1)
		if (write(p->out, &c, 1) != 1)
			break;
	return NULL;
}

TEST_F(poll, ping_pong)
{
	unsigned int i, n = rounds();
	struct partner p;
	pthread_t thread;
	int ping[2], pong[2];

	ASSERT_EQ(0, pipe2(ping, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(pong, O_CLOEXEC));
	p = (struct partner){ .in = ping[0], .out = pong[1] };
	ASSERT_EQ(0, pthread_create(&thread, NULL, echo, &p));
	for (i = 0; i < n; i++) {
		struct cqe cqe;
		char c;

		ASSERT_EQ(0, put(ping[1]));
		if (i & 1)
			sqe_poll(&self->r, pong[0], POLLIN, 0);
		else
			sqe_rw(&self->r, IORING_OP_READ, pong[0], &c, 1, -1);
		ASSERT_EQ(1, ring_submit(&self->r));
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_EQ(1, cqe.res);
		if (i & 1)
			ASSERT_EQ(0, get(pong[0]));
	}
	close(ping[1]);
	pthread_join(thread, NULL);
	close(ping[0]);
	close(pong[0]);
	close(pong[1]);
}

TEST_HARNESS_MAIN
