/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scheduler hooks of the worker pool, for kernel/sched/core.c, which fixes the name of this file.
 */
#ifndef IO_URING_IO_WQ_H
#define IO_URING_IO_WQ_H

struct task_struct;

#ifdef CONFIG_IO_WQ
void io_wq_worker_sleeping(struct task_struct *tsk);
void io_wq_worker_running(struct task_struct *tsk);
#else
static inline void io_wq_worker_sleeping(struct task_struct *tsk)
{
}

static inline void io_wq_worker_running(struct task_struct *tsk)
{
}
#endif

#endif
