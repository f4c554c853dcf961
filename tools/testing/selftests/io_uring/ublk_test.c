// SPDX-License-Identifier: GPL-2.0
/*
 * A block device served by a process through commands that wait for I/O: the
 * one driver of the tree that marks its commands cancelable, completes them
 * from the callbacks of others, and has to be told when its server is gone.
 */
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <linux/ublk_cmd.h>

#include "common.h"

#define DEPTH		16
#define BUF_SIZE	65536
#define DISK_SIZE	(64 * BUF_SIZE)

#define CTRL_CMD(nr)	_IOWR('u', nr, struct ublksrv_ctrl_cmd)
#define IO_CMD(nr)	_IOWR('u', nr, struct ublksrv_io_cmd)

/* What the server is to do; the device is not there before some I/O was answered */
enum {
	SERVE,			/* answer until the device is stopped */
	SERVE_HANG,		/* take I/O and never answer */
	SERVE_CLOSE,		/* close the ring on the first I/O, and live on */
};

/* Seen by the server and by who uses it */
struct shared {
	atomic_int mode;
	atomic_int held;	/* I/O that it has not answered */
	char disk[DISK_SIZE];
};

struct server {
	unsigned int flags;	/* of its ring */
	int dev;
	struct shared *shared;
};

FIXTURE(ublk)
{
	struct ring r;		/* for control */
	int ctrl, dev;
	struct server s;
	pid_t pid;
};

FIXTURE_VARIANT(ublk)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(ublk, plain)	{ .flags = 0 };
FIXTURE_VARIANT_ADD(ublk, coop)		{ .flags = IORING_SETUP_COOP_TASKRUN };
FIXTURE_VARIANT_ADD(ublk, defer)	{ .flags = DEFER_FLAGS };
FIXTURE_VARIANT_ADD(ublk, big_defer)	{ .flags = DEFER_FLAGS | IORING_SETUP_SQE128 |
						   IORING_SETUP_CQE32 };

static int control(struct _test_data_ublk *self, int nr, void *buf, unsigned int len, uint64_t data)
{
	struct io_uring_sqe *sqe = sqe_op(&self->r, IORING_OP_URING_CMD, 0);
	struct ublksrv_ctrl_cmd *cmd = (void *)sqe->cmd;

	sqe->fd = self->ctrl;
	sqe->cmd_op = CTRL_CMD(nr);
	cmd->dev_id = self->dev;
	cmd->queue_id = -1;
	cmd->addr = (uintptr_t)buf;
	cmd->len = len;
	cmd->data[0] = data;
	return ring_run(&self->r);
}

/*
 * The server
 */

struct queue {
	struct ring r;
	int fd;
	const struct ublksrv_io_desc *descs;
	char *bufs;
};

static void queue_io_cmd(struct queue *q, int nr, unsigned int tag, int result)
{
	struct io_uring_sqe *sqe = sqe_op(&q->r, IORING_OP_URING_CMD, tag);
	struct ublksrv_io_cmd *cmd = (void *)sqe->cmd;

	sqe->fd = q->fd;
	sqe->cmd_op = IO_CMD(nr);
	cmd->q_id = 0;
	cmd->tag = tag;
	cmd->result = result;
	cmd->addr = (uintptr_t)q->bufs + tag * BUF_SIZE;
}

static int queue_io(struct queue *q, unsigned int tag, char *disk)
{
	const struct ublksrv_io_desc *d = &q->descs[tag];
	size_t off = d->start_sector * 512, len = d->nr_sectors * 512;
	char *buf = q->bufs + tag * BUF_SIZE;

	switch (d->op_flags & 0xff) {
	case UBLK_IO_OP_READ:
		memcpy(buf, disk + off, len);
		return len;
	case UBLK_IO_OP_WRITE:
		memcpy(disk + off, buf, len);
		return len;
	case UBLK_IO_OP_FLUSH:
		return 0;
	}
	return -EINVAL;
}

