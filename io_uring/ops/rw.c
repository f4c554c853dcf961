// SPDX-License-Identifier: GPL-2.0
/*
 * READ, WRITE, READV, WRITEV.
 *
 * Transitions: ISSUED -> INFLIGHT (a file system or a driver has the kiocb, or a page is waited
 * for), INFLIGHT -> INBOX (io_rw_complete(), io_rw_page_ready()).
 *
 * The buffer is described by what was copied at submission, which nothing changes afterwards, and
 * by the number of bytes done so far. Each attempt builds its iov_iter from these two, so an
 * attempt that failed half-way leaves nothing to be restored.
 *
 * A transfer that ends early on a regular file or a block device is continued until a further
 * attempt moves nothing. On anything else the first result counts.
 *
 * An inline attempt must not wait. Where it would, in this order: a buffered read waits for its
 * page by a callback; a file with ->poll lets the core arm that; the rest goes to a worker.
 *
 * The kiocb is completed in any context, hard interrupts included. There the result is stored and
 * write protection of the file system is dropped, since whoever freezes it may be the task that
 * the request would otherwise wait for. All else happens in io_rw_event(), under the ring lock.
 * IOCB_DIO_CALLER_COMP is not used for the same reason: it would make truncate(), perhaps called
 * by the very owner of the ring, wait until the owner looks into its inbox.
 */
#include <linux/fs.h>
#include <linux/fsnotify.h>
#include <linux/io_uring_types.h>
#include <linux/ioprio.h>
#include <linux/pagemap.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <trace/events/io_uring.h>

#include "../inbox.h"
#include "../request.h"
#include "rw.h"

/* The transfer is at the file's own position, and moves it. */
#define IO_RW_CUR_POS	IO_REQ_OP1

/* Earlier attempts transferred something: io_rw.done is not 0. */
#define IO_RW_PARTIAL	IO_REQ_OP2

/**
 * struct io_rw - a read or a write
 * @kiocb: as the file system sees it; ->ki_complete is NULL until the file has been looked at
 * @addr: user address of the buffer; not used with several segments
 * @len: bytes to transfer
 * @flags: RWF_*, until the file has been looked at
 * @done: bytes transferred by earlier attempts, afterwards
 */
struct io_rw {
	struct kiocb	kiocb;
	u64		addr;
	u32		len;
	union {
		rwf_t	flags;
		u32	done;
	};
};

static_assert(offsetof(struct io_rw, kiocb.ki_filp) == 0);

/**
 * struct io_rw_async - what only some transfers need
 * @wait: waits for a page of the page cache
 * @nr_segs: entries of @iov; 0: the buffer is io_rw.addr
 * @iov: copy of the segments
 */
struct io_rw_async {
	struct wait_page_queue	wait;
	unsigned int		nr_segs;
	struct iovec		iov[] __counted_by(nr_segs);
};

/*
 * Attributes, or a priority. @err is what is wrong with the rest, and is reported last.
 * No file here has protection information that a transfer could carry along.
 */
static noinline int io_rw_prep_odd(const struct io_uring_sqe *sqe, u64 attrs, u16 ioprio, int err)
{
	struct io_uring_attr_pi pi;
	int ret;

	if (attrs & ~(u64)IORING_RW_ATTR_FLAG_PI)
		return -EINVAL;
	if (attrs) {
		void __user *from = u64_to_user_ptr(READ_ONCE(sqe->attr_ptr));

		return copy_from_user(&pi, from, sizeof(pi)) ? -EFAULT : -EINVAL;
	}
	ret = ioprio_check_cap(ioprio);
	return ret ?: err;
}

/* What all forms have in common; @err as above */
static __always_inline int io_rw_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe,
				      int dir, int err)
{
	struct io_rw *rw = io_op_data(req, struct io_rw);
	u64 attrs = READ_ONCE(sqe->attr_type_mask);
	u16 ioprio = READ_ONCE(sqe->ioprio);

	rw->kiocb.ki_pos = READ_ONCE(sqe->off);
	rw->kiocb.ki_complete = NULL;
	rw->kiocb.private = NULL;
	rw->flags = READ_ONCE(sqe->rw_flags);
	/* Without a priority, the block layer takes that of the task which makes the bio. */
	rw->kiocb.ki_ioprio = ioprio;
	if (unlikely(rw->kiocb.ki_pos == -1))
		req->flags |= IO_RW_CUR_POS;
	/* A kiocb of this kernel carries no write stream. */
	if (dir == WRITE && unlikely(READ_ONCE(sqe->write_stream)))
		return -EINVAL;
	if (unlikely(attrs | ioprio))
		return io_rw_prep_odd(sqe, attrs, ioprio, err);
	return err;
}

