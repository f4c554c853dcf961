// SPDX-License-Identifier: GPL-2.0
/*
 * Commands to drivers: what is checked before the driver is asked, what
 * /dev/null, sockets and block devices answer, and NVMe passthrough on every
 * kind of ring that can carry it.
 *
 * Environment, besides that of common.h:
 *
 *   TEST_NVME	Character device of an NVMe namespace whose content may be
 *		destroyed, e.g. /dev/ng0n1.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <linux/errqueue.h>
#include <linux/fs.h>
#include <linux/net_tstamp.h>
#include <linux/nvme_ioctl.h>
#include <linux/sockios.h>

#include "common.h"

#ifndef BLOCK_URING_CMD_DISCARD
#define BLOCK_URING_CMD_DISCARD	_IO(0x12, 0)
#endif

#define BIG_FLAGS	(IORING_SETUP_SQE128 | IORING_SETUP_CQE32)
#define MIXED_FLAGS	(IORING_SETUP_SQE_MIXED | IORING_SETUP_CQE_MIXED)

static struct io_uring_sqe *sqe_cmd(struct ring *r, int fd, unsigned int cmd_op)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_URING_CMD, 0);

	if (sqe) {
		sqe->fd = fd;
		sqe->cmd_op = cmd_op;
	}
	return sqe;
}

/*
 * /dev/null, on every kind of ring: it answers 0 to everything.
 */

RING_KIND_VARIANT(null_cmd);

FIXTURE(null_cmd)
{
	struct ring r;
	int fd;
};

