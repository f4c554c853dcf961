// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring_register(): one table of commands; a row says what arguments a command takes.
 *
 * Transitions: none.
 */
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/nospec.h>
#include <linux/sched/task.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <trace/events/io_uring.h>

#include "batch.h"
#include "message.h"
#include "register.h"
#include "task.h"
#include "wake.h"

static int io_register_eventfd(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	return io_eventfd_register(ctx, arg, false);
}

static int io_register_eventfd_async(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	return io_eventfd_register(ctx, arg, true);
}

static int io_unregister_eventfd(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	return io_eventfd_unregister(ctx);
}

/* Start a ring that was made disabled. The first task to do so owns a SINGLE_ISSUER ring. */
static int io_enable_rings(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	if (!(ctx->flags & IORING_SETUP_R_DISABLED))
		return -EBADFD;
	if ((ctx->flags & IORING_SETUP_SINGLE_ISSUER) && !ctx->submitter)
		WRITE_ONCE(ctx->submitter, get_task_struct(current));
	if (ctx->restriction.op_active)
		ctx->strict |= IO_STRICT_RESTRICTED;
	/* (ring-enable) release: all of the above before the flag; pairs with io_enter_ring() */
	smp_store_release(&ctx->flags, ctx->flags & ~IORING_SETUP_R_DISABLED);
	if (READ_ONCE(ctx->polled))
		io_wake_pollers(ctx);
	return 0;
}

static int io_register_personality(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	const struct cred *creds = get_current_cred();
	u32 id;
	int ret;

	ret = xa_alloc_cyclic(&ctx->personalities, &id, (void *)creds, XA_LIMIT(0, USHRT_MAX),
			      &ctx->pers_next, GFP_KERNEL);
	if (ret < 0) {
		put_cred(creds);
		return ret;
	}
	return id;
}

static int io_unregister_personality(struct io_ring_ctx *ctx, void __user *arg, unsigned int id)
{
	const struct cred *creds = xa_erase(&ctx->personalities, id);

	if (!creds)
		return -EINVAL;
	put_cred(creds);
	return 0;
}

static int io_register_clock(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_uring_clock_register reg;

	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	if (memchr_inv(reg.__resv, 0, sizeof(reg.__resv)))
		return -EINVAL;
	if (reg.clockid != CLOCK_MONOTONIC && reg.clockid != CLOCK_BOOTTIME)
		return -EINVAL;
	WRITE_ONCE(ctx->clockid, reg.clockid);
	return 0;
}

static int io_register_sync_cancel(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	return io_sync_cancel(ctx, arg);
}

static int io_register_ring_fds(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	return io_task_register_rings(arg, nr);
}

static int io_unregister_ring_fds(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	return io_task_unregister_rings(arg, nr);
}

/* What a command wants of its arguments, for struct io_register_cmd */
#define ARG_NONE	1	/* arg must be NULL */
#define ARG_SET		2	/* arg must not be NULL */
#define NR_ANY		-1

/**
 * struct io_register_cmd - one command
 * @run: does it, under the ring lock; returns >= 0 or a negative errno. NULL: not available
 * @arg: ARG_*; 0: @run looks itself
 * @nr: what nr_args has to be, or NR_ANY
 */
struct io_register_cmd {
	int (*run)(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr);
	u8 arg;
	s16 nr;
};

static const struct io_register_cmd io_register_cmds[IORING_REGISTER_LAST] = {
	[IORING_REGISTER_FILES]			= { io_files_register, 0, NR_ANY },
	[IORING_UNREGISTER_FILES]		= { io_files_unregister, ARG_NONE, 0 },
	[IORING_REGISTER_EVENTFD]		= { io_register_eventfd, 0, 1 },
	[IORING_UNREGISTER_EVENTFD]		= { io_unregister_eventfd, ARG_NONE, 0 },
	[IORING_REGISTER_FILES_UPDATE]		= { io_files_update, 0, NR_ANY },
	[IORING_REGISTER_EVENTFD_ASYNC]		= { io_register_eventfd_async, 0, 1 },
	[IORING_REGISTER_PROBE]			= { io_probe, ARG_SET, NR_ANY },
	[IORING_REGISTER_PERSONALITY]		= { io_register_personality, ARG_NONE, 0 },
	[IORING_UNREGISTER_PERSONALITY]		= { io_unregister_personality, ARG_NONE, NR_ANY },
	[IORING_REGISTER_RESTRICTIONS]		= { io_register_restrictions, 0, NR_ANY },
	[IORING_REGISTER_ENABLE_RINGS]		= { io_enable_rings, ARG_NONE, 0 },
	[IORING_REGISTER_FILES2]		= { io_files_register2, 0, NR_ANY },
	[IORING_REGISTER_FILES_UPDATE2]		= { io_files_update2, 0, NR_ANY },
	[IORING_REGISTER_IOWQ_AFF]		= { io_register_iowq_aff, 0, NR_ANY },
	[IORING_UNREGISTER_IOWQ_AFF]		= { io_unregister_iowq_aff, ARG_NONE, 0 },
	[IORING_REGISTER_IOWQ_MAX_WORKERS]	= { io_register_iowq_limits, ARG_SET, 2 },
	[IORING_REGISTER_RING_FDS]		= { io_register_ring_fds, 0, NR_ANY },
	[IORING_UNREGISTER_RING_FDS]		= { io_unregister_ring_fds, 0, NR_ANY },
	[IORING_REGISTER_SYNC_CANCEL]		= { io_register_sync_cancel, ARG_SET, 1 },
	[IORING_REGISTER_FILE_ALLOC_RANGE]	= { io_files_alloc_range, ARG_SET, 0 },
	[IORING_REGISTER_CLOCK]			= { io_register_clock, ARG_SET, 0 },
	[IORING_REGISTER_MEM_REGION]		= { io_register_mem_region, ARG_SET, 1 },
	[IORING_REGISTER_QUERY]			= { io_register_query, 0, 0 },
};

