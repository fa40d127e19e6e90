/* SPDX-License-Identifier: Apache-2.0 */
/* bulk - rows of any table into SQLite: one prepared INSERT for all of them. */
#include "records/sqlite/bulk.h"

#include <math.h>

void sqlite_day_table(enum target_kind kind, int32_t day, struct strbuf *out)
{
    strbuf_addf(out, "jobstats_%s_%d", target_kind_name(kind), day);
}

void sqlite_day_count_sql(enum target_kind kind, struct strbuf *out)
{
    (void)kind;
    strbuf_adds(out, "SELECT row_count FROM jobstats_days WHERE kind = $1 AND day = $2 "
                     "AND $3 <= $4");
}

/* Tables of new days are made inside the transaction of the rows: see day_note. */
int sqlite_bulk_day_make(struct records_backend *b, enum target_kind kind, int32_t day,
                         struct err *err)
{
    (void)b, (void)kind, (void)day, (void)err;
    return 0;
}

int sqlite_bulk_day_note(struct records_backend *b, enum target_kind kind,
                         const struct day_span *day, uint64_t row_count,
                         struct err *err)
{
    int rc = days_need(b->db, kind, &b->days[kind], day, err);
    if (rc < 0)
        return rc;
    return db_execf(b->db, err,
                    "UPDATE jobstats_days SET span_ms = %lld, row_count = %llu "
                    "WHERE kind = '%s' AND day = %d",
                    (long long)day->span_ms, (unsigned long long)row_count,
                    target_kind_name(kind), day->day);
}

static void bulk_forget(struct records_backend *b)
{
    (void)sqlite3_finalize(b->bulk_stmt);
    b->bulk_stmt = NULL;
}

int sqlite_bulk_begin(struct records_backend *b, const struct bulk *bulk,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    bulk_forget(b);
    strbuf_addf(&sql, "INSERT INTO %s (", bulk->table);
    for (size_t i = 0; i < bulk->column_count; i++)
        strbuf_addf(&sql, "%s\"%s\"", i > 0 ? ", " : "", bulk->columns[i].name);
    strbuf_adds(&sql, ") VALUES (");
    for (size_t i = 0; i < bulk->column_count; i++)
        strbuf_adds(&sql, i > 0 ? ",?" : "?");
    strbuf_adds(&sql, ")");
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    b->bulk = *bulk;
    return db_prepare(b->db, strbuf_text(&sql), &b->bulk_stmt, err);
}

static void value_bind(sqlite3_stmt *stmt, int index, enum bulk_type type,
                       const struct bulk_value *value)
{
    const struct span bytes = value->bytes.data ? value->bytes : (struct span){ "", 0 };
    if (value->is_null)
        (void)sqlite3_bind_null(stmt, index);
    else if (type == BULK_TEXT)
        db_bind_span(stmt, index, bytes);
    else if (type == BULK_BYTES || type == BULK_UUID)
        db_bind_blob(stmt, index, bytes);
    else if (type == BULK_DOUBLE)
        (void)sqlite3_bind_double(stmt, index, value->dbl);
    else
        (void)sqlite3_bind_int64(stmt, index, value->i64);
}

int sqlite_bulk_row(struct records_backend *b, const struct bulk_value *values,
                    struct err *err)
{
    for (size_t i = 0; i < b->bulk.column_count; i++) {
        if (b->bulk.columns[i].type == BULK_DOUBLE && !values[i].is_null &&
            isnan(values[i].dbl))
            return err_set(err, ERANGE,
                           "sqlite: %s.%s: the source has NaN, which SQLite stores as "
                           "null; set it to null there",
                           b->bulk.table, b->bulk.columns[i].name);
        value_bind(b->bulk_stmt, (int)i + 1, b->bulk.columns[i].type, &values[i]);
    }
    return db_run(b->bulk_stmt, err);
}

int sqlite_bulk_end(struct records_backend *b, struct err *err)
{
    (void)err;
    bulk_forget(b);
    return 0;
}
