// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring_setup(): sizes, flags and their combinations, what is reported back,
 * what a failure is called, and that a failure leaves nothing behind.
 */
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common.h"

#define MAX_SQ	32768
#define MAX_CQ	65536

static int setup_sizes(unsigned int flags, unsigned int entries, unsigned int cq_entries,
		       struct io_uring_params *p)
{
	int fd;

	*p = (struct io_uring_params){ .flags = flags, .cq_entries = cq_entries };
	fd = sys_setup(entries, p);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

TEST(entries_are_rounded_up)
{
	static const unsigned int asked[] = {
		1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 100, 1000, 1024, 4095, 4097, MAX_SQ - 1, MAX_SQ,
	};
	struct io_uring_params p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		/* Without CQSIZE, cq_entries is no input. */
		EXPECT_RES_OF(res_name(asked[i]), 0, setup_sizes(0, asked[i], 12345, &p));
		EXPECT_EQ(roundup_pow2(asked[i]), p.sq_entries);
		EXPECT_EQ(2 * p.sq_entries, p.cq_entries);
	}
}

TEST(entries_have_limits)
{
	struct io_uring_params p;

	EXPECT_RES(-EINVAL, setup_sizes(0, 0, 0, &p));
	EXPECT_RES(-EINVAL, setup_sizes(0, MAX_SQ + 1, 0, &p));
	EXPECT_RES(-EINVAL, setup_sizes(0, UINT_MAX, 0, &p));
}

TEST(clamp_lowers_sizes)
{
	struct io_uring_params p;

	EXPECT_RES(0, setup_sizes(IORING_SETUP_CLAMP, MAX_SQ + 1, 0, &p));
	EXPECT_EQ(MAX_SQ, p.sq_entries);
	EXPECT_EQ(MAX_CQ, p.cq_entries);
	EXPECT_RES(0, setup_sizes(IORING_SETUP_CLAMP, UINT_MAX, 0, &p));
	EXPECT_EQ(MAX_SQ, p.sq_entries);
	EXPECT_RES(0, setup_sizes(IORING_SETUP_CLAMP, 3, 0, &p));
	EXPECT_EQ(4, p.sq_entries);
	EXPECT_RES(0, setup_sizes(IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE, 1, UINT_MAX, &p));
	EXPECT_EQ(1, p.sq_entries);
	EXPECT_EQ(MAX_CQ, p.cq_entries);

	/* Too little is not helped. */
	EXPECT_RES(-EINVAL, setup_sizes(IORING_SETUP_CLAMP, 0, 0, &p));
	EXPECT_RES(-EINVAL, setup_sizes(IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE, 1, 0, &p));
}

TEST(cqsize)
{
	static const struct {
		unsigned int sq, cq;
		int res;
		unsigned int got;
	} cases[] = {
		{ 1, 1, 0, 1 },
		{ 1, 2, 0, 2 },
		{ 1, 3, 0, 4 },
		{ 1, MAX_CQ, 0, MAX_CQ },
		{ 1, MAX_CQ - 1, 0, MAX_CQ },
		{ 8, 8, 0, 8 },
		{ 5, 5, 0, 8 },			/* compared after rounding */
		{ 8, 5, 0, 8 },
		{ 8, 4, -EINVAL, 0 },
		{ 8, 1, -EINVAL, 0 },
		{ 5, 4, -EINVAL, 0 },
		{ 1, 0, -EINVAL, 0 },
		{ 1, MAX_CQ + 1, -EINVAL, 0 },
		{ MAX_SQ, MAX_SQ, 0, MAX_SQ },
	};
	struct io_uring_params p;
	unsigned int i;
	char what[32];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(what, sizeof(what), "sq %u cq %u", cases[i].sq, cases[i].cq);
		EXPECT_RES_OF(what, cases[i].res,
			      setup_sizes(IORING_SETUP_CQSIZE, cases[i].sq, cases[i].cq, &p));
		if (!cases[i].res)
			EXPECT_EQ(cases[i].got, p.cq_entries);
	}
}

TEST(cqe_mixed_needs_two_slots)
{
	struct io_uring_params p;

	NEEDS_73(has_setup_flags(IORING_SETUP_CQE_MIXED));
	EXPECT_RES(-EOVERFLOW, setup_sizes(IORING_SETUP_CQE_MIXED | IORING_SETUP_CQSIZE, 1, 1, &p));
	EXPECT_RES(0, setup_sizes(IORING_SETUP_CQE_MIXED, 1, 0, &p));
}

