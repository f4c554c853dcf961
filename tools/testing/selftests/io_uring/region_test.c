// SPDX-License-Identifier: GPL-2.0
/*
 * The parameter region of a ring and wait arguments kept in it: registration,
 * and io_uring_enter() with IORING_ENTER_EXT_ARG_REG.
 */
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "common.h"

#define WAIT_FLAGS	(IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG | IORING_ENTER_EXT_ARG_REG)
#define WAIT_SIZE	sizeof(struct io_uring_reg_wait)
#define SHORT_MS	40

static size_t page_size;

__attribute__((constructor)) static void find_page_size(void)
{
	page_size = sysconf(_SC_PAGESIZE);
}

static int register_region(int fd, struct io_uring_region_desc *desc, __u64 flags)
{
	struct io_uring_mem_region_reg reg = { .region_uptr = (uintptr_t)desc, .flags = flags };

	return sys_register(fd, IORING_REGISTER_MEM_REGION, &reg, 1);
}

static bool has_regions(void)
{
	struct io_uring_region_desc desc = { .size = page_size };
	struct ring r;
	int ret;

	if (ring_open(&r, 1, 0))
		return false;
	ret = register_region(r.fd, &desc, 0);
	ring_close(&r);
	return !ret;
}

/* A ring with one page of wait arguments. */
FIXTURE(region)
{
	struct ring r;
	void *mem;
	struct io_uring_reg_wait *waits;
};

FIXTURE_VARIANT(region)
{
	bool of_kernel;
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(region, user_memory)
{
	.of_kernel = false,
};

FIXTURE_VARIANT_ADD(region, kernel_memory)
{
	.of_kernel = true,
};

FIXTURE_VARIANT_ADD(region, kernel_memory_defer)
{
	.of_kernel = true,
	.flags = DEFER_FLAGS,
};

FIXTURE_SETUP(region)
{
	struct io_uring_region_desc desc = { .size = page_size };

	NEEDS_PIECE("region");
	NEEDS_73(has_regions());
	ASSERT_EQ(0, ring_open(&self->r, 8, IORING_SETUP_R_DISABLED | variant->flags));
	if (!variant->of_kernel) {
		self->mem = anon_map(page_size);
		desc.flags = IORING_MEM_REGION_TYPE_USER;
		desc.user_addr = (uintptr_t)self->mem;
	}
	ASSERT_EQ(0, register_region(self->r.fd, &desc, IORING_MEM_REGION_REG_WAIT_ARG));
	if (variant->of_kernel) {
		self->mem = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, self->r.fd,
				 desc.mmap_offset);
		ASSERT_NE(MAP_FAILED, self->mem);
	}
	self->waits = self->mem;
	ASSERT_EQ(0, sys_register(self->r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0));
}

FIXTURE_TEARDOWN(region)
{
	munmap(self->mem, page_size);
	ring_close(&self->r);
}

static int wait_at(struct ring *r, unsigned int min, __u64 offset)
{
	return sys_enter(r->fd, 0, min, WAIT_FLAGS, (void *)offset, WAIT_SIZE);
}

TEST_F(region, timeout)
{
	struct io_uring_reg_wait *w = &self->waits[3];
	__u64 start = now_ns();

	w->flags = IORING_REG_WAIT_TS;
	w->ts.tv_nsec = SHORT_MS * 1000000;
	EXPECT_RES(-ETIME, wait_at(&self->r, 1, 3 * WAIT_SIZE));
	EXPECT_LE(SHORT_MS, ms_since(start));
	/* Changed in place, no call in between. */
	w->ts.tv_nsec = 0;
	EXPECT_RES(-ETIME, wait_at(&self->r, 1, 3 * WAIT_SIZE));
}

TEST_F(region, timeout_counts_only_if_flagged)
{
	struct io_uring_reg_wait *w = &self->waits[0];
	__u64 start = now_ns();

	w->ts.tv_nsec = 1000;
	w->min_wait_usec = SHORT_MS * 1000;
	EXPECT_RES(-ETIME, wait_at(&self->r, 1, 0));
	EXPECT_LE(SHORT_MS, ms_since(start));
}

