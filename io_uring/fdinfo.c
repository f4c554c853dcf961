// SPDX-License-Identifier: GPL-2.0
/*
 * State of a ring as text, in /proc/<pid>/fdinfo/<fd>.
 *
 * Everything is read under the ring lock, which is only tried: people look here when a ring is
 * stuck, and must not get stuck as well. If the lock is busy nothing is shown.
 *
 * What the application can write (heads, tails, SQEs, CQEs) bounds nothing here: counts are cut to
 * the size of the ring and every access is by a masked index.
 *
 * Transitions: none, requests are only looked at.
 */
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/nospec.h>
#include <linux/seq_file.h>
#include <linux/task_work.h>

#include "cq.h"
#include "fdinfo.h"
#include "op.h"
#include "rsrc.h"
#include "sq.h"

/*
 * Show the SQE in @slot, which is below ctx->sq_entries. Return the number of entries that it
 * takes, or 0 if it is broken, so that there is no telling where the next one begins.
 */
static unsigned int io_show_sqe(struct seq_file *m, struct io_ring_ctx *ctx, u32 slot)
{
	const struct io_uring_sqe *sqe = &ctx->sqes[slot << ctx->sqe_shift];
	u8 opcode = READ_ONCE(sqe->opcode);
	bool big = ctx->sqe_shift;
	bool pair = false;
	const u64 *extra;
	unsigned int i;

	if (!big && opcode < IORING_OP_LAST)
		pair = io_ops[array_index_nospec(opcode, IORING_OP_LAST)].attrs & IO_OP_SQE128;
	if (pair && !(ctx->flags & IORING_SETUP_SQE_MIXED)) {
		seq_printf(m, "%5u: invalid sqe, 128B entry on non-mixed sq\n", slot);
		return 0;
	}
	if (pair && slot == ctx->sq_entries - 1) {
		seq_printf(m, "%5u: corrupted sqe, wrapping 128B entry\n", slot);
		return 0;
	}

	seq_printf(m, "%5u: opcode:%s, fd:%d, flags:%x, off:%llu, addr:0x%llx, rw_flags:0x%x, ",
		   slot, io_uring_get_opcode(opcode), READ_ONCE(sqe->fd), READ_ONCE(sqe->flags),
		   READ_ONCE(sqe->off), READ_ONCE(sqe->addr), READ_ONCE(sqe->rw_flags));
	seq_printf(m, "buf_index:%d user_data:%llu", READ_ONCE(sqe->buf_index),
		   READ_ONCE(sqe->user_data));
	if (big || pair) {
		extra = (const u64 *)(sqe + 1);
		for (i = 0; i < sizeof(*sqe) / sizeof(*extra); i++)
			seq_printf(m, ", e%u:0x%llx", i, READ_ONCE(extra[i]));
	}
	seq_putc(m, '\n');
	return pair ? 2 : 1;
}

/* Show what the application has submitted and the kernel has not taken yet. */
static void io_show_sq(struct seq_file *m, struct io_ring_ctx *ctx)
{
	u32 mask = ctx->sq_entries - 1;
	u32 head = ctx->sq_head;
	u32 left = min(io_sq_pending(ctx), ctx->sq_entries);
	u32 taken;

	seq_printf(m, "SQEs:\t%u\n", left);

	while (left) {
		u32 slot = head & mask;

		taken = 1;
		if (ctx->sq_array)
			slot = READ_ONCE(ctx->sq_array[slot]);
		/* a bad index is skipped at submission, too */
		if (slot <= mask)
			taken = io_show_sqe(m, ctx, array_index_nospec(slot, ctx->sq_entries));
		if (!taken)
			break;
		head += taken;
		left -= min(left, taken);
	}
}

/* Show the CQE in a slot. Return the number of entries that it takes. */
static unsigned int io_show_cqe(struct seq_file *m, struct io_ring_ctx *ctx, u32 slot)
{
	const struct io_uring_cqe *cqe = &ctx->cqes[slot << ctx->cqe_shift];
	u32 flags = READ_ONCE(cqe->flags);
	bool pair;

	/* The kernel never puts the first half into the last slot, but anybody could write it. */
	pair = ctx->flags & IORING_SETUP_CQE_MIXED && flags & IORING_CQE_F_32 &&
	       slot != ctx->cq_entries - 1;

	seq_printf(m, "%5u: user_data:%llu, res:%d, flags:%x", slot, READ_ONCE(cqe->user_data),
		   READ_ONCE(cqe->res), flags);
	if (pair || ctx->cqe_shift)
		seq_printf(m, ", extra1:%llu, extra2:%llu", READ_ONCE(cqe->big_cqe[0]),
			   READ_ONCE(cqe->big_cqe[1]));
	seq_putc(m, '\n');
	return pair ? 2 : 1;
}

