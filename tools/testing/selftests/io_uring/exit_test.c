// SPDX-License-Identifier: GPL-2.0
/*
 * The end of rings and of those who use them: close, exit, exec, fork, kill and
 * the end of a thread, with requests in flight. What a request holds is free
 * soon after its ring is gone.
 *
 * A request in flight is a read of an empty pipe. The test keeps the writing
 * end, which polls as POLLERR when the last reader, the request, is gone.
 */
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "common.h"

#define READS	16

/*
 * Run again by exec: say that we are here, and stay until standard input ends.
 * Runs before main().
 */
__attribute__((constructor)) static void exec_helper(void)
{
	char c;

	if (!getenv("IOU_EXEC_HELPER"))
		return;
	if (write(STDOUT_FILENO, "!", 1) != 1)
		_exit(1);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	_exit(0);
}

FIXTURE(end)
{
	int pipe[2];
	char buf[READS];
};

FIXTURE_VARIANT(end)
{
	unsigned int ring_flags, sqe_flags;
};

FIXTURE_VARIANT_ADD(end, plain)
{
	.ring_flags = 0,
};

FIXTURE_VARIANT_ADD(end, coop)
{
	.ring_flags = IORING_SETUP_COOP_TASKRUN,
};

FIXTURE_VARIANT_ADD(end, defer)
{
	.ring_flags = DEFER_FLAGS,
};

