// SPDX-License-Identifier: GPL-2.0
/*
 * READ, WRITE, READV, WRITEV with arguments that are wrong, one at a time and
 * two at once. Where the plain system call has the same argument, the result
 * must be the same.
 */
#include <sys/resource.h>

#include "common.h"

#define LEN	64

static const int ops[] = {
	IORING_OP_READ, IORING_OP_WRITE, IORING_OP_READV, IORING_OP_WRITEV,
};

static bool is_vector(int op)
{
	return op == IORING_OP_READV || op == IORING_OP_WRITEV;
}

static bool is_write(int op)
{
	return op == IORING_OP_WRITE || op == IORING_OP_WRITEV;
}

FIXTURE(rw_error)
{
	struct ring r;
	int fd;				/* a file of 64 KiB */
	char buf[4096];
	struct iovec iov;
};

FIXTURE_VARIANT(rw_error)
{
	unsigned int ring_flags, sqe_flags;
};

FIXTURE_VARIANT_ADD(rw_error, plain)
{
	.ring_flags = 0,
};

FIXTURE_VARIANT_ADD(rw_error, defer)
{
	.ring_flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(rw_error, async)
{
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_SETUP(rw_error)
{
	unsigned int i;

	if (variant->sqe_flags & IOSQE_ASYNC)
		NEEDS_PIECE("pool");
	ASSERT_EQ(0, ring_open(&self->r, 8, variant->ring_flags));
	self->fd = temp_file(0);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 16; i++)
		ASSERT_EQ(sizeof(self->buf), write(self->fd, self->buf, sizeof(self->buf)));
	self->iov = (struct iovec){ self->buf, LEN };
}

FIXTURE_TEARDOWN(rw_error)
{
	ring_close(&self->r);
	close(self->fd);
}

/* An SQE of this operation for LEN bytes at offset 0 of fd. */
static struct io_uring_sqe *good_sqe(FIXTURE_DATA(rw_error) *self, unsigned int sqe_flags, int op,
				     int fd)
{
	struct io_uring_sqe *sqe;

	if (is_vector(op))
		sqe = sqe_rw(&self->r, op, fd, &self->iov, 1, 0);
	else
		sqe = sqe_rw(&self->r, op, fd, self->buf, LEN, 0);
	sqe->flags = sqe_flags;
	return sqe;
}

#define GOOD_SQE(op, fd)	good_sqe(self, variant->sqe_flags, op, fd)

static const char *op_name(int op)
{
	static const char * const names[] = {
		[IORING_OP_READ] = "READ", [IORING_OP_WRITE] = "WRITE",
		[IORING_OP_READV] = "READV", [IORING_OP_WRITEV] = "WRITEV",
	};

	return names[op];
}

#define EXPECT_RUN(op, want)						\
	EXPECT_RES_OF(op_name(op), want, ring_run(&self->r))

TEST_F(rw_error, nothing_wrong)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		GOOD_SQE(ops[i], self->fd);
		EXPECT_RUN(ops[i], LEN);
	}
}

TEST_F(rw_error, no_descriptor)
{
	static const int bad[] = { -1, 1000, INT_MAX, INT_MIN };
	int path = open("/", O_PATH);
	unsigned int i, k;

	ASSERT_LE(0, path);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (k = 0; k < ARRAY_SIZE(bad); k++) {
			GOOD_SQE(ops[i], bad[k]);
			EXPECT_RUN(ops[i], -EBADF);
		}
		GOOD_SQE(ops[i], path);
		EXPECT_RUN(ops[i], -EBADF);
		/* There are no fixed files. */
		GOOD_SQE(ops[i], 0)->flags |= IOSQE_FIXED_FILE;
		EXPECT_RUN(ops[i], -EBADF);
	}
}

TEST_F(rw_error, wrong_mode)
{
	int rdonly = open("/dev/null", O_RDONLY), wronly = open("/dev/null", O_WRONLY);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		GOOD_SQE(ops[i], is_write(ops[i]) ? rdonly : wronly);
		EXPECT_RUN(ops[i], -EBADF);
	}
}

