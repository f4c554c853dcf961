// SPDX-License-Identifier: GPL-2.0
/*
 * POLL_ADD waits for events of a file and reports them, once or (multishot) each time it is woken.
 * POLL_REMOVE ends such a request, or changes what it waits for and its user_data.
 *
 * Transitions: those of poll.c; INBOX -> ARMED, DONE.
 */
#include <linux/io_uring_types.h>
#include <linux/swab.h>

#include "../batch.h"
#include "../poll.h"
#include "../registry.h"
#include "poll.h"

/* POLL_ADD */
struct io_poll_add {
	struct file *file;
	struct io_poll poll;
};

/* POLL_REMOVE */
struct io_poll_remove {
	struct file *file;
	u64 user_data;		/* of the POLL_ADD */
	u64 new_user_data;
	u32 flags;		/* IORING_POLL_* */
	__poll_t events;
};

/* Events as the SQE has them; those that are always reported added */
static __poll_t io_poll_parse(const struct io_uring_sqe *sqe)
{
	u32 events = READ_ONCE(sqe->poll32_events);

	/* The 16 bits that came first are at the same address for either byte order. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		events = swahw32(events);
	return demangle_poll(events) | IO_POLL_ALWAYS | EPOLLRDHUP |
	       ((__force __poll_t)events & EPOLLEXCLUSIVE);
}

/**
 * io_poll_add_prep - read the SQE of a POLL_ADD
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_poll_add_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_poll_add *add = io_op_data(req, struct io_poll_add);
	u32 flags = READ_ONCE(sqe->len);

	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->off) || READ_ONCE(sqe->addr))
		return -EINVAL;
	if (flags & ~IORING_POLL_ADD_MULTI)
		return -EINVAL;
	add->poll.events = io_poll_parse(sqe);
	if (!(flags & IORING_POLL_ADD_MULTI)) {
		add->poll.events |= EPOLLONESHOT;
		return 0;
	}
	if (req->flags & IOSQE_CQE_SKIP_SUCCESS)
		return -EINVAL;
	req->flags |= IO_REQ_MULTISHOT;
	return 0;
}

static int io_poll_add_woken(struct wait_queue_entry *entry, unsigned int mode, int flags,
			     void *key)
{
	struct io_kiocb *req = entry->private;

	return io_poll_woken(req, &io_op_data(req, struct io_poll_add)->poll, entry, key,
			     IO_KIND_EVENT);
}

/* Events are there that the request ends with. */
static enum io_outcome io_poll_add_done(struct io_kiocb *req, struct io_poll *poll, __poll_t mask)
{
	io_poll_unqueue(req, poll);
	if (req->armed)
		io_registry_del(req);
	io_set_res(req, mangle_poll(mask), 0);
	return IO_DONE;
}

static enum io_outcome io_poll_add_start(struct io_kiocb *req, struct io_poll *poll)
{
	__poll_t ready;
	int ret;

	atomic_set(&poll->state, IO_POLL_BUSY);
	ret = io_poll_enqueue(req, poll, io_poll_add_woken, &ready);
	if (unlikely(ret)) {
		io_set_fail(req, ret);
		return IO_DONE;
	}
	if (ready && (poll->events & EPOLLONESHOT))
		return io_poll_add_done(req, poll, ready);
	/* A multishot poll reports what is there already as if it had been woken for it. */
	if (ready)
		atomic_or(IO_POLL_EVENT, &poll->state);
	io_registry_add(req, IO_ARMED_OP);
	io_poll_let_wait(req, poll, IO_KIND_EVENT);
	return IO_PENDING;
}

/**
 * io_poll_add_issue - start to wait for events
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 */
enum io_outcome io_poll_add_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_poll_add *add = io_op_data(req, struct io_poll_add);
	struct io_ring_ctx *ctx = req->ctx;
	enum io_outcome outcome;

	if (likely(!(how & IO_HOW_WORKER)))
		return io_poll_add_start(req, &add->poll);
	io_ring_lock(ctx);
	outcome = io_poll_add_start(req, &add->poll);
	io_ring_unlock(ctx);
	return outcome;
}

/* A multishot poll was woken. Its place in the queue it has kept. */
static enum io_outcome io_poll_add_again(struct io_kiocb *req, struct io_poll *poll)
{
	__poll_t mask = io_poll_look(req, poll);

	if (mask && ((atomic_read(&poll->state) & IO_POLL_LAST) ||
		     !io_cqe_post_more(req->ctx, req->cqe.user_data, mangle_poll(mask),
				       IORING_CQE_F_MORE)))
		return io_poll_add_done(req, poll, mask);
	io_req_move(req, IO_REQ_ARMED);
	io_poll_let_wait(req, poll, IO_KIND_EVENT);
	return IO_PENDING;
}