TEST_F(region, min_wait)
{
	struct io_uring_reg_wait *w = &self->waits[1];
	__u64 start = now_ns();

	w->flags = IORING_REG_WAIT_TS;
	w->ts.tv_sec = 100;
	w->min_wait_usec = SHORT_MS * 1000;
	sqe_nop(&self->r, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_RES(0, wait_at(&self->r, 2, WAIT_SIZE));
	EXPECT_LE(SHORT_MS, ms_since(start));
}

static volatile int signals_seen;

static void on_signal(int sig)
{
	signals_seen++;
}

TEST_F(region, sigmask)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct io_uring_reg_wait *w = &self->waits[2];
	__u64 mask = 0;
	sigset_t block;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, NULL);
	kill(getpid(), SIGUSR1);

	w->sigmask = (uintptr_t)&mask;
	w->sigmask_sz = 4;
	EXPECT_RES(-EINVAL, wait_at(&self->r, 1, 2 * WAIT_SIZE));
	EXPECT_EQ(0, signals_seen);
	w->sigmask_sz = 8;
	EXPECT_RES(-EINTR, wait_at(&self->r, 1, 2 * WAIT_SIZE));
	EXPECT_EQ(1, signals_seen);
	w->sigmask = (uintptr_t)BAD_PTR;
	EXPECT_RES(-EFAULT, wait_at(&self->r, 1, 2 * WAIT_SIZE));
}

TEST_F(region, completions)
{
	struct io_uring_reg_wait *w = &self->waits[0];
	int event = eventfd(0, 0);
	__u64 value = 1;
	struct cqe cqe;

	w->flags = IORING_REG_WAIT_TS;
	w->ts.tv_sec = 100;
	sqe_rw(&self->r, IORING_OP_READ, event, &value, 8, 0);
	ASSERT_EQ(1, ring_submit(&self->r));
	ASSERT_EQ(8, write(event, &value, 8));
	EXPECT_RES(0, wait_at(&self->r, 1, 0));
	EXPECT_TRUE(ring_take(&self->r, &cqe));
	EXPECT_EQ(8, cqe.res);
}

TEST_F(region, bad_offsets)
{
	static const __u64 past[] = {
		4096, 8192, 1ull << 32, 1ull << 63, -8ull, -64ull, -128ull,
	};
	unsigned int i;

	for (i = 1; i < 8; i++)
		EXPECT_RES_OF(res_name(i), -EFAULT, wait_at(&self->r, 1, i));
	/* Reaching out of the region by a word. */
	EXPECT_RES(-EFAULT, wait_at(&self->r, 1, page_size - WAIT_SIZE + 8));
	EXPECT_RES(-EFAULT, wait_at(&self->r, 1, page_size));
	for (i = 0; i < ARRAY_SIZE(past); i++)
		EXPECT_RES_OF(res_name(i), -EFAULT, wait_at(&self->r, 1, past[i]));
}

TEST_F(region, offsets_inside)
{
	/* If the first were taken for the last, the error would tell. */
	self->waits[0].flags = 1u << 31;
	self->waits[page_size / WAIT_SIZE - 1].flags = IORING_REG_WAIT_TS;
	EXPECT_RES(-ETIME, wait_at(&self->r, 1, page_size - WAIT_SIZE));
	/* Any multiple of 8 will do. */
	memset(self->mem, 0, page_size);
	((struct io_uring_reg_wait *)((char *)self->mem + 8))->flags = IORING_REG_WAIT_TS;
	EXPECT_RES(-ETIME, wait_at(&self->r, 1, 8));
}

TEST_F(region, bad_size)
{
	unsigned int size;

	self->waits[0].flags = IORING_REG_WAIT_TS;
	for (size = 0; size < 130; size++)
		EXPECT_RES_OF(res_name(size), size == WAIT_SIZE ? -ETIME : -EINVAL,
			      sys_enter(self->r.fd, 0, 1, WAIT_FLAGS, NULL, size));
}

TEST_F(region, bad_flags)
{
	unsigned int bit;

	for (bit = 1; bit < 32; bit++) {
		self->waits[0].flags = IORING_REG_WAIT_TS | 1u << bit;
		EXPECT_RES_OF(res_name(bit), -EINVAL, wait_at(&self->r, 1, 0));
	}
}

