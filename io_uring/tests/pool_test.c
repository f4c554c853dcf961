// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the backlog of a worker pool: order in a class, one at a time per key, and what a
 * cancel takes out. Threads need a process to clone and are tested by the selftests.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "../pool_backlog.h"

#define NR_ITEMS	64
#define NR_KEYS		4

/* Where an item is, as the test sees it */
enum item_place { PLACE_FREE, PLACE_BACKLOG, PLACE_TAKEN };

struct item {
	struct io_pool_work work;
	enum item_place place;
	unsigned int flags;	/* as added */
	unsigned int age;	/* order in which it was added */
	bool wanted;		/* the match function accepts it */
};

struct fixture {
	struct io_backlog backlog;
	struct item items[NR_ITEMS];
	char keys[NR_KEYS];	/* their addresses are the keys */
	unsigned int clock;
};

static struct fixture *make_fixture(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	return f;
}

static struct item *item_of(struct io_pool_work *work)
{
	return container_of(work, struct item, work);
}

static int add(struct fixture *f, unsigned int i, unsigned int flags, const void *key)
{
	struct item *item = &f->items[i];

	item->work.flags = flags;
	if (key)
		io_pool_work_hash(&item->work, key);
	item->flags = item->work.flags;
	item->place = PLACE_BACKLOG;
	item->age = ++f->clock;
	return io_backlog_add(&f->backlog, &item->work);
}

/* Index of the oldest ready item of a class, taken; or -1 */
static int take(struct fixture *f, int class)
{
	struct io_pool_work *work = io_backlog_take(&f->backlog, class);

	if (!work)
		return -1;
	item_of(work)->place = PLACE_TAKEN;
	return item_of(work) - f->items;
}

static int end(struct fixture *f, unsigned int i)
{
	f->items[i].place = PLACE_FREE;
	return io_backlog_release(&f->backlog, f->items[i].flags);
}

static bool match_wanted(struct io_pool_work *work, void *data)
{
	return item_of(work)->wanted;
}

static bool match_all(struct io_pool_work *work, void *data)
{
	return true;
}

static void pool_hash_keeps_flags(struct kunit *test)
{
	struct io_pool_work work = { .flags = IO_POOL_UNBOUND };
	char keys[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		unsigned int low = work.flags & (BIT(IO_POOL_HASH_SHIFT) - 1);

		io_pool_work_hash(&work, &keys[i]);
		KUNIT_EXPECT_EQ(test, work.flags & (BIT(IO_POOL_HASH_SHIFT) - 1),
				low | IO_POOL_HASHED);
		KUNIT_EXPECT_LT(test, work.flags >> IO_POOL_HASH_SHIFT, IO_POOL_KEYS);
	}
}

static void pool_order_by_class(struct kunit *test)
{
	struct fixture *f = make_fixture(test);
	unsigned int i;

	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, add(f, i, i & 1 ? IO_POOL_UNBOUND : 0, NULL),
				i & 1 ? IO_POOL_CLASS_UNBOUND : IO_POOL_CLASS_BOUND);
	KUNIT_EXPECT_EQ(test, f->backlog.nr_ready[IO_POOL_CLASS_BOUND], 4);
	KUNIT_EXPECT_EQ(test, f->backlog.nr_ready[IO_POOL_CLASS_UNBOUND], 4);
	for (i = 0; i < 8; i += 2) {
		KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), i);
		KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_UNBOUND), i + 1);
	}
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), -1);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_UNBOUND), -1);
	KUNIT_EXPECT_EQ(test, f->backlog.nr_ready[IO_POOL_CLASS_BOUND], 0);
	KUNIT_EXPECT_EQ(test, end(f, 0), IO_BACKLOG_NONE);
}

