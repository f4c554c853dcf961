// SPDX-License-Identifier: GPL-2.0
/*
 * Finding requests and stopping them, for cancel requests, deadlines, and the end of tasks and
 * rings.
 *
 * Transitions: ARMED, QUEUED -> INBOX.
 *
 * A request that can be stopped is in one of two places: in the registry, where it is stopped by
 * whatever it waits for, or in the worker pool of its task. One that a worker has armed is in both
 * until the worker is done with it; the pool then leaves it to the registry. One that a worker is
 * about to arm is interrupted in the pool, and looks for that after it was armed: see
 * io_stop_interrupted().
 *
 * All of it happens under the ring lock. Nothing is completed here: who is stopped comes to its
 * inbox, with one exception in drivers, which may complete any of their commands when asked to
 * give up one.
 */
#include <linux/file.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "batch.h"
#include "cancel.h"
#include "inbox.h"
#include "op.h"
#include "pool.h"
#include "punt.h"
#include "registry.h"
#include "request.h"
#include "rsrc.h"
#include "run.h"
#include "stop.h"
#include "wake.h"

#define IO_CANCEL_FLAGS	(IORING_ASYNC_CANCEL_ALL | IORING_ASYNC_CANCEL_FD | \
			 IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_FD_FIXED | \
			 IORING_ASYNC_CANCEL_USERDATA | IORING_ASYNC_CANCEL_OP)

/* Those that mean every request that matches */
#define IO_CANCEL_SEVERAL	(IORING_ASYNC_CANCEL_ALL | IORING_ASYNC_CANCEL_ANY)

/* A waiter that nobody wakes, as the request it waits for leaves no CQE, looks this often. */
#define IO_CANCEL_INTERVAL	(100 * NSEC_PER_MSEC)

/**
 * struct io_cancel_pass - one walk over the requests of a ring
 * @ctx: the ring
 * @match: tells which requests are meant
 * @what: for @match: criteria of a cancel request
 * @only: for @match: the one request that is meant
 * @self: not this one, which does the cancelling
 * @node: only what this task submitted; NULL: all
 * @all: every match; otherwise the first one that can be stopped
 * @exit: drivers are asked too
 * @found: requests that matched
 * @stopped: of them at least so many will end as cancelled
 * @running: of them at least so many are with a worker that was interrupted, or with their event
 */
struct io_cancel_pass {
	struct io_ring_ctx *ctx;
	bool (*match)(const struct io_kiocb *req, const struct io_cancel_pass *pass);
	const struct io_cancel *what;
	const struct io_kiocb *only;
	const struct io_kiocb *self;
	const struct io_task_node *node;
	bool all;
	bool exit;
	unsigned int found;
	unsigned int stopped;
	unsigned int running;
};

/* The file that a request works on, or NULL if it has none, or not yet */
static struct file *io_req_file(const struct io_kiocb *req)
{
	if (!(io_op_of(req)->attrs & IO_OP_FILE) ||
	    !(READ_ONCE(req->flags) & (IO_REQ_FILE | IO_REQ_FILE_NODE)))
		return NULL;
	return req->file;
}

/**
 * io_cancel_check - are the criteria of a cancel request well-formed?
 * @what: the criteria
 *
 * Return: 0 or -EINVAL.
 */
int io_cancel_check(const struct io_cancel *what)
{
	u32 flags = what->flags;

	if (flags & ~IO_CANCEL_FLAGS)
		return -EINVAL;
	if ((flags & IORING_ASYNC_CANCEL_ANY) &&
	    (flags & (IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_OP)))
		return -EINVAL;
	if ((flags & IORING_ASYNC_CANCEL_OP) && what->opcode >= IORING_OP_LAST)
		return -EINVAL;
	return 0;
}

/* Does every request that is meant have the same user_data? */
static bool io_cancel_by_key(const struct io_cancel *what)
{
	if (what->flags & IORING_ASYNC_CANCEL_ANY)
		return false;
	return (what->flags & IORING_ASYNC_CANCEL_USERDATA) ||
	       !(what->flags & (IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_OP));
}

