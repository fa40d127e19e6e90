/* SPDX-License-Identifier: Apache-2.0 */
/* rows - tables of somebody's columns, row by row, and what formulas make of them. */
#include "analysis/rows.h"

#include "analysis/csv.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/timetext.h"

#include <math.h>

#define COLUMNS_MAX (CSV_FIELDS_MAX + MAPPING_ITEMS_MAX + 2)

/* The values of a row: made columns, the file's name, "missing", the file's fields. */
enum { PLACE_FILE = MAPPING_ITEMS_MAX, PLACE_MISSING, PLACE_FIELDS };

struct formula {
    const char *where, *text;
    const struct expression *parsed; /* for the table being read */
};

struct rows {
    const struct mapping_items *columns;
    const struct expression *made[MAPPING_ITEMS_MAX];
    struct formula formulas[ROWS_FORMULAS_MAX];
    size_t formula_count;
    struct hashmap names; /* columns asked for -> 1, 2 when a table had it */
    struct arena formulas_arena, row_arena;
    struct hashmap fields; /* of the table: name -> index + 1 */
    size_t field_count;
    size_t made_count; /* columns that later formulas may use */
    const struct rows_reader *reader;
    const char *path;
    uint64_t line;
    uint64_t count;
    struct value values[COLUMNS_MAX];
};

int rows_new(const struct mapping_items *columns, struct rows **ret)
{
    struct rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        return -ENOMEM;
    rows->columns = columns;
    arena_init(&rows->formulas_arena, 0);
    arena_init(&rows->row_arena, 0);
    *ret = rows;
    return 0;
}

void rows_free(struct rows *rows)
{
    if (!rows)
        return;
    hashmap_done(&rows->names);
    hashmap_done(&rows->fields);
    arena_done(&rows->formulas_arena);
    arena_done(&rows->row_arena);
    free(rows);
}

int rows_add_formula(struct rows *rows, const char *where, const char *text)
{
    if (rows->formula_count == ROWS_FORMULAS_MAX)
        return -E2BIG;
    rows->formulas[rows->formula_count] =
        (struct formula){ .where = where, .text = text };
    return (int)rows->formula_count++;
}

/* ---- formulas, for a table whose columns are known now ---- */

static int place_of(void *arg, struct span name)
{
    struct rows *rows = arg;
    for (size_t i = 0; i < rows->made_count; i++)
        if (span_is(name, rows->columns->items[i].name))
            return (int)i;
    if (span_is(name, "file"))
        return PLACE_FILE;
    const uintptr_t *field = hashmap_get(&rows->fields, name);
    uintptr_t *known = hashmap_put(&rows->names, name, NULL);
    if (!known)
        return -ENOMEM;
    if (*known != 2)
        *known = field ? 2 : 1;
    return field ? PLACE_FIELDS + (int)*field - 1 : PLACE_MISSING;
}

static int formula_parse(struct rows *rows, const char *where, const char *text,
                         const struct expression **ret, struct err *err)
{
    int rc = expression_parse(span_of(text), place_of, rows, &rows->formulas_arena, ret,
                              err);
    return rc < 0 ? err_prefix(err, rc, "%s", where) : 0;
}

static int formulas_parse(struct rows *rows, struct err *err)
{
    int rc = 0;
    arena_reset(&rows->formulas_arena);
    rows->made_count = 0;
    for (size_t i = 0; rc == 0 && i < rows->columns->count; i++) {
        const struct mapping_item *item = &rows->columns->items[i];
        rc = formula_parse(rows, item->name, item->formula, &rows->made[i], err);
        rows->made_count = i + 1;
    }
    for (size_t i = 0; rc == 0 && i < rows->formula_count; i++) {
        struct formula *f = &rows->formulas[i];
        rc = formula_parse(rows, f->where, f->text, &f->parsed, err);
    }
    return rc;
}

static int field_add(struct rows *rows, struct span name, size_t index)
{
    uintptr_t *place = hashmap_put(&rows->fields, name, NULL);
    if (!place)
        return -ENOMEM;
    if (*place == 0)
        *place = index + 1;
    return 0;
}

static void table_begin(struct rows *rows, const char *path,
                        const struct rows_reader *reader)
{
    const char *slash = strrchr(path, '/');
    hashmap_done(&rows->fields);
    rows->fields = (struct hashmap)HASHMAP_INIT;
    rows->reader = reader;
    rows->path = path;
    rows->values[PLACE_FILE] =
        (struct value){ .kind = VALUE_TEXT, .text = span_of(slash ? slash + 1 : path) };
}

static int row_tell(struct rows *rows)
{
    for (size_t i = 0; i < rows->columns->count; i++)
        rows->values[i] =
            expression_eval(rows->made[i], rows->values, &rows->row_arena);
    int rc = rows->reader->row(rows->reader->arg, rows);
    arena_reset(&rows->row_arena);
    return rc;
}

/* ---- tables ---- */

