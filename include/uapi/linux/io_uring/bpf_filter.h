/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * IORING_REGISTER_BPF_FILTER: classic BPF programs that allow or refuse requests
 * of a ring, or of all future rings of the calling task.
 */
#ifndef LINUX_IO_URING_BPF_FILTER_H
#define LINUX_IO_URING_BPF_FILTER_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program reads; result 0 refuses the request, any other allows it. */
struct io_uring_bpf_ctx {
	__u64	user_data;
	__u8	opcode;
	__u8	sqe_flags;
	__u8	pdu_size;	/* bytes of the union that are valid */
	__u8	pad[5];
	union {
		/* IORING_OP_OPENAT and IORING_OP_OPENAT2 */
		struct {
			__u64	flags;
			__u64	mode;
			__u64	resolve;
		} open;
		/* IORING_OP_CONNECT: address and port in network order */
		struct {
			__u32	family;
			__be16	port;
			__u8	pad[2];
			union {
				__be32	v4_addr;
				__u8	v6_addr[16];
			};
		} connect;
		/* IORING_OP_SOCKET */
		struct {
			__u32	family;
			__u32	type;
			__u32	protocol;
		} socket;
	};
};

/* io_uring_bpf_filter.flags */
enum {
	IO_URING_BPF_FILTER_DENY_REST	= 0x1,	/* refuse opcodes without a filter */
	IO_URING_BPF_FILTER_SZ_STRICT	= 0x2,	/* pdu_size must be the kernel's */
};

struct io_uring_bpf_filter {
	__u32	opcode;		/* enum io_uring_op */
	__u32	flags;
	__u32	filter_len;	/* instructions */
	__u8	pdu_size;	/* out: what the kernel provides */
	__u8	resv[3];
	__u64	filter_ptr;	/* struct sock_filter array */
	__u64	resv2[5];
};

/* io_uring_bpf.cmd_type */
enum {
	IO_URING_BPF_CMD_FILTER	= 1,
};

struct io_uring_bpf {
	__u16	cmd_type;
	__u16	cmd_flags;
	__u32	resv;
	union {
		struct io_uring_bpf_filter filter;
	};
};

#ifdef __cplusplus
}
#endif

#endif /* LINUX_IO_URING_BPF_FILTER_H */