FIXTURE_SETUP(null_cmd)
{
	NEEDS_RING_KIND(variant);
	ASSERT_EQ(0, ring_open(&self->r, 16, variant->flags));
	self->fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(null_cmd)
{
	close(self->fd);
	ring_close(&self->r);
}

RING_KINDS(null_cmd);

TEST_F(null_cmd, answers_zero)
{
	struct cqe cqe;

	NEEDS_73(!(variant->flags & IORING_SETUP_IOPOLL));
	sqe_cmd(&self->r, self->fd, 77)->user_data = 5;
	EXPECT_RES(0, ring_run_cqe(&self->r, &cqe));
	EXPECT_EQ(5, cqe.user_data);
	EXPECT_EQ(0, cqe.flags);
	EXPECT_EQ(0, cqe.big[0]);
	EXPECT_EQ(0, cqe.big[1]);
}

TEST_F(null_cmd, in_a_worker)
{
	NEEDS_73(!(variant->flags & IORING_SETUP_IOPOLL));
	sqe_cmd(&self->r, self->fd, 1)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(null_cmd, fixed_file)
{
	unsigned int op = IORING_REGISTER_FILES;

	NEEDS_73(!(variant->flags & IORING_SETUP_IOPOLL));
	if (variant->flags & IORING_SETUP_REGISTERED_FD_ONLY)
		op |= IORING_REGISTER_USE_REGISTERED_RING;
	ASSERT_EQ(0, sys_register(self->r.fd, op, &self->fd, 1));
	sqe_cmd(&self->r, 0, 1)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(0, ring_run(&self->r));
	sqe_cmd(&self->r, 0, 1)->flags = IOSQE_FIXED_FILE | IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(null_cmd, in_a_chain)
{
	struct cqe cqe;
	int i;

	NEEDS_73(!(variant->flags & IORING_SETUP_IOPOLL));
	for (i = 0; i < 4; i++) {
		struct io_uring_sqe *sqe = sqe_cmd(&self->r, self->fd, i);

		sqe->user_data = i;
		if (i < 3)
			sqe->flags = IOSQE_IO_LINK;
	}
	EXPECT_EQ(4, ring_submit(&self->r));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_EQ(i, cqe.user_data);
		EXPECT_RES(0, cqe.res);
	}
}

/*
 * What is checked before the driver sees anything.
 */

FIXTURE(cmd_checks)
{
	struct ring r;
	int fd;
};

FIXTURE_SETUP(cmd_checks)
{
	ASSERT_EQ(0, ring_open(&self->r, 8, 0));
	self->fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(cmd_checks)
{
	close(self->fd);
	ring_close(&self->r);
}

TEST_F(cmd_checks, padding)
{
	sqe_cmd(&self->r, self->fd, 0)->__pad1 = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

TEST_F(cmd_checks, ioprio)
{
	sqe_cmd(&self->r, self->fd, 0)->ioprio = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

TEST_F(cmd_checks, unknown_flags)
{
	unsigned int bit;

	for (bit = 2; bit < 32; bit++) {
		sqe_cmd(&self->r, self->fd, 0)->uring_cmd_flags = 1u << bit;
		EXPECT_RES_OF(res_name(bit), -EINVAL, ring_run(&self->r));
	}
}

TEST_F(cmd_checks, multishot_and_buffer_select_go_together)
{
	struct io_uring_sqe *sqe;

	sqe_cmd(&self->r, self->fd, 0)->uring_cmd_flags = IORING_URING_CMD_MULTISHOT;
	EXPECT_RES(-EINVAL, ring_run(&self->r));

	NEEDS_73(is_73());
	sqe_cmd(&self->r, self->fd, 0)->flags = IOSQE_BUFFER_SELECT;
	EXPECT_RES(-EINVAL, ring_run(&self->r));

	sqe = sqe_cmd(&self->r, self->fd, 0);
	sqe->flags = IOSQE_BUFFER_SELECT;
	sqe->uring_cmd_flags = IORING_URING_CMD_MULTISHOT | IORING_URING_CMD_FIXED;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

TEST_F(cmd_checks, padding_before_file)
{
	sqe_cmd(&self->r, -1, 0)->__pad1 = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

TEST_F(cmd_checks, no_such_file)
{
	sqe_cmd(&self->r, -1, 0);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_cmd(&self->r, 0, 0)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(-EBADF, ring_run(&self->r));
}

TEST_F(cmd_checks, file_without_commands)
{
	int fd = temp_file(O_RDWR);

	ASSERT_LE(0, fd);
	sqe_cmd(&self->r, fd, 0);
	EXPECT_RES(-EOPNOTSUPP, ring_run(&self->r));
	sqe_cmd(&self->r, fd, 0)->flags = IOSQE_ASYNC;
	EXPECT_RES(-EOPNOTSUPP, ring_run(&self->r));
	close(fd);
}

TEST_F(cmd_checks, a_failure_breaks_the_chain)
{
	struct cqe cqe;

	sqe_cmd(&self->r, self->r.fd, 0)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, 1);
	EXPECT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(-EOPNOTSUPP, cqe.res);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(-ECANCELED, cqe.res);
}

/*
 * Sockets.
 */

FIXTURE(sock_cmd)
{
	struct ring r;
	int fd, peer;
};

static int tcp_pair(int *a, int *b)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);
	int l = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*a = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l < 0 || *a < 0 || bind(l, (void *)&addr, len) || listen(l, 1) ||
	    getsockname(l, (void *)&addr, &len) || connect(*a, (void *)&addr, len))
		return -errno;
	*b = accept(l, NULL, NULL);
	close(l);
	return *b < 0 ? -errno : 0;
}

FIXTURE_SETUP(sock_cmd)
{
	ASSERT_EQ(0, ring_open(&self->r, 8, 0));
	ASSERT_EQ(0, tcp_pair(&self->fd, &self->peer));
}

FIXTURE_TEARDOWN(sock_cmd)
{
	close(self->fd);
	close(self->peer);
	ring_close(&self->r);
}

static int sock_queued(struct ring *r, int fd, unsigned int cmd_op)
{
	sqe_cmd(r, fd, cmd_op);
	return ring_run(r);
}

TEST_F(sock_cmd, bytes_queued)
{
	char buf[100] = {};
	int n;

	EXPECT_RES(0, sock_queued(&self->r, self->peer, SOCKET_URING_OP_SIOCINQ));
	ASSERT_EQ(100, send(self->fd, buf, 100, 0));
	EXPECT_TRUE(BECOMES(sock_queued(&self->r, self->peer, SOCKET_URING_OP_SIOCINQ) == 100));
	ASSERT_EQ(40, recv(self->peer, buf, 40, 0));
	EXPECT_RES(60, sock_queued(&self->r, self->peer, SOCKET_URING_OP_SIOCINQ));
	ASSERT_EQ(0, ioctl(self->fd, SIOCOUTQ, &n));
	EXPECT_RES(n, sock_queued(&self->r, self->fd, SOCKET_URING_OP_SIOCOUTQ));
}

TEST_F(sock_cmd, no_queue_to_ask)
{
	int fds[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	EXPECT_RES(-EOPNOTSUPP, sock_queued(&self->r, fds[0], SOCKET_URING_OP_SIOCINQ));
	EXPECT_RES(-EOPNOTSUPP, sock_queued(&self->r, fds[0], SOCKET_URING_OP_SIOCOUTQ));
	close(fds[0]);
	close(fds[1]);
}

TEST_F(sock_cmd, unknown)
{
	EXPECT_RES(-EOPNOTSUPP, sock_queued(&self->r, self->fd, 6));
	EXPECT_RES(-EOPNOTSUPP, sock_queued(&self->r, self->fd, UINT_MAX));
}

static struct io_uring_sqe *sqe_sockopt(struct ring *r, int fd, int cmd_op, int level, int optname,
					void *optval, int optlen)
{
	struct io_uring_sqe *sqe = sqe_cmd(r, fd, cmd_op);

	sqe->level = level;
	sqe->optname = optname;
	sqe->optval = (uintptr_t)optval;
	sqe->optlen = optlen;
	return sqe;
}

TEST_F(sock_cmd, getsockopt)
{
	int want, got = -1;
	socklen_t len = sizeof(want);
	long wide = -1;

	ASSERT_EQ(0, getsockopt(self->fd, SOL_SOCKET, SO_RCVBUF, &want, &len));
	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_GETSOCKOPT, SOL_SOCKET, SO_RCVBUF, &got, 4);
	EXPECT_RES(4, ring_run(&self->r));
	EXPECT_EQ(want, got);

	/* the length that comes back is that of the option */
	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_GETSOCKOPT, SOL_SOCKET, SO_RCVBUF, &wide,
		    8)->flags = IOSQE_ASYNC;
	EXPECT_RES(4, ring_run(&self->r));
}

TEST_F(sock_cmd, getsockopt_errors)
{
	int val = 0;

	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_GETSOCKOPT, IPPROTO_TCP, TCP_NODELAY, &val,
		    4);
	EXPECT_RES(-EOPNOTSUPP, ring_run(&self->r));
	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_GETSOCKOPT, SOL_SOCKET, SO_RCVBUF, &val,
		    -1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_GETSOCKOPT, SOL_SOCKET, SO_RCVBUF, BAD_PTR,
		    4);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_GETSOCKOPT, SOL_SOCKET, 9999, &val, 4);
	EXPECT_RES(-ENOPROTOOPT, ring_run(&self->r));
}

