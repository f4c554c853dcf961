// SPDX-License-Identifier: GPL-2.0
/*
 * Making and closing descriptors: OPENAT, OPENAT2, CLOSE, FIXED_FD_INSTALL,
 * PIPE, as ordinary descriptors and in slots of fixed files.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <linux/openat2.h>

#include "common.h"

#define ALLOC	IORING_FILE_INDEX_ALLOC
#define SLOTS	4

FIXTURE(open)
{
	struct ring r;
	char dir[PATH_MAX];
	int dfd;
};

FIXTURE_SETUP(open)
{
	const char *top = getenv("TEST_DIR");
	int fd;

	ASSERT_EQ(0, ring_open(&self->r, 8, 0));
	snprintf(self->dir, sizeof(self->dir), "%s/io_uring_open.XXXXXX", top ? top : "/tmp");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->dfd = open(self->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ASSERT_LE(0, self->dfd);
	fd = openat(self->dfd, "file", O_CREAT | O_RDWR, 0600);
	ASSERT_LE(0, fd);
	ASSERT_EQ(4, write(fd, "data", 4));
	close(fd);
	ASSERT_EQ(0, symlinkat("file", self->dfd, "link"));
	ASSERT_EQ(0, mkfifoat(self->dfd, "fifo", 0600));
}

FIXTURE_TEARDOWN(open)
{
	unlinkat(self->dfd, "file", 0);
	unlinkat(self->dfd, "link", 0);
	unlinkat(self->dfd, "fifo", 0);
	unlinkat(self->dfd, "new", 0);
	close(self->dfd);
	rmdir(self->dir);
	ring_close(&self->r);
}

static int register_slots(struct ring *r, unsigned int nr)
{
	struct io_uring_rsrc_register reg = { .nr = nr, .flags = IORING_RSRC_REGISTER_SPARSE };

	return sys_register(r->fd, IORING_REGISTER_FILES2, &reg, sizeof(reg));
}

static struct io_uring_sqe *sqe_open(struct ring *r, int dfd, const char *name, int flags)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_OPENAT, 0);

	sqe->fd = dfd;
	sqe->addr = (uintptr_t)name;
	sqe->open_flags = flags;
	return sqe;
}

static struct io_uring_sqe *sqe_close(struct ring *r, int fd)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_CLOSE, 0);

	sqe->fd = fd;
	return sqe;
}

static struct io_uring_sqe *sqe_close_slot(struct ring *r, unsigned int slot)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_CLOSE, 0);

	sqe->file_index = slot + 1;
	return sqe;
}

/* Does the slot hold a file that can be read? */
static int read_slot(struct ring *r, unsigned int slot)
{
	char buf[8];

	sqe_rw(r, IORING_OP_READ, slot, buf, sizeof(buf), 0)->flags = IOSQE_FIXED_FILE;
	return ring_run(r);
}

static bool reads(int fd)
{
	char buf[8];

	return pread(fd, buf, sizeof(buf), 0) == 4 && !memcmp(buf, "data", 4);
}

