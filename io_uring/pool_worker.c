// SPDX-License-Identifier: GPL-2.0
/*
 * Worker threads: how they are made, sleep, are woken, run items and leave.
 *
 * Transitions: QUEUED -> ISSUED, by ->run() in a worker.
 *
 * Rule of the pool, true whenever the lock is free and the pool does not exit: if a class has
 * ready items, then a worker of it is awake, or one is being made, or the retry timer is set, or
 * as many workers as allowed are BLOCKED and will look once they go on. io_class_kick() restores
 * it wherever a worker falls out or an item becomes ready.
 *
 * Who makes workers. A thread is made by cloning current, and that may fail for a while or, in a
 * stopped owner, take for ever. So the owner makes only what it finds missing as it queues an
 * item. All others are made by workers: one that takes an item and leaves more behind first sees
 * to it that a spare sleeps beside it. A worker ignores all signals but SIGKILL and SIGSTOP and
 * depends on nobody. The scheduler hook, which must not sleep, then merely wakes the spare. Should
 * there be none, because a clone failed, the retry timer asks the owner by task_work to clone. It
 * backs off from 2 ms to 1 s, and while it is set nobody else tries. If a class has no worker even
 * after that, its items are run as cancelled.
 *
 * A worker that the pool relies on as awake does not sleep unnoticed where that may be for long:
 * while it runs an item or handles a signal, which may stop it, the scheduler hooks count it as
 * BLOCKED for as long as it sleeps.
 *
 * pool->lock is a raw spinlock because the scheduler hooks take it. They run with interrupts on,
 * and no interrupt takes it.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpuset.h>
#include <linux/cred.h>
#include <linux/resume_user_mode.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "io-wq.h"
#include "pool_backlog.h"
#include "pool_worker.h"

/* Workers beyond the first that found nothing to do for so long leave */
#define IO_POOL_IDLE_TIME	(5 * HZ)

/* Delay before the first new attempt to make a worker, and how often it doubles */
#define IO_POOL_RETRY_MS	2
#define IO_POOL_RETRY_DOUBLINGS	9

/* How often a CPU came online: affinity that was lost with it can be had again */
static unsigned int io_pool_nr_online;

/* Policy, pool->lock held */

static int io_class_index(const struct io_pool_class *c)
{
	return c - c->pool->classes;
}

static unsigned int io_class_ready(const struct io_pool_class *c)
{
	return c->pool->backlog.nr_ready[io_class_index(c)];
}

/**
 * io_class_awake - number of workers that do something or are about to
 * @c: class, pool->lock held
 */
unsigned int io_class_awake(const struct io_pool_class *c)
{
	return c->nr[IO_WORKER_LOOKING] + c->nr[IO_WORKER_RUNNING];
}

/**
 * io_class_behind - are there more ready items than workers about to take one?
 * @c: class, pool->lock held
 */
bool io_class_behind(const struct io_pool_class *c)
{
	return io_class_ready(c) > c->nr[IO_WORKER_LOOKING] + c->nr_making;
}

static bool io_class_may_grow(const struct io_pool_class *c)
{
	return c->nr_workers < c->limit && !c->pool->exiting;
}

static bool io_worker_must_leave(const struct io_worker *worker)
{
	return worker->pool->exiting || worker->retire ||
	       worker->class->nr_workers > worker->class->limit ||
	       worker->context != worker->pool->context;
}

/* Mechanism, pool->lock held */

static void io_worker_set_state(struct io_worker *worker, enum io_worker_state state)
{
	struct io_pool_class *c = worker->class;

	lockdep_assert_held(&worker->pool->lock);
	if (worker->state == IO_WORKER_IDLE)
		list_del(&worker->idle_entry);
	if (state == IO_WORKER_IDLE)
		list_add(&worker->idle_entry, &c->idle);
	c->nr[worker->state]--;
	c->nr[state]++;
	worker->state = state;
}

/**
 * io_class_wake_one - make an idle worker look for an item, or find that it must leave
 * @c: class
 *
 * Context: pool->lock held.
 * Return: false if there is none.
 */
