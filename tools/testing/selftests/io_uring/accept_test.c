// SPDX-License-Identifier: GPL-2.0
/*
 * ACCEPT, CONNECT, SOCKET, BIND, LISTEN, SHUTDOWN: descriptors and slots,
 * multishot, waiting, and that no connection is lost or kept.
 */
#include <netinet/in.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common.h"

#define ALLOC	IORING_FILE_INDEX_ALLOC
#define SLOTS	8

FIXTURE(accept)
{
	struct ring r;
	struct sockaddr_in addr;
	int l;			/* listens there */
};

RING_KIND_VARIANT(accept);
RING_KIND(accept, plain, .flags = 0);
RING_KIND(accept, coop, .flags = IORING_SETUP_COOP_TASKRUN);
RING_KIND(accept, defer, .flags = DEFER_FLAGS);
RING_KIND(accept, sqpoll, .flags = IORING_SETUP_SQPOLL, .piece = "sqpoll");

static const struct sockaddr_in loopback = {
	.sin_family = AF_INET, .sin_addr = { __builtin_bswap32(INADDR_LOOPBACK) },
};

static int tcp_listen(struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*addr);

	*addr = loopback;
	if (fd < 0 || bind(fd, (void *)addr, len) || listen(fd, 128) ||
	    getsockname(fd, (void *)addr, &len))
		return -1;
	return fd;
}

FIXTURE_SETUP(accept)
{
	struct io_uring_rsrc_register reg = { .nr = SLOTS, .flags = IORING_RSRC_REGISTER_SPARSE };

	NEEDS_RING_KIND(variant);
	ASSERT_EQ(0, ring_open(&self->r, 32, variant->flags));
	ASSERT_EQ(0, sys_register(self->r.fd, IORING_REGISTER_FILES2, &reg, sizeof(reg)));
	self->l = tcp_listen(&self->addr);
	ASSERT_LE(0, self->l);
}

FIXTURE_TEARDOWN(accept)
{
	close(self->l);
	ring_close(&self->r);
}

static int dial(const struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && !connect(fd, (void *)addr, sizeof(*addr)))
		return fd;
	close(fd);
	return -1;
}

static struct io_uring_sqe *sqe_accept(struct ring *r, int fd, unsigned int ioprio)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_ACCEPT, 1);

	sqe->fd = fd;
	sqe->ioprio = ioprio;
	return sqe;
}

static struct io_uring_sqe *sqe_connect(struct ring *r, int fd, const void *addr, int len)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_CONNECT, 2);

	sqe->fd = fd;
	sqe->addr = (uintptr_t)addr;
	sqe->addr2 = len;
	return sqe;
}

static struct io_uring_sqe *sqe_bind(struct ring *r, int fd, const void *addr, int len)
{
	struct io_uring_sqe *sqe = sqe_connect(r, fd, addr, len);

	sqe->opcode = IORING_OP_BIND;
	return sqe;
}

static struct io_uring_sqe *sqe_socket(struct ring *r, int domain, int type)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_SOCKET, 3);

	sqe->fd = domain;
	sqe->off = type;
	return sqe;
}

static struct io_uring_sqe *sqe_arg(struct ring *r, int opcode, int fd, int arg)
{
	struct io_uring_sqe *sqe = sqe_op(r, opcode, 4);

	sqe->fd = fd;
	sqe->len = arg;
	return sqe;
}

