// SPDX-License-Identifier: GPL-2.0
/*
 * SEND_ZC, SENDMSG_ZC: every send that gets as far has two CQEs, in order, and
 * the second one comes when the memory is free, whoever goes away meanwhile.
 */
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "common.h"

#define MORE	IORING_CQE_F_MORE
#define NOTIF	IORING_CQE_F_NOTIF
#define COPIED	((int)IORING_NOTIF_USAGE_ZC_COPIED)
#define PART	65536
#define BIG	(4 * 1024 * 1024)

FIXTURE(zc)
{
	struct ring r;
	int tx, rx;		/* connected by TCP */
	char *buf;
};

RING_KIND_VARIANT(zc);
RING_KIND(zc, plain, .flags = 0);
RING_KIND(zc, coop, .flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
RING_KIND(zc, defer, .flags = DEFER_FLAGS);
RING_KIND(zc, big_defer, .flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32 | DEFER_FLAGS);
RING_KIND(zc, sqpoll, .flags = IORING_SETUP_SQPOLL, .piece = "sqpoll");

static int tcp_pair(int *tx, int *rx)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int l = socket(AF_INET, SOCK_STREAM, 0), small = 32768;
	socklen_t len = sizeof(addr);

	*tx = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(l, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	if (bind(l, (void *)&addr, len) || listen(l, 1) || getsockname(l, (void *)&addr, &len) ||
	    connect(*tx, (void *)&addr, len))
		return -1;
	*rx = accept(l, NULL, NULL);
	close(l);
	return *rx < 0 ? -1 : 0;
}

FIXTURE_SETUP(zc)
{
	NEEDS_RING_KIND(variant);
	ASSERT_EQ(0, ring_open(&self->r, 64, variant->flags));
	ASSERT_EQ(0, tcp_pair(&self->tx, &self->rx));
	self->buf = anon_map(BIG);
	ASSERT_NE(MAP_FAILED, self->buf);
}

FIXTURE_TEARDOWN(zc)
{
	close(self->tx);
	close(self->rx);
	ring_close(&self->r);
	munmap(self->buf, BIG);
}

static struct io_uring_sqe *sqe_zc(struct ring *r, int fd, const void *buf, unsigned int len,
				   unsigned int msg_flags, unsigned int ioprio)
{
	struct io_uring_sqe *sqe = sqe_rw(r, IORING_OP_SEND_ZC, fd, buf, len, 0);

	sqe->msg_flags = msg_flags;
	sqe->ioprio = ioprio;
	sqe->user_data = 1;
	return sqe;
}

static struct io_uring_sqe *sqe_msg_zc(struct ring *r, int fd, const struct msghdr *msg,
				       unsigned int msg_flags)
{
	struct io_uring_sqe *sqe = sqe_zc(r, fd, msg, 1, msg_flags, 0);

	sqe->opcode = IORING_OP_SENDMSG_ZC;
	return sqe;
}

static bool stays_quiet(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

static size_t drain(int fd, size_t len)
{
	static char part[PART];
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, part, sizeof(part));

		if (n <= 0)
			break;
		got += n;
	}
	return got;
}

/* Both CQEs of the one send that was queued */
static int run_both(struct ring *r, struct cqe *first, struct cqe *second)
{
	if (ring_submit(r) != 1 || ring_wait(r, first))
		return -1;
	if (!(first->flags & MORE))
		return 1;
	return ring_wait(r, second) ? -1 : 2;
}

/* A name for the notification, which came after 6.12 */
static uint64_t named(void)
{
	return on_stock() ? 0 : 42;
}

/* The result of the one send that was queued, its notification taken too */
static int run_whole(struct ring *r, unsigned int *flags)
{
	struct cqe cqe, second;
	int ret = run_both(r, &cqe, &second);

	*flags = cqe.flags;
	return ret < 0 ? NO_CQE : cqe.res;
}

