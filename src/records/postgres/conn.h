/* SPDX-License-Identifier: Apache-2.0 */
/* conn - a connection to PostgreSQL that never waits for ever.
 *
 * libpq's own calls block as long as the server is silent; these poll its socket with a
 * deadline.  A server that hangs (stopped, its disk gone) is given up: the connection
 * is closed and -EAGAIN returned; the next use connects again.
 *
 * Parameters and results are binary: integers in network order, times as microseconds
 * since 2000.
 */
#ifndef RECORDS_POSTGRES_CONN_H
#define RECORDS_POSTGRES_CONN_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"
#include "base/uuid.h"

#include <libpq-fe.h>
#include <stdint.h>

#define PG_ARGS_MAX 24

struct pg_conn {
    PGconn *pg;      /* NULL: not connected */
    int64_t wait_ms; /* how long the server may be silent */
    /* Shall the wait go on?  Not 0: what the server does is cancelled, the connection
     * closed.  NULL: it shall. */
    int (*watch)(void *arg);
    void *watch_arg;
};

/* Values of $1, $2, ... */
struct pg_args {
    int count;
    Oid types[PG_ARGS_MAX];
    const char *values[PG_ARGS_MAX];
    int sizes[PG_ARGS_MAX];
    int formats[PG_ARGS_MAX];
    char numbers[PG_ARGS_MAX][8];
};

static inline void auto_pg_clear(PGresult **result)
{
    PQclear(*result);
}
#define AUTO_RESULT __attribute__((cleanup(auto_pg_clear)))

/* Connect, or do nothing when connected.  setup runs once on each new connection; its
 * failure closes it again. */
typedef int pg_setup_fn(void *arg, struct err *err);
int pg_connect(struct pg_conn *c, const char *connection, pg_setup_fn *setup, void *arg,
               struct err *err);
void pg_close(struct pg_conn *c);

void pg_add_span(struct pg_args *args, struct span text); /* data NULL: null */
void pg_add_i64(struct pg_args *args, int64_t value);
void pg_add_time(struct pg_args *args, int64_t t_ms);
void pg_add_uuid(struct pg_args *args, const struct uuid *uuid);
void pg_add_binary(struct pg_args *args, Oid type, struct span bytes);

/* args may be NULL.  On success *ret (may be NULL) holds the result. */
int pg_query(struct pg_conn *c, const char *sql, const struct pg_args *args,
             PGresult **ret, struct err *err);
/* Several statements in one text, without arguments. */
int pg_exec(struct pg_conn *c, const char *sql, struct err *err);
int pg_execf(struct pg_conn *c, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A command whose end is not waited for, and a check whether it has come: *ret_done.
 * One that failed has ended too.  Meanwhile nothing else may be done with c. */
int pg_start(struct pg_conn *c, const char *sql, struct err *err);
int pg_poll(struct pg_conn *c, bool *ret_done, struct err *err);
/* Row by row, so that memory does not grow with the result; a negative return of fn
 * ends it. */
typedef int pg_row_fn(void *arg, const PGresult *row);
int pg_stream(struct pg_conn *c, const char *sql, const struct pg_args *args,
              pg_row_fn *fn, void *arg, struct err *err);
/* COPY ... FROM STDIN (FORMAT binary) of a whole text, header and trailer included. */
int pg_copy(struct pg_conn *c, const char *sql, struct span data, struct err *err);

/* ---- binary forms ---- */

#define PG_EPOCH_MS INT64_C(946684800000) /* 2000-01-01 */

enum {
    PG_OID_BYTEA = 17,
    PG_OID_INT8 = 20,
    PG_OID_INT4 = 23,
    PG_OID_TEXT = 25,
    PG_OID_FLOAT8 = 701,
    PG_OID_TIMESTAMPTZ = 1184,
    PG_OID_TIMESTAMPTZ_ARRAY = 1185,
    PG_OID_UUID = 2950,
    PG_OID_BYTEA_ARRAY = 1001,
    PG_OID_INT4_ARRAY = 1007,
    PG_OID_TEXT_ARRAY = 1009,
    PG_OID_INT8_ARRAY = 1016,
    PG_OID_FLOAT8_ARRAY = 1022,
    PG_OID_UUID_ARRAY = 2951,
};

/* What COPY ... (FORMAT binary) begins with; a field count of -1 ends it. */
void pg_put_copy_head(struct strbuf *out);
void pg_put_i16(struct strbuf *out, int16_t value);
void pg_put_i32(struct strbuf *out, int32_t value);
void pg_put_i64(struct strbuf *out, int64_t value);
/* An array's head; its elements follow by pg_put_field. */
void pg_put_array(struct strbuf *out, Oid element, size_t count);
/* Length and bytes; data NULL: null. */
void pg_put_field(struct strbuf *out, struct span bytes);
void pg_put_field_i64(struct strbuf *out, int64_t value);
void pg_put_field_time(struct strbuf *out, int64_t t_ms);

bool pg_is_null(const PGresult *result, int row, int column);
struct span pg_span(const PGresult *result, int row, int column); /* data NULL: null */
int64_t pg_i64(const PGresult *result, int row, int column);  /* of any integer type */
int64_t pg_time(const PGresult *result, int row, int column); /* ms; T_NONE: null */
void pg_uuid(const PGresult *result, int row, int column, struct uuid *ret);

#endif
