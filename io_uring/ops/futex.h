/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Futexes: waiting for one or several, and waking.
 */
#ifndef IO_URING_OPS_FUTEX_H
#define IO_URING_OPS_FUTEX_H

#include "../op.h"

int io_futex_wait_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_futex_wait_issue(struct io_kiocb *req, unsigned int how);
enum io_outcome io_futex_event(struct io_kiocb *req, unsigned int how);
bool io_futex_cancel(struct io_kiocb *req);
int io_futex_wake_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_futex_wake_issue(struct io_kiocb *req, unsigned int how);
int io_futex_waitv_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_futex_waitv_issue(struct io_kiocb *req, unsigned int how);
enum io_outcome io_futex_waitv_event(struct io_kiocb *req, unsigned int how);
bool io_futex_waitv_cancel(struct io_kiocb *req);

#endif
