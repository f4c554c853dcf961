/* SPDX-License-Identifier: GPL-2.0 */
/* The little of <linux/bitmap.h> that host tests need */
#ifndef HOST_LINUX_BITMAP_H
#define HOST_LINUX_BITMAP_H

#include <linux/bits.h>

#define DECLARE_BITMAP(name, bits) \
	unsigned long name[((bits) + BITS_PER_LONG - 1) / BITS_PER_LONG]

static inline bool test_bit(unsigned int nr, const unsigned long *map)
{
	return map[nr / BITS_PER_LONG] & BIT(nr % BITS_PER_LONG);
}

static inline bool __test_and_set_bit(unsigned int nr, unsigned long *map)
{
	bool was_set = test_bit(nr, map);

	map[nr / BITS_PER_LONG] |= BIT(nr % BITS_PER_LONG);
	return was_set;
}

static inline void __clear_bit(unsigned int nr, unsigned long *map)
{
	map[nr / BITS_PER_LONG] &= ~BIT(nr % BITS_PER_LONG);
}

#define for_each_set_bit(nr, map, size)		\
	for ((nr) = 0; (nr) < (size); (nr)++)	\
		if (test_bit(nr, map))

#endif