TEST(sqe_mixed_needs_two_slots)
{
	struct io_uring_params p;

	NEEDS_73(has_setup_flags(IORING_SETUP_SQE_MIXED));
	EXPECT_RES(-EOVERFLOW, setup_sizes(IORING_SETUP_SQE_MIXED, 1, 0, &p));
	EXPECT_RES(0, setup_sizes(IORING_SETUP_SQE_MIXED, 2, 0, &p));
}

TEST(unknown_flags)
{
	unsigned int bit;

	for (bit = 21; bit < 32; bit++)
		EXPECT_RES_OF(res_name(bit), -EINVAL, try_setup(8, 1u << bit));
	EXPECT_RES(-EINVAL, try_setup(8, UINT_MAX));
}

/* The rules of flag combinations, as data. */
static const struct {
	unsigned int flag, needs_one_of, excludes;
} flag_rules[] = {
	{ IORING_SETUP_SQPOLL, 0,
	  IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_DEFER_TASKRUN |
	  IORING_SETUP_SQ_REWIND },
	{ IORING_SETUP_SQ_AFF, IORING_SETUP_SQPOLL, 0 },
	{ IORING_SETUP_TASKRUN_FLAG, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN, 0 },
	{ IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_SINGLE_ISSUER, 0 },
	{ IORING_SETUP_REGISTERED_FD_ONLY, IORING_SETUP_NO_MMAP, 0 },
	{ IORING_SETUP_HYBRID_IOPOLL, IORING_SETUP_IOPOLL, 0 },
	{ IORING_SETUP_SQE128, 0, IORING_SETUP_SQE_MIXED },
	{ IORING_SETUP_CQE32, 0, IORING_SETUP_CQE_MIXED },
	{ IORING_SETUP_SQ_REWIND, IORING_SETUP_NO_SQARRAY, 0 },
};

static int flags_result(unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flag_rules); i++) {
		if (!(flags & flag_rules[i].flag))
			continue;
		if (flags & flag_rules[i].excludes)
			return -EINVAL;
		if (flag_rules[i].needs_one_of && !(flags & flag_rules[i].needs_one_of))
			return -EINVAL;
	}
	return 0;
}

/*
 * The flags to combine, each with what it needs to be valid. The others
 * (CQSIZE, ATTACH_WQ, NO_MMAP) need arguments and have tests of their own.
 */
static const unsigned int carriers[] = {
	IORING_SETUP_IOPOLL,
	IORING_SETUP_SQPOLL,
	IORING_SETUP_SQ_AFF | IORING_SETUP_SQPOLL,
	IORING_SETUP_CLAMP,
	IORING_SETUP_R_DISABLED,
	IORING_SETUP_SUBMIT_ALL,
	IORING_SETUP_COOP_TASKRUN,
	IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_COOP_TASKRUN,
	IORING_SETUP_SQE128,
	IORING_SETUP_CQE32,
	IORING_SETUP_SINGLE_ISSUER,
	IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER,
	IORING_SETUP_NO_SQARRAY,
	IORING_SETUP_HYBRID_IOPOLL | IORING_SETUP_IOPOLL,
	IORING_SETUP_CQE_MIXED,
	IORING_SETUP_SQE_MIXED,
	IORING_SETUP_SQ_REWIND | IORING_SETUP_NO_SQARRAY,
};

#define NEWER_FLAGS	(IORING_SETUP_HYBRID_IOPOLL | IORING_SETUP_CQE_MIXED |	\
			 IORING_SETUP_SQE_MIXED | IORING_SETUP_SQ_REWIND)

/* Which of the flags that a kernel may lack does this one have to know? */
static unsigned int flags_to_try(void)
{
	unsigned int i, flags = 0;

	for (i = 0; i < ARRAY_SIZE(carriers); i++) {
		if (carriers[i] & NEWER_FLAGS && on_stock() && !has_setup_flags(carriers[i]))
			continue;
		flags |= carriers[i];
	}
	if (comes_later("sqpoll"))
		flags &= ~(IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF);
	if (comes_later("iopoll"))
		flags &= ~(IORING_SETUP_IOPOLL | IORING_SETUP_HYBRID_IOPOLL);
	return flags;
}

TEST(each_flag_where_it_is_valid)
{
	unsigned int i, known = flags_to_try();
	char what[32];

	for (i = 0; i < ARRAY_SIZE(carriers); i++) {
		if (carriers[i] & ~known)
			continue;
		snprintf(what, sizeof(what), "flags %#x", carriers[i]);
		EXPECT_RES_OF(what, 0, try_setup(8, carriers[i]));
	}
}

