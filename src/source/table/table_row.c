/* SPDX-License-Identifier: Apache-2.0 */
/* table_row - a row of somebody's table as values with time, component and measure. */
#include "source/table/table_row.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#define PARTS_MAX 16
#define STAMP_BYTES 19
#define STAMP_BYTES_MAX 48

static int column_find(const struct span *names, size_t count, struct span wanted,
                       size_t *ret, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        if (span_eq(span_trim(names[i]), wanted)) {
            *ret = i;
            return 0;
        }
    return err_set(err, EINVAL, "the table has no column '" SPAN_FMT "'",
                   SPAN_ARG(wanted));
}

/* The next "{column}" of a template, and the text before it; false: the rest is text.
 */
static bool brace_cut(struct span *text, struct span *ret_before, struct span *ret_name)
{
    const char *open = memchr(text->data, '{', text->size);
    if (!open)
        return false;
    struct span rest = span_skip(*text, (size_t)(open - text->data) + 1);
    *ret_before = (struct span){ text->data, (size_t)(open - text->data) };
    if (!span_cut(&rest, '}', ret_name))
        return false;
    *text = rest;
    return true;
}

static int parts_find(struct table_rows *r, const struct span *names, size_t count,
                      struct err *err)
{
    struct span text = span_of(r->mapping->component), before, name;
    r->parts = calloc(PARTS_MAX, sizeof *r->parts);
    if (!r->parts)
        return err_set(err, ENOMEM, "out of memory");
    while (brace_cut(&text, &before, &name)) {
        if (r->part_count == PARTS_MAX)
            return err_set(err, EINVAL, "a component has over %d parts", PARTS_MAX);
        int rc = column_find(names, count, name, &r->parts[r->part_count++], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int table_rows_init(struct table_rows *rows, const struct table_mapping *mapping,
                    const struct span *names, size_t count, struct err *err)
{
    *rows = (struct table_rows){ .mapping = mapping,
                                 .only = SIZE_MAX,
                                 .column_count = count };
    int rc = column_find(names, count, span_of(mapping->time), &rows->time, err);
    if (rc == 0 && mapping->only_column)
        rc = column_find(names, count, span_of(mapping->only_column), &rows->only, err);
    if (rc == 0)
        rc = parts_find(rows, names, count, err);
    for (size_t i = 0; rc == 0 && i < mapping->measure_count; i++)
        rc = column_find(names, count, span_of(mapping->measures[i].column),
                         &rows->measures[i], err);
    return rc;
}

void table_rows_done(struct table_rows *rows)
{
    free(rows->parts);
    strbuf_done(&rows->component);
    rows->parts = NULL;
}

/* "2018-01-28 00:00:05.25", with any byte between date and clock, of the mapping's
 * zone; one with a zone of its own keeps it. */
static int text_time(const struct table_mapping *m, struct span text, int64_t *ret)
{
    char stamp[STAMP_BYTES_MAX + 2];
    if (text.size < STAMP_BYTES || text.size > STAMP_BYTES_MAX)
        return -EINVAL;
    memcpy(stamp, text.data, text.size);
    stamp[10] = 'T';
    if (timetext_parse((struct span){ stamp, text.size }, ret) == 0)
        return 0;
    stamp[text.size] = 'Z';
    if (timetext_parse((struct span){ stamp, text.size + 1 }, ret) < 0)
        return -EINVAL;
    *ret -= m->zone_east_s * NS_PER_S;
    return 0;
}

static int component_make(struct table_rows *r, const struct span *cells)
{
    struct span text = span_of(r->mapping->component), before, name;
    size_t part = 0;
    strbuf_clear(&r->component);
    while (brace_cut(&text, &before, &name)) {
        strbuf_add_span(&r->component, before);
        strbuf_add_span(&r->component, span_trim(cells[r->parts[part++]]));
    }
    strbuf_add_span(&r->component, text);
    return strbuf_error(&r->component);
}

static int refuse(struct table_rows *r, uint64_t number, const char *reason)
{
    r->fault_count++;
    if (r->on_fault)
        r->on_fault(r->arg, number, reason);
    return 0;
}

int table_rows_take(struct table_rows *rows, const struct span *cells, size_t count,
                    uint64_t number)
{
    const struct table_mapping *m = rows->mapping;
    struct table_value value = { 0 };
    double values[TABLE_MEASURES_MAX];
    if (count != rows->column_count)
        return refuse(rows, number, "it has other fields than columns");
    if (rows->only != SIZE_MAX && !span_is(span_trim(cells[rows->only]), m->only_value))
        return 0;
    struct span time = span_trim(cells[rows->time]);
    int rc = m->zone == TABLE_ZONE_EPOCH ? number_parse_seconds(time, &value.t_ns)
                                         : text_time(m, time, &value.t_ns);
    if (rc < 0)
        return refuse(rows, number, "its time is none");
    for (size_t i = 0; i < m->measure_count; i++) {
        struct span cell = span_trim(cells[rows->measures[i]]);
        if (cell.size > 0 && number_parse_double(cell, &values[i]) < 0)
            return refuse(rows, number, "a value is none");
    }
    if (component_make(rows, cells) < 0)
        return -ENOMEM;
    value.component = strbuf_span(&rows->component);
    for (size_t i = 0; i < m->measure_count; i++) {
        if (span_trim(cells[rows->measures[i]]).size == 0)
            continue;
        value.measure = i;
        value.value = values[i] * m->measures[i].scale;
        rc = rows->on_value(rows->arg, &value);
        if (rc < 0)
            return rc;
    }
    return 0;
}
