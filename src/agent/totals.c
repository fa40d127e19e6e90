/* SPDX-License-Identifier: Apache-2.0 */
/* totals - when the server's totals are read, and what becomes of them. */
#include "agent/totals.h"

#include "agent/agent.h"
#include "agent/child.h"
#include "agent/total_lines.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"

#define TEXT_BYTES_MAX (UINT32_C(16) << 20)
#define ARGV_MAX 24

struct agent_totals {
    struct agent *agent;
    struct agent_ring *ring;
    struct agent_lines *lines;
    uv_timer_t timer;
    int64_t next_ns;
    bool is_out; /* a child is not gone */
    int64_t t_ns;
    struct strbuf text;
    struct agent_totals_counts counts; /* of reading; the ring has those of sending */
    bool is_stopping;
};

static struct log_limit read_limit = LOG_LIMIT_INIT;

static void tick(uv_timer_t *timer);

static void arm(struct agent_totals *t)
{
    int64_t wait_ms = clock_wait_ms(t->next_ns);
    (void)uv_timer_start(&t->timer, tick, wait_ms > 0 ? (uint64_t)wait_ms : 0, 0);
}

static int take_piece(void *arg, struct span piece)
{
    struct agent_totals *t = arg;
    if (t->text.size + piece.size > TEXT_BYTES_MAX)
        return -EMSGSIZE;
    strbuf_add_span(&t->text, piece);
    return strbuf_error(&t->text);
}

/* A parameter that this release does not have is said on stderr, and the others are
 * printed: so it failed only if nothing came. */
static bool has_failed(const struct agent_totals *t,
                       const struct agent_child_result *result)
{
    return result->error || (result->status != 0 && t->text.size == 0);
}

static void read_done(void *arg, const struct agent_child_result *result)
{
    struct agent_totals *t = arg;
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    if (t->is_stopping)
        return;
    bool is_bad = has_failed(t, result);
    if (is_bad) {
        t->counts.readings_failed++;
        log_limited(&read_limit, LOG_LEVEL_WARN,
                    "the server's totals cannot be read: %s " SPAN_FMT
                    "; its CPU and memory are sent without them",
                    result->error ? strerror(-result->error) : "",
                    SPAN_ARG(result->complaint));
    }
    struct span text = is_bad ? (struct span){ 0 } : strbuf_span(&t->text);
    int rc = agent_lines_totals(t->lines, t->t_ns, text, &lines);
    if (rc == 0)
        agent_lines_server(t->lines, t->t_ns, t->agent->opts.root, &lines);
    if (rc == 0 && lines.size > 0)
        agent_ring_put(t->ring, &lines);
}

static void read_gone(void *arg)
{
    struct agent_totals *t = arg;
    t->is_out = false;
}

static void make_argv(const struct agent_opts *opts, char *argv[static ARGV_MAX])
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
    const struct agent_opts *opts = &t->agent->opts;
    char *argv[ARGV_MAX];
    const struct agent_child_events events = { take_piece, read_done, read_gone, t };
    make_argv(opts, argv);
    strbuf_clear(&t->text);
    t->counts.readings++;
    int rc = agent_child_start(&t->agent->loop, argv, opts->deadline_ns, &events);
    t->is_out = rc == 0;
    if (rc < 0) {
        const struct agent_child_result result = { .error = rc };
        read_done(t, &result);
    }
}

static void tick(uv_timer_t *timer)
{
    struct agent_totals *t = timer->data;
    int64_t now_ns = clock_now_ns(), interval_ns = t->agent->opts.totals_interval_ns;
    if (t->is_stopping)
        return;
    if (now_ns < t->next_ns - interval_ns)
        t->next_ns = agent_round_at(now_ns, interval_ns); /* the clock was set back */
    if (now_ns >= t->next_ns) {
        t->next_ns = now_ns - now_ns % interval_ns + interval_ns;
        if (t->is_out)
            t->counts.readings_waiting++;
        else if (agent_ring_is_wanted(t->ring)) {
            t->t_ns = now_ns - now_ns % interval_ns;
            read_start(t);
        }
    }
    arm(t);
}

int agent_totals_start(struct agent *agent, struct agent_totals **ret, struct err *err)
{
    if (agent->opts.totals_interval_ns == 0)
        return 0;
    if (agent->opts.totals_interval_ns < NS_PER_S)
        return err_set(err, EINVAL, "agent.totals_interval: less than 1s");
    struct agent_totals *t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    t->agent = agent;
    t->timer.data = t;
    int rc = agent_lines_new(agent->opts.cluster, agent->opts.host, &t->lines);
    if (rc == 0)
        rc = agent_ring_new(agent, &t->ring, err);
    if (rc < 0) {
        agent_lines_free(t->lines);
        free(t);
        return rc;
    }
    (void)uv_timer_init(&agent->loop, &t->timer);
    t->next_ns = agent_round_at(clock_now_ns(), agent->opts.totals_interval_ns);
    arm(t);
    *ret = t; /* as long as the loop, whose children may hold it */
    return 0;
}

void agent_totals_stop(struct agent_totals *t)
{
    if (!t)
        return;
    t->is_stopping = true;
    (void)uv_timer_stop(&t->timer);
    agent_ring_stop(t->ring);
}

void agent_totals_count(struct agent_totals *t, struct agent_totals_counts *ret)
{
    *ret = (struct agent_totals_counts){ 0 };
    if (!t)
        return;
    *ret = t->counts;
    agent_ring_count(t->ring, ret);
}
