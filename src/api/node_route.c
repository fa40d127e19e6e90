/* SPDX-License-Identifier: Apache-2.0 */
/* node_route - GET /v1/nodes: which nodes differ from comparable ones. */
#include "api/node_route.h"

#include "api/node_hosts.h"
#include "api/params.h"
#include "api/reading/reading.h"
#include "api/time_range.h"
#include "base/number.h"
#include "base/span.h"
#include "report/report.h"

#include <math.h>

#define TEXT_BYTES_MAX 1024
#define LAST_DEFAULT_NS (3600 * NS_PER_S)
#define WINDOWS_DEFAULT 12
#define WINDOW_NS_MIN (10 * NS_PER_S)
#define LIMIT_DEFAULT 100
#define LIMIT_MAX 100000
#define JOBS_MAX 100000 /* of the range */
#define JOB_BYTES 128   /* of one, with its id */

/* Texts are the query's own: the request's end with its handler. */
struct node_query {
    struct node_components components;
    char metric[TEXT_BYTES_MAX + 1];
    struct time_range range;
    int64_t window_ns;
    uint64_t limit;
};

/* ---- the query ---- */

static int query_window(struct node_query *q, struct span value)
{
    int rc = number_parse_duration(value, &q->window_ns);
    return rc == 0 && q->window_ns < WINDOW_NS_MIN ? -EINVAL : rc;
}

static int query_param(struct node_query *q, struct span name, struct span value)
{
    int is_range = time_range_param(&q->range, name, value);
    if (is_range != 0)
        return is_range;
    if (span_is(name, "component"))
        return node_components_add(&q->components, value);
    if (span_is(name, "metric"))
        return api_params_text(value, q->metric, sizeof q->metric);
    if (span_is(name, "window"))
        return query_window(q, value);
    int rc = number_parse_u64(value, &q->limit);
    return rc == 0 && (q->limit < 1 || q->limit > LIMIT_MAX) ? -EINVAL : rc;
}

