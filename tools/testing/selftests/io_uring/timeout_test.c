// SPDX-License-Identifier: GPL-2.0
/*
 * TIMEOUT, TIMEOUT_REMOVE and LINK_TIMEOUT: every clock and form of a time,
 * completion counts, repetition, changes, deadlines of other requests and
 * their races.
 */
#include <sys/eventfd.h>

#include "common.h"

#define MS		1000000ull	/* in ns */
#define SHORT_MS	20
#define LONG_MS		30000		/* not reached in a test that succeeds */
#define KEY		1000		/* user_data of the timeout in question */
#define GUARDED		1100		/* of the request that it guards */
#define NEXT		1200		/* of the one behind them */
#define OTHER		2000		/* of what acts on them */
#define MORE		IORING_CQE_F_MORE

#define ABS		IORING_TIMEOUT_ABS
#define BOOTTIME	IORING_TIMEOUT_BOOTTIME
#define REALTIME	IORING_TIMEOUT_REALTIME
#define ETIME_SUCCESS	IORING_TIMEOUT_ETIME_SUCCESS
#define MULTISHOT	IORING_TIMEOUT_MULTISHOT
#define UPDATE		IORING_TIMEOUT_UPDATE
#define LINK_UPDATE	IORING_LINK_TIMEOUT_UPDATE

FIXTURE(timeout)
{
	struct ring r;
	int fd;				/* an eventfd, which is never ready by itself */
	uint64_t value;
};

FIXTURE_VARIANT(timeout)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(timeout, plain)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(timeout, coop)
{
	.flags = IORING_SETUP_COOP_TASKRUN,
};

FIXTURE_VARIANT_ADD(timeout, defer)
{
	.flags = DEFER_FLAGS,
};

FIXTURE_SETUP(timeout)
{
	ASSERT_EQ(0, ring_open(&self->r, 64, variant->flags));
	self->fd = eventfd(0, EFD_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(timeout)
{
	ring_close(&self->r);
	close(self->fd);
}

/* The kernel reads a time at submission; so many are in use until then. */
static struct __kernel_timespec *keep_ts(struct __kernel_timespec ts)
{
	static struct __kernel_timespec kept[64];
	static unsigned int next;

	kept[next % 64] = ts;
	return &kept[next++ % 64];
}

static struct __kernel_timespec *ms(unsigned int ms)
{
	return keep_ts((struct __kernel_timespec){ ms / 1000, ms % 1000 * 1000000l });
}

static struct __kernel_timespec *at(clockid_t clock, int ms)
{
	struct timespec now;
	int64_t ns;

	clock_gettime(clock, &now);
	ns = now.tv_sec * 1000000000ll + now.tv_nsec + ms * (int64_t)MS;
	return keep_ts((struct __kernel_timespec){ ns / 1000000000, ns % 1000000000 });
}

static struct io_uring_sqe *sqe_timeout(struct ring *r, const void *ts, unsigned int count,
					unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_TIMEOUT, KEY);

	sqe->addr = (uintptr_t)ts;
	sqe->len = 1;
	sqe->off = count;
	sqe->timeout_flags = flags;
	return sqe;
}

static struct io_uring_sqe *sqe_deadline(struct ring *r, const void *ts, unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_timeout(r, ts, 0, flags);

	sqe->opcode = IORING_OP_LINK_TIMEOUT;
	return sqe;
}

static struct io_uring_sqe *sqe_remove(struct ring *r, uint64_t key, const void *ts,
				       unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_TIMEOUT_REMOVE, OTHER);

	sqe->addr = key;
	sqe->addr2 = (uintptr_t)ts;
	sqe->timeout_flags = flags;
	return sqe;
}

/* A read that waits until the eventfd is written to */
static struct io_uring_sqe *sqe_wait(struct ring *r, int fd, uint64_t *value)
{
	struct io_uring_sqe *sqe = sqe_rw(r, IORING_OP_READ, fd, value, 8, 0);

	sqe->user_data = GUARDED;
	return sqe;
}