TEST_F(zc, two_cqes)
{
	struct cqe first, second;
	char got[8] = "";

	sqe_zc(&self->r, self->tx, "hello", 5, 0, 0)->addr3 = named();
	ASSERT_EQ(2, run_both(&self->r, &first, &second));
	EXPECT_EQ(1, first.user_data);
	EXPECT_RES(5, first.res);
	EXPECT_EQ(MORE, first.flags);
	EXPECT_EQ(named() ?: 1, second.user_data);
	EXPECT_RES(0, second.res);
	EXPECT_EQ(NOTIF, second.flags);
	EXPECT_EQ(5, read(self->rx, got, sizeof(got)));
	EXPECT_STREQ("hello", got);

	/* Without a name of its own, from a worker, and waiting first */
	sqe_zc(&self->r, self->tx, "hello", 5, 0, IORING_RECVSEND_POLL_FIRST)->flags = IOSQE_ASYNC;
	ASSERT_EQ(2, run_both(&self->r, &first, &second));
	EXPECT_RES(5, first.res);
	EXPECT_EQ(1, second.user_data);
	EXPECT_TRUE(stays_quiet(&self->r));
}

/* Loopback copies what it delivers. */
TEST_F(zc, report)
{
	struct cqe first, second;

	sqe_zc(&self->r, self->tx, self->buf, 4096, 0, IORING_SEND_ZC_REPORT_USAGE);
	ASSERT_EQ(2, run_both(&self->r, &first, &second));
	EXPECT_RES(4096, first.res);
	EXPECT_EQ(COPIED, second.res);
}

TEST_F(zc, message)
{
	struct iovec iov[] = { { "ab", 2 }, { self->buf, 5000 }, { "cde", 3 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };
	struct cqe first, second;

	sqe_msg_zc(&self->r, self->tx, &msg, 0);
	ASSERT_EQ(2, run_both(&self->r, &first, &second));
	EXPECT_RES(5005, first.res);
	EXPECT_EQ(NOTIF, second.flags);
	EXPECT_EQ(5005, drain(self->rx, 5005));
}

TEST_F(zc, datagram)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int rx = socket(AF_INET, SOCK_DGRAM, 0), tx = socket(AF_INET, SOCK_DGRAM, 0);
	struct iovec iov = { self->buf, 3000 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_name = &addr,
			      .msg_namelen = sizeof(addr) };
	socklen_t len = sizeof(addr);
	struct cqe first, second;
	struct io_uring_sqe *sqe;
	char got[4096];

	ASSERT_EQ(0, bind(rx, (void *)&addr, len));
	ASSERT_EQ(0, getsockname(rx, (void *)&addr, &len));
	sqe = sqe_zc(&self->r, tx, self->buf, 2000, 0, 0);
	sqe->addr2 = (uintptr_t)&addr;
	sqe->addr_len = len;
	ASSERT_EQ(2, run_both(&self->r, &first, &second));
	EXPECT_RES(2000, first.res);
	EXPECT_EQ(2000, read(rx, got, sizeof(got)));
	sqe_msg_zc(&self->r, tx, &msg, 0);
	ASSERT_EQ(2, run_both(&self->r, &first, &second));
	EXPECT_RES(3000, first.res);
	EXPECT_EQ(3000, read(rx, got, sizeof(got)));
	close(rx);
	close(tx);
}

