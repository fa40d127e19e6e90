/* SPDX-License-Identifier: Apache-2.0 */
/* admitter - a process that makes datasets of what was pushed, one at a time. */
#include "dataset/forwarder/chunk/admitter.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADMITTER_FD 3
#define ADMITTER_POLL_MS 100 /* where the kernel has no descriptors of processes */

/* To the process: an image, or that the client of that one has left. */
struct admission_message {
    uint64_t number;
    bool is_left;
    struct push_admission in;
};

struct admission_job {
    struct admission_message message;
    uint64_t turn; /* of its user's jobs one has each */
    struct admitter *admitter;
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
    uint64_t last_number, turn;
    struct admission_job *first;
};

/* What the process responds. */
struct admission_result {
    uint64_t number;
    int32_t rc;
    struct push_admitted admitted;
    struct err err;
};

/* ---- the process ---- */

static void result_send(uint64_t number, int rc, const struct push_admitted *admitted,
                        const struct err *err)
{
    struct admission_result result;
    memset(&result, 0, sizeof result);
    result.number = number;
    result.rc = rc;
    if (admitted)
        result.admitted = *admitted;
    if (err)
        result.err = *err;
    (void)send(ADMITTER_FD, &result, sizeof result, MSG_NOSIGNAL);
}

static void admission_run(const char *dir, const struct admission_message *message,
                          pid_t parent)
{
    struct repository *repository = NULL;
    struct err err = { 0 };
    struct push_admitted admitted = { 0 };
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILED);
    int rc = repository_open(dir, false, &repository, &err);
    if (rc == 0)
        rc = repository_push_admit(repository, &message->in, &admitted, &err);
    repository_free(repository);
    result_send(message->number, rc, &admitted, &err);
    _exit(EXIT_OK);
}

/* Whether the next message, which stays, is that the job was left.  The server sends
 * another image only once it has the result: then this one is about to end. */
static bool is_left(uint64_t number)
{
    struct admission_message next;
    return recv(ADMITTER_FD, &next, sizeof next, MSG_PEEK | MSG_DONTWAIT) ==
               (ssize_t)sizeof next &&
           next.is_left && next.number == number;
}

static int admission_wait(pid_t child, uint64_t number)
{
    AUTO_CLOSE int child_fd = (int)syscall(SYS_pidfd_open, child, 0);
    int status = 0;
    bool is_watched = true;
    pid_t ended = 0;
    while ((ended = waitpid(child, &status, is_watched ? WNOHANG : 0)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        struct pollfd fds[] = { { .fd = child_fd, .events = POLLIN },
                                { .fd = ADMITTER_FD, .events = POLLIN } };
        (void)poll(fds, COUNT_OF(fds), child_fd < 0 ? ADMITTER_POLL_MS : -1);
        if (!(fds[1].revents))
            continue;
        is_watched = false; /* whatever came, it is looked at once */
        if (is_left(number))
            (void)kill(child, SIGKILL);
    }
    return status;
}

static void admission_fork(const char *dir, const struct admission_message *message)
{
    struct err err = { 0 };
    pid_t self = getpid();
    pid_t child = fork();
    if (child == 0)
        admission_run(dir, message, self);
    if (child > 0 && admission_wait(child, message->number) == 0)
        return;
    if (child < 0)
        (void)err_set(&err, EAGAIN, "the admission cannot be started: %s",
                      strerror(errno));
    else
        (void)err_set(&err, EAGAIN, "the admission ended by itself");
    result_send(message->number, -EAGAIN, NULL, &err);
}

/* Ends with its socket, or its parent. */
static void admitter_run(const char *dir, int fd, pid_t parent)
{
    struct admission_message message;
    static const int ignored[] = { SIGINT, SIGHUP, SIGUSR1, SIGPIPE };
    for (size_t i = 0; i < COUNT_OF(ignored); i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_NAME, "baro-admitter");
    if (getppid() != parent || dup2(fd, ADMITTER_FD) < 0)
        _exit(EXIT_FAILED);
    (void)close_range(ADMITTER_FD + 1, ~0U, 0);
    while (recv(ADMITTER_FD, &message, sizeof message, 0) == (ssize_t)sizeof message)
        if (!message.is_left)
            admission_fork(dir, &message);
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

static const struct push_admitted none;

static struct admission_job *job_shift(struct admitter *admitter)
{
    struct admission_job *job = admitter->first;
    admitter->first = job->next;
    return job;
}

static void job_end(struct admission_job *job, int rc,
                    const struct push_admitted *admitted, const char *text)
{
    if (job->done) {
        *job->at = NULL;
        job->done(job->arg, rc, admitted, text);
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
        job_end(job_shift(admitter), -EAGAIN, &none,
                "the server's process for that has ended: it has to be restarted");
}

static bool message_send(struct admitter *admitter,
                         const struct admission_message *message)
{
    return send(admitter->fd, message, sizeof *message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)sizeof *message;
}

/* Those that no client waits for any more are not begun. */
static void admission_next(struct admitter *admitter)
{
    while (admitter->first && !admitter->is_busy && admitter->fd >= 0) {
        struct admission_job *job = admitter->first;
        if (!job->done)
            free(job_shift(admitter));
        else if (message_send(admitter, &job->message)) {
            admitter->is_busy = true;
            admitter->turn = job->turn;
        } else
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
    if (size != (ssize_t)sizeof result) {
        admitter_end(admitter);
        return;
    }
    /* One that was left as it ended has two. */
    if (!admitter->is_busy || result.number != admitter->first->message.number)
        return;
    result.err.text[sizeof result.err.text - 1] = '\0';
    admitter->is_busy = false;
    job_end(job_shift(admitter), result.rc, &result.admitted, result.err.text);
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

/* Users have turns: whoever sends many images waits for them behind the first of each
 * other one. */
static void job_queue(struct admitter *admitter, struct admission_job *job)
{
    struct admission_job **at = &admitter->first;
    job->turn = admitter->turn;
    for (struct admission_job *other = admitter->first; other; other = other->next)
        if (other->message.in.uid == job->message.in.uid && other->turn >= job->turn)
            job->turn = other->turn + 1;
    while (*at && (*at)->turn <= job->turn)
        at = &(*at)->next;
    job->next = *at;
    *at = job;
}

void admitter_submit(struct admitter *admitter, const struct push_admission *in,
                     admission_fn done, void *arg, struct admission_job **at)
{
    struct admission_job *job = admitter->fd >= 0 ? calloc(1, sizeof *job) : NULL;
    if (!job) {
        done(arg, -EAGAIN, &none, "the server cannot admit datasets now");
        return;
    }
    *job = (struct admission_job){
        .admitter = admitter, .done = done, .arg = arg, .at = at
    };
    memset(&job->message, 0, sizeof job->message);
    job->message.number = ++admitter->last_number;
    job->message.in = *in;
    job_queue(admitter, job);
    *at = job;
    admission_next(admitter);
}

void admission_leave(struct admission_job **at)
{
    struct admission_job *job = *at;
    *at = NULL;
    if (!job)
        return;
    job->done = NULL;
    struct admitter *admitter = job->admitter;
    if (!admitter->is_busy || admitter->first != job || admitter->fd < 0)
        return;
    struct admission_message left = job->message;
    left.is_left = true;
    (void)message_send(admitter, &left);
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
