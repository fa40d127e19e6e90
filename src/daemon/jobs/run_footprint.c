/* SPDX-License-Identifier: Apache-2.0 */
/* run_footprint - the footprint of one run, out of the metric store. */
#include "daemon/jobs/run_footprint.h"

#include "analysis/footprint/footprint.h"
#include "api/reading/reading.h"
#include "base/cleanup.h"
#include "base/span.h"

#include <math.h>
#include <stdlib.h>

/* What its cgroup counted (doc/node-metrics.md) and its programs submitted
 * (doc/formats/agent-socket.md). */
static bool is_of_job_itself(struct span metric)
{
    return span_starts(metric, "job_") || span_starts(metric, "app_");
}

bool run_footprint_is_wanted(struct span metric, struct span patterns)
{
    struct span pattern;
    if (component_name_matches(metric, patterns))
        return true;
    while (component_pattern_next(&patterns, &pattern)) {
        if (!span_is(pattern, RUN_FOOTPRINT_KNOWN))
            continue;
        AUTO_FREE char *name = span_dup(metric);
        if (is_of_job_itself(metric) ||
            (name && metric_role_of(name, NULL) != METRIC_ROLE_NONE))
            return true;
    }
    return false;
}

/* ---- rows ---- */

static struct job_metric row_of(const struct job *run, uint64_t nodes,
                                const struct metric_total *total)
{
    return (struct job_metric){ .cluster = run->cluster,
                                .id = run->id,
                                .start_ns = run->start_ns,
                                .end_ns = run->end_ns,
                                .metric = SPAN(""),
                                .unit = SPAN(""),
                                .nodes = nodes,
                                .observed = total->observed,
                                .covered = total->covered,
                                .mean = total->mean,
                                .min = total->min,
                                .max = total->max,
                                .sum = total->sum };
}

/* The unit of what is stored: a counter's is that of its rate. */
static struct span unit_of(const struct metric *metric, struct arena *arena)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_add_span(&text, metric->unit);
    if (metric->kind == METRIC_COUNTER)
        strbuf_adds(&text, "/s");
    const char *copy =
        strbuf_error(&text) < 0 ? NULL : arena_dup(arena, strbuf_span(&text));
    return copy ? (struct span){ copy, text.size } : (struct span){ 0 };
}

/* ---- one metric after another: a big job's samples of all would be much ---- */

struct footprint_reading {
    const struct run_footprint_opts *opts;
    const struct job *run;
    struct node_metrics_opts nodes;
    const struct metric *metric;
    size_t host_count;
    double *covered; /* a host each, by any metric */
    struct arena *arena;
    struct run_footprint *ret;
};

static bool is_read_now(void *arg, struct span metric)
{
    const struct footprint_reading *r = arg;
    return span_eq(metric, r->metric->name);
}

/* Without samples it is a metric that was not observed. */
static int metric_row_add(struct footprint_reading *r, const struct metric *metric,
                          const struct node_samples *samples,
                          const struct node_samples_metric *found)
{
    struct metric_total total = { .mean = NAN, .min = NAN, .max = NAN, .sum = NAN };
    if (found) {
        metric_total_make(samples, found, &total);
        metric_total_cover(samples, found, r->covered);
    }
    struct job_metric *row = &r->ret->rows[r->ret->count];
    *row = row_of(r->run, r->host_count, &total);
    row->metric = metric->name; /* the store never frees a metric */
    row->unit = unit_of(metric, r->arena);
    if (!row->unit.data)
        return -ENOMEM;
    r->ret->count += job_metric_check(row) == NULL;
    return 0;
}

/* Of what the store knows and is wanted: of what was not observed, too. */
static int metric_row_make(struct footprint_reading *r, struct err *err)
{
    AUTO(arena_done) struct arena scratch;
    struct node_samples samples = { 0 };
    arena_init(&scratch, 0);
    int rc = node_metrics_read(&r->nodes, &scratch, &samples, err);
    return rc < 0 ? rc
                  : metric_row_add(r, r->metric, &samples,
                                   samples.metric_count > 0 ? samples.metrics : NULL);
}

