// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring_enter(): flags, how the ring is found, who may call it, what it
 * returns, and when completions are processed. Waiting is in wait_test.c.
 */
#include <sys/eventfd.h>

#include "common.h"

#define GETEVENTS	IORING_ENTER_GETEVENTS
#define EXT_ARG		IORING_ENTER_EXT_ARG
#define REGISTERED	IORING_ENTER_REGISTERED_RING

static bool has_enter_flag(unsigned int flag)
{
	struct ring r;
	int ret;

	if (ring_open(&r, 1, 0))
		return false;
	ret = sys_enter(r.fd, 0, 0, flag, NULL, 0);
	ring_close(&r);
	return !ret;
}

FIXTURE(enter)
{
	struct ring r;
};

FIXTURE_SETUP(enter)
{
	ASSERT_EQ(0, ring_open(&self->r, 8, 0));
}

FIXTURE_TEARDOWN(enter)
{
	ring_close(&self->r);
}

TEST_F(enter, unknown_flags)
{
	unsigned int bit;

	for (bit = 8; bit < 32; bit++)
		EXPECT_RES_OF(res_name(bit), -EINVAL,
			      sys_enter(self->r.fd, 0, 0, 1u << bit, NULL, 0));
	EXPECT_RES(-EINVAL, sys_enter(self->r.fd, 0, 0, UINT_MAX, NULL, 0));
}

TEST_F(enter, flags_of_no_use_are_ignored)
{
	static const unsigned int useless[] = {
		IORING_ENTER_SQ_WAKEUP,
		IORING_ENTER_SQ_WAIT,
		IORING_ENTER_EXT_ARG,
		IORING_ENTER_ABS_TIMER,
		IORING_ENTER_SQ_WAKEUP | IORING_ENTER_SQ_WAIT | IORING_ENTER_ABS_TIMER,
		IORING_ENTER_GETEVENTS | IORING_ENTER_ABS_TIMER,
	};
	unsigned int i;
	char what[32];

	for (i = 0; i < ARRAY_SIZE(useless); i++) {
		snprintf(what, sizeof(what), "flags %#x", useless[i]);
		EXPECT_RES_OF(what, 0, sys_enter(self->r.fd, 0, 0, useless[i], NULL, 0));
		sqe_nop(&self->r, i);
		EXPECT_RES_OF(what, 1, sys_enter(self->r.fd, ring_publish(&self->r), 0, useless[i],
						 NULL, 0));
	}
	EXPECT_EQ(ARRAY_SIZE(useless), ring_ready(&self->r));
}

TEST_F(enter, ext_arg_reg_alone_is_ignored)
{
	NEEDS_73(has_enter_flag(IORING_ENTER_EXT_ARG_REG));
	EXPECT_RES(0, sys_enter(self->r.fd, 0, 0, IORING_ENTER_EXT_ARG_REG, NULL, 0));
	EXPECT_RES(0, sys_enter(self->r.fd, 0, 0, GETEVENTS | IORING_ENTER_EXT_ARG_REG, NULL, 0));
	EXPECT_RES(0, sys_enter(self->r.fd, 0, 0, EXT_ARG | IORING_ENTER_EXT_ARG_REG, NULL, 0));
}

TEST_F(enter, no_iowait_is_accepted)
{
	NEEDS_73(has_enter_flag(IORING_ENTER_NO_IOWAIT));
	EXPECT_RES(0, sys_enter(self->r.fd, 0, 0, IORING_ENTER_NO_IOWAIT, NULL, 0));
	sqe_nop(&self->r, 1);
	EXPECT_RES(1, sys_enter(self->r.fd, ring_publish(&self->r), 1,
				GETEVENTS | IORING_ENTER_NO_IOWAIT, NULL, 0));
}

