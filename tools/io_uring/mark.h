/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a measurement begins and ends: instructions that do nothing, for tcg_count.c to see.
 */
#ifndef IO_URING_MARK_H
#define IO_URING_MARK_H

#define MARK_BEGIN	0x10be5c01
#define MARK_END	0x10be5c02

#define MARK_STR_(x)	#x
#define MARK_STR(x)	MARK_STR_(x)

static inline __attribute__((unused)) void mark_begin_here(void)
{
	__asm__ volatile("nopl " MARK_STR(MARK_BEGIN) "(%%rax)" ::: "memory");
}

static inline __attribute__((unused)) void mark_end_here(void)
{
	__asm__ volatile("nopl " MARK_STR(MARK_END) "(%%rax)" ::: "memory");
}

#endif
