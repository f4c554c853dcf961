// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of shared memory regions and of the accounting behind them: sizes, addresses and
 * descriptors that must be refused and by which errno, and that every failure gives back what it
 * took. Mapping into user space needs a ring file and is tested by the selftests.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/uaccess.h>

#include "../account.h"
#include "../region.h"

/* The largest region, and the first size that is one page too long for it */
#define MAX_PAGES	((u64)INT_MAX)
#define MAX_SIZE	(MAX_PAGES << PAGE_SHIFT)
#define OVER_SIZE	((MAX_PAGES + 1) << PAGE_SHIFT)

/* An address that is aligned and never read: the cases below fail before */
#define SOME_ADDR	(16ul * PAGE_SIZE)
#define LAST_PAGE	(ULONG_MAX & PAGE_MASK)

static void expect_absent(struct kunit *test, const struct io_region *r)
{
	KUNIT_EXPECT_FALSE(test, io_region_present(r));
	KUNIT_EXPECT_NULL(test, r->pages);
	KUNIT_EXPECT_NULL(test, r->ptr);
	KUNIT_EXPECT_EQ(test, r->nr_pages, 0);
	KUNIT_EXPECT_EQ(test, r->flags, 0);
}

/* An account of nobody else's, as a task without CAP_IPC_LOCK has it */
struct test_account {
	struct user_struct user;
	struct io_account acct;
};

static struct test_account *make_account(struct kunit *test)
{
	struct test_account *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->acct.user = &t->user;
	t->acct.mm = &init_mm;
	return t;
}

static long locked_pages(const struct test_account *t)
{
	return atomic_long_read(&t->user.locked_vm);
}

static unsigned long limit_pages(void)
{
	return rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
}

static void region_alloc_sizes(struct kunit *test)
{
	static const struct {
		size_t size;
		unsigned int nr_pages;
	} cases[] = {
		{ 1, 1 },
		{ PAGE_SIZE - 1, 1 },
		{ PAGE_SIZE, 1 },
		{ PAGE_SIZE + 1, 2 },
		{ 3 * PAGE_SIZE, 3 },
		{ 17 * PAGE_SIZE - 1, 17 },
		/* beyond what the page allocator gives in one piece */
		{ (PAGE_SIZE << MAX_PAGE_ORDER) + 1, (1u << MAX_PAGE_ORDER) + 1 },
	};
	struct io_region r = { };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t bytes = (size_t)cases[i].nr_pages << PAGE_SHIFT;

		KUNIT_ASSERT_EQ(test, io_region_alloc(&r, cases[i].size), 0);
		KUNIT_EXPECT_TRUE(test, io_region_present(&r));
		KUNIT_EXPECT_EQ(test, r.nr_pages, cases[i].nr_pages);
		KUNIT_EXPECT_EQ(test, r.flags & IO_REGION_USER, 0);
		KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(r.ptr));
		KUNIT_EXPECT_NULL(test, memchr_inv(r.ptr, 0, bytes));

		/* what is written through ptr is in the page of the same index */
		for (j = 0; j < r.nr_pages; j++)
			*(unsigned int *)(r.ptr + j * PAGE_SIZE) = j + 1;
		for (j = 0; j < r.nr_pages; j++) {
			unsigned int *word = kmap_local_page(r.pages[j]);

			KUNIT_EXPECT_EQ(test, *word, j + 1);
			kunmap_local(word);
			KUNIT_EXPECT_EQ(test, page_count(r.pages[j]), 1);
		}

		io_region_free(&r, NULL);
		expect_absent(test, &r);
	}
}

static void region_alloc_refuses(struct kunit *test)
{
	struct io_region r = { };

	KUNIT_EXPECT_EQ(test, io_region_alloc(&r, 0), -EINVAL);
	expect_absent(test, &r);

#if BITS_PER_LONG == 64
	KUNIT_EXPECT_EQ(test, io_region_alloc(&r, OVER_SIZE), -E2BIG);
	KUNIT_EXPECT_EQ(test, io_region_alloc(&r, MAX_SIZE + 1), -E2BIG);
	KUNIT_EXPECT_EQ(test, io_region_alloc(&r, SIZE_MAX), -E2BIG);
	KUNIT_EXPECT_EQ(test, io_region_alloc(&r, MAX_SIZE), -ENOMEM);
	KUNIT_EXPECT_EQ(test, io_region_alloc(&r, MAX_SIZE - 1), -ENOMEM);
#else
	KUNIT_EXPECT_EQ(test, io_region_alloc(&r, SIZE_MAX), -ENOMEM);
#endif
	expect_absent(test, &r);
}

