// SPDX-License-Identifier: GPL-2.0
/*
 * The file that a request works on, and the slots of fixed files.
 *
 * Transitions: none.
 *
 * A request finds its file when it is issued, not when it is prepared: a link before it may be
 * what opens the file. One flag tells how it holds the file, IO_REQ_FILE (a reference) or
 * IO_REQ_FILE_NODE (the node of a fixed slot is pinned), and io_req_release() acts on it.
 *
 * The free slots of an allocation range are handed out from the lowest one. Between alloc_start
 * and alloc_hint all slots are taken, always.
 */
#include <linux/file.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <trace/events/io_uring.h>

#include "batch.h"
#include "files.h"
#include "op.h"
#include "request.h"
#include "rsrc.h"

/**
 * io_file_node_get - pin the node of a fixed file
 * @ctx: the ring
 * @slot: index given by the application
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 * Return: the node, to be dropped by io_rsrc_put(); NULL: slot empty or out of range.
 */
struct io_rsrc_node *io_file_node_get(struct io_ring_ctx *ctx, unsigned int slot,
				      unsigned int how)
{
	struct io_rsrc_node *node;

	if (unlikely(how & IO_HOW_WORKER))
		io_ring_lock(ctx);
	lockdep_assert_held(&ctx->lock);
	node = io_rsrc_lookup(&ctx->files.data, slot);
	if (likely(node))
		node->refs++;
	if (unlikely(how & IO_HOW_WORKER))
		io_ring_unlock(ctx);
	return node;
}

/**
 * io_file_get_fixed - pin a fixed file for a request that has no file yet
 * @req: the request
 * @slot: index given by the application
 * @how: IO_HOW_*
 *
 * Does not set @req->file, which may be in use as operation data.
 *
 * Context: as io_file_node_get().
 * Return: the file, or NULL.
 */
struct file *io_file_get_fixed(struct io_kiocb *req, unsigned int slot, unsigned int how)
{
	struct io_rsrc_node *node = io_file_node_get(req->ctx, slot, how);

	if (unlikely(!node))
		return NULL;
	req->file_node = node;
	req->flags |= IO_REQ_FILE_NODE;
	return node->file;
}

/**
 * io_file_assign - find the file named by the SQE
 * @req: the request, without a file so far
 * @how: IO_HOW_*
 *
 * Context: the submitter or its worker; ring lock held, unless IO_HOW_WORKER; may sleep.
 * Return: 0 or -EBADF.
 */
int io_file_assign(struct io_kiocb *req, unsigned int how)
{
	int fd = req->fd;
	struct file *file;

	if (req->flags & IOSQE_FIXED_FILE) {
		file = io_file_get_fixed(req, fd, how);
	} else {
		file = fget(fd);
		trace_io_uring_file_get(req, fd);
		if (likely(file))
			req->flags |= IO_REQ_FILE;
	}
	req->file = file;
	return likely(file) ? 0 : -EBADF;
}

/**
 * io_file_node_make - make a node for a slot
 * @file: its file; the reference is consumed, whatever the result
 * @tag: user_data of the CQE at its release, or 0
 *
 * Context: may sleep.
 * Return: the node with one reference, or ERR_PTR: -EBADF (@file is a ring), -ENOMEM.
 */
struct io_rsrc_node *io_file_node_make(struct file *file, u64 tag)
{
	struct io_rsrc_node *node;

	/* A ring that holds itself, or another that holds it, would never go away. */
	if (unlikely(io_is_uring_fops(file))) {
		fput(file);
		return ERR_PTR(-EBADF);
	}
	node = io_rsrc_alloc(IO_RSRC_FILE, tag);
	if (unlikely(!node)) {
		fput(file);
		return ERR_PTR(-ENOMEM);
	}
	node->file = file;
	return node;
}

/**
 * io_file_slot_set - put a node into a slot, in place of what was there
 * @ctx: the ring
 * @slot: index below the size of the table, no user value that was not clamped
 * @node: its reference is passed
 *
 * Context: ring lock held; may sleep.
 */
void io_file_slot_set(struct io_ring_ctx *ctx, unsigned int slot, struct io_rsrc_node *node)
{
	struct io_file_table *files = &ctx->files;
	struct io_rsrc_node *old = files->data.nodes[slot];

	lockdep_assert_held(&ctx->lock);
	files->data.nodes[slot] = node;
	__set_bit(slot, files->bitmap);
	if (old)
		io_rsrc_put(ctx, old);
}

