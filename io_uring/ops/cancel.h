/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ASYNC_CANCEL.
 */
#ifndef IO_URING_OPS_CANCEL_H
#define IO_URING_OPS_CANCEL_H

#include "../op.h"

int io_async_cancel_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_async_cancel_issue(struct io_kiocb *req, unsigned int how);

#endif