static bool stays_quiet(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

TEST_F(accept, descriptor)
{
	struct sockaddr_in peer = {}, own;
	socklen_t len = sizeof(peer), own_len = sizeof(own);
	struct io_uring_sqe *sqe;
	int c = dial(&self->addr), fd;

	ASSERT_LE(0, c);
	sqe = sqe_accept(&self->r, self->l, 0);
	sqe->addr = (uintptr_t)&peer;
	sqe->addr2 = (uintptr_t)&len;
	sqe->accept_flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_TRUE(fcntl(fd, F_GETFL) & O_NONBLOCK);
	ASSERT_EQ(0, getsockname(c, (void *)&own, &own_len));
	EXPECT_EQ(sizeof(peer), len);
	EXPECT_EQ(own.sin_port, peer.sin_port);
	close(fd);
	close(c);
}

TEST_F(accept, waits)
{
	struct cqe cqe;
	int c;

	sqe_accept(&self->r, self->l, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	c = dial(&self->addr);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	ASSERT_LE(0, cqe.res);
	EXPECT_EQ(0, fcntl(cqe.res, F_GETFD));
	EXPECT_EQ(0, fcntl(cqe.res, F_GETFL) & O_NONBLOCK);
	close(cqe.res);
	close(c);
}

TEST_F(accept, wait_or_not)
{
	struct cqe cqe;
	int ret, c;

	sqe_accept(&self->r, self->l, IORING_ACCEPT_DONTWAIT);
	ret = ring_run(&self->r);
	EXPECT_RES(-EAGAIN, ret);
	sqe_accept(&self->r, self->l, IORING_ACCEPT_DONTWAIT)->flags = IOSQE_ASYNC;
	EXPECT_RES(-EAGAIN, ring_run(&self->r));

	ASSERT_EQ(0, fcntl(self->l, F_SETFL, O_NONBLOCK));
	sqe_accept(&self->r, self->l, IORING_ACCEPT_POLL_FIRST);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	c = dial(&self->addr);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_LE(0, cqe.res);
	close(cqe.res);
	close(c);
}

TEST_F(accept, slots)
{
	struct io_uring_sqe *sqe;
	int c[3], i, fds;

	for (i = 0; i < 3; i++)
		c[i] = dial(&self->addr);
	fds = count_fds();
	sqe_accept(&self->r, self->l, 0)->file_index = 3 + 1;
	EXPECT_RES(0, ring_run(&self->r));
	sqe_accept(&self->r, self->l, 0)->file_index = ALLOC;
	i = ring_run(&self->r);
	EXPECT_TRUE(i >= 0 && i < SLOTS && i != 3);
	EXPECT_EQ(fds, count_fds());
	sqe = sqe_op(&self->r, IORING_OP_SEND, 5);
	sqe->fd = 3;
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->addr = (uintptr_t)"x";
	sqe->len = 1;
	EXPECT_RES(1, ring_run(&self->r));

	/* The connection that finds no slot is closed. */
	sqe_accept(&self->r, self->l, 0)->file_index = SLOTS + 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	EXPECT_EQ(0, recv(c[2], &i, sizeof(i), 0));
	for (i = 0; i < 3; i++)
		close(c[i]);
}

/* Without a descriptor to be had the connection stays where it is. */
TEST_F(accept, no_descriptor)
{
	struct rlimit old, none = {};
	int c = dial(&self->addr), fd;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	none = (struct rlimit){ 0, old.rlim_max };
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	sqe_accept(&self->r, self->l, 0);
	fd = ring_run(&self->r);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_RES(-EMFILE, fd);
	sqe_accept(&self->r, self->l, 0);
	fd = ring_run(&self->r);
	EXPECT_LE(0, fd);
	close(fd);
	close(c);
}

/* The CQE tells whether another connection waits. */
TEST_F(accept, more_are_waiting)
{
	struct cqe cqe;
	int c[3], i;

	for (i = 0; i < 3; i++)
		c[i] = dial(&self->addr);
	for (i = 0; i < 3; i++) {
		sqe_accept(&self->r, self->l, 0);
		ASSERT_LE(0, ring_run_cqe(&self->r, &cqe));
		EXPECT_EQ(i < 2 ? IORING_CQE_F_SOCK_NONEMPTY : 0, cqe.flags);
		close(cqe.res);
		close(c[i]);
	}
}

static int cancel_all(struct ring *r)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_ASYNC_CANCEL, 99);

	sqe->addr = 1;
	sqe->cancel_flags = IORING_ASYNC_CANCEL_ALL;
	return ring_submit(r);
}

TEST_F(accept, multishot)
{
	int c[8], i, waiting = 3;
	struct cqe cqe;

	for (i = 0; i < waiting; i++)
		c[i] = dial(&self->addr);
	sqe_accept(&self->r, self->l, IORING_ACCEPT_MULTISHOT);
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 8; i++) {
		if (i >= waiting)
			c[i] = dial(&self->addr);
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		ASSERT_EQ(1, cqe.user_data);
		ASSERT_LE(0, cqe.res);
		EXPECT_TRUE(cqe.flags & IORING_CQE_F_MORE);
		close(cqe.res);
	}
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(1, cancel_all(&self->r));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(cqe.user_data == 1 ? -ECANCELED : 1, cqe.res);
		EXPECT_EQ(0, cqe.flags);
	}
	for (i = 0; i < 8; i++)
		close(c[i]);
}