/**
 * io_file_slot_clear - empty a slot
 * @ctx: the ring
 * @slot: index below the size of the table; may be empty
 *
 * Context: ring lock held; may sleep.
 */
void io_file_slot_clear(struct io_ring_ctx *ctx, unsigned int slot)
{
	struct io_file_table *files = &ctx->files;

	if (!io_rsrc_clear(ctx, &files->data, slot))
		return;
	__clear_bit(slot, files->bitmap);
	if (slot >= files->alloc_start && slot < files->alloc_hint)
		files->alloc_hint = slot;
}

/**
 * io_file_set_alloc_range - choose the slots that an allocation may take
 * @ctx: the ring
 * @start: first slot
 * @end: behind the last slot, at most the size of the table
 *
 * Context: ring lock held.
 */
void io_file_set_alloc_range(struct io_ring_ctx *ctx, unsigned int start, unsigned int end)
{
	struct io_file_table *files = &ctx->files;

	lockdep_assert_held(&ctx->lock);
	files->alloc_start = start;
	files->alloc_end = end;
	files->alloc_hint = start;
}

/* The lowest free slot of the allocation range, or -ENFILE */
static int io_file_slot_find(struct io_file_table *files)
{
	unsigned int slot = files->alloc_end;

	if (files->alloc_hint < files->alloc_end)
		slot = find_next_zero_bit(files->bitmap, files->alloc_end, files->alloc_hint);
	files->alloc_hint = slot;
	return slot < files->alloc_end ? slot : -ENFILE;
}

/**
 * io_file_install_fixed - give a new file to a slot
 * @ctx: the ring
 * @file: its reference is consumed, whatever the result
 * @file_index: slot + 1, whose file is replaced; or IORING_FILE_INDEX_ALLOC
 *
 * Context: ring lock held; may sleep.
 * Return: 0, or the slot that was allocated; -ENXIO: no table; -EINVAL: slot beyond it;
 * -ENFILE: none free; -EBADF: the file is a ring; -ENOMEM.
 */
int io_file_install_fixed(struct io_ring_ctx *ctx, struct file *file, u32 file_index)
{
	struct io_file_table *files = &ctx->files;
	struct io_rsrc_node *node = io_file_node_make(file, 0);
	bool alloc = file_index == IORING_FILE_INDEX_ALLOC;
	int slot;

	lockdep_assert_held(&ctx->lock);
	if (IS_ERR(node))
		return PTR_ERR(node);
	if (alloc)
		slot = io_file_slot_find(files);
	else if (!files->data.nr)
		slot = -ENXIO;
	else if (file_index - 1 >= files->data.nr)
		slot = -EINVAL;
	else
		slot = array_index_nospec(file_index - 1, files->data.nr);
	if (slot < 0) {
		io_rsrc_put(ctx, node);
		return slot;
	}
	io_file_slot_set(ctx, slot, node);
	return alloc ? slot : 0;
}

/**
 * io_file_install_slot - io_file_install_fixed() from wherever requests are issued
 * @ctx: the ring
 * @file: its reference is consumed, whatever the result
 * @file_index: slot + 1, or IORING_FILE_INDEX_ALLOC
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 * Return: as io_file_install_fixed().
 */
int io_file_install_slot(struct io_ring_ctx *ctx, struct file *file, u32 file_index,
			 unsigned int how)
{
	int ret;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	ret = io_file_install_fixed(ctx, file, file_index);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	return ret;
}

/**
 * io_file_remove_fixed - close a slot
 * @ctx: the ring
 * @file_index: slot + 1
 *
 * Requests that use the file keep it.
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -ENXIO: no table; -EINVAL: slot beyond it; -EBADF: slot empty.
 */
int io_file_remove_fixed(struct io_ring_ctx *ctx, u32 file_index)
{
	struct io_rsrc_table *table = &ctx->files.data;

	if (!table->nr)
		return -ENXIO;
	if (file_index - 1 >= table->nr)
		return -EINVAL;
	if (!io_rsrc_lookup(table, file_index - 1))
		return -EBADF;
	io_file_slot_clear(ctx, file_index - 1);
	return 0;
}
