// SPDX-License-Identifier: GPL-2.0
/*
 * WAITID: children that have exited, exit later, stop, or never do; cancelled.
 */
#include <sys/wait.h>

#include "common.h"

FIXTURE(waitid)
{
	struct ring r;
	siginfo_t si;
};

RING_KIND_VARIANT(waitid);
RING_KIND(waitid, plain, .flags = 0);
RING_KIND(waitid, coop, .flags = IORING_SETUP_COOP_TASKRUN);
RING_KIND(waitid, defer, .flags = DEFER_FLAGS);
RING_KIND(waitid, sqpoll, .flags = IORING_SETUP_SQPOLL, .piece = "sqpoll");

FIXTURE_SETUP(waitid)
{
	NEEDS_RING_KIND(variant);
	ASSERT_EQ(0, ring_open(&self->r, 16, variant->flags));
	memset(&self->si, 0xff, sizeof(self->si));
}

FIXTURE_TEARDOWN(waitid)
{
	ring_close(&self->r);
}

static struct io_uring_sqe *sqe_waitid(struct ring *r, int which, int id, void *si, int options)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_WAITID, 1);

	sqe->len = which;
	sqe->fd = id;
	sqe->addr2 = (uintptr_t)si;
	sqe->file_index = options;
	return sqe;
}

/* A child that exits with this code after the pipe was closed */
static pid_t child(int code, int *end)
{
	int p[2];
	pid_t pid;
	char c;

	if (pipe2(p, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		close(p[1]);
		_exit(read(p[0], &c, 1) ? 99 : code);
	}
	close(p[0]);
	*end = p[1];
	return pid;
}

static bool stays_quiet(struct ring *r)
{
	ring_wait_ms(r, 1, SETTLE_MS);
	return !ring_ready(r);
}

#define EXPECT_CHILD(pid, code, status)						\
	do {									\
		EXPECT_EQ(SIGCHLD, self->si.si_signo);				\
		EXPECT_EQ(0, self->si.si_errno);				\
		EXPECT_EQ(code, self->si.si_code);				\
		EXPECT_EQ(pid, self->si.si_pid);				\
		EXPECT_EQ(getuid(), self->si.si_uid);				\
		EXPECT_EQ(status, self->si.si_status);				\
	} while (0)

static bool is_zombie(pid_t pid)
{
	siginfo_t si = {};

	return !waitid(P_PID, pid, &si, WEXITED | WNOHANG | WNOWAIT) && si.si_pid == pid;
}

TEST_F(waitid, has_exited)
{
	int end;
	pid_t pid = child(3, &end);

	close(end);
	ASSERT_TRUE(BECOMES(is_zombie(pid)));
	sqe_waitid(&self->r, P_PID, pid, &self->si, WEXITED | WNOWAIT);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_CHILD(pid, CLD_EXITED, 3);
	memset(&self->si, 0, sizeof(self->si));
	sqe_waitid(&self->r, P_ALL, 0, &self->si, WEXITED);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_CHILD(pid, CLD_EXITED, 3);
	sqe_waitid(&self->r, P_PID, pid, &self->si, WEXITED);
	EXPECT_RES(-ECHILD, ring_run(&self->r));
}

TEST_F(waitid, exits_later)
{
	struct cqe cqe;
	int end;
	pid_t pid = child(7, &end);

	sqe_waitid(&self->r, P_PID, pid, &self->si, WEXITED);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	close(end);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(0, cqe.res);
	EXPECT_CHILD(pid, CLD_EXITED, 7);
	EXPECT_EQ(-1, waitpid(pid, NULL, 0));
}

/* A worker would be another thread: the request is run by the task it came from. */
TEST_F(waitid, from_a_worker)
{
	struct cqe cqe;
	int end;
	int options = WEXITED;
	pid_t pid = child(8, &end);

	if (!on_stock() && !(variant->flags & IORING_SETUP_SQPOLL))
		options |= __WNOTHREAD;
	sqe_waitid(&self->r, P_PID, pid, &self->si, options)->flags = IOSQE_ASYNC;
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	close(end);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(0, cqe.res);
	EXPECT_CHILD(pid, CLD_EXITED, 8);
}

/* Of two requests for the same child one gets it, the other learns that it is gone. */
TEST_F(waitid, two_for_one)
{
	int end, gone = 0, got = 0, i;
	pid_t pid = child(1, &end);
	struct cqe cqe;

	for (i = 0; i < 2; i++)
		sqe_waitid(&self->r, P_PID, pid, NULL, WEXITED);
	ASSERT_EQ(2, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	close(end);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		got += cqe.res == 0;
		gone += cqe.res == -ECHILD;
	}
	EXPECT_EQ(1, got);
	EXPECT_EQ(1, gone);
}

/* Events of another child, and other events of this one, do not end the wait. */
TEST_F(waitid, other_events)
{
	int end, other_end;
	pid_t pid = child(4, &end), other = child(5, &other_end);
	struct cqe cqe;

	sqe_waitid(&self->r, P_PID, pid, &self->si, WEXITED);
	ASSERT_EQ(1, ring_submit(&self->r));
	close(other_end);
	EXPECT_TRUE(stays_quiet(&self->r));
	kill(pid, SIGSTOP);
	EXPECT_TRUE(stays_quiet(&self->r));
	kill(pid, SIGCONT);
	EXPECT_TRUE(stays_quiet(&self->r));
	kill(pid, SIGKILL);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(0, cqe.res);
	EXPECT_CHILD(pid, CLD_KILLED, SIGKILL);
	EXPECT_EQ(other, waitpid(other, NULL, 0));
	close(end);
}

TEST_F(waitid, stopped)
{
	int end;
	pid_t pid = child(4, &end);
	struct cqe cqe;

	sqe_waitid(&self->r, P_PID, pid, &self->si, WSTOPPED);
	ASSERT_EQ(1, ring_submit(&self->r));
	kill(pid, SIGSTOP);
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(0, cqe.res);
	EXPECT_CHILD(pid, CLD_STOPPED, SIGSTOP);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(end);
}

TEST_F(waitid, no_hang)
{
	int end;
	pid_t pid = child(0, &end);

	sqe_waitid(&self->r, P_PID, pid, &self->si, WEXITED | WNOHANG);
	EXPECT_RES(0, ring_run(&self->r));
	EXPECT_EQ(0, self->si.si_signo);
	EXPECT_EQ(0, self->si.si_pid);
	close(end);
	waitpid(pid, NULL, 0);
}

static int cancel(struct ring *r)
{
	struct io_uring_sqe *sqe = sqe_op(r, IORING_OP_ASYNC_CANCEL, 9);

	sqe->addr = 1;
	return ring_submit(r);
}

TEST_F(waitid, cancelled)
{
	struct cqe cqe;
	int end, i;
	pid_t pid = child(6, &end);

	sqe_waitid(&self->r, P_PID, pid, &self->si, WEXITED);
	ASSERT_EQ(1, ring_submit(&self->r));
	EXPECT_TRUE(stays_quiet(&self->r));
	ASSERT_EQ(1, cancel(&self->r));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ring_wait(&self->r, &cqe));
		/* Stock counts waits even if it was not asked to count. */
		EXPECT_RES(cqe.user_data == 1 ? -ECANCELED : on_stock(), cqe.res);
	}
	EXPECT_EQ(0, self->si.si_signo);
	EXPECT_EQ(0, self->si.si_pid);
	close(end);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

