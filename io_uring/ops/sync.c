// SPDX-License-Identifier: GPL-2.0
/*
 * Contents and size of an open file, and advice on files and memory.
 *
 * Transitions: none. All of this may wait for a device and runs in a worker, but for advice that
 * only changes a flag.
 */
#include <linux/fs.h>
#include <linux/io_uring_types.h>
#include <linux/mm.h>
#include <uapi/linux/fadvise.h>

#include "../../fs/internal.h"
#include "../request.h"
#include "sync.h"

/**
 * struct io_range - what all of these have in common
 * @file: file, but for MADVISE (X)
 * @start: offset, or address (X)
 * @len: length, or new size (X)
 * @how: flags, mode or advice (X)
 */
struct io_range {
	struct file *file;
	u64 start;
	u64 len;
	u32 how;
};

/**
 * io_fsync_prep - read the SQE of FSYNC
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL.
 */
int io_fsync_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_range *range = io_op_data(req, struct io_range);

	if (READ_ONCE(sqe->addr) || READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	range->how = READ_ONCE(sqe->fsync_flags);
	range->start = READ_ONCE(sqe->off);
	range->len = READ_ONCE(sqe->len);
	if ((range->how & ~IORING_FSYNC_DATASYNC) || (loff_t)range->start < 0)
		return -EINVAL;
	return 0;
}

/**
 * io_fsync_issue - write a file, or a range of it, to its device
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_fsync_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_range *range = io_op_data(req, struct io_range);
	loff_t end = range->start + range->len;

	/* A range without a proper end is all the rest. */
	if (end <= 0)
		end = LLONG_MAX;
	io_set_status(req, vfs_fsync_range(range->file, range->start, end,
					   range->how & IORING_FSYNC_DATASYNC));
	return IO_DONE;
}

/**
 * io_sync_range_prep - read the SQE of SYNC_FILE_RANGE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL.
 */
int io_sync_range_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_range *range = io_op_data(req, struct io_range);

	if (READ_ONCE(sqe->addr) || READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	range->start = READ_ONCE(sqe->off);
	range->len = READ_ONCE(sqe->len);
	range->how = READ_ONCE(sqe->sync_range_flags);
	return 0;
}

/**
 * io_sync_range_issue - sync_file_range(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_sync_range_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_range *range = io_op_data(req, struct io_range);

	io_set_status(req, sync_file_range(range->file, range->start, range->len, range->how));
	return IO_DONE;
}

/**
 * io_fallocate_prep - read the SQE of FALLOCATE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL.
 */
int io_fallocate_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_range *range = io_op_data(req, struct io_range);

	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->rw_flags) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	range->start = READ_ONCE(sqe->off);
	range->len = READ_ONCE(sqe->addr);
	range->how = READ_ONCE(sqe->len);
	return 0;
}

/**
 * io_fallocate_issue - allocate, free or move space of a file
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_fallocate_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_range *range = io_op_data(req, struct io_range);

	io_set_status(req, vfs_fallocate(range->file, range->how, range->start, range->len));
	return IO_DONE;
}

/**
 * io_fadvise_prep - read the SQE of FADVISE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL.
 */
int io_fadvise_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_range *range = io_op_data(req, struct io_range);

	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	range->start = READ_ONCE(sqe->off);
	/* The length has 64 bits in one field, for old programs 32 in another. */
	range->len = READ_ONCE(sqe->addr) ?: READ_ONCE(sqe->len);
	range->how = READ_ONCE(sqe->fadvise_advice);
	return 0;
}

static bool io_advice_is_cheap(u32 advice)
{
	return advice == POSIX_FADV_NORMAL || advice == POSIX_FADV_RANDOM ||
	       advice == POSIX_FADV_SEQUENTIAL;
}

/**
 * io_fadvise_issue - posix_fadvise(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_fadvise_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_range *range = io_op_data(req, struct io_range);

	if ((how & IO_HOW_NONBLOCK) && !io_advice_is_cheap(range->how))
		return IO_AGAIN;
	io_set_status(req, vfs_fadvise(range->file, range->start, range->len, range->how));
	return IO_DONE;
}

/**
 * io_madvise_prep - read the SQE of MADVISE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0; -EINVAL; -EOPNOTSUPP: the kernel has no madvise(2).
 */
int io_madvise_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_range *range = io_op_data(req, struct io_range);

	if (!IS_ENABLED(CONFIG_ADVISE_SYSCALLS) || !IS_ENABLED(CONFIG_MMU))
		return -EOPNOTSUPP;
	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	range->start = READ_ONCE(sqe->addr);
	range->len = READ_ONCE(sqe->off) ?: READ_ONCE(sqe->len);
	range->how = READ_ONCE(sqe->fadvise_advice);
	return 0;
}

/**
 * io_madvise_issue - madvise(2) on the memory of the submitter
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker, which has the submitter's mm.
 */
enum io_outcome io_madvise_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_range *range = io_op_data(req, struct io_range);
	int ret = -EOPNOTSUPP;

	/* Resolved at build time: without these the function does not exist. */
	if (IS_ENABLED(CONFIG_ADVISE_SYSCALLS) && IS_ENABLED(CONFIG_MMU))
		ret = do_madvise(current->mm, range->start, range->len, range->how);
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_ftruncate_prep - read the SQE of FTRUNCATE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL.
 */
int io_ftruncate_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_range *range = io_op_data(req, struct io_range);

	if (READ_ONCE(sqe->rw_flags) || READ_ONCE(sqe->addr) || READ_ONCE(sqe->len) ||
	    READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in) || READ_ONCE(sqe->addr3))
		return -EINVAL;
	range->len = READ_ONCE(sqe->off);
	return 0;
}

/**
 * io_ftruncate_issue - set the size of a file
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_ftruncate_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_range *range = io_op_data(req, struct io_range);

	io_set_status(req, do_ftruncate(range->file, range->len, 0));
	return IO_DONE;
}
