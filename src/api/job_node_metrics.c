/* SPDX-License-Identifier: Apache-2.0 */
/* job_node_metrics - metrics of the nodes that a job ran on, out of the metric store.
 */
#include "api/job_node_metrics.h"

#include "api/metric_visit.h"
#include "base/number.h"
#include "base/span.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define METRICS_OF_HOSTS_MAX 1024

struct node_metrics {
    struct metric_store *store;
    const struct job_request *job;
    struct metric_visit visit;
    const struct metric *metrics[METRICS_OF_HOSTS_MAX];
    struct job_node_metric
        values[METRICS_OF_HOSTS_MAX]; /* average: a sum until the end */
    size_t count;
    int64_t observed; /* nodes */
};

static struct job_node_metric *value_of(struct node_metrics *n,
                                        const struct metric *metric)
{
    size_t i = 0;
    while (i < n->count && n->metrics[i] != metric)
        i++;
    if (i == METRICS_OF_HOSTS_MAX)
        return NULL;
    if (i == n->count) {
        n->metrics[n->count++] = metric;
        n->values[i] = (struct job_node_metric){ .min = INFINITY, .max = -INFINITY };
    }
    return &n->values[i];
}

static int series_add(struct node_metrics *n, const struct level_series *series,
                      bool *is_observed)
{
    struct series_stats stats = { 0 };
    const struct metric *metric =
        metric_at(metric_store_metrics(n->store), series->metric);
    if (!metric || metric->kind == METRIC_COUNTER)
        return 0;
    int rc = metric_store_stats(n->store, series, n->job->start_s * NS_PER_S,
                                (n->job->end_s + 1) * NS_PER_S, &stats);
    if (rc < 0 || stats.count == 0)
        return rc;
    struct job_node_metric *value = value_of(n, metric);
    if (!value)
        return 0;
    *is_observed = true;
    value->nodes++;
    value->average += stats.sum / (double)stats.count;
    value->min = fmin(value->min, stats.min);
    value->max = fmax(value->max, stats.max);
    return 0;
}

static int host_add(struct node_metrics *n, const char *host)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    bool is_observed = false;
    int rc = 0;
    component_print_name(&path, span_of(n->job->cluster));
    strbuf_addc(&path, '/');
    component_print_name(&path, span_of(host));
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    const struct level *level = metric_store_level(n->store, strbuf_span(&path));
    const struct level_series *series = level ? level->series : NULL;
    for (; series && rc == 0; series = series->next)
        rc = series_add(n, series, &is_observed);
    n->observed += is_observed;
    return rc;
}

static int by_name(const void *a, const void *b)
{
    const struct job_node_metric *x = a;
    const struct job_node_metric *y = b;
    return strcmp(x->name, y->name);
}

static int metrics_finish(struct node_metrics *n, struct arena *arena,
                          struct job_nodes *ret)
{
    struct job_node_metric *metrics = arena_alloc(arena, n->count * sizeof *metrics);
    if (!metrics)
        return -ENOMEM;
    for (size_t i = 0; i < n->count; i++) {
        metrics[i] = n->values[i];
        metrics[i].name = arena_dup(arena, n->metrics[i]->name);
        metrics[i].unit = arena_dup(arena, n->metrics[i]->unit);
        metrics[i].average /= (double)n->values[i].nodes;
        if (!metrics[i].name || !metrics[i].unit)
            return -ENOMEM;
    }
    qsort(metrics, n->count, sizeof *metrics, by_name);
    ret->observed = n->observed;
    ret->metrics = metrics;
    ret->count = n->count;
    return 0;
}

int job_node_metrics_read(struct metric_store *store, const struct api_readers *readers,
                          const struct job_request *job, struct arena *arena,
                          struct job_nodes *ret, struct err *err)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    AUTO_FREE struct node_metrics *n = calloc(1, sizeof *n);
    if (!n)
        return err_set(err, ENOMEM, "out of memory");
    if (!job->cluster)
        return err_set(err, ENOENT, "its cluster is not known");
    int rc = hostset_parse(span_of(job->hosts), &hosts, err);
    if (rc < 0)
        return rc;
    n->store = store;
    n->job = job;
    metric_visit_begin(&n->visit, store);
    for (size_t i = 0; i < hostset_count(hosts) && rc == 0; i++) {
        metric_visit_step(&n->visit);
        rc = readers->watch ? readers->watch(readers->watch_arg) : 0;
        if (rc == 0)
            rc = host_add(n, hostset_at(hosts, i));
    }
    metric_visit_end(&n->visit);
    if (rc < 0)
        return err_set(err, -rc, "metrics of its nodes: %s", strerror(-rc));
    if (n->count == 0)
        return err_set(err, ENOENT, "the store has no metrics of its nodes then");
    struct job_nodes nodes = { .hosts = (int64_t)hostset_count(hosts) };
    rc = metrics_finish(n, arena, &nodes);
    if (rc < 0)
        return err_set(err, ENOMEM, "out of memory");
    *ret = nodes;
    return 0;
}
