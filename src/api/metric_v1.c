/* SPDX-License-Identifier: Apache-2.0 */
/* metric_v1 - /v1/query: components and metrics by pattern, a range, a step. */
#include "api/metric_v1.h"
#include "api/metric_call.h"
#include "api/metric_routes.h"
#include "api/reading/reading.h"

#include "api/params.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>
#include <stdlib.h>

#define V1_PIECE_BYTES (64 * 1024)
#define LAST_DEFAULT_NS (3600 * NS_PER_S)

/* ---- what is asked ---- */

static int component_add(struct v1_query *wanted, struct span value, struct err *err)
{
    if (wanted->component_count == V1_COMPONENTS_MAX)
        return err_set(err, EINVAL, "component: %d at most", V1_COMPONENTS_MAX);
    wanted->components[wanted->component_count++] = value;
    return 0;
}

static int param_parse(struct v1_query *wanted, struct span name, struct span value,
                       struct err *err)
{
    if (span_is(name, "component"))
        return component_add(wanted, value, err);
    if (span_is(name, "job")) {
        wanted->job = value;
        return value.size > 0 && value.size <= JOB_READING_BYTES_MAX
                   ? 0
                   : err_set(err, EINVAL, "job: an id, or CLUSTER/ID, is wanted");
    }
    if (!span_is(name, "metric"))
        return metric_param_parse(&wanted->params, name, value, clock_now_ns(), err);
    wanted->metric = value;
    return 0;
}

/* A job has nodes and a time of its own. */
static bool is_of_job(struct span name)
{
    return span_is(name, "component") || span_is(name, "from") || span_is(name, "to") ||
           span_is(name, "last");
}

int v1_query_parse(struct net_request *request, struct v1_query *ret, struct err *err)
{
    struct v1_query wanted = { 0 };
    struct span name, value, other = { 0 };
    metric_params_init(&wanted.params, clock_now_ns());
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++) {
        int rc = param_parse(&wanted, name, value, err);
        if (is_of_job(name))
            other = name;
        if (rc == -ENOENT)
            return api_params_refuse_name(PARAM_SAMPLES, name, "/v1/query", err);
        if (rc < 0)
            return rc;
    }
    if (wanted.metric.size == 0)
        return err_set(err, EINVAL, "metric: which? /v1/metrics lists them");
    if (wanted.job.size > 0 && other.size > 0)
        return err_set(err, EINVAL,
                       SPAN_FMT ": a job has its own nodes and time: leave it out, or "
                                "job",
                       SPAN_ARG(other));
    if (wanted.component_count == 0 && wanted.job.size == 0) {
        wanted.is_every_host = true;
        (void)component_add(&wanted, SPAN("*/*"), NULL);
    }
    int rc = metric_params_settle(&wanted.params, err);
    if (rc == 0)
        *ret = wanted;
    return rc;
}

/* ---- answering ---- */