/* Every set of up to three flags is accepted or refused as the rules say. */
TEST(flag_combinations)
{
	unsigned int a, b, c, flags, known = flags_to_try() | IORING_SETUP_REGISTERED_FD_ONLY;
	char what[32];

	for (a = 0; a < 21; a++) {
		for (b = a; b < 21; b++) {
			for (c = b; c < 21; c++) {
				flags = 1u << a | 1u << b | 1u << c;
				if (flags & ~known)
					continue;
				snprintf(what, sizeof(what), "flags %#x", flags);
				EXPECT_RES_OF(what, flags_result(flags), try_setup(2, flags));
				if (_metadata->exit_code)
					return;
			}
		}
	}
}

TEST(all_compatible_flags_at_once)
{
	EXPECT_RES(0, try_setup(8, IORING_SETUP_CLAMP | IORING_SETUP_R_DISABLED |
				IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN |
				IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SQE128 |
				IORING_SETUP_CQE32 | IORING_SETUP_SINGLE_ISSUER |
				IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_NO_SQARRAY));
}

TEST(reserved_fields)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct io_uring_params p = {};

		p.resv[i] = 1;
		EXPECT_RES(-EINVAL, sys_setup(8, &p));
		p.resv[i] = 1u << 31;
		EXPECT_RES(-EINVAL, sys_setup(8, &p));
	}
}

TEST(bad_params_pointer)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	int before = count_fds();
	struct io_uring_params *p;
	char *two;

	EXPECT_RES(-EFAULT, sys_setup(8, NULL));
	EXPECT_RES(-EFAULT, sys_setup(8, BAD_PTR));
	EXPECT_RES(-EFAULT, sys_setup(8, KERNEL_PTR));

	two = anon_map(2 * page);
	ASSERT_NE(MAP_FAILED, (void *)two);
	ASSERT_EQ(0, munmap(two + page, page));
	p = (void *)(two + page - sizeof(*p) + 8);	/* the last word is missing */
	EXPECT_RES(-EFAULT, sys_setup(8, p));

	/* Readable only: everything is made, and must be undone. */
	ASSERT_EQ(0, mprotect(two, page, PROT_READ));
	EXPECT_RES(-EFAULT, sys_setup(8, (void *)two));
	EXPECT_EQ(before, count_fds());
}

TEST(params_are_handed_back)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CLAMP,
		.sq_thread_cpu = 77,
		.sq_thread_idle = 99,
		.wq_fd = 12345,		/* means nothing without ATTACH_WQ */
		.sq_off.resv1 = 5,
		.cq_off.resv1 = 5,
		.sq_off.user_addr = 1,	/* means nothing without NO_MMAP */
		.cq_off.user_addr = 1,
	};
	int fd = sys_setup(8, &p);

	ASSERT_LE(0, fd);
	EXPECT_EQ(IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CLAMP, p.flags);
	EXPECT_EQ(77, p.sq_thread_cpu);
	EXPECT_EQ(99, p.sq_thread_idle);
	EXPECT_EQ(0, p.sq_off.resv1);
	EXPECT_EQ(0, p.cq_off.resv1);
	EXPECT_EQ(0, p.sq_off.user_addr);
	EXPECT_EQ(0, p.cq_off.user_addr);
	close(fd);
}

/* Features that stand for pieces which may come later. */
static unsigned int later_features(void)
{
	static const struct {
		const char *piece;
		unsigned int feature;
	} pieces[] = {
		{ "sqpoll", IORING_FEAT_SQPOLL_NONFIXED },
		{ "buffers", IORING_FEAT_RSRC_TAGS },
		{ "bundles", IORING_FEAT_RECVSEND_BUNDLE },
		{ "rw_attr", IORING_FEAT_RW_ATTR },
	};
	unsigned int i, later = 0;

	for (i = 0; i < ARRAY_SIZE(pieces); i++)
		if (comes_later(pieces[i].piece))
			later |= pieces[i].feature;
	return later;
}

TEST(features_of_612)
{
	unsigned int known = 0xffff & ~later_features();

	EXPECT_EQ(known, features() & 0xffff);
}

TEST(features_of_73)
{
	NEEDS_73(is_73());
	EXPECT_EQ(0x3ffff & ~later_features(), features());
}

