// SPDX-License-Identifier: GPL-2.0
/*
 * Memory shared with user space: allocate or pin, account, map.
 *
 * A region is an array of pages that the kernel sees under one contiguous
 * address. There are two kinds:
 *
 *   own   allocated here, zeroed, and mapped by user space through the ring
 *         file. One physically contiguous run where memory allows, else single
 *         pages.
 *   user  pages of the caller's address space, pinned for long and for write.
 *
 * Either kind is reached through the linear map if its pages happen to be one
 * run of it, and through a vmap otherwise.
 *
 * Lifetime: every page of an own region is a separate page with a reference
 * of its own, and a user mapping holds further references. io_region_free()
 * thus only gives up the kernel's share: it may run under live mappings, whose
 * pages stay until the last one is gone.
 *
 * A region has no lock. Its owner publishes it complete, takes it away before
 * io_region_free(), and decides which lock finds it for io_region_map(); it is
 * constant in between. No request states are touched here.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "account.h"
#include "region.h"

/* Pages for @size bytes. The sum cannot wrap, unlike rounding up @size. */
static int io_region_count(size_t size, unsigned int *nr_pages)
{
	size_t nr = (size >> PAGE_SHIFT) + !!offset_in_page(size);

	if (!nr)
		return -EINVAL;
	if (nr > INT_MAX)
		return -E2BIG;
	*nr_pages = nr;
	return 0;
}

