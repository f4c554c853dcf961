// SPDX-License-Identifier: GPL-2.0
/*
 * READ and WRITE on what has no position: pipes, sockets, character devices,
 * eventfds, timerfds. Requests that cannot go on wait, and end when they can.
 */
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "common.h"

FIXTURE(stream)
{
	struct ring r;
	int pipe[2], sock[2];
	char buf[256];
};

FIXTURE_VARIANT(stream)
{
	unsigned int ring_flags, sqe_flags;
};

FIXTURE_VARIANT_ADD(stream, plain)
{
	.ring_flags = 0,
};

FIXTURE_VARIANT_ADD(stream, coop)
{
	.ring_flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
};

FIXTURE_VARIANT_ADD(stream, defer)
{
	.ring_flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(stream, async)
{
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_VARIANT_ADD(stream, async_defer)
{
	.ring_flags = DEFER_FLAGS,
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_SETUP(stream)
{
	if (variant->sqe_flags & IOSQE_ASYNC)
		NEEDS_PIECE("pool");
	signal(SIGPIPE, SIG_IGN);
	ASSERT_EQ(0, ring_open(&self->r, 16, variant->ring_flags));
	ASSERT_EQ(0, pipe(self->pipe));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, self->sock));
}

FIXTURE_TEARDOWN(stream)
{
	ring_close(&self->r);
	close(self->pipe[0]);
	close(self->pipe[1]);
	close(self->sock[0]);
	close(self->sock[1]);
}

/* Queue and submit; the request is then running or waiting. */
#define START(op, fd, buf, len, off)					\
	do {								\
		sqe_rw(&self->r, op, fd, buf, len, off)->flags = variant->sqe_flags;	\
		ASSERT_EQ(1, ring_submit(&self->r));			\
	} while (0)

#define EXPECT_NOT_YET()						\
	do {								\
		EXPECT_RES(-ETIME, ring_wait_ms(&self->r, 1, SETTLE_MS));	\
		EXPECT_EQ(0, ring_ready(&self->r));			\
	} while (0)

#define EXPECT_END(want)						\
	do {								\
		struct cqe cqe_ = {};					\
									\
		EXPECT_RES(0, ring_wait(&self->r, &cqe_));		\
		EXPECT_RES(want, cqe_.res);				\
	} while (0)

TEST_F(stream, pipe_with_data)
{
	ASSERT_EQ(5, write(self->pipe[1], "hello", 5));
	START(IORING_OP_READ, self->pipe[0], self->buf, 100, 0);
	EXPECT_END(5);
	EXPECT_STREQ("hello", self->buf);
}

TEST_F(stream, empty_pipe)
{
	START(IORING_OP_READ, self->pipe[0], self->buf, 100, 0);
	EXPECT_NOT_YET();
	ASSERT_EQ(5, write(self->pipe[1], "hello", 5));
	EXPECT_END(5);
	EXPECT_STREQ("hello", self->buf);
}

TEST_F(stream, empty_pipe_vectors)
{
	struct iovec iov[3] = {
		{ self->buf + 10, 2 }, { self->buf, 0 }, { self->buf + 20, 50 },
	};

	START(IORING_OP_READV, self->pipe[0], iov, 3, 0);
	EXPECT_NOT_YET();
	ASSERT_EQ(5, write(self->pipe[1], "hello", 5));
	EXPECT_END(5);
	EXPECT_STREQ("he", self->buf + 10);
	EXPECT_STREQ("llo", self->buf + 20);
}

/* Positions mean nothing here, none is refused. */
TEST_F(stream, any_offset)
{
	static const __u64 offsets[] = { 0, 1, 4096, 1ull << 40, -1ull };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		START(IORING_OP_WRITE, self->pipe[1], "x", 1, offsets[i]);
		EXPECT_END(1);
		START(IORING_OP_READ, self->pipe[0], self->buf, 1, offsets[i]);
		EXPECT_END(1);
		EXPECT_EQ('x', self->buf[0]);
	}
}

TEST_F(stream, full_pipe)
{
	static char page[4096];
	int room = 0, size = fcntl(self->pipe[1], F_SETPIPE_SZ, 4096);

	ASSERT_LT(0, size);
	for (room = 0; room < size; room += sizeof(page))
		ASSERT_EQ(sizeof(page), write(self->pipe[1], page, sizeof(page)));
	START(IORING_OP_WRITE, self->pipe[1], "tail", 4, 0);
	EXPECT_NOT_YET();
	for (room = 0; room < size; room += sizeof(page))
		ASSERT_EQ(sizeof(page), read(self->pipe[0], page, sizeof(page)));
	EXPECT_END(4);
	ASSERT_EQ(4, read(self->pipe[0], self->buf, 100));
	EXPECT_EQ(0, memcmp(self->buf, "tail", 4));
}

TEST_F(stream, end_of_pipe)
{
	START(IORING_OP_READ, self->pipe[0], self->buf, 100, 0);
	EXPECT_NOT_YET();
	close(self->pipe[1]);
	EXPECT_END(0);
	START(IORING_OP_READ, self->pipe[0], self->buf, 100, 0);
	EXPECT_END(0);
}

