// SPDX-License-Identifier: GPL-2.0
/*
 * ASYNC_CANCEL and IORING_REGISTER_SYNC_CANCEL: which requests are found, where
 * they can be found, what is reported, and that each ends exactly once.
 */
#include <sys/eventfd.h>

#include "common.h"

#define KEY		1000		/* user_data of the requests in question */
#define OTHER		2000		/* of what acts on them */
#define LONG_MS		30000

#define ALL		IORING_ASYNC_CANCEL_ALL
#define FD		IORING_ASYNC_CANCEL_FD
#define ANY		IORING_ASYNC_CANCEL_ANY
#define FD_FIXED	IORING_ASYNC_CANCEL_FD_FIXED
#define USERDATA	IORING_ASYNC_CANCEL_USERDATA
#define OP		IORING_ASYNC_CANCEL_OP

FIXTURE(cancel)
{
	struct ring r;
	int in, out;			/* a pipe that stays empty */
	char bufs[64];
};

FIXTURE_VARIANT(cancel)
{
	unsigned int flags;
	unsigned int sqe_flags;		/* of the requests to be cancelled */
};

FIXTURE_VARIANT_ADD(cancel, plain)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(cancel, plain_worker)
{
	.flags = 0,
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_VARIANT_ADD(cancel, defer)
{
	.flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(cancel, defer_worker)
{
	.flags = DEFER_FLAGS,
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_SETUP(cancel)
{
	int fds[2];

	ASSERT_EQ(0, ring_open(&self->r, 64, variant->flags));
	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	self->in = fds[0];
	self->out = fds[1];
}

FIXTURE_TEARDOWN(cancel)
{
	ring_close(&self->r);
	close(self->in);
	close(self->out);
}

static struct io_uring_sqe *sqe_read(struct ring *r, int fd, void *buf, uint64_t user_data,
				     unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_rw(r, IORING_OP_READ, fd, buf, 1, -1);

	sqe->user_data = user_data;
	sqe->flags = flags;
	return sqe;
}

static struct io_uring_sqe *sqe_cancel(struct ring *r, uint64_t key, unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_ASYNC_CANCEL, OTHER);

	sqe->addr = key;
	sqe->cancel_flags = flags;
	return sqe;
}

static struct io_uring_sqe *sqe_cancel_fd(struct ring *r, int fd, unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_cancel(r, 0, flags | FD);

	sqe->fd = fd;
	return sqe;
}

static struct io_uring_sqe *sqe_long_timeout(struct ring *r, uint64_t user_data)
{
	static const struct __kernel_timespec ts = { LONG_MS / 1000, 0 };
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_TIMEOUT, user_data);

	sqe->addr = (uintptr_t)&ts;
	sqe->len = 1;
	return sqe;
}

static struct io_uring_sqe *sqe_poll(struct ring *r, int fd, uint64_t user_data)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_POLL_ADD, user_data);

	sqe->fd = fd;
	sqe->poll_events = POLLIN;
	return sqe;
}

/* Give workers the time to get hold of what was submitted. */
static void settle(struct ring *r)
{
	sleep_ms(SETTLE_MS);
	ring_get_events(r);
}

