// SPDX-License-Identifier: GPL-2.0
/*
 * Completion: nothing is lost and nothing overtakes, full ring or not; wide and
 * mixed CQEs; completions that are not posted; poll(2) on the ring.
 *
 * IOU_NOPS	how many nops many_nops runs on each ring, default 100000
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "common.h"

/* The next CQE must be this one. */
#define EXPECT_CQE(r, want_user_data, want_res)				\
	do {								\
		struct cqe cqe_ = {};					\
									\
		EXPECT_TRUE(ring_take(r, &cqe_));			\
		EXPECT_EQ(want_user_data, cqe_.user_data);		\
		EXPECT_RES(want_res, cqe_.res);				\
	} while (0)

static bool overflown(struct ring *r)
{
	return load_acquire(r->sq_flags) & IORING_SQ_CQ_OVERFLOW;
}

static int ring_open_cq(struct ring *r, unsigned int entries, unsigned int cq, unsigned int flags)
{
	*r = (struct ring){
		.p.flags = flags | IORING_SETUP_CQSIZE,
		.p.cq_entries = cq,
	};
	return ring_open_params(r, entries);
}

/* Random batches in, random numbers out, on every kind of ring. */

RING_KIND_VARIANT(many);

FIXTURE(many)
{
	unsigned int seed, total;
};

RING_KINDS(many);

FIXTURE_SETUP(many)
{
	const char *nops = getenv("IOU_NOPS");

	NEEDS_RING_KIND(variant);
	self->seed = 1;
	self->total = nops ? atoi(nops) : 100000;
}

FIXTURE_TEARDOWN(many)
{
}

static unsigned int up_to(unsigned int *seed, unsigned int most)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % most + 1;
}

/* Take at most n CQEs; false if one is not the expected. */
static bool take_in_order(struct ring *r, unsigned int n, __u64 *next)
{
	struct cqe cqe;

	while (n-- && ring_take(r, &cqe)) {
		if (cqe.user_data != *next || cqe.res || cqe.flags || cqe.big[0] || cqe.big[1])
			return false;
		++*next;
	}
	return true;
}

/* Returns NULL or what went wrong. */
static const char *many_nops(struct ring *r, unsigned int total, unsigned int *seed)
{
	__u64 queued = 0, next = 0;
	__u64 start = now_ns();
	unsigned int n;
	int ret;

	while (next < total) {
		for (n = up_to(seed, r->p.sq_entries); n && queued < total; n--) {
			if (!sqe_nop(r, queued))
				break;
			queued++;
		}
		n = ring_publish(r);
		ret = ring_enter(r, n, 0, 0);
		if (ret != n)
			return "the submission was cut short";
		if (!take_in_order(r, up_to(seed, 2 * r->p.cq_entries), &next))
			return "not the CQE that comes next";
		if (overflown(r) || queued == total) {
			ret = ring_get_events(r);
			if (ret)
				return "GETEVENTS failed";
		}
		if (ms_since(start) > 3 * WAIT_MS)
			return "it takes too long";
	}
	if (overflown(r) || ring_ready(r) || *r->cq_overflow || *r->sq_dropped)
		return "something is left over";
	return NULL;
}

static void many_on(struct __test_metadata *_metadata, FIXTURE_DATA(many) *self,
		    unsigned int flags, unsigned int entries)
{
	const char *error;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, entries, flags));
	error = many_nops(&r, self->total, &self->seed);
	EXPECT_EQ(NULL, error) TH_LOG("%s", error);
	ring_close(&r);
}

TEST_F(many, ring_of_128)
{
	many_on(_metadata, self, variant->flags, 128);
}

TEST_F(many, ring_of_2)
{
	many_on(_metadata, self, variant->flags, 2);
}

TEST_F(many, ring_of_1)
{
	struct ring r;

	if (variant->flags & IORING_SETUP_SQE_MIXED)
		EXPECT_RES(-EOVERFLOW, ring_open(&r, 1, variant->flags));
	else
		many_on(_metadata, self, variant->flags, 1);
}

/* Overflow */

FIXTURE(overflow)
{
	struct ring r;
};

