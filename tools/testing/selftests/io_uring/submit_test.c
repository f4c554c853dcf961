// SPDX-License-Identifier: GPL-2.0
/*
 * Submission: how many entries a call takes and says so, what stops a batch,
 * which fault of an SQE is reported, and that SQEs are free once taken.
 */
#include <sys/eventfd.h>

#include "common.h"

#define ENTRIES		8
#define BAD_OPCODE	255

FIXTURE(submit)
{
	struct ring r;
};

FIXTURE_VARIANT(submit)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(submit, plain)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(submit, submit_all)
{
	.flags = IORING_SETUP_SUBMIT_ALL,
};

FIXTURE_VARIANT_ADD(submit, defer)
{
	.flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(submit, no_sqarray)
{
	.flags = IORING_SETUP_NO_SQARRAY,
};

FIXTURE_VARIANT_ADD(submit, sqe128)
{
	.flags = IORING_SETUP_SQE128 | IORING_SETUP_SUBMIT_ALL,
};

FIXTURE_SETUP(submit)
{
	ASSERT_EQ(0, ring_open(&self->r, ENTRIES, variant->flags));
}

FIXTURE_TEARDOWN(submit)
{
	ring_close(&self->r);
}

/* The next CQE must be this one. */
#define EXPECT_CQE(r, want_user_data, want_res)				\
	do {								\
		struct cqe cqe_ = {};					\
									\
		EXPECT_RES(0, ring_wait(r, &cqe_));			\
		EXPECT_EQ(want_user_data, cqe_.user_data);		\
		EXPECT_RES(want_res, cqe_.res);				\
		EXPECT_EQ(0, cqe_.flags);				\
	} while (0)

TEST_F(submit, any_number)
{
	unsigned int n, i;

	for (n = 0; n <= ENTRIES; n++) {
		for (i = 0; i < n; i++)
			ASSERT_NE(NULL, sqe_nop(&self->r, i));
		EXPECT_RES(n, ring_submit(&self->r));
		EXPECT_EQ(self->r.sq_next, load_acquire(self->r.sq_head));
		for (i = 0; i < n; i++)
			EXPECT_CQE(&self->r, i, 0);
		EXPECT_EQ(0, ring_ready(&self->r));
	}
	EXPECT_EQ(0, *self->r.sq_dropped);
}

TEST_F(submit, part_of_what_is_queued)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		sqe_nop(&self->r, i);
	ring_publish(&self->r);
	EXPECT_RES(3, ring_enter(&self->r, 3, 0, 0));
	EXPECT_EQ(3, load_acquire(self->r.sq_head));
	EXPECT_EQ(3, ring_ready(&self->r));
	EXPECT_RES(1, ring_enter(&self->r, 1, 0, 0));
	EXPECT_RES(ENTRIES - 4, ring_enter(&self->r, UINT_MAX, 0, 0));
	for (i = 0; i < ENTRIES; i++)
		EXPECT_CQE(&self->r, i, 0);
}

/* A tail further ahead than the ring is long: one round is taken. */
TEST_F(submit, more_than_the_ring_holds)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		sqe_nop(&self->r, i);
	store_release(self->r.sq_tail, 3 * ENTRIES);
	EXPECT_RES(ENTRIES, ring_enter(&self->r, 100, 0, 0));
	EXPECT_EQ(ENTRIES, load_acquire(self->r.sq_head));
	EXPECT_EQ(ENTRIES, ring_ready(&self->r));
}

/* The tail behind the head is a ring that looks full, and no more. */
TEST_F(submit, tail_that_goes_back)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		sqe_nop(&self->r, i);
	store_release(self->r.sq_tail, -1u);
	EXPECT_RES(ENTRIES, ring_enter(&self->r, UINT_MAX, 0, 0));
	EXPECT_EQ(ENTRIES, ring_ready(&self->r));
}

/* The head belongs to the kernel: it does not believe what it reads there. */
TEST_F(submit, head_is_not_read_back)
{
	sqe_nop(&self->r, 1);
	ASSERT_EQ(1, ring_submit(&self->r));
	store_release(self->r.sq_head, 1000);
	store_release(self->r.sq_tail, 1);
	EXPECT_RES(0, ring_enter(&self->r, ENTRIES, 0, 0));
	store_release(self->r.sq_head, 1);
	sqe_nop(&self->r, 2);
	EXPECT_RES(1, ring_submit(&self->r));
	EXPECT_EQ(2, load_acquire(self->r.sq_head));
}

