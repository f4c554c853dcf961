/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands to the driver of a file: URING_CMD and URING_CMD128.
 */
#ifndef IO_URING_OPS_URING_CMD_H
#define IO_URING_OPS_URING_CMD_H

#include "../op.h"

struct io_uring_cmd;

int io_uring_cmd_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_uring_cmd_issue(struct io_kiocb *req, unsigned int how);
enum io_outcome io_uring_cmd_event(struct io_kiocb *req, unsigned int how);
bool io_uring_cmd_cancel(struct io_kiocb *req);

#ifdef CONFIG_NET
int io_uring_cmd_tstamp(struct io_uring_cmd *cmd, unsigned int issue_flags);
void io_uring_cmd_tstamp_stop(struct io_kiocb *req);
#else
static inline void io_uring_cmd_tstamp_stop(struct io_kiocb *req)
{
}
#endif

#endif
