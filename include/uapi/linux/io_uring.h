/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * User ABI of io_uring: what io_uring_setup(2), io_uring_enter(2) and
 * io_uring_register(2) take and return, and what lies in the shared rings.
 *
 * All structures have one layout on 32-bit and 64-bit systems. Members named
 * resv, pad or rsvd (with any underscores or digits) must be zero on the way in
 * unless Documentation/io_uring/uapi.rst says otherwise.
 *
 * Parts with a header of their own: io_uring/zcrx.h (zero-copy receive, included
 * below), io_uring/query.h, io_uring/bpf_filter.h and io_uring/mock_file.h.
 */
#ifndef LINUX_IO_URING_H
#define LINUX_IO_URING_H

#include <linux/fs.h>
#include <linux/stddef.h>
#include <linux/types.h>
/* A program that brings its own struct __kernel_timespec says so with this. */
#ifndef UAPI_LINUX_IO_URING_H_SKIP_LINUX_TIME_TYPES_H
#include <linux/time_types.h>
#endif
#include <linux/io_uring/zcrx.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Setting up a ring
 */

/* io_uring_params.flags */
#define IORING_SETUP_IOPOLL		0x00000001U	/* poll for completions */
#define IORING_SETUP_SQPOLL		0x00000002U	/* a kernel thread submits */
#define IORING_SETUP_SQ_AFF		0x00000004U	/* ... bound to sq_thread_cpu */
#define IORING_SETUP_CQSIZE		0x00000008U	/* cq_entries is an input */
#define IORING_SETUP_CLAMP		0x00000010U	/* lower sizes to the limits */
#define IORING_SETUP_ATTACH_WQ		0x00000020U	/* share the SQ thread of wq_fd */
#define IORING_SETUP_R_DISABLED		0x00000040U	/* start disabled */
#define IORING_SETUP_SUBMIT_ALL		0x00000080U	/* a bad SQE ends no batch */
#define IORING_SETUP_COOP_TASKRUN	0x00000100U	/* do not interrupt the task */
#define IORING_SETUP_TASKRUN_FLAG	0x00000200U	/* show pending task work */
#define IORING_SETUP_SQE128		0x00000400U	/* every SQE has 128 bytes */
#define IORING_SETUP_CQE32		0x00000800U	/* every CQE has 32 bytes */
#define IORING_SETUP_SINGLE_ISSUER	0x00001000U	/* one task submits */
#define IORING_SETUP_DEFER_TASKRUN	0x00002000U	/* complete only when asked */
#define IORING_SETUP_NO_MMAP		0x00004000U	/* ring memory of the caller */
#define IORING_SETUP_REGISTERED_FD_ONLY	0x00008000U	/* no fd, a registered index */
#define IORING_SETUP_NO_SQARRAY		0x00010000U	/* SQEs are taken in order */
#define IORING_SETUP_HYBRID_IOPOLL	0x00020000U	/* sleep a while, then poll */
#define IORING_SETUP_CQE_MIXED		0x00040000U	/* CQEs of 16 and 32 bytes */
#define IORING_SETUP_SQE_MIXED		0x00080000U	/* SQEs of 64 and 128 bytes */
#define IORING_SETUP_SQ_REWIND		0x00100000U	/* each batch starts at SQE 0 */

/* io_uring_params.features: promises of this kernel */
#define IORING_FEAT_SINGLE_MMAP		0x00000001U
#define IORING_FEAT_NODROP		0x00000002U
#define IORING_FEAT_SUBMIT_STABLE	0x00000004U
#define IORING_FEAT_RW_CUR_POS		0x00000008U
#define IORING_FEAT_CUR_PERSONALITY	0x00000010U
#define IORING_FEAT_FAST_POLL		0x00000020U
#define IORING_FEAT_POLL_32BITS		0x00000040U
#define IORING_FEAT_SQPOLL_NONFIXED	0x00000080U
#define IORING_FEAT_EXT_ARG		0x00000100U
#define IORING_FEAT_NATIVE_WORKERS	0x00000200U
#define IORING_FEAT_RSRC_TAGS		0x00000400U
#define IORING_FEAT_CQE_SKIP		0x00000800U
#define IORING_FEAT_LINKED_FILE		0x00001000U
#define IORING_FEAT_REG_REG_RING	0x00002000U
#define IORING_FEAT_RECVSEND_BUNDLE	0x00004000U
#define IORING_FEAT_MIN_TIMEOUT		0x00008000U
#define IORING_FEAT_RW_ATTR		0x00010000U
#define IORING_FEAT_NO_IOWAIT		0x00020000U

