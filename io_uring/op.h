/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an operation is: one row per opcode in ops/table.c, nothing else knows opcodes.
 */
#ifndef IO_URING_OP_H
#define IO_URING_OP_H

#include <linux/io_uring_types.h>

/**
 * enum io_outcome - what ->issue made of a request; its result travels in req->cqe
 * @IO_DONE: finished, result is set; the caller completes it
 * @IO_PENDING: somebody will push it to its inbox, perhaps already has; caller lets go
 * @IO_AGAIN: would block: wait for the file by poll, or use a worker. In a worker: try again
 * @IO_REQUEUE: multishot with more to do: to the back of the inbox
 */
enum io_outcome {
	IO_DONE,
	IO_PENDING,
	IO_AGAIN,
	IO_REQUEUE,
};

/* How ->issue and ->event are being called */
#define IO_HOW_NONBLOCK	1u	/* return IO_AGAIN rather than wait */
#define IO_HOW_LOCKED	2u	/* ring lock is held; never in a worker */
#define IO_HOW_WORKER	4u	/* in a worker thread */
#define IO_HOW_DEAD	8u	/* submitter is gone: end the request, touch no user memory */

/* struct io_op.attrs */
#define IO_OP_FILE		BIT(0)	/* works on a file */
#define IO_OP_BUFFER_SELECT	BIT(1)	/* takes a provided buffer */
#define IO_OP_IOPOLL		BIT(2)	/* allowed on rings that poll */
#define IO_OP_IOPRIO		BIT(3)	/* uses sqe->ioprio */
#define IO_OP_POLLIN		BIT(4)	/* waits for readability */
#define IO_OP_POLLOUT		BIT(5)	/* waits for writability */
#define IO_OP_POLL_EXCL		BIT(6)	/* ... with an exclusive wake-up */
#define IO_OP_PLUG		BIT(7)	/* worth a block plug */
#define IO_OP_HASH		BIT(8)	/* regular files: workers go one at a time per inode */
#define IO_OP_UNBOUND		BIT(9)	/* other files: unbounded workers */
#define IO_OP_AUDIT		BIT(10)	/* audited */
#define IO_OP_WORKER		BIT(11)	/* never issued inline */
#define IO_OP_SQE128		BIT(12)	/* takes a 128-byte SQE */
#define IO_OP_NO_FD_CANCEL	BIT(13)	/* never matches a cancel by file */
#define IO_OP_WITH_TASK	BIT(14)	/* ends with the task: waits for its memory or children */

/**
 * struct io_op - one operation
 * @prep: read the SQE, copy in what describes the request, check it. Everything it sets up must
 *	be undone by @cleanup, which it announces by IO_REQ_CLEANUP. Ring lock held; may sleep.
 *	Returns 0 or a negative errno.
 * @issue: do it. See enum io_outcome and IO_HOW_*. NULL: not available; @prep fails.
 * @attrs: IO_OP_*
 * @event: what the request waited for has happened (IO_KIND_EVENT). Ring lock held.
 * @cancel: an armed request (IO_ARMED_OP) is to end. Ring lock held. True: it was stopped; the
 *	callback has set its result and pushed it to its inbox. False: its event is under way.
 * @fail: the request ends with the error in its CQE, which may be the core's: a cancel, a wait that
 *	was not wanted. What had been done before may stand there instead. Ring lock held.
 * @cleanup: free what @prep and @issue left in the request. Called once, if IO_REQ_CLEANUP.
 * @name: for traces and fdinfo
 */
struct io_op {
	int (*prep)(struct io_kiocb *req, const struct io_uring_sqe *sqe);
	enum io_outcome (*issue)(struct io_kiocb *req, unsigned int how);
	unsigned int attrs;
	enum io_outcome (*event)(struct io_kiocb *req, unsigned int how);
	bool (*cancel)(struct io_kiocb *req);
	void (*fail)(struct io_kiocb *req);
	void (*cleanup)(struct io_kiocb *req);
	const char *name;
} ____cacheline_aligned;

#ifdef CONFIG_64BIT
static_assert(sizeof(struct io_op) == 64);
#endif

extern const struct io_op io_ops[IORING_OP_LAST];

/* The row of a request whose opcode was checked when it was taken in */
static inline const struct io_op *io_op_of(const struct io_kiocb *req)
{
	return &io_ops[req->opcode];
}

#endif
