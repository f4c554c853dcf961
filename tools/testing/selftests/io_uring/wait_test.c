// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting in io_uring_enter(): for how many, until when, woken by what, and
 * under which signal mask.
 */
#include <sys/eventfd.h>

#include "common.h"

#define GETEVENTS	IORING_ENTER_GETEVENTS
#define EXT_ARG		IORING_ENTER_EXT_ARG
#define ABS_TIMER	IORING_ENTER_ABS_TIMER

#define SHORT_MS	40		/* a time to wait; long enough to be told from none */
#define LONG_MS		10000		/* a time that a right kernel does not wait */
#define MS		1000000ull	/* in ns */
#define MANY		8

/* A ring, and reads that wait for their eventfds. */
struct waiting {
	struct ring r;
	int events[MANY];
	__u64 values[MANY];
};

FIXTURE(wait)
{
	struct waiting w;
};

FIXTURE_VARIANT(wait)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(wait, plain)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(wait, coop)
{
	.flags = IORING_SETUP_COOP_TASKRUN,
};

FIXTURE_VARIANT_ADD(wait, defer)
{
	.flags = DEFER_FLAGS,
};

FIXTURE_SETUP(wait)
{
	unsigned int i;

	ASSERT_EQ(0, ring_open(&self->w.r, MANY, variant->flags));
	for (i = 0; i < MANY; i++) {
		self->w.events[i] = eventfd(0, EFD_CLOEXEC);
		ASSERT_LE(0, self->w.events[i]);
	}
}

FIXTURE_TEARDOWN(wait)
{
	unsigned int i;

	ring_close(&self->w.r);
	for (i = 0; i < MANY; i++)
		close(self->w.events[i]);
}

/* Submit reads of the first n eventfds; user_data is the index. */
static int start_reads(struct waiting *w, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		sqe_rw(&w->r, IORING_OP_READ, w->events[i], &w->values[i], 8, 0)->user_data = i;
	return ring_submit(&w->r) == n ? 0 : -EIO;
}

static int signal_event(struct waiting *w, unsigned int i)
{
	__u64 one = 1;

	return write(w->events[i], &one, 8) == 8 ? 0 : -errno;
}

/* Another thread signals the first n eventfds, one after the other. */
struct signaller {
	pthread_t thread;
	struct waiting *w;
	unsigned int n, delay_ms;
};

static void *signaller_main(void *arg)
{
	struct signaller *s = arg;
	unsigned int i;

	for (i = 0; i < s->n; i++) {
		sleep_ms(s->delay_ms);
		signal_event(s->w, i);
	}
	return NULL;
}

static int signaller_start(struct signaller *s, struct waiting *w, unsigned int n,
			   unsigned int delay_ms)
{
	*s = (struct signaller){ .w = w, .n = n, .delay_ms = delay_ms };
	return pthread_create(&s->thread, NULL, signaller_main, s);
}

/* enter(GETEVENTS, EXT_ARG) with times in ns, 0: none; *ms: how long it took. */
static int wait_for(struct ring *r, unsigned int min, __u64 timeout, __u64 min_wait,
		    unsigned int flags, unsigned int *ms)
{
	struct __kernel_timespec ts = { timeout / 1000000000, timeout % 1000000000 };
	struct io_uring_getevents_arg arg = {
		.ts = timeout ? (uintptr_t)&ts : 0,
		.min_wait_usec = min_wait / 1000,
	};
	__u64 start = now_ns();
	int ret;

	ret = sys_enter(r->fd, 0, min, GETEVENTS | EXT_ARG | flags, &arg, sizeof(arg));
	*ms = ms_since(start);
	return ret;
}

/* Number of events */