FIXTURE_VARIANT(overflow)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(overflow, plain)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(overflow, defer)
{
	.flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(overflow, cqe32)
{
	.flags = IORING_SETUP_CQE32,
};

FIXTURE_VARIANT_ADD(overflow, no_mmap)
{
	.flags = IORING_SETUP_NO_MMAP,
};

FIXTURE_SETUP(overflow)
{
	ASSERT_EQ(0, ring_open_cq(&self->r, 2, 2, variant->flags));
}

FIXTURE_TEARDOWN(overflow)
{
	ring_close(&self->r);
}

static int submit_nops(struct ring *r, unsigned int first, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		sqe_nop(r, first + i);
		if (ring_submit(r) != 1)
			return -EIO;
	}
	return 0;
}

TEST_F(overflow, nothing_is_lost)
{
	struct ring *r = &self->r;

	ASSERT_EQ(0, submit_nops(r, 0, 2));
	EXPECT_FALSE(overflown(r));
	ASSERT_EQ(0, submit_nops(r, 2, 4));
	EXPECT_TRUE(overflown(r));
	EXPECT_EQ(2, ring_ready(r));
	EXPECT_EQ(0, *r->cq_overflow);
	EXPECT_CQE(r, 0, 0);
	EXPECT_CQE(r, 1, 0);
	EXPECT_EQ(0, ring_ready(r));
	EXPECT_TRUE(overflown(r));

	EXPECT_RES(0, ring_get_events(r));
	EXPECT_TRUE(overflown(r));
	EXPECT_CQE(r, 2, 0);
	EXPECT_CQE(r, 3, 0);
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_FALSE(overflown(r));
	EXPECT_CQE(r, 4, 0);
	EXPECT_CQE(r, 5, 0);
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_EQ(0, ring_ready(r));
	EXPECT_EQ(0, *r->cq_overflow);
}

TEST_F(overflow, later_ones_queue_behind)
{
	struct ring *r = &self->r;

	ASSERT_EQ(0, submit_nops(r, 0, 3));
	EXPECT_CQE(r, 0, 0);
	EXPECT_CQE(r, 1, 0);
	/* There is room now, but number 2 comes before number 3. */
	ASSERT_EQ(0, submit_nops(r, 3, 1));
	EXPECT_EQ(0, ring_ready(r));
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_CQE(r, 2, 0);
	EXPECT_CQE(r, 3, 0);
	EXPECT_FALSE(overflown(r));
}

TEST_F(overflow, only_asking_flushes)
{
	struct ring *r = &self->r;

	ASSERT_EQ(0, submit_nops(r, 0, 3));
	EXPECT_CQE(r, 0, 0);
	EXPECT_CQE(r, 1, 0);
	EXPECT_RES(0, ring_enter(r, 0, 0, 0));
	EXPECT_RES(0, ring_enter(r, 0, 1, 0));
	EXPECT_EQ(0, ring_ready(r));
	EXPECT_TRUE(overflown(r));
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_CQE(r, 2, 0);
}

TEST_F(overflow, flush_into_a_part)
{
	struct ring *r = &self->r;

	ASSERT_EQ(0, submit_nops(r, 0, 5));
	EXPECT_CQE(r, 0, 0);
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_EQ(2, ring_ready(r));
	EXPECT_CQE(r, 1, 0);
	EXPECT_CQE(r, 2, 0);
	/* Full again: asking changes nothing. */
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_EQ(2, ring_ready(r));
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_EQ(2, ring_ready(r));
	EXPECT_CQE(r, 3, 0);
	EXPECT_CQE(r, 4, 0);
	EXPECT_FALSE(overflown(r));
}

TEST_F(overflow, waiting_finds_them)
{
	struct ring *r = &self->r;

	ASSERT_EQ(0, submit_nops(r, 0, 4));
	EXPECT_CQE(r, 0, 0);
	EXPECT_CQE(r, 1, 0);
	EXPECT_RES(0, ring_wait_ms(r, 2, WAIT_MS));
	EXPECT_EQ(2, ring_ready(r));
	EXPECT_CQE(r, 2, 0);
	EXPECT_CQE(r, 3, 0);
}

