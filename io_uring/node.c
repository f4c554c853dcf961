// SPDX-License-Identifier: GPL-2.0
/*
 * The link of a task to a ring.
 *
 * Transitions: none.
 *
 * A node ties one task to one ring. It is found from the ring (ctx->nodes) and from the task
 * (tctx->nodes), and leaves both under the ring lock, whichever side goes first. If requests of
 * the task are still on their way the node outlives the link; the last of them frees it.
 */
#include <linux/io_uring_types.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "node.h"

static void io_task_node_free_rcu(struct rcu_head *rcu)
{
	struct io_task_node *node = container_of(rcu, struct io_task_node, rcu);

	put_task_struct(node->task);
	kfree(node);
}

/**
 * io_task_node_free - free a node that nothing refers to but producers at work
 * @node: detached, without requests
 *
 * Context: any.
 */
void io_task_node_free(struct io_task_node *node)
{
	call_rcu(&node->rcu, io_task_node_free_rcu);
}

/**
 * io_task_node_detach - end the link of a task to a ring, from either side
 * @node: the node
 *
 * Context: ring lock held.
 */
void io_task_node_detach(struct io_task_node *node)
{
	struct io_ring_ctx *ctx = node->ctx;
	struct io_uring_task *tctx = node->tctx;

	lockdep_assert_held(&ctx->lock);
	xa_erase(&tctx->nodes, (unsigned long)ctx);
	/* The owner may be changing it to another ring: losing that only costs a look-up. */
	if (READ_ONCE(tctx->last_ctx) == ctx)
		WRITE_ONCE(tctx->last_ctx, NULL);
	list_del(&node->entry);
	node->detached = true;
	if (!node->inflight)
		io_task_node_free(node);
}
