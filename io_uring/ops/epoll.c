// SPDX-License-Identifier: GPL-2.0
/*
 * EPOLL_CTL and EPOLL_WAIT.
 *
 * Transitions: none of its own. A wait for events is a wait for the epoll file to be readable.
 */
#include <linux/io_uring_types.h>
#include <linux/uaccess.h>
#include <linux/eventpoll.h>

#include "../request.h"
#include "epoll.h"

struct io_epoll_ctl {
	struct file		*file;
	int			epfd;
	int			op;
	int			fd;
	struct epoll_event	event;
};

struct io_epoll_wait {
	struct file			*file;
	struct epoll_event __user	*events;
	int				maxevents;
};

/**
 * io_epoll_ctl_prep - read the SQE of EPOLL_CTL, and the event
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0, -EINVAL, -EFAULT.
 */
int io_epoll_ctl_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_epoll_ctl *ctl = io_op_data(req, struct io_epoll_ctl);

	if (READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	ctl->epfd = READ_ONCE(sqe->fd);
	ctl->op = READ_ONCE(sqe->len);
	ctl->fd = READ_ONCE(sqe->off);
	if (!ep_op_has_event(ctl->op))
		return 0;
	if (copy_from_user(&ctl->event, u64_to_user_ptr(READ_ONCE(sqe->addr)), sizeof(ctl->event)))
		return -EFAULT;
	return 0;
}

/**
 * io_epoll_ctl_issue - change an interest list
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_epoll_ctl_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_epoll_ctl *ctl = io_op_data(req, struct io_epoll_ctl);
	bool nonblock = how & IO_HOW_NONBLOCK;
	int ret;

	ret = do_epoll_ctl(ctl->epfd, ctl->op, ctl->fd, &ctl->event, nonblock);
	if (ret == -EAGAIN && nonblock)
		return IO_AGAIN;
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_epoll_wait_prep - read the SQE of EPOLL_WAIT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_epoll_wait_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_epoll_wait *wait = io_op_data(req, struct io_epoll_wait);

	if (READ_ONCE(sqe->off) || READ_ONCE(sqe->rw_flags) || READ_ONCE(sqe->buf_index) ||
	    READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	wait->events = u64_to_user_ptr(READ_ONCE(sqe->addr));
	wait->maxevents = READ_ONCE(sqe->len);
	return 0;
}

/**
 * io_epoll_wait_issue - take events, or wait for some
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_epoll_wait_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_epoll_wait *wait = io_op_data(req, struct io_epoll_wait);
	int ret;

	ret = epoll_sendevents(wait->file, wait->events, wait->maxevents);
	if (!ret)
		return IO_AGAIN;
	io_set_status(req, ret);
	return IO_DONE;
}
