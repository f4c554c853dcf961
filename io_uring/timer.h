/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers of requests.
 */
#ifndef IO_URING_TIMER_H
#define IO_URING_TIMER_H

#include <linux/hrtimer.h>
#include <linux/io_uring_types.h>

/**
 * struct io_timeout - data of TIMEOUT and LINK_TIMEOUT
 * @file: not used
 * @time: relative to the start, or absolute on the host's clock (U)
 * @head: LINK_TIMEOUT: the request that it is the deadline of; NULL once that is done (U)
 * @seq: TIMEOUT with a completion count: in ctx->timeouts_seq (U)
 * @target: the count at which it ends (U)
 * @flags: IORING_TIMEOUT_* (U)
 * @count: completions to wait for, or with IORING_TIMEOUT_MULTISHOT expiries to come; 0: no
 *	limit (U)
 * @fired: time is up, the request was pushed; set by the timer, cleared under U
 */
struct io_timeout {
	struct file *file;
	ktime_t time;
	struct io_kiocb *head;
	struct list_head seq;
	u64 target;
	u32 flags;
	u32 count;
	bool fired;
};

/**
 * struct io_timer - async data of a request with a timer
 * @timer: the timer
 * @req: whose it is (I)
 */
struct io_timer {
	struct hrtimer timer;
	struct io_kiocb *req;
};

int io_timer_alloc(struct io_kiocb *req);
void io_timer_start(struct io_kiocb *req);
void io_timer_next(struct io_kiocb *req);
bool io_timer_stop(struct io_kiocb *req);

void io_timer_guard(struct io_kiocb *timeout, struct io_kiocb *head);
bool io_timer_unguard(struct io_kiocb *timeout);

/**
 * io_timer_clock - the clock that a request asked for
 * @flags: IORING_TIMEOUT_*, at most one clock
 */
static inline clockid_t io_timer_clock(u32 flags)
{
	switch (flags & IORING_TIMEOUT_CLOCK_MASK) {
	case IORING_TIMEOUT_BOOTTIME:
		return CLOCK_BOOTTIME;
	case IORING_TIMEOUT_REALTIME:
		return CLOCK_REALTIME;
	default:
		return CLOCK_MONOTONIC;
	}
}

#endif