TEST_F(wait, until_all_are_there)
{
	struct signaller s;
	unsigned int i;

	ASSERT_EQ(0, start_reads(&self->w, MANY));
	ASSERT_EQ(0, signaller_start(&s, &self->w, MANY, 2));
	EXPECT_RES(0, ring_enter(&self->w.r, 0, MANY, GETEVENTS));
	EXPECT_EQ(MANY, ring_ready(&self->w.r));
	for (i = 0; i < MANY; i++) {
		struct cqe cqe;

		ASSERT_TRUE(ring_take(&self->w.r, &cqe));
		EXPECT_EQ(i, cqe.user_data);
		EXPECT_EQ(8, cqe.res);
		EXPECT_EQ(1, self->w.values[i]);
	}
	pthread_join(s.thread, NULL);
}

TEST_F(wait, for_some)
{
	struct signaller s;

	ASSERT_EQ(0, start_reads(&self->w, MANY));
	ASSERT_EQ(0, signaller_start(&s, &self->w, 3, 2));
	EXPECT_RES(0, ring_enter(&self->w.r, 0, 3, GETEVENTS));
	EXPECT_EQ(3, ring_ready(&self->w.r));
	pthread_join(s.thread, NULL);
}

TEST_F(wait, counts_what_is_in_the_ring)
{
	struct signaller s;

	ASSERT_EQ(0, start_reads(&self->w, 2));
	sqe_nop(&self->w.r, 100);
	ASSERT_EQ(1, ring_submit(&self->w.r));
	ASSERT_EQ(0, signaller_start(&s, &self->w, 2, 2));
	EXPECT_RES(0, ring_enter(&self->w.r, 0, 3, GETEVENTS));
	EXPECT_EQ(3, ring_ready(&self->w.r));
	pthread_join(s.thread, NULL);
}

TEST_F(wait, submission_and_wait_in_one_call)
{
	struct signaller s;

	sqe_rw(&self->w.r, IORING_OP_READ, self->w.events[0], &self->w.values[0], 8, 0);
	ASSERT_EQ(0, signaller_start(&s, &self->w, 1, SETTLE_MS));
	EXPECT_RES(1, ring_submit_and_wait(&self->w.r, 1));
	EXPECT_EQ(1, ring_ready(&self->w.r));
	pthread_join(s.thread, NULL);
}

/* As a signed number it is small: nothing to wait for. 6.12 took it for large. */
TEST_F(wait, huge_count_is_negative)
{
	unsigned int ms;

	NEEDS_73(features() & IORING_FEAT_NO_IOWAIT);
	EXPECT_RES(0, wait_for(&self->w.r, UINT_MAX, LONG_MS * MS, 0, 0, &ms));
	EXPECT_GT(LONG_MS, ms);
}

static void *wait_for_one(void *arg)
{
	struct ring *r = arg;

	return (void *)(long)ring_enter(r, 0, ring_ready(r) + 1, GETEVENTS);
}

TEST(two_waiters)
{
	struct waiting w = {};
	pthread_t a, b;
	void *ret;
	int i;

	ASSERT_EQ(0, ring_open(&w.r, MANY, 0));
	for (i = 0; i < 2; i++)
		w.events[i] = eventfd(0, 0);
	ASSERT_EQ(0, start_reads(&w, 2));
	ASSERT_EQ(0, pthread_create(&a, NULL, wait_for_one, &w.r));
	ASSERT_EQ(0, pthread_create(&b, NULL, wait_for_one, &w.r));
	sleep_ms(SETTLE_MS);
	signal_event(&w, 0);
	signal_event(&w, 1);
	pthread_join(a, &ret);
	EXPECT_EQ(0, (long)ret);
	pthread_join(b, &ret);
	EXPECT_EQ(0, (long)ret);
	EXPECT_EQ(2, ring_ready(&w.r));
	ring_close(&w.r);
}

/* Time */

TEST_F(wait, relative_timeout)
{
	unsigned int ms;

	EXPECT_RES(-ETIME, wait_for(&self->w.r, 1, SHORT_MS * MS, 0, 0, &ms));
	EXPECT_LE(SHORT_MS, ms);
	EXPECT_GT(LONG_MS, ms);
}