TEST_F(sock_cmd, setsockopt_any_level)
{
	int one = 1, got = 0;
	socklen_t len = sizeof(got);

	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_SETSOCKOPT, IPPROTO_TCP, TCP_NODELAY, &one,
		    4);
	EXPECT_RES(0, ring_run(&self->r));
	ASSERT_EQ(0, getsockopt(self->fd, IPPROTO_TCP, TCP_NODELAY, &got, &len));
	EXPECT_EQ(1, got);

	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_SETSOCKOPT, SOL_SOCKET, SO_KEEPALIVE, &one,
		    4)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
	got = 0;
	ASSERT_EQ(0, getsockopt(self->fd, SOL_SOCKET, SO_KEEPALIVE, &got, &len));
	EXPECT_EQ(1, got);

	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_SETSOCKOPT, SOL_SOCKET, SO_KEEPALIVE, &one,
		    1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_sockopt(&self->r, self->fd, SOCKET_URING_OP_SETSOCKOPT, SOL_SOCKET, SO_KEEPALIVE, &one,
		    -1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

static bool has_getsockname(struct ring *r, int fd)
{
	struct sockaddr_in name;
	int len = sizeof(name);
	struct io_uring_sqe *sqe = sqe_cmd(r, fd, SOCKET_URING_OP_GETSOCKNAME);

	sqe->addr = (uintptr_t)&name;
	sqe->addr3 = (uintptr_t)&len;
	return ring_run(r) != -EOPNOTSUPP;
}

static int sock_name(struct ring *r, int fd, void *name, int *len, unsigned int peer)
{
	struct io_uring_sqe *sqe = sqe_cmd(r, fd, SOCKET_URING_OP_GETSOCKNAME);

	sqe->addr = (uintptr_t)name;
	sqe->addr3 = (uintptr_t)len;
	sqe->optlen = peer;
	return ring_run(r);
}

TEST_F(sock_cmd, names)
{
	struct sockaddr_in want = {}, got = {};
	socklen_t len = sizeof(want);
	int got_len = sizeof(got);

	NEEDS_73(has_getsockname(&self->r, self->fd));
	ASSERT_EQ(0, getsockname(self->fd, (void *)&want, &len));
	EXPECT_RES(0, sock_name(&self->r, self->fd, &got, &got_len, 0));
	EXPECT_EQ(sizeof(got), got_len);
	EXPECT_EQ(0, memcmp(&want, &got, sizeof(got)));

	ASSERT_EQ(0, getpeername(self->fd, (void *)&want, &len));
	EXPECT_RES(0, sock_name(&self->r, self->fd, &got, &got_len, 1));
	EXPECT_EQ(0, memcmp(&want, &got, sizeof(got)));

	/* cut to the room there is, with the full length; nothing is written for 0 */
	memset(&got, 0x55, sizeof(got));
	got_len = 2;
	EXPECT_RES(0, sock_name(&self->r, self->fd, &got, &got_len, 0));
	EXPECT_EQ(sizeof(got), got_len);
	EXPECT_EQ(AF_INET, got.sin_family);
	EXPECT_EQ(0x5555, got.sin_port);
	got_len = 0;
	EXPECT_RES(0, sock_name(&self->r, self->fd, BAD_PTR, &got_len, 0));
	EXPECT_EQ(sizeof(got), got_len);
}

TEST_F(sock_cmd, names_errors)
{
	struct sockaddr_in got;
	int len = sizeof(got), negative = -1, fd;
	struct io_uring_sqe *sqe;

	NEEDS_73(has_getsockname(&self->r, self->fd));
	EXPECT_RES(-EINVAL, sock_name(&self->r, self->fd, &got, &len, 2));
	EXPECT_RES(-EINVAL, sock_name(&self->r, self->fd, &got, &negative, 0));
	EXPECT_RES(-EFAULT, sock_name(&self->r, self->fd, &got, BAD_PTR, 0));
	EXPECT_RES(-EFAULT, sock_name(&self->r, self->fd, BAD_PTR, &len, 0));

	sqe = sqe_cmd(&self->r, self->fd, SOCKET_URING_OP_GETSOCKNAME);
	sqe->len = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));

	fd = socket(AF_INET, SOCK_STREAM, 0);
	ASSERT_LE(0, fd);
	EXPECT_RES(-ENOTCONN, sock_name(&self->r, fd, &got, &len, 1));
	close(fd);
}

/*
 * Sockets: time stamps of what was sent.
 */

FIXTURE(tstamp)
{
	struct ring r;
	int fd, peer;
};

FIXTURE_VARIANT(tstamp)
{
	unsigned int flags;
	bool newer;
};

FIXTURE_VARIANT_ADD(tstamp, cqe32)	{ .flags = IORING_SETUP_CQE32 };
FIXTURE_VARIANT_ADD(tstamp, defer)	{ .flags = IORING_SETUP_CQE32 | DEFER_FLAGS };
FIXTURE_VARIANT_ADD(tstamp, mixed)	{ .flags = IORING_SETUP_CQE_MIXED, .newer = true };

