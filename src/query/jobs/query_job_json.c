/* SPDX-License-Identifier: Apache-2.0 */
/* query_job_json - a job's page as JSON, there and back: one table a member. */
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/span.h"
#include "query/jobs/query.h"

void query_job_to_json(const struct table *parts, struct strbuf *out)
{
    struct json_writer w;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    json_writer_init(&w, out);
    json_object(&w);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++) {
        strbuf_clear(&text);
        table_to_json(&parts[i], &text);
        json_key(&w, query_job_part_name((enum query_job_part)i));
        json_raw(&w, span_trim(strbuf_span(&text)));
        if (strbuf_error(&text))
            out->error = strbuf_error(&text);
    }
    json_object_end(&w);
}

static void objects_put(struct json_writer *w, const char *key,
                        const struct table *table, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    table_print_objects(table, &text);
    json_key(w, key);
    json_raw(w, span_trim(strbuf_span(&text)));
    if (strbuf_error(&text))
        out->error = strbuf_error(&text);
}

void query_job_print_objects(const struct table *parts, const struct table *batch,
                             struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    if (batch)
        objects_put(&w, "batch", batch, out);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        objects_put(&w, query_job_part_name((enum query_job_part)i), &parts[i], out);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* The length of the object at the front of text, which is known to be JSON. */
static size_t object_size(struct span text)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']') && --depth == 0)
            return i + 1;
    }
    return text.size;
}

static int ignore_event(void *arg, enum json_event event, struct span text,
                        unsigned depth)
{
    (void)arg, (void)event, (void)text, (void)depth;
    return 0;
}

static int read_part(struct span name, struct span json, struct table *parts,
                     struct err *err)
{
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        if (span_is(name, query_job_part_name((enum query_job_part)i)))
            return table_from_json(json, &parts[i], err);
    return 0; /* a newer server may say more */
}

int query_job_from_json(struct span json, struct table *parts, struct err *err)
{
    int rc = json_read(json, ignore_event, NULL, err);
    if (rc < 0)
        return rc;
    struct span rest = span_trim(json);
    if (rest.size < 2 || rest.data[0] != '{')
        return err_set(err, EBADMSG, "not a job's page");
    rest = span_skip(rest, 1);
    /* Valid JSON: members of the form "name": {...}. */
    while (rc == 0 && rest.size) {
        struct span name, before;
        if (!span_cut(&rest, '"', &before) || !span_cut(&rest, '"', &name))
            return 0;
        while (rest.size && rest.data[0] != '{') {
            if (rest.data[0] == '"' || rest.data[0] == '[')
                return err_set(err, EBADMSG, "not a job's page");
            rest = span_skip(rest, 1);
        }
        struct span object = { rest.data, object_size(rest) };
        rc = read_part(name, object, parts, err);
        rest = span_skip(rest, object.size);
    }
    return rc;
}
