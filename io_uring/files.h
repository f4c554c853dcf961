/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of a request, and the table of fixed files.
 */
#ifndef IO_URING_FILES_H
#define IO_URING_FILES_H

#include <linux/io_uring_types.h>

/* files.c */
int io_file_assign(struct io_kiocb *req, unsigned int how);
struct file *io_file_get_fixed(struct io_kiocb *req, unsigned int slot, unsigned int how);
struct io_rsrc_node *io_file_node_get(struct io_ring_ctx *ctx, unsigned int slot,
				      unsigned int how);
struct io_rsrc_node *io_file_node_make(struct file *file, u64 tag);
void io_file_slot_set(struct io_ring_ctx *ctx, unsigned int slot, struct io_rsrc_node *node);
void io_file_slot_clear(struct io_ring_ctx *ctx, unsigned int slot);
int io_file_install_fixed(struct io_ring_ctx *ctx, struct file *file, u32 file_index);
int io_file_install_slot(struct io_ring_ctx *ctx, struct file *file, u32 file_index,
			 unsigned int how);
int io_file_remove_fixed(struct io_ring_ctx *ctx, u32 file_index);
void io_file_set_alloc_range(struct io_ring_ctx *ctx, unsigned int start, unsigned int end);

/* files_register.c */
int io_files_apply(struct io_ring_ctx *ctx, const struct io_uring_rsrc_update2 *up,
		   unsigned int nr);
void io_files_free(struct io_ring_ctx *ctx);
int io_files_register(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
int io_files_register2(struct io_ring_ctx *ctx, void __user *arg, unsigned int size);
int io_files_unregister(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
int io_files_update(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
int io_files_update2(struct io_ring_ctx *ctx, void __user *arg, unsigned int size);
int io_files_alloc_range(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);

#endif
