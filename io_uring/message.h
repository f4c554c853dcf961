/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CQEs for other rings.
 */
#ifndef IO_URING_MESSAGE_H
#define IO_URING_MESSAGE_H

#include <linux/io_uring_types.h>

/**
 * struct io_message - what the SQE of a MSG_RING says
 * @cmd: IORING_MSG_*
 * @user_data: of the CQE
 * @slot: MSG_SEND_FD: where the file is here
 * @len: MSG_DATA: result in the CQE
 * @flags: IORING_MSG_RING_*
 * @file_index: MSG_SEND_FD: slot + 1 there, or IORING_FILE_INDEX_ALLOC; else flags of the CQE
 */
struct io_message {
	u64	cmd;
	u64	user_data;
	u64	slot;
	u32	len;
	u32	flags;
	u32	file_index;
};

int io_message_read(struct io_message *msg, const struct io_uring_sqe *sqe);
bool io_message_accepted(struct io_ring_ctx *target);
int io_message_post(struct io_ring_ctx *target, const struct io_req_cqe *cqe);
int io_message_data(struct io_ring_ctx *target, const struct io_message *msg,
		    struct io_ring_ctx *locked);
int io_message_blind(void __user *arg, unsigned int nr);

#endif
