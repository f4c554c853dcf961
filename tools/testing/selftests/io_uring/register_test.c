// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring_register(): rules that hold for every opcode, registered ring
 * descriptors, enabling a ring, the clock. What is registered elsewhere has
 * tests of its own.
 */
#include <sys/eventfd.h>

#include "common.h"

#define USE_INDEX	IORING_REGISTER_USE_REGISTERED_RING

/* Opcodes that take neither argument nor number. */
static const unsigned int bare_ops[] = {
	IORING_UNREGISTER_BUFFERS, IORING_UNREGISTER_FILES, IORING_UNREGISTER_EVENTFD,
	IORING_REGISTER_PERSONALITY, IORING_REGISTER_ENABLE_RINGS, IORING_UNREGISTER_IOWQ_AFF,
};

FIXTURE(reg)
{
	struct ring r;
};

FIXTURE_SETUP(reg)
{
	ASSERT_EQ(0, ring_open(&self->r, 8, 0));
}

FIXTURE_TEARDOWN(reg)
{
	ring_close(&self->r);
}

TEST_F(reg, unknown_opcodes)
{
	static const unsigned int more[] = { 100, 255, 256, 1u << 16, 1u << 30, INT_MAX };
	unsigned int i, op;

	for (op = IORING_REGISTER_LAST; op < 80; op++) {
		EXPECT_RES_OF(res_name(op), -EINVAL, sys_register(self->r.fd, op, NULL, 0));
		EXPECT_RES_OF(res_name(op), -EINVAL, sys_register(0, op | USE_INDEX, NULL, 0));
	}
	for (i = 0; i < ARRAY_SIZE(more); i++)
		EXPECT_RES_OF(res_name(more[i]), -EINVAL,
			      sys_register(self->r.fd, more[i], NULL, 0));
}

TEST_F(reg, descriptor_is_no_ring)
{
	int event = eventfd(0, 0), path = open("/", O_PATH);
	unsigned int op;

	/* 31 and 35 know calls without a ring. */
	for (op = 0; op < IORING_REGISTER_SEND_MSG_RING; op++) {
		EXPECT_RES_OF(res_name(op), -EBADF, sys_register(1000, op, NULL, 0));
		EXPECT_RES_OF(res_name(op), -EBADF, sys_register(-5, op, NULL, 0));
		EXPECT_RES_OF(res_name(op), -EBADF, sys_register(path, op, NULL, 0));
		EXPECT_RES_OF(res_name(op), -EOPNOTSUPP, sys_register(event, op, NULL, 0));
	}
}

TEST_F(reg, no_ring_at_all)
{
	unsigned int op;

	NEEDS_73(sys_register(-1, IORING_REGISTER_EVENTFD, NULL, 0) != -EBADF);
	for (op = 0; op < IORING_REGISTER_LAST; op++) {
		if (op == IORING_REGISTER_RESTRICTIONS || op == IORING_REGISTER_SEND_MSG_RING ||
		    op == IORING_REGISTER_QUERY || op == IORING_REGISTER_BPF_FILTER)
			continue;
		EXPECT_RES_OF(res_name(op), -EINVAL, sys_register(-1, op, NULL, 0));
	}
}

TEST_F(reg, bare_opcodes)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bare_ops); i++) {
		EXPECT_RES_OF(res_name(bare_ops[i]), -EINVAL,
			      sys_register(self->r.fd, bare_ops[i], &self->r, 0));
		EXPECT_RES_OF(res_name(bare_ops[i]), -EINVAL,
			      sys_register(self->r.fd, bare_ops[i], NULL, 1));
	}
}

TEST_F(reg, enable_what_is_enabled)
{
	EXPECT_RES(-EBADFD, sys_register(self->r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0));
}

TEST(enable)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, IORING_SETUP_R_DISABLED));
	EXPECT_RES(-EINVAL, sys_register(r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 1));
	EXPECT_RES(-EINVAL, sys_register(r.fd, IORING_REGISTER_ENABLE_RINGS, &r, 0));
	EXPECT_RES(-EBADFD, sys_enter(r.fd, 0, 0, 0, NULL, 0));
	EXPECT_RES(0, sys_register(r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0));
	EXPECT_RES(0, sys_enter(r.fd, 0, 0, 0, NULL, 0));
	EXPECT_RES(-EBADFD, sys_register(r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0));
	ring_close(&r);
}

/* Registered ring descriptors */

