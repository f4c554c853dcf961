// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the registry of armed requests: what was added is found, and only that; lists
 * stay short whatever the number; requests of one user_data do not hide each other.
 */
#include <kunit/test.h>
#include <linux/io_uring_types.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "../registry.h"
#include "../request.h"

#define MANY		65536u
#define FEW		100u

struct registry_test {
	struct io_ring_ctx *ctx;
	struct io_kiocb *reqs;
};

static void start(struct kunit *test, struct registry_test *t, unsigned int nr)
{
	unsigned int i;

	t->ctx = kunit_kzalloc(test, sizeof(*t->ctx), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->ctx);
	t->reqs = kvcalloc(nr, sizeof(*t->reqs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->reqs);
	mutex_init(&t->ctx->lock);
	mutex_lock(&t->ctx->lock);
	KUNIT_ASSERT_EQ(test, io_registry_init(&t->ctx->registry), 0);
	for (i = 0; i < nr; i++) {
		t->reqs[i].ctx = t->ctx;
		t->reqs[i].state = IO_REQ_ISSUED;
		t->reqs[i].opcode = IORING_OP_POLL_ADD;
		t->reqs[i].cqe.user_data = i;
	}
}

static void end(struct kunit *test, struct registry_test *t)
{
	KUNIT_EXPECT_EQ(test, t->ctx->registry.nr, 0);
	io_registry_exit(&t->ctx->registry);
	KUNIT_EXPECT_NULL(test, t->ctx->registry.table);
	mutex_unlock(&t->ctx->lock);
	kvfree(t->reqs);
}

static struct io_kiocb *find(struct registry_test *t, u64 user_data)
{
	return io_registry_find(&t->ctx->registry, user_data, IORING_OP_POLL_ADD);
}

static unsigned int longest_list(const struct io_registry *reg)
{
	unsigned int i, longest = 0;

	for (i = 0; i < io_registry_size(reg); i++)
		longest = max_t(unsigned int, longest, hlist_count_nodes(&reg->table[i]));
	return longest;
}

/* Up to 65,536 requests a look-up passes no more than a handful, at every size on the way. */
static void registry_lists_stay_short(struct kunit *test)
{
	struct registry_test t;
	unsigned int i;

	start(test, &t, MANY);
	for (i = 0; i < MANY; i++) {
		io_registry_add(&t.reqs[i], IO_ARMED_OP);
		if (is_power_of_2(i + 1) && i > 1) {
			KUNIT_EXPECT_GE(test, io_registry_size(&t.ctx->registry), i + 1);
			KUNIT_EXPECT_LE(test, longest_list(&t.ctx->registry), 16);
		}
	}
	KUNIT_EXPECT_EQ(test, t.ctx->registry.nr, MANY);
	for (i = 0; i < MANY; i++)
		KUNIT_ASSERT_PTR_EQ(test, find(&t, i), &t.reqs[i]);
	for (i = 0; i < MANY; i++) {
		io_registry_del(&t.reqs[i]);
		KUNIT_EXPECT_EQ(test, t.reqs[i].armed, IO_ARMED_NOT);
	}
	end(test, &t);
}

/* Requests come and go in any order. */
static void registry_finds_what_is_there(struct kunit *test)
{
	struct registry_test t;
	struct rnd_state rnd;
	unsigned int i, round;

	prandom_seed_state(&rnd, 1);
	start(test, &t, FEW);
	for (round = 0; round < 100 * FEW; round++) {
		struct io_kiocb *req = &t.reqs[prandom_u32_state(&rnd) % FEW];

		if (req->armed) {
			io_registry_del(req);
			req->state = IO_REQ_ISSUED;
		} else {
			io_registry_add(req, IO_ARMED_POLL);
		}
	}
	for (i = 0; i < FEW; i++) {
		struct io_kiocb *req = &t.reqs[i];

		KUNIT_EXPECT_PTR_EQ(test, find(&t, i), req->armed ? req : NULL);
		if (req->armed)
			io_registry_del(req);
	}
	end(test, &t);
}

/* With one user_data for all, each is found in its turn, and only as what it is. */
static void registry_same_user_data(struct kunit *test)
{
	struct registry_test t;
	unsigned int i;

	start(test, &t, FEW);
	for (i = 0; i < FEW; i++) {
		t.reqs[i].cqe.user_data = 7;
		io_registry_add(&t.reqs[i], IO_ARMED_OP);
	}
	KUNIT_EXPECT_NULL(test, find(&t, 6));
	KUNIT_EXPECT_NULL(test, io_registry_find(&t.ctx->registry, 7, IORING_OP_TIMEOUT));
	for (i = 0; i < FEW; i++) {
		struct io_kiocb *req = find(&t, 7);

		KUNIT_ASSERT_NOT_NULL(test, req);
		io_registry_del(req);
	}
	KUNIT_EXPECT_NULL(test, find(&t, 7));
	end(test, &t);
}

static void registry_rekey(struct kunit *test)
{
	struct registry_test t;

	start(test, &t, 2);
	io_registry_add(&t.reqs[0], IO_ARMED_OP);
	io_registry_add(&t.reqs[1], IO_ARMED_OP);
	io_registry_rekey(&t.reqs[0], U64_MAX);
	KUNIT_EXPECT_NULL(test, find(&t, 0));
	KUNIT_EXPECT_PTR_EQ(test, find(&t, 1), &t.reqs[1]);
	KUNIT_EXPECT_PTR_EQ(test, find(&t, U64_MAX), &t.reqs[0]);
	KUNIT_EXPECT_EQ(test, t.ctx->registry.nr, 2);
	io_registry_del(&t.reqs[0]);
	io_registry_del(&t.reqs[1]);
	end(test, &t);
}

static struct kunit_case registry_cases[] = {
	KUNIT_CASE_SLOW(registry_lists_stay_short),
	KUNIT_CASE(registry_finds_what_is_there),
	KUNIT_CASE(registry_same_user_data),
	KUNIT_CASE(registry_rekey),
	{}
};

static struct kunit_suite registry_suite = {
	.name = "io_uring_registry",
	.test_cases = registry_cases,
};

kunit_test_suite(registry_suite);

MODULE_DESCRIPTION("KUnit tests of io_uring's registry of armed requests");
MODULE_LICENSE("GPL");