static int stamps_wanted(int fd, unsigned int more)
{
	unsigned int flags = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
			     SOF_TIMESTAMPING_OPT_ID | more;

	return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
}

static struct io_uring_sqe *sqe_tstamp(struct ring *r, int fd)
{
	struct io_uring_sqe *sqe = sqe_cmd(r, fd, SOCKET_URING_OP_TX_TIMESTAMP);

	sqe->user_data = 7;
	return sqe;
}

static bool has_tstamp(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ring r;
	int ret;

	if (ring_open(&r, 1, 0))
		return false;
	sqe_tstamp(&r, fd);
	ret = ring_run(&r);
	ring_close(&r);
	close(fd);
	return ret == -EINVAL;
}

FIXTURE_SETUP(tstamp)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(addr);

	NEEDS_73(has_tstamp());
	ASSERT_EQ(0, ring_open(&self->r, 8, variant->flags));
	self->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	self->peer = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->peer);
	ASSERT_EQ(0, bind(self->peer, (void *)&addr, len));
	ASSERT_EQ(0, getsockname(self->peer, (void *)&addr, &len));
	ASSERT_EQ(0, connect(self->fd, (void *)&addr, len));
	ASSERT_EQ(0, stamps_wanted(self->fd, SOF_TIMESTAMPING_OPT_TSONLY));
}

FIXTURE_TEARDOWN(tstamp)
{
	close(self->fd);
	close(self->peer);
	ring_close(&self->r);
}

static int send_some(int fd, int n)
{
	while (n--) {
		if (send(fd, "x", 1, 0) != 1)
			return -errno;
	}
	return 0;
}

/* Stamps that are left in the error queue */
static int stamps_left(int fd)
{
	char control[256], data[64];
	struct iovec iov = { data, sizeof(data) };
	int n = 0;

	for (;;) {
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
				      .msg_controllen = sizeof(control) };

		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return n;
		n++;
	}
}

static int tstamp_cancel(struct ring *r)
{
	sqe_op(r, IORING_OP_ASYNC_CANCEL, 8)->addr = 7;
	return ring_submit(r) == 1 ? 0 : NO_CQE;
}

TEST_F(tstamp, each_packet)
{
	unsigned int flags = IORING_CQE_F_MORE | (variant->newer ? IORING_CQE_F_32 : 0);
	struct timespec now;
	struct cqe cqe;
	int i;

	/* one before, and some behind */
	ASSERT_EQ(0, send_some(self->fd, 1));
	sqe_tstamp(&self->r, self->fd);
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 6; i++) {
		if (i == 1 || i == 3)
			ASSERT_EQ(0, send_some(self->fd, i));
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_EQ(7, cqe.user_data);
		EXPECT_RES(i, cqe.res);
		EXPECT_EQ(flags, cqe.flags);
		clock_gettime(CLOCK_REALTIME, &now);
		EXPECT_GE(now.tv_sec, cqe.big[0]);
		EXPECT_LE(now.tv_sec - 10, cqe.big[0]);
		EXPECT_GT(1000000000, cqe.big[1]);
		if (!i)
			continue;
		if (i == 1 || i == 3)
			sleep_ms(SETTLE_MS / 3);
		if (i == 2)
			EXPECT_EQ(0, ring_ready(&self->r));
		if (i == 1)
			ASSERT_EQ(0, send_some(self->fd, 1));
	}
	EXPECT_EQ(0, stamps_left(self->fd));

	ASSERT_EQ(0, tstamp_cancel(&self->r));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(cqe.user_data == 7 ? -ECANCELED : 0, cqe.res);
		EXPECT_EQ(0, cqe.flags & IORING_CQE_F_MORE);
	}
}

TEST_F(tstamp, kinds_of_stamps)
{
	unsigned int seen = 0;
	struct cqe cqe;
	int i;

	ASSERT_EQ(0, stamps_wanted(self->fd, SOF_TIMESTAMPING_OPT_TSONLY |
					     SOF_TIMESTAMPING_TX_SCHED));
	sqe_tstamp(&self->r, self->fd)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, send_some(self->fd, 1));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(0, cqe.res);
		EXPECT_EQ(0, cqe.flags & IORING_CQE_F_TSTAMP_HW);
		seen |= 1 << (cqe.flags >> IORING_TIMESTAMP_TYPE_SHIFT);
	}
	EXPECT_EQ(1 << SCM_TSTAMP_SND | 1 << SCM_TSTAMP_SCHED, seen);
}

/* Packets with payload are for recvmsg(), and do not make the request spin. */
TEST_F(tstamp, payload_is_left)
{
	ASSERT_EQ(0, stamps_wanted(self->fd, 0));
	ASSERT_EQ(0, send_some(self->fd, 2));
	sqe_tstamp(&self->r, self->fd);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, send_some(self->fd, 2));
	EXPECT_RES(-ETIME, ring_wait_ms(&self->r, 1, SETTLE_MS));
	EXPECT_EQ(4, stamps_left(self->fd));
}

