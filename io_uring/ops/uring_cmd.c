// SPDX-License-Identifier: GPL-2.0
/*
 * Commands to the driver of a file (URING_CMD, URING_CMD128), and what drivers call.
 *
 * Transitions: ISSUED -> INFLIGHT or ARMED (the driver has it) -> INBOX (any call of the driver
 * that is not made from within one of ours) -> DONE, QUEUED, or INFLIGHT again.
 *
 * A driver may run our API inside a call that we made (->uring_cmd or a task callback, ring lock
 * held) or anywhere else, a hard interrupt included. Inside a call its wish is noted in
 * io_uring_cmd.flags, whose upper bits are ours, and acted upon when the call returns. From
 * elsewhere the request goes through its inbox. Every entry there carries a callback, either the
 * driver's own or one from this file, so that the rest is the same for both.
 *
 * The SQE stays in the ring while it is issued inline. It is copied when a call may come after
 * the submission: the request waits for others, a worker is to issue it, or its file is one whose
 * driver asks for a blocking retry after it has queued the command.
 */
#include <linux/file.h>
#include <linux/io_uring/cmd.h>
#include <linux/io_uring_types.h>
#include <linux/security.h>

#include "../batch.h"
#include "../inbox.h"
#include "../registry.h"
#include "../request.h"
#include "uring_cmd.h"

/* io_uring_cmd.flags; U, as is everything in the upper eight bits */
#define IO_CMD_IN_CALL	BIT(31)	/* a driver's function runs for it, ring lock held */
#define IO_CMD_DONE	BIT(29)	/* ... and has completed it: cqe.res is its result */
#define IO_CMD_RETRY	BIT(28)	/* ... and wants a worker to issue it again */
#define IO_CMD_MARKS	(IO_CMD_IN_CALL | IO_CMD_DONE | IO_CMD_RETRY)

static_assert(!(IO_CMD_MARKS & (IORING_URING_CMD_MASK | IORING_URING_CMD_CANCELABLE)));

#define IO_SETUP_BIG_CQE	(IORING_SETUP_CQE32 | IORING_SETUP_CQE_MIXED)

/* The request runs after its submission has ended, or may: its SQE does not stay. */
static bool io_uring_cmd_waits(const struct io_kiocb *req)
{
	return (req->flags & (IO_REQ_CHAIN | IOSQE_ASYNC | IOSQE_IO_DRAIN)) ||
	       (req->ctx->strict & (IO_STRICT_CHAIN | IO_STRICT_DRAIN));
}

/* Does the SQE of this request have 128 bytes? */
static bool io_uring_cmd_sqe128(const struct io_kiocb *req)
{
	return req->opcode == IORING_OP_URING_CMD128 || (req->ctx->flags & IORING_SETUP_SQE128);
}

/* Have a copy of the SQE that lives as long as the request. */
static int io_uring_cmd_keep_sqe(struct io_kiocb *req, struct io_uring_cmd *cmd)
{
	size_t size = sizeof(*cmd->sqe) << io_uring_cmd_sqe128(req);
	void *copy;

	if (req->flags & IO_REQ_ASYNC_DATA)
		return 0;
	copy = io_req_alloc_data(req, size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, cmd->sqe, size);
	cmd->sqe = copy;
	return 0;
}

static int io_uring_cmd_check_flags(const struct io_kiocb *req, u32 flags)
{
	bool multishot = flags & IORING_URING_CMD_MULTISHOT;

	if (flags & ~IORING_URING_CMD_MASK)
		return -EINVAL;
	/* A multishot command takes a provided buffer for each CQE, and only that. */
	if (multishot != !!(req->flags & IOSQE_BUFFER_SELECT))
		return -EINVAL;
	/* Registered buffers cannot be used yet; with MULTISHOT they never can. */
	if (flags & IORING_URING_CMD_FIXED)
		return -EINVAL;
	return 0;
}

/**
 * io_uring_cmd_prep - read the SQE of a driver's command
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL, -ENOMEM.
 */
int io_uring_cmd_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_uring_cmd *cmd = io_op_data(req, struct io_uring_cmd);
	int ret;

	if (READ_ONCE(sqe->__pad1))
		return -EINVAL;
	cmd->flags = READ_ONCE(sqe->uring_cmd_flags);
	if (unlikely(cmd->flags | (req->flags & IOSQE_BUFFER_SELECT))) {
		ret = io_uring_cmd_check_flags(req, cmd->flags);
		if (ret)
			return ret;
		req->flags |= IO_REQ_MULTISHOT;
		req->buf_index = READ_ONCE(sqe->buf_group);
	}
	cmd->cmd_op = READ_ONCE(sqe->cmd_op);
	cmd->sqe = sqe;
	if (unlikely(io_uring_cmd_waits(req)))
		return io_uring_cmd_keep_sqe(req, cmd);
	return 0;
}

