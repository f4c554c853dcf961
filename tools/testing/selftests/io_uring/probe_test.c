// SPDX-License-Identifier: GPL-2.0
/*
 * IORING_REGISTER_PROBE: what it says, and that it is true.
 */
#include "common.h"

#define MAX_OPS	256

struct probe {
	struct io_uring_probe head;
	struct io_uring_probe_op ops[MAX_OPS];
};

static int get_probe(struct ring *r, struct probe *p, unsigned int nr)
{
	memset(p, 0, sizeof(*p));
	return sys_register(r->fd, IORING_REGISTER_PROBE, p, nr);
}

FIXTURE(probe)
{
	struct ring r;
	struct probe p;
};

FIXTURE_SETUP(probe)
{
	ASSERT_EQ(0, ring_open(&self->r, 8, 0));
}

FIXTURE_TEARDOWN(probe)
{
	ring_close(&self->r);
}

TEST_F(probe, contents)
{
	unsigned int i;

	ASSERT_EQ(0, get_probe(&self->r, &self->p, MAX_OPS));
	EXPECT_EQ(self->p.head.last_op + 1, self->p.head.ops_len);
	EXPECT_EQ(0, self->p.head.resv);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, self->p.head.resv2[i]);
	for (i = 0; i < self->p.head.ops_len; i++) {
		EXPECT_EQ(i, self->p.ops[i].op);
		EXPECT_EQ(0, self->p.ops[i].resv);
		EXPECT_EQ(0, self->p.ops[i].resv2);
		EXPECT_EQ(0, self->p.ops[i].flags & ~IO_URING_OP_SUPPORTED);
	}
	/* Behind the last opcode nothing is written. */
	for (; i < MAX_OPS; i++)
		EXPECT_EQ(0, self->p.ops[i].op | self->p.ops[i].flags);
}

TEST_F(probe, last_opcode)
{
	NEEDS_73(is_73());
	ASSERT_EQ(0, get_probe(&self->r, &self->p, MAX_OPS));
	EXPECT_EQ(64, self->p.head.last_op);
	EXPECT_EQ(65, self->p.head.ops_len);
}

TEST_F(probe, length)
{
	unsigned int nr, i, known;

	ASSERT_EQ(0, get_probe(&self->r, &self->p, MAX_OPS));
	known = self->p.head.ops_len;
	for (nr = 0; nr <= MAX_OPS; nr++) {
		unsigned int want = nr < known ? nr : known;

		ASSERT_EQ(0, get_probe(&self->r, &self->p, nr));
		EXPECT_EQ(known - 1, self->p.head.last_op);
		EXPECT_EQ(want, self->p.head.ops_len);
		for (i = 1; i < MAX_OPS; i++)
			ASSERT_EQ(i < want ? i : 0, self->p.ops[i].op);
	}
}

/* Opcodes that this batch of tests uses. */
TEST_F(probe, core_is_supported)
{
	static const unsigned char core[] = {
		IORING_OP_NOP, IORING_OP_READV, IORING_OP_WRITEV, IORING_OP_CLOSE, IORING_OP_READ,
		IORING_OP_WRITE,
	};
	unsigned int i;

	ASSERT_EQ(0, get_probe(&self->r, &self->p, MAX_OPS));
	for (i = 0; i < ARRAY_SIZE(core); i++)
		EXPECT_EQ(IO_URING_OP_SUPPORTED, self->p.ops[core[i]].flags);
}

/* An opcode that is not supported does not run, whatever it is given. */
TEST_F(probe, what_is_not_supported_fails)
{
	unsigned int op;

	ASSERT_EQ(0, get_probe(&self->r, &self->p, MAX_OPS));
	for (op = 0; op < MAX_OPS; op++) {
		int res;

		if (op < self->p.head.ops_len && self->p.ops[op].flags & IO_URING_OP_SUPPORTED)
			continue;
		sqe_op(&self->r, op, op);
		res = ring_run(&self->r);
		EXPECT_TRUE(res == -EINVAL || res == -EOPNOTSUPP)
			TH_LOG("opcode %u gives %s", op, res_name(res));
	}
}

TEST_F(probe, bad_arguments)
{
	struct probe *p = &self->p;
	const unsigned int op = IORING_REGISTER_PROBE;
	unsigned int i;

	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, NULL, 1));
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, NULL, 0));
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, p, MAX_OPS + 1));
	EXPECT_RES(-EINVAL, sys_register(self->r.fd, op, p, UINT_MAX));
	EXPECT_RES(-EFAULT, sys_register(self->r.fd, op, BAD_PTR, 1));

	/* All of it has to be zero, as far as it is said to go. */
	for (i = 0; i < sizeof(p->head) + 10 * sizeof(p->ops[0]); i++) {
		memset(p, 0, sizeof(*p));
		((char *)p)[i] = 1;
		EXPECT_RES_OF(res_name(i), -EINVAL, sys_register(self->r.fd, op, p, 10));
	}
	memset(p, 0, sizeof(*p));
	p->ops[10].op = 1;
	EXPECT_RES(0, sys_register(self->r.fd, op, p, 10));
	EXPECT_EQ(1, p->ops[10].op);
}

TEST_F(probe, memory_that_ends_early)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *mem = anon_map(2 * page);
	struct probe *p;

	ASSERT_EQ(0, munmap(mem + page, page));
	p = (void *)(mem + page - sizeof(p->head) - 4 * sizeof(p->ops[0]));
	EXPECT_RES(-EFAULT, sys_register(self->r.fd, IORING_REGISTER_PROBE, p, 5));
	EXPECT_RES(0, sys_register(self->r.fd, IORING_REGISTER_PROBE, p, 4));
	ASSERT_EQ(0, mprotect(mem, page, PROT_READ));
	EXPECT_RES(-EFAULT, sys_register(self->r.fd, IORING_REGISTER_PROBE, mem, 4));
}

TEST_HARNESS_MAIN
