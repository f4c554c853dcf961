// SPDX-License-Identifier: GPL-2.0
/*
 * ACCEPT, CONNECT, SOCKET, BIND, LISTEN, SHUTDOWN.
 *
 * Transitions: none of its own. Where an attempt would wait, the core waits for the socket.
 *
 * A multishot accept goes on until there is no connection left, and then waits for the next one.
 * After IO_ACCEPT_ROUNDS of them it goes to the back of the inbox, for others to have their turn.
 * Each connection has an owner at any time: the file in our hands, then the descriptor or slot,
 * which its CQE tells of. If there is no room for one more CQE, this result becomes the last, and
 * ordinary, CQE of the request.
 */
#include <linux/file.h>
#include <linux/io_uring_types.h>
#include <linux/net.h>
#include <linux/poll.h>
#include <linux/socket.h>
#include <linux/un.h>
#include <net/sock.h>

#include "../cq.h"
#include "../files.h"
#include "../request.h"
#include "accept.h"

/* So many connections at a time */
#define IO_ACCEPT_ROUNDS	32

/**
 * struct io_accept - ACCEPT
 * @file: the listening socket
 * @addr: where the address of the peer goes, or NULL
 * @addrlen: size of that, and of the address afterwards
 * @nofile: RLIMIT_NOFILE of the submitter
 * @flags: SOCK_CLOEXEC, O_NONBLOCK
 * @file_index: where the new socket goes, as in open.c
 * @how_to: IORING_ACCEPT_*; POLL_FIRST until that was done
 */
struct io_accept {
	struct file		*file;
	struct sockaddr __user	*addr;
	int __user		*addrlen;
	unsigned long		nofile;
	int			flags;
	u32			file_index;
	u16			how_to;
};

/* CONNECT and BIND; the address is the async data */
struct io_sockaddr {
	struct file	*file;
	int		len;
	bool		started;	/* CONNECT goes on by itself */
};

struct io_socket {
	struct file	*file;
	unsigned long	nofile;
	int		domain;
	int		type;
	int		protocol;
	u32		file_index;
};

/* SHUTDOWN: how; LISTEN: backlog */
struct io_sock_arg {
	struct file	*file;
	int		arg;
};

/* What the SQE says of a new socket's flags, with O_NONBLOCK as this architecture has it */
static int io_socket_flags(int flags, u32 file_index)
{
	if (flags & ~(SOCK_CLOEXEC | SOCK_NONBLOCK))
		return -EINVAL;
	if (file_index && (flags & SOCK_CLOEXEC))
		return -EINVAL;
	return (flags & SOCK_CLOEXEC) | (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0);
}

/**
 * io_accept_prep - read the SQE of ACCEPT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_accept_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_accept *accept = io_op_data(req, struct io_accept);

	if (READ_ONCE(sqe->len) || READ_ONCE(sqe->buf_index))
		return -EINVAL;
	accept->addr = u64_to_user_ptr(READ_ONCE(sqe->addr));
	accept->addrlen = u64_to_user_ptr(READ_ONCE(sqe->addr2));
	accept->nofile = rlimit(RLIMIT_NOFILE);
	accept->file_index = READ_ONCE(sqe->file_index);
	accept->flags = io_socket_flags(READ_ONCE(sqe->accept_flags), accept->file_index);
	if (accept->flags < 0)
		return accept->flags;

	accept->how_to = READ_ONCE(sqe->ioprio);
	if (accept->how_to & ~(IORING_ACCEPT_MULTISHOT | IORING_ACCEPT_DONTWAIT |
			       IORING_ACCEPT_POLL_FIRST))
		return -EINVAL;
	if (accept->how_to & IORING_ACCEPT_DONTWAIT)
		req->flags |= IO_REQ_NOWAIT;
	if (accept->how_to & IORING_ACCEPT_MULTISHOT) {
		if (accept->file_index && accept->file_index != IORING_FILE_INDEX_ALLOC)
			return -EINVAL;
		req->flags |= IO_REQ_MULTISHOT;
	}
	return 0;
}

/*
 * Accept one connection. Returns the descriptor, the slot, 0 or an errno. @more: the socket says
 * that another one waits.
 */
static int io_accept_one(struct io_kiocb *req, unsigned int how, bool *more)
{
	struct io_accept *accept = io_op_data(req, struct io_accept);
	struct proto_accept_arg arg = {
		.flags = how & IO_HOW_NONBLOCK || req->flags & IO_REQ_NOWAIT ? O_NONBLOCK : 0,
		.is_empty = -1,
	};
	struct file *file;
	int fd = -1;

	if (!accept->file_index) {
		fd = __get_unused_fd_flags(accept->flags, accept->nofile);
		if (unlikely(fd < 0))
			return fd;
	}
	file = do_accept(accept->file, &arg, accept->addr, accept->addrlen, accept->flags);
	if (IS_ERR(file)) {
		if (fd >= 0)
			put_unused_fd(fd);
		return PTR_ERR(file);
	}
	*more = !arg.is_empty;
	if (fd < 0)
		return io_file_install_slot(req->ctx, file, accept->file_index, how);
	fd_install(fd, file);
	return fd;
}