TEST_F(rw_error, directory)
{
	int dir = open("/", O_RDONLY | O_DIRECTORY);
	int want = res_of(pread(dir, self->buf, LEN, 0));

	ASSERT_LE(0, dir);
	ASSERT_EQ(-EISDIR, want);
	GOOD_SQE(IORING_OP_READ, dir);
	EXPECT_RES(want, ring_run(&self->r));
	GOOD_SQE(IORING_OP_READV, dir);
	EXPECT_RES(want, ring_run(&self->r));
}

/* Memory */

TEST_F(rw_error, bad_buffer)
{
	static const unsigned long bad[] = { 0, 8, 1ul << 63, -4096ul };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (k = 0; k < ARRAY_SIZE(bad); k++) {
			self->iov.iov_base = (void *)bad[k];
			if (is_vector(ops[i]))
				GOOD_SQE(ops[i], self->fd);
			else
				GOOD_SQE(ops[i], self->fd)->addr = bad[k];
			EXPECT_RUN(ops[i], -EFAULT);
		}
	}
}

TEST_F(rw_error, bad_buffer_takes_nothing)
{
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(4, write(pipes[1], "data", 4));
	GOOD_SQE(IORING_OP_READ, pipes[0])->addr = 8;
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	ASSERT_EQ(4, read(pipes[0], self->buf, LEN));
	EXPECT_EQ(0, memcmp("data", self->buf, 4));
}

TEST_F(rw_error, buffer_that_ends_early)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *mem = anon_map(2 * page);
	int want;

	ASSERT_EQ(0, munmap(mem + page, page));
	want = res_of(pread(self->fd, mem + page - 100, 1000, 0));
	sqe_rw(&self->r, IORING_OP_READ, self->fd, mem + page - 100, 1000, 0)->flags =
		variant->sqe_flags;
	EXPECT_RES(want, ring_run(&self->r));
}

TEST_F(rw_error, bad_vector)
{
	static const unsigned long bad[] = { 8, 1ul << 63, -16ul };
	struct iovec negative[2] = { { self->buf, 1 }, { self->buf, -1ul } };
	unsigned int i, k;

	for (i = 2; i < ARRAY_SIZE(ops); i++) {
		for (k = 0; k < ARRAY_SIZE(bad); k++) {
			GOOD_SQE(ops[i], self->fd)->addr = bad[k];
			EXPECT_RUN(ops[i], -EFAULT);
		}
		sqe_rw(&self->r, ops[i], self->fd, negative, 2, 0)->flags = variant->sqe_flags;
		EXPECT_RUN(ops[i], -EINVAL);
		sqe_rw(&self->r, ops[i], self->fd, negative + 1, 1, 0)->flags = variant->sqe_flags;
		EXPECT_RUN(ops[i], -EINVAL);
	}
}

TEST_F(rw_error, number_of_vectors)
{
	static struct iovec iov[1025];
	static const struct {
		unsigned int n;
		int res;
	} cases[] = {
		{ 0, 0 }, { 1, 1 }, { 8, 8 }, { 9, 9 }, { 1024, 1024 }, { 1025, -EINVAL },
		{ 65536, -EINVAL }, { 1u << 31, -EINVAL }, { UINT_MAX, -EINVAL },
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(iov); i++)
		iov[i] = (struct iovec){ self->buf, 1 };
	for (i = 2; i < ARRAY_SIZE(ops); i++) {
		for (k = 0; k < ARRAY_SIZE(cases); k++) {
			sqe_rw(&self->r, ops[i], self->fd, iov, cases[k].n, 0)->flags =
				variant->sqe_flags;
			EXPECT_RUN(ops[i], cases[k].res);
		}
	}
}

/* Positions */

TEST_F(rw_error, negative_offset)
{
	static const __u64 bad[] = { -2ull, -4096ull, 1ull << 63 };
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(bad); k++) {
		ASSERT_EQ(-EINVAL, res_of(pread(self->fd, self->buf, LEN, bad[k])));
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			GOOD_SQE(ops[i], self->fd)->off = bad[k];
			EXPECT_RUN(ops[i], -EINVAL);
		}
	}
}

TEST_F(rw_error, file_size_limit)
{
	struct rlimit old, limit;
	unsigned int i;

	signal(SIGXFSZ, SIG_IGN);
	ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
	limit = old;
	limit.rlim_cur = 100000;
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		if (!is_write(ops[i]))
			continue;
		GOOD_SQE(ops[i], self->fd)->off = 100000;
		EXPECT_RUN(ops[i], -EFBIG);
		GOOD_SQE(ops[i], self->fd)->off = 100000 - LEN / 2;
		EXPECT_RUN(ops[i], LEN / 2);
	}
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &old));
}

