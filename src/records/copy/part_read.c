/* SPDX-License-Identifier: Apache-2.0 */
/* part_read - the rows of a part, their sum, and a mark that is cheaper. */
#include "records/copy/part.h"

#include "base/span.h"

#include <stdio.h>
#include <xxhash.h>

bool copy_sum_eq(const struct copy_sum *a, const struct copy_sum *b)
{
    return a->count == b->count && a->high == b->high && a->low == b->low &&
           a->span_ms == b->span_ms;
}

void copy_sum_print(const struct copy_sum *sum, char out[static COPY_SUM_TEXT_SIZE])
{
    (void)snprintf(out, COPY_SUM_TEXT_SIZE, "%016llx%016llx %lld",
                   (unsigned long long)sum->high, (unsigned long long)sum->low,
                   (long long)sum->span_ms);
}

void copy_part_table(const struct copy_part *part, const struct records_engine *engine,
                     struct strbuf *sql)
{
    if (part->table->key == COPY_BY_DAY)
        engine->day_table(part->table->kind, part->day, sql);
    else
        strbuf_adds(sql, part->table->name);
}

size_t copy_part_where(const struct copy_part *part, struct uuid ids[2],
                       struct sql_value values[2], struct strbuf *sql)
{
    const char *column = part->table->key_column;
    if (part->table->key == COPY_WHOLE)
        return 0;
    if (part->is_null) {
        strbuf_addf(sql, " WHERE \"%s\" IS NULL", column);
        return 0;
    }
    strbuf_addf(sql, " WHERE \"%s\" BETWEEN $1 AND $2", column);
    if (part->table->key == COPY_BY_ID_BYTE0) {
        memset(&ids[0], 0, sizeof ids[0]);
        memset(&ids[1], 0xff, sizeof ids[1]);
        ids[0].bytes[0] = ids[1].bytes[0] = (uint8_t)part->from;
        values[0] = sql_uuid(&ids[0]);
        values[1] = sql_uuid(&ids[1]);
    } else if (part->table->key == COPY_BY_NUMBER) {
        values[0] = sql_i64(part->from);
        values[1] = sql_i64(part->to);
    } else {
        values[0] = sql_time(part->from);
        values[1] = sql_time(part->to);
    }
    return 2;
}

/* ---- values ---- */

struct part_reading {
    const struct copy_table *table;
    copy_row_fn *fn;
    void *arg;
    struct copy_sum sum;
    struct strbuf text; /* of one row, to be hashed */
    struct uuid id;     /* a row has at most one */
    struct bulk_value values[COPY_COLUMNS_MAX];
};

static void part_reading_done(struct part_reading *reading)
{
    strbuf_done(&reading->text);
}
DEFINE_AUTO_DONE(struct part_reading, part_reading_done);

static int value_read(struct part_reading *reading, const struct sql_row *row, int at)
{
    struct bulk_value *value = &reading->values[at];
    int rc;
    *value = (struct bulk_value){ .is_null = sql_row_is_null(row, at) };
    if (value->is_null)
        return 0;
    switch (reading->table->columns[at].type) {
    case BULK_TEXT:
    case BULK_BYTES:
        value->bytes = sql_row_text(row, at);
        break;
    case BULK_UUID:
        rc = sql_row_uuid(row, at, &reading->id);
        value->bytes =
            (struct span){ (const char *)reading->id.bytes, sizeof reading->id.bytes };
        return rc;
    case BULK_DOUBLE:
        value->dbl = sql_row_double(row, at);
        break;
    case BULK_TIME:
        value->i64 = sql_row_time(row, at);
        break;
    case BULK_BOOL:
        value->i64 = sql_row_i64(row, at) != 0;
        break;
    case BULK_I64:
    case BULK_I32:
        value->i64 = sql_row_i64(row, at);
        break;
    }
    return 0;
}

/* Null or not, then the value; of bytes their number first. */
static void value_text(struct strbuf *text, enum bulk_type type,
                       const struct bulk_value *value)
{
    strbuf_addc(text, value->is_null ? 'n' : 'v');
    if (value->is_null)
        return;
    if (type == BULK_TEXT || type == BULK_BYTES || type == BULK_UUID) {
        strbuf_add(text, &value->bytes.size, sizeof value->bytes.size);
        if (value->bytes.size)
            strbuf_add(text, value->bytes.data, value->bytes.size);
    } else if (type == BULK_DOUBLE) {
        double number = value->dbl == 0 ? 0 : value->dbl; /* SQLite has no -0.0 */
        strbuf_add(text, &number, sizeof number);
    } else {
        strbuf_add(text, &value->i64, sizeof value->i64);
    }
}

