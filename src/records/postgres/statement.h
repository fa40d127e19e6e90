/* SPDX-License-Identifier: Apache-2.0 */
/* statement - PostgreSQL's way to run the statements of engine/statement.h. */
#ifndef RECORDS_POSTGRES_STATEMENT_H
#define RECORDS_POSTGRES_STATEMENT_H

#include "records/engine/engine.h"
#include "records/postgres/conn.h"

extern const struct sql_dialect pg_dialect;

/* The next argument; its text or UUID must outlive the statement's run. */
void pg_add_value(struct pg_args *args, const struct sql_value *value);
/* sql_run() with arguments that only PostgreSQL has: arrays.  Rows are streamed, so
 * that memory does not grow with the result. */
int pg_run(struct pg_conn *c, const char *sql, const struct pg_args *args,
           sql_row_fn *fn, void *arg, struct err *err);

static inline struct sql_conn pg_sql(struct pg_conn *c)
{
    return (struct sql_conn){ &pg_dialect, c };
}

static inline struct sql_row pg_sql_row(const PGresult *result, int index)
{
    return (struct sql_row){ &pg_dialect, result, index };
}

#endif