/* Where the words of the SQ ring lie, in bytes from the start of its mapping. */
struct io_sqring_offsets {
	__u32 head;		/* next entry the kernel takes */
	__u32 tail;		/* written by the program, with release */
	__u32 ring_mask;
	__u32 ring_entries;
	__u32 flags;		/* IORING_SQ_* */
	__u32 dropped;		/* entries skipped for a bad index */
	__u32 array;		/* absent with IORING_SETUP_NO_SQARRAY */
	__u32 resv1;
	__u64 user_addr;	/* in: the SQEs, with IORING_SETUP_NO_MMAP */
};

/* The word at io_sqring_offsets.flags; the kernel writes it. */
#define IORING_SQ_NEED_WAKEUP	0x1U	/* the SQ thread sleeps */
#define IORING_SQ_CQ_OVERFLOW	0x2U	/* completions wait for room in the CQ */
#define IORING_SQ_TASKRUN	0x4U	/* enter the kernel to get completions */

/* The same for the CQ ring. */
struct io_cqring_offsets {
	__u32 head;		/* written by the program, with release */
	__u32 tail;		/* one past the newest CQE */
	__u32 ring_mask;
	__u32 ring_entries;
	__u32 overflow;		/* completions lost for lack of memory */
	__u32 cqes;
	__u32 flags;		/* IORING_CQ_* */
	__u32 resv1;
	__u64 user_addr;	/* in: the rings, with IORING_SETUP_NO_MMAP */
};

/* The word at io_cqring_offsets.flags; the program writes it. */
#define IORING_CQ_EVENTFD_DISABLED	0x1U

struct io_uring_params {
	__u32 sq_entries;
	__u32 cq_entries;
	__u32 flags;
	__u32 sq_thread_cpu;
	__u32 sq_thread_idle;	/* milliseconds */
	__u32 features;
	__u32 wq_fd;
	__u32 resv[3];
	struct io_sqring_offsets sq_off;
	struct io_cqring_offsets cq_off;
};

/* mmap(2) offsets of a ring fd */
#define IORING_OFF_SQ_RING	0x00000000ULL
#define IORING_OFF_CQ_RING	0x08000000ULL
#define IORING_OFF_SQES		0x10000000ULL
#define IORING_OFF_PBUF_RING	0x80000000ULL	/* | group << IORING_OFF_PBUF_SHIFT */
#define IORING_OFF_PBUF_SHIFT	16
#define IORING_OFF_MMAP_MASK	0xf8000000ULL

/*
 * Submission
 */

