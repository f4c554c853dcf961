// SPDX-License-Identifier: GPL-2.0
/*
 * SEND, RECV, SENDMSG, RECVMSG: results, waiting, transfers that go on, the
 * message header, and the order of refusals.
 */
#include <netinet/in.h>
#include <sys/socket.h>

#include "common.h"

#define SEND_FLAGS_BAD		0x8000
#define BIG			(1024 * 1024)

FIXTURE(net)
{
	struct ring r;
	int a, b;		/* a connected pair */
};

RING_KIND_VARIANT(net);
RING_KIND(net, plain, .flags = 0);
RING_KIND(net, coop, .flags = IORING_SETUP_COOP_TASKRUN);
RING_KIND(net, defer, .flags = DEFER_FLAGS);
RING_KIND(net, big_defer, .flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32 | DEFER_FLAGS);
RING_KIND(net, sqpoll, .flags = IORING_SETUP_SQPOLL, .piece = "sqpoll");

static int tcp_pair(int fds[2])
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(addr);
	int l = socket(AF_INET, SOCK_STREAM, 0);
	int ret = -1;

	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (!bind(l, (void *)&addr, len) && !listen(l, 1) &&
	    !getsockname(l, (void *)&addr, &len) && !connect(fds[0], (void *)&addr, len)) {
		fds[1] = accept(l, NULL, NULL);
		ret = fds[1] < 0 ? -1 : 0;
	}
	close(l);
	return ret;
}

FIXTURE_SETUP(net)
{
	int fds[2];

	NEEDS_RING_KIND(variant);
	ASSERT_EQ(0, ring_open(&self->r, 32, variant->flags));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	self->a = fds[0];
	self->b = fds[1];
}

FIXTURE_TEARDOWN(net)
{
	close(self->a);
	close(self->b);
	ring_close(&self->r);
}

static struct io_uring_sqe *sqe_net(struct ring *r, int opcode, int fd, const void *buf,
				    unsigned int len, unsigned int msg_flags, uint64_t user_data)
{
	struct io_uring_sqe *sqe = sqe_rw(r, opcode, fd, buf, len, 0);

	sqe->msg_flags = msg_flags;
	sqe->user_data = user_data;
	return sqe;
}

static struct io_uring_sqe *sqe_recv(struct ring *r, int fd, void *buf, unsigned int len,
				     unsigned int msg_flags)
{
	return sqe_net(r, IORING_OP_RECV, fd, buf, len, msg_flags, 1);
}

static struct io_uring_sqe *sqe_send(struct ring *r, int fd, const void *buf, unsigned int len,
				     unsigned int msg_flags)
{
	return sqe_net(r, IORING_OP_SEND, fd, buf, len, msg_flags, 2);
}

static struct io_uring_sqe *sqe_msg(struct ring *r, int opcode, int fd, const struct msghdr *msg,
				    unsigned int msg_flags)
{
	return sqe_net(r, opcode, fd, msg, 1, msg_flags, 3);
}

/* Cancel the request with this user_data: the cancel's own result. */
static int cancel(struct ring *r, uint64_t user_data, int *target)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_ASYNC_CANCEL, 99);
	int res = NO_CQE, i;
	struct cqe cqe;

	sqe->addr = user_data;
	sqe->fd = -1;
	if (ring_submit(r) != 1)
		return NO_CQE;
	*target = NO_CQE;
	for (i = 0; i < 2 && !ring_wait(r, &cqe); i++) {
		if (cqe.user_data == 99)
			res = cqe.res;
		else if (cqe.user_data == user_data)
			*target = cqe.res;
	}
	return res;
}

