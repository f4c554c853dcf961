// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting on a file: POLL_ADD, and the retry of whatever would block.
 *
 * Transitions: ISSUED, INBOX -> ARMED; ARMED -> INBOX (woken, or stopped).
 *
 * A request in a wait queue is known to three sides: wake-ups, which come in any context and any
 * number, the ring lock holder, who looks at the file and re-arms, and cancels, which hold the
 * ring lock too. One word decides who may push the request to its inbox:
 *
 *	wake-up		sets EVENT and BUSY, and pushes if it was not BUSY
 *	cancel		sets STOP and BUSY, and pushes if it was not BUSY
 *	lock holder	is BUSY from the inbox on; clears EVENT, looks at the file, and clears BUSY
 *			again, which fails if EVENT or STOP was set since
 *
 * So an event is looked at by exactly one owner, and none is lost:
 *
 *	wake-up				lock holder
 *	condition becomes true		clear EVENT
 *	set EVENT (full barrier)	(full barrier) look at the condition
 *
 * A wake-up runs with the lock of the wait queue held. Its last access to the request is to clear
 * wait->head, if it takes the entry off, or its push. Taking the entries off, which is done before
 * the request completes or is armed anew, needs the same lock, unless head is already NULL: so no
 * wake-up is left behind. The queue itself may disappear if its owner says so by POLLFREE, which
 * clears head too; an RCU read section keeps its memory while it is being locked.
 */
#include <linux/io_uring_types.h>
#include <linux/slab.h>
#include <trace/events/io_uring.h>

#include "batch.h"
#include "poll.h"
#include "registry.h"

/* So often is a request armed that never gets what it waits for. */
#define IO_POLL_RETRIES	128

/**
 * struct io_poll_table - what goes through ->poll of a file to io_poll_queue_proc()
 * @pt: the part that files know
 * @req: the request
 * @poll: its wait
 * @wake: callback of the entries
 * @heads: queues that it was added to
 * @nr: how many
 * @error: why it could not be added to all
 */
struct io_poll_table {
	struct poll_table_struct pt;
	struct io_kiocb *req;
	struct io_poll *poll;
	wait_queue_func_t wake;
	struct wait_queue_head *heads[2];
	unsigned int nr;
	int error;
};

/* Not to be woken lazily: what others wait for that this one gets, or does when it is run. */
static bool io_poll_single(const struct io_kiocb *req, __poll_t events, enum io_inbox_kind kind)
{
	if (events & EPOLLEXCLUSIVE)
		return false;
	return kind == IO_KIND_EVENT || (req->ctx->flags & IORING_SETUP_DEFER_TASKRUN);
}

/**
 * io_poll_woken - the wait queue of a file calls
 * @req: the request that waits in it
 * @poll: its wait
 * @entry: its place in the queue
 * @key: events that the caller knows to have happened, 0: anything
 * @kind: what to push the request as
 *
 * Context: any, hard interrupts included; lock of the queue held.
 * Return: 1 if the call counts as an exclusive wake-up.
 */
int io_poll_woken(struct io_kiocb *req, struct io_poll *poll, struct wait_queue_entry *entry,
		  void *key, enum io_inbox_kind kind)
{
	struct io_poll_wait *wait = container_of(entry, struct io_poll_wait, entry);
	__poll_t mask = key_to_poll(key), events = READ_ONCE(poll->events);
	int set = IO_POLL_BUSY | IO_POLL_EVENT, old;

	if (mask && !(mask & (events | POLLFREE)))
		return 0;
	if (unlikely(mask & POLLFREE))
		set |= IO_POLL_STOP;
	if (mask & EPOLL_URING_WAKE)
		set |= IO_POLL_LAST;
	/* (poll-event) set, after the condition; pairs with io_poll_look() */
	old = atomic_fetch_or(set, &poll->state);

	if ((mask && (events & EPOLLONESHOT)) || unlikely(mask & POLLFREE)) {
		list_del_init(&entry->entry);
		/* (poll-head) off the list before head says so; pairs with io_poll_leave() */
		smp_store_release(&wait->head, NULL);
	}
	if (!(old & IO_POLL_BUSY)) {
		trace_io_uring_task_add(req, (__force int)mask);
		io_inbox_push(req, kind, io_poll_single(req, events, kind));
	}
	return !(old & IO_POLL_STOP);
}