/* Whoever maps a page keeps it, also when the region is gone. */
static void region_free_keeps_referenced_pages(struct kunit *test)
{
	struct io_region r = { };
	struct page *page;
	char *mem;

	KUNIT_ASSERT_EQ(test, io_region_alloc(&r, 4 * PAGE_SIZE), 0);
	memset(r.ptr, 0xa5, 4 * PAGE_SIZE);
	page = r.pages[2];
	get_page(page);
	io_region_free(&r, NULL);

	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	mem = kmap_local_page(page);
	KUNIT_EXPECT_NULL(test, memchr_inv(mem, 0xa5, PAGE_SIZE));
	kunmap_local(mem);
	put_page(page);
}

static void region_free_absent(struct kunit *test)
{
	struct io_region r = { };

	io_region_free(&r, NULL);
	expect_absent(test, &r);
}

static void region_pin_refuses(struct kunit *test)
{
	static const struct {
		unsigned long uaddr;
		size_t size;
		int ret;
	} cases[] = {
		{ 0, PAGE_SIZE, -EFAULT },
		{ 0, 0, -EFAULT },
		{ SOME_ADDR + 1, PAGE_SIZE, -EINVAL },
		{ SOME_ADDR + PAGE_SIZE - 1, PAGE_SIZE, -EINVAL },
		{ SOME_ADDR, 0, -EINVAL },
		{ LAST_PAGE, PAGE_SIZE, -EOVERFLOW },
		{ LAST_PAGE, SIZE_MAX, -EOVERFLOW },
		{ SOME_ADDR, SIZE_MAX, -EOVERFLOW },
		{ SOME_ADDR, -SOME_ADDR, -EOVERFLOW },
		/* the last byte that does not wrap is still no user memory */
		{ LAST_PAGE, PAGE_SIZE - 1, -EFAULT },
#if BITS_PER_LONG == 64
		{ SOME_ADDR, OVER_SIZE, -E2BIG },
		{ SOME_ADDR, MAX_SIZE + 1, -E2BIG },
		{ LAST_PAGE - MAX_SIZE, MAX_SIZE, -EFAULT },
#endif
	};
	struct io_region r = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, io_region_pin(&r, cases[i].uaddr, cases[i].size),
				    cases[i].ret, "case %u", i);
		expect_absent(test, &r);
	}
}

