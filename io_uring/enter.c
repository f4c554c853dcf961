// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring_enter(): submit, then wait.
 *
 * Transitions: none of its own.
 */
#include <linux/file.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/syscalls.h>

#include "batch.h"
#include "features.h"
#include "node.h"
#include "sq.h"
#include "task.h"
#include "wait.h"

/* Take up to @nr SQEs. Returns the number, or an errno if there is none. */
static int io_enter_submit(struct io_ring_ctx *ctx, unsigned int nr)
{
	struct io_task_node *node = io_task_node_cached(ctx);
	int ret;

	if (unlikely(ctx->submitter && ctx->submitter != current))
		return -EEXIST;
	if (unlikely(!node)) {
		node = io_task_attach(ctx);
		if (IS_ERR(node))
			return PTR_ERR(node);
	}
	io_ring_lock(ctx);
	ret = io_submit(ctx, node, nr);
	io_ring_unlock(ctx);
	return ret;
}

static __always_inline int io_enter_ring(struct io_ring_ctx *ctx, unsigned int to_submit,
					 unsigned int min_complete, u32 flags,
					 const void __user *argp, size_t argsz)
{
	int submitted = 0, ret;

	/* (ring-enable) acquire: what was set up before the ring was enabled is seen */
	if (unlikely(smp_load_acquire(&ctx->flags) & IORING_SETUP_R_DISABLED))
		return -EBADFD;
	if (to_submit) {
		submitted = io_enter_submit(ctx, to_submit);
		if (submitted != to_submit)
			return submitted;
	}
	if (!(flags & IORING_ENTER_GETEVENTS))
		return submitted;
	ret = io_wait_cqes(ctx, min_complete, flags, argp, argsz);
	return submitted ?: ret;
}

/* The file of a ring, or of something else; to be given back by fdput(@f). */
static struct file *io_enter_file(unsigned int fd, u32 flags, struct fd *f)
{
	*f = EMPTY_FD;
	if (flags & IORING_ENTER_REGISTERED_RING)
		return io_task_ring_file(fd);
	*f = fdget(fd);
	return fd_file(*f) ?: ERR_PTR(-EBADF);
}

/* One copy for both entries of the system call */
static noinline long io_enter(unsigned int fd, u32 to_submit, u32 min_complete, u32 flags,
			      const void __user *argp, size_t argsz)
{
	struct file *file;
	struct fd f;
	int ret;

	if (unlikely(flags & ~IO_ENTER_FLAGS))
		return -EINVAL;
	file = io_enter_file(fd, flags, &f);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = -EOPNOTSUPP;
	if (likely(io_is_uring_fops(file)))
		ret = io_enter_ring(file->private_data, to_submit, min_complete, flags, argp,
				    argsz);
	fdput(f);
	return ret;
}

/**
 * sys_io_uring_enter - submit requests and wait for completions
 * @fd: the ring; with IORING_ENTER_REGISTERED_RING an index into the task's registered rings
 * @to_submit: SQEs to take
 * @min_complete: CQEs to wait for, with IORING_ENTER_GETEVENTS
 * @flags: IORING_ENTER_*
 * @argp: signal mask, or what IORING_ENTER_EXT_ARG and _REG make of it
 * @argsz: size of that
 *
 * Return: SQEs consumed, 0, or -EINVAL (flags, index, sizes), -EBADF, -EOPNOTSUPP (not a ring),
 * -EBADFD (disabled), -EEXIST (other task's ring), -ENOMEM, -EAGAIN (no memory for a request),
 * -EFAULT, -ETIME, -EINTR, -EBADR. An error of the wait is only returned if nothing was submitted.
 */
SYSCALL_DEFINE6(io_uring_enter, unsigned int, fd, u32, to_submit, u32, min_complete, u32, flags,
		const void __user *, argp, size_t, argsz)
{
	return io_enter(fd, to_submit, min_complete, flags, argp, argsz);
}