static bool silent(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

static bool is_cancelled(int res)
{
	return res == -ECANCELED || res == -EINTR;
}

/* Wait for the cancel's result and n CQEs of its victims. */
static int run_cancel(struct __test_metadata *_metadata, struct ring *r, int n)
{
	int res = NO_CQE;
	struct cqe cqe;

	EXPECT_EQ(1, ring_submit(r));
	for (n++; n; n--) {
		EXPECT_EQ(0, ring_wait(r, &cqe));
		if (cqe.user_data == OTHER)
			res = cqe.res;
		else
			EXPECT_TRUE(is_cancelled(cqe.res));
	}
	return res;
}

/* What a cancel that does not want all may say of a request that a worker may be running */
#define EXPECT_CANCELLED(res)							\
	do {									\
		int res_ = (res);						\
										\
		if (res_ != -EALREADY || !variant->sqe_flags)			\
			EXPECT_RES(0, res_);					\
	} while (0)

/* Keys */

TEST_F(cancel, by_user_data)
{
	struct ring *r = &self->r;

	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
	sqe_read(r, self->in, self->bufs, KEY + 1, variant->sqe_flags);
	ASSERT_EQ(2, ring_submit(r));
	settle(r);
	sqe_cancel(r, KEY + 2, 0);
	EXPECT_RES(-ENOENT, run_cancel(_metadata, r, 0));
	sqe_cancel(r, KEY, 0);
	EXPECT_CANCELLED(run_cancel(_metadata, r, 1));
	sqe_cancel(r, KEY, 0);
	EXPECT_RES(-ENOENT, run_cancel(_metadata, r, 0));
	EXPECT_TRUE(silent(r));
	sqe_cancel(r, KEY + 1, USERDATA);
	EXPECT_CANCELLED(run_cancel(_metadata, r, 1));
}

TEST_F(cancel, one_of_several)
{
	struct ring *r = &self->r;
	int i;

	for (i = 0; i < 4; i++)
		sqe_read(r, self->in, &self->bufs[i], KEY, variant->sqe_flags);
	ASSERT_EQ(4, ring_submit(r));
	settle(r);
	for (i = 0; i < 4; i++) {
		sqe_cancel(r, KEY, 0);
		EXPECT_CANCELLED(run_cancel(_metadata, r, 1));
		EXPECT_TRUE(silent(r));
	}
	sqe_cancel(r, KEY, 0);
	EXPECT_RES(-ENOENT, run_cancel(_metadata, r, 0));
}

TEST_F(cancel, all_of_user_data)
{
	struct ring *r = &self->r;
	int i;

	for (i = 0; i < 8; i++)
		sqe_read(r, self->in, &self->bufs[i], KEY + i % 2, variant->sqe_flags);
	ASSERT_EQ(8, ring_submit(r));
	settle(r);
	sqe_cancel(r, KEY, ALL);
	EXPECT_RES(4, run_cancel(_metadata, r, 4));
	EXPECT_TRUE(silent(r));
	sqe_cancel(r, KEY, ALL);
	EXPECT_RES(0, run_cancel(_metadata, r, 0));
	sqe_cancel(r, KEY + 1, ALL);
	EXPECT_RES(4, run_cancel(_metadata, r, 4));
}

TEST_F(cancel, by_file)
{
	int fds[2], again = dup(self->in);
	struct ring *r = &self->r;

	ASSERT_EQ(0, pipe2(fds, O_CLOEXEC));
	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
	sqe_read(r, self->in, self->bufs, KEY + 1, variant->sqe_flags);
	sqe_read(r, fds[0], self->bufs, KEY, variant->sqe_flags);
	ASSERT_EQ(3, ring_submit(r));
	settle(r);
	sqe_cancel_fd(r, self->out, 0);
	EXPECT_RES_OF("other end", -ENOENT, run_cancel(_metadata, r, 0));
	sqe_cancel_fd(r, -1, 0);
	EXPECT_RES_OF("no file", -EBADF, run_cancel(_metadata, r, 0));
	sqe_cancel_fd(r, self->in, USERDATA)->addr = KEY + 2;
	EXPECT_RES_OF("other user_data", -ENOENT, run_cancel(_metadata, r, 0));
	/* It is the file that counts, not its number. */
	sqe_cancel_fd(r, again, USERDATA)->addr = KEY;
	EXPECT_CANCELLED(run_cancel(_metadata, r, 1));
	sqe_cancel_fd(r, self->in, ALL);
	EXPECT_RES(1, run_cancel(_metadata, r, 1));
	EXPECT_TRUE(silent(r));
	sqe_cancel_fd(r, fds[0], 0);
	EXPECT_CANCELLED(run_cancel(_metadata, r, 1));
	close(again);
	close(fds[0]);
	close(fds[1]);
}

TEST_F(cancel, by_fixed_file)
{
	struct ring *r = &self->r;
	int files[2] = { self->in, -1 };

	ASSERT_EQ(0, sys_register(r->fd, IORING_REGISTER_FILES, files, 2));
	sqe_read(r, 0, self->bufs, KEY, variant->sqe_flags | IOSQE_FIXED_FILE);
	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
	ASSERT_EQ(2, ring_submit(r));
	settle(r);
	sqe_cancel_fd(r, 1, FD_FIXED);
	EXPECT_RES_OF("empty slot", -EBADF, run_cancel(_metadata, r, 0));
	sqe_cancel_fd(r, 2, FD_FIXED);
	EXPECT_RES_OF("no slot", -EBADF, run_cancel(_metadata, r, 0));
	sqe_cancel_fd(r, 1, 0)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES_OF("empty slot", -EBADF, run_cancel(_metadata, r, 0));
	/* The same file in either form */
	sqe_cancel_fd(r, 0, FD_FIXED | ALL);
	EXPECT_RES(2, run_cancel(_metadata, r, 2));
}

TEST_F(cancel, by_opcode)
{
	struct ring *r = &self->r;

	if (on_stock() && !has_setup_flags(IORING_SETUP_NO_SQARRAY))
		SKIP(return, "came with 6.6");
	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
	sqe_poll(r, self->in, KEY)->flags = variant->sqe_flags;
	sqe_long_timeout(r, KEY)->flags = variant->sqe_flags;
	ASSERT_EQ(3, ring_submit(r));
	settle(r);
	sqe_cancel(r, 0, OP)->len = IORING_OP_WRITE;
	EXPECT_RES(-ENOENT, run_cancel(_metadata, r, 0));
	sqe_cancel(r, KEY + 1, OP | USERDATA)->len = IORING_OP_READ;
	EXPECT_RES(-ENOENT, run_cancel(_metadata, r, 0));
	sqe_cancel(r, 0, OP | ALL)->len = IORING_OP_READ;
	EXPECT_RES(1, run_cancel(_metadata, r, 1));
	sqe_cancel(r, KEY, OP | USERDATA)->len = IORING_OP_TIMEOUT;
	EXPECT_CANCELLED(run_cancel(_metadata, r, 1));
	sqe_cancel_fd(r, self->in, OP)->len = IORING_OP_POLL_ADD;
	EXPECT_CANCELLED(run_cancel(_metadata, r, 1));
}

TEST_F(cancel, any)
{
	struct ring *r = &self->r;

	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
	sqe_poll(r, self->in, KEY + 1)->flags = variant->sqe_flags;
	sqe_long_timeout(r, KEY + 2)->flags = variant->sqe_flags;
	ASSERT_EQ(3, ring_submit(r));
	settle(r);
	sqe_cancel(r, 0, ANY);
	EXPECT_RES(3, run_cancel(_metadata, r, 3));
	sqe_cancel(r, 0, ANY);
	EXPECT_RES(0, run_cancel(_metadata, r, 0));
	sqe_cancel(r, 0, ANY | ALL);
	EXPECT_RES(0, run_cancel(_metadata, r, 0));
}

/* One that a worker runs does not find itself. */
TEST_F(cancel, not_itself)
{
	struct ring *r = &self->r;

	if (on_stock())
		SKIP(return, "finds itself");
	sqe_cancel(r, OTHER, 0)->flags = IOSQE_ASYNC;
	EXPECT_RES(-ENOENT, run_cancel(_metadata, r, 0));
	sqe_cancel(r, 0, ANY)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, run_cancel(_metadata, r, 0));
	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
	ASSERT_EQ(1, ring_submit(r));
	settle(r);
	sqe_cancel(r, 0, ANY)->flags = IOSQE_ASYNC;
	EXPECT_RES(1, run_cancel(_metadata, r, 1));
}