/* Show what the kernel has posted and the application has not taken yet. */
static void io_show_cq(struct seq_file *m, struct io_ring_ctx *ctx)
{
	u32 head = READ_ONCE(ctx->rings->cq_head);
	u32 left = min(ctx->cq_tail - head, ctx->cq_entries);
	u32 taken;

	seq_printf(m, "CQEs:\t%u\n", left);
	while (left) {
		taken = io_show_cqe(m, ctx, head & (ctx->cq_entries - 1));
		head += taken;
		left -= min(left, taken);
	}
}

static void io_show_indices(struct seq_file *m, struct io_ring_ctx *ctx)
{
	const struct io_rings *rings = ctx->rings;

	seq_printf(m, "SqMask:\t0x%x\n", ctx->sq_entries - 1);
	seq_printf(m, "SqHead:\t%u\n", READ_ONCE(rings->sq_head));
	seq_printf(m, "SqTail:\t%u\n", READ_ONCE(rings->sq_tail));
	seq_printf(m, "CachedSqHead:\t%u\n", ctx->sq_head);
	seq_printf(m, "CqMask:\t0x%x\n", ctx->cq_entries - 1);
	seq_printf(m, "CqHead:\t%u\n", READ_ONCE(rings->cq_head));
	seq_printf(m, "CqTail:\t%u\n", READ_ONCE(rings->cq_tail));
	seq_printf(m, "CachedCqTail:\t%u\n", ctx->cq_tail);
}

/* No ring has a submission thread yet: say so. */
static void io_show_thread(struct seq_file *m)
{
	seq_puts(m, "SqThread:\t-1\n");
	seq_puts(m, "SqThreadCpu:\t-1\n");
	seq_puts(m, "SqTotalTime:\t0\n");
	seq_puts(m, "SqWorkTime:\t0\n");
}

static void io_show_files(struct seq_file *m, const struct io_rsrc_table *table)
{
	unsigned int slot;

	seq_printf(m, "UserFiles:\t%u\n", table->nr);
	for (slot = 0; slot < table->nr; slot++) {
		if (!table->nodes[slot])
			continue;
		seq_printf(m, "%5u: ", slot);
		seq_file_path(m, table->nodes[slot]->file, " \t\n\\");
		seq_putc(m, '\n');
	}
}

/* No buffer can be registered yet: the table has no slots. */
static void io_show_bufs(struct seq_file *m, const struct io_rsrc_table *table)
{
	seq_printf(m, "UserBufs:\t%u\n", table->nr);
}

/* Show the requests that wait for an event. */
static void io_show_armed(struct seq_file *m, const struct io_registry *reg)
{
	const struct io_kiocb *req;
	unsigned int i;

	seq_puts(m, "PollList:\n");
	for (i = 0; i < 1u << reg->bits; i++) {
		hlist_for_each_entry(req, &reg->table[i], armed_entry)
			seq_printf(m, "  op=%d, task_works=%d\n", req->opcode,
				   task_work_pending(req->node->task));
	}
}

static void io_show_overflow(struct seq_file *m, const struct io_ring_ctx *ctx)
{
	const struct io_overflow_cqe *ocqe;

	seq_puts(m, "CqOverflowList:\n");
	list_for_each_entry(ocqe, &ctx->overflow, list)
		seq_printf(m, "  user_data=%llu, res=%d, flags=%x\n", ocqe->cqe.user_data,
			   ocqe->cqe.res, ocqe->cqe.flags);
}

/* No ring polls network devices yet: say so. */
static void io_show_napi(struct seq_file *m)
{
	if (IS_ENABLED(CONFIG_NET_RX_BUSY_POLL))
		seq_puts(m, "NAPI:\tdisabled\n");
}

/**
 * io_fdinfo_show() - ->show_fdinfo() of a ring file
 * @m: where to print
 * @file: the ring
 *
 * Context: process context of any task; tries to take the ring lock.
 */
void io_fdinfo_show(struct seq_file *m, struct file *file)
{
	struct io_ring_ctx *ctx = file->private_data;

	scoped_cond_guard(mutex_try, return, &ctx->lock) {
		io_show_indices(m, ctx);
		io_show_sq(m, ctx);
		io_show_cq(m, ctx);
		io_show_thread(m);
		io_show_files(m, &ctx->files.data);
		io_show_bufs(m, &ctx->bufs);
		io_show_armed(m, &ctx->registry);
		io_show_overflow(m, ctx);
		io_show_napi(m);
	}
}
