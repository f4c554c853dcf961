// SPDX-License-Identifier: GPL-2.0
/*
 * The worker pool as its user sees it: queue, cancel, limits, affinity, the end.
 *
 * Transitions: HELD, ISSUED -> QUEUED; QUEUED -> INBOX, by ->run() as cancelled.
 *
 * From the moment it is queued an item is in the backlog or is some worker's ->cur, and it moves
 * from one to the other under pool->lock, so that io_pool_cancel() finds it in one search. Who
 * takes it out of either to run it as cancelled has it to himself.
 *
 * Nothing here is called back under pool->lock but a match function, which must not sleep.
 */
#include <linux/cpumask.h>
#include <linux/cpuset.h>
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "pool.h"
#include "pool_backlog.h"
#include "pool_worker.h"

static unsigned int io_pool_nproc(struct task_struct *owner)
{
	return clamp(task_rlimit(owner, RLIMIT_NPROC), 1ul, (unsigned long)INT_MAX);
}

/**
 * io_pool_create - make a pool, as yet without workers
 * @p: see there; copied
 *
 * Context: process, may sleep.
 * Return: the pool, or ERR_PTR: -ENOMEM; -EINVAL if a callback is missing.
 */
struct io_pool *io_pool_create(const struct io_pool_params *p)
{
	struct io_pool *pool;
	unsigned int i;

	if (WARN_ON_ONCE(!p->run || !p->put))
		return ERR_PTR(-EINVAL);
	pool = kzalloc(sizeof(*pool), GFP_KERNEL_ACCOUNT);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	if (!zalloc_cpumask_var(&pool->affinity, GFP_KERNEL_ACCOUNT)) {
		kfree(pool);
		return ERR_PTR(-ENOMEM);
	}
	pool->run = p->run;
	pool->put = p->put;
	pool->owner = p->owner;
	pool->nr_live = 1;
	raw_spin_lock_init(&pool->lock);
	mutex_init(&pool->affinity_lock);
	init_completion(&pool->gone);
	INIT_LIST_HEAD(&pool->workers);
	io_pool_retry_init(pool);
	for (i = 0; i < IO_POOL_NR_CLASSES; i++) {
		pool->classes[i].pool = pool;
		INIT_LIST_HEAD(&pool->classes[i].idle);
	}
	pool->classes[IO_POOL_CLASS_BOUND].limit = p->bounded ?: 4 * num_online_cpus();
	pool->classes[IO_POOL_CLASS_UNBOUND].limit = io_pool_nproc(p->owner);
	return pool;
}

/*
 * The owner may have left what it shared with its workers (unshare, setns). Theirs cannot have
 * been freed and allocated anew while they hold on to it, so comparing addresses tells.
 */
static bool io_pool_context_stale(const struct io_pool *pool)
{
	return pool->fs != current->fs || pool->files != current->files ||
	       pool->nsproxy != current->nsproxy;
}

/* Workers cloned so far leave, as soon as they can */
static void io_pool_new_context(struct io_pool *pool)
{
	pool->fs = current->fs;
	pool->files = current->files;
	pool->nsproxy = current->nsproxy;
	raw_spin_lock(&pool->lock);
	pool->context++;
	io_pool_wake_all(pool);
	raw_spin_unlock(&pool->lock);
}

static bool io_pool_is_member(const struct io_pool *pool)
{
	struct io_worker *worker = io_current_worker();

	return current == pool->owner || (worker && worker->pool == pool);
}

/**
 * io_pool_queue - have an item run by a worker
 * @pool: the pool
 * @work: the item, flags set; see pool.h for who owns it when
 *
 * Never fails, but the item may be run as cancelled: at once if the pool exits or the item says
 * so, later if no worker can be made.
 *
 * Context: process, called by the owner or a worker of @pool. The ring lock may be held, spinlocks
 * may not: it sleeps for the time of a clone when a worker is missing.
 */
