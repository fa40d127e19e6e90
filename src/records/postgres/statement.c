/* SPDX-License-Identifier: Apache-2.0 */
/* statement - PostgreSQL's way to run the statements of engine/statement.h. */
#include "records/postgres/statement.h"

struct statement_read {
    sql_row_fn *fn;
    void *arg;
    bool is_enough;
};

static int row_pass(void *arg, const PGresult *result)
{
    struct statement_read *read = arg;
    const struct sql_row row = pg_sql_row(result, 0);
    int rc = read->fn(read->arg, &row);
    read->is_enough = rc > 0;
    return rc > 0 ? -ECANCELED : rc;
}

void pg_add_value(struct pg_args *args, const struct sql_value *value)
{
    switch (value->type) {
    case SQL_VALUE_TEXT:
        pg_add_span(args, value->text);
        break;
    case SQL_VALUE_UUID:
        pg_add_uuid(args, value->uuid);
        break;
    case SQL_VALUE_I64:
        pg_add_i64(args, value->i64);
        break;
    case SQL_VALUE_TIME:
        pg_add_time(args, value->i64);
        break;
    }
}

int pg_run(struct pg_conn *c, const char *sql, const struct pg_args *args,
           sql_row_fn *fn, void *arg, struct err *err)
{
    struct statement_read read = { .fn = fn, .arg = arg };
    int rc = pg_stream(c, sql, args, row_pass, &read, err);
    return read.is_enough ? 0 : rc;
}

static int statement_run(void *conn, const char *sql, const struct sql_value *values,
                         size_t count, sql_row_fn *fn, void *arg, struct err *err)
{
    struct pg_args args = { 0 };
    for (size_t i = 0; i < count; i++)
        pg_add_value(&args, &values[i]);
    if (!fn)
        return pg_query(conn, sql, &args, NULL, err);
    return pg_run(conn, sql, &args, fn, arg, err);
}

static bool column_is_null(const struct sql_row *row, int column)
{
    return pg_is_null(row->result, row->index, column);
}

static struct span column_text(const struct sql_row *row, int column)
{
    return pg_span(row->result, row->index, column);
}

static int64_t column_i64(const struct sql_row *row, int column)
{
    return pg_i64(row->result, row->index, column);
}

static bool column_number(const struct sql_row *row, int column, int64_t *ret)
{
    if (column_is_null(row, column))
        return false;
    *ret = pg_i64(row->result, row->index, column);
    return true;
}

static double column_double(const struct sql_row *row, int column)
{
    int64_t bits = pg_i64(row->result, row->index, column);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t column_time(const struct sql_row *row, int column)
{
    return pg_time(row->result, row->index, column);
}

static int column_uuid(const struct sql_row *row, int column, struct uuid *ret)
{
    if (pg_span(row->result, row->index, column).size != sizeof ret->bytes)
        return -EIO;
    pg_uuid(row->result, row->index, column, ret);
    return 0;
}

const struct sql_dialect pg_dialect = {
    .run = statement_run,
    .is_null = column_is_null,
    .text = column_text,
    .i64 = column_i64,
    .number = column_number,
    .dbl = column_double,
    .time = column_time,
    .uuid = column_uuid,
};
