/* SPDX-License-Identifier: Apache-2.0 */
/* usage - what users, groups and projects hold, read now and then. */
#include "agent/totals/usage.h"

#include "agent/child.h"
#include "agent/param.h"
#include "agent/totals/usage_top.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <stdlib.h>
#include <string.h>

#define INTERVAL_NS_MIN (60 * NS_PER_S)
#define ARGV_MAX 8

struct agent_usage {
    const struct agent_opts *opts;
    const struct agent_report *report;
    struct total_ring *ring;
    uv_loop_t *loop;
    uv_timer_t timer;
    int64_t next_ns, t_ns;
    struct lustre_accounts accounts;
    struct usage_top top;
    struct agent_usage_counts counts;
    bool is_out, is_stopping;
};

static void on_usage_timer(uv_timer_t *timer);

static void usage_arm(struct agent_usage *u)
{
    int64_t wait_ms = clock_wait_ms(u->next_ns);
    (void)uv_timer_start(&u->timer, on_usage_timer, wait_ms > 0 ? (uint64_t)wait_ms : 0,
                         0);
}

/* ---- one reading ---- */

static int on_usage_account(void *arg, const struct lustre_account *account)
{
    struct agent_usage *u = arg;
    return usage_top_add(&u->top, account);
}

static void on_usage_fault(void *arg, uint64_t line, struct span text)
{
    struct agent_usage *u = arg;
    (void)line, (void)text;
    u->counts.bad_lines++;
}

static int on_usage_piece(void *arg, struct span piece)
{
    struct agent_usage *u = arg;
    return lustre_accounts_add(&u->accounts, piece);
}

static void usage_send(struct agent_usage *u)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct metric_line line = { u->opts->cluster, u->opts->host, &out, u->t_ns };
    usage_top_emit(&u->top, &line);
    if (strbuf_error(&out) == 0 && out.size > 0)
        total_ring_put(u->ring, &out);
}

/* Storage without accounts is no failure: lctl ends with a status and prints nothing.
 * A reading that was cut counts nothing: its sums would be too small. */
static void on_usage_done(void *arg, const struct agent_child_result *result)
{
    struct agent_usage *u = arg;
    int rc = result->error;
    if (u->is_stopping)
        return;
    if (rc == 0)
        rc = lustre_accounts_end(&u->accounts);
    if (rc < 0) {
        u->counts.readings_failed++;
        agent_report(u->report, LOG_LEVEL_WARN, AGENT_EVENT_TOTALS_FAILED,
                     "what users hold cannot be read: %s " SPAN_FMT
                     "; it is read again in usage_interval",
                     strerror(-rc), SPAN_ARG(result->complaint));
    } else {
        usage_send(u);
    }
    usage_top_clear(&u->top);
}

static void on_usage_gone(void *arg)
{
    struct agent_usage *u = arg;
    u->is_out = false;
}

static void usage_argv(const struct agent_opts *opts, char *argv[static ARGV_MAX])
{
    bool is_files = strcmp(opts->source, "files") == 0;
    const char *const files[] = { opts->reader, "--root", opts->root, "accounts" };
    const char *const params[] = { opts->lctl, "get_param",
                                   "osd-*.*.quota_slave.acct_user",
                                   "osd-*.*.quota_slave.acct_group",
                                   "osd-*.*.quota_slave.acct_project" };
    const char *const *items = is_files ? files : params;
    size_t count = is_files ? COUNT_OF(files) : COUNT_OF(params);
    for (size_t i = 0; i < ARGV_MAX; i++)
        argv[i] = i < count ? (char *)(uintptr_t)items[i] : NULL;
}

static void usage_read(struct agent_usage *u)
{
    char *argv[ARGV_MAX];
    const struct agent_child_events events = { on_usage_piece, on_usage_done,
                                               on_usage_gone, u };
    usage_argv(u->opts, argv);
    u->accounts = (struct lustre_accounts){ .account = on_usage_account,
                                            .fault = on_usage_fault,
                                            .arg = u };
    u->counts.readings++;
    int rc = agent_child_start(u->loop, argv, u->opts->deadline_ns, &events);
    u->is_out = rc == 0;
    if (rc < 0) {
        const struct agent_child_result result = { .error = rc };
        on_usage_done(u, &result);
    }
}

static void on_usage_timer(uv_timer_t *timer)
{
    struct agent_usage *u = timer->data;
    int64_t now_ns = clock_now_ns(), interval_ns = u->opts->usage_interval_ns;
    if (u->is_stopping)
        return;
    if (now_ns < u->next_ns - interval_ns)
        u->next_ns = agent_round_at(now_ns, interval_ns); /* the clock was set back */
    if (now_ns >= u->next_ns) {
        int64_t unit_ns = u->t_ns == 0 ? INTERVAL_NS_MIN : interval_ns;
        u->next_ns = now_ns - now_ns % interval_ns + interval_ns;
        if (!u->is_out && total_ring_is_wanted(u->ring)) {
            u->t_ns = now_ns - now_ns % unit_ns;
            usage_read(u);
        }
    }
    usage_arm(u);
}

int agent_usage_start(const struct agent_opts *opts, uv_loop_t *loop,
                      const struct agent_report *report, struct total_ring *ring,
                      struct agent_usage **ret, struct err *err)
{
    if (opts->usage_interval_ns == 0)
        return 0;
    if (opts->usage_interval_ns < INTERVAL_NS_MIN)
        return err_set(err, EINVAL, "agent.usage_interval: less than 1m");
    struct agent_usage *u = calloc(1, sizeof *u);
    if (!u)
        return -ENOMEM;
    u->opts = opts;
    u->report = report;
    u->ring = ring;
    u->loop = loop;
    u->top.count_max = opts->usage_top;
    u->timer.data = u;
    (void)uv_timer_init(loop, &u->timer);
    u->next_ns = clock_now_ns();
    usage_arm(u);
    *ret = u;
    return 0;
}

void agent_usage_stop(struct agent_usage *usage)
{
    if (!usage)
        return;
    usage->is_stopping = true;
    (void)uv_timer_stop(&usage->timer);
}

void agent_usage_count(const struct agent_usage *usage, struct agent_usage_counts *ret)
{
    *ret = usage ? usage->counts : (struct agent_usage_counts){ 0 };
}
