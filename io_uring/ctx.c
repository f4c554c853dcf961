// SPDX-License-Identifier: GPL-2.0
/*
 * A ring: its memory, its construction, its last moment, and the shrinker of request caches.
 *
 * Transitions: none; requests come from request.c and end in exit.c.
 */
#include <linux/io_uring_types.h>
#include <linux/sched/task.h>
#include <linux/shrinker.h>
#include <linux/slab.h>

#include "account.h"
#include "batch.h"
#include "cq.h"
#include "ctx.h"
#include "exit.h"
#include "inbox.h"
#include "region.h"
#include "registry.h"
#include "request.h"
#include "run.h"

LIST_HEAD(io_rings_list);
DEFINE_SPINLOCK(io_rings_lock);

/* Free a ring that nobody can reach. Accepts one that was set up in part. */
static void io_ctx_free(struct io_ring_ctx *ctx)
{
	spin_lock(&io_rings_lock);
	list_del(&ctx->rings_entry);
	spin_unlock(&io_rings_lock);

	WARN_ON_ONCE(ctx->nr_reqs);
	irq_work_sync(&ctx->bell_work);
	io_cq_drop_overflow(ctx);
	io_registry_exit(&ctx->registry);
	if (ctx->submitter)
		put_task_struct(ctx->submitter);
	io_region_free(&ctx->ring_region, NULL);
	io_region_free(&ctx->sq_region, NULL);
	io_region_free(&ctx->param_region, &ctx->account);
	io_account_exit(&ctx->account);
	xa_destroy(&ctx->personalities);
	xa_destroy(&ctx->buf_groups);
	xa_destroy(&ctx->huge_pages);
	percpu_ref_exit(&ctx->refs);
	mutex_destroy(&ctx->lock);
	mutex_destroy(&ctx->map_lock);
	kfree(ctx);
}

static void io_ctx_free_work(struct work_struct *work)
{
	struct io_ring_ctx *ctx = container_of(to_rcu_work(work), struct io_ring_ctx, free_work);

	/* It may be waiting for its next turn, which there is no need for any more. */
	cancel_delayed_work_sync(&ctx->exit_work);
	io_ctx_free(ctx);
}

/* The last reference is dropped: by the last request, in whatever context that ends. */
static void io_ctx_refs_gone(struct percpu_ref *ref)
{
	struct io_ring_ctx *ctx = container_of(ref, struct io_ring_ctx, refs);

	queue_rcu_work(system_unbound_wq, &ctx->free_work);
}

/**
 * io_ctx_alloc - make a ring without memory
 * @setup_flags: IORING_SETUP_*, checked
 *
 * Context: may sleep.
 * Return: the ring with one reference, or NULL.
 */
struct io_ring_ctx *io_ctx_alloc(unsigned int setup_flags)
{
	struct io_ring_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);

	if (!ctx)
		return NULL;
	if (io_registry_init(&ctx->registry))
		goto free_ctx;
	if (percpu_ref_init(&ctx->refs, io_ctx_refs_gone, 0, GFP_KERNEL_ACCOUNT))
		goto free_registry;

	mutex_init(&ctx->lock);
	mutex_init(&ctx->map_lock);
	ctx->flags = setup_flags;
	ctx->cqe_shift = !!(setup_flags & IORING_SETUP_CQE32);
	ctx->sqe_shift = !!(setup_flags & IORING_SETUP_SQE128);
	ctx->odd_flags = ~IOSQE_FIXED_FILE;
	/* Whoever rings for others does not hurry the owner of a ring that asked for that. */
	ctx->notify = setup_flags & (IORING_SETUP_SQPOLL | IORING_SETUP_COOP_TASKRUN) ?
		      TWA_SIGNAL_NO_IPI : TWA_SIGNAL;
	ctx->clockid = CLOCK_MONOTONIC;
	ctx->clock_offset = 0;
	io_inbox_init(&ctx->inbox);
	init_waitqueue_head(&ctx->cq_wait);
	init_waitqueue_head(&ctx->sq_wait);
	init_irq_work(&ctx->bell_work, io_bell_work);
	INIT_WORK(&ctx->fallback, io_run_fallback);
	INIT_DELAYED_WORK(&ctx->exit_work, io_ring_exit_work);
	INIT_RCU_WORK(&ctx->free_work, io_ctx_free_work);
	INIT_LIST_HEAD(&ctx->overflow);
	INIT_LIST_HEAD(&ctx->nodes);
	INIT_LIST_HEAD(&ctx->timeouts_seq);
	INIT_LIST_HEAD(&ctx->iopoll_list);
	INIT_LIST_HEAD(&ctx->sq_entry);
	xa_init(&ctx->buf_groups);
	xa_init(&ctx->huge_pages);
	xa_init_flags(&ctx->personalities, XA_FLAGS_ALLOC1);
	io_account_init(&ctx->account);

	spin_lock(&io_rings_lock);
	list_add(&ctx->rings_entry, &io_rings_list);
	spin_unlock(&io_rings_lock);
	return ctx;

