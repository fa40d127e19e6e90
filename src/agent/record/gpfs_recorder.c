/* SPDX-License-Identifier: Apache-2.0 */
/* gpfs_recorder - what a cluster of GPFS does, stored step by step. */
#include "agent/record/gpfs_recorder.h"

#include "agent/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "source/gpfs/gpfs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>

#define OUTPUT_BYTES_MAX ((size_t)64 << 20)
#define REQUEST_FILE ".mmpmon-requests"

struct recording {
    const struct gpfs_recorder_opts *opts;
    uv_loop_t loop;
    uv_timer_t timer;
    uv_signal_t signals[2];
    bool is_stopping; /* no further round; timer and signals are closed */
    struct io_sums sums;
    struct strbuf output;
    char *requests; /* path */
    int64_t step_ns;
    int64_t step_s; /* when the step began that the round is about */
    uint64_t rounds_done;
    uint64_t rounds_lost; /* in a row */
    bool is_running;      /* an mmpmon */
    bool has_lost;
    bool has_more; /* the round: than can be stored */
};

static void recorder_log(const struct recording *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void recorder_log(const struct recording *r, const char *format, ...)
{
    char text[512];
    va_list args;
    if (!r->opts->log)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->opts->log(r->opts->log_arg, text);
}

static void complain(struct recording *r, const char *what)
{
    if (r->rounds_lost++ == 0)
        recorder_log(r, "%s; steps are lost until it responds", what);
    r->has_lost = true;
}

/* ---- what is stored ---- */

static void rows_print(const struct recording *r, struct strbuf *out)
{
    for (size_t i = 0; i < r->sums.count; i++) {
        const struct io_sum *sum = &r->sums.sums[i];
        if (sum->nodes == 0)
            continue; /* it is unknown */
        strbuf_addf(out, "%" PRId64 ",%" PRId64 ",%s,%s,%s,%s,%" PRIu64 ",%" PRIu64,
                    r->step_s, r->step_ns / NS_PER_S, r->opts->cluster, r->opts->side,
                    sum->cluster, sum->fs, sum->nodes, sum->unknown);
        for (unsigned c = 0; c < _GPFS_COUNT_COUNT; c++)
            strbuf_addf(out, ",%" PRIu64, sum->counts[c]);
        strbuf_addc(out, '\n');
    }
}

static void header_print(struct strbuf *out)
{
    strbuf_adds(out, "time,step_s,cluster,side,owner,fs,nodes,unknown_nodes");
    for (unsigned c = 0; c < _GPFS_COUNT_COUNT; c++)
        strbuf_addf(out, ",%s", gpfs_count_name(c));
    strbuf_addc(out, '\n');
}

/* One write a round: a file never ends within a row but by a full disk. */
static int rows_store(struct recording *r)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char day[TIMETEXT_SIZE];
    timetext_print(day, r->step_s * NS_PER_S);
    strbuf_addf(&path, "%s/gpfs-%.10s.csv", r->opts->dir, day);
    AUTO_CLOSE int fd =
        open(strbuf_text(&path), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    if (lseek(fd, 0, SEEK_END) == 0)
        header_print(&rows);
    rows_print(r, &rows);
    if (strbuf_error(&rows) < 0 || strbuf_error(&path) < 0)
        return -ENOMEM;
    return file_write_all(fd, strbuf_text(&rows), rows.size);
}

/* ---- a round ---- */

static int on_io(void *arg, const struct gpfs_io *io)
{
    struct recording *r = arg;
    int rc = io_sums_add(&r->sums, io);
    if (rc == -EFBIG)
        r->has_more = true;
    return rc == -EFBIG ? 0 : rc;
}

static void on_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    recorder_log(arg, "line %" PRIu64 " of mmpmon: %s", line, reason);
}

static int on_data(void *arg, struct span piece)
{
    struct recording *r = arg;
    if (r->output.size + piece.size > OUTPUT_BYTES_MAX)
        return -EMSGSIZE;
    strbuf_add_span(&r->output, piece);
    return strbuf_error(&r->output);
}

static void round_end(struct recording *r, const struct agent_child_result *result)
{
    const struct mmpmon_opts opts = { on_io, on_fault, r };
    bool has_failed = result->error < 0 || result->status != 0;
    /* Control-C reaches mmpmon too: the step was not over, and is not lost. */
    if (has_failed && r->is_stopping)
        return;
    if (has_failed) {
        complain(r, result->error == -ETIMEDOUT ? "mmpmon does not respond"
                                                : "mmpmon fails");
        return;
    }
    io_sums_begin(&r->sums);
    r->has_more = false;
    int read_rc = mmpmon_read(strbuf_span(&r->output), &opts);
    io_sums_end(&r->sums);
    int rc = rows_store(r);
    if (rc < 0)
        complain(r, strerror(-rc));
    else if (read_rc < 0)
        complain(r, "memory is out");
    else if (r->has_more)
        complain(r, "there are more nodes or file systems than can be stored");
    else if (r->rounds_lost > 0) {
        recorder_log(r, "%" PRIu64 " steps were lost", r->rounds_lost);
        r->rounds_lost = 0;
    }
}

