/* SPDX-License-Identifier: Apache-2.0 */
/* binary - values as PostgreSQL's protocol has them: arguments, arrays, COPY, results.
 *
 * Integers are in network order, times microseconds since 2000.
 */
#ifndef RECORDS_POSTGRES_BINARY_H
#define RECORDS_POSTGRES_BINARY_H

#include "base/cleanup.h"
#include "base/span_type.h"
#include "base/strbuf.h"
#include "base/uuid.h"

#include <libpq-fe.h>
#include <stdint.h>

#define PG_ARGS_MAX 24

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

static inline void auto_pg_clear(PGresult **result)
{
    PQclear(*result);
}
#define AUTO_RESULT __attribute__((cleanup(auto_pg_clear)))

/* ---- arguments ---- */

/* Values of $1, $2, ... */
struct pg_args {
    int count;
    Oid types[PG_ARGS_MAX];
    const char *values[PG_ARGS_MAX];
    int sizes[PG_ARGS_MAX];
    int formats[PG_ARGS_MAX];
    char numbers[PG_ARGS_MAX][8];
};

void pg_add_span(struct pg_args *args, struct span text); /* data NULL: null */
void pg_add_i64(struct pg_args *args, int64_t value);
void pg_add_time(struct pg_args *args, int64_t t_ms);
void pg_add_uuid(struct pg_args *args, const struct uuid *uuid);
void pg_add_binary(struct pg_args *args, Oid type, struct span bytes);

/* ---- COPY and arrays ---- */

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

/* ---- results ---- */

bool pg_is_null(const PGresult *result, int row, int column);
struct span pg_span(const PGresult *result, int row, int column); /* data NULL: null */
int64_t pg_i64(const PGresult *result, int row, int column);  /* of any integer type */
int64_t pg_time(const PGresult *result, int row, int column); /* ms; T_NONE: null */
void pg_uuid(const PGresult *result, int row, int column, struct uuid *ret);

#endif
