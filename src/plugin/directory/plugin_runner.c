/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_runner - the plugins of the administrator's directory, on a loop. */
#include "plugin/directory/plugin_runner.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "plugin/directory/plugin_dir.h"
#include "plugin/directory/sink_queue.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

/* The descriptor is ours: that of the host may be another process's any time. */
struct host_watch {
    uv_poll_t poll;
    struct plugin_runner *runner;
    int fd;
    pid_t pid;
};

struct plugin_runner {
    struct plugin_runner_opts opts;
    struct plugin_host *host;
    struct plugin_dir dir;
    uv_loop_t *loop;
    uv_timer_t timer;
    struct host_watch *watch; /* NULL: there is no process */
    bool is_called;
    struct sink_queue *sinks; /* that are still to be called */
    struct sink_queue *reduces;
    pthread_mutex_t lock; /* of counts */
    struct runner_counts counts;
};

/* ---- the process's socket ---- */

static void watch_closed(uv_handle_t *handle)
{
    struct host_watch *watch = handle->data;
    (void)close(watch->fd);
    free(watch);
}

static void on_host_readable(uv_poll_t *poll, int status, int events);

static void watch_start(struct plugin_runner *r)
{
    struct host_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return; /* at the next trigger */
    watch->fd = fcntl(host_fd(r->host), F_DUPFD_CLOEXEC, 0);
    watch->pid = host_pid(r->host);
    watch->poll.data = watch;
    if (watch->fd < 0 || uv_poll_init(r->loop, &watch->poll, watch->fd) < 0) {
        auto_close(&watch->fd);
        free(watch);
        return;
    }
    watch->runner = r;
    r->watch = watch;
    (void)uv_poll_start(&watch->poll, UV_READABLE, on_host_readable);
}

static void watch_stop(struct plugin_runner *r)
{
    struct host_watch *watch = TAKE(r->watch);
    if (!watch)
        return;
    (void)uv_poll_stop(&watch->poll);
    uv_close((uv_handle_t *)&watch->poll, watch_closed);
}

static void on_runner_timer(uv_timer_t *timer);

/* For any thread. */
static void copy_counts(struct plugin_runner *r)
{
    LOCKED(&r->lock);
    host_count(r->host, &r->counts.host);
    r->counts.sinks = r->sinks->counts;
    r->counts.reduces = r->reduces->counts;
}

static bool runner_is_idle(const struct plugin_runner *r)
{
    return host_fd(r->host) < 0 || !host_is_busy(r->host);
}

/* After each call of the host: its process may be another one, its deadline, too. */
static void runner_settle(struct plugin_runner *r)
{
    int64_t next_ns;
    host_check(r->host, &next_ns);
    if (runner_is_idle(r) && (sink_queue_call(r->reduces) || sink_queue_call(r->sinks)))
        host_check(r->host, &next_ns);
    if (r->watch && (host_fd(r->host) < 0 || r->watch->pid != host_pid(r->host)))
        watch_stop(r);
    if (!r->watch && host_fd(r->host) >= 0)
        watch_start(r);
    if (r->is_called && sink_queue_is_empty(r->reduces) &&
        sink_queue_is_empty(r->sinks) && runner_is_idle(r)) {
        r->is_called = false;
        r->opts.done_fn(r->opts.arg); /* which may call others */
        copy_counts(r);
        if (!r->is_called)
            plugin_dir_scan(&r->dir, r->host); /* at most once a trigger */
        runner_settle(r);
        return;
    }
    if (next_ns == 0) {
        (void)uv_timer_stop(&r->timer);
        return;
    }
    int64_t wait_ms = (next_ns - clock_monotonic_ns()) / NS_PER_MS + 1;
    (void)uv_timer_start(&r->timer, on_runner_timer,
                         wait_ms > 0 ? (uint64_t)wait_ms : 1, 0);
}

static void on_runner_timer(uv_timer_t *timer)
{
    runner_settle(timer->data);
}

static void on_host_readable(uv_poll_t *poll, int status, int events)
{
    struct plugin_runner *r = ((struct host_watch *)poll->data)->runner;
    (void)status;
    (void)events;
    host_receive(r->host);
    runner_settle(r);
}

/* ---- the door ---- */