bool io_class_wake_one(struct io_pool_class *c)
{
	struct io_worker *worker;

	worker = list_first_entry_or_null(&c->idle, struct io_worker, idle_entry);
	if (!worker)
		return false;
	io_worker_set_state(worker, IO_WORKER_LOOKING);
	/* Too early for a thread that has yet to start: it will find that it is not IDLE. */
	wake_up_process(worker->task);
	return true;
}

/**
 * io_pool_wake_all - let all idle workers see what has changed
 * @pool: the pool
 *
 * Context: pool->lock held.
 */
void io_pool_wake_all(struct io_pool *pool)
{
	unsigned int i;

	for (i = 0; i < IO_POOL_NR_CLASSES; i++)
		while (io_class_wake_one(&pool->classes[i]))
			;
}

static void io_pool_retry_later(struct io_pool *pool)
{
	unsigned int shift = min(pool->nr_failures, IO_POOL_RETRY_DOUBLINGS);

	if (pool->retrying || pool->exiting)
		return;
	pool->retrying = true;
	mod_timer(&pool->retry_timer, jiffies + msecs_to_jiffies(IO_POOL_RETRY_MS << shift) + 1);
}

/**
 * io_class_kick - restore the rule of the pool after a worker fell out or an item became ready
 * @c: class that it concerns
 *
 * Context: pool->lock held; does not sleep.
 */
void io_class_kick(struct io_pool_class *c)
{
	if (!io_class_ready(c) || io_class_awake(c) || io_class_wake_one(c))
		return;
	if (!c->nr_making && io_class_may_grow(c))
		io_pool_retry_later(c->pool);
}

/**
 * io_class_reserve - is a worker to be made?
 * @c: class
 * @eager: yes, unless each ready item has its own; else, unless there is a spare one
 *
 * Context: pool->lock held.
 * Return: true: the caller has the token to do it, and must call io_pool_make_worker().
 */
bool io_class_reserve(struct io_pool_class *c, bool eager)
{
	if (!io_class_behind(c) || c->nr[IO_WORKER_IDLE] || (c->nr_making && !eager))
		return false;
	if (!io_class_may_grow(c) || c->pool->retrying)
		return false;
	c->nr_making++;
	c->nr_workers++;
	c->pool->nr_live++;
	return true;
}

/**
 * io_worker_interrupt - tell a worker that its item is to end
 * @worker: worker with an item
 *
 * Context: pool->lock held.
 */
void io_worker_interrupt(struct io_worker *worker)
{
	WRITE_ONCE(worker->cancelled, true);
	set_notify_signal(worker->task);
}

/**
 * io_pool_run_cancelled - end items that were taken out of the backlog
 * @pool: the pool
 * @list: the items
 *
 * Context: process, may sleep.
 */
void io_pool_run_cancelled(struct io_pool *pool, struct io_work_list *list)
{
	struct io_pool_work *work;

	while ((work = io_work_pop(list))) {
		bool finish = work->flags & IO_POOL_FINISH;

		work->flags |= IO_POOL_CANCELLED;
		pool->run(work);
		pool->put(work);
		if (finish)
			atomic_dec(&pool->nr_finish);
		cond_resched();
	}
}

/* An item that was ready is done with: its key is free for the next one. pool->lock held. */
static void io_pool_release_key(struct io_pool *pool, unsigned int flags)
{
	int class = io_backlog_release(&pool->backlog, flags);

	if (class != IO_BACKLOG_NONE)
		io_class_kick(&pool->classes[class]);
}

/* The life of a worker */

static unsigned int io_pool_affinity_seq(const struct io_pool *pool)
{
	return READ_ONCE(pool->affinity_seq) + READ_ONCE(io_pool_nr_online);
}

