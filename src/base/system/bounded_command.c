/* SPDX-License-Identifier: Apache-2.0 */
/* bounded_command - a program with a deadline, bounded output and an end that is known.
 */
#include "base/system/bounded_command.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PIECE_BYTES ((size_t)65536)
/* Of what is in a pipe behind the end: what left the group may write on for ever. */
#define PIECES_BEHIND_END 64
/* Between two reads of the state of a process where the kernel has no descriptor of
 * one. */
#define STEP_MS 10
#define KILLED_WAIT_NS NS_PER_S
/* In the program until it is one. */
#define STATUS_FD 4
#define FIRST_HIGH_FD 10
#define LINE_BYTES_MAX 300

struct bounded_command {
    pid_t pid;
    int process;          /* descriptor of it; -1: the kernel has none */
    int status;           /* where it reports why it could not become the program */
    int output, messages; /* -1: at its end */
    size_t output_bytes_max, message_bytes_max;
    int64_t until_ns;
    bool ends_over_bound;
    struct bounded_command_end end;
};

/* ---- where it is ---- */

static int program_access(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return -errno;
    return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

int bounded_command_find(const char *name, const char *path, struct strbuf *ret)
{
    struct span rest = span_of(path ? path : ""), directory;
    int rc = -ENOENT;
    if (!path || strchr(name, '/')) {
        strbuf_adds(ret, name);
        return strbuf_error(ret) < 0 ? -ENOMEM : program_access(name);
    }
    while (rest.size > 0) {
        (void)span_cut(&rest, ':', &directory);
        strbuf_clear(ret);
        strbuf_addf(ret, SPAN_FMT "/%s", SPAN_ARG(directory), name);
        if (strbuf_error(ret) < 0)
            return -ENOMEM;
        int found = program_access(strbuf_text(ret));
        if (found == 0)
            return 0;
        rc = found == -EACCES ? found : rc;
    }
    return rc;
}

/* ---- between fork and execve: no memory is allocated, no lock held by another thread
 * ---- is waited for */

struct child_plan {
    const struct bounded_command_opts *opts;
    const char *program;
    int null, output, messages, status;
    pid_t parent;
};

__attribute__((noreturn)) static void child_fail(int status)
{
    int errnum = errno;
    (void)!write(status, &errnum, sizeof errnum);
    _exit(127);
}

static void child_signals_reset(void)
{
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        (void)signal(i, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* First out of the way of 0 to 4, which may be any of them. */
static int child_descriptors(const struct child_plan *plan, int *status)
{
    int fds[] = { plan->status, plan->null, plan->output, plan->messages,
                  plan->opts->has_fd ? plan->opts->fd : plan->null };
    int rc = -1;
    for (size_t i = 0; i < COUNT_OF(fds); i++)
        if ((fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, FIRST_HIGH_FD)) < 0)
            return -1;
    *status = fds[0];
    if (dup3(fds[0], STATUS_FD, O_CLOEXEC) < 0)
        return -1;
    *status = STATUS_FD;
    for (int i = 0; i < 3; i++)
        if (dup2(fds[1 + i], i) < 0)
            return -1;
    if (plan->opts->has_fd ? dup2(fds[4], BOUNDED_COMMAND_FD) < 0
                           : close(BOUNDED_COMMAND_FD) < 0 && errno != EBADF)
        return -1;
#ifdef __NR_close_range
    rc = (int)syscall(__NR_close_range, STATUS_FD + 1U, ~0U, 0U);
#endif
    for (int i = STATUS_FD + 1; rc < 0 && i < 65536; i++)
        (void)close(i);
    return 0;
}

static int child_confine(const struct child_plan *plan)
{
    const struct bounded_command_opts *opts = plan->opts;
    if (opts->ends_with_us &&
        (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != plan->parent))
        return -1;
    if (opts->directory && chdir(opts->directory) < 0)
        return -1;
    for (size_t i = 0; i < opts->limit_count; i++) {
        const struct rlimit limit = { opts->limits[i].value, opts->limits[i].value };
        if (setrlimit((__rlimit_resource_t)opts->limits[i].resource, &limit) < 0 &&
            errno != EPERM) /* it is lower already */
            return -1;
    }
    return opts->gains_nothing ? prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) : 0;
}

__attribute__((noreturn)) static void child_become(const struct child_plan *plan)
{
    const struct bounded_command_opts *opts = plan->opts;
    int status = plan->status;
    (void)setpgid(0, 0);
    child_signals_reset();
    if (child_descriptors(plan, &status) == 0 && child_confine(plan) == 0)
        (void)execve(plan->program, (char *const *)(uintptr_t)opts->argv,
                     (char *const *)(uintptr_t)opts->environment);
    child_fail(status);
}

/* ---- start ---- */

/* Signals wait until the child has none of our handlers. */
static pid_t child_fork(const struct child_plan *plan)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        child_become(plan);
    int errnum = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0)
        (void)setpgid(pid, pid); /* also where it has not come to it yet */
    errno = errnum;
    return pid;
}

