// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the text that a ring shows in fdinfo: which entries are shown, and that nothing
 * which the application can write leads outside the rings.
 */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/io_uring_types.h>
#include <linux/seq_file.h>

#include "../cq.h"
#include "../fdinfo.h"
#include "../rsrc.h"

#define SQ_ENTRIES	4
#define CQ_ENTRIES	8
#define TEXT_SIZE	8192

/* A ring made by hand, with guard entries behind both arrays that must never be shown */
struct test_ring {
	struct io_ring_ctx ctx;
	struct file file;
	struct seq_file m;
	struct hlist_head table[2];
	struct io_uring_sqe sqes[2 * SQ_ENTRIES + 1];
	u32 sq_array[SQ_ENTRIES + 1];
	union {
		struct io_rings head;
		u8 bytes[sizeof(struct io_rings) + 32 * CQ_ENTRIES + 32];
	} rings;
	char text[TEXT_SIZE];
};

#define GUARD	0xabadcafeu

static struct test_ring *make_ring(struct kunit *test, unsigned int flags)
{
	struct test_ring *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct io_ring_ctx *ctx;

	KUNIT_ASSERT_NOT_NULL(test, r);
	ctx = &r->ctx;
	mutex_init(&ctx->lock);
	INIT_LIST_HEAD(&ctx->overflow);
	ctx->registry.table = r->table;
	ctx->registry.bits = 1;
	ctx->flags = flags;
	ctx->sqe_shift = !!(flags & IORING_SETUP_SQE128);
	ctx->cqe_shift = !!(flags & IORING_SETUP_CQE32);
	ctx->sq_entries = SQ_ENTRIES;
	ctx->cq_entries = CQ_ENTRIES;
	ctx->rings = &r->rings.head;
	ctx->cqes = io_rings_cqes(&r->rings.head);
	ctx->sqes = r->sqes;
	if (!(flags & IORING_SETUP_NO_SQARRAY))
		ctx->sq_array = r->sq_array;

	r->sqes[SQ_ENTRIES << ctx->sqe_shift].user_data = GUARD;
	r->sq_array[SQ_ENTRIES] = GUARD;
	ctx->cqes[CQ_ENTRIES << ctx->cqe_shift].user_data = GUARD;
	r->file.private_data = ctx;
	return r;
}

static const char *show(struct test_ring *r)
{
	memset(r->text, 0, sizeof(r->text));
	r->m = (struct seq_file) { .buf = r->text, .size = sizeof(r->text) - 1 };
	io_fdinfo_show(&r->m, &r->file);
	return r->text;
}

static void expect_text(struct kunit *test, const struct test_ring *r, const char *want)
{
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(r->text, want), "no \"%s\" in:\n%s", want, r->text);
}

static void expect_no_text(struct kunit *test, const struct test_ring *r, const char *want)
{
	KUNIT_EXPECT_NULL_MSG(test, strstr(r->text, want), "\"%s\" in:\n%s", want, r->text);
}

static void fdinfo_empty(struct kunit *test)
{
	struct test_ring *r = make_ring(test, 0);

	r->ctx.rings->cq_head = 7;
	r->ctx.rings->cq_tail = 7;
	r->ctx.cq_tail = 7;
	show(r);
	expect_text(test, r,
		    "SqMask:\t0x3\nSqHead:\t0\nSqTail:\t0\nCachedSqHead:\t0\n"
		    "CqMask:\t0x7\nCqHead:\t7\nCqTail:\t7\nCachedCqTail:\t7\n"
		    "SQEs:\t0\nCQEs:\t0\n"
		    "SqThread:\t-1\nSqThreadCpu:\t-1\nSqTotalTime:\t0\nSqWorkTime:\t0\n"
		    "UserFiles:\t0\nUserBufs:\t0\nPollList:\nCqOverflowList:\n");
}

static void fdinfo_busy_lock(struct kunit *test)
{
	struct test_ring *r = make_ring(test, 0);

	mutex_lock(&r->ctx.lock);
	show(r);
	mutex_unlock(&r->ctx.lock);
	KUNIT_EXPECT_STREQ(test, r->text, "");
	KUNIT_EXPECT_STRNEQ(test, show(r), "");
}

