// SPDX-License-Identifier: GPL-2.0
/*
 * FILES_UPDATE: put descriptors into given slots of the table of fixed files, or into free ones.
 *
 * Transitions: ISSUED -> DONE.
 */
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/uaccess.h>

#include "../batch.h"
#include "../files.h"
#include "../request.h"
#include "files_update.h"

/**
 * struct io_files_up - what is to be changed
 * @file: not used
 * @fds: user address of the descriptors; slots that were allocated are written back
 * @offset: first slot, or IORING_FILE_INDEX_ALLOC
 * @nr: number of descriptors
 */
struct io_files_up {
	struct file *file;
	u64 fds;
	u32 offset;
	u32 nr;
};

/**
 * io_files_update_prep - prepare FILES_UPDATE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0; -EINVAL: IOSQE_FIXED_FILE, a field that must be zero, or no descriptors.
 */
int io_files_update_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_files_up *up = io_op_data(req, struct io_files_up);

	if ((req->flags & IOSQE_FIXED_FILE) || READ_ONCE(sqe->rw_flags) ||
	    READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	/* An offset of -1 comes with 32 bits or with 64. */
	up->offset = READ_ONCE(sqe->off);
	up->nr = READ_ONCE(sqe->len);
	up->fds = READ_ONCE(sqe->addr);
	return up->nr ? 0 : -EINVAL;
}

/* Put one descriptor into a free slot, whose number takes its place */
static int io_files_alloc_one(struct io_ring_ctx *ctx, s32 __user *where)
{
	struct file *file;
	int slot;
	s32 fd;

	if (get_user(fd, where))
		return -EFAULT;
	file = fget(fd);
	if (!file)
		return -EBADF;
	slot = io_file_install_fixed(ctx, file, IORING_FILE_INDEX_ALLOC);
	if (slot < 0)
		return slot;
	if (put_user(slot, where)) {
		io_file_remove_fixed(ctx, slot + 1);
		return -EFAULT;
	}
	return 0;
}

static int io_files_alloc(struct io_ring_ctx *ctx, const struct io_files_up *up)
{
	s32 __user *fds = u64_to_user_ptr(up->fds);
	unsigned int i;
	int ret = 0;

	if (!ctx->files.data.nr)
		return -ENXIO;
	for (i = 0; i < up->nr; i++) {
		ret = io_files_alloc_one(ctx, fds + i);
		if (ret)
			break;
		cond_resched();
	}
	return i ?: ret;
}

/**
 * io_files_update_issue - issue FILES_UPDATE
 * @req: the request
 * @how: IO_HOW_*
 *
 * Result: descriptors done; if there are none, an errno of io_files_apply(), or -ENFILE: no free
 * slot.
 *
 * Context: ring lock held, unless IO_HOW_WORKER, which takes it; may sleep.
 */
enum io_outcome io_files_update_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_files_up *up = io_op_data(req, struct io_files_up);
	struct io_uring_rsrc_update2 range = { .offset = up->offset, .data = up->fds };
	struct io_ring_ctx *ctx = req->ctx;
	int ret;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	ret = up->offset == IORING_FILE_INDEX_ALLOC ? io_files_alloc(ctx, up) :
						      io_files_apply(ctx, &range, up->nr);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	io_set_status(req, ret);
	return IO_DONE;
}
