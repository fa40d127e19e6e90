/* SPDX-License-Identifier: Apache-2.0 */
/* job_json - jobs out of JSON, whichever batch system wrote it. */
#include "source/scheduler/job_json.h"

#include "base/span.h"

#include <stdlib.h>
#include <strings.h>

static int on_event(void *arg, enum json_event event, struct span text, unsigned depth);

static void reader_start(struct job_json *json)
{
    const struct json_reader_opts opts = { .token_bytes_max = JOB_FIELD_BYTES_MAX };
    json_reader_init(&json->reader, &opts, on_event, json);
    json->is_record = json->is_keyed = json->has_jobs = false;
    json->skip_depth = json->list_depth = json->wrap_depth = 0;
    json->record_depth = 0;
    json->tres.depth = 0;
}

void job_json_init(struct job_json *json, const struct job_text_opts *opts,
                   struct job_list *list)
{
    *json = (struct job_json){ .opts = opts, .list = list };
    job_fields_init(&json->fields);
    reader_start(json);
}

void job_json_done(struct job_json *json)
{
    json_reader_done(&json->reader);
    job_fields_done(&json->fields);
    for (size_t i = 0; i <= JOB_JSON_LEVELS; i++)
        strbuf_done(&json->path[i]);
    strbuf_done(&json->wrap_number);
    job_json_tres_done(&json->tres);
}

static void fault(struct job_json *json, struct span text, const char *reason)
{
    json->list->fault_count++;
    if (json->opts->on_fault)
        json->opts->on_fault(json->opts->arg, json->line_before + json->reader.line,
                             text, reason);
}

/* ---- one job ---- */

static void record_begin(struct job_json *json, unsigned depth)
{
    json->is_record = true;
    json->record_depth = depth;
    json->reason = NULL;
}

static int record_end(struct job_json *json)
{
    const char *reason = json->reason;
    struct span id = strbuf_span(&json->fields.text[JOB_FIELD_ID]);
    int rc = 0;
    if (!(json->fields.present & UINT64_C(1) << JOB_FIELD_ID))
        id.size = 0;
    json->is_record = false;
    if (!reason)
        rc = job_fields_add(&json->fields, &json->opts->clock, json->list, &reason);
    bool is_named = json->fields.present & UINT64_C(1) << JOB_FIELD_ID;
    job_fields_clear(&json->fields);
    if (rc < 0 && rc != -EINVAL)
        return rc;
    if (!is_named && json->record_depth == 0 && !json->is_line) {
        json->is_no_job = true;
        return -EINVAL;
    }
    if (reason)
        fault(json, id, reason);
    return 0;
}

/* A field of the site's own or of those everybody knows. */
static bool field_at(const struct job_json *json, unsigned level, enum job_field *field,
                     unsigned *rank)
{
    return job_field_of(json->opts->names, strbuf_span(&json->path[level]), field,
                        rank);
}

static int tell(struct job_json *json, unsigned level, struct span value)
{
    enum job_field field;
    unsigned rank;
    if (!field_at(json, level, &field, &rank))
        return 0;
    /* Of a list of states the first is the base, further ones are flags. */
    bool is_list = json->list_depth > 0;
    bool is_present =
        json->fields.present & UINT64_C(1) << field && json->fields.rank[field] == rank;
    if (is_list && field == JOB_FIELD_STATE && is_present)
        return 0;
    int rc = is_list ? job_fields_append(&json->fields, field, rank, value)
                     : job_fields_set(&json->fields, field, rank, value);
    if (rc != -EMSGSIZE)
        return rc;
    json->reason = "a field of it is too long";
    return 0;
}

/* "time" and "start" -> "time.start", at the level below. */
static void path_set(struct job_json *json, unsigned level, struct span key)
{
    struct strbuf *path = &json->path[level];
    strbuf_clear(path);
    if (level > 0) {
        strbuf_add_span(path, strbuf_span(&json->path[level - 1]));
        strbuf_addc(path, '.');
    }
    strbuf_add_span(path, key);
}

static void wrap_begin(struct job_json *json, unsigned depth)
{
    json->wrap_depth = depth + 1;
    json->wrap_is_unset = json->wrap_has_number = false;
}

/* A scalar directly within an object that may be {"set": ..., "number": ...}. */
static void wrap_take(struct job_json *json, enum json_event event, struct span text)
{
    bool is_set = span_is(json->key, "set");
    if (is_set && event == JSON_FALSE)
        json->wrap_is_unset = true;
    if (span_is(json->key, "infinite") && event == JSON_TRUE)
        json->wrap_is_unset = true;
    if (!span_is(json->key, "number") || event != JSON_NUMBER)
        return;
    json->wrap_has_number = true;
    strbuf_clear(&json->wrap_number);
    strbuf_add_span(&json->wrap_number, text);
}

static int wrap_end(struct job_json *json, unsigned level)
{
    json->wrap_depth = 0;
    if (!json->wrap_has_number || json->wrap_is_unset)
        return strbuf_error(&json->wrap_number);
    return tell(json, level, strbuf_span(&json->wrap_number));
}

static bool is_scalar(enum json_event event)
{
    return event == JSON_STRING || event == JSON_NUMBER || event == JSON_TRUE ||
           event == JSON_FALSE || event == JSON_NULL;
}

