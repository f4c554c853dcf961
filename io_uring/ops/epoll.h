/* SPDX-License-Identifier: GPL-2.0 */
/*
 * epoll: changing an interest list, and taking events.
 */
#ifndef IO_URING_OPS_EPOLL_H
#define IO_URING_OPS_EPOLL_H

#include "../op.h"

int io_epoll_ctl_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_epoll_ctl_issue(struct io_kiocb *req, unsigned int how);
int io_epoll_wait_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_epoll_wait_issue(struct io_kiocb *req, unsigned int how);

#endif