static_assert(IORING_SETUP_SQE128 >> 2 == IO_URING_F_SQE128 &&
	      IORING_SETUP_CQE32 >> 2 == IO_URING_F_CQE32);

/* What the driver has to know of the ring and the SQE */
static __always_inline unsigned int io_uring_cmd_sizes(const struct io_kiocb *req)
{
	unsigned int setup = req->ctx->flags;
	unsigned int flags = (setup >> 2) & (IO_URING_F_SQE128 | IO_URING_F_CQE32);

	if (unlikely(setup & (IORING_SETUP_SQE_MIXED | IORING_SETUP_CQE_MIXED))) {
		if (setup & IORING_SETUP_CQE_MIXED)
			flags |= IO_URING_F_CQE32;
		if (req->opcode == IORING_OP_URING_CMD128)
			flags |= IO_URING_F_SQE128;
	}
	if (unlikely(req->ctx->compat))
		flags |= IO_URING_F_COMPAT;
	return flags;
}

/* The command no longer waits in the registry, whose link the worker pool is about to reuse. */
static void io_uring_cmd_disarm(struct io_kiocb *req, struct io_uring_cmd *cmd, unsigned int how)
{
	if (likely(!(cmd->flags & IORING_URING_CMD_CANCELABLE)))
		return;
	if (how & IO_HOW_WORKER)
		io_ring_lock(req->ctx);
	cmd->flags &= ~IORING_URING_CMD_CANCELABLE;
	if (req->armed)
		io_registry_del(req);
	if (how & IO_HOW_WORKER)
		io_ring_unlock(req->ctx);
}

/* A driver's function has returned: what did it ask for? Ring lock held. */
static enum io_outcome io_uring_cmd_returned(struct io_kiocb *req, struct io_uring_cmd *cmd,
					     unsigned int how)
{
	u32 flags = cmd->flags;

	cmd->flags = flags & ~IO_CMD_MARKS;
	if (!(flags & (IO_CMD_DONE | IO_CMD_RETRY)))
		return IO_PENDING;
	io_uring_cmd_disarm(req, cmd, how);
	if (flags & IO_CMD_RETRY)
		return IO_AGAIN;
	if (req->ctx->flags & IO_SETUP_BIG_CQE)
		req->flags |= IO_REQ_CQE32;
	io_set_status(req, req->cqe.res);
	return IO_DONE;
}

/* Drivers of which files may call io_uring_cmd_issue_blocking()? */
static bool io_uring_cmd_may_retry(const struct io_uring_cmd *cmd)
{
	umode_t mode = file_inode(cmd->file)->i_mode;

	return S_ISBLK(mode) || S_ISREG(mode);
}

/* The driver has queued the command. Ring lock held. */
static enum io_outcome io_uring_cmd_queued(struct io_kiocb *req, struct io_uring_cmd *cmd)
{
	/* Without memory for the copy the command does without the retry. */
	if (!(req->flags & IO_REQ_ASYNC_DATA) &&
	    (!io_uring_cmd_may_retry(cmd) || io_uring_cmd_keep_sqe(req, cmd)))
		cmd->sqe = NULL;
	return io_uring_cmd_returned(req, cmd, IO_HOW_LOCKED);
}

/* The driver has answered at once, with an error or after it had marked the command. */
static noinline enum io_outcome io_uring_cmd_answered(struct io_kiocb *req,
						      struct io_uring_cmd *cmd, int ret,
						      unsigned int how)
{
	io_uring_cmd_disarm(req, cmd, how);
	if (ret == -EAGAIN) {
		ret = io_uring_cmd_keep_sqe(req, cmd);
		if (!ret)
			return IO_AGAIN;
	}
	io_set_status(req, ret);
	return IO_DONE;
}

/*
 * A worker holds no ring lock: whatever the driver calls meanwhile goes through the inbox, and
 * who completes the command may be at it when the driver returns.
 */
static noinline enum io_outcome io_uring_cmd_issue_worker(struct io_kiocb *req,
							  struct io_uring_cmd *cmd)
{
	unsigned int flags = IO_URING_F_UNLOCKED | IO_URING_F_IOWQ | io_uring_cmd_sizes(req);
	int ret = cmd->file->f_op->uring_cmd(cmd, flags);

