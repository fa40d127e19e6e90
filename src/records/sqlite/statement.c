/* SPDX-License-Identifier: Apache-2.0 */
/* statement - SQLite's way to run the statements of engine/statement.h. */
#include "records/sqlite/statement.h"

static sqlite3_stmt *stmt_of(const struct sql_row *row)
{
    return (sqlite3_stmt *)(uintptr_t)row->result;
}

void sqlite_bind_value(sqlite3_stmt *stmt, int index, const struct sql_value *value)
{
    switch (value->type) {
    case SQL_VALUE_TEXT:
        db_bind_span(stmt, index, value->text);
        break;
    case SQL_VALUE_UUID:
        db_bind_uuid(stmt, index, value->uuid);
        break;
    case SQL_VALUE_I64:
        (void)sqlite3_bind_int64(stmt, index, value->i64);
        break;
    case SQL_VALUE_TIME:
        db_bind_time(stmt, index, value->i64);
        break;
    }
}

static int statement_run(void *conn, const char *sql, const struct sql_value *values,
                         size_t count, sql_row_fn *fn, void *arg, struct err *err)
{
    AUTO_STMT sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(conn, sql, &stmt, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < count; i++)
        sqlite_bind_value(stmt, (int)i + 1, &values[i]);
    if (!fn)
        return db_run(stmt, err);
    const struct sql_row row = sqlite_row(stmt);
    while ((rc = db_step(stmt, err)) > 0) {
        rc = fn(arg, &row);
        if (rc != 0)
            return rc < 0 ? rc : 0;
    }
    return rc;
}

static bool column_is_null(const struct sql_row *row, int column)
{
    return sqlite3_column_type(stmt_of(row), column) == SQLITE_NULL;
}

static struct span column_text(const struct sql_row *row, int column)
{
    return db_span(stmt_of(row), column);
}

static int64_t column_i64(const struct sql_row *row, int column)
{
    return sqlite3_column_int64(stmt_of(row), column);
}

static bool column_number(const struct sql_row *row, int column, int64_t *ret)
{
    if (column_is_null(row, column))
        return false;
    *ret = sqlite3_column_int64(stmt_of(row), column);
    return true;
}

static double column_double(const struct sql_row *row, int column)
{
    return sqlite3_column_double(stmt_of(row), column);
}

static int64_t column_time(const struct sql_row *row, int column)
{
    return db_time(stmt_of(row), column);
}

static int column_uuid(const struct sql_row *row, int column, struct uuid *ret)
{
    return db_uuid(stmt_of(row), column, ret) < 0 ? -EIO : 0;
}

const struct sql_dialect sqlite_dialect = {
    .run = statement_run,
    .is_null = column_is_null,
    .text = column_text,
    .i64 = column_i64,
    .number = column_number,
    .dbl = column_double,
    .time = column_time,
    .uuid = column_uuid,
};
