/* SPDX-License-Identifier: Apache-2.0 */
/* command_child - the owner's command: started, its signals passed on, its end awaited.
 */
#include "jobsession/command_child.h"

#include "base/clock.h"
#include "base/number.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS_MAX 60000

extern char **environ;

static const int passed_on[] = { SIGHUP,  SIGINT,  SIGQUIT,  SIGTERM, SIGUSR1,
                                 SIGUSR2, SIGALRM, SIGWINCH, SIGCONT, SIGURG };

int command_child_hold(struct command_child *child, struct err *err)
{
    sigset_t set;
    struct sigaction old;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++)
        (void)sigaddset(&set, passed_on[i]);
    (void)sigaddset(&set, SIGCHLD);
    *child = (struct command_child){ .signal_fd = -1 };
    (void)pthread_sigmask(SIG_BLOCK, &set, &child->old_mask);
    (void)sigaction(SIGPIPE, NULL, &old);
    child->was_pipe_ignored = old.sa_handler == SIG_IGN;
    (void)signal(SIGPIPE, SIG_IGN); /* a pipe to a node that has ended */
    child->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return child->signal_fd < 0 ? err_set(err, errno, "signalfd: %s", strerror(errno))
                                : 0;
}

void command_child_release(struct command_child *child)
{
    if (child->signal_fd >= 0)
        (void)close(child->signal_fd);
    child->signal_fd = -1;
    if (!child->was_pipe_ignored)
        (void)signal(SIGPIPE, SIG_DFL);
    (void)pthread_sigmask(SIG_SETMASK, &child->old_mask, NULL);
}

/* ---- its environment ---- */

static bool is_among(const char *entry, const struct command_variable *variables,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(variables[i].name);
        if (strncmp(entry, variables[i].name, size) == 0 && entry[size] == '=')
            return true;
    }
    return false;
}

/* NULL: memory is out.  The first count are the caller's to free. */
static char **environment_make(const struct command_variable *variables, size_t count)
{
    size_t size = 0, made = 0;
    while (environ[size])
        size++;
    char **ret = calloc(size + count + 1, sizeof *ret);
    if (!ret)
        return NULL;
    for (; made < count; made++)
        if (asprintf(&ret[made], "%s=%s", variables[made].name, variables[made].value) <
            0)
            break;
    for (size_t i = made; made < count && i-- > 0;)
        free(ret[i]);
    if (made < count) {
        free(ret);
        return NULL;
    }
    for (size_t i = 0; i < size; i++)
        if (!is_among(environ[i], variables, count))
            ret[made++] = environ[i];
    return ret;
}

static void environment_free(char **environment, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(environment[i]);
    free(environment);
}

/* ---- the command ---- */

static int spawn_command(struct command_child *child, char *const *argv,
                         char *const *environment)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    (void)sigemptyset(&defaults);
    if (!child->was_pipe_ignored)
        (void)sigaddset(&defaults, SIGPIPE);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes,
                                   POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    (void)posix_spawnattr_setsigmask(&attributes, &child->old_mask);
    int rc = posix_spawnp(&child->pid, argv[0], NULL, &attributes, argv, environment);
    (void)posix_spawnattr_destroy(&attributes);
    if (rc != 0)
        child->pid = 0;
    return rc;
}

int command_child_start(struct command_child *child, char *const *argv,
                        const struct command_variable *variables, size_t count,
                        struct err *err)
{
    char **environment = environment_make(variables, count);
    if (!environment)
        return err_set(err, ENOMEM, "'%s': memory is out", argv[0]);
    int rc = spawn_command(child, argv, environment);
    environment_free(environment, count);
    if (rc != 0)
        return err_set(err, rc, "'%s': %s", argv[0], strerror(rc));
    if (child->early_signal)
        (void)kill(child->pid, child->early_signal);
    return 0;
}

static bool is_from_a_process(const struct signalfd_siginfo *info)
{
    return info->ssi_code == SI_USER || info->ssi_code == SI_QUEUE ||
           info->ssi_code == SI_TKILL;
}

static void pass_on(struct command_child *child)
{
    struct signalfd_siginfo info;
    while (read(child->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        int number = (int)info.ssi_signo;
        bool is_end = number == SIGINT || number == SIGTERM || number == SIGHUP ||
                      number == SIGQUIT;
        if (number == SIGCHLD)
            continue;
        if (child->pid > 0 && is_from_a_process(&info))
            (void)kill(child->pid, number);
        else if (child->pid == 0 && is_end)
            child->early_signal = number;
    }
}

static bool is_ended(struct command_child *child, int *ret_status)
{
    int status;
    if (waitpid(child->pid, &status, WNOHANG) != child->pid)
        return false;
    child->pid = 0;
    *ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

static void wait_for_signal(struct command_child *child, int64_t end_ns)
{
    int64_t left_ms = end_ns == INT64_MAX
                          ? POLL_MS_MAX
                          : (end_ns - clock_monotonic_ns()) / NS_PER_MS + 1;
    struct pollfd poll_fd = { child->signal_fd, POLLIN, 0 };
    (void)poll(&poll_fd, 1, left_ms < POLL_MS_MAX ? (int)left_ms : POLL_MS_MAX);
    pass_on(child);
}

static int64_t end_of(int64_t wait_ns)
{
    return wait_ns == INT64_MAX ? INT64_MAX : clock_monotonic_ns() + wait_ns;
}

bool command_child_wait(struct command_child *child, int64_t wait_ns, int *ret_status)
{
    int64_t end_ns = end_of(wait_ns);
    while (!is_ended(child, ret_status)) {
        if (end_ns != INT64_MAX && clock_monotonic_ns() > end_ns)
            return false;
        wait_for_signal(child, end_ns);
    }
    return true;
}

bool command_child_is_unwanted(struct command_child *child, int64_t wait_ns)
{
    wait_for_signal(child, end_of(wait_ns));
    return child->early_signal != 0;
}