TEST_F(open, existing)
{
	int fd;

	sqe_open(&self->r, self->dfd, "file", O_RDONLY | O_CLOEXEC);
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(reads(fd));
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_EQ(0, fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);

	sqe_open(&self->r, self->dfd, "link", O_RDONLY)->flags = IOSQE_ASYNC;
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(reads(fd));
	EXPECT_EQ(0, fcntl(fd, F_GETFD));
	close(fd);

	sqe_open(&self->r, self->dfd, "file", O_RDONLY | O_NONBLOCK);
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	EXPECT_EQ(O_NONBLOCK, fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
}

TEST_F(open, creating)
{
	struct stat st;
	int fd;

	sqe_open(&self->r, self->dfd, "new", O_RDWR | O_CREAT | O_EXCL)->len = 0640;
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(S_IFREG | 0640, st.st_mode);
	ASSERT_EQ(4, write(fd, "data", 4));
	close(fd);

	sqe_open(&self->r, self->dfd, "new", O_RDWR | O_CREAT | O_EXCL)->len = 0640;
	EXPECT_RES(-EEXIST, ring_run(&self->r));

	sqe_open(&self->r, self->dfd, "new", O_RDWR | O_TRUNC);
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(0, st.st_size);
	close(fd);
}

TEST_F(open, name_may_be_reused)
{
	char name[8] = "file";
	struct cqe cqe;

	sqe_open(&self->r, self->dfd, name, O_RDONLY)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	memcpy(name, "gone", 4);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	ASSERT_LE(0, cqe.res);
	close(cqe.res);
}

/* Opening may wait for another process: in a worker, and the ring goes on. */
TEST_F(open, waits_for_the_other_end)
{
	struct cqe cqe;
	int fd;

	sqe_open(&self->r, self->dfd, "fifo", O_RDONLY)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	sqe_nop(&self->r, 1);
	ASSERT_EQ(0, ring_run_cqe(&self->r, &cqe));
	EXPECT_EQ(1, cqe.user_data);
	fd = openat(self->dfd, "fifo", O_WRONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	ASSERT_LE(0, cqe.res);
	close(cqe.res);
	close(fd);
}

TEST_F(open, errors)
{
	struct rlimit old, none;
	int before = count_fds();

	sqe_open(&self->r, self->dfd, "nothing", O_RDONLY);
	EXPECT_RES(-ENOENT, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "", O_RDONLY);
	EXPECT_RES(-ENOENT, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "link", O_RDONLY | O_NOFOLLOW);
	EXPECT_RES(-ELOOP, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, BAD_PTR, O_RDONLY);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe_open(&self->r, -1, "file", O_RDONLY);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "file/x", O_RDONLY);
	EXPECT_RES(-ENOTDIR, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->buf_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->ioprio = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(-EBADF, ring_run(&self->r));

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	none = (struct rlimit){ 3, old.rlim_max };
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY);
	EXPECT_RES(-EMFILE, ring_run(&self->r));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_EQ(before, count_fds());
}

TEST_F(open, into_a_slot)
{
	int before = count_fds();

	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = 2 + 1;
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_RES(4, read_slot(&self->r, 2));

	/* an occupied slot gets the new file */
	sqe_open(&self->r, self->dfd, "/dev/null", O_RDONLY)->file_index = 2 + 1;
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_RES(0, read_slot(&self->r, 2));

	sqe_open(&self->r, self->dfd, "new", O_RDWR | O_CREAT)->file_index = 1 + 1;
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_RES(0, read_slot(&self->r, 1));
	EXPECT_EQ(before, count_fds());
}

TEST_F(open, slot_is_allocated)
{
	unsigned int i;

	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	for (i = 0; i < SLOTS; i++) {
		struct io_uring_sqe *sqe = sqe_open(&self->r, self->dfd, "file", O_RDONLY);

		sqe->file_index = ALLOC;
		sqe->flags = i & 1 ? IOSQE_ASYNC : 0;
		EXPECT_RES(i, ring_run(&self->r));
		EXPECT_RES(4, read_slot(&self->r, i));
	}
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = ALLOC;
	EXPECT_RES(-ENFILE, ring_run(&self->r));
	sqe_close_slot(&self->r, 1);
	EXPECT_RES(0, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = ALLOC;
	EXPECT_RES(1, ring_run(&self->r));
}

TEST_F(open, slot_errors)
{
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = 1;
	EXPECT_RES(-ENXIO, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = ALLOC;
	EXPECT_RES(-ENFILE, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY | O_CLOEXEC)->file_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));

	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = SLOTS + 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "nothing", O_RDONLY)->file_index = 1;
	EXPECT_RES(-ENOENT, ring_run(&self->r));
	EXPECT_RES(-EBADF, read_slot(&self->r, 0));
}

/* A chain may use what it opens. */
TEST_F(open, read_and_close_in_a_chain)
{
	char buf[8] = {};
	struct cqe cqe;
	int i;

	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = 1;
	ring_slot(&self->r, self->r.sq_next - 1)->flags = IOSQE_IO_LINK;
	sqe_rw(&self->r, IORING_OP_READ, 0, buf, 8, 0)->flags =
		IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK;
	sqe_close_slot(&self->r, 0);
	ASSERT_EQ(3, ring_submit(&self->r));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES_OF(res_name(i), i == 1 ? 4 : 0, cqe.res);
	}
	EXPECT_EQ(0, memcmp(buf, "data", 4));
	EXPECT_RES(-EBADF, read_slot(&self->r, 0));
}

