/* SPDX-License-Identifier: Apache-2.0 */
/* hooks - programs of the site, after datasets were mounted and before the command. */
#include "base/cleanup.h"
#include "base/span.h"
#include "dataset/visit/visit.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOOKS_WAIT_S 30

/* Of root, and written by root alone: what a user can change is no program of the
 * site. */
static bool is_of_site(int fd, mode_t type)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == 0 &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Nothing of this process's signals, nor of a terminal. */
static void hook_begin(void)
{
    sigset_t none;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    (void)dup2(null, STDIN_FILENO);
    (void)!chdir("/");
}

/* Nothing of the user's environment, nor of slurmstepd's.  The paths of the mounts are
 * where they will be: nothing is there yet, and what a user wrote is in them. */
__attribute__((noreturn)) static void hook_exec(int program, const char *name,
                                                const struct visit *visit,
                                                const struct visit_root *opts)
{
    static char mounts[VISIT_MOUNTS_SIZE + 32], root[VISIT_PATH_SIZE + 32], uid[48];
    char *environment[] = { (char[]){ "PATH=/usr/sbin:/usr/bin:/sbin:/bin" },
                            (char[]){ "LC_ALL=C" },
                            mounts,
                            root,
                            uid,
                            NULL };
    char *arguments[] = { strdup(name), NULL };
    int size = snprintf(mounts, sizeof mounts, "%s=", VISIT_VARIABLE);
    visit_print(visit, mounts + size);
    (void)snprintf(root, sizeof root, "BARO_DATASET_ROOT=%s/root", visit->here);
    (void)snprintf(uid, sizeof uid, "BARO_DATASET_UID=%u", opts->uid);
    hook_begin();
    (void)fcntl(program, F_SETFD, 0); /* an interpreter opens it by its descriptor */
    (void)fexecve(program, arguments, environment);
    _exit(127);
}

/* False: the timer ran off before it. */
static bool ends_in_time(pid_t child, int timer)
{
    int process = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd ends[] = { { process, POLLIN, 0 }, { timer, POLLIN, 0 } };
    int rc;
    do
        rc = process < 0 ? -1 : poll(ends, COUNT_OF(ends), -1);
    while (rc < 0 && process >= 0 && errno == EINTR);
    if (process >= 0)
        (void)close(process);
    return rc > 0 && ends[0].revents;
}

static int hook_wait(pid_t child, int timer, const char *name, struct err *err)
{
    int status = 0;
    bool is_late = !ends_in_time(child, timer);
    if (is_late)
        (void)kill(-child, SIGKILL); /* with what it started */
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "hook '%s': %s", name, strerror(errno));
    if (is_late)
        return err_set(err, ETIMEDOUT,
                       "hook '%s' did not end: all of them have %d s together", name,
                       HOOKS_WAIT_S);
    return status == 0 ? 0
                       : err_set(err, ECANCELED, "hook '%s' failed: status %d", name,
                                 WIFEXITED(status) ? WEXITSTATUS(status)
                                                   : 128 + WTERMSIG(status));
}

static int hook_run(const struct visit_hook *hook, int timer, const struct visit *visit,
                    const struct visit_root *opts, struct err *err)
{
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        hook_exec(hook->fd, hook->name, visit, opts);
    if (child < 0)
        return err_set(err, errno, "fork: %s", strerror(errno));
    (void)setpgid(child, child); /* also where it has not come to it yet */
    return hook_wait(child, timer, hook->name, err);
}

int visit_hooks_run(const struct visit *visit, const struct visit_root *opts,
                    struct err *err)
{
    const struct itimerspec limit = { .it_value = { .tv_sec = HOOKS_WAIT_S } };
    AUTO_CLOSE int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (timer < 0 || timerfd_settime(timer, 0, &limit, NULL) < 0)
        return err_set(err, errno, "a timer for hooks: %s", strerror(errno));
    int rc = 0;
    for (size_t i = 0; rc == 0 && opts->hooks && i < opts->hooks->count; i++)
        rc = hook_run(&opts->hooks->hooks[i], timer, visit, opts, err);
    return rc;
}

/* ---- which there are ---- */

/* What its administrator has put aside, by its mode or in a directory. */
static bool is_put_aside(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && !(st.st_mode & 0111)));
}

static int hook_add(int dir, const char *path, const char *name,
                    struct visit_hooks *hooks, struct err *err)
{
    if (is_put_aside(dir, name))
        return 0;
    if (hooks->count == VISIT_HOOKS_MAX || strlen(name) >= VISIT_HOOK_NAME_SIZE)
        return err_set(err, E2BIG,
                       "hooks '%s': more than %u, or a name that is too long", path,
                       VISIT_HOOKS_MAX);
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && is_of_site(fd, S_IFREG)) {
        struct visit_hook *hook = &hooks->hooks[hooks->count++];
        hook->fd = fd;
        (void)snprintf(hook->name, sizeof hook->name, "%s", name);
        return 0;
    }
    int errnum = fd < 0 ? errno : EPERM;
    if (fd >= 0)
        (void)close(fd);
    return err_set(err, errnum,
                   "hook '%s/%s': it has to be a file of root that no other user can "
                   "write, and that all can read",
                   path, name);
}

/* Those of run-parts: no ".bak", no "~". */
static int is_hook(const struct dirent *entry)
{
    return strspn(entry->d_name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_-") == strlen(entry->d_name);
}

int visit_hooks_open(const char *directory, struct visit_hooks *ret, struct err *err)
{
    struct dirent **entries = NULL;
    ret->count = 0;
    AUTO_CLOSE int dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return errno == ENOENT
                   ? 0
                   : err_set(err, errno, "hooks '%s': %s", directory, strerror(errno));
    if (!is_of_site(dir, S_IFDIR))
        return err_set(err, EPERM,
                       "hooks '%s': it has to be a directory of root that no other "
                       "user can write",
                       directory);
    int count = scandirat(dir, ".", &entries, is_hook, alphasort);
    int rc = count < 0
                 ? err_set(err, errno, "hooks '%s': %s", directory, strerror(errno))
                 : 0;
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = hook_add(dir, directory, entries[i]->d_name, ret, err);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

void visit_hooks_close(struct visit_hooks *hooks)
{
    while (hooks->count)
        (void)close(hooks->hooks[--hooks->count].fd);
}
