/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chains of linked requests.
 */
#ifndef IO_URING_LINK_H
#define IO_URING_LINK_H

#include <linux/io_uring_types.h>

struct io_kiocb *io_link_detach(struct io_kiocb *req);
void io_chain_cancel(struct io_kiocb *head, bool silent);
void io_chain_refuse(struct io_kiocb *head);
void io_link_timeout_start(struct io_kiocb *head);

/**
 * io_link_has_timeout - is the successor of a request its deadline?
 * @req: the request
 */
static inline bool io_link_has_timeout(const struct io_kiocb *req)
{
	return (req->flags & (IOSQE_IO_LINK | IOSQE_IO_HARDLINK)) && req->link &&
	       req->link->opcode == IORING_OP_LINK_TIMEOUT;
}

#endif
