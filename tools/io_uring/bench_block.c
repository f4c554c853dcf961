// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of a block device that answers at once (null_blk, completion on the submitting CPU).
 */
#include <fcntl.h>

#include "bench.h"

#define NULL_BLK	"/dev/nullb0"

static struct ring ring;
static char *buffer;
static int file = -1;

static int block_open(const struct load *l)
{
	int err = ring_open(&ring, 64, l->flags);

	if (err)
		return err;
	file = open(NULL_BLK, O_RDONLY | O_DIRECT);
	if (file < 0) {
		err = -errno;
		ring_close(&ring);
		return err;
	}
	buffer = aligned_alloc(4096, 4096);
	if (!buffer)
		die("no memory");
	memset(buffer, 0, 4096);
	return 0;
}

static void block_close(const struct load *l)
{
	free(buffer);
	close(file);
	ring_close(&ring);
}

static void read_run(const struct load *l, unsigned int ops)
{
	unsigned int done, i;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++) {
			struct io_uring_sqe *sqe = ring_sqe(&ring);

			sqe->opcode = IORING_OP_READ;
			sqe->fd = file;
			sqe->addr = (uintptr_t)buffer;
			sqe->len = 512;
			sqe->off = i * 512;
		}
		ring_enter(&ring, l->batch);
		ring_reap(&ring, 512);
	}
}

const struct load block_loads[] = {
	{ "null-read", 8000, block_open, read_run, block_close, DEFER, 32 },
	{ }
};