static __always_inline int io_rw_prep_buf(struct io_kiocb *req, const struct io_uring_sqe *sqe,
					  int dir)
{
	struct io_rw *rw = io_op_data(req, struct io_rw);

	rw->addr = READ_ONCE(sqe->addr);
	rw->len = min_t(u32, READ_ONCE(sqe->len), MAX_RW_COUNT);
	return io_rw_prep(req, sqe, dir,
			  likely(access_ok(u64_to_user_ptr(rw->addr), rw->len)) ? 0 : -EFAULT);
}

/* Copy the segments. A single one is as good as a plain buffer. */
static int io_rw_prep_vec(struct io_kiocb *req, const struct io_uring_sqe *sqe, int dir)
{
	struct io_rw *rw = io_op_data(req, struct io_rw);
	struct iovec __user *uvec = u64_to_user_ptr(READ_ONCE(sqe->addr));
	unsigned int nr = READ_ONCE(sqe->len);
	struct io_rw_async *async;
	struct iovec one, *iov = &one;
	struct iov_iter iter;
	ssize_t ret;

	ret = io_rw_prep(req, sqe, dir, 0);
	if (unlikely(ret))
		return ret;
	rw->addr = 0;
	rw->len = 0;
	if (!nr)
		return 0;
	if (nr > UIO_MAXIOV)
		return -EINVAL;
	if (nr > 1) {
		async = io_req_alloc_data(req, struct_size(async, iov, nr));
		if (!async)
			return -ENOMEM;
		async->nr_segs = nr;
		iov = async->iov;
	}
	ret = __import_iovec(dir, uvec, nr, nr, &iov, &iter, req->ctx->compat);
	if (ret < 0)
		return ret;
	if (nr == 1)
		rw->addr = (uintptr_t)iter.ubuf;
	rw->len = ret;
	return 0;
}

/**
 * io_read_prep - prepare READ
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0; -EINVAL: class of ioprio, or attr_type_mask; -EPERM: ioprio; -EFAULT: the buffer is
 * not in user space, or attr_ptr.
 */
int io_read_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_rw_prep_buf(req, sqe, READ);
}

/**
 * io_write_prep - prepare WRITE
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: as io_read_prep(); -EINVAL: write_stream.
 */
int io_write_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_rw_prep_buf(req, sqe, WRITE);
}

/**
 * io_readv_prep - prepare READV
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_read_prep(); -EINVAL: number or length of segments; -EFAULT: segments; -ENOMEM.
 */
int io_readv_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_rw_prep_vec(req, sqe, READ);
}

/**
 * io_writev_prep - prepare WRITEV
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: as io_readv_prep() and io_write_prep().
 */
int io_writev_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_rw_prep_vec(req, sqe, WRITE);
}

/* Transfers on these files are continued, and have no readiness that could be polled for. */
static bool io_rw_is_regular(const struct file *file)
{
	umode_t mode = file_inode(file)->i_mode;

	return S_ISREG(mode) || S_ISBLK(mode);
}

static void io_rw_complete(struct kiocb *kiocb, long res)
{
	struct io_kiocb *req = io_op_req(kiocb);

	req->cqe.res = res;
	io_inbox_push(req, IO_KIND_EVENT, true);
}

/* A write to a regular file holds off freezing of its file system. */
static void io_rw_complete_protected(struct kiocb *kiocb, long res)
{
	kiocb_end_write(kiocb);
	io_rw_complete(kiocb, res);
}

/* The flags that an application asks for with a single transfer */
static noinline int io_rw_set_flags(struct io_kiocb *req, struct io_rw *rw, int dir)
{
	int ret = kiocb_set_rw_flags(&rw->kiocb, rw->flags, dir);

	if (ret)
		return ret;
	if (rw->kiocb.ki_flags & IOCB_HIPRI)
		return -EINVAL;
	if (rw->kiocb.ki_flags & IOCB_NOWAIT)
		req->flags |= IO_REQ_NOWAIT;
	return 0;
}