static void pool_one_at_a_time(struct kunit *test)
{
	struct fixture *f = make_fixture(test);

	KUNIT_EXPECT_EQ(test, add(f, 0, 0, f->keys), IO_POOL_CLASS_BOUND);
	KUNIT_EXPECT_EQ(test, add(f, 1, IO_POOL_UNBOUND, f->keys), IO_BACKLOG_NONE);
	KUNIT_EXPECT_EQ(test, add(f, 2, 0, f->keys), IO_BACKLOG_NONE);
	KUNIT_EXPECT_EQ(test, add(f, 3, 0, NULL), IO_POOL_CLASS_BOUND);

	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 0);
	/* the key does not hold up others */
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 3);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), -1);
	/* each end lets in the next, in order, in the class that is its own */
	KUNIT_EXPECT_EQ(test, end(f, 0), IO_POOL_CLASS_UNBOUND);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), -1);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_UNBOUND), 1);
	KUNIT_EXPECT_EQ(test, end(f, 1), IO_POOL_CLASS_BOUND);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 2);
	KUNIT_EXPECT_EQ(test, end(f, 2), IO_BACKLOG_NONE);
	/* and then the key is free */
	KUNIT_EXPECT_TRUE(test, bitmap_empty(f->backlog.busy, IO_POOL_KEYS));
	KUNIT_EXPECT_EQ(test, add(f, 4, 0, f->keys), IO_POOL_CLASS_BOUND);
}

static void pool_extract_first(struct kunit *test)
{
	struct fixture *f = make_fixture(test);
	struct io_work_list found = { };
	unsigned int i;

	for (i = 0; i < 3; i++)
		add(f, i, 0, NULL);
	f->items[1].wanted = true;
	f->items[2].wanted = true;
	KUNIT_EXPECT_EQ(test, 1,
			io_backlog_extract(&f->backlog, &found, match_wanted, NULL, false));
	KUNIT_EXPECT_PTR_EQ(test, io_work_pop(&found), &f->items[1].work);
	KUNIT_EXPECT_NULL(test, io_work_pop(&found));
	KUNIT_EXPECT_EQ(test, f->backlog.nr_ready[IO_POOL_CLASS_BOUND], 2);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 0);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 2);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), -1);
	KUNIT_EXPECT_EQ(test, io_backlog_extract(&f->backlog, &found, match_all, NULL, true), 0);
}

/* To take out the item at the head of a key lets in the one behind it, and no other */
static void pool_extract_head_of_key(struct kunit *test)
{
	struct fixture *f = make_fixture(test);
	struct io_work_list found = { };
	unsigned int i;

	for (i = 0; i < 4; i++)
		add(f, i, 0, f->keys);
	f->items[0].wanted = true;
	f->items[2].wanted = true;
	KUNIT_EXPECT_EQ(test, io_backlog_extract(&f->backlog, &found, match_wanted, NULL, true), 2);
	KUNIT_EXPECT_EQ(test, f->backlog.nr_ready[IO_POOL_CLASS_BOUND], 1);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 1);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), -1);
	KUNIT_EXPECT_EQ(test, end(f, 1), IO_POOL_CLASS_BOUND);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 3);
	KUNIT_EXPECT_EQ(test, end(f, 3), IO_BACKLOG_NONE);
}

/* With the head of a key taken, those behind it are found, and its end finds nobody */
static void pool_extract_behind_taken(struct kunit *test)
{
	struct fixture *f = make_fixture(test);
	struct io_work_list found = { };
	unsigned int i;

	for (i = 0; i < 4; i++)
		add(f, i, 0, f->keys);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 0);
	KUNIT_EXPECT_EQ(test, io_backlog_extract(&f->backlog, &found, match_all, NULL, true), 3);
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_PTR_EQ(test, io_work_pop(&found), &f->items[i].work);
	KUNIT_EXPECT_EQ(test, add(f, 1, 0, f->keys), IO_BACKLOG_NONE);
	KUNIT_EXPECT_EQ(test, end(f, 0), IO_POOL_CLASS_BOUND);
	KUNIT_EXPECT_EQ(test, take(f, IO_POOL_CLASS_BOUND), 1);
}