TEST_F(submit, user_data_is_kept)
{
	static const __u64 values[] = {
		0, 1, 0xffffffff, 0x100000000ull, 1ull << 63, 0x0123456789abcdefull, -1ull, -2ull,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		sqe_nop(&self->r, values[i]);
	ASSERT_EQ(ARRAY_SIZE(values), ring_submit(&self->r));
	for (i = 0; i < ARRAY_SIZE(values); i++)
		EXPECT_CQE(&self->r, values[i], 0);
}

/* One bad SQE at each place of a batch. */
TEST_F(submit, bad_sqe)
{
	bool all = variant->flags & IORING_SETUP_SUBMIT_ALL;
	unsigned int bad, i;

	for (bad = 0; bad < ENTRIES; bad++) {
		for (i = 0; i < ENTRIES; i++)
			sqe_op(&self->r, i == bad ? BAD_OPCODE : IORING_OP_NOP, i);
		EXPECT_RES_OF(res_name(bad), all ? ENTRIES : bad + 1, ring_submit(&self->r));
		/* The rest is still there and good. */
		if (!all)
			EXPECT_RES_OF(res_name(bad), ENTRIES - bad - 1, ring_submit(&self->r));
		for (i = 0; i < ENTRIES; i++)
			EXPECT_CQE(&self->r, i, i == bad ? -EINVAL : 0);
		EXPECT_EQ(0, ring_ready(&self->r));
	}
	EXPECT_EQ(0, *self->r.sq_dropped);
}

TEST_F(submit, nothing_but_bad_sqes)
{
	bool all = variant->flags & IORING_SETUP_SUBMIT_ALL;
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		sqe_op(&self->r, BAD_OPCODE, i);
	if (all)
		EXPECT_RES(ENTRIES, ring_submit(&self->r));
	else
		for (i = 0; i < ENTRIES; i++)
			EXPECT_RES(1, ring_submit(&self->r));
	for (i = 0; i < ENTRIES; i++)
		EXPECT_CQE(&self->r, i, -EINVAL);
}

/* A fault that shows only when the request runs does not stop a batch. */
TEST_F(submit, failing_request_is_no_bad_sqe)
{
	char c;

	sqe_nop(&self->r, 0);
	sqe_rw(&self->r, IORING_OP_READ, 1000, &c, 1, 0)->user_data = 1;
	sqe_nop(&self->r, 2);
	EXPECT_RES(3, ring_submit(&self->r));
	EXPECT_CQE(&self->r, 0, 0);
	EXPECT_CQE(&self->r, 1, -EBADF);
	EXPECT_CQE(&self->r, 2, 0);
}

/* What a stopped batch leaves is taken by the next call, GETEVENTS or not. */
TEST(bad_sqe_and_wait_in_one_call)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, ENTRIES, 0));
	sqe_op(&r, BAD_OPCODE, 1);
	sqe_nop(&r, 2);
	/* Asked to wait for two, but the submission was cut short. */
	EXPECT_RES(1, ring_submit_and_wait(&r, 2));
	EXPECT_RES(1, ring_submit_and_wait(&r, 2));
	EXPECT_CQE(&r, 1, -EINVAL);
	EXPECT_CQE(&r, 2, 0);
	ring_close(&r);
}

/* The SQ array */

TEST(array_gives_the_order)
{
	struct ring r;
	unsigned int i;

	ASSERT_EQ(0, ring_open(&r, ENTRIES, 0));
	for (i = 0; i < ENTRIES; i++) {
		sqe_nop(&r, i);
		r.sq_array[i] = ENTRIES - 1 - i;
	}
	ASSERT_EQ(ENTRIES, ring_submit(&r));
	for (i = 0; i < ENTRIES; i++)
		EXPECT_CQE(&r, ENTRIES - 1 - i, 0);

	/* The same SQE many times. */
	for (i = 0; i < ENTRIES; i++) {
		sqe_nop(&r, 100 + i);
		r.sq_array[i] = 5;
	}
	ASSERT_EQ(ENTRIES, ring_submit(&r));
	for (i = 0; i < ENTRIES; i++)
		EXPECT_CQE(&r, 105, 0);
	ring_close(&r);
}