/* As with everything else a worker may be asked to begin; it does not keep the worker. */
TEST_F(accept, multishot_from_a_worker)
{
	struct cqe cqe;
	int c[2], i;

	c[0] = dial(&self->addr);
	sqe_accept(&self->r, self->l, IORING_ACCEPT_MULTISHOT)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 2; i++) {
		if (i)
			c[i] = dial(&self->addr);
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_LE(0, cqe.res);
		EXPECT_TRUE(cqe.flags & IORING_CQE_F_MORE);
		close(cqe.res);
		close(c[i]);
	}
}

/* Slots, until there is none left: that ends it. */
TEST_F(accept, multishot_slots)
{
	int c[SLOTS + 1], i;
	struct cqe cqe;

	for (i = 0; i <= SLOTS; i++)
		c[i] = dial(&self->addr);
	sqe_accept(&self->r, self->l, IORING_ACCEPT_MULTISHOT)->file_index = ALLOC;
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < SLOTS; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(i, cqe.res);
		EXPECT_TRUE(cqe.flags & IORING_CQE_F_MORE);
	}
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(-ENFILE, cqe.res);
	EXPECT_EQ(0, cqe.flags);
	for (i = 0; i <= SLOTS; i++)
		close(c[i]);
}

/*
 * A ring with room for a few CQEs, and many connections: every one of them has
 * a CQE, the last before the ring is full ends the request.
 */
TEST_F(accept, multishot_full_ring)
{
	struct io_uring_params p = {
		.flags = variant->flags | IORING_SETUP_CQSIZE, .cq_entries = 4,
	};
	int c[16], fds, got = 0, ends = 0, i;
	struct ring r = { .p = p };
	struct cqe cqe;

	ASSERT_EQ(0, ring_open_params(&r, 2));
	for (i = 0; i < 16; i++)
		c[i] = dial(&self->addr);
	fds = count_fds();
	while (got < 16) {
		sqe_accept(&r, self->l, IORING_ACCEPT_MULTISHOT);
		ASSERT_EQ(1, ring_submit(&r));
		do {
			ASSERT_EQ(0, ring_wait(&r, &cqe));
			ASSERT_LE(0, cqe.res);
			ASSERT_TRUE(fd_is_open(cqe.res));
			close(cqe.res);
			got++;
		} while (cqe.flags & IORING_CQE_F_MORE && got < 16);
		ends += !(cqe.flags & IORING_CQE_F_MORE);
	}
	EXPECT_LE(1, ends);
	EXPECT_EQ(fds, count_fds());
	EXPECT_EQ(0, *r.cq_overflow);
	ring_close(&r);
	for (i = 0; i < 16; i++)
		close(c[i]);
}

TEST_F(accept, multishot_ends_with_the_listener)
{
	struct cqe cqe;

	sqe_accept(&self->r, self->l, IORING_ACCEPT_MULTISHOT);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(0, shutdown(self->l, SHUT_RDWR));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(-EINVAL, cqe.res);
	EXPECT_EQ(0, cqe.flags);
}

TEST_F(accept, connect)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), a;
	struct sockaddr_in addr = self->addr;
	char c = 0;

	sqe_connect(&self->r, fd, &addr, sizeof(addr));
	ASSERT_EQ(1, ring_publish(&self->r));
	ASSERT_EQ(1, ring_enter(&self->r, 1, 0, 0));
	if (variant->flags & IORING_SETUP_SQPOLL)
		ASSERT_TRUE(BECOMES(load_acquire(self->r.sq_head) == 1));
	memset(&addr, 0xff, sizeof(addr));
	ASSERT_EQ(0, ring_wait(&self->r, &(struct cqe){}));
	a = accept(self->l, NULL, NULL);
	ASSERT_LE(0, a);
	EXPECT_EQ(1, write(a, "x", 1));
	fcntl(fd, F_SETFL, 0);
	EXPECT_EQ(1, read(fd, &c, 1));
	sqe_connect(&self->r, fd, &self->addr, sizeof(addr));
	EXPECT_RES(-EISCONN, ring_run(&self->r));
	close(a);
	close(fd);
}

