// SPDX-License-Identifier: GPL-2.0
/*
 * READ, WRITE, READV, WRITEV on files that have a position: regular files in
 * TEST_DIR and the block device TEST_BDEV, buffered and direct, inline and
 * through the worker pool. Every byte is compared with a copy kept in memory.
 */
#include <sys/stat.h>

#include "common.h"

#define FILE_SIZE	0x100000u
#define BLOCK		4096u
#define ENTRIES		64
#define CUR_POS		((__u64)-1)

FIXTURE(rw)
{
	struct ring r;
	int fd;
	unsigned char *shadow;		/* what the file holds */
	unsigned char *buf;		/* as long */
	unsigned int seed;
};

FIXTURE_VARIANT(rw)
{
	int open_flags;
	bool bdev;
	unsigned int sqe_flags, ring_flags;
};

FIXTURE_VARIANT_ADD(rw, buffered)
{
	.open_flags = 0,
};

FIXTURE_VARIANT_ADD(rw, buffered_defer)
{
	.ring_flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(rw, buffered_async)
{
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_VARIANT_ADD(rw, direct)
{
	.open_flags = O_DIRECT,
};

FIXTURE_VARIANT_ADD(rw, direct_defer)
{
	.open_flags = O_DIRECT,
	.ring_flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(rw, direct_async)
{
	.open_flags = O_DIRECT,
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_VARIANT_ADD(rw, bdev_buffered)
{
	.bdev = true,
};

FIXTURE_VARIANT_ADD(rw, bdev_direct)
{
	.bdev = true,
	.open_flags = O_DIRECT,
};

FIXTURE_VARIANT_ADD(rw, bdev_direct_defer)
{
	.bdev = true,
	.open_flags = O_DIRECT,
	.ring_flags = DEFER_FLAGS,
};

static void fill(void *buf, size_t len, unsigned int *seed)
{
	unsigned char *p = buf;

	while (len--) {
		*seed = *seed * 1103515245 + 12345;
		*p++ = *seed >> 16;
	}
}

FIXTURE_SETUP(rw)
{
	const char *bdev = getenv("TEST_BDEV");

	if (variant->sqe_flags & IOSQE_ASYNC)
		NEEDS_PIECE("pool");
	if (variant->bdev) {
		if (!bdev)
			SKIP(return, "TEST_BDEV is not set");
		self->fd = open(bdev, O_RDWR | O_CLOEXEC | variant->open_flags);
	} else {
		self->fd = temp_file(variant->open_flags);
		if (self->fd < 0 && errno == EINVAL && variant->open_flags & O_DIRECT)
			SKIP(return, "no O_DIRECT in TEST_DIR");
	}
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ring_open(&self->r, ENTRIES, variant->ring_flags));
	self->shadow = anon_map(FILE_SIZE);
	self->buf = anon_map(FILE_SIZE);
	self->seed = 42;
	fill(self->shadow, FILE_SIZE, &self->seed);
	ASSERT_EQ(FILE_SIZE, pwrite(self->fd, self->shadow, FILE_SIZE, 0));
}

FIXTURE_TEARDOWN(rw)
{
	ring_close(&self->r);
	close(self->fd);
}

static unsigned int below(unsigned int *seed, unsigned int limit)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 8) % limit;
}

/* Run one operation on the file; its result. */
static int run_rw(FIXTURE_DATA(rw) *self, unsigned int sqe_flags, int op, void *buf,
		  unsigned int len, __u64 off)
{
	sqe_rw(&self->r, op, self->fd, buf, len, off)->flags = sqe_flags;
	return ring_run(&self->r);
}

#define RUN(...)	run_rw(self, variant->sqe_flags, __VA_ARGS__)

TEST_F(rw, read)
{
	unsigned int off;

	for (off = 0; off < FILE_SIZE; off += 16 * BLOCK)
		ASSERT_EQ(16 * BLOCK, RUN(IORING_OP_READ, self->buf + off, 16 * BLOCK, off));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, FILE_SIZE));
}

TEST_F(rw, write)
{
	unsigned int off;

	fill(self->shadow, FILE_SIZE, &self->seed);
	for (off = 0; off < FILE_SIZE; off += 16 * BLOCK)
		ASSERT_EQ(16 * BLOCK, RUN(IORING_OP_WRITE, self->shadow + off, 16 * BLOCK, off));
	ASSERT_EQ(FILE_SIZE, pread(self->fd, self->buf, FILE_SIZE, 0));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, FILE_SIZE));
}

TEST_F(rw, whole_file_at_once)
{
	EXPECT_RES(FILE_SIZE, RUN(IORING_OP_READ, self->buf, FILE_SIZE, 0));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, FILE_SIZE));
}