TEST_F(enter, descriptor_is_no_ring)
{
	int event = eventfd(0, 0), null = open("/dev/null", O_RDWR), pipes[2];

	ASSERT_LE(0, event);
	ASSERT_LE(0, null);
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_RES(-EBADF, sys_enter(-1, 0, 0, 0, NULL, 0));
	EXPECT_RES(-EBADF, sys_enter(INT_MAX, 0, 0, 0, NULL, 0));
	EXPECT_RES(-EBADF, sys_enter(1000, 1, 1, GETEVENTS, NULL, 0));
	EXPECT_RES(-EOPNOTSUPP, sys_enter(event, 0, 0, 0, NULL, 0));
	EXPECT_RES(-EOPNOTSUPP, sys_enter(null, 0, 0, 0, NULL, 0));
	EXPECT_RES(-EOPNOTSUPP, sys_enter(pipes[0], 0, 0, 0, NULL, 0));
}

TEST_F(enter, path_descriptor_is_no_descriptor)
{
	int fd = open("/", O_PATH);

	ASSERT_LE(0, fd);
	EXPECT_RES(-EBADF, sys_enter(fd, 0, 0, 0, NULL, 0));
}

static int register_ring(struct ring *r, unsigned int *index)
{
	struct io_uring_rsrc_update reg = { .offset = *index, .data = r->fd };
	int ret = sys_register(r->fd, IORING_REGISTER_RING_FDS, &reg, 1);

	*index = reg.offset;
	return ret;
}

TEST_F(enter, registered_index)
{
	unsigned int i, index = 3;

	ASSERT_EQ(1, register_ring(&self->r, &index));
	ASSERT_EQ(3, index);
	sqe_nop(&self->r, 5);
	EXPECT_RES(1, sys_enter(3, ring_publish(&self->r), 1, GETEVENTS | REGISTERED, NULL, 0));
	EXPECT_EQ(1, ring_ready(&self->r));
	for (i = 0; i < 16; i++)
		EXPECT_RES_OF(res_name(i), i == 3 ? 0 : -EBADF,
			      sys_enter(i, 0, 0, REGISTERED, NULL, 0));
	EXPECT_RES(-EINVAL, sys_enter(16, 0, 0, REGISTERED, NULL, 0));
	EXPECT_RES(-EINVAL, sys_enter(-1, 0, 0, REGISTERED, NULL, 0));
	EXPECT_RES(-EINVAL, sys_enter(INT_MIN, 0, 0, REGISTERED, NULL, 0));
}

static int registered_in_fresh_task(void *arg)
{
	return -sys_enter(0, 0, 0, REGISTERED, NULL, 0);
}

TEST_F(enter, registered_index_without_state)
{
	unsigned int index = 0;

	/* A child starts without; it does not get its parent's either. */
	ASSERT_EQ(1, register_ring(&self->r, &index));
	EXPECT_RES(-EINVAL, -in_child(registered_in_fresh_task, NULL));
	/* Nor a thread. */
	EXPECT_RES(-EINVAL, -in_thread(registered_in_fresh_task, NULL));
}

TEST_F(enter, nothing_to_do)
{
	EXPECT_RES(0, sys_enter(self->r.fd, 0, 0, 0, NULL, 0));
	EXPECT_RES(0, sys_enter(self->r.fd, 5, 0, 0, NULL, 0));
	EXPECT_RES(0, sys_enter(self->r.fd, UINT_MAX, 0, 0, NULL, 0));
	EXPECT_RES(0, sys_enter(self->r.fd, 0, 0, GETEVENTS, NULL, 0));
	/* Without GETEVENTS nobody waits. */
	EXPECT_RES(0, sys_enter(self->r.fd, 0, 5, 0, NULL, 0));
}

TEST_F(enter, short_submission_does_not_wait)
{
	__u64 start = now_ns();
	int pipes[2];
	char c;

	ASSERT_EQ(0, pipe(pipes));
	sqe_rw(&self->r, IORING_OP_READ, pipes[0], &c, 1, 0);
	ring_publish(&self->r);
	/* One of two was there: the caller hears of it at once. */
	EXPECT_RES(1, sys_enter(self->r.fd, 2, 1, GETEVENTS, NULL, 0));
	EXPECT_GT(WAIT_MS / 2, ms_since(start));
	ASSERT_EQ(1, write(pipes[1], "x", 1));
	EXPECT_RES(0, ring_wait_ms(&self->r, 1, WAIT_MS));
}