static void fdinfo_sqe_by_array(struct kunit *test)
{
	struct test_ring *r = make_ring(test, 0);

	r->sqes[2] = (struct io_uring_sqe) {
		.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = -1, .off = 5, .addr = 0x10,
		.rw_flags = (__force __kernel_rwf_t)3, .buf_index = 9, .user_data = 77,
	};
	r->sq_array[3] = 2;
	r->sq_array[0] = SQ_ENTRIES;		/* bad, to be skipped */
	r->sq_array[1] = U32_MAX;		/* bad, to be skipped */
	r->ctx.sq_head = 3;
	r->ctx.rings->sq_tail = 6;
	show(r);
	expect_text(test, r,
		    "SQEs:\t3\n"
		    "    2: opcode:READ, fd:-1, flags:10, off:5, addr:0x10, rw_flags:0x3, buf_index:9 user_data:77\n"
		    "CQEs:");
}

/* A tail that makes no sense shows each entry once. */
static void fdinfo_wild_indices(struct kunit *test)
{
	struct test_ring *r = make_ring(test, IORING_SETUP_NO_SQARRAY);
	unsigned int lines = 0;
	const char *p;

	r->ctx.sq_head = U32_MAX - 1;
	r->ctx.rings->sq_tail = 12345;
	r->ctx.cq_tail = U32_MAX;
	r->ctx.rings->cq_head = 3;
	show(r);
	for (p = r->text; (p = strstr(p, "user_data:")); p++)
		lines++;
	KUNIT_EXPECT_EQ(test, lines, SQ_ENTRIES + CQ_ENTRIES);
	expect_text(test, r, "SQEs:\t4\n    2: ");
	expect_text(test, r, "CQEs:\t8\n    3: ");
	expect_no_text(test, r, "user_data:2880293630");	/* GUARD */
}

static void fdinfo_unknown_opcode(struct kunit *test)
{
	struct test_ring *r = make_ring(test, IORING_SETUP_NO_SQARRAY);

	r->sqes[0].opcode = IORING_OP_LAST;
	r->sqes[1].opcode = 255;
	r->ctx.rings->sq_tail = 2;
	show(r);
	expect_text(test, r, "SQEs:\t2\n    0: opcode:");
	expect_text(test, r, "\n    1: opcode:");
}

static void fdinfo_sqe128(struct kunit *test)
{
	struct test_ring *r = make_ring(test, IORING_SETUP_SQE128 | IORING_SETUP_NO_SQARRAY);
	u64 *second = (u64 *)&r->sqes[2 * 3 + 1];

	r->sqes[2 * 3].user_data = 5;
	second[0] = 1;
	second[7] = 0xff;
	r->ctx.sq_head = 3;
	r->ctx.rings->sq_tail = 4;
	show(r);
	expect_text(test, r,
		    "user_data:5, e0:0x1, e1:0x0, e2:0x0, e3:0x0, e4:0x0, e5:0x0, e6:0x0, e7:0xff\n"
		    "CQEs:");
}

static void fdinfo_sqe_mixed(struct kunit *test)
{
	struct test_ring *r = make_ring(test, IORING_SETUP_SQE_MIXED | IORING_SETUP_NO_SQARRAY);

	r->sqes[0].user_data = 10;
	r->sqes[1].opcode = IORING_OP_NOP128;
	r->sqes[1].user_data = 11;
	((u64 *)&r->sqes[2])[0] = 0x22;
	r->sqes[3].user_data = 13;
	r->ctx.rings->sq_tail = 4;
	show(r);
	expect_text(test, r, "user_data:10\n    1: opcode:NOP128");
	expect_text(test, r, "user_data:11, e0:0x22, ");
	expect_text(test, r, ", e7:0x0\n    3: opcode:NOP,");
	expect_text(test, r, "user_data:13\nCQEs:");

	/* in the last slot it would reach behind the array, wherever head is */
	r->sqes[3].opcode = IORING_OP_NOP128;
	r->ctx.sq_head = 3;
	r->ctx.rings->sq_tail = 5;
	show(r);
	expect_text(test, r, "SQEs:\t2\n    3: corrupted sqe, wrapping 128B entry\nCQEs:");
}

static void fdinfo_sqe_invalid_128(struct kunit *test)
{
	struct test_ring *r = make_ring(test, IORING_SETUP_NO_SQARRAY);

	r->sqes[1].opcode = IORING_OP_NOP128;
	r->ctx.rings->sq_tail = 3;
	show(r);
	expect_text(test, r, "\n    1: invalid sqe, 128B entry on non-mixed sq\nCQEs:");
}