TEST_F(tstamp, full_ring)
{
	const unsigned int nr = self->r.p.cq_entries / (variant->newer ? 2 : 1);
	struct cqe cqe;
	unsigned int i;

	ASSERT_EQ(0, send_some(self->fd, nr + 5));
	sqe_tstamp(&self->r, self->fd);
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(i, cqe.res);
		EXPECT_EQ(IORING_CQE_F_MORE, cqe.flags & IORING_CQE_F_MORE);
	}
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(-ENOBUFS, cqe.res);
	EXPECT_EQ(0, cqe.flags & IORING_CQE_F_MORE);
	EXPECT_EQ(5, stamps_left(self->fd));
}

TEST_F(tstamp, ring_closed_and_socket_closed)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, variant->flags));
	sqe_tstamp(&r, self->fd);
	ASSERT_EQ(1, ring_submit(&r));
	ring_close(&r);
	ASSERT_EQ(0, send_some(self->fd, 1));

	/* the request has the socket open; it goes with this ring */
	sqe_tstamp(&self->r, self->fd);
	ASSERT_EQ(1, ring_submit(&self->r));
	close(self->fd);
	self->fd = -1;
}

TEST(tstamp_on_small_cqes)
{
	NEEDS_73(has_tstamp());
	EXPECT_TRUE(has_tstamp());
}

/*
 * Block devices: discard.
 */

FIXTURE(discard)
{
	struct ring r;
	int fd;
	unsigned int lba;
	uint64_t size;
};

FIXTURE_SETUP(discard)
{
	const char *dev = getenv("TEST_BDEV");

	if (!dev)
		SKIP(return, "needs TEST_BDEV");
	NEEDS_ROOT();
	ASSERT_EQ(0, ring_open(&self->r, 512, 0));
	self->fd = open(dev, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ioctl(self->fd, BLKSSZGET, &self->lba));
	ASSERT_EQ(0, ioctl(self->fd, BLKGETSIZE64, &self->size));
}

FIXTURE_TEARDOWN(discard)
{
	close(self->fd);
	ring_close(&self->r);
}

static struct io_uring_sqe *sqe_discard(struct ring *r, int fd, uint64_t start, uint64_t len)
{
	struct io_uring_sqe *sqe = sqe_cmd(r, fd, BLOCK_URING_CMD_DISCARD);

	sqe->addr = start;
	sqe->addr3 = len;
	return sqe;
}

/* What the kernel offers: 6.12 had the command only late. */
static bool has_discard(struct ring *r, int fd, unsigned int lba)
{
	sqe_discard(r, fd, 0, lba);
	return !ring_run(r);
}