static bool silent(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

/* Wait for n CQEs; cqes[] is in their order. */
static int take(struct ring *r, struct cqe *cqes, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (ring_wait(r, &cqes[i]))
			return -ETIME;
	return 0;
}

/* Among n CQEs that of user_data, or NO_CQE */
static int res_among(const struct cqe *cqes, int n, uint64_t user_data)
{
	int i;

	for (i = 0; i < n; i++)
		if (cqes[i].user_data == user_data)
			return cqes[i].res;
	return NO_CQE;
}

/* Expiry */

TEST_F(timeout, relative)
{
	uint64_t start = now_ns();

	sqe_timeout(&self->r, ms(SHORT_MS), 0, 0);
	EXPECT_RES(-ETIME, ring_run(&self->r));
	EXPECT_LE(SHORT_MS, ms_since(start));
	EXPECT_TRUE(silent(&self->r));
}

TEST_F(timeout, zero)
{
	sqe_timeout(&self->r, ms(0), 0, 0);
	EXPECT_RES(-ETIME, ring_run(&self->r));
	sqe_timeout(&self->r, ms(0), 0, BOOTTIME);
	EXPECT_RES(-ETIME, ring_run(&self->r));
	sqe_timeout(&self->r, ms(0), 10, ETIME_SUCCESS);
	EXPECT_RES(-ETIME, ring_run(&self->r));
	sqe_timeout(&self->r, ms(0), 0, ABS);
	EXPECT_RES(-ETIME, ring_run(&self->r));
	sqe_remove(&self->r, KEY, NULL, 0);
	EXPECT_RES(-ENOENT, ring_run(&self->r));
}

TEST_F(timeout, clocks)
{
	static const struct {
		unsigned int flags;
		clockid_t clock;
	} clocks[] = {
		{ 0, CLOCK_MONOTONIC },
		{ BOOTTIME, CLOCK_BOOTTIME },
		{ REALTIME, CLOCK_REALTIME },
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		uint64_t start = now_ns();

		sqe_timeout(&self->r, ms(SHORT_MS), 0, clocks[i].flags);
		EXPECT_RES_OF("relative", -ETIME, ring_run(&self->r));
		EXPECT_LE(SHORT_MS, ms_since(start));

		start = now_ns();
		sqe_timeout(&self->r, at(clocks[i].clock, SHORT_MS), 0, clocks[i].flags | ABS);
		EXPECT_RES_OF("absolute", -ETIME, ring_run(&self->r));
		EXPECT_LE(SHORT_MS - 1, ms_since(start));
		EXPECT_GE(LONG_MS, ms_since(start));

		sqe_timeout(&self->r, at(clocks[i].clock, -1000), 0, clocks[i].flags | ABS);
		EXPECT_RES_OF("past", -ETIME, ring_run(&self->r));

		sqe_timeout(&self->r, at(clocks[i].clock, LONG_MS), 0, clocks[i].flags | ABS);
		ASSERT_EQ(1, ring_submit(&self->r));
		EXPECT_TRUE(silent(&self->r));
		sqe_remove(&self->r, KEY, NULL, 0);
		ASSERT_EQ(1, ring_submit(&self->r));
		EXPECT_EQ(0, ring_wait(&self->r, &(struct cqe){}));
		EXPECT_EQ(0, ring_wait(&self->r, &(struct cqe){}));
	}
}

static bool has_immediate(void)
{
	return is_73();
}

TEST_F(timeout, immediate_argument)
{
	uint64_t start = now_ns();
	struct io_uring_sqe *sqe;

	NEEDS_73(has_immediate());
	sqe_timeout(&self->r, NULL, 0, IORING_TIMEOUT_IMMEDIATE_ARG)->addr = SHORT_MS * MS;
	EXPECT_RES(-ETIME, ring_run(&self->r));
	EXPECT_LE(SHORT_MS, ms_since(start));
	sqe_timeout(&self->r, NULL, 0, IORING_TIMEOUT_IMMEDIATE_ARG)->addr = 1ull << 63;
	EXPECT_RES(-EINVAL, ring_run(&self->r));

	sqe_timeout(&self->r, ms(LONG_MS), 0, 0);
	sqe = sqe_remove(&self->r, KEY, NULL, UPDATE | IORING_TIMEOUT_IMMEDIATE_ARG);
	sqe->addr2 = SHORT_MS * MS;
	ASSERT_EQ(2, ring_submit(&self->r));
	EXPECT_EQ(0, ring_wait(&self->r, &(struct cqe){}));
	EXPECT_EQ(0, ring_wait(&self->r, &(struct cqe){}));
}

TEST_F(timeout, ends_a_wait)
{
	uint64_t start = now_ns();
	struct cqe cqe;

	sqe_timeout(&self->r, ms(SHORT_MS), 0, 0);
	EXPECT_RES(1, ring_submit_and_wait(&self->r, 10));
	EXPECT_LE(SHORT_MS, ms_since(start));
	ASSERT_TRUE(ring_take(&self->r, &cqe));
	EXPECT_RES(-ETIME, cqe.res);
	sqe_timeout(&self->r, ms(0), 0, 0);
	EXPECT_RES(1, ring_submit_and_wait(&self->r, 10));
	EXPECT_TRUE(ring_take(&self->r, &cqe));
}

TEST_F(timeout, bad_fields)
{
	struct ring *r = &self->r;
	struct io_uring_sqe *sqe;

	sqe_timeout(r, ms(1), 0, 0)->len = 0;
	EXPECT_RES_OF("len 0", -EINVAL, ring_run(r));
	sqe_timeout(r, ms(1), 0, 0)->len = 2;
	EXPECT_RES_OF("len 2", -EINVAL, ring_run(r));
	sqe_timeout(r, ms(1), 0, 0)->buf_index = 1;
	EXPECT_RES_OF("buf_index", -EINVAL, ring_run(r));
	sqe_timeout(r, ms(1), 0, 0)->splice_fd_in = 1;
	EXPECT_RES_OF("splice_fd_in", -EINVAL, ring_run(r));
	sqe_timeout(r, ms(1), 0, 0)->ioprio = 1;
	EXPECT_RES_OF("ioprio", -EINVAL, ring_run(r));
	if (!on_stock()) {
		sqe_timeout(r, ms(1), 0, 0)->addr3 = 1;
		EXPECT_RES_OF("addr3", -EINVAL, ring_run(r));
		sqe_timeout(r, ms(1), 0, 0)->__pad2[0] = 1;
		EXPECT_RES_OF("pad", -EINVAL, ring_run(r));
	}
	sqe_timeout(r, ms(1), 0, UPDATE);
	EXPECT_RES_OF("UPDATE", -EINVAL, ring_run(r));
	sqe_timeout(r, ms(1), 0, LINK_UPDATE);
	EXPECT_RES_OF("LINK_UPDATE", -EINVAL, ring_run(r));
	sqe_timeout(r, ms(1), 0, 0x100);
	EXPECT_RES_OF("unknown flag", -EINVAL, ring_run(r));
	sqe_timeout(r, ms(1), 0, BOOTTIME | REALTIME);
	EXPECT_RES_OF("two clocks", -EINVAL, ring_run(r));
	sqe_timeout(r, ms(1), 0, MULTISHOT | ABS);
	EXPECT_RES_OF("multishot and absolute", -EINVAL, ring_run(r));
	sqe_timeout(r, BAD_PTR, 0, 0);
	EXPECT_RES_OF("bad pointer", -EFAULT, ring_run(r));
	sqe_timeout(r, keep_ts((struct __kernel_timespec){ -1, 0 }), 0, 0);
	EXPECT_RES_OF("negative seconds", -EINVAL, ring_run(r));
	sqe_timeout(r, keep_ts((struct __kernel_timespec){ 0, -1 }), 0, 0);
	EXPECT_RES_OF("negative nanoseconds", -EINVAL, ring_run(r));
	sqe = sqe_timeout(r, ms(1), 0, 0);
	sqe->flags = IOSQE_BUFFER_SELECT;
	EXPECT_RES_OF("BUFFER_SELECT", -EOPNOTSUPP, ring_run(r));
}

TEST_F(timeout, huge_times)
{
	struct cqe cqes[2];

	sqe_timeout(&self->r, keep_ts((struct __kernel_timespec){ INT64_MAX, 999999999 }), 0, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(silent(&self->r));
	sqe_remove(&self->r, KEY, NULL, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(-ECANCELED, res_among(cqes, 2, KEY));
}

/* Completion counts */

TEST_F(timeout, count)
{
	struct cqe cqes[4];
	int i;

	sqe_timeout(&self->r, ms(LONG_MS), 3, 0);
	for (i = 0; i < 2; i++)
		sqe_nop(&self->r, i);
	ASSERT_EQ(3, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_TRUE(silent(&self->r));
	sqe_nop(&self->r, 2);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_EQ(2, cqes[0].user_data);
	EXPECT_EQ(KEY, cqes[1].user_data);
	EXPECT_RES(0, cqes[1].res);
}

TEST_F(timeout, count_starts_at_submission)
{
	struct cqe cqes[4];
	int i;

	if (on_stock())
		SKIP(return, "counts what completed earlier in the same batch");
	for (i = 0; i < 2; i++)
		sqe_nop(&self->r, i);
	sqe_timeout(&self->r, ms(LONG_MS), 1, 0);
	ASSERT_EQ(3, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_TRUE(silent(&self->r));
	sqe_nop(&self->r, 2);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(0, res_among(cqes, 2, KEY));
}

/* Timeouts that end, by whatever, are not among the completions that are counted. */
TEST_F(timeout, count_leaves_out_timeouts)
{
	struct cqe cqes[8];
	int i;

	sqe_timeout(&self->r, ms(LONG_MS), 2, 0);
	for (i = 0; i < 3; i++)
		sqe_timeout(&self->r, ms(1), 0, 0)->user_data = i;
	sqe_timeout(&self->r, ms(LONG_MS), 0, 0)->user_data = 3;
	sqe_remove(&self->r, 3, NULL, 0);
	ASSERT_EQ(6, ring_submit(&self->r));
	/* The removal itself counts. */
	ASSERT_EQ(0, take(&self->r, cqes, 5));
	EXPECT_RES(NO_CQE, res_among(cqes, 5, KEY));
	EXPECT_TRUE(silent(&self->r));
	sqe_nop(&self->r, 4);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(0, res_among(cqes, 2, KEY));
}

TEST_F(timeout, counts_end_in_order)
{
	struct cqe cqes[16];
	int i;

	for (i = 5; i > 0; i--)
		sqe_timeout(&self->r, ms(LONG_MS), i, 0)->user_data = KEY + i;
	ASSERT_EQ(5, ring_submit(&self->r));
	for (i = 1; i <= 5; i++) {
		sqe_nop(&self->r, i);
		ASSERT_EQ(1, ring_submit(&self->r));
		ASSERT_EQ(0, take(&self->r, cqes, 2));
		EXPECT_RES(0, res_among(cqes, 2, KEY + i));
	}
}

TEST_F(timeout, count_or_time)
{
	struct cqe cqes[3];

	sqe_timeout(&self->r, ms(SHORT_MS), 2, 0);
	sqe_nop(&self->r, 1);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(-ETIME, res_among(cqes, 2, KEY));
	sqe_nop(&self->r, 1);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_TRUE(silent(&self->r));
}

TEST_F(timeout, count_in_worker)
{
	struct cqe cqes[3];

	sqe_timeout(&self->r, ms(LONG_MS), 1, 0)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(silent(&self->r));
	sqe_nop(&self->r, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(0, res_among(cqes, 2, KEY));
}

/* Chains */

TEST_F(timeout, expiry_breaks_link)
{
	struct cqe cqes[2];

	sqe_timeout(&self->r, ms(1), 0, 0)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, NEXT);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(-ETIME, cqes[0].res);
	EXPECT_RES(-ECANCELED, cqes[1].res);
}

TEST_F(timeout, etime_success)
{
	struct cqe cqes[2];

	sqe_timeout(&self->r, ms(1), 0, ETIME_SUCCESS)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, NEXT);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(-ETIME, cqes[0].res);
	EXPECT_RES(0, cqes[1].res);
	/* and as a success it can be silent */
	sqe_timeout(&self->r, ms(1), 0, ETIME_SUCCESS)->flags = IOSQE_CQE_SKIP_SUCCESS;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(silent(&self->r));
	sqe_timeout(&self->r, ms(1), 0, 0)->flags = IOSQE_CQE_SKIP_SUCCESS;
	EXPECT_RES(-ETIME, ring_run(&self->r));
}

TEST_F(timeout, count_keeps_link)
{
	struct cqe cqes[3];

	sqe_timeout(&self->r, ms(LONG_MS), 1, 0)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, NEXT);
	sqe_nop(&self->r, 1);
	ASSERT_EQ(3, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_RES(0, res_among(cqes, 3, KEY));
	EXPECT_RES(0, res_among(cqes, 3, NEXT));
}

/* Repetition */

TEST_F(timeout, multishot_times)
{
	uint64_t start = now_ns();
	struct cqe cqes[4];
	int i;

	sqe_timeout(&self->r, ms(SHORT_MS), 4, MULTISHOT);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 4));
	EXPECT_LE(4 * SHORT_MS, ms_since(start));
	for (i = 0; i < 4; i++) {
		EXPECT_RES(-ETIME, cqes[i].res);
		EXPECT_EQ(i < 3 ? MORE : 0, cqes[i].flags);
	}
	EXPECT_TRUE(silent(&self->r));
}

TEST_F(timeout, multishot_once)
{
	struct cqe cqe;

	sqe_timeout(&self->r, ms(1), 1, MULTISHOT);
	EXPECT_RES(-ETIME, ring_run_cqe(&self->r, &cqe));
	EXPECT_EQ(0, cqe.flags);
}

TEST_F(timeout, multishot_endless)
{
	struct cqe cqe = { .flags = MORE };
	int i;

	sqe_timeout(&self->r, ms(2), 0, MULTISHOT);
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(-ETIME, cqe.res);
		EXPECT_EQ(MORE, cqe.flags);
	}
	sqe_remove(&self->r, KEY, NULL, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	for (i = 0; i < 100 && cqe.flags & MORE; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		if (cqe.user_data == OTHER) {
			/* an older kernel may want to be asked again */
			if (cqe.res && on_stock()) {
				sqe_remove(&self->r, KEY, NULL, 0);
				ASSERT_EQ(1, ring_submit(&self->r));
			} else {
				EXPECT_RES(0, cqe.res);
			}
			cqe.flags = MORE;
		}
	}
	EXPECT_RES(-ECANCELED, cqe.res);
	ring_get_events(&self->r);
	while (ring_take(&self->r, &cqe))
		EXPECT_EQ(OTHER, cqe.user_data);
	EXPECT_TRUE(silent(&self->r));
}

/* A period of no length floods the ring, and ends when that is full; nothing else suffers. */
TEST(timeout_multishot_of_zero)
{
	struct ring r;
	struct cqe cqe;
	int n = 0;

	ASSERT_EQ(0, ring_open(&r, 4, 0));
	sqe_timeout(&r, ms(0), 0, MULTISHOT);
	ASSERT_EQ(1, ring_submit(&r));
	ASSERT_TRUE(BECOMES(ring_get_events(&r) == 0 && ring_ready(&r) == 8));
	do {
		ASSERT_EQ(0, ring_wait(&r, &cqe));
		EXPECT_RES(-ETIME, cqe.res);
		n++;
	} while (cqe.flags & MORE && n < 1000);
	EXPECT_LE(8, n);
	sqe_nop(&r, 1);
	if (!(cqe.flags & MORE))
		EXPECT_RES(0, ring_run(&r));
	ring_close(&r);
}

/* Removal and change */

TEST_F(timeout, remove)
{
	struct cqe cqes[2];

	sqe_timeout(&self->r, ms(LONG_MS), 5, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	sqe_remove(&self->r, KEY, NULL, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(0, res_among(cqes, 2, OTHER));
	EXPECT_RES(-ECANCELED, res_among(cqes, 2, KEY));
	sqe_remove(&self->r, KEY, NULL, 0);
	EXPECT_RES(-ENOENT, ring_run(&self->r));
}

TEST_F(timeout, remove_bad_fields)
{
	struct ring *r = &self->r;

	sqe_remove(r, KEY, NULL, 0)->len = 1;
	EXPECT_RES_OF("len", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, NULL, 0)->buf_index = 1;
	EXPECT_RES_OF("buf_index", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, NULL, 0)->splice_fd_in = 1;
	EXPECT_RES_OF("splice_fd_in", -EINVAL, ring_run(r));
	if (!on_stock()) {
		sqe_remove(r, KEY, NULL, 0)->addr3 = 1;
		EXPECT_RES_OF("addr3", -EINVAL, ring_run(r));
	}
	sqe_remove(r, KEY, NULL, 0)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES_OF("FIXED_FILE", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, NULL, ABS);
	EXPECT_RES_OF("ABS without update", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, ms(1), UPDATE | BOOTTIME);
	EXPECT_RES_OF("another clock", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, ms(1), UPDATE | MULTISHOT);
	EXPECT_RES_OF("MULTISHOT", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, BAD_PTR, UPDATE);
	EXPECT_RES_OF("bad pointer", -EFAULT, ring_run(r));
	sqe_remove(r, KEY, keep_ts((struct __kernel_timespec){ 0, -1 }), UPDATE);
	EXPECT_RES_OF("negative", -EINVAL, ring_run(r));
	sqe_remove(r, KEY, ms(1), UPDATE);
	EXPECT_RES_OF("update of nothing", -ENOENT, ring_run(r));
	sqe_remove(r, KEY, ms(1), UPDATE | LINK_UPDATE);
	EXPECT_RES_OF("update of no deadline", -ENOENT, ring_run(r));
}

TEST_F(timeout, update)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME };
	static const unsigned int flags[] = { 0, BOOTTIME, REALTIME };
	struct cqe cqes[2];
	unsigned int i;

	for (i = 0; i < 6; i++) {
		bool abs = i >= 3;

		sqe_timeout(&self->r, ms(LONG_MS), 0, flags[i % 3]);
		if (abs)
			sqe_remove(&self->r, KEY, at(clocks[i % 3], SHORT_MS), UPDATE | ABS);
		else
			sqe_remove(&self->r, KEY, ms(SHORT_MS), UPDATE);
		ASSERT_EQ(2, ring_submit(&self->r));
		ASSERT_EQ(0, take(&self->r, cqes, 2));
		EXPECT_RES(0, res_among(cqes, 2, OTHER));
		EXPECT_RES(-ETIME, res_among(cqes, 2, KEY));
	}
}

TEST_F(timeout, update_clears_count)
{
	struct cqe cqes[2];

	sqe_timeout(&self->r, ms(LONG_MS), 2, 0);
	sqe_remove(&self->r, KEY, ms(LONG_MS), UPDATE);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 1));
	EXPECT_RES(0, cqes[0].res);
	sqe_nop(&self->r, 1);
	sqe_nop(&self->r, 2);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_TRUE(silent(&self->r));
}

