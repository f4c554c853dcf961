/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queueing requests for worker threads.
 */
#ifndef IO_URING_PUNT_H
#define IO_URING_PUNT_H

#include <linux/io_uring_types.h>

#include "op.h"
#include "pool.h"

enum io_outcome io_punt(struct io_kiocb *req);

/**
 * io_req_work - the worker pool's view of a request
 * @req: the request
 */
static inline struct io_pool_work *io_req_work(struct io_kiocb *req)
{
	static_assert(sizeof(struct io_pool_work) == sizeof(req->__work));
	return (struct io_pool_work *)&req->__work;
}

static inline struct io_kiocb *io_work_req(struct io_pool_work *work)
{
	return container_of((void *)work, struct io_kiocb, __work);
}

#endif
