/* SPDX-License-Identifier: Apache-2.0 */
/* table_postgres - the rows that a PostgreSQL answers, one by one. */
#include "source/table/table_query.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "base/system/secret.h"

#include <libpq-fe.h>

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
        return err_set(err, EFBIG, "over %d columns", TABLE_COLUMNS_MAX_QUERY);
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
                       "PostgreSQL: libpq does not accept the connection string");
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
