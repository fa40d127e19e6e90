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

/* The same of MySQL or MariaDB.  defaults is an option file, whose [client] has socket
 * or host, user, password and database; it must be its owner's alone where it has a
 * password.  Rows that do not arrive for timeout_ns, in whole seconds, are an error.
 * Errors: as file_read() and secret_check(), -ENOTCONN, -ENOSYS (not built in), else as
 * above. */
int table_query_mysql(const char *defaults, const char *query, int64_t timeout_ns,
                      const struct table_query_events *events, struct err *err);

#endif