/* io_uring_sqe.opcode. New ones go in front of IORING_OP_LAST, none ever moves. */
enum io_uring_op {
	IORING_OP_NOP			= 0,
	IORING_OP_READV			= 1,
	IORING_OP_WRITEV		= 2,
	IORING_OP_FSYNC			= 3,
	IORING_OP_READ_FIXED		= 4,
	IORING_OP_WRITE_FIXED		= 5,
	IORING_OP_POLL_ADD		= 6,
	IORING_OP_POLL_REMOVE		= 7,
	IORING_OP_SYNC_FILE_RANGE	= 8,
	IORING_OP_SENDMSG		= 9,
	IORING_OP_RECVMSG		= 10,
	IORING_OP_TIMEOUT		= 11,
	IORING_OP_TIMEOUT_REMOVE	= 12,
	IORING_OP_ACCEPT		= 13,
	IORING_OP_ASYNC_CANCEL		= 14,
	IORING_OP_LINK_TIMEOUT		= 15,
	IORING_OP_CONNECT		= 16,
	IORING_OP_FALLOCATE		= 17,
	IORING_OP_OPENAT		= 18,
	IORING_OP_CLOSE			= 19,
	IORING_OP_FILES_UPDATE		= 20,
	IORING_OP_STATX			= 21,
	IORING_OP_READ			= 22,
	IORING_OP_WRITE			= 23,
	IORING_OP_FADVISE		= 24,
	IORING_OP_MADVISE		= 25,
	IORING_OP_SEND			= 26,
	IORING_OP_RECV			= 27,
	IORING_OP_OPENAT2		= 28,
	IORING_OP_EPOLL_CTL		= 29,
	IORING_OP_SPLICE		= 30,
	IORING_OP_PROVIDE_BUFFERS	= 31,
	IORING_OP_REMOVE_BUFFERS	= 32,
	IORING_OP_TEE			= 33,
	IORING_OP_SHUTDOWN		= 34,
	IORING_OP_RENAMEAT		= 35,
	IORING_OP_UNLINKAT		= 36,
	IORING_OP_MKDIRAT		= 37,
	IORING_OP_SYMLINKAT		= 38,
	IORING_OP_LINKAT		= 39,
	IORING_OP_MSG_RING		= 40,
	IORING_OP_FSETXATTR		= 41,
	IORING_OP_SETXATTR		= 42,
	IORING_OP_FGETXATTR		= 43,
	IORING_OP_GETXATTR		= 44,
	IORING_OP_SOCKET		= 45,
	IORING_OP_URING_CMD		= 46,
	IORING_OP_SEND_ZC		= 47,
	IORING_OP_SENDMSG_ZC		= 48,
	IORING_OP_READ_MULTISHOT	= 49,
	IORING_OP_WAITID		= 50,
	IORING_OP_FUTEX_WAIT		= 51,
	IORING_OP_FUTEX_WAKE		= 52,
	IORING_OP_FUTEX_WAITV		= 53,
	IORING_OP_FIXED_FD_INSTALL	= 54,
	IORING_OP_FTRUNCATE		= 55,
	IORING_OP_BIND			= 56,
	IORING_OP_LISTEN		= 57,
	IORING_OP_RECV_ZC		= 58,
	IORING_OP_EPOLL_WAIT		= 59,
	IORING_OP_READV_FIXED		= 60,
	IORING_OP_WRITEV_FIXED		= 61,
	IORING_OP_PIPE			= 62,
	IORING_OP_NOP128		= 63,
	IORING_OP_URING_CMD128		= 64,

	IORING_OP_LAST
};

/*
 * One request. A word with several names is read as the opcode asks; numbers in
 * the comments are byte offsets.
 */
struct io_uring_sqe {
	__u8	opcode;
	__u8	flags;			/* IOSQE_* */
	__u16	ioprio;			/* I/O priority, or flags of network opcodes */
	__s32	fd;

	/* 8 */
	union {
		__u64	off;
		__u64	addr2;
		struct {
			__u32	cmd_op;
			__u32	__pad1;
		};
	};

	/* 16 */
	union {
		__u64	addr;
		__u64	splice_off_in;
		struct {
			__u32	level;
			__u32	optname;
		};
	};

	/* 24: a length in bytes, or a count */
	__u32	len;

	/* 28: flags of the opcode */
	union {
		/* files */
		__kernel_rwf_t	rw_flags;
		__u32	fsync_flags;
		__u32	sync_range_flags;
		__u32	fadvise_advice;
		__u32	splice_flags;
		/* paths and descriptors */
		__u32	open_flags;
		__u32	statx_flags;
		__u32	rename_flags;
		__u32	unlink_flags;
		__u32	hardlink_flags;
		__u32	xattr_flags;
		__u32	install_fd_flags;
		__u32	pipe_flags;
		/* sockets */
		__u32	msg_flags;
		__u32	accept_flags;
		/* waiting */
		__u16	poll_events;	/* the 16 bits of old programs */
		__u32	poll32_events;	/* half-words swapped on big endian */
		__u32	timeout_flags;
		__u32	waitid_flags;
		__u32	futex_flags;
		/* the ring itself, and drivers */
		__u32	nop_flags;
		__u32	cancel_flags;
		__u32	msg_ring_flags;
		__u32	uring_cmd_flags;
	};