/* Nothing has completed, and nothing does for a while. */
static bool stays_quiet(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

TEST_F(net, at_once)
{
	char buf[8] = "";

	sqe_send(&self->r, self->a, "hello", 5, 0);
	EXPECT_RES(5, ring_run(&self->r));
	sqe_recv(&self->r, self->b, buf, sizeof(buf), 0);
	EXPECT_RES(5, ring_run(&self->r));
	EXPECT_STREQ("hello", buf);
	shutdown(self->a, SHUT_WR);
	sqe_recv(&self->r, self->b, buf, sizeof(buf), 0);
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(net, waits)
{
	char buf[8] = "";
	struct cqe cqe;

	sqe_recv(&self->r, self->b, buf, sizeof(buf), 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(3, write(self->a, "abc", 3));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(1, cqe.user_data);
	EXPECT_RES(3, cqe.res);
	EXPECT_STREQ("abc", buf);
}

TEST_F(net, waits_from_a_worker)
{
	char buf[8] = "";
	struct cqe cqe;

	sqe_recv(&self->r, self->b, buf, sizeof(buf), 0)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(3, write(self->a, "abc", 3));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(3, cqe.res);
	EXPECT_STREQ("abc", buf);
}

/* O_NONBLOCK is about the calls of others; MSG_DONTWAIT is about this one. */
TEST_F(net, wait_or_not)
{
	char buf[8] = "";
	struct cqe cqe;

	sqe_recv(&self->r, self->b, buf, sizeof(buf), MSG_DONTWAIT);
	EXPECT_RES(-EAGAIN, ring_run(&self->r));
	sqe_recv(&self->r, self->b, buf, sizeof(buf), MSG_DONTWAIT)->flags = IOSQE_ASYNC;
	EXPECT_RES(-EAGAIN, ring_run(&self->r));

	ASSERT_EQ(0, fcntl(self->b, F_SETFL, O_NONBLOCK));
	sqe_recv(&self->r, self->b, buf, sizeof(buf), 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(3, write(self->a, "abc", 3));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(3, cqe.res);
}

TEST_F(net, poll_first)
{
	char buf[8] = "";
	struct cqe cqe;

	sqe_recv(&self->r, self->b, buf, sizeof(buf), 0)->ioprio = IORING_RECVSEND_POLL_FIRST;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(3, write(self->a, "abc", 3));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(3, cqe.res);

	ASSERT_EQ(3, write(self->a, "def", 3));
	sqe_recv(&self->r, self->b, buf, sizeof(buf), 0)->ioprio = IORING_RECVSEND_POLL_FIRST;
	EXPECT_RES(3, ring_run(&self->r));
	sqe_send(&self->r, self->a, "ghi", 3, 0)->ioprio = IORING_RECVSEND_POLL_FIRST;
	EXPECT_RES(3, ring_run(&self->r));
	/* To wait first and not to wait at all do not go together. */
	sqe_recv(&self->r, self->b, buf, sizeof(buf), MSG_DONTWAIT)->ioprio =
		IORING_RECVSEND_POLL_FIRST;
	EXPECT_RES(-EAGAIN, ring_run(&self->r));
}

TEST_F(net, cancelled)
{
	char buf[8];
	int target;

	sqe_recv(&self->r, self->b, buf, sizeof(buf), 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_RES(0, cancel(&self->r, 1, &target));
	EXPECT_RES(-ECANCELED, target);
	/* Nobody takes what comes later. */
	ASSERT_EQ(3, write(self->a, "abc", 3));
	EXPECT_EQ(3, read(self->b, buf, sizeof(buf)));
}

TEST_F(net, waitall)
{
	char buf[8] = "";
	struct cqe cqe;

	sqe_recv(&self->r, self->b, buf, 6, MSG_WAITALL);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(2, write(self->a, "ab", 2));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(1, write(self->a, "c", 1));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(4, write(self->a, "defg", 4));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(6, cqe.res);
	EXPECT_STREQ("abcdef", buf);
	EXPECT_EQ(1, read(self->b, buf, sizeof(buf)));
}

/* Whatever ends it early, what was received is not lost; and the chain breaks. */
TEST_F(net, waitall_ends_early)
{
	char buf[8] = "";
	struct cqe cqe;
	int target;

	sqe_recv(&self->r, self->b, buf, 6, MSG_WAITALL);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(2, write(self->a, "ab", 2));
	EXPECT_TRUE(stays_quiet(&self->r));
	EXPECT_RES(0, cancel(&self->r, 1, &target));
	EXPECT_RES(2, target);

	ASSERT_EQ(3, write(self->a, "cde", 3));
	sqe_recv(&self->r, self->b, buf, 6, MSG_WAITALL | MSG_DONTWAIT);
	EXPECT_RES(3, ring_run(&self->r));

	sqe_recv(&self->r, self->b, buf, 6, MSG_WAITALL)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, 7);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(2, write(self->a, "fg", 2));
	EXPECT_TRUE(stays_quiet(&self->r));
	close(self->a);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(1, cqe.user_data);
	EXPECT_RES(2, cqe.res);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(7, cqe.user_data);
	EXPECT_RES(-ECANCELED, cqe.res);
}

/* Without MSG_WAITALL a short receive is as good as any. */
TEST_F(net, short_is_success)
{
	char buf[8];
	struct cqe cqe;

	ASSERT_EQ(2, write(self->a, "ab", 2));
	sqe_recv(&self->r, self->b, buf, 6, 0)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, 7);
	ASSERT_EQ(2, ring_submit_and_wait(&self->r, 2));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(2, cqe.res);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(0, cqe.res);
}

/* To look at data is not to take them: the second look would see the same ones. */
TEST_F(net, waitall_peek)
{
	char buf[8] = "";

	ASSERT_EQ(3, write(self->a, "abc", 3));
	sqe_recv(&self->r, self->b, buf, 6, MSG_WAITALL | MSG_PEEK | MSG_DONTWAIT);
	EXPECT_RES(3, ring_run(&self->r));
	EXPECT_STREQ("abc", buf);
}

static bool is_pattern(const char *buf, size_t from, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (buf[i] != (char)((from + i) * 7 / 5))
			return false;
	return true;
}

static char *pattern(size_t len)
{
	char *buf = malloc(len);
	size_t i;

	for (i = 0; buf && i < len; i++)
		buf[i] = i * 7 / 5;
	return buf;
}

/* Take all that was sent; what is right of it */
static size_t drain_pattern(int fd, size_t len)
{
	static char part[4096];
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, part, sizeof(part));

		if (n <= 0 || !is_pattern(part, got, n))
			break;
		got += n;
	}
	return got;
}

struct drain {
	int fd;
	size_t len, got;
};

static void *drain_main(void *arg)
{
	struct drain *d = arg;

	d->got = drain_pattern(d->fd, d->len);
	return NULL;
}

TEST_F(net, send_all)
{
	struct drain d = { self->b, BIG };
	char *buf = pattern(BIG);
	pthread_t thread;
	struct cqe cqe;

	ASSERT_NE(NULL, buf);
	sqe_send(&self->r, self->a, buf, BIG, MSG_WAITALL);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(0, pthread_create(&thread, NULL, drain_main, &d));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	pthread_join(thread, NULL);
	EXPECT_RES(BIG, cqe.res);
	EXPECT_EQ(BIG, d.got);
	free(buf);
}

TEST_F(net, sendmsg_all)
{
	struct drain d = { self->b, BIG };
	char *buf = pattern(BIG);
	struct iovec iov[] = {
		{ buf, 1 }, { buf + 1, BIG / 2 }, { NULL, 0 }, { buf + 1 + BIG / 2, BIG / 2 - 1 },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 4 };
	pthread_t thread;
	struct cqe cqe;

	ASSERT_NE(NULL, buf);
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, MSG_WAITALL);
	ASSERT_EQ(1, ring_submit(&self->r));
	/* All that describes the message was copied, whether a thread submits or we do. */
	if (variant->flags & IORING_SETUP_SQPOLL)
		ASSERT_TRUE(BECOMES(load_acquire(self->r.sq_head) == 1));
	memset(iov, 0xff, sizeof(iov));
	memset(&msg, 0xff, sizeof(msg));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(0, pthread_create(&thread, NULL, drain_main, &d));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	pthread_join(thread, NULL);
	EXPECT_RES(BIG, cqe.res);
	EXPECT_EQ(BIG, d.got);
	free(buf);
}

