// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes, always in a worker.
 *
 * Transitions: none.
 *
 * Name, value to be set and path are copied when the SQE is taken. What is read goes to user
 * memory when the operation runs.
 */
#include <linux/audit.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/io_uring_types.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/xattr.h>

#include "../../fs/internal.h"
#include "../request.h"
#include "xattr.h"

/**
 * struct io_xattr - any of the four
 * @file: file, for those that take one (X)
 * @ctx: attribute; kname and kvalue are allocations or NULL (X)
 * @path: path, or NULL (X)
 */
struct io_xattr {
	struct file *file;
	struct xattr_ctx ctx;
	struct filename *path;
};

/* What path-based requests and all others begin with; then io_xattr_cleanup() undoes the rest. */
static int io_xattr_begin(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_xattr *xattr = io_op_data(req, struct io_xattr);

	xattr->path = NULL;
	xattr->ctx = (struct xattr_ctx) {
		.value = u64_to_user_ptr(READ_ONCE(sqe->addr2)),
		.size = READ_ONCE(sqe->len),
		.flags = READ_ONCE(sqe->xattr_flags),
	};
	xattr->ctx.kname = kmalloc(sizeof(*xattr->ctx.kname), GFP_KERNEL);
	if (!xattr->ctx.kname)
		return -ENOMEM;
	req->flags |= IO_REQ_CLEANUP;
	return 0;
}

/**
 * io_xattr_cleanup - free what was copied
 * @req: the request
 *
 * Context: ring lock held; may sleep.
 */
void io_xattr_cleanup(struct io_kiocb *req)
{
	struct io_xattr *xattr = io_op_data(req, struct io_xattr);

	if (xattr->path)
		putname(xattr->path);
	kfree(xattr->ctx.kname);
	kvfree(xattr->ctx.kvalue);
}

static int io_xattr_prep_path(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_xattr *xattr = io_op_data(req, struct io_xattr);
	struct filename *path = getname(u64_to_user_ptr(READ_ONCE(sqe->addr3)));

	if (IS_ERR(path))
		return PTR_ERR(path);
	xattr->path = path;
	return 0;
}

/**
 * io_fsetxattr_prep - read the SQE of FSETXATTR, copy name and value
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL: unknown flags; -ERANGE: name empty or too long; -E2BIG: value too long;
 * -EFAULT, -ENOMEM.
 */
int io_fsetxattr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_xattr *xattr = io_op_data(req, struct io_xattr);
	int ret = io_xattr_begin(req, sqe);

	if (ret)
		return ret;
	return setxattr_copy(u64_to_user_ptr(READ_ONCE(sqe->addr)), &xattr->ctx);
}

/**
 * io_setxattr_prep - read the SQE of SETXATTR, copy name, value and path
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_fsetxattr_prep(); -EBADF: fixed file; -ENAMETOOLONG, -ENOENT for the path.
 */
int io_setxattr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	int ret;

	if (req->flags & IOSQE_FIXED_FILE)
		return -EBADF;
	ret = io_fsetxattr_prep(req, sqe);
	return ret ?: io_xattr_prep_path(req, sqe);
}

/**
 * io_fgetxattr_prep - read the SQE of FGETXATTR, copy the name
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL: flags; -ERANGE: name empty or too long; -EFAULT, -ENOMEM.
 */
int io_fgetxattr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_xattr *xattr = io_op_data(req, struct io_xattr);
	int ret = io_xattr_begin(req, sqe);
	char *name;

	if (ret)
		return ret;
	if (xattr->ctx.flags)
		return -EINVAL;
	name = xattr->ctx.kname->name;
	ret = strncpy_from_user(name, u64_to_user_ptr(READ_ONCE(sqe->addr)),
				sizeof(xattr->ctx.kname->name));
	if (ret < 0)
		return ret;
	return !ret || ret == sizeof(xattr->ctx.kname->name) ? -ERANGE : 0;
}

/**
 * io_getxattr_prep - read the SQE of GETXATTR, copy name and path
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_fgetxattr_prep(); -EBADF: fixed file; -ENAMETOOLONG, -ENOENT for the path.
 */
int io_getxattr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	int ret;

	if (req->flags & IOSQE_FIXED_FILE)
		return -EBADF;
	ret = io_fgetxattr_prep(req, sqe);
	return ret ?: io_xattr_prep_path(req, sqe);
}

static long io_xattr_get(struct io_xattr *xattr, const struct path *path)
{
	/* The buffer of a try that has to be repeated */
	kvfree(xattr->ctx.kvalue);
	xattr->ctx.kvalue = NULL;
	return do_getxattr(mnt_idmap(path->mnt), path->dentry, &xattr->ctx);
}

static long io_xattr_set(struct io_xattr *xattr, const struct path *path)
{
	int ret = mnt_want_write(path->mnt);

	if (ret)
		return ret;
	ret = do_setxattr(mnt_idmap(path->mnt), path->dentry, &xattr->ctx);
	mnt_drop_write(path->mnt);
	return ret;
}

/* Look the path up, again without trust in caches if a server says that it is out of date. */
static enum io_outcome io_xattr_on_path(struct io_kiocb *req,
					long (*act)(struct io_xattr *, const struct path *))
{
	struct io_xattr *xattr = io_op_data(req, struct io_xattr);
	unsigned int lookup = LOOKUP_FOLLOW;
	struct path path;
	long ret;

	for (;;) {
		ret = filename_lookup(AT_FDCWD, xattr->path, lookup, &path, NULL);
		if (!ret) {
			ret = act(xattr, &path);
			path_put(&path);
		}
		if (!retry_estale(ret, lookup))
			break;
		lookup |= LOOKUP_REVAL;
	}
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_setxattr_issue - setxattr(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_setxattr_issue(struct io_kiocb *req, unsigned int how)
{
	return io_xattr_on_path(req, io_xattr_set);
}

/**
 * io_getxattr_issue - getxattr(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_getxattr_issue(struct io_kiocb *req, unsigned int how)
{
	return io_xattr_on_path(req, io_xattr_get);
}

/**
 * io_fsetxattr_issue - fsetxattr(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_fsetxattr_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_xattr *xattr = io_op_data(req, struct io_xattr);
	int ret;

	audit_file(xattr->file);
	/* The file may be a layer above the one whose mount counts. */
	ret = mnt_want_write_file(xattr->file);
	if (!ret) {
		ret = do_setxattr(file_mnt_idmap(xattr->file), xattr->file->f_path.dentry,
				  &xattr->ctx);
		mnt_drop_write_file(xattr->file);
	}
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_fgetxattr_issue - fgetxattr(2)
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker.
 */
enum io_outcome io_fgetxattr_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_xattr *xattr = io_op_data(req, struct io_xattr);

	audit_file(xattr->file);
	io_set_status(req, io_xattr_get(xattr, &xattr->file->f_path));
	return IO_DONE;
}
