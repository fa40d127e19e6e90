/* SPDX-License-Identifier: Apache-2.0 */
/* totals - when the server's totals are read, and what becomes of them. */
#include "agent/totals/totals.h"

#include "agent/param.h"
#include "agent/readings/reading_lines.h"
#include "agent/text_read.h"
#include "agent/totals/server_lines.h"
#include "agent/totals/total_lines.h"
#include "agent/totals/usage.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#define TEXT_BYTES_MAX (UINT32_C(16) << 20)
#define ARGV_MAX 24

struct agent_totals {
    const struct agent_opts *opts;
    const struct agent_report *report;
    struct total_ring *ring;      /* NULL: no metrics are sent */
    struct reading_lines *health; /* NULL: no readings of targets are sent */
    struct post_queue *queue;
    struct agent_lines *lines;
    struct server_lines *server;
    struct agent_usage *usage; /* NULL: none is sent */
    uv_timer_t timer;
    int64_t interval_ns, next_ns;
    struct text_read read;
    int64_t t_ns;
    struct agent_totals_counts counts; /* of reading; the ring has those of sending */
    bool is_stopping;
};

static void on_totals_timer(uv_timer_t *timer);

static void totals_arm(struct agent_totals *t)
{
    int64_t wait_ms = clock_wait_ms(t->next_ns);
    (void)uv_timer_start(&t->timer, on_totals_timer,
                         wait_ms > 0 ? (uint64_t)wait_ms : 0, 0);
}

/* A parameter that this release does not have is named on stderr, and the others are
 * printed: so it failed only if nothing came. */
static bool has_failed(const struct agent_totals *t,
                       const struct agent_child_result *result)
{
    return result->error || (result->status != 0 && t->read.text.size == 0);
}

static void health_put(struct agent_totals *t, struct span text)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    uint32_t count = 0;
    if (reading_lines_add(t->health, t->t_ns, text, &lines, &count) == 0 && count > 0)
        (void)post_queue_put(t->queue, strbuf_span(&lines), count);
}

static void on_totals_read(void *arg, const struct agent_child_result *result)
{
    struct agent_totals *t = arg;
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    if (t->is_stopping)
        return;
    bool is_bad = has_failed(t, result);
    if (is_bad) {
        t->counts.readings_failed++;
        agent_report(t->report, LOG_LEVEL_WARN, AGENT_EVENT_TOTALS_FAILED,
                     "the server's totals cannot be read: %s " SPAN_FMT
                     "; its CPU and memory are sent without them",
                     result->error ? strerror(-result->error) : "",
                     SPAN_ARG(result->complaint));
    }
    struct span text = is_bad ? (struct span){ 0 } : strbuf_span(&t->read.text);
    if (t->health && !is_bad)
        health_put(t, text);
    if (!t->ring)
        return;
    int rc = agent_lines_totals(t->lines, t->t_ns, text, &lines);
    if (rc == 0)
        server_lines_add(t->server, t->t_ns, t->opts->root, &lines);
    if (rc == 0 && lines.size > 0)
        total_ring_put(t->ring, &lines);
}

static void totals_argv(const struct agent_opts *opts, char *argv[static ARGV_MAX])
{
    static const char *const params[] = {
        "obdfilter.*.stats",       "mdt.*.md_stats",      "obdfilter.*.brw_stats",
        "osd-*.*.brw_stats",       "osd-*.*.kbytestotal", "osd-*.*.kbytesfree",
        "osd-*.*.kbytesavail",     "osd-*.*.filestotal",  "osd-*.*.filesfree",
        "obdfilter.*.num_exports", "mdt.*.num_exports",   "mdd.*.changelog_users",
    };
    bool is_files = strcmp(opts->source, "files") == 0;
    const char *words[ARGV_MAX] = { is_files ? opts->reader : opts->lctl };
    size_t n = 1;
    if (is_files) {
        words[n++] = "--root";
        words[n++] = opts->root;
        words[n++] = "totals";
    } else {
        words[n++] = "get_param";
        for (size_t i = 0; i < COUNT_OF(params); i++)
            words[n++] = params[i];
    }
    for (size_t i = 0; i < ARGV_MAX; i++)
        argv[i] = (char *)(uintptr_t)words[i];
}

static void read_start(struct agent_totals *t)
{
    char *argv[ARGV_MAX];
    totals_argv(t->opts, argv);
    t->counts.readings++;
    int rc = text_read_start(&t->read, argv, t->opts->deadline_ns, t->t_ns / NS_PER_MS);
    if (rc < 0) {
        const struct agent_child_result result = { .error = rc };
        on_totals_read(t, &result);
    }
}

