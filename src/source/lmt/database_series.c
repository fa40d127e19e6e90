/* SPDX-License-Identifier: Apache-2.0 */
/* database_series - series out of a copy of an LMT database in SQLite.
 *
 * Its counters only grow: what happened in a step is the difference of two samples, and
 * stands at the earlier one.  A value of 0 after a greater one, or a smaller one, is a
 * counter that was not read or has begun anew: see counter.h.
 */
#include "source/lmt/database.h"

#include <math.h>

/* Where the samples of a measure are: components with id and name, rows with value. */
struct database_query {
    const char *components; /* SELECT id, name */
    const char *rows;       /* SELECT TS_ID, value of ?1 from ?2 to ?3 */
};

#define OST_ROWS(value)                                        \
    "SELECT TS_ID, " value " FROM OST_DATA WHERE OST_ID = ?1 " \
    "AND TS_ID BETWEEN ?2 AND ?3 ORDER BY TS_ID"
#define OSS_ROWS(value)                                        \
    "SELECT TS_ID, " value " FROM OSS_DATA WHERE OSS_ID = ?1 " \
    "AND TS_ID BETWEEN ?2 AND ?3 ORDER BY TS_ID"
#define MDS_ROWS                                             \
    "SELECT TS_ID, PCT_CPU FROM MDS_DATA WHERE MDS_ID = ?1 " \
    "AND TS_ID BETWEEN ?2 AND ?3 ORDER BY TS_ID"
#define OP_ROWS                                                          \
    "SELECT TS_ID, SAMPLES FROM MDS_OPS_DATA WHERE MDS_ID = ?1 "         \
    "AND OPERATION_ID = (SELECT OPERATION_ID FROM OPERATION_INFO WHERE " \
    "OPERATION_NAME = ?4) AND TS_ID BETWEEN ?2 AND ?3 ORDER BY TS_ID"

static bool query_of(enum lmt_measure measure, struct database_query *ret)
{
    static const struct database_query queries[LMT_MEASURES] = {
        [LMT_READ_BYTES] = { DATABASE_OST_COMPONENTS, OST_ROWS("READ_BYTES") },
        [LMT_WRITE_BYTES] = { DATABASE_OST_COMPONENTS, OST_ROWS("WRITE_BYTES") },
        [LMT_USED_BYTES] = { DATABASE_OST_COMPONENTS,
                             OST_ROWS("KBYTES_USED * 1024.0") },
        [LMT_TOTAL_BYTES] = { DATABASE_OST_COMPONENTS,
                              OST_ROWS("(KBYTES_USED + KBYTES_FREE) * 1024.0") },
        [LMT_USED_INODES] = { DATABASE_OST_COMPONENTS, OST_ROWS("INODES_USED") },
        [LMT_TOTAL_INODES] = { DATABASE_OST_COMPONENTS,
                               OST_ROWS("INODES_USED + INODES_FREE") },
        [LMT_OSS_CPU] = { DATABASE_OSS_COMPONENTS, OSS_ROWS("PCT_CPU") },
        [LMT_OSS_MEMORY] = { DATABASE_OSS_COMPONENTS, OSS_ROWS("PCT_MEMORY") },
        [LMT_MDS_CPU] = { DATABASE_MDS_COMPONENTS, MDS_ROWS },
    };
    *ret = queries[measure];
    if (lmt_measure_info(measure)->op)
        *ret = (struct database_query){ DATABASE_MDS_COMPONENTS, OP_ROWS };
    return ret->rows != NULL;
}

static void sample_put(struct lmt_grid *grid, size_t column, int64_t t_s, double value)
{
    int64_t row = lmt_grid_row(grid, t_s);
    if (row >= 0)
        *lmt_grid_at(grid, (size_t)row, column) = value;
}

/* The difference goes to the step just before. */
static void count_add(struct lmt_counter *counter, struct lmt_grid *grid, size_t column,
                      int64_t t_s, double value)
{
    double increment = lmt_counter_increment(counter, value);
    if (!isnan(increment))
        sample_put(grid, column, t_s - grid->step_s, increment);
}

