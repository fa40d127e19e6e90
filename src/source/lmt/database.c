/* SPDX-License-Identifier: Apache-2.0 */
/* database - series out of a copy of an LMT database in SQLite.
 *
 * Its counters only grow: what happened in a step is the difference of two samples, and
 * stands at the earlier one.  A value of 0 after a greater one, or a smaller one, is a
 * counter that was not read or has begun anew: see counter.h.
 */
#include "source/lmt/database.h"
#include "source/lmt/stamp.h"

#include <math.h>

#define STAMPS_MAX ((size_t)1 << 22)

int database_refused(const struct lmt_database *d, struct err *err)
{
    return err_set(err, EBADMSG, "%s: %s", d->path, sqlite3_errmsg(d->db));
}

int database_prepare(const struct lmt_database *d, const char *sql, sqlite3_stmt **ret,
                     struct err *err)
{
    if (sqlite3_prepare_v2(d->db, sql, -1, ret, NULL) != SQLITE_OK)
        return database_refused(d, err);
    return 0;
}

static int stamps_read(struct lmt_database *d, const struct lmt_opts *opts,
                       struct err *err)
{
    size_t capacity = 0;
    int64_t before_s = INT64_MIN;
    AUTO_STATEMENT *statement = NULL;
    int rc = database_prepare(
        d, "SELECT TS_ID, TIMESTAMP FROM TIMESTAMP_INFO ORDER BY TS_ID", &statement,
        err);
    if (rc < 0)
        return rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        struct database_stamp stamp = { .id = sqlite3_column_int64(statement, 0) };
        const char *text = (const char *)sqlite3_column_text(statement, 1);
        if (!lmt_stamp_parse(span_of(text ? text : ""), opts->is_local, before_s,
                             &stamp.t_s))
            return err_set(err, EBADMSG, "%s: '%.40s' is no time", d->path,
                           text ? text : "");
        before_s = stamp.t_s;
        stamp.t_s += opts->clock_offset_s;
        if (d->stamp_count == STAMPS_MAX)
            return err_set(err, EFBIG, "%s: too many times", d->path);
        if (d->stamp_count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            struct database_stamp *more = realloc(d->stamps, capacity * sizeof *more);
            if (!more)
                return err_set(err, ENOMEM, "out of memory");
            d->stamps = more;
        }
        d->stamps[d->stamp_count++] = stamp;
    }
    return rc == SQLITE_DONE ? 0 : database_refused(d, err);
}

static int step_set(struct lmt_database *d, struct err *err)
{
    AUTO_FREE int64_t *times = calloc(d->stamp_count + 1, sizeof *times);
    if (!times)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < d->stamp_count; i++)
        times[i] = d->stamps[i].t_s;
    d->step_s = lmt_step_of(times, d->stamp_count);
    return d->step_s > 0
               ? 0
               : err_set(err, EBADMSG, "%s: fewer than two times: no step is known",
                         d->path);
}

/* Where the samples of a measure are: components with id and name, rows with value. */
struct place {
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

static bool place_of(enum lmt_measure measure, struct place *ret)
{
    static const struct place places[LMT_MEASURES] = {
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
    *ret = places[measure];
    if (lmt_measure_info(measure)->op)
        *ret = (struct place){ DATABASE_MDS_COMPONENTS, OP_ROWS };
    return ret->rows != NULL;
}

void database_components_done(struct database_components *c)
{
    for (size_t i = 0; i < c->count; i++)
        free((void *)(uintptr_t)c->names[i].data);
    free(c->ids);
    free(c->names);
    free(c->map);
}

int database_components_read(const struct lmt_database *d, const char *sql,
                             struct database_components *c, struct err *err)
{
    AUTO_STATEMENT *statement = NULL;
    int rc = database_prepare(d, sql, &statement, err);
    if (rc < 0)
        return rc;
    c->ids = calloc(LMT_COLUMNS_MAX, sizeof *c->ids);
    c->names = calloc(LMT_COLUMNS_MAX, sizeof *c->names);
    c->map = calloc(LMT_COLUMNS_MAX, sizeof *c->map);
    if (!c->ids || !c->names || !c->map)
        return err_set(err, ENOMEM, "out of memory");
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        char *copy = span_dup(span_of(name ? name : ""));
        if (!copy || c->count == LMT_COLUMNS_MAX) {
            free(copy);
            return err_set(err, copy ? EFBIG : ENOMEM, "%s: too many components",
                           d->path);
        }
        c->ids[c->count] = sqlite3_column_int64(statement, 0);
        c->names[c->count++] = span_of(copy);
    }
    return rc == SQLITE_DONE ? 0 : database_refused(d, err);
}

/* The stamp of this id, or NULL. */
const struct database_stamp *database_stamp_find(const struct lmt_database *d,
                                                 int64_t id)
{
    size_t low = 0;
    size_t high = d->stamp_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->stamps[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->stamp_count && d->stamps[low].id == id ? &d->stamps[low] : NULL;
}

static void put(struct lmt_grid *grid, size_t column, int64_t t_s, double value)
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
        put(grid, column, t_s - grid->step_s, increment);
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
            put(grid, column, stamp->t_s, value);
        else
            count_add(&counter, grid, column, stamp->t_s, value);
    }
    return rc == SQLITE_DONE ? 0 : -EBADMSG;
}

