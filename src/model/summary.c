/* SPDX-License-Identifier: Apache-2.0 */
/* summary - one job's log summarised as one row of scalars. */
#include "model/summary.h"

#include "base/cleanup.h"
#include "base/decimal_text.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <math.h>

#define COLUMN(name, type, unit, member) { #name, SCALAR_##type },

const struct scalar_column summary_columns[SUMMARY_COLUMN_COUNT] = { SUMMARY_COLUMNS(
    COLUMN) };

int summary_find_column(struct span name, size_t *hint)
{
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        size_t at = (*hint + i) % SUMMARY_COLUMN_COUNT;
        if (!span_is(name, summary_columns[at].name))
            continue;
        *hint = at + 1;
        return (int)at;
    }
    return -1;
}

/* ---- checking ---- */

static const char *text_check(struct span text, size_t size_max)
{
    if (text.size > size_max)
        return "a text of it is too long";
    if (text.size > 0 && (memchr(text.data, 0, text.size) || !utf8_is_valid(text)))
        return "a text of it is not UTF-8";
    return NULL;
}

/* What databases have indices on is bounded as keys are: an entry of PostgreSQL's that
 * is over a third of a page fails its whole transaction. */
static size_t text_max(size_t place)
{
    bool is_indexed = place == SUMMARY_LOG || place == SUMMARY_APP ||
                      strcmp(summary_columns[place].name, "jobsdb_user") == 0;
    return place == SUMMARY_JOB ? SUMMARY_WORD_BYTES_MAX
           : is_indexed         ? SUMMARY_LOG_BYTES_MAX
                                : SUMMARY_TEXT_BYTES_MAX;
}

static const char *scalar_check(const struct summary *summary, size_t place)
{
    const struct scalar *scalar = &summary->scalars[place];
    if (!scalar->is_present)
        return NULL;
    if (summary_columns[place].type == SCALAR_TEXT)
        return text_check(scalar->text, text_max(place));
    if (summary_columns[place].type == SCALAR_DOUBLE && !isfinite(scalar->dbl))
        return "a number of it is not finite";
    return NULL;
}

static bool is_text(const struct summary *summary, enum summary_place place)
{
    return summary->scalars[place].is_present && summary->scalars[place].text.size > 0;
}

static const char *time_check(const struct summary *summary, enum summary_place place)
{
    const struct scalar *time = &summary->scalars[place];
    bool is_good =
        !time->is_present || (time->i64 >= 0 && time->i64 <= INT64_MAX / NS_PER_S);
    return is_good ? NULL : "a time of it is none";
}

const char *summary_check(const struct summary *summary)
{
    if (!is_text(summary, SUMMARY_JOB))
        return "it has no _jobid";
    if (!is_text(summary, SUMMARY_LOG))
        return "it has no _log";
    const char *reason = text_check(summary->cluster, SUMMARY_WORD_BYTES_MAX);
    if (!reason)
        reason = time_check(summary, SUMMARY_START);
    if (!reason)
        reason = time_check(summary, SUMMARY_END);
    for (size_t i = 0; !reason && i < SUMMARY_COLUMN_COUNT; i++)
        reason = scalar_check(summary, i);
    return reason;
}

int64_t summary_time_ns(const struct summary *summary, enum summary_place place)
{
    const struct scalar *time = &summary->scalars[place];
    return time->is_present ? time->i64 * NS_PER_S : INT64_MIN;
}

/* ---- printing ---- */

/* Counters are doubles here, and whole numbers on paper. */
static bool is_whole(double value)
{
    return fabs(value) < 9e15 && value == floor(value);
}

void summary_print_object(const struct summary *summary, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    if (summary->cluster.size > 0) {
        json_key(&w, "_cluster");
        json_span(&w, summary->cluster);
    }
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        const struct scalar *scalar = &summary->scalars[i];
        if (!scalar->is_present)
            continue;
        json_key(&w, summary_columns[i].name);
        if (summary_columns[i].type == SCALAR_TEXT)
            json_span(&w, scalar->text);
        else if (summary_columns[i].type == SCALAR_I64)
            json_i64(&w, scalar->i64);
        else if (is_whole(scalar->dbl))
            json_i64(&w, (int64_t)scalar->dbl);
        else
            json_double(&w, scalar->dbl);
    }
    json_object_end(&w);
}

void summary_print_line(const struct summary *summary, struct strbuf *out)
{
    summary_print_object(summary, out);
    strbuf_addc(out, '\n');
}

void summary_print_scalar(enum scalar_type type, const struct scalar *scalar,
                          struct strbuf *out)
{
    char text[DECIMAL_TEXT_MAX];
    if (type == SCALAR_TEXT)
        strbuf_add_span(out, scalar->text);
    else if (type == SCALAR_I64)
        strbuf_add_i64(out, scalar->i64);
    else if (is_whole(scalar->dbl))
        strbuf_add_i64(out, (int64_t)scalar->dbl);
    else
        strbuf_add(out, text, decimal_print_shortest(text, scalar->dbl));
}

