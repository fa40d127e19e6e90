/* SPDX-License-Identifier: Apache-2.0 */
/* days - PostgreSQL's partitions, one a day and kind, and how far their rows reach
 * back.
 *
 * With TimescaleDB the extension makes the chunks; the table jobstats_days is kept all
 * the same, for the spans.
 */
#include "base/span.h"
#include "records/postgres/backend.h"
#include "records/postgres/statement.h"

int pg_days_load(struct records_backend *b, struct err *err)
{
    const struct sql_conn conn = pg_sql(&b->conn);
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        int rc = day_list_load(&b->days[kind], &conn, (enum target_kind)kind, 0, err);
        if (rc < 0)
            return rc;
    }
    b->days_loaded = true;
    return 0;
}

static void day_text(char out[static 32], int64_t t_ms)
{
    int32_t day = day_of(t_ms);
    (void)snprintf(out, 32, "%04d-%02d-%02d 00:00:00+00", day / 10000, day / 100 % 100,
                   day % 100);
}

/* ATTACH takes a lock that lets readers and writers of other days go on; CREATE TABLE
 * ... PARTITION OF would stop them all. */
static int partition_make(struct records_backend *b, enum target_kind kind, int32_t day,
                          struct err *err)
{
    const char *name = target_kind_name(kind);
    char table[48], from[32], to[32];
    (void)snprintf(table, sizeof table, "jobstats_%s_%d", name, day);
    day_text(from, day_start_ms(day));
    day_text(to, day_start_ms(day) + MS_PER_DAY);
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    pg_add_span(&args, span_of(table));
    int rc =
        pg_query(&b->conn, "SELECT to_regclass($1) IS NOT NULL", &args, &result, err);
    if (rc < 0)
        return rc;
    if (pg_i64(result, 0, 0))
        return 0; /* another program was quicker */
    return pg_execf(&b->conn, err,
                    "CREATE TABLE %s (LIKE jobstats_%s INCLUDING INDEXES);"
                    "ALTER TABLE jobstats_%s ATTACH PARTITION %s "
                    "FOR VALUES FROM ('%s') TO ('%s')",
                    table, name, name, table, from, to);
}

static int day_make_in(struct records_backend *b, enum target_kind kind, int32_t day,
                       struct err *err)
{
    int rc = pg_exec(&b->conn, "SELECT pg_advisory_xact_lock(6512369772)", err);
    if (rc == 0 && !b->schema.is_hypertable)
        rc = partition_make(b, kind, day, err);
    if (rc < 0)
        return rc;
    return pg_execf(
        &b->conn, err,
        "INSERT INTO jobstats_days (kind, day, span_ms) VALUES ('%s', %d, 0) "
        "ON CONFLICT DO NOTHING",
        target_kind_name(kind), day);
}

int pg_day_make(struct records_backend *b, enum target_kind kind, int32_t day,
                struct err *err)
{
    int rc = pg_exec(&b->conn, "BEGIN", err);
    if (rc == 0)
        rc = day_make_in(b, kind, day, err);
    if (rc == 0)
        rc = pg_exec(&b->conn, "COMMIT", err);
    if (rc < 0) {
        if (b->conn.pg && pg_exec(&b->conn, "ROLLBACK", NULL) < 0)
            pg_close(&b->conn);
        return rc;
    }
    return day_list_add(&b->days[kind], (struct day_span){ .day = day });
}

int pg_days_note(struct records_backend *b, enum target_kind kind,
                 const struct keyed_row *rows, size_t count, struct err *err)
{
    for (size_t i = 0; i < count;) {
        struct day_span want;
        (void)day_spans(rows + i, count - i, &want, 1);
        int64_t end_ms = day_start_ms(want.day) + MS_PER_DAY;
        while (i < count && rows[i].row->t_ms < end_ms)
            i++;
        struct day_span *have = day_list_find(&b->days[kind], want.day);
        if (have && have->span_ms >= want.span_ms)
            continue;
        int rc = pg_execf(&b->conn, err,
                          "UPDATE jobstats_days SET span_ms = greatest(span_ms, %lld) "
                          "WHERE kind = '%s' AND day = %d",
                          (long long)want.span_ms, target_kind_name(kind), want.day);
        if (rc < 0)
            return rc;
        if (have)
            have->span_ms = want.span_ms;
    }
    return 0;
}

static int day_drop_in(struct records_backend *b, enum target_kind kind, int32_t day,
                       struct err *err)
{
    const char *name = target_kind_name(kind);
    int rc = pg_exec(&b->conn, "SELECT pg_advisory_xact_lock(6512369772)", err);
    if (rc == 0 && !b->schema.is_hypertable)
        rc = pg_execf(&b->conn, err, "DROP TABLE IF EXISTS jobstats_%s_%d", name, day);
    if (rc < 0)
        return rc;
    return pg_execf(&b->conn, err,
                    "DELETE FROM jobstats_days WHERE kind = '%s' AND day = %d", name,
                    day);
}

static int day_drop(struct records_backend *b, enum target_kind kind, int32_t day,
                    struct err *err)
{
    int rc = pg_exec(&b->conn, "BEGIN", err);
    if (rc == 0)
        rc = day_drop_in(b, kind, day, err);
    if (rc == 0)
        rc = pg_exec(&b->conn, "COMMIT", err);
    if (rc < 0 && b->conn.pg && pg_exec(&b->conn, "ROLLBACK", NULL) < 0)
        pg_close(&b->conn);
    return rc;
}

/* A reader that is under way keeps DROP waiting, and DROP those that come after it: the
 * lock timeout bounds that, and the next maintenance tries again. */
int pg_days_drop(struct records_backend *b, int64_t oldest_ms, struct err *err)
{
    int rc = 0;
    for (int kind = 0; kind < TARGET_KIND_COUNT && rc == 0; kind++) {
        if (b->schema.is_hypertable)
            rc = pg_chunks_drop(&b->conn, (enum target_kind)kind, oldest_ms, err);
        for (size_t i = 0; i < b->days[kind].count && rc == 0; i++) {
            int32_t day = b->days[kind].days[i].day;
            if (day_start_ms(day) + MS_PER_DAY <= oldest_ms)
                rc = day_drop(b, (enum target_kind)kind, day, err);
        }
    }
    b->days_loaded = false;
    return rc;
}