/* The child exits while the wait is being cancelled: it is reaped once. */
TEST_F(waitid, cancel_race)
{
	int end, i, n, lost = 0;
	struct cqe cqe;

	for (i = 0; i < 200; i++) {
		pid_t pid = child(6, &end);
		int res = NO_CQE, waited;

		sqe_waitid(&self->r, P_PID, pid, &self->si, WEXITED);
		ASSERT_EQ(1, ring_submit(&self->r));
		close(end);
		if (i & 1)
			sched_yield();
		ASSERT_EQ(1, cancel(&self->r));
		for (n = 0; n < 2; n++) {
			ASSERT_EQ(0, ring_wait(&self->r, &cqe));
			if (cqe.user_data == 1)
				res = cqe.res;
		}
		waited = waitpid(pid, NULL, 0);
		lost += (res == 0) == (waited == pid);
		if (res)
			EXPECT_RES(-ECANCELED, res);
	}
	EXPECT_EQ(0, lost);
}

struct exiting {
	struct ring *r;
	siginfo_t *si;
	pid_t pid;
};

static int wait_and_exit(void *arg)
{
	struct exiting *e = arg;

	sqe_waitid(e->r, P_PID, e->pid, e->si, WEXITED);
	return ring_submit(e->r) == 1 ? 0 : 1;
}

/* The wait ends with the thread, the child is there for the others. */
TEST_F(waitid, thread_exits)
{
	struct exiting e = { &self->r, &self->si };
	struct cqe cqe;
	int end;

	if (variant->flags & (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_SQPOLL))
		SKIP(return, "the ring belongs to one task");
	if (on_stock())
		SKIP(return, "stock waits on");
	e.pid = child(0, &end);
	ASSERT_EQ(0, in_thread(wait_and_exit, &e));
	ASSERT_EQ(0, ring_wait(&self->r, &cqe));
	EXPECT_RES(-ECANCELED, cqe.res);
	close(end);
	EXPECT_EQ(e.pid, waitpid(e.pid, NULL, 0));
}

TEST_F(waitid, ring_goes_away)
{
	struct ring r;
	int end;
	pid_t pid = child(0, &end);

	ASSERT_EQ(0, ring_open(&r, 8, variant->flags));
	sqe_waitid(&r, P_PID, pid, &self->si, WEXITED);
	ASSERT_EQ(1, ring_submit(&r));
	ring_close(&r);
	close(end);
	EXPECT_TRUE(BECOMES(waitpid(pid, NULL, WNOHANG) == pid));
}

TEST_F(waitid, refused)
{
	int end;
	pid_t pid = child(0, &end);

	sqe_waitid(&self->r, P_PID, pid, NULL, WEXITED)->addr = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitid(&self->r, P_PID, pid, NULL, WEXITED)->buf_index = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitid(&self->r, P_PID, pid, NULL, WEXITED)->addr3 = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitid(&self->r, P_PID, pid, NULL, WEXITED)->waitid_flags = 1;
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitid(&self->r, P_PID, pid, NULL, 0);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitid(&self->r, 99, pid, NULL, WEXITED);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitid(&self->r, P_PID, 0, NULL, WEXITED);
	EXPECT_RES(-EINVAL, ring_run(&self->r));
	sqe_waitid(&self->r, P_PIDFD, 1000, NULL, WEXITED);
	EXPECT_RES(-EBADF, ring_run(&self->r));
	sqe_waitid(&self->r, P_PID, pid, KERNEL_PTR, WEXITED | WNOHANG);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	close(end);
	/* The child is reaped, though nobody could be told. */
	ASSERT_TRUE(BECOMES(is_zombie(pid)));
	sqe_waitid(&self->r, P_PID, pid, BAD_PTR, WEXITED);
	EXPECT_RES(-EFAULT, ring_run(&self->r));
	EXPECT_EQ(-1, waitpid(pid, NULL, 0));
}

TEST_HARNESS_MAIN