/* May @i be started? Not while one of its key is with a worker, or is older. */
static bool startable(const struct fixture *f, unsigned int i)
{
	const struct item *item = &f->items[i];
	unsigned int j;

	if (!(item->flags & IO_POOL_HASHED))
		return true;
	for (j = 0; j < NR_ITEMS; j++) {
		const struct item *other = &f->items[j];

		if (j == i || other->place == PLACE_FREE || !(other->flags & IO_POOL_HASHED) ||
		    (other->flags ^ item->flags) >> IO_POOL_HASH_SHIFT)
			continue;
		if (other->place == PLACE_TAKEN || other->age < item->age)
			return false;
	}
	return true;
}

static unsigned int count_startable(const struct fixture *f)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_ITEMS; i++)
		nr += f->items[i].place == PLACE_BACKLOG && startable(f, i);
	return nr;
}

static void model_extract(struct kunit *test, struct fixture *f, u32 random)
{
	struct io_work_list found = { };
	struct io_pool_work *work;
	bool all = random & 1;
	unsigned int i, nr, want = 0, got = 0;

	for (i = 0; i < NR_ITEMS; i++) {
		f->items[i].wanted = ((random >> 1) + i * i) % 7 == 0;
		want += f->items[i].wanted && f->items[i].place == PLACE_BACKLOG;
	}
	nr = io_backlog_extract(&f->backlog, &found, match_wanted, NULL, all);
	KUNIT_EXPECT_EQ(test, nr, all ? want : min(want, 1u));
	while ((work = io_work_pop(&found))) {
		KUNIT_EXPECT_TRUE(test, item_of(work)->wanted);
		KUNIT_EXPECT_EQ(test, (int)item_of(work)->place, (int)PLACE_BACKLOG);
		item_of(work)->place = PLACE_FREE;
		got++;
	}
	KUNIT_EXPECT_EQ(test, got, nr);
}

/* Random steps against a model without lists: what may be started is ready, and nothing else */
static void pool_model(struct kunit *test)
{
	struct fixture *f = make_fixture(test);
	struct io_backlog *b = &f->backlog;
	u32 random = 1;
	unsigned int step;
	int i;

	for (step = 0; step < 20000; step++) {
		random = next_pseudo_random32(random);
		i = (random >> 8) % NR_ITEMS;
		switch (random >> 29) {
		case 0 ... 3:
			if (f->items[i].place != PLACE_FREE)
				break;
			add(f, i, random & 0x10 ? IO_POOL_UNBOUND : 0,
			    random & 0x60 ? &f->keys[(random >> 16) % NR_KEYS] : NULL);
			break;
		case 4:
			i = take(f, random & 0x10 ? IO_POOL_CLASS_UNBOUND : IO_POOL_CLASS_BOUND);
			if (i >= 0)
				KUNIT_EXPECT_TRUE(test, startable(f, i));
			break;
		case 5 ... 6:
			if (f->items[i].place == PLACE_TAKEN)
				end(f, i);
			break;
		case 7:
			if (random & 0x80)
				model_extract(test, f, random >> 8);
			break;
		}
		KUNIT_ASSERT_EQ(test, count_startable(f), b->nr_ready[IO_POOL_CLASS_BOUND] +
				b->nr_ready[IO_POOL_CLASS_UNBOUND]);
	}
}

static struct kunit_case pool_cases[] = {
	KUNIT_CASE(pool_hash_keeps_flags),
	KUNIT_CASE(pool_order_by_class),
	KUNIT_CASE(pool_one_at_a_time),
	KUNIT_CASE(pool_extract_first),
	KUNIT_CASE(pool_extract_head_of_key),
	KUNIT_CASE(pool_extract_behind_taken),
	KUNIT_CASE(pool_model),
	{ }
};

static struct kunit_suite pool_suite = {
	.name = "io_uring_pool",
	.test_cases = pool_cases,
};

kunit_test_suite(pool_suite);

MODULE_DESCRIPTION("KUnit tests of the backlog of io_uring worker pools");
MODULE_LICENSE("GPL");