/* Flags */

TEST_F(rw_error, rwf_bits)
{
	unsigned int i, bit;

	for (bit = 0; bit < 32; bit++) {
		/* HIPRI is not for this ring; ATOMIC and DONTCACHE depend on the file. */
		if (1u << bit == RWF_HIPRI)
			continue;
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			struct iovec iov = { self->buf, LEN };
			int want;

			if (is_write(ops[i]))
				want = res_of(pwritev2(self->fd, &iov, 1, 0, 1u << bit));
			else
				want = res_of(preadv2(self->fd, &iov, 1, 0, 1u << bit));
			GOOD_SQE(ops[i], self->fd)->rw_flags = 1u << bit;
			if (1u << bit == RWF_NOWAIT) {
				int got = ring_run(&self->r);

				/* Whether the data is at hand may change in between. */
				EXPECT_TRUE(got == want || got == -EAGAIN || got == LEN);
				continue;
			}
			EXPECT_RES_OF(op_name(ops[i]), want, ring_run(&self->r));
			if (_metadata->exit_code)
				TH_LOG("with RWF bit %u", bit);
		}
	}
}

TEST_F(rw_error, rwf_hipri)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		GOOD_SQE(ops[i], self->fd)->rw_flags = RWF_HIPRI;
		EXPECT_RUN(ops[i], -EINVAL);
	}
}

TEST_F(rw_error, append_flags_together)
{
	struct iovec iov = { self->buf, LEN };
	int flags = RWF_APPEND | RWF_NOAPPEND;
	int want = res_of(pwritev2(self->fd, &iov, 1, 0, flags));

	GOOD_SQE(IORING_OP_WRITE, self->fd)->rw_flags = flags;
	EXPECT_RES(want, ring_run(&self->r));
}

TEST_F(rw_error, ioprio)
{
	/* Classes are the top three bits: 4 to 7 are none, nor is a level without a class. */
	static const unsigned short bad[] = { 4 << 13, 5 << 13, 7 << 13, 0xffff, 1 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (k = 0; k < ARRAY_SIZE(bad); k++) {
			GOOD_SQE(ops[i], self->fd)->ioprio = bad[k];
			EXPECT_RUN(ops[i], -EINVAL);
		}
	}
}

static int realtime_ioprio(void *arg)
{
	FIXTURE_DATA(rw_error) *self = arg;
	struct ring r;

	if (setresuid(65534, 65534, 65534) || ring_open(&r, 2, 0))
		return 1;
	sqe_rw(&r, IORING_OP_READ, self->fd, self->buf, LEN, 0)->ioprio = 1 << 13;
	return -ring_run(&r);
}

TEST_F(rw_error, ioprio_without_privilege)
{
	NEEDS_ROOT();
	EXPECT_RES(-EPERM, -in_child(realtime_ioprio, self));
}

/* Attributes (7.3): an ordinary file has none. */
TEST_F(rw_error, attributes)
{
	struct io_uring_sqe *sqe;
	unsigned int i, bit;

	NEEDS_PIECE("rw_attr");
	NEEDS_73(features() & IORING_FEAT_RW_ATTR);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (bit = 1; bit < 64; bit++) {
			sqe = GOOD_SQE(ops[i], self->fd);
			sqe->attr_type_mask = 1ull << bit;
			EXPECT_RUN(ops[i], -EINVAL);
		}
		sqe = GOOD_SQE(ops[i], self->fd);
		sqe->attr_type_mask = IORING_RW_ATTR_FLAG_PI;
		sqe->attr_ptr = (uintptr_t)BAD_PTR;
		EXPECT_RUN(ops[i], -EFAULT);
	}
}

TEST_F(rw_error, protection_information)
{
	struct io_uring_attr_pi pi = { .len = 8, .addr = (uintptr_t)self->buf };
	struct io_uring_sqe *sqe;
	unsigned int i;

	NEEDS_PIECE("rw_attr");
	NEEDS_73(features() & IORING_FEAT_RW_ATTR);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		sqe = GOOD_SQE(ops[i], self->fd);
		sqe->attr_type_mask = IORING_RW_ATTR_FLAG_PI;
		sqe->attr_ptr = (uintptr_t)&pi;
		EXPECT_RUN(ops[i], -EINVAL);
		pi.rsvd = 1;
		sqe = GOOD_SQE(ops[i], self->fd);
		sqe->attr_type_mask = IORING_RW_ATTR_FLAG_PI;
		sqe->attr_ptr = (uintptr_t)&pi;
		EXPECT_RUN(ops[i], -EINVAL);
		pi.rsvd = 0;
	}
}