/* First look at the file: may it be used like this, and how will the kiocb complete? */
static __always_inline int io_rw_start(struct io_kiocb *req, struct io_rw *rw, int dir)
{
	struct kiocb *kiocb = &rw->kiocb;
	struct file *file = req->file;

	if (unlikely(!(file->f_mode & (dir == READ ? FMODE_CAN_READ : FMODE_CAN_WRITE))))
		return file->f_mode & (dir == READ ? FMODE_READ : FMODE_WRITE) ? -EINVAL : -EBADF;

	kiocb->ki_flags = file->f_iocb_flags | IOCB_ALLOC_CACHE;
	kiocb->ki_complete = io_rw_complete;
	if (dir == WRITE) {
		kiocb->ki_flags |= IOCB_WRITE;
		if (S_ISREG(file_inode(file)->i_mode))
			kiocb->ki_complete = io_rw_complete_protected;
	}
	if (unlikely(rw->flags)) {
		int ret = io_rw_set_flags(req, rw, dir);

		if (ret)
			return ret;
	}
	rw->done = 0;
	return 0;
}

/* As io_rw_import(), with several segments, a part done, or at the file's position */
static noinline void io_rw_import_odd(struct io_kiocb *req, struct io_rw *rw, int dir,
				      struct iov_iter *iter)
{
	struct io_rw_async *async = req->async_data;
	struct file *file = req->file;

	if ((req->flags & (IO_RW_CUR_POS | IO_RW_PARTIAL)) == IO_RW_CUR_POS)
		rw->kiocb.ki_pos = file->f_mode & FMODE_STREAM ? 0 : file->f_pos;
	if (!(req->flags & IO_REQ_ASYNC_DATA) || !async->nr_segs)
		iov_iter_ubuf(iter, dir, u64_to_user_ptr(rw->addr), rw->len);
	else
		iov_iter_init(iter, dir, async->iov, async->nr_segs, rw->len);
	if (rw->done)
		iov_iter_advance(iter, rw->done);
}

/*
 * Build the iov_iter over what is left of the buffer. One such function per kind of buffer: this
 * one is for user memory, whose address has been checked.
 */
static __always_inline int io_rw_import(struct io_kiocb *req, struct io_rw *rw, int dir,
					struct iov_iter *iter)
{
	if (unlikely(req->flags & (IO_RW_CUR_POS | IO_RW_PARTIAL | IO_REQ_ASYNC_DATA)))
		io_rw_import_odd(req, rw, dir, iter);
	else
		iov_iter_ubuf(iter, dir, u64_to_user_ptr(rw->addr), rw->len);
	return 0;
}

/*
 * A file that knows nothing of IOCB_NOWAIT: may it be called here all the same? A read returns
 * with whatever a ready file has. A write may well wait for more room than there is, so once the
 * file is ready, it is left to a worker.
 */
static noinline bool io_rw_may_call(struct io_kiocb *req, unsigned int how, int dir)
{
	struct file *file = req->file;
	__poll_t mask = dir == READ ? EPOLLIN | EPOLLRDNORM : EPOLLOUT | EPOLLWRNORM;
	poll_table look = { ._key = mask | EPOLLERR | EPOLLHUP };

	if (io_rw_is_regular(file))
		return how & IO_HOW_WORKER;
	if (file->f_flags & O_NONBLOCK) {
		/* It does not wait, and knows no way to tell us when it would not have to. */
		req->flags |= IO_REQ_NOWAIT;
		return true;
	}
	if (!file_can_poll(file) || !(vfs_poll(file, &look) & look._key))
		return false;
	if (dir == READ || (how & IO_HOW_WORKER))
		return true;
	req->flags |= IO_REQ_RETRY_BOUND;
	return false;
}

/* Let the next attempt wait or not, as @how says. False: it would wait whatever we do. */
static __always_inline bool io_rw_set_mode(struct io_kiocb *req, struct io_rw *rw,
					   unsigned int how, int dir)
{
	struct file *file = req->file;

	if (unlikely(!(how & IO_HOW_NONBLOCK))) {
		rw->kiocb.ki_flags &= ~IOCB_WAITQ;
		if (!(req->flags & IO_REQ_NOWAIT))
			rw->kiocb.ki_flags &= ~IOCB_NOWAIT;
		return true;
	}
	if (unlikely(!(file->f_mode & FMODE_NOWAIT)))
		return io_rw_may_call(req, how, dir);
	if (dir == WRITE && !(rw->kiocb.ki_flags & IOCB_DIRECT) &&
	    rw->kiocb.ki_complete == io_rw_complete_protected &&
	    !(file->f_op->fop_flags & FOP_BUFFER_WASYNC))
		return false;
	rw->kiocb.ki_flags |= IOCB_NOWAIT;
	return true;
}