TEST_F(cancel, timeouts_have_no_file)
{
	struct ring *r = &self->r;

	sqe_long_timeout(r, KEY)->fd = self->in;
	ASSERT_EQ(1, ring_submit(r));
	sqe_cancel_fd(r, self->in, ALL);
	EXPECT_RES(0, run_cancel(_metadata, r, 0));
	sqe_cancel(r, KEY, 0);
	EXPECT_RES(0, run_cancel(_metadata, r, 1));
}

TEST_F(cancel, only_this_ring)
{
	struct ring other;

	ASSERT_EQ(0, ring_open(&other, 8, variant->flags));
	sqe_read(&self->r, self->in, self->bufs, KEY, variant->sqe_flags);
	ASSERT_EQ(1, ring_submit(&self->r));
	settle(&self->r);
	sqe_cancel(&other, KEY, 0);
	EXPECT_RES(-ENOENT, run_cancel(_metadata, &other, 0));
	sqe_cancel_fd(&other, self->in, ALL);
	EXPECT_RES(0, run_cancel(_metadata, &other, 0));
	sqe_cancel(&other, 0, ANY);
	EXPECT_RES(0, run_cancel(_metadata, &other, 0));
	EXPECT_TRUE(silent(&self->r));
	ring_close(&other);
}

TEST_F(cancel, breaks_chain)
{
	struct ring *r = &self->r;

	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags | IOSQE_IO_LINK);
	sqe_nop(r, KEY + 1);
	ASSERT_EQ(2, ring_submit(r));
	settle(r);
	/* Those that wait behind it are not found ... */
	sqe_cancel(r, KEY + 1, 0);
	EXPECT_RES(-ENOENT, run_cancel(_metadata, r, 0));
	/* ... and go with it. */
	sqe_cancel(r, KEY, 0);
	EXPECT_CANCELLED(run_cancel(_metadata, r, 2));
}

