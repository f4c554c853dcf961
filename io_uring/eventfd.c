// SPDX-License-Identifier: GPL-2.0
/*
 * The eventfd of a ring: registration, and the signal after CQEs were published.
 *
 * The registered object is replaced under the ring lock and read under RCU, since deferred work
 * is announced from interrupt context.
 */
#include <linux/eventfd.h>
#include <linux/io_uring_types.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "eventfd.h"
#include "wake.h"

/**
 * struct io_eventfd - a registered eventfd
 * @file: what is signalled, referenced (I)
 * @async: only for CQEs of workers (I)
 * @signaller: task that is signalling it at this moment (A)
 * @rcu: signals may be under way when it is unregistered
 */
struct io_eventfd {
	struct eventfd_ctx *file;
	bool async;
	struct task_struct *signaller;
	struct rcu_head rcu;
};

/**
 * io_eventfd_signal - signal the ring's eventfd, if there is one and the application wants it
 * @ctx: the ring
 * @cause: what happened
 *
 * Context: any but the wake-up of an eventfd.
 */
void io_eventfd_signal(struct io_ring_ctx *ctx, enum io_eventfd_cause cause)
{
	struct io_eventfd *ev;

	guard(rcu)();
	ev = rcu_dereference(ctx->eventfd);
	if (!ev || (ev->async && cause != IO_EVENTFD_POOLED))
		return;
	if (READ_ONCE(io_rings_rcu(ctx)->cq_flags) & IORING_CQ_EVENTFD_DISABLED)
		return;
	if (unlikely(!eventfd_signal_allowed())) {
		irq_work_queue(&ctx->bell_work);
		return;
	}
	WRITE_ONCE(ev->signaller, current);
	eventfd_signal_mask(ev->file, EPOLL_URING_WAKE);
	WRITE_ONCE(ev->signaller, NULL);
}

/**
 * io_eventfd_wanted - does anybody have to be told by eventfd that deferred work waits?
 * @ctx: the ring
 *
 * Not if this is a wake-up from that very eventfd: a request of the ring that reads or polls it
 * would make it signal itself for ever.
 *
 * Context: any, RCU read section.
 */
bool io_eventfd_wanted(struct io_ring_ctx *ctx)
{
	struct io_eventfd *ev = rcu_dereference(ctx->eventfd);

	return ev && !ev->async && READ_ONCE(ev->signaller) != current;
}

/**
 * io_eventfd_register - IORING_REGISTER_EVENTFD and IORING_REGISTER_EVENTFD_ASYNC
 * @ctx: the ring
 * @arg: points to the descriptor, an s32
 * @async: signal only for CQEs posted from a worker
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EBUSY (there is one), -EFAULT, -EBADF, -EINVAL (not an eventfd), -ENOMEM.
 */
int io_eventfd_register(struct io_ring_ctx *ctx, void __user *arg, bool async)
{
	struct io_eventfd *ev;
	s32 fd;

	lockdep_assert_held(&ctx->lock);
	if (rcu_access_pointer(ctx->eventfd))
		return -EBUSY;
	if (copy_from_user(&fd, arg, sizeof(fd)))
		return -EFAULT;
	ev = kzalloc(sizeof(*ev), GFP_KERNEL_ACCOUNT);
	if (!ev)
		return -ENOMEM;
	ev->file = eventfd_ctx_fdget(fd);
	if (IS_ERR(ev->file)) {
		int ret = PTR_ERR(ev->file);

		kfree(ev);
		return ret;
	}
	ev->async = async;
	rcu_assign_pointer(ctx->eventfd, ev);
	io_listen(ctx);
	return 0;
}

static void io_eventfd_free(struct rcu_head *rcu)
{
	struct io_eventfd *ev = container_of(rcu, struct io_eventfd, rcu);

	eventfd_ctx_put(ev->file);
	kfree(ev);
}

/**
 * io_eventfd_unregister - IORING_UNREGISTER_EVENTFD, and ring exit
 * @ctx: the ring
 *
 * Context: ring lock held.
 * Return: 0, -ENXIO (there is none).
 */
int io_eventfd_unregister(struct io_ring_ctx *ctx)
{
	struct io_eventfd *ev = rcu_dereference_protected(ctx->eventfd,
							  lockdep_is_held(&ctx->lock));

	if (!ev)
		return -ENXIO;
	rcu_assign_pointer(ctx->eventfd, NULL);
	io_unlisten(ctx);
	call_rcu(&ev->rcu, io_eventfd_free);
	return 0;
}