TEST_F(rw, vectors)
{
	struct iovec iov[7];
	unsigned int i, n, off = 0;

	/* 1 to 7 pieces of different length, not in the order of memory. */
	for (n = 1; n <= 7; n++) {
		unsigned int len = 0;

		memset(self->buf, 0, FILE_SIZE);
		for (i = 0; i < n; i++) {
			iov[i].iov_len = (1 + i % 3) * BLOCK;
			iov[i].iov_base = self->buf + (6 - i) * 4 * BLOCK;
			len += iov[i].iov_len;
		}
		ASSERT_EQ(len, RUN(IORING_OP_READV, iov, n, off));
		for (i = 0; i < n; i++) {
			EXPECT_EQ(0, memcmp(iov[i].iov_base, self->shadow + off, iov[i].iov_len));
			off += iov[i].iov_len;
		}
	}

	off = 0;
	for (n = 1; n <= 7; n++) {
		unsigned int start = off;

		for (i = 0; i < n; i++) {
			iov[i].iov_len = (1 + i % 2) * BLOCK;
			iov[i].iov_base = self->buf + (6 - i) * 4 * BLOCK;
			fill(iov[i].iov_base, iov[i].iov_len, &self->seed);
			memcpy(self->shadow + off, iov[i].iov_base, iov[i].iov_len);
			off += iov[i].iov_len;
		}
		ASSERT_EQ(off - start, RUN(IORING_OP_WRITEV, iov, n, start));
	}
	ASSERT_EQ(FILE_SIZE, pread(self->fd, self->buf, FILE_SIZE, 0));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, FILE_SIZE));
}

/* Any place, any length that this kind of access allows. */
TEST_F(rw, random)
{
	unsigned int align = variant->open_flags & O_DIRECT ? BLOCK : 1;
	unsigned int i, off, len;

	for (i = 0; i < 300; i++) {
		len = (below(&self->seed, 16 * BLOCK) / align + 1) * align;
		off = below(&self->seed, FILE_SIZE - len) / align * align;
		if (i & 1) {
			fill(self->shadow + off, len, &self->seed);
			ASSERT_EQ(len, RUN(IORING_OP_WRITE, self->shadow + off, len, off));
		} else {
			ASSERT_EQ(len, RUN(IORING_OP_READ, self->buf, len, off));
			ASSERT_EQ(0, memcmp(self->buf, self->shadow + off, len));
		}
	}
	ASSERT_EQ(FILE_SIZE, pread(self->fd, self->buf, FILE_SIZE, 0));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, FILE_SIZE));
}

TEST_F(rw, many_at_once)
{
	const unsigned int len = FILE_SIZE / ENTRIES;
	unsigned int i, round;
	struct cqe cqe;

	for (round = 0; round < 4; round++) {
		int op = round & 1 ? IORING_OP_READ : IORING_OP_WRITE;
		unsigned char *mem = round & 1 ? self->buf : self->shadow;

		if (op == IORING_OP_WRITE)
			fill(self->shadow, FILE_SIZE, &self->seed);
		else
			memset(self->buf, 0, FILE_SIZE);
		for (i = 0; i < ENTRIES; i++) {
			struct io_uring_sqe *sqe;

			sqe = sqe_rw(&self->r, op, self->fd, mem + i * len, len, i * len);
			sqe->user_data = i;
			sqe->flags = variant->sqe_flags;
		}
		ASSERT_EQ(ENTRIES, ring_submit_and_wait(&self->r, ENTRIES));
		for (i = 0; i < ENTRIES; i++) {
			ASSERT_EQ(0, ring_wait(&self->r, &cqe));
			ASSERT_EQ(len, cqe.res);
		}
		EXPECT_EQ(0, ring_ready(&self->r));
	}
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, FILE_SIZE));
}

TEST_F(rw, at_the_end)
{
	static const struct {
		unsigned int off, len, res;
	} cases[] = {
		{ FILE_SIZE - BLOCK, 2 * BLOCK, BLOCK },
		{ FILE_SIZE - 4 * BLOCK, 8 * BLOCK, 4 * BLOCK },
		{ FILE_SIZE, BLOCK, 0 },
		{ FILE_SIZE + BLOCK, BLOCK, 0 },
		{ 2 * FILE_SIZE, BLOCK, 0 },
	};
	unsigned int i;

	if (variant->bdev)
		SKIP(return, "a block device ends elsewhere");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT_RES_OF(res_name(i), cases[i].res,
			      RUN(IORING_OP_READ, self->buf, cases[i].len, cases[i].off));
		EXPECT_EQ(0, memcmp(self->buf, self->shadow + cases[i].off, cases[i].res));
	}
	/* A write there makes the file longer. */
	EXPECT_RES(BLOCK, RUN(IORING_OP_WRITE, self->buf, BLOCK, FILE_SIZE + BLOCK));
	EXPECT_EQ(FILE_SIZE + 2 * BLOCK, lseek(self->fd, 0, SEEK_END));
}