TEST_F(cancel, bad_fields)
{
	struct ring *r = &self->r;

	sqe_cancel(r, KEY, 0)->off = 1;
	EXPECT_RES_OF("off", -EINVAL, ring_run(r));
	sqe_cancel(r, KEY, 0)->splice_fd_in = 1;
	EXPECT_RES_OF("splice_fd_in", -EINVAL, ring_run(r));
	sqe_cancel(r, KEY, 0)->ioprio = 1;
	EXPECT_RES_OF("ioprio", -EINVAL, ring_run(r));
	sqe_cancel(r, KEY, 0x40);
	EXPECT_RES_OF("unknown flag", -EINVAL, ring_run(r));
	sqe_cancel(r, KEY, ANY | FD);
	EXPECT_RES_OF("ANY and FD", -EINVAL, ring_run(r));
	sqe_cancel(r, KEY, ANY | OP);
	EXPECT_RES_OF("ANY and OP", -EINVAL, ring_run(r));
	sqe_cancel(r, KEY, OP)->len = 255;
	if (!on_stock())
		EXPECT_RES_OF("opcode", -EINVAL, ring_run(r));
	else
		ring_run(r);
	sqe_cancel(r, KEY, 0)->flags = IOSQE_BUFFER_SELECT;
	EXPECT_RES_OF("BUFFER_SELECT", -EOPNOTSUPP, ring_run(r));
}

/* Synchronously, by a system call */

static struct io_uring_sync_cancel_reg sync_reg(uint64_t key, unsigned int flags, int timeout_ms)
{
	struct io_uring_sync_cancel_reg reg = { .addr = key, .flags = flags, .fd = -1 };

	if (timeout_ms < 0) {
		reg.timeout.tv_sec = -1;
		reg.timeout.tv_nsec = -1;
	} else {
		reg.timeout.tv_sec = timeout_ms / 1000;
		reg.timeout.tv_nsec = timeout_ms % 1000 * 1000000l;
	}
	return reg;
}

static int sync_cancel(struct ring *r, const struct io_uring_sync_cancel_reg *reg)
{
	return sys_register(r->fd, IORING_REGISTER_SYNC_CANCEL, reg, 1);
}

