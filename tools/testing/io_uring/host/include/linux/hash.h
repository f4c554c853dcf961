/* SPDX-License-Identifier: GPL-2.0 */
/* A hash in place of that of <linux/hash.h> */
#ifndef HOST_LINUX_HASH_H
#define HOST_LINUX_HASH_H

#include <stdint.h>

static inline uint32_t hash_ptr(const void *ptr, unsigned int bits)
{
	return (uint64_t)(uintptr_t)ptr * 0x61c8864680b583ebULL >> (64 - bits);
}

#endif