TEST_F(overflow, many)
{
	const unsigned int n = 10000;
	__u64 next = 0;

	ASSERT_EQ(0, submit_nops(&self->r, 0, n));
	EXPECT_TRUE(take_in_order(&self->r, n, &next));
	EXPECT_EQ(2, next);
	while (next < n) {
		EXPECT_TRUE(overflown(&self->r));
		ASSERT_EQ(0, ring_get_events(&self->r));
		ASSERT_EQ(2, ring_ready(&self->r));
		ASSERT_TRUE(take_in_order(&self->r, 2, &next));
	}
	EXPECT_FALSE(overflown(&self->r));
	EXPECT_EQ(0, *self->r.cq_overflow);
}

TEST_F(overflow, ring_is_closed_with_a_full_list)
{
	struct ring r;

	ASSERT_EQ(0, ring_open_cq(&r, 2, 2, variant->flags));
	ASSERT_EQ(0, submit_nops(&r, 0, 1000));
	ring_close(&r);
}

/* A program that moves the head where it has no business harms itself only. */
TEST_F(overflow, head_beyond_the_tail)
{
	struct ring *r = &self->r;

	ASSERT_EQ(0, submit_nops(r, 0, 3));
	store_release(r->cq_head, 1000);
	EXPECT_RES(0, ring_get_events(r));
	ASSERT_EQ(0, submit_nops(r, 3, 3));
	EXPECT_RES(0, ring_get_events(r));
	store_release(r->cq_head, load_acquire(r->cq_tail));
	EXPECT_RES(0, ring_get_events(r));
}

/* The tail is the kernel's: it goes on from where it was. */
TEST_F(overflow, tail_is_not_read_back)
{
	struct ring *r = &self->r;

	ASSERT_EQ(0, submit_nops(r, 0, 1));
	EXPECT_CQE(r, 0, 0);
	store_release(r->cq_tail, 77);
	ASSERT_EQ(0, submit_nops(r, 1, 1));
	EXPECT_EQ(2, load_acquire(r->cq_tail));
	EXPECT_CQE(r, 1, 0);
}

/* Wide and mixed CQEs */

static void queue_nop32(struct ring *r, __u64 user_data, __u64 a, __u64 b)
{
	struct io_uring_sqe *sqe = sqe_nop(r, user_data);

	sqe->nop_flags = IORING_NOP_CQE32;
	sqe->off = a;
	sqe->addr = b;
}

static bool has_nop32(void)
{
	struct ring r;
	int ret;

	if (ring_open(&r, 1, IORING_SETUP_CQE32))
		return false;
	queue_nop32(&r, 0, 0, 0);
	ret = ring_run(&r);
	ring_close(&r);
	return !ret;
}

#define EXPECT_CQE32(r, want_user_data, a, b)				\
	do {								\
		struct cqe cqe_ = {};					\
									\
		EXPECT_TRUE(ring_take(r, &cqe_));			\
		EXPECT_EQ(want_user_data, cqe_.user_data);		\
		EXPECT_EQ(0, cqe_.res);					\
		EXPECT_EQ(a, cqe_.big[0]);				\
		EXPECT_EQ(b, cqe_.big[1]);				\
	} while (0)

TEST(wide_cqes_without_values)
{
	struct ring r;
	unsigned int i;

	ASSERT_EQ(0, ring_open(&r, 2, IORING_SETUP_CQE32));
	for (i = 0; i < 10; i++) {
		memset(ring_cqe_at(&r, i), 0xff, 32);
		ASSERT_EQ(0, submit_nops(&r, i, 1));
		EXPECT_CQE32(&r, i, 0, 0);
	}
	ring_close(&r);
}

TEST(wide_cqes_overflow_whole)
{
	struct ring r;
	unsigned int i;

	NEEDS_73(has_nop32());
	ASSERT_EQ(0, ring_open_cq(&r, 2, 2, IORING_SETUP_CQE32));
	for (i = 0; i < 10; i++) {
		queue_nop32(&r, i, 100 + i, ~(__u64)i);
		ASSERT_EQ(1, ring_submit(&r));
	}
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, ring_get_events(&r));
		EXPECT_CQE32(&r, i, 100 + i, ~(__u64)i);
	}
	ring_close(&r);
}