void io_pool_queue(struct io_pool *pool, struct io_pool_work *work)
{
	bool eager = work->flags & IO_POOL_CONCURRENT;
	struct io_work_list cancelled = { };
	struct io_pool_class *c = NULL;
	bool member = io_pool_is_member(pool);
	int class = IO_BACKLOG_NONE;
	bool make = false;

	might_sleep();
	WARN_ON_ONCE(!member);
	if (current == pool->owner && unlikely(io_pool_context_stale(pool)))
		io_pool_new_context(pool);

	if (work->flags & IO_POOL_FINISH)
		atomic_inc(&pool->nr_finish);

	raw_spin_lock(&pool->lock);
	if (unlikely(pool->exiting || !member || (work->flags & IO_POOL_CANCELLED)))
		io_work_add(&cancelled, work);
	else
		class = io_backlog_add(&pool->backlog, work);
	if (class != IO_BACKLOG_NONE) {
		c = &pool->classes[class];
		if (!io_class_awake(c) || (eager && io_class_behind(c)))
			io_class_wake_one(c);
		make = io_class_reserve(c, eager);
	}
	raw_spin_unlock(&pool->lock);

	if (make)
		io_pool_make_worker(c, eager);
	io_pool_run_cancelled(pool, &cancelled);
}

/* As io_backlog_extract(). Items that it makes ready need a worker. */
static unsigned int io_pool_dequeue(struct io_pool *pool, struct io_work_list *found,
				    io_pool_match_fn match, void *data, bool all)
{
	unsigned int nr = io_backlog_extract(&pool->backlog, found, match, data, all);
	unsigned int i;

	lockdep_assert_held(&pool->lock);
	for (i = 0; i < IO_POOL_NR_CLASSES; i++)
		io_class_kick(&pool->classes[i]);
	return nr;
}

/**
 * io_pool_cancel - stop items
 * @pool: the pool
 * @match: tells which ones, called under the pool's raw spinlock with each item at most twice
 * @data: for @match
 * @all: all that match, or only the first one found
 * @nr: set to the number of items that matched
 *
 * An item that has not started is run as cancelled before this returns. One that has started is
 * interrupted once, and io_pool_worker_stopping() tells it so. Items not started come first.
 *
 * Context: process, may sleep in ->run() and ->put(). Any task that keeps the pool from being
 * destroyed; the ring lock may be held.
 * Return: see enum io_pool_found.
 */
enum io_pool_found io_pool_cancel(struct io_pool *pool, io_pool_match_fn match, void *data,
				  bool all, unsigned int *nr)
{
	enum io_pool_found ret = IO_POOL_NOT_FOUND;
	struct io_work_list found = { };
	struct io_worker *worker;

	raw_spin_lock(&pool->lock);
	*nr = io_pool_dequeue(pool, &found, match, data, all);
	if (*nr)
		ret = IO_POOL_DEQUEUED;
	list_for_each_entry(worker, &pool->workers, entry) {
		if (*nr && !all)
			break;
		if (!worker->cur || !match(worker->cur, data))
			continue;
		if (!worker->cancelled)
			io_worker_interrupt(worker);
		ret = IO_POOL_RUNNING;
		(*nr)++;
	}
	raw_spin_unlock(&pool->lock);
	io_pool_run_cancelled(pool, &found);
	return ret;
}

static bool io_work_any(struct io_pool_work *work, void *data)
{
	return true;
}

static bool io_work_may_block(struct io_pool_work *work, void *data)
{
	return !(work->flags & IO_POOL_FINISH);
}

/**
 * io_pool_finish - let only those items go on that are sure to end
 * @pool: the pool
 *
 * The others, behind which these may have to wait for a worker, are cancelled as by
 * io_pool_cancel(). To be called until it returns false.
 *
 * Context: as io_pool_cancel().
 * Return: true if an item with IO_POOL_FINISH is still queued or being run.
 */
bool io_pool_finish(struct io_pool *pool)
{
	struct io_work_list found = { };
	struct io_worker *worker;

	raw_spin_lock(&pool->lock);
	io_pool_dequeue(pool, &found, io_work_may_block, NULL, true);
	list_for_each_entry(worker, &pool->workers, entry) {
		if (worker->cur && !worker->finish && !worker->cancelled)
			io_worker_interrupt(worker);
	}
	raw_spin_unlock(&pool->lock);
	io_pool_run_cancelled(pool, &found);
	return atomic_read(&pool->nr_finish);
}

/**
 * io_pool_exit_start - let nothing start any more
 * @pool: the pool
 *
 * Items that wait are run as cancelled before this returns, those that run are interrupted, later
 * ones will be cancelled as they are queued. Workers leave. May be called again.
 *
 * Context: as io_pool_cancel().
 */
