/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The way of a request from any context back to the ring lock.
 */
#ifndef IO_URING_INBOX_H
#define IO_URING_INBOX_H

#include <linux/io_uring_types.h>

/**
 * enum io_inbox_kind - what is to be done with a request taken from an inbox (see run.c)
 * @IO_KIND_DONE: result is set: complete it
 * @IO_KIND_ISSUE: call ->issue (again)
 * @IO_KIND_POLL: its file became ready, or its poll is to be cancelled
 * @IO_KIND_EVENT: call ->event
 */
enum io_inbox_kind {
	IO_KIND_DONE,
	IO_KIND_ISSUE,
	IO_KIND_POLL,
	IO_KIND_EVENT,
};

/* Or'ed to the kind: the entry will leave exactly one CQE, so its waiter may be woken lazily. */
#define IO_KIND_SINGLE	0x80u

/**
 * enum io_inbox_bell - how the consumer learns of entries
 * @IO_BELL_IDLE: first entry rings
 * @IO_BELL_RUNG: task_work is queued
 * @IO_BELL_DEAD: consumer is gone: entries go to the ring's fallback work
 */
enum io_inbox_bell {
	IO_BELL_IDLE,
	IO_BELL_RUNG,
	IO_BELL_DEAD,
};

void io_inbox_init(struct io_inbox *inbox);
void io_inbox_push(struct io_kiocb *req, enum io_inbox_kind kind, bool single);
void io_inbox_let_go(struct io_kiocb *req);
void io_inbox_redirect(struct io_inbox *inbox);
void io_bell_work(struct irq_work *work);

static inline bool io_inbox_empty(const struct io_inbox *inbox)
{
	return llist_empty(&inbox->list);
}

/**
 * io_inbox_arm - announce that the consumer, current, is about to sleep
 * @inbox: the inbox
 * @ring: the ring it waits for
 * @want: completions it lacks, at least 1
 *
 * The caller must look at the inbox once more before it sleeps, and call io_inbox_disarm() and
 * drain after. Context: the consumer.
 */
static inline void io_inbox_arm(struct io_inbox *inbox, struct io_ring_ctx *ring, int want)
{
	inbox->waiter = current;
	inbox->ring = ring;
	atomic_set(&inbox->pending, 0);
	WRITE_ONCE(inbox->want, want);
	/*
	 * (inbox-sleep) Store want, then look at the list. Pairs with the full barrier of
	 * llist_add() in io_inbox_push(): either we see the entry or the producer sees want.
	 */
	smp_mb();
}

static inline void io_inbox_disarm(struct io_inbox *inbox)
{
	WRITE_ONCE(inbox->want, 0);
	/* (inbox-wake) as above: who still saw want pushed before our next drain */
	smp_mb();
}

/**
 * io_inbox_rewant - somebody else posted CQEs while the consumer sleeps: it lacks fewer now
 * @inbox: inbox of the sleeper
 * @want: completions that are still lacking, at least 1
 *
 * Return: true if what is pending makes up the number, so the sleeper has to be woken.
 */
static inline bool io_inbox_rewant(struct io_inbox *inbox, int want)
{
	WRITE_ONCE(inbox->want, want);
	/* (inbox-count) store want, then read pending; pairs with io_inbox_may_wait() */
	smp_mb();
	return atomic_read(&inbox->pending) >= want;
}

#endif
