/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing fixed files by a request: FILES_UPDATE.
 */
#ifndef IO_URING_OPS_FILES_UPDATE_H
#define IO_URING_OPS_FILES_UPDATE_H

#include "../op.h"

int io_files_update_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_files_update_issue(struct io_kiocb *req, unsigned int how);

#endif