	if (ret == -EIOCBQUEUED)
		return IO_PENDING;
	return io_uring_cmd_answered(req, cmd, ret, IO_HOW_WORKER);
}

/**
 * io_uring_cmd_issue - hand a command to the driver
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_uring_cmd_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_uring_cmd *cmd = io_op_data(req, struct io_uring_cmd);
	unsigned int flags = IO_URING_F_COMPLETE_DEFER;
	int ret = -EOPNOTSUPP;

	if (likely(cmd->file->f_op->uring_cmd))
		ret = security_uring_cmd(cmd);
	if (unlikely(ret)) {
		io_set_fail(req, ret);
		return IO_DONE;
	}
	if (unlikely(how & IO_HOW_WORKER))
		return io_uring_cmd_issue_worker(req, cmd);

	if (likely(how & IO_HOW_NONBLOCK))
		flags |= IO_URING_F_NONBLOCK;
	cmd->flags |= IO_CMD_IN_CALL;
	ret = cmd->file->f_op->uring_cmd(cmd, flags | io_uring_cmd_sizes(req));
	if (ret == -EIOCBQUEUED)
		return io_uring_cmd_queued(req, cmd);

	cmd->flags &= ~IO_CMD_IN_CALL;
	if (unlikely(ret < 0 || (cmd->flags & IORING_URING_CMD_CANCELABLE)))
		return io_uring_cmd_answered(req, cmd, ret, IO_HOW_LOCKED);
	io_set_res(req, ret, 0);
	return IO_DONE;
}

/**
 * io_uring_cmd_event - a command came to its inbox: run its callback
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held; may sleep.
 */
enum io_outcome io_uring_cmd_event(struct io_kiocb *req, unsigned int how)
{
	struct io_uring_cmd *cmd = io_op_data(req, struct io_uring_cmd);
	unsigned int flags = IO_URING_F_COMPLETE_DEFER;

	if (unlikely(how & IO_HOW_DEAD))
		flags |= IO_URING_F_TASK_DEAD;
	cmd->flags |= IO_CMD_IN_CALL;
	cmd->task_work_cb(cmd, flags);
	return io_uring_cmd_returned(req, cmd, how);
}

/* Callback of a command that was completed outside of a call */
static void io_uring_cmd_note_done(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	cmd->flags |= IO_CMD_DONE;
}

/**
 * io_uring_cmd_cancel - stop a command that waits, or ask its driver to give it up
 * @req: the request
 *
 * Context: ring lock held; may sleep.
 * Return: true if the driver has completed it; false if the command goes on, because the driver
 *	is about to complete it or keeps it for now.
 */
bool io_uring_cmd_cancel(struct io_kiocb *req)
{
	struct io_uring_cmd *cmd = io_op_data(req, struct io_uring_cmd);
	bool done;

	lockdep_assert_held(&req->ctx->lock);
	if (req->armed == IO_ARMED_OP) {
		io_uring_cmd_tstamp_stop(req);
		return true;
	}
	cmd->flags |= IO_CMD_IN_CALL;
	cmd->file->f_op->uring_cmd(cmd, IO_URING_F_CANCEL | IO_URING_F_COMPLETE_DEFER);
	done = cmd->flags & IO_CMD_DONE;
	cmd->flags &= ~IO_CMD_MARKS;
	if (!done)
		return false;
	io_uring_cmd_disarm(req, cmd, IO_HOW_LOCKED);
	io_uring_cmd_complete_in_task(cmd, io_uring_cmd_note_done);
	return true;
}

/**
 * io_uring_cmd_done - a command that ->uring_cmd has queued is complete
 * @cmd: the command; from now on it belongs to the ring
 * @ret: result, a negative errno fails the request
 * @res2: second result, which rings of 32-byte CQEs report
 * @issue_flags: as given to the callback, or the CANCEL call, that this is called from;
 *	IO_URING_F_UNLOCKED from anywhere else
 *
 * Context: any, hard interrupts with IO_URING_F_UNLOCKED.
 */
