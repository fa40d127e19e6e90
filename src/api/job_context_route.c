/* SPDX-License-Identifier: Apache-2.0 */
/* job_context_route - GET /v1/jobs/{id}: all that barod knows of one job. */
#include "api/job_context_route.h"

#include "api/job_evidence.h"
#include "base/span.h"
#include "base/utf8.h"
#include "report/report.h"

#include <string.h>

/* Texts are the query's own: the request's end with its handler. */
struct context_query {
    char id[JOB_WORD_BYTES_MAX + 1];
    char cluster[JOB_WORD_BYTES_MAX + 1];
    bool has_cluster;
};

static int word_copy(const char *name, struct span value,
                     char ret[static JOB_WORD_BYTES_MAX + 1], struct err *err)
{
    if (value.size > JOB_WORD_BYTES_MAX || memchr(value.data, 0, value.size) ||
        !utf8_is_valid(value))
        return err_set(err, EINVAL, "%s: too long, or no text", name);
    memcpy(ret, value.data, value.size);
    ret[value.size] = 0;
    return 0;
}

int job_context_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct context_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    int rc = word_copy("id", net_request_var(request, "id"), q->id, err);
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value);
         i++) {
        if (q->has_cluster)
            return err_set(err, EINVAL, "cluster: it is given twice");
        rc = word_copy("cluster", value, q->cluster, err);
        q->has_cluster = true;
    }
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

int job_context_fetch(const struct api_readers *readers, const void *query,
                      struct api_result *ret, struct err *err)
{
    const struct context_query *q = query;
    AUTO(job_evidence_done) struct job_evidence evidence;
    AUTO(job_context_done) struct job_context context;
    job_evidence_init(&evidence, readers,
                      q->has_cluster ? span_of(q->cluster) : (struct span){ 0 },
                      ret->hold);
    job_context_init(&context);
    int rc = job_build_stored(&evidence.inputs, q->id, &context, err);
    if (rc == 0)
        job_context_print_document(&context, ret->body);
    return rc < 0 ? rc : strbuf_error(ret->body);
}
