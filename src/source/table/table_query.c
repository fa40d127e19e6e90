/* SPDX-License-Identifier: Apache-2.0 */
/* table_query - the rows that a database answers, one by one. */
#include "source/table/table_query.h"

#include "base/cleanup.h"
#include "base/secret.h"

#include <libpq-fe.h>
#include <sqlite3.h>

static int too_many(struct err *err)
{
    return err_set(err, EFBIG, "over %d columns", TABLE_COLUMNS_MAX_QUERY);
}

/* ---- SQLite ---- */

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

/* ---- PostgreSQL ---- */

static int postgres_refused(PGconn *conn, const PGresult *result, struct err *err)
{
    struct span text = span_trim(
        span_of(result ? PQresultErrorMessage(result) : PQerrorMessage(conn)));
    return err_set(err, EBADMSG, "PostgreSQL: " SPAN_FMT, SPAN_ARG(text));
}

struct postgres_reading {
    const struct table_query_events *events;
    size_t count;
    bool has_names;
    uint64_t number;
    struct span cells[TABLE_COLUMNS_MAX_QUERY];
};

static int postgres_names(struct postgres_reading *r, const PGresult *result,
                          struct err *err)
{
    r->count = (size_t)PQnfields(result);
    if (r->count > TABLE_COLUMNS_MAX_QUERY)
        return too_many(err);
    for (size_t i = 0; i < r->count; i++)
        r->cells[i] = span_of(PQfname(result, (int)i));
    r->has_names = true;
    return r->events->on_names(r->events->arg, r->cells, r->count, err);
}

/* A result of one row, or the empty one behind the last. */
static int postgres_take(struct postgres_reading *r, const PGresult *result,
                         struct err *err)
{
    int rc = r->has_names ? 0 : postgres_names(r, result, err);
    for (int row = 0; rc == 0 && row < PQntuples(result); row++) {
        for (size_t i = 0; i < r->count; i++)
            r->cells[i] = (struct span){ PQgetvalue(result, row, (int)i),
                                         (size_t)PQgetlength(result, row, (int)i) };
        rc = r->events->on_row(r->events->arg, r->cells, r->count, ++r->number);
    }
    return rc;
}

static int postgres_read(PGconn *conn, const char *query,
                         const struct table_query_events *events, struct err *err)
{
    AUTO_FREE struct postgres_reading *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(err, ENOMEM, "out of memory");
    r->events = events;
    PGresult *begun = PQexec(conn, "BEGIN READ ONLY");
    int rc = PQresultStatus(begun) == PGRES_COMMAND_OK
                 ? 0
                 : postgres_refused(conn, begun, err);
    PQclear(begun);
    if (rc == 0 && (!PQsendQueryParams(conn, query, 0, NULL, NULL, NULL, NULL, 0) ||
                    !PQsetSingleRowMode(conn)))
        rc = postgres_refused(conn, NULL, err);
    PGresult *result;
    while (rc == 0 && (result = PQgetResult(conn))) {
        ExecStatusType status = PQresultStatus(result);
        rc = status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK
                 ? postgres_take(r, result, err)
                 : postgres_refused(conn, result, err);
        PQclear(result);
    }
    return rc; /* the connection is closed; what it still had goes with it */
}

int table_query_postgres(const char *conninfo, const char *query,
                         const struct table_query_events *events, struct err *err)
{
    /* libpq quotes what it does not understand, which may be half of a password. */
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    if (!options)
        return err_set(err, EINVAL,
                       "PostgreSQL: the connection string is not as libpq takes it");
    PQconninfoFree(options);
    PGconn *conn = PQconnectdb(conninfo);
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = 0;
    if (PQstatus(conn) != CONNECTION_OK) {
        secret_print(&text, span_of(PQerrorMessage(conn)));
        rc = err_set(err, ENOTCONN, "PostgreSQL: %s", strbuf_text(&text));
    }
    if (rc == 0)
        rc = postgres_read(conn, query, events, err);
    PQfinish(conn);
    return rc;
}