/* A huge count fails quietly: the array is sized by the user. */
static struct page **io_region_alloc_array(unsigned int nr_pages)
{
	return kvmalloc_array(nr_pages, sizeof(struct page *),
			      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

/* Fill @r->pages from one run of memory; worth a try, not worth an effort. */
static bool io_region_take_run(struct io_region *r, unsigned int nr_pages)
{
	struct page *first;
	void *run;

	run = alloc_pages_exact((size_t)nr_pages << PAGE_SHIFT,
				GFP_KERNEL_ACCOUNT | __GFP_ZERO |
				__GFP_NORETRY | __GFP_NOWARN);
	if (!run)
		return false;

	first = virt_to_page(run);
	for (; r->nr_pages < nr_pages; r->nr_pages++)
		r->pages[r->nr_pages] = first + r->nr_pages;
	return true;
}

/* Fill @r->pages with single pages. On failure @r owns those that it got. */
static bool io_region_take_pages(struct io_region *r, unsigned int nr_pages)
{
	for (; r->nr_pages < nr_pages; r->nr_pages++) {
		struct page *page;

		if (fatal_signal_pending(current))
			return false;
		page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!page)
			return false;
		r->pages[r->nr_pages] = page;
		cond_resched();
	}
	return true;
}

/* Are the pages one run of the linear map? */
static bool io_region_is_linear(const struct io_region *r)
{
	unsigned long pfn = page_to_pfn(r->pages[0]);
	unsigned int i;

	for (i = 0; i < r->nr_pages; i++) {
		if (PageHighMem(r->pages[i]) ||
		    page_to_pfn(r->pages[i]) != pfn + i)
			return false;
	}
	return true;
}

/* Give the pages of @r their common kernel address. */
static int io_region_set_ptr(struct io_region *r)
{
	if (io_region_is_linear(r)) {
		r->ptr = page_address(r->pages[0]);
		return 0;
	}

	/* Without MMU there is no second view of memory. */
	if (!IS_ENABLED(CONFIG_MMU))
		return -ENOMEM;

	r->ptr = vmap(r->pages, r->nr_pages, VM_MAP, PAGE_KERNEL);
	if (!r->ptr)
		return -ENOMEM;
	r->flags |= IO_REGION_VMAP;
	return 0;
}

/**
 * io_region_alloc() - make a region of zeroed kernel memory
 * @r: region to fill in; untouched on failure
 * @size: bytes, rounded up to pages
 *
 * The memory is charged to the memory cgroup of the current task, but not to
 * an account.
 *
 * Context: process context, sleeps.
 * Return: 0; -EINVAL if @size is 0; -E2BIG beyond INT_MAX pages; -ENOMEM.
 */
int io_region_alloc(struct io_region *r, size_t size)
{
	struct io_region new = { };
	unsigned int nr_pages;
	int ret;

	ret = io_region_count(size, &nr_pages);
	if (ret)
		return ret;
	/* Do not invoke the OOM killer for what can never fit. */
	if (nr_pages > totalram_pages())
		return -ENOMEM;

	new.pages = io_region_alloc_array(nr_pages);
	if (!new.pages)
		return -ENOMEM;

	ret = -ENOMEM;
	if (io_region_take_run(&new, nr_pages) ||
	    io_region_take_pages(&new, nr_pages))
		ret = io_region_set_ptr(&new);
	if (ret) {
		io_region_free(&new, NULL);
		return ret;
	}

	*r = new;
	return 0;
}

/**
 * io_region_pin() - make a region of memory of the current task
 * @r: region to fill in; untouched on failure
 * @uaddr: user address, page aligned
 * @size: bytes, rounded up to pages
 *
 * The content is kept as it is. Nothing is charged to an account.
 *
 * Context: process context, sleeps, takes mmap_lock for read.
 * Return: 0; -EFAULT if @uaddr is 0 or the range cannot be pinned for write;
 *	-EINVAL if @uaddr is unaligned or @size 0; -EOVERFLOW if the range
 *	wraps; -E2BIG beyond INT_MAX pages; -ENOMEM; what pinning returns.
 */
int io_region_pin(struct io_region *r, unsigned long uaddr, size_t size)
{
	struct io_region new = { .flags = IO_REGION_USER };
	unsigned int nr_pages;
	unsigned long end;
	int ret;

	if (!uaddr)
		return -EFAULT;
	if (offset_in_page(uaddr))
		return -EINVAL;
	if (check_add_overflow(uaddr, size, &end))
		return -EOVERFLOW;
	ret = io_region_count(size, &nr_pages);
	if (ret)
		return ret;
	/* Do not size an array after a range that cannot exist. */
	if (!access_ok((void __user *)uaddr, size))
		return -EFAULT;

	new.pages = io_region_alloc_array(nr_pages);
	if (!new.pages)
		return -ENOMEM;

	ret = pin_user_pages_fast(uaddr, nr_pages, FOLL_WRITE | FOLL_LONGTERM,
				  new.pages);
	if (ret > 0)
		new.nr_pages = ret;
	if (ret >= 0)
		ret = new.nr_pages == nr_pages ? io_region_set_ptr(&new)
					       : -EFAULT;
	if (ret) {
		io_region_free(&new, NULL);
		return ret;
	}

	*r = new;
	return 0;
}

/* Validate @d, all of which comes from user space, and count its pages. */
static int io_region_check_desc(const struct io_uring_region_desc *d,
				unsigned int *nr_pages)
{
	bool user = d->flags & IORING_MEM_REGION_TYPE_USER;
	unsigned long end;

	if (d->flags & ~IORING_MEM_REGION_TYPE_USER || d->id ||
	    d->mmap_offset || memchr_inv(d->__resv, 0, sizeof(d->__resv)))
		return -EINVAL;
	if (user != !!d->user_addr)
		return -EFAULT;
	if (!d->size || offset_in_page(d->size) || offset_in_page(d->user_addr))
		return -EINVAL;
	/* Also refuses 64-bit values that a 32-bit kernel cannot address. */
	if (check_add_overflow(d->user_addr, d->size, &end))
		return -EOVERFLOW;
	return io_region_count(d->size, nr_pages);
}

/**
 * io_region_from_desc() - make the region that a descriptor asks for
 * @r: region to fill in; untouched on failure
 * @acct: account to charge with the pages, NULL for none
 * @d: descriptor, already copied from user space; not written to
 *
 * Context: process context, sleeps, may take mmap_lock for read.
 * Return: 0; -EINVAL for unknown flags, non-zero reserved or output fields,
 *	size or address that is not page aligned, size 0; -EFAULT if an address
 *	is given without IORING_MEM_REGION_TYPE_USER or the other way round;
 *	-EOVERFLOW if the range wraps; -E2BIG beyond INT_MAX pages; -ENOMEM, also
 *	if RLIMIT_MEMLOCK would be exceeded; errors of io_region_pin().
 */
int io_region_from_desc(struct io_region *r, struct io_account *acct,
			const struct io_uring_region_desc *d)
{
	unsigned int nr_pages;
	int ret;

	ret = io_region_check_desc(d, &nr_pages);
	if (ret)
		return ret;

	if (acct) {
		ret = io_account_locked(acct, nr_pages);
		if (ret)
			return ret;
	}

	if (d->flags & IORING_MEM_REGION_TYPE_USER)
		ret = io_region_pin(r, d->user_addr, d->size);
	else
		ret = io_region_alloc(r, d->size);

	if (ret && acct)
		io_unaccount_locked(acct, nr_pages);
	return ret;
}

/**
 * io_region_free() - give up the kernel's share of a region
 * @r: region, also a zeroed or partly built one; left zeroed
 * @acct: account that io_region_from_desc() charged, NULL for none
 *
 * User mappings of the region stay valid, they hold references to its pages.
 * Nobody may use @r->ptr or be inside io_region_map() any more.
 *
 * Context: process context, sleeps.
 */
void io_region_free(struct io_region *r, struct io_account *acct)
{
	if (r->flags & IO_REGION_VMAP)
		vunmap(r->ptr);

	if (r->flags & IO_REGION_USER)
		unpin_user_pages(r->pages, r->nr_pages);
	else
		release_pages(r->pages, r->nr_pages);
	kvfree(r->pages);

	if (acct)
		io_unaccount_locked(acct, r->nr_pages);
	*r = (struct io_region) { };
}

#ifdef CONFIG_MMU

/**
 * io_region_map() - map a region into user space
 * @r: region; the caller's lock keeps it from being freed meanwhile
 * @vma: the new mapping, as passed to ->mmap()
 * @fit: what to do if @vma is shorter than the region
 *
 * Where @vma is longer than the region the rest stays empty: to touch it is a
 * SIGBUS, and VM_DONTEXPAND keeps mremap() from making it longer. Shared and
 * private mappings are both accepted.
 *
 * Context: process context, mmap_lock of @vma held for write, sleeps.
 * Return: 0; -EINVAL if @r is absent or consists of user pages, which are
 *	mapped already; -EFAULT if @vma is too short; -ENOMEM.
 */
int io_region_map(const struct io_region *r, struct vm_area_struct *vma,
		  enum io_region_fit fit)
{
	unsigned long nr_pages = r->nr_pages;