static int record_scalar(struct job_json *json, enum json_event event, struct span text,
                         unsigned depth)
{
    unsigned level = depth - json->record_depth - 1;
    if (json->list_depth > 0)
        level = json->list_depth - 1 - json->record_depth - 1;
    else if (json->wrap_depth > 0 && depth == json->wrap_depth)
        wrap_take(json, event, text);
    if (event != JSON_STRING && event != JSON_NUMBER)
        return 0;
    return tell(json, level, text);
}

static int record_event(struct job_json *json, enum json_event event, struct span text,
                        unsigned depth)
{
    unsigned level = depth - json->record_depth; /* 0: of the job's own object */
    if (json->tres.depth > 0)
        return job_json_tres_event(&json->tres, &json->fields, event, text, depth);
    enum job_field field;
    unsigned rank;
    if (event == JSON_OBJECT_END && level == 0)
        return record_end(json);
    if (event == JSON_KEY) {
        path_set(json, level, text);
        json->key = strbuf_span(&json->path[level]);
        json->key = span_skip(json->key, json->key.size - text.size);
        return strbuf_error(&json->path[level]);
    }
    if (is_scalar(event))
        return record_scalar(json, event, text, depth);
    if (event == JSON_OBJECT && level <= JOB_JSON_LEVELS && json->list_depth == 0) {
        if (field_at(json, level - 1, &field, &rank))
            wrap_begin(json, depth);
        return 0;
    }
    if (event == JSON_ARRAY && json->list_depth == 0 &&
        field_at(json, level - 1, &field, &rank)) {
        json->list_depth = depth + 1;
        return 0;
    }
    if (event == JSON_ARRAY && json->list_depth == 0 && level <= JOB_JSON_LEVELS + 1 &&
        job_json_tres_begin(&json->tres, strbuf_span(&json->path[level - 1]), depth))
        return 0;
    if (event == JSON_ARRAY_END)
        json->list_depth = 0;
    else if (event == JSON_OBJECT_END && json->wrap_depth == depth + 1)
        return wrap_end(json, level - 1);
    else if (event == JSON_OBJECT || event == JSON_ARRAY)
        json->skip_depth = depth + 1;
    return 0;
}

/* ---- where jobs are ---- */

/* Outside of jobs: look for their list, and for each of them. */
static int outer_event(struct job_json *json, enum json_event event, struct span text,
                       unsigned depth)
{
    unsigned jobs_depth = json->has_jobs ? 2 : 1;
    bool is_key = event == JSON_KEY && json->is_keyed && depth == 1;
    if (is_key)
        return job_fields_set(&json->fields, JOB_FIELD_ID, 0, text);
    if (event == JSON_OBJECT && depth == jobs_depth)
        record_begin(json, depth);
    else if ((event == JSON_OBJECT || event == JSON_ARRAY) && depth > 0)
        json->skip_depth = depth + 1;
    else if (json->has_jobs && depth == 1 &&
             (event == JSON_OBJECT_END || event == JSON_ARRAY_END))
        json->is_keyed = false;
    return 0;
}

/* The outermost object may be a job, until it turns out to hold a list of them. */
static bool begins_jobs(const struct job_json *json, enum json_event event,
                        unsigned depth)
{
    return depth == 1 && (event == JSON_ARRAY || event == JSON_OBJECT) &&
           (span_is(strbuf_span(&json->path[0]), "jobs") ||
            span_is(strbuf_span(&json->path[0]), "Jobs")) &&
           json->is_record && json->record_depth == 0;
}

static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct job_json *json = arg;
    if (json->skip_depth > 0) {
        if (depth + 1 == json->skip_depth &&
            (event == JSON_OBJECT_END || event == JSON_ARRAY_END))
            json->skip_depth = 0;
        return 0;
    }
    if (depth == 0 && event == JSON_OBJECT) {
        record_begin(json, 0);
        return 0;
    }
    if (begins_jobs(json, event, depth)) {
        json->has_jobs = true;
        json->is_record = false;
        json->is_keyed = event == JSON_OBJECT;
        job_fields_clear(&json->fields);
        return 0;
    }
    if (json->is_record)
        return record_event(json, event, text, depth);
    return outer_event(json, event, text, depth);
}

int job_json_feed(struct job_json *json, const void *data, size_t size, struct err *err)
{
    int rc = json_reader_feed(&json->reader, data, size, err);
    if (rc == -EINVAL && json->is_no_job)
        return err_set(err, EINVAL,
                       "it is not a list of jobs: it has no \"jobs\", and is no job "
                       "itself, which had an id");
    return rc;
}

int job_json_finish(struct job_json *json, struct err *err)
{
    return json_reader_finish(&json->reader, err);
}

int job_json_line(struct job_json *json, struct span line, uint64_t number)
{
    struct err err = { 0 };
    json_reader_done(&json->reader);
    reader_start(json);
    job_fields_clear(&json->fields);
    json->line_before = number - 1;
    json->is_line = true;
    int rc = json_reader_feed(&json->reader, line.data, line.size, &err);
    if (rc == 0)
        rc = json_reader_finish(&json->reader, &err);
    if (rc != -EBADMSG && rc != -EMSGSIZE)
        return rc;
    fault(json, line, "it is not JSON, or cut");
    return 0;
}
