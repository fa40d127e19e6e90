/* SPDX-License-Identifier: Apache-2.0 */
/* statement - one SQL statement that runs in both engines: values in, rows out.
 *
 *     sql_run(conn, "SELECT hour FROM rollup_hours WHERE kind = $1", values, 1, fn,
 * ...)
 *
 * What differs between the engines is how a value is bound and a column is read: times
 * and UUIDs have types of their own in PostgreSQL.  Values are $1, $2, ..., which must
 * first appear in this order in the text: SQLite numbers them by appearance.
 *
 * Threads  those of the connection.
 */
#ifndef RECORDS_ENGINE_STATEMENT_H
#define RECORDS_ENGINE_STATEMENT_H

#include "base/err.h"
#include "base/span_type.h"
#include "base/uuid.h"

#include <stdbool.h>
#include <stdint.h>

#define SQL_VALUES_MAX 32

enum sql_type {
    SQL_VALUE_TEXT, /* data NULL: null */
    SQL_VALUE_I64,
    SQL_VALUE_TIME, /* ms */
    SQL_VALUE_UUID,
};

struct sql_value {
    enum sql_type type;
    struct span text;
    int64_t i64;
    const struct uuid *uuid; /* must outlive the run */
};

static inline struct sql_value sql_text(struct span text)
{
    return (struct sql_value){ .type = SQL_VALUE_TEXT, .text = text };
}

static inline struct sql_value sql_i64(int64_t i64)
{
    return (struct sql_value){ .type = SQL_VALUE_I64, .i64 = i64 };
}

static inline struct sql_value sql_time(int64_t t_ms)
{
    return (struct sql_value){ .type = SQL_VALUE_TIME, .i64 = t_ms };
}

static inline struct sql_value sql_uuid(const struct uuid *uuid)
{
    return (struct sql_value){ .type = SQL_VALUE_UUID, .uuid = uuid };
}

struct sql_dialect;

/* One row of a result; valid during the call that it is given to. */
struct sql_row {
    const struct sql_dialect *dialect;
    const void *result; /* the engine's */
    int index;          /* of the row in it */
};

/* 0: go on; 1: it is enough; a negative return ends the run and is returned.  It must
 * not use the connection.  Anything but 0 has PostgreSQL cancel the statement by a
 * connection of its own: for long results of a reader, not for a single row, and not in
 * a transaction that goes on. */
typedef int sql_row_fn(void *arg, const struct sql_row *row);

/* What an engine does for a statement. */
struct sql_dialect {
    int (*run)(void *conn, const char *sql, const struct sql_value *values,
               size_t count, sql_row_fn *fn, void *arg, struct err *err);
    bool (*is_null)(const struct sql_row *row, int column);
    struct span (*text)(const struct sql_row *row, int column);
    int64_t (*i64)(const struct sql_row *row, int column);
    bool (*number)(const struct sql_row *row, int column, int64_t *ret);
    double (*dbl)(const struct sql_row *row, int column);
    int64_t (*time)(const struct sql_row *row, int column);
    int (*uuid)(const struct sql_row *row, int column, struct uuid *ret);
};

struct sql_conn {
    const struct sql_dialect *dialect;
    void *conn; /* the engine's */
};

/* Run sql with count values.  fn gets each row; NULL: there are none.
 * Errors: as in engine.h, and those of fn. */
int sql_run(const struct sql_conn *conn, const char *sql,
            const struct sql_value *values, size_t count, sql_row_fn *fn, void *arg,
            struct err *err);
/* The number in the first column of the only row; *ret is untouched without one. */
int sql_number(const struct sql_conn *conn, const char *sql,
               const struct sql_value *values, size_t count, int64_t *ret,
               struct err *err);

/* Columns of a row, from 0. */
bool sql_row_is_null(const struct sql_row *row, int column);
struct span sql_row_text(const struct sql_row *row, int column); /* data NULL: null */
int64_t sql_row_i64(const struct sql_row *row, int column);      /* of any integer */
/* False: it is null, *ret is untouched. */
bool sql_row_number(const struct sql_row *row, int column, int64_t *ret);
double sql_row_double(const struct sql_row *row, int column);
int64_t sql_row_time(const struct sql_row *row, int column); /* ms; T_NONE: null */
/* Errors: -EIO (it is not a UUID). */
int sql_row_uuid(const struct sql_row *row, int column, struct uuid *ret);

#endif