	if (!io_region_present(r) || r->flags & IO_REGION_USER)
		return -EINVAL;

	if (fit == IO_REGION_FIT_PREFIX)
		nr_pages = min(nr_pages, vma_pages(vma));
	else if (nr_pages > vma_pages(vma))
		return -EFAULT;

	vm_flags_set(vma, VM_DONTEXPAND);
	return vm_insert_pages(vma, vma->vm_start, r->pages, &nr_pages);
}

/**
 * io_region_get_unmapped_area() - find the address for a mapping of a region
 * @r: region; the caller's lock keeps it from being freed meanwhile
 * @addr: address asked for, must be 0
 * @len: bytes
 * @flags: MAP_*
 *
 * Kernel and user space write the same memory at the same time, so where
 * caches are indexed by virtual address both addresses need the same colour.
 * Architectures colour a shared mapping by its page offset; hence the kernel
 * address serves as the offset, and no file adds a colour of its own.
 *
 * Context: process context, mmap_lock of the current task held for write.
 * Return: the address; -EINVAL if @addr is not 0, or @r is absent or consists
 *	of user pages; -ENOMEM if the address space is full.
 */
unsigned long io_region_get_unmapped_area(const struct io_region *r,
					  unsigned long addr, unsigned long len,
					  unsigned long flags)
{
	unsigned long colour = (unsigned long)r->ptr >> PAGE_SHIFT;

	if (addr || !io_region_present(r) || r->flags & IO_REGION_USER)
		return -EINVAL;

	return mm_get_unmapped_area(current->mm, NULL, 0, len, colour,
				    flags | MAP_SHARED);
}

#else /* !CONFIG_MMU */

static void io_region_vma_close(struct vm_area_struct *vma)
{
	unsigned long addr;

	for (addr = vma->vm_start; addr < vma->vm_end; addr += PAGE_SIZE)
		put_page(virt_to_page((void *)addr));
}

/*
 * Without MMU a file mapping is only ever unmapped as a whole, never split or
 * copied, so one reference to each page taken by ->mmap() is enough.
 */
static const struct vm_operations_struct io_region_vm_ops = {
	.close	= io_region_vma_close,
};

/*
 * Without MMU user space uses the kernel address. The region may have changed
 * since that address was looked up, so it has to be compared.
 */
int io_region_map(const struct io_region *r, struct vm_area_struct *vma,
		  enum io_region_fit fit)
{
	unsigned int i;

	if (!io_region_present(r) || r->flags & IO_REGION_USER)
		return -EINVAL;
	if (!is_nommu_shared_mapping(vma->vm_flags) ||
	    vma->vm_start != (unsigned long)r->ptr ||
	    vma_pages(vma) != r->nr_pages)
		return -EINVAL;

	for (i = 0; i < r->nr_pages; i++)
		get_page(r->pages[i]);
	vma->vm_ops = &io_region_vm_ops;
	return 0;
}

/* The address of the region itself. */
unsigned long io_region_get_unmapped_area(const struct io_region *r,
					  unsigned long addr, unsigned long len,
					  unsigned long flags)
{
	if (addr || !io_region_present(r) || r->flags & IO_REGION_USER)
		return -EINVAL;
	return (unsigned long)r->ptr;
}

#endif /* CONFIG_MMU */
