/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the io_uring selftests: the three system calls, a ring with its
 * mappings, and words to state what a result must be.
 *
 * The tests expect the user ABI of Linux 7.3. Environment:
 *
 *   IOU_STOCK=1		The kernel may be older: tests of what came after 6.12,
 *			all marked by NEEDS_73(), skip where it is missing.
 *			Without it nothing skips for that reason.
 *   IOU_LATER=a,b	Pieces that the kernel under test is known not to have
 *			yet; tests marked by NEEDS_PIECE() skip.
 *   TEST_DIR		Where files are made, default /tmp.
 *   TEST_BDEV		A block device whose content may be destroyed.
 *
 * Results are those of the kernel: >= 0, or -errno.
 */
#ifndef IO_URING_SELFTEST_COMMON_H
#define IO_URING_SELFTEST_COMMON_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <linux/io_uring.h>

#include "kselftest_harness.h"

/* An instrumented kernel in an emulated machine is slow. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 120

#define WAIT_MS		20000		/* until something that must come is given up */
#define SETTLE_MS	30		/* for something that must not come */

#ifndef RWF_NOAPPEND
#define RWF_NOAPPEND	0x20
#endif

/* Not an errno: ring_run() saw no CQE, or the submission was not taken whole. */
#define NO_CQE		(-100000)

/* Addresses no process has: the first page, and the kernel's half. */
#define BAD_PTR		((void *)8)
#define KERNEL_PTR	((void *)(1UL << 63))

static inline const char *res_name(long res)
{
	static char names[4][32];
	static unsigned int turn;
	char *name = names[turn++ % 4];
	const char *err = res < 0 && res > -4096 ? strerrorname_np(-res) : NULL;

	if (err)
		snprintf(name, 32, "-%s", err);
	else if (res == NO_CQE)
		snprintf(name, 32, "no CQE");
	else
		snprintf(name, 32, "%ld", res);
	return name;
}

/* As EXPECT_EQ() for results; errors are reported by name. */
#define EXPECT_RES(want, got)						\
	EXPECT_RES_OF("", want, got)

