// SPDX-License-Identifier: GPL-2.0
/*
 * Run workloads between marks, for scripts/bench to count.
 *
 *	bench [PATTERN...]
 *
 * Prints one line per workload: name and "ops=N switches=N", with "waits=N" where sleeps per wait
 * are the point; or "skip: reason". Sections of the counter follow in the order of the lines that
 * are not skipped.
 */
#include <fnmatch.h>
#include <sys/resource.h>

#include "bench.h"

static const struct load *const families[] = {
	nop_loads, event_loads, net_loads, block_loads, cmd_loads, program_loads,
};

static long switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw;
}

static void measure(const struct load *l)
{
	int err = l->open(l);
	long before;

	if (err) {
		printf("bench: %s skip: %s\n", l->name, strerror(-err));
		return;
	}
	/* Once before, so that caches are filled and pages are there. */
	l->run(l, l->ops);
	before = switches();
	mark_begin_here();
	l->run(l, l->ops);
	mark_end_here();
	printf("bench: %s ops=%u switches=%ld", l->name, l->ops, switches() - before);
	if (l->waits)
		printf(" waits=%u", l->ops / l->waits);
	printf("\n");
	l->close(l);
}

static int run_named(const char *name)
{
	const struct load *l;
	unsigned int i;
	int found = 0;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		for (l = families[i]; l->name; l++) {
			if (name && fnmatch(name, l->name, 0))
				continue;
			measure(l);
			found = 1;
		}
	}
	return found;
}

int main(int argc, char **argv)
{
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall: %s", strerror(errno));
	if (argc < 2)
		return !run_named(NULL);
	for (i = 1; i < argc; i++)
		if (!run_named(argv[i]))
			die("no workload is called '%s'", argv[i]);
	return 0;
}