static bool totals_are_due(const struct agent_totals *t, int64_t t_ns)
{
    return (t->ring && total_ring_is_wanted(t->ring)) ||
           (t->health && reading_lines_is_due(t->health, t_ns));
}

static void on_totals_timer(uv_timer_t *timer)
{
    struct agent_totals *t = timer->data;
    int64_t now_ns = clock_now_ns(), interval_ns = t->interval_ns;
    int64_t t_ns = now_ns - now_ns % interval_ns;
    if (t->is_stopping)
        return;
    if (now_ns < t->next_ns - interval_ns)
        t->next_ns = agent_round_at(now_ns, interval_ns); /* the clock was set back */
    if (now_ns >= t->next_ns) {
        t->next_ns = t_ns + interval_ns;
        if (t->read.is_out)
            t->counts.readings_waiting++;
        else if (totals_are_due(t, t_ns)) {
            t->t_ns = t_ns;
            read_start(t);
        }
    }
    totals_arm(t);
}

static int totals_open(struct agent_totals *t, struct err *err)
{
    const struct agent_opts *opts = t->opts;
    int rc = agent_lines_new(opts->cluster, opts->host, &t->lines);
    if (rc == 0)
        rc = server_lines_new(opts->cluster, opts->host, &t->server);
    if (rc == 0 && opts->health_interval_ns > 0)
        rc = reading_lines_new(opts, &t->health);
    if (rc == 0 && opts->health_interval_ns > 0)
        rc = reading_queue_open(opts, t->report, &t->queue, err);
    if (rc == 0 && opts->totals_interval_ns > 0)
        rc = total_ring_new(opts, t->report, &t->ring, err);
    return rc == 0 && t->ring ? agent_usage_start(opts, t->read.loop, t->report,
                                                  t->ring, &t->usage, err)
                              : rc;
}

static void totals_close(struct agent_totals *t)
{
    if (t->ring)
        total_ring_stop(t->ring);
    post_queue_close(t->queue);
    t->ring = NULL;
    t->queue = NULL;
}

static void totals_free(struct agent_totals *t)
{
    totals_close(t);
    reading_lines_free(t->health);
    agent_lines_free(t->lines);
    server_lines_free(t->server);
    free(t);
}

static int intervals_check(const struct agent_opts *opts, struct err *err)
{
    const struct {
        const char *key;
        int64_t interval_ns;
    } keys[] = { { "totals_interval", opts->totals_interval_ns },
                 { "health_interval", opts->health_interval_ns } };
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (keys[i].interval_ns > 0 && keys[i].interval_ns < NS_PER_S)
            return err_set(err, EINVAL, "agent.%s: less than 1s", keys[i].key);
    return 0;
}

int agent_totals_start(const struct agent_opts *opts, uv_loop_t *loop,
                       const struct agent_report *report, struct agent_totals **ret,
                       struct err *err)
{
    int rc = intervals_check(opts, err);
    if (rc < 0 || (opts->totals_interval_ns == 0 && opts->health_interval_ns == 0))
        return rc;
    struct agent_totals *t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    t->opts = opts;
    t->report = report;
    t->timer.data = t;
    t->interval_ns = opts->totals_interval_ns > 0 ? opts->totals_interval_ns
                                                  : opts->health_interval_ns;
    t->read = (struct text_read){
        .loop = loop, .bytes_max = TEXT_BYTES_MAX, .done_fn = on_totals_read, .arg = t
    };
    rc = totals_open(t, err);
    if (rc < 0) {
        totals_free(t);
        return rc;
    }
    (void)uv_timer_init(loop, &t->timer);
    t->next_ns = agent_round_at(clock_now_ns(), t->interval_ns);
    totals_arm(t);
    *ret = t; /* as long as the loop, whose children may hold it */
    return 0;
}

void agent_totals_stop(struct agent_totals *t)
{
    if (!t)
        return;
    t->is_stopping = true;
    (void)uv_timer_stop(&t->timer);
    agent_usage_stop(t->usage);
    totals_close(t);
}

void agent_totals_count(struct agent_totals *t, struct agent_totals_counts *ret)
{
    *ret = (struct agent_totals_counts){ 0 };
    if (!t)
        return;
    *ret = t->counts;
    agent_usage_count(t->usage, &ret->usage);
    if (t->ring)
        total_ring_count(t->ring, &ret->ring);
    if (t->queue)
        post_queue_count(t->queue, &ret->health);
}
