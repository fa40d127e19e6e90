/* SPDX-License-Identifier: Apache-2.0 */
/* rows - tables of any columns, row by row, and what formulas make of them. */
#include "analysis/table/rows.h"

#include "analysis/table/csv.h"
#include "analysis/table/long_table.h"
#include "analysis/table/row_joins.h"
#include "base/hashmap.h"
#include "base/span.h"

/* Two more of a wide table, and those of second tables. */
#define COLUMNS_MAX (CSV_FIELDS_MAX + MAPPING_ITEMS_MAX + 4 + ROW_JOINED_MAX)

/* The values of a row: made columns, the file's name, "missing", the file's fields. */
enum {
    PLACE_FILE = MAPPING_ITEMS_MAX,
    PLACE_MISSING,
    PLACE_FIELDS,
    JOINED_FIRST = MAPPING_ITEMS_MAX + CSV_FIELDS_MAX + 4,
};

struct formula {
    const char *where, *text;
    const struct expression *parsed; /* for the table being read */
};

struct rows {
    const struct mapping_items *columns;
    const struct sheet *form;
    const struct expression *made[MAPPING_ITEMS_MAX];
    struct row_joins *joins; /* NULL: none */
    struct formula formulas[ROWS_FORMULAS_MAX];
    size_t formula_count;
    struct hashmap names; /* columns asked for -> 1, 2 when a table had it */
    struct arena formulas_arena, row_arena;
    struct hashmap fields; /* of the table: name -> index + 1 */
    size_t field_count;
    struct span titles[CSV_FIELDS_MAX]; /* of the fields */
    struct arena names_arena;
    size_t wide[CSV_FIELDS_MAX]; /* fields that are runs of their own */
    size_t wide_count;
    size_t made_count; /* columns that later formulas may use */
    const struct rows_reader *reader;
    const char *path;
    uint64_t line;
    uint64_t count;
    uint64_t doubles; /* values that a long table had given before */
    struct value values[COLUMNS_MAX];
};

int rows_new(const struct mapping_items *columns, const struct sheet *form,
             struct rows **ret)
{
    struct rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        return -ENOMEM;
    rows->columns = columns;
    rows->form = form;
    arena_init(&rows->formulas_arena, 0);
    arena_init(&rows->row_arena, 0);
    arena_init(&rows->names_arena, 0);
    *ret = rows;
    return 0;
}

void rows_free(struct rows *rows)
{
    if (!rows)
        return;
    row_joins_free(rows->joins);
    hashmap_done(&rows->names);
    hashmap_done(&rows->fields);
    arena_done(&rows->formulas_arena);
    arena_done(&rows->row_arena);
    arena_done(&rows->names_arena);
    free(rows);
}

int rows_join(struct rows *rows, const struct mapping *mapping, struct err *err)
{
    const struct mapping *m = mapping;
    return m->join_count > 0 ? row_joins_new(m->joins, m->join_count, &m->time_form,
                                             &rows->joins, err)
                             : 0;
}

