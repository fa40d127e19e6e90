/* SPDX-License-Identifier: Apache-2.0 */
/* binary - values as PostgreSQL's protocol has them: arguments, arrays, COPY, results.
 */
#include "records/postgres/binary.h"

#include "model/model.h"

static void number_be(char *out, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (char)(bits >> 8 * (size - 1 - i));
}

/* ---- arguments ---- */

void pg_add_binary(struct pg_args *args, Oid type, struct span bytes)
{
    int i = args->count++;
    args->types[i] = type;
    args->values[i] = bytes.data;
    args->sizes[i] = (int)bytes.size;
    args->formats[i] = 1;
}

void pg_add_span(struct pg_args *args, struct span text)
{
    pg_add_binary(args, PG_OID_TEXT, text);
}

void pg_add_i64(struct pg_args *args, int64_t value)
{
    char *at = args->numbers[args->count];
    number_be(at, (uint64_t)value, 8);
    pg_add_binary(args, PG_OID_INT8, (struct span){ at, 8 });
}

void pg_add_time(struct pg_args *args, int64_t t_ms)
{
    pg_add_i64(args, (t_ms - PG_EPOCH_MS) * 1000);
    args->types[args->count - 1] = PG_OID_TIMESTAMPTZ;
}

void pg_add_uuid(struct pg_args *args, const struct uuid *uuid)
{
    pg_add_binary(args, PG_OID_UUID,
                  (struct span){ (const char *)uuid->bytes, sizeof uuid->bytes });
}

/* ---- COPY and arrays ---- */

void pg_put_copy_head(struct strbuf *out)
{
    static const char head[19] = "PGCOPY\n\377\r\n"; /* flags and extension are zero */
    strbuf_add(out, head, sizeof head);
}

void pg_put_i16(struct strbuf *out, int16_t value)
{
    char bytes[2];
    number_be(bytes, (uint16_t)value, sizeof bytes);
    strbuf_add(out, bytes, sizeof bytes);
}

void pg_put_i32(struct strbuf *out, int32_t value)
{
    char bytes[4];
    number_be(bytes, (uint32_t)value, sizeof bytes);
    strbuf_add(out, bytes, sizeof bytes);
}

void pg_put_i64(struct strbuf *out, int64_t value)
{
    char bytes[8];
    number_be(bytes, (uint64_t)value, sizeof bytes);
    strbuf_add(out, bytes, sizeof bytes);
}

void pg_put_array(struct strbuf *out, Oid element, size_t count)
{
    pg_put_i32(out, count ? 1 : 0); /* dimensions */
    pg_put_i32(out, 1);             /* nulls may stand in it */
    pg_put_i32(out, (int32_t)element);
    if (count == 0)
        return;
    pg_put_i32(out, (int32_t)count);
    pg_put_i32(out, 1); /* the first index */
}

void pg_put_field(struct strbuf *out, struct span bytes)
{
    pg_put_i32(out, bytes.data ? (int32_t)bytes.size : -1);
    strbuf_add_span(out, bytes);
}

void pg_put_field_i64(struct strbuf *out, int64_t value)
{
    char bytes[12];
    number_be(bytes, 8, 4);
    number_be(bytes + 4, (uint64_t)value, 8);
    strbuf_add(out, bytes, sizeof bytes);
}

void pg_put_field_time(struct strbuf *out, int64_t t_ms)
{
    pg_put_field_i64(out, (t_ms - PG_EPOCH_MS) * 1000);
}

/* ---- results ---- */

bool pg_is_null(const PGresult *result, int row, int column)
{
    return PQgetisnull(result, row, column) != 0;
}

struct span pg_span(const PGresult *result, int row, int column)
{
    if (pg_is_null(result, row, column))
        return (struct span){ 0 };
    return (struct span){ PQgetvalue(result, row, column),
                          (size_t)PQgetlength(result, row, column) };
}

int64_t pg_i64(const PGresult *result, int row, int column)
{
    struct span bytes = pg_span(result, row, column);
    uint64_t bits = bytes.size && (bytes.data[0] & 0x80) ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes.size && i < 8; i++)
        bits = bits << 8 | (uint8_t)bytes.data[i];
    return (int64_t)bits;
}

int64_t pg_time(const PGresult *result, int row, int column)
{
    if (pg_is_null(result, row, column))
        return T_NONE;
    return pg_i64(result, row, column) / 1000 + PG_EPOCH_MS;
}

void pg_uuid(const PGresult *result, int row, int column, struct uuid *ret)
{
    struct span bytes = pg_span(result, row, column);
    memset(ret, 0, sizeof *ret);
    memcpy(ret->bytes, bytes.data ? bytes.data : "",
           bytes.size < sizeof ret->bytes ? 0 : sizeof ret->bytes);
}