/**
 * io_accept_issue - accept a connection, or with multishot all that wait
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_accept_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_accept *accept = io_op_data(req, struct io_accept);
	bool multishot = req->flags & IO_REQ_MULTISHOT;
	unsigned int rounds = 0;

	/* CQEs are posted under the ring lock, so a worker has no business here. */
	if (multishot && (how & IO_HOW_WORKER))
		return IO_REQUEUE;
	if (accept->how_to & IORING_ACCEPT_POLL_FIRST) {
		accept->how_to &= ~IORING_ACCEPT_POLL_FIRST;
		return IO_AGAIN;
	}
	do {
		bool more = false;
		int ret = io_accept_one(req, how, &more);
		u32 cflags = more ? IORING_CQE_F_SOCK_NONEMPTY : 0;

		if (ret == -EAGAIN && (how & IO_HOW_NONBLOCK))
			return IO_AGAIN;
		if (ret < 0) {
			io_set_status(req, ret);
			return IO_DONE;
		}
		if (!multishot || !io_cqe_post_more(req->ctx, req->cqe.user_data, ret,
						    cflags | IORING_CQE_F_MORE)) {
			io_set_res(req, ret, cflags);
			return IO_DONE;
		}
	} while (++rounds < IO_ACCEPT_ROUNDS);
	return IO_REQUEUE;
}

/* Copy the address of CONNECT or BIND. */
static int io_sockaddr_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_sockaddr *sa = io_op_data(req, struct io_sockaddr);
	struct sockaddr_storage *addr;

	if (READ_ONCE(sqe->len) || READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->rw_flags) ||
	    READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	sa->len = READ_ONCE(sqe->addr2);
	sa->started = false;
	addr = io_req_alloc_data(req, sizeof(*addr));
	if (!addr)
		return -ENOMEM;
	return move_addr_to_kernel(u64_to_user_ptr(READ_ONCE(sqe->addr)), sa->len, addr);
}

/**
 * io_connect_prep - read the SQE of CONNECT
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL; -EFAULT; -ENOMEM.
 */
int io_connect_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_sockaddr_prep(req, sqe);
}

/* The socket was woken while it connects: 0, an errno, or -EALREADY if it is not done yet */
static int io_connect_again(struct io_kiocb *req, struct socket *sock, unsigned int how)
{
	struct io_sockaddr *sa = io_op_data(req, struct io_sockaddr);
	struct poll_table_struct pt = { ._key = EPOLLERR };
	int ret;

	/*
	 * Protocols that keep the state of the socket tell the outcome when called once more.
	 * Others would take that, after a failure, for a new attempt.
	 */
	if (sock->state != SS_CONNECTING && (vfs_poll(sa->file, &pt) & EPOLLERR)) {
		ret = sock_error(sock->sk);
		if (ret)
			return ret;
	}
	ret = __sys_connect_file(sa->file, req->async_data, sa->len,
				 how & IO_HOW_NONBLOCK ? O_NONBLOCK : 0);
	/* And this is how some say that it is over. */
	if (ret == -EISCONN || ret == -EBADFD)
		ret = sock_error(sock->sk);
	return ret;
}

/**
 * io_connect_issue - connect a socket
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_connect_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_sockaddr *sa = io_op_data(req, struct io_sockaddr);
	struct socket *sock = sock_from_file(sa->file);
	int ret;

	if (unlikely(!sock)) {
		io_set_fail(req, -ENOTSOCK);
		return IO_DONE;
	}
	if (sa->started)
		ret = io_connect_again(req, sock, how);
	else
		ret = __sys_connect_file(sa->file, req->async_data, sa->len,
					 how & IO_HOW_NONBLOCK ? O_NONBLOCK : 0);
	if (how & IO_HOW_NONBLOCK) {
		if (ret == -EINPROGRESS || (ret == -EALREADY && sa->started)) {
			sa->started = true;
			return IO_AGAIN;
		}
		/* There is no room in the queue of the peer, and the application will not wait. */
		if (ret == -EAGAIN && !(sa->file->f_flags & O_NONBLOCK))
			return IO_AGAIN;
	}
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_bind_prep - read the SQE of BIND
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held; may sleep.
 * Return: 0; -EINVAL; -EFAULT; -ENOMEM.
 */
