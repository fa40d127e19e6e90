/* SPDX-License-Identifier: Apache-2.0 */
/* job_context_route - GET /v1/jobs/{id}: all that barod knows of one job; its page as
 * HTML (/page); and samples of its nodes (/nodes). */
#include "api/job_context_route.h"

#include "api/job_comment.h"
#include "api/job_evidence.h"
#include "base/span.h"
#include "base/utf8.h"
#include "report/report.h"

#include <string.h>

enum context_form {
    CONTEXT_JSON,
    CONTEXT_TEXT,
    CONTEXT_LINE,
    CONTEXT_JS1,
    CONTEXT_VALUES,
    CONTEXT_FORM_COUNT,
    CONTEXT_HTML = CONTEXT_FORM_COUNT, /* of a route of its own */
};

static const char *const form_names[CONTEXT_FORM_COUNT] = {
    [CONTEXT_JSON] = "json", [CONTEXT_TEXT] = "text",     [CONTEXT_LINE] = "line",
    [CONTEXT_JS1] = "js1",   [CONTEXT_VALUES] = "values",
};

/* Texts are the query's own: the request's end with its handler. */
struct context_query {
    char id[JOB_WORD_BYTES_MAX + 1];
    char cluster[JOB_WORD_BYTES_MAX + 1];
    char step[JOB_WORD_BYTES_MAX + 1];
    bool has_cluster, has_step;
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

static int step_copy(struct context_query *q, struct span value, struct err *err)
{
    if (q->has_step)
        return err_set(err, EINVAL, "step: it is given twice");
    q->has_step = true;
    return word_copy("step", value, q->step, err);
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
                   "format: invalid value '" SPAN_FMT
                   "' (choose json, text, line, js1, values)",
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
             : span_is(name, "step")  ? step_copy(q, value, err)
                                      : form_read(q, value, err);
    if (rc == 0 && q->has_step && q->form == CONTEXT_JS1)
        rc = err_set(err, EINVAL, "step: a comment is of the whole job");
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

int job_page_read(struct net_request *request, void **ret_query, struct err *err)
{
    int rc = job_context_read(request, ret_query, err);
    if (rc == 0)
        ((struct context_query *)*ret_query)->form = CONTEXT_HTML;
    return rc;
}

/* What the rules of a site may name, for one who tries others elsewhere. */
static void values_print(const struct job_assessment *page, struct strbuf *out)
{
    const struct job_evidence_of of = { .assessment = page,
                                        .application = page->site->application.name };
    struct json_writer w;
    json_writer_init(&w, out);
    if (job_values_write(&of, &w) < 0)
        out->error = -ENOMEM;
    strbuf_addc(out, '\n');
}

static void page_print(const struct job_assessment *page, enum context_form form,
                       struct api_result *ret)
{
    bool is_json = form == CONTEXT_JSON || form == CONTEXT_VALUES;
    ret->content_type = is_json                ? NULL
                        : form == CONTEXT_HTML ? "text/html; charset=utf-8"
                                               : "text/plain; charset=utf-8";
    ret->policy = form == CONTEXT_HTML ? JOB_HTML_POLICY : NULL;
    if (form == CONTEXT_HTML) {
        job_html_print(page, ret->body);
    } else if (form == CONTEXT_VALUES) {
        values_print(page, ret->body);
    } else if (form == CONTEXT_JSON) {
        job_context_print_document(page, ret->body);
    } else if (form == CONTEXT_TEXT) {
        job_context_print_text(page, ret->body);
    } else {
        job_sentence_print(page, ret->body);
        strbuf_addc(ret->body, '\n');
    }
}

/* The log that was found, and what a page in HTML has of it. */
struct route_log {
    struct job_found found;
    struct log_work work;
    struct log_heat heat;
};

static void route_log_done(struct route_log *log)
{
    log_work_done(&log->work);
    log_heat_done(&log->heat);
    job_found_done(&log->found);
}
DEFINE_AUTO_DONE(struct route_log, route_log_done);

static int log_add(struct route_log *log, enum context_form form,
                   struct job_assessment *page, struct err *err)
{
    if (!log->found.log)
        return 0;
    page->run = log->found.run;
    page->has_run = true;
    if (form != CONTEXT_HTML)
        return 0;
    page->work = &log->work;
    page->heat = &log->heat;
    return job_log_detail(log->found.log, &log->work, &log->heat, err);
}

int job_context_fetch(const struct api_readers *readers, const void *query,
                      struct api_result *ret, struct err *err)
{
    const struct context_query *q = query;
    AUTO(job_evidence_done) struct job_evidence evidence;
    AUTO(site_report_done) struct site_report site = { 0 };
    AUTO(job_assessment_done) struct job_assessment page = { .comparison.count = 1 };
    AUTO(route_log_done) struct route_log log = { 0 };
    struct job_context *context = &page.comparison.jobs[0];
    job_evidence_init(&evidence, readers,
                      q->has_cluster ? span_of(q->cluster) : (struct span){ 0 },
                      ret->hold);
    if (q->has_step)
        evidence.step = span_of(q->step);
    evidence.inputs.wants_steps = q->form == CONTEXT_HTML;
    job_context_init(context);
    if (q->form == CONTEXT_JS1) {
        ret->content_type = "text/plain; charset=utf-8";
        return job_comment_print(&evidence, q->id, ret->body, err);
    }
    int rc = job_build_found(&evidence.inputs, q->id, context, &log.found, err);
    if (rc < 0)
        return rc;
    rc = log_add(&log, q->form, &page, err);
    if (rc < 0)
        return rc;
    page.servers = context->has_servers ? &context->servers : NULL;
    page.targets = &context->targets;
    page.nodes = &context->nodes;
    page.record = &context->identity;
    job_assess(&page);
    rc = site_report_make(readers->api->opts.rules, &page,
                          page.has_run ? context : NULL, &site);
    if (rc < 0)
        return err_set(err, ENOMEM, "out of memory");
    page.site = &site;
    page_print(&page, q->form, ret);
    return strbuf_error(ret->body);
}

/* ---- samples of its nodes ---- */

int job_nodes_read(struct net_request *request, void **ret_query, struct err *err)
{
    return job_context_read(request, ret_query, err);
}

/* The record and the summary of the job alone: nothing else is looked up. */
static int nodes_request_make(struct job_evidence *evidence, const char *id,
                              struct job_context *context, struct job_request *ret,
                              struct err *err)
{
    const struct job_inputs *inputs = &evidence->inputs;
    int rc = inputs->stored(inputs->arg, id, context, err);
    if (rc < 0)
        return rc;
    rc = job_request_of_nodes(inputs, context, ret, err);
    return err_prefix(err, rc, "job %s", id);
}

int job_nodes_fetch(const struct api_readers *readers, const void *query,
                    struct api_result *ret, struct err *err)
{
    const struct context_query *q = query;
    AUTO(job_evidence_done) struct job_evidence evidence;
    AUTO(job_context_done) struct job_context context;
    struct node_samples samples = { 0 };
    struct job_request request = { 0 };
    struct json_writer w;
    job_context_init(&context);
    job_evidence_init(&evidence, readers,
                      q->has_cluster ? span_of(q->cluster) : (struct span){ 0 },
                      ret->hold);
    if (q->has_step)
        evidence.step = span_of(q->step);
    int rc = nodes_request_make(&evidence, q->id, &context, &request, err);
    if (rc == 0)
        rc = evidence.inputs.nodes(evidence.inputs.arg, &request, &context.nodes.arena,
                                   &samples, err);
    if (rc < 0)
        return rc;
    json_writer_init(&w, ret->body);
    node_samples_print(&samples, &w);
    return strbuf_error(ret->body);
}
