/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The worker threads of a task: they run what cannot be done without blocking.
 *
 * The pool knows a work item, embedded in whatever its user wants done, and two callbacks. An
 * item that is queued then gets, whatever happens, one ->run() and after it one ->put(): by a
 * worker; or, flagged IO_POOL_CANCELLED, by a worker, by a caller of io_pool_queue(),
 * io_pool_cancel(), io_pool_exit_start() or io_pool_destroy(), or by the owner in task_work.
 *
 * Until ->put() io_pool_cancel() can find the item, so its memory, and what the match function
 * looks at, must stay valid during ->run(): it is ->put() that lets go of it. Once ->run() was
 * called the pool does not look into struct io_pool_work any more, its storage may be reused.
 */
#ifndef IO_URING_POOL_H
#define IO_URING_POOL_H

#include <linux/sched.h>

#include "pool_backlog.h"

struct cpumask;
struct io_pool;

/**
 * struct io_pool_params - what io_pool_create() needs to know
 * @owner: task whose threads the workers will be; it outlives the pool
 * @bounded: most workers of the bounded class, 0: four per online CPU
 * @run: do the item. Without IO_POOL_CANCELLED: in a worker, may block, overrides credentials
 *	itself. With IO_POOL_CANCELLED: must not block for long nor take a lock that a caller of
 *	this file may hold, such as the ring lock.
 * @put: the pool can no longer find the item. In all contexts of @run, and with the same duties as
 *	for IO_POOL_CANCELLED; it may push the item to an inbox.
 */
struct io_pool_params {
	struct task_struct *owner;
	unsigned int bounded;
	void (*run)(struct io_pool_work *work);
	void (*put)(struct io_pool_work *work);
};

/* What io_pool_cancel() met */
enum io_pool_found {
	IO_POOL_NOT_FOUND,	/* no item matched */
	IO_POOL_DEQUEUED,	/* all that matched had not started, and will not */
	IO_POOL_RUNNING,	/* at least one had started, its worker was interrupted */
};

struct io_pool *io_pool_create(const struct io_pool_params *p);
void io_pool_queue(struct io_pool *pool, struct io_pool_work *work);
enum io_pool_found io_pool_cancel(struct io_pool *pool, io_pool_match_fn match, void *data,
				  bool all, unsigned int *nr);
bool io_pool_finish(struct io_pool *pool);
void io_pool_exit_start(struct io_pool *pool);
void io_pool_destroy(struct io_pool *pool);
int io_pool_set_affinity(struct io_pool *pool, const struct cpumask *mask);
int io_pool_max_workers(struct io_pool *pool, int new_count[IO_POOL_NR_CLASSES]);
bool io_pool_worker_stopping(void);

/* Is current a worker of some pool? SQ threads are PF_IO_WORKER too, but no workers. */
static inline bool io_in_pool_worker(void)
{
	return (current->flags & PF_IO_WORKER) && current->worker_private;
}

#endif
