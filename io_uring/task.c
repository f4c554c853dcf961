// SPDX-License-Identifier: GPL-2.0
/*
 * What a task keeps for io_uring, how it starts to use a ring, and its registered ring fds.
 *
 * Transitions: none.
 */
#include <linux/file.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/nospec.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "inbox.h"
#include "node.h"
#include "pool.h"
#include "run.h"
#include "task.h"
#include "worker.h"

/**
 * __io_uring_free - the last reference of a dead task is dropped
 * @task: the task
 *
 * Context: any; must not sleep.
 */
void __io_uring_free(struct task_struct *task)
{
	struct io_uring_task *tctx = task->io_uring;

	WARN_ON_ONCE(tctx->pool);
	WARN_ON_ONCE(!llist_empty(&tctx->inbox.list));
	/* Emptied and destroyed at exit: its lock is not for the context that we may be in. */
	WARN_ON_ONCE(!xa_empty(&tctx->nodes));
	task->io_uring = NULL;
	kfree_rcu(tctx, rcu);
}

/**
 * io_task_get - the io_uring state of current, made on first use
 * @ctx: ring that brings it about, for the limits of the worker pool
 *
 * Context: may sleep.
 * Return: the state, or ERR_PTR(-ENOMEM) or what the pool says.
 */
struct io_uring_task *io_task_get(struct io_ring_ctx *ctx)
{
	struct io_uring_task *tctx = current->io_uring;

	if (!tctx) {
		tctx = kzalloc(sizeof(*tctx), GFP_KERNEL_ACCOUNT);
		if (!tctx)
			return ERR_PTR(-ENOMEM);
		tctx->task = current;
		io_inbox_init(&tctx->inbox);
		init_task_work(&tctx->work, io_run_task_work);
		xa_init(&tctx->nodes);
		init_waitqueue_head(&tctx->wait);
		current->io_uring = tctx;
	}
	if (!tctx->pool && ctx) {
		struct io_pool *pool = io_worker_pool_create(ctx, current);

		if (IS_ERR(pool))
			return ERR_CAST(pool);
		WRITE_ONCE(tctx->pool, pool);
	}
	return tctx;
}

/**
 * io_task_attach - the node of current on a ring, made on first use
 * @ctx: the ring, referenced by the caller
 *
 * Context: no ring lock held; may sleep.
 * Return: the node, or ERR_PTR.
 */
struct io_task_node *io_task_attach(struct io_ring_ctx *ctx)
{
	struct io_uring_task *tctx = io_task_get(ctx);
	struct io_task_node *node;
	int ret;

	if (IS_ERR(tctx))
		return ERR_CAST(tctx);
	node = xa_load(&tctx->nodes, (unsigned long)ctx);
	if (!node) {
		node = kzalloc(sizeof(*node), GFP_KERNEL_ACCOUNT);
		if (!node)
			return ERR_PTR(-ENOMEM);
		ret = xa_err(xa_store(&tctx->nodes, (unsigned long)ctx, node, GFP_KERNEL));
		if (ret) {
			/* The store may have left a node of the array behind, but no entry. */
			kfree(node);
			return ERR_PTR(ret);
		}
		node->ctx = ctx;
		node->task = get_task_struct(current);
		node->tctx = tctx;
		node->inbox = ctx->flags & IORING_SETUP_DEFER_TASKRUN ? &ctx->inbox : &tctx->inbox;
		mutex_lock(&ctx->lock);
		list_add(&node->entry, &ctx->nodes);
		if (ctx->iowq_limits_set) {
			int limits[2] = { ctx->iowq_limits[0], ctx->iowq_limits[1] };

			io_pool_max_workers(tctx->pool, limits);
		}
		mutex_unlock(&ctx->lock);
	}
	tctx->last = node;
	WRITE_ONCE(tctx->last_ctx, ctx);
	return node;
}

/**
 * io_task_ring_file - a registered ring of current
 * @index: as given by the application
 *
 * Context: task context. The file stays registered until the task unregisters it, so no
 * reference is taken.
 * Return: the file, or ERR_PTR: -EINVAL (no such index), -EBADF (empty).
 */
struct file *io_task_ring_file(unsigned int index)
{
	struct io_uring_task *tctx = current->io_uring;
	struct file *file;

	if (unlikely(!tctx || index >= IO_REGISTERED_RINGS_MAX))
		return ERR_PTR(-EINVAL);
	file = tctx->rings[array_index_nospec(index, IO_REGISTERED_RINGS_MAX)];
	return file ?: ERR_PTR(-EBADF);
}

