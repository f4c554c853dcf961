/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * Zero-copy receive: IORING_REGISTER_ZCRX_IFQ, IORING_REGISTER_ZCRX_CTRL and what
 * IORING_OP_RECV_ZC leaves behind.
 *
 * The kernel puts received data into areas of the program's memory and names the
 * place in a CQE. The program gives places back through a refill ring.
 */
#ifndef LINUX_IO_ZCRX_H
#define LINUX_IO_ZCRX_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An offset into an area: the upper bits name the area, the lower ones the byte. */
#define IORING_ZCRX_AREA_SHIFT	48
#define IORING_ZCRX_AREA_MASK	(~0ULL << IORING_ZCRX_AREA_SHIFT)

/* The big_cqe part of a CQE of IORING_OP_RECV_ZC; res has the length */
struct io_uring_zcrx_cqe {
	__u64	off;
	__u64	__pad;
};

/* Entry of the refill ring */
struct io_uring_zcrx_rqe {
	__u64	off;
	__u32	len;
	__u32	__pad;
};

/* Out: where in the refill region things lie, in bytes */
struct io_uring_zcrx_offsets {
	__u32	head;
	__u32	tail;
	__u32	rqes;
	__u32	__resv2;
	__u64	__resv[2];
};

enum io_uring_zcrx_area_flags {
	IORING_ZCRX_AREA_DMABUF	= 0x1,	/* memory of dmabuf_fd, addr is 0 */
};

/* Memory to receive into */
struct io_uring_zcrx_area_reg {
	__u64	addr;
	__u64	len;
	__u64	rq_area_token;	/* out: upper bits of offsets into this area */
	__u32	flags;
	__u32	dmabuf_fd;
	__u64	__resv2[2];
};

/* Things that may be reported by a CQE of their own */
enum zcrx_event_type {
	ZCRX_EVENT_ALLOC_FAIL	= 0,	/* no free memory in the areas */
	ZCRX_EVENT_COPY		= 1,	/* data had to be copied */

	__ZCRX_EVENT_TYPE_LAST
};

enum zcrx_event_desc_flags {
	ZCRX_EVENT_DESC_FLAG_STATS	= 0x1,	/* stats_offset is valid */
};

/* Counters that the kernel keeps in the refill region */
struct zcrx_stats {
	__u64	copy_count;
	__u64	copy_bytes;
};

struct zcrx_event_desc {
	__u64	user_data;	/* of the CQEs; res is the event type */
	__u32	type_mask;	/* bits by enum zcrx_event_type */
	__u32	flags;
	__u64	stats_offset;	/* struct zcrx_stats in the refill region */
	__u64	__resv2[9];
};

enum zcrx_reg_flags {
	ZCRX_REG_IMPORT	= 0x1,	/* if_idx is an fd of ZCRX_CTRL_EXPORT */
	ZCRX_REG_NODEV	= 0x2,	/* no device: data are copied */
};

/* What this kernel offers, see struct io_uring_query_zcrx */
enum zcrx_features {
	ZCRX_FEATURE_RX_PAGE_SIZE	= 0x1,	/* rx_buf_len */
	ZCRX_FEATURE_EVENT		= 0x2,	/* event_desc */
};

/* ZCRX_IFQ */
struct io_uring_zcrx_ifq_reg {
	__u32	if_idx;
	__u32	if_rxq;
	__u32	rq_entries;
	__u32	flags;		/* enum zcrx_reg_flags */
	__u64	area_ptr;	/* struct io_uring_zcrx_area_reg */
	__u64	region_ptr;	/* struct io_uring_region_desc */
	struct io_uring_zcrx_offsets offsets;
	__u32	zcrx_id;	/* out */
	__u32	rx_buf_len;
	__u64	event_desc;	/* struct zcrx_event_desc, or 0 */
	__u64	__resv[2];
};

/* ZCRX_CTRL */
enum zcrx_ctrl_op {
	ZCRX_CTRL_FLUSH_RQ	= 0,	/* take the refill entries now */
	ZCRX_CTRL_EXPORT	= 1,	/* make an fd for ZCRX_REG_IMPORT */
	ZCRX_CTRL_ARM_EVENT	= 2,	/* report this event once more */
	ZCRX_CTRL_ADD_AREA	= 3,

	__ZCRX_CTRL_LAST
};

struct zcrx_ctrl_flush_rq {
	__u64	__resv[6];
};

struct zcrx_ctrl_export {
	__u32	zcrx_fd;	/* out */
	__u32	__resv1[11];
};

struct zcrx_ctrl_arm_event {
	__u32	event_type;
	__u32	__resv[11];
};

struct zcrx_ctrl_add_area {
	__u64	area_ptr;	/* struct io_uring_zcrx_area_reg */
	__u64	__resv[5];
};

struct zcrx_ctrl {
	__u32	zcrx_id;
	__u32	op;		/* enum zcrx_ctrl_op, it selects the member below */
	__u64	__resv[2];
	union {
		struct zcrx_ctrl_flush_rq	zc_flush;
		struct zcrx_ctrl_export		zc_export;
		struct zcrx_ctrl_arm_event	zc_arm_event;
		struct zcrx_ctrl_add_area	zc_area;
	};
};

#ifdef __cplusplus
}
#endif

#endif /* LINUX_IO_ZCRX_H */