/* Files with ->read and ->write only take a segment at a time. */
static noinline ssize_t io_rw_loop(struct io_rw *rw, struct iov_iter *iter, int dir)
{
	struct file *file = rw->kiocb.ki_filp;
	loff_t *pos = file->f_mode & FMODE_STREAM ? NULL : &rw->kiocb.ki_pos;
	ssize_t done = 0;

	if ((rw->kiocb.ki_flags & IOCB_NOWAIT) && !(file->f_flags & O_NONBLOCK))
		return -EAGAIN;
	do {
		void __user *addr = iter_iov_addr(iter);
		size_t len = iter_iov_len(iter);
		ssize_t ret;

		ret = dir == READ ? file->f_op->read(file, addr, len, pos) :
				    file->f_op->write(file, addr, len, pos);
		if (ret < 0)
			return done ?: ret;
		done += ret;
		if (ret != len)
			break;
		iov_iter_advance(iter, len);
	} while (iov_iter_count(iter));
	return done;
}

/* Hold off freezing of the file system, which ends with the write. */
static bool io_rw_protect(struct kiocb *kiocb, unsigned int how)
{
	struct super_block *sb = file_inode(kiocb->ki_filp)->i_sb;

	if (!(how & IO_HOW_NONBLOCK) && !(kiocb->ki_flags & IOCB_NOWAIT)) {
		kiocb_start_write(kiocb);
		return true;
	}
	if (!sb_start_write_trylock(sb))
		return false;
	/* As kiocb_start_write(): for lockdep this task does not hold it any more. */
	__sb_writers_release(sb, SB_FREEZE_WRITE);
	return true;
}

static __always_inline ssize_t io_rw_call(struct io_rw *rw, struct iov_iter *iter, int dir,
					  unsigned int how)
{
	struct kiocb *kiocb = &rw->kiocb;
	const struct file_operations *fop = kiocb->ki_filp->f_op;
	bool protected = dir == WRITE && kiocb->ki_complete == io_rw_complete_protected;
	ssize_t ret;

	if (dir == READ) {
		if (unlikely(!fop->read_iter))
			return io_rw_loop(rw, iter, dir);
		return fop->read_iter(kiocb, iter);
	}
	if (protected && !io_rw_protect(kiocb, how))
		return -EAGAIN;
	ret = likely(fop->write_iter) ? fop->write_iter(kiocb, iter) : io_rw_loop(rw, iter, dir);
	/* Otherwise the completion ends it, or has done so. */
	if (protected && ret != -EIOCBQUEUED)
		kiocb_end_write(kiocb);
	return ret;
}

/* Transfer what is left. Returns bytes, -EIOCBQUEUED, or an errno; -EAGAIN: it would wait. */
static __always_inline ssize_t io_rw_attempt(struct io_kiocb *req, struct io_rw *rw,
					     unsigned int how, int dir)
{
	struct iov_iter iter;
	int ret;

	ret = io_rw_import(req, rw, dir, &iter);
	if (unlikely(ret))
		return ret;
	ret = rw_verify_area(dir, req->file, &rw->kiocb.ki_pos, iov_iter_count(&iter));
	if (unlikely(ret))
		return ret;
	return io_rw_call(rw, &iter, dir, how);
}

/* The page that a buffered read waited for may be read now. Hard interrupt, foreign lock. */
static int io_rw_page_ready(struct wait_queue_entry *wait, unsigned int mode, int sync, void *arg)
{
	struct wait_page_queue *queue = container_of(wait, struct wait_page_queue, wait);

	if (!wake_page_match(queue, arg))
		return 0;
	list_del_init(&wait->entry);
	/* Not a single CQE: the next page may have to be waited for as well. */
	io_inbox_push(wait->private, IO_KIND_ISSUE, false);
	return 1;
}