TEST_F(timeout, update_keeps_repeats)
{
	struct cqe cqes[3];

	sqe_timeout(&self->r, ms(LONG_MS), 2, MULTISHOT);
	sqe_remove(&self->r, KEY, ms(1), UPDATE | ABS);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 1));
	EXPECT_RES(-EINVAL, cqes[0].res);
	sqe_remove(&self->r, KEY, ms(SHORT_MS), UPDATE);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_RES(0, cqes[0].res);
	EXPECT_RES(-ETIME, cqes[1].res);
	EXPECT_EQ(MORE, cqes[1].flags);
	EXPECT_RES(-ETIME, cqes[2].res);
	EXPECT_EQ(0, cqes[2].flags);
	EXPECT_TRUE(silent(&self->r));
}

/* Not slower with many timeouts than with few */
TEST(timeout_remove_from_many)
{
	enum { MANY = 4096, BATCH = 256 };
	uint64_t add, del;
	struct ring r;
	struct cqe cqe;
	int i, n;

	if (on_stock())
		SKIP(return, "searches through all");
	ASSERT_EQ(0, ring_open(&r, BATCH, DEFER_FLAGS));
	add = now_ns();
	for (i = 0; i < MANY; i++) {
		sqe_timeout(&r, ms(LONG_MS), 0, 0)->user_data = i;
		if (i % BATCH == BATCH - 1)
			ASSERT_EQ(BATCH, ring_submit(&r));
	}
	add = now_ns() - add;
	del = now_ns();
	for (i = MANY - 1, n = 0; i >= 0; i--) {
		sqe_remove(&r, i, NULL, 0)->user_data = OTHER + i;
		if (i % BATCH)
			continue;
		ASSERT_EQ(BATCH, ring_submit_and_wait(&r, 2 * BATCH));
		for (; ring_take(&r, &cqe); n++)
			EXPECT_RES(cqe.user_data >= OTHER + 0ull && cqe.user_data < OTHER + MANY &&
				   cqe.res == 0 ? 0 : -ECANCELED, cqe.res);
	}
	del = now_ns() - del;
	EXPECT_EQ(2 * MANY, n);
	/* Both took some time for each; a search through all would take far longer. */
	EXPECT_GE(20 * add, del);
	ring_close(&r);
}

