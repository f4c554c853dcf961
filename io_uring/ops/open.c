// SPDX-License-Identifier: GPL-2.0
/*
 * Making and closing descriptors, of the task or in slots of fixed files.
 *
 * Transitions: none, nothing here waits for an event. What may sleep on a device is left to a
 * worker.
 *
 * An opcode that makes a file has file_index in its SQE: 0 for an ordinary descriptor, slot + 1,
 * or IORING_FILE_INDEX_ALLOC.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/namei.h>
#include <linux/pipe_fs_i.h>
#include <linux/watch_queue.h>
#include <uapi/linux/openat2.h>

#include "../../fs/internal.h"
#include "../batch.h"
#include "../files.h"
#include "../request.h"
#include "open.h"

/**
 * struct io_open - OPENAT and OPENAT2
 * @file: not used
 * @filename: what to open (X)
 * @how: the same for both (X)
 * @nofile: RLIMIT_NOFILE of the submitter (X)
 * @dfd: where relative names start (X)
 * @file_index: where the file goes (X)
 */
struct io_open {
	struct file *file;
	struct filename *filename;
	struct open_how how;
	unsigned long nofile;
	int dfd;
	u32 file_index;
};

/* What CLOSE is about; ->fd of the request does not survive a worker */
struct io_close {
	struct file *file;
	int fd;
	u32 file_index;
};

struct io_fd_install {
	struct file *file;
	unsigned int o_flags;
};

struct io_pipe {
	struct file *file;
	int __user *fds;
	unsigned long nofile;
	int flags;
	u32 file_index;
};

/* The part that both opcodes have in common; @open->how is set. */
static int io_open_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_open *open = io_op_data(req, struct io_open);

	if (READ_ONCE(sqe->buf_index))
		return -EINVAL;
	if (req->flags & IOSQE_FIXED_FILE)
		return -EBADF;
	if (!(open->how.flags & O_PATH) && force_o_largefile())
		open->how.flags |= O_LARGEFILE;

	open->dfd = READ_ONCE(sqe->fd);
	open->nofile = rlimit(RLIMIT_NOFILE);
	open->file_index = READ_ONCE(sqe->file_index);
	if (open->file_index && (open->how.flags & O_CLOEXEC))
		return -EINVAL;

	open->filename = getname(u64_to_user_ptr(READ_ONCE(sqe->addr)));
	if (IS_ERR(open->filename))
		return PTR_ERR(open->filename);
	req->flags |= IO_REQ_CLEANUP;
	return 0;
}

/**
 * io_openat_prep - read the SQE of OPENAT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL, -EBADF; -EFAULT, -ENAMETOOLONG, -ENOENT, -ENOMEM for the name.
 */
int io_openat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_open *open = io_op_data(req, struct io_open);

	open->how = build_open_how(READ_ONCE(sqe->open_flags), READ_ONCE(sqe->len));
	return io_open_prep(req, sqe);
}

/**
 * io_openat2_prep - read the SQE of OPENAT2, and the structure it points to
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_openat_prep(); -EFAULT; -E2BIG: a newer struct open_how that is not zero where
 * we know nothing.
 */
int io_openat2_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_open *open = io_op_data(req, struct io_open);
	struct open_how __user *how = u64_to_user_ptr(READ_ONCE(sqe->addr2));
	u32 size = READ_ONCE(sqe->len);
	int ret;

	if (size < OPEN_HOW_SIZE_VER0)
		return -EINVAL;
	ret = copy_struct_from_user(&open->how, sizeof(open->how), how, size);
	if (ret)
		return ret;
	return io_open_prep(req, sqe);
}

/* Can this only be tried where one may block? */
static bool io_open_blocks(const struct io_open *open)
{
	return open->how.flags & (O_TRUNC | O_CREAT | __O_TMPFILE);
}

/* Open the file. A try that may not block looks only at what the dentry cache has. */
static struct file *io_open_file(struct io_open *open, bool nonblock)
{
	struct open_flags flags;
	struct file *file;
	int ret;

	ret = build_open_flags(&open->how, &flags);
	if (ret)
		return ERR_PTR(ret);
	if (nonblock) {
		flags.lookup_flags |= LOOKUP_CACHED;
		flags.open_flag |= O_NONBLOCK;
	}
	file = do_filp_open(open->dfd, open->filename, &flags);
	if (nonblock && !IS_ERR(file) && !(open->how.flags & O_NONBLOCK))
		file->f_flags &= ~O_NONBLOCK;
	return file;
}

