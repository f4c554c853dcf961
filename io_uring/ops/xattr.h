/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Extended attributes: SETXATTR, FSETXATTR, GETXATTR, FGETXATTR.
 */
#ifndef IO_URING_OPS_XATTR_H
#define IO_URING_OPS_XATTR_H

#include "../op.h"

int io_setxattr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_setxattr_issue(struct io_kiocb *req, unsigned int how);

int io_fsetxattr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_fsetxattr_issue(struct io_kiocb *req, unsigned int how);

int io_getxattr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_getxattr_issue(struct io_kiocb *req, unsigned int how);

int io_fgetxattr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe);
enum io_outcome io_fgetxattr_issue(struct io_kiocb *req, unsigned int how);

void io_xattr_cleanup(struct io_kiocb *req);

#endif
