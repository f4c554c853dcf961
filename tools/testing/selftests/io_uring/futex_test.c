// SPDX-License-Identifier: GPL-2.0
/*
 * FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAITV: with each other and with the system
 * calls, cancelled, left behind by tasks that go away.
 */
#include <sys/wait.h>
#include <linux/futex.h>

#include "common.h"

#ifndef FUTEX2_SIZE_U32
#define FUTEX2_SIZE_U32	0x02
#define FUTEX2_PRIVATE	FUTEX_PRIVATE_FLAG
#endif
#define FUTEX2_SIZE_U64	0x03
#define PRIVATE		(FUTEX2_SIZE_U32 | FUTEX2_PRIVATE)
#define ALL_BITS	0xffffffffull

FIXTURE(futex)
{
	struct ring r;
	uint32_t *word;		/* shared with children */
};

RING_KIND_VARIANT(futex);
RING_KIND(futex, plain, .flags = 0);
RING_KIND(futex, coop, .flags = IORING_SETUP_COOP_TASKRUN);
RING_KIND(futex, defer, .flags = DEFER_FLAGS);
RING_KIND(futex, sqpoll, .flags = IORING_SETUP_SQPOLL, .piece = "sqpoll");

FIXTURE_SETUP(futex)
{
	NEEDS_RING_KIND(variant);
	ASSERT_EQ(0, ring_open(&self->r, 64, variant->flags));
	self->word = anon_map(4096);
	ASSERT_NE(MAP_FAILED, self->word);
}

FIXTURE_TEARDOWN(futex)
{
	ring_close(&self->r);
	munmap(self->word, 4096);
}

static struct io_uring_sqe *sqe_futex(struct ring *r, int opcode, uint32_t *word, uint64_t val,
				      unsigned int flags)
{
	struct io_uring_sqe *sqe = sqe_op(r, opcode, opcode);

	sqe->fd = flags;
	sqe->addr = (uintptr_t)word;
	sqe->addr2 = val;
	sqe->addr3 = ALL_BITS;
	return sqe;
}

static struct io_uring_sqe *sqe_wait(struct ring *r, uint32_t *word, uint64_t val)
{
	return sqe_futex(r, IORING_OP_FUTEX_WAIT, word, val, PRIVATE);
}

static struct io_uring_sqe *sqe_wake(struct ring *r, uint32_t *word, uint64_t nr)
{
	return sqe_futex(r, IORING_OP_FUTEX_WAKE, word, nr, PRIVATE);
}

static struct io_uring_sqe *sqe_waitv(struct ring *r, const struct futex_waitv *v, unsigned int nr)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_FUTEX_WAITV, IORING_OP_FUTEX_WAITV);

	sqe->addr = (uintptr_t)v;
	sqe->len = nr;
	return sqe;
}

static void fill(struct futex_waitv *v, unsigned int nr, uint32_t *words, unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		v[i] = (struct futex_waitv){ .val = words[i], .uaddr = (uintptr_t)&words[i],
					     .flags = flags };
}

static int sys_wake(uint32_t *word, int nr)
{
	return res_of(syscall(__NR_futex, word, FUTEX_WAKE_PRIVATE, nr, NULL, NULL, 0));
}

static bool stays_quiet(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

/* Wait for nr CQEs; results by opcode. */
static int collect(struct ring *r, int nr, int *wait, int *other)
{
	struct cqe cqe;

	while (nr--) {
		if (ring_wait(r, &cqe))
			return -1;
		if (cqe.user_data == IORING_OP_FUTEX_WAIT || cqe.user_data == IORING_OP_FUTEX_WAITV)
			*wait = cqe.res;
		else
			*other = cqe.res;
	}
	return 0;
}

static int cancel(struct ring *r, uint64_t user_data)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_ASYNC_CANCEL, 99);

	sqe->addr = user_data;
	return ring_submit(r);
}

TEST_F(futex, wait_and_wake)
{
	int wait = NO_CQE, wake = NO_CQE;

	sqe_wait(&self->r, self->word, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	sqe_wake(&self->r, self->word, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, collect(&self->r, 2, &wait, &wake));
	EXPECT_RES(0, wait);
	EXPECT_RES(1, wake);
	sqe_wake(&self->r, self->word, 1);
	EXPECT_RES(0, ring_run(&self->r));
}

TEST_F(futex, from_a_worker)
{
	int wait = NO_CQE, wake = NO_CQE;

	sqe_wait(&self->r, self->word, 0)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	sqe_wake(&self->r, self->word, 1)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, collect(&self->r, 2, &wait, &wake));
	EXPECT_RES(0, wait);
	EXPECT_RES(1, wake);
}