int io_bind_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	return io_sockaddr_prep(req, sqe);
}

/* Does binding to this address make a file? */
static bool io_sockaddr_is_path(const struct sockaddr_storage *addr, int len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)addr;

	return un->sun_family == AF_UNIX && len > offsetof(struct sockaddr_un, sun_path) &&
	       un->sun_path[0];
}

/**
 * io_bind_issue - bind a socket to an address
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_bind_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_sockaddr *sa = io_op_data(req, struct io_sockaddr);
	struct socket *sock = sock_from_file(sa->file);

	if (unlikely(!sock)) {
		io_set_fail(req, -ENOTSOCK);
		return IO_DONE;
	}
	if ((how & IO_HOW_NONBLOCK) && io_sockaddr_is_path(req->async_data, sa->len))
		return IO_AGAIN;
	io_set_status(req, __sys_bind_socket(sock, req->async_data, sa->len));
	return IO_DONE;
}

/**
 * io_socket_prep - read the SQE of SOCKET
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_socket_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_socket *s = io_op_data(req, struct io_socket);
	int flags;

	if (READ_ONCE(sqe->addr) || READ_ONCE(sqe->rw_flags))
		return -EINVAL;
	s->nofile = rlimit(RLIMIT_NOFILE);
	s->domain = READ_ONCE(sqe->fd);
	s->type = READ_ONCE(sqe->off);
	s->protocol = READ_ONCE(sqe->len);
	s->file_index = READ_ONCE(sqe->file_index);
	flags = io_socket_flags(s->type & ~SOCK_TYPE_MASK, s->file_index);
	return min(flags, 0);
}

/**
 * io_socket_issue - make a socket
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_socket_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_socket *s = io_op_data(req, struct io_socket);
	struct file *file;
	int ret = 0;

	if (!s->file_index) {
		ret = __get_unused_fd_flags(s->type & SOCK_CLOEXEC, s->nofile);
		if (ret < 0)
			goto done;
	}
	file = __sys_socket_file(s->domain, s->type, s->protocol);
	if (IS_ERR(file)) {
		if (!s->file_index)
			put_unused_fd(ret);
		ret = PTR_ERR(file);
		goto done;
	}
	if (s->file_index)
		ret = io_file_install_slot(req->ctx, file, s->file_index, how);
	else
		fd_install(ret, file);
done:
	io_set_status(req, ret);
	return IO_DONE;
}

/**
 * io_shutdown_prep - read the SQE of SHUTDOWN
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_shutdown_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_sock_arg *shutdown = io_op_data(req, struct io_sock_arg);

	if (READ_ONCE(sqe->off) || READ_ONCE(sqe->addr) || READ_ONCE(sqe->rw_flags) ||
	    READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->splice_fd_in))
		return -EINVAL;
	shutdown->arg = READ_ONCE(sqe->len);
	return 0;
}

/**
 * io_shutdown_issue - shut down one or both directions of a socket
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: a worker; may sleep.
 */
enum io_outcome io_shutdown_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_sock_arg *shutdown = io_op_data(req, struct io_sock_arg);
	struct socket *sock = sock_from_file(shutdown->file);

	io_set_status(req, sock ? __sys_shutdown_sock(sock, shutdown->arg) : -ENOTSOCK);
	return IO_DONE;
}

/**
 * io_listen_prep - read the SQE of LISTEN
 * @req: the request
 * @sqe: its SQE
 *
 * Context: ring lock held.
 * Return: 0 or -EINVAL.
 */
int io_listen_prep(struct io_kiocb *req, const struct io_uring_sqe *sqe)
{
	struct io_sock_arg *listen = io_op_data(req, struct io_sock_arg);

	if (READ_ONCE(sqe->addr) || READ_ONCE(sqe->buf_index) || READ_ONCE(sqe->rw_flags) ||
	    READ_ONCE(sqe->splice_fd_in) || READ_ONCE(sqe->addr2))
		return -EINVAL;
	listen->arg = READ_ONCE(sqe->len);
	return 0;
}

/**
 * io_listen_issue - let a socket take connections
 * @req: the request
 * @how: IO_HOW_*
 *
 * Context: ring lock held, unless IO_HOW_WORKER; may sleep.
 */
enum io_outcome io_listen_issue(struct io_kiocb *req, unsigned int how)
{
	struct io_sock_arg *listen = io_op_data(req, struct io_sock_arg);
	struct socket *sock = sock_from_file(listen->file);

	io_set_status(req, sock ? __sys_listen_socket(sock, listen->arg) : -ENOTSOCK);
	return IO_DONE;
}
