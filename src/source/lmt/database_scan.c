/* SPDX-License-Identifier: Apache-2.0 */
/* database_scan - all measures of a day out of an LMT database, in one pass a table.
 *
 *     rows, in the order of time ──▶ [ slice being made ][ the next ]  for each measure
 *                                        └─▶ put, when a row is beyond both
 *
 * An increment stands a step before its sample, so that two slices are open.  A copy of
 * LMT's tables has its rows in the order in which they came; one that has not is
 * reported by -EAGAIN.
 */
#include "base/span.h"
#include "source/lmt/database.h"

#include <math.h>

#define SLICE_CELLS ((size_t)32768) /* as much as a chunk of an archive has */
#define TABLE_MEASURES_MAX 12
#define BETWEEN " NOT INDEXED WHERE TS_ID BETWEEN ?1 AND ?2"

struct scan_table {
    const char *components;
    const char *rows; /* SELECT TS_ID, component, a value for each measure */
    bool is_ops;      /* or: component, operation, value */
    enum lmt_measure measures[TABLE_MEASURES_MAX];
    size_t measure_count;
};

static const struct scan_table tables[] = {
    { DATABASE_OST_COMPONENTS,
      "SELECT TS_ID, OST_ID, READ_BYTES, WRITE_BYTES, KBYTES_USED * 1024.0,"
      " (KBYTES_USED + KBYTES_FREE) * 1024.0, INODES_USED, INODES_USED + INODES_FREE"
      " FROM OST_DATA" BETWEEN,
      false,
      { LMT_READ_BYTES, LMT_WRITE_BYTES, LMT_USED_BYTES, LMT_TOTAL_BYTES,
        LMT_USED_INODES, LMT_TOTAL_INODES },
      6 },
    { DATABASE_OSS_COMPONENTS,
      "SELECT TS_ID, OSS_ID, PCT_CPU, PCT_MEMORY FROM OSS_DATA" BETWEEN,
      false,
      { LMT_OSS_CPU, LMT_OSS_MEMORY },
      2 },
    { DATABASE_MDS_COMPONENTS,
      "SELECT TS_ID, MDS_ID, PCT_CPU FROM MDS_DATA" BETWEEN,
      false,
      { LMT_MDS_CPU },
      1 },
    { DATABASE_MDS_COMPONENTS,
      "SELECT TS_ID, MDS_ID, OPERATION_ID, SAMPLES FROM MDS_OPS_DATA" BETWEEN,
      true,
      { LMT_OPENS, LMT_CLOSES, LMT_MKNODS, LMT_LINKS, LMT_UNLINKS, LMT_MKDIRS,
        LMT_RMDIRS, LMT_RENAMES, LMT_GETXATTRS, LMT_STATFSS, LMT_SETATTRS,
        LMT_GETATTRS },
      12 },
};

/* One table on its way. */
struct scanning {
    const struct lmt_database *d;
    const struct lmt_scan *scan;
    const struct scan_table *table;
    struct database_components components;
    struct lmt_grid whole; /* shape and names; no values */
    size_t columns;
    size_t slice_rows;
    size_t base;                                     /* the first row of the slices */
    double *values[TABLE_MEASURES_MAX];              /* two slices each */
    struct lmt_counter *samples[TABLE_MEASURES_MAX]; /* of counters */
    int64_t op_ids[TABLE_MEASURES_MAX];              /* -1: not there */
    const struct database_stamp *stamp;              /* of the row before */
    size_t hint;                                     /* likewise its component */
};

static void scanning_done(struct scanning *s)
{
    for (size_t i = 0; i < TABLE_MEASURES_MAX; i++) {
        free(s->values[i]);
        free(s->samples[i]);
    }
    database_components_done(&s->components);
    free(s->whole.columns); /* the names are of components */
}
DEFINE_AUTO_DONE(struct scanning, scanning_done);

static void slice_blank(struct scanning *s, size_t measure, size_t row, size_t rows)
{
    double *at = s->values[measure] + row * s->columns;
    for (size_t i = 0; i < rows * s->columns; i++)
        at[i] = NAN;
}

static int ops_find(struct scanning *s, struct err *err)
{
    AUTO_STATEMENT *statement = NULL;
    int rc = database_prepare(
        s->d, "SELECT OPERATION_ID FROM OPERATION_INFO WHERE OPERATION_NAME = ?1",
        &statement, err);
    for (size_t i = 0; i < s->table->measure_count && rc == 0; i++) {
        const char *op = lmt_measure_info(s->table->measures[i])->op;
        (void)sqlite3_reset(statement);
        (void)sqlite3_bind_text(statement, 1, op, -1, SQLITE_STATIC);
        int step = sqlite3_step(statement);
        s->op_ids[i] = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
        if (step != SQLITE_ROW && step != SQLITE_DONE)
            rc = database_refused(s->d, err);
    }
    return rc;
}