TEST_F(wait, timeout_that_does_not_matter)
{
	struct signaller s;
	unsigned int ms;

	ASSERT_EQ(0, start_reads(&self->w, 1));
	ASSERT_EQ(0, signaller_start(&s, &self->w, 1, 10));
	EXPECT_RES(0, wait_for(&self->w.r, 1, LONG_MS * MS, 0, 0, &ms));
	EXPECT_GT(LONG_MS, ms);
	pthread_join(s.thread, NULL);
}

TEST_F(wait, timeout_with_too_few_events)
{
	unsigned int ms;

	/* Something is there: no error, however the wait ended. */
	sqe_nop(&self->w.r, 1);
	ASSERT_EQ(1, ring_submit(&self->w.r));
	EXPECT_RES(0, wait_for(&self->w.r, 2, SHORT_MS * MS, 0, 0, &ms));
	EXPECT_LE(SHORT_MS, ms);
}

TEST_F(wait, zero_timeout_polls)
{
	struct __kernel_timespec ts = {};
	struct io_uring_getevents_arg arg = { .ts = (uintptr_t)&ts };

	EXPECT_RES(-ETIME, sys_enter(self->w.r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	ts.tv_nsec = -1;
	EXPECT_RES(-ETIME, sys_enter(self->w.r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	sqe_nop(&self->w.r, 1);
	ASSERT_EQ(1, ring_submit(&self->w.r));
	EXPECT_RES(0, sys_enter(self->w.r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
}

TEST_F(wait, absolute_timeout)
{
	unsigned int ms;

	EXPECT_RES(-ETIME, wait_for(&self->w.r, 1, now_ns() + SHORT_MS * MS, 0, ABS_TIMER, &ms));
	EXPECT_LE(SHORT_MS - 1, ms);
	EXPECT_GT(LONG_MS, ms);
	/* In the past. */
	EXPECT_RES(-ETIME, wait_for(&self->w.r, 1, 1, 0, ABS_TIMER, &ms));
	EXPECT_GT(LONG_MS, ms);
}

TEST_F(wait, no_need_to_wait)
{
	unsigned int ms;

	EXPECT_RES(0, wait_for(&self->w.r, 0, LONG_MS * MS, 0, 0, &ms));
	EXPECT_GT(LONG_MS, ms);
	sqe_nop(&self->w.r, 1);
	ASSERT_EQ(1, ring_submit(&self->w.r));
	EXPECT_RES(0, wait_for(&self->w.r, 1, LONG_MS * MS, 0, 0, &ms));
	EXPECT_GT(LONG_MS, ms);
}

TEST(clock_of_timeouts)
{
	struct io_uring_clock_register clock = { .clockid = CLOCK_BOOTTIME };
	struct timespec now;
	unsigned int ms;
	struct ring r;

	NEEDS_PIECE("clock");
	ASSERT_EQ(0, ring_open(&r, 8, 0));
	ASSERT_EQ(0, sys_register(r.fd, IORING_REGISTER_CLOCK, &clock, 0));
	EXPECT_RES(-ETIME, wait_for(&r, 1, SHORT_MS * MS, 0, 0, &ms));
	EXPECT_LE(SHORT_MS, ms);
	clock_gettime(CLOCK_BOOTTIME, &now);
	EXPECT_RES(-ETIME, wait_for(&r, 1, now.tv_sec * 1000 * MS + now.tv_nsec + SHORT_MS * MS, 0,
				    ABS_TIMER, &ms));
	EXPECT_LE(SHORT_MS - 1, ms);
	EXPECT_GT(LONG_MS, ms);
	ring_close(&r);
}

/* min_wait_usec: for so long the full number, after that any one. */

TEST_F(wait, min_wait_with_an_event)
{
	unsigned int ms;

	sqe_nop(&self->w.r, 1);
	ASSERT_EQ(1, ring_submit(&self->w.r));
	EXPECT_RES(0, wait_for(&self->w.r, 2, LONG_MS * MS, SHORT_MS * MS, 0, &ms));
	EXPECT_LE(SHORT_MS, ms);
	EXPECT_GT(LONG_MS, ms);
}

TEST_F(wait, min_wait_then_one_event)
{
	struct signaller s;
	unsigned int ms;

	ASSERT_EQ(0, start_reads(&self->w, 2));
	ASSERT_EQ(0, signaller_start(&s, &self->w, 1, 2 * SHORT_MS));
	EXPECT_RES(0, wait_for(&self->w.r, 2, LONG_MS * MS, SHORT_MS * MS, 0, &ms));
	EXPECT_LE(SHORT_MS, ms);
	EXPECT_GT(LONG_MS, ms);
	EXPECT_EQ(1, ring_ready(&self->w.r));
	pthread_join(s.thread, NULL);
}

TEST_F(wait, min_wait_ends_early_when_all_are_there)
{
	struct signaller s;
	unsigned int ms;

	ASSERT_EQ(0, start_reads(&self->w, 2));
	ASSERT_EQ(0, signaller_start(&s, &self->w, 2, 5));
	EXPECT_RES(0, wait_for(&self->w.r, 2, 2 * LONG_MS * MS, LONG_MS * MS, 0, &ms));
	EXPECT_GT(LONG_MS, ms);
	EXPECT_EQ(2, ring_ready(&self->w.r));
	pthread_join(s.thread, NULL);
}

TEST_F(wait, min_wait_then_nothing)
{
	unsigned int ms;

	EXPECT_RES(-ETIME, wait_for(&self->w.r, 2, 2 * SHORT_MS * MS, SHORT_MS * MS, 0, &ms));
	EXPECT_LE(2 * SHORT_MS - 1, ms);
	EXPECT_GT(LONG_MS, ms);
}

TEST_F(wait, min_wait_without_timeout)
{
	unsigned int ms;

	EXPECT_RES(-ETIME, wait_for(&self->w.r, 2, 0, SHORT_MS * MS, 0, &ms));
	EXPECT_LE(SHORT_MS, ms);
	EXPECT_GT(LONG_MS, ms);
}

TEST_F(wait, min_wait_beyond_the_timeout)
{
	unsigned int ms;

	EXPECT_RES(-ETIME, wait_for(&self->w.r, 2, 5 * MS, SHORT_MS * MS, 0, &ms));
	EXPECT_LE(SHORT_MS, ms);
	EXPECT_GT(LONG_MS, ms);
}

/* Arguments */

TEST(ext_arg_errors)
{
	struct __kernel_timespec ts = { 0, 1000 };
	struct io_uring_getevents_arg arg;
	__u64 mask = 0;
	unsigned int size;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	arg = (struct io_uring_getevents_arg){ .ts = (uintptr_t)&ts };
	for (size = 0; size < 80; size++)
		EXPECT_RES_OF(res_name(size), size == sizeof(arg) ? -ETIME : -EINVAL,
			      sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, size));
	EXPECT_RES(-EFAULT, sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, NULL, sizeof(arg)));
	EXPECT_RES(-EFAULT, sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, KERNEL_PTR, sizeof(arg)));

	arg.ts = (uintptr_t)BAD_PTR;
	EXPECT_RES(-EFAULT, sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));

	arg = (struct io_uring_getevents_arg){
		.ts = (uintptr_t)&ts, .sigmask = (uintptr_t)&mask, .sigmask_sz = 4,
	};
	EXPECT_RES(-EINVAL, sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	arg.sigmask_sz = 128;
	EXPECT_RES(-EINVAL, sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	arg.sigmask_sz = 8;
	EXPECT_RES(-ETIME, sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	arg.sigmask = (uintptr_t)BAD_PTR;
	EXPECT_RES(-EFAULT, sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	/* A size without a mask means nothing. */
	arg.sigmask = 0;
	arg.sigmask_sz = 77;
	EXPECT_RES(-ETIME, sys_enter(r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	ring_close(&r);
}

TEST(plain_sigmask_errors)
{
	__u64 mask = 0;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	EXPECT_RES(-EINVAL, sys_enter(r.fd, 0, 1, GETEVENTS, &mask, 4));
	EXPECT_RES(-EINVAL, sys_enter(r.fd, 0, 1, GETEVENTS, &mask, 128));
	EXPECT_RES(-EFAULT, sys_enter(r.fd, 0, 1, GETEVENTS, BAD_PTR, 8));
	/* Nobody looks at it where there is no wait. */
	EXPECT_RES(0, sys_enter(r.fd, 0, 0, GETEVENTS, &mask, 4));
	EXPECT_RES(0, sys_enter(r.fd, 0, 0, GETEVENTS, BAD_PTR, 8));
	EXPECT_RES(0, sys_enter(r.fd, 0, 0, 0, BAD_PTR, 4));
	sqe_nop(&r, 1);
	ASSERT_EQ(1, ring_submit(&r));
	EXPECT_RES(0, sys_enter(r.fd, 0, 1, GETEVENTS, BAD_PTR, 4));
	ring_close(&r);
}

/* Signals */

static volatile int signals_seen;
static sigset_t mask_in_handler;

static void on_signal(int sig)
{
	signals_seen++;
	sigprocmask(SIG_SETMASK, NULL, &mask_in_handler);
}

static void catch_signal(int sig, int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	signals_seen = 0;
	sigaction(sig, &action, NULL);
}

struct kick {
	pthread_t target, thread;
	unsigned int delay_ms;
};

static void *kick_main(void *arg)
{
	struct kick *k = arg;

	sleep_ms(k->delay_ms);
	pthread_kill(k->target, SIGUSR1);
	return NULL;
}

static int kick_start(struct kick *k, unsigned int delay_ms)
{
	*k = (struct kick){ .target = pthread_self(), .delay_ms = delay_ms };
	return pthread_create(&k->thread, NULL, kick_main, k);
}

TEST_F(wait, signal)
{
	struct kick k;

	catch_signal(SIGUSR1, 0);
	ASSERT_EQ(0, kick_start(&k, SETTLE_MS));
	EXPECT_RES(-EINTR, ring_enter(&self->w.r, 0, 1, GETEVENTS));
	EXPECT_EQ(1, signals_seen);
	pthread_join(k.thread, NULL);
}

TEST_F(wait, signal_never_restarts)
{
	struct kick k;

	catch_signal(SIGUSR1, SA_RESTART);
	ASSERT_EQ(0, kick_start(&k, SETTLE_MS));
	EXPECT_RES(-EINTR, ring_enter(&self->w.r, 0, 1, GETEVENTS));
	EXPECT_EQ(1, signals_seen);
	pthread_join(k.thread, NULL);
}

TEST_F(wait, signal_with_an_event)
{
	struct kick k;

	catch_signal(SIGUSR1, 0);
	sqe_nop(&self->w.r, 1);
	ASSERT_EQ(1, ring_submit(&self->w.r));
	ASSERT_EQ(0, kick_start(&k, SETTLE_MS));
	EXPECT_RES(0, ring_enter(&self->w.r, 0, 2, GETEVENTS));
	EXPECT_EQ(1, signals_seen);
	pthread_join(k.thread, NULL);
}

TEST_F(wait, signal_after_submission)
{
	struct kick k;

	catch_signal(SIGUSR1, 0);
	sqe_rw(&self->w.r, IORING_OP_READ, self->w.events[0], &self->w.values[0], 8, 0);
	ASSERT_EQ(0, kick_start(&k, SETTLE_MS));
	EXPECT_RES(1, ring_submit_and_wait(&self->w.r, 1));
	EXPECT_EQ(1, signals_seen);
	pthread_join(k.thread, NULL);
}

/* SIGUSR1 is blocked and pending; the mask of the call lets it through. */
static void make_pending(void)
{
	sigset_t block;

	catch_signal(SIGUSR1, 0);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, NULL);
	kill(getpid(), SIGUSR1);
}

static bool usr1_is_blocked(void)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, SIGUSR1);
}

TEST_F(wait, sigmask)
{
	__u64 mask = 0;

	make_pending();
	EXPECT_EQ(0, signals_seen);
	EXPECT_RES(-EINTR, sys_enter(self->w.r.fd, 0, 1, GETEVENTS, &mask, 8));
	EXPECT_EQ(1, signals_seen);
	EXPECT_TRUE(usr1_is_blocked());
}

TEST_F(wait, sigmask_in_ext_arg)
{
	__u64 mask = 1ull << (SIGUSR2 - 1);
	struct __kernel_timespec ts = { 10, 0 };
	struct io_uring_getevents_arg arg = {
		.ts = (uintptr_t)&ts, .sigmask = (uintptr_t)&mask, .sigmask_sz = 8,
	};

	make_pending();
	EXPECT_RES(-EINTR, sys_enter(self->w.r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	EXPECT_EQ(1, signals_seen);
	EXPECT_TRUE(usr1_is_blocked());
	/* The handler ran with the mask of the call in force. */
	EXPECT_TRUE(sigismember(&mask_in_handler, SIGUSR2));
}

TEST_F(wait, sigmask_keeps_signals_out)
{
	__u64 mask = 1ull << (SIGUSR1 - 1);
	struct __kernel_timespec ts = { 0, SHORT_MS * MS };
	struct io_uring_getevents_arg arg = {
		.ts = (uintptr_t)&ts, .sigmask = (uintptr_t)&mask, .sigmask_sz = 8,
	};
	__u64 start = now_ns();
	struct kick k;

	catch_signal(SIGUSR1, 0);
	ASSERT_EQ(0, kick_start(&k, 1));
	EXPECT_RES(-ETIME, sys_enter(self->w.r.fd, 0, 1, GETEVENTS | EXT_ARG, &arg, sizeof(arg)));
	EXPECT_LE(SHORT_MS, ms_since(start));
	pthread_join(k.thread, NULL);
	EXPECT_EQ(1, signals_seen);
	EXPECT_FALSE(usr1_is_blocked());
}

TEST_F(wait, sigmask_is_not_installed_without_a_wait)
{
	__u64 mask = 0;

	make_pending();
	sqe_nop(&self->w.r, 1);
	ASSERT_EQ(1, ring_submit(&self->w.r));
	EXPECT_RES(0, sys_enter(self->w.r.fd, 0, 1, GETEVENTS, &mask, 8));
	EXPECT_EQ(0, signals_seen);
	EXPECT_RES(0, sys_enter(self->w.r.fd, 0, 0, GETEVENTS, &mask, 8));
	EXPECT_EQ(0, signals_seen);
}

/* NO_IOWAIT */

static int tasks_in_iowait(void)
{
	char line[256];
	int n = -1;
	FILE *f = fopen("/proc/stat", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "procs_blocked %d", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

struct sleeper {
	struct waiting *w;
	unsigned int flags;
};

static void *sleeper_main(void *arg)
{
	struct sleeper *s = arg;

	start_reads(s->w, 1);
	ring_enter(&s->w->r, 0, 1, GETEVENTS | s->flags);
	return NULL;
}

/* The least number of tasks in iowait that is seen while one waits. */
static int blocked_while_waiting(unsigned int flags)
{
	struct waiting w = {};
	struct sleeper s = { &w, flags };
	int i, n, least = INT_MAX;
	pthread_t thread;

	if (ring_open(&w.r, 8, 0))
		return -1;
	w.events[0] = eventfd(0, 0);
	if (pthread_create(&thread, NULL, sleeper_main, &s))
		return -1;
	sleep_ms(2 * SETTLE_MS);
	for (i = 0; i < 50; i++) {
		n = tasks_in_iowait();
		if (n < least)
			least = n;
		sleep_ms(2);
	}
	signal_event(&w, 0);
	pthread_join(thread, NULL);
	ring_close(&w.r);
	return least;
}

TEST(iowait_is_accounted)
{
	EXPECT_LE(1, blocked_while_waiting(0));
}

TEST(no_iowait)
{
	NEEDS_73(features() & IORING_FEAT_NO_IOWAIT);
	EXPECT_EQ(0, blocked_while_waiting(IORING_ENTER_NO_IOWAIT));
}

TEST_HARNESS_MAIN
