/* SPDX-License-Identifier: Apache-2.0 */
/* step - a step's datasets on a node: mounted once in a namespace that each task
 * enters.
 */
#include "dataset/spank/step.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* A prolog or epilog waits no longer for the agent, which may wait for a server: a step
 * does, and the agent gives back later. */
#define SCRIPT_WAIT_S 10U

static int visit_fill(struct visit *visit, const char *agent,
                      const struct datasets *datasets, struct span root,
                      const struct visit_user *user, struct err *err)
{
    unsigned wait_s = visit->wait_s;
    int rc = visit_begin(visit, agent, err);
    visit->wait_s = wait_s;
    for (size_t i = 0; rc == 0 && i < datasets->count; i++)
        rc = visit_add(visit, datasets->texts[i], err);
    if (rc == 0 && root.size)
        rc = visit_add_root(visit, root, err);
    if (rc == 0)
        rc = visit_connect(visit, err);
    return rc < 0 ? rc : visit_mount(visit, user, err);
}

/* ---- the namespace ---- */

struct outcome {
    int rc;
    struct err err, note;
};

static int root_enter(struct step *step, struct err *err)
{
    struct visit_hooks hooks = { 0 };
    const char *paths[STEP_BINDS];
    struct visit_root root = { .paths = paths, .hooks = &hooks, .uid = step->user.uid };
    for (size_t i = 0; i < STEP_BINDS; i++)
        if (step->root.binds[i][0] == '/')
            paths[root.path_count++] = step->root.binds[i];
    int rc = visit_hooks_open(step->root.hooks, &hooks, err);
    if (rc == 0)
        rc = visit_enter_root(&step->visit, &root, &step->user, err);
    visit_hooks_close(&hooks);
    return rc;
}

/* It holds the namespace until its parent has it.  What slurmstepd mounts later is seen
 * here, and nothing of here there. */
__attribute__((noreturn)) static void namespace_hold(struct step *step, int out, int in)
{
    struct outcome outcome = { 0 };
    char end;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        outcome.rc =
            err_set(&outcome.err, errno, "a mount namespace: %s", strerror(errno));
    else if (step->visit.root >= 0)
        outcome.rc = root_enter(step, &outcome.err);
    if (outcome.rc == 0)
        outcome.rc = visit_attach(&step->visit, &step->user, &outcome.err);
    outcome.note = step->visit.note;
    if (write(out, &outcome, sizeof outcome) == sizeof outcome)
        (void)!read(in, &end, 1);
    _exit(0);
}

/* -ETIMEDOUT, -ECHILD (it was killed), with a line. */
static int outcome_receive(int in, struct outcome *ret, struct err *err)
{
    const struct itimerspec limit = { .it_value = { .tv_sec = STEP_NAMESPACE_WAIT_S } };
    AUTO_CLOSE int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct pollfd ends[] = { { in, POLLIN, 0 }, { timer, POLLIN, 0 } };
    ssize_t size;
    int rc;
    if (timer < 0 || timerfd_settime(timer, 0, &limit, NULL) < 0)
        return err_set(err, errno, "a timer: %s", strerror(errno));
    do
        rc = poll(ends, COUNT_OF(ends), -1);
    while (rc < 0 && errno == EINTR);
    if (rc < 0 || !ends[0].revents)
        return err_set(err, ETIMEDOUT, "mounting was not done within %u s",
                       STEP_NAMESPACE_WAIT_S);
    do
        size = read(in, ret, sizeof *ret);
    while (size < 0 && errno == EINTR);
    return size == sizeof *ret
               ? 0
               : err_set(err, ECHILD, "the process that mounts was killed");
}

