// SPDX-License-Identifier: GPL-2.0
/*
 * WAITID.
 *
 * Transitions: ISSUED, INBOX -> ARMED; ARMED -> INBOX (a child changed, or cancelled).
 *
 * Whose children are meant is known from current, so the request is issued by the task that
 * submitted it, never by a worker, and ends with that task.
 *
 * While it waits it has an entry in the queue that children wake. As with poll.c one word says who
 * may push it:
 *
 *	wake-up		sets EVENT and BUSY, and pushes if it was not BUSY
 *	cancel		sets STOP and BUSY, and pushes if it was not BUSY
 *	lock holder	is BUSY from the inbox on; clears EVENT, looks for a child, and clears BUSY
 *			again, which fails if EVENT or STOP was set since
 *
 * The entry stays in the queue until the request ends. It is taken off with the lock of the queue,
 * which a wake-up holds until its last access to the request.
 */
#include <linux/io_uring_types.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <linux/wait.h>
#include <uapi/linux/wait.h>

#include "../../kernel/exit.h"
#include "../inbox.h"
#include "../registry.h"
#include "../request.h"
#include "waitid.h"

#define IO_WAITID_BUSY	1
#define IO_WAITID_EVENT	2
#define IO_WAITID_STOP	4

/**
 * struct io_waitid - WAITID
 * @file: not used
 * @infop: where the siginfo goes, or NULL
 * @info: what is known of the child
 * @state: IO_WAITID_* (A)
 * @which: P_*
 * @upid: the child, process group or pidfd
 * @options: W*
 */
struct io_waitid {
	struct file		*file;
	void __user		*infop;
	struct waitid_info	info;
	atomic_t		state;
	int			which;
	pid_t			upid;
	int			options;
};

/**
 * struct io_waitid_async - what the search for a child works with
 * @req: the request
 * @wo: its arguments, and the entry in the queue (W)
 */
struct io_waitid_async {
	struct io_kiocb		*req;
	struct wait_opts	wo;
};

/**
 * io_waitid_prep - read the SQE of WAITID
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int io_waitid_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_waitid *w = io_op_data(req, struct io_waitid);
	struct io_waitid_async *async;

	if (READ_ONCE(sqe->addr) || READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->addr3) ||
	    READ_ONCE(sqe->waitid_flags))
		return -EINVAL;
	w->which = READ_ONCE(sqe->len);
	w->upid = READ_ONCE(sqe->fd);
	w->options = READ_ONCE(sqe->file_index);
	w->infop = u64_to_user_ptr(READ_ONCE(sqe->addr2));
	memset(&w->info, 0, sizeof(w->info));
	async = io_req_alloc_data(req, sizeof(*async));
	if (!async)
		return -ENOMEM;
	async->req = req;
	return 0;
}

static bool io_waitid_put(struct io_kiocb *req, const struct kernel_siginfo *info)
{
	void __user *infop = io_op_data(req, struct io_waitid)->infop;

#ifdef CONFIG_COMPAT
	if (req->ctx->compat)
		return !copy_siginfo_to_user32(infop, info);
#endif
	return !copy_siginfo_to_user(infop, info);
}

/* Tell the application. @ret: the child, 0 or an errno */
static enum io_outcome io_waitid_done(struct io_kiocb *req, long ret)
{
	struct io_waitid *w = io_op_data(req, struct io_waitid);
	struct kernel_siginfo info;

	clear_siginfo(&info);
	if (ret > 0) {
		info.si_signo = SIGCHLD;
		info.si_code = w->info.cause;
		info.si_pid = w->info.pid;
		info.si_uid = w->info.uid;
		info.si_status = w->info.status;
	}
	if (w->infop && !io_waitid_put(req, &info))
		ret = -EFAULT;
	io_set_status(req, min(ret, 0L));
	return IO_DONE;
}

/* The request waits no more. */
static void io_waitid_leave(struct io_kiocb *req)
{
	struct io_waitid_async *async = req->async_data;

	remove_wait_queue(&req->node->task->signal->wait_chldexit, &async->wo.child_wait);
	if (req->armed)
		io_registry_del(req);
}