	/* 32: handed back in the CQE, never looked at otherwise */
	__u64	user_data;

	/* 40 */
	union {
		__u16	buf_index;	/* registered buffer */
		__u16	buf_group;	/* with IOSQE_BUFFER_SELECT */
	};
	__u16	personality;		/* registered credentials, 0: own */

	/* 44 */
	union {
		__u32	file_index;	/* slot + 1, or IORING_FILE_INDEX_ALLOC */
		__s32	splice_fd_in;
		__u32	zcrx_ifq_idx;
		__u32	optlen;
		struct {
			__u16	addr_len;
			__u16	__pad3[1];	/* zero */
		};
		struct {
			__u8	write_stream;
			__u8	__pad4[3];
		};
	};

	/* 48 */
	union {
		struct {
			__u64	addr3;
			__u64	__pad2[1];	/* zero */
		};
		struct {
			__u64	attr_ptr;
			__u64	attr_type_mask;	/* IORING_RW_ATTR_FLAG_* */
		};
		__u64	optval;
		__u8	cmd[0];		/* 16 bytes, or 80 of a 128-byte SQE */
	};
};

/* io_uring_sqe.flags, as bit numbers and as masks */
enum io_uring_sqe_flags_bit {
	IOSQE_FIXED_FILE_BIT		= 0,
	IOSQE_IO_DRAIN_BIT		= 1,
	IOSQE_IO_LINK_BIT		= 2,
	IOSQE_IO_HARDLINK_BIT		= 3,
	IOSQE_ASYNC_BIT			= 4,
	IOSQE_BUFFER_SELECT_BIT		= 5,
	IOSQE_CQE_SKIP_SUCCESS_BIT	= 6,
};

#define IOSQE_FIXED_FILE	0x01U	/* fd is a registered slot */
#define IOSQE_IO_DRAIN		0x02U	/* wait for all earlier requests */
#define IOSQE_IO_LINK		0x04U	/* the next one runs if this succeeds */
#define IOSQE_IO_HARDLINK	0x08U	/* the next one runs after this */
#define IOSQE_ASYNC		0x10U	/* start in a worker */
#define IOSQE_BUFFER_SELECT	0x20U	/* take a buffer of buf_group */
#define IOSQE_CQE_SKIP_SUCCESS	0x40U	/* only a failure gives a CQE */

/* file_index: let the kernel choose a free slot */
#define IORING_FILE_INDEX_ALLOC	(~0U)

/* nop_flags */
#define IORING_NOP_INJECT_RESULT	0x01U	/* res is taken from len */
#define IORING_NOP_FILE			0x02U	/* look up fd */
#define IORING_NOP_FIXED_FILE		0x04U	/* ... as a registered slot */
#define IORING_NOP_FIXED_BUFFER		0x08U	/* look up buf_index */
#define IORING_NOP_TW			0x10U	/* complete through task work */
#define IORING_NOP_CQE32		0x20U	/* give a 32-byte CQE */

/* fsync_flags */
#define IORING_FSYNC_DATASYNC		0x1U

/* splice_flags, beside those of splice(2): splice_fd_in is a registered slot */
#define SPLICE_F_FD_IN_FIXED		0x80000000U

/* timeout_flags of TIMEOUT, TIMEOUT_REMOVE and LINK_TIMEOUT */
#define IORING_TIMEOUT_ABS		0x01U
#define IORING_TIMEOUT_UPDATE		0x02U
#define IORING_TIMEOUT_BOOTTIME		0x04U
#define IORING_TIMEOUT_REALTIME		0x08U
#define IORING_LINK_TIMEOUT_UPDATE	0x10U
#define IORING_TIMEOUT_ETIME_SUCCESS	0x20U	/* expiry breaks no link */
#define IORING_TIMEOUT_MULTISHOT	0x40U	/* off counts the expiries */
#define IORING_TIMEOUT_IMMEDIATE_ARG	0x80U	/* addr holds nanoseconds */
#define IORING_TIMEOUT_CLOCK_MASK	(IORING_TIMEOUT_REALTIME | IORING_TIMEOUT_BOOTTIME)
#define IORING_TIMEOUT_UPDATE_MASK	(IORING_LINK_TIMEOUT_UPDATE | IORING_TIMEOUT_UPDATE)

