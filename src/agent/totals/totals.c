/* SPDX-License-Identifier: Apache-2.0 */
/* totals - when the server's totals are read, and what becomes of them. */
#include "agent/totals/totals.h"

#include "agent/param.h"
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
    struct total_ring *ring;
    struct agent_lines *lines;
    struct server_lines *server;
    struct agent_usage *usage; /* NULL: none is sent */
    uv_timer_t timer;
    int64_t next_ns;
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

static void on_totals_timer(uv_timer_t *timer)
{
    struct agent_totals *t = timer->data;
    int64_t now_ns = clock_now_ns(), interval_ns = t->opts->totals_interval_ns;
    if (t->is_stopping)
        return;
    if (now_ns < t->next_ns - interval_ns)
        t->next_ns = agent_round_at(now_ns, interval_ns); /* the clock was set back */
    if (now_ns >= t->next_ns) {
        t->next_ns = now_ns - now_ns % interval_ns + interval_ns;
        if (t->read.is_out)
            t->counts.readings_waiting++;
        else if (total_ring_is_wanted(t->ring)) {
            t->t_ns = now_ns - now_ns % interval_ns;
            read_start(t);
        }
    }
    totals_arm(t);
}

static int totals_open(struct agent_totals *t, struct err *err)
{
    int rc = agent_lines_new(t->opts->cluster, t->opts->host, &t->lines);
    if (rc == 0)
        rc = server_lines_new(t->opts->cluster, t->opts->host, &t->server);
    return rc == 0 ? total_ring_new(t->opts, t->report, &t->ring, err) : rc;
}

int agent_totals_start(const struct agent_opts *opts, uv_loop_t *loop,
                       const struct agent_report *report, struct agent_totals **ret,
                       struct err *err)
{
    if (opts->totals_interval_ns == 0)
        return 0;
    if (opts->totals_interval_ns < NS_PER_S)
        return err_set(err, EINVAL, "agent.totals_interval: less than 1s");
    struct agent_totals *t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    t->opts = opts;
    t->report = report;
    t->timer.data = t;
    t->read = (struct text_read){
        .loop = loop, .bytes_max = TEXT_BYTES_MAX, .done_fn = on_totals_read, .arg = t
    };
    int rc = totals_open(t, err);
    if (rc < 0) {
        agent_lines_free(t->lines);
        server_lines_free(t->server);
        free(t);
        return rc;
    }
    rc = agent_usage_start(opts, loop, report, t->ring, &t->usage, err);
    if (rc < 0) {
        total_ring_stop(t->ring);
        agent_lines_free(t->lines);
        server_lines_free(t->server);
        free(t);
        return rc;
    }
    (void)uv_timer_init(loop, &t->timer);
    t->next_ns = agent_round_at(clock_now_ns(), opts->totals_interval_ns);
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
    total_ring_stop(t->ring);
}

void agent_totals_count(struct agent_totals *t, struct agent_totals_counts *ret)
{
    *ret = (struct agent_totals_counts){ 0 };
    if (!t)
        return;
    *ret = t->counts;
    agent_usage_count(t->usage, &ret->usage);
    total_ring_count(t->ring, &ret->ring);
}