/* Go where the pool may run: what was asked for as far as the cpuset has it, or the cpuset */
static void io_worker_follow_affinity(struct io_worker *worker)
{
	struct io_pool *pool = worker->pool;
	cpumask_var_t allowed, mask;

	worker->affinity_seen = io_pool_affinity_seq(pool);
	if (!alloc_cpumask_var(&allowed, GFP_KERNEL))
		return;
	if (!alloc_cpumask_var(&mask, GFP_KERNEL)) {
		free_cpumask_var(allowed);
		return;
	}
	cpuset_cpus_allowed(current, allowed);
	mutex_lock(&pool->affinity_lock);
	if (!pool->affinity_set || !cpumask_and(mask, allowed, pool->affinity))
		cpumask_copy(mask, allowed);
	mutex_unlock(&pool->affinity_lock);
	/* Fails if all of them are offline. */
	if (set_cpus_allowed_ptr(current, mask))
		set_cpus_allowed_ptr(current, allowed);
	free_cpumask_var(mask);
	free_cpumask_var(allowed);
}

static bool io_worker_has_chores(const struct io_worker *worker)
{
	return signal_pending(current) || test_thread_flag(TIF_NOTIFY_RESUME) ||
	       worker->affinity_seen != io_pool_affinity_seq(worker->pool);
}

/*
 * What a thread does on its way to user mode, done between two items: what ended the last one
 * must not end the next. It may block, or stop, as in an item.
 */
static void io_worker_do_chores(struct io_worker *worker)
	__must_hold(&worker->pool->lock)
{
	struct io_pool *pool = worker->pool;
	struct ksignal ksig;

	io_worker_set_state(worker, IO_WORKER_RUNNING);
	raw_spin_unlock(&pool->lock);

	worker->watched = true;
	if (worker->affinity_seen != io_pool_affinity_seq(pool))
		io_worker_follow_affinity(worker);
	if (test_thread_flag(TIF_NOTIFY_RESUME))
		resume_user_mode_work(NULL);
	/* Signals other than SIGKILL and SIGSTOP are blocked, so this one is fatal. */
	if (signal_pending(current) && get_signal(&ksig))
		worker->retire = true;
	worker->watched = false;

	raw_spin_lock(&pool->lock);
	io_worker_set_state(worker, IO_WORKER_LOOKING);
}

static void io_worker_park(struct io_worker *worker)
	__must_hold(&worker->pool->lock)
{
	struct io_pool_class *c = worker->class;
	bool spare;
	long left;

	if (worker->state != IO_WORKER_IDLE)
		io_worker_set_state(worker, IO_WORKER_IDLE);
	spare = c->nr[IO_WORKER_IDLE] > 1;
	set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
	raw_spin_unlock(&worker->pool->lock);
	left = schedule_timeout(spare ? IO_POOL_IDLE_TIME : MAX_SCHEDULE_TIMEOUT);
	raw_spin_lock(&worker->pool->lock);
	if (worker->state != IO_WORKER_IDLE)
		return;
	if (!left && c->nr[IO_WORKER_IDLE] > 1 && !io_class_ready(c))
		worker->retire = true;
	io_worker_set_state(worker, IO_WORKER_LOOKING);
}

/* Run @work, which io_pool_cancel() finds as worker->cur until ->run() has returned */
static void io_worker_do(struct io_worker *worker, struct io_pool_work *work)
	__must_hold(&worker->pool->lock)
{
	struct io_pool *pool = worker->pool;
	unsigned int flags = work->flags;
	bool make;

	worker->cur = work;
	worker->finish = flags & IO_POOL_FINISH;
	io_worker_set_state(worker, IO_WORKER_RUNNING);
	make = io_class_reserve(worker->class, false);
	raw_spin_unlock(&pool->lock);

	if (make)
		io_pool_make_worker(worker->class, false);
	worker->watched = true;
	/* Cancelled since it was taken: it need not start. */
	if (unlikely(READ_ONCE(worker->cancelled)))
		work->flags |= IO_POOL_CANCELLED;
	pool->run(work);

	raw_spin_lock(&pool->lock);
	worker->cur = NULL;
	worker->cancelled = false;
	io_pool_release_key(pool, flags);
	raw_spin_unlock(&pool->lock);

	pool->put(work);
	if (flags & IO_POOL_FINISH)
		atomic_dec(&pool->nr_finish);
	worker->watched = false;
	cond_resched();

	raw_spin_lock(&pool->lock);
	io_worker_set_state(worker, IO_WORKER_LOOKING);
}

