/* SPDX-License-Identifier: Apache-2.0 */
/* metric_samples - what /v1/query responds with, piece by piece. */
#include "api/metric/metric_samples.h"

#include "base/span.h"

#include <math.h>
#include <stdlib.h>

#define V1_PIECE_BYTES (64 * 1024)

struct metric_samples {
    struct metric_reading of;
    struct v1_query wanted;
    struct metric_reader *reader;
    struct metric_visit visit; /* while a piece is made */
    struct metric_levels levels;
    struct metric_missing missing;
    struct metric_picks picks;
    struct job_reading job; /* whose nodes they are, where one is named */
    struct v1_writer writer;
    enum {
        V1_BEGIN,
        V1_ITEMS,
        V1_END,
        V1_OVER,
    } phase;
    char component[LEVEL_PATH_MAX + 1]; /* the pattern, for responses of all together */
};

void metric_samples_free(void *arg)
{
    struct metric_samples *v = arg;
    if (!v)
        return;
    metric_reader_free(v->reader);
    strbuf_done(&v->writer.notes);
    metric_levels_done(&v->levels);
    metric_missing_done(&v->missing);
    metric_picks_done(&v->picks);
    job_reading_done(&v->job);
    free(v);
}

static int read_pick(struct metric_samples *v, const struct metric_pick *pick,
                     unsigned want, struct metric_result *ret, struct err *err)
{
    const struct metric_params *wanted = &v->wanted.params;
    const struct metric_read_opts query = {
        .metric = pick->metric,
        .levels = &v->levels.items[pick->level],
        .level_count = pick->level_count,
        .from_ns = wanted->from_ns,
        .to_ns = wanted->to_ns,
        .resolution_ns = wanted->step_ns,
        .resampling = wanted->resampling,
        .aggregation =
            wanted->is_together ? wanted->aggregation : pick->metric->aggregation,
        .counters = wanted->counters,
        .job = strbuf_span(&v->job.component),
        .want = want,
    };
    return metric_window_read(v->reader, &query, ret, err);
}

static double rank_of(const struct metric_numbers *n, enum metric_rank by)
{
    switch (by) {
    case METRIC_BY_MIN:
        return n->min;
    case METRIC_BY_MAX:
        return n->max;
    case METRIC_BY_SUM:
        return n->sum;
    default:
        return n->sum / (double)n->count;
    }
}

/* Only those of the largest, in their order. */
static int keep_top(struct metric_samples *v)
{
    struct metric_pick pick;
    while (metric_picks_next(&v->picks, &pick)) {
        struct metric_result result;
        metric_visit_step(&v->visit);
        int rc = read_pick(v, &pick, METRIC_WANT_STATS, &result, NULL);
        if (rc == -ENOMEM || v->of.watch(v->of.watch_arg) < 0)
            return rc < 0 ? rc : v->of.watch(v->of.watch_arg);
        if (rc < 0 || result.numbers.count == 0)
            continue;
        pick.rank = rank_of(&result.numbers, v->wanted.params.by);
        rc = metric_picks_offer(&v->picks, &pick, v->wanted.params.top);
        if (rc < 0)
            return rc;
    }
    metric_picks_rank(&v->picks);
    return 0;
}

static int make_picks(struct metric_samples *v, struct err *err)
{
    v->picks.is_together = v->wanted.params.is_together;
    int rc = metric_picks_init(&v->picks, metric_store_metrics(v->of.store),
                               v->wanted.metric, &v->levels, v->of.hold, err);
    return rc == 0 && v->wanted.params.top > 0 ? keep_top(v) : rc;
}

static int write_pick(struct metric_samples *v, const struct metric_pick *pick,
                      struct strbuf *out)
{
    const struct level *level = v->levels.items[pick->level];
    struct metric_result result = { 0 };
    struct err err = { 0 };
    struct v1_item item = { { level->path, level->path_size }, pick->metric, &result };
    if (v->wanted.params.is_together)
        item.component = span_of(v->component);
    int rc = read_pick(v, pick, v->wanted.params.want, &result, &err);
    if (rc == 0)
        return v1_write_item(&v->writer, &item, out);
    if (rc == -ENOMEM)
        return rc;
    if (rc != -ENOENT)
        v1_write_error(&v->writer, &item, err.text[0] ? err.text : strerror(-rc), out);
    return 0;
}

