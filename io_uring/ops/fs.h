/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations on paths: RENAMEAT, UNLINKAT, MKDIRAT, SYMLINKAT, LINKAT, STATX.
 */
#ifndef IO_URING_OPS_FS_H
#define IO_URING_OPS_FS_H

#include "../op.h"

int io_renameat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_renameat_issue(struct io_kiocb *req, unsigned int how);

int io_unlinkat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_unlinkat_issue(struct io_kiocb *req, unsigned int how);

int io_mkdirat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_mkdirat_issue(struct io_kiocb *req, unsigned int how);

int io_symlinkat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_symlinkat_issue(struct io_kiocb *req, unsigned int how);

int io_linkat_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_linkat_issue(struct io_kiocb *req, unsigned int how);

int io_statx_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_statx_issue(struct io_kiocb *req, unsigned int how);

void io_paths_cleanup(struct io_kiocb *req);

#endif