/* Buffers to select from */

TEST_F(rw_error, select_where_it_has_no_meaning)
{
	GOOD_SQE(IORING_OP_WRITE, self->fd)->flags |= IOSQE_BUFFER_SELECT;
	EXPECT_RES(-EOPNOTSUPP, ring_run(&self->r));
	GOOD_SQE(IORING_OP_WRITEV, self->fd)->flags |= IOSQE_BUFFER_SELECT;
	EXPECT_RES(-EOPNOTSUPP, ring_run(&self->r));
}

TEST_F(rw_error, select_without_buffers)
{
	NEEDS_PIECE("buffer_select");
	GOOD_SQE(IORING_OP_READ, self->fd)->flags |= IOSQE_BUFFER_SELECT;
	EXPECT_RES(-ENOBUFS, ring_run(&self->r));
	GOOD_SQE(IORING_OP_READV, self->fd)->flags |= IOSQE_BUFFER_SELECT;
	EXPECT_RES(-ENOBUFS, ring_run(&self->r));
	sqe_rw(&self->r, IORING_OP_READV, self->fd, &self->iov, 0, 0)->flags = IOSQE_BUFFER_SELECT;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_rw(&self->r, IORING_OP_READV, self->fd, &self->iov, 2, 0)->flags = IOSQE_BUFFER_SELECT;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

/*
 * Which of two faults is reported: what the SQE itself shows before what the
 * file says, the mode of the file before the flags of the call.
 */
TEST_F(rw_error, rw_checks_ordering)
{
	int rdonly = open("/dev/null", O_RDONLY), wronly = open("/dev/null", O_WRONLY);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		int wrong_mode = is_write(ops[i]) ? rdonly : wronly;

		/* The priority before the file. */
		GOOD_SQE(ops[i], -1)->ioprio = 7 << 13;
		EXPECT_RUN(ops[i], -EINVAL);
		/* The file before RWF_*. */
		GOOD_SQE(ops[i], -1)->rw_flags = 1u << 31;
		EXPECT_RUN(ops[i], -EBADF);
		GOOD_SQE(ops[i], wrong_mode)->rw_flags = 1u << 31;
		EXPECT_RUN(ops[i], -EBADF);
		GOOD_SQE(ops[i], wrong_mode)->rw_flags = RWF_HIPRI;
		EXPECT_RUN(ops[i], -EBADF);
		/* The file before the position. */
		GOOD_SQE(ops[i], wrong_mode)->off = -2;
		EXPECT_RUN(ops[i], -EBADF);
		if (!is_vector(ops[i]))
			continue;
		/* The vector before the file, its length before its address. */
		GOOD_SQE(ops[i], -1)->addr = 8;
		EXPECT_RUN(ops[i], -EFAULT);
		sqe_rw(&self->r, ops[i], -1, BAD_PTR, 1025, 0)->flags = variant->sqe_flags;
		EXPECT_RUN(ops[i], -EINVAL);
		/* The priority before the vector. */
		sqe_rw(&self->r, ops[i], -1, BAD_PTR, 1, 0)->ioprio = 7 << 13;
		EXPECT_RES_OF("priority and vector", -EINVAL, ring_run(&self->r));
	}
}

/* An address that no process can have shows in the SQE: it comes before the file. */
TEST_F(rw_error, buffer_checks_ordering)
{
	GOOD_SQE(IORING_OP_READ, -1)->addr = (uintptr_t)KERNEL_PTR;
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	GOOD_SQE(IORING_OP_WRITE, -1)->addr = (uintptr_t)KERNEL_PTR;
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	/* One that is only not mapped shows when the data is moved. */
	GOOD_SQE(IORING_OP_READ, -1)->addr = (uintptr_t)BAD_PTR;
	EXPECT_RES(-EBADF, ring_run(&self->r));
}

TEST_HARNESS_MAIN