/* len of POLL_ADD and POLL_REMOVE */
#define IORING_POLL_ADD_MULTI		0x1U	/* stay armed */
#define IORING_POLL_UPDATE_EVENTS	0x2U
#define IORING_POLL_UPDATE_USER_DATA	0x4U
#define IORING_POLL_ADD_LEVEL		0x8U

/* cancel_flags, also of struct io_uring_sync_cancel_reg */
#define IORING_ASYNC_CANCEL_ALL		0x01U	/* every match, not the first */
#define IORING_ASYNC_CANCEL_FD		0x02U
#define IORING_ASYNC_CANCEL_ANY		0x04U
#define IORING_ASYNC_CANCEL_FD_FIXED	0x08U
#define IORING_ASYNC_CANCEL_USERDATA	0x10U
#define IORING_ASYNC_CANCEL_OP		0x20U

/* ioprio of the opcodes that send and receive */
#define IORING_RECVSEND_POLL_FIRST	0x01U	/* wait before the first try */
#define IORING_RECV_MULTISHOT		0x02U
#define IORING_RECVSEND_FIXED_BUF	0x04U	/* data lie in buf_index */
#define IORING_SEND_ZC_REPORT_USAGE	0x08U
#define IORING_RECVSEND_BUNDLE		0x10U	/* several buffers at once */
#define IORING_SEND_VECTORIZED		0x20U	/* addr is an array of iovecs */

/* res of the notification that IORING_SEND_ZC_REPORT_USAGE asks for */
#define IORING_NOTIF_USAGE_ZC_COPIED	0x80000000U

/* ioprio of ACCEPT */
#define IORING_ACCEPT_MULTISHOT		0x1U
#define IORING_ACCEPT_DONTWAIT		0x2U
#define IORING_ACCEPT_POLL_FIRST	0x4U

/* addr of MSG_RING: what to hand over */
enum io_uring_msg_ring_flags {
	IORING_MSG_DATA		= 0,	/* len as res, off as user_data */
	IORING_MSG_SEND_FD	= 1,	/* the registered file addr3 */
};

/* msg_ring_flags */
#define IORING_MSG_RING_CQE_SKIP	0x1U	/* no CQE on the target */
#define IORING_MSG_RING_FLAGS_PASS	0x2U	/* file_index as CQE flags */

/* install_fd_flags */
#define IORING_FIXED_FD_NO_CLOEXEC	0x1U

/* uring_cmd_flags; the upper eight bits belong to the kernel */
#define IORING_URING_CMD_FIXED		0x1U	/* data lie in buf_index */
#define IORING_URING_CMD_MULTISHOT	0x2U	/* needs IOSQE_BUFFER_SELECT */
#define IORING_URING_CMD_MASK		(IORING_URING_CMD_MULTISHOT | IORING_URING_CMD_FIXED)

/* attr_type_mask: what attr_ptr points to */
#define IORING_RW_ATTR_FLAG_PI		0x1U	/* struct io_uring_attr_pi */

/* Protection information that goes with a read or write */
struct io_uring_attr_pi {
	__u16	flags;
	__u16	app_tag;
	__u32	len;
	__u64	addr;
	__u64	seed;
	__u64	rsvd;
};

/* cmd_op of URING_CMD on a socket */
enum io_uring_socket_op {
	SOCKET_URING_OP_SIOCINQ		= 0,
	SOCKET_URING_OP_SIOCOUTQ	= 1,
	SOCKET_URING_OP_GETSOCKOPT	= 2,
	SOCKET_URING_OP_SETSOCKOPT	= 3,
	SOCKET_URING_OP_TX_TIMESTAMP	= 4,
	SOCKET_URING_OP_GETSOCKNAME	= 5,
};

/*
 * Completion
 */

struct io_uring_cqe {
	__u64	user_data;	/* of the request */
	__s32	res;		/* result, or a negative errno */
	__u32	flags;		/* IORING_CQE_F_* */
	__u64	big_cqe[];	/* two more words in a 32-byte CQE */
};

