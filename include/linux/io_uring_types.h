/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The shared structures of io_uring: a ring, a request, a task's view of its rings.
 *
 * Protection letters, used on every field below:
 *
 *   I   set up before the object is published, constant afterwards
 *   U   ring lock (io_ring_ctx.lock)
 *   X   whoever owns the request in its present state (see io_uring/request.h)
 *   T   the task the object belongs to, and nobody else
 *   A   atomic, or a lockless list: any context
 *   R   pointer published under RCU; written under U
 *   M   mmap_lock of the ring (io_ring_ctx.map_lock)
 *   W   lock of the wait queue it belongs to
 *   S   shared with user space: read once, never trusted
 */
#ifndef IO_URING_TYPES_H
#define IO_URING_TYPES_H

#include <linux/blkdev.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/io_uring.h>

struct io_kiocb;
struct io_ring_ctx;
struct io_uring_task;
struct io_pool;
struct io_restriction;

/**
 * struct io_rings - head of the memory shared with user space
 *
 * Offsets are ABI: applications learn them from io_uring_params, and size memory of their own by
 * them. CQEs follow at offset 64, the SQ index array behind those.
 */
struct io_rings {
	u32 sq_head;		/* U: kernel stores, application loads */
	u32 sq_tail;		/* S */
	u32 cq_head;		/* S */
	u32 cq_tail;		/* U: kernel stores, application loads */
	u32 sq_mask;		/* I, for the application only */
	u32 cq_mask;		/* I, for the application only */
	u32 sq_entries;		/* I, for the application only */
	u32 cq_entries;		/* I, for the application only */
	u32 sq_dropped;		/* U */
	atomic_t sq_flags;	/* A: IORING_SQ_* */
	u32 cq_flags;		/* S: IORING_CQ_* */
	u32 cq_overflow;	/* U */
	u32 __reserved[4];
} __aligned(64);

/* CQEs, and the SQ index array behind them, follow the head. */
#define io_rings_cqes(rings)	((struct io_uring_cqe *)((rings) + 1))

/**
 * struct io_inbox - requests on their way back to the ring lock
 * @list: pushed from any context, emptied by the consumer (A)
 * @pending: single-CQE entries pushed since @want was set (A)
 * @want: completions the sleeping consumer lacks; 0: nobody sleeps here (A)
 * @bell: enum io_inbox_bell: how to reach the consumer (A)
 * @waiter: task to wake while @want is set; written before it (A)
 * @ring: ring whose CQEs @want counts; written before it (A)
 *
 * A ring with IORING_SETUP_DEFER_TASKRUN has its own, every other one uses that of the submitting
 * task. See io_uring/inbox.h.
 */
struct io_inbox {
	struct llist_head list;
	atomic_t pending;
	int want;
	atomic_t bell;
	struct task_struct *waiter;
	struct io_ring_ctx *ring;
};

/**
 * struct io_region - pages that kernel and user space both see
 * @pages: the pages, in order (I)
 * @ptr: kernel mapping of all of them (I)
 * @nr_pages: how many (I)
 * @flags: IO_REGION_*: how they were obtained (I)
 */
struct io_region {
	struct page **pages;
	void *ptr;
	unsigned int nr_pages;
	unsigned int flags;
};

/**
 * struct io_account - whom pinned memory is charged to
 * @user: owner of locked_vm; NULL: creator may lock without limit (I)
 * @mm: owner of pinned_vm, grabbed (I)
 */
struct io_account {
	struct user_struct *user;
	struct mm_struct *mm;
};

/* What a request works on once it has been prepared; each operation lays its own struct over it. */
#define IO_OP_DATA_SIZE	64

/* The CQE that a request will leave behind, and the key it is found by */
struct io_req_cqe {
	u64 user_data;
	s32 res;
	u32 flags;
};

/**
 * struct io_kiocb - one request
 *
 * The first cache line is all that an inline request touches besides its operation's data. What
 * only some requests need (third line) is guarded by bits in @flags and is NULL in the cache.
 */
