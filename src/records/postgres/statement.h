/* SPDX-License-Identifier: Apache-2.0 */
/* statement - PostgreSQL's way to run the statements of engine/statement.h. */
#ifndef RECORDS_POSTGRES_STATEMENT_H
#define RECORDS_POSTGRES_STATEMENT_H

#include "records/engine/engine.h"
#include "records/postgres/conn.h"

extern const struct sql_dialect pg_dialect;

static inline struct sql_conn pg_sql(struct pg_conn *c)
{
    return (struct sql_conn){ &pg_dialect, c };
}

static inline struct sql_row pg_sql_row(const PGresult *result, int index)
{
    return (struct sql_row){ &pg_dialect, result, index };
}

#endif