static unsigned long map_user(struct kunit *test, unsigned long prot)
{
	unsigned long addr;

	addr = kunit_vm_mmap(test, NULL, 0, 8 * PAGE_SIZE, prot,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE_MSG(test, addr, 0, "no user memory");
	return addr;
}

static void region_pin_user_memory(struct kunit *test)
{
	unsigned long addr = map_user(test, PROT_READ | PROT_WRITE);
	struct io_region r = { };
	u32 word;

	KUNIT_ASSERT_EQ(test, put_user(1234u, (u32 __user *)(addr + 2 * PAGE_SIZE)), 0);

	/* rounded up to three pages */
	KUNIT_ASSERT_EQ(test, io_region_pin(&r, addr, 2 * PAGE_SIZE + 1), 0);
	KUNIT_EXPECT_EQ(test, r.nr_pages, 3);
	KUNIT_EXPECT_EQ(test, r.flags & IO_REGION_USER, IO_REGION_USER);
	KUNIT_EXPECT_EQ(test, *(u32 *)(r.ptr + 2 * PAGE_SIZE), 1234);

	*(u32 *)(r.ptr + PAGE_SIZE) = 5678;
	KUNIT_ASSERT_EQ(test, get_user(word, (u32 __user *)(addr + PAGE_SIZE)), 0);
	KUNIT_EXPECT_EQ(test, word, 5678);

	io_region_free(&r, NULL);
	expect_absent(test, &r);
}

static void region_pin_needs_write_and_all_pages(struct kunit *test)
{
	unsigned long addr = map_user(test, PROT_READ | PROT_WRITE);
	unsigned long readonly = map_user(test, PROT_READ);
	struct io_region r = { };
	struct page *page;

	KUNIT_EXPECT_EQ(test, io_region_pin(&r, readonly, PAGE_SIZE), -EFAULT);
	expect_absent(test, &r);

	/* a hole behind two pages: those must not stay pinned */
	KUNIT_ASSERT_EQ(test, vm_munmap(addr + 2 * PAGE_SIZE, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, io_region_pin(&r, addr, 3 * PAGE_SIZE), -EFAULT);
	expect_absent(test, &r);

	KUNIT_ASSERT_EQ(test, get_user_pages_fast(addr, 1, 0, &page), 1);
	KUNIT_EXPECT_FALSE(test, folio_maybe_dma_pinned(page_folio(page)));
	put_page(page);
}

static void region_desc_refuses(struct kunit *test)
{
	enum { user = IORING_MEM_REGION_TYPE_USER };
	static const struct {
		struct io_uring_region_desc d;
		int ret;
	} cases[] = {
		{ { .size = PAGE_SIZE, .flags = 2 }, -EINVAL },
		{ { .size = PAGE_SIZE, .flags = 1u << 31 }, -EINVAL },
		{ { .size = PAGE_SIZE, .id = 1 }, -EINVAL },
		{ { .size = PAGE_SIZE, .mmap_offset = 1 }, -EINVAL },
		{ { .size = PAGE_SIZE, .__resv[0] = 1 }, -EINVAL },
		{ { .size = PAGE_SIZE, .__resv[3] = 1ull << 63 }, -EINVAL },
		{ { .size = PAGE_SIZE, .flags = user }, -EFAULT },
		{ { .size = PAGE_SIZE, .user_addr = SOME_ADDR }, -EFAULT },
		{ { }, -EINVAL },
		{ { .size = 1 }, -EINVAL },
		{ { .size = PAGE_SIZE + 8 }, -EINVAL },
		{ { .size = U64_MAX }, -EINVAL },
		{ { .flags = user, .user_addr = SOME_ADDR }, -EINVAL },
		{ { .size = PAGE_SIZE, .flags = user, .user_addr = SOME_ADDR + 8 }, -EINVAL },
		{ { .size = -(u64)SOME_ADDR, .flags = user, .user_addr = SOME_ADDR }, -EOVERFLOW },
		{ { .size = PAGE_SIZE, .flags = user, .user_addr = -(u64)PAGE_SIZE }, -EOVERFLOW },
#if BITS_PER_LONG == 64
		{ { .size = OVER_SIZE }, -E2BIG },
		{ { .size = -(u64)PAGE_SIZE }, -E2BIG },
		{ { .size = OVER_SIZE, .flags = user, .user_addr = SOME_ADDR }, -E2BIG },
#else
		{ { .size = 1ull << 32 }, -EOVERFLOW },
		{ { .size = PAGE_SIZE, .flags = user, .user_addr = 1ull << 32 }, -EOVERFLOW },
#endif
	};
	struct test_account *t = make_account(test);
	struct io_region r = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, io_region_from_desc(&r, &t->acct, &cases[i].d),
				    cases[i].ret, "case %u", i);
		expect_absent(test, &r);
		KUNIT_EXPECT_EQ(test, locked_pages(t), 0);
	}
}

static void region_desc_charges(struct kunit *test)
{
	struct io_uring_region_desc d = { .size = 5 * PAGE_SIZE };
	struct test_account *t = make_account(test);
	s64 pinned = atomic64_read(&init_mm.pinned_vm);
	struct io_region r = { };

	KUNIT_ASSERT_EQ(test, io_region_from_desc(&r, &t->acct, &d), 0);
	KUNIT_EXPECT_EQ(test, r.nr_pages, 5);
	KUNIT_EXPECT_EQ(test, locked_pages(t), 5);
	KUNIT_EXPECT_EQ(test, atomic64_read(&init_mm.pinned_vm), pinned);
	io_region_free(&r, &t->acct);
	KUNIT_EXPECT_EQ(test, locked_pages(t), 0);

	/* nobody is charged without an account */
	KUNIT_ASSERT_EQ(test, io_region_from_desc(&r, NULL, &d), 0);
	io_region_free(&r, NULL);
}

static void region_desc_gives_charge_back(struct kunit *test)
{
	struct io_uring_region_desc d = {
		.flags = IORING_MEM_REGION_TYPE_USER,
		.user_addr = map_user(test, PROT_READ),
		.size = 2 * PAGE_SIZE,
	};
	struct test_account *t = make_account(test);
	struct io_region r = { };

	KUNIT_EXPECT_EQ(test, io_region_from_desc(&r, &t->acct, &d), -EFAULT);
	expect_absent(test, &r);
	KUNIT_EXPECT_EQ(test, locked_pages(t), 0);

	/* over the limit fails before the address is looked at */
	atomic_long_set(&t->user.locked_vm, limit_pages() - 1);
	KUNIT_EXPECT_EQ(test, io_region_from_desc(&r, &t->acct, &d), -ENOMEM);
	expect_absent(test, &r);
	KUNIT_EXPECT_EQ(test, locked_pages(t), limit_pages() - 1);
}