/* Deadlines */

TEST_F(timeout, deadline_passes)
{
	struct cqe cqes[3];

	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(SHORT_MS), 0)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, NEXT);
	ASSERT_EQ(3, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_EQ(KEY, cqes[0].user_data);
	EXPECT_RES(-ETIME, cqes[0].res);
	EXPECT_EQ(GUARDED, cqes[1].user_data);
	EXPECT_RES(-ECANCELED, cqes[1].res);
	EXPECT_EQ(NEXT, cqes[2].user_data);
	EXPECT_RES(-ECANCELED, cqes[2].res);
}

TEST_F(timeout, deadline_passes_hard_link)
{
	struct cqe cqes[3];

	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_HARDLINK;
	sqe_deadline(&self->r, ms(SHORT_MS), 0)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, NEXT);
	ASSERT_EQ(3, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_RES(-ETIME, res_among(cqes, 3, KEY));
	EXPECT_RES(-ECANCELED, res_among(cqes, 3, GUARDED));
	EXPECT_RES(0, res_among(cqes, 3, NEXT));
}

TEST_F(timeout, deadline_not_reached)
{
	struct cqe cqes[3];

	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(LONG_MS), 0)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, NEXT);
	ASSERT_EQ(3, ring_submit(&self->r));
	EXPECT_TRUE(silent(&self->r));
	eventfd_write(self->fd, 1);
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_RES(8, res_among(cqes, 3, GUARDED));
	EXPECT_RES(-ECANCELED, res_among(cqes, 3, KEY));
	EXPECT_RES(0, res_among(cqes, 3, NEXT));
}

