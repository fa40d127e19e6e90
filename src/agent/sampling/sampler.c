/* SPDX-License-Identifier: Apache-2.0 */
/* sampler - what this node measures of itself, at each trigger, as metrics. */
#include "agent/sampling/sampler.h"

#include "agent/totals/metric_line.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "source/node/node.h"

#include <inttypes.h>
#include <stdatomic.h>

/* So many periods without a trigger, and the timer stands for it. */
#define PERIODS_MAX 3

struct sampler {
    const struct agent_opts *opts;
    const char *cluster;
    struct node_sources *sources; /* NULL: none */
    struct metric_queue *queue;
    uv_timer_t timer;
    int64_t due_ns; /* of the timer: the instant that it stands for; 0: of no one */
    uint32_t line_count;
    struct metric_line line; /* of the round under way */
    _Atomic uint64_t rounds, untriggered, samples;
};

/* ---- lines ---- */

static bool is_tag(struct span text)
{
    return text.size == 0 || metric_line_is_name(text);
}

static void add_line(struct sampler *s, const char *metric, const struct metric_of *of,
                     double value)
{
    const char *const names[3] = { metric, "", "" };
    if (!is_tag(of->type) || !is_tag(of->target) || !is_tag(of->part_type) ||
        !is_tag(of->part))
        return; /* no line can hold it */
    metric_line_add(&s->line, names, of, value);
    s->line_count++;
}

static void on_node_value(void *arg, const struct node_value *value)
{
    const struct metric_of of = { .target = value->id,
                                  .type = value->type,
                                  .part_type = value->stype,
                                  .part = value->stype_id };
    add_line(arg, value->metric, &of, value->value);
}

static void sampler_round(struct sampler *s, uint64_t epoch, int64_t t_ns)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (epoch % s->opts->node.every != 0)
        return;
    s->line = (struct metric_line){
        .cluster = s->cluster, .host = s->opts->host, .out = &text, .t_ns = t_ns
    };
    s->line_count = 0;
    if (s->sources)
        node_sources_read(s->sources, t_ns, on_node_value, s);
    atomic_fetch_add(&s->rounds, 1);
    atomic_fetch_add(&s->samples, s->line_count);
    if (s->line_count > 0)
        metric_queue_put(s->queue, &text, s->line_count);
}

/* ---- the timer ---- */

static void on_sampling_due(uv_timer_t *timer);

/* The next instant that is a multiple of the interval. */
static void timer_to_instant(struct sampler *s)
{
    int64_t interval_ns = s->opts->node.interval_ns, now_ns = clock_now_ns();
    s->due_ns = now_ns - now_ns % interval_ns + interval_ns;
    (void)uv_timer_start(&s->timer, on_sampling_due, (uint64_t)clock_wait_ms(s->due_ns),
                         0);
}

static void timer_after_trigger(struct sampler *s, int64_t period_ns)
{
    s->due_ns = 0;
    (void)uv_timer_start(&s->timer, on_sampling_due,
                         (uint64_t)(PERIODS_MAX * period_ns / NS_PER_MS), 0);
}

static void on_sampling_due(uv_timer_t *timer)
{
    struct sampler *s = timer->data;
    int64_t interval_ns = s->opts->node.interval_ns, now_ns = clock_now_ns();
    bool is_set_back = now_ns < s->due_ns - interval_ns;
    if (s->due_ns > 0 && now_ns < s->due_ns && !is_set_back) {
        (void)uv_timer_start(&s->timer, on_sampling_due, 1, 0); /* a little early */
        return;
    }
    if (s->due_ns > 0 && !is_set_back) {
        int64_t t_ns = now_ns - now_ns % interval_ns;
        atomic_fetch_add(&s->untriggered, 1);
        sampler_round(s, (uint64_t)(t_ns / interval_ns), t_ns);
    }
    timer_to_instant(s);
}

/* ---- the door ---- */

int sampler_new(const struct agent_opts *opts, const struct agent_report *report,
                uv_loop_t *loop, struct sampler **ret, struct err *err)
{
    unsigned sources = 0;
    int rc = node_opts_sources(&opts->node, &sources, err);
    if (rc < 0 || sources == 0)
        return rc;
    struct sampler *s = calloc(1, sizeof *s);
    if (!s)
        return -ENOMEM;
    s->opts = opts;
    s->cluster =
        opts->node.cluster && *opts->node.cluster ? opts->node.cluster : opts->cluster;
    rc = node_sources_new(opts->root, sources, &s->sources);
    if (rc == 0)
        rc = metric_queue_open(opts, report, loop, &s->queue, err);
    if (rc < 0) {
        node_sources_free(s->sources);
        free(s);
        return rc;
    }
    *ret = s; /* as long as the loop */
    return 0;
}

void sampler_stop(struct sampler *s)
{
    if (!s)
        return;
    metric_queue_close(s->queue);
    node_sources_free(TAKE(s->sources));
}

void sampler_print(struct sampler *s, struct strbuf *out)
{
    struct post_queue_counts queue;
    if (!s)
        return;
    metric_queue_count(s->queue, &queue);
    const struct {
        const char *name, *type;
        uint64_t value;
    } counts[] = {
        { "rounds_total", "counter", atomic_load(&s->rounds) },
        { "untriggered_total", "counter", atomic_load(&s->untriggered) },
        { "samples_total", "counter", atomic_load(&s->samples) },
        { "sent_total", "counter", queue.sent },
        { "refused_total", "counter", queue.refused },
        { "lost_total", "counter", queue.lost + queue.not_stored },
        { "send_failures_total", "counter", queue.attempts_failed },
        { "waiting", "gauge", queue.waiting },
    };
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        strbuf_addf(out,
                    "# TYPE baro_agent_sampling_%s %s\nbaro_agent_sampling_%s %" PRIu64
                    "\n",
                    counts[i].name, counts[i].type, counts[i].name, counts[i].value);
}

int sampler_begin(struct sampler *s, uv_loop_t *loop)
{
    s->timer.data = s;
    int rc = uv_timer_init(loop, &s->timer);
    if (rc < 0)
        return rc;
    if (session_is_configured(&s->opts->session))
        timer_after_trigger(s, s->opts->node.interval_ns);
    else
        timer_to_instant(s);
    return 0;
}

void sampler_trigger(struct sampler *s, uint64_t epoch, int64_t t_ns, int64_t period_ns)
{
    timer_after_trigger(s, period_ns);
    sampler_round(s, epoch, t_ns);
}

void sampler_end(struct sampler *s)
{
    uv_close((uv_handle_t *)&s->timer, NULL);
}
