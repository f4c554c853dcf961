// SPDX-License-Identifier: GPL-2.0
/*
 * Commands to drivers: one that answers at once, and reads through an NVMe namespace's character
 * device, which complete by interrupt.
 */
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include "bench.h"

#define NULL_DEV	"/dev/null"
#define NVME_DEV	"/dev/ng0n1"
#define BIG		(IORING_SETUP_SQE128 | IORING_SETUP_CQE32)
#define BLOCK		512

static struct ring ring;
static char *buffer;
static int file = -1;
static unsigned int nsid;

static int cmd_open(const struct load *l, const char *path)
{
	int err = ring_open(&ring, 64, l->flags);

	if (err)
		return err;
	file = open(path, O_RDWR);
	if (file < 0) {
		err = -errno;
		ring_close(&ring);
	}
	return err;
}

static int null_open(const struct load *l)
{
	return cmd_open(l, NULL_DEV);
}

static int nvme_open(const struct load *l)
{
	int err = cmd_open(l, NVME_DEV);

	if (err)
		return err;
	nsid = ioctl(file, NVME_IOCTL_ID);
	buffer = aligned_alloc(4096, l->batch * 4096);
	if (!buffer)
		die("no memory");
	memset(buffer, 0, l->batch * 4096);
	return 0;
}

static void cmd_close(const struct load *l)
{
	free(buffer);
	buffer = NULL;
	close(file);
	ring_close(&ring);
}

static struct io_uring_sqe *cmd_sqe(unsigned int cmd_op)
{
	struct io_uring_sqe *sqe = ring_sqe(&ring);

	sqe->opcode = IORING_OP_URING_CMD;
	sqe->fd = file;
	sqe->cmd_op = cmd_op;
	return sqe;
}

static void null_run(const struct load *l, unsigned int ops)
{
	unsigned int done, i;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++)
			cmd_sqe(0);
		ring_enter(&ring, l->batch);
		ring_reap(&ring, 0);
	}
}

static void nvme_run(const struct load *l, unsigned int ops)
{
	unsigned int done, i;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++) {
			struct io_uring_sqe *sqe = cmd_sqe(NVME_URING_CMD_IO);
			struct nvme_uring_cmd *cmd = (struct nvme_uring_cmd *)sqe->cmd;

			cmd->opcode = 2;	/* read */
			cmd->nsid = nsid;
			cmd->addr = (uintptr_t)buffer + i * 4096;
			cmd->data_len = BLOCK;
			cmd->cdw10 = i;
		}
		ring_enter(&ring, l->batch);
		ring_reap(&ring, 0);
	}
}

const struct load cmd_loads[] = {
	{ "null-cmd", 8000, null_open, null_run, cmd_close, DEFER, 32 },
	{ "nvme-cmd", 8000, nvme_open, nvme_run, cmd_close, DEFER | BIG, 32 },
	{ "nvme-cmd-task", 8000, nvme_open, nvme_run, cmd_close, BIG, 32 },
	{ }
};
