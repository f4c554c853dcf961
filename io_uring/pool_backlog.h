/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The items of a worker pool, and how they wait: ready ones by class, others behind their key.
 */
#ifndef IO_URING_POOL_BACKLOG_H
#define IO_URING_POOL_BACKLOG_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/hash.h>

/* io_pool_work.flags; the bits from IO_POOL_HASH_SHIFT on hold the key of a hashed item. */
enum {
	IO_POOL_CANCELLED	= 1,	/* ->run() may only complete it as cancelled */
	IO_POOL_HASHED		= 2,	/* one at a time, in order, among those of the same key */
	IO_POOL_UNBOUND		= 4,	/* may block for ever: class of its own limit */
	IO_POOL_CONCURRENT	= 8,	/* start a worker even if another one is awake */
	IO_POOL_FINISH		= 16,	/* sure to end by itself: see io_pool_finish() */
};

#define IO_POOL_HASH_SHIFT	24
#define IO_POOL_KEY_BITS	6
#define IO_POOL_KEYS		BIT(IO_POOL_KEY_BITS)

/**
 * struct io_pool_work - a work item
 * @next: the pool's, while the item is queued
 * @flags: IO_POOL_*, set by the user before each io_pool_queue(), the pool's until ->run()
 */
struct io_pool_work {
	struct io_pool_work *next;
	unsigned int flags;
};

static_assert(sizeof(struct io_pool_work) <= 16);
static_assert(IO_POOL_HASH_SHIFT + IO_POOL_KEY_BITS <= 32);

/* Classes of workers, in the order of IO_WQ_BOUND and IO_WQ_UNBOUND */
enum io_pool_class_index {
	IO_POOL_CLASS_BOUND,
	IO_POOL_CLASS_UNBOUND,
	IO_POOL_NR_CLASSES,
};

/* Must not sleep: called under the pool's raw spinlock. */
typedef bool (*io_pool_match_fn)(struct io_pool_work *work, void *data);

/* A list with two ends; @last counts only if there is a @first */
struct io_work_list {
	struct io_pool_work *first;
	struct io_pool_work *last;
};

/**
 * struct io_backlog - items that wait; its user serialises access to all of it
 * @ready: by class, items that may be started, oldest first
 * @nr_ready: their numbers
 * @busy: keys of which an item is in @ready or was taken from there and has not ended
 * @waiting: by key, the items behind that one, oldest first
 */
struct io_backlog {
	struct io_work_list	ready[IO_POOL_NR_CLASSES];
	unsigned int		nr_ready[IO_POOL_NR_CLASSES];
	DECLARE_BITMAP(busy, IO_POOL_KEYS);
	struct io_work_list	waiting[IO_POOL_KEYS];
};

/* In place of a class: no item became ready */
#define IO_BACKLOG_NONE	(-1)

void io_work_add(struct io_work_list *list, struct io_pool_work *work);
struct io_pool_work *io_work_pop(struct io_work_list *list);

int io_backlog_add(struct io_backlog *b, struct io_pool_work *work);
struct io_pool_work *io_backlog_take(struct io_backlog *b, int class);
int io_backlog_release(struct io_backlog *b, unsigned int flags);
unsigned int io_backlog_extract(struct io_backlog *b, struct io_work_list *found,
				io_pool_match_fn match, void *data, bool all);

/**
 * io_pool_work_hash - let an item run one at a time, in order, with others of its key
 * @w: item, not queued
 * @key: what the items have in common, for instance the inode they write
 *
 * Items of one pool only: what several tasks do to one inode is ordered by the inode's lock.
 */
static inline void io_pool_work_hash(struct io_pool_work *w, const void *key)
{
	w->flags &= BIT(IO_POOL_HASH_SHIFT) - 1;
	w->flags |= IO_POOL_HASHED;
	w->flags |= (unsigned int)hash_ptr(key, IO_POOL_KEY_BITS) << IO_POOL_HASH_SHIFT;
}

#endif
