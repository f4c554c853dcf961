// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring_setup(): validate what is asked for, make the ring, give it a file.
 *
 * Transitions: none.
 */
#include <linux/anon_inodes.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/log2.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/syscalls.h>
#include <linux/sysctl.h>
#include <trace/events/io_uring.h>

#include "cq.h"
#include "ctx.h"
#include "exit.h"
#include "fdinfo.h"
#include "features.h"
#include "mmap.h"
#include "run.h"
#include "sq.h"
#include "task.h"
#include "wake.h"

#define IO_MAX_SQ_ENTRIES	32768u
#define IO_MAX_CQ_ENTRIES	(2 * IO_MAX_SQ_ENTRIES)

static int io_uring_disabled;
static int io_uring_group = -1;

static struct ctl_table io_uring_sysctls[] = {
	{
		.procname	= "io_uring_disabled",
		.data		= &io_uring_disabled,
		.maxlen		= sizeof(io_uring_disabled),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_TWO,
	},
	{
		.procname	= "io_uring_group",
		.data		= &io_uring_group,
		.maxlen		= sizeof(io_uring_group),
		.mode		= 0644,
		.proc_handler	= proc_dointvec,
	},
};

/* May current make rings? See kernel.io_uring_disabled. */
static bool io_setup_allowed(void)
{
	int disabled = READ_ONCE(io_uring_disabled);
	kgid_t group;

	if (!disabled)
		return true;
	if (disabled == 2)
		return false;
	if (capable(CAP_SYS_ADMIN))
		return true;
	group = make_kgid(&init_user_ns, READ_ONCE(io_uring_group));
	return gid_valid(group) && in_group_p(group);
}

static int io_uring_release(struct inode *inode, struct file *file)
{
	struct io_ring_ctx *ctx = file->private_data;

	file->private_data = NULL;
	io_ring_exit(ctx);
	return 0;
}

/*
 * Called under mutexes of epoll, so the ring lock is out of reach; what is read here may be a
 * moment old, and what comes later wakes us.
 */
static __poll_t io_uring_poll(struct file *file, poll_table *wait)
{
	struct io_ring_ctx *ctx = file->private_data;
	struct io_rings *rings;
	__poll_t mask = 0;

	if (unlikely(!READ_ONCE(ctx->polled)) && !xchg(&ctx->polled, 1))
		io_listen(ctx);
	poll_wait(file, &ctx->cq_wait, wait);
	/* (cq-listen) queued, now look; pairs with io_cq_publish() and io_inbox_add() */
	smp_mb();

	guard(rcu)();
	rings = io_rings_rcu(ctx);
	if (READ_ONCE(rings->sq_tail) - READ_ONCE(ctx->sq_head) != ctx->sq_entries)
		mask |= EPOLLOUT | EPOLLWRNORM;
	if (READ_ONCE(rings->cq_tail) != READ_ONCE(rings->cq_head) ||
	    (atomic_read(&rings->sq_flags) & IORING_SQ_CQ_OVERFLOW) || io_run_pending(ctx))
		mask |= EPOLLIN | EPOLLRDNORM;
	return mask;
}

static const struct file_operations io_uring_fops = {
	.release		= io_uring_release,
	.mmap			= io_mmap,
	.get_unmapped_area	= io_mmap_get_unmapped_area,
#ifndef CONFIG_MMU
	.mmap_capabilities	= io_mmap_capabilities,
#endif
	.poll			= io_uring_poll,
#ifdef CONFIG_PROC_FS
	.show_fdinfo		= io_fdinfo_show,
#endif
};

/**
 * io_is_uring_fops - is a file a ring?
 * @file: any file
 *
 * Context: any.
 */
bool io_is_uring_fops(struct file *file)
{
	return file->f_op == &io_uring_fops;
}

/* The rules between setup flags */
static int io_setup_check_flags(u32 flags)
{
	if (flags & ~IO_SETUP_FLAGS)
		return -EINVAL;
	if ((flags & IORING_SETUP_SQ_REWIND) && !(flags & IORING_SETUP_NO_SQARRAY))
		return -EINVAL;
	if ((flags & IORING_SETUP_REGISTERED_FD_ONLY) && !(flags & IORING_SETUP_NO_MMAP))
		return -EINVAL;
	if ((flags & IORING_SETUP_TASKRUN_FLAG) &&
	    !(flags & (IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN)))
		return -EINVAL;
	if ((flags & IORING_SETUP_DEFER_TASKRUN) && !(flags & IORING_SETUP_SINGLE_ISSUER))
		return -EINVAL;
	if ((flags & IORING_SETUP_CQE32) && (flags & IORING_SETUP_CQE_MIXED))
		return -EINVAL;
	if ((flags & IORING_SETUP_SQE128) && (flags & IORING_SETUP_SQE_MIXED))
		return -EINVAL;
	return 0;
}

/*
 * Final numbers of entries
 * @p: sq_entries as asked for, cq_entries with IORING_SETUP_CQSIZE; the final ones on return
 *
 * Return: 0, -EINVAL, or -EOVERFLOW for a mixed ring too small for one large entry.
 */
