/* SPDX-License-Identifier: Apache-2.0 */
/* table_query - the rows that an SQLite file answers, one by one. */
#include "source/table/table_query.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <sqlite3.h>

static int too_many(struct err *err)
{
    return err_set(err, EFBIG, "over %d columns", TABLE_COLUMNS_MAX_QUERY);
}

static int sqlite_row(sqlite3_stmt *statement, struct span *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = (const char *)sqlite3_column_text(statement, (int)i);
        cells[i] = (struct span){ text ? text : "",
                                  (size_t)sqlite3_column_bytes(statement, (int)i) };
        if (!text)
            cells[i].size = 0;
    }
    return 0;
}

static int sqlite_read(sqlite3 *db, const char *query,
                       const struct table_query_events *events, struct err *err)
{
    struct span cells[TABLE_COLUMNS_MAX_QUERY];
    sqlite3_stmt *statement = NULL;
    uint64_t number = 0;
    if (sqlite3_prepare_v2(db, query, -1, &statement, NULL) != SQLITE_OK || !statement)
        return err_set(err, EBADMSG, "%s", sqlite3_errmsg(db));
    size_t count = (size_t)sqlite3_column_count(statement);
    int rc = count > TABLE_COLUMNS_MAX_QUERY ? too_many(err) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        cells[i] = span_of(sqlite3_column_name(statement, (int)i));
    if (rc == 0)
        rc = events->on_names(events->arg, cells, count, err);
    int step = SQLITE_ROW;
    while (rc == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        (void)sqlite_row(statement, cells, count);
        rc = events->on_row(events->arg, cells, count, ++number);
    }
    if (rc == 0 && step != SQLITE_DONE)
        rc = err_set(err, EBADMSG, "%s", sqlite3_errmsg(db));
    (void)sqlite3_finalize(statement);
    return rc;
}

int table_query_sqlite(const char *path, const char *query,
                       const struct table_query_events *events, struct err *err)
{
    sqlite3 *db = NULL;
    int rc = 0;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        rc = err_set(err, EBADMSG, "%s", db ? sqlite3_errmsg(db) : "out of memory");
    if (rc == 0)
        rc = sqlite_read(db, query, events, err);
    (void)sqlite3_close(db);
    return rc < 0 ? err_prefix(err, rc, "%s", path) : 0;
}