/* Nobody listens there: each attempt says the same. */
TEST_F(accept, connect_refused)
{
	struct sockaddr_in addr = loopback;
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int other = socket(AF_INET, SOCK_STREAM, 0), i;

	ASSERT_EQ(0, bind(other, (void *)&addr, len));
	ASSERT_EQ(0, getsockname(other, (void *)&addr, &len));
	for (i = 0; i < 3; i++) {
		sqe_connect(&self->r, fd, &addr, len)->flags = i == 2 ? IOSQE_ASYNC : 0;
		EXPECT_RES(-ECONNREFUSED, ring_run(&self->r));
	}
	close(other);
	close(fd);
}

/* The queue of a UNIX socket is full: wait, unless the socket says not to. */
TEST_F(accept, connect_unix)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 5;
	int l = socket(AF_UNIX, SOCK_STREAM, 0);
	int fd[4], i, a;
	struct cqe cqe;

	memcpy(un.sun_path, "\0uri", 4);
	un.sun_path[4] = '0' + getpid() % 10;
	for (i = 0; i < 4; i++)
		fd[i] = socket(AF_UNIX, SOCK_STREAM | (i == 3 ? SOCK_NONBLOCK : 0), 0);
	sqe_bind(&self->r, l, &un, len);
	EXPECT_RES(0, ring_run(&self->r));
	sqe_arg(&self->r, IORING_OP_LISTEN, l, 1);
	EXPECT_RES(0, ring_run(&self->r));
	for (i = 0; i < 2; i++) {
		sqe_connect(&self->r, fd[i], &un, len);
		EXPECT_RES(0, ring_run(&self->r));
	}
	sqe_connect(&self->r, fd[3], &un, len);
	EXPECT_RES(-EAGAIN, ring_run(&self->r));
	sqe_connect(&self->r, fd[2], &un, len);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	a = accept(l, NULL, NULL);
	ASSERT_LE(0, a);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(0, cqe.res);
	close(a);
	for (i = 0; i < 4; i++)
		close(fd[i]);
	close(l);
}

TEST_F(accept, connect_cancelled)
{
	struct sockaddr_in addr = self->addr;
	int fd = socket(AF_INET, SOCK_STREAM, 0), full[8], nr = 0, i;
	struct io_uring_sqe *sqe;
	struct cqe cqe;

	/* With its queue full the listener drops what comes, and the client goes on trying. */
	ASSERT_EQ(0, listen(self->l, 0));
	for (i = 0; i < 8; i++) {
		full[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(full[i], (void *)&addr, sizeof(addr));
		nr++;
	}
	sleep_ms(SETTLE_MS);
	sqe_connect(&self->r, fd, &addr, sizeof(addr));
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	sqe = sqe_op(&self->r, IORING_OP_ASYNC_CANCEL, 99);
	sqe->addr = 2;
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(cqe.user_data == 2 ? -ECANCELED : 0, cqe.res);
	}
	while (nr--)
		close(full[nr]);
	close(fd);
}

static int min_zero(int res)
{
	return res < 0 ? res : 0;
}

