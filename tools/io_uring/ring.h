/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring on bare system calls: as little user code per operation as there can be.
 *
 * One thread uses a ring. Errors end the program by die(): a measurement has no way to go on.
 */
#ifndef IO_URING_TOOLS_RING_H
#define IO_URING_TOOLS_RING_H

#include <errno.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ring {
	int fd;
	unsigned int *sq_tail;
	unsigned int sq_mask;
	unsigned int filled;		/* SQEs since the last submission */
	unsigned int *cq_head;
	unsigned int *cq_tail;
	unsigned int cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	void *rings;
	size_t rings_size;
	size_t sqes_size;
	unsigned int sqe_shift;		/* 1: 128-byte SQEs */
	unsigned int cqe_shift;		/* 1: 32-byte CQEs */
};

#define die(...)						\
	do {							\
		fprintf(stderr, "error: " __VA_ARGS__);		\
		fputc('\n', stderr);				\
		exit(1);					\
	} while (0)

/* Returns 0 or -errno: the kernel may not know one of the flags. */
static inline int ring_open(struct ring *r, unsigned int entries, unsigned int flags)
{
	const int prot = PROT_READ | PROT_WRITE, how = MAP_SHARED | MAP_POPULATE;
	struct io_uring_params p = { .flags = flags | IORING_SETUP_NO_SQARRAY };
	char *base;

	memset(r, 0, sizeof(*r));
	r->fd = syscall(__NR_io_uring_setup, entries, &p);
	if (r->fd < 0)
		return -errno;
	r->sqe_shift = !!(flags & IORING_SETUP_SQE128);
	r->cqe_shift = !!(flags & IORING_SETUP_CQE32);
	r->rings_size = p.cq_off.cqes +
			(p.cq_entries * sizeof(struct io_uring_cqe) << r->cqe_shift);
	r->sqes_size = p.sq_entries * sizeof(struct io_uring_sqe) << r->sqe_shift;
	base = mmap(NULL, r->rings_size, prot, how, r->fd, IORING_OFF_SQ_RING);
	r->sqes = mmap(NULL, r->sqes_size, prot, how, r->fd, IORING_OFF_SQES);
	if (base == MAP_FAILED || r->sqes == MAP_FAILED)
		die("mmap of a ring: %s", strerror(errno));
	r->rings = base;
	r->sq_tail = (unsigned int *)(base + p.sq_off.tail);
	r->sq_mask = p.sq_entries - 1;
	r->cq_head = (unsigned int *)(base + p.cq_off.head);
	r->cq_tail = (unsigned int *)(base + p.cq_off.tail);
	r->cq_mask = p.cq_entries - 1;
	r->cqes = (struct io_uring_cqe *)(base + p.cq_off.cqes);
	return 0;
}

static inline void ring_close(struct ring *r)
{
	munmap(r->rings, r->rings_size);
	munmap(r->sqes, r->sqes_size);
	close(r->fd);
}

static inline struct io_uring_sqe *ring_sqe(struct ring *r)
{
	unsigned int slot = (*r->sq_tail + r->filled++) & r->sq_mask;
	struct io_uring_sqe *sqe = &r->sqes[slot << r->sqe_shift];

	memset(sqe, 0, sizeof(*sqe));
	if (r->sqe_shift)
		memset(sqe + 1, 0, sizeof(*sqe));
	return sqe;
}

/* Submit what was filled in, and wait until @want CQEs are there. */
static inline void ring_enter(struct ring *r, unsigned int want)
{
	unsigned int nr = r->filled;
	long ret;

	__atomic_store_n(r->sq_tail, *r->sq_tail + nr, __ATOMIC_RELEASE);
	r->filled = 0;
	ret = syscall(__NR_io_uring_enter, r->fd, nr, want, want ? IORING_ENTER_GETEVENTS : 0,
		      NULL, 0);
	if (ret != (long)nr)
		die("io_uring_enter: %ld of %u: %s", ret, nr, ret < 0 ? strerror(errno) : "short");
}

/* Take all CQEs that are there. Returns how many; an unexpected result ends the program. */
static inline unsigned int ring_reap(struct ring *r, int expect)
{
	unsigned int head = *r->cq_head, tail = __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE);
	unsigned int i;

	for (i = head; i != tail; i++) {
		const struct io_uring_cqe *cqe = &r->cqes[(i & r->cq_mask) << r->cqe_shift];

		if (cqe->res != expect)
			die("a CQE says %d, not %d", cqe->res, expect);
	}
	__atomic_store_n(r->cq_head, tail, __ATOMIC_RELEASE);
	return tail - head;
}

#endif
