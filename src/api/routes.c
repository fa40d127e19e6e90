/* SPDX-License-Identifier: Apache-2.0 */
/* routes - the table of routes and of their parameters. */
#include "api/routes.h"

#include "api/job_routes.h"

#define READERS NET_ROLE_READER

const struct api_param api_params[] = {
    { "fs", "string", "Only this file system, by the name the site gives it.",
      PARAM_FILTER | PARAM_JOB | PARAM_SUMMARIES },
    { "target", "string", "Only targets that fit: a pattern with * ? [].",
      PARAM_FILTER },
    { "job", "string", "Only this job.", PARAM_FILTER | PARAM_SUMMARIES },
    { "user", "string", "Only this user.",
      PARAM_FILTER | PARAM_JOB | PARAM_JOBS | PARAM_SUMMARIES },
    { "group", "string", "Only this group.", PARAM_FILTER },
    { "node", "string", "Only this node.", PARAM_FILTER },
    { "executable", "string", "Only this executable.", PARAM_FILTER },
    { "entry", "string", "Only this identifier, in its text form (\\xHH).",
      PARAM_FILTER },
    { "id", "string", "Only this time series: its time_series_id.", PARAM_FILTER },
    { "server", "string", "Only what this Lustre server observed.", PARAM_WINDOW },
    { "from", "string",
      "Beginning of the window, exclusive: RFC 3339, a date, -2h, @seconds or now.",
      PARAM_WINDOW | PARAM_JOB },
    { "to", "string", "End of the window, inclusive; default: the newest observation.",
      PARAM_WINDOW | PARAM_JOB },
    { "last", "string", "Length of the window instead of its beginning: 10m, 2h.",
      PARAM_WINDOW },
    { "op", "string",
      "Comma-separated: write_bytes, read_bytes, metadata, iops, all, or operations of "
      "Lustre, with _usecs for their time and _count for requests of bytes.",
      PARAM_SUM },
    { "by", "string",
      "Comma-separated: fs, target, server, job, user, group, node, executable, "
      "op (each operation a row).",
      PARAM_SUM },
    { "step", "string", "Cut the window in pieces of this length.", PARAM_STEP },
    { "density", "string",
      "yes: count the groups by the decade of their rate of the first op.",
      PARAM_STEP },
    { "limit", "integer", "So many groups, or series, at most.",
      PARAM_LIMIT | PARAM_SERIES },
    { "component", "string",
      "Path of components, level by level, with * ? []: alex/a09*/hwthread:*.  Default "
      "of a query: every host.",
      PARAM_SAMPLES | PARAM_SERIES },
    { "metric", "string", "Patterns of metrics, comma-separated; of series one.",
      PARAM_SAMPLES | PARAM_SERIES },
    { "from", "string", "Beginning: RFC 3339, a date, -2h, @seconds or now.",
      PARAM_SAMPLES },
    { "to", "string", "End, exclusive; default: now.", PARAM_SAMPLES },
    { "last", "string", "Length of the range instead of its beginning; default: 1h.",
      PARAM_SAMPLES },
    { "step", "string", "Distance of points; default: as they are kept.",
      PARAM_SAMPLES },
    { "resample", "string", "average (default), or triangles: the shape of the line.",
      PARAM_SAMPLES },
    { "aggregate", "string", "sum or avg: one answer for all components.",
      PARAM_SAMPLES },
    { "top", "integer", "Only so many, those with the largest.", PARAM_SAMPLES },
    { "by", "string", "Largest what: avg (default), min, max or sum.", PARAM_SAMPLES },
    { "statistics", "string", "no (default), yes, or only: without values.",
      PARAM_SAMPLES },
    { "format", "string", "json (of a query), table or csv.",
      PARAM_SAMPLES | PARAM_SERIES },
    { "to", "integer", "Seconds since the epoch; required.", PARAM_FREE },
    { "cluster", "string", "Whose hosts; required.", PARAM_SPARE },
    { "hosts", "string", "A set of them: a[0901-0964],f0104; required.", PARAM_SPARE },
    { "until", "string",
      "RFC 3339 or @seconds, at most 31 days from now; now ends it; required.",
      PARAM_SPARE },
    { "cluster", "string", "Only this cluster; empty: those that tell none.",
      PARAM_JOBS | PARAM_SUMMARIES },
    { "id", "string", "Only this job, as people write it or as the system counts.",
      PARAM_JOBS },
    { "account", "string", "Only this account.", PARAM_JOBS },
    { "state", "string", "Only in this state: the whole, or its first word.",
      PARAM_JOBS },
    { "node", "string", "Only those that ran on it; wants from, or id.", PARAM_JOBS },
    { "app", "string", "Only this application.", PARAM_SUMMARIES },
    { "from", "string",
      "Only what ran at or after it: RFC 3339, a date, -2h, @seconds or now.",
      PARAM_JOBS | PARAM_SUMMARIES },
    { "to", "string", "Only what ran before it.", PARAM_JOBS | PARAM_SUMMARIES },
    { "limit", "integer",
      "So many at most, 1 to 100000, the newest start first; default: 1000.",
      PARAM_JOBS | PARAM_SUMMARIES },
    { "format", "string", "table (default), or lines: as they are posted.",
      PARAM_JOBS },
    { "format", "string",
      "table (default) of some columns, lines as they are posted, or csv.",
      PARAM_SUMMARIES },
    { "selector", "string", "cluster:host:...; default: all.", PARAM_DEBUG },
};
const size_t api_param_count = COUNT_OF(api_params);

typedef int question_fn(const struct query_ctx *ctx, struct selection *sel,
                        struct table *ret, struct err *err);

