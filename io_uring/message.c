// SPDX-License-Identifier: GPL-2.0
/*
 * CQEs for other rings.
 *
 * Transitions: INIT -> INBOX, of a request of the target that carries a message which cannot be
 * posted at once. It leaves the CQE when its turn comes.
 *
 * The right to write a CQ is the lock of its ring, and two ring locks are never waited for at once:
 * with one held, that of the target is only tried. If that fails the message goes to the target's
 * inbox, which needs no lock.
 *
 * Messages of one sender arrive in the order in which they were sent. So while anything is in the
 * target's inbox, where an earlier message may be, the next one queues up behind it.
 */
#include <linux/file.h>
#include <linux/io_uring.h>
#include <linux/io_uring_types.h>
#include <linux/uaccess.h>

#include "batch.h"
#include "inbox.h"
#include "message.h"
#include "request.h"

/**
 * io_message_read - read the SQE of a MSG_RING
 * @msg: result
 * @sqe: its SQE
 *
 * Return: 0 or -EINVAL.
 */
int io_message_read(struct io_message *msg, const struct io_uring_sqe *sqe)
{
	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->personality))
		return -EINVAL;
	msg->cmd = READ_ONCE(sqe->addr);
	msg->user_data = READ_ONCE(sqe->off);
	msg->slot = READ_ONCE(sqe->addr3);
	msg->len = READ_ONCE(sqe->len);
	msg->file_index = READ_ONCE(sqe->file_index);
	msg->flags = READ_ONCE(sqe->msg_ring_flags);
	if (msg->flags & ~(IORING_MSG_RING_CQE_SKIP | IORING_MSG_RING_FLAGS_PASS))
		return -EINVAL;
	return 0;
}

/* Must a CQE with these flags take 32 bytes? */
static bool io_message_is_big(const struct io_req_cqe *cqe)
{
	return cqe->flags & IORING_CQE_F_32;
}

/* Send a message through the target's inbox. */
static int io_message_carry(struct io_ring_ctx *target, const struct io_req_cqe *cqe)
{
	struct io_kiocb *carrier = io_req_alloc_foreign(target);

	if (!carrier)
		return -ENOMEM;
	carrier->cqe = *cqe;
	if (io_message_is_big(cqe))
		carrier->flags |= IO_REQ_CQE32;
	io_inbox_push(carrier, IO_KIND_DONE, true);
	return 0;
}

/**
 * io_message_post - post a message, or queue it behind earlier ones
 * @target: ring it is for; the caller has a reference
 * @cqe: the message
 *
 * Context: lock of the target held; may sleep.
 * Return: 0; -EOVERFLOW: the ring is full, and no memory; -ENOMEM.
 */
int io_message_post(struct io_ring_ctx *target, const struct io_req_cqe *cqe)
{
	static const u64 zero[2];

	lockdep_assert_held(&target->lock);
	if (!io_inbox_empty(&target->inbox) || target->backlog)
		return io_message_carry(target, cqe);
	if (likely(!io_message_is_big(cqe) && io_cqe_post_quick(target, cqe)))
		return 0;
	if (!io_cqe_post_slow(target, cqe, io_message_is_big(cqe) ? zero : NULL, true))
		return -EOVERFLOW;
	return 0;
}

/**
 * io_message_accepted - is the target in use yet?
 * @target: ring that a message is for
 *
 * Context: any.
 */
bool io_message_accepted(struct io_ring_ctx *target)
{
	/* (ring-enable) acquire; pairs with io_enable_rings() */
	return !(smp_load_acquire(&target->flags) & IORING_SETUP_R_DISABLED);
}

/**
 * io_message_data - send a MSG_DATA
 * @target: ring it is for; the caller has a reference
 * @msg: the message
 * @locked: ring whose lock is held, perhaps the target; NULL: none
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: flags, fields that are not used; -EBADFD: not enabled; as io_message_post().
 */
int io_message_data(struct io_ring_ctx *target, const struct io_message *msg,
		    struct io_ring_ctx *locked)
{
	bool pass = msg->flags & IORING_MSG_RING_FLAGS_PASS;
	struct io_req_cqe cqe = {
		.user_data = msg->user_data,
		.res = msg->len,
		.flags = msg->file_index,
	};
	int ret;

	if (msg->slot || (msg->flags & ~IORING_MSG_RING_FLAGS_PASS) || (msg->file_index && !pass))
		return -EINVAL;
	if (!io_message_accepted(target))
		return -EBADFD;
	if (io_message_is_big(&cqe) &&
	    !(target->flags & (IORING_SETUP_CQE32 | IORING_SETUP_CQE_MIXED)))
		return -EINVAL;

	if (target == locked)
		return io_message_post(target, &cqe);
	if (!locked)
		io_ring_lock(target);
	else if (!mutex_trylock(&target->lock))
		return io_message_carry(target, &cqe);
	ret = io_message_post(target, &cqe);
	io_ring_unlock(target);
	return ret;
}

/**
 * io_message_blind - IORING_REGISTER_SEND_MSG_RING: a MSG_DATA without a ring of one's own
 * @arg: struct io_uring_sqe
 * @nr: 1
 *
 * Context: task context, no ring lock held; may sleep.
 * Return: 0; -EINVAL, -EFAULT; -EBADF: no such file; -EBADFD: not a ring; as io_message_data().
 */
int io_message_blind(void __user *arg, unsigned int nr)
{
	struct io_uring_sqe sqe;
	struct io_message msg;
	int ret;

	if (!arg || nr != 1)
		return -EINVAL;
	if (copy_from_user(&sqe, arg, sizeof(sqe)))
		return -EFAULT;
	if (sqe.opcode != IORING_OP_MSG_RING || sqe.flags)
		return -EINVAL;
	ret = io_message_read(&msg, &sqe);
	if (ret)
		return ret;
	if (msg.cmd != IORING_MSG_DATA)
		return -EINVAL;

	CLASS(fd, f)(sqe.fd);
	if (fd_empty(f))
		return -EBADF;
	if (!io_is_uring_fops(fd_file(f)))
		return -EBADFD;
	return io_message_data(fd_file(f)->private_data, &msg, NULL);
}