static int64_t length_up(int64_t length_ns, int64_t parts)
{
    int64_t part_ns = (length_ns + parts - 1) / parts;
    return (part_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
}

static int query_finish(struct node_query *q, struct err *err)
{
    int rc = time_range_finish(&q->range, err);
    if (rc < 0)
        return rc;
    int64_t length_ns = q->range.to_ns - q->range.from_ns;
    if (q->window_ns == 0)
        q->window_ns = length_up(length_ns, WINDOWS_DEFAULT);
    if (q->window_ns < WINDOW_NS_MIN)
        q->window_ns = WINDOW_NS_MIN;
    if (length_ns / q->window_ns > NODE_WINDOWS_MAX)
        return err_set(err, EINVAL, "window: the range has more than %d of them",
                       NODE_WINDOWS_MAX);
    return 0;
}

int nodes_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct node_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    *q = (struct node_query){ .metric = "*",
                              .range = time_range_of_last(LAST_DEFAULT_NS),
                              .limit = LIMIT_DEFAULT };
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (!span_is(name, "format") && query_param(q, name, value) < 0)
            return api_params_refuse_value(PARAM_NODES, name, value, err);
    int rc = query_finish(q, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

/* ---- what is compared ---- */

struct node_reading {
    const struct api_readers *readers;
    const struct node_query *query;
    struct metric_store *store;
    struct budget_hold *hold;
    struct node_hosts hosts;
    struct node_check_opts opts;
    struct node_check *check;
    const struct metric **metrics;
    size_t metric_count;
    double *values;
    struct node_series *series;
    const char **jobs; /* ids, of the hosts' arena */
    size_t job_count;
    bool is_jobs_cut;
};

static void reading_done(struct node_reading *r)
{
    node_check_free(r->check);
    node_hosts_done(&r->hosts);
    free(r->metrics);
    free(r->values);
    free(r->series);
    free(r->jobs);
}

/* Those that match, and that any of the hosts has. */
static int metrics_find(struct node_reading *r, struct err *err)
{
    const struct metric_table *table = metric_store_metrics(r->store);
    uint32_t count = metric_count(table);
    r->metrics = calloc(count + 1, sizeof(struct metric *));
    if (!r->metrics)
        return -ENOMEM;
    for (uint32_t id = 0; id < count; id++) {
        const struct metric *metric = metric_at(table, id);
        size_t host = 0;
        if (!component_name_matches(metric->name, span_of(r->query->metric)))
            continue;
        while (host < r->hosts.count && !node_hosts_has(&r->hosts, host, id))
            host++;
        if (host < r->hosts.count)
            r->metrics[r->metric_count++] = metric;
    }
    if (r->metric_count == 0)
        return err_set(err, ENOENT, "metric: these nodes have no '%s'",
                       r->query->metric);
    return 0;
}

/* The memory that most of it needs, before it is allocated. */
static int hold_charge(struct node_reading *r)
{
    uint64_t cells = (uint64_t)r->hosts.count * r->opts.window_count;
    uint64_t bytes =
        cells * (sizeof(double) + 2 * sizeof(size_t) + sizeof(struct node_score)) +
        r->hosts.count * sizeof(struct node_series);
    return budget_hold_add(r->hold, bytes);
}

static int check_begin(struct node_reading *r)
{
    int64_t length_ns = r->query->range.to_ns - r->query->range.from_ns;
    int64_t window_ns = r->query->window_ns;
    r->opts = (struct node_check_opts){
        .from_ns = r->query->range.from_ns,
        .window_ns = window_ns,
        .window_count = (size_t)((length_ns + window_ns - 1) / window_ns),
        .hosts = r->hosts.hosts,
        .host_count = r->hosts.count,
        .metric_count = r->metric_count,
    };
    int rc = hold_charge(r);
    if (rc < 0)
        return rc;
    r->values = calloc(r->hosts.count * r->opts.window_count, sizeof *r->values);
    r->series = calloc(r->hosts.count, sizeof *r->series);
    return r->values && r->series ? node_check_new(&r->opts, &r->check) : -ENOMEM;
}

/* ---- jobs ---- */

static int job_remember(struct node_reading *r, struct span id)
{
    if (r->job_count % 1024 == 0) {
        int rc = budget_hold_add(r->hold, 1024 * JOB_BYTES);
        void *grown =
            rc < 0 ? NULL : reallocarray(r->jobs, r->job_count + 1024, sizeof *r->jobs);
        if (!grown)
            return rc < 0 ? rc : -ENOMEM;
        r->jobs = grown;
    }
    const char *copy = arena_dup(&r->hosts.arena, id);
    if (!copy)
        return -ENOMEM;
    r->jobs[r->job_count++] = copy;
    return 0;
}

static int on_node_job(void *arg, const struct job *job)
{
    struct node_reading *r = arg;
    AUTO(hostset_free) struct hostset *nodes = NULL;
    int64_t end_ns = job->end_ns == JOB_TIME_NONE ? INT64_MAX : job->end_ns;
    int rc = job_nodes(job, &nodes, NULL);
    if (rc < 0 || job->start_ns == JOB_TIME_NONE)
        return rc == -ENOMEM ? rc : 0;
    rc = job_remember(r, job->id);
    for (size_t i = 0; rc == 0 && i < hostset_count(nodes); i++) {
        size_t host =
            node_hosts_by_name(&r->hosts, job->cluster, span_of(hostset_at(nodes, i)));
        if (host != SIZE_MAX)
            node_check_add_job(r->check, r->job_count - 1, host, job->start_ns, end_ns);
    }
    return rc;
}

static int jobs_find(struct node_reading *r, struct err *err)
{
    const struct job_filter filter = { .from_ns = r->query->range.from_ns,
                                       .to_ns = r->query->range.to_ns,
                                       .limit = JOBS_MAX };
    return records_find_jobs(r->readers->rows, &filter, on_node_job, r, &r->is_jobs_cut,
                             err);
}

/* ---- metrics ---- */

static int host_read(struct node_reading *r, const struct metric *metric, size_t host)
{
    double *values = &r->values[host * r->opts.window_count];
    struct metric_bins_summary summary;
    const struct metric_bins_opts opts = { .metric = metric,
                                           .from_ns = r->opts.from_ns,
                                           .bin_ns = r->opts.window_ns,
                                           .count = r->opts.window_count };
    int rc = -ENOENT;
    r->series[host] = (struct node_series){ .last_ns = INT64_MIN };
    if (node_hosts_has(&r->hosts, host, metric->id))
        rc = metric_bins_read(r->store, r->hosts.levels[host], &opts, values, &summary);
    if (rc == 0)
        r->series[host] = (struct node_series){ .is_there = true,
                                                .is_integral = summary.is_integral,
                                                .count = summary.samples_max,
                                                .first_ns = summary.first_ns,
                                                .last_ns = summary.last_ns,
                                                .min = summary.min,
                                                .max = summary.max };
    if (rc != -ENOENT)
        return rc;
    for (size_t i = 0; i < r->opts.window_count; i++)
        values[i] = NAN;
    return 0;
}

static int metric_compare(struct node_reading *r, const struct metric *metric)
{
    struct metric_visit visit;
    int rc = 0;
    metric_visit_begin(&visit, r->store);
    for (size_t host = 0; rc == 0 && host < r->hosts.count; host++) {
        metric_visit_step(&visit);
        rc = r->readers->watch ? r->readers->watch(r->readers->watch_arg) : 0;
        if (rc == 0)
            rc = host_read(r, metric, host);
    }
    metric_visit_end(&visit);
    const char *name = arena_dup(&r->hosts.arena, metric->name);
    const char *unit = arena_dup(&r->hosts.arena, metric->unit);
    if (rc < 0 || !name || !unit)
        return rc < 0 ? rc : -ENOMEM;
    const struct node_metric compared = { .name = name,
                                          .unit = unit,
                                          .is_counter = metric->kind == METRIC_COUNTER,
                                          .values = r->values,
                                          .series = r->series };
    return node_check_add_metric(r->check, &compared);
}

static int table_write(struct node_reading *r, struct strbuf *out)
{
    AUTO(table_done) struct table table;
    const struct node_results *results = NULL;
    table_init(&table);
    int rc = node_check_finish(r->check, &results);
    if (rc < 0)
        return rc;
    const struct node_table_opts opts = { .results = results,
                                          .check = &r->opts,
                                          .jobs = r->jobs,
                                          .job_count = r->job_count,
                                          .limit = r->query->limit,
                                          .is_jobs_cut = r->is_jobs_cut };
    node_table_make(&opts, &table);
    for (size_t i = 0; i < r->hosts.missing.count; i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        metric_missing_print(&r->hosts.missing.items[i], &text);
        table_add_note(&table, "%s", strbuf_text(&text));
    }
    rc = budget_hold_add(r->hold, table_bytes(&table));
    if (rc < 0)
        return rc;
    api_table_print(r->readers, &table, out);
    return strbuf_error(out);
}

static int hosts_find(struct node_reading *r, struct err *err)
{
    const struct node_hosts_opts opts = { .store = r->store,
                                          .readers = r->readers,
                                          .components = &r->query->components,
                                          .hold = r->hold };
    return node_hosts_find(&opts, &r->hosts, err);
}

static int reading_run(struct node_reading *r, struct strbuf *out, struct err *err)
{
    int rc = hosts_find(r, err);
    if (rc == 0)
        rc = metrics_find(r, err);
    if (rc == 0)
        rc = check_begin(r);
    if (rc == 0)
        rc = jobs_find(r, err);
    for (size_t i = 0; rc == 0 && i < r->metric_count; i++)
        rc = metric_compare(r, r->metrics[i]);
    return rc == 0 ? table_write(r, out) : rc;
}

int nodes_fetch(const struct api_readers *readers, const void *query,
                struct api_result *ret, struct err *err)
{
    struct node_reading r = { .readers = readers,
                              .query = query,
                              .store = readers->api->opts.store,
                              .hold = ret->hold };
    if (!r.store)
        return err_set(err, ENOENT, "this barod has no metric store");
    int rc = reading_run(&r, ret->body, err);
    reading_done(&r);
    return rc;
}