static int reg_fds(int fd, unsigned int op, struct io_uring_rsrc_update *regs, unsigned int nr)
{
	return sys_register(fd, op, regs, nr);
}

static int reg_one(int fd, unsigned int offset, __u64 data)
{
	struct io_uring_rsrc_update reg = { .offset = offset, .data = data };

	return reg_fds(fd, IORING_REGISTER_RING_FDS, &reg, 1);
}

static int unreg_one(int fd, unsigned int offset)
{
	struct io_uring_rsrc_update reg = { .offset = offset };

	return reg_fds(fd, IORING_UNREGISTER_RING_FDS, &reg, 1);
}

static int enter_index(unsigned int index)
{
	return sys_enter(index, 0, 0, IORING_ENTER_REGISTERED_RING, NULL, 0);
}

TEST_F(reg, ring_fd)
{
	struct io_uring_rsrc_update reg = { .offset = UINT_MAX, .data = self->r.fd };
	unsigned int i;

	/* The first free slots, one after the other. */
	for (i = 0; i < 16; i++) {
		reg.offset = UINT_MAX;
		EXPECT_RES(1, reg_fds(self->r.fd, IORING_REGISTER_RING_FDS, &reg, 1));
		EXPECT_EQ(i, reg.offset);
		EXPECT_RES(0, enter_index(i));
	}
	reg.offset = UINT_MAX;
	EXPECT_RES(-EBUSY, reg_fds(self->r.fd, IORING_REGISTER_RING_FDS, &reg, 1));

	EXPECT_RES(1, unreg_one(self->r.fd, 7));
	EXPECT_RES(-EBADF, enter_index(7));
	reg.offset = UINT_MAX;
	EXPECT_RES(1, reg_fds(self->r.fd, IORING_REGISTER_RING_FDS, &reg, 1));
	EXPECT_EQ(7, reg.offset);
}

TEST_F(reg, ring_fd_at_a_slot)
{
	EXPECT_RES(1, reg_one(self->r.fd, 15, self->r.fd));
	EXPECT_RES(0, enter_index(15));
	EXPECT_RES(-EBADF, enter_index(0));
	EXPECT_RES(-EBUSY, reg_one(self->r.fd, 15, self->r.fd));
	EXPECT_RES(1, unreg_one(self->r.fd, 15));
	EXPECT_RES(1, reg_one(self->r.fd, 15, self->r.fd));
}

TEST_F(reg, ring_fd_of_another_ring)
{
	struct ring other;

	ASSERT_EQ(0, ring_open(&other, 8, IORING_SETUP_R_DISABLED));
	EXPECT_RES(1, reg_one(self->r.fd, 2, other.fd));
	EXPECT_RES(-EBADFD, enter_index(2));
	ring_close(&other);
	/* It lives on in the table. */
	EXPECT_RES(-EBADFD, enter_index(2));
	EXPECT_RES(0, sys_register(2, IORING_REGISTER_ENABLE_RINGS | USE_INDEX, NULL, 0));
	EXPECT_RES(0, enter_index(2));
}

TEST_F(reg, bad_ring_fds)
{
	struct io_uring_rsrc_update reg = { .offset = 0, .data = self->r.fd };
	const unsigned int op = IORING_REGISTER_RING_FDS;
	int event = eventfd(0, 0);

	EXPECT_RES(-EINVAL, reg_fds(self->r.fd, op, &reg, 0));
	EXPECT_RES(-EINVAL, reg_fds(self->r.fd, op, &reg, 17));
	EXPECT_RES(-EINVAL, reg_fds(self->r.fd, op, &reg, UINT_MAX));
	EXPECT_RES(-EFAULT, reg_fds(self->r.fd, op, NULL, 1));
	EXPECT_RES(-EFAULT, reg_fds(self->r.fd, op, BAD_PTR, 1));
	reg.resv = 1;
	EXPECT_RES(-EINVAL, reg_fds(self->r.fd, op, &reg, 1));
	EXPECT_RES(-EINVAL, reg_one(self->r.fd, 16, self->r.fd));
	EXPECT_RES(-EINVAL, reg_one(self->r.fd, UINT_MAX - 1, self->r.fd));
	EXPECT_RES(-EBADF, reg_one(self->r.fd, 0, 1000));
	EXPECT_RES(-EBADF, reg_one(self->r.fd, 0, -1));
	EXPECT_RES(-EOPNOTSUPP, reg_one(self->r.fd, 0, event));
	/* None of that took the slot. */
	EXPECT_RES(1, reg_one(self->r.fd, 0, self->r.fd));
}