TEST_F(enter, min_complete_is_capped_at_the_ring)
{
	struct ring r;
	unsigned int i;

	ASSERT_EQ(0, ring_open(&r, 2, 0));
	for (i = 0; i < 2; i++) {
		sqe_nop(&r, i);
		sqe_nop(&r, i);
		ASSERT_EQ(2, ring_submit(&r));
	}
	/* Four CQEs are all this ring can hold. */
	EXPECT_RES(0, sys_enter(r.fd, 0, 1000, GETEVENTS, NULL, 0));
	ring_close(&r);
}

TEST_F(enter, submit_count_hides_the_wait)
{
	/* Submission succeeded: what the wait says is lost. */
	sqe_nop(&self->r, 1);
	EXPECT_RES(1, sys_enter(self->r.fd, ring_publish(&self->r), 1, GETEVENTS | EXT_ARG, NULL,
				8));
	sqe_nop(&self->r, 2);
	EXPECT_RES(1, sys_enter(self->r.fd, ring_publish(&self->r), 5, GETEVENTS | EXT_ARG, BAD_PTR,
				sizeof(struct io_uring_getevents_arg)));
	EXPECT_EQ(2, ring_ready(&self->r));
}

/* R_DISABLED */

TEST(disabled_ring)
{
	struct cqe cqe;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, IORING_SETUP_R_DISABLED));
	EXPECT_RES(-EBADFD, sys_enter(r.fd, 0, 0, 0, NULL, 0));
	EXPECT_RES(-EBADFD, sys_enter(r.fd, 0, 0, GETEVENTS, NULL, 0));
	sqe_nop(&r, 1);
	EXPECT_RES(-EBADFD, ring_submit(&r));
	EXPECT_EQ(0, *r.sq_head);

	EXPECT_RES(0, sys_register(r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0));
	EXPECT_RES(1, ring_submit(&r));
	EXPECT_RES(0, ring_wait(&r, &cqe));
	EXPECT_EQ(1, cqe.user_data);
	EXPECT_RES(-EBADFD, sys_register(r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0));
	ring_close(&r);
}

/* SINGLE_ISSUER */

static int submit_one(void *arg)
{
	struct ring *r = arg;

	return sys_enter(r->fd, 1, 0, 0, NULL, 0);
}

static int get_events(void *arg)
{
	return ring_get_events(arg);
}

static int enable(void *arg)
{
	struct ring *r = arg;

	return sys_register(r->fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

static int register_eventfd(void *arg)
{
	struct ring *r = arg;
	int ret, fd = eventfd(0, 0);

	ret = sys_register(r->fd, IORING_REGISTER_EVENTFD, &fd, 1);
	close(fd);
	return ret;
}

TEST(any_thread_may_use_a_plain_ring)
{
	struct cqe cqe;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	sqe_nop(&r, 1);
	ring_publish(&r);
	EXPECT_RES(1, in_thread(submit_one, &r));
	EXPECT_RES(0, in_thread(get_events, &r));
	EXPECT_RES(0, in_thread(register_eventfd, &r));
	EXPECT_RES(0, ring_wait(&r, &cqe));
	ring_close(&r);
}

TEST(single_issuer_is_the_creator)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, IORING_SETUP_SINGLE_ISSUER));
	sqe_nop(&r, 1);
	ring_publish(&r);
	EXPECT_RES(-EEXIST, in_thread(submit_one, &r));
	EXPECT_EQ(0, *r.sq_head);
	EXPECT_RES(-EEXIST, in_thread(register_eventfd, &r));
	/* Waiting is no submission. */
	EXPECT_RES(0, in_thread(get_events, &r));
	EXPECT_RES(1, submit_one(&r));
	EXPECT_EQ(1, ring_ready(&r));
	ring_close(&r);
}

TEST(single_issuer_is_who_enables)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_R_DISABLED));
	/* Nobody yet: anyone may register. */
	EXPECT_RES(0, in_thread(register_eventfd, &r));
	EXPECT_RES(0, in_thread(enable, &r));
	sqe_nop(&r, 1);
	ring_publish(&r);
	EXPECT_RES(-EEXIST, submit_one(&r));
	EXPECT_RES(-EEXIST, sys_register(r.fd, IORING_UNREGISTER_EVENTFD, NULL, 0));
	ring_close(&r);
}

static int child_submits(void *arg)
{
	return -submit_one(arg);
}

