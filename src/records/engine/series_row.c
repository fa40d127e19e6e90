/* SPDX-License-Identifier: Apache-2.0 */
/* series_row - a series as a row of the table series, and the filter of a reader. */
#include "records/engine/series_row.h"

#include "base/span.h"

/* In the order of SERIES_COLUMNS. */
enum {
    COLUMN_SID,
    COLUMN_ID,
    COLUMN_FS,
    COLUMN_TARGET,
    COLUMN_KIND,
    COLUMN_ENTRY_ID,
    COLUMN_ENTRY_BYTES,
    COLUMN_FORMAT,
    COLUMN_JOB,
    COLUMN_USER,
    COLUMN_GROUP,
    COLUMN_NODE,
    COLUMN_EXECUTABLE,
    COLUMN_PID,
    COLUMN_FLAGS,
    COLUMN_IS_LOGIN,
};
_Static_assert(COLUMN_IS_LOGIN + 1 == SERIES_COLUMN_COUNT, "one name a column");

int series_row_read(const struct sql_row *row, struct series *ret)
{
    struct series s = { .sid = sql_row_i64(row, COLUMN_SID) };
    if (sql_row_uuid(row, COLUMN_ID, &s.id) < 0)
        return -EIO;
    s.fs = sql_row_text(row, COLUMN_FS);
    s.target = sql_row_text(row, COLUMN_TARGET);
    s.kind = span_is(sql_row_text(row, COLUMN_KIND), "mdt") ? TARGET_MDT : TARGET_OST;
    s.entry_id = sql_row_text(row, COLUMN_ENTRY_BYTES);
    if (!s.entry_id.data)
        s.entry_id = sql_row_text(row, COLUMN_ENTRY_ID);
    s.format = sql_row_text(row, COLUMN_FORMAT);
    s.job = sql_row_text(row, COLUMN_JOB);
    s.user = sql_row_text(row, COLUMN_USER);
    s.group = sql_row_text(row, COLUMN_GROUP);
    s.node = sql_row_text(row, COLUMN_NODE);
    s.executable = sql_row_text(row, COLUMN_EXECUTABLE);
    s.pid = sql_row_text(row, COLUMN_PID);
    s.flags = (unsigned)sql_row_i64(row, COLUMN_FLAGS);
    s.is_login = sql_row_i64(row, COLUMN_IS_LOGIN) != 0;
    *ret = s;
    return 0;
}

int series_fields(const struct series *s, struct strbuf *text,
                  struct span ret[static SERIES_FIELD_COUNT])
{
    strbuf_clear(text);
    entry_id_print(text, s->entry_id);
    if (strbuf_error(text))
        return -ENOMEM;
    const bool is_text = span_eq(strbuf_span(text), s->entry_id);
    const struct span fields[SERIES_FIELD_COUNT] = {
        s->fs,
        s->target,
        span_of(target_kind_name(s->kind)),
        strbuf_span(text),
        is_text ? (struct span){ 0 } : s->entry_id,
        s->format,
        s->job,
        s->user,
        s->group,
        s->node,
        s->executable,
        s->pid,
    };
    memcpy(ret, fields, sizeof fields);
    return 0;
}

/* ---- the filter ---- */

void series_terms_done(struct series_terms *terms)
{
    strbuf_done(&terms->entry);
}

static void term_add(struct strbuf *sql, struct series_terms *terms, const char *column,
                     struct span value)
{
    if (!value.data)
        return;
    terms->values[terms->count++] = sql_text(value);
    strbuf_addf(sql, " AND %s = $%zu", column, terms->count);
}

/* Numbers are digits: they need no quoting. */
static void numbers_add(struct strbuf *sql, const char *column,
                        const struct span *numbers, size_t count)
{
    if (!numbers)
        return;
    strbuf_addf(sql, " AND %s IN (NULL", column);
    for (size_t i = 0; i < count; i++)
        if (id_is_number(numbers[i]))
            strbuf_addf(sql, ", '" SPAN_FMT "'", SPAN_ARG(numbers[i]));
    strbuf_adds(sql, ")");
}

int series_terms_add(struct strbuf *sql, const struct series_filter *filter,
                     struct series_terms *terms)
{
    if (filter->entry_id.data) {
        entry_id_print(&terms->entry, filter->entry_id);
        term_add(sql, terms, "entry_id", strbuf_span(&terms->entry));
    }
    term_add(sql, terms, "fs", filter->fs);
    term_add(sql, terms, "job_id", filter->job);
    if (!filter->users)
        term_add(sql, terms, "user_id", filter->user);
    if (!filter->groups)
        term_add(sql, terms, "group_id", filter->group);
    numbers_add(sql, "user_id", filter->users, filter->user_count);
    numbers_add(sql, "group_id", filter->groups, filter->group_count);
    if (!filter->nodes)
        term_add(sql, terms, "nodename", filter->node);
    term_add(sql, terms, "executable", filter->executable);
    return strbuf_error(&terms->entry) ? -ENOMEM : strbuf_error(sql);
}

bool series_rows_are_enough(const struct series_rows *read)
{
    return read->filter->limit && read->count == read->filter->limit;
}

int series_rows_read(void *arg, const struct sql_row *row)
{
    struct series_rows *read = arg;
    const struct series_filter *filter = read->filter;
    struct series s;
    if (filter->target &&
        !span_glob_any(sql_row_text(row, COLUMN_TARGET), filter->target))
        return 0;
    if (filter->nodes && !hostset_has(filter->nodes, sql_row_text(row, COLUMN_NODE)))
        return 0;
    if (series_rows_are_enough(read))
        return 1;
    if (series_row_read(row, &s) < 0)
        return err_set(read->err, EIO, "records: a series without its time_series_id");
    int rc = read->fn(read->arg, &s);
    if (rc < 0)
        return rc;
    read->count++;
    return 0;
}
