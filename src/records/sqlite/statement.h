/* SPDX-License-Identifier: Apache-2.0 */
/* statement - SQLite's way to run the statements of engine/statement.h. */
#ifndef RECORDS_SQLITE_STATEMENT_H
#define RECORDS_SQLITE_STATEMENT_H

#include "records/engine/engine.h"
#include "records/sqlite/db.h"

extern const struct sql_dialect sqlite_dialect;

/* Bind value as the index-th; its text or UUID must outlive the statement's run. */
void sqlite_bind_value(sqlite3_stmt *stmt, int index, const struct sql_value *value);

static inline struct sql_conn sqlite_conn(sqlite3 *db)
{
    return (struct sql_conn){ &sqlite_dialect, db };
}

/* The row that stmt stands on. */
static inline struct sql_row sqlite_row(sqlite3_stmt *stmt)
{
    return (struct sql_row){ &sqlite_dialect, stmt, 0 };
}

#endif