/* Drop out of the pool, which may be gone on return. The struct is freed. */
static void io_worker_leave(struct io_worker *worker)
	__releases(&worker->pool->lock)
{
	struct io_pool *pool = worker->pool;
	bool last;

	list_del(&worker->entry);
	worker->class->nr[worker->state]--;
	worker->class->nr_workers--;
	io_class_kick(worker->class);
	last = !--pool->nr_live;
	raw_spin_unlock(&pool->lock);

	current->worker_private = NULL;
	kfree(worker);
	if (last)
		complete(&pool->gone);
}

static int io_worker_main(void *data)
{
	struct io_worker *worker = data;
	struct io_pool_work *work;

	io_worker_follow_affinity(worker);

	raw_spin_lock(&worker->pool->lock);
	if (worker->state == IO_WORKER_IDLE)
		io_worker_park(worker);
	while (!io_worker_must_leave(worker)) {
		if (unlikely(io_worker_has_chores(worker))) {
			io_worker_do_chores(worker);
			continue;
		}
		work = io_backlog_take(&worker->pool->backlog, io_class_index(worker->class));
		if (work)
			io_worker_do(worker, work);
		else
			io_worker_park(worker);
	}
	io_worker_leave(worker);
	do_exit(0);
}

/* Making workers */

/*
 * Clone current. Its credentials may be overridden for the request it deals with, and a pending
 * signal that it will handle on its way out would fail the clone; the new thread is to know of
 * neither.
 */
static struct task_struct *io_worker_clone(struct io_worker *worker)
{
	const struct cred *creds = override_creds(current_real_cred());
	struct task_struct *task;
	sigset_t blocked, saved;

	siginitsetinv(&blocked, sigmask(SIGKILL) | sigmask(SIGSTOP));
	sigprocmask(SIG_SETMASK, &blocked, &saved);
	task = create_io_thread(io_worker_main, worker, NUMA_NO_NODE);
	sigprocmask(SIG_SETMASK, &saved, NULL);
	revert_creds(creds);
	return task;
}

/* A token was not used. Arrange for another attempt, or give up where nobody lives. */
static void io_pool_make_failed(struct io_pool_class *c, long err)
{
	struct io_pool *pool = c->pool;
	struct io_work_list dropped = { };
	struct io_pool_work *work;

	raw_spin_lock(&pool->lock);
	c->nr_making--;
	c->nr_workers--;
	pool->nr_live--;
	pool->nr_failures++;
	/* -EINTR: current is dying, its group with it. */
	if (!c->nr_workers &&
	    (err == -EINTR || pool->nr_failures > IO_POOL_RETRY_DOUBLINGS)) {
		pool->nr_failures = 0;
		while ((work = io_backlog_take(&pool->backlog, io_class_index(c)))) {
			io_work_add(&dropped, work);
			io_pool_release_key(pool, work->flags);
		}
	} else if (io_class_ready(c)) {
		io_pool_retry_later(pool);
	}
	raw_spin_unlock(&pool->lock);
	io_pool_run_cancelled(pool, &dropped);
}

/**
 * io_pool_make_worker - use the token that io_class_reserve() gave
 * @c: class to make a worker for
 * @eager: it is for an item that is not to wait for the workers awake
 *
 * Context: owner or a worker of the pool, its item not started yet. May sleep.
 */
