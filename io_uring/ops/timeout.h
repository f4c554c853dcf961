/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TIMEOUT, TIMEOUT_REMOVE and LINK_TIMEOUT.
 */
#ifndef IO_URING_OPS_TIMEOUT_H
#define IO_URING_OPS_TIMEOUT_H

#include "../op.h"

int io_timeout_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_timeout_issue(struct io_kiocb *req, unsigned int how);
enum io_outcome io_timeout_event(struct io_kiocb *req, unsigned int how);
bool io_timeout_cancel(struct io_kiocb *req);

int io_timeout_remove_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_timeout_remove_issue(struct io_kiocb *req, unsigned int how);

int io_link_timeout_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_link_timeout_issue(struct io_kiocb *req, unsigned int how);
enum io_outcome io_link_timeout_event(struct io_kiocb *req, unsigned int how);

#endif