void io_uring_cmd_done(struct io_uring_cmd *cmd, ssize_t ret, u64 res2, unsigned int issue_flags)
{
	struct io_kiocb *req = io_op_req(cmd);

	req->cqe.res = ret;
	if (req->ctx->flags & IO_SETUP_BIG_CQE)
		req->big_cqe[0] = res2;
	/*
	 * Without UNLOCKED the caller holds the ring lock; but it may be in a call for another
	 * command than this one.
	 */
	if (!(issue_flags & IO_URING_F_UNLOCKED) && (cmd->flags & IO_CMD_IN_CALL)) {
		lockdep_assert_held(&req->ctx->lock);
		cmd->flags |= IO_CMD_DONE;
		return;
	}
	io_uring_cmd_do_in_task_lazy(cmd, io_uring_cmd_note_done);
}
EXPORT_SYMBOL_GPL(io_uring_cmd_done);

/**
 * __io_uring_cmd_do_in_task - run a callback in the task that submitted a command
 * @cmd: the command
 * @cb: callback
 * @flags: IOU_F_TWQ_LAZY_WAKE if it leads to exactly one CQE
 *
 * There may be only one call under way at a time.
 *
 * Context: any.
 */
void __io_uring_cmd_do_in_task(struct io_uring_cmd *cmd, io_uring_cmd_cb cb, unsigned int flags)
{
	cmd->task_work_cb = cb;
	io_inbox_push(io_op_req(cmd), IO_KIND_EVENT, flags & IOU_F_TWQ_LAZY_WAKE);
}
EXPORT_SYMBOL_GPL(__io_uring_cmd_do_in_task);

/**
 * io_uring_cmd_mark_cancelable - a command waits for an event that may never come
 * @cmd: the command
 * @issue_flags: as given to ->uring_cmd or the callback
 *
 * From now on, when its task or its ring goes away, ->uring_cmd is called with IO_URING_F_CANCEL
 * until the command is done.
 *
 * Context: in ->uring_cmd, which then has to return -EIOCBQUEUED, or in a callback.
 */
void io_uring_cmd_mark_cancelable(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct io_kiocb *req = io_op_req(cmd);
	struct io_ring_ctx *ctx = req->ctx;

	/* Requests that are polled for are on a list already, and end by themselves. */
	if (ctx->flags & IORING_SETUP_IOPOLL)
		return;
	if (issue_flags & IO_URING_F_UNLOCKED)
		io_ring_lock(ctx);
	if (!(cmd->flags & IORING_URING_CMD_CANCELABLE)) {
		cmd->flags |= IORING_URING_CMD_CANCELABLE;
		io_registry_add(req, IO_ARMED_CMD);
	}
	if (issue_flags & IO_URING_F_UNLOCKED)
		io_ring_unlock(ctx);
}
EXPORT_SYMBOL_GPL(io_uring_cmd_mark_cancelable);

/* Callback of io_uring_cmd_issue_blocking() */
static void io_uring_cmd_note_retry(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct io_kiocb *req = io_op_req(cmd);

	if (likely(req->flags & IO_REQ_ASYNC_DATA))
		cmd->flags |= IO_CMD_RETRY;
	else
		io_uring_cmd_done(cmd, -EAGAIN, 0, issue_flags);
}

/**
 * io_uring_cmd_issue_blocking - call ->uring_cmd again, from a worker and without NONBLOCK
 * @cmd: a command that was queued, on a regular file or a block device; on any other it ends
 *	with -EAGAIN, because its SQE is gone
 *
 * Context: any.
 */
void io_uring_cmd_issue_blocking(struct io_uring_cmd *cmd)
{
	io_uring_cmd_complete_in_task(cmd, io_uring_cmd_note_retry);
}

/**
 * io_uring_cmd_get_task - the task that submitted a command
 * @cmd: the command
 *
 * Context: any, until the command is done.
 * Return: the task, not referenced for the caller.
 */
struct task_struct *io_uring_cmd_get_task(struct io_uring_cmd *cmd)
{
	return io_op_req(cmd)->node->task;
}
EXPORT_SYMBOL_GPL(io_uring_cmd_get_task);

/**
 * io_uring_cmd_import_fixed - the registered buffer of a command
 * @ubuf: address, as registered
 * @len: bytes
 * @rw: ITER_DEST or ITER_SOURCE
 * @iter: set to the range
 * @ioucmd: the command
 *
 * Buffers cannot be registered yet, and prep refuses IORING_URING_CMD_FIXED.
 *
 * Context: in ->uring_cmd.
 * Return: -EFAULT: there is no such buffer.
 */
int io_uring_cmd_import_fixed(u64 ubuf, unsigned long len, int rw, struct iov_iter *iter,
			      void *ioucmd)
{
	return -EFAULT;
}
EXPORT_SYMBOL_GPL(io_uring_cmd_import_fixed);