/* The protocol copies: refused, but the notification was made already. */
TEST_F(zc, unsupported)
{
	struct cqe first, second;
	int fds[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	sqe_zc(&self->r, fds[0], "x", 1, 0, 0);
	ASSERT_EQ(2, run_both(&self->r, &first, &second));
	EXPECT_RES(-EOPNOTSUPP, first.res);
	EXPECT_EQ(MORE, first.flags);
	EXPECT_RES(0, second.res);
	EXPECT_EQ(NOTIF, second.flags);
	close(fds[0]);
	close(fds[1]);
}

/*
 * Fill the connection: what is queued, but not sent, is not free. Returns the
 * number of sends, all of which have their first CQE; *notifs have the second.
 */
static int fill(struct ring *r, int fd, const char *buf, int *notifs)
{
	struct cqe cqe;
	int sends = 0;
	bool full = false;

	*notifs = 0;
	while (!full && sends < 1000) {
		sqe_zc(r, fd, buf, PART, MSG_DONTWAIT, 0);
		if (ring_submit(r) != 1)
			return -1;
		do {
			if (ring_wait(r, &cqe))
				return -1;
			*notifs += !!(cqe.flags & NOTIF);
		} while (cqe.flags & NOTIF);
		full = cqe.res == -EAGAIN;
		sends += !!(cqe.flags & MORE);
	}
	return sends;
}

TEST_F(zc, not_free_before)
{
	int sends, notifs;
	struct cqe cqe;

	sends = fill(&self->r, self->tx, self->buf, &notifs);
	ASSERT_LT(1, sends);
	while (!ring_wait_ms(&self->r, 1, SETTLE_MS))
		while (ring_take(&self->r, &cqe))
			notifs++;
	EXPECT_LT(notifs, sends);
	ASSERT_EQ(0, fcntl(self->rx, F_SETFL, O_NONBLOCK));
	while (notifs < sends) {
		drain(self->rx, BIG);
		if (ring_wait_ms(&self->r, 1, 1000))
			break;
		while (ring_take(&self->r, &cqe)) {
			EXPECT_EQ(NOTIF, cqe.flags);
			notifs++;
		}
	}
	EXPECT_EQ(sends, notifs);
}

/* The peer never reads; the connection is cut. */
TEST_F(zc, connection_lost)
{
	struct linger now = { .l_onoff = 1 };
	int sends, notifs;
	struct cqe cqe;

	sends = fill(&self->r, self->tx, self->buf, &notifs);
	ASSERT_LT(1, sends);
	ASSERT_EQ(0, setsockopt(self->tx, SOL_SOCKET, SO_LINGER, &now, sizeof(now)));
	close(self->tx);
	while (notifs < sends && !ring_wait(&self->r, &cqe)) {
		EXPECT_EQ(NOTIF, cqe.flags);
		notifs++;
	}
	EXPECT_EQ(sends, notifs);
}

struct reader {
	int fd;
	size_t len, got;
};

static void *reader_main(void *arg)
{
	struct reader *d = arg;

	d->got = drain(d->fd, d->len);
	return NULL;
}

/* One send in several parts has one notification. */
TEST_F(zc, all_of_it)
{
	struct reader d = { self->rx, BIG };
	struct iovec iov[] = { { self->buf, BIG / 2 }, { self->buf + BIG / 2, BIG / 2 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cqe first, second;
	pthread_t thread;
	int i;

	for (i = 0; i < 2; i++) {
		if (i)
			sqe_msg_zc(&self->r, self->tx, &msg, MSG_WAITALL);
		else
			sqe_zc(&self->r, self->tx, self->buf, BIG, MSG_WAITALL, 0);
		ASSERT_EQ(1, ring_submit(&self->r));
		EXPECT_TRUE(stays_quiet(&self->r));
		ASSERT_EQ(0, pthread_create(&thread, NULL, reader_main, &d));
		ASSERT_EQ(0, ring_wait(&self->r, &first));
		ASSERT_EQ(0, ring_wait(&self->r, &second));
		pthread_join(thread, NULL);
		EXPECT_RES(BIG, first.res);
		EXPECT_EQ(MORE, first.flags);
		EXPECT_EQ(NOTIF, second.flags);
		EXPECT_EQ(BIG, d.got);
	}
}

TEST_F(zc, cancelled)
{
	struct io_uring_sqe *sqe;
	int moved = NO_CQE, i;
	struct cqe cqe;

	sqe_zc(&self->r, self->tx, self->buf, BIG, MSG_WAITALL, 0)->addr3 = named();
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	sqe = sqe_op(&self->r, IORING_OP_ASYNC_CANCEL, 9);
	sqe->addr = 1;
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		if (cqe.user_data == 9) {
			EXPECT_RES(0, cqe.res);
			continue;
		}
		EXPECT_EQ(1, cqe.user_data);
		EXPECT_EQ(MORE, cqe.flags);
		moved = cqe.res;
	}
	ASSERT_TRUE(moved > 0 && moved < BIG);
	EXPECT_EQ(moved, drain(self->rx, moved));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(named() ?: 1, cqe.user_data);
	EXPECT_EQ(NOTIF, cqe.flags);
}

/* Nobody waits for a peer that does not read: neither a drain nor the end of the task. */
TEST_F(zc, drain_does_not_wait)
{
	int sends, notifs;
	struct cqe cqe;

	if (on_stock())
		SKIP(return, "stock waits");
	sends = fill(&self->r, self->tx, self->buf, &notifs);
	ASSERT_LT(1, sends);
	while (!ring_wait_ms(&self->r, 1, SETTLE_MS))
		while (ring_take(&self->r, &cqe))
			notifs++;
	ASSERT_LT(notifs, sends);
	sqe_nop(&self->r, 7)->flags = IOSQE_IO_DRAIN;
	EXPECT_RES(0, ring_run_cqe(&self->r, &cqe));
	EXPECT_EQ(7, cqe.user_data);
}

static int fill_and_exec(void *arg)
{
	char buf[PART];
	struct ring r;
	int notifs, tx = *(int *)arg;

	if (ring_open(&r, 64, 0) || fill(&r, tx, buf, &notifs) < 1)
		return 1;
	fcntl(tx, F_SETFD, FD_CLOEXEC);
	execl("/bin/true", "true", NULL);
	return 2;
}

TEST_F(zc, exec_does_not_wait)
{
	uint64_t start = now_ns();

	if (on_stock())
		SKIP(return, "stock may");
	EXPECT_EQ(0, in_child(fill_and_exec, &self->tx));
	EXPECT_GT(WAIT_MS, ms_since(start));
}

/* The ring goes first. */
TEST_F(zc, ring_goes_away)
{
	int notifs, i;
	struct ring r;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, ring_open(&r, 64, variant->flags));
		ASSERT_LT(0, fill(&r, self->tx, self->buf, &notifs));
		ring_close(&r);
		ASSERT_EQ(0, fcntl(self->rx, F_SETFL, O_NONBLOCK));
		while (drain(self->rx, PART) || !stays_quiet(&self->r))
			;
	}
}