TEST_F(stream, pipe_without_reader)
{
	close(self->pipe[0]);
	START(IORING_OP_WRITE, self->pipe[1], "x", 1, 0);
	EXPECT_END(-EPIPE);
}

TEST_F(stream, many_readers_of_one_pipe)
{
	bool seen[10] = {};
	unsigned int i;

	for (i = 0; i < 10; i++)
		START(IORING_OP_READ, self->pipe[0], self->buf + i, 1, 0);
	for (i = 0; i < 10; i++) {
		char c = i;

		ASSERT_EQ(1, write(self->pipe[1], &c, 1));
	}
	for (i = 0; i < 10; i++)
		EXPECT_END(1);
	/* Each byte went to one of them. */
	for (i = 0; i < 10; i++) {
		ASSERT_GT(10, (unsigned char)self->buf[i]);
		EXPECT_FALSE(seen[(int)self->buf[i]]);
		seen[(int)self->buf[i]] = true;
	}
}

#define FLOW	0x100000u

static unsigned char flow_byte(unsigned int i)
{
	return i * 7 + i / 251;
}

static void *flow_writer(void *arg)
{
	unsigned char chunk[3000];
	unsigned int done = 0, i, n;
	ssize_t ret;

	while (done < FLOW) {
		n = FLOW - done < sizeof(chunk) ? FLOW - done : sizeof(chunk);
		for (i = 0; i < n; i++)
			chunk[i] = flow_byte(done + i);
		ret = write(*(int *)arg, chunk, n);
		if (ret <= 0)
			break;
		done += ret;
	}
	return NULL;
}

TEST_F(stream, flow_through_a_pipe)
{
	unsigned char chunk[5000];
	unsigned int done = 0, i;
	pthread_t thread;
	struct cqe cqe;

	ASSERT_EQ(0, pthread_create(&thread, NULL, flow_writer, &self->pipe[1]));
	while (done < FLOW) {
		START(IORING_OP_READ, self->pipe[0], chunk, sizeof(chunk), 0);
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		ASSERT_LT(0, cqe.res);
		for (i = 0; i < cqe.res; i++)
			ASSERT_EQ(flow_byte(done + i), chunk[i]);
		done += cqe.res;
	}
	EXPECT_EQ(FLOW, done);
	pthread_join(thread, NULL);
}

/* Nobody waits who asked not to. */

TEST_F(stream, rwf_nowait)
{
	struct io_uring_sqe *sqe;

	sqe = sqe_rw(&self->r, IORING_OP_READ, self->pipe[0], self->buf, 1, 0);
	sqe->rw_flags = RWF_NOWAIT;
	sqe->flags = variant->sqe_flags;
	EXPECT_RES(-EAGAIN, ring_run(&self->r));
	ASSERT_EQ(1, write(self->pipe[1], "x", 1));
	sqe = sqe_rw(&self->r, IORING_OP_READ, self->pipe[0], self->buf, 1, 0);
	sqe->rw_flags = RWF_NOWAIT;
	sqe->flags = variant->sqe_flags;
	EXPECT_RES(1, ring_run(&self->r));
}

/* O_NONBLOCK is about the program's own calls where the file can tell the two apart. */
TEST_F(stream, nonblocking_pipe)
{
	ASSERT_EQ(0, fcntl(self->pipe[0], F_SETFL, O_NONBLOCK));
	START(IORING_OP_READ, self->pipe[0], self->buf, 1, 0);
	EXPECT_NOT_YET();
	ASSERT_EQ(1, write(self->pipe[1], "x", 1));
	EXPECT_END(1);
}

/* Sockets */

TEST_F(stream, socket_with_data)
{
	START(IORING_OP_WRITE, self->sock[0], "hello", 5, 0);
	EXPECT_END(5);
	START(IORING_OP_READ, self->sock[1], self->buf, 100, 0);
	EXPECT_END(5);
	EXPECT_STREQ("hello", self->buf);
}

TEST_F(stream, empty_socket)
{
	START(IORING_OP_READ, self->sock[1], self->buf, 100, 0);
	EXPECT_NOT_YET();
	START(IORING_OP_WRITE, self->sock[0], "hello", 5, -1);
	EXPECT_END(5);
	EXPECT_END(5);
	EXPECT_STREQ("hello", self->buf);
}

TEST_F(stream, full_socket)
{
	static char chunk[8192];
	int n, total = 0;

	while ((n = send(self->sock[0], chunk, sizeof(chunk), MSG_DONTWAIT)) > 0)
		total += n;
	ASSERT_EQ(EAGAIN, errno);
	START(IORING_OP_WRITE, self->sock[0], "tail", 4, 0);
	EXPECT_NOT_YET();
	while (total > 0) {
		n = read(self->sock[1], chunk, sizeof(chunk));
		ASSERT_LT(0, n);
		total -= n;
	}
	EXPECT_END(4);
	ASSERT_EQ(4, read(self->sock[1], self->buf, 100));
	EXPECT_EQ(0, memcmp(self->buf, "tail", 4));
}