static int pipe_open(int *ret_reading, int *ret_writing)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    *ret_reading = ends[0];
    *ret_writing = ends[1];
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static int command_fork(struct bounded_command *command,
                        const struct bounded_command_opts *opts, const char *program)
{
    AUTO_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    AUTO_CLOSE int output = -1, messages = -1, status = -1;
    int rc = null < 0 ? -errno : pipe_open(&command->output, &output);
    if (rc == 0)
        rc = pipe_open(&command->messages, &messages);
    if (rc == 0)
        rc = pipe_open(&command->status, &status);
    if (rc < 0)
        return rc;
    const struct child_plan plan = {
        .opts = opts,
        .program = program,
        .null = null,
        .output = output,
        .messages = messages,
        .status = status,
        .parent = getpid(),
    };
    command->pid = child_fork(&plan);
    if (command->pid < 0)
        return -errno;
    command->process = (int)syscall(SYS_pidfd_open, command->pid, 0);
    return 0;
}

int bounded_command_start(const struct bounded_command_opts *opts,
                          struct bounded_command **ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf program = STRBUF_INIT;
    AUTO(bounded_command_free) struct bounded_command *command = NULL;
    command = calloc(1, sizeof *command);
    if (!command)
        return -ENOMEM;
    command->process = command->status = command->output = command->messages = -1;
    command->output_bytes_max = opts->output_bytes_max;
    command->message_bytes_max = opts->message_bytes_max;
    command->until_ns = opts->until_ns;
    command->ends_over_bound = opts->ends_over_bound;
    command->end.output = command->end.messages = (struct strbuf)STRBUF_INIT;
    int rc = opts->path ? bounded_command_find(opts->argv[0], opts->path, &program) : 0;
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "%s: there is no such program", opts->argv[0]);
    if (rc == 0)
        rc = command_fork(command, opts,
                          opts->path ? strbuf_text(&program) : opts->argv[0]);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", opts->argv[0], strerror(-rc));
    *ret = TAKE(command);
    return 0;
}

/* ---- its output ---- */

static void text_add(struct strbuf *text, const char *bytes, size_t size, size_t max,
                     uint64_t *cut)
{
    size_t capacity = text->size < max ? max - text->size : 0;
    size_t used = size < capacity ? size : capacity;
    strbuf_add(text, bytes, used);
    *cut += size - used;
}