/* The loop ends with the round that is running, if there is one. */
static void recording_stop(struct recording *r)
{
    if (r->is_stopping)
        return;
    r->is_stopping = true;
    uv_close((uv_handle_t *)&r->timer, NULL);
    for (size_t i = 0; i < COUNT_OF(r->signals); i++)
        uv_close((uv_handle_t *)&r->signals[i], NULL);
}

static void on_done(void *arg, const struct agent_child_result *result)
{
    struct recording *r = arg;
    round_end(r, result);
    r->rounds_done++;
    /* An mmpmon that hangs may never be gone. */
    if (r->is_stopping && result->error == -ETIMEDOUT)
        uv_stop(&r->loop);
}

static void on_gone(void *arg)
{
    struct recording *r = arg;
    r->is_running = false;
    if (r->opts->rounds > 0 && r->rounds_done >= r->opts->rounds)
        recording_stop(r);
}

static void on_timer(uv_timer_t *timer)
{
    struct recording *r = timer->data;
    const struct agent_child_events events = { on_data, on_done, on_gone, r };
    const char *command = r->opts->command ? r->opts->command : "mmpmon";
    char *argv[] = { (char *)(uintptr_t)command, (char *)(uintptr_t) "-p",
                     (char *)(uintptr_t) "-i", r->requests, NULL };
    int64_t now_ns = clock_now_ns();
    if (r->is_running) {
        /* The late output is of more than a step. */
        complain(r, "mmpmon is slower than a step");
        io_sums_begin(&r->sums);
        io_sums_end(&r->sums);
        return;
    }
    r->step_s = (now_ns - now_ns % r->step_ns) / NS_PER_S - r->step_ns / NS_PER_S;
    strbuf_clear(&r->output);
    r->is_running = true;
    if (agent_child_start(&r->loop, argv, r->step_ns, &events) < 0) {
        r->is_running = false;
        complain(r, "mmpmon cannot be started");
        if (r->opts->rounds > 0 && ++r->rounds_done >= r->opts->rounds)
            recording_stop(r);
    }
}

static void on_signal(uv_signal_t *signal, int number)
{
    (void)number;
    recording_stop(signal->data);
}

/* ---- beginning and end ---- */

static int requests_write(struct recording *r, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_addf(&path, "%s/" REQUEST_FILE, r->opts->dir);
    if (r->opts->nodes.count > 0) {
        strbuf_adds(&text, "nlist new");
        for (size_t i = 0; i < r->opts->nodes.count; i++)
            strbuf_addf(&text, " %s", r->opts->nodes.items[i]);
        strbuf_addc(&text, '\n');
    }
    strbuf_adds(&text, "fs_io_s\n");
    r->requests = span_dup(strbuf_span(&path));
    if (!r->requests || strbuf_error(&text) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return file_replace(r->requests, strbuf_text(&text), text.size, 0644, err);
}

static int rounds_run(struct recording *r, struct err *err)
{
    static const int numbers[] = { SIGTERM, SIGINT };
    int64_t now_ns = clock_now_ns();
    uint64_t first_ms = (uint64_t)((r->step_ns - now_ns % r->step_ns) / NS_PER_MS) + 1;
    int rc = requests_write(r, err);
    if (rc < 0)
        return rc;
    (void)uv_timer_init(&r->loop, &r->timer);
    r->timer.data = r;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        (void)uv_signal_init(&r->loop, &r->signals[i]);
        r->signals[i].data = r;
        (void)uv_signal_start(&r->signals[i], on_signal, numbers[i]);
    }
    (void)uv_timer_start(&r->timer, on_timer, first_ms,
                         (uint64_t)(r->step_ns / NS_PER_MS));
    (void)uv_run(&r->loop, UV_RUN_DEFAULT);
    return 0;
}

static bool is_plain(const char *name)
{
    return name && *name && !strpbrk(name, ",\"\r\n");
}

int gpfs_recorder_check(const struct gpfs_recorder_opts *opts, struct err *err)
{
    bool is_side = opts->side && (strcmp(opts->side, "client") == 0 ||
                                  strcmp(opts->side, "server") == 0);
    if (!opts->dir || !is_plain(opts->cluster) || !is_side ||
        opts->step_ns < NS_PER_S || opts->step_ns % NS_PER_S != 0)
        return err_set(err, EINVAL,
                       "wants --dir and --cluster, as --side client or server, and "
                       "--step in whole seconds");
    return 0;
}

int gpfs_recorder_run(const struct gpfs_recorder_opts *opts, bool *ret_has_lost,
                      struct err *err)
{
    struct recording r = { .opts = opts, .step_ns = opts->step_ns };
    int rc = gpfs_recorder_check(opts, err);
    if (rc < 0)
        return rc;
    if (uv_loop_init(&r.loop) < 0)
        return err_set(err, ENOMEM, "out of memory");
    io_sums_init(&r.sums);
    rc = rounds_run(&r, err);
    /* Busy where an mmpmon hangs: it is left to itself. */
    (void)uv_run(&r.loop, UV_RUN_NOWAIT);
    (void)uv_loop_close(&r.loop);
    io_sums_done(&r.sums);
    strbuf_done(&r.output);
    free(r.requests);
    if (rc == 0)
        *ret_has_lost = r.has_lost;
    return rc;
}
