// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU TCG plugin: how often each translation block of the guest runs between two marks.
 *
 * A mark is a NOP instruction with a magic displacement that the measured program executes (see
 * mark.h). From a begin mark to the next end mark all blocks are counted, of kernel and programs
 * alike; the end mark appends one section to the file named by the argument out=FILE:
 *
 *	section NUMBER
 *	ADDRESS RUNS INSNS LOCKED PERCPU SIZES
 *
 * ADDRESS in hex; INSNS per run, and among them LOCKED: atomic read-modify-writes, PERCPU:
 * read-modify-writes relative to %gs through a pointer, which is what a percpu_ref does; SIZES:
 * the length of each instruction, one hex digit each.
 *
 * Needs one guest CPU. Nothing but glib to build against: the plugin interface is declared here.
 */
#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mark.h"

/* The part of QEMU's plugin interface that is used */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { QEMU_PLUGIN_CB_NO_REGS };
typedef void (*tb_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*exec_cb)(unsigned int cpu, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_cb cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, exec_cb cb, int flags,
					  void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_cb cb, int flags,
					    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
#if QEMU_MAJOR >= 9
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t len);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif

#define EXPORT __attribute__((visibility("default")))

/* Versions of the interface: 1 up to QEMU 8, 3 from 9.1 on */
EXPORT int qemu_plugin_version = QEMU_MAJOR >= 9 ? 3 : 1;

#define MAX_INSN	16
#define MAX_SIZES	512

/*
 * A block is told by where it starts and how many instructions it has: QEMU cuts blocks where a
 * timer is due, so several may start at one address.
 */
struct block {
	uint64_t addr;
	uint32_t insns;
	uint32_t locked;
	uint32_t percpu;
	uint64_t runs;
	uint64_t before;	/* runs at the begin mark */
	char *sizes;
};

static GHashTable *blocks;
static FILE *out;
static unsigned int sections;

static guint block_hash(gconstpointer p)
{
	const struct block *b = p;

	return (b->addr ^ (uint64_t)b->insns << 48) * 0x9e3779b97f4a7c15ull >> 32;
}

static gboolean block_equal(gconstpointer p, gconstpointer q)
{
	const struct block *a = p, *b = q;

	return a->addr == b->addr && a->insns == b->insns;
}

static size_t insn_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[MAX_INSN])
{
	size_t size = qemu_plugin_insn_size(insn);

	if (size > MAX_INSN)
		size = MAX_INSN;
	memset(bytes, 0, MAX_INSN);
#if QEMU_MAJOR >= 9
	qemu_plugin_insn_data(insn, bytes, size);
#else
	memcpy(bytes, qemu_plugin_insn_data(insn), size);
#endif
	return size;
}

/* Does the operand that starts at @modrm lie in memory at an address held in a register? */
static bool through_pointer(const uint8_t *modrm)
{
	unsigned int mod = *modrm >> 6, rm = *modrm & 7;

	if (mod == 3)
		return false;
	if (mod == 0 && rm == 4)
		return (modrm[1] & 7) != 5;
	return mod != 0 || rm != 5;
}

/* Opcodes that read, change and write the memory operand they name */
static bool is_rmw(const uint8_t *op)
{
	unsigned int reg = op[1] >> 3 & 7;

	switch (op[0]) {
	case 0x00 ... 0x01: case 0x08 ... 0x09: case 0x20 ... 0x21: case 0x28 ... 0x29:
	case 0x30 ... 0x31:
		return true;
	case 0x80 ... 0x81: case 0x83:
		return reg != 7;
	case 0xfe ... 0xff:
		return reg < 2;
	default:
		return false;
	}
}

static void classify(struct block *b, const uint8_t *bytes)
{
	bool lock = false, gs = false;
	const uint8_t *p = bytes;

	for (;; p++) {
		if (*p == 0xf0)
			lock = true;
		else if (*p == 0x65)
			gs = true;
		else if (*p != 0x66 && *p != 0xf2 && *p != 0xf3 && *p != 0x2e && *p != 0x3e)
			break;
		if (p - bytes == MAX_INSN - 3)
			return;
	}
	if (*p >= 0x40 && *p <= 0x4f)
		p++;
	if (lock || (!gs && (*p == 0x86 || *p == 0x87) && p[1] >> 6 != 3))
		b->locked++;
	else if (gs && is_rmw(p) && through_pointer(p + 1))
		b->percpu++;
}

static void run_block(unsigned int cpu, void *data)
{
	struct block *b = data;

	b->runs++;
}

static void mark_begin(unsigned int cpu, void *data)
{
	GHashTableIter it;
	struct block *b;

	g_hash_table_iter_init(&it, blocks);
	while (g_hash_table_iter_next(&it, NULL, (void **)&b))
		b->before = b->runs;
}

static void mark_end(unsigned int cpu, void *data)
{
	GHashTableIter it;
	struct block *b;

	fprintf(out, "section %u\n", sections++);
	g_hash_table_iter_init(&it, blocks);
	while (g_hash_table_iter_next(&it, NULL, (void **)&b))
		if (b->runs != b->before)
			fprintf(out, "%" PRIx64 " %" PRIu64 " %u %u %u %s\n", b->addr,
				b->runs - b->before, b->insns, b->locked, b->percpu, b->sizes);
	fflush(out);
}

static void look_at(struct qemu_plugin_insn *insn, struct block *b, size_t i)
{
	uint8_t bytes[MAX_INSN];
	size_t size = insn_bytes(insn, bytes);
	uint32_t magic;

	if (i < MAX_SIZES)
		b->sizes[i] = "0123456789abcdef"[size & 15];
	classify(b, bytes);
	memcpy(&magic, bytes + 3, sizeof(magic));
	if (bytes[0] != 0x0f || bytes[1] != 0x1f || bytes[2] != 0x80)
		return;
	if (magic == MARK_BEGIN)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_begin, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
	else if (magic == MARK_END)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_end, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct block key = {
		.addr = qemu_plugin_tb_vaddr(tb),
		.insns = qemu_plugin_tb_n_insns(tb),
	};
	struct block *b = g_hash_table_lookup(blocks, &key);
	size_t i;

	if (!b) {
		b = g_memdup2(&key, sizeof(key));
		b->sizes = g_malloc0(MAX_SIZES + 1);
		g_hash_table_insert(blocks, b, b);
	}
	b->locked = 0;
	b->percpu = 0;
	for (i = 0; i < key.insns; i++)
		look_at(qemu_plugin_tb_get_insn(tb, i), b, i);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, run_block, QEMU_PLUGIN_CB_NO_REGS, b);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "tcg_count: give out=FILE\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	blocks = g_hash_table_new(block_hash, block_equal);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
