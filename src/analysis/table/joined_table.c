/* SPDX-License-Identifier: Apache-2.0 */
/* joined_table - the rows of a second table, found by a key and a time. */
#include "analysis/table/joined_table.h"

#include "analysis/table/sheet.h"
#include "base/span.h"

#include <stdlib.h>

struct joined_row {
    struct span key;
    int64_t t_ns;
    uint64_t line;
    const struct span *fields;
};

struct joined_table {
    const struct table_join *join;
    struct arena arena;
    struct span *names;
    size_t column_count;
    int key_at, time_at; /* -1: none */
    struct joined_row *rows;
    size_t count, capacity;
};

void joined_table_free(struct joined_table *table)
{
    if (!table)
        return;
    arena_done(&table->arena);
    free(table->rows);
    free(table);
}

int joined_table_column(const struct joined_table *table, struct span name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (span_eq(table->names[i], name))
            return (int)i;
    return -1;
}

/* Copies of trimmed fields. */
static struct span *fields_copy(struct joined_table *t, const struct span *fields,
                                size_t count)
{
    struct span *copy = arena_alloc(&t->arena, (count + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        struct span field = span_trim(fields[i]);
        const char *text = arena_dup(&t->arena, field);
        if (!text)
            return NULL;
        copy[i] = (struct span){ text, field.size };
    }
    return copy;
}

static int column_need(const struct joined_table *t, const char *name, int *ret,
                       struct err *err)
{
    *ret = name ? joined_table_column(t, span_of(name)) : -1;
    if (name && *ret < 0)
        return err_set(err, EINVAL, "[join %s]: %s has no column '%s'", t->join->name,
                       t->join->path, name);
    return 0;
}

static int joined_names_read(struct joined_table *t, struct csv *csv, struct err *err)
{
    const struct span *fields;
    int rc = csv_next(csv, &fields, &t->column_count, err);
    if (rc == 0)
        return err_set(err, ENODATA, "%s: the file is empty", t->join->path);
    if (rc < 0)
        return rc;
    t->names = fields_copy(t, fields, t->column_count);
    if (!t->names)
        return err_set(err, ENOMEM, "out of memory");
    rc = column_need(t, t->join->key_column, &t->key_at, err);
    return rc < 0 ? rc : column_need(t, t->join->time_column, &t->time_at, err);
}

static int joined_row_add(struct joined_table *t, const struct span *fields,
                          uint64_t line, struct err *err)
{
    struct joined_row row = { .line = line };
    if (t->count == JOINED_ROWS_MAX)
        return err_set(err, E2BIG, "%s: more than %zu rows", t->join->path,
                       JOINED_ROWS_MAX);
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : 256;
        struct joined_row *more = reallocarray(t->rows, capacity, sizeof *more);
        if (!more)
            return err_set(err, ENOMEM, "out of memory");
        t->rows = more;
        t->capacity = capacity;
    }
    row.fields = fields_copy(t, fields, t->column_count);
    if (!row.fields)
        return err_set(err, ENOMEM, "out of memory");
    if (t->key_at >= 0)
        row.key = row.fields[t->key_at];
    if (t->time_at >= 0) {
        int rc =
            time_form_parse(&t->join->form, row.fields[t->time_at], &row.t_ns, err);
        if (rc < 0)
            return err_prefix(err, rc, "%s:%llu: %s", t->join->path,
                              (unsigned long long)line, t->join->time_column);
    }
    t->rows[t->count++] = row;
    return 0;
}

static int key_order(struct span a, struct span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_key(const void *a, const void *b)
{
    const struct joined_row *x = a, *y = b;
    int order = key_order(x->key, y->key);
    if (order == 0 && x->t_ns != y->t_ns)
        order = x->t_ns < y->t_ns ? -1 : 1;
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Without times two rows of a key would both be right. */
static int keys_check(const struct joined_table *t, struct err *err)
{
    for (size_t i = 1; t->time_at < 0 && i < t->count; i++)
        if (key_order(t->rows[i - 1].key, t->rows[i].key) == 0)
            return err_set(err, EINVAL,
                           "%s:%llu: '" SPAN_FMT
                           "' is there twice, and [join %s] has no "
                           "time_column",
                           t->join->path, (unsigned long long)t->rows[i].line,
                           SPAN_ARG(t->rows[i].key), t->join->name);
    return 0;
}

int joined_table_load(const struct table_join *join, struct joined_table **ret,
                      struct err *err)
{
    AUTO(joined_table_free) struct joined_table *t = calloc(1, sizeof *t);
    AUTO(csv_close) struct csv *csv = NULL;
    const struct span *fields;
    size_t count;
    if (!t)
        return err_set(err, ENOMEM, "out of memory");
    t->join = join;
    arena_init(&t->arena, 0);
    int rc = csv_open_form(join->path, &sheet_default.csv, &csv, err);
    if (rc == 0)
        rc = joined_names_read(t, csv, err);
    while (rc == 0 && (rc = csv_next(csv, &fields, &count, err)) > 0) {
        if (count != t->column_count)
            return err_set(err, EINVAL, "%s:%llu: has %zu fields, not %zu as the names",
                           join->path, (unsigned long long)csv_line(csv), count,
                           t->column_count);
        rc = joined_row_add(t, fields, csv_line(csv), err);
    }
    if (rc < 0)
        return rc;
    if (t->count > 1)
        qsort(t->rows, t->count, sizeof *t->rows, by_key);
    rc = keys_check(t, err);
    if (rc == 0)
        *ret = TAKE(t);
    return rc;
}

/* How many rows come before the first that is behind key and time. */
static size_t rows_before(const struct joined_table *t, struct span key, int64_t t_ns)
{
    size_t from = 0, to = t->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = key_order(t->rows[middle].key, key);
        if (order < 0 || (order == 0 && t->rows[middle].t_ns <= t_ns))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

bool joined_table_find(const struct joined_table *table, struct span key, int64_t t_ns,
                       size_t *ret_row)
{
    const struct joined_table *t = table;
    if (t->key_at < 0)
        key = (struct span){ NULL, 0 };
    if (t->time_at < 0)
        t_ns = 0;
    size_t count = rows_before(t, key, t_ns);
    if (count == 0 || key_order(t->rows[count - 1].key, key) != 0 ||
        (t->time_at >= 0 && t_ns - t->rows[count - 1].t_ns > t->join->within_ns))
        return false;
    *ret_row = count - 1;
    return true;
}

struct value joined_table_value(const struct joined_table *table, size_t row,
                                int column)
{
    return sheet_value(&sheet_default, table->rows[row].fields[column]);
}
