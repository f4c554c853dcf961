// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_RING: CQEs and files for other rings of all kinds, in order, under
 * contention, full, disabled or without an owner; and the call without a ring.
 */
#include <sys/eventfd.h>

#include "common.h"

#define ALLOC	IORING_FILE_INDEX_ALLOC
#define SLOTS	4

FIXTURE(msg)
{
	struct ring r, target;
};

RING_KIND_VARIANT(msg);
RING_KINDS(msg);

static int register_slots(struct ring *r, unsigned int nr)
{
	struct io_uring_rsrc_register reg = { .nr = nr, .flags = IORING_RSRC_REGISTER_SPARSE };

	return sys_register(r->fd, IORING_REGISTER_FILES2 |
			    (r->enter_flags ? IORING_REGISTER_USE_REGISTERED_RING : 0),
			    &reg, sizeof(reg));
}

FIXTURE_SETUP(msg)
{
	NEEDS_RING_KIND(variant);
	if (variant->flags & IORING_SETUP_REGISTERED_FD_ONLY)
		SKIP(return, "a ring without a descriptor is no target");
	ASSERT_EQ(0, ring_open(&self->r, 64, 0));
	ASSERT_EQ(0, ring_open(&self->target, 64, variant->flags));
}

FIXTURE_TEARDOWN(msg)
{
	ring_close(&self->r);
	ring_close(&self->target);
}

static struct io_uring_sqe *sqe_data(struct ring *r, int fd, unsigned int len, uint64_t data)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_MSG_RING, 1);

	sqe->fd = fd;
	sqe->len = len;
	sqe->off = data;
	return sqe;
}

static struct io_uring_sqe *sqe_file(struct ring *r, int fd, unsigned int slot, unsigned int index)
{
	struct io_uring_sqe *sqe = sqe_data(r, fd, 0, 77);

	sqe->addr = IORING_MSG_SEND_FD;
	sqe->addr3 = slot;
	sqe->file_index = index;
	return sqe;
}

TEST_F(msg, words)
{
	struct cqe cqe;
	int i;

	for (i = 0; i < 4; i++) {
		sqe_data(&self->r, self->target.fd, 100 + i, 1ull << (60 + i))->flags =
			i == 3 ? IOSQE_ASYNC : 0;
		EXPECT_RES(0, ring_run(&self->r));
		ASSERT_EQ(0, ring_wait(&self->target, &cqe));
		EXPECT_EQ(1ull << (60 + i), cqe.user_data);
		EXPECT_RES(100 + i, cqe.res);
		EXPECT_EQ(0, cqe.flags);
	}
	sqe_data(&self->r, self->target.fd, -5, 6);
	EXPECT_RES(0, ring_run(&self->r));
	ASSERT_EQ(0, ring_wait(&self->target, &cqe));
	EXPECT_RES(-5, cqe.res);
}

TEST_F(msg, to_itself)
{
	int i, seen = 0;
	struct cqe cqe;

	sqe_data(&self->r, self->r.fd, 5, 6);
	sqe_data(&self->r, self->r.fd, 7, 8)->flags = IOSQE_ASYNC;
	ASSERT_EQ(2, ring_submit(&self->r));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		seen += cqe.user_data == 1 ? !cqe.res : cqe.res + 1 == cqe.user_data;
	}
	EXPECT_EQ(4, seen);
}

TEST_F(msg, flags)
{
	bool big = variant->flags & (IORING_SETUP_CQE32 | IORING_SETUP_CQE_MIXED);
	struct io_uring_sqe *sqe;
	struct cqe cqe;

	sqe = sqe_data(&self->r, self->target.fd, 5, 6);
	sqe->msg_ring_flags = IORING_MSG_RING_FLAGS_PASS;
	sqe->file_index = 0x1230001;
	EXPECT_RES(0, ring_run(&self->r));
	ASSERT_EQ(0, ring_wait(&self->target, &cqe));
	EXPECT_EQ(0x1230001, cqe.flags);

	/* This flag says how large the CQE is. */
	NEEDS_73(is_73());
	sqe = sqe_data(&self->r, self->target.fd, 5, 6);
	sqe->msg_ring_flags = IORING_MSG_RING_FLAGS_PASS;
	sqe->file_index = IORING_CQE_F_32;
	EXPECT_RES(big ? 0 : -EINVAL, ring_run(&self->r));
	if (big) {
		ASSERT_EQ(0, ring_wait(&self->target, &cqe));
		EXPECT_EQ(IORING_CQE_F_32, cqe.flags);
		EXPECT_EQ(0, cqe.big[0]);
		EXPECT_EQ(0, cqe.big[1]);
	}
}