static int queue_open(struct queue *q, const struct server *s)
{
	char path[64];
	unsigned int tag;

	snprintf(path, sizeof(path), "/dev/ublkc%d", s->dev);
	q->fd = open(path, O_RDWR);
	if (q->fd < 0)
		return -errno;
	q->descs = mmap(NULL, page_round(DEPTH * sizeof(*q->descs)), PROT_READ, MAP_SHARED, q->fd,
			UBLKSRV_CMD_BUF_OFFSET);
	q->bufs = anon_map(DEPTH * BUF_SIZE);
	if (q->descs == MAP_FAILED || q->bufs == MAP_FAILED || ring_open(&q->r, DEPTH, s->flags))
		return -ENOMEM;
	for (tag = 0; tag < DEPTH; tag++)
		queue_io_cmd(q, UBLK_IO_FETCH_REQ, tag, 0);
	return 0;
}

static int server(const struct server *s)
{
	unsigned int left = DEPTH;
	int mode;
	struct queue q;
	struct cqe cqe;

	if (queue_open(&q, s))
		return 1;
	while (left) {
		int ret = ring_submit_and_wait(&q.r, 1);

		if (ret < 0 && ret != -EINTR)
			return 2;
		while (ring_take(&q.r, &cqe)) {
			if (cqe.res == UBLK_IO_RES_ABORT) {
				left--;
				continue;
			}
			if (cqe.res != UBLK_IO_RES_OK)
				return 3;
			mode = atomic_load(&s->shared->mode);
			if (mode == SERVE) {
				queue_io_cmd(&q, UBLK_IO_COMMIT_AND_FETCH_REQ, cqe.user_data,
					     queue_io(&q, cqe.user_data, s->shared->disk));
				continue;
			}
			atomic_fetch_add(&s->shared->held, 1);
			if (mode == SERVE_CLOSE) {
				ring_close(&q.r);
				for (;;)
					pause();
			}
		}
	}
	ring_close(&q.r);
	return 0;
}

FIXTURE_SETUP(ublk)
{
	struct ublksrv_ctrl_dev_info info = {
		.nr_hw_queues = 1,
		.queue_depth = DEPTH,
		.max_io_buf_bytes = BUF_SIZE,
		.dev_id = -1,
	};
	struct ublk_params params = {
		.len = sizeof(params),
		.types = UBLK_PARAM_TYPE_BASIC,
		.basic = {
			.logical_bs_shift = 9,
			.physical_bs_shift = 12,
			.io_min_shift = 9,
			.io_opt_shift = 12,
			.max_sectors = BUF_SIZE / 512,
			.dev_sectors = DISK_SIZE / 512,
		},
	};

	self->pid = 0;
	self->dev = -1;
	self->ctrl = open("/dev/ublk-control", O_RDWR | O_CLOEXEC);
	if (self->ctrl < 0)
		SKIP(return, "needs /dev/ublk-control");
	ASSERT_EQ(0, ring_open(&self->r, 4, IORING_SETUP_SQE128));
	ASSERT_EQ(0, control(self, UBLK_CMD_ADD_DEV, &info, sizeof(info), 0));
	self->dev = info.dev_id;
	ASSERT_EQ(0, control(self, UBLK_CMD_SET_PARAMS, &params, sizeof(params), 0));

	self->s = (struct server){ .flags = variant->flags, .dev = self->dev };
	self->s.shared = anon_map(sizeof(struct shared));
	ASSERT_NE(MAP_FAILED, self->s.shared);
}

static int server_start(struct _test_data_ublk *self)
{
	self->pid = fork();
	if (!self->pid)
		_exit(server(&self->s));
	/* waits for the server, in a worker */
	return self->pid < 0 ? -errno : control(self, UBLK_CMD_START_DEV, NULL, 0, self->pid);
}

static int server_end(struct _test_data_ublk *self)
{
	int status;

	if (waitpid(self->pid, &status, 0) != self->pid)
		return -1;
	self->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

FIXTURE_TEARDOWN(ublk)
{
	if (self->pid) {
		kill(self->pid, SIGKILL);
		server_end(self);
	}
	/* waits until nothing uses the device: a command that was lost shows here */
	EXPECT_RES(0, control(self, UBLK_CMD_DEL_DEV, NULL, 0, 0));
	munmap(self->s.shared, sizeof(struct shared));
	ring_close(&self->r);
	close(self->ctrl);
}

static int open_disk(int dev)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/ublkb%d", dev);
	return open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
}