free_registry:
	io_registry_exit(&ctx->registry);
free_ctx:
	kfree(ctx);
	return NULL;
}

/**
 * io_ctx_abort - undo io_ctx_alloc() of a ring that never had a file
 * @ctx: the ring
 *
 * Context: process context; may sleep.
 */
void io_ctx_abort(struct io_ring_ctx *ctx)
{
	io_ring_exit(ctx);
}

/* Bytes of the ring header, CQEs and SQ index array; SIZE_MAX: too large. Sets offsets. */
static size_t io_ring_size(const struct io_uring_params *p, size_t *array_offset)
{
	size_t cqe_size = sizeof(struct io_uring_cqe) << !!(p->flags & IORING_SETUP_CQE32);
	size_t size = sizeof(struct io_rings);

	size = size_add(size, size_mul(p->cq_entries, cqe_size));
	if (size == SIZE_MAX)
		return size;
	*array_offset = ALIGN(size, SMP_CACHE_BYTES);
	if (p->flags & IORING_SETUP_NO_SQARRAY)
		return size;
	return size_add(*array_offset, size_mul(p->sq_entries, sizeof(u32)));
}

static void io_publish_offsets(struct io_uring_params *p, size_t array_offset)
{
	/* The user pointers of NO_MMAP stay as given. */
	if (!(p->flags & IORING_SETUP_NO_MMAP)) {
		p->sq_off.user_addr = 0;
		p->cq_off.user_addr = 0;
	}
	p->sq_off.head = offsetof(struct io_rings, sq_head);
	p->sq_off.tail = offsetof(struct io_rings, sq_tail);
	p->sq_off.ring_mask = offsetof(struct io_rings, sq_mask);
	p->sq_off.ring_entries = offsetof(struct io_rings, sq_entries);
	p->sq_off.flags = offsetof(struct io_rings, sq_flags);
	p->sq_off.dropped = offsetof(struct io_rings, sq_dropped);
	p->sq_off.resv1 = 0;
	if (!(p->flags & IORING_SETUP_NO_SQARRAY))
		p->sq_off.array = array_offset;
	p->cq_off.head = offsetof(struct io_rings, cq_head);
	p->cq_off.tail = offsetof(struct io_rings, cq_tail);
	p->cq_off.ring_mask = offsetof(struct io_rings, cq_mask);
	p->cq_off.ring_entries = offsetof(struct io_rings, cq_entries);
	p->cq_off.overflow = offsetof(struct io_rings, cq_overflow);
	p->cq_off.cqes = sizeof(struct io_rings);
	p->cq_off.flags = offsetof(struct io_rings, cq_flags);
	p->cq_off.resv1 = 0;
}