TEST_F(discard, works)
{
	NEEDS_73(has_discard(&self->r, self->fd, self->lba));
	sqe_discard(&self->r, self->fd, 0, self->lba);
	EXPECT_RES(0, ring_run(&self->r));
	sqe_discard(&self->r, self->fd, 1 << 20, 1 << 20)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
	sqe_discard(&self->r, self->fd, self->size - self->lba, self->lba);
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(discard, errors)
{
	int fd = open(getenv("TEST_BDEV"), O_RDONLY);

	ASSERT_LE(0, fd);
	NEEDS_73(has_discard(&self->r, self->fd, self->lba));
	sqe_discard(&self->r, fd, 0, self->lba);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	close(fd);

	sqe_discard(&self->r, self->fd, 0, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_discard(&self->r, self->fd, 1, self->lba);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_discard(&self->r, self->fd, 0, self->lba + 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_discard(&self->r, self->fd, self->size, self->lba);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_discard(&self->r, self->fd, 0, self->lba)->len = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_discard(&self->r, self->fd, 0, self->lba)->file_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_cmd(&self->r, self->fd, BLOCK_URING_CMD_DISCARD + 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

/*
 * More than the device can queue: some are refused for now, and issued again
 * by a worker although the program has long overwritten their SQEs.
 */
TEST_F(discard, flood)
{
	struct cqe cqe;
	int round, i;

	NEEDS_73(has_discard(&self->r, self->fd, self->lba));
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 512; i++)
			sqe_discard(&self->r, self->fd, (uint64_t)i * self->lba, self->lba);
		ASSERT_EQ(512, ring_submit(&self->r));
		memset(self->r.sqes, 0xff, self->r.sqes_size);
		for (i = 0; i < 512; i++) {
			ASSERT_EQ(0, ring_wait(&self->r, &cqe));
			EXPECT_RES_OF(res_name(i), 0, cqe.res);
		}
	}
}

/*
 * NVMe passthrough.
 */

struct nvme {
	struct ring r;
	const char *dev;
	int fd, bdev;
	unsigned int lba, nsid;
	char *buf, *want;		/* NVME_BUF bytes; what the device begins with */
};

FIXTURE(nvme)
{
	struct nvme n;
};

FIXTURE_VARIANT(nvme)
{
	unsigned int flags;
	bool newer;
};

FIXTURE_VARIANT_ADD(nvme, plain)	{ .flags = BIG_FLAGS };
FIXTURE_VARIANT_ADD(nvme, coop)		{ .flags = BIG_FLAGS | IORING_SETUP_COOP_TASKRUN };
FIXTURE_VARIANT_ADD(nvme, defer)	{ .flags = BIG_FLAGS | DEFER_FLAGS };
FIXTURE_VARIANT_ADD(nvme, mixed)	{ .flags = MIXED_FLAGS, .newer = true };
FIXTURE_VARIANT_ADD(nvme, mixed_defer)	{ .flags = MIXED_FLAGS | DEFER_FLAGS, .newer = true };

#define NVME_BUF	0x100000
#define NVME_READ	2
#define NVME_WRITE	1

FIXTURE_SETUP(nvme)
{
	const char *dev = getenv("TEST_NVME");
	char path[PATH_MAX];
	int i;

	if (!dev)
		SKIP(return, "needs TEST_NVME");
	NEEDS_ROOT();
	if (variant->newer)
		NEEDS_73(has_setup_flags(variant->flags));
	ASSERT_EQ(0, ring_open(&self->n.r, 64, variant->flags));
	self->n.dev = dev;
	self->n.fd = open(dev, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->n.fd);

	/* /dev/ng0n1 and /dev/nvme0n1 are the same namespace */
	ASSERT_EQ(0, strncmp(dev, "/dev/ng", 7));
	snprintf(path, sizeof(path), "/dev/nvme%s", dev + 7);
	self->n.bdev = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	ASSERT_LE(0, self->n.bdev);
	ASSERT_EQ(0, ioctl(self->n.bdev, BLKSSZGET, &self->n.lba));
	self->n.nsid = ioctl(self->n.fd, NVME_IOCTL_ID);

	self->n.buf = anon_map(NVME_BUF);
	self->n.want = anon_map(NVME_BUF);
	ASSERT_NE(MAP_FAILED, self->n.buf);
	ASSERT_NE(MAP_FAILED, self->n.want);
	for (i = 0; i < NVME_BUF / 4; i++)
		((unsigned int *)self->n.want)[i] = i * 2654435761u;
	ASSERT_EQ(NVME_BUF, pwrite(self->n.bdev, self->n.want, NVME_BUF, 0));
}

FIXTURE_TEARDOWN(nvme)
{
	munmap(self->n.buf, NVME_BUF);
	munmap(self->n.want, NVME_BUF);
	close(self->n.fd);
	close(self->n.bdev);
	ring_close(&self->n.r);
}

/* The SQE of a command with 80 bytes of payload, on either kind of ring */
static struct io_uring_sqe *sqe_big_cmd(struct ring *r, int fd, unsigned int cmd_op)
{
	struct io_uring_sqe *sqe;

	if (r->p.flags & IORING_SETUP_SQE128)
		return sqe_cmd(r, fd, cmd_op);
	/* two neighbours, which must not wrap */
	if ((r->sq_next & (r->p.sq_entries - 1)) == r->p.sq_entries - 1)
		sqe_nop(r, UINT64_MAX);
	sqe = sqe_cmd(r, fd, cmd_op);
	ring_sqe(r);
	sqe->opcode = IORING_OP_URING_CMD128;
	return sqe;
}

static struct nvme_uring_cmd *nvme_of(struct io_uring_sqe *sqe)
{
	return (void *)sqe->cmd;
}

static struct io_uring_sqe *sqe_nvme(struct nvme *dev, int opcode, void *buf,
				     unsigned int len, uint64_t off)
{
	struct io_uring_sqe *sqe = sqe_big_cmd(&dev->r, dev->fd, NVME_URING_CMD_IO);
	struct nvme_uring_cmd *cmd = nvme_of(sqe);
	uint64_t slba = off / dev->lba;

	cmd->opcode = opcode;
	cmd->nsid = dev->nsid;
	cmd->addr = (uintptr_t)buf;
	cmd->data_len = len;
	cmd->cdw10 = slba;
	cmd->cdw11 = slba >> 32;
	cmd->cdw12 = len / dev->lba - 1;
	return sqe;
}

/* Submit what is queued, and see that n commands succeed. */
static int nvme_run(struct nvme *dev, int n)
{
	struct cqe cqe;
	int ret;

	ret = ring_submit(&dev->r);
	if (ret < n)
		return NO_CQE;
	while (n) {
		ret = ring_wait(&dev->r, &cqe);
		if (ret)
			return ret;
		if (cqe.user_data == UINT64_MAX)
			continue;
		if (cqe.res)
			return cqe.res;
		n--;
	}
	return 0;
}

TEST_F(nvme, read)
{
	sqe_nvme(&self->n, NVME_READ, self->n.buf, 4096, 8192);
	EXPECT_RES(0, nvme_run(&self->n, 1));
	EXPECT_EQ(0, memcmp(self->n.buf, self->n.want + 8192, 4096));
	/* nothing behind the range was touched */
	EXPECT_EQ(0, self->n.buf[4096]);
}

TEST_F(nvme, read_in_a_worker)
{
	sqe_nvme(&self->n, NVME_READ, self->n.buf, 65536, 4096)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, nvme_run(&self->n, 1));
	EXPECT_EQ(0, memcmp(self->n.buf, self->n.want + 4096, 65536));
}

TEST_F(nvme, read_vector)
{
	struct iovec iov[2] = { { self->n.buf, 4096 }, { self->n.buf + 65536, 8192 } };
	struct io_uring_sqe *sqe = sqe_nvme(&self->n, NVME_READ, iov, 4096 * 3, 16384);

	sqe->cmd_op = NVME_URING_CMD_IO_VEC;
	nvme_of(sqe)->data_len = 2;
	EXPECT_RES(0, nvme_run(&self->n, 1));
	EXPECT_EQ(0, memcmp(self->n.buf, self->n.want + 16384, 4096));
	EXPECT_EQ(0, memcmp(self->n.buf + 65536, self->n.want + 16384 + 4096, 8192));
}

TEST_F(nvme, write)
{
	int i;

	memset(self->n.buf, 0xa5, 16384);
	sqe_nvme(&self->n, NVME_WRITE, self->n.buf, 16384, 32768);
	EXPECT_RES(0, nvme_run(&self->n, 1));
	ASSERT_EQ(65536, pread(self->n.bdev, self->n.buf + 65536, 65536, 16384));
	for (i = 0; i < 16384; i++)
		self->n.want[32768 + i] = 0xa5;
	EXPECT_EQ(0, memcmp(self->n.buf + 65536, self->n.want + 16384, 65536));
}

TEST_F(nvme, many)
{
	const int n = self->n.r.p.flags & IORING_SETUP_SQE128 ? 64 : 31;
	int round, i;

	for (round = 0; round < 20; round++) {
		memset(self->n.buf, 0, NVME_BUF);
		for (i = 0; i < n; i++)
			sqe_nvme(&self->n, NVME_READ, self->n.buf + i * 4096, 4096,
				 (63 - i) * 4096);
		ASSERT_EQ(0, nvme_run(&self->n, n));
		for (i = 0; i < n; i++)
			ASSERT_EQ(0, memcmp(self->n.buf + i * 4096, self->n.want + (63 - i) * 4096,
					    4096));
	}
}

/* One waits for all: with lazy wake-ups none may be forgotten. */
TEST_F(nvme, wait_for_all_at_once)
{
	const int n = 16;
	struct cqe cqe;
	int round, i;

	for (round = 0; round < 50; round++) {
		for (i = 0; i < n; i++)
			sqe_nvme(&self->n, NVME_READ, self->n.buf + i * 4096, 4096, i * 4096);
		ring_publish(&self->n.r);
		ASSERT_LE(n, ring_enter(&self->n.r, ring_pending(&self->n.r), n,
					IORING_ENTER_GETEVENTS));
		for (i = 0; i < n; i++) {
			ASSERT_TRUE(ring_take(&self->n.r, &cqe));
			if (cqe.user_data == UINT64_MAX)
				i--;
			EXPECT_RES(0, cqe.res);
		}
	}
}

TEST_F(nvme, in_a_chain_and_drained)
{
	sqe_nvme(&self->n, NVME_WRITE, self->n.want, 4096, 65536)->flags = IOSQE_IO_LINK;
	sqe_nvme(&self->n, NVME_READ, self->n.buf, 4096, 65536)->flags = IOSQE_IO_LINK;
	sqe_nvme(&self->n, NVME_READ, self->n.buf + 4096, 4096, 65536);
	sqe_nvme(&self->n, NVME_READ, self->n.buf + 8192, 4096, 65536)->flags = IOSQE_IO_DRAIN;
	EXPECT_RES(0, nvme_run(&self->n, 4));
	EXPECT_EQ(0, memcmp(self->n.buf, self->n.want, 4096));
	EXPECT_EQ(0, memcmp(self->n.buf + 4096, self->n.want, 4096));
	EXPECT_EQ(0, memcmp(self->n.buf + 8192, self->n.want, 4096));
}

/* A command that waits for its turn must not read its SQE when that comes. */
static void nvme_late(struct __test_metadata *_metadata, struct nvme *dev,
		      unsigned int flags)
{
	struct cqe cqe;
	int fds[2], left = 2;
	char c = 0;

	ASSERT_EQ(0, pipe(fds));
	sqe_rw(&dev->r, IORING_OP_READ, fds[0], &c, 1, -1)->flags = flags;
	sqe_nvme(dev, NVME_READ, dev->buf, 4096, 12288)->flags =
		flags & IOSQE_IO_LINK ? 0 : IOSQE_IO_DRAIN;
	ASSERT_LE(2, ring_submit(&dev->r));
	memset(dev->r.sqes, 0xff, dev->r.sqes_size);
	ASSERT_EQ(1, write(fds[1], "x", 1));
	while (left) {
		ASSERT_EQ(0, ring_wait(&dev->r, &cqe));
		if (cqe.user_data == UINT64_MAX)
			continue;
		EXPECT_RES(left == 2, cqe.res);
		left--;
	}
	EXPECT_EQ(0, memcmp(dev->buf, dev->want + 12288, 4096));
	close(fds[0]);
	close(fds[1]);
}

TEST_F(nvme, sqe_overwritten_while_linked)
{
	NEEDS_73(is_73());	/* 6.12 reads it again */
	nvme_late(_metadata, &self->n, IOSQE_IO_LINK);
}

TEST_F(nvme, sqe_overwritten_while_drained)
{
	nvme_late(_metadata, &self->n, 0);
}

TEST_F(nvme, sqe_overwritten_while_queued)
{
	struct cqe cqe;
	int i, n = 8;

	for (i = 0; i < n; i++)
		sqe_nvme(&self->n, NVME_READ, self->n.buf + i * 4096, 4096, i * 4096)->flags =
			i & 1 ? IOSQE_ASYNC : 0;
	ASSERT_LE(n, ring_submit(&self->n.r));
	memset(self->n.r.sqes, 0xff, self->n.r.sqes_size);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, ring_wait(&self->n.r, &cqe));
		EXPECT_RES(0, cqe.res);
	}
	EXPECT_EQ(0, memcmp(self->n.buf, self->n.want, n * 4096));
}