int metric_samples_next(void *arg, struct strbuf *out)
{
    struct metric_samples *v = arg;
    struct metric_pick pick;
    int rc = 0;
    metric_visit_begin(&v->visit, v->of.store);
    if (v->phase == V1_BEGIN) {
        v1_write_begin(&v->writer, out);
        v->phase = V1_ITEMS;
    }
    while (rc == 0 && v->phase == V1_ITEMS && out->size < V1_PIECE_BYTES) {
        metric_visit_step(&v->visit);
        rc = v->of.watch(v->of.watch_arg);
        if (rc == 0 && !metric_picks_next(&v->picks, &pick))
            v->phase = V1_END;
        else if (rc == 0)
            rc = write_pick(v, &pick, out);
    }
    if (rc == 0 && v->phase == V1_END && out->size < V1_PIECE_BYTES) {
        v1_write_end(&v->writer, out);
        v->phase = V1_OVER;
    }
    metric_visit_end(&v->visit);
    return rc;
}

/* The patterns as the component of a result of all together. */
static void components_name(struct metric_samples *v)
{
    size_t size = 0;
    if (v->wanted.job.size > 0)
        (void)snprintf(v->component, sizeof v->component, "job " SPAN_FMT,
                       SPAN_ARG(v->wanted.job));
    for (size_t i = 0; i < v->wanted.component_count && size < sizeof v->component; i++)
        size += (size_t)snprintf(v->component + size, sizeof v->component - size,
                                 "%s" SPAN_FMT, i ? " " : "",
                                 SPAN_ARG(v->wanted.components[i]));
}

/* The unit that the values of all metrics have; none where they differ. */
static void unit_find(struct metric_samples *v)
{
    for (size_t i = 0; i < v->picks.metric_count; i++) {
        AUTO(strbuf_done) struct strbuf unit = STRBUF_INIT;
        v1_unit(&v->writer, v->picks.metrics[i], &unit);
        if (i > 0 && strcmp(v->writer.unit, strbuf_text(&unit)) != 0) {
            v->writer.unit[0] = '\0';
            return;
        }
        (void)snprintf(v->writer.unit, sizeof v->writer.unit, "%s", strbuf_text(&unit));
    }
}

/* Before the first sample of a first host has come, every host is none. */
static int components_find(struct metric_samples *v, struct err *err)
{
    if (v->wanted.job.size > 0)
        return job_reading_levels(v->of.store, &v->job, &v->levels, &v->missing, err);
    if (v->wanted.is_every_host)
        return metric_match(v->of.store, v->wanted.components[0], &v->levels);
    return metric_selector_find(v->of.store, v->wanted.components,
                                v->wanted.component_count, &v->levels, &v->missing,
                                err);
}

int metric_samples_new(const struct metric_reading *reading,
                       const struct v1_query *query, struct job_reading *job,
                       struct metric_samples **ret, struct err *err)
{
    AUTO(metric_samples_free) struct metric_samples *v = calloc(1, sizeof *v);
    if (!v)
        return -ENOMEM;
    v->of = *reading;
    v->wanted = *query;
    metric_missing_init(&v->missing);
    if (job) {
        v->job = *job;
        *job = (struct job_reading)JOB_READING_INIT;
        v->wanted.params.from_ns = v->job.from_ns;
        v->wanted.params.to_ns = v->job.to_ns;
    }
    int rc = metric_reader_new(v->of.store, &v->reader);
    if (rc < 0)
        return rc;
    metric_reader_watch(v->reader, v->of.watch, v->of.watch_arg);
    components_name(v);
    v->writer = (struct v1_writer){ .form = v->wanted.params.form,
                                    .want = v->wanted.params.want,
                                    .counters = v->wanted.params.counters,
                                    .step_ns = v->wanted.params.step_ns,
                                    .missing = &v->missing };
    metric_visit_begin(&v->visit, v->of.store);
    rc = components_find(v, err);
    if (rc == 0)
        rc = make_picks(v, err);
    if (rc == 0)
        unit_find(v);
    metric_visit_end(&v->visit);
    if (rc == 0)
        *ret = TAKE(v);
    return rc;
}