TEST_F(cancel, sync)
{
	struct io_uring_sync_cancel_reg reg = sync_reg(KEY, 0, -1);
	struct ring *r = &self->r;
	struct cqe cqe;

	EXPECT_RES(-ENOENT, sync_cancel(r, &reg));
	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
	ASSERT_EQ(1, ring_submit(r));
	settle(r);
	EXPECT_RES(0, sync_cancel(r, &reg));
	ASSERT_EQ(0, ring_wait(r, &cqe));
	EXPECT_TRUE(is_cancelled(cqe.res));
	EXPECT_RES(-ENOENT, sync_cancel(r, &reg));
}

TEST_F(cancel, sync_all)
{
	struct io_uring_sync_cancel_reg reg = sync_reg(KEY, ALL, -1);
	struct ring *r = &self->r;
	struct cqe cqe;
	int i;

	EXPECT_RES(0, sync_cancel(r, &reg));
	for (i = 0; i < 4; i++)
		sqe_read(r, self->in, &self->bufs[i], KEY, variant->sqe_flags);
	ASSERT_EQ(4, ring_submit(r));
	settle(r);
	EXPECT_RES(4, sync_cancel(r, &reg));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, ring_wait(r, &cqe));
		EXPECT_TRUE(is_cancelled(cqe.res));
	}
}

TEST_F(cancel, sync_by_file)
{
	struct io_uring_sync_cancel_reg reg = sync_reg(0, FD, -1);
	struct ring *r = &self->r;
	struct cqe cqe;

	EXPECT_RES(-EBADF, sync_cancel(r, &reg));
	reg.fd = self->in;
	EXPECT_RES(-ENOENT, sync_cancel(r, &reg));
	sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
	ASSERT_EQ(1, ring_submit(r));
	settle(r);
	EXPECT_RES(0, sync_cancel(r, &reg));
	ASSERT_EQ(0, ring_wait(r, &cqe));
	EXPECT_TRUE(is_cancelled(cqe.res));
}

TEST_F(cancel, sync_bad_fields)
{
	struct io_uring_sync_cancel_reg reg;
	struct ring *r = &self->r;

	reg = sync_reg(KEY, 0x40, 0);
	EXPECT_RES_OF("unknown flag", -EINVAL, sync_cancel(r, &reg));
	reg = sync_reg(KEY, 0, 0);
	reg.pad[6] = 1;
	EXPECT_RES_OF("pad", -EINVAL, sync_cancel(r, &reg));
	reg = sync_reg(KEY, 0, 0);
	reg.pad2[2] = 1;
	EXPECT_RES_OF("pad2", -EINVAL, sync_cancel(r, &reg));
	reg = sync_reg(KEY, 0, 0);
	EXPECT_RES_OF("number", -EINVAL,
		      sys_register(r->fd, IORING_REGISTER_SYNC_CANCEL, &reg, 2));
	EXPECT_RES_OF("no argument", -EINVAL,
		      sys_register(r->fd, IORING_REGISTER_SYNC_CANCEL, NULL, 1));
	EXPECT_RES_OF("bad pointer", -EFAULT,
		      sys_register(r->fd, IORING_REGISTER_SYNC_CANCEL, BAD_PTR, 1));
}

/* Requests that are being handed from one to another: in flight between a worker and its poll */