/* io_uring_cqe.flags */
#define IORING_CQE_F_BUFFER		0x0001U	/* upper half: buffer id */
#define IORING_CQE_F_MORE		0x0002U	/* further CQEs will follow */
#define IORING_CQE_F_SOCK_NONEMPTY	0x0004U	/* the socket holds more */
#define IORING_CQE_F_NOTIF		0x0008U	/* memory of a send is free */
#define IORING_CQE_F_BUF_MORE		0x0010U	/* the buffer stays in use */
#define IORING_CQE_F_SKIP		0x0020U	/* filler, to be ignored */
#define IORING_CQE_F_32			0x8000U	/* 32 bytes, on a mixed ring */
#define IORING_CQE_BUFFER_SHIFT		16

/* CQE flags of SOCKET_URING_OP_TX_TIMESTAMP; big_cqe is a struct io_timespec */
#define IORING_TIMESTAMP_HW_SHIFT	16
#define IORING_TIMESTAMP_TYPE_SHIFT	17
#define IORING_CQE_F_TSTAMP_HW		0x10000U	/* taken by hardware */

struct io_timespec {
	__u64	tv_sec;
	__u64	tv_nsec;
};

/* Head of each buffer that a multishot RECVMSG fills; name, control, data follow */
struct io_uring_recvmsg_out {
	__u32	namelen;
	__u32	controllen;
	__u32	payloadlen;
	__u32	flags;
};

/*
 * io_uring_enter(2)
 */

#define IORING_ENTER_GETEVENTS		0x01U
#define IORING_ENTER_SQ_WAKEUP		0x02U
#define IORING_ENTER_SQ_WAIT		0x04U
#define IORING_ENTER_EXT_ARG		0x08U
#define IORING_ENTER_REGISTERED_RING	0x10U
#define IORING_ENTER_ABS_TIMER		0x20U
#define IORING_ENTER_EXT_ARG_REG	0x40U
#define IORING_ENTER_NO_IOWAIT		0x80U

/* The argument with IORING_ENTER_EXT_ARG */
struct io_uring_getevents_arg {
	__u64	sigmask;
	__u32	sigmask_sz;
	__u32	min_wait_usec;
	__u64	ts;		/* struct __kernel_timespec */
};

/* ... and with IORING_ENTER_EXT_ARG_REG, in the registered wait region */
struct io_uring_reg_wait {
	struct __kernel_timespec ts;
	__u32	min_wait_usec;
	__u32	flags;		/* IORING_REG_WAIT_* */
	__u64	sigmask;
	__u32	sigmask_sz;
	__u32	pad[3];
	__u64	pad2[2];
};

#define IORING_REG_WAIT_TS		0x1U	/* ts is valid */

/*
 * io_uring_register(2)
 */

enum io_uring_register_op {
	IORING_REGISTER_BUFFERS			= 0,
	IORING_UNREGISTER_BUFFERS		= 1,
	IORING_REGISTER_FILES			= 2,
	IORING_UNREGISTER_FILES			= 3,
	IORING_REGISTER_EVENTFD			= 4,
	IORING_UNREGISTER_EVENTFD		= 5,
	IORING_REGISTER_FILES_UPDATE		= 6,
	IORING_REGISTER_EVENTFD_ASYNC		= 7,
	IORING_REGISTER_PROBE			= 8,
	IORING_REGISTER_PERSONALITY		= 9,
	IORING_UNREGISTER_PERSONALITY		= 10,
	IORING_REGISTER_RESTRICTIONS		= 11,
	IORING_REGISTER_ENABLE_RINGS		= 12,
	IORING_REGISTER_FILES2			= 13,
	IORING_REGISTER_FILES_UPDATE2		= 14,
	IORING_REGISTER_BUFFERS2		= 15,
	IORING_REGISTER_BUFFERS_UPDATE		= 16,
	IORING_REGISTER_IOWQ_AFF		= 17,
	IORING_UNREGISTER_IOWQ_AFF		= 18,
	IORING_REGISTER_IOWQ_MAX_WORKERS	= 19,
	IORING_REGISTER_RING_FDS		= 20,
	IORING_UNREGISTER_RING_FDS		= 21,
	IORING_REGISTER_PBUF_RING		= 22,
	IORING_UNREGISTER_PBUF_RING		= 23,
	IORING_REGISTER_SYNC_CANCEL		= 24,
	IORING_REGISTER_FILE_ALLOC_RANGE	= 25,
	IORING_REGISTER_PBUF_STATUS		= 26,
	IORING_REGISTER_NAPI			= 27,
	IORING_UNREGISTER_NAPI			= 28,
	IORING_REGISTER_CLOCK			= 29,
	IORING_REGISTER_CLONE_BUFFERS		= 30,
	IORING_REGISTER_SEND_MSG_RING		= 31,
	IORING_REGISTER_ZCRX_IFQ		= 32,
	IORING_REGISTER_RESIZE_RINGS		= 33,
	IORING_REGISTER_MEM_REGION		= 34,
	IORING_REGISTER_QUERY			= 35,
	IORING_REGISTER_ZCRX_CTRL		= 36,
	IORING_REGISTER_BPF_FILTER		= 37,