/* Names of the fields.  pandas writes an index in front, with an empty name or none. */
static int header_read(struct rows *rows, struct csv *csv, struct err *err)
{
    const struct span *fields;
    size_t count;
    int rc = csv_next(csv, &fields, &count, err);
    if (rc <= 0)
        return rc < 0 ? rc : err_set(err, EINVAL, "%s: the file is empty", rows->path);
    for (size_t i = 0; i < count; i++)
        if (field_add(rows, fields[i], i) < 0)
            return err_set(err, ENOMEM, "%s: out of memory", rows->path);
    rows->field_count = count;
    return formulas_parse(rows, err);
}

int rows_read_file(struct rows *rows, const char *path,
                   const struct rows_reader *reader, struct err *err)
{
    AUTO(csv_close) struct csv *csv = NULL;
    const struct span *fields;
    size_t count;
    table_begin(rows, path, reader);
    int rc = csv_open(path, &csv, err);
    if (rc == 0)
        rc = header_read(rows, csv, err);
    while (rc == 0 && (rc = csv_next(csv, &fields, &count, err)) > 0) {
        size_t skip = count == rows->field_count + 1 ? 1 : 0;
        rows->line = csv_line(csv);
        rows->count++;
        if (count - skip != rows->field_count) {
            rows_fault(rows, "another number of fields than the header");
            rc = 0;
            continue;
        }
        for (size_t i = skip; i < count; i++)
            rows->values[PLACE_FIELDS + i - skip] = value_of_text(fields[i]);
        rc = row_tell(rows);
        if (rc < 0)
            return err_set(err, -rc, "%s: %s", path, strerror(-rc));
    }
    return rc;
}

static struct value value_of_cell(const struct job_cell *cell)
{
    if (cell->type == JOB_CELL_I64)
        return value_number((double)cell->i64);
    if (cell->type == JOB_CELL_DOUBLE)
        return value_number(cell->dbl);
    if (cell->type == JOB_CELL_TEXT)
        return value_of_text(span_of(cell->text)); /* as if it came out of a file */
    return (struct value){ .kind = VALUE_MISSING };
}

int rows_read_job(struct rows *rows, const struct job_row *job, const char *file_name,
                  const struct rows_reader *reader, struct err *err)
{
    if (job->count > CSV_FIELDS_MAX)
        return err_set(err, E2BIG, "%s: too many columns", file_name);
    table_begin(rows, file_name, reader);
    for (size_t i = 0; i < job->count; i++) {
        if (field_add(rows, span_of(job->cells[i].name), i) < 0)
            return err_set(err, ENOMEM, "%s: out of memory", file_name);
        rows->values[PLACE_FIELDS + i] = value_of_cell(&job->cells[i]);
    }
    rows->field_count = job->count;
    rows->line = 0;
    int rc = formulas_parse(rows, err);
    if (rc < 0)
        return rc;
    rc = row_tell(rows);
    return rc < 0 ? err_set(err, -rc, "%s: %s", file_name, strerror(-rc)) : 0;
}

uint64_t rows_count(const struct rows *rows)
{
    return rows->count;
}

/* ---- a row ---- */

struct value rows_value(struct rows *rows, int formula)
{
    return expression_eval(rows->formulas[formula].parsed, rows->values,
                           &rows->row_arena);
}

bool rows_is_true(struct rows *rows, int formula)
{
    return expression_is_true(rows->formulas[formula].parsed, rows->values,
                              &rows->row_arena);
}

struct span rows_value_text(struct rows *rows, int formula)
{
    struct value v = rows_value(rows, formula);
    return value_as_text(&v, &rows->row_arena);
}

bool rows_has(const struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->columns->count; i++)
        if (strcmp(rows->columns->items[i].name, name) == 0)
            return true;
    return strcmp(name, "file") == 0 || hashmap_get(&rows->fields, span_of(name));
}

void rows_fault(struct rows *rows, const char *what)
{
    char where[256];
    (void)snprintf(where, sizeof where, "%s:%llu", rows->path,
                   (unsigned long long)rows->line);
    rows->reader->fault(rows->reader->arg, where, what);
}

static bool is_among(const struct config_list *list, struct span name)
{
    for (size_t i = 0; list && i < list->count; i++)
        if (span_is(name, list->items[i]))
            return true;
    return false;
}

int rows_check_names(const struct rows *rows, const struct config_list *optional,
                     struct err *err)
{
    size_t cursor = 0;
    struct span name;
    uintptr_t *known;
    while (hashmap_next(&rows->names, &cursor, &name, &known))
        if (*known == 1 && !is_among(optional, name))
            return err_set(err, EINVAL,
                           "no file has a column '" SPAN_FMT
                           "', and no [column " SPAN_FMT
                           "] makes it; 'optional' allows "
                           "that",
                           SPAN_ARG(name), SPAN_ARG(name));
    return 0;
}

int rows_time(const struct value *value, int64_t *ret_ns)
{
    if (value->kind == VALUE_TEXT)
        return timetext_parse(value->text, ret_ns) == 0 ? 0 : -EINVAL;
    if (value->kind == VALUE_MISSING || !(fabs(value->number) < 9e9))
        return -EINVAL;
    *ret_ns = (int64_t)(value->number * 1e3) * NS_PER_MS;
    return 0;
}