TEST_F(region, pads_do_not_matter)
{
	memset(&self->waits[0], 0xff, WAIT_SIZE);
	self->waits[0].flags = IORING_REG_WAIT_TS;
	self->waits[0].ts.tv_sec = 0;
	self->waits[0].ts.tv_nsec = 0;
	self->waits[0].min_wait_usec = 0;
	self->waits[0].sigmask = 0;
	self->waits[0].sigmask_sz = 0;
	EXPECT_RES(-ETIME, wait_at(&self->r, 1, 0));
}

TEST_F(region, only_one_for_each_ring)
{
	struct io_uring_region_desc desc = { .size = page_size };

	EXPECT_RES(-EBUSY, register_region(self->r.fd, &desc, 0));
}

TEST_F(region, memory_outlives_the_ring)
{
	close(self->r.fd);
	sleep_ms(SETTLE_MS);
	memset(self->mem, 0x5a, page_size);
	EXPECT_EQ(0x5a, ((char *)self->mem)[page_size - 1]);
}

/* Registration */

FIXTURE(register_region)
{
	struct ring r;
	char *mem;
};

FIXTURE_SETUP(register_region)
{
	NEEDS_PIECE("region");
	NEEDS_73(has_regions());
	ASSERT_EQ(0, ring_open(&self->r, 8, 0));
	self->mem = anon_map(2 * page_size);
}

FIXTURE_TEARDOWN(register_region)
{
	ring_close(&self->r);
}

TEST_F(register_region, without_one)
{
	EXPECT_RES(-EFAULT, sys_enter(self->r.fd, 0, 1, WAIT_FLAGS, NULL, WAIT_SIZE));
}

TEST_F(register_region, without_wait_arguments)
{
	struct io_uring_region_desc desc = { .size = page_size };

	ASSERT_EQ(0, register_region(self->r.fd, &desc, 0));
	EXPECT_RES(-EFAULT, wait_at(&self->r, 1, 0));
}

TEST_F(register_region, wait_arguments_only_before_start)
{
	struct io_uring_region_desc desc = { .size = page_size };

	EXPECT_RES(-EINVAL, register_region(self->r.fd, &desc, IORING_MEM_REGION_REG_WAIT_ARG));
	EXPECT_RES(0, register_region(self->r.fd, &desc, 0));
}

TEST_F(register_region, bad_arguments)
{
	struct io_uring_region_desc desc = { .size = page_size };
	struct io_uring_mem_region_reg reg = { .region_uptr = (uintptr_t)&desc };
	const unsigned int op = IORING_REGISTER_MEM_REGION;
	unsigned int i;

	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, NULL, 1));
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, &reg, 0));
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, &reg, 2));
	EXPECT_RES(-EFAULT, sys_register(self->r.fd, op, BAD_PTR, 1));
	reg.region_uptr = 0;
	EXPECT_RES(-EFAULT, sys_register(self->r.fd, op, &reg, 1));
	reg.region_uptr = (uintptr_t)&desc;
	for (i = 1; i < 64; i++) {
		reg.flags = 1ull << i;
		EXPECT_RES_OF(res_name(i), -EINVAL, sys_register(self->r.fd, op, &reg, 1));
		if (_metadata->exit_code)
			return;
	}
	reg.flags = 0;
	for (i = 0; i < 2; i++) {
		reg.__resv[i] = 1;
		EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, &reg, 1));
		reg.__resv[i] = 0;
	}
	EXPECT_RES(0, sys_register(self->r.fd, op, &reg, 1));
}

