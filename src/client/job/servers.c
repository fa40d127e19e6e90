/* SPDX-License-Identifier: Apache-2.0 */
/* servers - what the servers counted of jobs, requested from a barod or its database.
 */
#include "client/job/servers.h"

#include "base/clock.h"
#include "base/span.h"
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
    return rows == JOB_ROWS_SUMMARY ? summary_table_read(client, &sel, ret, err)
                                    : client_table(client, CLIENT_TOP, &sel, ret, err);
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

struct job_inputs job_endpoint_inputs(struct job_endpoint *endpoint)
{
    return (struct job_inputs){ .arg = endpoint,
                                .cluster = endpoint->cluster,
                                .servers = input_servers,
                                .stored = input_stored };
}