TEST_F(timeout, deadline_of_inline_request)
{
	struct cqe cqes[3];

	sqe_nop(&self->r, GUARDED)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(LONG_MS), 0)->flags = IOSQE_IO_LINK;
	sqe_nop(&self->r, NEXT);
	ASSERT_EQ(3, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_RES(0, res_among(cqes, 3, GUARDED));
	EXPECT_RES(-ECANCELED, res_among(cqes, 3, KEY));
	EXPECT_RES(0, res_among(cqes, 3, NEXT));
}

TEST_F(timeout, deadline_of_request_in_worker)
{
	struct cqe cqes[2];
	int res;

	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK | IOSQE_ASYNC;
	sqe_deadline(&self->r, ms(SHORT_MS), 0);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(-ETIME, res_among(cqes, 2, KEY));
	res = res_among(cqes, 2, GUARDED);
	EXPECT_TRUE(res == -ECANCELED || res == -EINTR);
}

TEST_F(timeout, deadline_of_timeout)
{
	struct cqe cqes[2];

	sqe_timeout(&self->r, ms(LONG_MS), 0, 0)->user_data = GUARDED;
	ring_slot(&self->r, self->r.sq_next - 1)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(SHORT_MS), 0);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES(-ETIME, res_among(cqes, 2, KEY));
	EXPECT_RES(-ECANCELED, res_among(cqes, 2, GUARDED));
}

