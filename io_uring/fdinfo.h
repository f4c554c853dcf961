/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of a ring as text, in /proc/<pid>/fdinfo/<fd>.
 */
#ifndef IO_URING_FDINFO_H
#define IO_URING_FDINFO_H

struct file;
struct seq_file;

void io_fdinfo_show(struct seq_file *m, struct file *file);

#endif
