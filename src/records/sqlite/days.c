/* SPDX-License-Identifier: Apache-2.0 */
/* days - the tables of SQLite: one a day and kind, behind a view for each kind. */
#include "records/sqlite/days.h"

static void add_columns(struct strbuf *sql, enum target_kind kind)
{
    strbuf_adds(sql, "timestamp, sid, since, previous, reset, server, snapshot_time, "
                     "start_time");
    schema_add_ops(sql, kind, UINT64_MAX, "");
    strbuf_adds(sql, ", more");
}

int days_make_view(sqlite3 *db, enum target_kind kind, const struct day_list *days,
                   struct err *err)
{
    const char *name = target_kind_name(kind);
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_addf(&sql, "DROP VIEW IF EXISTS jobstats_%s; CREATE VIEW jobstats_%s AS ",
                name, name);
    size_t first = days->count > DAYS_VIEW_MAX ? days->count - DAYS_VIEW_MAX : 0;
    for (size_t i = first; i < days->count; i++) {
        strbuf_adds(&sql, i > first ? " UNION ALL SELECT " : "SELECT ");
        add_columns(&sql, kind);
        strbuf_addf(&sql, " FROM jobstats_%s_%d", name, days->days[i].day);
    }
    if (days->count == 0) {
        strbuf_adds(&sql, "SELECT NULL AS timestamp, NULL AS sid, NULL AS since, "
                          "NULL AS previous, NULL AS reset, NULL AS server, "
                          "NULL AS snapshot_time, NULL AS start_time");
        for (int op = 0; op < OP_COUNT; op++)
            if (op_is_on((enum op)op, kind))
                strbuf_addf(&sql, ", NULL AS \"%s\", NULL AS \"%s_sum\"",
                            op_name((enum op)op), op_name((enum op)op));
        strbuf_adds(&sql, ", NULL AS more WHERE 0");
    }
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return db_exec(db, strbuf_text(&sql), err);
}

static int day_create(sqlite3 *db, enum target_kind kind, int32_t day, struct err *err)
{
    const char *name = target_kind_name(kind);
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_addf(&sql,
                "CREATE TABLE jobstats_%s_%d (timestamp INTEGER NOT NULL, "
                "sid INTEGER NOT NULL, since INTEGER, previous INTEGER, reset INTEGER, "
                "server INTEGER, snapshot_time INTEGER, start_time INTEGER",
                name, day);
    schema_add_ops(&sql, kind, UINT64_MAX, " INTEGER");
    strbuf_addf(&sql,
                ", more TEXT, PRIMARY KEY (timestamp, sid)) WITHOUT ROWID; "
                "CREATE INDEX jobstats_%s_%d_sid ON jobstats_%s_%d (sid, timestamp)",
                name, day, name, day);
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return db_exec(db, strbuf_text(&sql), err);
}

int days_need(sqlite3 *db, enum target_kind kind, struct day_list *days,
              const struct day_span *want, struct err *err)
{
    struct day_span *have = day_list_find(days, want->day);
    if (have && have->span_ms >= want->span_ms)
        return 0;
    int rc = db_execf(db, err,
                      "INSERT INTO jobstats_days (kind, day, span_ms, row_count) "
                      "VALUES ('%s', %d, %lld, 0) ON CONFLICT (kind, day) "
                      "DO UPDATE SET span_ms = max(span_ms, excluded.span_ms)",
                      target_kind_name(kind), want->day, (long long)want->span_ms);
    if (rc < 0)
        return rc;
    if (have) {
        have->span_ms = want->span_ms;
        return 0;
    }
    rc = day_create(db, kind, want->day, err);
    if (rc < 0)
        return rc;
    rc = day_list_add(days, *want);
    if (rc < 0)
        return rc;
    return days_make_view(db, kind, days, err);
}

int days_drop(sqlite3 *db, enum target_kind kind, struct day_list *days,
              int64_t oldest_ms, struct err *err)
{
    const char *name = target_kind_name(kind);
    size_t gone = 0;
    while (gone < days->count &&
           day_start_ms(days->days[gone].day) + MS_PER_DAY <= oldest_ms)
        gone++;
    if (gone == 0)
        return 0;
    for (size_t i = 0; i < gone; i++) {
        int rc = db_execf(db, err,
                          "DELETE FROM jobstats_days WHERE kind = '%s' AND day = %d; "
                          "DROP VIEW IF EXISTS jobstats_%s; "
                          "DROP TABLE IF EXISTS jobstats_%s_%d",
                          name, days->days[i].day, name, name, days->days[i].day);
        if (rc < 0)
            return rc;
    }
    days->count -= gone;
    memmove(days->days, days->days + gone, days->count * sizeof *days->days);
    return days_make_view(db, kind, days, err);
}
