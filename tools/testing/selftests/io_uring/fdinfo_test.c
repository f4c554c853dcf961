// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/fdinfo/FD of a ring: what its lines are and that they tell the
 * truth, also of rings with nonsense in the words that programs write.
 */
#include <stdarg.h>
#include <sys/eventfd.h>

#include "common.h"

static char text[1 << 16];

/* Read the file again into text. */
static int read_fdinfo(int ring_fd)
{
	char path[64];
	ssize_t n, len = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", ring_fd);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	close(fd);
	text[len] = 0;
	return n < 0 ? -EIO : 0;
}

/* Is there a line that is exactly this? */
static bool has_line(const char *format, ...)
{
	char line[512];
	const char *p;
	va_list args;
	size_t len;

	line[0] = '\n';
	va_start(args, format);
	len = 1 + vsnprintf(line + 1, sizeof(line) - 2, format, args);
	va_end(args);
	line[len] = '\n';
	line[len + 1] = 0;
	p = strstr(text, line);
	return p || !strncmp(text, line + 1, len);
}

#define EXPECT_LINE(...)						\
	do {								\
		if (!has_line(__VA_ARGS__)) {				\
			TH_LOG("missing: " __VA_ARGS__);		\
			_metadata->exit_code = KSFT_FAIL;		\
		}							\
	} while (0)

/* How many lines start like this? */
static unsigned int count_lines(const char *start)
{
	unsigned int n = 0;
	const char *p = text;

	do {
		n += !strncmp(p, start, strlen(start));
		p = strchr(p, '\n');
	} while (p++);
	return n;
}

static long number_of(const char *key)
{
	char start[64];
	const char *p;

	snprintf(start, sizeof(start), "\n%s:\t", key);
	p = strstr(text, start);
	return p ? strtol(p + strlen(start), NULL, 0) : -1000;
}

/* CQEs and tables are written another way since 6.12. */
static bool new_format(void)
{
	struct ring r;
	bool is;

	if (ring_open(&r, 2, 0))
		return false;
	sqe_nop(&r, 1);
	ring_submit(&r);
	read_fdinfo(r.fd);
	is = strstr(text, ", flags:0\n");
	ring_close(&r);
	return is;
}

TEST(keys_in_order)
{
	static const char * const keys[] = {
		"SqMask:\t0x", "SqHead:\t", "SqTail:\t", "CachedSqHead:\t", "CqMask:\t0x",
		"CqHead:\t", "CqTail:\t", "CachedCqTail:\t", "SQEs:\t", "CQEs:\t", "SqThread:\t",
		"SqThreadCpu:\t", "SqTotalTime:\t", "SqWorkTime:\t", "UserFiles:\t", "UserBufs:\t",
		"PollList:\n", "CqOverflowList:\n",
	};
	const char *p, *last = text;
	unsigned int i;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		EXPECT_EQ(1, count_lines(keys[i])) TH_LOG("%s", keys[i]);
		p = strstr(text, keys[i]);
		if (p)
			EXPECT_LE(last, p) TH_LOG("%s", keys[i]);
		last = p ? p : last;
	}
	/* The last one depends on the configuration. */
	EXPECT_GE(1, count_lines("NAPI:\t"));
	if (count_lines("NAPI:"))
		EXPECT_LINE("NAPI:\tdisabled");
	ring_close(&r);
}

TEST(fresh_ring)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("SqMask:\t0x7");
	EXPECT_LINE("SqHead:\t0");
	EXPECT_LINE("SqTail:\t0");
	EXPECT_LINE("CachedSqHead:\t0");
	EXPECT_LINE("CqMask:\t0xf");
	EXPECT_LINE("CqHead:\t0");
	EXPECT_LINE("CqTail:\t0");
	EXPECT_LINE("CachedCqTail:\t0");
	EXPECT_LINE("SQEs:\t0");
	EXPECT_LINE("CQEs:\t0");
	EXPECT_LINE("SqThread:\t-1");
	EXPECT_LINE("SqThreadCpu:\t-1");
	EXPECT_LINE("SqTotalTime:\t0");
	EXPECT_LINE("SqWorkTime:\t0");
	EXPECT_LINE("UserFiles:\t0");
	EXPECT_LINE("UserBufs:\t0");
	ring_close(&r);
}