TEST_F(futex, system_call_wakes)
{
	struct cqe cqe;

	sqe_wait(&self->r, self->word, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	EXPECT_EQ(1, sys_wake(self->word, 1));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(0, cqe.res);
}

static int wait_in_child(void *arg)
{
	return syscall(__NR_futex, arg, FUTEX_WAIT, 0, NULL, NULL, 0) ? 1 : 0;
}

/* A shared futex, and a waiter in another process */
TEST_F(futex, wakes_another_process)
{
	int res = 0, status;
	pid_t pid = fork();

	if (!pid)
		_exit(wait_in_child(self->word));
	ASSERT_LT(0, pid);
	EXPECT_TRUE(BECOMES(({
		sqe_futex(&self->r, IORING_OP_FUTEX_WAKE, self->word, 1, FUTEX2_SIZE_U32);
		res = ring_run(&self->r);
		res == 1 || res < 0;
	})));
	EXPECT_RES(1, res);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(futex, bitset)
{
	struct cqe cqe;

	sqe_wait(&self->r, self->word, 0)->addr3 = 6;
	ASSERT_EQ(1, ring_submit(&self->r));
	if (variant->flags & IORING_SETUP_SQPOLL)
		EXPECT_TRUE(stays_quiet(&self->r));
	sqe_wake(&self->r, self->word, 1)->addr3 = 1;
	EXPECT_RES(0, ring_run(&self->r));
	sqe_wake(&self->r, self->word, 0);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	sqe_wake(&self->r, self->word, 1)->addr3 = 2;
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
}

TEST_F(futex, how_many)
{
	int i, done = 0;
	struct cqe cqe;

	for (i = 0; i < 8; i++)
		sqe_wait(&self->r, self->word, 0);
	ASSERT_EQ(8, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	EXPECT_EQ(3, sys_wake(self->word, 3));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_TRUE(stays_quiet(&self->r));
	EXPECT_EQ(5, sys_wake(self->word, INT_MAX));
	for (i = 0; i < 5; i++)
		done += !ring_wait(&self->r, &cqe) && !cqe.res;
	EXPECT_EQ(5, done);
}

TEST_F(futex, mismatch)
{
	struct futex_waitv v[3];

	*self->word = 5;
	sqe_wait(&self->r, self->word, 4);
	EXPECT_RES(-EAGAIN, ring_run(&self->r));
	fill(v, 3, self->word, PRIVATE);
	v[2].val = 1;
	sqe_waitv(&self->r, v, 3);
	EXPECT_RES(-EAGAIN, ring_run(&self->r));
	/* The first two are not left behind. */
	EXPECT_EQ(0, sys_wake(self->word, 1));
	EXPECT_EQ(0, sys_wake(self->word + 1, 1));
}

TEST_F(futex, cancelled)
{
	/* Stock counts futexes even if it was not asked to count. */
	int wait = NO_CQE, res = NO_CQE, want = on_stock();
	struct futex_waitv v[3];

	sqe_wait(&self->r, self->word, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	if (variant->flags & IORING_SETUP_SQPOLL)
		EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(1, cancel(&self->r, IORING_OP_FUTEX_WAIT));
	ASSERT_EQ(0, collect(&self->r, 2, &wait, &res));
	EXPECT_RES(-ECANCELED, wait);
	EXPECT_RES(want, res);
	EXPECT_EQ(0, sys_wake(self->word, 1));

	fill(v, 3, self->word, PRIVATE);
	sqe_waitv(&self->r, v, 3);
	ASSERT_EQ(1, ring_submit(&self->r));
	if (variant->flags & IORING_SETUP_SQPOLL)
		EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(1, cancel(&self->r, IORING_OP_FUTEX_WAITV));
	ASSERT_EQ(0, collect(&self->r, 2, &wait, &res));
	EXPECT_RES(-ECANCELED, wait);
	EXPECT_RES(want, res);
	EXPECT_EQ(0, sys_wake(self->word + 2, 1));
}

TEST_F(futex, deadline)
{
	struct __kernel_timespec ts = { .tv_nsec = 1000000 };
	struct io_uring_sqe *sqe;
	int wait = NO_CQE, res = NO_CQE;

	sqe_wait(&self->r, self->word, 0)->flags = IOSQE_IO_LINK;
	sqe = sqe_op(&self->r, IORING_OP_LINK_TIMEOUT, 7);
	sqe->addr = (uintptr_t)&ts;
	sqe->len = 1;
	ASSERT_EQ(2, ring_submit(&self->r));
	ASSERT_EQ(0, collect(&self->r, 2, &wait, &res));
	EXPECT_RES(-ECANCELED, wait);
	EXPECT_RES(-ETIME, res);
}

TEST_F(futex, several)
{
	struct futex_waitv v[FUTEX_WAITV_MAX];
	struct cqe cqe;

	fill(v, FUTEX_WAITV_MAX, self->word, PRIVATE);
	sqe_waitv(&self->r, v, FUTEX_WAITV_MAX);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	memset(v, 0xff, sizeof(v));
	EXPECT_EQ(1, sys_wake(self->word + 100, 1));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(100, cqe.res);
	EXPECT_EQ(0, sys_wake(self->word, 1));
	EXPECT_EQ(0, sys_wake(self->word + 127, 1));
}

struct waker {
	uint32_t *word;
	atomic_bool stop;
	unsigned long woken;
};

static void *waker_main(void *arg)
{
	struct waker *w = arg;

	while (!w->stop)
		w->woken += sys_wake(w->word + w->woken % 4, 1);
	return NULL;
}

/* A thread wakes while we queue, cancel and wait: none is lost, none comes twice. */
TEST_F(futex, several_race)
{
	struct waker w = { .word = self->word };
	unsigned long seen = 0, ended = 0;
	struct futex_waitv v[4];
	pthread_t thread;
	struct cqe cqe;
	int i, left;

	ASSERT_EQ(0, pthread_create(&thread, NULL, waker_main, &w));
	for (i = 0; i < 2000; i++) {
		fill(v, 4, self->word, PRIVATE);
		sqe_waitv(&self->r, v, 4);
		sqe_wait(&self->r, self->word + i % 4, 0);
		ASSERT_EQ(2, ring_submit(&self->r));
		cancel(&self->r, IORING_OP_FUTEX_WAITV);
		cancel(&self->r, IORING_OP_FUTEX_WAIT);
		for (left = 4; left; left--) {
			ASSERT_EQ(0, ring_wait(&self->r, &cqe));
			if (cqe.user_data == 99)
				continue;
			ended++;
			if (cqe.res != -ECANCELED) {
				ASSERT_LE(0, cqe.res);
				seen++;
			}
		}
	}
	w.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(4000, ended);
	/* Two wake-ups may meet one request that waits for several. */
	EXPECT_LE(seen, w.woken);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, sys_wake(self->word + i, 1));
}

struct left_behind {
	struct ring *r;
	uint32_t *word;
};

static int wait_and_exit(void *arg)
{
	struct left_behind *l = arg;
	struct futex_waitv v[64];

	fill(v, 64, l->word, PRIVATE);
	sqe_wait(l->r, l->word, 0);
	sqe_waitv(l->r, v, 64);
	return ring_submit(l->r) == 2 ? 0 : 1;
}

/* A thread that exits takes its futexes with it; the ring stays. On stock they stay too. */
TEST_F(futex, thread_exits)
{
	struct left_behind l = { &self->r, self->word };
	struct cqe cqe;
	int i;

	if (variant->flags & (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_SQPOLL))
		SKIP(return, "the ring belongs to one task");
	if (on_stock())
		SKIP(return, "stock lets them wait on");
	ASSERT_EQ(0, in_thread(wait_and_exit, &l));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(-ECANCELED, cqe.res);
	}
	EXPECT_EQ(0, sys_wake(self->word, 1));
}

/* The same with a process, whose memory goes away while the ring stays. */
TEST_F(futex, process_exits)
{
	struct left_behind l = { &self->r, self->word };
	struct cqe cqe;
	int i;

	if (variant->flags & (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_SQPOLL))
		SKIP(return, "the ring belongs to one task");
	if (on_stock())
		SKIP(return, "stock lets them wait on");
	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, in_child(wait_and_exit, &l));
		/* The child has a copy of this. */
		self->r.sq_next = load_acquire(self->r.sq_tail);
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(-ECANCELED, cqe.res);
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		EXPECT_RES(-ECANCELED, cqe.res);
		EXPECT_EQ(0, sys_wake(self->word, 1));
	}
}