static int component_read(const struct lmt_database *d, sqlite3_stmt *statement,
                          enum lmt_kind kind, struct lmt_grid *grid, size_t column)
{
    struct lmt_counter counter = { 0 };
    int rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct database_stamp *stamp =
            database_stamp_find(d, sqlite3_column_int64(statement, 0));
        if (!stamp || sqlite3_column_type(statement, 1) == SQLITE_NULL)
            continue;
        double value = sqlite3_column_double(statement, 1);
        if (!isfinite(value) || value < 0)
            continue;
        if (kind == LMT_GAUGE)
            sample_put(grid, column, stamp->t_s, value);
        else
            count_add(&counter, grid, column, stamp->t_s, value);
    }
    return rc == SQLITE_DONE ? 0 : -EBADMSG;
}

static int rows_read(const struct lmt_database *d, enum lmt_measure measure,
                     const struct database_query *query,
                     const struct database_components *c, struct lmt_grid *grid,
                     struct err *err)
{
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    int64_t first = 0;
    int64_t last = 0;
    AUTO_STATEMENT *statement = NULL;
    if (!database_ids(d, grid->from_s, grid->to_s, &first, &last))
        return -ENOENT;
    int rc = database_prepare(d, query->rows, &statement, err);
    for (size_t i = 0; rc == 0 && i < c->count; i++) {
        (void)sqlite3_reset(statement);
        (void)sqlite3_bind_int64(statement, 1, c->ids[i]);
        (void)sqlite3_bind_int64(statement, 2, first);
        (void)sqlite3_bind_int64(statement, 3, last);
        if (info->op)
            (void)sqlite3_bind_text(statement, 4, info->op, -1, SQLITE_STATIC);
        if (component_read(d, statement, info->kind, grid, c->map[i]) < 0)
            rc = database_refused(d, err);
    }
    return rc;
}

static int database_read(void *state, enum lmt_measure measure, struct lmt_grid *grid,
                         struct err *err)
{
    const struct lmt_database *d = state;
    AUTO(database_components_done) struct database_components c = { 0 };
    struct database_query query;
    if (!query_of(measure, &query))
        return -ENOENT;
    int rc = database_components_read(d, query.components, &c, err);
    if (rc == 0 && c.count == 0)
        return -ENOENT;
    if (rc == 0)
        rc = lmt_grid_shape(grid, d->step_s, d->stamps[0].t_s, err);
    if (rc == 0)
        rc = lmt_grid_columns(grid, c.names, c.count, c.map, err);
    return rc == 0 ? rows_read(d, measure, &query, &c, grid, err) : rc;
}

static int database_times(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                          int64_t *ret_to_s, struct err *err)
{
    const struct lmt_database *d = state;
    struct database_query query;
    (void)err;
    if (!query_of(measure, &query))
        return -ENOENT;
    int64_t from_s = d->stamps[0].t_s;
    int64_t to_s = from_s;
    for (size_t i = 0; i < d->stamp_count; i++) {
        from_s = d->stamps[i].t_s < from_s ? d->stamps[i].t_s : from_s;
        to_s = d->stamps[i].t_s > to_s ? d->stamps[i].t_s : to_s;
    }
    *ret_from_s = from_s;
    bool is_count = lmt_measure_info(measure)->kind == LMT_COUNT;
    *ret_to_s = is_count && to_s > from_s ? to_s : to_s + d->step_s;
    return 0;
}

static int64_t database_step(void *state, enum lmt_measure measure)
{
    const struct lmt_database *d = state;
    struct database_query query;
    return query_of(measure, &query) ? d->step_s : 0;
}

static void series_close(void *state)
{
    database_close(state);
}

static const struct lmt_format database_format = {
    .name = "LMT database",
    .close = series_close,
    .times = database_times,
    .step = database_step,
    .read = database_read,
    .scan = database_scan,
};

int lmt_database_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                      const struct lmt_format **ret_format, struct err *err)
{
    struct lmt_database *d = NULL;
    int rc = database_open(path, opts, &d, err);
    if (rc < 0)
        return rc;
    *ret_state = d;
    *ret_format = &database_format;
    return 0;
}