static int part_row(void *arg, const struct sql_row *row)
{
    struct part_reading *reading = arg;
    strbuf_clear(&reading->text);
    for (size_t i = 0; i < reading->table->column_count; i++) {
        int rc = value_read(reading, row, (int)i);
        if (rc < 0)
            return rc;
        value_text(&reading->text, reading->table->columns[i].type,
                   &reading->values[i]);
    }
    if (strbuf_error(&reading->text))
        return -ENOMEM;
    XXH128_hash_t hash = XXH3_128bits(reading->text.data, reading->text.size);
    reading->sum.high += hash.high64;
    reading->sum.low += hash.low64;
    reading->sum.count++;
    return reading->fn ? reading->fn(reading->arg, reading->values) : 0;
}

int copy_part_read(const struct copy_part *part, const struct copy_side *side,
                   copy_row_fn *fn, void *arg, struct copy_sum *ret, struct err *err)
{
    const struct copy_table *table = part->table;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    AUTO(part_reading_done)
    struct part_reading reading = { .table = table, .fn = fn, .arg = arg };
    struct sql_value values[2];
    struct uuid ids[2];
    *ret = (struct copy_sum){ 0 };
    if (table->key == COPY_BY_DAY) {
        const struct day_span *day = day_list_find(&side->days[table->kind], part->day);
        if (!day)
            return 0;
        reading.sum.span_ms = day->span_ms;
    }
    for (size_t i = 0; i < table->column_count; i++)
        strbuf_addf(&sql, "%s\"%s\"", i > 0 ? ", " : "SELECT ", table->columns[i].name);
    strbuf_adds(&sql, " FROM ");
    copy_part_table(part, side->engine, &sql);
    size_t count = copy_part_where(part, ids, values, &sql);
    if (strbuf_error(&sql))
        return -ENOMEM;
    int rc =
        sql_run(&side->sql, strbuf_text(&sql), values, count, part_row, &reading, err);
    if (rc == 0)
        *ret = reading.sum;
    return rc;
}

/* ---- marks ---- */

static int mark_row(void *arg, const struct sql_row *row)
{
    uint64_t *numbers = arg;
    for (int i = 0; i < 3; i++)
        numbers[i] = (uint64_t)sql_row_i64(row, i);
    return 0;
}

static int day_mark(const struct copy_part *part, const struct copy_side *side,
                    uint64_t *ret_count, struct strbuf *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    const struct day_span *day =
        day_list_find(&side->days[part->table->kind], part->day);
    const struct sql_value values[] = {
        sql_text(span_of(target_kind_name(part->table->kind))), sql_i64(part->day),
        sql_time(part->from), sql_time(part->to)
    };
    int64_t count = 0;
    side->engine->day_count_sql(part->table->kind, &sql);
    int rc = strbuf_error(&sql);
    if (rc == 0 && day)
        rc = sql_number(&side->sql, strbuf_text(&sql), values, COUNT_OF(values), &count,
                        err);
    if (rc == 0)
        strbuf_addf(ret, "%lld rows, span %lld", (long long)count,
                    day ? (long long)day->span_ms : -1);
    *ret_count = (uint64_t)count;
    return rc;
}

/* Whatever is done to the cells of an hour changes its state. */
static int hours_mark(const struct copy_part *part, const struct copy_side *side,
                      struct strbuf *ret, struct err *err)
{
    const struct sql_value values[] = { sql_text(span_of(
                                            target_kind_name(part->table->kind))),
                                        sql_time(part->from), sql_time(part->to) };
    uint64_t numbers[3] = { 0 };
    int rc =
        sql_run(&side->sql,
                "SELECT count(*), CAST(coalesce(sum(changes % 1000003), 0) AS "
                "bigint), CAST(coalesce(sum(CASE WHEN is_clean THEN 1 ELSE 0 END), "
                "0) AS bigint) FROM rollup_hours WHERE kind = $1 AND hour BETWEEN "
                "$2 AND $3",
                values, COUNT_OF(values), mark_row, numbers, err);
    if (rc == 0)
        strbuf_addf(ret, "%llu hours, %llu changes, %llu clean",
                    (unsigned long long)numbers[0], (unsigned long long)numbers[1],
                    (unsigned long long)numbers[2]);
    return rc;
}

int copy_part_mark(const struct copy_part *part, const struct copy_side *side,
                   uint64_t *ret_count, struct strbuf *ret, struct err *err)
{
    strbuf_clear(ret);
    *ret_count = 0;
    int rc = 0;
    if (part->table->key == COPY_BY_DAY)
        rc = day_mark(part, side, ret_count, ret, err);
    else if (part->table->key == COPY_BY_TIME)
        rc = hours_mark(part, side, ret, err);
    return rc < 0 ? rc : strbuf_error(ret);
}