/**
 * io_cancel_match - is this a request that a cancel request means?
 * @req: the request
 * @what: the criteria; all that are given have to hold
 *
 * Context: any in which @req is stable; does not sleep.
 */
bool io_cancel_match(const struct io_kiocb *req, const struct io_cancel *what)
{
	u32 flags = what->flags;

	if (flags & IORING_ASYNC_CANCEL_ANY)
		return true;
	if (flags & IORING_ASYNC_CANCEL_FD) {
		if ((io_op_of(req)->attrs & IO_OP_NO_FD_CANCEL) || io_req_file(req) != what->file)
			return false;
	}
	if ((flags & IORING_ASYNC_CANCEL_OP) && req->opcode != what->opcode)
		return false;
	return !io_cancel_by_key(what) || req->cqe.user_data == what->user_data;
}

static bool io_match_what(const struct io_kiocb *req, const struct io_cancel_pass *pass)
{
	return io_cancel_match(req, pass->what);
}

static bool io_match_only(const struct io_kiocb *req, const struct io_cancel_pass *pass)
{
	return req == pass->only;
}

static bool io_match_any(const struct io_kiocb *req, const struct io_cancel_pass *pass)
{
	return true;
}

/*
 * Does it have to end with its task? It may keep a ring open whose end is what it waits for, or
 * wait for what goes with the task. A driver is told that nobody serves its command any more.
 */
static bool io_match_with_task(const struct io_kiocb *req, const struct io_cancel_pass *pass)
{
	struct file *file = io_req_file(req);

	return (io_op_of(req)->attrs & IO_OP_WITH_TASK) || req->armed == IO_ARMED_CMD ||
	       (file && io_is_uring_fops(file));
}

static bool io_cancel_wants(const struct io_cancel_pass *pass, const struct io_kiocb *req)
{
	if (req == pass->self || (pass->node && req->node != pass->node))
		return false;
	return pass->match(req, pass);
}

/* Walk one list of the registry. */
static void io_cancel_list(struct io_cancel_pass *pass, struct hlist_head *head)
{
	struct hlist_node *tmp;
	struct io_kiocb *req;

	hlist_for_each_entry_safe(req, tmp, head, armed_entry) {
		if (!io_can_stop(req, pass->exit) || !io_cancel_wants(pass, req))
			continue;
		if (!io_stop(req)) {
			/* A driver that keeps its command is told once, and not waited for. */
			if (req->armed != IO_ARMED_CMD || pass->match == io_match_any) {
				pass->found++;
				pass->running++;
			}
			continue;
		}
		pass->found++;
		pass->stopped++;
		if (!pass->all)
			return;
	}
}

static bool io_cancel_match_work(struct io_pool_work *work, void *data)
{
	const struct io_kiocb *req = io_work_req(work);
	const struct io_cancel_pass *pass = data;

	if (req->ctx != pass->ctx || req->stopped || io_can_stop(req, pass->exit))
		return false;
	return io_cancel_wants(pass, req);
}

/* Look into the worker pool of a task. */
static void io_cancel_pool(struct io_cancel_pass *pass, struct io_task_node *node)
{
	struct io_pool *pool;
	unsigned int nr;

	/* A task leaves its rings, which takes their locks, before its pool goes. */
	if (node->detached)
		return;
	pool = READ_ONCE(node->tctx->pool);
	if (!pool)
		return;
	switch (io_pool_cancel(pool, io_cancel_match_work, pass, pass->all, &nr)) {
	case IO_POOL_NOT_FOUND:
		return;
	case IO_POOL_DEQUEUED:
		pass->stopped += nr;
		break;
	case IO_POOL_RUNNING:
		pass->running++;
		break;
	}
	pass->found += nr;
}