struct io_kiocb {
	struct io_ring_ctx	*ctx;		/* I; holds a reference, cached or not */
	u8			opcode;		/* X */
	u8			kind;		/* X: enum io_inbox_kind, IO_KIND_SINGLE */
	u16			buf_index;	/* X: buffer slot, then group, then buffer id */
	u32			flags;		/* X: IO_REQ_* */
	struct io_req_cqe	cqe;		/* X */
	struct io_kiocb		*link;		/* X: successor in the chain */
	struct io_task_node	*node;		/* X: task that submitted it */
	union {
		struct io_kiocb		*next;	/* U: in the cache, the drain list */
		struct llist_node	inbox;	/* in an inbox */
	};
	union {
		int		fd;		/* X: until the file is looked up */
		atomic_t	hands;		/* A: with IO_REQ_WORKER, see inbox.c */
	};
	u8			state;		/* X: enum io_req_state, kept in debug builds */
	u8			armed;		/* U: enum io_armed */
	u8			outcome;	/* X: enum io_outcome, of a worker's issue */
	bool			stopped;	/* U: a cancel met it since it was punted */

	union {
		struct file	*file;		/* X: first member of each operation's data */
		u8		data[IO_OP_DATA_SIZE] __aligned(8);
	};

	void			*async_data;	/* X: allocation of the operation */
	const struct cred	*creds;		/* X: IO_REQ_CREDS */
	struct io_rsrc_node	*file_node;	/* X: IO_REQ_FILE_NODE */
	union {
		struct io_rsrc_node	*buf_node;	/* X: IO_REQ_BUF_NODE */
		struct io_buffer	*kbuf;		/* X: IO_REQ_KBUF */
	};
	union {
		struct hlist_node	armed_entry;	/* U: in the registry */
		struct {
			struct io_pool_work *next;
			unsigned int flags;
		} __work;			/* storage of struct io_pool_work */
		struct list_head	poll_entry;	/* U: IOPOLL list */
	};
	union {
		struct io_poll_arm	*poll;		/* X: waits on the file's wait queue */
		u64			big_cqe[2];	/* X: IO_REQ_CQE32: rest of the CQE */
	};
};

static_assert(sizeof(struct io_kiocb) <= 192);
#ifdef CONFIG_64BIT
static_assert(offsetof(struct io_kiocb, file) == 64);
#endif

/**
 * struct io_task_node - one task's use of one ring
 * @ctx: the ring (I)
 * @task: the task, referenced (I)
 * @tctx: its state; valid while the node is attached or under RCU (I)
 * @inbox: where completions of the task's requests on this ring go (I)
 * @inflight: requests of the task that left the submission path (U)
 * @detached: the task is gone from the ring; the last request frees the node (U)
 * @entry: in ctx->nodes (U)
 * @rcu: producers may still look at the node after the last request was freed
 */
struct io_task_node {
	struct io_ring_ctx	*ctx;
	struct task_struct	*task;
	struct io_uring_task	*tctx;
	struct io_inbox		*inbox;
	unsigned int		inflight;
	bool			detached;
	struct list_head	entry;
	struct rcu_head		rcu;
};

#define IO_REGISTERED_RINGS_MAX	16

/**
 * struct io_uring_task - what a task keeps between its calls
 * @task: owner (I)
 * @inbox: completions for its rings without DEFER_TASKRUN
 * @work: doorbell of @inbox
 * @last: node used last, saves the look-up in @nodes (T)
 * @last_ctx: ring that @last is for; cleared by the exit of that ring (T to set)
 * @nodes: io_task_node by ring address (T; slots are erased by ring exit under the ring lock,
 *	with the xarray's own lock)
 * @pool: worker threads, created with the first ring (T to write)
 * @wait: exec and exit wait here for requests to end (W)
 * @cancelling: exec or exit is waiting (A)
 * @rings: files put here by IORING_REGISTER_RING_FDS (T)
 * @rcu: producers may still look at the inbox
 */
struct io_uring_task {
	struct task_struct	*task;
	struct io_inbox		inbox;
	struct callback_head	work;
	struct io_task_node	*last;
	struct io_ring_ctx	*last_ctx;
	struct xarray		nodes;
	struct io_pool		*pool;
	wait_queue_head_t	wait;
	atomic_t		cancelling;
	struct file		*rings[IO_REGISTERED_RINGS_MAX];
	struct rcu_head		rcu;
};