TEST_F(timeout, deadlines_along_a_chain)
{
	struct cqe cqes[4];

	sqe_nop(&self->r, 1)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(LONG_MS), 0)->flags = IOSQE_IO_LINK;
	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(SHORT_MS), 0)->user_data = KEY + 1;
	ASSERT_EQ(4, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 4));
	EXPECT_RES(0, res_among(cqes, 4, 1));
	EXPECT_RES(-ECANCELED, res_among(cqes, 4, KEY));
	EXPECT_RES(-ETIME, res_among(cqes, 4, KEY + 1));
	EXPECT_RES(-ECANCELED, res_among(cqes, 4, GUARDED));
}

/* Only when its turn comes does the time of the guarded request begin. */
TEST_F(timeout, deadline_begins_with_its_request)
{
	struct cqe cqes[3];

	sqe_timeout(&self->r, ms(3 * SHORT_MS), 0, ETIME_SUCCESS)->flags = IOSQE_IO_LINK;
	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(SHORT_MS), 0)->user_data = OTHER;
	ASSERT_EQ(3, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_EQ(KEY, cqes[0].user_data);
	EXPECT_RES(-ETIME, res_among(cqes, 3, OTHER));
	EXPECT_RES(-ECANCELED, res_among(cqes, 3, GUARDED));
}