static int io_poll_wake_retry(struct wait_queue_entry *entry, unsigned int mode, int flags,
			      void *key)
{
	struct io_kiocb *req = entry->private;

	return io_poll_woken(req, &req->poll->poll, entry, key, IO_KIND_POLL);
}

/* Place for a second wait queue, which few files have */
static struct io_poll_wait *io_poll_second(struct io_kiocb *req)
{
	if (!(req->flags & IO_REQ_POLLED)) {
		req->poll = kzalloc(sizeof(*req->poll), GFP_ATOMIC | __GFP_ACCOUNT);
		if (!req->poll)
			return NULL;
		req->flags |= IO_REQ_POLLED;
	}
	return &req->poll->second;
}

/* A file adds us to one of its wait queues. */
static void io_poll_queue_proc(struct file *file, struct wait_queue_head *head,
			       struct poll_table_struct *pt)
{
	struct io_poll_table *table = container_of(pt, struct io_poll_table, pt);
	struct io_poll_wait *wait = &table->poll->wait;
	unsigned int i;

	for (i = 0; i < table->nr; i++) {
		if (table->heads[i] == head)
			return;
	}
	if (unlikely(table->nr)) {
		wait = table->nr == 1 ? io_poll_second(table->req) : NULL;
		if (!wait) {
			table->error = table->nr == 1 ? -ENOMEM : -EINVAL;
			return;
		}
	}
	table->heads[table->nr++] = head;

	init_waitqueue_func_entry(&wait->entry, table->wake);
	wait->entry.private = table->req;
	INIT_LIST_HEAD(&wait->entry.entry);
	wait->head = head;
	if (table->poll->events & EPOLLEXCLUSIVE)
		add_wait_queue_exclusive(head, &wait->entry);
	else
		add_wait_queue(head, &wait->entry);
}

static void io_poll_leave(struct io_poll_wait *wait)
{
	/* (poll-head) read, then free what the entry is part of; pairs with io_poll_woken() */
	struct wait_queue_head *head = smp_load_acquire(&wait->head);

	if (!head)
		return;
	spin_lock_irq(&head->lock);
	list_del_init(&wait->entry.entry);
	wait->head = NULL;
	spin_unlock_irq(&head->lock);
}

/**
 * io_poll_unqueue - leave all wait queues
 * @req: the request, BUSY
 * @poll: its wait
 *
 * No wake-up looks at the request any more on return.
 *
 * Context: ring lock held.
 */
void io_poll_unqueue(struct io_kiocb *req, struct io_poll *poll)
{
	/* A queue freed after POLLFREE stays until we are out of here. */
	guard(rcu)();
	io_poll_leave(&poll->wait);
	if (req->flags & IO_REQ_POLLED)
		io_poll_leave(&req->poll->second);
}

/**
 * io_poll_enqueue - enter the wait queues of the file, and look at it
 * @req: the request, BUSY, in no queue
 * @poll: its wait; events is set
 * @wake: callback, whose entry has the request as private member
 * @ready: set to those events that are there already. With EPOLLONESHOT the request is in no
 *	queue then.
 *
 * Context: ring lock held; may sleep.
 * Return: 0, or a negative errno with the request in no queue: -EINVAL if the file has more than
 *	two queues, or no event and no queue either; -ENOMEM.
 */
int io_poll_enqueue(struct io_kiocb *req, struct io_poll *poll, wait_queue_func_t wake,
		    __poll_t *ready)
{
	struct io_poll_table table = { .req = req, .poll = poll, .wake = wake };
	__poll_t mask;

	lockdep_assert_held(&req->ctx->lock);
	poll->wait.head = NULL;
	init_poll_funcptr(&table.pt, io_poll_queue_proc);
	table.pt._key = poll->events;
	mask = vfs_poll(req->file, &table.pt) & poll->events;

	if (unlikely(table.error || !(table.nr || mask))) {
		io_poll_unqueue(req, poll);
		return table.error ?: -EINVAL;
	}
	trace_io_uring_poll_arm(req, (__force int)mask, (__force int)poll->events);
	if (mask && (poll->events & EPOLLONESHOT))
		io_poll_unqueue(req, poll);
	*ready = mask;
	return 0;
}