static void fdinfo_cqe32(struct kunit *test)
{
	struct test_ring *r = make_ring(test, IORING_SETUP_CQE32);
	struct io_uring_cqe *cqe = &r->ctx.cqes[2 * 7];

	cqe->user_data = 1;
	cqe->res = -2;
	cqe->flags = 3;
	cqe->big_cqe[0] = 4;
	cqe->big_cqe[1] = 5;
	r->ctx.rings->cq_head = 7;
	r->ctx.cq_tail = 8;
	show(r);
	expect_text(test, r,
		    "CQEs:\t1\n    7: user_data:1, res:-2, flags:3, extra1:4, extra2:5\nSqThread:");
}

static void fdinfo_cqe_mixed(struct kunit *test)
{
	struct test_ring *r = make_ring(test, IORING_SETUP_CQE_MIXED);
	struct io_uring_cqe *cqe = r->ctx.cqes;

	cqe[5].flags = IORING_CQE_F_32;
	cqe[5].big_cqe[0] = 8;
	cqe[5].big_cqe[1] = 9;
	/* not what the kernel writes: a first half without a second */
	cqe[7].flags = IORING_CQE_F_32;
	r->ctx.rings->cq_head = 5;
	r->ctx.cq_tail = 8;
	show(r);
	expect_text(test, r,
		    "CQEs:\t3\n"
		    "    5: user_data:0, res:0, flags:8000, extra1:8, extra2:9\n"
		    "    7: user_data:0, res:0, flags:8000\n"
		    "SqThread:");
}

static const struct file_operations no_fops;

static void fdinfo_files(struct kunit *test)
{
	struct io_rsrc_node node = { .type = IO_RSRC_FILE };
	struct io_rsrc_node *files[3] = { [1] = &node };
	struct test_ring *r = make_ring(test, 0);

	node.file = anon_inode_getfile("[a b]", &no_fops, NULL, O_RDWR);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, node.file);
	r->ctx.files.data.nodes = files;
	r->ctx.files.data.nr = 3;
	show(r);
	fput(node.file);
	expect_text(test, r,
		    "UserFiles:\t3\n    1: anon_inode:[a\\040b]\n"
		    "UserBufs:\t0\n");
}

static void fdinfo_armed_and_overflow(struct kunit *test)
{
	struct io_task_node node = { .task = current };
	struct io_overflow_cqe ocqe = {
		.cqe = { .user_data = 6, .res = -7, .flags = 0x10 },
	};
	struct test_ring *r = make_ring(test, 0);
	struct io_kiocb *req = kunit_kzalloc(test, sizeof(*req), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->opcode = IORING_OP_POLL_ADD;
	req->node = &node;
	hlist_add_head(&req->armed_entry, &r->table[1]);
	list_add(&ocqe.list, &r->ctx.overflow);
	show(r);
	expect_text(test, r,
		    "PollList:\n  op=6, task_works=0\n"
		    "CqOverflowList:\n  user_data=6, res=-7, flags=10\n");
}

static struct kunit_case fdinfo_cases[] = {
	KUNIT_CASE(fdinfo_empty),
	KUNIT_CASE(fdinfo_busy_lock),
	KUNIT_CASE(fdinfo_sqe_by_array),
	KUNIT_CASE(fdinfo_wild_indices),
	KUNIT_CASE(fdinfo_unknown_opcode),
	KUNIT_CASE(fdinfo_sqe128),
	KUNIT_CASE(fdinfo_sqe_mixed),
	KUNIT_CASE(fdinfo_sqe_invalid_128),
	KUNIT_CASE(fdinfo_cqe32),
	KUNIT_CASE(fdinfo_cqe_mixed),
	KUNIT_CASE(fdinfo_files),
	KUNIT_CASE(fdinfo_armed_and_overflow),
	{ }
};

static struct kunit_suite fdinfo_suite = {
	.name = "io_uring_fdinfo",
	.test_cases = fdinfo_cases,
};

kunit_test_suite(fdinfo_suite);

MODULE_DESCRIPTION("KUnit tests of the fdinfo of io_uring");
MODULE_LICENSE("GPL");