TEST_F(stream, end_of_socket)
{
	START(IORING_OP_READ, self->sock[1], self->buf, 100, 0);
	EXPECT_NOT_YET();
	ASSERT_EQ(0, shutdown(self->sock[0], SHUT_WR));
	EXPECT_END(0);
	close(self->sock[1]);
	START(IORING_OP_WRITE, self->sock[0], "x", 1, 0);
	EXPECT_END(-EPIPE);
}

TEST_F(stream, both_directions_of_a_socket)
{
	START(IORING_OP_READ, self->sock[0], self->buf, 10, 0);
	START(IORING_OP_READ, self->sock[1], self->buf + 100, 10, 0);
	EXPECT_NOT_YET();
	ASSERT_EQ(3, write(self->sock[0], "abc", 3));
	EXPECT_END(3);
	EXPECT_STREQ("abc", self->buf + 100);
	ASSERT_EQ(4, write(self->sock[1], "defg", 4));
	EXPECT_END(4);
	EXPECT_STREQ("defg", self->buf);
}

/* Character devices */

TEST_F(stream, dev_zero)
{
	int fd = open("/dev/zero", O_RDWR);
	unsigned int i;

	ASSERT_LE(0, fd);
	memset(self->buf, 0xff, sizeof(self->buf));
	START(IORING_OP_READ, fd, self->buf, sizeof(self->buf), 0);
	EXPECT_END(sizeof(self->buf));
	for (i = 0; i < sizeof(self->buf); i++)
		EXPECT_EQ(0, self->buf[i]);
	START(IORING_OP_WRITE, fd, self->buf, sizeof(self->buf), -1);
	EXPECT_END(sizeof(self->buf));
	close(fd);
}

TEST_F(stream, dev_null)
{
	int fd = open("/dev/null", O_RDWR);
	struct iovec iov[2] = { { self->buf, 100 }, { self->buf, 23 } };

	ASSERT_LE(0, fd);
	START(IORING_OP_READ, fd, self->buf, sizeof(self->buf), 0);
	EXPECT_END(0);
	START(IORING_OP_WRITE, fd, self->buf, sizeof(self->buf), 0);
	EXPECT_END(sizeof(self->buf));
	START(IORING_OP_WRITEV, fd, iov, 2, 0);
	EXPECT_END(123);
	close(fd);
}

/* eventfd, timerfd */

TEST_F(stream, eventfd)
{
	int fd = eventfd(0, 0);
	__u64 value = 0, add = 3;

	ASSERT_LE(0, fd);
	START(IORING_OP_READ, fd, &value, 8, 0);
	EXPECT_NOT_YET();
	START(IORING_OP_WRITE, fd, &add, 8, 0);
	EXPECT_END(8);
	EXPECT_END(8);
	EXPECT_EQ(3, value);
	/* Too short for it. */
	START(IORING_OP_READ, fd, &value, 4, 0);
	EXPECT_END(-EINVAL);
	close(fd);
}

TEST_F(stream, eventfd_as_semaphore)
{
	int fd = eventfd(3, EFD_SEMAPHORE);
	__u64 value;
	unsigned int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		value = 0;
		START(IORING_OP_READ, fd, &value, 8, 0);
		EXPECT_END(8);
		EXPECT_EQ(1, value);
	}
	START(IORING_OP_READ, fd, &value, 8, 0);
	EXPECT_NOT_YET();
	close(fd);
}

TEST_F(stream, timerfd)
{
	struct itimerspec spec = { .it_value = { 0, 2 * SETTLE_MS * 1000000l } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	__u64 value = 0, start;

	ASSERT_LE(0, fd);
	start = now_ns();
	ASSERT_EQ(0, timerfd_settime(fd, 0, &spec, NULL));
	/* Longer than it has to be; what comes back is 8 bytes. */
	START(IORING_OP_READ, fd, self->buf, 64, 0);
	EXPECT_END(8);
	memcpy(&value, self->buf, 8);
	EXPECT_EQ(1, value);
	EXPECT_LE(2 * SETTLE_MS, ms_since(start));
	close(fd);
}

/* A file of which all users but the request are gone goes on until it ends. */
TEST_F(stream, descriptor_closed_under_a_read)
{
	START(IORING_OP_READ, self->pipe[0], self->buf, 100, 0);
	EXPECT_NOT_YET();
	close(self->pipe[0]);
	EXPECT_NOT_YET();
	ASSERT_EQ(2, write(self->pipe[1], "ok", 2));
	EXPECT_END(2);
	EXPECT_STREQ("ok", self->buf);
	/* The request was the last reader. A worker may still have to let go of it. */
	EXPECT_TRUE(BECOMES(!ring_get_events(&self->r) && pipe_is_free(self->pipe[1])));
}

TEST_HARNESS_MAIN
