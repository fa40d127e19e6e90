/* SPDX-License-Identifier: Apache-2.0 */
/* job_row - one job as one row: named numbers and texts, in the order they were put. */
#include "analysis/table/job_row.h"

#include "base/decimal_text.h"
#include "base/json_writer.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>

#define ROW_BYTES_MAX ((size_t)1 << 20)

void job_row_init(struct job_row *row)
{
    *row = (struct job_row){ 0 };
    arena_init(&row->arena, ROW_BYTES_MAX);
}

void job_row_done(struct job_row *row)
{
    arena_done(&row->arena);
    free(row->cells);
    *row = (struct job_row){ 0 };
}

static void put(struct job_row *row, const char *name, struct job_cell cell)
{
    if (row->count == row->capacity) {
        size_t capacity = row->capacity ? row->capacity * 2 : 256;
        struct job_cell *cells = realloc(row->cells, capacity * sizeof *cells);
        if (!cells) {
            row->error = -ENOMEM;
            return;
        }
        row->cells = cells;
        row->capacity = capacity;
    }
    cell.name = arena_dup(&row->arena, span_of(name));
    if (!cell.name) {
        row->error = -ENOMEM;
        return;
    }
    row->cells[row->count++] = cell;
}

void job_row_text(struct job_row *row, const char *name, const char *value)
{
    struct job_cell cell = { .type = JOB_CELL_MISSING };
    if (value) {
        cell.type = JOB_CELL_TEXT;
        cell.text = arena_dup(&row->arena, span_of(value));
        if (!cell.text) {
            row->error = -ENOMEM;
            return;
        }
    }
    put(row, name, cell);
}

void job_row_i64(struct job_row *row, const char *name, int64_t value)
{
    put(row, name, (struct job_cell){ .type = JOB_CELL_I64, .i64 = value });
}

void job_row_double(struct job_row *row, const char *name, double value)
{
    if (isfinite(value))
        put(row, name, (struct job_cell){ .type = JOB_CELL_DOUBLE, .dbl = value });
    else
        job_row_missing(row, name);
}

void job_row_missing(struct job_row *row, const char *name)
{
    put(row, name, (struct job_cell){ .type = JOB_CELL_MISSING });
}

int job_row_error(const struct job_row *row)
{
    return row->error;
}

const struct job_cell *job_row_find(const struct job_row *row, const char *name)
{
    for (size_t i = 0; i < row->count; i++)
        if (strcmp(row->cells[i].name, name) == 0)
            return &row->cells[i];
    return NULL;
}

double job_row_number(const struct job_row *row, const char *name)
{
    const struct job_cell *cell = job_row_find(row, name);
    if (cell && cell->type == JOB_CELL_I64)
        return (double)cell->i64;
    return cell && cell->type == JOB_CELL_DOUBLE ? cell->dbl : NAN;
}

const char *job_row_words(const struct job_row *row, const char *name)
{
    const struct job_cell *cell = job_row_find(row, name);
    return cell && cell->type == JOB_CELL_TEXT ? cell->text : NULL;
}

static void number_put(const struct job_cell *cell, struct strbuf *out)
{
    char text[DECIMAL_TEXT_MAX];
    if (cell->type == JOB_CELL_I64)
        strbuf_add_i64(out, cell->i64);
    else if (cell->type == JOB_CELL_DOUBLE)
        strbuf_add(out, text, decimal_print_shortest(text, cell->dbl));
}

static void csv_text(const char *text, struct strbuf *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        strbuf_adds(out, text);
        return;
    }
    strbuf_addc(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            strbuf_addc(out, '"');
        strbuf_addc(out, *text);
    }
    strbuf_addc(out, '"');
}

void job_row_print_header(const struct job_row *row, struct strbuf *out)
{
    for (size_t i = 0; i < row->count; i++) {
        if (i > 0)
            strbuf_addc(out, ',');
        csv_text(row->cells[i].name, out);
    }
    strbuf_addc(out, '\n');
}

void job_row_print_csv(const struct job_row *row, struct strbuf *out)
{
    for (size_t i = 0; i < row->count; i++) {
        if (i > 0)
            strbuf_addc(out, ',');
        if (row->cells[i].type == JOB_CELL_TEXT)
            csv_text(row->cells[i].text, out);
        else
            number_put(&row->cells[i], out);
    }
    strbuf_addc(out, '\n');
}

void job_row_print_json(const struct job_row *row, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    for (size_t i = 0; i < row->count; i++) {
        const struct job_cell *cell = &row->cells[i];
        if (cell->type == JOB_CELL_MISSING)
            continue;
        json_key(&w, cell->name);
        if (cell->type == JOB_CELL_TEXT)
            json_text(&w, cell->text);
        else if (cell->type == JOB_CELL_I64)
            json_i64(&w, cell->i64);
        else
            json_double(&w, cell->dbl);
    }
    json_object_end(&w);
}

void job_row_print_lines(const struct job_row *row, struct strbuf *out)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct job_cell *cell = &row->cells[i];
        strbuf_addf(out, "%-42s ", cell->name);
        if (cell->type == JOB_CELL_MISSING)
            strbuf_addc(out, '-');
        else if (cell->type == JOB_CELL_TEXT)
            strbuf_adds(out, cell->text);
        else
            number_put(cell, out);
        strbuf_addc(out, '\n');
    }
}