TEST_F(reg, ring_fds_up_to_the_bad_one)
{
	struct io_uring_rsrc_update regs[4] = {
		{ .offset = UINT_MAX, .data = self->r.fd },
		{ .offset = 9, .data = self->r.fd },
		{ .offset = 16, .data = self->r.fd },
		{ .offset = 3, .data = self->r.fd },
	};

	EXPECT_RES(2, reg_fds(self->r.fd, IORING_REGISTER_RING_FDS, regs, 4));
	EXPECT_EQ(0, regs[0].offset);
	EXPECT_RES(0, enter_index(0));
	EXPECT_RES(0, enter_index(9));
	EXPECT_RES(-EBADF, enter_index(3));
}

TEST_F(reg, all_ring_fds_at_once)
{
	struct io_uring_rsrc_update regs[16];
	unsigned int i;

	for (i = 0; i < 16; i++)
		regs[i] = (struct io_uring_rsrc_update){ .offset = 15 - i, .data = self->r.fd };
	EXPECT_RES(16, reg_fds(self->r.fd, IORING_REGISTER_RING_FDS, regs, 16));
	for (i = 0; i < 16; i++) {
		EXPECT_RES(0, enter_index(i));
		regs[i].data = 0;
	}
	EXPECT_RES(16, reg_fds(self->r.fd, IORING_UNREGISTER_RING_FDS, regs, 16));
	for (i = 0; i < 16; i++)
		EXPECT_RES(-EBADF, enter_index(i));
}

TEST_F(reg, bad_unregistrations)
{
	struct io_uring_rsrc_update reg = {};
	const unsigned int op = IORING_UNREGISTER_RING_FDS;

	ASSERT_EQ(1, reg_one(self->r.fd, 0, self->r.fd));
	EXPECT_RES(-EINVAL, reg_fds(self->r.fd, op, &reg, 0));
	EXPECT_RES(-EINVAL, reg_fds(self->r.fd, op, &reg, 17));
	EXPECT_RES(-EFAULT, reg_fds(self->r.fd, op, NULL, 1));
	EXPECT_RES(-EFAULT, reg_fds(self->r.fd, op, BAD_PTR, 1));
	reg.resv = 1;
	EXPECT_RES(-EINVAL, reg_fds(self->r.fd, op, &reg, 1));
	reg.resv = 0;
	reg.data = 1;
	EXPECT_RES(-EINVAL, reg_fds(self->r.fd, op, &reg, 1));
	EXPECT_RES(-EINVAL, unreg_one(self->r.fd, 16));
	EXPECT_RES(-EINVAL, unreg_one(self->r.fd, UINT_MAX));
	EXPECT_RES(0, enter_index(0));
	/* Empty ones are no fault. */
	EXPECT_RES(1, unreg_one(self->r.fd, 5));
	EXPECT_RES(1, unreg_one(self->r.fd, 0));
	EXPECT_RES(1, unreg_one(self->r.fd, 0));
}

static int unregister_without_state(void *arg)
{
	FIXTURE_DATA(reg) *self = arg;
	int ret = unreg_one(self->r.fd, 0);

	return ret < 0 ? 255 : ret;
}

TEST_F(reg, unregister_by_a_task_without_state)
{
	EXPECT_EQ(0, in_child(unregister_without_state, self));
}

/* The table is of the task, not of the process. */

static int enter_index_3(void *arg)
{
	return enter_index(3);
}

static int register_and_enter_index_3(void *arg)
{
	FIXTURE_DATA(reg) *self = arg;

	if (reg_one(self->r.fd, 4, self->r.fd) != 1)
		return 1;
	return enter_index(3);
}

TEST_F(reg, each_thread_has_its_own)
{
	ASSERT_EQ(1, reg_one(self->r.fd, 3, self->r.fd));
	EXPECT_RES(-EINVAL, in_thread(enter_index_3, NULL));
	EXPECT_RES(-EBADF, in_thread(register_and_enter_index_3, self));
	EXPECT_RES(0, enter_index(3));
	EXPECT_RES(-EBADF, enter_index(4));
}

/* Any opcode through an index */

