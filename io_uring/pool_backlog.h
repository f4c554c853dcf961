/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The items of a worker pool that wait: ready ones by class, and those whose key is busy.
 */
#ifndef IO_URING_POOL_BACKLOG_H
#define IO_URING_POOL_BACKLOG_H

#include <linux/bitmap.h>

#include "pool.h"

#define IO_POOL_KEYS	(1u << IO_POOL_KEY_BITS)

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

#endif
