/* SPDX-License-Identifier: Apache-2.0 */
/* series - series in SQLite: found by name, added; one prepared statement each. */
#include "records/sqlite/series.h"

#include "records/sqlite/statement.h"

int sqlite_series_prepare(struct records_backend *b, struct err *err)
{
    int rc = db_prepare(b->db,
                        "SELECT " SERIES_COLUMNS
                        " FROM series WHERE fs = ?1 AND target = ?2 AND entry_id = ?3",
                        &b->series_find, err);
    if (rc < 0)
        return rc;
    return db_prepare(b->db,
                      "INSERT INTO series (" SERIES_STORED_COLUMNS ") VALUES "
                      "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15) "
                      "ON CONFLICT DO NOTHING RETURNING sid",
                      &b->series_add, err);
}

int sqlite_find_series(struct records_backend *b, struct series **series, size_t count,
                       struct arena *arena, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct sql_row row = sqlite_row(b->series_find);
    for (size_t i = 0; i < count; i++) {
        struct series stored;
        strbuf_clear(&text);
        entry_id_print(&text, series[i]->entry_id);
        if (strbuf_error(&text))
            return -ENOMEM;
        db_bind_span(b->series_find, 1, series[i]->fs);
        db_bind_span(b->series_find, 2, series[i]->target);
        db_bind_span(b->series_find, 3, strbuf_span(&text));
        int rc = db_step(b->series_find, err);
        if (rc > 0) {
            rc = series_row_read(&row, &stored);
            if (rc == 0)
                rc = series_copy(&stored, arena, series[i]);
        }
        (void)sqlite3_reset(b->series_find);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int series_add_one(struct records_backend *b, struct series *s,
                          struct strbuf *text, struct err *err)
{
    struct span fields[SERIES_FIELD_COUNT];
    if (series_fields(s, text, fields) < 0)
        return -ENOMEM;
    sqlite3_stmt *stmt = b->series_add;
    db_bind_uuid(stmt, 1, &s->id);
    for (int i = 0; i < SERIES_FIELD_COUNT; i++)
        if (i == SERIES_FIELD_ENTRY_BYTES)
            db_bind_blob(stmt, 2 + i, fields[i]);
        else
            db_bind_span(stmt, 2 + i, fields[i]);
    (void)sqlite3_bind_int64(stmt, 14, s->flags);
    (void)sqlite3_bind_int64(stmt, 15, s->is_login);
    int rc = db_step(stmt, err);
    if (rc > 0)
        s->sid = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_reset(stmt);
    return rc < 0 ? rc : 0;
}

int sqlite_add_series(struct records_backend *b, struct series **series, size_t count,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < count; i++) {
        int rc = series_add_one(b, series[i], &text, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}