/* Write all of the disk, DEPTH at a time, then read it. */
static void use_disk(struct __test_metadata *_metadata, int fd, char *buf)
{
	const int n = DISK_SIZE / 4096;
	static const int ops[] = { IORING_OP_WRITE, IORING_OP_READ };
	struct cqe cqe;
	struct ring r;
	int pass, i, j;

	ASSERT_EQ(0, ring_open(&r, DEPTH, 0));
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < n; i += DEPTH) {
			for (j = i; j < i + DEPTH; j++)
				sqe_rw(&r, ops[pass], fd, buf + j * 4096, 4096, j * 4096);
			ASSERT_EQ(DEPTH, ring_submit(&r));
			for (j = 0; j < DEPTH; j++) {
				ASSERT_EQ(0, ring_wait(&r, &cqe));
				ASSERT_EQ(4096, cqe.res);
			}
		}
		if (!pass)
			memset(buf, 0, DISK_SIZE);
	}
	ring_close(&r);
}

TEST_F(ublk, serves)
{
	char *buf = anon_map(DISK_SIZE);
	int fd, i;

	ASSERT_NE(MAP_FAILED, buf);
	for (i = 0; i < DISK_SIZE / 4; i++)
		((unsigned int *)buf)[i] = i * 2654435761u;
	ASSERT_EQ(0, server_start(self));
	fd = open_disk(self->dev);
	ASSERT_LE(0, fd);
	use_disk(_metadata, fd, buf);
	EXPECT_EQ(0, memcmp(buf, self->s.shared->disk, DISK_SIZE));
	for (i = 0; i < DISK_SIZE / 4; i++)
		ASSERT_EQ(i * 2654435761u, ((unsigned int *)buf)[i]);
	close(fd);

	/* every command comes back with -ENODEV, so the server ends by itself */
	EXPECT_RES(0, control(self, UBLK_CMD_STOP_DEV, NULL, 0, 0));
	EXPECT_EQ(0, server_end(self));
	munmap(buf, DISK_SIZE);
}

struct reader {
	int fd;
	char *buf;
};

static int read_disk(void *arg)
{
	struct reader *r = arg;

	return res_of(pread(r->fd, r->buf, 4096, 0));
}

/* Let a read wait for the server, do something to that, and see the read fail. */
static void lose_server(struct __test_metadata *_metadata, const struct server *s, int mode,
			pid_t victim)
{
	struct reader reader = { .fd = open_disk(s->dev), .buf = anon_map(4096) };
	struct thread_call call = { .fn = read_disk, .arg = &reader };
	pthread_t thread;

	ASSERT_LE(0, reader.fd);
	atomic_store(&s->shared->mode, mode);
	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_call_main, &call));
	EXPECT_TRUE(BECOMES(atomic_load(&s->shared->held)));
	if (victim)
		kill(victim, SIGKILL);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_RES(-EIO, call.ret);
	close(reader.fd);
	munmap(reader.buf, 4096);
}

TEST_F(ublk, server_killed_while_idle)
{
	ASSERT_EQ(0, server_start(self));
	kill(self->pid, SIGKILL);
	EXPECT_EQ(-SIGKILL, server_end(self));
}

TEST_F(ublk, server_killed_with_io)
{
	ASSERT_EQ(0, server_start(self));
	lose_server(_metadata, &self->s, SERVE_HANG, self->pid);
	EXPECT_EQ(-SIGKILL, server_end(self));
}

/* The ring goes and the server stays: its other commands are given up all the same. */
TEST_F(ublk, ring_closed)
{
	ASSERT_EQ(0, server_start(self));
	lose_server(_metadata, &self->s, SERVE_CLOSE, 0);
}

TEST_HARNESS_MAIN
