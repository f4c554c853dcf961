/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Driver side of IORING_OP_URING_CMD.
 *
 * A driver implements file_operations.uring_cmd. It may answer at once, by
 * returning the result; or it returns -EIOCBQUEUED and later calls
 * io_uring_cmd_done() exactly once, after which the command is gone. -EAGAIN asks
 * for another call from a worker, without IO_URING_F_NONBLOCK.
 *
 * A completion from an interrupt, or any that lacks valid issue flags, goes
 * through io_uring_cmd_do_in_task_lazy() or io_uring_cmd_complete_in_task(): the
 * callback gets the flags to pass on to io_uring_cmd_done().
 */
#ifndef _LINUX_IO_URING_CMD_H
#define _LINUX_IO_URING_CMD_H

#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <uapi/linux/io_uring.h>

struct file;
struct io_uring_cmd;
struct iov_iter;
struct task_struct;

/*
 * issue_flags: how ->uring_cmd, or a task callback, is being called. Drivers
 * test the ones marked *, and hand the word on as they got it.
 */
enum io_uring_cmd_flags {
	IO_URING_F_COMPLETE_DEFER	= 0x0001, /* completions may be batched */
	IO_URING_F_UNLOCKED		= 0x0002, /* * ring lock is not held */
	IO_URING_F_MULTISHOT		= 0x0004, /* request may give several CQEs */
	IO_URING_F_IOWQ			= 0x0008, /* called by a worker */

	/* what the ring is like */
	IO_URING_F_SQE128		= 0x0100, /* * sqe->cmd has 80 bytes */
	IO_URING_F_CQE32		= 0x0200, /* * res2 reaches the program */
	IO_URING_F_IOPOLL		= 0x0400, /* * found by ->uring_cmd_iopoll */

	/* why the call is made */
	IO_URING_F_CANCEL		= 0x0800, /* * give the command up */
	IO_URING_F_COMPAT		= 0x1000, /* * a 32-bit task made the ring */
	IO_URING_F_TASK_DEAD		= 0x2000, /* * the submitter is gone */

	IO_URING_F_NONBLOCK		= INT_MIN, /* * must not sleep for long */
};

/* __io_uring_cmd_do_in_task(): the callback leads to one CQE, wake-ups may be batched */
enum {
	IOU_F_TWQ_LAZY_WAKE		= 1,
};

/* io_uring_cmd.flags: the upper eight bits are the kernel's own */
#define IORING_URING_CMD_CANCELABLE	0x40000000U

typedef void (*io_uring_cmd_cb)(struct io_uring_cmd *cmd, unsigned int issue_flags);

/**
 * struct io_uring_cmd - a command on its way through a driver
 * @file: file it is for, referenced until done
 * @sqe: the request as submitted; a private copy once it outlives its submission.
 *	Read with READ_ONCE(), since at first it may be user memory
 * @task_work_cb: what to run in the submitting task
 * @cmd_op: driver's command number
 * @flags: IORING_URING_CMD_*
 * @pdu: belongs to the driver from the first ->uring_cmd call until done; what
 *	it holds survives -EAGAIN
 */
struct io_uring_cmd {
	struct file			*file;
	const struct io_uring_sqe	*sqe;
	io_uring_cmd_cb			task_work_cb;
	u32				cmd_op;
	u32				flags;
	u8				pdu[32] __aligned(8);
};

static_assert(sizeof(struct io_uring_cmd) <= 64);
static_assert(offsetof(struct io_uring_cmd, file) == 0);

/**
 * io_uring_cmd_to_pdu() - view the driver's bytes of a command as a structure
 * @cmd: the command
 * @type: structure; it is a compile error if it does not fit
 */
#define io_uring_cmd_to_pdu(cmd, type)					\
	((type *)((cmd)->pdu +						\
		  BUILD_BUG_ON_ZERO(sizeof(type) > sizeof((cmd)->pdu) ||	\
				    __alignof__(type) > 8)))

/**
 * io_uring_sqe_cmd() - the part of an SQE that the driver defines
 * @sqe: SQE of a command
 *
 * Return: 16 bytes, or 80 with IO_URING_F_SQE128.
 */
static inline const void *io_uring_sqe_cmd(const struct io_uring_sqe *sqe)
{
	/* by offset: as an array the member has no bytes to read */
	return (const u8 *)sqe + offsetof(struct io_uring_sqe, cmd);
}

#ifdef CONFIG_IO_URING

void io_uring_cmd_done(struct io_uring_cmd *cmd, ssize_t ret, u64 res2,
		       unsigned int issue_flags);
void __io_uring_cmd_do_in_task(struct io_uring_cmd *cmd, io_uring_cmd_cb cb,
			       unsigned int flags);
void io_uring_cmd_mark_cancelable(struct io_uring_cmd *cmd,
				  unsigned int issue_flags);
void io_uring_cmd_issue_blocking(struct io_uring_cmd *cmd);
int io_uring_cmd_import_fixed(u64 ubuf, unsigned long len, int rw,
			      struct iov_iter *iter, void *ioucmd);
struct task_struct *io_uring_cmd_get_task(struct io_uring_cmd *cmd);

#else /* !CONFIG_IO_URING: drivers compile, and never get a command */

static inline void io_uring_cmd_done(struct io_uring_cmd *cmd, ssize_t ret,
				     u64 res2, unsigned int issue_flags)
{
}

static inline void __io_uring_cmd_do_in_task(struct io_uring_cmd *cmd,
					     io_uring_cmd_cb cb,
					     unsigned int flags)
{
}

static inline void io_uring_cmd_mark_cancelable(struct io_uring_cmd *cmd,
						unsigned int issue_flags)
{
}

static inline void io_uring_cmd_issue_blocking(struct io_uring_cmd *cmd)
{
}

static inline int io_uring_cmd_import_fixed(u64 ubuf, unsigned long len, int rw,
					    struct iov_iter *iter, void *ioucmd)
{
	return -EOPNOTSUPP;
}

static inline struct task_struct *io_uring_cmd_get_task(struct io_uring_cmd *cmd)
{
	return NULL;
}

#endif /* CONFIG_IO_URING */

/**
 * io_uring_cmd_complete_in_task() - run a callback in the submitting task
 * @cmd: the command
 * @cb: called with the ring lock held, soon; in a kernel thread, with
 *	IO_URING_F_TASK_DEAD, if the task is gone
 *
 * Context: any, also hard interrupts.
 */
static inline void io_uring_cmd_complete_in_task(struct io_uring_cmd *cmd,
						 io_uring_cmd_cb cb)
{
	__io_uring_cmd_do_in_task(cmd, cb, 0);
}

/**
 * io_uring_cmd_do_in_task_lazy() - the same for a callback that completes the command
 * @cmd: the command
 * @cb: as for io_uring_cmd_complete_in_task(); must lead to exactly one CQE
 *
 * A task that sleeps for N completions is left asleep until N are there.
 *
 * Context: any, also hard interrupts.
 */
static inline void io_uring_cmd_do_in_task_lazy(struct io_uring_cmd *cmd,
						io_uring_cmd_cb cb)
{
	__io_uring_cmd_do_in_task(cmd, cb, IOU_F_TWQ_LAZY_WAKE);
}

#endif /* _LINUX_IO_URING_CMD_H */
