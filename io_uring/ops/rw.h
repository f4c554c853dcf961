/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading and writing: READ, WRITE, READV, WRITEV.
 */
#ifndef IO_URING_OPS_RW_H
#define IO_URING_OPS_RW_H

#include "../op.h"

int io_read_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
int io_readv_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
int io_write_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
int io_writev_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_read(struct io_kiocb *req, unsigned int how);
enum io_outcome io_write(struct io_kiocb *req, unsigned int how);
enum io_outcome io_rw_event(struct io_kiocb *req, unsigned int how);
void io_rw_fail(struct io_kiocb *req);

#endif
