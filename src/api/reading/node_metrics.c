/* SPDX-License-Identifier: Apache-2.0 */
/* node_metrics - metrics of the nodes that a job ran on, out of the metric store. */
#include "api/reading/node_metrics.h"

#include "api/reading/metric_visit.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct node_reading {
    const struct node_metrics_opts *opts;
    struct strbuf job; /* "job:4711" */
    struct metric_store *store;
    struct arena *arena;
    struct metric_visit visit;
    const struct level **levels; /* a host each; NULL: it is not in the store */
    const struct metric *metrics[NODE_SAMPLES_METRICS_MAX];
    int64_t steps_ns[NODE_SAMPLES_METRICS_MAX]; /* as their series have them; 0: none */
    size_t metric_count;
    struct node_samples samples;
    struct node_samples_row *rows; /* of the metric that is read */
    size_t row_count, row_capacity;
};

static void node_reading_free(struct node_reading *r)
{
    if (r)
        strbuf_done(&r->job);
    free(r);
}
DEFINE_AUTO(struct node_reading, node_reading_free);

/* ---- what there is ---- */

/* Its index; NODE_SAMPLES_METRICS_MAX: it is not wanted, or there are as many. */
static size_t metric_note(struct node_reading *r, const struct metric *metric)
{
    const struct node_metrics_opts *opts = r->opts;
    for (size_t i = 0; i < r->metric_count; i++)
        if (r->metrics[i] == metric)
            return i;
    if (!metric || r->metric_count == NODE_SAMPLES_METRICS_MAX ||
        (opts->is_wanted && !opts->is_wanted(opts->is_wanted_arg, metric->name)))
        return NODE_SAMPLES_METRICS_MAX;
    r->metrics[r->metric_count] = metric;
    return r->metric_count++;
}

/* The step that is configured may be one that series find for themselves. */
static void series_note(struct node_reading *r, const struct level_series *series)
{
    size_t i =
        metric_note(r, metric_at(metric_store_metrics(r->store), series->metric));
    int64_t step_ns = series_grid_ns(&series->series);
    if (i < NODE_SAMPLES_METRICS_MAX && step_ns > r->steps_ns[i])
        r->steps_ns[i] = step_ns;
}

static void metrics_note(struct node_reading *r, const struct level *host)
{
    const struct level *level = host;
    for (; level; level = level_next((struct level *)(uintptr_t)level, host)) {
        if (level_is_of_job(level) && !span_eq(level_name(level), strbuf_span(&r->job)))
            continue;
        const struct level_series *series =
            atomic_load_explicit(&level->series, memory_order_acquire);
        for (; series; series = series->next)
            series_note(r, series);
    }
}

static int host_find(struct node_reading *r, size_t host)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    component_print_name(&path, span_of(r->opts->cluster));
    strbuf_addc(&path, '/');
    component_print_name(&path, span_of(r->samples.hosts[host]));
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    r->levels[host] = metric_store_level(r->store, strbuf_span(&path));
    if (!r->levels[host])
        return 0;
    /* Its own first: nodes may have more than are read. */
    const struct level *own = level_child(r->levels[host], strbuf_span(&r->job));
    if (own)
        metrics_note(r, own);
    metrics_note(r, r->levels[host]);
    return 0;
}

static int hosts_find(struct node_reading *r, const struct hostset *set)
{
    size_t count = hostset_count(set);
    const char **hosts = arena_alloc(r->arena, (count + 1) * sizeof(const char *));
    r->levels = arena_alloc(r->arena, (count + 1) * sizeof(void *));
    if (!hosts || !r->levels)
        return -ENOMEM;
    r->samples.hosts = hosts;
    r->samples.host_count = count;
    int rc = 0;
    metric_visit_begin(&r->visit, r->store);
    for (size_t i = 0; i < count && rc == 0; i++) {
        metric_visit_step(&r->visit);
        hosts[i] = arena_dup(r->arena, span_of(hostset_at(set, i)));
        rc = hosts[i] ? host_find(r, i) : -ENOMEM;
    }
    metric_visit_end(&r->visit);
    return rc;
}

/* Of those that findings are made of; 0: not known. */
static int64_t interval_of(const struct node_reading *r)
{
    int64_t most_ns = 0;
    for (size_t i = 0; i < r->metric_count; i++) {
        AUTO_FREE char *name = span_dup(r->metrics[i]->name);
        if (name && metric_role_of(name, NULL) != METRIC_ROLE_NONE &&
            r->steps_ns[i] > most_ns)
            most_ns = r->steps_ns[i];
    }
    return most_ns;
}

/* ---- samples ---- */

