/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stopping one request that is in the registry.
 */
#ifndef IO_URING_STOP_H
#define IO_URING_STOP_H

#include <linux/io_uring_types.h>

bool io_can_stop(const struct io_kiocb *req, bool exit);
bool io_stop(struct io_kiocb *req);
void io_stop_interrupted(struct io_kiocb *req);

#endif