TEST_F(rw, no_bytes)
{
	static const int ops[] = {
		IORING_OP_READ, IORING_OP_WRITE, IORING_OP_READV, IORING_OP_WRITEV,
	};
	struct iovec iov[2] = {};
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (n = 0; n < 3; n++) {
			bool vec = ops[i] == IORING_OP_READV || ops[i] == IORING_OP_WRITEV;

			EXPECT_RES(0, RUN(ops[i], vec ? (void *)iov : self->buf, vec ? n : 0, 0));
		}
	}
	EXPECT_EQ(FILE_SIZE, pread(self->fd, self->buf, FILE_SIZE, 0));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, FILE_SIZE));
}

/* Offset -1 */

TEST_F(rw, file_position)
{
	unsigned int i;

	if (variant->open_flags & O_DIRECT)
		SKIP(return, "no promise where I/O ends later than the call");
	ASSERT_EQ(0, lseek(self->fd, 0, SEEK_SET));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(BLOCK, RUN(IORING_OP_READ, self->buf, BLOCK, CUR_POS));
		EXPECT_EQ(0, memcmp(self->buf, self->shadow + i * BLOCK, BLOCK));
		EXPECT_EQ((i + 1) * BLOCK, lseek(self->fd, 0, SEEK_CUR));
	}
	ASSERT_EQ(BLOCK, lseek(self->fd, BLOCK, SEEK_SET));
	for (i = 1; i < 4; i++) {
		fill(self->shadow + i * BLOCK, BLOCK, &self->seed);
		ASSERT_EQ(BLOCK, RUN(IORING_OP_WRITE, self->shadow + i * BLOCK, BLOCK, CUR_POS));
		EXPECT_EQ((i + 1) * BLOCK, lseek(self->fd, 0, SEEK_CUR));
	}
	ASSERT_EQ(FILE_SIZE, pread(self->fd, self->buf, FILE_SIZE, 0));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, FILE_SIZE));
}

TEST_F(rw, explicit_offset_leaves_the_position)
{
	ASSERT_EQ(3 * BLOCK, lseek(self->fd, 3 * BLOCK, SEEK_SET));
	ASSERT_EQ(BLOCK, RUN(IORING_OP_READ, self->buf, BLOCK, 0));
	ASSERT_EQ(BLOCK, RUN(IORING_OP_WRITE, self->shadow, BLOCK, 0));
	EXPECT_EQ(3 * BLOCK, lseek(self->fd, 0, SEEK_CUR));
}

TEST_F(rw, position_at_the_end)
{
	if (variant->open_flags & O_DIRECT)
		SKIP(return, "no promise where I/O ends later than the call");
	if (variant->bdev)
		SKIP(return, "a block device ends elsewhere");
	ASSERT_EQ(FILE_SIZE - BLOCK, lseek(self->fd, FILE_SIZE - BLOCK, SEEK_SET));
	EXPECT_RES(BLOCK, RUN(IORING_OP_READ, self->buf, 2 * BLOCK, CUR_POS));
	EXPECT_EQ(FILE_SIZE, lseek(self->fd, 0, SEEK_CUR));
	EXPECT_RES(0, RUN(IORING_OP_READ, self->buf, BLOCK, CUR_POS));
	EXPECT_EQ(FILE_SIZE, lseek(self->fd, 0, SEEK_CUR));
}

/* Append */

TEST_F(rw, append)
{
	if (variant->bdev)
		SKIP(return, "a block device does not grow");
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_APPEND | variant->open_flags));
	fill(self->buf, BLOCK, &self->seed);
	EXPECT_RES(BLOCK, RUN(IORING_OP_WRITE, self->buf, BLOCK, 0));
	EXPECT_RES(BLOCK, RUN(IORING_OP_WRITE, self->buf, BLOCK, CUR_POS));
	EXPECT_EQ(FILE_SIZE + 2 * BLOCK, lseek(self->fd, 0, SEEK_END));
	ASSERT_EQ(BLOCK, pread(self->fd, self->shadow, BLOCK, FILE_SIZE + BLOCK));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, BLOCK));
}