TEST(indices)
{
	struct cqe cqe;
	struct ring r;
	int i;

	ASSERT_EQ(0, ring_open(&r, 4, 0));
	for (i = 0; i < 10; i++) {
		sqe_nop(&r, i);
		ASSERT_EQ(1, ring_submit(&r));
		if (i < 7)
			ring_take(&r, &cqe);
	}
	sqe_nop(&r, 10);
	sqe_nop(&r, 11);
	ring_publish(&r);
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("SqHead:\t10");
	EXPECT_LINE("SqTail:\t12");
	EXPECT_LINE("CachedSqHead:\t10");
	EXPECT_LINE("CqHead:\t7");
	EXPECT_LINE("CqTail:\t10");
	EXPECT_LINE("CachedCqTail:\t10");
	EXPECT_LINE("SQEs:\t2");
	EXPECT_LINE("CQEs:\t3");
	ring_close(&r);
}

TEST(pending_sqes)
{
	struct io_uring_sqe *sqe;
	struct ring r;
	int i;

	ASSERT_EQ(0, ring_open(&r, 4, 0));
	for (i = 0; i < 3; i++) {
		sqe_nop(&r, i);
		ASSERT_EQ(1, ring_submit(&r));
	}
	sqe = sqe_rw(&r, IORING_OP_WRITE, 7, (void *)0xabcde, 5, 9);
	sqe->flags = IOSQE_ASYNC;
	sqe->user_data = 0xffffffffffull;
	sqe->buf_index = 3;
	sqe->rw_flags = RWF_DSYNC;
	sqe_nop(&r, 8)->fd = -1;
	ring_publish(&r);
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("SQEs:\t2");
	/* The number in front is the slot. */
	EXPECT_LINE("    3: opcode:WRITE, fd:7, flags:10, off:9, addr:0xabcde, rw_flags:0x2, buf_index:3 user_data:1099511627775");
	EXPECT_LINE("    0: opcode:NOP, fd:-1, flags:0, off:0, addr:0x0, rw_flags:0x0, buf_index:0 user_data:8");
	ring_close(&r);
}

TEST(pending_wide_sqe)
{
	struct io_uring_sqe *sqe;
	struct ring r;
	int i;

	ASSERT_EQ(0, ring_open(&r, 2, IORING_SETUP_SQE128));
	sqe = sqe_nop(&r, 5);
	for (i = 0; i < 8; i++)
		((__u64 *)(sqe + 1))[i] = i + 0x10;
	ring_publish(&r);
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("    0: opcode:NOP, fd:0, flags:0, off:0, addr:0x0, rw_flags:0x0, buf_index:0 user_data:5, e0:0x10, e1:0x11, e2:0x12, e3:0x13, e4:0x14, e5:0x15, e6:0x16, e7:0x17");
	ring_close(&r);
}

TEST(pending_mixed_sqes)
{
	struct ring r;

	NEEDS_73(has_setup_flags(IORING_SETUP_SQE_MIXED));
	ASSERT_EQ(0, ring_open(&r, 4, IORING_SETUP_SQE_MIXED));
	sqe_op(&r, IORING_OP_NOP128, 3);
	memset(ring_sqe(&r), 1, 64);
	sqe_nop(&r, 4);
	sqe_op(&r, IORING_OP_NOP128, 5);
	ring_publish(&r);
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("SQEs:\t4");
	EXPECT_NE(NULL, strstr(text, "    0: opcode:NOP128, fd:0, "));
	EXPECT_NE(NULL, strstr(text, "user_data:3, e0:0x101010101010101, "));
	EXPECT_EQ(0, count_lines("    1: "));
	EXPECT_NE(NULL, strstr(text, "    2: opcode:NOP, "));
	/* The one in the last slot has no second half: it is not shown as if it had. */
	EXPECT_EQ(NULL, strstr(text, "    3: opcode:NOP128"));
	ring_close(&r);
}

TEST(wide_opcode_on_a_narrow_ring)
{
	struct ring r;

	NEEDS_73(has_setup_flags(IORING_SETUP_SQE_MIXED));
	ASSERT_EQ(0, ring_open(&r, 4, 0));
	sqe_op(&r, IORING_OP_NOP128, 3);
	ring_publish(&r);
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("    0: invalid sqe, 128B entry on non-mixed sq");
	ring_close(&r);
}

