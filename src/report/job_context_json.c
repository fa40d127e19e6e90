/* SPDX-License-Identifier: Apache-2.0 */
/* job_context_json - a context as one JSON document, part by part. */
#include "report/job_context_json.h"

#include "base/number.h"
#include "report/job_page.h"
#include "report/job_servers_page.h"
#include "report/job_stored_page.h"
#include "report/unusual/unusual.h"

static void time_write(struct json_writer *w, const char *key, int64_t t_ns)
{
    json_key(w, key);
    if (t_ns == JOB_TIME_NONE)
        json_null(w);
    else
        json_time_ms(w, t_ns / NS_PER_MS);
}

static void identity_write(const struct job_identity *identity, struct json_writer *w)
{
    const struct {
        const char *key, *text;
    } texts[] = {
        { "cluster", identity->cluster },
        { "id", identity->id },
        { "step", identity->step },
        { "user", identity->user },
        { "account", identity->account },
        { "partition", identity->partition },
        { "state", identity->state },
        { "nodes", identity->nodes },
        { "file_system", identity->file_system },
        { "log", identity->log },
    };
    json_key(w, "job");
    json_object(w);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_key(w, texts[i].key);
        json_text(w, texts[i].text);
    }
    time_write(w, "submit", identity->submit_ns);
    time_write(w, "start", identity->start_ns);
    time_write(w, "end", identity->end_ns);
    json_object_end(w);
}

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
    struct job_headline headlines[JOB_HEADLINES_MAX];
    AUTO(strbuf_done) struct strbuf sentence = STRBUF_INIT;
    size_t count = job_headlines(a, headlines);
    job_sentence_print(a, &sentence);
    json_key(w, "sentence");
    json_span(w, strbuf_span(&sentence));
    json_key(w, "findings");
    json_array(w);
    for (size_t i = 0; i < count; i++)
        if (headlines[i].node)
            footprint_finding_json(headlines[i].node, w);
        else
            job_finding_json(headlines[i].finding, w);
    json_array_end(w);
}

void job_context_print_document(const struct job_assessment *assessment,
                                struct strbuf *out)
{
    const struct job_context *context = &assessment->comparison.jobs[0];
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    identity_write(&context->identity, &w);
    findings_write(assessment, &w);
    for (enum job_part part = JOB_PART_FACTS; part < JOB_PART_COUNT; part++)
        part_write(context, part, &w);
    missing_write(context, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}
