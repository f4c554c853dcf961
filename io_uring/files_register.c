// SPDX-License-Identifier: GPL-2.0
/*
 * Registering, updating and dropping the table of fixed files.
 *
 * Transitions: none. Nothing here waits for requests: those that use a file have its node pinned,
 * and a tag's CQE comes when the last of them lets go.
 */
#include <linux/bits.h>
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "files.h"
#include "rsrc.h"

#define IO_FILES_MAX	BIT(20)

/* Let others run after this many slots. */
#define IO_FILES_SLICE	256

/* Read entry @i of the arrays given by the application: a descriptor and its tag */
static int io_files_read(const struct io_uring_rsrc_update2 *up, unsigned int i, s32 *fd, u64 *tag)
{
	s32 __user *fds = u64_to_user_ptr(up->data);
	u64 __user *tags = u64_to_user_ptr(up->tags);

	*tag = 0;
	if (tags && copy_from_user(tag, tags + i, sizeof(*tag)))
		return -EFAULT;
	*fd = -1;
	if (fds && get_user(*fd, fds + i))
		return -EFAULT;
	/* A slot without a file has no release that its tag could tell of. */
	if (*tag && (*fd == -1 || *fd == IORING_REGISTER_FILES_SKIP))
		return -EINVAL;
	return 0;
}

/* A node for the file behind a descriptor */
static struct io_rsrc_node *io_files_node(s32 fd, u64 tag)
{
	struct file *file = fget(fd);

	return file ? io_file_node_make(file, tag) : ERR_PTR(-EBADF);
}

/* Change slot @slot as entry @i says. A failing entry leaves it as it is. */
static int io_files_apply_one(struct io_ring_ctx *ctx, const struct io_uring_rsrc_update2 *up,
			      unsigned int i, unsigned int slot, bool may_skip)
{
	struct io_rsrc_node *node;
	u64 tag;
	s32 fd;
	int ret;

	ret = io_files_read(up, i, &fd, &tag);
	if (ret)
		return ret;
	if (may_skip && fd == IORING_REGISTER_FILES_SKIP)
		return 0;
	if (fd == -1) {
		io_file_slot_clear(ctx, slot);
		return 0;
	}
	node = io_files_node(fd, tag);
	if (IS_ERR(node))
		return PTR_ERR(node);
	io_file_slot_set(ctx, slot, node);
	return 0;
}

/**
 * io_files_apply - change the files of a range of slots
 * @ctx: the ring
 * @up: first slot, array of descriptors, array of tags or 0; -1 empties a slot, and
 *	IORING_REGISTER_FILES_SKIP leaves it alone
 * @nr: number of slots
 *
 * Context: ring lock held; may sleep.
 * Return: number of slots done; if there are none, -EOVERFLOW or -EINVAL (range), -ENXIO (no
 * table), -EFAULT, -EINVAL (tag without file), -EBADF, -ENOMEM.
 */
int io_files_apply(struct io_ring_ctx *ctx, const struct io_uring_rsrc_update2 *up,
		   unsigned int nr)
{
	struct io_rsrc_table *table = &ctx->files.data;
	unsigned int end, i;
	int ret = 0;

	lockdep_assert_held(&ctx->lock);
	if (check_add_overflow(up->offset, nr, &end))
		return -EOVERFLOW;
	if (!table->nr)
		return -ENXIO;
	if (end > table->nr)
		return -EINVAL;
	if (!up->data)
		return -EFAULT;
	for (i = 0; i < nr; i++) {
		ret = io_files_apply_one(ctx, up, i,
					 array_index_nospec(up->offset + i, table->nr), true);
		if (ret)
			break;
		if (!((i + 1) % IO_FILES_SLICE))
			cond_resched();
	}
	return i ?: ret;
}

/**
 * io_files_free - drop the table, if there is one
 * @ctx: the ring
 *
 * Context: ring lock held; may sleep.
 */
void io_files_free(struct io_ring_ctx *ctx)
{
	io_rsrc_table_free(ctx, &ctx->files.data);
	kvfree(ctx->files.bitmap);
	ctx->files.bitmap = NULL;
	io_file_set_alloc_range(ctx, 0, 0);
}

/* A failed registration is as if it had not been tried: its tags stay silent. */
static void io_files_abort(struct io_ring_ctx *ctx)
{
	struct io_rsrc_table *table = &ctx->files.data;
	unsigned int slot;

	for (slot = 0; slot < table->nr; slot++)
		if (table->nodes[slot])
			table->nodes[slot]->tag = 0;
	io_files_free(ctx);
}

/* Make a table of @nr slots, filled as @up says. All or nothing. */
static int io_files_create(struct io_ring_ctx *ctx, const struct io_uring_rsrc_update2 *up,
			   unsigned int nr)
{
	unsigned int slot;
	int ret;

	if (ctx->files.data.nr)
		return -EBUSY;
	if (!nr)
		return -EINVAL;
	if (nr > IO_FILES_MAX || nr > rlimit(RLIMIT_NOFILE))
		return -EMFILE;
	ret = io_rsrc_table_alloc(&ctx->files.data, nr);
	if (ret)
		return ret;
	ctx->files.bitmap = kvcalloc(BITS_TO_LONGS(nr), sizeof(long), GFP_KERNEL_ACCOUNT);
	if (!ctx->files.bitmap)
		ret = -ENOMEM;
	for (slot = 0; slot < nr && !ret && (up->data || up->tags); slot++) {
		ret = io_files_apply_one(ctx, up, slot, slot, false);
		if (!((slot + 1) % IO_FILES_SLICE))
			cond_resched();
	}
	if (ret)
		io_files_abort(ctx);
	else
		io_file_set_alloc_range(ctx, 0, nr);
	return ret;
}

