// SPDX-License-Identifier: GPL-2.0
/*
 * A foreign program for a while: fio's t/io_uring. How many operations it did is counted by the
 * reader of the counts, from calls of the operation's function.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "bench.h"

#define T_IO_URING	"/bin/io_uring"
#define RUN_MS		40

static int program_open(const struct load *l)
{
	return access(T_IO_URING, X_OK) ? -errno : 0;
}

static void program_run(const struct load *l, unsigned int ops)
{
	pid_t pid = fork();
	int null;

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		execl(T_IO_URING, "io_uring", "-b512", "-d128", "-s32", "-c32", "-N1", "-r5",
		      "/dev/null", NULL);
		_exit(127);
	}
	usleep(RUN_MS * 1000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void program_close(const struct load *l)
{
}

const struct load program_loads[] = {
	{ "t-io_uring-nop", 0, program_open, program_run, program_close },
	{ }
};
