/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory shared with user space: allocate or pin, account, map.
 */
#ifndef IO_URING_REGION_H
#define IO_URING_REGION_H

#include <linux/io_uring_types.h>

struct vm_area_struct;

/* io_region.flags */
#define IO_REGION_USER		BIT(0)	/* pages are pinned, else our own */
#define IO_REGION_VMAP		BIT(1)	/* ptr is a vmap, else the linear map */

/* What io_region_map() does with a mapping that is shorter than the region */
enum io_region_fit {
	IO_REGION_FIT_WHOLE,		/* refuse it */
	IO_REGION_FIT_PREFIX,		/* map the first pages */
};

/* Absent regions are all zero. */
static inline bool io_region_present(const struct io_region *r)
{
	return r->ptr;
}

int io_region_alloc(struct io_region *r, size_t size);
int io_region_pin(struct io_region *r, unsigned long uaddr, size_t size);
int io_region_from_desc(struct io_region *r, struct io_account *acct,
			const struct io_uring_region_desc *d);
void io_region_free(struct io_region *r, struct io_account *acct);

int io_region_map(const struct io_region *r, struct vm_area_struct *vma,
		  enum io_region_fit fit);
unsigned long io_region_get_unmapped_area(const struct io_region *r,
					  unsigned long addr, unsigned long len,
					  unsigned long flags);

#endif
