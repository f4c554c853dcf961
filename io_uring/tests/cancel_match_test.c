// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what a cancel request means: every set of flags against every kind of request,
 * compared with the rules as they are documented.
 */
#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/io_uring_types.h>

#include "../cancel.h"
#include "../op.h"
#include "../request.h"

#define ALL		IORING_ASYNC_CANCEL_ALL
#define FD		IORING_ASYNC_CANCEL_FD
#define ANY		IORING_ASYNC_CANCEL_ANY
#define FD_FIXED	IORING_ASYNC_CANCEL_FD_FIXED
#define USERDATA	IORING_ASYNC_CANCEL_USERDATA
#define OP		IORING_ASYNC_CANCEL_OP

#define KEY		0x1234567890abcdefull
#define ALL_FLAGS	64u

/* A request, by what it has in common with the criteria */
struct similar {
	bool key;
	bool file;		/* works on the same file */
	bool other_file;	/* works on another one */
	bool op;
};

/* The rule: all criteria that are given; user_data unless others are and it is not asked for */
static bool model(u32 flags, const struct similar *s)
{
	bool ok = true;

	if (flags & ANY)
		return true;
	if (flags & FD)
		ok &= s->file;
	if (flags & OP)
		ok &= s->op;
	if ((flags & USERDATA) || (flags & (FD | OP)) == 0)
		ok &= s->key;
	return ok;
}

static void cancel_match_all_flags(struct kunit *test)
{
	struct file *files = kunit_kcalloc(test, 2, sizeof(*files), GFP_KERNEL);
	u32 flags, bits;

	KUNIT_ASSERT_NOT_NULL(test, files);
	for (flags = 0; flags < ALL_FLAGS; flags++) {
		struct io_cancel what = {
			.user_data = KEY,
			.file = flags & FD ? &files[0] : NULL,
			.flags = flags,
			.opcode = IORING_OP_READ,
		};

		for (bits = 0; bits < 16; bits++) {
			struct similar s = {
				.key = bits & 1,
				.file = bits & 2,
				.other_file = (bits & 4) && !(bits & 2),
				.op = bits & 8,
			};
			struct io_kiocb req = {
				.opcode = s.op ? IORING_OP_READ : IORING_OP_WRITE,
				.cqe.user_data = s.key ? KEY : KEY + 1,
			};

			if (s.file || s.other_file) {
				req.file = &files[s.other_file];
				req.flags = IO_REQ_FILE;
			}
			KUNIT_EXPECT_EQ_MSG(test, io_cancel_match(&req, &what), model(flags, &s),
					    "flags %#x bits %#x", flags, bits);
		}
	}
}

/* Whatever lies where others keep their file: who works on no file matches none. */
static void cancel_match_no_file(struct kunit *test)
{
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);
	struct io_cancel what = { .file = file, .flags = FD };
	struct io_kiocb req = { .opcode = IORING_OP_TIMEOUT, .flags = IO_REQ_FILE };

	KUNIT_ASSERT_NOT_NULL(test, file);
	req.file = file;
	KUNIT_EXPECT_FALSE(test, io_cancel_match(&req, &what));
	/* not looked up yet, so the place may hold anything */
	req.opcode = IORING_OP_READ;
	req.flags = 0;
	KUNIT_EXPECT_FALSE(test, io_cancel_match(&req, &what));
	req.flags = IO_REQ_FILE_NODE;
	KUNIT_EXPECT_TRUE(test, io_cancel_match(&req, &what));
}

static void cancel_check_flags(struct kunit *test)
{
	u32 flags;

	for (flags = 0; flags < 4 * ALL_FLAGS; flags++) {
		struct io_cancel what = { .flags = flags };
		bool ok = flags < ALL_FLAGS && !((flags & ANY) && (flags & (FD | OP)));

		KUNIT_EXPECT_EQ_MSG(test, io_cancel_check(&what), ok ? 0 : -EINVAL,
				    "flags %#x", flags);
	}
}

static void cancel_check_opcode(struct kunit *test)
{
	struct io_cancel what = { .flags = OP, .opcode = IORING_OP_LAST - 1 };

	KUNIT_EXPECT_EQ(test, io_cancel_check(&what), 0);
	what.opcode = IORING_OP_LAST;
	KUNIT_EXPECT_EQ(test, io_cancel_check(&what), -EINVAL);
	what.opcode = 256;
	KUNIT_EXPECT_EQ(test, io_cancel_check(&what), -EINVAL);
	/* without the flag it means nothing */
	what.flags = ALL;
	KUNIT_EXPECT_EQ(test, io_cancel_check(&what), 0);
}

static struct kunit_case cancel_match_cases[] = {
	KUNIT_CASE(cancel_match_all_flags),
	KUNIT_CASE(cancel_match_no_file),
	KUNIT_CASE(cancel_check_flags),
	KUNIT_CASE(cancel_check_opcode),
	{}
};

static struct kunit_suite cancel_match_suite = {
	.name = "io_uring_cancel_match",
	.test_cases = cancel_match_cases,
};

kunit_test_suite(cancel_match_suite);

MODULE_DESCRIPTION("KUnit tests of what io_uring cancel requests match");
MODULE_LICENSE("GPL");
