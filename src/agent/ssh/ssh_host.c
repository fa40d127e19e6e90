/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_host - one Lustre server that is read through ssh, round after round. */
#include "agent/ssh/ssh_host.h"

#include "base/span.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#define CHUNK_BYTES 65536
/* So long a child is waited for that was killed. */
#define GIVE_UP_WAITS 200
#define GIVE_UP_WAIT_MS 5

extern char **environ;

struct ssh_host {
    struct ssh_host_opts opts;
    struct ssh_reader *reader;
    /* the read that is under way */
    pid_t pid; /* 0: none */
    int out, err;
    int rc;                  /* of its text */
    struct strbuf complaint; /* of standard error */
    char problem[256];
};

/* ---- the end of a round ---- */

static void set_problem(struct ssh_host *host, const char *what)
{
    struct span rest = span_trim(strbuf_span(&host->complaint)), first;
    (void)span_cut(&rest, '\n', &first);
    (void)snprintf(host->problem, sizeof host->problem, "%s: %s%s" SPAN_FMT,
                   host->opts.name, what, first.size ? ": " : "",
                   (int)(first.size < 150 ? first.size : 150), first.data);
}

static const char *reason_of(const struct ssh_host *host, int status)
{
    if (host->rc == -ENODEV)
        return "no target with job_stats was named";
    if (host->rc < 0)
        return strerror(-host->rc);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return "reading failed";
    return "nothing was read";
}

static void close_pipes(struct ssh_host *host)
{
    auto_close(&host->out);
    auto_close(&host->err);
    host->out = host->err = -1;
}

static void finish(struct ssh_host *host, int status)
{
    close_pipes(host);
    host->pid = 0;
    bool is_whole = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    int rc = ssh_reader_end(host->reader, is_whole && host->rc == 0);
    host->rc = host->rc < 0 ? host->rc : rc;
    if (!is_whole || host->rc < 0)
        set_problem(host, reason_of(host, status));
}

/* Is the child over?  It may have closed its pipes long before. */
static bool is_over(const struct ssh_host *host, int *ret_status)
{
    pid_t pid;
    do
        pid = waitpid(host->pid, ret_status, WNOHANG);
    while (pid < 0 && errno == EINTR);
    return pid != 0;
}

void ssh_host_give_up(struct ssh_host *host)
{
    int status = 0;
    if (!host->pid)
        return;
    (void)kill(-host->pid, SIGKILL); /* and what it has begun */
    (void)kill(host->pid, SIGKILL);
    /* One that cannot be killed (its disk hangs) is left alone. */
    for (int i = 0; i < GIVE_UP_WAITS && !is_over(host, &status); i++)
        (void)poll(NULL, 0, GIVE_UP_WAIT_MS);
    host->rc = -ETIMEDOUT;
    finish(host, status);
}

/* ---- the child ---- */

static int spawn(struct ssh_host *host, int out, int err)
{
    const char *const plain[] = { "ssh",
                                  "-T",
                                  "-oBatchMode=yes",
                                  "-oConnectTimeout=10",
                                  "--",
                                  host->opts.name,
                                  "baro-ssh-read",
                                  NULL };
    char script[1024];
    (void)snprintf(script, sizeof script, "exec %s \"$@\"",
                   host->opts.command ? host->opts.command : "");
    const char *const replaced[] = {
        "sh", "-c", script, "sh", host->opts.name, "baro-ssh-read", NULL
    };
    const char *const *argv = host->opts.command ? replaced : plain;
    posix_spawn_file_actions_t actions;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out, 1);
    (void)posix_spawn_file_actions_adddup2(&actions, err, 2);
    posix_spawnattr_t attributes; /* a group of its own, to be ended as one */
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    int rc = posix_spawnp(&host->pid, argv[0], &actions, &attributes,
                          (char *const *)(uintptr_t)argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (rc)
        host->pid = 0;
    return -rc;
}

