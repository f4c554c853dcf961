/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one structure that finds whatever waits for an event.
 */
#ifndef IO_URING_REGISTRY_H
#define IO_URING_REGISTRY_H

#include <linux/io_uring_types.h>

/**
 * enum io_armed - who can stop an armed request; kept in io_kiocb.armed
 * @IO_ARMED_NOT: it is not in the registry
 * @IO_ARMED_POLL: waits on its file: io_poll_cancel()
 * @IO_ARMED_OP: op->cancel
 * @IO_ARMED_CMD: uring_cmd of a driver: op->cancel, but only at exit
 * @IO_ARMED_GUARD: deadline of another request, ends with it and is never stopped by itself
 * @IO_ARMED_ISSUE: in an inbox, to be issued when its turn comes: marked, ends when it is run
 */
enum io_armed {
	IO_ARMED_NOT,
	IO_ARMED_POLL,
	IO_ARMED_OP,
	IO_ARMED_CMD,
	IO_ARMED_GUARD,
	IO_ARMED_ISSUE,
};

int io_registry_init(struct io_registry *reg);
void io_registry_exit(struct io_registry *reg);
void io_registry_add(struct io_kiocb *req, enum io_armed armed);
void io_registry_del(struct io_kiocb *req);
void io_registry_rekey(struct io_kiocb *req, u64 user_data);
void io_issue_later(struct io_kiocb *req);
struct hlist_head *io_registry_head(struct io_registry *reg, u64 user_data);
struct io_kiocb *io_registry_find(struct io_registry *reg, u64 user_data, u8 opcode);

/* Number of lists, for those who have to look at all requests */
static inline unsigned int io_registry_size(const struct io_registry *reg)
{
	return 1u << reg->bits;
}

#endif