/**
 * io_openat_issue - open a file
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_openat_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_open *open = io_op_data(req, struct io_open);
	bool nonblock = how & IO_HOW_NONBLOCK;
	struct file *file;
	int ret = 0;

	if (nonblock && io_open_blocks(open))
		return IO_AGAIN;
	if (!open->file_index) {
		ret = __get_unused_fd_flags(open->how.flags, open->nofile);
		if (ret < 0)
			goto done;
	}
	file = io_open_file(open, nonblock);
	if (IS_ERR(file)) {
		if (!open->file_index)
			put_unused_fd(ret);
		ret = PTR_ERR(file);
		/* Who asked for a cached look-up has the answer. */
		if (ret == -EAGAIN && nonblock && !(open->how.resolve & RESOLVE_CACHED))
			return IO_AGAIN;
		goto done;
	}
	if (open->file_index)
		ret = io_file_install_slot(req->ctx, file, open->file_index, how);
	else
		fd_install(ret, file);
done:
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_openat_cleanup - forget the name
 * @req: the request
 *
 * Context: ring lock held; may sleep.
 */
void io_openat_cleanup(struct io_kiocb *req)
{
	putname(io_op_data(req, struct io_open)->filename);
}

/**
 * io_close_prep - read the SQE of CLOSE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL, -EBADF.
 */
int io_close_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_close *close = io_op_data(req, struct io_close);

	if (READ_ONCE(sqe->off) || READ_ONCE(sqe->addr) || READ_ONCE(sqe->len) ||
	    READ_ONCE(sqe->rw_flags) || READ_ONCE(sqe->buf_index))
		return -EINVAL;
	if (req->flags & IOSQE_FIXED_FILE)
		return -EBADF;
	close->fd = READ_ONCE(sqe->fd);
	close->file_index = READ_ONCE(sqe->file_index);
	if (close->fd && close->file_index)
		return -EINVAL;
	return 0;
}

static int io_close_slot(struct io_ring_ctx *ctx, u32 file_index, unsigned int how)
{
	int ret;

	if (how & IO_HOW_WORKER)
		io_ring_lock(ctx);
	ret = io_file_remove_fixed(ctx, file_index);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(ctx);
	return ret;
}

/*
 * Take a file out of the descriptor table. ERR_PTR(-EAGAIN): its flush may block, and it is still
 * where it was.
 */
static struct file *io_close_take(struct files_struct *files, unsigned int fd, bool nonblock)
{
	struct file *file;

	spin_lock(&files->file_lock);
	file = files_lookup_fd_locked(files, fd);
	/* A ring that closes itself would wait for the request that does it. */
	if (!file || io_is_uring_fops(file))
		file = ERR_PTR(-EBADF);
	else if (nonblock && file->f_op->flush)
		file = ERR_PTR(-EAGAIN);
	else
		file_close_fd_locked(files, fd);
	spin_unlock(&files->file_lock);
	return file;
}

/**
 * io_close_issue - close a descriptor, or empty a slot
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_close_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_close *close = io_op_data(req, struct io_close);
	struct file *file;
	int ret;

	if (close->file_index) {
		ret = io_close_slot(req->ctx, close->file_index, how);
	} else {
		file = io_close_take(current->files, close->fd, how & IO_HOW_NONBLOCK);
		if (file == ERR_PTR(-EAGAIN))
			return IO_AGAIN;
		ret = PTR_ERR_OR_ZERO(file);
		if (!ret)
			ret = filp_close(file, current->files);
	}
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_fd_install_prep - read the SQE of FIXED_FD_INSTALL
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0; -EINVAL; -EBADF: not a fixed file; -EPERM: with a personality.
 */