/**
 * io_files_register - IORING_REGISTER_FILES
 * @ctx: the ring
 * @arg: array of descriptors, -1: empty slot
 * @nr: number of slots
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EFAULT; -EBUSY: there is a table; -EINVAL: @nr is 0; -EMFILE: more than 2^20 or
 * RLIMIT_NOFILE; -EBADF: no such descriptor, or a ring; -ENOMEM.
 */
int io_files_register(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_uring_rsrc_update2 up = { .data = (uintptr_t)arg };

	if (!arg)
		return -EFAULT;
	return io_files_create(ctx, &up, nr);
}

/**
 * io_files_register2 - IORING_REGISTER_FILES2
 * @ctx: the ring
 * @arg: struct io_uring_rsrc_register; no data: all slots empty
 * @size: its size
 *
 * Context: ring lock held; may sleep.
 * Return: as io_files_register(); -EINVAL for an unknown flag, a wrong size, non-zero padding,
 * IORING_RSRC_REGISTER_SPARSE with data, or the tag of an empty slot.
 */
int io_files_register2(struct io_ring_ctx *ctx, void __user *arg, unsigned int size)
{
	struct io_uring_rsrc_update2 up = {};
	struct io_uring_rsrc_register reg;

	if (size != sizeof(reg))
		return -EINVAL;
	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	if (!reg.nr || reg.resv2 || (reg.flags & ~IORING_RSRC_REGISTER_SPARSE))
		return -EINVAL;
	if ((reg.flags & IORING_RSRC_REGISTER_SPARSE) && reg.data)
		return -EINVAL;
	up.data = reg.data;
	up.tags = reg.tags;
	return io_files_create(ctx, &up, reg.nr);
}

/**
 * io_files_unregister - IORING_UNREGISTER_FILES
 * @ctx: the ring
 * @arg: NULL
 * @nr: 0
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL: an argument; -ENXIO: no table.
 */
int io_files_unregister(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	if (arg || nr)
		return -EINVAL;
	if (!ctx->files.data.nr)
		return -ENXIO;
	io_files_free(ctx);
	return 0;
}

/**
 * io_files_update - IORING_REGISTER_FILES_UPDATE
 * @ctx: the ring
 * @arg: struct io_uring_rsrc_update
 * @nr: number of slots
 *
 * Context: ring lock held; may sleep.
 * Return: as io_files_apply(); -EINVAL: @nr is 0, or padding is not.
 */
int io_files_update(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_uring_rsrc_update2 up = {};

	static_assert(offsetofend(struct io_uring_rsrc_update2, data) ==
		      sizeof(struct io_uring_rsrc_update));
	if (!nr)
		return -EINVAL;
	if (copy_from_user(&up, arg, sizeof(struct io_uring_rsrc_update)))
		return -EFAULT;
	if (up.resv)
		return -EINVAL;
	return io_files_apply(ctx, &up, nr);
}

/**
 * io_files_update2 - IORING_REGISTER_FILES_UPDATE2
 * @ctx: the ring
 * @arg: struct io_uring_rsrc_update2
 * @size: its size
 *
 * Context: ring lock held; may sleep.
 * Return: as io_files_apply(); -EINVAL: wrong size, no slots, or non-zero padding.
 */
int io_files_update2(struct io_ring_ctx *ctx, void __user *arg, unsigned int size)
{
	struct io_uring_rsrc_update2 up;

	if (size != sizeof(up))
		return -EINVAL;
	if (copy_from_user(&up, arg, sizeof(up)))
		return -EFAULT;
	if (!up.nr || up.resv || up.resv2)
		return -EINVAL;
	return io_files_apply(ctx, &up, up.nr);
}

/**
 * io_files_alloc_range - IORING_REGISTER_FILE_ALLOC_RANGE
 * @ctx: the ring
 * @arg: struct io_uring_file_index_range
 * @nr: 0
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EFAULT; -EOVERFLOW: the end wraps; -EINVAL: @nr, no @arg, padding, or a range
 * beyond the table.
 */
int io_files_alloc_range(struct io_ring_ctx *ctx, void __user *arg, unsigned int nr)
{
	struct io_uring_file_index_range range;
	u32 end;

	if (!arg || nr)
		return -EINVAL;
	if (copy_from_user(&range, arg, sizeof(range)))
		return -EFAULT;
	if (check_add_overflow(range.off, range.len, &end))
		return -EOVERFLOW;
	if (range.resv || end > ctx->files.data.nr)
		return -EINVAL;
	io_file_set_alloc_range(ctx, range.off, end);
	return 0;
}