TEST_F(reg, by_index)
{
	int event = eventfd(0, 0);
	unsigned int i;

	for (i = 0; i < 16; i++)
		EXPECT_RES_OF(res_name(i), -EBADF,
			      sys_register(i, IORING_UNREGISTER_EVENTFD | USE_INDEX, NULL, 0));
	EXPECT_RES(-EINVAL, sys_register(16, IORING_UNREGISTER_EVENTFD | USE_INDEX, NULL, 0));
	EXPECT_RES(-EINVAL, sys_register(1000, IORING_UNREGISTER_EVENTFD | USE_INDEX, NULL, 0));
	ASSERT_EQ(1, reg_one(self->r.fd, 6, self->r.fd));
	EXPECT_RES(-ENXIO, sys_register(6, IORING_UNREGISTER_EVENTFD | USE_INDEX, NULL, 0));
	EXPECT_RES(0, sys_register(6, IORING_REGISTER_EVENTFD | USE_INDEX, &event, 1));
	EXPECT_RES(0, sys_register(self->r.fd, IORING_UNREGISTER_EVENTFD, NULL, 0));
}

static int by_index_without_state(void *arg)
{
	return sys_register(0, IORING_UNREGISTER_EVENTFD | USE_INDEX, NULL, 0);
}

TEST_F(reg, by_index_without_state)
{
	EXPECT_RES(-EINVAL, in_thread(by_index_without_state, NULL));
}

TEST_F(reg, registering_does_not_need_the_first_ring)
{
	struct ring other;

	/* The table is reached through any ring of the task, also one in it. */
	ASSERT_EQ(0, ring_open(&other, 8, 0));
	ASSERT_EQ(1, reg_one(self->r.fd, 0, self->r.fd));
	EXPECT_RES(1, reg_one(other.fd, 1, other.fd));
	EXPECT_RES(1, unreg_one(other.fd, 0));
	EXPECT_RES(-EBADF, enter_index(0));
	EXPECT_RES(0, enter_index(1));
	ring_close(&other);
}

/* REGISTER_CLOCK */

TEST_F(reg, clock)
{
	struct io_uring_clock_register clock = {};
	const unsigned int op = IORING_REGISTER_CLOCK;
	unsigned int id, i;

	NEEDS_PIECE("clock");
	for (id = 0; id < 20; id++) {
		bool good = id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME;

		clock.clockid = id;
		EXPECT_RES_OF(res_name(id), good ? 0 : -EINVAL,
			      sys_register(self->r.fd, op, &clock, 0));
	}
	clock.clockid = CLOCK_MONOTONIC;
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, &clock, 1));
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, NULL, 0));
	EXPECT_RES(-EFAULT, sys_register(self->r.fd, op, BAD_PTR, 0));
	for (i = 0; i < 3; i++) {
		clock.__resv[i] = 1;
		EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, &clock, 0));
		clock.__resv[i] = 0;
	}
	EXPECT_RES(0, sys_register(self->r.fd, op, &clock, 0));
}

/* Which of two faults is reported. */

static int register_bad_arguments(void *arg)
{
	FIXTURE_DATA(reg) *self = arg;

	return sys_register(self->r.fd, IORING_UNREGISTER_EVENTFD, NULL, 5);
}

TEST_F(reg, register_checks_ordering)
{
	int event = eventfd(0, 0);
	struct ring single;

	/* The opcode before the descriptor. */
	EXPECT_RES(-EINVAL, sys_register(-5, 1000, NULL, 0));
	EXPECT_RES(-EINVAL, sys_register(event, 1000, NULL, 0));
	EXPECT_RES(-EINVAL, sys_register(3, 1000 | USE_INDEX, NULL, 0));
	/* The descriptor before the arguments. */
	EXPECT_RES(-EBADF, sys_register(1000, IORING_UNREGISTER_EVENTFD, NULL, 5));
	EXPECT_RES(-EOPNOTSUPP, sys_register(event, IORING_UNREGISTER_EVENTFD, NULL, 5));
	/* The arguments before what there is. */
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, IORING_UNREGISTER_EVENTFD, NULL, 5));
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 5));
	/* Whose ring it is before the arguments. */
	ASSERT_EQ(0, ring_open(&single, 8, IORING_SETUP_SINGLE_ISSUER));
	ring_close(&self->r);
	self->r = single;
	EXPECT_RES(-EEXIST, in_thread(register_bad_arguments, self));
	/* The reserved field before the index, the index before the descriptor. */
	EXPECT_RES(-EINVAL, reg_one(self->r.fd, 16, 1000));
	ASSERT_EQ(1, reg_one(self->r.fd, 0, self->r.fd));
	EXPECT_RES(-EBADF, reg_one(self->r.fd, 0, 1000));
}

TEST_HARNESS_MAIN
