/* SPDX-License-Identifier: Apache-2.0 */
/* table_query - the rows that a database answers, one by one. */
#ifndef SOURCE_TABLE_TABLE_QUERY_H
#define SOURCE_TABLE_TABLE_QUERY_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

#define TABLE_COLUMNS_MAX_QUERY 1024

struct table_query_events {
    /* Once, before the rows. */
    int (*on_names)(void *arg, const struct span *names, size_t count, struct err *err);
    /* NULL values are empty texts.  Less than 0 ends the reading. */
    int (*on_row)(void *arg, const struct span *cells, size_t count, uint64_t number);
    void *arg;
};

/* Ask a database in a file of SQLite, which is only read; views and triggers of it do
 * run, since the query is the caller's own choice.
 * Errors: -EBADMSG with the database's words; what the events return. */
int table_query_sqlite(const char *path, const char *query,
                       const struct table_query_events *events, struct err *err);

/* The same of PostgreSQL, in a transaction that only reads; conninfo as libpq has it
 * ("postgresql://host/db", "host=... dbname=...").  Rows are not gathered.
 * Errors: -ENOTCONN, else as above. */
int table_query_postgres(const char *conninfo, const char *query,
                         const struct table_query_events *events, struct err *err);

#endif
