/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registered resources: counted nodes in tables indexed by slot.
 */
#ifndef IO_URING_RSRC_H
#define IO_URING_RSRC_H

#include <linux/io_uring_types.h>
#include <linux/nospec.h>

enum io_rsrc_type {
	IO_RSRC_FILE,
	IO_RSRC_BUFFER,
};

/**
 * struct io_rsrc_node - one registered file or buffer
 * @refs: one for the table, one for each request that uses it (U)
 * @type: which member of the union (I)
 * @tag: user_data of the CQE that tells of its release; 0: none (I)
 * @file: referenced (I)
 * @buf: pinned pages (I)
 */
struct io_rsrc_node {
	unsigned int refs;
	enum io_rsrc_type type;
	u64 tag;
	union {
		struct file *file;
		struct io_mapped_buf *buf;
	};
};

struct io_rsrc_node *io_rsrc_alloc(enum io_rsrc_type type, u64 tag);
void io_rsrc_free(struct io_ring_ctx *ctx, struct io_rsrc_node *node);
int io_rsrc_table_alloc(struct io_rsrc_table *table, unsigned int nr);
void io_rsrc_table_free(struct io_ring_ctx *ctx, struct io_rsrc_table *table);
bool io_rsrc_clear(struct io_ring_ctx *ctx, struct io_rsrc_table *table, unsigned int slot);

/**
 * io_rsrc_put - drop a reference on a node
 * @ctx: ring it belongs to
 * @node: the node
 *
 * Context: ring lock held; may sleep.
 */
static inline void io_rsrc_put(struct io_ring_ctx *ctx, struct io_rsrc_node *node)
{
	lockdep_assert_held(&ctx->lock);
	if (!--node->refs)
		io_rsrc_free(ctx, node);
}

/**
 * io_rsrc_lookup - the node in a slot
 * @table: the table
 * @slot: index given by the application
 *
 * Every access to a table by an index from outside goes through here.
 *
 * Context: ring lock held.
 * Return: the node, not referenced, or NULL (empty or out of range).
 */
static inline struct io_rsrc_node *io_rsrc_lookup(const struct io_rsrc_table *table,
						  unsigned int slot)
{
	if (unlikely(slot >= table->nr))
		return NULL;
	return table->nodes[array_index_nospec(slot, table->nr)];
}

#endif