FIXTURE(cqe_mixed)
{
	struct ring r;
};

FIXTURE_SETUP(cqe_mixed)
{
	NEEDS_73(has_setup_flags(IORING_SETUP_CQE_MIXED));
	ASSERT_EQ(0, ring_open_cq(&self->r, 4, 4, IORING_SETUP_CQE_MIXED));
}

FIXTURE_TEARDOWN(cqe_mixed)
{
	ring_close(&self->r);
}

static int submit_nop32(struct ring *r, __u64 user_data)
{
	queue_nop32(r, user_data, user_data + 1, user_data + 2);
	return ring_submit(r) == 1 ? 0 : -EIO;
}

TEST_F(cqe_mixed, two_slots)
{
	struct ring *r = &self->r;
	struct io_uring_cqe *c = ring_cqe_at(r, 0);

	ASSERT_EQ(0, submit_nop32(r, 10));
	EXPECT_EQ(2, load_acquire(r->cq_tail));
	EXPECT_EQ(10, c->user_data);
	EXPECT_EQ(0, c->res);
	EXPECT_EQ(IORING_CQE_F_32, c->flags);
	EXPECT_EQ(11, c->big_cqe[0]);
	EXPECT_EQ(12, c->big_cqe[1]);
	ASSERT_EQ(0, submit_nops(r, 20, 1));
	EXPECT_EQ(3, load_acquire(r->cq_tail));
	EXPECT_CQE32(r, 10, 11, 12);
	EXPECT_CQE(r, 20, 0);
}

TEST_F(cqe_mixed, filler_at_the_end)
{
	struct ring *r = &self->r;
	struct io_uring_cqe *filler = ring_cqe_at(r, 3);

	ASSERT_EQ(0, submit_nops(r, 1, 3));
	EXPECT_CQE(r, 1, 0);
	EXPECT_CQE(r, 2, 0);
	EXPECT_CQE(r, 3, 0);
	ASSERT_EQ(0, submit_nop32(r, 10));
	EXPECT_EQ(6, load_acquire(r->cq_tail));
	EXPECT_EQ(0, filler->user_data);
	EXPECT_EQ(0, filler->res);
	EXPECT_EQ(IORING_CQE_F_SKIP, filler->flags);
	EXPECT_EQ(10, ring_cqe_at(r, 4)->user_data);
	EXPECT_CQE32(r, 10, 11, 12);
	EXPECT_EQ(0, ring_ready(r));
}

TEST_F(cqe_mixed, no_filler_where_it_fits)
{
	struct ring *r = &self->r;

	ASSERT_EQ(0, submit_nops(r, 1, 2));
	EXPECT_CQE(r, 1, 0);
	ASSERT_EQ(0, submit_nop32(r, 10));
	EXPECT_EQ(4, load_acquire(r->cq_tail));
	EXPECT_CQE(r, 2, 0);
	EXPECT_CQE32(r, 10, 11, 12);
}

TEST_F(cqe_mixed, overflow_for_want_of_a_slot)
{
	struct ring *r = &self->r;

	/* Three taken, one of two needed is free. */
	ASSERT_EQ(0, submit_nops(r, 1, 3));
	ASSERT_EQ(0, submit_nop32(r, 10));
	ASSERT_EQ(0, submit_nops(r, 20, 1));
	EXPECT_TRUE(overflown(r));
	EXPECT_CQE(r, 1, 0);
	EXPECT_CQE(r, 2, 0);
	EXPECT_CQE(r, 3, 0);
	EXPECT_FALSE(ring_take(r, &(struct cqe){}));
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_CQE32(r, 10, 11, 12);
	if (overflown(r))
		EXPECT_RES(0, ring_get_events(r));
	EXPECT_CQE(r, 20, 0);
	EXPECT_FALSE(overflown(r));
	EXPECT_EQ(0, *r->cq_overflow);
}

