// SPDX-License-Identifier: GPL-2.0
/*
 * Ring memory: what can be mapped of a ring, how much of it, how long it lives,
 * and rings in memory of the caller (NO_MMAP, REGISTERED_FD_ONLY).
 */
#include <setjmp.h>
#include <sys/resource.h>

#include "common.h"

#define RW	(PROT_READ | PROT_WRITE)

static size_t page_size;

__attribute__((constructor)) static void find_page_size(void)
{
	page_size = sysconf(_SC_PAGESIZE);
}

static int try_mmap(void *addr, size_t len, int prot, int flags, int fd, __u64 off)
{
	void *mem = mmap(addr, len, prot, flags, fd, off);

	if (mem == MAP_FAILED)
		return -errno;
	munmap(mem, len);
	return 0;
}

/* What a wrong offset gives was -ENOMEM in kernels older than the 7.3 ABI. */
static int no_area(void)
{
	return on_stock() && !is_73() ? -ENOMEM : -EINVAL;
}

/* Does a store to (or a load from) addr fault, and by which signal? */
static sigjmp_buf fault_env;

static void on_fault(int sig)
{
	siglongjmp(fault_env, sig);
}

static int touch(volatile char *addr)
{
	int sig;

	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	sig = sigsetjmp(fault_env, 1);
	if (!sig)
		*addr;
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	return sig;
}

TEST(sq_and_cq_ring_are_one_region)
{
	struct ring r;
	char *cq;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	cq = mmap(NULL, r.mem_size, RW, MAP_SHARED, r.fd, IORING_OFF_CQ_RING);
	ASSERT_NE(MAP_FAILED, (void *)cq);
	EXPECT_EQ(0, memcmp(r.mem, cq, r.mem_size));
	/* A program of the days of two mappings: takes its CQE from the second. */
	sqe_nop(&r, 0x1234);
	ASSERT_EQ(1, ring_submit(&r));
	EXPECT_EQ(1, *(unsigned int *)(cq + r.p.cq_off.tail));
	EXPECT_EQ(0x1234, ((struct io_uring_cqe *)(cq + r.p.cq_off.cqes))->user_data);
	*(unsigned int *)(cq + r.p.cq_off.head) = 1;
	EXPECT_EQ(1, *r.cq_head);
	munmap(cq, r.mem_size);
	ring_close(&r);
}

TEST(areas_that_do_not_exist)
{
	static const __u64 offsets[] = {
		0x18000000ull, 0x20000000ull, 0x28000000ull, 0x30000000ull, 0x40000000ull,
		0x70000000ull, IORING_OFF_PBUF_RING, IORING_OFF_PBUF_RING + (7 << 16),
		0xf0000000ull,
	};
	struct ring r;
	unsigned int i;
	char what[32];

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		snprintf(what, sizeof(what), "offset %#llx", (unsigned long long)offsets[i]);
		EXPECT_RES_OF(what, no_area(),
			      try_mmap(NULL, page_size, RW, MAP_SHARED, r.fd, offsets[i]));
	}
	ring_close(&r);
}

TEST(address_hints_are_refused)
{
	struct ring r;
	void *free_addr;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	free_addr = anon_map(page_size);
	ASSERT_NE(MAP_FAILED, free_addr);
	munmap(free_addr, page_size);
	EXPECT_RES(-EINVAL, try_mmap(free_addr, page_size, RW, MAP_SHARED, r.fd,
				     IORING_OFF_SQ_RING));
	EXPECT_RES(-EINVAL, try_mmap(free_addr, page_size, RW, MAP_SHARED | MAP_FIXED, r.fd,
				     IORING_OFF_SQES));
	EXPECT_RES(-EINVAL, try_mmap(free_addr, page_size, RW, MAP_SHARED | MAP_FIXED_NOREPLACE,
				     r.fd, IORING_OFF_SQES));
	ring_close(&r);
}

TEST(any_protection_and_sharing)
{
	static const int prots[] = { PROT_NONE, PROT_READ, PROT_WRITE, RW };
	static const __u64 areas[] = { IORING_OFF_SQ_RING, IORING_OFF_CQ_RING, IORING_OFF_SQES };
	struct ring r;
	unsigned int i, k;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		for (k = 0; k < ARRAY_SIZE(prots); k++) {
			EXPECT_RES(0, try_mmap(NULL, page_size, prots[k], MAP_SHARED, r.fd,
					       areas[i]));
			EXPECT_RES(0, try_mmap(NULL, page_size, prots[k], MAP_PRIVATE, r.fd,
					       areas[i]));
		}
	}
	ring_close(&r);
}

