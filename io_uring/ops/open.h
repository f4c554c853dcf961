/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making and closing descriptors: OPENAT, OPENAT2, CLOSE, FIXED_FD_INSTALL, PIPE.
 */
#ifndef IO_URING_OPS_OPEN_H
#define IO_URING_OPS_OPEN_H

#include "../op.h"

int io_openat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
int io_openat2_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_openat_issue(struct io_kiocb *req, unsigned int how);
void io_openat_cleanup(struct io_kiocb *req);

int io_close_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_close_issue(struct io_kiocb *req, unsigned int how);

int io_fd_install_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_fd_install_issue(struct io_kiocb *req, unsigned int how);

int io_pipe_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_pipe_issue(struct io_kiocb *req, unsigned int how);

#endif