TEST_F(rw, rwf_append)
{
	struct io_uring_sqe *sqe;

	if (variant->bdev)
		SKIP(return, "a block device does not grow");
	fill(self->buf, BLOCK, &self->seed);
	sqe = sqe_rw(&self->r, IORING_OP_WRITE, self->fd, self->buf, BLOCK, 0);
	sqe->rw_flags = RWF_APPEND;
	sqe->flags = variant->sqe_flags;
	EXPECT_RES(BLOCK, ring_run(&self->r));
	EXPECT_EQ(FILE_SIZE + BLOCK, lseek(self->fd, 0, SEEK_END));
	ASSERT_EQ(BLOCK, pread(self->fd, self->shadow, BLOCK, FILE_SIZE));
	EXPECT_EQ(0, memcmp(self->buf, self->shadow, BLOCK));
}

/* RWF_* */

TEST_F(rw, rwf_sync)
{
	static const int flags[] = { RWF_DSYNC, RWF_SYNC, RWF_DSYNC | RWF_SYNC };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct io_uring_sqe *sqe;

		fill(self->shadow, BLOCK, &self->seed);
		sqe = sqe_rw(&self->r, IORING_OP_WRITE, self->fd, self->shadow, BLOCK, 0);
		sqe->rw_flags = flags[i];
		sqe->flags = variant->sqe_flags;
		EXPECT_RES(BLOCK, ring_run(&self->r));
		ASSERT_EQ(BLOCK, pread(self->fd, self->buf, BLOCK, 0));
		EXPECT_EQ(0, memcmp(self->buf, self->shadow, BLOCK));
	}
}

TEST_F(rw, rwf_nowait_read)
{
	struct iovec iov = { self->buf, BLOCK };
	struct io_uring_sqe *sqe;
	int ret, want;

	/* Get it into the page cache, if there is one in the way. */
	ASSERT_EQ(BLOCK, pread(self->fd, self->buf, BLOCK, 0));
	want = res_of(preadv2(self->fd, &iov, 1, 0, RWF_NOWAIT));
	sqe = sqe_rw(&self->r, IORING_OP_READ, self->fd, self->buf, BLOCK, 0);
	sqe->rw_flags = RWF_NOWAIT;
	sqe->flags = variant->sqe_flags;
	ret = ring_run(&self->r);
	EXPECT_RES(want, ret);
	if (ret == BLOCK)
		EXPECT_EQ(0, memcmp(self->buf, self->shadow, BLOCK));
}

/* Alignment is the file's affair: whatever the plain call says. */
TEST_F(rw, misaligned)
{
	static const struct {
		unsigned int mem, len, off;
	} cases[] = {
		{ 1, BLOCK, 0 }, { 0, 100, 0 }, { 0, BLOCK, 100 }, { 3, 333, 333 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned char *mem = self->buf + cases[i].mem;
		int want = res_of(pread(self->fd, mem, cases[i].len, cases[i].off));

		EXPECT_RES_OF(res_name(i), want,
			      RUN(IORING_OP_READ, mem, cases[i].len, cases[i].off));
		if (want > 0)
			EXPECT_EQ(0, memcmp(mem, self->shadow + cases[i].off, want));
	}
}

/* I/O priorities: known classes are taken, privileges asked for. */
TEST_F(rw, ioprio)
{
	static const unsigned short good[] = {
		0, 1 << 13, 1 << 13 | 7, 2 << 13, 2 << 13 | 7, 3 << 13,
	};
	unsigned int i;

	NEEDS_ROOT();
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct io_uring_sqe *sqe;

		sqe = sqe_rw(&self->r, IORING_OP_READ, self->fd, self->buf, BLOCK, 0);
		sqe->ioprio = good[i];
		sqe->flags = variant->sqe_flags;
		EXPECT_RES_OF(res_name(good[i]), BLOCK, ring_run(&self->r));
	}
}

/*
 * The most that one call moves is 0x7ffff000 bytes: more may be asked for. The
 * pages behind what the file fills are not touched when it is buffered.
 */
TEST(huge_length)
{
	static const unsigned int lengths[] = { 0x7fffffff, 0x80000000, UINT_MAX };
	unsigned char *shadow = anon_map(FILE_SIZE), *buf = anon_map(FILE_SIZE);
	unsigned int i, seed = 1;
	struct ring r;
	int fd = temp_file(0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_open(&r, 4, 0));
	fill(shadow, FILE_SIZE, &seed);
	ASSERT_EQ(FILE_SIZE, write(fd, shadow, FILE_SIZE));
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		memset(buf, 0, FILE_SIZE);
		sqe_rw(&r, IORING_OP_READ, fd, buf, lengths[i], 0);
		EXPECT_RES(FILE_SIZE, ring_run(&r));
		EXPECT_EQ(0, memcmp(buf, shadow, FILE_SIZE));
	}
	ring_close(&r);
	close(fd);
}

TEST_HARNESS_MAIN
