/* SPDX-License-Identifier: Apache-2.0 */
/* routes - the table of routes. */
#include "api/routes.h"

#include "api/job_context_route.h"
#include "api/job_routes.h"
#include "api/node_route.h"
#include "api/openapi.h"
#include "api/params.h"
#include "api/status.h"

#define READERS NET_ROLE_READER

typedef int query_fn(const struct query_ctx *ctx, struct selection *sel,
                     struct table *ret, struct err *err);

static int run_table(query_fn *query, const struct query_ctx *ctx,
                     struct selection *sel, struct strbuf *out, struct err *err)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = query(ctx, sel, &table, err);
    if (rc == 0)
        rc = budget_hold_add(sel->hold, table_bytes(&table));
    if (rc < 0)
        return rc;
    table_to_json(&table, out);
    return strbuf_error(out);
}

static int run_top(struct api *api, const struct query_ctx *ctx, struct selection *sel,
                   struct strbuf *out, struct err *err)
{
    (void)api;
    return run_table(query_top, ctx, sel, out, err);
}

static int run_rates(struct api *api, const struct query_ctx *ctx,
                     struct selection *sel, struct strbuf *out, struct err *err)
{
    (void)api;
    return run_table(query_rates, ctx, sel, out, err);
}

static int run_series(struct api *api, const struct query_ctx *ctx,
                      struct selection *sel, struct strbuf *out, struct err *err)
{
    (void)api;
    return run_table(query_series, ctx, sel, out, err);
}

static int run_job(struct api *api, const struct query_ctx *ctx, struct selection *sel,
                   struct strbuf *out, struct err *err)
{
    (void)api;
    struct table parts[QUERY_JOB_PART_COUNT];
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
    int rc = query_job(ctx, sel, parts, err);
    if (rc == 0)
        query_job_to_json(parts, out);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
    return rc < 0 ? rc : strbuf_error(out);
}

static int run_status(struct api *api, const struct query_ctx *ctx,
                      struct selection *sel, struct strbuf *out, struct err *err)
{
    (void)sel, (void)err;
    status_write(api, ctx, out);
    return strbuf_error(out);
}

static int run_openapi(struct api *api, const struct query_ctx *ctx,
                       struct selection *sel, struct strbuf *out, struct err *err)
{
    (void)api, (void)ctx, (void)sel, (void)err;
    api_openapi(out);
    return strbuf_error(out);
}