/* Find and stop. @key: only requests with this user_data can match; NULL: any. */
static void io_cancel_walk(struct io_cancel_pass *pass, const u64 *key)
{
	struct io_ring_ctx *ctx = pass->ctx;
	struct io_registry *reg = &ctx->registry;
	struct io_task_node *node;
	unsigned int i;

	lockdep_assert_held(&ctx->lock);
	if (key) {
		io_cancel_list(pass, io_registry_head(reg, *key));
	} else {
		for (i = 0; i < io_registry_size(reg) && reg->nr; i++) {
			io_cancel_list(pass, &reg->table[i]);
			if (!pass->all && pass->stopped)
				break;
			cond_resched();
		}
	}
	list_for_each_entry(node, &ctx->nodes, entry) {
		if (!pass->all && pass->stopped)
			break;
		if (!pass->node || pass->node == node)
			io_cancel_pool(pass, node);
	}
}

/* Find the file of a cancel by file. */
static int io_cancel_get_file(struct io_ring_ctx *ctx, struct io_cancel *what)
{
	struct io_rsrc_node *node;

	what->file = NULL;
	if (!(what->flags & IORING_ASYNC_CANCEL_FD))
		return 0;
	if (what->flags & IORING_ASYNC_CANCEL_FD_FIXED) {
		node = io_rsrc_lookup(&ctx->files.data, what->fd);
		if (node)
			what->file = get_file(node->file);
	} else {
		what->file = fget(what->fd);
	}
	return what->file ? 0 : -EBADF;
}

static void io_cancel_put_file(struct io_cancel *what)
{
	if (what->file)
		fput(what->file);
}

static struct io_cancel_pass io_cancel_once(struct io_ring_ctx *ctx, const struct io_cancel *what,
					    const struct io_kiocb *self)
{
	struct io_cancel_pass pass = {
		.ctx = ctx,
		.match = io_match_what,
		.what = what,
		.self = self,
		.all = what->flags & IO_CANCEL_SEVERAL,
	};

	io_cancel_walk(&pass, io_cancel_by_key(what) ? &what->user_data : NULL);
	return pass;
}

static int io_cancel_result(const struct io_cancel_pass *pass)
{
	if (pass->all)
		return min_t(unsigned int, pass->found, INT_MAX);
	if (pass->stopped)
		return 0;
	return pass->running ? -EALREADY : -ENOENT;
}

/**
 * io_cancel - cancel what a cancel request means
 * @ctx: the ring
 * @what: the criteria, checked
 * @self: the cancel request, or NULL
 *
 * Context: ring lock held; the submitter or its worker, for the look-up of a file; may sleep.
 * Return: with ALL or ANY the number of matches. Otherwise 0: one was cancelled; -ENOENT: none
 *	was found; -EALREADY: found, and running, so it was only interrupted, or about to end.
 *	-EBADF: no such file.
 */
int io_cancel(struct io_ring_ctx *ctx, struct io_cancel *what, const struct io_kiocb *self)
{
	struct io_cancel_pass pass;
	int ret;

	ret = io_cancel_get_file(ctx, what);
	if (ret)
		return ret;
	pass = io_cancel_once(ctx, what, self);
	io_cancel_put_file(what);
	return io_cancel_result(&pass);
}

/**
 * io_cancel_request - cancel one request
 * @req: the request
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EALREADY or -ENOENT, as io_cancel().
 */
int io_cancel_request(struct io_kiocb *req)
{
	struct io_cancel_pass pass = {
		.ctx = req->ctx,
		.match = io_match_only,
		.only = req,
	};

	lockdep_assert_held(&req->ctx->lock);
	if (io_can_stop(req, false))
		return io_stop(req) ? 0 : -EALREADY;
	io_cancel_pool(&pass, req->node);
	return io_cancel_result(&pass);
}

/**
 * io_cancel_task - cancel for a task or ring that goes away
 * @ctx: the ring
 * @node: only what this task submitted; NULL: everything
 * @all: false: only requests that must not outlive their task
 *
 * Commands that drivers have marked are included. Requests held back by a drain are not.
 *
 * Context: ring lock held; may sleep.
 * Return: true if anything was found, whether it could be stopped or not.
 */
bool io_cancel_task(struct io_ring_ctx *ctx, struct io_task_node *node, bool all)
{
	struct io_cancel_pass pass = {
		.ctx = ctx,
		.match = all ? io_match_any : io_match_with_task,
		.node = node,
		.all = true,
		.exit = true,
	};

	io_cancel_walk(&pass, NULL);
	return pass.found;
}

