// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes and tables of registered resources.
 *
 * Transitions: none. A request pins the node it uses when it resolves the slot and drops it with
 * everything else it holds, so a table changes without waiting for requests.
 */
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/slab.h>

#include "cq.h"
#include "rsrc.h"

/**
 * io_rsrc_alloc - make a node with one reference
 * @type: what it will hold
 * @tag: user_data of the CQE at its release, or 0
 *
 * Context: may sleep.
 * Return: the node, or NULL.
 */
struct io_rsrc_node *io_rsrc_alloc(enum io_rsrc_type type, u64 tag)
{
	struct io_rsrc_node *node = kzalloc(sizeof(*node), GFP_KERNEL_ACCOUNT);

	if (node) {
		node->refs = 1;
		node->type = type;
		node->tag = tag;
	}
	return node;
}

/**
 * io_rsrc_free - release what a node holds; nobody refers to it any more
 * @ctx: ring it belonged to
 * @node: the node
 *
 * Context: ring lock held; may sleep.
 */
void io_rsrc_free(struct io_ring_ctx *ctx, struct io_rsrc_node *node)
{
	if (node->tag) {
		struct io_req_cqe cqe = { .user_data = node->tag };

		io_cqe_post(ctx, &cqe);
	}
	if (node->type == IO_RSRC_FILE && node->file)
		fput(node->file);
	kfree(node);
}

/**
 * io_rsrc_table_alloc - make a table of empty slots
 * @table: without slots so far
 * @nr: number of slots
 *
 * Return: 0 or -ENOMEM.
 */
int io_rsrc_table_alloc(struct io_rsrc_table *table, unsigned int nr)
{
	table->nodes = kvcalloc(nr, sizeof(*table->nodes), GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!table->nodes)
		return -ENOMEM;
	table->nr = nr;
	return 0;
}

/**
 * io_rsrc_clear - empty a slot
 * @ctx: the ring
 * @table: one of its tables
 * @slot: index below table->nr
 *
 * Context: ring lock held; may sleep.
 * Return: false if it was empty.
 */
bool io_rsrc_clear(struct io_ring_ctx *ctx, struct io_rsrc_table *table, unsigned int slot)
{
	struct io_rsrc_node *node = io_rsrc_lookup(table, slot);

	if (!node)
		return false;
	table->nodes[slot] = NULL;
	io_rsrc_put(ctx, node);
	return true;
}

/**
 * io_rsrc_table_free - drop all nodes of a table, and its memory
 * @ctx: the ring
 * @table: one of its tables; no slots afterwards
 *
 * Context: ring lock held; may sleep.
 */
void io_rsrc_table_free(struct io_ring_ctx *ctx, struct io_rsrc_table *table)
{
	unsigned int slot;

	for (slot = 0; slot < table->nr; slot++) {
		io_rsrc_clear(ctx, table, slot);
		if (!((slot + 1) % 1024))
			cond_resched();
	}
	kvfree(table->nodes);
	table->nodes = NULL;
	table->nr = 0;
}