int io_fd_install_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_fd_install *install = io_op_data(req, struct io_fd_install);
	u32 flags = READ_ONCE(sqe->install_fd_flags);

	if (READ_ONCE(sqe->off) || READ_ONCE(sqe->addr) || READ_ONCE(sqe->len) ||
	    READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in) || READ_ONCE(sqe->addr3))
		return -EINVAL;
	if (!(req->flags & IOSQE_FIXED_FILE))
		return -EBADF;
	if (flags & ~IORING_FIXED_FD_NO_CLOEXEC)
		return -EINVAL;
	/* The descriptor is the task's, so the check of the file has to be about the task. */
	if (req->flags & IO_REQ_CREDS)
		return -EPERM;
	install->o_flags = flags & IORING_FIXED_FD_NO_CLOEXEC ? 0 : O_CLOEXEC;
	return 0;
}

/**
 * io_fd_install_issue - make an ordinary descriptor for a fixed file
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_fd_install_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_fd_install *install = io_op_data(req, struct io_fd_install);

	io_set_status(req, receive_fd(install->file, NULL, install->o_flags));
	return IO_DONE;
}

/**
 * io_pipe_prep - read the SQE of PIPE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0, -EINVAL.
 */
int io_pipe_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_pipe *pipe = io_op_data(req, struct io_pipe);

	if (READ_ONCE(sqe->fd) || READ_ONCE(sqe->off) || READ_ONCE(sqe->addr3))
		return -EINVAL;
	pipe->fds = u64_to_user_ptr(READ_ONCE(sqe->addr));
	pipe->flags = READ_ONCE(sqe->pipe_flags);
	pipe->file_index = READ_ONCE(sqe->file_index);
	pipe->nofile = rlimit(RLIMIT_NOFILE);
	if (pipe->flags & ~(O_CLOEXEC | O_NONBLOCK | O_DIRECT | O_NOTIFICATION_PIPE))
		return -EINVAL;
	return 0;
}

/* Give both ends ordinary descriptors. Without success the files are still the caller's. */
static int io_pipe_install_fds(struct io_pipe *pipe, struct file *files[2])
{
	int fds[2], ret, i;

	for (i = 0; i < 2; i++) {
		fds[i] = __get_unused_fd_flags(pipe->flags, pipe->nofile);
		ret = fds[i];
		if (ret < 0)
			goto undo;
	}
	ret = -EFAULT;
	if (copy_to_user(pipe->fds, fds, sizeof(fds)))
		goto undo;
	fd_install(fds[0], files[0]);
	fd_install(fds[1], files[1]);
	return 0;
undo:
	while (i--)
		put_unused_fd(fds[i]);
	return ret;
}

/*
 * Give both ends slots, the second behind the first unless they are allocated. Slots that were
 * filled are emptied if it fails. Consumes the files. Ring lock held.
 */
static int io_pipe_install_slots(struct io_ring_ctx *ctx, struct io_pipe *pipe,
				 struct file *files[2])
{
	bool alloc = pipe->file_index == IORING_FILE_INDEX_ALLOC;
	int slots[2], ret = 0, i;

	for (i = 0; i < 2; i++) {
		u32 index = alloc ? IORING_FILE_INDEX_ALLOC : pipe->file_index + i;

		ret = io_file_install_fixed(ctx, files[i], index);
		if (ret < 0)
			break;
		slots[i] = alloc ? ret : index - 1;
	}
	if (i == 2) {
		if (!copy_to_user(pipe->fds, slots, sizeof(slots)))
			return 0;
		ret = -EFAULT;
	} else if (i == 0) {
		fput(files[1]);
	}
	while (i--)
		io_file_remove_fixed(ctx, slots[i] + 1);
	return ret;
}

/**
 * io_pipe_issue - make a pipe
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_pipe_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_pipe *pipe = io_op_data(req, struct io_pipe);
	struct file *files[2];
	int ret = -EINVAL;

	if (pipe->file_index && (pipe->flags & O_CLOEXEC))
		goto done;
	ret = create_pipe_files(files, pipe->flags);
	if (ret)
		goto done;
	files[0]->f_mode |= FMODE_NOWAIT;
	files[1]->f_mode |= FMODE_NOWAIT;

	if (pipe->file_index) {
		if (how & IO_HOW_WORKER)
			io_ring_lock(req->ctx);
		ret = io_pipe_install_slots(req->ctx, pipe, files);
		if (how & IO_HOW_WORKER)
			io_ring_unlock(req->ctx);
	} else {
		ret = io_pipe_install_fds(pipe, files);
		if (ret) {
			fput(files[0]);
			fput(files[1]);
		}
	}
done:
	io_set_status(req, ret);
	return IO_DONE;
}
