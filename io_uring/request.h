/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The life of a request: its states, who may move it, and the cache that it starts and ends in.
 *
 * A request is always in one state and has one owner. This is the file to read first.
 *
 *   CACHED    the ring's cache                  -> INIT
 *   INIT      submitter, ring lock held         -> HELD, ISSUED, DONE (refused SQE)
 *   HELD      head of its chain, or drain list  -> ISSUED, INBOX, DONE (cancelled)
 *   ISSUED    whoever runs ->issue              -> DONE, ARMED, QUEUED, INFLIGHT, INBOX
 *   ARMED     registry of armed requests        -> INBOX, DONE (cancelled)
 *   QUEUED    worker pool                       -> ISSUED (in a worker), INBOX (cancelled)
 *   INFLIGHT  driver, file system, network      -> INBOX
 *   INBOX     the inbox it was pushed to        -> ISSUED (retry), ARMED, QUEUED, DONE
 *   DONE      holder of the ring lock           -> CACHED
 *
 * Only the holder of the ring lock takes a request out of an inbox, and only there it can become
 * DONE. A request therefore never disappears under a context that issues it with the lock held,
 * and needs no reference count. A worker issues without the lock; see IO_REQ_WORKER below.
 */
#ifndef IO_URING_REQUEST_H
#define IO_URING_REQUEST_H

#include <linux/io_uring_types.h>

enum io_req_state {
	IO_REQ_CACHED,
	IO_REQ_INIT,
	IO_REQ_HELD,
	IO_REQ_ISSUED,
	IO_REQ_ARMED,
	IO_REQ_QUEUED,
	IO_REQ_INFLIGHT,
	IO_REQ_INBOX,
	IO_REQ_DONE,
	IO_REQ_NR_STATES,
};

/*
 * io_kiocb.flags. The low seven bits are the SQE's, as submitted. The others, and who sets them:
 * the file named last; all are written by the owner of the request only.
 */
#define IO_REQ_SQE_FLAGS	0x7fu
#define IO_REQ_POLL_ERR		BIT(7)	/* waits for an error, not for data: net_msg.c */
#define IO_REQ_FAIL		BIT(8)	/* the result breaks the chain: request.h */
#define IO_REQ_COUNTED		BIT(9)	/* counted in node->inflight: issue.c */
#define IO_REQ_FILE		BIT(10)	/* holds a reference on ->file: files.c */
#define IO_REQ_FILE_NODE	BIT(11)	/* ->file_node is pinned: files.c */
#define IO_REQ_BUF_NODE		BIT(12)	/* ->buf_node is pinned: bufs.c */
#define IO_REQ_KBUF		BIT(13)	/* ->kbuf is taken from its group: bufring.c */
#define IO_REQ_KBUF_RING	BIT(14)	/* a ring-provided buffer is selected: bufring.c */
#define IO_REQ_CLEANUP		BIT(15)	/* op->cleanup has something to undo: ops */
#define IO_REQ_ASYNC_DATA	BIT(16)	/* ->async_data is an allocation: request.c */
#define IO_REQ_CREDS		BIT(17)	/* ->creds is referenced and in force: sq.c, punt.c */
#define IO_REQ_WORKER		BIT(18)	/* issued without the ring lock: ->hands counts: punt.c */
#define IO_REQ_POLLED		BIT(19)	/* ->poll is allocated: poll.c */
#define IO_REQ_MULTISHOT	BIT(20)	/* may leave several CQEs: ops */
#define IO_REQ_CQE32		BIT(21)	/* ->big_cqe holds the second half: request.h */
#define IO_REQ_NOWAIT		BIT(22)	/* -EAGAIN is a result, not a reason to wait: ops */
#define IO_REQ_CANCELLED	BIT(24)	/* to end as -ECANCELED when it is next run: cancel.c */
#define IO_REQ_LTIMEOUT		BIT(25)	/* ->link is an armed LINK_TIMEOUT: link.c */
#define IO_REQ_NO_CQE		BIT(26)	/* leaves no CQE whatever the result: link.c */
#define IO_REQ_RETRY_BOUND	BIT(27)	/* poll-driven retry used up, punt instead: poll.c */
#define IO_REQ_POOLED		BIT(28)	/* ran in a worker, for async eventfds: punt.c */
#define IO_REQ_FOREIGN		BIT(29)	/* not in the ring's books: request.c */
#define IO_REQ_OP1		BIT(30)	/* free for the operation */
#define IO_REQ_OP2		BIT(31)	/* free for the operation */

#define IO_REQ_CHAIN	(IOSQE_IO_LINK | IOSQE_IO_HARDLINK)

