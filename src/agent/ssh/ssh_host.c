/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_host - one Lustre server that is read through ssh, round after round. */
#include "agent/ssh/ssh_host.h"

#include "base/number.h"
#include "observe/observe.h"
#include "source/lustre/lustre.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#define GENERATIONS_MAX 1000000
#define PRELUDE_MAX ((size_t)1 << 20) /* lines of targets: about 60 bytes each */
#define TARGETS_MAX 1024
#define CHUNK_BYTES 65536
/* So long a child is waited for that was killed. */
#define GIVE_UP_WAITS 200
#define GIVE_UP_WAIT_MS 5
#define CLEANUP_SUFFIX ".job_cleanup_interval"

extern char **environ;

struct ssh_host {
    struct ssh_host_opts opts;
    struct observe *observe;
    struct jobstats_parser *parser;
    /* the read that is under way */
    pid_t pid; /* 0: none */
    int out, err;
    int64_t t_ms;
    bool has_list;
    struct strbuf prelude;
    struct observe_target *open; /* its round is open */
    uint64_t stray;              /* entries of targets that were not listed */
    int rc;
    struct strbuf words; /* of standard error */
    char problem[256];
};

/* ---- rows ---- */

static int on_row(void *arg, const struct entry *entry, const struct observation *seen)
{
    const struct ssh_host *host = arg;
    return host->opts.fn(host->opts.arg, span_of(host->opts.name), entry, seen);
}

static int close_round(struct ssh_host *host, bool is_whole)
{
    struct observe_target *target = TAKE(host->open);
    if (!target)
        return 0;
    return is_whole ? observe_round_end(target) : observe_round_cut(target);
}

static int on_entry(void *arg, const struct entry *entry)
{
    struct ssh_host *host = arg;
    if (!host->open || !span_eq(observe_target_name(host->open), entry->target)) {
        int rc = close_round(host, true);
        if (rc < 0)
            return rc;
        struct observe_target *next = observe_target_find(host->observe, entry->target);
        if (!next || !observe_target_is_there(next)) {
            host->stray++;
            return 0;
        }
        rc = observe_round_begin(next, host->t_ms, on_row, host);
        if (rc < 0)
            return rc;
        host->open = next;
    }
    return observe_entry(host->open, entry);
}

/* ---- the list of targets ---- */

/* "obdfilter.scratch-OST0001.job_cleanup_interval=600" */
static bool parse_listed(struct span line, struct observe_listed *ret,
                         int64_t *ret_cleanup_ms)
{
    struct span name;
    uint64_t seconds = 0;
    if (!span_cut(&line, '=', &name) || !span_ends(name, CLEANUP_SUFFIX))
        return false;
    name.size -= strlen(CLEANUP_SUFFIX);
    struct span folder;
    if (!span_cut(&name, '.', &folder))
        return false;
    if (!span_is(folder, "mdt") && !span_is(folder, "obdfilter"))
        return false;
    *ret = (struct observe_listed){
        .name = name,
        .kind = span_is(folder, "mdt") ? TARGET_MDT : TARGET_OST,
    };
    *ret_cleanup_ms =
        number_parse_u64(span_trim(line), &seconds) == 0 && seconds < UINT32_MAX
            ? (int64_t)seconds * MS_PER_S
            : OBSERVE_CLEANUP_DEFAULT_MS;
    return true;
}

static int take_list(struct ssh_host *host, struct span lines)
{
    AUTO_FREE struct observe_listed *listed = calloc(TARGETS_MAX, sizeof *listed);
    AUTO_FREE int64_t *cleanups = calloc(TARGETS_MAX, sizeof *cleanups);
    size_t count = 0;
    struct span line;
    if (!listed || !cleanups)
        return -ENOMEM;
    while (lines.size && count < TARGETS_MAX) {
        (void)span_cut(&lines, '\n', &line);
        count += parse_listed(line, &listed[count], &cleanups[count]);
    }
    if (count == 0)
        return -ENODEV;
    int rc = observe_list(host->observe, host->t_ms, listed, count);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct observe_target *target =
            observe_target_find(host->observe, listed[i].name);
        if (target)
            observe_target_set_cleanup(target, cleanups[i]);
    }
    return rc;
}