TEST_F(cancel, in_transit)
{
	const char *s = getenv("ROUNDS");
	unsigned int i, j, n = s ? atoi(s) / 4 : 500;
	struct ring *r = &self->r;

	if (on_stock())
		SKIP(return, "does not find all of them");
	for (i = 0; i < n; i++) {
		unsigned int flags = i & 1 ? ALL : 0, left = 4;
		int misses = 0;
		struct cqe cqe;

		for (j = 0; j < 4; j++)
			sqe_read(r, self->in, &self->bufs[j], KEY + j * !flags,
				 j & 1 ? variant->sqe_flags : IOSQE_ASYNC);
		ASSERT_EQ(4, ring_submit(r));
		for (j = 0; j < i % 50; j++)
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
		for (j = 0; j < 4; j++) {
			sqe_cancel(r, KEY + j * !flags, flags)->user_data = OTHER;
			if (flags)
				break;
		}
		ASSERT_LE(1, ring_submit(r));
		/* Each was found, wherever it was, and ends. */
		for (j = flags ? 1 : 4; j || left;) {
			ASSERT_EQ(0, ring_wait(r, &cqe));
			if (cqe.user_data != OTHER) {
				EXPECT_TRUE(is_cancelled(cqe.res));
				left--;
				continue;
			}
			j--;
			if (flags)
				EXPECT_RES(4, cqe.res);
			else
				misses += cqe.res != 0 && cqe.res != -EALREADY;
		}
		EXPECT_EQ(0, misses);
	}
	EXPECT_TRUE(silent(r));
}

/* Data and cancel at the same time: every request ends once, and no byte is lost. */

struct feeder {
	int fd;
	atomic_bool stop;
	unsigned long written;
};

static void *feed(void *arg)
{
	struct feeder *f = arg;

	while (!atomic_load(&f->stop)) {
		if (write(f->fd, "x", 1) == 1)
			f->written++;
		sched_yield();
	}
	return NULL;
}

TEST_F(cancel, race_with_data)
{
	const char *s = getenv("ROUNDS");
	unsigned int i, n = s ? atoi(s) : 2000;
	struct feeder f = { .fd = self->out };
	struct ring *r = &self->r;
	unsigned long got = 0;
	pthread_t thread;
	char rest[4096];
	ssize_t len;

	ASSERT_EQ(0, fcntl(self->out, F_SETFL, O_NONBLOCK));
	ASSERT_EQ(0, pthread_create(&thread, NULL, feed, &f));
	for (i = 0; i < n; i++) {
		int ends = 0, cancels = 0;
		struct cqe cqe;

		sqe_read(r, self->in, self->bufs, KEY, variant->sqe_flags);
		ASSERT_EQ(1, ring_submit(r));
		sqe_cancel(r, KEY, 0);
		ASSERT_EQ(1, ring_submit(r));
		while (!ends || !cancels) {
			ASSERT_EQ(0, ring_wait(r, &cqe));
			if (cqe.user_data == OTHER) {
				cancels++;
				continue;
			}
			ends++;
			if (!is_cancelled(cqe.res)) {
				EXPECT_RES(1, cqe.res);
				got++;
			}
		}
		EXPECT_EQ(1, ends);
	}
	atomic_store(&f.stop, true);
	pthread_join(thread, NULL);
	EXPECT_TRUE(silent(r));
	ASSERT_EQ(0, fcntl(self->in, F_SETFL, O_NONBLOCK));
	while ((len = read(self->in, rest, sizeof(rest))) > 0)
		got += len;
	EXPECT_EQ(f.written, got);
}

/* A ring that is closed, or whose task dies, with requests in every place */

static int leave_requests(void *arg)
{
	const unsigned int *flags = arg;
	struct ring r;
	int fds[2], i;
	char buf;

	if (ring_open(&r, 32, *flags) || pipe(fds))
		return 1;
	for (i = 0; i < 24; i++) {
		switch (i % 4) {
		case 0:
			sqe_read(&r, fds[0], &buf, KEY, 0);
			break;
		case 1:
			sqe_read(&r, fds[0], &buf, KEY, IOSQE_ASYNC);
			break;
		case 2:
			sqe_poll(&r, fds[0], KEY)->flags = IOSQE_IO_LINK;
			sqe_nop(&r, KEY);
			break;
		case 3:
			sqe_long_timeout(&r, KEY);
			break;
		}
	}
	ring_submit(&r);
	if (i & 1)
		close(r.fd);
	return 0;
}

TEST_F(cancel, at_exit)
{
	unsigned int i, flags = variant->flags;
	uint64_t start = now_ns();

	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, in_child(leave_requests, &flags));
	EXPECT_GE(20000, ms_since(start));
}

TEST_HARNESS_MAIN