TEST(lengths_of_the_ring_region)
{
	struct ring r;
	size_t size, len;
	char *mem;

	ASSERT_EQ(0, ring_open(&r, 4096, 0));
	size = page_round(r.mem_size);
	ASSERT_LT(2 * page_size, size);

	EXPECT_RES(-EINVAL, try_mmap(NULL, 0, RW, MAP_SHARED, r.fd, IORING_OFF_SQ_RING));
	for (len = page_size; len <= size; len += page_size)
		EXPECT_RES(0, try_mmap(NULL, len, RW, MAP_SHARED, r.fd, IORING_OFF_SQ_RING));

	/* The part that is mapped is the real thing. */
	mem = mmap(NULL, page_size, RW, MAP_SHARED, r.fd, IORING_OFF_SQ_RING);
	ASSERT_NE(MAP_FAILED, (void *)mem);
	EXPECT_EQ(4096, *(unsigned int *)(mem + r.p.sq_off.ring_entries));
	munmap(mem, page_size);

	/* Beyond the region there is nothing. */
	mem = mmap(NULL, size + page_size, RW, MAP_SHARED, r.fd, IORING_OFF_SQ_RING);
	ASSERT_NE(MAP_FAILED, (void *)mem);
	EXPECT_EQ(0, touch(mem + size - 1));
	EXPECT_EQ(SIGBUS, touch(mem + size));
	munmap(mem, size + page_size);
	ring_close(&r);
}

TEST(sqes_are_mapped_whole)
{
	struct ring r;
	size_t size;

	ASSERT_EQ(0, ring_open(&r, 256, IORING_SETUP_SQE128));
	size = 256 * 128;
	EXPECT_RES(0, try_mmap(NULL, size, RW, MAP_SHARED, r.fd, IORING_OFF_SQES));
	EXPECT_RES(-EFAULT, try_mmap(NULL, size - page_size, RW, MAP_SHARED, r.fd,
				     IORING_OFF_SQES));
	EXPECT_RES(-EFAULT, try_mmap(NULL, page_size, RW, MAP_SHARED, r.fd, IORING_OFF_SQES));
	ring_close(&r);
}

TEST(offsets_inside_an_area)
{
	struct ring r;

	/* The low bits of an offset are no way to map a part. */
	ASSERT_EQ(0, ring_open(&r, 4096, 0));
	EXPECT_RES(-EINVAL, try_mmap(NULL, page_size, RW, MAP_SHARED, r.fd, 1));
	ring_close(&r);
}

TEST(mappings_do_not_grow)
{
	struct ring r;
	void *mem;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	mem = mremap(r.mem, page_size, 2 * page_size, MREMAP_MAYMOVE);
	EXPECT_EQ(MAP_FAILED, mem);
	EXPECT_EQ(EFAULT, errno);
	ring_close(&r);
}

TEST(memory_outlives_the_descriptor)
{
	struct ring r;
	unsigned int i;

	ASSERT_EQ(0, ring_open(&r, 64, 0));
	sqe_nop(&r, 0x77);
	ASSERT_EQ(1, ring_submit(&r));
	close(r.fd);
	/* Time for what might go wrong: a ring torn down, pages taken by others. */
	for (i = 0; i < 50; i++) {
		try_setup(64, 0);
		sleep_ms(2);
	}
	EXPECT_EQ(1, ring_ready(&r));
	EXPECT_EQ(0x77, ring_cqe_at(&r, 0)->user_data);
	memset(r.mem, 0xa5, r.mem_size);
	memset(r.sqes, 0x5a, r.sqes_size);
	EXPECT_EQ(0xa5, ((unsigned char *)r.mem)[r.mem_size - 1]);
	EXPECT_EQ(0x5a, ((unsigned char *)r.sqes)[r.sqes_size - 1]);
	ring_unmap(&r);
}

TEST(memory_is_clean)
{
	unsigned int round;

	for (round = 0; round < 3; round++) {
		size_t i, dirty = 0;
		struct ring r;

		ASSERT_EQ(0, ring_open(&r, 256, 0));
		for (i = 0; i < r.sqes_size; i++)
			dirty += ((char *)r.sqes)[i] != 0;
		for (i = r.p.cq_off.cqes; i < page_round(r.mem_size); i++)
			dirty += ((char *)r.mem)[i] != 0;
		EXPECT_EQ(0, dirty);
		memset(r.sqes, 0xff, r.sqes_size);
		memset(ring_word(&r, r.p.cq_off.cqes), 0xff, r.p.cq_entries * r.cqe_size);
		ring_close(&r);
	}
}

static int use_inherited(void *arg)
{
	struct ring *r = arg;

	sqe_nop(r, 0x42);
	return ring_submit(r) != 1;
}

TEST(mapping_is_shared_with_a_child)
{
	struct cqe cqe;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	EXPECT_EQ(0, in_child(use_inherited, &r));
	ASSERT_EQ(0, ring_wait(&r, &cqe));
	EXPECT_EQ(0x42, cqe.user_data);
	ring_close(&r);
}

