/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending without copying.
 */
#ifndef IO_URING_OPS_NET_ZC_H
#define IO_URING_OPS_NET_ZC_H

#include "../op.h"

int io_send_zc_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
int io_sendmsg_zc_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_send_zc(struct io_kiocb *req, unsigned int how);
enum io_outcome io_send_zc_event(struct io_kiocb *notif, unsigned int how);
void io_send_zc_fail(struct io_kiocb *req);
void io_send_zc_cleanup(struct io_kiocb *req);

#endif