TEST_F(cqe_mixed, overflow_for_want_of_room_behind_the_filler)
{
	struct ring *r = &self->r;

	/* Slot 3 is for the filler, 0 is free, 1 is not. */
	ASSERT_EQ(0, submit_nops(r, 1, 3));
	EXPECT_CQE(r, 1, 0);
	ASSERT_EQ(0, submit_nop32(r, 10));
	EXPECT_TRUE(overflown(r));
	EXPECT_CQE(r, 2, 0);
	EXPECT_CQE(r, 3, 0);
	EXPECT_RES(0, ring_get_events(r));
	EXPECT_CQE32(r, 10, 11, 12);
	EXPECT_EQ(0, ring_ready(r));
}

TEST_F(cqe_mixed, many_of_both)
{
	const unsigned int n = 20000;
	unsigned int i, next = 0, seed = 7, k;
	struct ring *r = &self->r;
	struct cqe cqe;

	for (i = 0; i < n || next < n;) {
		for (k = up_to(&seed, 4); k && i < n; k--, i++) {
			if (up_to(&seed, 2) == 1)
				queue_nop32(r, i, i + 1, i + 2);
			else
				sqe_nop(r, i);
		}
		k = ring_publish(r);
		ASSERT_EQ(k, ring_enter(r, k, 0, 0));
		for (k = up_to(&seed, 6); k && ring_take(r, &cqe); k--) {
			ASSERT_EQ(next, cqe.user_data);
			if (cqe.flags & IORING_CQE_F_32) {
				ASSERT_EQ(next + 1, cqe.big[0]);
				ASSERT_EQ(next + 2, cqe.big[1]);
			}
			next++;
		}
		ASSERT_EQ(0, ring_get_events(r));
	}
	EXPECT_EQ(0, *r->cq_overflow);
}

/* IOSQE_CQE_SKIP_SUCCESS */

FIXTURE(skip)
{
	struct ring r;
};

FIXTURE_VARIANT(skip)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(skip, plain)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(skip, defer)
{
	.flags = DEFER_FLAGS,
};

FIXTURE_SETUP(skip)
{
	ASSERT_EQ(0, ring_open(&self->r, 8, variant->flags));
}

FIXTURE_TEARDOWN(skip)
{
	ring_close(&self->r);
}

static void queue_silent(struct ring *r, __u64 user_data, int inject)
{
	struct io_uring_sqe *sqe = sqe_nop(r, user_data);

	sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
	sqe->nop_flags = IORING_NOP_INJECT_RESULT;
	sqe->len = inject;
}

TEST_F(skip, success_is_silent)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		queue_silent(&self->r, i, i);
		ASSERT_EQ(1, ring_submit(&self->r));
	}
	EXPECT_RES(0, ring_get_events(&self->r));
	EXPECT_EQ(0, ring_ready(&self->r));
	EXPECT_EQ(0, load_acquire(self->r.cq_tail));
}

TEST_F(skip, failure_is_posted)
{
	queue_silent(&self->r, 1, -EIO);
	queue_silent(&self->r, 2, 0);
	queue_silent(&self->r, 3, -EINVAL);
	ASSERT_EQ(3, ring_submit(&self->r));
	EXPECT_RES(0, ring_get_events(&self->r));
	EXPECT_CQE(&self->r, 1, -EIO);
	EXPECT_CQE(&self->r, 3, -EINVAL);
	EXPECT_EQ(0, ring_ready(&self->r));
}

TEST_F(skip, bad_sqe_is_posted)
{
	sqe_op(&self->r, 255, 9)->flags = IOSQE_CQE_SKIP_SUCCESS;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_CQE(&self->r, 9, -EINVAL);
	sqe_nop(&self->r, 10)->flags = IOSQE_CQE_SKIP_SUCCESS | 0x80;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_CQE(&self->r, 10, -EINVAL);
}

TEST_F(skip, last_of_a_batch_tells)
{
	unsigned int round, i;

	for (round = 0; round < 100; round++) {
		for (i = 0; i < 7; i++)
			queue_silent(&self->r, i, 0);
		sqe_nop(&self->r, round);
		ASSERT_EQ(8, ring_submit_and_wait(&self->r, 1));
		ASSERT_EQ(1, ring_ready(&self->r));
		EXPECT_CQE(&self->r, round, 0);
	}
}

