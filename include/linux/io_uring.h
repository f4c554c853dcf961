/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core kernel calls: fork, exec and exit of a task, and SCM_RIGHTS.
 *
 * task_struct.io_uring is NULL until the task creates or uses a ring, so that
 * a task that never does pays one load. A child starts with NULL.
 */
#ifndef _LINUX_IO_URING_H
#define _LINUX_IO_URING_H

#include <linux/sched.h>
#include <linux/types.h>

struct file;

#ifdef CONFIG_IO_URING

void __io_uring_cancel(bool cancel_all);
void __io_uring_free(struct task_struct *tsk);
bool io_is_uring_fops(struct file *file);
const char *io_uring_get_opcode(u8 opcode);

/**
 * io_uring_files_cancel() - the current task exits: let go of its rings
 *
 * Ends the requests that need the task's mm or hold ring files, and its
 * workers. The rest ends with the ring file.
 *
 * Context: process context, may sleep, task work can still be added.
 */
static inline void io_uring_files_cancel(void)
{
	if (unlikely(current->io_uring))
		__io_uring_cancel(false);
}

/**
 * io_uring_task_cancel() - the current task executes a new program
 *
 * Ends all of its requests and forgets its rings: no request may see the new mm.
 *
 * Context: process context, may sleep, runs task work.
 */
static inline void io_uring_task_cancel(void)
{
	if (unlikely(current->io_uring))
		__io_uring_cancel(true);
}

/**
 * io_uring_free() - the last reference to a dead task is gone
 * @tsk: the task
 *
 * Context: any, must not sleep.
 */
static inline void io_uring_free(struct task_struct *tsk)
{
	if (unlikely(tsk->io_uring))
		__io_uring_free(tsk);
}

#else /* !CONFIG_IO_URING */

static inline void io_uring_files_cancel(void) { }
static inline void io_uring_task_cancel(void) { }
static inline void io_uring_free(struct task_struct *tsk) { }

static inline bool io_is_uring_fops(struct file *file)
{
	return false;
}

static inline const char *io_uring_get_opcode(u8 opcode)
{
	return "";
}

#endif /* CONFIG_IO_URING */

#endif /* _LINUX_IO_URING_H */