static int big_ring_as_nobody(void *arg)
{
	struct rlimit none = {};
	struct ring r;

	if (setrlimit(RLIMIT_MEMLOCK, &none) || setresuid(65534, 65534, 65534))
		return 1;
	if (ring_open(&r, 4096, 0))
		return 2;
	sqe_nop(&r, 0);
	return ring_run(&r) ? 3 : 0;
}

/* Ring memory is no locked memory of the user. */
TEST(rings_are_not_charged_to_memlock)
{
	NEEDS_ROOT();
	EXPECT_EQ(0, in_child(big_ring_as_nobody, NULL));
}

/* NO_MMAP */

static int setup_in(void *ring, void *sqes, unsigned int flags, struct io_uring_params *p)
{
	*p = (struct io_uring_params){ .flags = flags | IORING_SETUP_NO_MMAP };
	p->cq_off.user_addr = (uintptr_t)ring;
	p->sq_off.user_addr = (uintptr_t)sqes;
	return sys_setup(8, p);
}

static int try_setup_in(void *ring, void *sqes)
{
	struct io_uring_params p;
	int fd = setup_in(ring, sqes, 0, &p);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

TEST(no_mmap_ring_works)
{
	static const unsigned int entries[] = { 1, 2, 8, 64, 1024 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		struct ring r;

		ASSERT_EQ(0, ring_open(&r, entries[i], IORING_SETUP_NO_MMAP));
		EXPECT_EQ((uintptr_t)r.mem, r.p.cq_off.user_addr);
		EXPECT_EQ((uintptr_t)r.sqes, r.p.sq_off.user_addr);
		for (k = 0; k < 3 * entries[i]; k++) {
			struct cqe cqe;

			sqe_nop(&r, k);
			ASSERT_EQ(1, ring_submit(&r));
			ASSERT_EQ(0, ring_wait(&r, &cqe));
			ASSERT_EQ(k, cqe.user_data);
		}
		ring_close(&r);
	}
}

TEST(no_mmap_header_is_zeroed)
{
	char *ring = anon_map(page_size), *sqes = anon_map(page_size);
	struct io_uring_params p;
	int fd;

	NEEDS_73(features() & IORING_FEAT_NO_IOWAIT);
	memset(ring, 0xff, page_size);
	memset(sqes, 0xff, page_size);
	fd = setup_in(ring, sqes, 0, &p);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, *(unsigned int *)(ring + p.sq_off.head));
	EXPECT_EQ(0, *(unsigned int *)(ring + p.sq_off.tail));
	EXPECT_EQ(0, *(unsigned int *)(ring + p.cq_off.head));
	EXPECT_EQ(0, *(unsigned int *)(ring + p.cq_off.tail));
	EXPECT_EQ(0, *(unsigned int *)(ring + p.sq_off.flags));
	EXPECT_EQ(0, *(unsigned int *)(ring + p.cq_off.flags));
	EXPECT_EQ(0, *(unsigned int *)(ring + p.sq_off.dropped));
	EXPECT_EQ(0, *(unsigned int *)(ring + p.cq_off.overflow));
	EXPECT_EQ(7, *(unsigned int *)(ring + p.sq_off.ring_mask));
	EXPECT_EQ(16, *(unsigned int *)(ring + p.cq_off.ring_entries));
	close(fd);
}

TEST(no_mmap_areas_cannot_be_mapped)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, IORING_SETUP_NO_MMAP));
	EXPECT_RES(no_area(), try_mmap(NULL, page_size, RW, MAP_SHARED, r.fd, IORING_OFF_SQ_RING));
	EXPECT_RES(no_area(), try_mmap(NULL, page_size, RW, MAP_SHARED, r.fd, IORING_OFF_CQ_RING));
	EXPECT_RES(no_area(), try_mmap(NULL, page_size, RW, MAP_SHARED, r.fd, IORING_OFF_SQES));
	ring_close(&r);
}

TEST(no_mmap_bad_addresses)
{
	char *good = anon_map(page_size), *other = anon_map(page_size), *gone, *readonly;
	void *last = (void *)-page_size;

	gone = anon_map(page_size);
	munmap(gone, page_size);
	readonly = mmap(NULL, page_size, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)readonly);

	EXPECT_RES(0, try_setup_in(good, other));
	EXPECT_RES(-EFAULT, try_setup_in(NULL, NULL));
	EXPECT_RES(-EFAULT, try_setup_in(good, NULL));
	EXPECT_RES(-EFAULT, try_setup_in(NULL, good));
	EXPECT_RES(-EINVAL, try_setup_in(good + 64, other));
	EXPECT_RES(-EINVAL, try_setup_in(good, other + 64));
	EXPECT_RES(-EFAULT, try_setup_in(gone, other));
	EXPECT_RES(-EFAULT, try_setup_in(good, gone));
	EXPECT_RES(-EFAULT, try_setup_in(readonly, other));
	EXPECT_RES(-EFAULT, try_setup_in(good, readonly));
	EXPECT_RES(-EFAULT, try_setup_in(KERNEL_PTR, other));
	EXPECT_RES(-EFAULT, try_setup_in(good, KERNEL_PTR));
	EXPECT_RES(-EOVERFLOW, try_setup_in(last, other));
	EXPECT_RES(-EOVERFLOW, try_setup_in(good, last));
}