static int namespace_open(pid_t holder, int in, struct step *step, struct err *err)
{
    struct outcome outcome = { 0 };
    char path[40];
    int rc = outcome_receive(in, &outcome, err);
    if (rc < 0) {
        (void)kill(holder, SIGKILL);
        return rc;
    }
    step->visit.note = outcome.note;
    step->visit.note.text[sizeof outcome.note.text - 1] = '\0';
    if (outcome.rc < 0) {
        outcome.err.text[sizeof outcome.err.text - 1] = '\0';
        return err_set(err, -outcome.rc, "%s", outcome.err.text);
    }
    (void)snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)holder);
    step->namespace_fd = open(path, O_RDONLY | O_CLOEXEC);
    return step->namespace_fd < 0 ? err_set(err, errno, "%s: %s", path, strerror(errno))
                                  : 0;
}

static void pair_close(int pair[2])
{
    (void)close(pair[0]);
    (void)close(pair[1]);
}

static int namespace_make(struct step *step, struct err *err)
{
    int up[2], down[2];
    if (pipe2(up, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    if (pipe2(down, O_CLOEXEC) < 0) {
        pair_close(up);
        return err_set(err, errno, "pipe: %s", strerror(errno));
    }
    pid_t holder = fork();
    int rc = holder < 0 ? err_set(err, errno, "fork: %s", strerror(errno)) : 0;
    if (holder == 0) {
        (void)close(down[1]);
        namespace_hold(step, up[1], down[0]);
    }
    (void)close(up[1]);
    up[1] = -1;
    if (rc == 0)
        rc = namespace_open(holder, up[0], step, err);
    (void)close(up[0]);
    pair_close(down);
    while (holder > 0 && waitpid(holder, NULL, 0) < 0 && errno == EINTR)
        ;
    return rc;
}

int step_prepare(struct step *step, const char *agent, const struct datasets *datasets,
                 const char *command, struct err *err)
{
    int rc =
        visit_fill(&step->visit, agent, datasets, step->root.name, &step->user, err);
    if (rc == 0 && step->visit.root >= 0)
        rc = visit_own(&step->visit, true, err);
    if (rc == 0)
        rc = namespace_make(step, err);
    if (rc == 0)
        visit_report(&step->visit, command);
    else
        visit_done(&step->visit);
    return rc;
}

/* ---- tasks ---- */

int step_enter(struct step *step, struct err *err)
{
    if (step->namespace_fd < 0)
        return 0;
    if (!getcwd(step->directory, sizeof step->directory))
        step->directory[0] = '\0';
    if (setns(step->namespace_fd, CLONE_NEWNS) < 0)
        return err_set(err, errno, "entering the mount namespace of the step: %s",
                       strerror(errno));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_set(err, errno, "no_new_privs: %s", strerror(errno));
    return 0;
}

/* Root may be refused by the server of a home directory. */
void step_return_directory(const struct step *step)
{
    if (step->namespace_fd >= 0 && step->directory[0])
        (void)!chdir(step->directory);
}

/* ---- jobs ---- */

int step_hold(const char *agent, const struct datasets *datasets,
              const struct visit_user *user, struct err *err)
{
    AUTO(visit_done)
    struct visit visit = { .fd = -1, .root = -1, .wait_s = SCRIPT_WAIT_S };
    return visit_fill(&visit, agent, datasets, (struct span){ "", 0 }, user, err);
}

/* The agent's directory has a file for each job that has references here: other ones
 * cost nothing.  Where there is no agent now, the next one finds that it has ended. */
int step_give_back(const char *agent, uint32_t job, struct err *err)
{
    AUTO(visit_done) struct visit visit = { .fd = -1, .root = -1 };
    char from[VISIT_PATH_SIZE + 32], to[VISIT_PATH_SIZE + 48];
    struct stat st;
    int rc = visit_begin(&visit, agent, err);
    if (rc < 0)
        return rc;
    (void)snprintf(from, sizeof from, "%s/../jobs/%u", visit.here, job);
    (void)snprintf(to, sizeof to, "%s.ended", from);
    if (stat(from, &st) < 0)
        return 0;
    visit.wait_s = SCRIPT_WAIT_S;
    rc = visit_connect(&visit, err);
    if (rc < 0) {
        (void)rename(from, to);
        return rc;
    }
    return visit_end_job(&visit, job, err);
}
