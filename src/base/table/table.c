/* SPDX-License-Identifier: Apache-2.0 */
/* table - an answer: columns with units, and rows. */
#include "base/table/table.h"

#include "base/utf8.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

#define ROWS_FIRST 64
#define NOTES_MAX 64

void table_init(struct table *table)
{
    *table = (struct table){ 0 };
    arena_init(&table->arena, 0);
}

void table_done(struct table *table)
{
    free(table->cells);
    free(table->notes);
    arena_done(&table->arena);
    *table = (struct table){ 0 };
}

static const char *text_copy(struct table *table, struct span text)
{
    const char *copy = arena_dup(&table->arena, text);
    if (!copy)
        table->error = -ENOMEM;
    return copy;
}

size_t table_bytes(const struct table *table)
{
    return table->arena.used_bytes +
           table->row_capacity * table->column_count * sizeof *table->cells;
}

void table_add_column(struct table *table, const char *name, enum table_type type,
                      const char *unit)
{
    assert(table->row_count == 0);
    if (table->column_count == TABLE_COLUMNS_MAX) {
        table->error = -E2BIG;
        return;
    }
    struct table_column column = { text_copy(table, span_of(name)), type,
                                   text_copy(table, span_of(unit)) };
    if (!table->error)
        table->columns[table->column_count++] = column;
}

void table_insert_column(struct table *table, size_t at, const char *name,
                         enum table_type type, const char *unit)
{
    size_t count = table->column_count, rows = table->row_count;
    assert(at <= count);
    table->row_count = 0;
    table_add_column(table, name, type, unit);
    table->row_count = rows;
    if (table->error)
        return;
    struct table_cell *cells = NULL;
    if (table->row_capacity > 0) {
        cells = calloc(table->row_capacity, (count + 1) * sizeof *cells);
        if (!cells) {
            table->column_count = count;
            table->error = -ENOMEM;
            return;
        }
    }
    for (size_t r = 0; r < rows; r++) {
        const struct table_cell *from = &table->cells[r * count];
        struct table_cell *to = &cells[r * (count + 1)];
        memcpy(to, from, at * sizeof *to);
        to[at].is_null = true;
        memcpy(to + at + 1, from + at, (count - at) * sizeof *to);
    }
    const struct table_column column = table->columns[count];
    memmove(&table->columns[at + 1], &table->columns[at],
            (count - at) * sizeof *table->columns);
    table->columns[at] = column;
    free(table->cells);
    table->cells = cells;
}

void table_add_row(struct table *table)
{
    if (table->error)
        return;
    if (table->row_count == table->row_capacity) {
        size_t capacity = table->row_capacity ? table->row_capacity * 2 : ROWS_FIRST;
        size_t columns = table->column_count ? table->column_count : 1;
        struct table_cell *grown =
            realloc(table->cells, capacity * columns * sizeof *grown);
        if (!grown) {
            table->error = -ENOMEM;
            return;
        }
        table->cells = grown;
        table->row_capacity = capacity;
    }
    struct table_cell *row = &table->cells[table->row_count++ * table->column_count];
    for (size_t i = 0; i < table->column_count; i++)
        row[i] = (struct table_cell){ .is_null = true };
}

/* The cell of the newest row, or a spare one after an error. */
static struct table_cell *newest(struct table *table, size_t column)
{
    static _Thread_local struct table_cell nowhere;
    if (table->error || table->row_count == 0)
        return &nowhere;
    assert(column < table->column_count);
    struct table_cell *cell =
        &table->cells[(table->row_count - 1) * table->column_count + column];
    cell->is_null = false;
    return cell;
}

void table_set_text(struct table *table, size_t column, struct span text)
{
    if (!text.data)
        return;
    const char *copy = text_copy(table, text);
    if (copy)
        newest(table, column)->text = copy;
}

void table_set_text_at(struct table *table, size_t row, size_t column, struct span text)
{
    if (!text.data || table->error)
        return;
    assert(row < table->row_count && column < table->column_count);
    const char *copy = text_copy(table, text);
    if (copy)
        table->cells[row * table->column_count + column] =
            (struct table_cell){ .text = copy };
}

void table_set_u64(struct table *table, size_t column, uint64_t value)
{
    newest(table, column)->u64 = value;
}

void table_set_i64(struct table *table, size_t column, int64_t value)
{
    newest(table, column)->i64 = value;
}

void table_set_double(struct table *table, size_t column, double value)
{
    newest(table, column)->dbl = value;
}

void table_set_bool(struct table *table, size_t column, bool value)
{
    newest(table, column)->flag = value;
}

void table_add_note(struct table *table, const char *fmt, ...)
{
    if (table->error || table->note_count == NOTES_MAX)
        return;
    if (!table->notes) {
        table->notes = calloc(NOTES_MAX, sizeof *table->notes);
        if (!table->notes) {
            table->error = -ENOMEM;
            return;
        }
    }
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    char shown[2 * sizeof text]; /* what hosts and servers say is in notes */
    (void)utf8_print_shown(shown, sizeof shown, span_of(text));
    const char *copy = text_copy(table, span_of(shown));
    if (copy)
        table->notes[table->note_count++] = copy;
}

int table_error(const struct table *table)
{
    return table->error;
}

const struct table_cell *table_at(const struct table *table, size_t row, size_t column)
{
    assert(row < table->row_count && column < table->column_count);
    return &table->cells[row * table->column_count + column];
}

int table_find_column(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const char *const form_names[] = {
    [TABLE_FORM_TABLE] = "table",
    [TABLE_FORM_JSON] = "json",
    [TABLE_FORM_CSV] = "csv",
};

int table_form_parse(struct span name, enum table_form *ret)
{
    for (size_t i = 0; i < COUNT_OF(form_names); i++)
        if (span_is(name, form_names[i])) {
            *ret = (enum table_form)i;
            return 0;
        }
    return -EINVAL;
}