/* More than fits: nothing is lost, and the order is that of the sender. */
TEST_F(msg, overflow)
{
	unsigned int entries = self->target.p.cq_entries, i;
	struct cqe cqe;

	for (i = 0; i < entries + 10; i++) {
		sqe_data(&self->r, self->target.fd, i, i);
		ASSERT_EQ(0, ring_run(&self->r));
	}
	for (i = 0; i < entries + 10; i++) {
		ASSERT_EQ(0, ring_wait(&self->target, &cqe));
		ASSERT_EQ(i, cqe.user_data);
	}
	EXPECT_EQ(0, *self->target.cq_overflow);
}

struct sender {
	int target;
	unsigned int nr, id;
	atomic_int failed;
};

static void *sender_main(void *arg)
{
	struct sender *s = arg;
	unsigned int sent = 0, i;
	struct ring r;
	struct cqe cqe;

	if (ring_open(&r, 16, 0))
		s->failed++;
	while (!s->failed && sent < s->nr) {
		for (i = 0; i < 16; i++)
			sqe_data(&r, s->target, sent++, s->id);
		if (ring_submit(&r) != 16)
			s->failed++;
		for (i = 0; i < 16; i++)
			if (ring_wait(&r, &cqe) || cqe.res)
				s->failed++;
	}
	ring_close(&r);
	return NULL;
}

/* Two senders, and a receiver that is busy with its ring: per sender the order holds. */
TEST_F(msg, order)
{
	struct sender s[2] = {
		{ .target = self->target.fd, .nr = 1600, .id = 0 },
		{ .target = self->target.fd, .nr = 1600, .id = 1 },
	};
	unsigned int next[2] = {}, got;
	pthread_t threads[2];
	uint64_t start;
	struct cqe cqe;
	int i;

	if (variant->flags & IORING_SETUP_IOPOLL)
		SKIP(return, "nothing to be busy with");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, sender_main, &s[i]));
	start = now_ns();
	for (got = 0; got < 3200 && ms_since(start) < 60000;) {
		for (i = 0; i < 8; i++)
			sqe_nop(&self->target, 9);
		ring_submit(&self->target);
		ring_get_events(&self->target);
		while (ring_take(&self->target, &cqe)) {
			if (cqe.user_data == 9)
				continue;
			ASSERT_GT(2, cqe.user_data);
			ASSERT_EQ(next[cqe.user_data], cqe.res);
			next[cqe.user_data]++;
			got++;
		}
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(3200, got);
	EXPECT_EQ(0, s[0].failed + s[1].failed);
}

/* Rings that send to each other at the same time */
TEST_F(msg, crosswise)
{
	struct sender s[2] = { { .nr = 800, .id = 5 }, { .nr = 800, .id = 5 } };
	struct ring rings[2];
	pthread_t threads[2];
	unsigned int got = 0;
	struct cqe cqe;
	int i, j;

	if (variant->flags)
		SKIP(return, "one kind of target is enough");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, ring_open(&rings[i], 64, 0));
	for (i = 0; i < 2; i++) {
		s[i].target = rings[i].fd;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, sender_main, &s[i]));
	}
	for (i = 0; i < 200; i++) {
		for (j = 0; j < 2; j++) {
			sqe_data(&rings[j], rings[!j].fd, 1, 6);
			ASSERT_EQ(1, ring_submit(&rings[j]));
		}
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 2; i++)
		while (!ring_wait_ms(&rings[i], 1, SETTLE_MS))
			while (ring_take(&rings[i], &cqe))
				got++;
	/* Each of the 400 left a CQE on either side. */
	EXPECT_EQ(2 * 800 + 2 * 400, got);
	EXPECT_EQ(0, s[0].failed + s[1].failed);
	for (i = 0; i < 2; i++)
		ring_close(&rings[i]);
}

static int wait_for_one(void *arg)
{
	struct ring *r = arg;
	struct cqe cqe;

	return ring_wait(r, &cqe) ? NO_CQE : cqe.res;
}

/* It wakes who sleeps in io_uring_enter(). */
TEST_F(msg, wakes)
{
	struct thread_call call = { .fn = wait_for_one, .arg = &self->target };
	pthread_t thread;

	if (variant->flags & (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_IOPOLL))
		SKIP(return, "another task may not wait there");
	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_call_main, &call));
	sleep_ms(SETTLE_MS);
	sqe_data(&self->r, self->target.fd, 5, 6);
	EXPECT_RES(0, ring_run(&self->r));
	pthread_join(thread, NULL);
	EXPECT_RES(5, call.ret);
}

static int send_one(void *arg)
{
	struct sender *s = arg;
	struct ring r;
	int ret;

	sleep_ms(SETTLE_MS);
	if (ring_open(&r, 4, 0))
		return NO_CQE;
	sqe_data(&r, s->target, 5, 6);
	ret = ring_run(&r);
	ring_close(&r);
	return ret;
}