TEST_F(timeout, deadline_silent)
{
	struct cqe cqe;

	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(SHORT_MS), 0)->flags = IOSQE_CQE_SKIP_SUCCESS;
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_EQ(GUARDED, cqe.user_data);
	EXPECT_RES(-ECANCELED, cqe.res);
	EXPECT_TRUE(silent(&self->r));

	eventfd_write(self->fd, 1);
	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(LONG_MS), 0)->flags = IOSQE_CQE_SKIP_SUCCESS;
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(8, cqe.res);
	EXPECT_TRUE(silent(&self->r));
}

TEST_F(timeout, deadline_update)
{
	struct cqe cqes[3];

	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(LONG_MS), 0);
	sqe_remove(&self->r, KEY, ms(1), UPDATE);
	sqe_remove(&self->r, KEY, ms(SHORT_MS), UPDATE | LINK_UPDATE)->user_data = OTHER + 1;
	ASSERT_EQ(4, ring_submit(&self->r));
	/* It is not a timeout of its own ... */
	ASSERT_EQ(0, take(&self->r, cqes, 1));
	EXPECT_RES(-ENOENT, cqes[0].res);
	/* ... but a deadline. */
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_RES(0, res_among(cqes, 3, OTHER + 1));
	EXPECT_RES(-ETIME, res_among(cqes, 3, KEY));
	EXPECT_RES(-ECANCELED, res_among(cqes, 3, GUARDED));
}

TEST_F(timeout, deadline_is_not_cancelled_alone)
{
	struct cqe cqes[3];
	struct io_uring_sqe *sqe;

	sqe_wait(&self->r, self->fd, &self->value)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(LONG_MS), 0);
	ASSERT_EQ(2, ring_submit(&self->r));
	sqe = sqe_op(&self->r, IORING_OP_ASYNC_CANCEL, OTHER);
	sqe->addr = KEY;
	EXPECT_RES(-ENOENT, ring_run(&self->r));
	sqe_remove(&self->r, KEY, NULL, 0);
	EXPECT_RES(-ENOENT, ring_run(&self->r));
	sqe = sqe_op(&self->r, IORING_OP_ASYNC_CANCEL, OTHER);
	sqe->addr = GUARDED;
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_RES(0, res_among(cqes, 3, OTHER));
	EXPECT_RES(-ECANCELED, res_among(cqes, 3, GUARDED));
	EXPECT_RES(-ECANCELED, res_among(cqes, 3, KEY));
}

