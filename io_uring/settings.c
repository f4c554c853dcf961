// SPDX-License-Identifier: GPL-2.0
/*
 * Register commands that change how a ring or its workers behave: the parameter region and the
 * affinity and number of worker threads.
 *
 * Transitions: none.
 */
#include <linux/compat.h>
#include <linux/cpumask.h>
#include <linux/io_uring_types.h>
#include <linux/uaccess.h>

#include "account.h"
#include "mmap.h"
#include "pool.h"
#include "region.h"
#include "register.h"

/**
 * io_register_mem_region - IORING_REGISTER_MEM_REGION
 * @ctx: the ring
 * @arg: struct io_uring_mem_region_reg
 * @nr: 1
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EBUSY (there is one), -EINVAL, -EFAULT, or what io_region_from_desc() says.
 */
int io_register_mem_region(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_uring_mem_region_reg reg;
	struct io_uring_region_desc desc;
	struct io_region region = {};
	void __user *udesc;
	int ret;

	if (io_region_present(&ctx->param_region))
		return -EBUSY;
	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	udesc = u64_to_user_ptr(reg.region_uptr);
	if (copy_from_user(&desc, udesc, sizeof(desc)))
		return -EFAULT;
	if (memchr_inv(reg.__resv, 0, sizeof(reg.__resv)) ||
	    (reg.flags & ~(u64)IORING_MEM_REGION_REG_WAIT_ARG))
		return -EINVAL;
	/* Waits read it without a lock, so it must be there before the first one. */
	if ((reg.flags & IORING_MEM_REGION_REG_WAIT_ARG) && !(ctx->flags & IORING_SETUP_R_DISABLED))
		return -EINVAL;

	ret = io_region_from_desc(&region, &ctx->account, &desc);
	if (ret)
		return ret;
	if (!(desc.flags & IORING_MEM_REGION_TYPE_USER))
		desc.mmap_offset = IO_MMAP_OFF_PARAM;
	if (copy_to_user(udesc, &desc, sizeof(desc))) {
		io_region_free(&region, &ctx->account);
		return -EFAULT;
	}

	mutex_lock(&ctx->map_lock);
	ctx->param_region = region;
	mutex_unlock(&ctx->map_lock);
	if (reg.flags & IORING_MEM_REGION_REG_WAIT_ARG) {
		WRITE_ONCE(ctx->wait_args, region.ptr);
		/* (wait-args) release: pointer before size; pairs with io_wait_args_registered() */
		smp_store_release(&ctx->wait_args_size, desc.size);
	}
	return 0;
}

/* The worker pool that settings of this ring apply to */
static struct io_pool *io_settings_pool(void)
{
	return current->io_uring ? current->io_uring->pool : NULL;
}

/**
 * io_register_iowq_aff - IORING_REGISTER_IOWQ_AFF
 * @ctx: the ring
 * @arg: CPU mask
 * @nr: its size in bytes; what is longer than the kernel's is cut off
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL (no mask, no pool, outside the cpuset), -EFAULT, -ENOMEM.
 */
int io_register_iowq_aff(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_pool *pool = io_settings_pool();
	cpumask_var_t mask;
	int ret;

	if (!arg || !nr)
		return -EINVAL;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	nr = min_t(unsigned int, nr, cpumask_size());
	if (in_compat_syscall())
		ret = compat_get_bitmap(cpumask_bits(mask), arg, nr * BITS_PER_BYTE);
	else
		ret = copy_from_user(mask, arg, nr) ? -EFAULT : 0;
	if (!ret)
		ret = pool ? io_pool_set_affinity(pool, mask) : -EINVAL;
	free_cpumask_var(mask);
	return ret;
}

/**
 * io_unregister_iowq_aff - IORING_UNREGISTER_IOWQ_AFF
 * @ctx: the ring
 * @arg: NULL
 * @nr: 0
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL (no pool).
 */
int io_unregister_iowq_aff(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_pool *pool = io_settings_pool();

	return pool ? io_pool_set_affinity(pool, NULL) : -EINVAL;
}

/**
 * io_register_iowq_limits - IORING_REGISTER_IOWQ_MAX_WORKERS
 * @ctx: the ring
 * @arg: u32[2]: bounded, unbounded; 0 leaves a limit; the previous ones are written back
 * @nr: 2
 *
 * Applies to the pools of all tasks that use the ring, now and later.
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL (a value above INT_MAX), -EFAULT.
 */
int io_register_iowq_limits(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_pool *pool = io_settings_pool();
	struct io_task_node *node;
	u32 limits[2];
	int old[2] = {};
	int i;

	if (copy_from_user(limits, arg, sizeof(limits)))
		return -EFAULT;
	if (limits[0] > INT_MAX || limits[1] > INT_MAX)
		return -EINVAL;
	for (i = 0; i < 2; i++) {
		if (limits[i])
			ctx->iowq_limits[i] = limits[i];
		ctx->iowq_limits_set |= limits[i] != 0;
		old[i] = limits[i];
	}
	if (pool)
		io_pool_max_workers(pool, old);
	else
		memset(old, 0, sizeof(old));
	/* A task leaves its rings before its pool goes, so those in the list have one. */
	list_for_each_entry(node, &ctx->nodes, entry) {
		int others[2] = { limits[0], limits[1] };

		if (node->task != current && node->tctx->pool)
			io_pool_max_workers(node->tctx->pool, others);
	}
	return copy_to_user(arg, old, sizeof(old)) ? -EFAULT : 0;
}