/**
 * io_poll_look - ask the file which events are there
 * @req: the request, BUSY
 * @poll: its wait
 *
 * Context: ring lock held; may sleep.
 * Return: those of the events waited for that are there.
 */
__poll_t io_poll_look(struct io_kiocb *req, struct io_poll *poll)
{
	struct poll_table_struct pt = { ._key = poll->events };

	/* (poll-event) clear, then look; pairs with io_poll_woken() */
	atomic_fetch_andnot(IO_POLL_EVENT, &poll->state);
	return vfs_poll(req->file, &pt) & poll->events;
}

/**
 * io_poll_let_wait - nothing to do at the moment: wait for the next event
 * @req: the request, BUSY, in its wait queues and in the registry. Not ours any more on return.
 * @poll: its wait
 * @kind: what to push it as, if there was an event since the file was looked at
 *
 * Context: ring lock held.
 */
void io_poll_let_wait(struct io_kiocb *req, struct io_poll *poll, enum io_inbox_kind kind)
{
	int old = atomic_read(&poll->state);

	do {
		if (unlikely(old & (IO_POLL_EVENT | IO_POLL_STOP))) {
			io_inbox_push(req, kind, io_poll_single(req, poll->events, kind));
			return;
		}
	} while (!atomic_try_cmpxchg(&poll->state, &old, old & ~IO_POLL_BUSY));
}

/* Wake the next one in an exclusive queue */
static void io_poll_wake_next(struct file *file, struct wait_queue_head *head,
			      struct poll_table_struct *pt)
{
	__wake_up(head, TASK_NORMAL, 1, poll_to_key(pt->_key & IO_POLL_EVENTS));
}

/**
 * io_poll_stopped - end a request that was cancelled, or whose task is gone
 * @req: the request, BUSY
 * @poll: its wait
 *
 * Context: ring lock held; may sleep.
 * Return: IO_DONE, result set.
 */
enum io_outcome io_poll_stopped(struct io_kiocb *req, struct io_poll *poll)
{
	int state = atomic_read(&poll->state);

	io_poll_unqueue(req, poll);
	if (req->armed)
		io_registry_del(req);
	if ((poll->events & EPOLLEXCLUSIVE) && (state & IO_POLL_EVENT)) {
		struct poll_table_struct pt = {
			._qproc = io_poll_wake_next,
			._key = poll->events,
		};

		/* It was woken instead of another one, who still waits for the same event. */
		vfs_poll(req->file, &pt);
	}
	io_set_fail(req, -ECANCELED);
	return IO_DONE;
}

/**
 * io_poll_stop - cancel a request that waits, or whose event is in the inbox
 * @req: the request, in the registry; it leaves it
 * @poll: its wait
 * @kind: what to push it as
 *
 * Context: ring lock held.
 */
void io_poll_stop(struct io_kiocb *req, struct io_poll *poll, enum io_inbox_kind kind)
{
	int old = atomic_fetch_or(IO_POLL_BUSY | IO_POLL_STOP, &poll->state);

	io_registry_del(req);
	if (!(old & IO_POLL_BUSY))
		io_inbox_push(req, kind, true);
}

/**
 * io_poll_cancel - stop a request that io_poll_arm() armed
 * @req: the request, in the registry; it leaves it
 *
 * Context: ring lock held.
 * Return: true: it will end as -ECANCELED.
 */
bool io_poll_cancel(struct io_kiocb *req)
{
	io_poll_stop(req, &req->poll->poll, IO_KIND_POLL);
	return true;
}

