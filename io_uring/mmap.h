/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapping the memory of a ring through its file.
 */
#ifndef IO_URING_MMAP_H
#define IO_URING_MMAP_H

#include <linux/types.h>

struct file;
struct vm_area_struct;

/* Offsets that user space does not know beforehand but gets from io_uring_region_desc */
#define IO_MMAP_OFF_PARAM	0x20000000ULL	/* the parameter region */

int io_mmap(struct file *file, struct vm_area_struct *vma);
unsigned long io_mmap_get_unmapped_area(struct file *file, unsigned long addr, unsigned long len,
					unsigned long pgoff, unsigned long flags);
#ifndef CONFIG_MMU
unsigned int io_mmap_capabilities(struct file *file);
#endif

#endif
