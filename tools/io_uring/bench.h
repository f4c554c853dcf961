/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A workload: something done many times between two marks.
 */
#ifndef IO_URING_BENCH_H
#define IO_URING_BENCH_H

#include "mark.h"
#include "ring.h"

#define DEFER	(IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER)

/**
 * struct load - a workload
 * @name: as given on the command line
 * @ops: operations to be measured
 * @open: make ready; 0, or -errno if the kernel lacks something: the workload is skipped
 * @run: do this many operations
 * @close: undo @open
 * @flags: for io_uring_setup()
 * @batch: operations per submission
 * @arg: what else tells it from workloads with the same functions
 * @waits: ops per wait, for workloads whose sleeps per wait count; else 0
 */
struct load {
	const char *name;
	unsigned int ops;
	int (*open)(const struct load *l);
	void (*run)(const struct load *l, unsigned int ops);
	void (*close)(const struct load *l);
	unsigned int flags;
	unsigned int batch;
	unsigned int arg;
	unsigned int waits;
};

extern const struct load nop_loads[], event_loads[], net_loads[], block_loads[], cmd_loads[],
			 program_loads[];

#endif
