/* SPDX-License-Identifier: Apache-2.0 */
/* servers - what the servers counted of jobs, requested from a barod or its database.
 */
#include "client/job/servers.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "client/job/files.h"
#include "client/job/operand.h"

/* The summary alone of what is known of a job. */
static int summary_table_read(struct client *client, struct selection *sel,
                              struct table *ret, struct err *err)
{
    struct table parts[QUERY_JOB_PART_COUNT];
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
    int rc = client_job(client, sel, parts, err);
    if (rc == 0) {
        table_done(ret);
        *ret = parts[QUERY_JOB_SUMMARY];
        table_init(&parts[QUERY_JOB_SUMMARY]);
    }
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
    return rc;
}

static int rows_read(void *arg, enum job_rows rows, const struct job_rows_param *params,
                     size_t count, struct table *ret, struct err *err)
{
    const struct client_endpoint *endpoint = arg;
    AUTO(client_close) struct client *client = NULL;
    AUTO(selection_done) struct selection sel;
    selection_init(&sel, clock_now_ms());
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc =
            selection_set(&sel, span_of(params[i].name), span_of(params[i].value), err);
    if (rc == 0)
        rc = client_open(endpoint, &client, err);
    if (rc < 0)
        return rc;
    return rows == JOB_ROWS_SUMMARY
               ? summary_table_read(client, &sel, ret, err)
               : client_table(client, CLIENT_RATES, &sel, ret, err);
}

int job_servers_query(const struct client_endpoint *endpoint,
                      const struct job_request *job, struct job_servers *ret,
                      struct err *err)
{
    const struct job_rows_source source = { (void *)(uintptr_t)endpoint, rows_read };
    return job_server_rows_read(&source, job, ret, err);
}

/* ---- as inputs ---- */

static int input_servers(void *arg, const struct job_request *job,
                         struct job_servers *ret, struct err *err)
{
    const struct job_endpoint *e = arg;
    return job_servers_query(e->endpoint, job, ret, err);
}

/* How its targets were: rows of a route of that range. */
static int targets_request(const struct job_endpoint *e, const char *path,
                           const char *by, const struct job_target_request *request,
                           struct table *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(client_http_close) struct client_http *http = NULL;
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE];
    struct span body;
    if (e->endpoint->records)
        return err_set(err, ENOENT, "a database has no totals of targets");
    (void)timetext_print(from, request->from_ns);
    (void)timetext_print(to, request->to_ns);
    net_url_init(&url, path);
    net_url_add(&url, "by", by);
    net_url_add(&url, "fs", request->fs);
    net_url_add(&url, "from", from);
    net_url_add(&url, "to", to);
    int rc = client_http_open(e->endpoint, &http, err);
    if (rc == 0)
        rc = client_http_get_url(http, &url, &body, err);
    return rc == 0 ? table_from_json(body, ret, err) : rc;
}

static int input_space(void *arg, const struct job_target_request *request,
                       struct table *ret, struct err *err)
{
    return targets_request(arg, "/v1/space", "target", request, ret, err);
}

static int input_moves(void *arg, const struct job_target_request *request,
                       struct table *ret, struct err *err)
{
    return targets_request(arg, "/v1/failovers", NULL, request, ret, err);
}

static int input_stored(void *arg, const char *id, struct job_context *ret,
                        struct err *err)
{
    const struct job_endpoint *e = arg;
    AUTO(job_operand_done) struct job_operand job = { 0 };
    int rc = job_operand_find(e->endpoint, e->cluster, id, &job, err);
    if (rc == 0 && !job.is_stored)
        return err_set(err, ENOENT, "%s: a file", id);
    if (rc == 0 && job_context_copy(&job.stored, ret) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return rc;
}

/* ---- its record, and metrics of its nodes ---- */

#define RECORD_SLACK_NS (120 * NS_PER_S) /* clocks of log and batch system differ */

/* The run that lasted at t_ns: ids are used again. */
static bool run_is_at(const struct job *run, int64_t t_ns)
{
    return run->start_ns != JOB_TIME_NONE && run->start_ns <= t_ns + RECORD_SLACK_NS &&
           (run->end_ns == JOB_TIME_NONE || run->end_ns >= t_ns - RECORD_SLACK_NS);
}

static int input_record(void *arg, const char *id, int64_t t_ns,
                        struct job_context *ret, struct err *err)
{
    const struct job_endpoint *e = arg;
    AUTO(job_list_done) struct job_list runs = { 0 };
    struct job_files files = { 0 };
    const struct job_files_filter filter = { .id = id,
                                             .cluster = e->cluster,
                                             .from_ns = JOB_TIME_NONE,
                                             .to_ns = JOB_TIME_NONE };
    const struct job *found = NULL;
    if (e->endpoint->records)
        return err_set(err, ENOENT, "records of jobs are requested of a barod");
    job_list_init(&runs);
    int rc = job_files_query(&files, "barod", e->endpoint, &filter, &runs, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < runs.count; i++)
        if (run_is_at(&runs.jobs[i], t_ns)) {
            /* Two clusters use one number: neither is it for sure. */
            if (found && !span_eq(found->cluster, runs.jobs[i].cluster))
                return err_set(err, ENOENT,
                               "jobs %s ran on several clusters then (--cluster)", id);
            found = &runs.jobs[i];
        }
    if (!found)
        return err_set(err, ENOENT, "no batch system has reported it");
    job_context_set_record(ret, found);
    return ret->error;
}

static int nodes_request(const struct job_endpoint *e, const struct job_request *job,
                         struct arena *arena, struct node_samples *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(client_http_close) struct client_http *http = NULL;
    struct span body;
    net_url_init(&url, "/v1/jobs");
    net_url_add_segment(&url, span_of(job->id));
    net_url_add_segment(&url, SPAN("nodes"));
    net_url_add(&url, "cluster", job->cluster ? job->cluster : e->cluster);
    int rc = client_http_open(e->endpoint, &http, err);
    if (rc == 0)
        rc = client_http_get_url(http, &url, &body, err);
    return rc == 0 ? node_samples_read(body, arena, ret, err) : rc;
}

static int input_nodes(void *arg, const struct job_request *job, struct arena *arena,
                       struct node_samples *ret, struct err *err)
{
    const struct job_endpoint *e = arg;
    struct node_samples samples = { 0 };
    if (e->endpoint->records)
        return err_set(err, ENOENT, "a database has no metrics: name a barod");
    if (!job->id)
        return err_set(err, ENOENT, "its id is not known");
    int rc = nodes_request(e, job, arena, &samples, err);
    if (rc < 0)
        return rc;
    /* The barod's run of this id may be a later one. */
    if (samples.from_ns > job->end_s * NS_PER_S + RECORD_SLACK_NS ||
        samples.to_ns < job->start_s * NS_PER_S - RECORD_SLACK_NS)
        return err_set(err, ENOENT, "another run of job %s was the last", job->id);
    *ret = samples;
    return 0;
}

struct job_inputs job_endpoint_inputs(struct job_endpoint *endpoint)
{
    return (struct job_inputs){ .arg = endpoint,
                                .cluster = endpoint->cluster,
                                .wants_steps = endpoint->wants_steps,
                                .servers = input_servers,
                                .space = input_space,
                                .moves = input_moves,
                                .stored = input_stored,
                                .record = input_record,
                                .nodes = input_nodes };
}