/* All checks that come before the command's own. Context: ring lock held. */
static int io_register_checked(struct io_ring_ctx *ctx, unsigned int opcode, void __user *arg,
			       unsigned int nr)
{
	const struct io_register_cmd *cmd = &io_register_cmds[opcode];

	if (ctx->submitter && ctx->submitter != current)
		return -EEXIST;
	if (ctx->restriction.register_active && !(ctx->flags & IORING_SETUP_R_DISABLED) &&
	    !test_bit(opcode, ctx->restriction.register_op))
		return -EACCES;
	if (!cmd->run)
		return -EINVAL;
	if ((cmd->arg == ARG_NONE && arg) || (cmd->arg == ARG_SET && !arg))
		return -EINVAL;
	if (cmd->nr != NR_ANY && cmd->nr != nr)
		return -EINVAL;
	return cmd->run(ctx, arg, nr);
}

static int io_register_ring(struct io_ring_ctx *ctx, unsigned int opcode, void __user *arg,
			    unsigned int nr)
{
	int ret;

	io_ring_lock(ctx);
	ret = io_register_checked(ctx, opcode, arg, nr);
	io_ring_unlock(ctx);
	trace_io_uring_register(ctx, opcode, ctx->files.data.nr, ctx->bufs.nr, ret);
	return ret;
}

/* Commands that need no ring */
static int io_register_blind(unsigned int opcode, void __user *arg, unsigned int nr)
{
	if (opcode == IORING_REGISTER_QUERY)
		return nr ? -EINVAL : io_register_query(NULL, arg, nr);
	if (opcode == IORING_REGISTER_SEND_MSG_RING)
		return io_message_blind(arg, nr);
	return -EINVAL;
}

/**
 * sys_io_uring_register - register resources with a ring, or change its settings
 * @fd: the ring, an index with IORING_REGISTER_USE_REGISTERED_RING, or -1
 * @opcode: IORING_REGISTER_*, IORING_UNREGISTER_*
 * @arg: as the command says
 * @nr_args: ditto
 *
 * Return: >= 0 as the command says, or -EINVAL (command, arguments), -EBADF, -EOPNOTSUPP (not a
 * ring), -EEXIST (another task's SINGLE_ISSUER ring), -EACCES (restricted), or the command's errno.
 */
SYSCALL_DEFINE4(io_uring_register, unsigned int, fd, unsigned int, opcode, void __user *, arg,
		unsigned int, nr_args)
{
	bool registered = opcode & IORING_REGISTER_USE_REGISTERED_RING;
	struct fd f = EMPTY_FD;
	struct file *file;
	int ret;

	opcode &= ~IORING_REGISTER_USE_REGISTERED_RING;
	if (opcode >= IORING_REGISTER_LAST)
		return -EINVAL;
	opcode = array_index_nospec(opcode, IORING_REGISTER_LAST);
	if (fd == -1)
		return io_register_blind(opcode, arg, nr_args);

	if (registered) {
		file = io_task_ring_file(fd);
		if (IS_ERR(file))
			return PTR_ERR(file);
	} else {
		f = fdget(fd);
		file = fd_file(f);
		if (!file)
			return -EBADF;
	}
	ret = -EOPNOTSUPP;
	if (io_is_uring_fops(file))
		ret = io_register_ring(file->private_data, opcode, arg, nr_args);
	fdput(f);
	return ret;
}