/**
 * struct io_registry - requests that wait for an event, by user_data
 * @table: 2^@bits heads (U)
 * @bits: log2 of the number of heads (U)
 * @nr: entries (U)
 */
struct io_registry {
	struct hlist_head	*table;
	unsigned int		bits;
	unsigned int		nr;
};

/* A table of resource nodes indexed by slot; U */
struct io_rsrc_table {
	struct io_rsrc_node	**nodes;
	unsigned int		nr;
};

/* Fixed files: slots, and which of them an allocation may take; U */
struct io_file_table {
	struct io_rsrc_table	data;
	unsigned long		*bitmap;
	unsigned int		alloc_start;
	unsigned int		alloc_end;
	unsigned int		alloc_hint;
};

/**
 * struct io_restriction - what a ring may be asked to do
 *
 * U while the ring is disabled, constant afterwards.
 */
struct io_restriction {
	DECLARE_BITMAP(register_op, IORING_REGISTER_LAST);
	DECLARE_BITMAP(sqe_op, IORING_OP_LAST);
	u8			sqe_flags_allowed;
	u8			sqe_flags_required;
	bool			op_active;
	bool			register_active;
};

/**
 * struct io_ring_ctx - one ring
 *
 * Grouped by use: submission and completion of inline requests, then what other contexts touch,
 * then the rest.
 */
struct io_ring_ctx {
	struct mutex		lock ____cacheline_aligned_in_smp; /* the ring lock: letter U */
	unsigned int		flags;		/* I, but IORING_SETUP_R_DISABLED: U */
	unsigned int		strict;		/* U: IO_STRICT_*: SQEs need the slow checks */
	u32			odd_flags;	/* U: IOSQE_* that need them too */

	struct io_rings		*rings;		/* R */
	u32			*sq_array;	/* R; NULL: NO_SQARRAY */
	struct io_uring_sqe	*sqes;		/* R; contents S */
	u32			sq_head;	/* U: next SQE to take */
	u32			sq_mask;	/* U: sq_entries - 1 */
	u32			sq_entries;	/* U */

	struct io_kiocb		*free;		/* U: cached requests, last used first */
	u32			nr_free;	/* U */
	u32			nr_reqs;	/* U: cached or not, as many ring references */

	struct io_uring_cqe	*cqes;		/* R */
	u32			cq_tail;	/* U: not yet published beyond rings->cq_tail */
	u32			cq_limit;	/* U: tail up to which CQEs fit, see cq.c */
	u32			cq_mask;	/* U: cq_entries - 1 */
	u32			cq_entries;	/* U */
	u32			cq_published;	/* U: last value stored to rings->cq_tail */
	u8			cqe_shift;	/* I: 1 on rings of 32-byte CQEs */
	u8			sqe_shift;	/* I: 1 on rings of 128-byte SQEs */
	bool			sq_indirect;	/* U: @sq_array or @sqe_shift matter */
	u32			watch;		/* U: IO_WATCH_*: work at the end of a batch */

	/* A request chain being built by the present submission (IO_STRICT_CHAIN); U */
	struct io_kiocb		*chain_head;
	struct io_kiocb		*chain_tail;
	u32			chain_flags;	/* IO_REQ_* of its odd members, or'ed */

	struct blk_plug		plug;		/* U: of the present submission */

	struct io_inbox		inbox ____cacheline_aligned_in_smp; /* with DEFER_TASKRUN */
	struct llist_node	*backlog;	/* U: taken from @inbox, not yet run */
	wait_queue_head_t	cq_wait;	/* W: sleepers in io_uring_enter and poll */
	atomic_t		listeners;	/* A: who wants to know of CQEs */
	int			polled;		/* A: poll(2) was used on the ring */
	struct irq_work		bell_work;	/* tells pollers and the eventfd of deferred work */
	struct work_struct	fallback;	/* drains @inbox once its owner is dead */
	struct task_struct	*submitter;	/* U: SINGLE_ISSUER: its only task, referenced */
	unsigned int		notify;		/* I: enum task_work_notify_mode */
	atomic_t		timeouts;	/* A: expired timeout requests: each ends a wait */