/* The same in a loop: what says which round it was. */
#define EXPECT_RES_OF(what, want, got)					\
	do {								\
		long want_ = (want), got_ = (got);			\
									\
		if (want_ != got_) {					\
			TH_LOG("%s%s%s is %s, expected %s", what, *(what) ? ": " : "",	\
			       #got, res_name(got_), res_name(want_));	\
			_metadata->exit_code = KSFT_FAIL;		\
		}							\
	} while (0)

static inline bool on_stock(void)
{
	const char *s = getenv("IOU_STOCK");

	return s && !strcmp(s, "1");
}

static inline bool comes_later(const char *piece)
{
	const char *s = getenv("IOU_LATER");
	size_t n = strlen(piece);

	for (; s && *s; s += strcspn(s, ","), s += *s == ',')
		if (!strncmp(s, piece, n) && (!s[n] || s[n] == ','))
			return true;
	return false;
}

/* For what came after 6.12; have tells whether this kernel has it. */
#define NEEDS_73(have)							\
	do {								\
		if (on_stock() && !(have))				\
			SKIP(return, "newer than this kernel: %s", #have);	\
	} while (0)

#define NEEDS_PIECE(piece)						\
	do {								\
		if (comes_later(piece))					\
			SKIP(return, "listed in IOU_LATER: %s", piece);	\
	} while (0)

#define NEEDS_ROOT()							\
	do {								\
		if (geteuid())						\
			SKIP(return, "needs root");			\
	} while (0)

/* System calls */

static inline int res_of(long ret)
{
	return ret < 0 ? -errno : ret;
}

static inline int sys_setup(unsigned int entries, struct io_uring_params *p)
{
	return res_of(syscall(__NR_io_uring_setup, entries, p));
}

static inline int sys_enter(int fd, unsigned int to_submit, unsigned int min_complete,
			    unsigned int flags, const void *arg, size_t argsz)
{
	return res_of(syscall(__NR_io_uring_enter, fd, to_submit, min_complete, flags, arg, argsz));
}

static inline int sys_register(int fd, unsigned int opcode, const void *arg, unsigned int nr)
{
	return res_of(syscall(__NR_io_uring_register, fd, opcode, arg, nr));
}

/* The result of io_uring_setup(entries, flags), which leaves no ring behind. */
static inline int try_setup(unsigned int entries, unsigned int flags)
{
	struct io_uring_params p = { .flags = flags };
	int fd = sys_setup(entries, &p);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static inline bool has_setup_flags(unsigned int flags)
{
	return !try_setup(8, flags);
}

static inline unsigned int features(void)
{
	struct io_uring_params p = {};
	int fd = sys_setup(1, &p);

	if (fd >= 0)
		close(fd);
	return p.features;
}

/* For small changes of behaviour that have no flag of their own. */
static inline bool is_73(void)
{
	return has_setup_flags(IORING_SETUP_SQ_REWIND | IORING_SETUP_NO_SQARRAY);
}

/* Time */

static inline __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static inline unsigned int ms_since(__u64 start)
{
	return (now_ns() - start) / 1000000;
}

static inline void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* True as soon as cond is, false if it does not become so. */
#define BECOMES(cond)							\
	({								\
		__u64 start_ = now_ns();				\
		bool is_;						\
									\
		while (!(is_ = (cond)) && ms_since(start_) < WAIT_MS)	\
			sleep_ms(1);					\
		is_;							\
	})

/* Ring memory is shared with the kernel: its loads and stores have an order. */

#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

struct ring {
	int fd;				/* or index, if registered */
	unsigned int enter_flags;	/* added to each enter, e.g. REGISTERED_RING */
	struct io_uring_params p;

	void *mem, *sqes;		/* the two regions */
	size_t mem_size, sqes_size;
	unsigned int sqe_size, cqe_size;

	unsigned int *sq_head, *sq_tail, *sq_flags, *sq_dropped, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_flags, *cq_overflow;
	unsigned int sq_next;		/* tail that is not published yet */
	unsigned int sq_published;	/* tail as SQPOLL saw it last */
};

struct cqe {
	__u64 user_data;
	int res;
	unsigned int flags;
	__u64 big[2];		/* zero in 16-byte CQEs */
};

static inline size_t page_round(size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (size + page - 1) & ~(page - 1);
}

static inline unsigned int roundup_pow2(unsigned int n)
{
	unsigned int p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static inline void *anon_map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE,
		    -1, 0);
}

static inline void *ring_word(struct ring *r, unsigned int offset)
{
	return (char *)r->mem + offset;
}

/* Bytes of the ring region that the offsets of @p speak of. */
static inline size_t ring_mem_size(const struct io_uring_params *p)
{
	size_t cqe_size = p->flags & IORING_SETUP_CQE32 ? 32 : 16;
	size_t cqes = p->cq_off.cqes + p->cq_entries * cqe_size;
	size_t array = p->sq_off.array + p->sq_entries * sizeof(unsigned int);

	if (p->flags & IORING_SETUP_NO_SQARRAY || array < cqes)
		return cqes;
	return array;
}

static inline void ring_set_up_words(struct ring *r)
{
	const struct io_sqring_offsets *sq = &r->p.sq_off;
	const struct io_cqring_offsets *cq = &r->p.cq_off;

	r->sq_head = ring_word(r, sq->head);
	r->sq_tail = ring_word(r, sq->tail);
	r->sq_flags = ring_word(r, sq->flags);
	r->sq_dropped = ring_word(r, sq->dropped);
	if (!(r->p.flags & IORING_SETUP_NO_SQARRAY))
		r->sq_array = ring_word(r, sq->array);
	r->cq_head = ring_word(r, cq->head);
	r->cq_tail = ring_word(r, cq->tail);
	r->cq_flags = ring_word(r, cq->flags);
	r->cq_overflow = ring_word(r, cq->overflow);
}

/* What a program must offer to NO_MMAP: 64 bytes, the CQEs, the array. */
static inline int ring_offer_mem(struct ring *r, unsigned int entries)
{
	unsigned int sq = roundup_pow2(entries);
	unsigned int cq = r->p.flags & IORING_SETUP_CQSIZE ? roundup_pow2(r->p.cq_entries) : 2 * sq;

	r->mem_size = page_round(64 + cq * r->cqe_size + sq * sizeof(unsigned int));
	r->sqes_size = page_round(sq * r->sqe_size);
	r->mem = anon_map(r->mem_size);
	r->sqes = anon_map(r->sqes_size);
	if (r->mem == MAP_FAILED || r->sqes == MAP_FAILED)
		return -errno;
	r->p.cq_off.user_addr = (uintptr_t)r->mem;
	r->p.sq_off.user_addr = (uintptr_t)r->sqes;
	return 0;
}

static inline int ring_map(struct ring *r)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_POPULATE;

	r->mem_size = ring_mem_size(&r->p);
	r->sqes_size = r->p.sq_entries * r->sqe_size;
	r->mem = mmap(NULL, r->mem_size, prot, flags, r->fd, IORING_OFF_SQ_RING);
	if (r->mem == MAP_FAILED)
		return -errno;
	r->sqes = mmap(NULL, r->sqes_size, prot, flags, r->fd, IORING_OFF_SQES);
	if (r->sqes == MAP_FAILED)
		return -errno;
	return 0;
}

/* Make a ring with the parameters in r->p; 0 or -errno. */
static inline int ring_open_params(struct ring *r, unsigned int entries)
{
	int ret;

	r->sqe_size = r->p.flags & IORING_SETUP_SQE128 ? 128 : 64;
	r->cqe_size = r->p.flags & IORING_SETUP_CQE32 ? 32 : 16;
	if (r->p.flags & IORING_SETUP_NO_MMAP) {
		ret = ring_offer_mem(r, entries);
		if (ret)
			return ret;
	}
	r->fd = sys_setup(entries, &r->p);
	if (r->fd < 0)
		return r->fd;
	if (r->p.flags & IORING_SETUP_REGISTERED_FD_ONLY)
		r->enter_flags = IORING_ENTER_REGISTERED_RING;
	if (!(r->p.flags & IORING_SETUP_NO_MMAP)) {
		ret = ring_map(r);
		if (ret)
			return ret;
	}
	ring_set_up_words(r);
	return 0;
}

static inline int ring_open(struct ring *r, unsigned int entries, unsigned int flags)
{
	*r = (struct ring){ .p.flags = flags };
	return ring_open_params(r, entries);
}

static inline void ring_unmap(struct ring *r)
{
	munmap(r->mem, r->mem_size);
	munmap(r->sqes, r->sqes_size);
}

static inline void ring_close(struct ring *r)
{
	ring_unmap(r);
	if (r->p.flags & IORING_SETUP_REGISTERED_FD_ONLY) {
		struct io_uring_rsrc_update reg = { .offset = r->fd };
		unsigned int op = IORING_UNREGISTER_RING_FDS;

		sys_register(r->fd, op | IORING_REGISTER_USE_REGISTERED_RING, &reg, 1);
	} else {
		close(r->fd);
	}
}

/* Submission */

static inline struct io_uring_sqe *ring_slot(struct ring *r, unsigned int index)
{
	return (void *)((char *)r->sqes + (index & (r->p.sq_entries - 1)) * r->sqe_size);
}

static inline unsigned int ring_pending(struct ring *r)
{
	if (r->p.flags & IORING_SETUP_SQ_REWIND)
		return r->sq_next;
	return r->sq_next - load_acquire(r->sq_head);
}

/* The next free SQE, all zero; NULL if the queue is full. */
static inline struct io_uring_sqe *ring_sqe(struct ring *r)
{
	unsigned int index = r->sq_next & (r->p.sq_entries - 1);
	struct io_uring_sqe *sqe;

	if (ring_pending(r) >= r->p.sq_entries)
		return NULL;
	sqe = ring_slot(r, index);
	memset(sqe, 0, r->sqe_size);
	if (r->sq_array)
		r->sq_array[index] = index;
	r->sq_next++;
	return sqe;
}

/*
 * Show the kernel what was queued; returns how many SQEs wait for it. An SQPOLL
 * thread takes them when it likes: there it is the number of new ones.
 */
static inline unsigned int ring_publish(struct ring *r)
{
	unsigned int pending = ring_pending(r);

	if (r->p.flags & IORING_SETUP_SQ_REWIND) {
		r->sq_next = 0;
		return pending;
	}
	store_release(r->sq_tail, r->sq_next);
	if (r->p.flags & IORING_SETUP_SQPOLL) {
		pending = r->sq_next - r->sq_published;
		r->sq_published = r->sq_next;
	}
	return pending;
}

static inline int ring_enter(struct ring *r, unsigned int to_submit, unsigned int min_complete,
			     unsigned int flags)
{
	if (r->p.flags & IORING_SETUP_SQPOLL)
		flags |= IORING_ENTER_SQ_WAKEUP;
	return sys_enter(r->fd, to_submit, min_complete, flags | r->enter_flags, NULL, 0);
}

static inline int ring_submit(struct ring *r)
{
	return ring_enter(r, ring_publish(r), 0, 0);
}

static inline int ring_submit_and_wait(struct ring *r, unsigned int min_complete)
{
	return ring_enter(r, ring_publish(r), min_complete, IORING_ENTER_GETEVENTS);
}

/* Run what the kernel keeps for us to run: task work, overflow list. */
static inline int ring_get_events(struct ring *r)
{
	return ring_enter(r, 0, 0, IORING_ENTER_GETEVENTS);
}

/* As enter(GETEVENTS), at most timeout_ms. */
static inline int ring_wait_ms(struct ring *r, unsigned int min_complete, unsigned int timeout_ms)
{
	struct __kernel_timespec ts = { timeout_ms / 1000, timeout_ms % 1000 * 1000000l };
	struct io_uring_getevents_arg arg = { .ts = (uintptr_t)&ts };

	return sys_enter(r->fd, 0, min_complete,
			 IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG | r->enter_flags,
			 &arg, sizeof(arg));
}

/* Completion */

static inline struct io_uring_cqe *ring_cqe_at(struct ring *r, unsigned int index)
{
	return (void *)((char *)ring_word(r, r->p.cq_off.cqes) +
			(index & (r->p.cq_entries - 1)) * r->cqe_size);
}

static inline unsigned int ring_ready(struct ring *r)
{
	return load_acquire(r->cq_tail) - *r->cq_head;
}

/* Take the oldest CQE out of the ring, if there is one. */
static inline bool ring_take(struct ring *r, struct cqe *cqe)
{
	const struct io_uring_cqe *c;
	unsigned int slots;
	bool big;

	for (;;) {
		if (!ring_ready(r))
			return false;
		c = ring_cqe_at(r, *r->cq_head);
		big = r->p.flags & IORING_SETUP_CQE32 || c->flags & IORING_CQE_F_32;
		slots = big && r->cqe_size == 16 ? 2 : 1;
		*cqe = (struct cqe){ c->user_data, c->res, c->flags };
		if (big) {
			cqe->big[0] = c->big_cqe[0];
			cqe->big[1] = c->big_cqe[1];
		}
		store_release(r->cq_head, *r->cq_head + slots);
		if (!(r->p.flags & IORING_SETUP_CQE_MIXED && cqe->flags & IORING_CQE_F_SKIP))
			return true;
	}
}

/* The same, waiting for it; 0 or -errno. */
static inline int ring_wait(struct ring *r, struct cqe *cqe)
{
	__u64 start = now_ns();
	int ret;

	while (!ring_take(r, cqe)) {
		if (ms_since(start) > WAIT_MS)
			return -ETIME;
		ret = ring_wait_ms(r, 1, WAIT_MS);
		if (ret)
			return ret;
	}
	return 0;
}

/* Submit the one SQE that was queued and return its result. */
static inline int ring_run_cqe(struct ring *r, struct cqe *cqe)
{
	if (ring_submit(r) != 1 || ring_wait(r, cqe))
		return NO_CQE;
	return cqe->res;
}

static inline int ring_run(struct ring *r)
{
	struct cqe cqe;

	return ring_run_cqe(r, &cqe);
}

/* SQEs */

static inline struct io_uring_sqe *sqe_op(struct ring *r, int opcode, __u64 user_data)
{
	struct io_uring_sqe *sqe = ring_sqe(r);

	if (sqe) {
		sqe->opcode = opcode;
		sqe->user_data = user_data;
	}
	return sqe;
}

static inline struct io_uring_sqe *sqe_nop(struct ring *r, __u64 user_data)
{
	return sqe_op(r, IORING_OP_NOP, user_data);
}

static inline struct io_uring_sqe *sqe_rw(struct ring *r, int opcode, int fd, const void *buf,
					  unsigned int len, __u64 off)
{
	struct io_uring_sqe *sqe = sqe_op(r, opcode, 0);

	if (sqe) {
		sqe->fd = fd;
		sqe->addr = (uintptr_t)buf;
		sqe->len = len;
		sqe->off = off;
	}
	return sqe;
}

/* Descriptors and processes */

static inline bool fd_is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static inline int count_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fd_is_open(fd);
	return n;
}