TEST(single_issuer_is_no_child)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, IORING_SETUP_SINGLE_ISSUER));
	sqe_nop(&r, 1);
	ring_publish(&r);
	EXPECT_RES(-EEXIST, -in_child(child_submits, &r));
	EXPECT_RES(1, submit_one(&r));
	ring_close(&r);
}

/* DEFER_TASKRUN, TASKRUN_FLAG */

struct deferred {
	struct ring r;
	int pipes[2];
	char buf[8];
};

/* A read that waits for its pipe. */
static int deferred_open(struct deferred *d, unsigned int flags)
{
	int ret = ring_open(&d->r, 8, flags);

	if (ret)
		return ret;
	if (pipe(d->pipes))
		return -errno;
	sqe_rw(&d->r, IORING_OP_READ, d->pipes[0], d->buf, sizeof(d->buf), 0);
	return ring_submit(&d->r) == 1 ? 0 : -EIO;
}

static int write_to_pipe(void *arg)
{
	struct deferred *d = arg;

	return write(d->pipes[1], "x", 1) == 1 ? 0 : -errno;
}

TEST(defer_waits_to_be_asked)
{
	struct deferred d;
	struct cqe cqe;

	ASSERT_EQ(0, deferred_open(&d, DEFER_FLAGS));
	ASSERT_EQ(0, write_to_pipe(&d));
	sleep_ms(SETTLE_MS);
	EXPECT_EQ(0, ring_ready(&d.r));
	/* Submission alone does not ask. */
	EXPECT_RES(0, ring_enter(&d.r, 0, 0, 0));
	EXPECT_EQ(0, ring_ready(&d.r));
	EXPECT_RES(0, ring_get_events(&d.r));
	EXPECT_EQ(1, ring_ready(&d.r));
	EXPECT_RES(0, ring_wait(&d.r, &cqe));
	EXPECT_EQ(1, cqe.res);
	ring_close(&d.r);
}

TEST(defer_is_for_the_submitter)
{
	struct deferred d;

	ASSERT_EQ(0, deferred_open(&d, DEFER_FLAGS));
	ASSERT_EQ(0, write_to_pipe(&d));
	EXPECT_RES(-EEXIST, in_thread(get_events, &d.r));
	EXPECT_EQ(0, ring_ready(&d.r));
	EXPECT_RES(-EEXIST, in_thread(submit_one, &d.r));
	/* A call that neither submits nor waits is nobody's business. */
	EXPECT_RES(0, sys_enter(d.r.fd, 0, 0, 0, NULL, 0));
	EXPECT_RES(0, ring_get_events(&d.r));
	EXPECT_EQ(1, ring_ready(&d.r));
	ring_close(&d.r);
}

TEST(defer_taskrun_flag)
{
	struct deferred d;

	ASSERT_EQ(0, deferred_open(&d, DEFER_FLAGS | IORING_SETUP_TASKRUN_FLAG));
	EXPECT_EQ(0, load_acquire(d.r.sq_flags));
	ASSERT_EQ(0, in_thread(write_to_pipe, &d));
	EXPECT_EQ(IORING_SQ_TASKRUN, load_acquire(d.r.sq_flags));
	EXPECT_RES(0, ring_get_events(&d.r));
	EXPECT_EQ(0, load_acquire(d.r.sq_flags));
	EXPECT_EQ(1, ring_ready(&d.r));
	ring_close(&d.r);
}

TEST(no_taskrun_flag_unless_asked_for)
{
	struct deferred d;

	ASSERT_EQ(0, deferred_open(&d, DEFER_FLAGS));
	ASSERT_EQ(0, in_thread(write_to_pipe, &d));
	EXPECT_EQ(0, load_acquire(d.r.sq_flags));
	ring_close(&d.r);
}

static void *write_later(void *arg)
{
	sleep_ms(SETTLE_MS);
	write_to_pipe(arg);
	return NULL;
}