/*
 * OPENAT2
 */

static struct io_uring_sqe *sqe_open2(struct ring *r, int dfd, const char *name,
				      const void *how, size_t size)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_OPENAT2, 0);

	sqe->fd = dfd;
	sqe->addr = (uintptr_t)name;
	sqe->addr2 = (uintptr_t)how;
	sqe->len = size;
	return sqe;
}

TEST_F(open, openat2)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_BENEATH };
	int fd;

	sqe_open2(&self->r, self->dfd, "file", &how, sizeof(how));
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(reads(fd));
	close(fd);

	sqe_open2(&self->r, self->dfd, "/dev/null", &how, sizeof(how));
	EXPECT_RES(-EXDEV, ring_run(&self->r));
	how.resolve = RESOLVE_NO_SYMLINKS;
	sqe_open2(&self->r, self->dfd, "link", &how, sizeof(how));
	EXPECT_RES(-ELOOP, ring_run(&self->r));

	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	how = (struct open_how){ .flags = O_RDONLY };
	sqe_open2(&self->r, self->dfd, "file", &how, sizeof(how))->file_index = ALLOC;
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_RES(4, read_slot(&self->r, 0));
	how.flags |= O_CLOEXEC;
	sqe_open2(&self->r, self->dfd, "file", &how, sizeof(how))->file_index = ALLOC;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

TEST_F(open, openat2_cached)
{
	struct open_how how = { .flags = O_RDONLY, .resolve = RESOLVE_CACHED };
	int fd;

	sqe_open2(&self->r, self->dfd, "file", &how, sizeof(how));
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	close(fd);
	/* what is not cached is the answer, not a reason to block */
	sqe_open2(&self->r, self->dfd, "never-looked-at", &how, sizeof(how));
	EXPECT_RES(-EAGAIN, ring_run(&self->r));
}

TEST_F(open, openat2_sizes)
{
	struct {
		struct open_how how;
		uint64_t more;
	} big = { .how.flags = O_RDONLY };
	unsigned int size;
	int fd;

	for (size = 0; size < 24; size++) {
		sqe_open2(&self->r, self->dfd, "file", &big, size);
		EXPECT_RES_OF(res_name(size), -EINVAL, ring_run(&self->r));
	}
	sqe_open2(&self->r, self->dfd, "file", &big, sizeof(big));
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	close(fd);
	big.more = 1;
	sqe_open2(&self->r, self->dfd, "file", &big, sizeof(big));
	EXPECT_RES(-E2BIG, ring_run(&self->r));
	sqe_open2(&self->r, self->dfd, "file", BAD_PTR, sizeof(big.how));
	EXPECT_RES(-EFAULT, ring_run(&self->r));

	/* unlike openat(2), no unknown bit is ignored */
	big.how.flags = 1ull << 40;
	sqe_open2(&self->r, self->dfd, "file", &big, sizeof(big.how));
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	big.how = (struct open_how){ .flags = O_RDONLY, .mode = 0600 };
	sqe_open2(&self->r, self->dfd, "file", &big, sizeof(big.how));
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	big.how = (struct open_how){ .flags = O_RDONLY, .resolve = 1u << 30 };
	sqe_open2(&self->r, self->dfd, "file", &big, sizeof(big.how));
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

/*
 * CLOSE
 */

TEST_F(open, close_fd)
{
	int fd = openat(self->dfd, "file", O_RDONLY);

	ASSERT_LE(0, fd);
	sqe_close(&self->r, fd);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_FALSE(fd_is_open(fd));
	sqe_close(&self->r, fd);
	EXPECT_RES(-EBADF, ring_run(&self->r));

	fd = openat(self->dfd, "file", O_RDONLY);
	ASSERT_LE(0, fd);
	sqe_close(&self->r, fd)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_FALSE(fd_is_open(fd));
	sqe_close(&self->r, -1)->flags = IOSQE_ASYNC;
	EXPECT_RES(-EBADF, ring_run(&self->r));

	/* a descriptor without a file to read, too */
	fd = openat(self->dfd, "file", O_PATH);
	ASSERT_LE(0, fd);
	sqe_close(&self->r, fd);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_FALSE(fd_is_open(fd));
}

TEST_F(open, close_no_ring)
{
	struct ring other;

	sqe_close(&self->r, self->r.fd);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	EXPECT_TRUE(fd_is_open(self->r.fd));

	ASSERT_EQ(0, ring_open(&other, 1, 0));
	sqe_close(&self->r, other.fd);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	EXPECT_TRUE(fd_is_open(other.fd));
	ring_close(&other);
}

TEST_F(open, close_checks)
{
	int fd = openat(self->dfd, "file", O_RDONLY);

	ASSERT_LE(0, fd);
	sqe_close(&self->r, fd)->off = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_close(&self->r, fd)->addr = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_close(&self->r, fd)->len = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_close(&self->r, fd)->rw_flags = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_close(&self->r, fd)->buf_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_close(&self->r, fd)->file_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_close(&self->r, fd)->flags = IOSQE_FIXED_FILE;
	EXPECT_RES(-EBADF, ring_run(&self->r));
	EXPECT_TRUE(fd_is_open(fd));
	close(fd);
}

TEST_F(open, close_slot)
{
	sqe_close_slot(&self->r, 0);
	EXPECT_RES(-ENXIO, ring_run(&self->r));
	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_close_slot(&self->r, 0);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_close_slot(&self->r, SLOTS);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_close_slot(&self->r, UINT_MAX - 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));

	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = 1;
	EXPECT_RES(0, ring_run(&self->r));
	sqe_close_slot(&self->r, 0)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_RES(-EBADF, read_slot(&self->r, 0));
}

