/* SPDX-License-Identifier: Apache-2.0 */
/* series - PostgreSQL's metadata rows: a whole batch is looked up or stored at once. */
#include "records/postgres/backend.h"
#include "records/postgres/statement.h"

/* One array parameter a column. */
enum { FIND_ARRAYS = 3, ADD_ARRAYS = 15 };

struct arrays {
    struct strbuf data[ADD_ARRAYS];
};

static void arrays_done(struct arrays *arrays)
{
    for (size_t i = 0; i < ADD_ARRAYS; i++)
        strbuf_done(&arrays->data[i]);
}
DEFINE_AUTO_DONE(struct arrays, arrays_done);

/* Arrays become $1, $2, ...; types names each one's. */
static int arrays_args(struct arrays *arrays, size_t count, const Oid *types,
                       struct pg_args *args)
{
    for (size_t i = 0; i < count; i++) {
        if (strbuf_error(&arrays->data[i]))
            return -ENOMEM;
        pg_add_binary(args, types[i], strbuf_span(&arrays->data[i]));
    }
    return 0;
}

int pg_find_series(struct records_backend *b, struct series **series, size_t count,
                   struct arena *arena, struct err *err)
{
    static const Oid types[FIND_ARRAYS] = { PG_OID_TEXT_ARRAY, PG_OID_TEXT_ARRAY,
                                            PG_OID_TEXT_ARRAY };
    AUTO(arrays_done) struct arrays arrays = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    for (size_t i = 0; i < FIND_ARRAYS; i++)
        pg_put_array(&arrays.data[i], PG_OID_TEXT, count);
    for (size_t i = 0; i < count; i++) {
        strbuf_clear(&text);
        entry_id_print(&text, series[i]->entry_id);
        if (strbuf_error(&text))
            return -ENOMEM;
        pg_put_field(&arrays.data[0], series[i]->fs);
        pg_put_field(&arrays.data[1], series[i]->target);
        pg_put_field(&arrays.data[2], strbuf_span(&text));
    }
    int rc = arrays_args(&arrays, FIND_ARRAYS, types, &args);
    if (rc == 0)
        rc = pg_query(&b->conn,
                      "SELECT " SERIES_COLUMNS ", n FROM unnest($1, $2, $3) "
                      "WITH ORDINALITY AS w(w_fs, w_target, w_entry_id, n) JOIN series "
                      "ON fs = w_fs AND target = w_target AND entry_id = w_entry_id",
                      &args, &result, err);
    for (int i = 0; rc == 0 && i < PQntuples(result); i++) {
        struct series stored;
        const struct sql_row row = pg_sql_row(result, i);
        size_t at = (size_t)pg_i64(result, i, SERIES_COLUMN_COUNT) - 1;
        rc = series_row_read(&row, &stored);
        if (rc == 0 && at < count)
            rc = series_copy(&stored, arena, series[at]);
    }
    return rc;
}

/* ---- storing ---- */

static const struct {
    Oid element, array;
} add_types[ADD_ARRAYS] = {
    { PG_OID_UUID, PG_OID_UUID_ARRAY }, { PG_OID_TEXT, PG_OID_TEXT_ARRAY },
    { PG_OID_TEXT, PG_OID_TEXT_ARRAY }, { PG_OID_TEXT, PG_OID_TEXT_ARRAY },
    { PG_OID_TEXT, PG_OID_TEXT_ARRAY }, { PG_OID_BYTEA, PG_OID_BYTEA_ARRAY },
    { PG_OID_TEXT, PG_OID_TEXT_ARRAY }, { PG_OID_TEXT, PG_OID_TEXT_ARRAY },
    { PG_OID_TEXT, PG_OID_TEXT_ARRAY }, { PG_OID_TEXT, PG_OID_TEXT_ARRAY },
    { PG_OID_TEXT, PG_OID_TEXT_ARRAY }, { PG_OID_TEXT, PG_OID_TEXT_ARRAY },
    { PG_OID_TEXT, PG_OID_TEXT_ARRAY }, { PG_OID_INT8, PG_OID_INT8_ARRAY },
    { PG_OID_INT8, PG_OID_INT8_ARRAY },
};

static int add_one(struct arrays *arrays, const struct series *s, struct strbuf *text)
{
    struct span fields[SERIES_FIELD_COUNT];
    if (series_fields(s, text, fields) < 0)
        return -ENOMEM;
    pg_put_field(&arrays->data[0],
                 (struct span){ (const char *)s->id.bytes, sizeof s->id.bytes });
    for (size_t i = 0; i < SERIES_FIELD_COUNT; i++)
        pg_put_field(&arrays->data[1 + i], fields[i]);
    pg_put_field_i64(&arrays->data[13], s->flags);
    pg_put_field_i64(&arrays->data[14], s->is_login);
    return 0;
}

static int id_order(const void *a, const void *b)
{
    const struct series *const *x = a, *const *y = b;
    return memcmp(&(*x)->id, &(*y)->id, sizeof(struct uuid));
}

/* (sid, time_series_id) of each row to the series of that id. */
static void sids_out(const PGresult *result, struct series **by_id, size_t count)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct series key = { 0 };
        const struct series *want = &key;
        pg_uuid(result, i, 1, &key.id);
        struct series **at =
            bsearch(&want, by_id, count, sizeof(struct series *), id_order);
        if (at)
            (*at)->sid = pg_i64(result, i, 0);
    }
}

int pg_add_series(struct records_backend *b, struct series **series, size_t count,
                  struct err *err)
{
    AUTO(arrays_done) struct arrays arrays = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO_RESULT PGresult *result = NULL;
    AUTO_FREE struct series **by_id = calloc(count, sizeof(struct series *));
    struct pg_args args = { 0 };
    Oid types[ADD_ARRAYS];
    if (!by_id)
        return -ENOMEM;
    for (size_t i = 0; i < ADD_ARRAYS; i++) {
        types[i] = add_types[i].array;
        pg_put_array(&arrays.data[i], add_types[i].element, count);
    }
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = add_one(&arrays, series[i], &text);
    if (rc == 0)
        rc = arrays_args(&arrays, ADD_ARRAYS, types, &args);
    if (rc == 0)
        rc = pg_query(&b->conn,
                      "INSERT INTO series (" SERIES_STORED_COLUMNS
                      ") SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, "
                      "c13, c14::integer, c15 <> 0 FROM "
                      "unnest($1, $2, "
                      "$3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) AS "
                      "t(c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, "
                      "c15) ON CONFLICT DO NOTHING RETURNING sid, time_series_id",
                      &args, &result, err);
    if (rc < 0)
        return rc;
    memcpy(by_id, series, count * sizeof(struct series *));
    qsort(by_id, count, sizeof(struct series *), id_order);
    sids_out(result, by_id, count);
    return 0;
}