bool database_ids(const struct lmt_database *d, int64_t from_s, int64_t to_s,
                  int64_t *ret_first, int64_t *ret_last)
{
    const int64_t before_s = 3600;
    bool has_any = false;
    for (size_t i = 0; i < d->stamp_count; i++) {
        const struct database_stamp *s = &d->stamps[i];
        if (s->t_s < from_s - before_s || s->t_s > to_s + d->step_s)
            continue;
        if (!has_any)
            *ret_first = s->id;
        *ret_last = s->id;
        has_any = true;
    }
    return has_any;
}

static int rows_read(const struct lmt_database *d, enum lmt_measure measure,
                     const struct place *place, const struct database_components *c,
                     struct lmt_grid *grid, struct err *err)
{
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    int64_t first = 0;
    int64_t last = 0;
    AUTO_STATEMENT *statement = NULL;
    if (!database_ids(d, grid->from_s, grid->to_s, &first, &last))
        return -ENOENT;
    int rc = database_prepare(d, place->rows, &statement, err);
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
    struct place place;
    if (!place_of(measure, &place))
        return -ENOENT;
    int rc = database_components_read(d, place.components, &c, err);
    if (rc == 0 && c.count == 0)
        return -ENOENT;
    if (rc == 0)
        rc = lmt_grid_shape(grid, d->step_s, d->stamps[0].t_s, err);
    if (rc == 0)
        rc = lmt_grid_columns(grid, c.names, c.count, c.map, err);
    return rc == 0 ? rows_read(d, measure, &place, &c, grid, err) : rc;
}

static int database_times(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                          int64_t *ret_to_s, struct err *err)
{
    const struct lmt_database *d = state;
    struct place place;
    (void)err;
    if (!place_of(measure, &place))
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
    struct place place;
    return place_of(measure, &place) ? d->step_s : 0;
}

static void database_close(void *state)
{
    struct lmt_database *d = state;
    (void)sqlite3_close(d->db);
    free(d->path);
    free(d->stamps);
    free(d);
}

static const struct lmt_format database_format = {
    .name = "LMT database",
    .close = database_close,
    .times = database_times,
    .step = database_step,
    .read = database_read,
    .scan = database_scan,
};

/* What a stranger's schema may run is nothing: a view can be a program without end. */
static bool distrust(sqlite3 *db)
{
    return sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) ==
               SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) ==
               SQLITE_OK &&
           sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL) ==
               SQLITE_OK;
}

int lmt_database_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                      const struct lmt_format **ret_format, struct err *err)
{
    struct lmt_database *d = calloc(1, sizeof *d);
    if (!d)
        return err_set(err, ENOMEM, "out of memory");
    int rc = 0;
    d->path = span_dup(span_of(path));
    if (!d->path)
        rc = err_set(err, ENOMEM, "out of memory");
    else if (sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        rc = database_refused(d, err);
    else if (!distrust(d->db))
        rc = err_set(err, EIO, "%s: SQLite refuses to be careful", path);
    if (rc == 0)
        rc = stamps_read(d, opts, err);
    if (rc == 0)
        rc = step_set(d, err);
    if (rc < 0) {
        database_close(d);
        return rc;
    }
    *ret_state = d;
    *ret_format = &database_format;
    return 0;
}
