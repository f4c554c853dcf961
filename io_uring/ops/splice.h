/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moving data through pipes: SPLICE, TEE.
 */
#ifndef IO_URING_OPS_SPLICE_H
#define IO_URING_OPS_SPLICE_H

#include "../op.h"

int io_splice_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_splice_issue(struct io_kiocb *req, unsigned int how);

int io_tee_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_tee_issue(struct io_kiocb *req, unsigned int how);

#endif