TEST(bad_array_index)
{
	static const unsigned int bad[] = { ENTRIES, ENTRIES + 1, 1u << 16, 1u << 31, UINT_MAX };
	unsigned int i, at, k, dropped = 0;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, ENTRIES, IORING_SETUP_SUBMIT_ALL));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		for (at = 0; at < ENTRIES; at++) {
			for (k = 0; k < ENTRIES; k++)
				sqe_nop(&r, k);
			r.sq_array[(r.sq_next - ENTRIES + at) & (ENTRIES - 1)] = bad[i];
			/* It is skipped, counted, and ends the call, SUBMIT_ALL or not. */
			EXPECT_RES(at, ring_submit(&r));
			EXPECT_EQ(++dropped, *r.sq_dropped);
			EXPECT_RES(ENTRIES - at - 1, ring_submit(&r));
			for (k = 0; k < ENTRIES; k++)
				if (k != at)
					EXPECT_CQE(&r, k, 0);
			EXPECT_EQ(0, ring_ready(&r));
		}
	}
	ring_close(&r);
}

TEST(nothing_but_bad_indices)
{
	struct ring r;
	unsigned int i;

	ASSERT_EQ(0, ring_open(&r, 4, 0));
	for (i = 0; i < 4; i++) {
		sqe_nop(&r, i);
		r.sq_array[i] = 1000;
	}
	for (i = 1; i <= 4; i++) {
		EXPECT_RES(0, ring_submit(&r));
		EXPECT_EQ(i, *r.sq_dropped);
		EXPECT_EQ(i, load_acquire(r.sq_head));
	}
	EXPECT_EQ(0, ring_ready(&r));
	ring_close(&r);
}

/* SQEs of 128 bytes */

TEST(wide_slots)
{
	struct ring r;
	unsigned int i;

	ASSERT_EQ(0, ring_open(&r, 4, IORING_SETUP_SQE128));
	for (i = 0; i < 10; i++) {
		struct io_uring_sqe *sqe = sqe_nop(&r, i);

		/* Nobody looks at the second half of a plain opcode. */
		memset(sqe + 1, 0xff, sizeof(*sqe));
		ASSERT_EQ(1, ring_submit(&r));
		EXPECT_CQE(&r, i, 0);
	}
	ring_close(&r);
}

TEST(wide_opcode_needs_a_wide_slot)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 4, 0));
	sqe_op(&r, IORING_OP_NOP128, 1);
	ASSERT_EQ(1, ring_submit(&r));
	EXPECT_CQE(&r, 1, -EINVAL);
	sqe_op(&r, IORING_OP_URING_CMD128, 2);
	ASSERT_EQ(1, ring_submit(&r));
	EXPECT_CQE(&r, 2, -EINVAL);
	ring_close(&r);
}

TEST(wide_opcode_on_a_wide_ring)
{
	struct ring r;
	unsigned int i;

	NEEDS_73(has_setup_flags(IORING_SETUP_SQE_MIXED));
	ASSERT_EQ(0, ring_open(&r, 4, IORING_SETUP_SQE128));
	for (i = 0; i < 4; i++)
		sqe_op(&r, i & 1 ? IORING_OP_NOP128 : IORING_OP_NOP, i);
	EXPECT_RES(4, ring_submit(&r));
	for (i = 0; i < 4; i++)
		EXPECT_CQE(&r, i, 0);
	ring_close(&r);
}

FIXTURE(sqe_mixed)
{
	struct ring r;
};

FIXTURE_VARIANT(sqe_mixed)
{
	unsigned int flags;
};

FIXTURE_VARIANT_ADD(sqe_mixed, with_array)
{
	.flags = 0,
};

FIXTURE_VARIANT_ADD(sqe_mixed, no_array)
{
	.flags = IORING_SETUP_NO_SQARRAY,
};

FIXTURE_SETUP(sqe_mixed)
{
	unsigned int flags = variant->flags | IORING_SETUP_SQE_MIXED;

	NEEDS_73(has_setup_flags(flags));
	ASSERT_EQ(0, ring_open(&self->r, ENTRIES, flags));
}

FIXTURE_TEARDOWN(sqe_mixed)
{
	ring_close(&self->r);
}

