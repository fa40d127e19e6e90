/* SPDX-License-Identifier: Apache-2.0 */
/* job_columns - a job's context as columns. */
#include "analysis/job/job_columns.h"

#include "base/span.h"

#include "analysis/job/job_value.h"
#include "analysis/table/table.h"

#include <math.h>
#include <string.h>

#define GIB 1073741824.0
#define COLUMN(name, type, unit, member) \
    { #name, SCALAR_##type, unit, offsetof(struct job_context, member) },

const struct job_column job_columns[SUMMARY_COLUMN_COUNT] = { SUMMARY_COLUMNS(COLUMN) };

/* A column's type is that of its member: a double for a whole number would be read as
 * another value. */
#define IS_TEXT const char *
#define IS_I64 int64_t
#define IS_DOUBLE double
#define CHECK(name, type, unit, member)                                              \
    _Static_assert(__builtin_types_compatible_p(                                     \
                       __typeof__(((struct job_context *)NULL)->member), IS_##type), \
                   #name " is of its member's type");
SUMMARY_COLUMNS(CHECK)

const struct job_column *job_column_find(const char *name)
{
    size_t hint = 0;
    int at = summary_find_column(span_of(name), &hint);
    return at < 0 ? NULL : &job_columns[at];
}

/* Members are in bytes, whatever their column is in. */
static double scale_of(const struct job_column *column)
{
    return strncmp(column->unit, "GiB", 3) == 0 ? GIB : 1;
}

struct scalar job_column_get(const struct job_column *column,
                             const struct job_context *context)
{
    const char *member = (const char *)context + column->offset;
    const char *text;
    int64_t whole;
    double number;
    switch (column->type) {
    case SCALAR_TEXT:
        memcpy(&text, member, sizeof text);
        return text ? scalar_text(span_of(text)) : (struct scalar){ 0 };
    case SCALAR_I64:
        memcpy(&whole, member, sizeof whole);
        return whole != JOB_I64_NONE ? scalar_i64(whole) : (struct scalar){ 0 };
    case SCALAR_DOUBLE:
        break;
    }
    memcpy(&number, member, sizeof number);
    return isfinite(number) ? scalar_double(number / scale_of(column))
                            : (struct scalar){ 0 };
}

void job_column_set(const struct job_column *column, struct scalar value,
                    struct job_context *context)
{
    char *member = (char *)context + column->offset;
    const char *text = column->type == SCALAR_TEXT && value.is_present
                           ? job_context_span(context, value.text)
                           : NULL;
    int64_t whole = value.is_present ? value.i64 : JOB_I64_NONE;
    double number = value.is_present ? value.dbl * scale_of(column) : NAN;
    /* What the column in bytes had is exact, and stays. */
    bool is_second = value.is_present && scale_of(column) > 1 &&
                     job_column_get(column, context).is_present;
    if (column->type == SCALAR_TEXT)
        memcpy(member, &text, sizeof text);
    else if (column->type == SCALAR_I64)
        memcpy(member, &whole, sizeof whole);
    else if (!is_second)
        memcpy(member, &number, sizeof number);
}

/* ---- a summary ---- */

void job_context_summary(const struct job_context *context,
                         struct scalar scalars[static SUMMARY_COLUMN_COUNT],
                         struct summary *ret)
{
    const char *cluster = context->identity.cluster;
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        scalars[i] = job_column_get(&job_columns[i], context);
    *ret = (struct summary){ .cluster = span_of(cluster ? cluster : ""),
                             .scalars = scalars };
}

int job_context_from_summary(const struct summary *summary, struct job_context *context)
{
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        if (summary->scalars[i].is_present)
            job_column_set(&job_columns[i], summary->scalars[i], context);
    if (summary->cluster.size > 0)
        context->identity.cluster = job_context_span(context, summary->cluster);
    return context->error;
}

void job_context_print_csv(const struct job_context *context, struct strbuf *out)
{
    struct scalar scalars[SUMMARY_COLUMN_COUNT];
    struct summary summary;
    job_context_summary(context, scalars, &summary);
    summary_print_csv(&summary, out);
}

void job_context_print_json(const struct job_context *context, struct strbuf *out)
{
    struct scalar scalars[SUMMARY_COLUMN_COUNT];
    struct summary summary;
    job_context_summary(context, scalars, &summary);
    summary.cluster = (struct span){ 0 };
    summary_print_object(&summary, out);
}

void job_context_print_line(const struct job_context *context, struct strbuf *out)
{
    struct scalar scalars[SUMMARY_COLUMN_COUNT];
    struct summary summary;
    job_context_summary(context, scalars, &summary);
    summary_print_line(&summary, out);
}

int job_context_read_json(struct job_context *context, struct span text,
                          struct err *err)
{
    AUTO(arena_done) struct arena arena = { 0 };
    struct summary summary;
    arena_init(&arena, 0);
    int rc = summary_read_line(text, &arena, &summary, err);
    if (rc == 0)
        rc = job_context_from_summary(&summary, context);
    return rc == -ENOMEM ? err_set(err, ENOMEM, "out of memory") : rc;
}

void job_context_print_lines(const struct job_context *context, struct strbuf *out)
{
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        struct scalar value = job_column_get(&job_columns[i], context);
        strbuf_addf(out, "%-42s ", job_columns[i].name);
        if (value.is_present)
            summary_print_scalar(job_columns[i].type, &value, out);
        else
            strbuf_addc(out, '-');
        strbuf_addc(out, '\n');
    }
}

/* ---- a row ---- */

int job_context_row(const struct job_context *context, struct job_row *row)
{
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        const struct job_column *column = &job_columns[i];
        struct scalar value = job_column_get(column, context);
        if (!value.is_present)
            job_row_missing(row, column->name);
        else if (column->type == SCALAR_TEXT)
            job_row_text(row, column->name, value.text.data); /* of a C string */
        else if (column->type == SCALAR_I64)
            job_row_i64(row, column->name, value.i64);
        else
            job_row_double(row, column->name, value.dbl);
    }
    return job_row_error(row);
}
