/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting on the wait queue of a file.
 */
#ifndef IO_URING_POLL_H
#define IO_URING_POLL_H

#include <linux/fs.h>
#include <linux/eventpoll.h>
#include <linux/io_uring_types.h>
#include <linux/poll.h>

#include "inbox.h"
#include "op.h"

/* What is reported whether it was asked for or not */
#define IO_POLL_ALWAYS	(EPOLLERR | EPOLLHUP | EPOLLNVAL)

/* What is an event, as opposed to a way of waiting */
#define IO_POLL_EVENTS	((__force __poll_t)0xffff)

/*
 * io_poll.state. Whoever sets BUSY owns the right to push the request and has to, or, under the
 * ring lock, to let it wait again; everybody else only leaves a bit behind.
 */
#define IO_POLL_BUSY	1	/* being armed, or in the inbox */
#define IO_POLL_EVENT	2	/* the file has woken us since it was last looked at */
#define IO_POLL_STOP	4	/* to end as -ECANCELED */
#define IO_POLL_LAST	8	/* multishot: the next event is the last one */

/**
 * struct io_poll_wait - a place in a wait queue of the file
 * @head: the queue; NULL: not in it. Cleared by who takes @entry off, with the lock of the queue
 *	held, by release, and that is the last time a wake-up looks at the request (W)
 * @entry: the place; its private member is the request (W)
 */
struct io_poll_wait {
	struct wait_queue_head *head;
	struct wait_queue_entry entry;
};

/**
 * struct io_poll - a request that waits for its file
 * @state: IO_POLL_* (A)
 * @events: what it waits for, with EPOLLEXCLUSIVE, and EPOLLONESHOT: leave the queue at the first
 *	event. Written under U while BUSY, read by wake-ups.
 * @wait: where it waits; the second place, if any, is in io_kiocb.poll
 */
struct io_poll {
	atomic_t state;
	__poll_t events;
	struct io_poll_wait wait;
};

/**
 * struct io_poll_arm - io_kiocb.poll: what an operation that polls needs beside its own data
 * @poll: the wait of one that would block; unused if the operation is a poll itself (U)
 * @second: place in the file's second wait queue (W)
 * @cq_tail: of the ring, when it was last armed (U)
 * @left: how often it may still be armed (U)
 */
struct io_poll_arm {
	struct io_poll poll;
	struct io_poll_wait second;
	u32 cq_tail;
	u32 left;
};

/**
 * enum io_poll_armed - what io_poll_arm() made of a request that would block
 * @IO_POLL_ARMED: it waits; an event, or a cancel, pushes it to its inbox
 * @IO_POLL_READY: the file is ready after all: issue it again
 * @IO_POLL_NO: the file cannot be polled, or polling has not helped often enough
 */
enum io_poll_armed {
	IO_POLL_ARMED,
	IO_POLL_READY,
	IO_POLL_NO,
};

enum io_poll_armed io_poll_arm(struct io_kiocb *req, unsigned int how);
enum io_outcome io_poll_event(struct io_kiocb *req, unsigned int how);
bool io_poll_cancel(struct io_kiocb *req);

int io_poll_enqueue(struct io_kiocb *req, struct io_poll *poll, wait_queue_func_t wake,
		    __poll_t *ready);
void io_poll_unqueue(struct io_kiocb *req, struct io_poll *poll);
__poll_t io_poll_look(struct io_kiocb *req, struct io_poll *poll);
void io_poll_let_wait(struct io_kiocb *req, struct io_poll *poll, enum io_inbox_kind kind);
int io_poll_woken(struct io_kiocb *req, struct io_poll *poll, struct wait_queue_entry *entry,
		  void *key, enum io_inbox_kind kind);
enum io_outcome io_poll_stopped(struct io_kiocb *req, struct io_poll *poll);
void io_poll_stop(struct io_kiocb *req, struct io_poll *poll, enum io_inbox_kind kind);

#endif