/*
 * Sleep until the ring has new CQEs, or something for current to run, and run that. The ring lock
 * is dropped meanwhile.
 */
static int io_cancel_wait(struct io_ring_ctx *ctx, ktime_t deadline)
{
	bool deferred = ctx->flags & IORING_SETUP_DEFER_TASKRUN;
	u32 tail = ctx->cq_tail;
	DEFINE_WAIT(wait);

	io_listen(ctx);
	io_ring_unlock(ctx);
	prepare_to_wait(&ctx->cq_wait, &wait, TASK_INTERRUPTIBLE);
	if (deferred)
		io_inbox_arm(&ctx->inbox, ctx, 1);
	if (READ_ONCE(ctx->cq_tail) == tail && !io_run_pending(ctx)) {
		ktime_t until = min(deadline, ktime_add_ns(ktime_get(), IO_CANCEL_INTERVAL));

		schedule_hrtimeout(&until, HRTIMER_MODE_ABS);
	}
	if (deferred)
		io_inbox_disarm(&ctx->inbox);
	finish_wait(&ctx->cq_wait, &wait);
	io_unlisten(ctx);
	io_run_all();
	io_ring_lock(ctx);
	if (deferred)
		io_run_deferred(ctx, UINT_MAX, IO_HOW_NONBLOCK | IO_HOW_LOCKED);
	return task_sigpending(current) ? -EINTR : 0;
}

/* Cancel, and wait until no worker and no event is at work on anything that matches. */
static int io_cancel_and_wait(struct io_ring_ctx *ctx, const struct io_cancel *what,
			      ktime_t deadline)
{
	struct io_cancel_pass pass = io_cancel_once(ctx, what, NULL);
	int ret = io_cancel_result(&pass);

	if (!pass.running)
		return ret;
	while (pass.running) {
		int err;

		if (ktime_compare(ktime_get(), deadline) >= 0)
			return -ETIME;
		err = io_cancel_wait(ctx, deadline);
		if (err)
			return err;
		pass = io_cancel_once(ctx, what, NULL);
	}
	return max(ret, 0);
}

static ktime_t io_cancel_deadline(const struct __kernel_timespec *ts)
{
	struct timespec64 t = { .tv_sec = ts->tv_sec, .tv_nsec = ts->tv_nsec };

	if (t.tv_sec == -1 && t.tv_nsec == -1)
		return KTIME_MAX;
	if (t.tv_sec < 0 || t.tv_nsec < 0)
		return 0;
	return ktime_add_safe(ktime_get(), timespec64_to_ktime(t));
}

/**
 * io_sync_cancel - IORING_REGISTER_SYNC_CANCEL
 * @ctx: the ring
 * @arg: struct io_uring_sync_cancel_reg
 *
 * Context: ring lock held, dropped while waiting; may sleep.
 * Return: as io_cancel(), but where requests were running: 0, or with ALL or ANY the number of
 *	matches, when they have ended; -ETIME; -EINTR. -EINVAL: flags, padding; -EFAULT.
 */
int io_sync_cancel(struct io_ring_ctx *ctx, void __user *arg)
{
	struct io_uring_sync_cancel_reg reg;
	struct io_cancel what;
	int ret;

	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	if (memchr_inv(reg.pad, 0, sizeof(reg.pad)) || memchr_inv(reg.pad2, 0, sizeof(reg.pad2)))
		return -EINVAL;
	what = (struct io_cancel) {
		.user_data = reg.addr,
		.flags = reg.flags,
		.fd = reg.fd,
		.opcode = reg.opcode,
	};
	ret = io_cancel_check(&what);
	if (ret)
		return ret;
	ret = io_cancel_get_file(ctx, &what);
	if (ret)
		return ret;
	ret = io_cancel_and_wait(ctx, &what, io_cancel_deadline(&reg.timeout));
	io_cancel_put_file(&what);
	return ret;
}
