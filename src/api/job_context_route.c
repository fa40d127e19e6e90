/* SPDX-License-Identifier: Apache-2.0 */
/* job_context_route - GET /v1/jobs/{id}: all that barod knows of one job. */
#include "api/job_context_route.h"

#include "api/job_evidence.h"
#include "base/span.h"
#include "base/utf8.h"
#include "report/report.h"

#include <string.h>

enum context_form { CONTEXT_JSON, CONTEXT_TEXT, CONTEXT_LINE, CONTEXT_FORM_COUNT };

static const char *const form_names[CONTEXT_FORM_COUNT] = {
    [CONTEXT_JSON] = "json",
    [CONTEXT_TEXT] = "text",
    [CONTEXT_LINE] = "line",
};

/* Texts are the query's own: the request's end with its handler. */
struct context_query {
    char id[JOB_WORD_BYTES_MAX + 1];
    char cluster[JOB_WORD_BYTES_MAX + 1];
    bool has_cluster;
    enum context_form form;
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

static int cluster_copy(struct context_query *q, struct span value, struct err *err)
{
    if (q->has_cluster)
        return err_set(err, EINVAL, "cluster: it is given twice");
    q->has_cluster = true;
    return word_copy("cluster", value, q->cluster, err);
}

static int form_read(struct context_query *q, struct span value, struct err *err)
{
    for (int form = 0; form < CONTEXT_FORM_COUNT; form++) {
        if (!span_is(value, form_names[form]))
            continue;
        q->form = (enum context_form)form;
        return 0;
    }
    return err_set(err, EINVAL,
                   "format: invalid value '" SPAN_FMT "' (choose json, text, line)",
                   SPAN_ARG(value));
}

int job_context_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct context_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    int rc = word_copy("id", net_request_var(request, "id"), q->id, err);
    for (size_t i = 0; rc == 0 && net_request_query_at(request, i, &name, &value); i++)
        rc = span_is(name, "cluster") ? cluster_copy(q, value, err)
                                      : form_read(q, value, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

int job_context_fetch(const struct api_readers *readers, const void *query,
                      struct api_result *ret, struct err *err)
{
    const struct context_query *q = query;
    AUTO(job_evidence_done) struct job_evidence evidence;
    AUTO(job_assessment_done) struct job_assessment page = { .comparison.count = 1 };
    struct job_context *context = &page.comparison.jobs[0];
    job_evidence_init(&evidence, readers,
                      q->has_cluster ? span_of(q->cluster) : (struct span){ 0 },
                      ret->hold);
    job_context_init(context);
    int rc = job_build_stored(&evidence.inputs, q->id, context, err);
    if (rc < 0)
        return rc;
    page.servers = context->has_servers ? &context->servers : NULL;
    job_assess(&page);
    ret->content_type = q->form == CONTEXT_JSON ? NULL : "text/plain; charset=utf-8";
    if (q->form == CONTEXT_JSON)
        job_context_print_document(&page, ret->body);
    else if (q->form == CONTEXT_TEXT)
        job_context_print_text(&page, ret->body);
    else
        job_sentence_print(&page, ret->body);
    if (q->form == CONTEXT_LINE)
        strbuf_addc(ret->body, '\n');
    return strbuf_error(ret->body);
}