TEST_F(skip, read_that_waited)
{
	int event = eventfd(0, 0);
	__u64 value = 0, one = 1;
	struct io_uring_sqe *sqe;

	sqe = sqe_rw(&self->r, IORING_OP_READ, event, &value, 8, 0);
	sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(8, write(event, &one, 8));
	EXPECT_RES(-ETIME, ring_wait_ms(&self->r, 1, SETTLE_MS));
	EXPECT_EQ(0, ring_ready(&self->r));
	EXPECT_EQ(1, value);

	sqe = sqe_rw(&self->r, IORING_OP_READ, 1000, &value, 8, 0);
	sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_RES(0, ring_wait_ms(&self->r, 1, WAIT_MS));
	EXPECT_CQE(&self->r, 0, -EBADF);
	close(event);
}

/* poll(2) and epoll on the ring */

static int poll_ring(struct ring *r, int timeout_ms)
{
	struct pollfd pfd = { .fd = r->fd, .events = POLLIN | POLLOUT };
	int ret = poll(&pfd, 1, timeout_ms);

	return ret < 0 ? -errno : pfd.revents;
}

TEST(poll_on_the_ring)
{
	struct ring r;

	ASSERT_EQ(0, ring_open_cq(&r, 2, 2, 0));
	EXPECT_RES(POLLOUT, poll_ring(&r, 0));
	ASSERT_EQ(0, submit_nops(&r, 0, 1));
	EXPECT_RES(POLLIN | POLLOUT, poll_ring(&r, 0));
	EXPECT_CQE(&r, 0, 0);
	EXPECT_RES(POLLOUT, poll_ring(&r, 0));

	/* Nothing in the ring, but something behind it. */
	ASSERT_EQ(0, submit_nops(&r, 1, 3));
	EXPECT_CQE(&r, 1, 0);
	EXPECT_CQE(&r, 2, 0);
	EXPECT_RES(POLLIN | POLLOUT, poll_ring(&r, 0));
	EXPECT_RES(0, ring_get_events(&r));
	EXPECT_CQE(&r, 3, 0);
	EXPECT_RES(POLLOUT, poll_ring(&r, 0));

	/* A full submission queue. */
	sqe_nop(&r, 4);
	ring_publish(&r);
	EXPECT_RES(POLLOUT, poll_ring(&r, 0));
	sqe_nop(&r, 5);
	ring_publish(&r);
	EXPECT_RES(0, poll_ring(&r, 0));
	ASSERT_EQ(2, ring_submit(&r));
	EXPECT_RES(POLLIN | POLLOUT, poll_ring(&r, 0));
	ring_close(&r);
}

TEST(poll_sees_deferred_work)
{
	int event = eventfd(0, 0);
	__u64 value = 1;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 2, DEFER_FLAGS));
	sqe_rw(&r, IORING_OP_READ, event, &value, 8, 0);
	ASSERT_EQ(1, ring_submit(&r));
	EXPECT_RES(POLLOUT, poll_ring(&r, 0));
	ASSERT_EQ(8, write(event, &value, 8));
	EXPECT_RES(POLLIN | POLLOUT, poll_ring(&r, 0));
	EXPECT_EQ(0, ring_ready(&r));
	ring_close(&r);
}

static void *write_event_later(void *arg)
{
	__u64 one = 1;

	sleep_ms(SETTLE_MS);
	return (void *)(long)write(*(int *)arg, &one, 8);
}

TEST(poll_wakes_up)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int event = eventfd(0, 0), ep = epoll_create1(0);
	pthread_t thread;
	__u64 value;
	struct ring r;
	int n;

	ASSERT_EQ(0, ring_open(&r, 2, 0));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, r.fd, &ev));
	sqe_rw(&r, IORING_OP_READ, event, &value, 8, 0);
	ASSERT_EQ(1, ring_submit(&r));
	EXPECT_EQ(0, epoll_wait(ep, &ev, 1, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_event_later, &event));
	/* The completion may come as a signal without a handler would. */
	do
		n = epoll_wait(ep, &ev, 1, WAIT_MS);
	while (n < 0 && errno == EINTR);
	EXPECT_EQ(1, n);
	EXPECT_EQ(1, ring_ready(&r));
	pthread_join(thread, NULL);
	ring_close(&r);
}

TEST_HARNESS_MAIN