static int send_as_nobody(void *arg)
{
	struct rlimit little = { 65536, 65536 };
	unsigned int flags;
	struct ring r;
	int i;

	if (setrlimit(RLIMIT_MEMLOCK, &little) || setresuid(65534, 65534, 65534) ||
	    ring_open(&r, 4, 0))
		return 1;
	sqe_zc(&r, *(int *)arg, anon_map(1 << 20), 1 << 20, MSG_DONTWAIT, 0);
	if (run_whole(&r, &flags) != -ENOMEM)
		return 2;
	/* What was charged for a small one is given back, so that there can be many. */
	for (i = 0; i < 100; i++) {
		sqe_zc(&r, *(int *)arg, "x", 1, 0, 0);
		if (run_whole(&r, &flags) != 1)
			return 3;
	}
	return 0;
}

TEST_F(zc, memlock)
{
	if (geteuid())
		SKIP(return, "needs root");
	EXPECT_EQ(0, in_child(send_as_nobody, &self->tx));
}

TEST_F(zc, refused)
{
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int i, file = temp_file(O_RDWR);
	struct io_uring_sqe *sqe;
	unsigned int flags;

	/* On stock the notification is made earlier, so it may follow where nothing was sent. */
#define SQE()	(sqe = i ? sqe_msg_zc(&self->r, self->tx, &msg, 0) :	\
		 sqe_zc(&self->r, self->tx, "x", 1, 0, 0))
#define REFUSED(err)							\
	do {								\
		EXPECT_RES(err, run_whole(&self->r, &flags));		\
		if (!on_stock())					\
			EXPECT_EQ(0, flags);				\
	} while (0)

	for (i = 0; i < 2; i++) {
		SQE()->flags = IOSQE_CQE_SKIP_SUCCESS;
		REFUSED(-EINVAL);
		SQE()->__pad2[0] = 1;
		REFUSED(-EINVAL);
		SQE()->ioprio = IORING_RECV_MULTISHOT;
		REFUSED(-EINVAL);
		SQE()->ioprio = IORING_RECVSEND_BUNDLE;
		REFUSED(-EINVAL);
		SQE()->fd = -1;
		REFUSED(-EBADF);
		SQE()->fd = file;
		REFUSED(-ENOTSOCK);
		SQE()->flags = IOSQE_BUFFER_SELECT;
		REFUSED(-EOPNOTSUPP);
	}
	sqe_zc(&self->r, self->tx, "x", 1, 0, 0)->__pad3[0] = 1;
	REFUSED(-EINVAL);
	sqe_zc(&self->r, self->tx, KERNEL_PTR, 1, 0, 0);
	EXPECT_RES(-EFAULT, run_whole(&self->r, &flags));
	close(file);
}

TEST_HARNESS_MAIN
