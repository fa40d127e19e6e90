/* SPDX-License-Identifier: Apache-2.0 */
/* database - an LMT database in SQLite: the times and the components in it. */
#include "source/lmt/database.h"

#include "base/span.h"

#include "source/lmt/stamp.h"
#include "source/lmt/step.h"

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
        if (!lmt_stamp_parse(span_of(text ? text : ""), opts->zone, before_s,
                             &stamp.t_s))
            return err_set(err, EBADMSG, "%s: '%.40s' is not a time", d->path,
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

void database_close(struct lmt_database *d)
{
    if (!d)
        return;
    (void)sqlite3_close(d->db);
    free(d->path);
    free(d->stamps);
    free(d);
}

/* The schema of another user's file may run nothing: a view can be a program without
 * end. */
static bool database_distrust(sqlite3 *db)
{
    return sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) ==
               SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) ==
               SQLITE_OK &&
           sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL) ==
               SQLITE_OK;
}

int database_open(const char *path, const struct lmt_opts *opts,
                  struct lmt_database **ret, struct err *err)
{
    AUTO(database_close) struct lmt_database *d = calloc(1, sizeof *d);
    if (!d)
        return err_set(err, ENOMEM, "out of memory");
    int rc = 0;
    d->path = span_dup(span_of(path));
    if (!d->path)
        rc = err_set(err, ENOMEM, "out of memory");
    else if (sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        rc = database_refused(d, err);
    else if (!database_distrust(d->db))
        rc = err_set(err, EIO, "%s: SQLite refuses to be careful", path);
    if (rc == 0)
        rc = stamps_read(d, opts, err);
    if (rc == 0)
        rc = step_set(d, err);
    if (rc == 0)
        *ret = TAKE(d);
    return rc;
}