/* A ring that gets no memory is taken down in whatever mode it was to be. */
TEST(no_mmap_failure_in_each_mode)
{
	static const unsigned int modes[] = {
		0, IORING_SETUP_R_DISABLED, IORING_SETUP_SINGLE_ISSUER,
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			IORING_SETUP_TASKRUN_FLAG,
	};
	char *good = anon_map(page_size);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		struct io_uring_params p;

		EXPECT_RES(-EFAULT, setup_in(NULL, good, modes[i], &p));
		EXPECT_RES(-EFAULT, setup_in(good, NULL, modes[i], &p));
	}
}

TEST(no_mmap_memory_may_go_away)
{
	struct ring r;
	int ret;

	/* The kernel holds the pages; unmapping them is the caller's affair. */
	ASSERT_EQ(0, ring_open(&r, 8, IORING_SETUP_NO_MMAP));
	sqe_nop(&r, 1);
	ring_publish(&r);
	ring_unmap(&r);
	ret = sys_enter(r.fd, 1, 0, 0, NULL, 0);
	EXPECT_RES(1, ret);
	close(r.fd);
}

TEST(no_mmap_areas_in_one_block)
{
	char *block = anon_map(4 * page_size);
	struct io_uring_params p;
	struct ring r = {};
	struct cqe cqe;

	r.fd = setup_in(block, block + 2 * page_size, IORING_SETUP_NO_SQARRAY, &r.p);
	p = r.p;
	ASSERT_LE(0, r.fd);
	r.mem = block;
	r.sqes = block + 2 * page_size;
	r.sqe_size = 64;
	r.cqe_size = 16;
	ring_set_up_words(&r);
	EXPECT_EQ(8, p.sq_entries);
	sqe_nop(&r, 3);
	EXPECT_RES(0, ring_run_cqe(&r, &cqe));
	EXPECT_EQ(3, cqe.user_data);
	close(r.fd);
}

TEST(no_mmap_private_memory)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	struct io_uring_params p;
	char *ring, *sqes;
	int fd;

	ring = mmap(NULL, page_size, RW, flags, -1, 0);
	sqes = mmap(NULL, page_size, RW, flags, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)ring);
	ASSERT_NE(MAP_FAILED, (void *)sqes);
	fd = setup_in(ring, sqes, 0, &p);
	ASSERT_LE(0, fd);
	EXPECT_EQ(16, *(unsigned int *)(ring + p.cq_off.ring_entries));
	close(fd);
}

/* REGISTERED_FD_ONLY */

#define FD_ONLY	(IORING_SETUP_NO_MMAP | IORING_SETUP_REGISTERED_FD_ONLY)

TEST(registered_only_has_no_descriptor)
{
	int before = count_fds();
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, FD_ONLY));
	EXPECT_EQ(0, r.fd);
	EXPECT_EQ(before, count_fds());
	sqe_nop(&r, 1);
	EXPECT_RES(0, ring_run(&r));
	ring_close(&r);
	EXPECT_RES(-EBADF, sys_enter(r.fd, 0, 0, IORING_ENTER_REGISTERED_RING, NULL, 0));
}

TEST(registered_only_slots_run_out)
{
	struct ring rings[16], one_more, again;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rings); i++) {
		ASSERT_EQ(0, ring_open(&rings[i], 1, FD_ONLY));
		EXPECT_EQ(i, rings[i].fd);
	}
	EXPECT_RES(-EBUSY, ring_open(&one_more, 1, FD_ONLY));
	for (i = 0; i < ARRAY_SIZE(rings); i++) {
		sqe_nop(&rings[i], i);
		EXPECT_RES(0, ring_run(&rings[i]));
	}
	ring_close(&rings[5]);
	ASSERT_EQ(0, ring_open(&again, 1, FD_ONLY));
	EXPECT_EQ(5, again.fd);
	for (i = 0; i < ARRAY_SIZE(rings); i++)
		ring_close(&rings[i]);
}

TEST(registered_only_needs_no_free_descriptor)
{
	struct rlimit old, none;
	struct ring r;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	none = old;
	none.rlim_cur = 0;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_RES(0, ring_open(&r, 8, FD_ONLY));
	sqe_nop(&r, 1);
	EXPECT_RES(0, ring_run(&r));
	ring_close(&r);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
}

TEST_HARNESS_MAIN
