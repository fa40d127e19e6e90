/* SPDX-License-Identifier: Apache-2.0 */
/* test_confine - what a confined process can no longer do, and how it ends. */
#include "base/confine.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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
        cmocka_unit_test(it_reads_files_and_writes_to_its_descriptor),
        cmocka_unit_test(a_loop_ends_by_its_limit_of_cpu_time),
        cmocka_unit_test(it_does_not_begin_without_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