/* A child of the process changed. Lock of the queue held, interrupts off. */
static int io_waitid_woken(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	struct wait_opts *wo = container_of(entry, struct wait_opts, child_wait);
	struct io_kiocb *req = container_of(wo, struct io_waitid_async, wo)->req;
	struct io_waitid *w = io_op_data(req, struct io_waitid);

	if (!pid_child_should_wake(wo, key))
		return 0;
	/* (waitid-event) set, after the change; pairs with io_waitid_look() */
	if (atomic_fetch_or(IO_WAITID_BUSY | IO_WAITID_EVENT, &w->state) & IO_WAITID_BUSY)
		return 1;
	io_inbox_push(req, IO_KIND_EVENT, true);
	return 1;
}

/* Look for a child, and wait if there is none. The request is BUSY. */
static enum io_outcome io_waitid_look(struct io_kiocb *req)
{
	struct io_waitid *w = io_op_data(req, struct io_waitid);
	struct io_waitid_async *async = req->async_data;
	long ret;

	do {
		atomic_andnot(IO_WAITID_EVENT, &w->state);
		/* (waitid-event) clear, then look; pairs with io_waitid_woken() */
		smp_mb__after_atomic();
		ret = __do_wait(&async->wo);
		if (ret != -ERESTARTSYS) {
			io_waitid_leave(req);
			/* A pidfd that does not wait, though the options let it */
			if (!ret && (async->wo.wo_flags & WNOHANG) && !(w->options & WNOHANG))
				ret = -EAGAIN;
			return io_waitid_done(req, ret);
		}
		if (!req->armed)
			io_registry_add(req, IO_ARMED_OP);
	} while (atomic_cmpxchg(&w->state, IO_WAITID_BUSY, 0) != IO_WAITID_BUSY);
	return IO_PENDING;
}

/**
 * io_waitid_issue - look for a child, and start to wait for one
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_waitid_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_waitid *w = io_op_data(req, struct io_waitid);
	struct io_waitid_async *async = req->async_data;
	long ret;

	if (how & IO_HOW_WORKER)
		return IO_REQUEUE;
	ret = kernel_waitid_prepare(&async->wo, w->which, w->upid, &w->info, w->options, NULL);
	if (ret) {
		io_set_status(req, ret);
		return IO_DONE;
	}
	req->flags |= IO_REQ_CLEANUP;
	atomic_set(&w->state, IO_WAITID_BUSY);
	init_waitqueue_func_entry(&async->wo.child_wait, io_waitid_woken);
	async->wo.child_wait.private = current;
	add_wait_queue(&current->signal->wait_chldexit, &async->wo.child_wait);
	return io_waitid_look(req);
}

/**
 * io_waitid_event - a child changed, or the wait was cancelled
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held; may sleep.
 */
enum io_outcome io_waitid_event(struct io_kiocb *req, unsigned int how)
{
	struct io_waitid *w = io_op_data(req, struct io_waitid);

	if (likely(!(atomic_read(&w->state) & IO_WAITID_STOP) && !(how & IO_HOW_DEAD))) {
		io_req_move(req, IO_REQ_ARMED);
		return io_waitid_look(req);
	}
	io_waitid_leave(req);
	if (how & IO_HOW_DEAD) {
		io_set_fail(req, -ECANCELED);
		return IO_DONE;
	}
	return io_waitid_done(req, -ECANCELED);
}

/**
 * io_waitid_cancel - stop a wait
 * @req: the request, in the registry; it leaves it
 *
 * Context: ring lock held.
 * Return: true: it ends as -ECANCELED.
 */
bool io_waitid_cancel(struct io_kiocb *req)
{
	struct io_waitid *w = io_op_data(req, struct io_waitid);
	int old = atomic_fetch_or(IO_WAITID_BUSY | IO_WAITID_STOP, &w->state);

	io_registry_del(req);
	if (!(old & IO_WAITID_BUSY))
		io_inbox_push(req, IO_KIND_EVENT, true);
	return true;
}

/**
 * io_waitid_cleanup - forget whom it was about
 * @req: the request
 *
 * Context: ring lock held.
 */
void io_waitid_cleanup(struct io_kiocb *req)
{
	struct io_waitid_async *async = req->async_data;

	put_pid(async->wo.wo_pid);
}