void io_pool_exit_start(struct io_pool *pool)
{
	struct io_work_list found = { };
	struct io_worker *worker;

	raw_spin_lock(&pool->lock);
	WRITE_ONCE(pool->exiting, true);
	io_backlog_extract(&pool->backlog, &found, io_work_any, NULL, true);
	list_for_each_entry(worker, &pool->workers, entry) {
		if (worker->cur)
			io_worker_interrupt(worker);
	}
	io_pool_wake_all(pool);
	raw_spin_unlock(&pool->lock);
	io_pool_run_cancelled(pool, &found);
}

/**
 * io_pool_destroy - end the workers and free the pool
 * @pool: the pool
 *
 * Waits for items that run, so they must be able to end: no lock that they take is held. Waits as
 * long as the group is stopped with a worker on the way, which SIGKILL and SIGCONT end.
 *
 * Context: the owner; may sleep.
 */
void io_pool_destroy(struct io_pool *pool)
{
	bool last;

	io_pool_exit_start(pool);
	raw_spin_lock(&pool->lock);
	last = !--pool->nr_live;
	raw_spin_unlock(&pool->lock);
	if (!last)
		wait_for_completion_state(&pool->gone, TASK_IDLE);

	free_cpumask_var(pool->affinity);
	/* The timer is pending, or its work; else that was taken by a task_work_run() around us. */
	if (!timer_shutdown_sync(&pool->retry_timer) && pool->retrying &&
	    !task_work_cancel(current, &pool->retry_work)) {
		pool->orphan = true;
		return;
	}
	kfree(pool);
}

/**
 * io_pool_set_affinity - say where workers may run
 * @pool: the pool
 * @mask: CPUs of the owner's cpuset, or NULL: all of it
 *
 * A worker that runs an item follows after it.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if @mask is empty or leaves the cpuset; -ENOMEM.
 */
int io_pool_set_affinity(struct io_pool *pool, const struct cpumask *mask)
{
	cpumask_var_t allowed;
	bool valid = true;

	if (mask) {
		if (!alloc_cpumask_var(&allowed, GFP_KERNEL))
			return -ENOMEM;
		cpuset_cpus_allowed(pool->owner, allowed);
		valid = !cpumask_empty(mask) && cpumask_subset(mask, allowed);
		free_cpumask_var(allowed);
	}
	if (!valid)
		return -EINVAL;

	mutex_lock(&pool->affinity_lock);
	if (mask)
		cpumask_copy(pool->affinity, mask);
	pool->affinity_set = mask;
	WRITE_ONCE(pool->affinity_seq, pool->affinity_seq + 1);
	mutex_unlock(&pool->affinity_lock);

	raw_spin_lock(&pool->lock);
	io_pool_wake_all(pool);
	raw_spin_unlock(&pool->lock);
	return 0;
}

/**
 * io_pool_max_workers - limit the number of workers
 * @pool: the pool
 * @new_count: by class, the limit to set, cut to RLIMIT_NPROC, or 0: leave it; returns what it was
 *
 * Workers that are too many leave when they have no item.
 *
 * Context: process.
 * Return: 0; -EINVAL if a limit is negative, and none is changed.
 */
int io_pool_max_workers(struct io_pool *pool, int new_count[IO_POOL_NR_CLASSES])
{
	unsigned int max = io_pool_nproc(pool->owner);
	unsigned int i;

	for (i = 0; i < IO_POOL_NR_CLASSES; i++)
		if (new_count[i] < 0)
			return -EINVAL;

	raw_spin_lock(&pool->lock);
	for (i = 0; i < IO_POOL_NR_CLASSES; i++) {
		struct io_pool_class *c = &pool->classes[i];
		unsigned int limit = new_count[i];

		new_count[i] = c->limit;
		if (!limit)
			continue;
		c->limit = min(limit, max);
		io_class_kick(c);
	}
	io_pool_wake_all(pool);
	raw_spin_unlock(&pool->lock);
	return 0;
}

/**
 * io_pool_worker_stopping - should the item that current runs come to its end?
 *
 * To be asked by ->run() before it tries again, and after it has made the item findable in
 * another place: a cancel may have looked there before, and here since.
 *
 * Context: a worker.
 * Return: true if the item was cancelled, the pool exits or the thread is being killed.
 */
bool io_pool_worker_stopping(void)
{
	struct io_worker *worker = current->worker_private;

	return READ_ONCE(worker->cancelled) || READ_ONCE(worker->pool->exiting) ||
	       fatal_signal_pending(current);
}