/* What is there; at the end of it the pipe is closed. */
static void pipe_read(int *fd, struct strbuf *text, size_t max, uint64_t *cut)
{
    char bytes[PIECE_BYTES];
    for (int i = 0; *fd >= 0 && i < PIECES_BEHIND_END; i++) {
        ssize_t size = read(*fd, bytes, sizeof bytes);
        if (size > 0) {
            text_add(text, bytes, (size_t)size, max, cut);
        } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
            (void)close(*fd);
            *fd = -1;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

static void command_read(struct bounded_command *c)
{
    pipe_read(&c->output, &c->end.output, c->output_bytes_max, &c->end.output_cut);
    pipe_read(&c->messages, &c->end.messages, c->message_bytes_max,
              &c->end.message_cut);
}

/* ---- its end ---- */

static void command_close(struct bounded_command *c)
{
    int *const fds[] = { &c->process, &c->status, &c->output, &c->messages };
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        auto_close(fds[i]);
        *fds[i] = -1;
    }
}

static void command_end_set(struct bounded_command *c, enum bounded_command_kind kind,
                            int number)
{
    c->end.kind = kind;
    c->end.number = number;
}

static void command_end_by_status(struct bounded_command *c, int status)
{
    int errnum = 0;
    if (read(c->status, &errnum, sizeof errnum) == (ssize_t)sizeof errnum)
        command_end_set(c, BOUNDED_COMMAND_NOT_STARTED, errnum);
    else if (WIFSIGNALED(status))
        command_end_set(c, BOUNDED_COMMAND_SIGNALLED, WTERMSIG(status));
    else
        command_end_set(c, BOUNDED_COMMAND_EXITED, WEXITSTATUS(status));
}

/* Its first process has ended and is not collected yet: its group is still its own. */
static void command_finish(struct bounded_command *c)
{
    int status = 0;
    (void)kill(-c->pid, SIGKILL);
    command_read(c);
    if (waitpid(c->pid, &status, 0) == c->pid)
        command_end_by_status(c, status);
    else
        command_end_set(c, BOUNDED_COMMAND_LOST, errno);
    command_close(c);
}

static void command_kill(struct bounded_command *c, enum bounded_command_kind kind)
{
    const struct timespec pause = { .tv_nsec = 2 * NS_PER_MS };
    int64_t until_ns = clock_monotonic_ns() + KILLED_WAIT_NS;
    process_tree_kill(c->pid);
    while (waitpid(c->pid, NULL, WNOHANG) == 0 && clock_monotonic_ns() < until_ns)
        (void)nanosleep(&pause, NULL);
    command_read(c);
    command_end_set(c, kind, 0);
    command_close(c);
}

static bool has_ended(const struct bounded_command *c)
{
    siginfo_t info = { 0 };
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
           info.si_pid != 0;
}

/* True: it has ended. */
static bool command_advance(struct bounded_command *c)
{
    bool is_over = has_ended(c);
    if (is_over) {
        command_finish(c);
        return true;
    }
    command_read(c);
    if (c->ends_over_bound && c->end.output_cut > 0)
        command_kill(c, BOUNDED_COMMAND_OVER_BOUND);
    else if (clock_monotonic_ns() >= c->until_ns)
        command_kill(c, BOUNDED_COMMAND_DEADLINE);
    return c->end.kind != BOUNDED_COMMAND_RUNS;
}

/* ---- waiting ---- */

/* What of it to wait for; the time of that, where it is shorter than *wait_ms. */
static size_t command_polls(const struct bounded_command *c, struct pollfd out[3],
                            int64_t *wait_ms)
{
    const int fds[] = { c->process, c->output, c->messages };
    int64_t left_ms = (c->until_ns - clock_monotonic_ns() + NS_PER_MS - 1) / NS_PER_MS;
    if (c->process < 0 && left_ms > STEP_MS)
        left_ms = STEP_MS;
    if (left_ms < *wait_ms)
        *wait_ms = left_ms > 0 ? left_ms : 0;
    for (size_t i = 0; i < COUNT_OF(fds); i++)
        out[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
    return COUNT_OF(fds);
}

size_t bounded_command_wait(struct bounded_command *const *commands, size_t count)
{
    AUTO_FREE struct pollfd *polls = calloc(3 * count + 1, sizeof *polls);
    for (;;) {
        size_t poll_count = 0, running = 0;
        int64_t wait_ms = 60000;
        for (size_t i = 0; i < count; i++) {
            if (!commands[i] || commands[i]->end.kind != BOUNDED_COMMAND_RUNS)
                continue;
            if (command_advance(commands[i]))
                return i;
            running++;
            if (polls)
                poll_count += command_polls(commands[i], polls + poll_count, &wait_ms);
            else
                wait_ms = STEP_MS; /* no memory for more */
        }
        if (running == 0)
            return count;
        (void)poll(polls, poll_count, (int)wait_ms);
    }
}

size_t bounded_command_poll(struct bounded_command *const *commands, size_t count)
{
    size_t i = 0;
    while (i < count &&
           (!commands[i] || commands[i]->end.kind != BOUNDED_COMMAND_RUNS ||
            !command_advance(commands[i])))
        i++;
    return i;
}

const struct bounded_command_end *bounded_command_end(
    const struct bounded_command *command)
{
    return &command->end;
}

void bounded_command_free(struct bounded_command *command)
{
    if (!command)
        return;
    if (command->pid > 0 && command->end.kind == BOUNDED_COMMAND_RUNS)
        command_kill(command, BOUNDED_COMMAND_DEADLINE);
    command_close(command);
    strbuf_done(&command->end.output);
    strbuf_done(&command->end.messages);
    free(command);
}

/* ---- one of them ---- */

int bounded_command_run(const struct bounded_command_opts *opts,
                        struct bounded_command **ret, struct err *err)
{
    int rc = bounded_command_start(opts, ret, err);
    if (rc == 0)
        (void)bounded_command_wait(ret, 1);
    return rc;
}

static int message_check(const struct bounded_command_end *end, const char *name,
                         struct err *err)
{
    struct span line, rest = span_trim(strbuf_span(&end->messages));
    (void)span_cut(&rest, '\n', &line);
    return err_set(err, EIO, "%s: %.*s (%s %d)", name,
                   (int)(line.size < LINE_BYTES_MAX ? line.size : LINE_BYTES_MAX),
                   line.size ? line.data : "",
                   end->kind == BOUNDED_COMMAND_SIGNALLED ? "signal" : "status",
                   end->number);
}

int bounded_command_check(const struct bounded_command *command, const char *name,
                          struct err *err)
{
    const struct bounded_command_end *end = &command->end;
    switch (end->kind) {
    case BOUNDED_COMMAND_EXITED:
        if (end->number != 0)
            return message_check(end, name, err);
        if (end->output_cut > 0)
            return err_set(err, EMSGSIZE, "%s: it prints too much", name);
        return strbuf_error(&end->output);
    case BOUNDED_COMMAND_SIGNALLED:
        return message_check(end, name, err);
    case BOUNDED_COMMAND_DEADLINE:
        return err_set(err, ETIMEDOUT, "%s: no response in time", name);
    case BOUNDED_COMMAND_OVER_BOUND:
        return err_set(err, EMSGSIZE, "%s: it prints too much", name);
    case BOUNDED_COMMAND_NOT_STARTED:
        return end->number == ENOENT
                   ? err_set(err, ENOENT, "%s: there is no such program", name)
                   : err_set(err, end->number, "%s: %s", name, strerror(end->number));
    default:
        return err_set(err, EIO, "%s: its status is lost", name);
    }
}