TEST(unread_cqes)
{
	struct io_uring_sqe *sqe;
	struct cqe cqe;
	struct ring r;
	int i;

	NEEDS_73(new_format());
	ASSERT_EQ(0, ring_open(&r, 2, 0));
	for (i = 0; i < 3; i++) {
		sqe_nop(&r, i);
		ASSERT_EQ(1, ring_submit(&r));
		ring_take(&r, &cqe);
	}
	sqe = sqe_nop(&r, -1ull);
	sqe->nop_flags = IORING_NOP_INJECT_RESULT;
	sqe->len = -5;
	ASSERT_EQ(1, ring_submit(&r));
	sqe_nop(&r, 9);
	ASSERT_EQ(1, ring_submit(&r));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("CQEs:\t2");
	EXPECT_LINE("    3: user_data:18446744073709551615, res:-5, flags:0");
	EXPECT_LINE("    0: user_data:9, res:0, flags:0");
	ring_close(&r);
}

TEST(unread_wide_cqes)
{
	struct io_uring_sqe *sqe;
	struct ring r;

	NEEDS_73(has_setup_flags(IORING_SETUP_CQE_MIXED) && new_format());
	ASSERT_EQ(0, ring_open(&r, 2, IORING_SETUP_CQE32));
	sqe = sqe_nop(&r, 1);
	sqe->nop_flags = IORING_NOP_CQE32;
	sqe->off = 77;
	sqe->addr = 88;
	ASSERT_EQ(1, ring_submit(&r));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("    0: user_data:1, res:0, flags:0, extra1:77, extra2:88");
	ring_close(&r);

	ASSERT_EQ(0, ring_open(&r, 2, IORING_SETUP_CQE_MIXED));
	sqe_nop(&r, 1);
	sqe = sqe_nop(&r, 2);
	sqe->nop_flags = IORING_NOP_CQE32;
	sqe->off = 5;
	sqe->addr = 6;
	ASSERT_EQ(2, ring_submit(&r));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("CQEs:\t3");
	EXPECT_LINE("    0: user_data:1, res:0, flags:0");
	EXPECT_LINE("    1: user_data:2, res:0, flags:8000, extra1:5, extra2:6");
	EXPECT_EQ(0, count_lines("    2: "));
	ring_close(&r);
}

TEST(overflow_list)
{
	struct ring r;
	int i;

	ASSERT_EQ(0, ring_open(&r, 1, 0));
	for (i = 0; i < 5; i++) {
		sqe_nop(&r, 40 + i);
		ASSERT_EQ(1, ring_submit(&r));
	}
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_EQ(3, count_lines("  user_data="));
	EXPECT_LINE("  user_data=42, res=0, flags=0");
	EXPECT_LINE("  user_data=43, res=0, flags=0");
	EXPECT_LINE("  user_data=44, res=0, flags=0");
	ring_close(&r);
}

TEST(poll_list)
{
	int event = eventfd(0, 0);
	__u64 value[3];
	struct ring r;
	int i;

	ASSERT_EQ(0, ring_open(&r, 4, 0));
	for (i = 0; i < 3; i++) {
		sqe_rw(&r, IORING_OP_READ, event, &value[i], 8, 0);
		ASSERT_EQ(1, ring_submit(&r));
	}
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_EQ(3, count_lines("  op=22, task_works=0"));
	value[0] = 1;
	ASSERT_EQ(8, write(event, value, 8));
	EXPECT_RES(0, ring_wait_ms(&r, 1, WAIT_MS));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_EQ(2, count_lines("  op=22, "));
	ring_close(&r);
}

TEST(files)
{
	int fds[3] = { open("/dev/null", O_RDWR), -1, eventfd(0, 0) };
	struct ring r;

	NEEDS_PIECE("files");
	NEEDS_73(new_format());
	ASSERT_EQ(0, ring_open(&r, 4, 0));
	ASSERT_EQ(0, sys_register(r.fd, IORING_REGISTER_FILES, fds, 3));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("UserFiles:\t3");
	EXPECT_LINE("    0: /dev/null");
	EXPECT_EQ(0, count_lines("    1: "));
	EXPECT_LINE("    2: anon_inode:[eventfd]");
	ring_close(&r);
}

