/* SPDX-License-Identifier: Apache-2.0 */
/* statement - one SQL statement that runs in both engines: values in, rows out. */
#include "records/engine/statement.h"

#include <assert.h>

int sql_run(const struct sql_conn *conn, const char *sql,
            const struct sql_value *values, size_t count, sql_row_fn *fn, void *arg,
            struct err *err)
{
    assert(count <= SQL_VALUES_MAX);
    return conn->dialect->run(conn->conn, sql, values, count, fn, arg, err);
}

static int number_read(void *arg, const struct sql_row *row)
{
    *(int64_t *)arg = sql_row_i64(row, 0);
    return 0;
}

int sql_number(const struct sql_conn *conn, const char *sql,
               const struct sql_value *values, size_t count, int64_t *ret,
               struct err *err)
{
    return sql_run(conn, sql, values, count, number_read, ret, err);
}

bool sql_row_is_null(const struct sql_row *row, int column)
{
    return row->dialect->is_null(row, column);
}

struct span sql_row_text(const struct sql_row *row, int column)
{
    return row->dialect->text(row, column);
}

int64_t sql_row_i64(const struct sql_row *row, int column)
{
    return row->dialect->i64(row, column);
}

bool sql_row_number(const struct sql_row *row, int column, int64_t *ret)
{
    return row->dialect->number(row, column, ret);
}

double sql_row_double(const struct sql_row *row, int column)
{
    return row->dialect->dbl(row, column);
}

int64_t sql_row_time(const struct sql_row *row, int column)
{
    return row->dialect->time(row, column);
}

int sql_row_uuid(const struct sql_row *row, int column, struct uuid *ret)
{
    return row->dialect->uuid(row, column, ret);
}
