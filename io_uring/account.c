// SPDX-License-Identifier: GPL-2.0
/*
 * Accounting of the memory that user space makes the kernel keep or pin.
 *
 * Two counters, two levels:
 *
 *   locked  user_struct.locked_vm, limited by RLIMIT_MEMLOCK. Kernel memory
 *           that exists on behalf of the user: shared regions, notifications.
 *   pages   locked, plus mm->pinned_vm. Long-term pinned user pages:
 *           registered buffers.
 *
 * Whom to charge is decided once, when the ring is made; a struct io_account is
 * constant from then on and its counters are atomic, so there is no lock. A
 * charge comes before the memory it stands for, and is given back to the same
 * account. No request states are touched here.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/user_namespace.h>

#include "account.h"

/**
 * io_account_init() - decide whom to charge, from the current task
 * @acct: account to fill in
 *
 * A task with CAP_IPC_LOCK is not limited and so not charged. The question is
 * not a use of the privilege, hence no audit record.
 *
 * Context: process context of a task with an address space.
 */
void io_account_init(struct io_account *acct)
{
	bool unlimited = ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);

	acct->user = unlimited ? NULL : get_uid(current_user());
	acct->mm = current->mm;
	mmgrab(acct->mm);
}

/**
 * io_account_exit() - drop the references of an account
 * @acct: account with all charges given back; a zeroed one is accepted. It is
 *	left zeroed.
 *
 * Context: any context that may free an mm_struct; no locks needed.
 */
void io_account_exit(struct io_account *acct)
{
	free_uid(acct->user);
	if (acct->mm)
		mmdrop(acct->mm);
	*acct = (struct io_account) { };
}

/**
 * io_account_locked() - charge kernel memory against RLIMIT_MEMLOCK
 * @acct: account to charge
 * @nr_pages: amount, in pages
 *
 * Context: process context, since the limit is that of the current task.
 * Return: 0, or -ENOMEM if the limit would be exceeded; nothing is charged then.
 */
int io_account_locked(struct io_account *acct, unsigned long nr_pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	unsigned long sum;
	long locked;

	if (!acct->user)
		return 0;

	locked = atomic_long_read(&acct->user->locked_vm);
	do {
		if (check_add_overflow(locked, nr_pages, &sum) || sum > limit)
			return -ENOMEM;
	} while (!atomic_long_try_cmpxchg(&acct->user->locked_vm, &locked, sum));

	return 0;
}

/**
 * io_unaccount_locked() - give back what io_account_locked() charged
 * @acct: account that was charged
 * @nr_pages: amount, in pages
 *
 * Context: any.
 */
void io_unaccount_locked(struct io_account *acct, unsigned long nr_pages)
{
	if (acct->user)
		atomic_long_sub(nr_pages, &acct->user->locked_vm);
}

/**
 * io_account_pages() - charge pinned user pages
 * @acct: account to charge
 * @nr_pages: amount, in pages
 *
 * Besides RLIMIT_MEMLOCK this moves pinned_vm of the address space, which is
 * shown as VmPin and not limited.
 *
 * Context: process context, since the limit is that of the current task.
 * Return: 0, or -ENOMEM if the limit would be exceeded; nothing is charged then.
 */
int io_account_pages(struct io_account *acct, unsigned long nr_pages)
{
	int ret = io_account_locked(acct, nr_pages);

	if (!ret && acct->user)
		atomic64_add(nr_pages, &acct->mm->pinned_vm);
	return ret;
}

/**
 * io_unaccount_pages() - give back what io_account_pages() charged
 * @acct: account that was charged
 * @nr_pages: amount, in pages
 *
 * Context: any.
 */
void io_unaccount_pages(struct io_account *acct, unsigned long nr_pages)
{
	io_unaccount_locked(acct, nr_pages);
	if (acct->user)
		atomic64_sub(nr_pages, &acct->mm->pinned_vm);
}