/* Let the next attempt at a buffered read wait for its page by a callback, if the file can. */
static bool io_rw_wait_page(struct io_kiocb *req, struct io_rw *rw)
{
	struct io_rw_async *async = req->async_data;
	struct kiocb *kiocb = &rw->kiocb;

	if ((kiocb->ki_flags & (IOCB_DIRECT | IOCB_WRITE)) ||
	    !(req->file->f_op->fop_flags & FOP_BUFFER_RASYNC))
		return false;
	if (!(req->flags & IO_REQ_ASYNC_DATA)) {
		async = io_req_alloc_data(req, sizeof(*async));
		if (!async)
			return false;
	}
	init_wait(&async->wait.wait);
	async->wait.wait.func = io_rw_page_ready;
	async->wait.wait.private = req;
	kiocb->ki_waitq = &async->wait;
	kiocb->ki_flags &= ~IOCB_NOWAIT;
	kiocb->ki_flags |= IOCB_WAITQ;
	return true;
}

/*
 * An attempt did not transfer all that was left. Returns true if another is to be made right
 * away. Otherwise the request ends with *@ret, or would block if that is -EAGAIN.
 */
static bool io_rw_again(struct io_kiocb *req, struct io_rw *rw, unsigned int how, ssize_t *ret)
{
	bool waited = rw->kiocb.ki_flags & IOCB_WAITQ;
	ssize_t moved = *ret;

	if (moved == rw->len - rw->done)
		return false;
	if (moved == -EOPNOTSUPP && (how & IO_HOW_NONBLOCK))
		moved = *ret = -EAGAIN;
	if ((req->flags & IO_REQ_NOWAIT) || !io_rw_is_regular(req->file))
		return false;
	if (moved > 0) {
		if (rw->kiocb.ki_flags & IOCB_WRITE)
			trace_io_uring_short_write(req->ctx, rw->kiocb.ki_pos - moved,
						   rw->len - rw->done, moved);
		rw->done += moved;
		req->flags |= IO_RW_PARTIAL;
		if (!(how & IO_HOW_NONBLOCK))
			return true;
	} else if (moved != -EAGAIN || !(how & IO_HOW_NONBLOCK)) {
		return false;
	}

	/* Waiting for a page has led nowhere if it moved nothing: a worker has to read it. */
	if ((!waited || moved > 0) && io_rw_wait_page(req, rw))
		return true;
	rw->kiocb.ki_flags &= ~IOCB_WAITQ;
	/* Should such a file have a ->poll, it knows nothing of this transfer. */
	req->flags |= IO_REQ_RETRY_BOUND;
	*ret = -EAGAIN;
	return false;
}

/* Tell who watches the file. */
static noinline enum io_outcome io_rw_notify(struct file *file, bool write)
{
	if (write)
		fsnotify_modify(file);
	else
		fsnotify_access(file);
	return IO_DONE;
}

/* As io_rw_finish(), of a transfer in parts or at the file's position. Returns the result. */
static noinline ssize_t io_rw_finish_odd(struct io_kiocb *req, struct io_rw *rw, ssize_t ret)
{
	struct file *file = req->file;

	if (req->flags & IO_RW_PARTIAL)
		ret = rw->done + max(ret, 0);
	/* As with read(2) on a shared file: who uses the position takes turns. */
	if ((req->flags & IO_RW_CUR_POS) && ret > 0 && !(file->f_mode & FMODE_STREAM))
		file->f_pos = rw->kiocb.ki_pos;
	return ret;
}

/* The request is done: @ret is what the last attempt returned */
static enum io_outcome io_rw_finish(struct io_kiocb *req, struct io_rw *rw, ssize_t ret)
{
	if (unlikely(req->flags & (IO_RW_PARTIAL | IO_RW_CUR_POS)))
		ret = io_rw_finish_odd(req, rw, ret);
	if (likely(ret == rw->len))
		io_set_res(req, ret, 0);
	else if (ret >= 0)
		io_set_fail(req, ret);
	else
		io_set_status(req, ret);

	if (ret > 0 && unlikely(fsnotify_sb_has_watchers(req->file->f_path.dentry->d_sb)))
		return io_rw_notify(req->file, rw->kiocb.ki_flags & IOCB_WRITE);
	return IO_DONE;
}

/* Make further attempts, until the request is done or would wait. */
static noinline enum io_outcome io_rw_resume(struct io_kiocb *req, unsigned int how)
{
	struct io_rw *rw = io_op_data(req, struct io_rw);
	int dir = rw->kiocb.ki_flags & IOCB_WRITE ? WRITE : READ;
	ssize_t ret;

	do {
		bool waits_for_page = (rw->kiocb.ki_flags & IOCB_WAITQ) && (how & IO_HOW_NONBLOCK);

		ret = -EAGAIN;
		if (waits_for_page || io_rw_set_mode(req, rw, how, dir))
			ret = io_rw_attempt(req, rw, how, dir);
		if (ret == -EIOCBQUEUED)
			return IO_PENDING;
	} while (io_rw_again(req, rw, how, &ret));

	if (ret == -EAGAIN && ((how & IO_HOW_NONBLOCK) || !rw->done))
		return IO_AGAIN;
	return io_rw_finish(req, rw, ret);
}