TEST_F(nvme, errors)
{
	struct io_uring_sqe *sqe;
	struct cqe cqe;

	sqe = sqe_nvme(&self->n, NVME_READ, self->n.buf, 4096, 0);
	nvme_of(sqe)->nsid = self->n.nsid + 1;
	EXPECT_RES(-EINVAL, nvme_run(&self->n, 1));
	sqe = sqe_nvme(&self->n, NVME_READ, self->n.buf, 4096, 0);
	nvme_of(sqe)->flags = 1;
	EXPECT_RES(-EINVAL, nvme_run(&self->n, 1));
	sqe_nvme(&self->n, NVME_READ, KERNEL_PTR, 4096, 0);
	EXPECT_RES(-EFAULT, nvme_run(&self->n, 1));
	sqe_nvme(&self->n, NVME_READ, self->n.buf, 4096, 0)->cmd_op = _IO('N', 1);
	EXPECT_RES(-ENOTTY, nvme_run(&self->n, 1));

	/* an error of the device is a positive status, and does not break a chain */
	sqe = sqe_nvme(&self->n, NVME_READ, self->n.buf, 4096, 0);
	nvme_of(sqe)->cdw11 = 0x10000000;
	sqe->flags = IOSQE_IO_LINK;
	sqe_nop(&self->n.r, 1);
	ASSERT_LE(2, ring_submit(&self->n.r));
	ASSERT_EQ(0, ring_wait(&self->n.r, &cqe));
	if (cqe.user_data == UINT64_MAX)
		ASSERT_EQ(0, ring_wait(&self->n.r, &cqe));
	EXPECT_LT(0, cqe.res);
	ASSERT_EQ(0, ring_wait(&self->n.r, &cqe));
	EXPECT_RES(0, cqe.res);
}