static void on_plugin_report(void *arg, const char *plugin, const char *text)
{
    const struct plugin_runner *r = arg;
    plugin_report(r->opts.report, LOG_LEVEL_WARN, false, "plugin%s%s: %s",
                  plugin ? " " : "s", plugin ? plugin : "", text);
}

int plugin_runner_new(const struct plugin_runner_opts *opts, struct plugin_runner **ret)
{
    const struct plugins_opts *plugins = opts->plugins;
    struct host_opts host = host_opts_default;
    struct plugin_runner *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->opts = *opts;
    r->dir.path = plugins->directory;
    r->dir.report = opts->report;
    host.program = plugins->host;
    host.root = opts->root;
    host.role = plugins->role ? plugins->role : "";
    host.reads = plugins->reads.count ? plugins->reads.items : NULL;
    host.read_count = plugins->reads.count;
    host.instructions = (int64_t)plugins->instructions;
    host.memory_bytes = (uint32_t)plugins->memory_bytes;
    host.strikes_max = (unsigned)plugins->strikes;
    host.yields = opts->yields;
    host.report = on_plugin_report;
    host.report_arg = r;
    r->sinks = calloc(1, sizeof *r->sinks);
    r->reduces = calloc(1, sizeof *r->reduces);
    int rc = r->sinks && r->reduces ? host_new(&host, &r->host) : -ENOMEM;
    if (rc < 0) {
        free(r->sinks);
        free(r->reduces);
        free(r);
        return rc;
    }
    r->sinks->function = PLUGIN_SINK;
    r->reduces->function = PLUGIN_REDUCE;
    r->sinks->host = r->reduces->host = r->host;
    r->sinks->report = r->reduces->report = opts->report;
    r->sinks->memory_bytes = r->reduces->memory_bytes = host.memory_bytes;
    (void)pthread_mutex_init(&r->lock, NULL);
    *ret = r;
    return 0;
}

void plugin_runner_free(struct plugin_runner *r)
{
    if (!r)
        return;
    sink_queue_clear(r->sinks);
    sink_queue_clear(r->reduces);
    free(r->sinks);
    free(r->reduces);
    host_free(r->host);
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}

int plugin_runner_begin(struct plugin_runner *r, uv_loop_t *loop)
{
    r->loop = loop;
    int rc = uv_timer_init(loop, &r->timer);
    if (rc < 0)
        return rc;
    r->timer.data = r;
    plugin_dir_scan(&r->dir, r->host);
    runner_settle(r);
    return 0;
}

size_t plugin_runner_trigger(struct plugin_runner *r, uint64_t epoch, int64_t t_ns)
{
    size_t count = host_trigger(r->host, epoch, t_ns);
    if (count > 0)
        r->is_called = true;
    else if (runner_is_idle(r))
        plugin_dir_scan(&r->dir, r->host);
    runner_settle(r);
    copy_counts(r);
    return count;
}

/* The directory is looked at when all have ended, or where none is called. */
size_t plugin_runner_sink(struct plugin_runner *r, uint64_t epoch, int64_t t_ns,
                          const struct bundle *bundle)
{
    size_t count = 0;
    if (r->is_called) {
        r->sinks->counts.late++;
    } else {
        sink_queue_fill(r->sinks, epoch, t_ns, bundle);
        count = r->sinks->count;
        r->is_called = count > 0;
        if (count == 0 && runner_is_idle(r))
            plugin_dir_scan(&r->dir, r->host);
    }
    runner_settle(r);
    copy_counts(r);
    return count;
}

size_t plugin_runner_reduce(struct plugin_runner *r, uint64_t epoch, int64_t t_ns,
                            const struct bundle *bundle)
{
    if (r->is_called) {
        r->reduces->counts.late++;
        return 0;
    }
    sink_queue_fill(r->reduces, epoch, t_ns, bundle);
    size_t count = r->reduces->count;
    if (count == 0)
        return 0;
    r->is_called = true;
    runner_settle(r);
    copy_counts(r);
    return count;
}

void plugin_runner_end(struct plugin_runner *r)
{
    watch_stop(r);
    uv_close((uv_handle_t *)&r->timer, NULL);
}

void plugin_runner_count(struct plugin_runner *r, struct runner_counts *ret)
{
    *ret = (struct runner_counts){ 0 };
    if (!r)
        return;
    LOCKED(&r->lock);
    *ret = r->counts;
}
