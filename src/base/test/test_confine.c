/* SPDX-License-Identifier: Apache-2.0 */
/* test_confine - what a confined process can no longer do, and how it ends. */
#include "base/system/confine.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a confined child; returns an exit status. */
typedef int child_fn(int fd);

/* The status that waitpid gives. */
static int run(child_fn *child, const struct confine_opts *more)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    pid_t parent = getpid();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct confine_opts opts = { .parent = parent, .fd = fds[1] };
        if (more && more->parent)
            opts.parent = more->parent;
        int rc = confine_child(&opts, NULL);
        _exit(rc < 0 ? 100 : child(CONFINE_FD));
    }
    (void)close(fds[1]);
    int status;
    assert_true(waitpid(pid, &status, 0) == pid);
    (void)close(fds[0]);
    return status;
}

static int try_what_is_denied(int fd)
{
    char *const no_args[] = { NULL };
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
        return 1;
    if (send(fd, "x", 1, MSG_NOSIGNAL) >= 0 || errno != EPERM)
        return 2;
    if (execve("/bin/true", no_args, no_args) >= 0 || errno != EPERM)
        return 3;
    if (open("/tmp/baro-confine", O_WRONLY | O_CREAT, 0600) >= 0 || errno != EPERM)
        return 4;
    if (unlink("/tmp/baro-confine") >= 0 || errno != EPERM)
        return 5;
    if (kill(getppid(), 0) >= 0 || errno != EPERM)
        return 6;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid > 0 || errno != EPERM)
        return 7;
    return 0;
}

/* Of headers newer than some that this is built with. */
#define NR_PIDFD_SEND_SIGNAL 424
#define NR_FCHMODAT2 452
#define NR_SETXATTRAT 463

/* System calls with what would reach the parent, or a file, were it let. */
static int try_each_call(int fd)
{
    const long parent = getppid();
    const long path = (long)"/tmp/baro-confine";
    siginfo_t info = { .si_code = SI_QUEUE };
    const struct {
        long call;
        long args[5];
    } cases[] = {
        { __NR_tgkill, { parent, parent, 0 } },
        { __NR_tkill, { parent, 0 } },
        { __NR_kill, { getpid(), 0 } },
        { __NR_rt_sigqueueinfo, { parent, 0, (long)&info } },
        { __NR_rt_tgsigqueueinfo, { parent, parent, 0, (long)&info } },
        { NR_PIDFD_SEND_SIGNAL, { fd, 0, 0, 0 } },
        { __NR_fcntl, { fd, F_SETOWN, parent } },
        { __NR_fcntl, { fd, F_SETSIG, SIGKILL } },
        { __NR_fcntl, { fd, F_SETFL, O_ASYNC } },
        { __NR_ioctl, { fd, FIOSETOWN, (long)&parent } },
        { __NR_setpriority, { PRIO_PROCESS, parent, 19 } },
        { __NR_sched_setaffinity, { parent, 0, 0 } },
        { __NR_prlimit64, { parent, RLIMIT_CORE, 0, 0 } },
        { __NR_prctl, { PR_SET_PDEATHSIG, 0 } },
        { __NR_prctl, { PR_SET_DUMPABLE, 1 } },
        { __NR_ptrace, { 16, parent, 0, 0 } },
        { __NR_process_vm_readv, { parent, 0, 0, 0, 0 } },
        { __NR_fchmod, { fd, 0600 } },
        { __NR_fchmodat, { AT_FDCWD, path, 0600 } },
        { NR_FCHMODAT2, { AT_FDCWD, path, 0600, 0 } },
        { __NR_fchownat, { AT_FDCWD, path, 0, 0, 0 } },
        { __NR_setxattr, { path, path, 0, 0, 0 } },
        { NR_SETXATTRAT, { AT_FDCWD, path, 0, path, 0 } },
        { __NR_removexattr, { path, path } },
        { __NR_lremovexattr, { path, path } },
        { __NR_fremovexattr, { fd, path } },
        { __NR_openat, { AT_FDCWD, path, O_RDWR | O_CREAT, 0600 } },
        { __NR_linkat, { AT_FDCWD, path, AT_FDCWD, path, 0 } },
        { __NR_ftruncate, { fd, 0 } },
        { __NR_memfd_create, { path, 0 } },
        { __NR_mount, { path, path, 0, 0, 0 } },
        { __NR_inotify_init1, { 0 } },
        { __NR_sendto, { fd, path, 1, 0, 0 } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const long *args = cases[i].args;
        if (syscall(cases[i].call, args[0], args[1], args[2], args[3], args[4]) >= 0 ||
            errno != EPERM)
            return 1 + (int)i;
    }
    return 0;
}

static void each_call_beyond_reading_is_denied(void **state)
{
    (void)state;
#if !defined(__x86_64__) && !defined(__aarch64__)
    skip(); /* no filter is written for this processor */
#endif
    int status = run(try_each_call, NULL);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int abort_here(int fd)
{
    (void)fd;
    abort();
}

static void it_can_abort(void **state)
{
    (void)state;
    int status = run(abort_here, NULL);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static int limit_of_files(int fd)
{
    (void)fd;
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 1 : (int)limit.rlim_max;
}

/* Nobody but root may raise a limit again, and root does not either. */
static void a_limit_that_is_lower_already_stays(void **state)
{
    (void)state;
    const struct rlimit low = { 8, 8 };
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (setrlimit(RLIMIT_NOFILE, &low) < 0)
            _exit(101);
        const struct confine_opts opts = { .parent = getppid(), .fd = CONFINE_FD };
        struct err err = { 0 };
        if (confine_child(&opts, &err) < 0)
            _exit(100);
        _exit(limit_of_files(CONFINE_FD));
    }
    int status;
    assert_true(waitpid(pid, &status, 0) == pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), low.rlim_max);
}

static void what_reaches_out_of_it_is_denied(void **state)
{
    (void)state;
#if !defined(__x86_64__) && !defined(__aarch64__)
    skip(); /* no filter is written for this processor */
#endif
    int status = run(try_what_is_denied, NULL);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int try_what_is_allowed(int fd)
{
    char byte = 'x';
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char *memory = malloc(1 << 20);
    bool is_good =
        null >= 0 && memory && write(fd, &byte, 1) == 1 && confine_cpu(5) == 0;
    free(memory);
    for (int i = fd + 1; i < 64; i++) /* none of the parent's is left */
        is_good = is_good && (i == null || fcntl(i, F_GETFD) < 0);
    return is_good ? 0 : 1;
}

static void it_reads_files_and_writes_to_its_descriptor(void **state)
{
    (void)state;
    int status = run(try_what_is_allowed, NULL);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int loop(int fd)
{
    (void)fd;
    if (confine_cpu(0) < 0)
        return 1;
    for (volatile unsigned i = 0;; i++)
        ;
}

static void a_loop_ends_by_its_limit_of_cpu_time(void **state)
{
    (void)state;
    int status = run(loop, NULL);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGXCPU);
}

static void it_does_not_begin_without_its_parent(void **state)
{
    (void)state;
    const struct confine_opts other = { .parent = INT32_MAX };
    int status = run(try_what_is_allowed, &other);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_reaches_out_of_it_is_denied),
        cmocka_unit_test(each_call_beyond_reading_is_denied),
        cmocka_unit_test(it_can_abort),
        cmocka_unit_test(a_limit_that_is_lower_already_stays),
        cmocka_unit_test(it_reads_files_and_writes_to_its_descriptor),
        cmocka_unit_test(a_loop_ends_by_its_limit_of_cpu_time),
        cmocka_unit_test(it_does_not_begin_without_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
