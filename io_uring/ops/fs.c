// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on paths. All of them run in a worker.
 *
 * Transitions: none.
 *
 * The names are copied when the SQE is taken. Most functions of the file system layer that do the
 * work put the names they are given, so what is cleaned up here is a request that never ran.
 */
#include <linux/fs.h>
#include <linux/io_uring_types.h>
#include <linux/namei.h>

#include "../../fs/internal.h"
#include "../request.h"
#include "fs.h"

/**
 * struct io_paths - one or two names, and what is to be done with them
 * @file: not used
 * @from: first name; NULL: put (X)
 * @to: second name; NULL: none, or put (X)
 * @statx: where STATX writes (X)
 * @from_dfd: where relative names start (X)
 * @to_dfd: the same for @to (X)
 * @flags: AT_*, RENAME_*, or mode of a directory (X)
 * @mask: STATX_* (X)
 */
struct io_paths {
	struct file *file;
	struct filename *from;
	struct filename *to;
	struct statx __user *statx;
	int from_dfd;
	int to_dfd;
	unsigned int flags;
	unsigned int mask;
};

/* Keep one name, copied with getname() or its kin. */
static int io_paths_keep_one(struct io_kiocb *req, struct filename *from)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);

	if (IS_ERR(from))
		return PTR_ERR(from);
	paths->from = from;
	paths->to = NULL;
	req->flags |= IO_REQ_CLEANUP;
	return 0;
}

/* Keep two names; the second is only copied if the first was. */
static int io_paths_keep_two(struct io_kiocb *req, struct filename *from, const char __user *to)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);
	int ret = io_paths_keep_one(req, from);
	struct filename *name;

	if (ret)
		return ret;
	name = getname(to);
	if (IS_ERR(name))
		return PTR_ERR(name);
	paths->to = name;
	return 0;
}

/* The operation has put the names. */
static enum io_outcome io_paths_done(struct io_kiocb *req, int ret)
{
	req->flags &= ~IO_REQ_CLEANUP;
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_paths_cleanup - put the names of a request that did not run
 * @req: the request
 *
 * Context: ring lock held; may sleep.
 */
void io_paths_cleanup(struct io_kiocb *req)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);

	putname(paths->from);
	if (paths->to)
		putname(paths->to);
}

static const char __user *io_sqe_name(const u64 *field)
{
	return u64_to_user_ptr(READ_ONCE(*field));
}

/* What most of them have to check; a directory cannot be given as a fixed file */
static int io_paths_check(const struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	return req->flags & IOSQE_FIXED_FILE ? -EBADF : 0;
}

/**
 * io_renameat_prep - read the SQE of RENAMEAT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL, -EBADF; -EFAULT, -ENAMETOOLONG, -ENOENT, -ENOMEM for a name.
 */
int io_renameat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);
	int ret = io_paths_check(req, sqe);

	if (ret)
		return ret;
	paths->from_dfd = READ_ONCE(sqe->fd);
	paths->to_dfd = READ_ONCE(sqe->len);
	paths->flags = READ_ONCE(sqe->rename_flags);
	return io_paths_keep_two(req, getname(io_sqe_name(&sqe->addr)), io_sqe_name(&sqe->addr2));
}

/**
 * io_renameat_issue - renameat2(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_renameat_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);

	return io_paths_done(req, do_renameat2(paths->from_dfd, paths->from, paths->to_dfd,
					       paths->to, paths->flags));
}

/**
 * io_unlinkat_prep - read the SQE of UNLINKAT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_renameat_prep().
 */
int io_unlinkat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);
	int ret;

	if (READ_ONCE(sqe->off) || READ_ONCE(sqe->len) || READ_ONCE(sqe->addr3) ||
	    READ_ONCE(sqe->__pad2[0]))
		return -EINVAL;
	ret = io_paths_check(req, sqe);
	if (ret)
		return ret;
	paths->from_dfd = READ_ONCE(sqe->fd);
	paths->flags = READ_ONCE(sqe->unlink_flags);
	if (paths->flags & ~AT_REMOVEDIR)
		return -EINVAL;
	return io_paths_keep_one(req, getname(io_sqe_name(&sqe->addr)));
}

/**
 * io_unlinkat_issue - unlinkat(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_unlinkat_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);

	if (paths->flags & AT_REMOVEDIR)
		return io_paths_done(req, do_rmdir(paths->from_dfd, paths->from));
	return io_paths_done(req, do_unlinkat(paths->from_dfd, paths->from));
}

/**
 * io_mkdirat_prep - read the SQE of MKDIRAT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_renameat_prep().
 */
int io_mkdirat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);
	int ret;

	if (READ_ONCE(sqe->off) || READ_ONCE(sqe->rw_flags))
		return -EINVAL;
	ret = io_paths_check(req, sqe);
	if (ret)
		return ret;
	paths->from_dfd = READ_ONCE(sqe->fd);
	paths->flags = READ_ONCE(sqe->len);
	return io_paths_keep_one(req, getname(io_sqe_name(&sqe->addr)));
}

/**
 * io_mkdirat_issue - mkdirat(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_mkdirat_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);

	return io_paths_done(req, do_mkdirat(paths->from_dfd, paths->from, paths->flags));
}

/**
 * io_symlinkat_prep - read the SQE of SYMLINKAT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_renameat_prep().
 */
int io_symlinkat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);
	int ret;

	if (READ_ONCE(sqe->len) || READ_ONCE(sqe->rw_flags))
		return -EINVAL;
	ret = io_paths_check(req, sqe);
	if (ret)
		return ret;
	paths->to_dfd = READ_ONCE(sqe->fd);
	return io_paths_keep_two(req, getname(io_sqe_name(&sqe->addr)), io_sqe_name(&sqe->addr2));
}

/**
 * io_symlinkat_issue - symlinkat(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_symlinkat_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);

	return io_paths_done(req, do_symlinkat(paths->from, paths->to_dfd, paths->to));
}

/**
 * io_linkat_prep - read the SQE of LINKAT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_renameat_prep().
 */
int io_linkat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);
	int ret = io_paths_check(req, sqe);

	if (ret)
		return ret;
	paths->from_dfd = READ_ONCE(sqe->fd);
	paths->to_dfd = READ_ONCE(sqe->len);
	paths->flags = READ_ONCE(sqe->hardlink_flags);
	return io_paths_keep_two(req, getname_uflags(io_sqe_name(&sqe->addr), paths->flags),
				 io_sqe_name(&sqe->addr2));
}

/**
 * io_linkat_issue - linkat(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_linkat_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);

	return io_paths_done(req, do_linkat(paths->from_dfd, paths->from, paths->to_dfd,
					    paths->to, paths->flags));
}

/**
 * io_statx_prep - read the SQE of STATX
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_renameat_prep().
 */
int io_statx_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);
	int ret = io_paths_check(req, sqe);

	if (ret)
		return ret;
	paths->from_dfd = READ_ONCE(sqe->fd);
	paths->mask = READ_ONCE(sqe->len);
	paths->flags = READ_ONCE(sqe->statx_flags);
	paths->statx = u64_to_user_ptr(READ_ONCE(sqe->addr2));
	return io_paths_keep_one(req, getname_flags(io_sqe_name(&sqe->addr),
						    getname_statx_lookup_flags(paths->flags)));
}

/**
 * io_statx_issue - statx(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_statx_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_paths *paths = io_op_data(req, struct io_paths);

	io_set_status(req, do_statx(paths->from_dfd, paths->from, paths->flags, paths->mask,
				    paths->statx));
	return IO_DONE;
}
