// SPDX-License-Identifier: GPL-2.0
/*
 * The operations: one row per opcode. Opcodes without a row of their own are not available.
 *
 * Transitions: none.
 */
#include "../op.h"
#include "accept.h"
#include "cancel.h"
#include "epoll.h"
#include "files_update.h"
#include "fs.h"
#include "futex.h"
#include "msg_ring.h"
#include "net.h"
#include "net_zc.h"
#include "nop.h"
#include "open.h"
#include "poll.h"
#include "rw.h"
#include "splice.h"
#include "sync.h"
#include "timeout.h"
#include "uring_cmd.h"
#include "waitid.h"
#include "xattr.h"

/* The handlers of an operation that needs a part of the kernel which may have been left out */
#ifdef CONFIG_NET
#define IO_NET(...)	__VA_ARGS__
#else
#define IO_NET(...)	.prep = io_left_out_prep
#endif
#ifdef CONFIG_EPOLL
#define IO_EPOLL(...)	__VA_ARGS__
#else
#define IO_EPOLL(...)	.prep = io_left_out_prep
#endif
#ifdef CONFIG_FUTEX
#define IO_FUTEX(...)	__VA_ARGS__
#else
#define IO_FUTEX(...)	.prep = io_left_out_prep
#endif

static int __maybe_unused io_left_out_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return -EOPNOTSUPP;
}

static int io_absent_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return -EINVAL;
}

