/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The link of a task to a ring.
 */
#ifndef IO_URING_NODE_H
#define IO_URING_NODE_H

#include <linux/io_uring_types.h>
#include <linux/sched.h>

void io_task_node_detach(struct io_task_node *node);
void io_task_node_free(struct io_task_node *node);

/**
 * io_task_node_cached - the node of current for a ring, if it was used last
 * @ctx: the ring
 */
static inline struct io_task_node *io_task_node_cached(struct io_ring_ctx *ctx)
{
	struct io_uring_task *tctx = current->io_uring;

	if (likely(tctx && READ_ONCE(tctx->last_ctx) == ctx))
		return tctx->last;
	return NULL;
}

#endif