/* NOP128 takes this slot and the next. */
static void queue_wide(struct ring *r, __u64 user_data)
{
	sqe_op(r, IORING_OP_NOP128, user_data);
	memset(ring_sqe(r), 0xff, 64);
}

TEST_F(sqe_mixed, counts_two)
{
	struct ring *r = &self->r;

	sqe_nop(r, 1);
	queue_wide(r, 2);
	sqe_nop(r, 3);
	queue_wide(r, 4);
	sqe_nop(r, 5);
	EXPECT_RES(7, ring_submit(r));
	EXPECT_EQ(7, load_acquire(r->sq_head));
	EXPECT_CQE(r, 1, 0);
	EXPECT_CQE(r, 2, 0);
	EXPECT_CQE(r, 3, 0);
	EXPECT_CQE(r, 4, 0);
	EXPECT_CQE(r, 5, 0);
}

TEST_F(sqe_mixed, not_across_the_end)
{
	struct ring *r = &self->r;
	unsigned int i;

	for (i = 0; i < ENTRIES - 1; i++)
		sqe_nop(r, i);
	ASSERT_EQ(ENTRIES - 1, ring_submit(r));
	for (i = 0; i < ENTRIES - 1; i++)
		EXPECT_CQE(r, i, 0);
	/* Head is at the last slot. */
	sqe_op(r, IORING_OP_NOP128, 100);
	sqe_nop(r, 101);
	EXPECT_RES(1, ring_submit(r));
	EXPECT_CQE(r, 100, -EINVAL);
	EXPECT_RES(1, ring_submit(r));
	EXPECT_CQE(r, 101, 0);
}

TEST_F(sqe_mixed, both_halves_in_one_call)
{
	struct ring *r = &self->r;

	queue_wide(r, 1);
	ring_publish(r);
	/* The second half is queued, but not part of this call. */
	EXPECT_RES(1, ring_enter(r, 1, 0, 0));
	EXPECT_CQE(r, 1, -EINVAL);

	/* Nor may it be missing altogether. */
	memset(ring_slot(r, 1), 0, 64);
	EXPECT_RES(1, ring_enter(r, 1, 0, 0));
	EXPECT_CQE(r, 0, 0);
	sqe_op(r, IORING_OP_NOP128, 2);
	EXPECT_RES(1, ring_submit(r));
	EXPECT_CQE(r, 2, -EINVAL);
}

TEST_F(sqe_mixed, many)
{
	unsigned int i, n = 0, expect = 0;
	struct ring *r = &self->r;

	for (i = 0; i < 1000; i++) {
		unsigned int slot = r->sq_next & (ENTRIES - 1);

		if (i % 3 == 0 && slot != ENTRIES - 1)
			queue_wide(r, n++);
		else
			sqe_nop(r, n++);
		ASSERT_LT(0, ring_submit(r));
		EXPECT_EQ(r->sq_next, load_acquire(r->sq_head));
		while (ring_ready(r))
			EXPECT_CQE(r, expect++, 0);
	}
	EXPECT_EQ(n, expect);
}

/* SQ_REWIND */

TEST(rewind_starts_over)
{
	unsigned int n, i;
	struct ring r;

	NEEDS_73(is_73());
	ASSERT_EQ(0, ring_open(&r, ENTRIES, IORING_SETUP_SQ_REWIND | IORING_SETUP_NO_SQARRAY));
	for (n = 1; n <= ENTRIES; n++) {
		for (i = 0; i < n; i++)
			sqe_nop(&r, 10 * n + i);
		EXPECT_RES(n, ring_submit(&r));
		for (i = 0; i < n; i++)
			EXPECT_CQE(&r, 10 * n + i, 0);
		EXPECT_EQ(0, *r.sq_head);
		EXPECT_EQ(0, *r.sq_tail);
	}
	/* The number is all that counts, and it is capped. */
	EXPECT_RES(ENTRIES, ring_enter(&r, 1000, 0, 0));
	for (i = 0; i < ENTRIES; i++)
		EXPECT_CQE(&r, 10 * ENTRIES + i, 0);
	EXPECT_RES(0, ring_enter(&r, 0, 0, 0));
	ring_close(&r);
}