/**
 * io_task_drop_rings - release all registered ring files
 * @tctx: of current
 */
void io_task_drop_rings(struct io_uring_task *tctx)
{
	int i;

	for (i = 0; i < IO_REGISTERED_RINGS_MAX; i++) {
		if (tctx->rings[i])
			fput(tctx->rings[i]);
		tctx->rings[i] = NULL;
	}
}

/**
 * io_task_add_ring - put a ring file into the first free slot of a range
 * @file: the ring file; its reference is passed on success
 * @start: first slot
 * @end: one past the last slot
 *
 * Context: task context, io_task_get() was called.
 * Return: the slot, or -EBUSY.
 */
int io_task_add_ring(struct file *file, int start, int end)
{
	struct io_uring_task *tctx = current->io_uring;
	int i;

	for (i = start; i < end; i++) {
		i = array_index_nospec(i, IO_REGISTERED_RINGS_MAX);
		if (!tctx->rings[i]) {
			tctx->rings[i] = file;
			return i;
		}
	}
	return -EBUSY;
}

static int io_task_register_ring(const struct io_uring_rsrc_update *reg)
{
	int start = 0, end = IO_REGISTERED_RINGS_MAX;
	struct file *file;
	int ret;

	if (reg->resv)
		return -EINVAL;
	if (reg->offset != -1U) {
		if (reg->offset >= IO_REGISTERED_RINGS_MAX)
			return -EINVAL;
		start = reg->offset;
		end = start + 1;
	}
	file = fget(reg->data);
	if (!file)
		return -EBADF;
	ret = io_is_uring_fops(file) ? io_task_add_ring(file, start, end) : -EOPNOTSUPP;
	if (ret < 0)
		fput(file);
	return ret;
}

/**
 * io_task_register_rings - IORING_REGISTER_RING_FDS
 * @arg: struct io_uring_rsrc_update[@nr]: data is the fd, offset the slot or -1U
 * @nr: number of entries
 *
 * Context: task context, no ring lock held: a ring may be dropped again here.
 * Return: entries done, or the errno of the first.
 */
int io_task_register_rings(void __user *arg, unsigned int nr)
{
	struct io_uring_rsrc_update __user *uregs = arg;
	struct io_uring_task *tctx;
	unsigned int i;
	int ret = 0;

	if (!nr || nr > IO_REGISTERED_RINGS_MAX)
		return -EINVAL;
	tctx = io_task_get(NULL);
	if (IS_ERR(tctx))
		return PTR_ERR(tctx);
	for (i = 0; i < nr; i++) {
		struct io_uring_rsrc_update reg;

		ret = -EFAULT;
		if (copy_from_user(&reg, &uregs[i], sizeof(reg)))
			break;
		ret = io_task_register_ring(&reg);
		if (ret < 0)
			break;
		reg.offset = ret;
		if (copy_to_user(&uregs[i], &reg, sizeof(reg))) {
			fput(tctx->rings[ret]);
			tctx->rings[ret] = NULL;
			ret = -EFAULT;
			break;
		}
	}
	return i ?: ret;
}

/**
 * io_task_unregister_rings - IORING_UNREGISTER_RING_FDS
 * @arg: struct io_uring_rsrc_update[@nr]: offset is the slot
 * @nr: number of entries
 *
 * Context: task context, no ring lock held.
 * Return: entries done, or the errno of the first.
 */
int io_task_unregister_rings(void __user *arg, unsigned int nr)
{
	struct io_uring_rsrc_update __user *uregs = arg;
	struct io_uring_task *tctx = current->io_uring;
	unsigned int i;
	int ret = 0;

	if (!nr || nr > IO_REGISTERED_RINGS_MAX)
		return -EINVAL;
	if (!tctx)
		return 0;
	for (i = 0; i < nr; i++) {
		struct io_uring_rsrc_update reg;
		struct file **slot;

		ret = -EFAULT;
		if (copy_from_user(&reg, &uregs[i], sizeof(reg)))
			break;
		ret = -EINVAL;
		if (reg.resv || reg.data || reg.offset >= IO_REGISTERED_RINGS_MAX)
			break;
		slot = &tctx->rings[array_index_nospec(reg.offset, IO_REGISTERED_RINGS_MAX)];
		if (*slot)
			fput(*slot);
		*slot = NULL;
	}
	return i ?: ret;
}