TEST_F(net, recvmsg_all)
{
	char one[3] = "", two[4] = "";
	struct iovec iov[] = { { one, 3 }, { two, 4 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2, .msg_flags = -1 };
	struct cqe cqe;

	sqe_msg(&self->r, IORING_OP_RECVMSG, self->b, &msg, MSG_WAITALL);
	ASSERT_EQ(1, ring_submit(&self->r));
	if (variant->flags & IORING_SETUP_SQPOLL)
		ASSERT_TRUE(BECOMES(load_acquire(self->r.sq_head) == 1));
	memset(iov, 0xff, sizeof(iov));
	ASSERT_EQ(2, write(self->a, "ab", 2));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(4, write(self->a, "cdef", 4));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(1, write(self->a, "g", 1));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(7, cqe.res);
	EXPECT_EQ(0, memcmp("abc", one, 3));
	EXPECT_EQ(0, memcmp("defg", two, 4));
	EXPECT_EQ(0, msg.msg_flags);
}

union control {
	struct cmsghdr hdr;
	char room[CMSG_SPACE(sizeof(int))];
};

static void put_fd(struct msghdr *msg, union control *c, int fd)
{
	msg->msg_control = c;
	msg->msg_controllen = sizeof(c->room);
	c->hdr.cmsg_level = SOL_SOCKET;
	c->hdr.cmsg_type = SCM_RIGHTS;
	c->hdr.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&c->hdr), &fd, sizeof(fd));
}