TEST(rewind_ignores_head_and_tail)
{
	struct ring r;

	NEEDS_73(is_73());
	ASSERT_EQ(0, ring_open(&r, ENTRIES, IORING_SETUP_SQ_REWIND | IORING_SETUP_NO_SQARRAY));
	sqe_nop(&r, 1);
	*r.sq_head = 5;
	*r.sq_tail = 3;
	EXPECT_RES(1, ring_submit(&r));
	EXPECT_CQE(&r, 1, 0);
	ring_close(&r);
}

TEST(rewind_with_a_bad_sqe)
{
	struct ring r;

	NEEDS_73(is_73());
	ASSERT_EQ(0, ring_open(&r, ENTRIES, IORING_SETUP_SQ_REWIND | IORING_SETUP_NO_SQARRAY));
	sqe_nop(&r, 1);
	sqe_op(&r, BAD_OPCODE, 2);
	sqe_nop(&r, 3);
	EXPECT_RES(2, ring_submit(&r));
	EXPECT_CQE(&r, 1, 0);
	EXPECT_CQE(&r, 2, -EINVAL);
	EXPECT_EQ(0, ring_ready(&r));
	ring_close(&r);
}

/* SQEs, and what they point to, are the program's again when they are taken. */

TEST_F(submit, sqe_may_be_reused)
{
	int event = eventfd(0, 0);
	struct io_uring_sqe *sqe;
	__u64 value = 0, one = 1;
	struct iovec iov = { &value, 8 };

	sqe = sqe_rw(&self->r, IORING_OP_READV, event, &iov, 1, 0);
	sqe->user_data = 7;
	ASSERT_EQ(1, ring_submit(&self->r));
	memset(sqe, 0xff, self->r.sqe_size);
	memset(&iov, 0xff, sizeof(iov));
	ASSERT_EQ(8, write(event, &one, 8));
	EXPECT_CQE(&self->r, 7, 8);
	EXPECT_EQ(1, value);
	close(event);
}

/* Which of two faults in an SQE is reported. */

struct fault {
	__u8 opcode, flags;
	__u16 ioprio, personality;
	__u32 nop_flags;
	int res;
};

static const struct fault faults[] = {
	/* one at a time */
	{ .res = 0 },
	{ .opcode = 65, .res = -EINVAL },
	{ .opcode = BAD_OPCODE, .res = -EINVAL },
	{ .flags = 0x80, .res = -EINVAL },
	{ .flags = IOSQE_BUFFER_SELECT, .res = -EOPNOTSUPP },
	{ .flags = IOSQE_IO_DRAIN | IOSQE_CQE_SKIP_SUCCESS, .res = -EOPNOTSUPP },
	{ .ioprio = 1, .res = -EINVAL },
	{ .ioprio = 0x8000, .res = -EINVAL },
	{ .personality = 1, .res = -EINVAL },
	{ .personality = 0xffff, .res = -EINVAL },
	{ .nop_flags = 1u << 31, .res = -EINVAL },
	/* the opcode first */
	{ .opcode = BAD_OPCODE, .flags = IOSQE_BUFFER_SELECT, .res = -EINVAL },
	{ .opcode = BAD_OPCODE, .flags = IOSQE_IO_DRAIN | IOSQE_CQE_SKIP_SUCCESS, .res = -EINVAL },
	/* then unknown flags */
	{ .flags = 0x80 | IOSQE_BUFFER_SELECT, .res = -EINVAL },
	{ .flags = 0x80 | IOSQE_IO_DRAIN | IOSQE_CQE_SKIP_SUCCESS, .res = -EINVAL },
	/* then flags that do not fit, before values */
	{ .flags = IOSQE_BUFFER_SELECT, .ioprio = 1, .res = -EOPNOTSUPP },
	{ .flags = IOSQE_BUFFER_SELECT, .personality = 1, .res = -EOPNOTSUPP },
	{ .flags = IOSQE_BUFFER_SELECT, .nop_flags = 1u << 31, .res = -EOPNOTSUPP },
	{ .flags = IOSQE_IO_DRAIN | IOSQE_CQE_SKIP_SUCCESS, .ioprio = 1, .res = -EOPNOTSUPP },
	{ .flags = IOSQE_IO_DRAIN | IOSQE_CQE_SKIP_SUCCESS, .personality = 1, .res = -EOPNOTSUPP },
};