/* Columns are one for each name, as lmt_grid_columns() makes them. */
static int shape_make(struct scanning *s, struct err *err)
{
    struct database_components *c = &s->components;
    lmt_grid_init(&s->whole, s->scan->from_s, s->scan->to_s);
    int rc = lmt_grid_shape(&s->whole, s->d->step_s, s->d->stamps[0].t_s, err);
    if (rc < 0)
        return rc;
    s->whole.columns = calloc(c->count + 1, sizeof(char *));
    if (!s->whole.columns)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < c->count; i++) {
        size_t at = 0;
        while (at < s->whole.column_count &&
               !span_is(c->names[i], s->whole.columns[at]))
            at++;
        if (at == s->whole.column_count)
            s->whole.columns[s->whole.column_count++] =
                (char *)(uintptr_t)c->names[i].data;
        c->map[i] = at;
    }
    s->columns = s->whole.column_count;
    if (s->columns > LMT_CELLS_MAX / s->whole.row_count)
        return err_set(err, EFBIG, "%zu rows of %zu columns are too much",
                       s->whole.row_count, s->columns);
    s->slice_rows = SLICE_CELLS / s->columns + 1;
    for (size_t i = 0; i < s->table->measure_count; i++) {
        s->values[i] = calloc(2 * s->slice_rows * s->columns, sizeof(double));
        s->samples[i] = calloc(c->count + 1, sizeof *s->samples[i]);
        if (!s->values[i] || !s->samples[i])
            return err_set(err, ENOMEM, "out of memory");
        slice_blank(s, i, 0, 2 * s->slice_rows);
        rc = s->scan->shape(s->scan->arg, s->table->measures[i], &s->whole, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The first rows go out, as far as the window reaches. */
static int slices_put(struct scanning *s, size_t rows, struct err *err)
{
    size_t left = s->base < s->whole.row_count ? s->whole.row_count - s->base : 0;
    for (size_t i = 0; i < s->table->measure_count && left > 0; i++) {
        struct lmt_grid slice = s->whole;
        slice.row_count = rows < left ? rows : left;
        slice.values = s->values[i];
        int rc =
            s->scan->put(s->scan->arg, s->table->measures[i], s->base, &slice, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int slices_move(struct scanning *s, struct err *err)
{
    const size_t half = s->slice_rows * s->columns;
    int rc = slices_put(s, s->slice_rows, err);
    for (size_t i = 0; i < s->table->measure_count; i++) {
        memcpy(s->values[i], s->values[i] + half, half * sizeof(double));
        slice_blank(s, i, s->slice_rows, s->slice_rows);
    }
    s->base += s->slice_rows;
    return rc;
}

/* Rows before the slices were put already; those behind the window are not wanted. */
static int cell_put(struct scanning *s, size_t measure, size_t column, int64_t t_s,
                    double value, struct err *err)
{
    int64_t row = lmt_grid_row(&s->whole, t_s);
    int rc = 0;
    if (row < 0 || isnan(value))
        return 0;
    if ((size_t)row < s->base)
        return -EAGAIN;
    while ((size_t)row >= s->base + 2 * s->slice_rows && rc == 0)
        rc = slices_move(s, err);
    s->values[measure][((size_t)row - s->base) * s->columns + column] = value;
    return rc;
}

static size_t component_find(struct scanning *s, int64_t id)
{
    const struct database_components *c = &s->components;
    for (size_t i = 0; i < c->count; i++) {
        size_t at = (s->hint + 1 + i) % c->count;
        if (c->ids[at] == id) {
            s->hint = at;
            return at;
        }
    }
    return c->count;
}

static int value_add(struct scanning *s, sqlite3_stmt *statement, int at,
                     size_t measure, size_t component, struct err *err)
{
    if (sqlite3_column_type(statement, at) == SQLITE_NULL)
        return 0;
    double value = sqlite3_column_double(statement, at);
    int64_t t_s = s->stamp->t_s;
    if (!isfinite(value) || value < 0)
        return 0;
    if (lmt_measure_info(s->table->measures[measure])->kind == LMT_COUNT) {
        value = lmt_counter_increment(&s->samples[measure][component], value);
        t_s -= s->d->step_s;
    }
    return cell_put(s, measure, s->components.map[component], t_s, value, err);
}

static int row_add(struct scanning *s, sqlite3_stmt *statement, struct err *err)
{
    int64_t id = sqlite3_column_int64(statement, 0);
    if (!s->stamp || s->stamp->id != id) {
        const struct database_stamp *stamp = database_stamp_find(s->d, id);
        if (!stamp)
            return 0;
        if (s->stamp && stamp->t_s < s->stamp->t_s)
            return -EAGAIN;
        s->stamp = stamp;
    }
    size_t component = component_find(s, sqlite3_column_int64(statement, 1));
    if (component == s->components.count)
        return 0;
    int rc = 0;
    int64_t op = s->table->is_ops ? sqlite3_column_int64(statement, 2) : 0;
    for (size_t i = 0; i < s->table->measure_count && rc == 0; i++) {
        if (!s->table->is_ops)
            rc = value_add(s, statement, 2 + (int)i, i, component, err);
        else if (s->op_ids[i] == op)
            rc = value_add(s, statement, 3, i, component, err);
    }
    return rc;
}

static int table_scan(const struct lmt_database *d, const struct lmt_scan *scan,
                      const struct scan_table *table, struct err *err)
{
    AUTO(scanning_done) struct scanning s = { .d = d, .scan = scan, .table = table };
    AUTO_STATEMENT *statement = NULL;
    int64_t first = 0;
    int64_t last = 0;
    int rc = database_components_read(d, table->components, &s.components, err);
    if (rc < 0 || s.components.count == 0 ||
        !database_ids(d, scan->from_s, scan->to_s, &first, &last))
        return rc;
    s.hint = s.components.count - 1;
    rc = table->is_ops ? ops_find(&s, err) : 0;
    if (rc == 0)
        rc = shape_make(&s, err);
    if (rc == 0)
        rc = database_prepare(d, table->rows, &statement, err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(statement, 1, first);
    (void)sqlite3_bind_int64(statement, 2, last);
    int step;
    while (rc == 0 && (step = sqlite3_step(statement)) != SQLITE_DONE)
        rc =
            step == SQLITE_ROW ? row_add(&s, statement, err) : database_refused(d, err);
    while (rc == 0 && s.base < s.whole.row_count)
        rc = slices_move(&s, err);
    return rc;
}

int database_scan(void *state, const struct lmt_scan *scan, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(tables) && rc == 0; i++)
        rc = table_scan(state, scan, &tables[i], err);
    return rc;
}