/* The last reference of a pipe's end is dropped at once: the other end sees it. */
TEST_F(open, close_is_the_end)
{
	int fds[2];
	char c;

	ASSERT_EQ(0, pipe(fds));
	sqe_close(&self->r, fds[1]);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_EQ(0, read(fds[0], &c, 1));
	close(fds[0]);
}

/*
 * FIXED_FD_INSTALL
 */

static struct io_uring_sqe *sqe_install(struct ring *r, unsigned int slot)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_FIXED_FD_INSTALL, 0);

	sqe->fd = slot;
	sqe->flags = IOSQE_FIXED_FILE;
	return sqe;
}

TEST_F(open, install)
{
	int fd;

	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = 1;
	EXPECT_RES(0, ring_run(&self->r));

	sqe_install(&self->r, 0);
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(reads(fd));
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	close(fd);
	EXPECT_RES(4, read_slot(&self->r, 0));

	sqe_install(&self->r, 0)->install_fd_flags = IORING_FIXED_FD_NO_CLOEXEC;
	ring_slot(&self->r, self->r.sq_next - 1)->flags |= IOSQE_ASYNC;
	fd = ring_run(&self->r);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, fcntl(fd, F_GETFD));

	/* the slot can go, the descriptor stays */
	sqe_close_slot(&self->r, 0);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_TRUE(reads(fd));
	close(fd);
}

TEST_F(open, install_errors)
{
	int id;

	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_install(&self->r, 0);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_open(&self->r, self->dfd, "file", O_RDONLY)->file_index = 1;
	EXPECT_RES(0, ring_run(&self->r));

	sqe_install(&self->r, 0)->flags = 0;
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_install(&self->r, 0)->install_fd_flags = 2;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_install(&self->r, 0)->off = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_install(&self->r, 0)->addr = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_install(&self->r, 0)->len = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_install(&self->r, 0)->buf_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_install(&self->r, 0)->splice_fd_in = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_install(&self->r, 0)->addr3 = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));

	id = sys_register(self->r.fd, IORING_REGISTER_PERSONALITY, NULL, 0);
	ASSERT_LT(0, id);
	sqe_install(&self->r, 0)->personality = id;
	EXPECT_RES(-EPERM, ring_run(&self->r));
}

/*
 * PIPE
 */

