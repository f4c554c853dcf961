/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounting of the memory that user space makes the kernel keep or pin.
 */
#ifndef IO_URING_ACCOUNT_H
#define IO_URING_ACCOUNT_H

#include <linux/io_uring_types.h>

void io_account_init(struct io_account *acct);
void io_account_exit(struct io_account *acct);

int io_account_locked(struct io_account *acct, unsigned long nr_pages);
void io_unaccount_locked(struct io_account *acct, unsigned long nr_pages);

int io_account_pages(struct io_account *acct, unsigned long nr_pages);
void io_unaccount_pages(struct io_account *acct, unsigned long nr_pages);

#endif