static void account_limit(struct kunit *test)
{
	struct test_account *t = make_account(test);
	unsigned long limit = limit_pages();
	s64 pinned = atomic64_read(&init_mm.pinned_vm);

	KUNIT_ASSERT_GT(test, limit, 4);
	KUNIT_ASSERT_LT_MSG(test, limit, LONG_MAX >> PAGE_SHIFT, "test needs a memlock limit");

	KUNIT_EXPECT_EQ(test, io_account_pages(&t->acct, limit - 1), 0);
	KUNIT_EXPECT_EQ(test, io_account_pages(&t->acct, 2), -ENOMEM);
	KUNIT_EXPECT_EQ(test, io_account_pages(&t->acct, ULONG_MAX), -ENOMEM);
	KUNIT_EXPECT_EQ(test, io_account_locked(&t->acct, LONG_MAX), -ENOMEM);
	KUNIT_EXPECT_EQ(test, locked_pages(t), limit - 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&init_mm.pinned_vm), pinned + limit - 1);

	KUNIT_EXPECT_EQ(test, io_account_locked(&t->acct, 1), 0);
	KUNIT_EXPECT_EQ(test, io_account_locked(&t->acct, 1), -ENOMEM);
	KUNIT_EXPECT_EQ(test, io_account_locked(&t->acct, 0), 0);
	KUNIT_EXPECT_EQ(test, locked_pages(t), limit);

	io_unaccount_locked(&t->acct, 1);
	io_unaccount_pages(&t->acct, limit - 1);
	KUNIT_EXPECT_EQ(test, locked_pages(t), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&init_mm.pinned_vm), pinned);
}

/* A creator with CAP_IPC_LOCK, which the test thread has, is not charged. */
static void account_privileged(struct kunit *test)
{
	s64 pinned = atomic64_read(&init_mm.pinned_vm);
	struct io_account acct = { .mm = &init_mm };

	KUNIT_EXPECT_EQ(test, io_account_pages(&acct, ULONG_MAX), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&init_mm.pinned_vm), pinned);
	io_unaccount_pages(&acct, ULONG_MAX);
	KUNIT_EXPECT_EQ(test, atomic64_read(&init_mm.pinned_vm), pinned);
}

/* An account holds the address space, not the memory in it. */
static void account_init_exit(struct kunit *test)
{
	struct io_account acct = { };
	int count;

	/* gives the test thread an address space */
	map_user(test, PROT_READ);
	count = atomic_read(&current->mm->mm_count);

	io_account_init(&acct);
	KUNIT_EXPECT_NULL(test, acct.user);
	KUNIT_EXPECT_PTR_EQ(test, acct.mm, current->mm);
	KUNIT_EXPECT_EQ(test, atomic_read(&current->mm->mm_count), count + 1);

	io_account_exit(&acct);
	KUNIT_EXPECT_NULL(test, acct.mm);
	KUNIT_EXPECT_EQ(test, atomic_read(&current->mm->mm_count), count);
	io_account_exit(&acct);
}

static struct kunit_case region_cases[] = {
	KUNIT_CASE(region_alloc_sizes),
	KUNIT_CASE(region_alloc_refuses),
	KUNIT_CASE(region_free_keeps_referenced_pages),
	KUNIT_CASE(region_free_absent),
	KUNIT_CASE(region_pin_refuses),
	KUNIT_CASE(region_pin_user_memory),
	KUNIT_CASE(region_pin_needs_write_and_all_pages),
	KUNIT_CASE(region_desc_refuses),
	KUNIT_CASE(region_desc_charges),
	KUNIT_CASE(region_desc_gives_charge_back),
	KUNIT_CASE(account_limit),
	KUNIT_CASE(account_privileged),
	KUNIT_CASE(account_init_exit),
	{ }
};

static struct kunit_suite region_suite = {
	.name = "io_uring_region",
	.test_cases = region_cases,
};

kunit_test_suite(region_suite);

MODULE_DESCRIPTION("KUnit tests of io_uring memory regions");
MODULE_LICENSE("GPL");
