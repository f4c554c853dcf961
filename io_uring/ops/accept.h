/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making sockets, and connecting them.
 */
#ifndef IO_URING_OPS_ACCEPT_H
#define IO_URING_OPS_ACCEPT_H

#include "../op.h"

int io_accept_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_accept_issue(struct io_kiocb *req, unsigned int how);
int io_connect_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_connect_issue(struct io_kiocb *req, unsigned int how);
int io_socket_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_socket_issue(struct io_kiocb *req, unsigned int how);
int io_shutdown_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_shutdown_issue(struct io_kiocb *req, unsigned int how);
int io_bind_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_bind_issue(struct io_kiocb *req, unsigned int how);
int io_listen_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_listen_issue(struct io_kiocb *req, unsigned int how);

#endif