int ssh_host_start(struct ssh_host *host, int64_t t_ms, struct err *err)
{
    int out[2], complaint[2];
    if (host->pid)
        return -EBUSY;
    if (pipe2(out, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    if (pipe2(complaint, O_CLOEXEC) < 0) {
        int rc = err_set(err, errno, "pipe: %s", strerror(errno));
        (void)close(out[0]);
        (void)close(out[1]);
        return rc;
    }
    host->rc = 0;
    host->problem[0] = '\0';
    strbuf_clear(&host->complaint);
    ssh_reader_begin(host->reader, t_ms);
    int rc = spawn(host, out[1], complaint[1]);
    (void)close(out[1]);
    (void)close(complaint[1]);
    host->out = out[0];
    host->err = complaint[0];
    if (rc < 0) {
        close_pipes(host);
        return err_set(err, -rc, "%s: %s", host->opts.command ? "sh" : "ssh",
                       strerror(-rc));
    }
    return 0;
}

bool ssh_host_is_busy(const struct ssh_host *host)
{
    return host->pid != 0;
}

size_t ssh_host_poll(const struct ssh_host *host, struct pollfd fds[static 2])
{
    size_t count = 0;
    if (host->out >= 0)
        fds[count++] = (struct pollfd){ .fd = host->out, .events = POLLIN };
    if (host->err >= 0)
        fds[count++] = (struct pollfd){ .fd = host->err, .events = POLLIN };
    return count;
}

/* One piece of fd into buf; true at its end. */
static bool read_piece(int fd, char buf[static CHUNK_BYTES], struct span *ret)
{
    ssize_t n = read(fd, buf, CHUNK_BYTES);
    *ret = (struct span){ buf, n > 0 ? (size_t)n : 0 };
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static bool is_ready(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return fd >= 0 && poll(&p, 1, 0) > 0;
}

void ssh_host_read(struct ssh_host *host)
{
    char buf[CHUNK_BYTES];
    struct span text;
    if (is_ready(host->err)) {
        if (read_piece(host->err, buf, &text)) {
            auto_close(&host->err);
            host->err = -1;
        }
        if (host->complaint.size < CHUNK_BYTES)
            strbuf_add_span(&host->complaint, text);
    }
    if (is_ready(host->out)) {
        if (read_piece(host->out, buf, &text)) {
            auto_close(&host->out);
            host->out = -1;
        }
        /* After an error the rest is read and dropped, so that the child ends. */
        if (host->rc == 0 && text.size)
            host->rc = ssh_reader_feed(host->reader, text);
    }
    int status = 0;
    if (host->pid && host->out < 0 && host->err < 0 && is_over(host, &status))
        finish(host, status);
}

/* ---- making ---- */

int ssh_host_new(const struct ssh_host_opts *opts, struct ssh_host **ret,
                 struct err *err)
{
    if (opts->name[0] == '-')
        return err_set(err, EINVAL, "'%s' is not a host name", opts->name);
    AUTO(ssh_host_free) struct ssh_host *host = calloc(1, sizeof *host);
    if (!host)
        return -ENOMEM;
    host->opts = *opts;
    host->out = host->err = -1;
    int rc = ssh_reader_new(opts->name, opts->interval_ms, opts->fn, opts->arg,
                            &host->reader);
    if (rc < 0)
        return rc;
    *ret = TAKE(host);
    return 0;
}

void ssh_host_free(struct ssh_host *host)
{
    if (!host)
        return;
    ssh_host_give_up(host);
    ssh_reader_free(host->reader);
    strbuf_done(&host->complaint);
    free(host);
}

const char *ssh_host_name(const struct ssh_host *host)
{
    return host->opts.name;
}

const char *ssh_host_problem(const struct ssh_host *host)
{
    return host->problem;
}

size_t ssh_host_target_count(const struct ssh_host *host)
{
    return ssh_reader_target_count(host->reader);
}
