// SPDX-License-Identifier: GPL-2.0
/*
 * The backlog of a worker pool: order, serialisation by key, and taking out what is cancelled.
 *
 * Of the items of one key, only the oldest is in a class's ready list or with a worker. The others
 * wait in the list of the key, and each enters the ready list of its class, at the end, when its
 * predecessor has ended or was taken out. So a worker never has to search for an item that it may
 * start, and a key that is written a lot does not hold up the others.
 *
 * Nothing here locks, sleeps or allocates.
 */
#include "pool_backlog.h"

/**
 * io_work_add - append an item to a list
 * @list: the list
 * @work: item that is in none
 */
void io_work_add(struct io_work_list *list, struct io_pool_work *work)
{
	work->next = NULL;
	if (list->first)
		list->last->next = work;
	else
		list->first = work;
	list->last = work;
}

/**
 * io_work_pop - remove the first item of a list
 * @list: the list
 *
 * Return: the item, or NULL.
 */
struct io_pool_work *io_work_pop(struct io_work_list *list)
{
	struct io_pool_work *work = list->first;

	if (work)
		list->first = work->next;
	return work;
}

/* Move what @match accepts, or the first such, from @list to the end of @to; return how many */
static unsigned int io_work_move(struct io_work_list *list, struct io_work_list *to,
				 io_pool_match_fn match, void *data, bool all)
{
	struct io_work_list rest = { };
	struct io_pool_work *work;
	unsigned int nr = 0;

	while ((work = io_work_pop(list))) {
		if ((all || !nr) && match(work, data)) {
			io_work_add(to, work);
			nr++;
		} else {
			io_work_add(&rest, work);
		}
	}
	*list = rest;
	return nr;
}

static unsigned int io_work_key(unsigned int flags)
{
	return (flags >> IO_POOL_HASH_SHIFT) % IO_POOL_KEYS;
}

static int io_backlog_make_ready(struct io_backlog *b, struct io_pool_work *work)
{
	int class = work->flags & IO_POOL_UNBOUND ? IO_POOL_CLASS_UNBOUND : IO_POOL_CLASS_BOUND;

	io_work_add(&b->ready[class], work);
	b->nr_ready[class]++;
	return class;
}

/**
 * io_backlog_add - take in an item
 * @b: the backlog
 * @work: the item
 *
 * Return: its class if it is ready, or IO_BACKLOG_NONE.
 */
int io_backlog_add(struct io_backlog *b, struct io_pool_work *work)
{
	unsigned int key = io_work_key(work->flags);

	if ((work->flags & IO_POOL_HASHED) && __test_and_set_bit(key, b->busy)) {
		io_work_add(&b->waiting[key], work);
		return IO_BACKLOG_NONE;
	}
	return io_backlog_make_ready(b, work);
}

/**
 * io_backlog_take - remove the oldest ready item, to start it
 * @b: the backlog
 * @class: of this class
 *
 * Its key stays busy until io_backlog_release().
 *
 * Return: the item, or NULL.
 */
struct io_pool_work *io_backlog_take(struct io_backlog *b, int class)
{
	struct io_pool_work *work = io_work_pop(&b->ready[class]);

	if (work)
		b->nr_ready[class]--;
	return work;
}

/**
 * io_backlog_release - an item that was ready has ended, or will not be started
 * @b: the backlog
 * @flags: the item's flags as it was added
 *
 * Return: class of the item that became ready by this, or IO_BACKLOG_NONE.
 */
int io_backlog_release(struct io_backlog *b, unsigned int flags)
{
	unsigned int key = io_work_key(flags);
	struct io_pool_work *next;

	if (!(flags & IO_POOL_HASHED))
		return IO_BACKLOG_NONE;
	next = io_work_pop(&b->waiting[key]);
	if (next)
		return io_backlog_make_ready(b, next);
	__clear_bit(key, b->busy);
	return IO_BACKLOG_NONE;
}

/**
 * io_backlog_extract - take out items that are not to be started
 * @b: the backlog
 * @found: list that they are appended to
 * @match: tells which ones
 * @data: for @match
 * @all: all of them, or only the first one met
 *
 * Other items may become ready by this, in any class.
 *
 * Return: how many were taken out.
 */
unsigned int io_backlog_extract(struct io_backlog *b, struct io_work_list *found,
				io_pool_match_fn match, void *data, bool all)
{
	unsigned int nr = 0, key, class;
	struct io_pool_work *work;

	/* These first: one that becomes ready below is known not to match. */
	for_each_set_bit(key, b->busy, IO_POOL_KEYS) {
		nr += io_work_move(&b->waiting[key], found, match, data, all);
		if (nr && !all)
			return nr;
	}
	for (class = 0; class < IO_POOL_NR_CLASSES; class++) {
		struct io_work_list moved = { };

		b->nr_ready[class] -= io_work_move(&b->ready[class], &moved, match, data, all);
		while ((work = io_work_pop(&moved))) {
			io_backlog_release(b, work->flags);
			io_work_add(found, work);
			nr++;
		}
		if (nr && !all)
			return nr;
	}
	return nr;
}