	IORING_REGISTER_LAST,

	/* or'ed in: the fd argument is a registered ring index */
	IORING_REGISTER_USE_REGISTERED_RING	= 0x80000000U,
};

/* FILES2 and BUFFERS2 */
struct io_uring_rsrc_register {
	__u32	nr;
	__u32	flags;		/* IORING_RSRC_REGISTER_* */
	__u64	resv2;
	__aligned_u64 data;
	__aligned_u64 tags;
};

#define IORING_RSRC_REGISTER_SPARSE	0x1U	/* nr empty slots */

/* FILES_UPDATE in its two spellings, and RING_FDS */
struct io_uring_rsrc_update {
	__u32	offset;
	__u32	resv;
	__aligned_u64 data;
};

struct io_uring_files_update {
	__u32	offset;
	__u32	resv;
	__aligned_u64 fds;	/* array of __s32 */
};

/* FILES_UPDATE2 and BUFFERS_UPDATE */
struct io_uring_rsrc_update2 {
	__u32	offset;
	__u32	resv;
	__aligned_u64 data;
	__aligned_u64 tags;
	__u32	nr;
	__u32	resv2;
};

/* In place of an fd: leave this slot as it is */
#define IORING_REGISTER_FILES_SKIP	(-2)

/* FILE_ALLOC_RANGE */
struct io_uring_file_index_range {
	__u32	off;
	__u32	len;
	__u64	resv;
};

/* PROBE */
struct io_uring_probe_op {
	__u8	op;
	__u8	resv;
	__u16	flags;		/* IO_URING_OP_* */
	__u32	resv2;
};

#define IO_URING_OP_SUPPORTED		0x1U

struct io_uring_probe {
	__u8	last_op;
	__u8	ops_len;
	__u16	resv;
	__u32	resv2[3];
	struct io_uring_probe_op ops[];
};

/* RESTRICTIONS */
enum io_uring_register_restriction_op {
	IORING_RESTRICTION_REGISTER_OP		= 0,	/* allow register_op */
	IORING_RESTRICTION_SQE_OP		= 1,	/* allow sqe_op */
	IORING_RESTRICTION_SQE_FLAGS_ALLOWED	= 2,
	IORING_RESTRICTION_SQE_FLAGS_REQUIRED	= 3,

	IORING_RESTRICTION_LAST
};

struct io_uring_restriction {
	__u16	opcode;		/* enum io_uring_register_restriction_op */
	union {
		__u8	register_op;
		__u8	sqe_op;
		__u8	sqe_flags;
	};
	__u8	resv;
	__u32	resv2[3];
};

/* RESTRICTIONS with fd -1: for the calling task */
struct io_uring_task_restriction {
	__u16	flags;
	__u16	nr_res;
	__u32	resv[3];
	struct io_uring_restriction restrictions[];
};

/* IOWQ_MAX_WORKERS: index of the two counts */
enum io_wq_type {
	IO_WQ_BOUND	= 0,
	IO_WQ_UNBOUND	= 1,
};

