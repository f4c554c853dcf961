/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The threads of a worker pool and what the pool is made of, for pool.c and pool_worker.c only.
 *
 * Letters at fields:
 *
 *   I   set before the object is published, constant afterwards
 *   P   pool->lock
 *   PR  written under pool->lock, may be read without
 *   A   atomic
 *   O   the owner only
 *   W   the worker's own thread only
 *   M   pool->affinity_lock
 *   MR  written under pool->affinity_lock, may be read without
 */
#ifndef IO_URING_POOL_WORKER_H
#define IO_URING_POOL_WORKER_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#include "pool_backlog.h"

/*
 * States of a worker, counted per class. In the two in the middle it is "awake".
 *
 *   IDLE      sleeps in io_worker_park()        -> LOOKING (by whoever needs it; or timeout)
 *   LOOKING   has no item, will look for one    -> RUNNING, IDLE, gone
 *   RUNNING   has an item, or a signal          -> LOOKING, BLOCKED (scheduler hook)
 *   BLOCKED   sleeps in its item or signal      -> RUNNING (scheduler hook)
 */
enum io_worker_state {
	IO_WORKER_IDLE,
	IO_WORKER_LOOKING,
	IO_WORKER_RUNNING,
	IO_WORKER_BLOCKED,
	IO_WORKER_NR_STATES,
};

/**
 * struct io_pool_class - workers that share a limit
 * @pool: what it is part of (I)
 * @limit: most workers, at least 1 (P)
 * @nr_workers: workers, with those being made (P)
 * @nr_making: workers being made, not in @nr yet (P)
 * @nr: workers by state (P)
 * @idle: IDLE workers, the last to fall asleep first (P)
 */
struct io_pool_class {
	struct io_pool		*pool;
	unsigned int		limit;
	unsigned int		nr_workers;
	unsigned int		nr_making;
	unsigned int		nr[IO_WORKER_NR_STATES];
	struct list_head	idle;
};

/**
 * struct io_pool - the workers of one task
 * @lock: innermost, save for locks of the scheduler and of timers; see pool_worker.c
 * @exiting: io_pool_exit_start() was called, nothing starts any more (PR)
 * @classes: bounded and unbounded (P)
 * @backlog: items not taken by a worker (P)
 * @workers: all workers (P)
 * @nr_finish: items with IO_POOL_FINISH that have not got their ->put() (A)
 * @nr_live: the owner, each worker, each attempt to make one; at 0 the pool may be freed (P)
 * @gone: @nr_live is 0
 * @run: see struct io_pool_params (I)
 * @put: see struct io_pool_params (I)
 * @owner: task that the workers are threads of (I)
 * @retrying: @retry_timer or @retry_work is pending, and nobody else makes workers (P)
 * @nr_failures: attempts to make a worker that failed in a row (P)
 * @retry_timer: queues @retry_work
 * @retry_work: makes the owner try again
 * @orphan: @retry_work frees the pool (O)
 * @context: counts changes of the next three (PR)
 * @fs: the owner's when it last queued; compared, never followed (O)
 * @files: likewise (O)
 * @nsproxy: likewise (O)
 * @affinity_lock: for @affinity, which is used while sleeping, as @lock does not allow
 * @affinity: CPUs asked for by io_pool_set_affinity() (M)
 * @affinity_set: @affinity counts (M)
 * @affinity_seq: counts changes of these two (MR)
 */
struct io_pool {
	raw_spinlock_t		lock;
	bool			exiting;
	struct io_pool_class	classes[IO_POOL_NR_CLASSES];
	struct io_backlog	backlog;
	struct list_head	workers;
	atomic_t		nr_finish;
	unsigned int		nr_live;
	struct completion	gone;

	void			(*run)(struct io_pool_work *work);
	void			(*put)(struct io_pool_work *work);
	struct task_struct	*owner;

	bool			retrying;
	unsigned int		nr_failures;
	struct timer_list	retry_timer;
	struct callback_head	retry_work;
	bool			orphan;

	unsigned int		context;
	struct fs_struct	*fs;
	struct files_struct	*files;
	struct nsproxy		*nsproxy;

	struct mutex		affinity_lock;	/* asleep, where @lock cannot be held */
	cpumask_var_t		affinity;
	bool			affinity_set;
	unsigned int		affinity_seq;
};

/**
 * struct io_worker - a thread of a pool
 * @task: the thread (I)
 * @pool: its pool (I)
 * @class: its class (I)
 * @entry: in pool->workers (P)
 * @idle_entry: in class->idle while IDLE (P)
 * @state: see above (P)
 * @cur: its item, from the backlog until ->run() has returned (P)
 * @finish: @cur has IO_POOL_FINISH (P)
 * @cancelled: @cur was matched by a cancel, or the pool exits (PR)
 * @retire: leaves as soon as it has no item (W)
 * @watched: to sleep now is to block: tell the pool (W)
 * @context: pool->context that it was cloned under (I)
 * @affinity_seen: io_pool_affinity_seq() that it has followed (W)
 *
 * The thread unlinks it under the lock and frees it; others use it only under the lock.
 */
struct io_worker {
	struct task_struct	*task;
	struct io_pool		*pool;
	struct io_pool_class	*class;
	struct list_head	entry;
	struct list_head	idle_entry;
	enum io_worker_state	state;
	struct io_pool_work	*cur;
	bool			finish;
	bool			cancelled;
	bool			retire;
	bool			watched;
	unsigned int		context;
	unsigned int		affinity_seen;
};

unsigned int io_class_awake(const struct io_pool_class *c);
bool io_class_behind(const struct io_pool_class *c);
bool io_class_wake_one(struct io_pool_class *c);
void io_class_kick(struct io_pool_class *c);
bool io_class_reserve(struct io_pool_class *c, bool eager);
void io_pool_make_worker(struct io_pool_class *c, bool eager);
void io_pool_retry_init(struct io_pool *pool);
void io_pool_wake_all(struct io_pool *pool);
void io_pool_run_cancelled(struct io_pool *pool, struct io_work_list *list);
void io_worker_interrupt(struct io_worker *worker);

/* The worker that current is, or NULL. SQ threads are PF_IO_WORKER too, but no workers. */
static inline struct io_worker *io_current_worker(void)
{
	return current->flags & PF_IO_WORKER ? current->worker_private : NULL;
}

#endif