FIXTURE_VARIANT_ADD(end, async)
{
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_VARIANT_ADD(end, async_defer)
{
	.ring_flags = DEFER_FLAGS,
	.sqe_flags = IOSQE_ASYNC,
};

FIXTURE_VARIANT_ADD(end, sqpoll)
{
	.ring_flags = IORING_SETUP_SQPOLL,
};

FIXTURE_SETUP(end)
{
	if (variant->sqe_flags & IOSQE_ASYNC)
		NEEDS_PIECE("pool");
	if (variant->ring_flags & IORING_SETUP_SQPOLL)
		NEEDS_PIECE("sqpoll");
	signal(SIGPIPE, SIG_IGN);
	ASSERT_EQ(0, pipe2(self->pipe, O_CLOEXEC));
}

FIXTURE_TEARDOWN(end)
{
	close(self->pipe[1]);
}

/* A ring with READS reads of the pipe in flight. */
static int start(struct ring *r, FIXTURE_DATA(end) *self, unsigned int ring_flags,
		 unsigned int sqe_flags)
{
	int i, ret = ring_open(r, READS, ring_flags);

	if (ret)
		return ret;
	for (i = 0; i < READS; i++) {
		struct io_uring_sqe *sqe;

		sqe = sqe_rw(r, IORING_OP_READ, self->pipe[0], self->buf + i, 1, 0);
		sqe->flags = sqe_flags;
		sqe->user_data = i;
	}
	ret = ring_submit(r);
	if (ret != READS)
		return ret < 0 ? ret : -EIO;
	/* For the thread of SQPOLL, and for workers to pick them up. */
	if (!BECOMES(!ring_pending(r)))
		return -ETIME;
	if (sqe_flags & IOSQE_ASYNC)
		sleep_ms(SETTLE_MS);
	return 0;
}

#define START(r)							\
	ASSERT_EQ(0, start(r, self, variant->ring_flags, variant->sqe_flags))

TEST_F(end, close)
{
	struct ring r;

	START(&r);
	close(self->pipe[0]);
	sleep_ms(SETTLE_MS);
	EXPECT_FALSE(pipe_is_free(self->pipe[1]));
	ring_close(&r);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

/* A mapping holds the ring as a descriptor does. */
TEST_F(end, close_with_memory_still_mapped)
{
	struct ring r;

	START(&r);
	close(self->pipe[0]);
	close(r.fd);
	sleep_ms(SETTLE_MS);
	EXPECT_FALSE(pipe_is_free(self->pipe[1]));
	munmap(r.mem, r.mem_size);
	sleep_ms(SETTLE_MS);
	EXPECT_FALSE(pipe_is_free(self->pipe[1]));
	munmap(r.sqes, r.sqes_size);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

TEST_F(end, close_of_one_of_two_descriptors)
{
	struct ring r;
	int copy;

	START(&r);
	copy = dup(r.fd);
	close(self->pipe[0]);
	close(r.fd);
	r.fd = copy;
	sleep_ms(SETTLE_MS);
	EXPECT_EQ(READS, write(self->pipe[1], self->buf, READS));
	EXPECT_RES(0, ring_wait_ms(&r, READS, WAIT_MS));
	EXPECT_EQ(READS, ring_ready(&r));
	ring_close(&r);
}

TEST_F(end, close_with_completions_unread)
{
	struct ring r;

	START(&r);
	close(self->pipe[0]);
	/* Half of them done, seen by nobody. */
	ASSERT_EQ(READS / 2, write(self->pipe[1], self->buf, READS / 2));
	ring_close(&r);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

TEST_F(end, close_while_they_complete)
{
	int i;

	for (i = 0; i < 20; i++) {
		struct ring r;
		int fds[2];

		ASSERT_EQ(0, pipe(fds));
		close(self->pipe[0]);
		self->pipe[0] = fds[0];
		START(&r);
		ASSERT_EQ(3, write(fds[1], "abc", 3));
		ring_close(&r);
		close(fds[1]);
	}
	close(self->pipe[0]);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

/* Exit of the process, in every way. */

enum how { BY_EXIT, BY_KILL, BY_TERM, BY_CLOSE_ALL };

static pid_t start_child(FIXTURE_DATA(end) *self, unsigned int ring_flags, unsigned int sqe_flags,
			 enum how how)
{
	pid_t pid = fork();
	struct ring r;

	if (pid)
		return pid;
	close(self->pipe[1]);
	if (start(&r, self, ring_flags, sqe_flags))
		_exit(1);
	switch (how) {
	case BY_EXIT:
		_exit(0);
	case BY_KILL:
		kill(getpid(), SIGKILL);
		break;
	case BY_TERM:
		kill(getpid(), SIGTERM);
		break;
	case BY_CLOSE_ALL:
		ring_close(&r);
		close(self->pipe[0]);
		_exit(0);
	}
	_exit(2);
}

static void end_of_child(struct __test_metadata *_metadata, FIXTURE_DATA(end) *self,
			 const FIXTURE_VARIANT(end) *variant, enum how how)
{
	int status;
	pid_t pid = start_child(self, variant->ring_flags, variant->sqe_flags, how);

	ASSERT_LT(0, pid);
	close(self->pipe[0]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	/* The wait status of a signal is its number, that of success is zero. */
	EXPECT_EQ(how == BY_KILL ? SIGKILL : how == BY_TERM ? SIGTERM : 0, status);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

TEST_F(end, exit)
{
	end_of_child(_metadata, self, variant, BY_EXIT);
}

TEST_F(end, kill)
{
	end_of_child(_metadata, self, variant, BY_KILL);
}

TEST_F(end, signal)
{
	end_of_child(_metadata, self, variant, BY_TERM);
}

TEST_F(end, close_then_exit)
{
	end_of_child(_metadata, self, variant, BY_CLOSE_ALL);
}

static pid_t start_waiting_child(FIXTURE_DATA(end) *self, unsigned int ring_flags,
				 unsigned int sqe_flags)
{
	pid_t pid = fork();
	struct ring r;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(self->pipe[1]);
	if (start(&r, self, ring_flags, sqe_flags))
		_exit(1);
	ring_enter(&r, 0, 1, IORING_ENTER_GETEVENTS);
	_exit(3);
}

TEST_F(end, kill_of_a_waiter)
{
	int i, status;

	for (i = 0; i < 10; i++) {
		pid_t pid = start_waiting_child(self, variant->ring_flags, variant->sqe_flags);

		ASSERT_LT(0, pid);
		sleep_ms(i * 3);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	close(self->pipe[0]);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

/* Exec: the new program runs, the requests of the old one are gone. */
TEST_F(end, exec)
{
	int to[2], from[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct ring r;

		close(self->pipe[1]);
		close(to[1]);
		if (start(&r, self, variant->ring_flags, variant->sqe_flags) ||
		    dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0 ||
		    setenv("IOU_EXEC_HELPER", "1", 1))
			_exit(1);
		execl("/proc/self/exe", "exec_helper", NULL);
		_exit(2);
	}
	close(self->pipe[0]);
	close(from[1]);
	ASSERT_EQ(1, read(from[0], &c, 1));
	EXPECT_EQ('!', c);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
	EXPECT_EQ(0, kill(pid, 0));
	close(to[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Fork: the child has the descriptor, the requests stay its parent's. */

TEST_F(end, child_exits)
{
	int status;
	struct ring r;
	pid_t pid;

	START(&r);
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	pid = fork();
	if (!pid) {
		close(r.fd);
		kill(getpid(), SIGKILL);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	sleep_ms(SETTLE_MS);
	EXPECT_EQ(0, ring_ready(&r));
	EXPECT_EQ(READS, write(self->pipe[1], self->buf, READS));
	EXPECT_RES(0, ring_wait_ms(&r, READS, WAIT_MS));
	EXPECT_EQ(READS, ring_ready(&r));
	ring_close(&r);
	close(self->pipe[0]);
}

/* A child that has nothing to do with the requests holds the ring: it ends with the child. */
TEST_F(end, parent_exits_before_the_child)
{
	int hold[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(hold));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct ring r;

		close(self->pipe[1]);
		if (start(&r, self, variant->ring_flags, variant->sqe_flags))
			_exit(1);
		close(hold[1]);
		pid = fork();
		if (!pid) {
			close(self->pipe[0]);
			while (read(hold[0], &c, 1) > 0)
				;
		}
		_exit(pid < 0);
	}
	close(self->pipe[0]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	sleep_ms(SETTLE_MS);
	close(hold[1]);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

static int submit_as_child(void *arg)
{
	struct ring *r = arg;
	struct cqe cqe;

	sqe_nop(r, 0x77);
	if (ring_submit(r) != 1 || ring_wait(r, &cqe))
		return 1;
	return cqe.user_data != 0x77;
}

TEST(child_uses_an_inherited_ring)
{
	struct ring r;

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	EXPECT_EQ(0, in_child(submit_as_child, &r));
	sqe_nop(&r, 1);
	/* What the child did is to be seen in the shared words. */
	r.sq_next = *r.sq_tail;
	sqe_nop(&r, 2);
	EXPECT_RES(0, ring_run(&r));
	ring_close(&r);
}

/* Threads */

struct thread_start {
	FIXTURE_DATA(end) *self;
	struct ring *r;
	unsigned int sqe_flags;
};

static int submit_reads(void *arg)
{
	struct thread_start *t = arg;
	int i;

	for (i = 0; i < READS; i++) {
		struct io_uring_sqe *sqe;

		sqe = sqe_rw(t->r, IORING_OP_READ, t->self->pipe[0], t->self->buf + i, 1, 0);
		sqe->flags = t->sqe_flags;
		sqe->user_data = i;
	}
	return ring_submit(t->r);
}

/*
 * A thread that ends leaves its requests in the ring. Each of them completes
 * once, cancelled or with data; none is lost, and the ring goes on.
 */
TEST_F(end, thread)
{
	struct thread_start t = { self, NULL, variant->sqe_flags };
	bool seen[READS] = {};
	struct cqe cqe;
	struct ring r;
	int i;

	if (variant->ring_flags & (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_SQPOLL))
		SKIP(return, "such a ring has one submitter");
	ASSERT_EQ(0, ring_open(&r, READS, variant->ring_flags));
	t.r = &r;
	ASSERT_EQ(READS, in_thread(submit_reads, &t));
	ASSERT_EQ(READS, write(self->pipe[1], self->buf, READS));
	for (i = 0; i < READS; i++) {
		ASSERT_EQ(0, ring_wait(&r, &cqe));
		ASSERT_GT(READS, cqe.user_data);
		EXPECT_FALSE(seen[cqe.user_data]);
		seen[cqe.user_data] = true;
		EXPECT_TRUE(cqe.res == 1 || cqe.res == -ECANCELED || cqe.res == -EINTR)
			TH_LOG("res is %s", res_name(cqe.res));
	}
	EXPECT_EQ(0, ring_ready(&r));
	sqe_nop(&r, 1);
	EXPECT_RES(0, ring_run(&r));
	close(self->pipe[0]);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
	ring_close(&r);
}

/* Registered rings */

static int register_ring(struct ring *r, int index)
{
	struct io_uring_rsrc_update reg = { .offset = index, .data = r->fd };

	return sys_register(r->fd, IORING_REGISTER_RING_FDS, &reg, 1);
}

static int unregister_ring(int index)
{
	struct io_uring_rsrc_update reg = { .offset = index };

	return sys_register(index, IORING_UNREGISTER_RING_FDS | IORING_REGISTER_USE_REGISTERED_RING,
			    &reg, 1);
}

TEST_F(end, registered_ring_keeps_the_ring)
{
	struct ring r;

	START(&r);
	ASSERT_EQ(1, register_ring(&r, 3));
	close(self->pipe[0]);
	close(r.fd);
	sleep_ms(SETTLE_MS);
	EXPECT_EQ(READS / 2, write(self->pipe[1], self->buf, READS / 2));
	EXPECT_RES(0, sys_enter(3, 0, READS / 2, IORING_ENTER_GETEVENTS |
				IORING_ENTER_REGISTERED_RING, NULL, 0));
	EXPECT_EQ(READS / 2, ring_ready(&r));
	ring_unmap(&r);
	sleep_ms(SETTLE_MS);
	EXPECT_FALSE(pipe_is_free(self->pipe[1]));
	EXPECT_RES(1, unregister_ring(3));
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

static int exit_with_registered_ring(void *arg)
{
	FIXTURE_DATA(end) *self = arg;
	struct ring r;

	close(self->pipe[1]);
	if (start(&r, self, 0, 0) || register_ring(&r, 0) != 1 || register_ring(&r, 1) != 1)
		return 1;
	close(r.fd);
	return 0;
}

TEST_F(end, registered_rings_end_with_the_task)
{
	EXPECT_EQ(0, in_child(exit_with_registered_ring, self));
	close(self->pipe[0]);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

static int thread_with_registered_ring(void *arg)
{
	struct ring *r = arg;

	return register_ring(r, 5);
}

TEST_F(end, registered_rings_end_with_the_thread)
{
	struct ring r;

	START(&r);
	if (!(variant->ring_flags & IORING_SETUP_SINGLE_ISSUER))
		EXPECT_RES(1, in_thread(thread_with_registered_ring, &r));
	close(self->pipe[0]);
	ring_close(&r);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

/* Rings and rings */

TEST(ring_that_waits_for_itself)
{
	struct cqe cqe;
	struct ring r;
	__u64 value;
	int i;

	/* Whatever a read of a ring does, it must not keep the ring alive. */
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, ring_open(&r, 8, i & 1 ? DEFER_FLAGS : 0));
		sqe_rw(&r, IORING_OP_READ, r.fd, &value, 8, 0);
		ASSERT_EQ(1, ring_submit(&r));
		sqe_nop(&r, 1);
		ASSERT_EQ(1, ring_submit(&r));
		ring_get_events(&r);
		ring_take(&r, &cqe);
		ring_close(&r);
	}
}

TEST(rings_that_wait_for_each_other)
{
	__u64 value;
	int i;

	for (i = 0; i < 50; i++) {
		struct ring a, b;

		ASSERT_EQ(0, ring_open(&a, 8, 0));
		ASSERT_EQ(0, ring_open(&b, 8, 0));
		sqe_rw(&a, IORING_OP_READ, b.fd, &value, 8, 0);
		ASSERT_EQ(1, ring_submit(&a));
		sqe_rw(&b, IORING_OP_READ, a.fd, &value, 8, 0);
		ASSERT_EQ(1, ring_submit(&b));
		ring_close(&a);
		ring_close(&b);
	}
}

TEST(ring_is_not_passed_over_a_socket)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, c = 'x';
	struct iovec iov = { &c, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	struct ring r;
	int sock[2];

	ASSERT_EQ(0, ring_open(&r, 8, 0));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &r.fd, sizeof(int));
	EXPECT_RES(-EINVAL, res_of(sendmsg(sock[0], &msg, 0)));
	ring_close(&r);
}

/* Many processes at once, killed at any time: nothing is left of them. */
TEST(storm)
{
	FIXTURE_DATA(end) data, *self = &data;
	int i, status, round;
	pid_t pids[8];

	signal(SIGPIPE, SIG_IGN);
	ASSERT_EQ(0, pipe2(self->pipe, O_CLOEXEC));
	for (round = 0; round < 10; round++) {
		for (i = 0; i < 8; i++) {
			pids[i] = start_waiting_child(self, i & 1 ? DEFER_FLAGS : 0, 0);
			ASSERT_LT(0, pids[i]);
		}
		for (i = 0; i < 8; i++) {
			sleep_ms(round);
			kill(pids[i], SIGKILL);
		}
		for (i = 0; i < 8; i++)
			ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
	}
	close(self->pipe[0]);
	EXPECT_TRUE(BECOMES(pipe_is_free(self->pipe[1])));
}

TEST_HARNESS_MAIN