TEST_F(futex, refused)
{
	static const int ops[] = { IORING_OP_FUTEX_WAIT, IORING_OP_FUTEX_WAKE };
	struct futex_waitv v = { .uaddr = (uintptr_t)self->word, .flags = PRIVATE };
	int i;

	for (i = 0; i < 2; i++) {
		sqe_futex(&self->r, ops[i], self->word, 0, PRIVATE)->len = 1;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 0, PRIVATE)->futex_flags = 1;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 0, PRIVATE)->buf_index = 1;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 0, PRIVATE)->file_index = 1;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 0, PRIVATE | 0x10);
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 0, FUTEX2_SIZE_U64);
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 0, 0);
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 1ull << 32, PRIVATE);
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 0, PRIVATE)->addr3 = 1ull << 32;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], self->word, 0, PRIVATE)->addr3 = 0;
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], (void *)((char *)self->word + 1), 0, PRIVATE);
		EXPECT_RES(-EINVAL, ring_run(&self->r));
		sqe_futex(&self->r, ops[i], KERNEL_PTR, 0, PRIVATE);
		EXPECT_RES(-EFAULT, ring_run(&self->r));
	}
	sqe_wait(&self->r, BAD_PTR, 0);
	EXPECT_RES(-EFAULT, ring_run(&self->r));

	sqe_waitv(&self->r, &v, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitv(&self->r, &v, FUTEX_WAITV_MAX + 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitv(&self->r, BAD_PTR, 1);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	sqe_waitv(&self->r, &v, 1)->addr2 = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitv(&self->r, &v, 1)->fd = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitv(&self->r, &v, 1)->addr3 = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	v.__reserved = 1;
	sqe_waitv(&self->r, &v, 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	v.__reserved = 0;
	v.uaddr = (uintptr_t)BAD_PTR;
	sqe_waitv(&self->r, &v, 1);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
}

TEST_HARNESS_MAIN
