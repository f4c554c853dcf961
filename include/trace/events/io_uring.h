/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of io_uring, one per step in the life of a request or a ring.
 *
 * Names, arguments and recorded fields are those of Linux 6.12, which scripts rely
 * on. Each comment says what the arguments mean.
 *
 * An event that is off costs a nop, and the loads of its arguments where they are
 * not at hand: a hot path that would load them for the event alone asks
 * trace_io_uring_..._enabled() first.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM io_uring

#if !defined(_TRACE_IO_URING_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IO_URING_H

#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/tracepoint.h>
#include <uapi/linux/io_uring.h>

/*
 * fd: file descriptor of the new ring, or index if it has none
 * ctx: the ring
 * sq_entries: final size of the SQ
 * cq_entries: final size of the CQ
 * flags: IORING_SETUP_*
 */
TRACE_EVENT(io_uring_create,

	TP_PROTO(int fd, struct io_ring_ctx *ctx, u32 sq_entries, u32 cq_entries, u32 flags),

	TP_ARGS(fd, ctx, sq_entries, cq_entries, flags),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(int, fd)
		__field(u32, sq_entries)
		__field(u32, cq_entries)
		__field(u32, flags)
	),

	TP_fast_assign(
		__entry->ctx = ctx;
		__entry->fd = fd;
		__entry->sq_entries = sq_entries;
		__entry->cq_entries = cq_entries;
		__entry->flags = flags;
	),

	TP_printk("ctx=%p fd=%d sq_entries=%u cq_entries=%u flags=0x%x",
		  __entry->ctx, __entry->fd, __entry->sq_entries, __entry->cq_entries,
		  __entry->flags)
);

/*
 * ctx: the ring
 * opcode: IORING_REGISTER_* or IORING_UNREGISTER_*
 * nr_files: fixed file slots afterwards
 * nr_bufs: registered buffer slots afterwards
 * ret: result of the call
 */
TRACE_EVENT(io_uring_register,

	TP_PROTO(struct io_ring_ctx *ctx, unsigned int opcode, unsigned int nr_files,
		 unsigned int nr_bufs, long ret),

	TP_ARGS(ctx, opcode, nr_files, nr_bufs, ret),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(unsigned int, opcode)
		__field(unsigned int, nr_files)
		__field(unsigned int, nr_bufs)
		__field(long, ret)
	),

	TP_fast_assign(
		__entry->ctx = ctx;
		__entry->opcode = opcode;
		__entry->nr_files = nr_files;
		__entry->nr_bufs = nr_bufs;
		__entry->ret = ret;
	),

	TP_printk("ctx=%p opcode=%u nr_files=%u nr_bufs=%u ret=%ld",
		  __entry->ctx, __entry->opcode, __entry->nr_files, __entry->nr_bufs,
		  __entry->ret)
);

/*
 * req: request that needs a file
 * fd: descriptor, as the SQE has it
 */
TRACE_EVENT(io_uring_file_get,

	TP_PROTO(struct io_kiocb *req, int fd),

	TP_ARGS(req, fd),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, user_data)
		__field(int, fd)
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->user_data = req->cqe.user_data;
		__entry->fd = fd;
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx fd=%d",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->user_data,
		  __entry->fd)
);

/*
 * req: request on its way to a worker
 * rw: it is serialised with others on the same inode
 */
TRACE_EVENT(io_uring_queue_async_work,

	TP_PROTO(struct io_kiocb *req, int rw),

	TP_ARGS(req, rw),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, user_data)
		__field(u8, opcode)
		__string(op_str, io_uring_get_opcode(req->opcode))
		__field(u64, flags)
		__field(void *, work)
		__field(int, rw)
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->user_data = req->cqe.user_data;
		__entry->opcode = req->opcode;
		__assign_str(op_str);
		__entry->flags = req->flags;
		__entry->work = req;
		__entry->rw = rw;
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx op=%s flags=0x%llx work=%p hashed=%d",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->user_data,
		  __get_str(op_str), (unsigned long long)__entry->flags, __entry->work,
		  __entry->rw)
);

/*
 * req: request that waits behind a drain
 */
TRACE_EVENT(io_uring_defer,

	TP_PROTO(struct io_kiocb *req),

	TP_ARGS(req),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, data)
		__field(u8, opcode)
		__string(op_str, io_uring_get_opcode(req->opcode))
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->data = req->cqe.user_data;
		__entry->opcode = req->opcode;
		__assign_str(op_str);
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx op=%s",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->data,
		  __get_str(op_str))
);

/*
 * req: request that has to wait
 * target_req: head of the chain it was added to
 */
TRACE_EVENT(io_uring_link,

	TP_PROTO(struct io_kiocb *req, struct io_kiocb *target_req),

	TP_ARGS(req, target_req),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(void *, target_req)
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->target_req = target_req;
	),

	TP_printk("ctx=%p req=%p target=%p",
		  __entry->ctx, __entry->req, __entry->target_req)
);