static void csv_text(struct span text, struct strbuf *out)
{
    bool is_plain = true;
    for (size_t i = 0; i < text.size && is_plain; i++)
        is_plain = !strchr(",\"\r\n", text.data[i]);
    if (is_plain) {
        strbuf_add_span(out, text);
        return;
    }
    strbuf_addc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"')
            strbuf_addc(out, '"');
        strbuf_addc(out, text.data[i]);
    }
    strbuf_addc(out, '"');
}

void summary_print_csv_header(struct strbuf *out)
{
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        strbuf_addf(out, "%s%s", i > 0 ? "," : "", summary_columns[i].name);
    strbuf_addc(out, '\n');
}

void summary_print_csv(const struct summary *summary, struct strbuf *out)
{
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        const struct scalar *scalar = &summary->scalars[i];
        enum scalar_type type = summary_columns[i].type;
        if (i > 0)
            strbuf_addc(out, ',');
        if (!scalar->is_present)
            continue;
        if (type == SCALAR_TEXT)
            csv_text(scalar->text, out);
        else
            summary_print_scalar(type, scalar, out);
    }
    strbuf_addc(out, '\n');
}

/* ---- reading ---- */

#define PLACE_CLUSTER SUMMARY_COLUMN_COUNT

struct line_reading {
    struct arena *arena;
    struct err *err;
    struct span cluster;
    bool has_cluster;
    struct scalar *scalars;
    size_t place; /* whose value is due */
    size_t hint;
    bool present[SUMMARY_COLUMN_COUNT];
};

static const char *place_name(const struct line_reading *reading)
{
    return reading->place == PLACE_CLUSTER ? "_cluster"
                                           : summary_columns[reading->place].name;
}

static int key_take(struct line_reading *reading, struct span key)
{
    bool is_cluster = span_is(key, "_cluster");
    int found = is_cluster ? PLACE_CLUSTER : summary_find_column(key, &reading->hint);
    if (found < 0)
        return err_set(reading->err, EBADMSG, "'%.*s' is not a column of a summary",
                       (int)(key.size < 64 ? key.size : 64), key.data);
    reading->place = (size_t)found;
    bool *present = is_cluster ? &reading->has_cluster : &reading->present[found];
    if (*present)
        return err_set(reading->err, EBADMSG, "'%s' is given twice",
                       place_name(reading));
    *present = true;
    return 0;
}

static int text_take(struct line_reading *reading, struct span text)
{
    char *copy = arena_dup(reading->arena, text);
    if (!copy)
        return -ENOMEM;
    text.data = copy;
    if (reading->place == PLACE_CLUSTER)
        reading->cluster = text;
    else
        reading->scalars[reading->place] = scalar_text(text);
    return 0;
}

static int number_take(struct line_reading *reading, struct span text)
{
    struct scalar *scalar = &reading->scalars[reading->place];
    bool is_i64 = summary_columns[reading->place].type == SCALAR_I64;
    int rc = is_i64 ? number_parse_i64(text, &scalar->i64)
                    : number_parse_double(text, &scalar->dbl);
    scalar->is_present = rc == 0;
    if (rc < 0)
        return err_set(reading->err, EBADMSG, "'%s' is not a %snumber that fits",
                       place_name(reading), is_i64 ? "whole " : "");
    return 0;
}

static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct line_reading *reading = arg;
    if (depth == 0 && (event == JSON_OBJECT || event == JSON_OBJECT_END))
        return 0;
    if (depth == 0 && event == JSON_KEY)
        return key_take(reading, text);
    if (depth == 0)
        return err_set(reading->err, EBADMSG, "it is not an object");
    bool is_due_text = reading->place == PLACE_CLUSTER ||
                       summary_columns[reading->place].type == SCALAR_TEXT;
    if (event == JSON_NULL)
        return 0;
    if (is_due_text && event == JSON_STRING)
        return text_take(reading, text);
    if (!is_due_text && event == JSON_NUMBER)
        return number_take(reading, text);
    return err_set(reading->err, EBADMSG, "'%s' is not a %s", place_name(reading),
                   is_due_text ? "text" : "number");
}

int summary_read_line(struct span line, struct arena *arena, struct summary *ret,
                      struct err *err)
{
    const struct json_reader_opts opts = { .depth_max = 2,
                                           .token_bytes_max = SUMMARY_LINE_BYTES_MAX };
    struct line_reading reading = { .arena = arena, .err = err };
    AUTO(json_reader_done) struct json_reader reader;
    reading.scalars = arena_alloc(arena, SUMMARY_COLUMN_COUNT * sizeof(struct scalar));
    if (!reading.scalars)
        return -ENOMEM;
    memset(reading.scalars, 0, SUMMARY_COLUMN_COUNT * sizeof(struct scalar));
    json_reader_init(&reader, &opts, on_event, &reading);
    int rc = json_reader_feed(&reader, line.data, line.size, err);
    if (rc == 0)
        rc = json_reader_finish(&reader, err);
    if (rc < 0)
        return rc == -EMSGSIZE ? err_set(err, EBADMSG, "a text of it is too long") : rc;
    struct summary summary = { .cluster = reading.cluster, .scalars = reading.scalars };
    const char *reason = summary_check(&summary);
    if (reason)
        return err_set(err, EBADMSG, "%s", reason);
    *ret = summary;
    return 0;
}