TEST_F(net, passes_descriptors)
{
	char data = 'x', got = 0;
	struct iovec out = { &data, 1 }, in = { &got, 1 };
	struct msghdr send = { .msg_iov = &out, .msg_iovlen = 1 };
	struct msghdr recv = { .msg_iov = &in, .msg_iovlen = 1 };
	union control c_out = {}, c_in = {};
	int before, fd = -1;

	put_fd(&send, &c_out, self->a);
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &send, 0);
	EXPECT_RES(1, ring_run(&self->r));
	recv.msg_control = &c_in;
	recv.msg_controllen = sizeof(c_in.room);
	sqe_msg(&self->r, IORING_OP_RECVMSG, self->b, &recv, MSG_CMSG_CLOEXEC);
	EXPECT_RES(1, ring_run(&self->r));
	EXPECT_EQ('x', got);
	ASSERT_EQ(CMSG_LEN(sizeof(int)), c_in.hdr.cmsg_len);
	EXPECT_EQ(CMSG_SPACE(sizeof(int)), recv.msg_controllen);
	memcpy(&fd, CMSG_DATA(&c_in.hdr), sizeof(fd));
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	close(fd);

	/* No place for it: the application is told, nothing is left behind. */
	before = count_fds();
	put_fd(&send, &c_out, self->a);
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &send, 0);
	EXPECT_RES(1, ring_run(&self->r));
	recv.msg_control = NULL;
	recv.msg_controllen = 0;
	sqe_msg(&self->r, IORING_OP_RECVMSG, self->b, &recv, 0);
	EXPECT_RES(1, ring_run(&self->r));
	EXPECT_TRUE(recv.msg_flags & MSG_CTRUNC);
	EXPECT_EQ(before, count_fds());

	/* Nor is a ring passed. */
	put_fd(&send, &c_out, self->r.fd);
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &send, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

