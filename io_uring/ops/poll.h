/* SPDX-License-Identifier: GPL-2.0 */
/*
 * POLL_ADD and POLL_REMOVE.
 */
#ifndef IO_URING_OPS_POLL_H
#define IO_URING_OPS_POLL_H

#include "../op.h"

int io_poll_add_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_poll_add_issue(struct io_kiocb *req, unsigned int how);
enum io_outcome io_poll_add_event(struct io_kiocb *req, unsigned int how);
bool io_poll_add_cancel(struct io_kiocb *req);

int io_poll_remove_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_poll_remove_issue(struct io_kiocb *req, unsigned int how);

#endif