/* SYNC_CANCEL */
struct io_uring_sync_cancel_reg {
	__u64	addr;		/* user_data to look for */
	__s32	fd;
	__u32	flags;		/* IORING_ASYNC_CANCEL_* */
	struct __kernel_timespec timeout;	/* -1, -1: wait for ever */
	__u8	opcode;
	__u8	pad[7];
	__u64	pad2[3];
};

/* NAPI */
enum io_uring_napi_op {
	IO_URING_NAPI_REGISTER_OP	= 0,	/* op_param: tracking strategy */
	IO_URING_NAPI_STATIC_ADD_ID	= 1,	/* op_param: NAPI id */
	IO_URING_NAPI_STATIC_DEL_ID	= 2,
};

enum io_uring_napi_tracking_strategy {
	IO_URING_NAPI_TRACKING_DYNAMIC	= 0,
	IO_URING_NAPI_TRACKING_STATIC	= 1,
	IO_URING_NAPI_TRACKING_INACTIVE	= 255,
};

struct io_uring_napi {
	__u32	busy_poll_to;	/* microseconds */
	__u8	prefer_busy_poll;
	__u8	opcode;		/* enum io_uring_napi_op */
	__u8	pad[2];
	__u32	op_param;
	__u32	resv;
};

/* CLOCK: CLOCK_MONOTONIC or CLOCK_BOOTTIME */
struct io_uring_clock_register {
	__u32	clockid;
	__u32	__resv[3];
};

/* CLONE_BUFFERS */
#define IORING_REGISTER_SRC_REGISTERED	0x1U	/* src_fd is a registered index */
#define IORING_REGISTER_DST_REPLACE	0x2U	/* overwrite used slots */

struct io_uring_clone_buffers {
	__u32	src_fd;
	__u32	flags;
	__u32	src_off;
	__u32	dst_off;
	__u32	nr;
	__u32	pad[3];
};

/* Memory shared with the kernel, allocated by it or by the program */
#define IORING_MEM_REGION_TYPE_USER	0x1U	/* user_addr is given */

struct io_uring_region_desc {
	__u64	user_addr;
	__u64	size;
	__u32	flags;		/* IORING_MEM_REGION_TYPE_* */
	__u32	id;
	__u64	mmap_offset;	/* out */
	__u64	__resv[4];
};

/* MEM_REGION */
#define IORING_MEM_REGION_REG_WAIT_ARG	0x1U	/* holds io_uring_reg_wait's */

struct io_uring_mem_region_reg {
	__u64	region_uptr;	/* struct io_uring_region_desc */
	__u64	flags;
	__u64	__resv[2];
};

/*
 * Provided-buffer rings
 */

struct io_uring_buf {
	__u64	addr;
	__u32	len;
	__u16	bid;
	__u16	resv;
};

/* An array of buffers; the tail lies in the spare half-word of the first one. */
struct io_uring_buf_ring {
	union {
		struct {
			__u64	resv1;
			__u32	resv2;
			__u16	resv3;
			__u16	tail;	/* written by the program, with release */
		};
#ifdef __cplusplus
		struct io_uring_buf bufs[0];	/* no empty structs in C++ */
#else
		__DECLARE_FLEX_ARRAY(struct io_uring_buf, bufs);
#endif
	};
};

/* io_uring_buf_reg.flags */
enum io_uring_register_pbuf_ring_flags {
	IOU_PBUF_RING_MMAP	= 0x1,	/* the kernel allocates, mmap it */
	IOU_PBUF_RING_INC	= 0x2,	/* use a buffer up piece by piece */
};

/* PBUF_RING */
struct io_uring_buf_reg {
	__u64	ring_addr;
	__u32	ring_entries;
	__u16	bgid;
	__u16	flags;
	__u32	min_left;	/* INC: a smaller rest is given up */
	__u32	resv[5];
};

/* PBUF_STATUS */
struct io_uring_buf_status {
	__u32	buf_group;
	__u32	head;		/* out */
	__u32	resv[8];
};

#ifdef __cplusplus
}
#endif

#endif /* LINUX_IO_URING_H */
