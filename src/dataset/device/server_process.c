/* SPDX-License-Identifier: Apache-2.0 */
/* server_process - a process that is started again when it has ended. */
#include "dataset/device/server_process.h"

#include "base/clock.h"

#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CANNOT_EXECUTE 127
#define POLL_NS 20000000

int64_t server_pause_next(int64_t pause_ns, int64_t ran_ns)
{
    if (ran_ns >= SERVER_SETTLED_NS || pause_ns < SERVER_PAUSE_FIRST_NS)
        return SERVER_PAUSE_FIRST_NS;
    return pause_ns > SERVER_PAUSE_MAX_NS / 2 ? SERVER_PAUSE_MAX_NS : 2 * pause_ns;
}

/* Also none by executing a file: not by its owner, not by its attributes. */
static int capabilities_drop(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };
    for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
        if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0 && errno != EPERM)
            return -errno;
    if (syscall(SYS_capset, &head, none) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    return 0;
}

static void server_execute(const struct server_process *server)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (capabilities_drop() == 0)
        (void)execv(server->path, server->argv);
    _exit(CANNOT_EXECUTE);
}

int server_process_start(struct server_process *server, struct err *err)
{
    pid_t pid = fork();
    if (pid < 0)
        return err_set(err, errno, "a process cannot be made: %m");
    if (pid == 0)
        server_execute(server);
    server->pid = pid;
    server->started_ns = clock_monotonic_ns();
    server->starts++;
    return 0;
}

static void server_has_ended(struct server_process *server, int status)
{
    server->pid = 0;
    server->status = status;
    server->pause_ns =
        server_pause_next(server->pause_ns, clock_monotonic_ns() - server->started_ns);
}

static bool server_reap(struct server_process *server, int flags)
{
    int status = 0;
    pid_t pid;
    if (!server->pid)
        return true;
    do
        pid = waitpid(server->pid, &status, flags);
    while (pid < 0 && errno == EINTR);
    if (pid == 0)
        return false;
    server_has_ended(server, pid < 0 ? 0 : status);
    return true;
}

bool server_process_has_ended(struct server_process *server)
{
    return server_reap(server, WNOHANG);
}

bool server_process_ends_within(const struct server_process *server, int64_t wait_ns)
{
    int64_t end_ns = clock_monotonic_ns() + wait_ns;
    const struct timespec pause = { .tv_nsec = POLL_NS };
    siginfo_t info;
    for (;;) {
        info.si_pid = 0;
        if (!server->pid ||
            waitid(P_PID, (id_t)server->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
            info.si_pid)
            return true;
        if (clock_monotonic_ns() >= end_ns)
            return false;
        (void)nanosleep(&pause, NULL);
    }
}

void server_process_wait(struct server_process *server)
{
    (void)server_reap(server, 0);
}

void server_process_end(struct server_process *server)
{
    if (server->pid)
        (void)kill(server->pid, SIGKILL);
    server_process_wait(server);
}

void server_process_describe(int status, char *ret, size_t size)
{
    if (WIFSIGNALED(status))
        (void)snprintf(ret, size, "signal %d", WTERMSIG(status));
    else
        (void)snprintf(ret, size, "status %d", WEXITSTATUS(status));
}