static struct node_samples_row *row_next(struct node_reading *r)
{
    if (r->row_count == r->row_capacity) {
        size_t capacity =
            r->row_capacity ? 2 * r->row_capacity : r->samples.host_count + 1;
        struct node_samples_row *grown =
            arena_alloc(r->arena, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        if (r->row_count > 0)
            memcpy(grown, r->rows, r->row_count * sizeof *grown);
        r->rows = grown;
        r->row_capacity = capacity;
    }
    return &r->rows[r->row_count];
}

/* A node, or a device of it.  Without such a series there is no row. */
static int samples_row_read(struct node_reading *r, const struct metric *metric,
                            size_t host, const struct level *level, struct span device)
{
    const struct node_samples *s = &r->samples;
    struct metric_bins_summary summary;
    const struct metric_bins_opts opts = { .metric = metric,
                                           .from_ns = s->from_ns,
                                           .bin_ns = s->window_ns,
                                           .count = s->window_count,
                                           .to_ns = s->to_ns,
                                           .job = strbuf_span(&r->job) };
    double *values = arena_alloc(r->arena, s->window_count * sizeof *values);
    struct node_samples_row *row = row_next(r);
    const char *name = arena_dup(r->arena, device);
    if (!values || !row || !name)
        return -ENOMEM;
    int rc = metric_bins_read(r->store, level, &opts, values, &summary);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    *row = (struct node_samples_row){ .host = host,
                                      .device = name,
                                      .samples = summary.samples_max,
                                      .min = summary.min,
                                      .max = summary.max,
                                      .values = values,
                                      .is_of_parts =
                                          summary.samples > summary.samples_max };
    r->row_count++;
    return 0;
}

static int host_read(struct node_reading *r, const struct metric *metric, size_t host)
{
    const struct level *level = r->levels[host];
    const struct level_tree *tree = metric_store_tree(r->store, level->shard);
    const struct level *child =
        atomic_load_explicit(&level->child, memory_order_acquire);
    size_t before = r->row_count;
    int rc = 0;
    for (; child && rc == 0; child = child->next)
        if (span_starts(level_name(child), "accelerator:") &&
            level_series_find(tree, child, metric->id))
            rc = samples_row_read(r, metric, host, child, level_name(child));
    return rc < 0 || r->row_count > before
               ? rc
               : samples_row_read(r, metric, host, level, SPAN(""));
}

static int metric_rows_read(struct node_reading *r, size_t index,
                            struct node_samples_metric *ret)
{
    const struct metric *metric = r->metrics[index];
    int rc = 0;
    r->rows = NULL;
    r->row_count = r->row_capacity = 0;
    metric_visit_begin(&r->visit, r->store);
    for (size_t i = 0; i < r->samples.host_count && rc == 0; i++) {
        metric_visit_step(&r->visit);
        rc = r->opts->watch ? r->opts->watch(r->opts->watch_arg) : 0;
        if (rc == 0 && r->levels[i])
            rc = host_read(r, metric, i);
    }
    metric_visit_end(&r->visit);
    *ret =
        (struct node_samples_metric){ .name = arena_dup(r->arena, metric->name),
                                      .unit = arena_dup(r->arena, metric->unit),
                                      .is_counter = metric->kind == METRIC_COUNTER,
                                      .is_summed = metric->aggregation == AGGREGATE_SUM,
                                      .step_ns = r->steps_ns[index],
                                      .rows = r->rows,
                                      .row_count = r->row_count };
    return rc < 0 ? rc : ret->name && ret->unit ? 0 : -ENOMEM;
}

static int by_name(const void *a, const void *b)
{
    const struct node_samples_metric *x = a;
    const struct node_samples_metric *y = b;
    return strcmp(x->name, y->name);
}

static int samples_read(struct node_reading *r)
{
    struct node_samples_metric *metrics =
        arena_alloc(r->arena, (r->metric_count + 1) * sizeof *metrics);
    int rc = metrics ? 0 : -ENOMEM;
    for (size_t i = 0; i < r->metric_count && rc == 0; i++) {
        rc = metric_rows_read(r, i, &metrics[r->samples.metric_count]);
        r->samples.metric_count += r->row_count > 0;
    }
    if (rc == 0 && r->samples.metric_count > 1)
        qsort(metrics, r->samples.metric_count, sizeof *metrics, by_name);
    r->samples.metrics = metrics;
    return rc;
}

static bool has_samples(const struct node_samples *samples)
{
    for (size_t i = 0; i < samples->metric_count; i++)
        for (size_t j = 0; j < samples->metrics[i].row_count; j++)
            if (samples->metrics[i].rows[j].samples > 0)
                return true;
    return false;
}

int node_metrics_read(const struct node_metrics_opts *opts, struct arena *arena,
                      struct node_samples *ret, struct err *err)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO(node_reading_free) struct node_reading *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(err, ENOMEM, "out of memory");
    if (!opts->cluster)
        return err_set(err, ENOENT, "its cluster is not known");
    int rc = hostset_parse(span_of(opts->hosts), &hosts, err);
    if (rc < 0)
        return rc;
    if (hostset_count(hosts) > NODE_SAMPLES_HOSTS_MAX)
        return err_set(err, E2BIG, "it ran on more than %d nodes",
                       NODE_SAMPLES_HOSTS_MAX);
    *r = (struct node_reading){
        .opts = opts, .job = STRBUF_INIT, .store = opts->store, .arena = arena
    };
    strbuf_addf(&r->job, "job:" SPAN_FMT, SPAN_ARG(opts->job));
    r->samples.cluster = opts->cluster;
    rc = strbuf_error(&r->job);
    if (rc == 0)
        rc = hosts_find(r, hosts);
    node_samples_windows(&r->samples, opts->from_ns, opts->to_ns, interval_of(r));
    if (rc == 0)
        rc = samples_read(r);
    if (rc < 0)
        return err_set(err, -rc, "metrics of its nodes: %s", strerror(-rc));
    if (!opts->is_unobserved && !has_samples(&r->samples))
        return err_set(err, ENOENT, "the store has no metrics of its nodes then");
    *ret = r->samples;
    return 0;
}