/**
 * io_poll_add_event - a poll was woken, or stopped
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held; may sleep.
 */
enum io_outcome io_poll_add_event(struct io_kiocb *req, unsigned int how)
{
	struct io_poll *poll = &io_op_data(req, struct io_poll_add)->poll;
	__poll_t mask;

	if (unlikely((atomic_read(&poll->state) & IO_POLL_STOP) || (how & IO_HOW_DEAD)))
		return io_poll_stopped(req, poll);
	if (req->flags & IO_REQ_MULTISHOT)
		return io_poll_add_again(req, poll);
	mask = io_poll_look(req, poll);
	if (likely(mask))
		return io_poll_add_done(req, poll, mask);
	/* Somebody was faster. It may have left the queue, so start from the beginning. */
	io_poll_unqueue(req, poll);
	io_registry_del(req);
	return io_poll_add_start(req, poll);
}

/**
 * io_poll_add_cancel - stop a poll
 * @req: the request, in the registry; it leaves it
 *
 * Context: ring lock held.
 * Return: true: it will end as -ECANCELED.
 */
bool io_poll_add_cancel(struct io_kiocb *req)
{
	io_poll_stop(req, &io_op_data(req, struct io_poll_add)->poll, IO_KIND_EVENT);
	return true;
}

/**
 * io_poll_remove_prep - read the SQE of a POLL_REMOVE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_poll_remove_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	const u32 update = IORING_POLL_UPDATE_EVENTS | IORING_POLL_UPDATE_USER_DATA;
	struct io_poll_remove *rem = io_op_data(req, struct io_poll_remove);

	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	rem->flags = READ_ONCE(sqe->len);
	if (rem->flags & ~(update | IORING_POLL_ADD_MULTI))
		return -EINVAL;
	/* A request does not change between one shot and several; the flag is only tolerated. */
	if (rem->flags == IORING_POLL_ADD_MULTI)
		return -EINVAL;
	rem->user_data = READ_ONCE(sqe->addr);
	rem->new_user_data = READ_ONCE(sqe->off);
	if (rem->new_user_data && !(rem->flags & IORING_POLL_UPDATE_USER_DATA))
		return -EINVAL;
	if (rem->flags & IORING_POLL_UPDATE_EVENTS)
		rem->events = io_poll_parse(sqe) & IO_POLL_EVENTS;
	else if (READ_ONCE(sqe->poll32_events))
		return -EINVAL;
	return 0;
}

/*
 * Let a poll wait for other events. Its wake-up may be on the way to the inbox, or there; it will
 * be looked at with the new events then.
 */
static void io_poll_change(struct io_kiocb *req, __poll_t events)
{
	struct io_poll *poll = &io_op_data(req, struct io_poll_add)->poll;
	bool owner = !(atomic_fetch_or(IO_POLL_BUSY, &poll->state) & IO_POLL_BUSY);
	__poll_t ready;

	/* Files may choose queues by what is asked for, so it has to queue anew. */
	io_poll_unqueue(req, poll);
	WRITE_ONCE(poll->events, (poll->events & ~IO_POLL_EVENTS) | events);
	if (unlikely(io_poll_enqueue(req, poll, io_poll_add_woken, &ready)))
		atomic_or(IO_POLL_STOP, &poll->state);
	else if (ready)
		atomic_or(IO_POLL_EVENT, &poll->state);
	if (owner)
		io_poll_let_wait(req, poll, IO_KIND_EVENT);
}

static int io_poll_remove(struct io_ring_ctx *ctx, const struct io_poll_remove *rem)
{
	struct io_kiocb *req;

	req = io_registry_find(&ctx->registry, rem->user_data, IORING_OP_POLL_ADD);
	if (!req)
		return -ENOENT;
	if (!rem->flags) {
		io_poll_add_cancel(req);
		return 0;
	}
	if (rem->flags & IORING_POLL_UPDATE_USER_DATA)
		io_registry_rekey(req, rem->new_user_data);
	if (rem->flags & IORING_POLL_UPDATE_EVENTS)
		io_poll_change(req, rem->events);
	return 0;
}

/**
 * io_poll_remove_issue - remove or change a poll
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 */
enum io_outcome io_poll_remove_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_poll_remove *rem = io_op_data(req, struct io_poll_remove);
	struct io_ring_ctx *ctx = req->ctx;
	int ret;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	ret = io_poll_remove(ctx, rem);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	io_set_status(req, ret);
	return IO_DONE;
}
