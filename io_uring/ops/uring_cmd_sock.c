// SPDX-License-Identifier: GPL-2.0
/*
 * Commands to a socket, which here is the driver of a URING_CMD: queue lengths, options, names.
 *
 * Transitions: none, every command is answered at once but TX_TIMESTAMP, for which see
 * uring_cmd_tstamp.c. An SQE may lie in user memory, so each field is read once.
 */
#include <linux/audit.h>
#include <linux/file.h>
#include <linux/io_uring/cmd.h>
#include <linux/io_uring/net.h>
#include <linux/net.h>
#include <linux/security.h>
#include <linux/sockios.h>
#include <linux/sockptr.h>
#include <net/sock.h>
#include <asm/ioctls.h>

#include "uring_cmd.h"

static int io_cmd_sock_queued(struct socket *sock, int what)
{
	const struct proto *prot = READ_ONCE(sock->sk->sk_prot);
	int ret, bytes = 0;

	if (!prot || !prot->ioctl)
		return -EOPNOTSUPP;
	ret = prot->ioctl(sock->sk, what, &bytes);
	return ret ?: bytes;
}

/* struct io_uring_sqe with the members of socket options read once */
struct io_cmd_sockopt {
	void __user *optval;
	int level;
	int optname;
	int optlen;
};

static struct io_cmd_sockopt io_cmd_sockopt_read(const struct io_uring_sqe *sqe)
{
	return (struct io_cmd_sockopt) {
		.optval = u64_to_user_ptr(READ_ONCE(sqe->optval)),
		.level = READ_ONCE(sqe->level),
		.optname = READ_ONCE(sqe->optname),
		.optlen = READ_ONCE(sqe->optlen),
	};
}

static int io_cmd_sock_getsockopt(struct socket *sock, const struct io_uring_sqe *sqe, bool compat)
{
	struct io_cmd_sockopt opt = io_cmd_sockopt_read(sqe);
	int ret;

	/* Other levels want the length in user memory, and an SQE holds only the number. */
	if (opt.level != SOL_SOCKET)
		return -EOPNOTSUPP;
	ret = do_sock_getsockopt(sock, compat, opt.level, opt.optname, USER_SOCKPTR(opt.optval),
				 KERNEL_SOCKPTR(&opt.optlen));
	return ret < 0 ? ret : opt.optlen;
}

static int io_cmd_sock_setsockopt(struct socket *sock, const struct io_uring_sqe *sqe, bool compat)
{
	struct io_cmd_sockopt opt = io_cmd_sockopt_read(sqe);

	return do_sock_setsockopt(sock, compat, opt.level, opt.optname, USER_SOCKPTR(opt.optval),
				  opt.optlen);
}

/* As accept(2) and its kin report an address: cut to the room there is, with its full length */
static int io_cmd_sock_put_name(struct sockaddr_storage *name, int full, void __user *uaddr,
				int __user *ulen)
{
	int room;

	if (get_user(room, ulen))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	room = min(room, full);
	if (room) {
		if (audit_sockaddr(full, name))
			return -ENOMEM;
		if (copy_to_user(uaddr, name, room))
			return -EFAULT;
	}
	return put_user(full, ulen);
}

static int io_cmd_sock_getname(struct socket *sock, const struct io_uring_sqe *sqe)
{
	void __user *uaddr = u64_to_user_ptr(READ_ONCE(sqe->addr));
	int __user *ulen = u64_to_user_ptr(READ_ONCE(sqe->addr3));
	unsigned int peer = READ_ONCE(sqe->optlen);
	struct sockaddr_storage name;
	int ret;

	if (READ_ONCE(sqe->ioprio) || READ_ONCE(sqe->__pad1) || READ_ONCE(sqe->len) ||
	    READ_ONCE(sqe->rw_flags) || peer > 1)
		return -EINVAL;
	ret = peer ? security_socket_getpeername(sock) : security_socket_getsockname(sock);
	if (ret)
		return ret;
	ret = READ_ONCE(sock->ops)->getname(sock, (struct sockaddr *)&name, peer);
	if (ret < 0)
		return ret;
	return io_cmd_sock_put_name(&name, ret, uaddr, ulen);
}

/**
 * io_uring_cmd_sock - ->uring_cmd of sockets
 * @cmd: the command; cmd_op is one of SOCKET_URING_OP_*
 * @issue_flags: IO_URING_F_*
 *
 * Context: as ->uring_cmd; may sleep for the socket lock.
 * Return: a length or 0, or a negative errno: -EOPNOTSUPP if the command, or the socket's side of
 *	it, does not exist; -EIOCBQUEUED.
 */
int io_uring_cmd_sock(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	bool compat = issue_flags & IO_URING_F_COMPAT;
	struct socket *sock = cmd->file->private_data;

	switch (cmd->cmd_op) {
	case SOCKET_URING_OP_SIOCINQ:
		return io_cmd_sock_queued(sock, SIOCINQ);
	case SOCKET_URING_OP_SIOCOUTQ:
		return io_cmd_sock_queued(sock, SIOCOUTQ);
	case SOCKET_URING_OP_GETSOCKOPT:
		return io_cmd_sock_getsockopt(sock, cmd->sqe, compat);
	case SOCKET_URING_OP_SETSOCKOPT:
		return io_cmd_sock_setsockopt(sock, cmd->sqe, compat);
	case SOCKET_URING_OP_TX_TIMESTAMP:
		return io_uring_cmd_tstamp(cmd, issue_flags);
	case SOCKET_URING_OP_GETSOCKNAME:
		return io_cmd_sock_getname(sock, cmd->sqe);
	}
	return -EOPNOTSUPP;
}
EXPORT_SYMBOL_GPL(io_uring_cmd_sock);