/* The same for the only task that may wait there */
TEST_F(msg, wakes_the_owner)
{
	struct sender s = { .target = self->target.fd };
	struct thread_call call = { .fn = send_one, .arg = &s };
	pthread_t thread;
	struct cqe cqe;

	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_call_main, &call));
	ASSERT_EQ(0, ring_wait(&self->target, &cqe));
	EXPECT_RES(5, cqe.res);
	pthread_join(thread, NULL);
	EXPECT_RES(0, call.ret);
}

static bool slot_has_file(struct ring *r, unsigned int slot)
{
	struct io_uring_sqe *sqe;
	uint64_t one = 1;

	if (r->p.flags & IORING_SETUP_IOPOLL)
		return true;
	sqe = sqe_rw(r, IORING_OP_WRITE, slot, &one, sizeof(one), 0);
	sqe->flags = IOSQE_FIXED_FILE;
	return ring_run(r) == sizeof(one);
}

TEST_F(msg, file)
{
	int efd = eventfd(0, 0), fds[] = { efd };
	struct cqe cqe;
	int i, slot;

	sqe_file(&self->r, self->target.fd, 0, 2 + 1);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	ASSERT_EQ(0, sys_register(self->r.fd, IORING_REGISTER_FILES, fds, 1));
	sqe_file(&self->r, self->target.fd, 0, 2 + 1);
	EXPECT_RES(-ENXIO, ring_run(&self->r));
	sqe_file(&self->r, self->target.fd, 0, ALLOC);
	EXPECT_RES(-ENFILE, ring_run(&self->r));

	ASSERT_EQ(0, register_slots(&self->target, SLOTS));
	sqe_file(&self->r, self->target.fd, 0, 2 + 1);
	EXPECT_RES(0, ring_run(&self->r));
	ASSERT_EQ(0, ring_wait(&self->target, &cqe));
	EXPECT_EQ(77, cqe.user_data);
	EXPECT_RES(0, cqe.res);
	EXPECT_EQ(0, cqe.flags);
	EXPECT_TRUE(slot_has_file(&self->target, 2));

	for (i = 0; i < 2; i++) {
		sqe_file(&self->r, self->target.fd, 0, ALLOC)->flags = i ? IOSQE_ASYNC : 0;
		slot = ring_run(&self->r);
		EXPECT_TRUE(slot >= 0 && slot < SLOTS && slot != 2);
		ASSERT_EQ(0, ring_wait(&self->target, &cqe));
		EXPECT_RES(slot, cqe.res);
		EXPECT_TRUE(slot_has_file(&self->target, slot));
	}
	sqe_file(&self->r, self->target.fd, 0, ALLOC)->msg_ring_flags = IORING_MSG_RING_CQE_SKIP;
	slot = ring_run(&self->r);
	EXPECT_TRUE(slot >= 0 && slot < SLOTS && slot != 2);
	ring_get_events(&self->target);
	EXPECT_EQ(0, ring_ready(&self->target));
	EXPECT_TRUE(slot_has_file(&self->target, slot));
	sqe_file(&self->r, self->target.fd, 0, ALLOC);
	EXPECT_RES(-ENFILE, ring_run(&self->r));
	sqe_file(&self->r, self->target.fd, 0, SLOTS + 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_file(&self->r, self->target.fd, 1, ALLOC);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	close(efd);
}

/* The file is not kept anywhere but in the slot. */
TEST_F(msg, file_is_released)
{
	int p[2], fds[1];
	struct cqe cqe;
	int minus = -1;
	struct io_uring_rsrc_update up = { .data = (uintptr_t)&minus };

	ASSERT_EQ(0, pipe(p));
	fds[0] = p[0];
	ASSERT_EQ(0, sys_register(self->r.fd, IORING_REGISTER_FILES, fds, 1));
	close(p[0]);
	ASSERT_EQ(0, register_slots(&self->target, 1));
	sqe_file(&self->r, self->target.fd, 0, 1);
	ASSERT_EQ(0, ring_run(&self->r));
	ASSERT_EQ(0, ring_wait(&self->target, &cqe));
	sqe_file(&self->r, self->target.fd, 0, 9);
	ASSERT_EQ(-EINVAL, ring_run(&self->r));
	ASSERT_EQ(1, sys_register(self->r.fd, IORING_REGISTER_FILES_UPDATE, &up, 1));
	EXPECT_EQ(1, write(p[1], "x", 1));
	ASSERT_EQ(1, sys_register(self->target.fd, IORING_REGISTER_FILES_UPDATE, &up, 1));
	signal(SIGPIPE, SIG_IGN);
	EXPECT_TRUE(BECOMES(write(p[1], "x", 1) < 0));
	EXPECT_EQ(EPIPE, errno);
	close(p[1]);
}

TEST_F(msg, refused)
{
	int t = self->target.fd, no_ring = eventfd(0, 0);
	struct io_uring_sqe *sqe;

	sqe_data(&self->r, t, 1, 2)->buf_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_data(&self->r, -1, 1, 2)->msg_ring_flags = 4;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_data(&self->r, -1, 1, 2);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_data(&self->r, no_ring, 1, 2)->addr = 99;
	EXPECT_RES(-EBADFD, ring_run(&self->r));
	sqe_data(&self->r, t, 1, 2)->addr = 2;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_data(&self->r, t, 1, 2)->addr3 = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_data(&self->r, t, 1, 2)->file_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_data(&self->r, t, 1, 2)->msg_ring_flags = IORING_MSG_RING_CQE_SKIP;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe = sqe_file(&self->r, t, 0, 1);
	sqe->len = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_file(&self->r, self->r.fd, 0, 1);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	close(no_ring);
	ring_get_events(&self->target);
	EXPECT_EQ(0, ring_ready(&self->target));
}

TEST_F(msg, disabled)
{
	struct ring off;

	ASSERT_EQ(0, ring_open(&off, 4, variant->flags | IORING_SETUP_R_DISABLED));
	sqe_data(&self->r, off.fd, 1, 2);
	EXPECT_RES(-EBADFD, ring_run(&self->r));
	sqe_file(&self->r, off.fd, 0, 1);
	EXPECT_RES(-EBADFD, ring_run(&self->r));
	ASSERT_EQ(0, sys_register(off.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0));
	sqe_data(&self->r, off.fd, 1, 2);
	EXPECT_RES(0, ring_run(&self->r));
	ring_close(&off);
}

static int enable(void *arg)
{
	struct ring *r = arg;

	return sys_register(r->fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

/* The only task that could take it is gone. Nothing breaks. */
TEST_F(msg, owner_is_gone)
{
	struct ring orphan;
	int ret;

	if (!(variant->flags & IORING_SETUP_DEFER_TASKRUN))
		SKIP(return, "no task is the only one");
	if (on_stock())
		SKIP(return, "stock does not survive it");
	ASSERT_EQ(0, ring_open(&orphan, 4, variant->flags | IORING_SETUP_R_DISABLED));
	ASSERT_EQ(0, in_thread(enable, &orphan));
	sqe_data(&self->r, orphan.fd, 1, 2);
	ret = ring_run(&self->r);
	EXPECT_TRUE(ret == 0 || ret == -EOWNERDEAD);
	ring_close(&orphan);
}

TEST_F(msg, without_a_ring)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_MSG_RING, .fd = self->target.fd, .len = 3, .off = 4,
	};
	struct cqe cqe;
	int ret;

	ret = sys_register(-1, IORING_REGISTER_SEND_MSG_RING, &sqe, 1);
	NEEDS_73(ret != -EINVAL);
	EXPECT_RES(0, ret);
	ASSERT_EQ(0, ring_wait(&self->target, &cqe));
	EXPECT_EQ(4, cqe.user_data);
	EXPECT_RES(3, cqe.res);

	EXPECT_RES(-EINVAL, sys_register(self->r.fd, IORING_REGISTER_SEND_MSG_RING, &sqe, 1));
	EXPECT_RES(-EINVAL, sys_register(-1, IORING_REGISTER_SEND_MSG_RING, &sqe, 2));
	EXPECT_RES(-EFAULT, sys_register(-1, IORING_REGISTER_SEND_MSG_RING, BAD_PTR, 1));
	sqe.flags = IOSQE_FIXED_FILE;
	EXPECT_RES(-EINVAL, sys_register(-1, IORING_REGISTER_SEND_MSG_RING, &sqe, 1));
	sqe.flags = 0;
	sqe.addr = IORING_MSG_SEND_FD;
	EXPECT_RES(-EINVAL, sys_register(-1, IORING_REGISTER_SEND_MSG_RING, &sqe, 1));
	sqe.addr = 0;
	sqe.opcode = IORING_OP_NOP;
	EXPECT_RES(-EINVAL, sys_register(-1, IORING_REGISTER_SEND_MSG_RING, &sqe, 1));
	sqe.opcode = IORING_OP_MSG_RING;
	sqe.fd = 0;
	EXPECT_RES(-EBADFD, sys_register(-1, IORING_REGISTER_SEND_MSG_RING, &sqe, 1));
	sqe.fd = 999;
	EXPECT_RES(-EBADF, sys_register(-1, IORING_REGISTER_SEND_MSG_RING, &sqe, 1));
}

TEST_HARNESS_MAIN
