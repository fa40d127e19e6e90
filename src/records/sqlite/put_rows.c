/* SPDX-License-Identifier: Apache-2.0 */
/* put_rows - rows into the tables of their days, one prepared INSERT each. */
#include "records/sqlite/put_rows.h"

#include "records/tables/tables.h"

void sqlite_inserts_drop(struct records_backend *b)
{
    for (size_t i = 0; i < INSERTS_MAX; i++) {
        (void)sqlite3_finalize(b->inserts[i].stmt);
        b->inserts[i] = (struct row_insert){ 0 };
    }
}

static int insert_for(struct records_backend *b, enum target_kind kind, int32_t day,
                      sqlite3_stmt **ret, struct err *err)
{
    for (size_t i = 0; i < INSERTS_MAX; i++) {
        if (b->inserts[i].day != day || b->inserts[i].kind != kind)
            continue;
        *ret = b->inserts[i].stmt;
        return 0;
    }
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_addf(&sql,
                "INSERT INTO jobstats_%s_%d (timestamp, sid, since, previous, reset, "
                "server, snapshot_time, start_time, more",
                target_kind_name(kind), day);
    schema_add_ops(&sql, kind, UINT64_MAX, "");
    strbuf_adds(&sql, ") VALUES (?,?,?,?,?,?,?,?,?");
    for (int op = 0; op < OP_COUNT; op++)
        if (op_is_on((enum op)op, kind))
            strbuf_adds(&sql, ",?,?");
    strbuf_adds(&sql, ") ON CONFLICT DO NOTHING");
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    sqlite3_stmt *stmt = NULL;
    int rc = db_prepare(b->db, strbuf_text(&sql), &stmt, err);
    if (rc < 0)
        return rc;
    struct row_insert *free_one = &b->inserts[b->insert_next++ % INSERTS_MAX];
    (void)sqlite3_finalize(free_one->stmt);
    *free_one = (struct row_insert){ .kind = kind, .day = day, .stmt = stmt };
    *ret = stmt;
    return 0;
}

static void bind_counter(sqlite3_stmt *stmt, int index, bool has, uint64_t value)
{
    if (has)
        (void)sqlite3_bind_int64(stmt, index, counter_to_db(value));
    else
        (void)sqlite3_bind_null(stmt, index);
}

static void bind_row(sqlite3_stmt *stmt, enum target_kind kind,
                     const struct keyed_row *put)
{
    const struct jobrow *row = put->row;
    (void)sqlite3_bind_int64(stmt, 1, row->t_ms);
    (void)sqlite3_bind_int64(stmt, 2, put->sid);
    db_bind_time(stmt, 3, row->since_ms);
    db_bind_time(stmt, 4, row->previous_ms);
    db_bind_time(stmt, 5,
                 row->reset == RESET_UNKNOWN ? T_NONE : row->reset == RESET_YES);
    db_bind_time(stmt, 6, put->server_id ? put->server_id : T_NONE);
    db_bind_time(stmt, 7, row->snapshot_ns);
    db_bind_time(stmt, 8, row->start_ns);
    db_bind_span(stmt, 9, row->more.size ? row->more : (struct span){ 0 });
    int at = 10;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, kind))
            continue;
        bind_counter(stmt, at++, row->has_samples >> op & 1, row->samples[op]);
        bind_counter(stmt, at++, row->has_sum >> op & 1, row->sum[op]);
    }
}

int sqlite_put_rows(struct records_backend *b, enum target_kind kind,
                    struct keyed_row *rows, size_t count, struct err *err)
{
    for (size_t i = 0; i < count;) {
        struct day_span day;
        (void)day_spans(rows + i, count - i, &day, 1);
        int64_t end_ms = day_start_ms(day.day) + MS_PER_DAY;
        sqlite3_stmt *stmt = NULL;
        int rc = days_need(b->db, kind, &b->days[kind], &day, err);
        if (rc == 0)
            rc = insert_for(b, kind, day.day, &stmt, err);
        if (rc < 0)
            return rc;
        uint64_t new_count = 0;
        for (; i < count && rows[i].row->t_ms < end_ms; i++) {
            bind_row(stmt, kind, &rows[i]);
            rc = db_run(stmt, err);
            if (rc < 0)
                return rc;
            rows[i].is_new = sqlite3_changes(b->db) > 0;
            new_count += rows[i].is_new;
        }
        rc = db_execf(b->db, err,
                      "UPDATE jobstats_days SET row_count = row_count + %llu "
                      "WHERE kind = '%s' AND day = %d",
                      (unsigned long long)new_count, target_kind_name(kind), day.day);
        if (rc < 0)
            return rc;
    }
    return 0;
}