/*
 * ctx: the ring
 * min_events: completions to wait for
 */
TRACE_EVENT(io_uring_cqring_wait,

	TP_PROTO(struct io_ring_ctx *ctx, int min_events),

	TP_ARGS(ctx, min_events),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(int, min_events)
	),

	TP_fast_assign(
		__entry->ctx = ctx;
		__entry->min_events = min_events;
	),

	TP_printk("ctx=%p min_events=%d",
		  __entry->ctx, __entry->min_events)
);

/*
 * req: request that failed
 * link: first of those that are cancelled with it
 */
TRACE_EVENT(io_uring_fail_link,

	TP_PROTO(struct io_kiocb *req, struct io_kiocb *link),

	TP_ARGS(req, link),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, user_data)
		__field(u8, opcode)
		__string(op_str, io_uring_get_opcode(req->opcode))
		__field(void *, link)
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->user_data = req->cqe.user_data;
		__entry->opcode = req->opcode;
		__assign_str(op_str);
		__entry->link = link;
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx op=%s link=%p",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->user_data,
		  __get_str(op_str), __entry->link)
);

/*
 * ctx: ring that gets the CQE
 * req: request, NULL if the CQE belongs to none
 * user_data: of the CQE
 * res: of the CQE
 * cflags: flags of the CQE
 * extra1: third word of a 32-byte CQE
 * extra2: fourth word of a 32-byte CQE
 */
TRACE_EVENT(io_uring_complete,

	TP_PROTO(struct io_ring_ctx *ctx, void *req, u64 user_data, int res,
		 unsigned int cflags, u64 extra1, u64 extra2),

	TP_ARGS(ctx, req, user_data, res, cflags, extra1, extra2),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, user_data)
		__field(int, res)
		__field(unsigned int, cflags)
		__field(u64, extra1)
		__field(u64, extra2)
	),

	TP_fast_assign(
		__entry->ctx = ctx;
		__entry->req = req;
		__entry->user_data = user_data;
		__entry->res = res;
		__entry->cflags = cflags;
		__entry->extra1 = extra1;
		__entry->extra2 = extra2;
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx res=%d cflags=0x%x extra1=%llu extra2=%llu",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->user_data,
		  __entry->res, __entry->cflags, (unsigned long long)__entry->extra1,
		  (unsigned long long)__entry->extra2)
);

/*
 * req: request that is about to be issued
 */
TRACE_EVENT(io_uring_submit_req,

	TP_PROTO(struct io_kiocb *req),

	TP_ARGS(req),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, user_data)
		__field(u8, opcode)
		__string(op_str, io_uring_get_opcode(req->opcode))
		__field(u64, flags)
		__field(bool, sq_thread)
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->user_data = req->cqe.user_data;
		__entry->opcode = req->opcode;
		__assign_str(op_str);
		__entry->flags = req->flags;
		__entry->sq_thread = req->ctx->flags & IORING_SETUP_SQPOLL;
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx op=%s flags=0x%llx sq_thread=%d",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->user_data,
		  __get_str(op_str), (unsigned long long)__entry->flags, __entry->sq_thread)
);

/*
 * req: request that waits for its file
 * mask: events that are there already
 * events: events it waits for
 */
TRACE_EVENT(io_uring_poll_arm,

	TP_PROTO(struct io_kiocb *req, int mask, int events),

	TP_ARGS(req, mask, events),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, user_data)
		__field(u8, opcode)
		__string(op_str, io_uring_get_opcode(req->opcode))
		__field(int, mask)
		__field(int, events)
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->user_data = req->cqe.user_data;
		__entry->opcode = req->opcode;
		__assign_str(op_str);
		__entry->mask = mask;
		__entry->events = events;
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx op=%s mask=0x%x events=0x%x",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->user_data,
		  __get_str(op_str), __entry->mask, __entry->events)
);

/*
 * req: request whose file woke it
 * mask: events of the wake-up
 */
TRACE_EVENT(io_uring_task_add,

	TP_PROTO(struct io_kiocb *req, int mask),

	TP_ARGS(req, mask),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, user_data)
		__field(u8, opcode)
		__string(op_str, io_uring_get_opcode(req->opcode))
		__field(int, mask)
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->user_data = req->cqe.user_data;
		__entry->opcode = req->opcode;
		__assign_str(op_str);
		__entry->mask = mask;
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx op=%s mask=0x%x",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->user_data,
		  __get_str(op_str), __entry->mask)
);

/*
 * sqe: the SQE that was refused
 * req: request made for it
 * error: negative errno
 */