/* The second result reaches the program: Get Features, Number of Queues. */
TEST_F(nvme, second_result)
{
	struct nvme_passthru_cmd want = { .opcode = 0x0a, .cdw10 = 7 };
	struct io_uring_sqe *sqe;
	char path[PATH_MAX];
	struct cqe cqe;
	int admin;

	snprintf(path, sizeof(path), "/dev/nvme%.*s", (int)strspn(self->n.dev + 7, "0123456789"),
		 self->n.dev + 7);
	admin = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, admin);
	ASSERT_EQ(0, ioctl(admin, NVME_IOCTL_ADMIN_CMD, &want));
	ASSERT_NE(0, want.result);

	sqe = sqe_big_cmd(&self->n.r, admin, NVME_URING_CMD_ADMIN);
	nvme_of(sqe)->opcode = want.opcode;
	nvme_of(sqe)->cdw10 = want.cdw10;
	ASSERT_LE(1, ring_submit(&self->n.r));
	ASSERT_EQ(0, ring_wait(&self->n.r, &cqe));
	EXPECT_RES(0, cqe.res);
	EXPECT_EQ(want.result, cqe.big[0]);
	EXPECT_EQ(0, cqe.big[1]);
	EXPECT_EQ(variant->newer ? IORING_CQE_F_32 : 0, cqe.flags);
	close(admin);
}

TEST_F(nvme, fixed_buffer_needs_one)
{
	struct io_uring_sqe *sqe = sqe_nvme(&self->n, NVME_READ, self->n.buf, 4096, 0);

	NEEDS_PIECE("buffers");
	sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
	EXPECT_RES(-EFAULT, nvme_run(&self->n, 1));
}

struct nvme_child {
	int fd;
	unsigned int nsid, flags;
	char *buf;
};

/* Leave with commands in flight; the ring goes with the process. */
static int nvme_exit_child(void *arg)
{
	struct nvme_child *c = arg;
	struct nvme dev = { .fd = c->fd, .nsid = c->nsid, .lba = 512 };
	int i;

	if (ring_open(&dev.r, 64, c->flags))
		return 1;
	for (i = 0; i < 16; i++)
		sqe_nvme(&dev, NVME_READ, c->buf, 65536, 0)->flags = i & 1 ? IOSQE_ASYNC : 0;
	return ring_submit(&dev.r) >= 16 ? 0 : 2;
}

TEST_F(nvme, exit_with_commands_in_flight)
{
	struct nvme_child c = { .fd = self->n.fd, .nsid = self->n.nsid, .flags = variant->flags,
				.buf = self->n.buf };
	int i;

	if (self->n.lba != 512)
		SKIP(return, "blocks of %u bytes", self->n.lba);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, in_child(nvme_exit_child, &c));
	sqe_nvme(&self->n, NVME_READ, self->n.buf, 4096, 0);
	EXPECT_RES(0, nvme_run(&self->n, 1));
}

/* NVMe needs both a large SQE and a large CQE, and must see when it lacks one. */
TEST(nvme_on_small_rings)
{
	static const unsigned int flags[] = { 0, IORING_SETUP_SQE128, IORING_SETUP_CQE32 };
	const char *dev = getenv("TEST_NVME");
	struct ring r;
	int fd, i;

	if (!dev)
		SKIP(return, "needs TEST_NVME");
	NEEDS_ROOT();
	fd = open(dev, O_RDWR);
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, ring_open(&r, 4, flags[i]));
		sqe_cmd(&r, fd, NVME_URING_CMD_IO);
		EXPECT_RES_OF(res_name(i), -EOPNOTSUPP, ring_run(&r));
		ring_close(&r);
	}
	close(fd);
}

TEST_HARNESS_MAIN
