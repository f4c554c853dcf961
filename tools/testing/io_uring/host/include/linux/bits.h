/* SPDX-License-Identifier: GPL-2.0 */
/* The little of <linux/bits.h> that host tests need */
#ifndef HOST_LINUX_BITS_H
#define HOST_LINUX_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#define BIT(nr)		(1UL << (nr))
#define BITS_PER_LONG	(8 * (unsigned int)sizeof(long))

#endif
