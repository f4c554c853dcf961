/* SPDX-License-Identifier: GPL-2.0 */
/* Handlers of ops/nop.c, for ops/table.c */
#ifndef IO_URING_OPS_NOP_H
#define IO_URING_OPS_NOP_H

#include "../op.h"

int io_nop_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_nop_issue(struct io_kiocb *req, unsigned int how);

#endif