/* The first part of a send takes the descriptors along, and only the first. */
TEST_F(net, control_goes_once)
{
	struct drain d = { self->b, BIG };
	char *buf = pattern(BIG);
	struct iovec iov = { buf, BIG };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control c = {};
	pthread_t thread;
	struct cqe cqe;
	int p[2], before;

	ASSERT_NE(NULL, buf);
	ASSERT_EQ(0, pipe(p));
	before = count_fds();
	put_fd(&msg, &c, p[0]);
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, MSG_WAITALL);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	/* read() drops what it does not want. */
	ASSERT_EQ(0, pthread_create(&thread, NULL, drain_main, &d));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	pthread_join(thread, NULL);
	EXPECT_RES(BIG, cqe.res);
	EXPECT_EQ(BIG, d.got);
	EXPECT_EQ(before, count_fds());
	/* All references are gone: the pipe breaks. */
	close(p[0]);
	signal(SIGPIPE, SIG_IGN);
	EXPECT_EQ(-1, write(p[1], "x", 1));
	EXPECT_EQ(EPIPE, errno);
	close(p[1]);
	free(buf);
}

TEST_F(net, no_sigpipe)
{
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	signal(SIGPIPE, SIG_DFL);
	close(self->b);
	sqe_send(&self->r, self->a, "x", 1, 0);
	EXPECT_RES(-EPIPE, ring_run(&self->r));
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, 0);
	EXPECT_RES(-EPIPE, ring_run(&self->r));
}

static int udp_socket(struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(*addr);

	*addr = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr = { htonl(INADDR_LOOPBACK) } };
	if (fd < 0 || bind(fd, (void *)addr, len) || getsockname(fd, (void *)addr, &len))
		return -1;
	return fd;
}

TEST_F(net, destinations)
{
	struct sockaddr_in from, to, peer = {};
	int tx = udp_socket(&from), rx = udp_socket(&to);
	struct iovec out = { "two", 3 };
	char buf[8] = "";
	struct iovec in = { buf, 8 };
	struct msghdr send = { .msg_iov = &out, .msg_iovlen = 1,
			       .msg_name = &to, .msg_namelen = sizeof(to) };
	struct msghdr recv = { .msg_iov = &in, .msg_iovlen = 1,
			       .msg_name = &peer, .msg_namelen = sizeof(peer) };
	struct io_uring_sqe *sqe;

	ASSERT_LE(0, tx);
	ASSERT_LE(0, rx);
	sqe = sqe_send(&self->r, tx, "one", 3, 0);
	sqe->addr2 = (uintptr_t)&to;
	sqe->addr_len = sizeof(to);
	EXPECT_RES(3, ring_run(&self->r));
	sqe_recv(&self->r, rx, buf, sizeof(buf), 0);
	EXPECT_RES(3, ring_run(&self->r));
	EXPECT_STREQ("one", buf);

	sqe_msg(&self->r, IORING_OP_SENDMSG, tx, &send, 0);
	EXPECT_RES(3, ring_run(&self->r));
	sqe_msg(&self->r, IORING_OP_RECVMSG, rx, &recv, 0);
	EXPECT_RES(3, ring_run(&self->r));
	EXPECT_STREQ("two", buf);
	EXPECT_EQ(sizeof(peer), recv.msg_namelen);
	EXPECT_EQ(from.sin_port, peer.sin_port);

	/* Without a destination, with half of one, with one that is not there. */
	sqe_send(&self->r, tx, "x", 1, 0);
	EXPECT_RES(-EDESTADDRREQ, ring_run(&self->r));
	sqe = sqe_send(&self->r, tx, "x", 1, 0);
	sqe->addr2 = (uintptr_t)&to;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe = sqe_send(&self->r, tx, "x", 1, 0);
	sqe->addr2 = (uintptr_t)&to;
	sqe->addr_len = sizeof(struct sockaddr_storage) + 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe = sqe_send(&self->r, tx, "x", 1, 0);
	sqe->addr2 = (uintptr_t)BAD_PTR;
	sqe->addr_len = sizeof(to);
	EXPECT_RES(-EFAULT, ring_run(&self->r));

	/* MSG_TRUNC tells the size of the datagram; with MSG_WAITALL that breaks the chain. */
	ASSERT_EQ(6, sendto(tx, "abcdef", 6, 0, (void *)&to, sizeof(to)));
	sqe_recv(&self->r, rx, buf, 2, MSG_TRUNC);
	EXPECT_RES(6, ring_run(&self->r));
	close(tx);
	close(rx);
}

