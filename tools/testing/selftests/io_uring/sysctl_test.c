// SPDX-License-Identifier: GPL-2.0
/*
 * kernel.io_uring_disabled and kernel.io_uring_group: who may make rings. The
 * tests change the settings of the machine for a moment and put them back.
 */
#include <grp.h>

#include "common.h"

#define DISABLED	"/proc/sys/kernel/io_uring_disabled"
#define GROUP		"/proc/sys/kernel/io_uring_group"

#define SOME_USER	65534
#define OUR_GROUP	4242
#define OTHER_GROUP	4343

static int sysctl_get(const char *path)
{
	char buf[32] = {};
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, buf, sizeof(buf) - 1) <= 0)
		return INT_MIN;
	close(fd);
	return atoi(buf);
}

static int sysctl_set(const char *path, int value)
{
	char buf[32];
	int ret, fd = open(path, O_WRONLY);

	if (fd < 0)
		return -errno;
	snprintf(buf, sizeof(buf), "%d\n", value);
	ret = write(fd, buf, strlen(buf)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

FIXTURE(sysctl)
{
	int disabled, group;
};

FIXTURE_SETUP(sysctl)
{
	NEEDS_ROOT();
	self->disabled = sysctl_get(DISABLED);
	self->group = sysctl_get(GROUP);
	ASSERT_LE(0, self->disabled);
	ASSERT_NE(INT_MIN, self->group);
	if (self->disabled)
		SKIP(return, "io_uring is switched off here");
}

FIXTURE_TEARDOWN(sysctl)
{
	sysctl_set(DISABLED, self->disabled);
	sysctl_set(GROUP, self->group);
}

struct who {
	uid_t uid;
	gid_t gid, extra;
};

static int setup_as(void *arg)
{
	const struct who *who = arg;

	if (setgroups(!!who->extra, &who->extra) || setresgid(who->gid, who->gid, who->gid) ||
	    setresuid(who->uid, who->uid, who->uid))
		return 1;
	return -try_setup(8, 0);
}

static struct who root = { 0, 0, 0 };
static struct who user = { SOME_USER, OTHER_GROUP, 0 };
static struct who member = { SOME_USER, OUR_GROUP, 0 };
static struct who guest = { SOME_USER, OTHER_GROUP, OUR_GROUP };

/* What io_uring_setup() answers to each of them. */
#define EXPECT_GRANTED(r, u, m, g)					\
	do {								\
		EXPECT_RES(r, -in_child(setup_as, &root));		\
		EXPECT_RES(u, -in_child(setup_as, &user));		\
		EXPECT_RES(m, -in_child(setup_as, &member));		\
		EXPECT_RES(g, -in_child(setup_as, &guest));		\
	} while (0)

TEST_F(sysctl, zero_allows_everybody)
{
	EXPECT_EQ(0, sysctl_set(DISABLED, 0));
	EXPECT_EQ(0, sysctl_set(GROUP, -1));
	EXPECT_GRANTED(0, 0, 0, 0);
}

TEST_F(sysctl, one_allows_the_admin)
{
	EXPECT_EQ(0, sysctl_set(GROUP, -1));
	EXPECT_EQ(0, sysctl_set(DISABLED, 1));
	EXPECT_GRANTED(0, -EPERM, -EPERM, -EPERM);
}

TEST_F(sysctl, one_allows_the_group)
{
	EXPECT_EQ(0, sysctl_set(GROUP, OUR_GROUP));
	EXPECT_EQ(0, sysctl_set(DISABLED, 1));
	EXPECT_GRANTED(0, -EPERM, 0, 0);
	EXPECT_EQ(0, sysctl_set(GROUP, OTHER_GROUP));
	EXPECT_GRANTED(0, 0, -EPERM, 0);
}

TEST_F(sysctl, two_allows_nobody)
{
	EXPECT_EQ(0, sysctl_set(GROUP, OUR_GROUP));
	EXPECT_EQ(0, sysctl_set(DISABLED, 2));
	EXPECT_GRANTED(-EPERM, -EPERM, -EPERM, -EPERM);
}

TEST_F(sysctl, existing_rings_go_on)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	EXPECT_EQ(0, sysctl_set(DISABLED, 2));
	EXPECT_RES(-EPERM, try_setup(8, 0));
	sqe_nop(&r, 1);
	EXPECT_RES(0, ring_run(&r));
	EXPECT_EQ(0, sysctl_set(DISABLED, 0));
	EXPECT_RES(0, try_setup(8, 0));
	ring_close(&r);
}

TEST_F(sysctl, values)
{
	EXPECT_RES(-EINVAL, sysctl_set(DISABLED, -1));
	EXPECT_RES(-EINVAL, sysctl_set(DISABLED, 3));
	EXPECT_EQ(self->disabled, sysctl_get(DISABLED));
	EXPECT_EQ(0, sysctl_set(GROUP, OUR_GROUP));
	EXPECT_EQ(OUR_GROUP, sysctl_get(GROUP));
	EXPECT_EQ(0, sysctl_set(GROUP, -1));
	EXPECT_EQ(-1, sysctl_get(GROUP));
}

/* Permission comes before all arguments. */
TEST_F(sysctl, checks_ordering)
{
	struct io_uring_params p = { .flags = UINT_MAX };

	EXPECT_EQ(0, sysctl_set(DISABLED, 2));
	EXPECT_RES(-EPERM, sys_setup(8, NULL));
	EXPECT_RES(-EPERM, sys_setup(0, NULL));
	EXPECT_RES(-EPERM, sys_setup(8, &p));
}

TEST_HARNESS_MAIN
