/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The worker threads of a task: they run what cannot be done without blocking.
 *
 * The pool knows a work item, embedded in whatever its user wants done, and two callbacks. An
 * item that is queued then gets, whatever happens, one of
 *
 *   ->run(), then ->put(), by a worker; or
 *   ->run() with IO_POOL_CANCELLED, and nothing more, by a worker or by a caller of
 *   io_pool_queue(), io_pool_cancel(), io_pool_exit_start() or io_pool_destroy().
 *
 * During ->run() and until ->put() io_pool_cancel() can find the item, so its memory, and what the
 * match function looks at, must stay valid: it is ->put() that lets go of it. The pool does not
 * look into struct io_pool_work any more once ->run() was called, its storage may be reused. An
 * item that is run as cancelled was made unfindable before and may be freed by ->run().
 */
#ifndef IO_URING_POOL_H
#define IO_URING_POOL_H

#include <linux/hash.h>
#include <linux/sched.h>

struct cpumask;
struct io_pool;

/* io_pool_work.flags; the bits from IO_POOL_HASH_SHIFT on hold the key of a hashed item. */
enum {
	IO_POOL_CANCELLED	= 1,	/* ->run() may only complete it as cancelled */
	IO_POOL_HASHED		= 2,	/* one at a time, in order, among those of the same key */
	IO_POOL_UNBOUND		= 4,	/* may block for ever: class of its own limit */
	IO_POOL_CONCURRENT	= 8,	/* start a worker even if another one is awake */
};

#define IO_POOL_HASH_SHIFT	24
#define IO_POOL_KEY_BITS	6

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

/**
 * struct io_pool_params - what io_pool_create() needs to know
 * @owner: task whose threads the workers will be; it outlives the pool
 * @bounded: most workers of the bounded class, 0: four per online CPU
 * @run: do the item. Without IO_POOL_CANCELLED: in a worker, may block, overrides credentials
 *	itself. With IO_POOL_CANCELLED: must not block for long nor take a lock that a caller of
 *	this file may hold, such as the ring lock; it may push the item to an inbox.
 * @put: the pool can no longer find the item. In a worker.
 */
struct io_pool_params {
	struct task_struct *owner;
	unsigned int bounded;
	void (*run)(struct io_pool_work *work);
	void (*put)(struct io_pool_work *work);
};

/* Must not sleep: called under the pool's raw spinlock. */
typedef bool (*io_pool_match_fn)(struct io_pool_work *work, void *data);

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
void io_pool_exit_start(struct io_pool *pool);
void io_pool_destroy(struct io_pool *pool);
int io_pool_set_affinity(struct io_pool *pool, const struct cpumask *mask);
int io_pool_max_workers(struct io_pool *pool, int new_count[IO_POOL_NR_CLASSES]);
bool io_pool_worker_stopping(void);

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

/* Is current a worker of some pool? SQ threads are PF_IO_WORKER too, but no workers. */
static inline bool io_in_pool_worker(void)
{
	return (current->flags & PF_IO_WORKER) && current->worker_private;
}

#endif