TRACE_EVENT(io_uring_req_failed,

	TP_PROTO(const struct io_uring_sqe *sqe, struct io_kiocb *req, int error),

	TP_ARGS(sqe, req, error),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(void *, req)
		__field(u64, user_data)
		__field(u8, opcode)
		__string(op_str, io_uring_get_opcode(sqe->opcode))
		__field(u8, flags)
		__field(u16, ioprio)
		__field(u64, off)
		__field(u64, addr)
		__field(u32, len)
		__field(u32, op_flags)
		__field(u16, buf_index)
		__field(u16, personality)
		__field(u32, file_index)
		__field(u64, pad1)
		__field(u64, addr3)
		__field(int, error)
	),

	TP_fast_assign(
		__entry->ctx = req->ctx;
		__entry->req = req;
		__entry->user_data = sqe->user_data;
		__entry->opcode = sqe->opcode;
		__assign_str(op_str);
		__entry->flags = sqe->flags;
		__entry->ioprio = sqe->ioprio;
		__entry->off = sqe->off;
		__entry->addr = sqe->addr;
		__entry->len = sqe->len;
		__entry->op_flags = sqe->poll32_events;
		__entry->buf_index = sqe->buf_index;
		__entry->personality = sqe->personality;
		__entry->file_index = sqe->file_index;
		__entry->pad1 = sqe->__pad2[0];
		__entry->addr3 = sqe->addr3;
		__entry->error = error;
	),

	TP_printk("ctx=%p req=%p user_data=0x%llx op=%s flags=0x%x ioprio=0x%x off=%llu addr=0x%llx len=%u op_flags=0x%x buf_index=%u personality=%u file_index=%u pad=0x%llx addr3=0x%llx error=%d",
		  __entry->ctx, __entry->req, (unsigned long long)__entry->user_data,
		  __get_str(op_str), __entry->flags, __entry->ioprio,
		  (unsigned long long)__entry->off, (unsigned long long)__entry->addr,
		  __entry->len, __entry->op_flags, __entry->buf_index, __entry->personality,
		  __entry->file_index, (unsigned long long)__entry->pad1,
		  (unsigned long long)__entry->addr3, __entry->error)
);

/*
 * ctx: ring whose CQ is full
 * user_data: of the CQE
 * res: of the CQE
 * cflags: flags of the CQE
 * ocqe: where it is kept, NULL: it is lost
 */
TRACE_EVENT(io_uring_cqe_overflow,

	TP_PROTO(struct io_ring_ctx *ctx, u64 user_data, s32 res, u32 cflags, void *ocqe),

	TP_ARGS(ctx, user_data, res, cflags, ocqe),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(u64, user_data)
		__field(s32, res)
		__field(u32, cflags)
		__field(void *, ocqe)
	),

	TP_fast_assign(
		__entry->ctx = ctx;
		__entry->user_data = user_data;
		__entry->res = res;
		__entry->cflags = cflags;
		__entry->ocqe = ocqe;
	),

	TP_printk("ctx=%p user_data=0x%llx res=%d cflags=0x%x ocqe=%p",
		  __entry->ctx, (unsigned long long)__entry->user_data, __entry->res,
		  __entry->cflags, __entry->ocqe)
);

/*
 * tctx: the task's io_uring state
 * count: entries handled
 */
TRACE_EVENT(io_uring_task_work_run,

	TP_PROTO(void *tctx, unsigned int count),

	TP_ARGS(tctx, count),

	TP_STRUCT__entry(
		__field(void *, tctx)
		__field(unsigned int, count)
	),

	TP_fast_assign(
		__entry->tctx = tctx;
		__entry->count = count;
	),

	TP_printk("tctx=%p count=%u",
		  __entry->tctx, __entry->count)
);

/*
 * ctx: the ring
 * fpos: where the write began, bytes
 * wanted: bytes asked for
 * got: bytes written
 */
TRACE_EVENT(io_uring_short_write,

	TP_PROTO(struct io_ring_ctx *ctx, u64 fpos, u64 wanted, u64 got),

	TP_ARGS(ctx, fpos, wanted, got),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(u64, fpos)
		__field(u64, wanted)
		__field(u64, got)
	),

	TP_fast_assign(
		__entry->ctx = ctx;
		__entry->fpos = fpos;
		__entry->wanted = wanted;
		__entry->got = got;
	),

	TP_printk("ctx=%p fpos=%llu wanted=%llu got=%llu",
		  __entry->ctx, (unsigned long long)__entry->fpos,
		  (unsigned long long)__entry->wanted, (unsigned long long)__entry->got)
);

/*
 * ctx: ring with IORING_SETUP_DEFER_TASKRUN
 * count: entries handled
 * loops: rounds it took
 */
TRACE_EVENT(io_uring_local_work_run,

	TP_PROTO(struct io_ring_ctx *ctx, int count, unsigned int loops),

	TP_ARGS(ctx, count, loops),

	TP_STRUCT__entry(
		__field(void *, ctx)
		__field(int, count)
		__field(unsigned int, loops)
	),

	TP_fast_assign(
		__entry->ctx = ctx;
		__entry->count = count;
		__entry->loops = loops;
	),

	TP_printk("ctx=%p count=%d loops=%u",
		  __entry->ctx, __entry->count, __entry->loops)
);

#endif /* _TRACE_IO_URING_H */

/* This part must be outside protection */
#include <trace/define_trace.h>