/* Has the last reader of a pipe gone, of which fd is the writing end? */
static inline bool pipe_is_free(int fd)
{
	struct pollfd pfd = { .fd = fd };

	return poll(&pfd, 1, 0) == 1 && pfd.revents & POLLERR;
}

/* Run fn in a child and return its exit code, or -1 if it did not exit. */
static inline int in_child(int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(fn(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Run fn in another thread of this process and return what it returns. */
struct thread_call {
	int (*fn)(void *arg);
	void *arg;
	int ret;
};

static inline void *thread_call_main(void *arg)
{
	struct thread_call *call = arg;

	call->ret = call->fn(call->arg);
	return NULL;
}

static inline int in_thread(int (*fn)(void *arg), void *arg)
{
	struct thread_call call = { .fn = fn, .arg = arg, .ret = NO_CQE };
	pthread_t thread;

	if (!pthread_create(&thread, NULL, thread_call_main, &call))
		pthread_join(thread, NULL);
	return call.ret;
}

/* An unlinked file in TEST_DIR. */
static inline int temp_file(int open_flags)
{
	const char *dir = getenv("TEST_DIR");
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/io_uring_test.XXXXXX", dir ? dir : "/tmp");
	fd = mkostemp(path, open_flags | O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/*
 * Every kind of ring. A fixture with variants of this type runs its tests on
 * each of them.
 */
#define RING_KIND_VARIANT(fixture)					\
	FIXTURE_VARIANT(fixture)					\
	{								\
		unsigned int flags;					\
		bool newer;						\
		const char *piece;					\
	}

#define RING_KIND(fixture, name, ...)					\
	FIXTURE_VARIANT_ADD(fixture, name)				\
	{								\
		__VA_ARGS__						\
	}

#define DEFER_FLAGS	(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN)

#define RING_KINDS(fixture)						\
	RING_KIND(fixture, plain, .flags = 0);				\
	RING_KIND(fixture, submit_all, .flags = IORING_SETUP_SUBMIT_ALL);	\
	RING_KIND(fixture, coop, .flags = IORING_SETUP_COOP_TASKRUN);	\
	RING_KIND(fixture, coop_flag,					\
		  .flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);	\
	RING_KIND(fixture, single, .flags = IORING_SETUP_SINGLE_ISSUER);	\
	RING_KIND(fixture, defer, .flags = DEFER_FLAGS);		\
	RING_KIND(fixture, defer_flag, .flags = DEFER_FLAGS | IORING_SETUP_TASKRUN_FLAG);	\
	RING_KIND(fixture, no_sqarray, .flags = IORING_SETUP_NO_SQARRAY);	\
	RING_KIND(fixture, sqe128, .flags = IORING_SETUP_SQE128);	\
	RING_KIND(fixture, cqe32, .flags = IORING_SETUP_CQE32);		\
	RING_KIND(fixture, big_defer,					\
		  .flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32 | DEFER_FLAGS);	\
	RING_KIND(fixture, no_mmap, .flags = IORING_SETUP_NO_MMAP);	\
	RING_KIND(fixture, no_mmap_index,				\
		  .flags = IORING_SETUP_NO_MMAP | IORING_SETUP_REGISTERED_FD_ONLY |	\
			   IORING_SETUP_NO_SQARRAY);			\
	RING_KIND(fixture, cqe_mixed, .flags = IORING_SETUP_CQE_MIXED, .newer = true);	\
	RING_KIND(fixture, sqe_mixed, .flags = IORING_SETUP_SQE_MIXED, .newer = true);	\
	RING_KIND(fixture, mixed_defer,					\
		  .flags = IORING_SETUP_CQE_MIXED | IORING_SETUP_SQE_MIXED | DEFER_FLAGS,	\
		  .newer = true);					\
	RING_KIND(fixture, rewind,					\
		  .flags = IORING_SETUP_SQ_REWIND | IORING_SETUP_NO_SQARRAY, .newer = true);	\
	RING_KIND(fixture, iopoll, .flags = IORING_SETUP_IOPOLL, .piece = "iopoll");	\
	RING_KIND(fixture, sqpoll, .flags = IORING_SETUP_SQPOLL, .piece = "sqpoll")

/* In FIXTURE_SETUP() of such a fixture: leave out what this kernel has not. */
#define NEEDS_RING_KIND(variant)					\
	do {								\
		if ((variant)->piece)					\
			NEEDS_PIECE((variant)->piece);			\
		if ((variant)->newer)					\
			NEEDS_73(has_setup_flags((variant)->flags));	\
	} while (0)

#endif /* IO_URING_SELFTEST_COMMON_H */