/* A message of the error queue makes no socket readable. */
TEST_F(net, error_queue)
{
	struct sockaddr_in addr, nowhere;
	int fd = udp_socket(&addr), gone = udp_socket(&nowhere);
	char buf[8], control[256];
	struct iovec iov = { buf, sizeof(buf) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control, .msg_controllen = sizeof(control) };
	struct cqe cqe;
	int one = 1;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, gone);
	close(gone);
	ASSERT_EQ(0, setsockopt(fd, IPPROTO_IP, IP_RECVERR, &one, sizeof(one)));
	/* Data that would wake a wait for them, and on stock do */
	if (!on_stock())
		ASSERT_EQ(1, sendto(fd, "d", 1, 0, (void *)&addr, sizeof(addr)));
	sqe_msg(&self->r, IORING_OP_RECVMSG, fd, &msg, MSG_ERRQUEUE);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(3, sendto(fd, "abc", 3, 0, (void *)&nowhere, sizeof(nowhere)));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(3, cqe.res);
	EXPECT_TRUE(msg.msg_flags & MSG_ERRQUEUE);
	close(fd);
}

TEST_F(net, more_is_queued)
{
	struct cqe cqe;
	char buf[4];
	int fds[2];

	ASSERT_EQ(0, tcp_pair(fds));
	ASSERT_EQ(6, write(fds[0], "abcdef", 6));
	sqe_recv(&self->r, fds[1], buf, 4, 0);
	EXPECT_RES(4, ring_run_cqe(&self->r, &cqe));
	EXPECT_EQ(IORING_CQE_F_SOCK_NONEMPTY, cqe.flags);
	sqe_recv(&self->r, fds[1], buf, 4, 0);
	EXPECT_RES(2, ring_run_cqe(&self->r, &cqe));
	EXPECT_EQ(0, cqe.flags);
	close(fds[0]);
	close(fds[1]);
}

