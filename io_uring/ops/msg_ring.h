/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages between rings.
 */
#ifndef IO_URING_OPS_MSG_RING_H
#define IO_URING_OPS_MSG_RING_H

#include "../op.h"

int io_msg_ring_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_msg_ring_issue(struct io_kiocb *req, unsigned int how);
void io_msg_ring_cleanup(struct io_kiocb *req);

#endif