static bool is_full(const struct footprint_reading *r)
{
    return r->ret->count == RUN_FOOTPRINT_METRICS_MAX;
}

static int metric_rows_make(struct footprint_reading *r, struct err *err)
{
    const struct metric_table *metrics = metric_store_metrics(r->opts->store);
    int rc = 0;
    for (uint32_t i = 0; i < metric_count(metrics) && rc == 0 && !is_full(r); i++) {
        r->metric = metric_at(metrics, i);
        if (!is_of_job_itself(r->metric->name) &&
            run_footprint_is_wanted(r->metric->name, r->opts->patterns))
            rc = metric_row_make(r, err);
    }
    return rc;
}

/* ---- those of the job itself, all at once: a store has many that are other jobs' ----
 */

static bool is_own_wanted(void *arg, struct span metric)
{
    const struct footprint_reading *r = arg;
    return is_of_job_itself(metric) &&
           run_footprint_is_wanted(metric, r->opts->patterns);
}

static int own_rows_make(struct footprint_reading *r, struct err *err)
{
    const struct metric_table *metrics = metric_store_metrics(r->opts->store);
    AUTO(arena_done) struct arena scratch;
    struct node_samples samples = { 0 };
    arena_init(&scratch, 0);
    r->nodes.is_wanted = is_own_wanted;
    int rc = node_metrics_read(&r->nodes, &scratch, &samples, err);
    for (size_t i = 0; i < samples.metric_count && rc == 0 && !is_full(r); i++) {
        const struct metric *metric =
            metric_find(metrics, span_of(samples.metrics[i].name));
        if (metric)
            rc = metric_row_add(r, metric, &samples, &samples.metrics[i]);
    }
    return rc;
}

/* Where it ran; none: its record does not have it, or what no store has. */
static int run_hosts_count(const struct job *run, size_t *ret)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    int rc = run->cluster.size > 0 ? job_nodes(run, &hosts, NULL) : -ENOENT;
    if (rc == -ENOMEM)
        return rc;
    *ret = rc < 0 ? 0 : hostset_count(hosts);
    return 0;
}

int run_footprint_make(const struct run_footprint_opts *opts, const struct job *run,
                       struct arena *arena, struct run_footprint *ret, struct err *err)
{
    struct footprint_reading r = { .opts = opts,
                                   .run = run,
                                   .arena = arena,
                                   .ret = ret,
                                   .nodes = { .store = opts->store,
                                              .watch = opts->watch,
                                              .watch_arg = opts->watch_arg,
                                              .job = run->raw_id,
                                              .from_ns = run->start_ns,
                                              .to_ns = run->end_ns,
                                              .is_wanted = is_read_now,
                                              .is_wanted_arg = &r,
                                              .is_unobserved = true } };
    struct metric_total whole;
    int rc = run_hosts_count(run, &r.host_count);
    if (rc < 0)
        return rc;
    bool is_readable = r.host_count > 0 && r.host_count <= NODE_SAMPLES_HOSTS_MAX &&
                       run->end_ns > run->start_ns;
    AUTO_FREE double *covered = calloc(r.host_count + 1, sizeof *covered);
    r.covered = covered;
    r.nodes.cluster = arena_dup(arena, run->cluster);
    r.nodes.hosts = arena_dup(arena, run->nodes);
    if (!covered || !r.nodes.cluster || !r.nodes.hosts)
        return -ENOMEM;
    ret->count = 1;
    if (is_readable)
        rc = metric_rows_make(&r, err);
    if (is_readable && rc == 0)
        rc = own_rows_make(&r, err);
    if (rc < 0)
        return rc;
    metric_total_of_all(covered, r.host_count, &whole);
    ret->rows[0] = row_of(run, r.host_count, &whole);
    ret->is_observed = whole.observed > 0;
    if (!ret->is_observed)
        ret->count = 1;
    return 0;
}