/* Keep the first lines until one that names no target is whole. */
static int take_prelude(struct ssh_host *host, struct span *text)
{
    strbuf_add_span(&host->prelude, *text);
    *text = (struct span){ text->data + text->size, 0 };
    struct span rest = strbuf_span(&host->prelude), line;
    size_t listed_size = 0;
    while (memchr(rest.data, '\n', rest.size)) {
        struct observe_listed listed;
        int64_t cleanup_ms;
        (void)span_cut(&rest, '\n', &line);
        if (parse_listed(line, &listed, &cleanup_ms)) {
            listed_size = (size_t)(rest.data - host->prelude.data);
            continue;
        }
        host->has_list = true;
        struct span lines = { host->prelude.data, listed_size };
        int rc = take_list(host, lines);
        if (rc == 0)
            rc = jobstats_parser_feed(host->parser, host->prelude.data + listed_size,
                                      host->prelude.size - listed_size);
        return rc;
    }
    if (host->prelude.size > PRELUDE_MAX)
        return -EMSGSIZE;
    return strbuf_error(&host->prelude);
}

static int take_text(struct ssh_host *host, struct span text)
{
    if (!host->has_list) {
        int rc = take_prelude(host, &text);
        if (rc < 0 || text.size == 0)
            return rc;
    }
    return jobstats_parser_feed(host->parser, text.data, text.size);
}

/* ---- the end of a round ---- */

/* Targets that printed nothing were looked at too. */
static int look_at_the_rest(struct ssh_host *host)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < observe_target_count(host->observe); i++) {
        struct observe_target *target = observe_target_at(host->observe, i);
        if (!observe_target_is_there(target) ||
            observe_target_round_ms(target) >= host->t_ms)
            continue;
        rc = observe_round_begin(target, host->t_ms, on_row, host);
        if (rc == 0)
            rc = observe_round_end(target);
    }
    return rc;
}

static void say_problem(struct ssh_host *host, const char *what)
{
    struct span words = span_trim(strbuf_span(&host->words)), first;
    (void)span_cut(&words, '\n', &first);
    (void)snprintf(host->problem, sizeof host->problem, "%s: %s%s" SPAN_FMT,
                   host->opts.name, what, first.size ? ": " : "",
                   (int)(first.size < 150 ? first.size : 150), first.data);
}

static const char *reason_of(const struct ssh_host *host, int status)
{
    if (host->rc == -ENODEV)
        return "no target that keeps job_stats was named";
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
    bool is_whole = host->rc == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (is_whole && !host->has_list) {
        host->has_list = true;
        host->rc = take_list(host, strbuf_span(&host->prelude));
    }
    if (is_whole && host->rc == 0)
        host->rc = jobstats_parser_finish(host->parser);
    int rc = close_round(host, is_whole && host->rc == 0);
    host->rc = host->rc < 0 ? host->rc : rc;
    if (is_whole && host->rc == 0)
        host->rc = look_at_the_rest(host);
    if (!is_whole || host->rc < 0)
        say_problem(host, reason_of(host, status));
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
    int out[2], words[2];
    if (host->pid)
        return -EBUSY;
    if (pipe2(out, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    if (pipe2(words, O_CLOEXEC) < 0) {
        int rc = err_set(err, errno, "pipe: %s", strerror(errno));
        (void)close(out[0]);
        (void)close(out[1]);
        return rc;
    }
    host->t_ms = t_ms;
    host->has_list = false;
    host->rc = 0;
    host->stray = 0;
    host->problem[0] = '\0';
    strbuf_clear(&host->prelude);
    strbuf_clear(&host->words);
    jobstats_parser_begin(host->parser, SPAN(""), TARGET_OST);
    int rc = spawn(host, out[1], words[1]);
    (void)close(out[1]);
    (void)close(words[1]);
    host->out = out[0];
    host->err = words[0];
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
        if (host->words.size < CHUNK_BYTES)
            strbuf_add_span(&host->words, text);
    }
    if (is_ready(host->out)) {
        if (read_piece(host->out, buf, &text)) {
            auto_close(&host->out);
            host->out = -1;
        }
        /* After an error the rest is read and thrown away, so that the child ends. */
        if (host->rc == 0 && text.size)
            host->rc = take_text(host, text);
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
        return err_set(err, EINVAL, "'%s' is no host", opts->name);
    AUTO(ssh_host_free) struct ssh_host *host = calloc(1, sizeof *host);
    if (!host)
        return -ENOMEM;
    host->opts = *opts;
    host->out = host->err = -1;
    const struct observe_opts observe = { .interval_ms = opts->interval_ms,
                                          .generations_max = GENERATIONS_MAX };
    int rc = observe_new(&observe, &host->observe);
    if (rc == 0)
        rc = jobstats_parser_new(on_entry, NULL, host, &host->parser);
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
    jobstats_parser_free(host->parser);
    observe_free(host->observe);
    strbuf_done(&host->prelude);
    strbuf_done(&host->words);
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
    size_t count = 0;
    for (size_t i = 0; i < observe_target_count(host->observe); i++)
        count += observe_target_is_there(observe_target_at(host->observe, i));
    return count;
}
