/* SPDX-License-Identifier: GPL-2.0 */
/* Commands of IORING_OP_URING_CMD that a socket understands. */
#ifndef _LINUX_IO_URING_NET_H
#define _LINUX_IO_URING_NET_H

#include <linux/errno.h>

struct io_uring_cmd;

#ifdef CONFIG_IO_URING
int io_uring_cmd_sock(struct io_uring_cmd *cmd, unsigned int issue_flags);
#else
static inline int io_uring_cmd_sock(struct io_uring_cmd *cmd,
				    unsigned int issue_flags)
{
	return -EOPNOTSUPP;
}
#endif

#endif /* _LINUX_IO_URING_NET_H */