static struct io_uring_sqe *sqe_pipe(struct ring *r, int *fds, int flags, unsigned int index)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_PIPE, 0);

	sqe->addr = (uintptr_t)fds;
	sqe->pipe_flags = flags;
	sqe->file_index = index;
	return sqe;
}

static bool has_pipe(struct ring *r)
{
	int fds[2];

	sqe_pipe(r, fds, 0, 0);
	if (ring_run(r))
		return false;
	close(fds[0]);
	close(fds[1]);
	return true;
}

TEST_F(open, pipe)
{
	int fds[2] = { -1, -1 }, i;
	char buf[4];

	NEEDS_73(has_pipe(&self->r));
	for (i = 0; i < 2; i++) {
		sqe_pipe(&self->r, fds, i ? O_CLOEXEC | O_NONBLOCK : 0, 0)->flags =
			i ? IOSQE_ASYNC : 0;
		ASSERT_EQ(0, ring_run(&self->r));
		ASSERT_EQ(3, write(fds[1], "abc", 3));
		ASSERT_EQ(3, read(fds[0], buf, 4));
		EXPECT_EQ(i ? FD_CLOEXEC : 0, fcntl(fds[0], F_GETFD));
		EXPECT_EQ(i ? FD_CLOEXEC : 0, fcntl(fds[1], F_GETFD));
		EXPECT_EQ(i ? O_NONBLOCK : 0, fcntl(fds[0], F_GETFL) & O_NONBLOCK);
		close(fds[0]);
		close(fds[1]);
	}
}

static int slot_io(struct ring *r, int opcode, unsigned int slot, char *buf)
{
	sqe_rw(r, opcode, slot, buf, 3, -1)->flags = IOSQE_FIXED_FILE;
	return ring_run(r);
}

TEST_F(open, pipe_in_slots)
{
	int fds[2] = { -1, -1 };
	char buf[4] = "abc";

	NEEDS_73(has_pipe(&self->r));
	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_pipe(&self->r, fds, 0, 1 + 1);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_RES(3, slot_io(&self->r, IORING_OP_WRITE, 2, buf));
	EXPECT_RES(3, slot_io(&self->r, IORING_OP_READ, 1, buf));

	/* slots 0 and 3 are free */
	sqe_pipe(&self->r, fds, 0, ALLOC)->flags = IOSQE_ASYNC;
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_EQ(0, fds[0]);
	EXPECT_EQ(3, fds[1]);
	EXPECT_RES(3, slot_io(&self->r, IORING_OP_WRITE, 3, buf));
	EXPECT_RES(3, slot_io(&self->r, IORING_OP_READ, 0, buf));
}

TEST_F(open, pipe_all_or_nothing)
{
	int before = count_fds(), fds[2] = { -7, -7 };
	struct rlimit old, few;

	NEEDS_73(has_pipe(&self->r));
	sqe_pipe(&self->r, BAD_PTR, 0, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	EXPECT_EQ(before, count_fds());

	/* one descriptor is left */
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	few = (struct rlimit){ self->dfd + 2, old.rlim_max };
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	sqe_pipe(&self->r, fds, 0, 0);
	EXPECT_RES(-EMFILE, ring_run(&self->r));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_EQ(before, count_fds());

	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_pipe(&self->r, fds, 0, SLOTS);		/* the second would be outside */
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	EXPECT_RES(-EBADF, read_slot(&self->r, SLOTS - 1));
	sqe_pipe(&self->r, BAD_PTR, 0, ALLOC);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	EXPECT_RES(-EBADF, read_slot(&self->r, 0));
	EXPECT_RES(-EBADF, read_slot(&self->r, 1));
	EXPECT_EQ(-7, fds[0]);
}

TEST_F(open, pipe_checks)
{
	int fds[2];

	NEEDS_73(has_pipe(&self->r));
	sqe_pipe(&self->r, fds, 0, 0)->fd = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_pipe(&self->r, fds, 0, 0)->off = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_pipe(&self->r, fds, 0, 0)->addr3 = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_pipe(&self->r, fds, O_APPEND, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	ASSERT_EQ(0, register_slots(&self->r, SLOTS));
	sqe_pipe(&self->r, fds, O_CLOEXEC, 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
}

TEST_HARNESS_MAIN