/* Anything that makes completion more than a CQE, a successor and a push to the cache */
#define IO_REQ_SLOW_OUT	(~(u32)(IOSQE_FIXED_FILE | IOSQE_ASYNC | IOSQE_BUFFER_SELECT | \
				IO_REQ_CHAIN | IOSQE_CQE_SKIP_SUCCESS | \
				IO_REQ_POLL_ERR | IO_REQ_NOWAIT | IO_REQ_RETRY_BOUND | \
				IO_REQ_OP1 | IO_REQ_OP2))

#ifdef CONFIG_IO_URING_DEBUG
void io_req_move(struct io_kiocb *req, enum io_req_state to);
#else
static inline void io_req_move(struct io_kiocb *req, enum io_req_state to)
{
}
#endif

int __init io_req_cache_create(void);
bool io_req_cache_refill(struct io_ring_ctx *ctx);
void io_req_cache_trim(struct io_ring_ctx *ctx, unsigned int keep);
void *io_req_alloc_data(struct io_kiocb *req, size_t size);
struct io_kiocb *io_req_alloc_foreign(struct io_ring_ctx *ctx);
struct io_kiocb *io_req_get_foreign(struct io_ring_ctx *ctx);

/* Above this many cached requests a batch gives some back, down to IO_REQ_CACHE_KEEP. */
#define IO_REQ_CACHE_HIGH	256
#define IO_REQ_CACHE_KEEP	64

/**
 * io_req_get - take a request from the ring's cache
 * @ctx: the ring
 *
 * Context: ring lock held; may sleep when the cache is empty.
 * Return: a request in state INIT, or NULL without memory.
 */
static __always_inline struct io_kiocb *io_req_get(struct io_ring_ctx *ctx)
{
	struct io_kiocb *req = ctx->free;

	if (unlikely(!req)) {
		if (!io_req_cache_refill(ctx))
			return NULL;
		req = ctx->free;
	}
	ctx->free = req->next;
	ctx->nr_free--;
	io_req_move(req, IO_REQ_INIT);
	return req;
}

/**
 * io_req_put - return a request, stripped of all it held, to the ring's cache
 * @ctx: the ring
 * @req: the request
 *
 * Context: ring lock held.
 */
static __always_inline void io_req_put(struct io_ring_ctx *ctx, struct io_kiocb *req)
{
	io_req_move(req, IO_REQ_CACHED);
	req->next = ctx->free;
	ctx->free = req;
	ctx->nr_free++;
}

/**
 * io_req_reuse - as io_req_put() and io_req_get(), which would return the same request
 * @req: the request, stripped of all it held
 *
 * Context: ring lock held.
 */
static __always_inline void io_req_reuse(struct io_kiocb *req)
{
	io_req_move(req, IO_REQ_CACHED);
	io_req_move(req, IO_REQ_INIT);
}

/**
 * io_req_join - a request that was not in the books of its ring comes to its end
 * @req: the request, with IO_REQ_FOREIGN
 *
 * Context: ring lock held.
 */
static inline void io_req_join(struct io_kiocb *req)
{
	req->flags &= ~IO_REQ_FOREIGN;
	req->ctx->nr_reqs++;
}

/**
 * io_req_live - number of requests of a ring that are not in its cache
 * @ctx: the ring
 *
 * Context: ring lock held.
 */
static inline unsigned int io_req_live(const struct io_ring_ctx *ctx)
{
	return ctx->nr_reqs - ctx->nr_free;
}

/* The operation's own part of @req */
#define io_op_data(req, type)						\
({									\
	static_assert(sizeof(type) <= IO_OP_DATA_SIZE);			\
	(type *)&(req)->data;						\
})

/* The request that @data, an operation's own part, belongs to */
#define io_op_req(ptr)	container_of((void *)(ptr), struct io_kiocb, data)

/**
 * io_set_res - note the result of a request that goes on to completion
 * @req: the request, owned by the caller
 * @res: result
 * @cflags: IORING_CQE_F_*
 *
 * Does not decide whether the result fails the chain; see io_set_fail().
 */
static inline void io_set_res(struct io_kiocb *req, s32 res, u32 cflags)
{
	req->cqe.res = res;
	req->cqe.flags = cflags;
}

/**
 * io_set_fail - note a result that breaks the chain
 * @req: the request, owned by the caller
 * @res: result, usually a negative errno
 */
static inline void io_set_fail(struct io_kiocb *req, s32 res)
{
	req->flags |= IO_REQ_FAIL;
	io_set_res(req, res, 0);
}

/**
 * io_set_status - note a plain result: negative fails the chain
 * @req: the request, owned by the caller
 * @res: >= 0, or a negative errno; restart codes become -EINTR
 */
static inline void io_set_status(struct io_kiocb *req, long res)
{
	if (unlikely(res < 0)) {
		req->flags |= IO_REQ_FAIL;
		if (res == -ERESTARTSYS || res == -ERESTARTNOINTR ||
		    res == -ERESTARTNOHAND || res == -ERESTART_RESTARTBLOCK)
			res = -EINTR;
	}
	io_set_res(req, res, 0);
}

#endif