TEST_F(net, vectorized)
{
	struct iovec iov[] = { { "ab", 2 }, { "cde", 3 } };
	struct io_uring_sqe *sqe;
	char buf[8] = "";
	int ret;

	sqe = sqe_send(&self->r, self->a, iov, 2, 0);
	sqe->ioprio = IORING_SEND_VECTORIZED;
	ret = ring_run(&self->r);
	NEEDS_73(ret != -EINVAL);
	EXPECT_RES(5, ret);
	EXPECT_EQ(5, read(self->b, buf, sizeof(buf)));
	EXPECT_STREQ("abcde", buf);

	sqe = sqe_send(&self->r, self->a, iov, UIO_MAXIOV + 1, 0);
	sqe->ioprio = IORING_SEND_VECTORIZED;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe = sqe_send(&self->r, self->a, BAD_PTR, 1, 0);
	sqe->ioprio = IORING_SEND_VECTORIZED;
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe = sqe_send(&self->r, self->a, NULL, 0, 0);
	sqe->ioprio = IORING_SEND_VECTORIZED;
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(net, bad_memory)
{
	struct msghdr msg = { .msg_iov = BAD_PTR, .msg_iovlen = 2 };
	struct iovec iov = { KERNEL_PTR, 8 };

	sqe_send(&self->r, self->a, KERNEL_PTR, 8, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe_send(&self->r, self->a, BAD_PTR, 8, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	ASSERT_EQ(1, write(self->a, "x", 1));
	sqe_recv(&self->r, self->b, BAD_PTR, 8, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));

	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, BAD_PTR, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe_msg(&self->r, IORING_OP_RECVMSG, self->b, BAD_PTR, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	msg.msg_iovlen = UIO_MAXIOV + 1;
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	msg = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	sqe_msg(&self->r, IORING_OP_RECVMSG, self->b, &msg, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	msg = (struct msghdr){ .msg_name = &iov, .msg_namelen = -1 };
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	msg = (struct msghdr){ .msg_control = BAD_PTR, .msg_controllen = 16 };
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	msg.msg_controllen = 1ull << 40;
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, 0);
	EXPECT_RES(-ENOBUFS, ring_run(&self->r));
}

/* What the SQE says is looked at first, then the file, then what kind it is. */
TEST_F(net, refused_in_order)
{
	static const int ops[] = {
		IORING_OP_SEND, IORING_OP_RECV, IORING_OP_SENDMSG, IORING_OP_RECVMSG,
	};
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int file = temp_file(O_RDWR), i;
	struct io_uring_sqe *sqe;
	char buf[4];

	ASSERT_LE(0, file);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		bool is_msg = ops[i] == IORING_OP_SENDMSG || ops[i] == IORING_OP_RECVMSG;
		void *addr = is_msg ? (void *)&msg : buf;

		sqe_net(&self->r, ops[i], -1, addr, 1, 0, 0)->ioprio = SEND_FLAGS_BAD;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_net(&self->r, ops[i], -1, addr, 1, 0, 0);
		EXPECT_RES(-EBADF, ring_run(&self->r));
		sqe_net(&self->r, ops[i], file, addr, 1, 0, 0);
		EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
		if (!on_stock()) {
			sqe = sqe_net(&self->r, ops[i], file, addr, 1, 0, 0);
			sqe->ioprio = IORING_RECVSEND_POLL_FIRST;
			EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
		}
		sqe_net(&self->r, ops[i], 100, addr, 1, 0, 0)->flags = IOSQE_FIXED_FILE;
		EXPECT_RES(-EBADF, ring_run(&self->r));
		if (ops[i] == IORING_OP_SEND)
			continue;
		sqe_net(&self->r, ops[i], self->a, addr, 1, 0, 0)->addr2 = 1;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_net(&self->r, ops[i], self->a, addr, 1, 0, 0)->file_index = 1;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
	}
	sqe_send(&self->r, self->a, buf, 1, 0)->__pad3[0] = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_send(&self->r, self->a, buf, 1u << 31, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, 0)->flags = IOSQE_BUFFER_SELECT;
	EXPECT_RES(-EOPNOTSUPP, ring_run(&self->r));
	sqe_msg(&self->r, IORING_OP_SENDMSG, self->a, &msg, 0)->ioprio = IORING_RECVSEND_BUNDLE;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	/* Multishot is for provided buffers. */
	sqe_recv(&self->r, self->b, buf, 1, 0)->ioprio = IORING_RECV_MULTISHOT;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	close(file);
}

/* A receive that waits ends with the ring, the socket with it. */
TEST_F(net, ring_goes_away)
{
	struct ring r;
	char buf[8];

	ASSERT_EQ(0, ring_open(&r, 8, variant->flags));
	sqe_recv(&r, self->b, buf, sizeof(buf), 0);
	sqe_recv(&r, self->b, buf, sizeof(buf), MSG_WAITALL);
	ASSERT_EQ(2, ring_submit(&r));
	if (variant->flags & IORING_SETUP_SQPOLL)
		ASSERT_TRUE(BECOMES(load_acquire(r.sq_head) == 2));
	ring_close(&r);
	close(self->b);
	/* The other end sees it as soon as nobody holds this one any more. */
	signal(SIGPIPE, SIG_IGN);
	EXPECT_TRUE(BECOMES(write(self->a, "x", 1) < 0));
	EXPECT_EQ(EPIPE, errno);
}

TEST_HARNESS_MAIN