struct v1 {
    struct metric_api *api;
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

static void v1_free(void *arg)
{
    struct v1 *v = arg;
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
DEFINE_AUTO(struct v1, v1_free);

static int read_pick(struct v1 *v, const struct metric_pick *pick, unsigned want,
                     struct metric_result *ret, struct err *err)
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
static int keep_top(struct v1 *v)
{
    struct metric_pick pick;
    while (metric_picks_next(&v->picks, &pick)) {
        struct metric_result result;
        metric_visit_step(&v->visit);
        int rc = read_pick(v, &pick, METRIC_WANT_STATS, &result, NULL);
        if (rc == -ENOMEM || metric_call_watch(v->api->call) < 0)
            return rc < 0 ? rc : metric_call_watch(v->api->call);
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

static int make_picks(struct v1 *v, struct err *err)
{
    v->picks.is_together = v->wanted.params.is_together;
    int rc = metric_picks_init(&v->picks, metric_store_metrics(v->api->store),
                               v->wanted.metric, &v->levels,
                               metric_call_hold(v->api->call), err);
    return rc == 0 && v->wanted.params.top > 0 ? keep_top(v) : rc;
}

static int write_pick(struct v1 *v, const struct metric_pick *pick, struct strbuf *out)
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

static int next_piece(void *arg, struct strbuf *out)
{
    struct v1 *v = arg;
    struct metric_pick pick;
    int rc = 0;
    metric_visit_begin(&v->visit, v->api->store);
    if (v->phase == V1_BEGIN) {
        v1_write_begin(&v->writer, out);
        v->phase = V1_ITEMS;
    }
    while (rc == 0 && v->phase == V1_ITEMS && out->size < V1_PIECE_BYTES) {
        metric_visit_step(&v->visit);
        rc = metric_call_watch(v->api->call);
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
static void components_name(struct v1 *v)
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
static void unit_find(struct v1 *v)
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
static int components_find(struct v1 *v, struct err *err)
{
    if (v->wanted.job.size > 0)
        return job_reading_levels(v->api->store, &v->job, &v->levels, &v->missing, err);
    if (v->wanted.is_every_host)
        return metric_match(v->api->store, v->wanted.components[0], &v->levels);
    return metric_selector_find(v->api->store, v->wanted.components,
                                v->wanted.component_count, &v->levels, &v->missing,
                                err);
}

/* Nodes are a user's by way of her job alone. */
static int job_require(const struct job_scope *scope, struct err *err)
{
    if (!job_scope_is_partial(scope))
        return 0;
    return err_set(err, EACCES,
                   "the role %s sees metrics of its own jobs only: name one (job)",
                   access_roles_name(scope->client->roles));
}

/* By a connection of its own: these workers have none. */
static int job_find(struct v1 *v, const struct job_scope *scope, struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    if (v->wanted.job.size == 0)
        return job_require(scope, err);
    int rc = records_reader_open(v->api->records, &reader, err);
    if (rc == 0) {
        records_reader_watch(reader, metric_call_watch, v->api->call);
        rc = job_reading_find(reader, scope, v->wanted.job, &v->job, err);
    }
    if (rc == 0) {
        v->wanted.params.from_ns = v->job.from_ns;
        v->wanted.params.to_ns = v->job.to_ns;
    }
    return rc == -EACCES ? -EAGAIN : rc; /* the client may; it is barod that may not */
}

static int v1_new(struct metric_api *api, struct net_request *request, struct v1 **ret,
                  struct err *err)
{
    AUTO(v1_free) struct v1 *v = calloc(1, sizeof *v);
    if (!v)
        return -ENOMEM;
    struct job_scope scope;
    v->api = api;
    metric_missing_init(&v->missing);
    job_scope_init(&scope, &net_request_identity(request)->client);
    int rc = v1_query_parse(request, &v->wanted, err);
    if (rc == 0)
        rc = job_find(v, &scope, err);
    if (rc == 0)
        rc = metric_reader_new(api->store, &v->reader);
    if (rc < 0)
        return rc;
    metric_reader_watch(v->reader, metric_call_watch, api->call);
    components_name(v);
    v->writer = (struct v1_writer){ .form = v->wanted.params.form,
                                    .want = v->wanted.params.want,
                                    .counters = v->wanted.params.counters,
                                    .step_ns = v->wanted.params.step_ns,
                                    .missing = &v->missing };
    metric_visit_begin(&v->visit, api->store);
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

void metric_v1_query_handle(void *arg, struct net_request *request)
{
    struct v1 *v = NULL;
    struct err err = { 0 };
    int rc = v1_new(arg, request, &v, &err);
    if (rc < 0) {
        metric_call_error(arg, request, rc, &err);
        return;
    }
    const struct net_stream stream = {
        .next = next_piece, .free = v1_free, .state = v, .coding = NET_STREAM_NEGOTIATED
    };
    metric_call_stream(arg, request, v1_content_type(v->wanted.params.form), &stream);
}
