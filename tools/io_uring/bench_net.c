// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets, and messages from ring to ring.
 */
#include <sys/socket.h>

#include "bench.h"

#define PAIRS	32

static struct ring ring, other;
static int pairs[PAIRS][2];
static char buf[PAIRS][64];

static int stream_open(const struct load *l)
{
	int i, err = ring_open(&ring, 64, l->flags);

	for (i = 0; !err && i < PAIRS; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]))
			err = -errno;
	return err;
}

static void stream_close(const struct load *l)
{
	int i;

	for (i = 0; i < PAIRS; i++) {
		close(pairs[i][0]);
		close(pairs[i][1]);
	}
	ring_close(&ring);
}

static void transfer(int opcode, int fd, void *data)
{
	struct io_uring_sqe *sqe = ring_sqe(&ring);

	sqe->opcode = opcode;
	sqe->fd = fd;
	sqe->addr = (uintptr_t)data;
	sqe->len = sizeof(buf[0]);
}

/* Receives that wait for their data, then the sends that bring them: two operations a pair */
static void stream_run(const struct load *l, unsigned int ops)
{
	unsigned int done, i, nr = l->batch / 2;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < nr; i++)
			transfer(IORING_OP_RECV, pairs[i][0], buf[i]);
		ring_enter(&ring, 0);
		for (i = 0; i < nr; i++)
			transfer(IORING_OP_SEND, pairs[i][1], buf[i]);
		ring_enter(&ring, l->batch);
		ring_reap(&ring, sizeof(buf[0]));
	}
}

static int msg_open(const struct load *l)
{
	int err = ring_open(&ring, 64, l->flags);

	return err ?: ring_open(&other, 64, l->flags);
}

static void msg_close(const struct load *l)
{
	ring_close(&other);
	ring_close(&ring);
}

static void msg_run(const struct load *l, unsigned int ops)
{
	unsigned int done, i;

	for (done = 0; done < ops; done += l->batch) {
		for (i = 0; i < l->batch; i++) {
			struct io_uring_sqe *sqe = ring_sqe(&ring);

			sqe->opcode = IORING_OP_MSG_RING;
			sqe->fd = other.fd;
		}
		ring_enter(&ring, l->batch);
		ring_reap(&ring, 0);
		ring_enter(&other, l->batch);
		ring_reap(&other, 0);
	}
}

#define NET(name_, ops_, kind, flags_, batch_)						\
	{ .name = name_, .ops = ops_, .open = kind##_open, .run = kind##_run,		\
	  .close = kind##_close, .flags = flags_, .batch = batch_ }

const struct load net_loads[] = {
	NET("unix-stream", 8000, stream, DEFER, 32),
	NET("msg-ring", 8000, msg, DEFER, 32),
	{ }
};