/* May the request be armed once more? Allocates what it takes. */
static bool io_poll_may_arm(struct io_kiocb *req)
{
	struct io_poll_arm *arm = req->poll;
	u32 cq_tail = req->ctx->cq_tail;

	if (!(req->flags & IO_REQ_POLLED)) {
		arm = kmalloc(sizeof(*arm), GFP_KERNEL_ACCOUNT);
		if (!arm)
			return false;
		arm->second.head = NULL;
		arm->second.entry.private = NULL;
		arm->left = IO_POLL_RETRIES;
		req->poll = arm;
		req->flags |= IO_REQ_POLLED;
	} else if ((req->flags & IO_REQ_MULTISHOT) && arm->cq_tail != cq_tail) {
		/* It makes progress, or others do meanwhile, so it does not spin. */
		arm->left = IO_POLL_RETRIES;
	} else if (!--arm->left) {
		req->flags |= IO_REQ_RETRY_BOUND;
		return false;
	}
	arm->cq_tail = cq_tail;
	return true;
}

/* What the retry of an operation waits for */
static __poll_t io_poll_retry_events(const struct io_kiocb *req)
{
	unsigned int attrs = io_op_of(req)->attrs;
	__poll_t events = EPOLLONESHOT | EPOLLPRI | IO_POLL_ALWAYS;

	if ((attrs & IO_OP_POLLIN) && !(req->flags & IO_REQ_POLL_ERR))
		events |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	if (attrs & IO_OP_POLLOUT)
		events |= EPOLLOUT | EPOLLWRNORM;
	if (attrs & IO_OP_POLL_EXCL)
		events |= EPOLLEXCLUSIVE;
	return events;
}

static enum io_poll_armed io_poll_arm_locked(struct io_kiocb *req)
{
	struct io_poll *poll;
	__poll_t ready;

	if (!io_poll_may_arm(req))
		return IO_POLL_NO;
	poll = &req->poll->poll;
	poll->events = io_poll_retry_events(req);
	atomic_set(&poll->state, IO_POLL_BUSY);
	if (io_poll_enqueue(req, poll, io_poll_wake_retry, &ready))
		return IO_POLL_NO;
	if (ready)
		return IO_POLL_READY;
	io_registry_add(req, IO_ARMED_POLL);
	io_poll_let_wait(req, poll, IO_KIND_POLL);
	return IO_POLL_ARMED;
}

/**
 * io_poll_arm - let the file of a request that would block wake it
 * @req: the request, owned by the caller; its operation polls in or out
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 * Return: see enum io_poll_armed. After IO_POLL_ARMED the request is not the caller's any more.
 */
enum io_poll_armed io_poll_arm(struct io_kiocb *req, unsigned int how)
{
	struct io_ring_ctx *ctx = req->ctx;
	enum io_poll_armed armed;

	if (!file_can_poll(req->file))
		return IO_POLL_NO;
	if (!(how & IO_HOW_WORKER))
		return io_poll_arm_locked(req);
	io_ring_lock(ctx);
	armed = io_poll_arm_locked(req);
	io_ring_unlock(ctx);
	return armed;
}

/* Is it in all queues of the file that it was put in? */
static bool io_poll_queued(const struct io_poll_arm *arm)
{
	return READ_ONCE(arm->poll.wait.head) &&
	       (!arm->second.entry.private || READ_ONCE(arm->second.head));
}

/**
 * io_poll_event - a request that io_poll_arm() armed was woken, or stopped
 * @req: the request, from its inbox
 * @how: IO_HOW_*
 *
 * Context: ring lock held; may sleep.
 * Return: IO_AGAIN: issue it; IO_PENDING: there was nothing, it waits again; IO_DONE: cancelled.
 */
enum io_outcome io_poll_event(struct io_kiocb *req, unsigned int how)
{
	struct io_poll *poll = &req->poll->poll;

	if (unlikely((atomic_read(&poll->state) & IO_POLL_STOP) || (how & IO_HOW_DEAD)))
		return io_poll_stopped(req, poll);
	/* Still queued: the wake-up did not say what it was about. */
	if (io_poll_queued(req->poll) && !io_poll_look(req, poll)) {
		io_req_move(req, IO_REQ_ARMED);
		io_poll_let_wait(req, poll, IO_KIND_POLL);
		return IO_PENDING;
	}
	io_poll_unqueue(req, poll);
	io_registry_del(req);
	return IO_AGAIN;
}
