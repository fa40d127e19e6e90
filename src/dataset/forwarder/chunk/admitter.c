/* SPDX-License-Identifier: Apache-2.0 */
/* admitter - a process that makes datasets of what was pushed, one at a time. */
#include "dataset/forwarder/chunk/admitter.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADMITTER_FD 3

struct admission_job {
    struct push_admission in;
    admission_fn done; /* NULL: it is not waited for */
    void *arg;
    struct admission_job **at;
    struct admission_job *next;
};

struct admitter {
    pid_t pid;
    int fd; /* -1: the process has ended */
    uv_poll_t poll;
    bool is_open;
    bool is_busy; /* it has the first */
    struct admission_job *first, *last;
};

/* What the process responds. */
struct admission_result {
    int32_t rc;
    bool was_there;
    struct err err;
};

/* ---- the process ---- */

static void result_send(int rc, bool was_there, const struct err *err)
{
    struct admission_result result;
    memset(&result, 0, sizeof result);
    result.rc = rc;
    result.was_there = was_there;
    if (err)
        result.err = *err;
    (void)send(ADMITTER_FD, &result, sizeof result, MSG_NOSIGNAL);
}

static void admission_run(const char *dir, const struct push_admission *in,
                          pid_t parent)
{
    struct repository *repository = NULL;
    struct err err = { 0 };
    bool was_there = false;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILED);
    int rc = repository_open(dir, false, &repository, &err);
    if (rc == 0)
        rc = repository_push_admit(repository, in, &was_there, &err);
    repository_free(repository);
    result_send(rc, was_there, &err);
    _exit(EXIT_OK);
}

static void admission_fork(const char *dir, const struct push_admission *in)
{
    struct err err = { 0 };
    pid_t self = getpid();
    pid_t child = fork();
    int status = 0;
    if (child == 0)
        admission_run(dir, in, self);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && status == 0)
        return;
    if (child < 0)
        (void)err_set(&err, EAGAIN, "the admission cannot be started: %s",
                      strerror(errno));
    else
        (void)err_set(&err, EAGAIN, "the admission ended by itself");
    result_send(-EAGAIN, false, &err);
}

/* Ends with its socket, or its parent. */
static void admitter_run(const char *dir, int fd, pid_t parent)
{
    struct push_admission in;
    static const int ignored[] = { SIGINT, SIGHUP, SIGUSR1, SIGPIPE };
    for (size_t i = 0; i < COUNT_OF(ignored); i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_NAME, "baro-admitter");
    if (getppid() != parent || dup2(fd, ADMITTER_FD) < 0)
        _exit(EXIT_FAILED);
    (void)close_range(ADMITTER_FD + 1, ~0U, 0);
    while (recv(ADMITTER_FD, &in, sizeof in, 0) == (ssize_t)sizeof in)
        admission_fork(dir, &in);
    _exit(EXIT_OK);
}

int admitter_start(const char *repository, struct admitter **ret, struct err *err)
{
    int ends[2];
    struct admitter *admitter = calloc(1, sizeof *admitter);
    if (!admitter)
        return -ENOMEM;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        free(admitter);
        return err_set(err, errno, "socketpair: %s", strerror(errno));
    }
    pid_t self = getpid();
    admitter->pid = fork();
    if (admitter->pid == 0)
        admitter_run(repository, ends[1], self);
    (void)close(ends[1]);
    admitter->fd = ends[0];
    if (admitter->pid < 0) {
        int errnum = errno;
        admitter_free(admitter);
        return err_set(err, errnum, "fork: %s", strerror(errnum));
    }
    *ret = admitter;
    return 0;
}

/* ---- the queue ---- */

static struct admission_job *job_shift(struct admitter *admitter)
{
    struct admission_job *job = admitter->first;
    admitter->first = job->next;
    if (!admitter->first)
        admitter->last = NULL;
    return job;
}

static void job_end(struct admission_job *job, int rc, bool was_there, const char *text)
{
    if (job->done) {
        *job->at = NULL;
        job->done(job->arg, rc, was_there, text);
    }
    free(job);
}

static void admitter_end(struct admitter *admitter)
{
    if (admitter->is_open)
        (void)uv_poll_stop(&admitter->poll);
    admitter->is_busy = false;
    auto_close(&admitter->fd);
    while (admitter->first)
        job_end(job_shift(admitter), -EAGAIN, false,
                "the server's process for that has ended: it has to be restarted");
}

/* Those that no client waits for any more are not begun. */
static void admission_next(struct admitter *admitter)
{
    while (admitter->first && !admitter->is_busy && admitter->fd >= 0) {
        struct admission_job *job = admitter->first;
        if (!job->done)
            free(job_shift(admitter));
        else if (send(admitter->fd, &job->in, sizeof job->in,
                      MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof job->in)
            admitter->is_busy = true;
        else
            admitter_end(admitter);
    }
}

static void on_result(uv_poll_t *poll, int status, int events)
{
    struct admitter *admitter = poll->data;
    struct admission_result result;
    (void)status;
    (void)events;
    ssize_t size = recv(admitter->fd, &result, sizeof result, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size != (ssize_t)sizeof result || !admitter->is_busy) {
        admitter_end(admitter);
        return;
    }
    result.err.text[sizeof result.err.text - 1] = '\0';
    admitter->is_busy = false;
    job_end(job_shift(admitter), result.rc, result.was_there, result.err.text);
    admission_next(admitter);
}

int admitter_open(struct admitter *admitter, uv_loop_t *loop)
{
    int rc = uv_poll_init(loop, &admitter->poll, admitter->fd);
    if (rc < 0)
        return rc;
    admitter->is_open = true;
    admitter->poll.data = admitter;
    return uv_poll_start(&admitter->poll, UV_READABLE, on_result);
}

void admitter_submit(struct admitter *admitter, const struct push_admission *in,
                     admission_fn done, void *arg, struct admission_job **at)
{
    struct admission_job *job = admitter->fd >= 0 ? calloc(1, sizeof *job) : NULL;
    if (!job) {
        done(arg, -EAGAIN, false, "the server cannot admit datasets now");
        return;
    }
    *job = (struct admission_job){ .in = *in, .done = done, .arg = arg, .at = at };
    *(admitter->last ? &admitter->last->next : &admitter->first) = job;
    admitter->last = job;
    *at = job;
    admission_next(admitter);
}

void admission_leave(struct admission_job **at)
{
    if (*at)
        (*at)->done = NULL;
    *at = NULL;
}

void admitter_close(struct admitter *admitter)
{
    if (!admitter || !admitter->is_open)
        return;
    admitter->is_open = false;
    uv_close((uv_handle_t *)&admitter->poll, NULL);
}

void admitter_free(struct admitter *admitter)
{
    if (!admitter)
        return;
    while (admitter->first)
        free(job_shift(admitter));
    auto_close(&admitter->fd);
    if (admitter->pid > 0) {
        (void)kill(admitter->pid, SIGKILL); /* an image may be being admitted */
        (void)waitpid(admitter->pid, NULL, 0);
    }
    free(admitter);
}