uint64_t rows_unjoined(const struct rows *rows, size_t n)
{
    return row_joins_missed(rows->joins, n);
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
    int slot = field || !rows->joins ? -ENOENT : row_joins_slot(rows->joins, name);
    if (slot >= 0)
        return JOINED_FIRST + slot;
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
    if (rows->joins)
        rc = row_joins_parse(rows->joins, place_of, rows, &rows->formulas_arena, err);
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

/* The second of one name is NAME#2. */
static int field_add(struct rows *rows, struct span name, size_t index)
{
    char numbered[256];
    bool is_new = false;
    uintptr_t *slot = hashmap_put(&rows->fields, name, &is_new);
    for (int n = 2; slot && !is_new; n++) {
        (void)snprintf(numbered, sizeof numbered, SPAN_FMT "#%d",
                       (int)(name.size > 200 ? 200 : name.size), name.data, n);
        slot = hashmap_put(&rows->fields, span_of(numbered), &is_new);
    }
    if (!slot)
        return -ENOMEM;
    *slot = index + 1;
    return 0;
}

static void table_begin(struct rows *rows, const char *path,
                        const struct rows_reader *reader)
{
    const char *slash = strrchr(path, '/');
    hashmap_done(&rows->fields);
    rows->fields = (struct hashmap)HASHMAP_INIT;
    arena_reset(&rows->names_arena);
    rows->field_count = rows->wide_count = 0;
    rows->reader = reader;
    rows->path = path;
    rows->values[PLACE_FILE] =
        (struct value){ .kind = VALUE_TEXT, .text = span_of(slash ? slash + 1 : path) };
}

static int row_tell(struct rows *rows)
{
    if (rows->joins)
        row_joins_fill(rows->joins, rows->values, rows->values + JOINED_FIRST,
                       &rows->row_arena);
    for (size_t i = 0; i < rows->columns->count; i++)
        rows->values[i] =
            expression_eval(rows->made[i], rows->values, &rows->row_arena);
    int rc = rows->reader->row(rows->reader->arg, rows);
    arena_reset(&rows->row_arena);
    return rc;
}

/* ---- the names of a table ---- */

static int name_keep(struct rows *rows, struct span name, struct err *err)
{
    name = span_trim(name);
    const char *copy = arena_dup(&rows->names_arena, name);
    size_t index = rows->field_count;
    if (index == CSV_FIELDS_MAX)
        return err_set(err, E2BIG, "%s: more than %d columns", rows->path,
                       CSV_FIELDS_MAX);
    if (!copy || field_add(rows, name, index) < 0)
        return err_set(err, ENOMEM, "%s: out of memory", rows->path);
    rows->titles[index] = (struct span){ copy, name.size };
    rows->field_count++;
    return 0;
}

/* pandas writes an index in front, with an empty name or none. */
static int names_read(struct rows *rows, struct csv *csv, struct err *err)
{
    const struct span *fields;
    struct span rest = span_of(rows->form->names);
    size_t count;
    bool is_more = rows->form->names;
    int rc = 0;
    while (rc == 0 && is_more) {
        struct span name;
        is_more = span_cut(&rest, ',', &name);
        rc = name_keep(rows, name, err);
    }
    if (rc == 0 && !rows->form->names) {
        rc = csv_next(csv, &fields, &count, err);
        if (rc == 0)
            return err_set(err, ENODATA, "%s: the file is empty", rows->path);
        rc = rc < 0 ? rc : 0;
        for (size_t i = 0; rc == 0 && i < count; i++)
            rc = name_keep(rows, fields[i], err);
    }
    for (uint64_t i = 0; rc == 0 && i < rows->form->skip_rows; i++) {
        rc = csv_next(csv, &fields, &count, err);
        if (rc == 0)
            break;
        rc = rc < 0 ? rc : 0;
    }
    return rc;
}

static bool is_wide(const struct rows *rows, struct span name)
{
    for (size_t i = 0; i < rows->form->wide.count; i++)
        if (span_glob(name, rows->form->wide.items[i]))
            return true;
    return false;
}

static int wide_begin(struct rows *rows, struct err *err)
{
    size_t count = rows->field_count;
    if (rows->form->wide.count == 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (is_wide(rows, rows->titles[i]))
            rows->wide[rows->wide_count++] = i;
    if (rows->wide_count == 0)
        return err_set(err, EINVAL, "%s: 'wide' of [table] is the name of no column",
                       rows->path);
    return field_add(rows, SPAN("column"), count) < 0 ||
                   field_add(rows, SPAN("cell"), count + 1) < 0
               ? err_set(err, ENOMEM, "%s: out of memory", rows->path)
               : 0;
}

/* ---- rows ---- */

static void values_set(struct rows *rows, const struct span *fields)
{
    for (size_t i = 0; i < rows->field_count; i++)
        rows->values[PLACE_FIELDS + i] = sheet_value(rows->form, fields[i]);
}

/* A run for each wide column that has something in this row. */
static int wide_tell(struct rows *rows)
{
    struct value *made = &rows->values[PLACE_FIELDS + rows->field_count];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < rows->wide_count; i++) {
        size_t field = rows->wide[i];
        if (rows->values[PLACE_FIELDS + field].kind == VALUE_MISSING)
            continue;
        made[0] = (struct value){ .kind = VALUE_TEXT, .text = rows->titles[field] };
        made[1] = rows->values[PLACE_FIELDS + field];
        rows->count++;
        rc = row_tell(rows);
    }
    return rc;
}

static int fields_tell(struct rows *rows, const struct span *fields, struct err *err)
{
    values_set(rows, fields);
    rows->count += rows->wide_count == 0;
    int rc = rows->wide_count > 0 ? wide_tell(rows) : row_tell(rows);
    return rc < 0 ? err_set(err, -rc, "%s: %s", rows->path, strerror(-rc)) : 0;
}

/* Whether these are the fields of a row; *skip: those of an index in front. */
static bool fields_fit(struct rows *rows, const struct csv *csv, size_t count,
                       size_t *skip)
{
    char what[160];
    rows->line = csv_line(csv);
    *skip = count == rows->field_count + 1 ? 1 : 0;
    if (count - *skip == rows->field_count && !csv_is_open(csv))
        return true;
    rows->count++;
    if (csv_is_open(csv)) {
        rows_fault(rows,
                   "a quote in this row is never closed, and holds the rest of the "
                   "file; 'quotes = no' of [table] makes it a character");
        return false;
    }
    char separator = csv_separator(csv);
    (void)snprintf(what, sizeof what,
                   "has %zu field%s, not %zu as the names; divided by %s%c%s, which "
                   "'separator' of [table] can change",
                   count, count == 1 ? "" : "s", rows->field_count,
                   separator == '\t' ? "tabs (" : "'", separator,
                   separator == '\t' ? ")" : "'");
    rows_fault(rows, what);
    return false;
}

static int rows_stream(struct rows *rows, struct csv *csv, struct err *err)
{
    const struct span *fields;
    size_t count;
    size_t skip;
    int rc = wide_begin(rows, err);
    if (rc == 0)
        rc = formulas_parse(rows, err);
    while (rc == 0 && (rc = csv_next(csv, &fields, &count, err)) > 0)
        rc = fields_fit(rows, csv, count, &skip) ? fields_tell(rows, fields + skip, err)
                                                 : 0;
    return rc;
}

/* ---- tables ---- */

static int long_read(struct rows *rows, struct csv *csv, struct long_table *table,
                     struct err *err)
{
    const struct span *fields;
    size_t count;
    size_t skip;
    int rc = 0;
    while (rc == 0 && (rc = csv_next(csv, &fields, &count, err)) > 0) {
        rc = 0;
        if (!fields_fit(rows, csv, count, &skip))
            continue;
        rc = long_table_add(table, fields + skip, rows->line, err);
        if (rc < 0)
            return err_prefix(err, rc, "%s:%llu", rows->path,
                              (unsigned long long)rows->line);
    }
    return rc;
}

static int long_tell(struct rows *rows, struct long_table *table, struct err *err)
{
    const struct span *metrics;
    const struct span *fields;
    size_t count = long_table_metrics(table, &metrics);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = name_keep(rows, metrics[i], err);
    if (rc == 0)
        rc = formulas_parse(rows, err);
    for (size_t i = 0; rc == 0 && long_table_run(table, i, &fields, &rows->line); i++)
        rc = fields_tell(rows, fields, err);
    return rc;
}

static int rows_lengthwise(struct rows *rows, struct csv *csv, struct err *err)
{
    AUTO(long_table_free) struct long_table *table = NULL;
    int rc = long_table_new(rows->form, rows->titles, rows->field_count, &table, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", rows->path);
    rc = long_read(rows, csv, table, err);
    if (rc == 0)
        rc = long_tell(rows, table, err);
    rows->doubles += rc == 0 ? long_table_doubles(table) : 0;
    return rc;
}

int rows_read_file(struct rows *rows, const char *path,
                   const struct rows_reader *reader, struct err *err)
{
    AUTO(csv_close) struct csv *csv = NULL;
    table_begin(rows, path, reader);
    int rc = csv_open_form(path, &rows->form->csv, &csv, err);
    if (rc == 0)
        rc = names_read(rows, csv, err);
    if (rc < 0)
        return rc;
    return rows->form->long_name ? rows_lengthwise(rows, csv, err)
                                 : rows_stream(rows, csv, err);
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
        rows->titles[i] = span_of(job->cells[i].name);
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

uint64_t rows_doubles(const struct rows *rows)
{
    return rows->doubles;
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

struct span rows_value_name(struct rows *rows, int formula)
{
    struct value v = rows_value(rows, formula);
    struct span text = value_as_text(&v, &rows->row_arena);
    size_t size = text.size;
    while (size > 0 && text.data[size - 1] == '0')
        size--;
    if (v.kind == VALUE_NUMBER && size > 1 && text.data[size - 1] == '.')
        text.size = size - 1;
    return text;
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
    char where[192];
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

static int name_fault(const struct rows *rows, struct span name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf there = STRBUF_INIT;
    for (size_t i = 0; i < rows->field_count && there.size < 200; i++) {
        struct span column = rows->titles[i];
        strbuf_addf(&there, "%s'" SPAN_FMT "'", i > 0 ? ", " : "",
                    (int)(column.size > 40 ? 40 : column.size), column.data);
    }
    return err_set(err, EINVAL,
                   "no file has a column '" SPAN_FMT "', and no [column " SPAN_FMT
                   "] makes it; 'optional' allows that. %s has %zu columns: %s%s",
                   (int)(name.size > 60 ? 60 : name.size), name.data,
                   (int)(name.size > 60 ? 60 : name.size), name.data,
                   rows->path ? rows->path : "the job", rows->field_count,
                   strbuf_text(&there), there.size >= 200 ? " ..." : "");
}

int rows_check_names(const struct rows *rows, const struct config_list *optional,
                     struct err *err)
{
    size_t cursor = 0;
    struct span name;
    uintptr_t *known;
    while (hashmap_next(&rows->names, &cursor, &name, &known))
        if (*known == 1 && !is_among(optional, name))
            return name_fault(rows, name, err);
    return 0;
}