static int io_ctx_get_region(struct io_region *region, size_t size, u32 flags, u64 user_addr)
{
	if (flags & IORING_SETUP_NO_MMAP)
		return io_region_pin(region, user_addr, PAGE_ALIGN(size));
	return io_region_alloc(region, PAGE_ALIGN(size));
}

/**
 * io_ctx_alloc_rings - give a ring its shared memory
 * @ctx: the ring, not yet shared
 * @p: sizes in, offsets out
 *
 * Context: may sleep.
 * Return: 0, -EOVERFLOW, -ENOMEM, or with NO_MMAP what io_region_pin() says. What was obtained
 * is freed with the ring.
 */
int io_ctx_alloc_rings(struct io_ring_ctx *ctx, struct io_uring_params *p)
{
	size_t sqes_size = size_mul(p->sq_entries, sizeof(struct io_uring_sqe) << ctx->sqe_shift);
	size_t array_offset, ring_size = io_ring_size(p, &array_offset);
	struct io_rings *rings;
	int ret;

	if (ring_size > SIZE_MAX - PAGE_SIZE || sqes_size > SIZE_MAX - PAGE_SIZE)
		return -EOVERFLOW;
	ret = io_ctx_get_region(&ctx->ring_region, ring_size, p->flags, p->cq_off.user_addr);
	if (ret)
		return ret;
	ret = io_ctx_get_region(&ctx->sq_region, sqes_size, p->flags, p->sq_off.user_addr);
	if (ret)
		return ret;

	rings = ctx->ring_region.ptr;
	if (p->flags & IORING_SETUP_NO_MMAP)
		memset(rings, 0, sizeof(*rings));
	rings->sq_mask = p->sq_entries - 1;
	rings->cq_mask = p->cq_entries - 1;
	rings->sq_entries = p->sq_entries;
	rings->cq_entries = p->cq_entries;
	ctx->rings = rings;
	ctx->cqes = io_rings_cqes(rings);
	ctx->sqes = ctx->sq_region.ptr;
	ctx->sq_entries = p->sq_entries;
	ctx->sq_mask = p->sq_entries - 1;
	ctx->cq_entries = p->cq_entries;
	ctx->cq_mask = p->cq_entries - 1;
	if (!(p->flags & IORING_SETUP_NO_SQARRAY))
		ctx->sq_array = (void *)rings + array_offset;
	ctx->sq_indirect = ctx->sq_array || ctx->sqe_shift;
	io_publish_offsets(p, array_offset);
	return 0;
}

static unsigned long io_cache_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long nr = 0;
	struct io_ring_ctx *ctx;

	spin_lock(&io_rings_lock);
	list_for_each_entry(ctx, &io_rings_list, rings_entry)
		nr += READ_ONCE(ctx->nr_free);
	spin_unlock(&io_rings_lock);
	return nr;
}

static unsigned long io_cache_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long nr = 0;
	struct io_ring_ctx *ctx;

	/* A ring whose lock is taken is in use, perhaps by the very task that reclaims. */
	spin_lock(&io_rings_lock);
	list_for_each_entry(ctx, &io_rings_list, rings_entry) {
		unsigned int keep;

		if (nr >= sc->nr_to_scan)
			break;
		if (!mutex_trylock(&ctx->lock))
			continue;
		keep = ctx->nr_free - min(ctx->nr_free, sc->nr_to_scan - nr);
		nr += ctx->nr_free - keep;
		io_req_cache_trim(ctx, keep);
		mutex_unlock(&ctx->lock);
	}
	spin_unlock(&io_rings_lock);
	return nr ?: SHRINK_STOP;
}

/**
 * io_ctx_init - register the shrinker
 *
 * Context: boot.
 * Return: 0 or -ENOMEM.
 */
int __init io_ctx_init(void)
{
	struct shrinker *shrinker = shrinker_alloc(0, "io_uring-requests");

	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = io_cache_count;
	shrinker->scan_objects = io_cache_scan;
	shrinker_register(shrinker);
	return 0;
}
