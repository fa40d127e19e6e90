/* SPDX-License-Identifier: Apache-2.0 */
/* job_selection - which runs of jobs a command is about, out of files or of a barod. */
#include "client/job/job_selection.h"

#include "base/clock.h"
#include "base/span.h"
#include "base/timetext.h"

#include <stdlib.h>

static int time_parse(const char *option, const char *text, int64_t now_ns,
                      int64_t *ret_ns, struct err *err)
{
    if (!text || timetext_parse_user(span_of(text), now_ns, ret_ns) == 0)
        return 0;
    return err_set(err, EINVAL,
                   "--%s: '%s' is not a time (2026-11-21T06:00Z, -2h, now, @SECONDS)",
                   option, text);
}

int job_selection_parse(const struct job_selection_args *args, struct job_query *ret,
                        struct err *err)
{
    struct job_query query = { .from_ns = INT64_MIN, .to_ns = INT64_MAX };
    struct job_files files; /* its options are looked at */
    int64_t now_ns = clock_now_ns();
    int rc = time_parse("from", args->from, now_ns, &query.from_ns, err);
    if (rc == 0)
        rc = time_parse("to", args->to, now_ns, &query.to_ns, err);
    if (rc == 0)
        rc = job_files_init(&files, &args->files, err);
    if (rc < 0)
        return rc;
    if (args->last_ns && args->from)
        return err_set(err, EINVAL,
                       "--last: '%s' is not needed with --from: give one of them",
                       args->from);
    if (args->last_ns && !args->to)
        query.to_ns = now_ns;
    if (args->last_ns)
        query.from_ns = query.to_ns - args->last_ns;
    query.user = args->user ? span_of(args->user) : (struct span){ 0 };
    query.cluster = span_of(args->cluster ? args->cluster : "");
    query.node = span_of(args->node ? args->node : "");
    AUTO(hostset_free) struct hostset *hosts = NULL;
    if (args->node) {
        struct err why = { 0 };
        rc = hostset_parse(query.node, &hosts, &why);
        if (rc < 0)
            return err_set(err, -rc, "--node: %s", why.text);
    }
    *ret = query;
    return 0;
}

bool job_selection_has_server(const struct job_selection_args *args)
{
    const char *usual = getenv("BARO_SERVER");
    return args->client.endpoint.server || (usual && *usual);
}

bool job_is_selected(const struct job *job, const char *id, const char *array)
{
    bool is_id = !id || span_is(job->id, id) || span_is(job->raw_id, id);
    struct span of = job_array_id(job->id);
    return is_id && (!array || (of.size < job->id.size && span_is(of, array)));
}

static struct job_files_filter filter_of(const struct job_selection_args *args,
                                         const struct job_query *query)
{
    return (struct job_files_filter){
        .id = args->id,
        .array = args->array,
        .cluster = args->cluster,
        .node = args->node,
        .user = args->user,
        .from_ns = query->from_ns == INT64_MIN ? JOB_TIME_NONE : query->from_ns,
        .to_ns = query->to_ns == INT64_MAX ? JOB_TIME_NONE : query->to_ns,
    };
}

int job_selection_footprints(const struct job_selection_args *args,
                             const struct job_query *query, const char *name,
                             const struct job_footprints_request *request,
                             struct table *ret, struct err *err)
{
    const struct job_files_filter filter = filter_of(args, query);
    if (!client_endpoint_is_server(name))
        return err_set(err, EINVAL,
                       "%s: footprints are stored by a barod: name it with --server",
                       name);
    return job_files_footprints(name, &args->client.endpoint, &filter, request, ret,
                                err);
}

static int operand_read(const struct job_selection_args *args, struct job_files *files,
                        const char *name, const struct job_query *query,
                        struct job_list *list, struct err *err)
{
    const struct job_files_filter filter = filter_of(args, query);
    return client_endpoint_is_server(name)
               ? job_files_query(files, name, &args->client.endpoint, &filter, list,
                                 err)
               : job_files_read(files, name, list, err);
}

int job_selection_read(const struct job_selection_args *args,
                       const struct job_query *query, int operand_count,
                       char **operands, struct job_list *list, struct err *err)
{
    struct job_files files;
    int rc = job_files_init(&files, &args->files, err);
    for (int i = 0; rc == 0 && i < operand_count; i++)
        rc = operand_read(args, &files, operands[i], query, list, err);
    if (rc == 0 && operand_count == 0)
        rc = operand_read(args, &files, "barod", query, list, err);
    if (rc == 0 && job_list_name_users(list) < 0)
        rc = err_set(err, ENOMEM, "out of memory");
    return rc;
}
