/* SPDX-License-Identifier: Apache-2.0 */
/* barod_parts - what a barod adds to the page of a log, or of its summary. */
#include "client/job/barod_parts.h"

#include "client/job/servers.h"

#include <stdlib.h>

/* A stored summary came from a barod. */
static const char no_server[] = "no barod was named, --server";

static bool has_barod(const struct client_endpoint *endpoint,
                      const struct job_operand *job)
{
    const char *usual = getenv("BARO_SERVER");
    return endpoint->server || job->is_stored || (usual && *usual);
}

int job_barod_rows_add(const struct client_endpoint *endpoint, struct job_operand *job,
                       struct job_assessment *page, series_log_fn *log, void *log_arg,
                       struct err *err)
{
    /* A page with the details of a log has pictures. */
    struct job_endpoint there = { .endpoint = endpoint,
                                  .wants_steps = page->work != NULL };
    const struct job_inputs inputs = job_endpoint_inputs(&there);
    const struct series_opts reports = { .log = log, .log_arg = log_arg };
    struct err why = { 0 };
    if (!endpoint->records && !has_barod(endpoint, job)) {
        job->of_log.servers_refused = no_server;
        return 0;
    }
    int rc = job_build_servers(&inputs, &page->run, &job->of_log, &why);
    if (rc < 0 && (endpoint->server || endpoint->records))
        return err_set(err, -rc, "%s", why.text);
    page->targets = &job->of_log.targets;
    if (job->of_log.has_servers)
        page->servers = &job->of_log.servers;
    else
        series_log(&reports, "nothing from the servers: %s",
                   rc < 0 ? why.text : job->of_log.servers_refused);
    return 0;
}

int job_barod_nodes_add(const struct client_endpoint *endpoint, const char *cluster,
                        struct job_operand *job, struct job_assessment *page,
                        struct err *err)
{
    struct job_endpoint there = { .endpoint = endpoint, .cluster = cluster };
    const struct job_inputs inputs = job_endpoint_inputs(&there);
    struct job_context *context = page->has_run ? &job->of_log : &job->stored;
    struct err why = { 0 };
    page->nodes = &context->nodes;
    page->record = &context->identity;
    if (!has_barod(endpoint, job)) {
        context->nodes.refused = endpoint->records
                                     ? "a database has none: name a barod, --server"
                                     : no_server;
        return 0;
    }
    int rc = job_build_nodes(&inputs, context, &why);
    return rc < 0 && endpoint->server ? err_set(err, -rc, "%s", why.text) : 0;
}