/* The submitter does not enter the kernel itself: it sees the flag, or an interrupt was kind. */
TEST(coop_taskrun_flag)
{
	__u64 start = now_ns();
	struct deferred d;
	pthread_t thread;

	ASSERT_EQ(0, deferred_open(&d, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG));
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_later, &d));
	while (!(load_acquire(d.r.sq_flags) & IORING_SQ_TASKRUN) && !ring_ready(&d.r) &&
	       ms_since(start) < WAIT_MS)
		;
	EXPECT_TRUE(load_acquire(d.r.sq_flags) & IORING_SQ_TASKRUN || ring_ready(&d.r));
	EXPECT_RES(0, ring_get_events(&d.r));
	EXPECT_EQ(1, ring_ready(&d.r));
	EXPECT_EQ(0, load_acquire(d.r.sq_flags));
	pthread_join(thread, NULL);
	ring_close(&d.r);
}

/* On all others the completion comes by itself, wherever the submitter is. */
TEST(plain_ring_completes_by_itself)
{
	__u64 start = now_ns();
	struct deferred d;
	pthread_t thread;

	ASSERT_EQ(0, deferred_open(&d, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_later, &d));
	while (!ring_ready(&d.r) && ms_since(start) < WAIT_MS)
		;
	EXPECT_EQ(1, ring_ready(&d.r));
	pthread_join(thread, NULL);
	ring_close(&d.r);
}

TEST(coop_completes_at_the_next_system_call)
{
	struct deferred d;

	ASSERT_EQ(0, deferred_open(&d, IORING_SETUP_COOP_TASKRUN));
	ASSERT_EQ(0, in_thread(write_to_pipe, &d));
	getppid();
	EXPECT_EQ(1, ring_ready(&d.r));
	ring_close(&d.r);
}

/* Which of two faults is reported. */

static int get_events_bad_size(void *arg)
{
	struct ring *r = arg;

	return sys_enter(r->fd, 0, 1, GETEVENTS | EXT_ARG, NULL, 8);
}

TEST(enter_checks_ordering)
{
	int null = open("/dev/null", O_RDWR);
	struct ring disabled, plain, deferred;

	ASSERT_LE(0, null);
	ASSERT_EQ(0, ring_open(&plain, 8, 0));
	ASSERT_EQ(0, ring_open(&disabled, 8, IORING_SETUP_R_DISABLED | DEFER_FLAGS));

	/* Flags come before the descriptor. */
	EXPECT_RES(-EINVAL, sys_enter(-1, 0, 0, 1u << 8, NULL, 0));
	EXPECT_RES(-EINVAL, sys_enter(null, 0, 0, 1u << 8, NULL, 0));
	EXPECT_RES(-EINVAL, sys_enter(disabled.fd, 0, 0, 1u << 8, NULL, 0));

	/* The descriptor comes before the argument. */
	EXPECT_RES(-EBADF, sys_enter(-1, 0, 1, GETEVENTS | EXT_ARG, NULL, 0));
	EXPECT_RES(-EOPNOTSUPP, sys_enter(null, 0, 1, GETEVENTS | EXT_ARG, NULL, 0));

	/* A disabled ring comes before the argument, and before whose it is. */
	EXPECT_RES(-EBADFD, sys_enter(disabled.fd, 0, 1, GETEVENTS | EXT_ARG, NULL, 0));
	EXPECT_RES(-EBADFD, in_thread(get_events, &disabled));

	/* The size of the argument comes before its address, and both before looking for CQEs. */
	EXPECT_RES(-EINVAL, sys_enter(plain.fd, 0, 0, GETEVENTS | EXT_ARG, NULL, 8));
	sqe_nop(&plain, 1);
	ASSERT_EQ(1, ring_submit(&plain));
	EXPECT_RES(-EINVAL, sys_enter(plain.fd, 0, 1, GETEVENTS | EXT_ARG, NULL, 8));
	EXPECT_RES(-EFAULT, sys_enter(plain.fd, 0, 1, GETEVENTS | EXT_ARG, BAD_PTR,
				      sizeof(struct io_uring_getevents_arg)));

	/* The argument comes before the question who may wait. */
	ASSERT_EQ(0, ring_open(&deferred, 8, DEFER_FLAGS));
	EXPECT_RES(-EINVAL, in_thread(get_events_bad_size, &deferred));
	EXPECT_RES(-EEXIST, in_thread(get_events, &deferred));
	ring_close(&deferred);
	ring_close(&plain);
	ring_close(&disabled);
}

TEST_HARNESS_MAIN
