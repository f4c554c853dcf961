// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of timeouts that wait for a number of completions: the counters wrap, CQEs of
 * timeouts do not count, those of the overflow list do; each request ends at its count, neither
 * before nor after, and in order.
 */
#include <kunit/test.h>
#include <linux/io_uring_types.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "../inbox.h"
#include "../registry.h"
#include "../request.h"
#include "../seqwatch.h"
#include "../timer.h"

#define NR		32u
#define MAX_COUNT	200u
#define STEPS		100000u

static void seq_extend(struct kunit *test)
{
	static const struct {
		u64 last;
		u32 now;
		u64 expected;
	} cases[] = {
		{ 0, 0, 0 },
		{ 0, 1, 1 },
		{ 0xffffffff, 0xffffffff, 0xffffffff },
		{ 0xffffffff, 0, 0x100000000 },
		{ 0xfffffff0, 0x10, 0x100000010 },
		{ 0x5fffffff0, 0x7fffffef, 0x67fffffef },
		{ 0, 0x7fffffff, 0x7fffffff },
		{ 0x100000000, 0xffffffff, 0xffffffff },	/* back by one */
		{ 0x300000005, 0x3, 0x300000003 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, io_seq_extend(cases[i].last, cases[i].now),
				    cases[i].expected, "case %u", i);
}

struct seq_test {
	struct io_ring_ctx *ctx;
	struct io_kiocb *reqs;
	u64 done[NR];		/* completions at which the request has to end; 0: not armed */
	u64 total;		/* completions so far */
};

static void start(struct kunit *test, struct seq_test *t, u32 tail)
{
	unsigned int i;

	t->ctx = kunit_kzalloc(test, sizeof(*t->ctx), GFP_KERNEL);
	t->reqs = kunit_kcalloc(test, NR, sizeof(*t->reqs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->ctx);
	KUNIT_ASSERT_NOT_NULL(test, t->reqs);
	memset(t->done, 0, sizeof(t->done));
	t->total = 0;
	mutex_init(&t->ctx->lock);
	mutex_lock(&t->ctx->lock);
	KUNIT_ASSERT_EQ(test, io_registry_init(&t->ctx->registry), 0);
	INIT_LIST_HEAD(&t->ctx->timeouts_seq);
	io_inbox_init(&t->ctx->inbox);
	t->ctx->flags = IORING_SETUP_DEFER_TASKRUN;	/* with an inbox of its own */
	t->ctx->cq_tail = tail;
	for (i = 0; i < NR; i++) {
		struct io_kiocb *req = &t->reqs[i];
		struct io_timer *timer = kunit_kzalloc(test, sizeof(*timer), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, timer);
		timer->req = req;
		req->ctx = t->ctx;
		req->async_data = timer;
		req->cqe.user_data = i;
		req->opcode = IORING_OP_TIMEOUT;
		req->state = IO_REQ_ISSUED;
	}
}

static void arm(struct seq_test *t, unsigned int i, u32 count)
{
	struct io_kiocb *req = &t->reqs[i];
	struct io_timeout *timeout = io_op_data(req, struct io_timeout);

	req->state = IO_REQ_ISSUED;
	*timeout = (struct io_timeout) { .time = KTIME_MAX, .count = count };
	INIT_LIST_HEAD(&timeout->seq);
	io_registry_add(req, IO_ARMED_OP);
	io_seqwatch_add(req);
	io_timer_start(req);
	t->done[i] = t->total + count;
}

/* Take what has ended since out of the inbox, and compare. No ASSERT: timers are armed. */
static void compare(struct kunit *test, struct seq_test *t)
{
	struct llist_node *entry = llist_reverse_order(llist_del_all(&t->ctx->inbox.list));
	u64 last = 0;
	unsigned int i;

	for (; entry; entry = entry->next) {
		struct io_kiocb *req = llist_entry(entry, struct io_kiocb, inbox);

		i = req - t->reqs;
		KUNIT_EXPECT_NE(test, t->done[i], 0);
		KUNIT_EXPECT_LE(test, t->done[i], t->total);
		KUNIT_EXPECT_LE(test, last, t->done[i]);
		KUNIT_EXPECT_EQ(test, req->cqe.res, 0);
		KUNIT_EXPECT_EQ(test, req->armed, IO_ARMED_NOT);
		last = t->done[i];
		t->done[i] = 0;
	}
	for (i = 0; i < NR; i++)
		KUNIT_EXPECT_TRUE(test, !t->done[i] || t->done[i] > t->total);
}

static void disarm(struct kunit *test, struct seq_test *t, unsigned int i)
{
	KUNIT_EXPECT_TRUE(test, io_timer_stop(&t->reqs[i]));
	io_seqwatch_del(&t->reqs[i]);
	io_registry_del(&t->reqs[i]);
	t->done[i] = 0;
}

static void end(struct kunit *test, struct seq_test *t)
{
	unsigned int i;

	for (i = 0; i < NR; i++) {
		if (t->done[i])
			disarm(test, t, i);
	}
	KUNIT_EXPECT_TRUE(test, list_empty(&t->ctx->timeouts_seq));
	KUNIT_EXPECT_EQ(test, t->ctx->watch, 0);
	io_registry_exit(&t->ctx->registry);
	mutex_unlock(&t->ctx->lock);
}

/* What a batch may do to the counters: CQEs in the ring or owed, timeouts' own, a flush. */
static void post(struct seq_test *t, u32 rnd)
{
	struct io_ring_ctx *ctx = t->ctx;
	u32 nr = rnd % 5;

	switch (rnd >> 30) {
	case 0:
		ctx->cq_tail += nr;
		t->total += nr;
		break;
	case 1:
		ctx->nr_overflow += nr;
		t->total += nr;
		break;
	case 2:
		ctx->cq_timeouts += nr;
		ctx->cq_tail += nr;
		break;
	case 3:
		nr = min(nr, ctx->nr_overflow);
		ctx->nr_overflow -= nr;
		ctx->cq_tail += nr;
		break;
	}
}

static void seq_random_walk(struct kunit *test)
{
	static const u32 tails[] = { 0, 0x7fffff00, 0x80000000, 0xffffff00 };
	struct rnd_state rnd;
	unsigned int start_at, step;

	prandom_seed_state(&rnd, 1);
	for (start_at = 0; start_at < ARRAY_SIZE(tails); start_at++) {
		struct seq_test t;

		start(test, &t, tails[start_at]);
		for (step = 0; step < STEPS && test->status != KUNIT_FAILURE; step++) {
			unsigned int i = prandom_u32_state(&rnd) % NR;

			if (!t.done[i])
				arm(&t, i, 1 + prandom_u32_state(&rnd) % MAX_COUNT);
			else if (!(prandom_u32_state(&rnd) % 8))
				disarm(test, &t, i);
			post(&t, prandom_u32_state(&rnd));
			if (t.ctx->watch & IO_WATCH_TIMEOUT)
				io_seqwatch_run(t.ctx);
			compare(test, &t);
		}
		end(test, &t);
	}
}

/* Completions, in batches of which each is far more than a ring can hold */
static void advance(struct kunit *test, struct seq_test *t, u64 nr)
{
	while (nr) {
		u32 batch = min_t(u64, nr, 1u << 30);

		t->ctx->cq_tail += batch;
		t->total += batch;
		nr -= batch;
		io_seqwatch_run(t->ctx);
		compare(test, t);
	}
}

/* Counts near and above 2^31 are neither reached at once nor passed. */
static void seq_huge_counts(struct kunit *test)
{
	static const u32 counts[] = { 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff };
	struct seq_test t;
	unsigned int i;

	start(test, &t, 0xfffffff0);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		arm(&t, i, counts[i]);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		advance(test, &t, counts[i] - 1 - t.total);
		KUNIT_EXPECT_NE(test, t.done[i], 0);
		advance(test, &t, 1);
		KUNIT_EXPECT_EQ(test, t.done[i], 0);
	}
	end(test, &t);
}

static struct kunit_case seq_cases[] = {
	KUNIT_CASE(seq_extend),
	KUNIT_CASE_SLOW(seq_random_walk),
	KUNIT_CASE(seq_huge_counts),
	{}
};

static struct kunit_suite seq_suite = {
	.name = "io_uring_seq",
	.test_cases = seq_cases,
};

kunit_test_suite(seq_suite);

MODULE_DESCRIPTION("KUnit tests of io_uring's completion counts");
MODULE_LICENSE("GPL");