TEST(buffers)
{
	char *mem = anon_map(8192);
	struct iovec iov[3] = { { mem, 100 }, { NULL, 0 }, { mem, 8192 } };
	struct ring r;

	NEEDS_PIECE("buffers");
	NEEDS_73(new_format());
	ASSERT_EQ(0, ring_open(&r, 4, 0));
	ASSERT_EQ(0, sys_register(r.fd, IORING_REGISTER_BUFFERS, iov, 3));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("UserBufs:\t3");
	EXPECT_LINE("    0: 0x%lx/100", (unsigned long)mem);
	EXPECT_LINE("    1: <none>");
	EXPECT_LINE("    2: 0x%lx/8192", (unsigned long)mem);
	ring_close(&r);
}

TEST(sq_thread)
{
	struct ring r;

	NEEDS_PIECE("sqpoll");
	ASSERT_EQ(0, ring_open(&r, 4, IORING_SETUP_SQPOLL));
	sqe_nop(&r, 1);
	EXPECT_RES(0, ring_run(&r));
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LT(0, number_of("SqThread"));
	EXPECT_LE(-1, number_of("SqThreadCpu"));
	EXPECT_LE(0, number_of("SqTotalTime"));
	EXPECT_LE(number_of("SqWorkTime"), number_of("SqTotalTime"));
	ring_close(&r);
}

/* Nonsense in shared words: bounded output, nothing from outside the ring. */
TEST(words_that_make_no_sense)
{
	static const unsigned int words[] = { 1, 5, 100, 1u << 31, -1u, -5u };
	unsigned int i, k, slots;
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 4, 0));
	for (i = 0; i < 4; i++) {
		r.sq_array[i] = i & 1 ? 1000 : UINT_MAX;
		memset(ring_slot(&r, i), 0xff, 64);
	}
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		for (k = 0; k < 4; k++) {
			*r.sq_head = k & 1 ? words[i] : 0;
			*r.sq_tail = k & 2 ? words[i] : 0;
			*r.cq_head = k & 1 ? words[i] : 0;
			*r.cq_tail = k & 2 ? words[i] : 0;
			ASSERT_EQ(0, read_fdinfo(r.fd));
			slots = count_lines("    ");
			EXPECT_GE(4 + 8, slots);
			EXPECT_EQ(1, count_lines("CqOverflowList:"));
		}
	}
	ring_close(&r);
}

TEST(unknown_opcode)
{
	struct ring r;

	/* Shown as such, or left out: not taken for one that exists. */
	ASSERT_EQ(0, ring_open(&r, 4, 0));
	sqe_op(&r, 200, 66);
	ring_publish(&r);
	ASSERT_EQ(0, read_fdinfo(r.fd));
	EXPECT_LINE("SQEs:\t1");
	if (count_lines("    0: "))
		EXPECT_EQ(1, count_lines("    0: opcode:INVALID, "));
	ring_close(&r);
}

struct reader {
	int fd;
	atomic_bool stop;
	int rounds;
};

static void *reader_main(void *arg)
{
	struct reader *reader = arg;
	char path[64], buf[4096];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", reader->fd);
	while (!atomic_load(&reader->stop)) {
		fd = open(path, O_RDONLY);
		while (read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
		reader->rounds++;
	}
	return NULL;
}

/* A reader beside a busy ring gets the whole or nothing, and the ring goes on. */
TEST(reader_and_submitter)
{
	struct reader reader = {};
	__u64 start = now_ns();
	pthread_t thread;
	struct cqe cqe;
	struct ring r;
	int i;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	reader.fd = r.fd;
	ASSERT_EQ(0, pthread_create(&thread, NULL, reader_main, &reader));
	do {
		for (i = 0; i < 8; i++)
			sqe_nop(&r, i);
		ASSERT_EQ(8, ring_submit(&r));
		for (i = 0; i < 8; i++)
			ASSERT_EQ(0, ring_wait(&r, &cqe));
	} while (ms_since(start) < 500);
	atomic_store(&reader.stop, true);
	pthread_join(thread, NULL);
	EXPECT_LT(0, reader.rounds);
	ring_close(&r);
}

TEST_HARNESS_MAIN
