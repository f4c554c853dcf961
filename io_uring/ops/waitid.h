/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting for children.
 */
#ifndef IO_URING_OPS_WAITID_H
#define IO_URING_OPS_WAITID_H

#include "../op.h"

int io_waitid_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_waitid_issue(struct io_kiocb *req, unsigned int how);
enum io_outcome io_waitid_event(struct io_kiocb *req, unsigned int how);
bool io_waitid_cancel(struct io_kiocb *req);
void io_waitid_cleanup(struct io_kiocb *req);

#endif
