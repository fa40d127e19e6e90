/* SPDX-License-Identifier: Apache-2.0 */
/* series - series in SQLite: found by name, added, and out of a row. */
#include "records/sqlite/series.h"

#include "base/span.h"

int sqlite_series_prepare(struct records_backend *b, struct err *err)
{
    int rc = db_prepare(b->db,
                        "SELECT " SQLITE_SERIES_COLUMNS
                        " FROM series WHERE fs = ?1 AND target = ?2 AND entry_id = ?3",
                        &b->series_find, err);
    if (rc < 0)
        return rc;
    return db_prepare(b->db,
                      "INSERT INTO series (time_series_id, fs, target, kind, entry_id, "
                      "entry_bytes, format, job_id, user_id, group_id, nodename, "
                      "executable, pid, flags, is_login) VALUES "
                      "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15) "
                      "ON CONFLICT DO NOTHING RETURNING sid",
                      &b->series_add, err);
}

int sqlite_series_out(sqlite3_stmt *stmt, struct series *ret)
{
    struct series s = { .sid = sqlite3_column_int64(stmt, 0) };
    if (db_uuid(stmt, 1, &s.id) < 0)
        return -EIO;
    s.fs = db_span(stmt, 2);
    s.target = db_span(stmt, 3);
    s.kind = span_is(db_span(stmt, 4), "mdt") ? TARGET_MDT : TARGET_OST;
    s.entry_id = db_span(stmt, 6);
    if (!s.entry_id.data)
        s.entry_id = db_span(stmt, 5);
    s.format = db_span(stmt, 7);
    s.job = db_span(stmt, 8);
    s.user = db_span(stmt, 9);
    s.group = db_span(stmt, 10);
    s.node = db_span(stmt, 11);
    s.executable = db_span(stmt, 12);
    s.pid = db_span(stmt, 13);
    s.flags = (unsigned)sqlite3_column_int(stmt, 14);
    s.is_login = sqlite3_column_int(stmt, 15) != 0;
    *ret = s;
    return 0;
}

int sqlite_find_series(struct records_backend *b, struct series **series, size_t count,
                       struct arena *arena, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
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
            rc = sqlite_series_out(b->series_find, &stored);
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
    strbuf_clear(text);
    entry_id_print(text, s->entry_id);
    if (strbuf_error(text))
        return -ENOMEM;
    bool same = span_eq(strbuf_span(text), s->entry_id);
    sqlite3_stmt *stmt = b->series_add;
    db_bind_uuid(stmt, 1, &s->id);
    db_bind_span(stmt, 2, s->fs);
    db_bind_span(stmt, 3, s->target);
    db_bind_span(stmt, 4, span_of(target_kind_name(s->kind)));
    db_bind_span(stmt, 5, strbuf_span(text));
    db_bind_blob(stmt, 6, same ? (struct span){ 0 } : s->entry_id);
    const struct span texts[] = { s->format, s->job,        s->user, s->group,
                                  s->node,   s->executable, s->pid };
    for (int i = 0; i < (int)COUNT_OF(texts); i++)
        db_bind_span(stmt, 7 + i, texts[i]);
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
