// SPDX-License-Identifier: GPL-2.0
/*
 * The backlog of a worker pool against what it promises, in a million random steps: items of one
 * key one at a time and in order, others oldest first, nothing that may start is withheld, and a
 * cancel takes out what it should.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pool_backlog.c"

#define NR_ITEMS	96
#define NR_KEYS		3
#define NR_STEPS	1000000

enum place { FREE, WAITING, TAKEN };

struct item {
	struct io_pool_work work;
	enum place place;
	unsigned int flags;	/* as added */
	unsigned int age;
	bool wanted;		/* by the next cancel */
};

static struct io_backlog backlog;
static struct item items[NR_ITEMS];
static char keys[NR_KEYS];
static unsigned int now;

#define CHECK(what)							\
do {									\
	if (!(what)) {							\
		printf("line %d, step %u: not so: %s\n", __LINE__, now, #what);	\
		exit(1);						\
	}								\
} while (0)

static unsigned int rnd(unsigned int below)
{
	static unsigned long state = 1;

	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (state >> 33) % below;
}

static bool same_key(const struct item *a, const struct item *b)
{
	return (a->flags & b->flags & IO_POOL_HASHED) &&
	       a->flags >> IO_POOL_HASH_SHIFT == b->flags >> IO_POOL_HASH_SHIFT;
}

static int class_of(const struct item *it)
{
	return it->flags & IO_POOL_UNBOUND ? IO_POOL_CLASS_UNBOUND : IO_POOL_CLASS_BOUND;
}

/* May it be started, by what is promised? */
static bool startable(const struct item *it)
{
	unsigned int i;

	for (i = 0; i < NR_ITEMS; i++) {
		const struct item *other = &items[i];

		if (other == it || other->place == FREE || !same_key(it, other))
			continue;
		if (other->place == TAKEN || other->age < it->age)
			return false;
	}
	return it->place == WAITING;
}

static void step_add(struct item *it)
{
	int class;

	it->work.flags = rnd(2) ? IO_POOL_UNBOUND : 0;
	if (rnd(2))
		io_pool_work_hash(&it->work, &keys[rnd(NR_KEYS)]);
	it->flags = it->work.flags;
	it->place = WAITING;
	it->age = now;
	class = io_backlog_add(&backlog, &it->work);
	CHECK(class == (startable(it) ? class_of(it) : IO_BACKLOG_NONE));
}

static void step_take(int class)
{
	struct item *it = (struct item *)io_backlog_take(&backlog, class);
	unsigned int i;

	if (it) {
		CHECK(startable(it) && class_of(it) == class);
		it->place = TAKEN;
		return;
	}
	for (i = 0; i < NR_ITEMS; i++)
		CHECK(class_of(&items[i]) != class || !startable(&items[i]));
}

static void step_end(struct item *it)
{
	it->place = FREE;
	io_backlog_release(&backlog, it->flags);
}

static bool wanted(struct io_pool_work *work, void *data)
{
	(void)data;
	return ((struct item *)work)->wanted;
}

static void step_cancel(bool all)
{
	struct io_work_list found = { };
	struct io_pool_work *work;
	unsigned int i, nr, expected = 0;

	for (i = 0; i < NR_ITEMS; i++) {
		items[i].wanted = !rnd(4);
		expected += items[i].wanted && items[i].place == WAITING;
	}
	nr = io_backlog_extract(&backlog, &found, wanted, NULL, all);
	CHECK(nr == (all ? expected : expected > 0));
	while ((work = io_work_pop(&found))) {
		struct item *it = (struct item *)work;

		CHECK(it->wanted && it->place == WAITING);
		it->place = FREE;
		nr--;
	}
	CHECK(!nr);
}

/* The backlog's own numbers agree with where the items are. */
static void check_counts(void)
{
	unsigned int ready[IO_POOL_NR_CLASSES] = { }, i;

	for (i = 0; i < NR_ITEMS; i++)
		ready[class_of(&items[i])] += startable(&items[i]);
	for (i = 0; i < IO_POOL_NR_CLASSES; i++)
		CHECK(backlog.nr_ready[i] == ready[i]);
}

int main(void)
{
	static_assert(offsetof(struct item, work) == 0, "work comes first");

	for (now = 1; now <= NR_STEPS; now++) {
		struct item *it = &items[rnd(NR_ITEMS)];

		if (!rnd(50))
			step_cancel(rnd(2));
		else if (it->place == FREE)
			step_add(it);
		else if (it->place == TAKEN)
			step_end(it);
		else
			step_take(rnd(IO_POOL_NR_CLASSES));
		if (!(now % 64))
			check_counts();
	}
	printf("%u steps\n", NR_STEPS);
	return 0;
}