static int answer_table(question_fn *question, const struct query_ctx *ctx,
                        struct selection *sel, struct strbuf *out, struct err *err)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = question(ctx, sel, &table, err);
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
    return answer_table(query_top, ctx, sel, out, err);
}

static int run_rates(struct api *api, const struct query_ctx *ctx,
                     struct selection *sel, struct strbuf *out, struct err *err)
{
    (void)api;
    return answer_table(query_rates, ctx, sel, out, err);
}

static int run_series(struct api *api, const struct query_ctx *ctx,
                      struct selection *sel, struct strbuf *out, struct err *err)
{
    (void)api;
    return answer_table(query_series, ctx, sel, out, err);
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
    api_write_status(api, ctx, out);
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
      .summary = "Who does most, right now, and since when.",
      .answer = "Table",
      .params = PARAM_FILTER | PARAM_WINDOW | PARAM_SUM | PARAM_LIMIT,
      .run = run_top },
    { .method = "GET",
      .path = "/v1/jobstats/rates",
      .roles = READERS,
      .summary = "Totals and rates by window and group.",
      .answer = "Table",
      .params = PARAM_FILTER | PARAM_WINDOW | PARAM_SUM | PARAM_STEP | PARAM_LIMIT,
      .run = run_rates },
    { .method = "GET",
      .path = "/v1/jobstats/series",
      .roles = READERS,
      .summary = "Which time series there are, and what their identifiers say.",
      .answer = "Table",
      .params = PARAM_FILTER | PARAM_LIMIT,
      .run = run_series },
    { .method = "GET",
      .path = "/v1/jobstats/job/{id}",
      .roles = READERS,
      .summary = "One job on one page: what it did, where and when.",
      .answer = "JobPage",
      .params = PARAM_JOB,
      .path_param = "id",
      .path_help = "The job's id; of a login entry <executable>.<user>.",
      .run = run_job },
    { .method = "POST",
      .path = "/v1/jobstats",
      .roles = NET_ROLE_AGENT,
      .summary = "Take in a batch of rows; doc/formats/jobstats-json.md describes it.",
      .answer = "BatchResponse",
      .request = "Batch",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/jobs",
      .roles = READERS,
      .summary = "Which jobs ran when and where, as batch systems told it.",
      .answer = "Table",
      .params = PARAM_JOBS,
      .read = jobs_read,
      .tell = jobs_tell },
    { .method = "POST",
      .path = "/v1/jobs",
      .roles = NET_ROLE_SCHEDULER,
      .summary = "Tell of jobs: a line of JSON each, as baro job import prints it.",
      .answer = "LinesResponse",
      .request = "Lines",
      .request_type = "application/x-ndjson",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/summaries",
      .roles = READERS,
      .summary = "Logs of jobs, summarised.",
      .answer = "Table",
      .params = PARAM_SUMMARIES,
      .read = summaries_read,
      .tell = summaries_tell },
    { .method = "POST",
      .path = "/v1/summaries",
      .roles = NET_ROLE_SCHEDULER,
      .summary = "Tell of summaries: a line of JSON each, as baro job summarize "
                 "prints them, with _cluster.",
      .answer = "LinesResponse",
      .request = "Lines",
      .request_type = "application/x-ndjson",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/metrics",
      .roles = READERS,
      .summary = "Which metrics there are.",
      .answer = "Table",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/series",
      .roles = READERS,
      .summary = "Which components have which metrics.",
      .answer = "Table",
      .params = PARAM_SERIES,
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/query",
      .roles = READERS,
      .summary = "Samples and statistics of metrics.",
      .answer = "Samples",
      .params = PARAM_SAMPLES,
      .is_elsewhere = true },
    { .method = "POST",
      .path = "/api/query",
      .roles = READERS,
      .summary = "Samples as cc-metric-store answers them; also GET, with a body.",
      .answer = "CompatAnswer",
      .request = "CompatQuery",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/api/healthcheck",
      .roles = READERS,
      .summary = "Which metrics of hosts are well, with a body; also POST.",
      .answer = "Document",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/api/debug",
      .roles = READERS,
      .summary = "What the store holds.",
      .answer = "Document",
      .params = PARAM_DEBUG,
      .is_elsewhere = true },
    { .method = "POST",
      .path = "/api/free",
      .roles = NET_ROLE_ADMIN,
      .summary = "Let go of memory; files keep the samples.",
      .answer = "Text",
      .request = "Selectors",
      .params = PARAM_FREE,
      .is_elsewhere = true },
    { .method = "POST",
      .path = "/v1/store/spare",
      .roles = NET_ROLE_ADMIN,
      .summary = "Keep the history of hosts in memory beyond the retention, such as of "
                 "those with running jobs.",
      .answer = "Spared",
      .params = PARAM_SPARE,
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/store/senders",
      .roles = NET_ROLE_ADMIN,
      .summary = "Who has created how many series and metrics, and how many each may.",
      .answer = "Table",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/status",
      .roles = READERS,
      .summary = "How the daemon is: what it keeps, what it counted.",
      .answer = "Status",
      .run = run_status },
    { .method = "GET",
      .path = "/v1/whoami",
      .roles = NET_ROLE_READER | NET_ROLE_AGENT,
      .summary = "Whom the server takes the sender for, and what time it has.",
      .answer = "Identity",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/tokens",
      .roles = NET_ROLE_ADMIN,
      .summary = "The tokens that were shown in the last week, and when each ends.",
      .answer = "Table",
      .is_elsewhere = true },
    { .method = "GET",
      .path = "/v1/openapi.json",
      .roles = NET_ROLE_NONE,
      .summary = "This document.",
      .answer = "Document",
      .run = run_openapi },
};
const size_t api_route_count = COUNT_OF(api_routes);
