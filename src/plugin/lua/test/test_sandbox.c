/* SPDX-License-Identifier: Apache-2.0 */
/* test_sandbox - what the host process cannot do any more, tried in children. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "plugin/lua/sandbox.h"
#include "plugin/protocol/protocol.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int passed_fd; /* the lowest descriptor that a plugin's file would have */

static int try_open(void)
{
    return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}
static int try_openat2(void)
{
    unsigned long how[3] = { O_RDONLY, 0, 0 };
    return (int)syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how);
}
static int try_create(void)
{
    return open("/tmp/baro-sandbox-escaped", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}
static int try_socket(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}
static int try_unix(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}
static int try_fork(void)
{
    long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        _exit(0);
    return (int)pid;
}
static int try_thread(void)
{
    return (int)syscall(SYS_clone3, NULL, 0);
}
static int try_exec(void)
{
    char *argv[] = { (char *)(uintptr_t) "true", NULL };
    return execve("/bin/true", argv, NULL);
}
static int try_execveat(void)
{
    return (int)syscall(SYS_execveat, AT_FDCWD, "/bin/true", NULL, NULL, 0);
}
static int try_ptrace(void)
{
    return (int)ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}
static int try_kill(void)
{
    return kill(getppid(), 0);
}
static int try_read_other(void)
{
    char byte;
    return (int)syscall(SYS_read, 0, &byte, 1) < 0 ? -1 : 0;
}
static int try_write(void)
{
    return (int)write(1, "x", 1);
}
static int try_memfd(void)
{
    return (int)syscall(SYS_memfd_create, "x", 0);
}
static int try_io_uring(void)
{
    return (int)syscall(SYS_io_uring_setup, 1, NULL);
}
static int try_bpf(void)
{
    return (int)syscall(SYS_bpf, 0, NULL, 0);
}
static int try_unlink(void)
{
    return unlink("/tmp/baro-sandbox-none");
}
static int try_mount(void)
{
    return (int)syscall(SYS_mount, "a", "b", "c", 0, 0);
}
static int try_exec_memory(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? -1 : 0;
}
static int try_timer(void)
{
    return (int)syscall(SYS_setitimer, 0, NULL, NULL);
}
static int try_send_elsewhere(void)
{
    return (int)send(passed_fd, "x", 1, 0);
}
static int try_prctl(void)
{
    return (int)syscall(SYS_prctl, 4, 1, 0, 0, 0);
}
static int try_setuid(void)
{
    return (int)syscall(SYS_setuid, 0);
}
static int try_chmod(void)
{
    return (int)syscall(SYS_fchmodat, -100, "/tmp/x", 0777);
}
static int try_vm_read(void)
{
    return (int)syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0);
}

static const struct {
    const char *name;
    int (*fn)(void);
    bool under_sanitizer; /* tried there, too: its run time needs it not */
} tries[] = {
    { "open", try_open, true },
    { "openat2", try_openat2, true },
    { "create", try_create, true },
    { "socket", try_socket, true },
    { "unix socket", try_unix, true },
    { "fork", try_fork, true },
    { "thread", try_thread, true },
    { "exec", try_exec, true },
    { "execveat", try_execveat, true },
    { "ptrace", try_ptrace, true },
    { "kill the parent", try_kill, true },
    { "read of another descriptor", try_read_other, false },
    { "write", try_write, false },
    { "memfd", try_memfd, true },
    { "io_uring", try_io_uring, true },
    { "bpf", try_bpf, true },
    { "unlink", try_unlink, true },
    { "mount", try_mount, true },
    { "executable memory", try_exec_memory, true },
    { "setitimer", try_timer, true },
    { "send on another socket", try_send_elsewhere, true },
    { "prctl", try_prctl, true },
    { "setuid", try_setuid, true },
    { "chmod", try_chmod, true },
    { "read the parent's memory", try_vm_read, true },
};

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

/* In a child: 0 = refused with EPERM. */
static int in_child(int (*fn)(void))
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        uint32_t walls = 0;
        struct err err = { 0 };
        const struct sandbox_opts opts = { .memory_bytes = (size_t)1 << 30 };
        (void)dup2(ends[1], SANDBOX_FD);
        if (sandbox_enter(&opts, &walls, &err) < 0)
            _exit(100);
        passed_fd = 0;
        errno = 0;
        int got = fn();
        _exit(got < 0 && errno == EPERM ? 0 : got < 0 ? 2 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    (void)close(ends[0]);
    (void)close(ends[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void what_it_gave_up_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        if (IS_SANITIZED && !tries[i].under_sanitizer)
            continue;
        int got = in_child(tries[i].fn);
        if (got != 0)
            fail_msg("%s: %d", tries[i].name, got);
    }
    assert_int_not_equal(access("/tmp/baro-sandbox-escaped", F_OK), 0);
}

static int use_what_is_left(void)
{
    char byte = 'x';
    AUTO_FREE char *memory = malloc((size_t)1 << 22);
    if (!memory || send(SANDBOX_FD, &byte, 1, 0) != 1)
        return 0;
    errno = EPERM;
    return -1; /* it worked */
}

static void its_socket_and_its_memory_are_left(void **state)
{
    (void)state;
    assert_int_equal(in_child(use_what_is_left), 0);
}

static int see_walls(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NPROC, &limit);
}

static void the_walls_are_reported(void **state)
{
    (void)state;
    (void)see_walls;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        uint32_t walls = 0;
        const struct sandbox_opts opts = { .memory_bytes = (size_t)1 << 30 };
        (void)dup2(ends[1], SANDBOX_FD);
        if (sandbox_enter(&opts, &walls, NULL) < 0)
            _exit(100);
        _exit((int)walls);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    (void)close(ends[0]);
    (void)close(ends[1]);
    int walls = WEXITSTATUS(status);
    assert_int_equal(walls & FRAME_WALL_NO_NEW_PRIVS, FRAME_WALL_NO_NEW_PRIVS);
    assert_int_equal(walls & FRAME_WALL_SECCOMP, FRAME_WALL_SECCOMP);
    assert_int_equal(walls & FRAME_WALL_LIMITS, FRAME_WALL_LIMITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_gave_up_is_refused),
        cmocka_unit_test(its_socket_and_its_memory_are_left),
        cmocka_unit_test(the_walls_are_reported),
    };
    return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