TEST_F(submit, sqe_checks_ordering)
{
	const unsigned int flag_bits = 8;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		const struct fault *f = &faults[i];
		struct io_uring_sqe *sqe = sqe_op(&self->r, f->opcode, 1ull << flag_bits | i);
		struct cqe cqe;
		char what[32];

		/* A fresh ring each time: SKIP leaves a mark on it. */
		sqe->flags = f->flags;
		sqe->ioprio = f->ioprio;
		sqe->personality = f->personality;
		sqe->nop_flags = f->nop_flags;
		snprintf(what, sizeof(what), "fault %u", i);
		EXPECT_RES_OF(what, f->res, ring_run_cqe(&self->r, &cqe));
		EXPECT_EQ(1ull << flag_bits | i, cqe.user_data);
		ring_close(&self->r);
		ASSERT_EQ(0, ring_open(&self->r, ENTRIES, variant->flags));
	}
}

TEST_F(submit, every_unknown_opcode)
{
	unsigned int op;

	for (op = IORING_OP_LAST; op < 256; op++) {
		struct cqe cqe;

		sqe_op(&self->r, op, op);
		EXPECT_RES_OF(res_name(op), -EINVAL, ring_run_cqe(&self->r, &cqe));
		EXPECT_EQ(op, cqe.user_data);
	}
}

/* Once SKIP was used on a ring, DRAIN is refused for ever. */
TEST_F(submit, no_drain_after_skip)
{
	struct ring *r = &self->r;

	NEEDS_PIECE("drain");
	sqe_nop(r, 1)->flags = IOSQE_IO_DRAIN;
	EXPECT_RES(0, ring_run(r));
	sqe_nop(r, 2)->flags = IOSQE_CQE_SKIP_SUCCESS;
	EXPECT_RES(1, ring_submit(r));
	sqe_nop(r, 3)->flags = IOSQE_IO_DRAIN;
	EXPECT_RES(-EOPNOTSUPP, ring_run(r));
	sqe_nop(r, 4)->flags = IOSQE_IO_DRAIN;
	EXPECT_RES(-EOPNOTSUPP, ring_run(r));
	sqe_nop(r, 5);
	EXPECT_RES(0, ring_run(r));
}

/* Restrictions stand between flags and values. */
TEST(restriction_checks_ordering)
{
	struct io_uring_restriction allow = {
		.opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_READ,
	};
	struct ring r;

	NEEDS_PIECE("restrictions");
	ASSERT_EQ(0, ring_open(&r, ENTRIES, IORING_SETUP_R_DISABLED));
	ASSERT_EQ(0, sys_register(r.fd, IORING_REGISTER_RESTRICTIONS, &allow, 1));
	ASSERT_EQ(0, sys_register(r.fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0));
	sqe_nop(&r, 1);
	EXPECT_RES(-EACCES, ring_run(&r));
	sqe_nop(&r, 1)->ioprio = 1;
	EXPECT_RES(-EACCES, ring_run(&r));
	sqe_nop(&r, 1)->nop_flags = 1u << 31;
	EXPECT_RES(-EACCES, ring_run(&r));
	sqe_nop(&r, 1)->flags = IOSQE_BUFFER_SELECT;
	EXPECT_RES(-EOPNOTSUPP, ring_run(&r));
	sqe_nop(&r, 1)->flags = 0x80;
	EXPECT_RES(-EINVAL, ring_run(&r));
	sqe_op(&r, BAD_OPCODE, 1);
	EXPECT_RES(-EINVAL, ring_run(&r));
	ring_close(&r);
}

TEST(iopoll_takes_few_opcodes)
{
	static const __u8 good[] = { 0, 1, 2, 4, 5, 20, 22, 23, 31, 32, 40, 46 };
	struct ring r;
	unsigned int op;

	NEEDS_PIECE("iopoll");
	ASSERT_EQ(0, ring_open(&r, ENTRIES, IORING_SETUP_IOPOLL));
	sqe_nop(&r, 1);
	EXPECT_RES(0, ring_run(&r));
	/* Every other opcode is refused before its fields are looked at. */
	for (op = 0; op < 58; op++) {
		if (memchr(good, op, sizeof(good)))
			continue;
		sqe_op(&r, op, op)->fd = -1;
		EXPECT_RES_OF(res_name(op), -EINVAL, ring_run(&r));
	}
	ring_close(&r);
}

TEST_HARNESS_MAIN