/* The first attempt did not transfer everything. */
static noinline enum io_outcome io_rw_missed(struct io_kiocb *req, unsigned int how, ssize_t ret)
{
	struct io_rw *rw = io_op_data(req, struct io_rw);

	if (io_rw_again(req, rw, how, &ret))
		return io_rw_resume(req, how);
	return ret == -EAGAIN ? IO_AGAIN : io_rw_finish(req, rw, ret);
}

static __always_inline enum io_outcome io_rw_issue(struct io_kiocb *req, unsigned int how, int dir)
{
	struct io_rw *rw = io_op_data(req, struct io_rw);
	ssize_t ret;

	if (unlikely(rw->kiocb.ki_complete))
		return io_rw_resume(req, how);
	ret = io_rw_start(req, rw, dir);
	if (unlikely(ret)) {
		io_set_fail(req, ret);
		return IO_DONE;
	}
	if (unlikely(!io_rw_set_mode(req, rw, how, dir)))
		return io_rw_missed(req, how, -EAGAIN);
	ret = io_rw_attempt(req, rw, how, dir);
	if (likely(ret == -EIOCBQUEUED))
		return IO_PENDING;
	if (unlikely(ret != rw->len))
		return io_rw_missed(req, how, ret);
	return io_rw_finish(req, rw, ret);
}

/**
 * io_read - issue READ or READV
 * @req: the request, with its file
 * @how: IO_HOW_*
 *
 * Errors, besides those of the file: -EBADF: not open for reading; -EINVAL: it cannot be read, or
 * RWF_HIPRI; -EOPNOTSUPP: RWF_* not supported.
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_read(struct io_kiocb *req, unsigned int how)
{
	return io_rw_issue(req, how, READ);
}

/**
 * io_write - issue WRITE or WRITEV
 * @req: the request, with its file
 * @how: IO_HOW_*
 *
 * Errors as io_read().
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_write(struct io_kiocb *req, unsigned int how)
{
	return io_rw_issue(req, how, WRITE);
}

/* A kiocb completed with less than was asked for */
static noinline enum io_outcome io_rw_event_short(struct io_kiocb *req, struct io_rw *rw,
						  unsigned int how)
{
	ssize_t res = req->cqe.res;

	if (how & IO_HOW_DEAD)
		return io_rw_finish(req, rw, res == -EAGAIN ? -ECANCELED : res);
	if ((req->flags & IO_REQ_NOWAIT) || !io_rw_is_regular(req->file))
		return io_rw_finish(req, rw, res);
	/* What was queued without waiting found no room in the device's queue: a worker waits. */
	if (res == -EAGAIN && (rw->kiocb.ki_flags & IOCB_NOWAIT)) {
		req->flags |= IO_REQ_RETRY_BOUND;
		return IO_AGAIN;
	}
	if (res <= 0)
		return io_rw_finish(req, rw, res);
	rw->done += res;
	req->flags |= IO_RW_PARTIAL;
	return io_rw_resume(req, how);
}

/**
 * io_rw_event - the kiocb of a request has completed
 * @req: the request; ->cqe.res is the result
 * @how: IO_HOW_*
 *
 * Context: ring lock held; may sleep.
 */
enum io_outcome io_rw_event(struct io_kiocb *req, unsigned int how)
{
	struct io_rw *rw = io_op_data(req, struct io_rw);
	s32 res = req->cqe.res;

	if (unlikely(res != rw->len - rw->done))
		return io_rw_event_short(req, rw, how);
	return io_rw_finish(req, rw, res);
}

/**
 * io_rw_fail - a request ends with an error before it was done with its file
 * @req: the request
 *
 * What was transferred by then is the result.
 *
 * Context: ring lock held; may sleep.
 */
void io_rw_fail(struct io_kiocb *req)
{
	if (req->flags & IO_RW_PARTIAL)
		io_rw_finish(req, io_op_data(req, struct io_rw), req->cqe.res);
}