TEST_F(accept, socket)
{
	int fd, type = -1, i;
	socklen_t len = sizeof(type);

	sqe_socket(&self->r, AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_TRUE(fcntl(fd, F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len));
	EXPECT_EQ(SOCK_STREAM, type);
	close(fd);

	sqe_socket(&self->r, AF_INET, SOCK_DGRAM)->file_index = 2 + 1;
	EXPECT_RES(0, ring_run(&self->r));
	for (i = 0; i < SLOTS; i++) {
		int want = i == SLOTS - 1 ? -ENFILE : 0;

		sqe_socket(&self->r, AF_INET, SOCK_DGRAM)->file_index = ALLOC;
		EXPECT_RES(want, min_zero(ring_run(&self->r)));
	}

	sqe_socket(&self->r, AF_MAX, SOCK_DGRAM);
	EXPECT_RES(-EAFNOSUPPORT, ring_run(&self->r));
	sqe_socket(&self->r, AF_INET, SOCK_DGRAM | 0x100);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_socket(&self->r, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC)->file_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_socket(&self->r, AF_INET, SOCK_DGRAM)->addr = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_socket(&self->r, AF_INET, SOCK_DGRAM)->rw_flags = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

static int has_bind(struct ring *r, int fd)
{
	sqe_bind(r, fd, &loopback, sizeof(loopback));
	return ring_run(r) != -EINVAL;
}

TEST_F(accept, bind_and_listen)
{
	const char *dir = getenv("TEST_DIR");
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0), u = socket(AF_UNIX, SOCK_STREAM, 0), c;

	NEEDS_73(has_bind(&self->r, socket(AF_INET, SOCK_STREAM, 0)));
	addr = loopback;
	sqe_bind(&self->r, fd, &addr, sizeof(addr));
	EXPECT_RES(0, ring_run(&self->r));
	sqe_bind(&self->r, fd, &addr, sizeof(addr));
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_arg(&self->r, IORING_OP_LISTEN, fd, 4);
	EXPECT_RES(0, ring_run(&self->r));
	ASSERT_EQ(0, getsockname(fd, (void *)&addr, &len));
	c = dial(&addr);
	EXPECT_LE(0, c);
	close(c);
	close(fd);

	/* This one makes a file. */
	snprintf(un.sun_path, sizeof(un.sun_path), "%s/io_uring_bind.%d", dir ?: "/tmp", getpid());
	sqe_bind(&self->r, u, &un, sizeof(un));
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_EQ(0, access(un.sun_path, F_OK));
	unlink(un.sun_path);
	close(u);
}

TEST_F(accept, shutdown)
{
	int fds[2];
	char c;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	sqe_arg(&self->r, IORING_OP_SHUTDOWN, fds[0], SHUT_WR);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_EQ(0, read(fds[1], &c, 1));
	sqe_arg(&self->r, IORING_OP_SHUTDOWN, fds[0], 3);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	close(fds[0]);
	close(fds[1]);
}

TEST_F(accept, not_a_socket)
{
	int file = temp_file(O_RDWR);

	sqe_accept(&self->r, file, 0);
	EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
	sqe_accept(&self->r, file, IORING_ACCEPT_MULTISHOT);
	EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
	sqe_connect(&self->r, file, &loopback, sizeof(loopback));
	EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
	sqe_bind(&self->r, file, &loopback, sizeof(loopback));
	EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
	sqe_arg(&self->r, IORING_OP_SHUTDOWN, file, 0);
	EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
	sqe_arg(&self->r, IORING_OP_LISTEN, file, 0);
	EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
	close(file);
	sqe_accept(&self->r, file, 0);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_accept(&self->r, self->r.fd, 0);
	EXPECT_RES(-ENOTSOCK, ring_run(&self->r));
}

/* The SQE is refused whatever the file is. */
TEST_F(accept, refused)
{
	struct io_uring_sqe *sqe;
	static const struct {
		int opcode;
		const char *zero;
	} ops[] = {
		{ IORING_OP_ACCEPT, "lb" },
		{ IORING_OP_CONNECT, "lbrs" },
		{ IORING_OP_BIND, "lbrs" },
		{ IORING_OP_SHUTDOWN, "oarbs" },
		{ IORING_OP_LISTEN, "abrso" },
	};
	const char *z;
	int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (z = ops[i].zero; *z; z++) {
			sqe = sqe_op(&self->r, ops[i].opcode, 1);
			sqe->fd = -1;
			switch (*z) {
			case 'l':
				sqe->len = 1;
				break;
			case 'b':
				sqe->buf_index = 1;
				break;
			case 'r':
				sqe->rw_flags = 1;
				break;
			case 's':
				sqe->splice_fd_in = 1;
				break;
			case 'o':
				sqe->off = 1;
				break;
			case 'a':
				sqe->addr = 1;
				break;
			}
			EXPECT_RES_OF(z, -EINVAL, ring_run(&self->r));
		}
	}
	sqe_accept(&self->r, -1, 8);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_accept(&self->r, -1, 0)->accept_flags = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe = sqe_accept(&self->r, -1, 0);
	sqe->accept_flags = SOCK_CLOEXEC;
	sqe->file_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_accept(&self->r, -1, IORING_ACCEPT_MULTISHOT)->file_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));

	sqe_connect(&self->r, -1, BAD_PTR, sizeof(struct sockaddr_in));
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe_connect(&self->r, -1, &self->addr, sizeof(struct sockaddr_storage) + 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_connect(&self->r, -1, &self->addr, -1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_connect(&self->r, -1, &self->addr, sizeof(self->addr));
	EXPECT_RES(-EBADF, ring_run(&self->r));
}

TEST_HARNESS_MAIN