	struct percpu_ref	refs;
	unsigned int		features;	/* I */
	bool			compat;		/* I: made by a 32-bit task */
	bool			dying;		/* U, read anywhere: last file reference gone */
	bool			dropped;	/* U, read anywhere: lost CQEs, not reported */
	bool			pooled_cqe;	/* U: an unpublished CQE comes from a worker */
	clockid_t		clockid;	/* U: clock of enter timeouts */
	enum tk_offsets		clock_offset;	/* U */

	struct list_head	overflow;	/* U: CQEs that found the ring full */
	unsigned int		nr_overflow;	/* U */

	struct io_eventfd __rcu	*eventfd;	/* R */
	struct list_head	nodes;		/* U: io_task_node, tasks that use the ring */
	struct io_registry	registry;	/* U */

	/* links and drain */
	struct io_kiocb		*drain_head;	/* U: heads held back, in order */
	struct io_kiocb		*drain_tail;	/* U */
	unsigned int		nr_drain;	/* U: requests in that list, chains included */
	bool			drain_busy;	/* U: a draining request runs, others wait */
	bool			drain_next;	/* U: what follows a drained chain drains too */

	/* timeouts */
	struct list_head	timeouts_seq;	/* U: armed timeouts with a completion count */
	u32			cq_timeouts;	/* U: CQEs of timeouts, which no count includes */
	u64			seq;		/* U: CQEs counted so far, see seqwatch.c */

	/* registered resources */
	struct io_file_table	files;		/* U */
	struct io_rsrc_table	bufs;		/* U */
	struct xarray		buf_groups;	/* U to write, M to write and to read in mmap */
	struct xarray		personalities;	/* U */
	u32			pers_next;	/* U */
	struct io_restriction	restriction;
	struct io_account	account;	/* I */
	struct xarray		huge_pages;	/* U: compound pages already charged */

	/* memory shared with user space */
	struct mutex		map_lock;	/* M: regions may not change; nests inside U */
	struct io_region	ring_region;	/* M to replace */
	struct io_region	sq_region;	/* M to replace */
	struct io_region	param_region;	/* M to set */
	void			*wait_args;	/* U, read anywhere: registered arguments */
	size_t			wait_args_size;	/* ditto */

	/* polled I/O */
	struct list_head	iopoll_list;	/* U */
	bool			iopoll_multi;	/* U */

	/* submission thread */
	struct io_sq_data	*sq_data;	/* I */
	const struct cred	*sq_creds;	/* I */
	wait_queue_head_t	sq_wait;	/* W: IORING_ENTER_SQ_WAIT */
	struct list_head	sq_entry;	/* io_sq_data.lock */

	/* busy polling */
	struct io_napi		*napi;		/* R */

	/* worker limits of IORING_REGISTER_IOWQ_MAX_WORKERS */
	u32			iowq_limits[2];	/* U */
	bool			iowq_limits_set;	/* U */

	struct list_head	rings_entry;	/* io_rings_lock: all rings, for the shrinker */
	struct delayed_work	exit_work;	/* cancels until all requests are gone */
	struct rcu_work		free_work;	/* after the last reference, and a grace period */
};

/* io_ring_ctx.strict: apart from the IOSQE_* bits, with which it is combined */
#define IO_STRICT_RESTRICTED	BIT(8)	/* restrictions registered */
#define IO_STRICT_IOPOLL	BIT(9)	/* ring polls: only some operations */
#define IO_STRICT_DRAIN		BIT(10)	/* requests are being held back */
#define IO_STRICT_MIXED		BIT(11)	/* 64- and 128-byte SQEs, and the rules for the latter */
#define IO_STRICT_FILTER	BIT(12)	/* BPF filters registered */
#define IO_STRICT_CHAIN		BIT(13)	/* a chain is being built */

/* io_ring_ctx.watch */
#define IO_WATCH_DRAIN		1u	/* drain list is not empty, or a drained request runs */
#define IO_WATCH_TIMEOUT	2u	/* timeouts with a completion count are armed */

#endif
