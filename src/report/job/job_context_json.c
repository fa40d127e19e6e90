/* SPDX-License-Identifier: Apache-2.0 */
/* job_context_json - a context as one JSON document, part by part. */
#include "report/job/job_context_json.h"

#include "base/span.h"
#include "report/job/finding_json.h"
#include "report/job/health/node_health_page.h"
#include "report/job/job_known.h"
#include "report/job/job_metrics_page.h"
#include "report/job/job_nodes_text.h"
#include "report/job/job_page.h"
#include "report/job/job_servers_page.h"
#include "report/job/job_steps_page.h"
#include "report/job/job_stored_page.h"
#include "report/job/provenance/datasets_page.h"
#include "report/job/provenance/ran_with_page.h"
#include "report/job/provenance/sessions_page.h"
#include "report/job/site_text.h"
#include "report/unusual/unusual.h"

static void scalar_write(const struct job_column *column, struct scalar value,
                         struct json_writer *w)
{
    json_key(w, column->name);
    if (column->type == SCALAR_TEXT)
        json_span(w, value.text);
    else if (column->type == SCALAR_I64)
        json_i64(w, value.i64);
    else
        json_double(w, value.dbl);
}

static void columns_write(const struct job_context *context, enum job_part part,
                          struct json_writer *w)
{
    json_object(w);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        const struct job_column *column = &job_columns[i];
        struct scalar value = job_column_get(column, context);
        if (value.is_present && job_part_has_column(part, column))
            scalar_write(column, value, w);
    }
    json_object_end(w);
}

static void part_write(const struct job_context *context, enum job_part part,
                       struct json_writer *w)
{
    bool has = job_context_has(context, part, NULL);
    if (part == JOB_PART_SERVERS && has) {
        job_servers_print_json(&context->servers, NULL, w);
        return;
    }
    json_key(w, job_part_name(part));
    if (!has)
        json_null(w);
    else if (part == JOB_PART_NODES)
        footprint_json(&context->nodes.footprint, w);
    else
        columns_write(context, part, w);
}

static void missing_write(const struct job_context *context, struct json_writer *w)
{
    json_key(w, "missing");
    json_array(w);
    for (enum job_part part = JOB_PART_FACTS; part < JOB_PART_COUNT; part++) {
        const char *reason = NULL;
        if (job_context_has(context, part, &reason))
            continue;
        json_object(w);
        json_key(w, "part");
        json_text(w, job_part_name(part));
        json_key(w, "reason");
        json_text(w, reason);
        json_object_end(w);
    }
    json_array_end(w);
}

static void findings_write(const struct job_assessment *a, struct json_writer *w)
{
    AUTO(strbuf_done) struct strbuf sentence = STRBUF_INIT;
    if (a->has_run)
        job_page_print_sentence(a, &sentence);
    else
        job_sentence_print(a, &sentence);
    json_key(w, "sentence");
    json_span(w, span_trim(strbuf_span(&sentence)));
    job_headlines_json(a, w);
    site_json(a->site, w);
}

void job_context_print_document(const struct job_assessment *assessment,
                                struct strbuf *out)
{
    const struct job_context *context = &assessment->comparison.jobs[0];
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    job_record_json(&context->identity, &w);
    if (context->steps.count > 0)
        job_steps_json(&context->steps, &w);
    node_health_json(&context->node_health, &w);
    sessions_json(&context->sessions, &w);
    datasets_json(&context->datasets, &w);
    ran_with_json(&context->ran_with, &w);
    findings_write(assessment, &w);
    if (assessment->has_run) {
        json_key(&w, "log");
        json_object(&w);
        job_run_json(&assessment->run, &w);
        json_object_end(&w);
    }
    for (enum job_part part = JOB_PART_FACTS; part < JOB_PART_COUNT; part++)
        part_write(context, part, &w);
    if (context->nodes.stored_count > 0)
        job_metrics_json(&context->nodes, &w);
    missing_write(context, &w);
    job_known_json(assessment, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}