static int io_setup_sizes(struct io_uring_params *p)
{
	bool clamp = p->flags & IORING_SETUP_CLAMP;

	if (!p->sq_entries || (p->sq_entries > IO_MAX_SQ_ENTRIES && !clamp))
		return -EINVAL;
	p->sq_entries = roundup_pow_of_two(min(p->sq_entries, IO_MAX_SQ_ENTRIES));

	if (p->flags & IORING_SETUP_CQSIZE) {
		if (!p->cq_entries || (p->cq_entries > IO_MAX_CQ_ENTRIES && !clamp))
			return -EINVAL;
		p->cq_entries = roundup_pow_of_two(min(p->cq_entries, IO_MAX_CQ_ENTRIES));
		if (p->cq_entries < p->sq_entries)
			return -EINVAL;
	} else {
		p->cq_entries = 2 * p->sq_entries;
	}
	if ((p->flags & IORING_SETUP_CQE_MIXED) && p->cq_entries < 2)
		return -EOVERFLOW;
	if ((p->flags & IORING_SETUP_SQE_MIXED) && p->sq_entries < 2)
		return -EOVERFLOW;
	return 0;
}

/* Without a submission thread there is nothing to attach to, but the fd has to be a ring. */
static int io_setup_check_attach(const struct io_uring_params *p)
{
	if (!(p->flags & IORING_SETUP_ATTACH_WQ))
		return 0;
	CLASS(fd, f)(p->wq_fd);
	if (!fd_file(f))
		return -ENXIO;
	return io_is_uring_fops(fd_file(f)) ? 0 : -EINVAL;
}

/* Give the ring a descriptor or a registered index. The file's reference is used up. */
static int io_setup_install(struct io_ring_ctx *ctx, struct file *file, u32 flags)
{
	struct io_task_node *node = io_task_attach(ctx);
	int ret;

	if (IS_ERR(node)) {
		ret = PTR_ERR(node);
	} else if (flags & IORING_SETUP_REGISTERED_FD_ONLY) {
		ret = io_task_add_ring(file, 0, IO_REGISTERED_RINGS_MAX);
	} else {
		ret = get_unused_fd_flags(O_RDWR | O_CLOEXEC);
		if (ret >= 0)
			fd_install(ret, file);
	}
	if (ret < 0)
		fput(file);
	return ret;
}

static int io_setup(struct io_uring_params *p, struct io_uring_params __user *uparams)
{
	struct io_ring_ctx *ctx;
	struct file *file;
	int ret;

	ret = io_setup_check_flags(p->flags);
	if (!ret)
		ret = io_setup_sizes(p);
	if (ret)
		return ret;

	ctx = io_ctx_alloc(p->flags);
	if (!ctx)
		return -ENOMEM;
	ctx->compat = in_compat_syscall();
	ctx->features = IO_FEATURES;
	if (p->flags & IORING_SETUP_SQE_MIXED)
		ctx->strict |= IO_STRICT_MIXED;
	ret = io_ctx_alloc_rings(ctx, p);
	if (!ret)
		ret = io_setup_check_attach(p);
	if (ret)
		goto abort;

	p->features = IO_FEATURES;
	ret = -EFAULT;
	if (copy_to_user(uparams, p, sizeof(*p)))
		goto abort;
	if ((p->flags & IORING_SETUP_SINGLE_ISSUER) && !(p->flags & IORING_SETUP_R_DISABLED))
		ctx->submitter = get_task_struct(current);

	file = anon_inode_create_getfile("[io_uring]", &io_uring_fops, ctx, O_RDWR | O_CLOEXEC,
					 NULL);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto abort;
	}
	ret = io_setup_install(ctx, file, p->flags);
	if (ret >= 0)
		trace_io_uring_create(ret, ctx, p->sq_entries, p->cq_entries, p->flags);
	return ret;

abort:
	io_ctx_abort(ctx);
	return ret;
}

/**
 * sys_io_uring_setup - make a ring
 * @entries: SQ entries, rounded up to a power of two
 * @params: flags and sizes in; sizes, features and offsets out
 *
 * Return: a descriptor, or with IORING_SETUP_REGISTERED_FD_ONLY an index; -EPERM (sysctl),
 * -EFAULT, -EINVAL, -EOVERFLOW, -ENOMEM, -ENXIO (wq_fd), -EMFILE, -EBUSY (no free index).
 */
SYSCALL_DEFINE2(io_uring_setup, u32, entries, struct io_uring_params __user *, params)
{
	struct io_uring_params p;

	if (!io_setup_allowed())
		return -EPERM;
	if (copy_from_user(&p, params, sizeof(p)))
		return -EFAULT;
	if (memchr_inv(p.resv, 0, sizeof(p.resv)))
		return -EINVAL;
	p.sq_entries = entries;
	return io_setup(&p, params);
}

static int __init io_uring_sysctl_init(void)
{
	register_sysctl_init("kernel", io_uring_sysctls);
	return 0;
}
late_initcall(io_uring_sysctl_init);