const struct io_op io_ops[IORING_OP_LAST] = {
	[0 ... IORING_OP_LAST - 1] = {
		.prep		= io_absent_prep,
	},
	[IORING_OP_NOP] = {
		.name		= "NOP",
		.attrs		= IO_OP_IOPOLL,
		.prep		= io_nop_prep,
		.issue		= io_nop_issue,
	},
	[IORING_OP_READV] = {
		.name		= "READV",
		.attrs		= IO_OP_FILE | IO_OP_IOPOLL | IO_OP_IOPRIO | IO_OP_POLLIN |
				  IO_OP_PLUG | IO_OP_UNBOUND,
		.prep		= io_readv_prep,
		.issue		= io_read,
		.event		= io_rw_event,
		.fail		= io_rw_fail,
	},
	[IORING_OP_WRITEV] = {
		.name		= "WRITEV",
		.attrs		= IO_OP_FILE | IO_OP_IOPOLL | IO_OP_IOPRIO | IO_OP_POLLOUT |
				  IO_OP_PLUG | IO_OP_UNBOUND | IO_OP_HASH,
		.prep		= io_writev_prep,
		.issue		= io_write,
		.event		= io_rw_event,
		.fail		= io_rw_fail,
	},
	[IORING_OP_FSYNC] = {
		.name		= "FSYNC",
		.attrs		= IO_OP_FILE | IO_OP_WORKER,
		.prep		= io_fsync_prep,
		.issue		= io_fsync_issue,
	},
	[IORING_OP_POLL_ADD] = {
		.name		= "POLL_ADD",
		.attrs		= IO_OP_FILE | IO_OP_UNBOUND,
		.prep		= io_poll_add_prep,
		.issue		= io_poll_add_issue,
		.event		= io_poll_add_event,
		.cancel		= io_poll_add_cancel,
	},
	[IORING_OP_POLL_REMOVE] = {
		.name		= "POLL_REMOVE",
		.prep		= io_poll_remove_prep,
		.issue		= io_poll_remove_issue,
	},
	[IORING_OP_SYNC_FILE_RANGE] = {
		.name		= "SYNC_FILE_RANGE",
		.attrs		= IO_OP_FILE | IO_OP_WORKER,
		.prep		= io_sync_range_prep,
		.issue		= io_sync_range_issue,
	},
	[IORING_OP_SENDMSG] = {
		.name		= "SENDMSG",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_IOPRIO | IO_OP_POLLOUT |
				  IO_OP_UNBOUND,
		IO_NET(.prep	= io_sendmsg_prep,
		       .issue	= io_sendmsg,
		       .fail	= io_net_fail)
	},
	[IORING_OP_RECVMSG] = {
		.name		= "RECVMSG",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_IOPRIO | IO_OP_POLLIN |
				  IO_OP_UNBOUND,
		IO_NET(.prep	= io_recvmsg_prep,
		       .issue	= io_recvmsg,
		       .fail	= io_net_fail)
	},
	[IORING_OP_TIMEOUT] = {
		.name		= "TIMEOUT",
		.attrs		= IO_OP_NO_FD_CANCEL,
		.prep		= io_timeout_prep,
		.issue		= io_timeout_issue,
		.event		= io_timeout_event,
		.cancel		= io_timeout_cancel,
	},
	[IORING_OP_TIMEOUT_REMOVE] = {
		.name		= "TIMEOUT_REMOVE",
		.prep		= io_timeout_remove_prep,
		.issue		= io_timeout_remove_issue,
	},
	[IORING_OP_ACCEPT] = {
		.name		= "ACCEPT",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_IOPRIO | IO_OP_POLLIN |
				  IO_OP_POLL_EXCL | IO_OP_UNBOUND,
		IO_NET(.prep	= io_accept_prep,
		       .issue	= io_accept_issue)
	},
	[IORING_OP_ASYNC_CANCEL] = {
		.name		= "ASYNC_CANCEL",
		.prep		= io_async_cancel_prep,
		.issue		= io_async_cancel_issue,
	},
	[IORING_OP_LINK_TIMEOUT] = {
		.name		= "LINK_TIMEOUT",
		.attrs		= IO_OP_NO_FD_CANCEL,
		.prep		= io_link_timeout_prep,
		.issue		= io_link_timeout_issue,
		.event		= io_link_timeout_event,
	},
	[IORING_OP_CONNECT] = {
		.name		= "CONNECT",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_POLLOUT | IO_OP_UNBOUND,
		IO_NET(.prep	= io_connect_prep,
		       .issue	= io_connect_issue)
	},
	[IORING_OP_FALLOCATE] = {
		.name		= "FALLOCATE",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_HASH | IO_OP_WORKER,
		.prep		= io_fallocate_prep,
		.issue		= io_fallocate_issue,
	},
	[IORING_OP_OPENAT] = {
		.name		= "OPENAT",
		.attrs		= IO_OP_AUDIT,
		.prep		= io_openat_prep,
		.issue		= io_openat_issue,
		.cleanup	= io_openat_cleanup,
	},
	[IORING_OP_CLOSE] = {
		.name		= "CLOSE",
		.attrs		= IO_OP_AUDIT,
		.prep		= io_close_prep,
		.issue		= io_close_issue,
	},
	[IORING_OP_FILES_UPDATE] = {
		.name		= "FILES_UPDATE",
		.attrs		= IO_OP_IOPOLL,
		.prep		= io_files_update_prep,
		.issue		= io_files_update_issue,
	},
	[IORING_OP_STATX] = {
		.name		= "STATX",
		.attrs		= IO_OP_WORKER,
		.prep		= io_statx_prep,
		.issue		= io_statx_issue,
		.cleanup	= io_paths_cleanup,
	},
	[IORING_OP_READ] = {
		.name		= "READ",
		.attrs		= IO_OP_FILE | IO_OP_IOPOLL | IO_OP_IOPRIO | IO_OP_POLLIN |
				  IO_OP_PLUG | IO_OP_UNBOUND,
		.prep		= io_read_prep,
		.issue		= io_read,
		.event		= io_rw_event,
		.fail		= io_rw_fail,
	},
	[IORING_OP_WRITE] = {
		.name		= "WRITE",
		.attrs		= IO_OP_FILE | IO_OP_IOPOLL | IO_OP_IOPRIO | IO_OP_POLLOUT |
				  IO_OP_PLUG | IO_OP_UNBOUND | IO_OP_HASH,
		.prep		= io_write_prep,
		.issue		= io_write,
		.event		= io_rw_event,
		.fail		= io_rw_fail,
	},
	[IORING_OP_FADVISE] = {
		.name		= "FADVISE",
		.attrs		= IO_OP_FILE,
		.prep		= io_fadvise_prep,
		.issue		= io_fadvise_issue,
	},
	[IORING_OP_MADVISE] = {
		.name		= "MADVISE",
		.attrs		= IO_OP_WORKER,
		.prep		= io_madvise_prep,
		.issue		= io_madvise_issue,
	},
	[IORING_OP_SEND] = {
		.name		= "SEND",
		.attrs		= IO_OP_FILE | IO_OP_IOPRIO | IO_OP_POLLOUT | IO_OP_UNBOUND,
		IO_NET(.prep	= io_send_prep,
		       .issue	= io_send,
		       .fail	= io_net_fail)
	},
	[IORING_OP_RECV] = {
		.name		= "RECV",
		.attrs		= IO_OP_FILE | IO_OP_IOPRIO | IO_OP_POLLIN | IO_OP_UNBOUND,
		IO_NET(.prep	= io_recv_prep,
		       .issue	= io_recv,
		       .fail	= io_net_fail)
	},
	[IORING_OP_OPENAT2] = {
		.name		= "OPENAT2",
		.attrs		= IO_OP_AUDIT,
		.prep		= io_openat2_prep,
		.issue		= io_openat_issue,
		.cleanup	= io_openat_cleanup,
	},
	[IORING_OP_EPOLL_CTL] = {
		.name		= "EPOLL",
		.attrs		= IO_OP_UNBOUND,
		IO_EPOLL(.prep	= io_epoll_ctl_prep,
			 .issue	= io_epoll_ctl_issue)
	},
	[IORING_OP_SPLICE] = {
		.name		= "SPLICE",
		.attrs		= IO_OP_FILE | IO_OP_HASH | IO_OP_UNBOUND | IO_OP_WORKER,
		.prep		= io_splice_prep,
		.issue		= io_splice_issue,
	},
	[IORING_OP_TEE] = {
		.name		= "TEE",
		.attrs		= IO_OP_FILE | IO_OP_HASH | IO_OP_UNBOUND | IO_OP_WORKER,
		.prep		= io_tee_prep,
		.issue		= io_tee_issue,
	},
	[IORING_OP_SHUTDOWN] = {
		.name		= "SHUTDOWN",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_WORKER,
		IO_NET(.prep	= io_shutdown_prep,
		       .issue	= io_shutdown_issue)
	},
	[IORING_OP_RENAMEAT] = {
		.name		= "RENAMEAT",
		.attrs		= IO_OP_AUDIT | IO_OP_WORKER,
		.prep		= io_renameat_prep,
		.issue		= io_renameat_issue,
		.cleanup	= io_paths_cleanup,
	},
	[IORING_OP_UNLINKAT] = {
		.name		= "UNLINKAT",
		.attrs		= IO_OP_AUDIT | IO_OP_WORKER,
		.prep		= io_unlinkat_prep,
		.issue		= io_unlinkat_issue,
		.cleanup	= io_paths_cleanup,
	},
	[IORING_OP_MKDIRAT] = {
		.name		= "MKDIRAT",
		.attrs		= IO_OP_AUDIT | IO_OP_WORKER,
		.prep		= io_mkdirat_prep,
		.issue		= io_mkdirat_issue,
		.cleanup	= io_paths_cleanup,
	},
	[IORING_OP_SYMLINKAT] = {
		.name		= "SYMLINKAT",
		.attrs		= IO_OP_AUDIT | IO_OP_WORKER,
		.prep		= io_symlinkat_prep,
		.issue		= io_symlinkat_issue,
		.cleanup	= io_paths_cleanup,
	},
	[IORING_OP_LINKAT] = {
		.name		= "LINKAT",
		.attrs		= IO_OP_AUDIT | IO_OP_WORKER,
		.prep		= io_linkat_prep,
		.issue		= io_linkat_issue,
		.cleanup	= io_paths_cleanup,
	},
	[IORING_OP_MSG_RING] = {
		.name		= "MSG_RING",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_IOPOLL,
		.prep		= io_msg_ring_prep,
		.issue		= io_msg_ring_issue,
		.cleanup	= io_msg_ring_cleanup,
	},
	[IORING_OP_FSETXATTR] = {
		.name		= "FSETXATTR",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_WORKER,
		.prep		= io_fsetxattr_prep,
		.issue		= io_fsetxattr_issue,
		.cleanup	= io_xattr_cleanup,
	},
	[IORING_OP_SETXATTR] = {
		.name		= "SETXATTR",
		.attrs		= IO_OP_AUDIT | IO_OP_WORKER,
		.prep		= io_setxattr_prep,
		.issue		= io_setxattr_issue,
		.cleanup	= io_xattr_cleanup,
	},
	[IORING_OP_FGETXATTR] = {
		.name		= "FGETXATTR",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_WORKER,
		.prep		= io_fgetxattr_prep,
		.issue		= io_fgetxattr_issue,
		.cleanup	= io_xattr_cleanup,
	},
	[IORING_OP_GETXATTR] = {
		.name		= "GETXATTR",
		.attrs		= IO_OP_AUDIT | IO_OP_WORKER,
		.prep		= io_getxattr_prep,
		.issue		= io_getxattr_issue,
		.cleanup	= io_xattr_cleanup,
	},
	[IORING_OP_SOCKET] = {
		.name		= "SOCKET",
		IO_NET(.prep	= io_socket_prep,
		       .issue	= io_socket_issue)
	},
	[IORING_OP_URING_CMD] = {
		.name		= "URING_CMD",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_BUFFER_SELECT |
				  IO_OP_IOPOLL | IO_OP_PLUG,
		.prep		= io_uring_cmd_prep,
		.issue		= io_uring_cmd_issue,
		.event		= io_uring_cmd_event,
		.cancel		= io_uring_cmd_cancel,
	},
	[IORING_OP_SEND_ZC] = {
		.name		= "SEND_ZC",
		.attrs		= IO_OP_FILE | IO_OP_IOPRIO | IO_OP_POLLOUT | IO_OP_UNBOUND,
		IO_NET(.prep	= io_send_zc_prep,
		       .issue	= io_send_zc,
		       .event	= io_send_zc_event,
		       .fail	= io_send_zc_fail,
		       .cleanup	= io_send_zc_cleanup)
	},
	[IORING_OP_SENDMSG_ZC] = {
		.name		= "SENDMSG_ZC",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_IOPRIO | IO_OP_POLLOUT |
				  IO_OP_UNBOUND,
		IO_NET(.prep	= io_sendmsg_zc_prep,
		       .issue	= io_send_zc,
		       .event	= io_send_zc_event,
		       .fail	= io_send_zc_fail,
		       .cleanup	= io_send_zc_cleanup)
	},
	[IORING_OP_WAITID] = {
		.name		= "WAITID",
		.attrs		= IO_OP_AUDIT | IO_OP_WITH_TASK,
		.prep		= io_waitid_prep,
		.issue		= io_waitid_issue,
		.event		= io_waitid_event,
		.cancel		= io_waitid_cancel,
		.cleanup	= io_waitid_cleanup,
	},
	[IORING_OP_FUTEX_WAIT] = {
		.name		= "FUTEX_WAIT",
		.attrs		= IO_OP_AUDIT | IO_OP_WITH_TASK,
		IO_FUTEX(.prep	= io_futex_wait_prep,
			 .issue	= io_futex_wait_issue,
			 .event	= io_futex_event,
			 .cancel = io_futex_cancel)
	},
	[IORING_OP_FUTEX_WAKE] = {
		.name		= "FUTEX_WAKE",
		.attrs		= IO_OP_AUDIT,
		IO_FUTEX(.prep	= io_futex_wake_prep,
			 .issue	= io_futex_wake_issue)
	},
	[IORING_OP_FUTEX_WAITV] = {
		.name		= "FUTEX_WAITV",
		.attrs		= IO_OP_AUDIT | IO_OP_WITH_TASK,
		IO_FUTEX(.prep	= io_futex_waitv_prep,
			 .issue	= io_futex_waitv_issue,
			 .event	= io_futex_waitv_event,
			 .cancel = io_futex_waitv_cancel)
	},
	[IORING_OP_FIXED_FD_INSTALL] = {
		.name		= "FIXED_FD_INSTALL",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE,
		.prep		= io_fd_install_prep,
		.issue		= io_fd_install_issue,
	},
	[IORING_OP_FTRUNCATE] = {
		.name		= "FTRUNCATE",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_HASH | IO_OP_WORKER,
		.prep		= io_ftruncate_prep,
		.issue		= io_ftruncate_issue,
	},
	[IORING_OP_BIND] = {
		.name		= "BIND",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE,
		IO_NET(.prep	= io_bind_prep,
		       .issue	= io_bind_issue)
	},
	[IORING_OP_LISTEN] = {
		.name		= "LISTEN",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE,
		IO_NET(.prep	= io_listen_prep,
		       .issue	= io_listen_issue)
	},
	[IORING_OP_EPOLL_WAIT] = {
		.name		= "EPOLL_WAIT",
		.attrs		= IO_OP_FILE | IO_OP_POLLIN,
		IO_EPOLL(.prep	= io_epoll_wait_prep,
			 .issue	= io_epoll_wait_issue)
	},
	[IORING_OP_PIPE] = {
		.name		= "PIPE",
		.attrs		= IO_OP_AUDIT,
		.prep		= io_pipe_prep,
		.issue		= io_pipe_issue,
	},
	[IORING_OP_NOP128] = {
		.name		= "NOP128",
		.attrs		= IO_OP_IOPOLL | IO_OP_SQE128,
		.prep		= io_nop_prep,
		.issue		= io_nop_issue,
	},
	[IORING_OP_URING_CMD128] = {
		.name		= "URING_CMD128",
		.attrs		= IO_OP_AUDIT | IO_OP_FILE | IO_OP_BUFFER_SELECT |
				  IO_OP_IOPOLL | IO_OP_PLUG | IO_OP_SQE128,
		.prep		= io_uring_cmd_prep,
		.issue		= io_uring_cmd_issue,
		.event		= io_uring_cmd_event,
		.cancel		= io_uring_cmd_cancel,
	},
};