const struct api_route api_routes[] = {
    { .method = "GET",
      .path = "/v1/jobstats/top",
      .roles = READERS,
      .summary = "Jobs and users that do most now, and since when.",
      .response = "Table",
      .params = PARAM_FILTER | PARAM_WINDOW | PARAM_SUM | PARAM_LIMIT,
      .run = run_top },
    { .method = "GET",
      .path = "/v1/jobstats/rates",
      .roles = READERS,
      .summary = "Totals and rates by window and group.",
      .response = "Table",
      .params = PARAM_FILTER | PARAM_WINDOW | PARAM_SUM | PARAM_STEP | PARAM_LIMIT,
      .run = run_rates },
    { .method = "GET",
      .path = "/v1/jobstats/series",
      .roles = READERS,
      .summary = "Time series that exist, and what their identifiers contain.",
      .response = "Table",
      .params = PARAM_FILTER | PARAM_LIMIT,
      .run = run_series },
    { .method = "GET",
      .path = "/v1/jobstats/job/{id}",
      .roles = READERS,
      .summary = "One job on one page: what it did, where and when.",
      .response = "JobPage",
      .params = PARAM_JOB,
      .path_param = "id",
      .path_help = "The job's id; of a login entry <executable>.<user>.",
      .run = run_job },
    { .method = "POST",
      .path = "/v1/jobstats",
      .roles = NET_ROLE_AGENT,
      .summary = "Store a batch of rows; doc/formats/jobstats-json.md describes it.",
      .response = "BatchResponse",
      .request = "Batch",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/jobs",
      .roles = READERS,
      .summary = "Which jobs ran when and where, as batch systems reported it.",
      .response = "Table",
      .params = PARAM_JOBS,
      .read = jobs_read,
      .fetch = jobs_fetch },
    { .method = "GET",
      .path = "/v1/jobs/{id}",
      .roles = READERS,
      .summary = "All that barod knows of one job: as batch systems reported it, the "
                 "summary of its log, its traffic by target, metrics of its nodes.",
      .response = "JobContext",
      .params = PARAM_JOB_CONTEXT,
      .path_param = "id",
      .path_help = "The job's id, as people write it or as the batch system counts.",
      .read = job_context_read,
      .fetch = job_context_fetch },
    { .method = "POST",
      .path = "/v1/jobs",
      .roles = NET_ROLE_SCHEDULER,
      .summary = "Submit jobs: a line of JSON each, as baro job import prints it.",
      .response = "LinesResponse",
      .request = "Lines",
      .request_type = "application/x-ndjson",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/summaries",
      .roles = READERS,
      .summary = "Logs of jobs, summarised.",
      .response = "Table",
      .params = PARAM_SUMMARIES,
      .read = summaries_read,
      .fetch = summaries_fetch },
    { .method = "POST",
      .path = "/v1/summaries",
      .roles = NET_ROLE_SCHEDULER,
      .summary = "Submit summaries: a line of JSON each, as baro job summarize "
                 "prints them, with _cluster.",
      .response = "LinesResponse",
      .request = "Lines",
      .request_type = "application/x-ndjson",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/metrics",
      .roles = READERS,
      .summary = "Which metrics there are.",
      .response = "Table",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/series",
      .roles = READERS,
      .summary = "Which components have which metrics.",
      .response = "Table",
      .params = PARAM_SERIES,
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/query",
      .roles = READERS,
      .summary = "Samples and statistics of metrics.",
      .response = "Samples",
      .params = PARAM_SAMPLES,
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/nodes",
      .roles = READERS,
      .summary =
          "Which nodes differ from comparable ones: silent, low, high, stuck; in "
          "what, by how much, since when.",
      .response = "Table",
      .params = PARAM_NODES,
      .read = nodes_read,
      .fetch = nodes_fetch },
    { .method = "POST",
      .path = "/api/query",
      .roles = READERS,
      .summary = "Samples as cc-metric-store returns them; also GET, with a body.",
      .response = "CompatResponse",
      .request = "CompatQuery",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/api/healthcheck",
      .roles = READERS,
      .summary = "Which metrics of hosts are well, with a body; also POST.",
      .response = "Document",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/api/debug",
      .roles = READERS,
      .summary = "What the store holds.",
      .response = "Document",
      .params = PARAM_DEBUG,
      .is_elsewhere = true },
    { .method = "POST",
      .path = "/api/free",
      .roles = NET_ROLE_ADMIN,
      .summary = "Release memory; files still have the samples.",
      .response = "Text",
      .request = "Selectors",
      .params = PARAM_FREE,
      .is_elsewhere = true },
    { .method = "POST",
      .path = "/v1/store/exempt",
      .roles = NET_ROLE_ADMIN,
      .summary = "Exempt hosts from the retention in memory, such as "
                 "those with running jobs.",
      .response = "Exempt",
      .params = PARAM_EXEMPT,
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/store/senders",
      .roles = NET_ROLE_ADMIN,
      .summary = "Who has created how many series and metrics, and how many each may.",
      .response = "Table",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/status",
      .roles = READERS,
      .summary = "State of the daemon: what it stores and counted.",
      .response = "Status",
      .run = run_status },
    { .method = "GET",
      .path = "/v1/whoami",
      .roles = NET_ROLE_READER | NET_ROLE_AGENT,
      .summary = "Identity of the sender as the server sees it, and the server's time.",
      .response = "Identity",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/tokens",
      .roles = NET_ROLE_ADMIN,
      .summary = "The tokens that were shown in the last week, and when each ends.",
      .response = "Table",
      .is_elsewhere = true },
    { .method = "POST",
      .path = "/api/write",
      .roles = NET_ROLE_AGENT,
      .summary = "Store samples, as cc-metric-collector sends them.",
      .response = "Document",
      .request = "LineProtocol",
      .request_type = "text/plain",
      .is_elsewhere = true },
    { .method = "POST",
      .path = "/write",
      .roles = NET_ROLE_AGENT,
      .summary = "Store samples, as clients of InfluxDB 1 send them.",
      .request = "LineProtocol",
      .request_type = "text/plain",
      .is_elsewhere = true },
    { .method = "POST",
      .path = "/api/v2/write",
      .roles = NET_ROLE_AGENT,
      .summary = "Store samples, as clients of InfluxDB 2 send them.",
      .request = "LineProtocol",
      .request_type = "text/plain",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/metrics",
      .roles = READERS,
      .summary = "What barod counted of itself, for Prometheus.",
      .response = "Text",
      .response_type = "text/plain",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/healthz",
      .roles = NET_ROLE_NONE,
      .summary = "Whether barod stores what it is sent; 503 states why not.",
      .response = "Document",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/openapi.json",
      .roles = NET_ROLE_NONE,
      .summary = "This document.",
      .response = "Document",
      .run = run_openapi },
};
const size_t api_route_count = COUNT_OF(api_routes);

void api_openapi(struct strbuf *out)
{
    openapi_write(api_routes, api_route_count, out);
}
