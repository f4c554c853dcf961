/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * IORING_REGISTER_QUERY: ask the kernel what it knows, with or without a ring.
 *
 * The argument is a chain of headers, each with one question. An answer shorter
 * than the kernel's own is cut, one longer is filled up with zeroes.
 */
#ifndef LINUX_IO_URING_QUERY_H
#define LINUX_IO_URING_QUERY_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct io_uring_query_hdr {
	__u64	next_entry;	/* next header, or 0 */
	__u64	query_data;	/* where the answer goes */
	__u32	query_op;
	__u32	size;		/* in: room, out: bytes of the answer */
	__s32	result;		/* out: 0, or a negative errno */
	__u32	__resv[3];
};

/* query_op, and the answer it gives */
enum {
	IO_URING_QUERY_OPCODES		= 0,	/* struct io_uring_query_opcode */
	IO_URING_QUERY_ZCRX		= 1,	/* struct io_uring_query_zcrx */
	IO_URING_QUERY_SCQ		= 2,	/* struct io_uring_query_scq */
	IO_URING_QUERY_ZCRX_EVENT	= 3,	/* struct io_uring_query_zcrx_event */

	__IO_URING_QUERY_MAX
};

struct io_uring_query_opcode {
	__u32	nr_request_opcodes;
	__u32	nr_register_opcodes;
	__u64	feature_flags;		/* IORING_FEAT_* */
	__u64	ring_setup_flags;	/* IORING_SETUP_* */
	__u64	enter_flags;		/* IORING_ENTER_* */
	__u64	sqe_flags;		/* IOSQE_* */
	__u32	nr_query_opcodes;
	__u32	__pad;
};

struct io_uring_query_zcrx {
	__u64	register_flags;		/* enum zcrx_reg_flags */
	__u64	area_flags;		/* enum io_uring_zcrx_area_flags */
	__u32	nr_ctrl_opcodes;
	__u32	features;		/* enum zcrx_features */
	__u32	rq_hdr_size;		/* bytes in front of the refill entries */
	__u32	rq_hdr_alignment;
	__u64	__resv2;
};

struct io_uring_query_zcrx_event {
	__u32	event_flags;		/* enum zcrx_event_desc_flags */
	__u32	stats_size;
	__u32	stats_off_alignment;
	__u32	__resv1;
	__u64	__resv2[4];
};

/* Bytes in front of the CQEs, for IORING_SETUP_NO_MMAP */
struct io_uring_query_scq {
	__u64	hdr_size;
	__u64	hdr_alignment;
};

#ifdef __cplusplus
}
#endif

#endif /* LINUX_IO_URING_QUERY_H */