TEST_F(register_region, bad_descriptions)
{
	const unsigned int user = IORING_MEM_REGION_TYPE_USER;
	const struct {
		struct io_uring_region_desc desc;
		int res;
	} cases[] = {
		{ { .size = 0 }, -EINVAL },
		{ { .size = 64 }, -EINVAL },
		{ { .size = page_size + 1 }, -EINVAL },
		{ { .size = page_size, .flags = 2 }, -EINVAL },
		{ { .size = page_size, .flags = 1u << 31 }, -EINVAL },
		{ { .size = page_size, .id = 1 }, -EINVAL },
		{ { .size = page_size, .mmap_offset = page_size }, -EINVAL },
		{ { .size = page_size, .__resv = { 1 } }, -EINVAL },
		{ { .size = page_size, .__resv = { 0, 0, 0, 1 } }, -EINVAL },
		{ { .size = page_size, .user_addr = (uintptr_t)self->mem }, -EFAULT },
		{ { .size = page_size, .flags = user }, -EFAULT },
		{ { .size = page_size, .flags = user, .user_addr = (uintptr_t)self->mem + 8 },
		  -EINVAL },
		{ { .size = page_size, .flags = user, .user_addr = (uintptr_t)KERNEL_PTR },
		  -EFAULT },
		{ { .size = page_size, .flags = user, .user_addr = -page_size }, -EOVERFLOW },
		{ { .size = page_size << 32, .flags = user, .user_addr = (uintptr_t)self->mem },
		  -E2BIG },
	};
	struct io_uring_region_desc desc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		desc = cases[i].desc;
		EXPECT_RES_OF(res_name(i), cases[i].res, register_region(self->r.fd, &desc, 0));
	}
	/* Nothing of that left a region behind. */
	desc = (struct io_uring_region_desc){ .size = page_size };
	EXPECT_RES(0, register_region(self->r.fd, &desc, 0));
}

TEST_F(register_region, unmapped_and_readonly_memory)
{
	struct io_uring_region_desc desc = {
		.size = page_size, .flags = IORING_MEM_REGION_TYPE_USER,
		.user_addr = (uintptr_t)self->mem,
	};

	ASSERT_EQ(0, munmap(self->mem + page_size, page_size));
	desc.size = 2 * page_size;
	EXPECT_RES(-EFAULT, register_region(self->r.fd, &desc, 0));
	ASSERT_EQ(0, mprotect(self->mem, page_size, PROT_READ));
	desc.size = page_size;
	EXPECT_RES(-EFAULT, register_region(self->r.fd, &desc, 0));
	ASSERT_EQ(0, mprotect(self->mem, page_size, PROT_READ | PROT_WRITE));
	EXPECT_RES(0, register_region(self->r.fd, &desc, 0));
}

TEST_F(register_region, mapping)
{
	const int prot = PROT_READ | PROT_WRITE;
	struct io_uring_region_desc desc = { .size = 2 * page_size };
	char *a, *b;

	ASSERT_EQ(0, register_region(self->r.fd, &desc, 0));
	EXPECT_EQ(0x20000000, desc.mmap_offset);
	a = mmap(NULL, 2 * page_size, prot, MAP_SHARED, self->r.fd, desc.mmap_offset);
	b = mmap(NULL, 2 * page_size, prot, MAP_SHARED, self->r.fd, desc.mmap_offset);
	ASSERT_NE(MAP_FAILED, (void *)a);
	ASSERT_NE(MAP_FAILED, (void *)b);
	EXPECT_EQ(0, a[2 * page_size - 1]);
	a[page_size] = 7;
	EXPECT_EQ(7, b[page_size]);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page_size, prot, MAP_SHARED, self->r.fd,
				   desc.mmap_offset));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(register_region, user_memory_cannot_be_mapped)
{
	struct io_uring_region_desc desc = {
		.size = page_size, .flags = IORING_MEM_REGION_TYPE_USER,
		.user_addr = (uintptr_t)self->mem,
	};

	ASSERT_EQ(0, register_region(self->r.fd, &desc, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page_size, PROT_READ, MAP_SHARED, self->r.fd,
				   0x20000000));
}

static int region_over_limit(void *arg)
{
	struct io_uring_region_desc desc = { .size = 16 * page_size };
	struct rlimit limit = { 8 * page_size, 8 * page_size };
	struct ring r;
	int ret;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setresuid(65533, 65533, 65533) ||
	    ring_open(&r, 8, 0))
		return 1;
	ret = register_region(r.fd, &desc, 0);
	if (ret != -ENOMEM)
		return 2;
	desc.size = 8 * page_size;
	return register_region(r.fd, &desc, 0) ? 3 : 0;
}

TEST_F(register_region, memlock)
{
	unsigned int i;

	NEEDS_ROOT();
	/* Twice the limit is refused, the limit granted; and it is given back. */
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, in_child(region_over_limit, NULL));
		sleep_ms(2 * SETTLE_MS);
	}
}

TEST_HARNESS_MAIN
