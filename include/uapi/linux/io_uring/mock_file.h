/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * /dev/io_uring_mock: files that behave as a test asks. Everything goes through
 * IORING_OP_URING_CMD.
 */
#ifndef LINUX_IO_URING_MOCK_FILE_H
#define LINUX_IO_URING_MOCK_FILE_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cmd_op on the device; addr and len of the SQE describe the struct */
enum {
	IORING_MOCK_MGR_CMD_PROBE	= 0,	/* struct io_uring_mock_probe */
	IORING_MOCK_MGR_CMD_CREATE	= 1,	/* struct io_uring_mock_create */
};

/* One number per feature; a kernel has all below io_uring_mock_probe.features. */
enum {
	IORING_MOCK_FEAT_CMD_COPY	= 0,
	IORING_MOCK_FEAT_RW_ZERO	= 1,
	IORING_MOCK_FEAT_RW_NOWAIT	= 2,
	IORING_MOCK_FEAT_RW_ASYNC	= 3,
	IORING_MOCK_FEAT_POLL		= 4,

	IORING_MOCK_FEAT_END
};

struct io_uring_mock_probe {
	__u64	features;	/* out */
	__u64	__resv[9];
};

/* io_uring_mock_create.flags */
enum {
	IORING_MOCK_CREATE_F_SUPPORT_NOWAIT	= 0x1,
	IORING_MOCK_CREATE_F_POLL		= 0x2,
};

struct io_uring_mock_create {
	__u32	out_fd;
	__u32	flags;
	__u64	file_size;
	__u64	rw_delay_ns;	/* 0: reads and writes end at once */
	__u64	__resv[13];
};

/* cmd_op on a mock file */
enum {
	IORING_MOCK_CMD_COPY_REGBUF	= 0,
};

/* file_index of IORING_MOCK_CMD_COPY_REGBUF */
enum {
	IORING_MOCK_COPY_FROM	= 0x1,	/* out of the registered buffer */
};

#ifdef __cplusplus
}
#endif

#endif /* LINUX_IO_URING_MOCK_FILE_H */
