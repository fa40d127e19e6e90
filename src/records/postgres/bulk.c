/* SPDX-License-Identifier: Apache-2.0 */
/* bulk - rows of any table into PostgreSQL: COPY BINARY, a mebibyte at a time, into the
 * table itself.
 */
#include "records/postgres/bulk.h"

#include "base/utf8.h"

#define DATA_MAX (1024UL * 1024UL)

/* timestamptz holds 4713 BC to 294276 AD. */
#define TIME_MIN_MS INT64_C(-210866803200000)
#define TIME_MAX_MS INT64_C(9224318015999999)

void pg_day_table(enum target_kind kind, int32_t day, struct strbuf *out)
{
    (void)day; /* the condition on the time finds its partition */
    strbuf_addf(out, "jobstats_%s", target_kind_name(kind));
}

void pg_day_count_sql(enum target_kind kind, struct strbuf *out)
{
    strbuf_addf(out,
                "SELECT count(*) FROM jobstats_%s WHERE $1::text IS NOT NULL AND "
                "$2::bigint IS NOT NULL AND \"timestamp\" BETWEEN $3 AND $4",
                target_kind_name(kind));
}

int pg_bulk_day_make(struct records_backend *b, enum target_kind kind, int32_t day,
                     struct err *err)
{
    return day_list_find(&b->days[kind], day) ? 0 : pg_day_make(b, kind, day, err);
}

int pg_bulk_day_note(struct records_backend *b, enum target_kind kind,
                     const struct day_span *day, uint64_t row_count, struct err *err)
{
    (void)row_count;
    struct day_span *have = day_list_find(&b->days[kind], day->day);
    if (have)
        have->span_ms = day->span_ms;
    return pg_execf(&b->conn, err,
                    "INSERT INTO jobstats_days (kind, day, span_ms) VALUES "
                    "('%s', %d, %lld) ON CONFLICT (kind, day) DO UPDATE SET span_ms = "
                    "excluded.span_ms",
                    target_kind_name(kind), day->day, (long long)day->span_ms);
}

int pg_bulk_begin(struct records_backend *b, const struct bulk *bulk, struct err *err)
{
    (void)err;
    b->bulk = *bulk;
    strbuf_clear(&b->data);
    return 0;
}

/* A negative return: PostgreSQL cannot hold the value. */
static int value_check(const struct bulk_column *column, const struct bulk_value *value)
{
    if (value->is_null)
        return 0;
    if (column->type == BULK_TEXT &&
        (!utf8_is_valid(value->bytes) ||
         (value->bytes.size && memchr(value->bytes.data, 0, value->bytes.size))))
        return -EILSEQ;
    if (column->type == BULK_I32 && value->i64 != (int32_t)value->i64)
        return -ERANGE;
    if (column->type == BULK_TIME &&
        (value->i64 < TIME_MIN_MS || value->i64 > TIME_MAX_MS))
        return -ERANGE;
    return 0;
}

static int value_refuse(const struct bulk *bulk, size_t column,
                        const struct bulk_value *value, int rc, struct err *err)
{
    const char *name = bulk->columns[column].name;
    if (rc == -ERANGE)
        return err_set(err, ERANGE,
                       "postgres: %s.%s: %lld is more than PostgreSQL's column holds; "
                       "correct or delete the row in the source",
                       bulk->table, name, (long long)value->i64);
    char shown[128];
    size_t size = utf8_print_shown(shown, sizeof shown - 1, value->bytes);
    shown[size] = '\0';
    return err_set(err, EILSEQ,
                   "postgres: %s.%s: '%s' has a NUL or bytes that are no UTF-8, which "
                   "PostgreSQL's texts do not hold; correct or delete the row in the "
                   "source",
                   bulk->table, name, shown);
}

static void value_put(struct strbuf *out, enum bulk_type type,
                      const struct bulk_value *value)
{
    int64_t bits;
    char flag = value->i64 != 0;
    if (value->is_null) {
        pg_put_i32(out, -1);
        return;
    }
    switch (type) {
    case BULK_TEXT:
    case BULK_BYTES:
    case BULK_UUID:
        pg_put_field(out, value->bytes.data ? value->bytes : (struct span){ "", 0 });
        break;
    case BULK_I64:
        pg_put_field_i64(out, value->i64);
        break;
    case BULK_I32:
        pg_put_i32(out, 4);
        pg_put_i32(out, (int32_t)value->i64);
        break;
    case BULK_BOOL:
        pg_put_field(out, (struct span){ &flag, 1 });
        break;
    case BULK_DOUBLE:
        memcpy(&bits, &value->dbl, sizeof bits);
        pg_put_field_i64(out, bits);
        break;
    case BULK_TIME:
        pg_put_field_i64(out, (value->i64 - PG_EPOCH_MS) * 1000);
        break;
    }
}

static int data_send(struct records_backend *b, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    pg_put_i16(&b->data, -1);
    strbuf_addf(&sql, "COPY %s (", b->bulk.table);
    for (size_t i = 0; i < b->bulk.column_count; i++)
        strbuf_addf(&sql, "%s\"%s\"", i > 0 ? ", " : "", b->bulk.columns[i].name);
    strbuf_adds(&sql, ") FROM STDIN (FORMAT binary)");
    if (strbuf_error(&sql) || strbuf_error(&b->data))
        return -ENOMEM;
    int rc = pg_copy(&b->conn, strbuf_text(&sql), strbuf_span(&b->data), err);
    strbuf_clear(&b->data);
    return rc;
}

int pg_bulk_row(struct records_backend *b, const struct bulk_value *values,
                struct err *err)
{
    if (b->data.size == 0)
        pg_put_copy_head(&b->data);
    pg_put_i16(&b->data, (int16_t)b->bulk.column_count);
    for (size_t i = 0; i < b->bulk.column_count; i++) {
        int rc = value_check(&b->bulk.columns[i], &values[i]);
        if (rc < 0)
            return value_refuse(&b->bulk, i, &values[i], rc, err);
        value_put(&b->data, b->bulk.columns[i].type, &values[i]);
    }
    return b->data.size < DATA_MAX ? 0 : data_send(b, err);
}

/* Numbers that were copied are not drawn again. */
static int sequence_advance(struct records_backend *b, struct err *err)
{
    if (strcmp(b->bulk.table, "series") == 0)
        return pg_exec(&b->conn,
                       "SELECT setval(pg_get_serial_sequence('series', 'sid'),"
                       " greatest((SELECT max(sid) FROM series), 1))",
                       err);
    if (strcmp(b->bulk.table, "servers") == 0)
        return pg_exec(&b->conn,
                       "SELECT setval(pg_get_serial_sequence('servers', 'server'),"
                       " greatest((SELECT max(server) FROM servers), 1))",
                       err);
    return 0;
}

int pg_bulk_end(struct records_backend *b, struct err *err)
{
    int rc = b->data.size > 0 ? data_send(b, err) : 0;
    return rc < 0 ? rc : sequence_advance(b, err);
}
