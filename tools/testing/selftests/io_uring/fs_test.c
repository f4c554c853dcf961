// SPDX-License-Identifier: GPL-2.0
/*
 * Operations that hand a request to the file system layer: paths, contents
 * and size of a file, advice, extended attributes, splice and tee.
 */
#include <stddef.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <linux/falloc.h>

#include "common.h"

FIXTURE(fs)
{
	struct ring r;
	char dir[PATH_MAX];
	int dfd, fd;
};

FIXTURE_SETUP(fs)
{
	const char *top = getenv("TEST_DIR");

	ASSERT_EQ(0, ring_open(&self->r, 8, 0));
	snprintf(self->dir, sizeof(self->dir), "%s/io_uring_fs.XXXXXX", top ? top : "/tmp");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->dfd = open(self->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_LE(0, self->dfd);
	self->fd = openat(self->dfd, "file", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(10, write(self->fd, "0123456789", 10));
	ASSERT_EQ(0, mkdirat(self->dfd, "dir", 0700));
}

FIXTURE_TEARDOWN(fs)
{
	unlinkat(self->dfd, "file", 0);
	unlinkat(self->dfd, "other", 0);
	unlinkat(self->dfd, "dir/file", 0);
	unlinkat(self->dfd, "dir", AT_REMOVEDIR);
	unlinkat(self->dfd, "made", AT_REMOVEDIR);
	close(self->fd);
	close(self->dfd);
	EXPECT_EQ(0, rmdir(self->dir));
	ring_close(&self->r);
}

static bool exists(int dfd, const char *name)
{
	return !faccessat(dfd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static struct io_uring_sqe *sqe_path(struct ring *r, int opcode, int dfd, const void *name)
{
	struct io_uring_sqe *sqe = sqe_op(r, opcode, 0);

	sqe->fd = dfd;
	sqe->addr = (uintptr_t)name;
	return sqe;
}

static struct io_uring_sqe *sqe_two_paths(struct ring *r, int opcode, int from_dfd,
					  const void *from, int to_dfd, const void *to)
{
	struct io_uring_sqe *sqe = sqe_path(r, opcode, from_dfd, from);

	sqe->len = to_dfd;
	sqe->addr2 = (uintptr_t)to;
	return sqe;
}

/*
 * Paths
 */

TEST_F(fs, rename)
{
	struct ring *r = &self->r;

	sqe_two_paths(r, IORING_OP_RENAMEAT, self->dfd, "file", self->dfd, "dir/file");
	EXPECT_RES(0, ring_run(r));
	EXPECT_FALSE(exists(self->dfd, "file"));
	EXPECT_TRUE(exists(self->dfd, "dir/file"));

	close(openat(self->dfd, "other", O_CREAT | O_WRONLY, 0600));
	sqe_two_paths(r, IORING_OP_RENAMEAT, self->dfd, "other", self->dfd, "dir/file")
		->rename_flags = RENAME_NOREPLACE;
	EXPECT_RES(-EEXIST, ring_run(r));
	sqe_two_paths(r, IORING_OP_RENAMEAT, self->dfd, "other", self->dfd, "dir/file")
		->rename_flags = RENAME_EXCHANGE;
	EXPECT_RES(0, ring_run(r));
	EXPECT_TRUE(exists(self->dfd, "other"));
	sqe_two_paths(r, IORING_OP_RENAMEAT, self->dfd, "gone", self->dfd, "x");
	EXPECT_RES(-ENOENT, ring_run(r));
	sqe_two_paths(r, IORING_OP_RENAMEAT, self->dfd, "other", self->dfd, "x")->rename_flags = 8;
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_two_paths(r, IORING_OP_RENAMEAT, self->dfd, BAD_PTR, self->dfd, "x");
	EXPECT_RES(-EFAULT, ring_run(r));
	sqe_two_paths(r, IORING_OP_RENAMEAT, self->dfd, "other", self->dfd, BAD_PTR);
	EXPECT_RES(-EFAULT, ring_run(r));
}

TEST_F(fs, unlink)
{
	struct ring *r = &self->r;

	sqe_path(r, IORING_OP_UNLINKAT, self->dfd, "dir");
	EXPECT_RES(-EISDIR, ring_run(r));
	sqe_path(r, IORING_OP_UNLINKAT, self->dfd, "file")->unlink_flags = AT_REMOVEDIR;
	EXPECT_RES(-ENOTDIR, ring_run(r));
	sqe_path(r, IORING_OP_UNLINKAT, self->dfd, "file")->unlink_flags = AT_EMPTY_PATH;
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_path(r, IORING_OP_UNLINKAT, self->dfd, "file");
	EXPECT_RES(0, ring_run(r));
	EXPECT_FALSE(exists(self->dfd, "file"));
	sqe_path(r, IORING_OP_UNLINKAT, self->dfd, "dir")->unlink_flags = AT_REMOVEDIR;
	EXPECT_RES(0, ring_run(r));
	EXPECT_FALSE(exists(self->dfd, "dir"));
	sqe_path(r, IORING_OP_UNLINKAT, self->dfd, "file");
	EXPECT_RES(-ENOENT, ring_run(r));
}

TEST_F(fs, mkdir)
{
	struct ring *r = &self->r;
	struct stat st;

	sqe_path(r, IORING_OP_MKDIRAT, self->dfd, "made")->len = 0710;
	EXPECT_RES(0, ring_run(r));
	ASSERT_EQ(0, fstatat(self->dfd, "made", &st, 0));
	EXPECT_EQ(S_IFDIR | 0710, st.st_mode);
	sqe_path(r, IORING_OP_MKDIRAT, self->dfd, "made")->len = 0710;
	EXPECT_RES(-EEXIST, ring_run(r));
	sqe_path(r, IORING_OP_MKDIRAT, self->dfd, "no/made")->len = 0710;
	EXPECT_RES(-ENOENT, ring_run(r));
}

TEST_F(fs, symlink)
{
	struct ring *r = &self->r;
	char to[16] = {};

	sqe_path(r, IORING_OP_SYMLINKAT, self->dfd, "target")->addr2 = (uintptr_t)"other";
	EXPECT_RES(0, ring_run(r));
	EXPECT_EQ(6, readlinkat(self->dfd, "other", to, sizeof(to)));
	EXPECT_STREQ("target", to);
	sqe_path(r, IORING_OP_SYMLINKAT, self->dfd, "target")->addr2 = (uintptr_t)"other";
	EXPECT_RES(-EEXIST, ring_run(r));
}

TEST_F(fs, link)
{
	struct ring *r = &self->r;
	struct stat st;

	sqe_two_paths(r, IORING_OP_LINKAT, self->dfd, "file", self->dfd, "other");
	EXPECT_RES(0, ring_run(r));
	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(2, st.st_nlink);
	sqe_two_paths(r, IORING_OP_LINKAT, self->dfd, "file", self->dfd, "other");
	EXPECT_RES(-EEXIST, ring_run(r));
	sqe_two_paths(r, IORING_OP_LINKAT, self->dfd, "file", self->dfd, "x")->hardlink_flags = 1;
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_two_paths(r, IORING_OP_LINKAT, self->fd, "", self->dfd, "dir/file")->hardlink_flags =
		AT_EMPTY_PATH;
	EXPECT_RES(geteuid() ? -ENOENT : 0, ring_run(r));
}

TEST_F(fs, statx)
{
	struct ring *r = &self->r;
	struct io_uring_sqe *sqe;
	struct statx stx = {};
	int i;

	for (i = 0; i < 2; i++) {
		sqe = sqe_path(r, IORING_OP_STATX, i ? self->fd : self->dfd, i ? "" : "file");
		sqe->len = STATX_SIZE | STATX_TYPE;
		sqe->addr2 = (uintptr_t)&stx;
		sqe->statx_flags = i ? AT_EMPTY_PATH : 0;
		EXPECT_RES(0, ring_run(r));
		EXPECT_EQ(10, stx.stx_size);
		memset(&stx, 0, sizeof(stx));
	}
	sqe = sqe_path(r, IORING_OP_STATX, self->dfd, "gone");
	sqe->addr2 = (uintptr_t)&stx;
	EXPECT_RES(-ENOENT, ring_run(r));
	sqe = sqe_path(r, IORING_OP_STATX, self->dfd, "");
	sqe->addr2 = (uintptr_t)&stx;
	EXPECT_RES(-ENOENT, ring_run(r));
	sqe = sqe_path(r, IORING_OP_STATX, self->dfd, "file");
	sqe->addr2 = (uintptr_t)BAD_PTR;
	EXPECT_RES(-EFAULT, ring_run(r));
	sqe = sqe_path(r, IORING_OP_STATX, self->dfd, "file");
	sqe->addr2 = (uintptr_t)&stx;
	sqe->len = 1u << 31;
	EXPECT_RES(-EINVAL, ring_run(r));
}

/* The names are copied at submission. */
TEST_F(fs, names_may_be_reused)
{
	char from[8] = "file", to[8] = "other";
	struct cqe cqe;

	sqe_two_paths(&self->r, IORING_OP_RENAMEAT, self->dfd, from, self->dfd, to);
	ASSERT_EQ(1, ring_submit(&self->r));
	memset(from, 'x', 7);
	memset(to, 'x', 7);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(0, cqe.res);
	EXPECT_TRUE(exists(self->dfd, "other"));
}

/* A chain that is cancelled puts the names of what never ran. */
TEST_F(fs, cancelled_in_a_chain)
{
	struct cqe cqe;
	int i;

	/* 6.12 goes on behind most of the operations tested here, whatever their result */
	NEEDS_73(is_73());
	sqe_path(&self->r, IORING_OP_UNLINKAT, self->dfd, "gone")->flags = IOSQE_IO_LINK;
	sqe_two_paths(&self->r, IORING_OP_RENAMEAT, self->dfd, "file", self->dfd, "x")->flags =
		IOSQE_IO_LINK;
	sqe_path(&self->r, IORING_OP_UNLINKAT, self->dfd, "file");
	ASSERT_EQ(3, ring_submit(&self->r));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES_OF(res_name(i), i ? -ECANCELED : -ENOENT, cqe.res);
	}
	EXPECT_TRUE(exists(self->dfd, "file"));
}

struct zero_field {
	const char *name;
	size_t off;
};

#define ZERO(f)	{ #f, offsetof(struct io_uring_sqe, f) }

struct checks {
	const char *name;
	int opcode;
	int fixed;			/* result with IOSQE_FIXED_FILE, 0: allowed */
	struct zero_field zero[8];
};

/* What each of them wants to be zero, and whether a fixed file is refused */
static const struct checks all_checks[] = {
	{ "RENAMEAT", IORING_OP_RENAMEAT, -EBADF,
	  { ZERO(ioprio), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "UNLINKAT", IORING_OP_UNLINKAT, -EBADF,
	  { ZERO(ioprio), ZERO(off), ZERO(len), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "MKDIRAT", IORING_OP_MKDIRAT, -EBADF,
	  { ZERO(ioprio), ZERO(off), ZERO(rw_flags), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "SYMLINKAT", IORING_OP_SYMLINKAT, -EBADF,
	  { ZERO(ioprio), ZERO(len), ZERO(rw_flags), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "LINKAT", IORING_OP_LINKAT, -EBADF,
	  { ZERO(ioprio), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "STATX", IORING_OP_STATX, -EBADF, { ZERO(ioprio), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "FSYNC", IORING_OP_FSYNC, 0,
	  { ZERO(ioprio), ZERO(addr), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "SYNC_FILE_RANGE", IORING_OP_SYNC_FILE_RANGE, 0,
	  { ZERO(ioprio), ZERO(addr), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "FALLOCATE", IORING_OP_FALLOCATE, 0,
	  { ZERO(ioprio), ZERO(buf_index), ZERO(rw_flags), ZERO(splice_fd_in) } },
	{ "FADVISE", IORING_OP_FADVISE, 0, { ZERO(ioprio), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "MADVISE", IORING_OP_MADVISE, 0, { ZERO(ioprio), ZERO(buf_index), ZERO(splice_fd_in) } },
	{ "FTRUNCATE", IORING_OP_FTRUNCATE, 0,
	  { ZERO(ioprio), ZERO(rw_flags), ZERO(addr), ZERO(len), ZERO(buf_index),
	    ZERO(splice_fd_in), ZERO(addr3) } },
	{ "TEE", IORING_OP_TEE, 0, { ZERO(ioprio), ZERO(splice_off_in), ZERO(off) } },
	{ "SPLICE", IORING_OP_SPLICE, 0, { ZERO(ioprio) } },
	{ "SETXATTR", IORING_OP_SETXATTR, -EBADF, { ZERO(ioprio) } },
	{ "GETXATTR", IORING_OP_GETXATTR, -EBADF, { ZERO(ioprio), ZERO(xattr_flags) } },
	{ "FSETXATTR", IORING_OP_FSETXATTR, 0, { ZERO(ioprio) } },
	{ "FGETXATTR", IORING_OP_FGETXATTR, 0, { ZERO(ioprio), ZERO(xattr_flags) } },
};

/* Nothing in these SQEs is right but the field under test is what is complained about first. */
TEST_F(fs, fields_that_must_be_zero)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(all_checks); i++) {
		const struct checks *c = &all_checks[i];
		char what[64];

		for (j = 0; c->zero[j].name; j++) {
			struct io_uring_sqe *sqe = sqe_op(&self->r, c->opcode, 0);

			sqe->fd = -1;
			((char *)sqe)[c->zero[j].off] = 1;
			snprintf(what, sizeof(what), "%s with %s", c->name, c->zero[j].name);
			EXPECT_RES_OF(what, -EINVAL, ring_run(&self->r));
		}
		if (c->fixed) {
			sqe_op(&self->r, c->opcode, 0)->flags = IOSQE_FIXED_FILE;
			EXPECT_RES_OF(c->name, c->fixed, ring_run(&self->r));
		}
	}
}

/*
 * Contents and size
 */

static struct io_uring_sqe *sqe_file(struct ring *r, int opcode, int fd, uint64_t off,
				     uint64_t addr, unsigned int len)
{
	struct io_uring_sqe *sqe = sqe_op(r, opcode, 0);

	sqe->fd = fd;
	sqe->off = off;
	sqe->addr = addr;
	sqe->len = len;
	return sqe;
}

TEST_F(fs, fsync)
{
	struct ring *r = &self->r;

	sqe_file(r, IORING_OP_FSYNC, self->fd, 0, 0, 0);
	EXPECT_RES(0, ring_run(r));
	sqe_file(r, IORING_OP_FSYNC, self->fd, 4096, 0, 4096)->fsync_flags = IORING_FSYNC_DATASYNC;
	EXPECT_RES(0, ring_run(r));
	sqe_file(r, IORING_OP_FSYNC, self->fd, INT64_MAX, 0, UINT_MAX);
	EXPECT_RES(0, ring_run(r));
	sqe_file(r, IORING_OP_FSYNC, self->fd, 1ull << 63, 0, 0);
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_file(r, IORING_OP_FSYNC, self->fd, 0, 0, 0)->fsync_flags = 2;
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_file(r, IORING_OP_FSYNC, -1, 0, 0, 0);
	EXPECT_RES(-EBADF, ring_run(r));
	sqe_file(r, IORING_OP_FSYNC, self->r.fd, 0, 0, 0);
	EXPECT_RES(-EINVAL, ring_run(r));
}

/* What belongs to a worker gets there also from behind a drain. */
TEST_F(fs, fsync_drained)
{
	struct ring *r = &self->r;
	struct cqe cqe;
	int fds[2], i;
	char c;

	ASSERT_EQ(0, pipe(fds));
	sqe_rw(r, IORING_OP_READ, fds[0], &c, 1, -1);
	sqe_file(r, IORING_OP_FSYNC, self->fd, 0, 0, 0)->flags = IOSQE_IO_DRAIN;
	ASSERT_EQ(2, ring_submit(r));
	EXPECT_RES(-ETIME, ring_wait_ms(r, 1, SETTLE_MS));
	ASSERT_EQ(1, write(fds[1], "x", 1));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(r, &cqe));
		EXPECT_RES_OF(res_name(i), !i, cqe.res);
	}
	close(fds[0]);
	close(fds[1]);
}

TEST_F(fs, sync_file_range)
{
	struct ring *r = &self->r;

	sqe_file(r, IORING_OP_SYNC_FILE_RANGE, self->fd, 0, 0, 10)->sync_range_flags = 7;
	EXPECT_RES(0, ring_run(r));
	sqe_file(r, IORING_OP_SYNC_FILE_RANGE, self->fd, 0, 0, 10)->sync_range_flags = 8;
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_file(r, IORING_OP_SYNC_FILE_RANGE, self->fd, -1, 0, 10);
	EXPECT_RES(-EINVAL, ring_run(r));
}

TEST_F(fs, fallocate)
{
	struct ring *r = &self->r;
	struct stat st;

	sqe_file(r, IORING_OP_FALLOCATE, self->fd, 4096, 8192, 0);
	EXPECT_RES(0, ring_run(r));
	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(4096 + 8192, st.st_size);
	sqe_file(r, IORING_OP_FALLOCATE, self->fd, 1 << 20, 4096, FALLOC_FL_KEEP_SIZE);
	EXPECT_RES(0, ring_run(r));
	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(4096 + 8192, st.st_size);
	sqe_file(r, IORING_OP_FALLOCATE, self->fd, 0, 0, 0);
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_file(r, IORING_OP_FALLOCATE, self->fd, INT64_MAX, 4096, 0);
	EXPECT_RES(-EFBIG, ring_run(r));
	sqe_file(r, IORING_OP_FALLOCATE, self->fd, 0, 4096, 1u << 30);
	EXPECT_RES(-EOPNOTSUPP, ring_run(r));
	sqe_file(r, IORING_OP_FALLOCATE, self->dfd, 0, 4096, 0);
	EXPECT_RES(-EBADF, ring_run(r));
}

static bool has_ftruncate(struct ring *r, int fd)
{
	sqe_file(r, IORING_OP_FTRUNCATE, fd, 10, 0, 0);
	return !ring_run(r);
}

TEST_F(fs, ftruncate)
{
	struct ring *r = &self->r;
	struct stat st;
	int fd;

	NEEDS_73(has_ftruncate(r, self->fd));
	sqe_file(r, IORING_OP_FTRUNCATE, self->fd, 5, 0, 0);
	EXPECT_RES(0, ring_run(r));
	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(5, st.st_size);
	sqe_file(r, IORING_OP_FTRUNCATE, self->fd, 5ull << 30, 0, 0);
	EXPECT_RES(0, ring_run(r));
	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(5ll << 30, st.st_size);
	sqe_file(r, IORING_OP_FTRUNCATE, self->fd, -1, 0, 0);
	EXPECT_RES(-EINVAL, ring_run(r));
	fd = openat(self->dfd, "file", O_RDONLY);
	ASSERT_LE(0, fd);
	sqe_file(r, IORING_OP_FTRUNCATE, fd, 0, 0, 0);
	EXPECT_RES(-EINVAL, ring_run(r));
	close(fd);
}

TEST_F(fs, fadvise)
{
	struct ring *r = &self->r;
	int advice, fds[2];

	for (advice = 0; advice < 6; advice++) {
		sqe_file(r, IORING_OP_FADVISE, self->fd, 0, 0, 4096)->fadvise_advice = advice;
		EXPECT_RES_OF(res_name(advice), 0, ring_run(r));
		sqe_file(r, IORING_OP_FADVISE, self->fd, 0, 4096, 0)->fadvise_advice = advice;
		EXPECT_RES_OF(res_name(advice), 0, ring_run(r));
	}
	sqe_file(r, IORING_OP_FADVISE, self->fd, 0, 0, 0)->fadvise_advice = 99;
	EXPECT_RES(-EINVAL, ring_run(r));
	ASSERT_EQ(0, pipe(fds));
	sqe_file(r, IORING_OP_FADVISE, fds[0], 0, 0, 0)->fadvise_advice = 0;
	EXPECT_RES(-ESPIPE, ring_run(r));
	close(fds[0]);
	close(fds[1]);
}

TEST_F(fs, madvise)
{
	struct ring *r = &self->r;
	size_t size = 16 << 12;
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	ASSERT_NE(MAP_FAILED, mem);
	/* length in either field */
	for (i = 0; i < 2; i++) {
		memset(mem, 1, size);
		sqe_file(r, IORING_OP_MADVISE, -1, i ? size : 0, (uintptr_t)mem, i ? 0 : size)
			->fadvise_advice = MADV_DONTNEED;
		EXPECT_RES(0, ring_run(r));
		EXPECT_EQ(0, mem[0]);
		EXPECT_EQ(0, mem[size - 1]);
	}
	sqe_file(r, IORING_OP_MADVISE, -1, 0, (uintptr_t)mem + 1, size)->fadvise_advice = 4;
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_file(r, IORING_OP_MADVISE, -1, 0, (uintptr_t)mem, size)->fadvise_advice = 9999;
	EXPECT_RES(-EINVAL, ring_run(r));
	munmap(mem, size);
	sqe_file(r, IORING_OP_MADVISE, -1, 0, (uintptr_t)mem, size)->fadvise_advice = MADV_DONTNEED;
	EXPECT_RES(-ENOMEM, ring_run(r));
}

/*
 * Extended attributes
 */

static struct io_uring_sqe *sqe_xattr(struct ring *r, int opcode, int fd, const char *path,
				      const void *name, const void *value, unsigned int len)
{
	struct io_uring_sqe *sqe = sqe_op(r, opcode, 0);

	sqe->fd = fd;
	sqe->addr = (uintptr_t)name;
	sqe->addr2 = (uintptr_t)value;
	sqe->addr3 = (uintptr_t)path;
	sqe->len = len;
	return sqe;
}

static bool has_xattrs(int fd)
{
	return !fsetxattr(fd, "user.probe", "x", 1, 0);
}

TEST_F(fs, xattr)
{
	struct ring *r = &self->r;
	char path[PATH_MAX + 8], buf[8] = {};

	if (!has_xattrs(self->fd))
		SKIP(return, "no extended attributes in TEST_DIR");
	snprintf(path, sizeof(path), "%s/file", self->dir);

	sqe_xattr(r, IORING_OP_SETXATTR, -1, path, "user.a", "abc", 3);
	EXPECT_RES(0, ring_run(r));
	EXPECT_EQ(3, fgetxattr(self->fd, "user.a", buf, 8));
	EXPECT_STREQ("abc", buf);
	sqe_xattr(r, IORING_OP_FSETXATTR, self->fd, NULL, "user.b", "xy", 2);
	EXPECT_RES(0, ring_run(r));

	memset(buf, 0, 8);
	sqe_xattr(r, IORING_OP_GETXATTR, -1, path, "user.b", buf, 8);
	EXPECT_RES(2, ring_run(r));
	EXPECT_STREQ("xy", buf);
	sqe_xattr(r, IORING_OP_FGETXATTR, self->fd, NULL, "user.a", buf, 8);
	EXPECT_RES(3, ring_run(r));
	EXPECT_STREQ("abc", buf);

	/* only the size */
	sqe_xattr(r, IORING_OP_FGETXATTR, self->fd, NULL, "user.a", NULL, 0);
	EXPECT_RES(3, ring_run(r));
	/* an empty value */
	sqe_xattr(r, IORING_OP_FSETXATTR, self->fd, NULL, "user.a", NULL, 0);
	EXPECT_RES(0, ring_run(r));
	sqe_xattr(r, IORING_OP_FGETXATTR, self->fd, NULL, "user.a", buf, 8);
	EXPECT_RES(0, ring_run(r));
}

TEST_F(fs, xattr_errors)
{
	static const int ops[] = { IORING_OP_FSETXATTR, IORING_OP_FGETXATTR };
	struct ring *r = &self->r;
	char name[300], buf[8];
	int i;

	if (!has_xattrs(self->fd))
		SKIP(return, "no extended attributes in TEST_DIR");
	memset(name, 'n', sizeof(name));
	memcpy(name, "user.", 5);
	for (i = 0; i < 2; i++) {
		name[256] = 0;
		sqe_xattr(r, ops[i], self->fd, NULL, name, "x", 1);
		EXPECT_RES(-ERANGE, ring_run(r));
		sqe_xattr(r, ops[i], self->fd, NULL, "", "x", 1);
		EXPECT_RES(-ERANGE, ring_run(r));
		sqe_xattr(r, ops[i], self->fd, NULL, BAD_PTR, "x", 1);
		EXPECT_RES(-EFAULT, ring_run(r));
		sqe_xattr(r, ops[i], -1, NULL, "user.a", "x", 1);
		EXPECT_RES(-EBADF, ring_run(r));
	}
	sqe_xattr(r, IORING_OP_FSETXATTR, self->fd, NULL, "user.a", buf, 65537);
	EXPECT_RES(-E2BIG, ring_run(r));
	sqe_xattr(r, IORING_OP_FSETXATTR, self->fd, NULL, "user.a", BAD_PTR, 4);
	EXPECT_RES(-EFAULT, ring_run(r));
	sqe_xattr(r, IORING_OP_FSETXATTR, self->fd, NULL, "user.a", "x", 1)->xattr_flags = 4;
	EXPECT_RES(-EINVAL, ring_run(r));
	sqe_xattr(r, IORING_OP_FSETXATTR, self->fd, NULL, "user.a", "x", 1)->xattr_flags =
		XATTR_REPLACE;
	EXPECT_RES(-ENODATA, ring_run(r));
	sqe_xattr(r, IORING_OP_FSETXATTR, self->fd, NULL, "user.probe", "x", 1)->xattr_flags =
		XATTR_CREATE;
	EXPECT_RES(-EEXIST, ring_run(r));
	sqe_xattr(r, IORING_OP_FGETXATTR, self->fd, NULL, "user.a", buf, 8);
	EXPECT_RES(-ENODATA, ring_run(r));
	sqe_xattr(r, IORING_OP_GETXATTR, -1, "/nowhere/at/all", "user.a", buf, 8);
	EXPECT_RES(-ENOENT, ring_run(r));
	sqe_xattr(r, IORING_OP_SETXATTR, -1, BAD_PTR, "user.a", buf, 8);
	EXPECT_RES(-EFAULT, ring_run(r));
}

static int register_file(struct ring *r, int fd)
{
	return sys_register(r->fd, IORING_REGISTER_FILES, &fd, 1);
}

TEST_F(fs, xattr_of_a_fixed_file)
{
	struct ring *r = &self->r;
	char buf[8] = {};

	if (!has_xattrs(self->fd))
		SKIP(return, "no extended attributes in TEST_DIR");
	NEEDS_73(is_73());
	ASSERT_EQ(0, register_file(r, self->fd));
	sqe_xattr(r, IORING_OP_FSETXATTR, 0, NULL, "user.f", "ab", 2)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(0, ring_run(r));
	sqe_xattr(r, IORING_OP_FGETXATTR, 0, NULL, "user.f", buf, 8)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(2, ring_run(r));
	EXPECT_STREQ("ab", buf);
}

/*
 * Splice and tee
 */

static struct io_uring_sqe *sqe_splice(struct ring *r, int opcode, int in, int64_t off_in, int out,
				       int64_t off_out, unsigned int len)
{
	struct io_uring_sqe *sqe = sqe_op(r, opcode, 0);

	sqe->fd = out;
	sqe->off = off_out;
	sqe->splice_fd_in = in;
	sqe->splice_off_in = off_in;
	sqe->len = len;
	return sqe;
}

TEST_F(fs, splice)
{
	struct ring *r = &self->r;
	char buf[32] = {};
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	/* file to pipe at an offset, pipe to file at the file's own position */
	sqe_splice(r, IORING_OP_SPLICE, self->fd, 2, fds[1], -1, 4);
	EXPECT_RES(4, ring_run(r));
	EXPECT_EQ(10, lseek(self->fd, 0, SEEK_CUR));
	sqe_splice(r, IORING_OP_SPLICE, fds[0], -1, self->fd, -1, 4);
	EXPECT_RES(4, ring_run(r));
	EXPECT_EQ(14, lseek(self->fd, 0, SEEK_CUR));
	ASSERT_EQ(14, pread(self->fd, buf, sizeof(buf), 0));
	EXPECT_STREQ("01234567892345", buf);

	/* an offset in the output */
	ASSERT_EQ(2, write(fds[1], "ab", 2));
	sqe_splice(r, IORING_OP_SPLICE, fds[0], -1, self->fd, 1, 2);
	EXPECT_RES(2, ring_run(r));
	ASSERT_EQ(14, pread(self->fd, buf, sizeof(buf), 0));
	EXPECT_STREQ("0ab34567892345", buf);
	close(fds[0]);
	close(fds[1]);
}

TEST_F(fs, splice_fixed_files)
{
	struct ring *r = &self->r;
	int fds[2], i;

	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, register_file(r, self->fd));
	sqe_splice(r, IORING_OP_SPLICE, 0, 0, fds[1], -1, 10)->splice_flags = SPLICE_F_FD_IN_FIXED;
	EXPECT_RES(10, ring_run(r));
	sqe_splice(r, IORING_OP_SPLICE, fds[0], -1, 0, 10, 10)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(10, ring_run(r));
	/* both at once */
	sqe_splice(r, IORING_OP_SPLICE, 0, 0, 0, 0, 10)->splice_flags = SPLICE_F_FD_IN_FIXED;
	ring_slot(r, r->sq_next - 1)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(-EINVAL, ring_run(r));
	for (i = 1; i < 3; i++) {
		sqe_splice(r, IORING_OP_SPLICE, i == 1 ? 1 : -1, 0, fds[1], -1, 10)->splice_flags =
			SPLICE_F_FD_IN_FIXED;
		EXPECT_RES(-EBADF, ring_run(r));
	}
	/* nothing holds the slot any more */
	EXPECT_RES(0, sys_register(r->fd, IORING_UNREGISTER_FILES, NULL, 0));
	close(fds[0]);
	close(fds[1]);
}

TEST_F(fs, splice_short_breaks_the_chain)
{
	struct ring *r = &self->r;
	struct cqe cqe;
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	sqe_splice(r, IORING_OP_SPLICE, self->fd, 0, fds[1], -1, 100)->flags = IOSQE_IO_LINK;
	sqe_nop(r, 1);
	ASSERT_EQ(2, ring_submit(r));
	ASSERT_EQ(0, ring_wait(r, &cqe));
	EXPECT_RES(10, cqe.res);
	ASSERT_EQ(0, ring_wait(r, &cqe));
	EXPECT_RES(-ECANCELED, cqe.res);
	close(fds[0]);
	close(fds[1]);
}

TEST_F(fs, tee)
{
	struct ring *r = &self->r;
	int a[2], b[2];
	char buf[8];

	ASSERT_EQ(0, pipe(a));
	ASSERT_EQ(0, pipe(b));
	ASSERT_EQ(5, write(a[1], "hello", 5));
	sqe_splice(r, IORING_OP_TEE, a[0], 0, b[1], 0, 5);
	EXPECT_RES(5, ring_run(r));
	EXPECT_EQ(5, read(a[0], buf, 8));
	EXPECT_EQ(5, read(b[0], buf, 8));
	EXPECT_EQ(0, memcmp(buf, "hello", 5));
	close(a[0]);
	close(a[1]);
	close(b[0]);
	close(b[1]);
}

TEST_F(fs, splice_errors)
{
	struct ring *r = &self->r;
	unsigned int bit;
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	for (bit = 4; bit < 31; bit++) {
		sqe_splice(r, IORING_OP_SPLICE, self->fd, 0, fds[1], -1, 1)->splice_flags =
			1u << bit;
		EXPECT_RES_OF(res_name(bit), -EINVAL, ring_run(r));
	}
	sqe_splice(r, IORING_OP_SPLICE, -1, 0, fds[1], -1, 1);
	EXPECT_RES(-EBADF, ring_run(r));
	sqe_splice(r, IORING_OP_SPLICE, self->fd, 0, -1, -1, 1);
	EXPECT_RES(-EBADF, ring_run(r));
	sqe_splice(r, IORING_OP_SPLICE, self->fd, 0, fds[1], -1, 0);
	EXPECT_RES(0, ring_run(r));
	sqe_splice(r, IORING_OP_SPLICE, -1, 0, fds[1], -1, 0);
	EXPECT_RES(-EBADF, ring_run(r));
	sqe_splice(r, IORING_OP_SPLICE, self->fd, 0, fds[1], 0, 1);
	EXPECT_RES(-ESPIPE, ring_run(r));
	sqe_splice(r, IORING_OP_SPLICE, self->fd, 0, self->fd, 0, 1);
	EXPECT_RES(-EINVAL, ring_run(r));
	close(fds[0]);
	close(fds[1]);
}

TEST_HARNESS_MAIN