/* Liburing computes the size of caller memory with these. */
TEST(offsets)
{
	static const unsigned int sizes[] = { 1, 2, 4, 16, 64, 4096, MAX_SQ };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct io_uring_params p = {};
		int fd = sys_setup(sizes[i], &p);

		ASSERT_LE(0, fd);
		EXPECT_EQ(0, p.sq_off.head);
		EXPECT_EQ(4, p.sq_off.tail);
		EXPECT_EQ(8, p.cq_off.head);
		EXPECT_EQ(12, p.cq_off.tail);
		EXPECT_EQ(16, p.sq_off.ring_mask);
		EXPECT_EQ(20, p.cq_off.ring_mask);
		EXPECT_EQ(24, p.sq_off.ring_entries);
		EXPECT_EQ(28, p.cq_off.ring_entries);
		EXPECT_EQ(32, p.sq_off.dropped);
		EXPECT_EQ(36, p.sq_off.flags);
		EXPECT_EQ(40, p.cq_off.flags);
		EXPECT_EQ(44, p.cq_off.overflow);
		EXPECT_EQ(64, p.cq_off.cqes);
		EXPECT_EQ((64 + 16 * p.cq_entries + 63) / 64 * 64, p.sq_off.array);
		close(fd);
	}
}

TEST(array_offset_of_wide_cqes)
{
	struct io_uring_params p = { .flags = IORING_SETUP_CQE32 };
	int fd = sys_setup(16, &p);

	ASSERT_LE(0, fd);
	EXPECT_EQ(64, p.cq_off.cqes);
	EXPECT_LE(p.cq_off.cqes + 32 * p.cq_entries, p.sq_off.array);
	EXPECT_EQ(0, p.sq_off.array % 4);
	close(fd);
}

TEST(fresh_ring_words)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 5, 0));
	EXPECT_EQ(7, *(unsigned int *)ring_word(&r, r.p.sq_off.ring_mask));
	EXPECT_EQ(15, *(unsigned int *)ring_word(&r, r.p.cq_off.ring_mask));
	EXPECT_EQ(8, *(unsigned int *)ring_word(&r, r.p.sq_off.ring_entries));
	EXPECT_EQ(16, *(unsigned int *)ring_word(&r, r.p.cq_off.ring_entries));
	EXPECT_EQ(0, *r.sq_head);
	EXPECT_EQ(0, *r.sq_tail);
	EXPECT_EQ(0, *r.sq_flags);
	EXPECT_EQ(0, *r.sq_dropped);
	EXPECT_EQ(0, *r.cq_head);
	EXPECT_EQ(0, *r.cq_tail);
	EXPECT_EQ(0, *r.cq_flags);
	EXPECT_EQ(0, *r.cq_overflow);
	ring_close(&r);
}

TEST(descriptor)
{
	struct io_uring_params p = {};
	struct stat a, b;
	char path[64], link[64] = {};
	int fd, other;

	fd = sys_setup(8, &p);
	ASSERT_LE(0, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	EXPECT_EQ(O_RDWR, fcntl(fd, F_GETFL) & O_ACCMODE);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ASSERT_LT(0, readlink(path, link, sizeof(link) - 1));
	EXPECT_STREQ("anon_inode:[io_uring]", link);

	p = (struct io_uring_params){};
	other = sys_setup(8, &p);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, fstat(fd, &a));
	ASSERT_EQ(0, fstat(other, &b));
	EXPECT_NE(a.st_ino, b.st_ino);

	/* It is no file to read from or write to. */
	EXPECT_RES(-EINVAL, res_of(read(fd, &p, 1)));
	EXPECT_RES(-EINVAL, res_of(write(fd, &p, 1)));
	close(other);
	close(fd);
}

TEST(no_free_descriptor)
{
	struct rlimit old, limit;
	int fd;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	fd = dup(0);
	ASSERT_LE(0, fd);
	close(fd);
	limit = old;
	limit.rlim_cur = fd;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_RES(-EMFILE, try_setup(8, 0));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_RES(0, try_setup(8, 0));
}

static int attach(unsigned int flags, int wq_fd)
{
	struct io_uring_params p = { .flags = flags | IORING_SETUP_ATTACH_WQ, .wq_fd = wq_fd };
	int fd = sys_setup(8, &p);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

TEST(attach_wq_checks_its_descriptor)
{
	int file = open("/dev/null", O_RDWR), event = eventfd(0, 0);
	struct ring r;

	ASSERT_LE(0, file);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, ring_open(&r, 8, 0));
	EXPECT_RES(0, attach(0, r.fd));
	EXPECT_RES(-ENXIO, attach(0, -1));
	EXPECT_RES(-ENXIO, attach(0, 1000));
	EXPECT_RES(-EINVAL, attach(0, file));
	EXPECT_RES(-EINVAL, attach(0, event));
	ring_close(&r);
	EXPECT_RES(-ENXIO, attach(0, r.fd));
}

