// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping the memory of a ring through its file.
 *
 * The high bits of the file offset say which region is meant; where there are several of a kind
 * the bits below hold its number. The rest of the offset is ignored: a mapping always begins at
 * the start of its region.
 *
 * Locking: mm->mmap_lock is held by the caller, and ctx->map_lock nests inside it. The ring lock is
 * never taken here, because user memory is touched, and thus mmap_lock taken, under it. For the
 * same reason nobody may touch or pin user memory under map_lock. Whoever replaces or frees a
 * region takes it away under map_lock; a mapping that was made before keeps its pages.
 *
 * Transitions: none, no request is involved.
 */
#include <linux/fs.h>
#include <linux/io_uring_types.h>
#include <linux/mm.h>

#include "mmap.h"
#include "region.h"

/* Find the region at a file offset. It may be absent, NULL stands for an offset without meaning. */
static const struct io_region *io_mmap_region(struct io_ring_ctx *ctx, unsigned long pgoff)
{
	u64 offset = (u64)pgoff << PAGE_SHIFT;

	lockdep_assert_held(&ctx->map_lock);

	switch (offset & IORING_OFF_MMAP_MASK) {
	case IORING_OFF_SQ_RING:
	case IORING_OFF_CQ_RING:
		return &ctx->ring_region;
	case IORING_OFF_SQES:
		return &ctx->sq_region;
	case IO_MMAP_OFF_PARAM:
		return &ctx->param_region;
	default:
		return NULL;
	}
}

/**
 * io_mmap() - ->mmap() of a ring file
 * @file: the ring
 * @vma: the new mapping
 *
 * The rings may be mapped in part, since programs map the submission and the completion ring
 * apart and size each mapping by its own end. Every other region is mapped as a whole.
 *
 * Context: process context, mmap_lock held for write, takes map_lock, sleeps.
 * Return: 0; -EINVAL for an unknown offset and for a region that is absent or in user memory;
 *	-EFAULT if the mapping is too short; -ENOMEM.
 */
int io_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct io_ring_ctx *ctx = file->private_data;
	const struct io_region *region;
	enum io_region_fit fit;

	guard(mutex)(&ctx->map_lock);

	region = io_mmap_region(ctx, vma->vm_pgoff);
	if (!region)
		return -EINVAL;
	fit = region == &ctx->ring_region ? IO_REGION_FIT_PREFIX : IO_REGION_FIT_WHOLE;
	return io_region_map(region, vma, fit);
}

/**
 * io_mmap_get_unmapped_area() - ->get_unmapped_area() of a ring file
 * @file: the ring
 * @addr: address asked for; the kernel chooses, so it must be 0
 * @len: bytes
 * @pgoff: offset into the file, in pages
 * @flags: MAP_*
 *
 * Context: process context, mmap_lock held for write, takes map_lock.
 * Return: address for the mapping; -EINVAL for an unknown offset, for a region that is absent or
 *	in user memory, and if @addr is not 0; -ENOMEM if the address space is full.
 */
unsigned long io_mmap_get_unmapped_area(struct file *file, unsigned long addr, unsigned long len,
					unsigned long pgoff, unsigned long flags)
{
	struct io_ring_ctx *ctx = file->private_data;
	const struct io_region *region;

	guard(mutex)(&ctx->map_lock);

	region = io_mmap_region(ctx, pgoff);
	if (!region)
		return -EINVAL;
	return io_region_get_unmapped_area(region, addr, len, flags);
}

#ifndef CONFIG_MMU
/**
 * io_mmap_capabilities() - ->mmap_capabilities() of a ring file
 * @file: the ring
 *
 * Context: any.
 * Return: NOMMU_MAP_*: user space uses the memory in place; there is no copy for it.
 */
unsigned int io_mmap_capabilities(struct file *file)
{
	return NOMMU_MAP_DIRECT | NOMMU_MAP_READ | NOMMU_MAP_WRITE;
}
#endif
