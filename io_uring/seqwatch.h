/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timeouts that end when a number of CQEs has been posted.
 */
#ifndef IO_URING_SEQWATCH_H
#define IO_URING_SEQWATCH_H

#include <linux/io_uring_types.h>

void io_seqwatch_run(struct io_ring_ctx *ctx);
void io_seqwatch_add(struct io_kiocb *req);
void io_seqwatch_del(struct io_kiocb *req);

/**
 * io_seq_extend - a counter of 64 bits, of which only the low 32 can be read
 * @last: value at the last look
 * @now: low half of the present value
 *
 * Return: present value, which is at most 2^31 - 1 above, or 2^31 below @last.
 */
static inline u64 io_seq_extend(u64 last, u32 now)
{
	return last + (s32)(now - (u32)last);
}

#endif