void io_pool_make_worker(struct io_pool_class *c, bool eager)
{
	struct io_pool *pool = c->pool;
	struct io_worker *worker, *maker = io_current_worker();
	struct task_struct *task = ERR_PTR(-ENOMEM);
	char name[TASK_COMM_LEN];

	worker = kzalloc(sizeof(*worker), GFP_KERNEL_ACCOUNT);
	if (worker) {
		worker->pool = pool;
		worker->class = c;
		worker->context = maker ? maker->context : pool->context;
		task = io_worker_clone(worker);
	}
	if (IS_ERR(task)) {
		kfree(worker);
		io_pool_make_failed(c, PTR_ERR(task));
		return;
	}
	worker->task = task;
	task->worker_private = worker;
	snprintf(name, sizeof(name), "iou-wrk-%d", task_pid_nr(pool->owner));
	set_task_comm(task, name);

	raw_spin_lock(&pool->lock);
	pool->nr_failures = 0;
	c->nr_making--;
	list_add(&worker->entry, &pool->workers);
	worker->state = IO_WORKER_LOOKING;
	c->nr[IO_WORKER_LOOKING]++;
	/* It starts as the spare unless it is wanted at once. */
	if (!io_worker_must_leave(worker) &&
	    (c->nr[IO_WORKER_LOOKING] > io_class_ready(c) || (!eager && io_class_awake(c) > 1)))
		io_worker_set_state(worker, IO_WORKER_IDLE);
	raw_spin_unlock(&pool->lock);
	wake_up_new_task(task);
}

static void io_pool_retry_timer(struct timer_list *timer)
{
	struct io_pool *pool = from_timer(pool, timer, retry_timer);

	/* The owner destroys its pool before it stops to take task_work. */
	WARN_ON_ONCE(task_work_add(pool->owner, &pool->retry_work, TWA_SIGNAL));
}

static void io_pool_retry(struct callback_head *cb)
{
	struct io_pool *pool = container_of(cb, struct io_pool, retry_work);
	bool make[IO_POOL_NR_CLASSES];
	unsigned int i;

	if (pool->orphan) {
		kfree(pool);
		return;
	}
	raw_spin_lock(&pool->lock);
	pool->retrying = false;
	for (i = 0; i < IO_POOL_NR_CLASSES; i++)
		make[i] = io_class_reserve(&pool->classes[i], false);
	if (!make[IO_POOL_CLASS_BOUND] && !make[IO_POOL_CLASS_UNBOUND])
		pool->nr_failures = 0;
	raw_spin_unlock(&pool->lock);
	for (i = 0; i < IO_POOL_NR_CLASSES; i++)
		if (make[i])
			io_pool_make_worker(&pool->classes[i], false);
}

/**
 * io_pool_retry_init - set up what makes the owner try again to make a worker
 * @pool: the pool
 */
void io_pool_retry_init(struct io_pool *pool)
{
	timer_setup(&pool->retry_timer, io_pool_retry_timer, 0);
	init_task_work(&pool->retry_work, io_pool_retry);
}

/* Scheduler hooks */

/**
 * io_wq_worker_sleeping - an I/O thread is about to sleep: let another worker go on
 * @tsk: current, PF_IO_WORKER
 *
 * Context: schedule(), preemptible, must not sleep.
 */
void io_wq_worker_sleeping(struct task_struct *tsk)
{
	struct io_worker *worker = tsk->worker_private;

	if (!worker || !worker->watched)
		return;
	raw_spin_lock(&worker->pool->lock);
	if (worker->state == IO_WORKER_RUNNING) {
		io_worker_set_state(worker, IO_WORKER_BLOCKED);
		io_class_kick(worker->class);
	}
	raw_spin_unlock(&worker->pool->lock);
}

/**
 * io_wq_worker_running - an I/O thread has slept
 * @tsk: current, PF_IO_WORKER
 *
 * Context: schedule(), preemptible, must not sleep.
 */
void io_wq_worker_running(struct task_struct *tsk)
{
	struct io_worker *worker = tsk->worker_private;

	if (!worker || !worker->watched)
		return;
	raw_spin_lock(&worker->pool->lock);
	if (worker->state == IO_WORKER_BLOCKED)
		io_worker_set_state(worker, IO_WORKER_RUNNING);
	raw_spin_unlock(&worker->pool->lock);
}

static int io_pool_cpu_online(unsigned int cpu)
{
	/* CPUs come online one at a time. */
	WRITE_ONCE(io_pool_nr_online, io_pool_nr_online + 1);
	return 0;
}

static int __init io_pool_init(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "io_uring/pool:online",
					io_pool_cpu_online, NULL);
	return ret < 0 ? ret : 0;
}
subsys_initcall(io_pool_init);
