/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Emptying inboxes.
 */
#ifndef IO_URING_RUN_H
#define IO_URING_RUN_H

#include <linux/io_uring_types.h>

#include "inbox.h"
#include "op.h"

unsigned int io_run_deferred(struct io_ring_ctx *ctx, unsigned int max, unsigned int how);
unsigned int io_run_task(struct io_uring_task *tctx);
void io_run_task_work(struct callback_head *work);
void io_run_fallback(struct work_struct *work);
void io_run_all(void);

/**
 * io_run_pending - is there anything in the inbox of the ring itself?
 * @ctx: the ring
 *
 * Context: any.
 */
static inline bool io_run_pending(const struct io_ring_ctx *ctx)
{
	return !llist_empty(&ctx->inbox.list) || READ_ONCE(ctx->backlog);
}

#endif
