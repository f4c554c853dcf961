/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents and size of an open file: FSYNC, SYNC_FILE_RANGE, FALLOCATE, FADVISE, FTRUNCATE; and
 * MADVISE.
 */
#ifndef IO_URING_OPS_SYNC_H
#define IO_URING_OPS_SYNC_H

#include "../op.h"

int io_fsync_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_fsync_issue(struct io_kiocb *req, unsigned int how);

int io_sync_range_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_sync_range_issue(struct io_kiocb *req, unsigned int how);

int io_fallocate_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_fallocate_issue(struct io_kiocb *req, unsigned int how);

int io_fadvise_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_fadvise_issue(struct io_kiocb *req, unsigned int how);

int io_madvise_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_madvise_issue(struct io_kiocb *req, unsigned int how);

int io_ftruncate_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_ftruncate_issue(struct io_kiocb *req, unsigned int how);

#endif
