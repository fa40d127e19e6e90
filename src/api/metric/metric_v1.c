/* SPDX-License-Identifier: Apache-2.0 */
/* metric_v1 - /v1/query: components and metrics by pattern, a range, a step. */
#include "api/metric/metric_v1.h"
#include "api/metric/metric_call.h"
#include "api/metric/metric_routes.h"
#include "api/metric/metric_samples.h"

#include "api/params.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>
#include <stdlib.h>

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

void v1_query_init(struct v1_query *query)
{
    *query = (struct v1_query){ 0 };
    metric_params_init(&query->params, clock_now_ns());
}

int v1_query_add(struct v1_query *query, struct span name, struct span value,
                 struct err *err)
{
    int rc = param_parse(query, name, value, err);
    if (is_of_job(name))
        query->other = name;
    return rc == -ENOENT ? api_params_refuse_name(PARAM_SAMPLES, name, "/v1/query", err)
                         : rc;
}

int v1_query_settle(struct v1_query *query, struct err *err)
{
    if (query->metric.size == 0)
        return err_set(err, EINVAL, "metric: which? /v1/metrics lists them");
    if (query->job.size > 0 && query->other.size > 0)
        return err_set(err, EINVAL,
                       SPAN_FMT ": a job has its own nodes and time: leave it out, or "
                                "job",
                       SPAN_ARG(query->other));
    if (query->component_count == 0 && query->job.size == 0) {
        query->is_every_host = true;
        (void)component_add(query, SPAN("*/*"), NULL);
    }
    return metric_params_settle(&query->params, err);
}

int v1_query_parse(struct net_request *request, struct v1_query *ret, struct err *err)
{
    struct v1_query wanted;
    struct span name, value;
    int rc = 0;
    v1_query_init(&wanted);
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value); i++)
        rc = v1_query_add(&wanted, name, value, err);
    if (rc == 0)
        rc = v1_query_settle(&wanted, err);
    if (rc == 0)
        *ret = wanted;
    return rc;
}

/* ---- the route ---- */

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
static int job_find(const struct metric_api *api, const struct job_scope *scope,
                    struct span id, struct job_reading *ret, struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    if (id.size == 0)
        return job_require(scope, err);
    int rc = records_reader_open(api->records, &reader, err);
    if (rc == 0) {
        records_reader_watch(reader, metric_call_watch, api->call);
        rc = job_reading_find(reader, scope, id, ret, err);
    }
    return rc == -EACCES ? -EAGAIN : rc; /* the client may; it is barod that may not */
}

static int samples_new(struct metric_api *api, struct net_request *request,
                       struct metric_samples **ret, enum metric_form *ret_form,
                       struct err *err)
{
    AUTO(job_reading_done) struct job_reading job = JOB_READING_INIT;
    struct v1_query query;
    struct job_scope scope;
    const struct metric_reading reading = { .store = api->store,
                                            .watch = metric_call_watch,
                                            .watch_arg = api->call,
                                            .hold = metric_call_hold(api->call) };
    job_scope_init(&scope, &net_request_identity(request)->client);
    int rc = v1_query_parse(request, &query, err);
    if (rc == 0)
        rc = job_find(api, &scope, query.job, &job, err);
    if (rc < 0)
        return rc;
    *ret_form = query.params.form;
    return metric_samples_new(&reading, &query, query.job.size > 0 ? &job : NULL, ret,
                              err);
}

void metric_v1_query_handle(void *arg, struct net_request *request)
{
    struct metric_samples *samples = NULL;
    enum metric_form form = METRIC_FORM_JSON;
    struct err err = { 0 };
    int rc = samples_new(arg, request, &samples, &form, &err);
    if (rc < 0) {
        metric_call_error(arg, request, rc, &err);
        return;
    }
    const struct net_stream stream = { .next = metric_samples_next,
                                       .free = metric_samples_free,
                                       .state = samples,
                                       .coding = NET_STREAM_NEGOTIATED };
    metric_call_stream(arg, request, v1_content_type(form), &stream);
}