TEST(attach_wq_with_sqpoll)
{
	struct ring plain, polled;

	NEEDS_PIECE("sqpoll");
	ASSERT_EQ(0, ring_open(&plain, 8, 0));
	ASSERT_EQ(0, ring_open(&polled, 8, IORING_SETUP_SQPOLL));
	EXPECT_RES(0, attach(IORING_SETUP_SQPOLL, polled.fd));
	EXPECT_RES(0, attach(0, polled.fd));
	EXPECT_RES(-EINVAL, attach(IORING_SETUP_SQPOLL, plain.fd));
	EXPECT_RES(-ENXIO, attach(IORING_SETUP_SQPOLL, -1));
	ring_close(&polled);
	ring_close(&plain);
}

TEST(sq_thread_cpu)
{
	struct io_uring_params p = { .flags = IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF };
	int fd;

	NEEDS_PIECE("sqpoll");
	fd = sys_setup(8, &p);
	ASSERT_LE(0, fd);
	close(fd);
	p = (struct io_uring_params){ .flags = IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF,
				      .sq_thread_cpu = 1u << 30 };
	EXPECT_RES(-EINVAL, sys_setup(8, &p));
	p = (struct io_uring_params){ .flags = IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF,
				      .sq_thread_cpu = UINT_MAX };
	EXPECT_RES(-EINVAL, sys_setup(8, &p));
	/* Without SQ_AFF the number is not looked at. */
	p = (struct io_uring_params){ .flags = IORING_SETUP_SQPOLL, .sq_thread_cpu = 1u << 30 };
	fd = sys_setup(8, &p);
	EXPECT_LE(0, fd);
	close(fd);
}

/* Refused early, late, and granted: the number of descriptors tells. */
TEST(failures_leave_no_descriptor)
{
	int i, before = count_fds();

	for (i = 0; i < 50; i++) {
		try_setup(0, 0);
		try_setup(8, IORING_SETUP_DEFER_TASKRUN);
		try_setup(8, IORING_SETUP_NO_MMAP);
		attach(0, -1);
		try_setup(8, 0);
	}
	EXPECT_EQ(before, count_fds());
}

/* Many rings made and closed in a row: memory comes back. */
TEST(rings_come_and_go)
{
	int i;

	for (i = 0; i < 500; i++) {
		struct ring r;

		ASSERT_EQ(0, ring_open(&r, 1024, i & 1 ? DEFER_FLAGS : 0));
		sqe_nop(&r, i);
		EXPECT_RES(0, ring_run(&r));
		ring_close(&r);
	}
}

/*
 * Which of two faults is reported. Codes: params unreadable -EFAULT, value
 * checks -EINVAL, caller memory -EFAULT, wq_fd -ENXIO.
 */
TEST(setup_checks_ordering)
{
	struct io_uring_params p;

	/* The pointer is looked at before the number of entries. */
	EXPECT_RES(-EFAULT, sys_setup(0, NULL));

	/* Values come before caller memory and before wq_fd. */
	EXPECT_RES(-EINVAL, try_setup(0, IORING_SETUP_NO_MMAP));
	EXPECT_RES(-EINVAL, attach(1u << 31, -1));
	EXPECT_RES(-EINVAL, attach(IORING_SETUP_DEFER_TASKRUN, -1));
	EXPECT_RES(-EINVAL, try_setup(8, IORING_SETUP_NO_MMAP | IORING_SETUP_TASKRUN_FLAG));
	p = (struct io_uring_params){ .flags = IORING_SETUP_NO_MMAP | IORING_SETUP_CQSIZE };
	EXPECT_RES(-EINVAL, sys_setup(8, &p));
	p = (struct io_uring_params){ .flags = IORING_SETUP_NO_MMAP, .resv = { 1 } };
	EXPECT_RES(-EINVAL, sys_setup(8, &p));

	/* Caller memory comes before wq_fd. */
	EXPECT_RES(-EFAULT, attach(IORING_SETUP_NO_MMAP, -1));
}

TEST(setup_checks_ordering_of_mixed)
{
	NEEDS_73(has_setup_flags(IORING_SETUP_SQE_MIXED));
	/* Rules, then sizes, then caller memory. */
	EXPECT_RES(-EINVAL, try_setup(1, IORING_SETUP_SQE_MIXED | IORING_SETUP_SQE128));
	EXPECT_RES(-EINVAL, try_setup(0, IORING_SETUP_SQE_MIXED));
	EXPECT_RES(-EOVERFLOW, try_setup(1, IORING_SETUP_SQE_MIXED | IORING_SETUP_NO_MMAP));
}

TEST_HARNESS_MAIN
