/* SPDX-License-Identifier: Apache-2.0 */
/* hooks - programs of the site, after datasets were mounted and before the command. */
#include "base/cleanup.h"
#include "dataset/visit/visit.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOOK_WAIT_MS 30000

/* Of root, and written by root alone: what a user can change is no program of the
 * site. */
static bool is_of_site(int fd, mode_t type)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == 0 &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Nothing of the user's environment, nor of slurmstepd's. */
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
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    (void)!chdir("/");
    (void)fcntl(program, F_SETFD, 0); /* an interpreter opens it by its descriptor */
    (void)fexecve(program, arguments, environment);
    _exit(127);
}

static int hook_wait(pid_t child, const char *name, struct err *err)
{
    int status = 0;
    int process = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd end = { process, POLLIN, 0 };
    bool is_late = process >= 0 && poll(&end, 1, HOOK_WAIT_MS) == 0;
    if (is_late)
        (void)kill(child, SIGKILL);
    if (process >= 0)
        (void)close(process);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "hook '%s': %s", name, strerror(errno));
    if (is_late)
        return err_set(err, ETIMEDOUT, "hook '%s' did not end within %d s", name,
                       HOOK_WAIT_MS / 1000);
    return status == 0 ? 0
                       : err_set(err, ECANCELED, "hook '%s' failed: status %d", name,
                                 WIFEXITED(status) ? WEXITSTATUS(status)
                                                   : 128 + WTERMSIG(status));
}

static int hook_run(const struct visit_hook *hook, const struct visit *visit,
                    const struct visit_root *opts, struct err *err)
{
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        hook_exec(hook->fd, hook->name, visit, opts);
    return child < 0 ? err_set(err, errno, "fork: %s", strerror(errno))
                     : hook_wait(child, hook->name, err);
}

int visit_hooks_run(const struct visit *visit, const struct visit_root *opts,
                    struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && opts->hooks && i < opts->hooks->count; i++)
        rc = hook_run(&opts->hooks->hooks[i], visit, opts, err);
    return rc;
}

/* ---- which there are ---- */

static int hook_add(int dir, const char *path, const char *name,
                    struct visit_hooks *hooks, struct err *err)
{
    if (hooks->count == VISIT_HOOKS_MAX || strlen(name) >= VISIT_HOOK_NAME_SIZE)
        return err_set(err, E2BIG,
                       "hooks '%s': more than %u, or a name that is too long", path,
                       VISIT_HOOKS_MAX);
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
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