TEST_F(timeout, deadline_misplaced)
{
	struct cqe cqes[3];

	sqe_deadline(&self->r, ms(1), 0);
	EXPECT_RES_OF("alone", -EINVAL, ring_run(&self->r));
	sqe_nop(&self->r, 1);
	sqe_deadline(&self->r, ms(1), 0);
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES_OF("not linked", -EINVAL, res_among(cqes, 2, KEY));
	sqe_nop(&self->r, 1)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(1), 0)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(1), 0)->user_data = KEY + 1;
	ASSERT_EQ(3, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 3));
	EXPECT_RES_OF("two", -EINVAL, res_among(cqes, 3, KEY + 1));
	EXPECT_RES_OF("first of two", -ECANCELED, res_among(cqes, 3, KEY));
	EXPECT_RES_OF("guarded", -ECANCELED, res_among(cqes, 3, 1));
	sqe_nop(&self->r, 1)->flags = IOSQE_IO_LINK;
	sqe_deadline(&self->r, ms(1), 0)->off = 1;
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, take(&self->r, cqes, 2));
	EXPECT_RES_OF("count", -EINVAL, res_among(cqes, 2, KEY));
}

/*
 * The request ends in the moment of its deadline: each leaves one CQE, and the two fit together.
 */
TEST_F(timeout, deadline_race)
{
	const char *s = getenv("ROUNDS");
	unsigned int i, n = s ? atoi(s) : 2000;

	for (i = 0; i < n; i++) {
		unsigned int flags = i & 1 ? IOSQE_ASYNC : 0;
		struct cqe cqes[4];
		int timeout, guarded, next;

		sqe_timeout(&self->r, keep_ts((struct __kernel_timespec){ 0, 100000 }), 0,
			    ETIME_SUCCESS)->user_data = GUARDED;
		ring_slot(&self->r, self->r.sq_next - 1)->flags = IOSQE_IO_LINK | flags;
		sqe_deadline(&self->r, keep_ts((struct __kernel_timespec){
			0, 100000 - i % 64 * 500 }), 0)->flags = IOSQE_IO_LINK;
		sqe_nop(&self->r, NEXT);
		ASSERT_EQ(3, ring_submit(&self->r));
		ASSERT_EQ(0, take(&self->r, cqes, 3));
		timeout = res_among(cqes, 3, KEY);
		guarded = res_among(cqes, 3, GUARDED);
		next = res_among(cqes, 3, NEXT);
		if (guarded == -ETIME) {
			EXPECT_RES(0, next);
			EXPECT_TRUE(timeout == -ECANCELED || timeout == -ENOENT ||
				    timeout == -EALREADY || (on_stock() && timeout == -ETIME));
		} else {
			EXPECT_RES(-ECANCELED, guarded);
			EXPECT_RES(-ECANCELED, next);
			/* In a worker it may be running when the deadline comes, and end by it. */
			if (!flags || timeout != -EALREADY)
				EXPECT_RES(-ETIME, timeout);
		}
	}
	EXPECT_TRUE(silent(&self->r));
}

/* Counts, expiry and removal all at once: one CQE for each timeout */
TEST_F(timeout, count_race)
{
	const char *s = getenv("ROUNDS");
	unsigned int i, j, n = s ? atoi(s) / 10 : 200;

	for (i = 0; i < n; i++) {
		int timeouts = 0, nops = 0, removals = 0;
		struct cqe cqe;

		for (j = 0; j < 16; j++)
			sqe_timeout(&self->r, keep_ts((struct __kernel_timespec){
				0, 20000 + j * 5000 }), 1 + j, 0);
		ASSERT_EQ(16, ring_submit(&self->r));
		for (j = 0; j < 16; j++) {
			sqe_nop(&self->r, 1);
			sqe_remove(&self->r, KEY, NULL, 0);
		}
		ASSERT_EQ(32, ring_submit(&self->r));
		while (timeouts + nops + removals < 48) {
			ASSERT_EQ(0, ring_wait(&self->r, &cqe));
			timeouts += cqe.user_data == KEY;
			nops += cqe.user_data == 1;
			removals += cqe.user_data == OTHER;
		}
		EXPECT_EQ(16, timeouts);
	}
	EXPECT_TRUE(silent(&self->r));
}

TEST_HARNESS_MAIN
