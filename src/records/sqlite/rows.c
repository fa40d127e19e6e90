/* SPDX-License-Identifier: Apache-2.0 */
/* rows - rows of a time range out of the day tables, ordered by (sid, time).
 *
 *     few series    for each sid, for each day: its rows by the index (sid, timestamp)
 *     many, or all  for each day, and the days' streams are merged:
 *       hours       the time range by the primary key, sorted by SQLite
 *       most of it  the index (sid, timestamp) from end to end
 *
 * A row by the index costs a search in the table: several hours of most series that
 * have rows are sorted, too.
 *
 * A statement has sid, timestamp and, packed, all columns of a row (packed_row.h);
 * where texts are wanted, which no sum needs, the columns themselves.
 *
 * Either way memory does not grow with the result: SQLite sorts in files, of a few
 * hours at most.
 */
#include "records/sqlite/packed_row.h"
#include "records/sqlite/reader.h"
#include "records/sqlite/statement.h"
#include "records/tables/tables.h"

#include "base/span.h"

/* Looking up one series on one day costs as much as reading this many rows of a time
 * range, and a minute of a large site has this many. */
#define PROBE_COST_ROWS 5
#define ROWS_A_MINUTE 10000
#define PROBE_SIDS_ALWAYS 2000
/* Of a range with so many rows most are sorted rather than searched for one by one:
 * fewer are not worth to be counted, more would be sorted in files. */
#define SORTED_SIDS_MIN 64
#define SORTED_ROWS_MIN 4000
#define SORTED_ROWS_MAX 300000
/* From here on a day's index is walked instead of sorting rows.  Measured on days of
 * 14 M rows: an entry that is passed over costs 0.1 us, a row by the index 0.6 us, a
 * sorted one 1.3 us and its size in a temporary file; packed it is less. */
#define WALK_MS (4 * MS_PER_HOUR)

/* What is read of one day, and the statements for it, prepared when first needed. */
struct day_part {
    int32_t day;
    int64_t from_ms, to_ms; /* rows in from < t <= to */
    bool is_after;          /* only rows that reach back before the range's end */
    bool has_row;           /* the merge: stmt stands on a row */
    sqlite3_stmt *stmt;
};

struct rows_read {
    struct engine_reader *r;
    const struct row_range *range;
    records_row_fn *fn;
    void *arg;
    struct err *err;
    struct day_list days;
    struct strbuf columns;
    struct day_part *parts;
    size_t part_count;
    sqlite3_stmt **before; /* one for each of days, prepared when first needed */
    bool sorts;            /* whatever the length of the range */
    int64_t sid;           /* of the row emitted last */
    bool sid_has_after;
    bool has_sid;
};

static void rows_read_done(struct rows_read *read)
{
    for (size_t i = 0; i < read->part_count; i++)
        (void)sqlite3_finalize(read->parts[i].stmt);
    for (size_t i = 0; read->before && i < read->days.count; i++)
        (void)sqlite3_finalize(read->before[i]);
    free(read->parts);
    free(read->before);
    day_list_done(&read->days);
    strbuf_done(&read->columns);
}
DEFINE_AUTO_DONE(struct rows_read, rows_read_done);

#define COLUMN_PACKED 2 /* behind sid and timestamp */

static struct sql_row part_row(const struct rows_read *read, sqlite3_stmt *stmt)
{
    return read->range->with_more ? sqlite_row(stmt) : packed_row(stmt, COLUMN_PACKED);
}

static int row_emit(const struct rows_read *read, sqlite3_stmt *stmt)
{
    const struct sql_row row = part_row(read, stmt);
    struct jobrow out;
    row_read(&row, read->range, &read->r->servers, &out);
    return read->fn(read->arg, row_sid(&row), &out);
}

/* ---- the row before ---- */

static int before_prepare(struct rows_read *read, size_t day, sqlite3_stmt **ret)
{
    if (!read->before[day]) {
        AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
        strbuf_addf(&sql,
                    "SELECT %s FROM jobstats_%s_%d WHERE sid = ?1 AND timestamp <= ?2 "
                    "AND timestamp >= ?3 ORDER BY timestamp DESC LIMIT 1",
                    strbuf_text(&read->columns), target_kind_name(read->range->kind),
                    read->days.days[day].day);
        if (strbuf_error(&sql))
            return strbuf_error(&sql);
        int rc =
            db_prepare(read->r->db, strbuf_text(&sql), &read->before[day], read->err);
        if (rc < 0)
            return rc;
    }
    *ret = read->before[day];
    return 0;
}

/* Day by day backwards, until a row is found or floor_ms is passed. */
static int before_emit(struct rows_read *read, int64_t sid, int64_t reach_ms)
{
    int64_t from_ms = read->range->from_ms;
    int64_t floor_ms = reach_ms < from_ms ? reach_ms : from_ms;
    floor_ms -= RECORDS_LOOKBACK_MS;
    for (size_t i = read->days.count; i > 0; i--) {
        int64_t start_ms = day_start_ms(read->days.days[i - 1].day);
        if (start_ms > from_ms)
            continue;
        if (start_ms + MS_PER_DAY <= floor_ms)
            break;
        sqlite3_stmt *stmt = NULL;
        int rc = before_prepare(read, i - 1, &stmt);
        if (rc < 0)
            return rc;
        (void)sqlite3_bind_int64(stmt, 1, sid);
        (void)sqlite3_bind_int64(stmt, 2, from_ms);
        (void)sqlite3_bind_int64(stmt, 3, floor_ms);
        rc = db_step(stmt, read->err);
        bool found = rc > 0;
        if (found)
            rc = row_emit(read, stmt);
        (void)sqlite3_reset(stmt);
        if (rc < 0 || found)
            return rc < 0 ? rc : 0;
    }
    return 0;
}

/* The row that part stands on: in order, with what belongs before it. */
static int part_emit(struct rows_read *read, const struct day_part *part)
{
    const struct sql_row row = part_row(read, part->stmt);
    int64_t sid = row_sid(&row);
    if (!read->has_sid || read->sid != sid) {
        read->has_sid = true;
        read->sid = sid;
        read->sid_has_after = false;
        if (read->range->with_before) {
            int rc = before_emit(read, sid, row_reach_ms(&row));
            if (rc < 0)
                return rc;
        }
    }
    if (part->is_after) {
        if (read->sid_has_after)
            return 0;
        read->sid_has_after = true;
    }
    return row_emit(read, part->stmt);
}

/* ---- which days ---- */

static int part_add(struct rows_read *read, int32_t day, int64_t from_ms, int64_t to_ms,
                    bool is_after)
{
    if (from_ms >= to_ms)
        return 0;
    read->parts[read->part_count++] = (struct day_part){
        .day = day, .from_ms = from_ms, .to_ms = to_ms, .is_after = is_after
    };
    return 0;
}

static int64_t min_ms(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max_ms(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* First the days of the range, then those that may hold a row which reaches back into
 * it: no row of a day reaches back further than the day's span. */
static int parts_make(struct rows_read *read)
{
    const struct row_range *range = read->range;
    read->parts = calloc(read->days.count * 2 + 1, sizeof *read->parts);
    read->before = calloc(read->days.count + 1, sizeof(sqlite3_stmt *));
    if (!read->parts || !read->before)
        return -ENOMEM;
    for (size_t i = 0; i < read->days.count; i++) {
        int64_t start_ms = day_start_ms(read->days.days[i].day);
        (void)part_add(read, read->days.days[i].day,
                       max_ms(range->from_ms, start_ms - 1),
                       min_ms(range->to_ms, start_ms + MS_PER_DAY - 1), false);
    }
    for (size_t i = 0; i < read->days.count && range->with_after; i++) {
        int64_t start_ms = day_start_ms(read->days.days[i].day);
        (void)part_add(read, read->days.days[i].day, max_ms(range->to_ms, start_ms - 1),
                       min_ms(min_ms(range->reach_ms + read->days.days[i].span_ms,
                                     range->until_ms),
                              start_ms + MS_PER_DAY - 1),
                       true);
    }
    return 0;
}

/* Of rows behind the range, only those that reach back into it. */
static const char *part_reaches(const struct day_part *part)
{
    return part->is_after ? " AND (since < ?4 OR previous < ?4 OR (start_time < ?6 AND "
                            "start_time >= 0 AND (since IS NULL OR reset IS NOT 1)) OR "
                            "(since IS NULL AND reset IS NULL AND "
                            "timestamp <= ?5))"
                          : "";
}

static int part_bind(struct rows_read *read, struct day_part *part, const char *sql)
{
    int rc = db_prepare(read->r->db, sql, &part->stmt, read->err);
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(part->stmt, 1, part->from_ms);
    (void)sqlite3_bind_int64(part->stmt, 2, part->to_ms);
    if (part->is_after) {
        int64_t reach_ms = read->range->reach_ms;
        (void)sqlite3_bind_int64(part->stmt, 4, reach_ms);
        (void)sqlite3_bind_int64(part->stmt, 5, reach_ms + FLAT_SPAN_MS);
        (void)sqlite3_bind_int64(part->stmt, 6, reach_ms * NS_PER_MS);
    }
    return 0;
}

static int part_prepare(struct rows_read *read, struct day_part *part,
                        const char *which, const char *order)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    strbuf_addf(&sql,
                "SELECT %s FROM jobstats_%s_%d WHERE timestamp > ?1 AND "
                "timestamp <= ?2%s%s ORDER BY %s",
                strbuf_text(&read->columns), target_kind_name(read->range->kind),
                part->day, which, part_reaches(part), order);
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return part_bind(read, part, strbuf_text(&sql));
}

/* In the order of the index (sid, timestamp), of which those that are not wanted cost
 * no row. */
static int part_prepare_walk(struct rows_read *read, struct day_part *part,
                             const char *which)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    char day[48];
    (void)snprintf(day, sizeof day, "jobstats_%s_%d",
                   target_kind_name(read->range->kind), part->day);
    strbuf_addf(&sql,
                "SELECT %s FROM (SELECT sid AS key_sid, timestamp AS key_time FROM %s "
                "INDEXED BY %s_sid WHERE timestamp > ?1 AND timestamp <= ?2%s) "
                "CROSS JOIN %s ON timestamp = key_time AND sid = key_sid WHERE 1%s "
                "ORDER BY key_sid, key_time",
                strbuf_text(&read->columns), day, day, which, day, part_reaches(part));
    if (strbuf_error(&sql))
        return strbuf_error(&sql);
    return part_bind(read, part, strbuf_text(&sql));
}

/* ---- few series ---- */

static int probe_part(struct rows_read *read, struct day_part *part, int64_t sid)
{
    int rc = 0;
    if (!part->stmt)
        rc = part_prepare(read, part, " AND sid = ?3", "timestamp");
    if (rc < 0)
        return rc;
    (void)sqlite3_bind_int64(part->stmt, 3, sid);
    while ((rc = db_step(part->stmt, read->err)) > 0) {
        rc = part_emit(read, part);
        if (rc < 0 || part->is_after)
            break;
    }
    (void)sqlite3_reset(part->stmt);
    return rc < 0 ? rc : 0;
}

static int probe_all(struct rows_read *read)
{
    for (size_t s = 0; s < read->range->sid_count; s++)
        for (size_t i = 0; i < read->part_count; i++) {
            int rc = probe_part(read, &read->parts[i], read->range->sids[s]);
            if (rc < 0)
                return rc;
        }
    return 0;
}

/* ---- many ---- */

static bool part_is_first(const struct day_part *a, const struct day_part *b)
{
    int64_t a_sid = sqlite3_column_int64(a->stmt, 0);
    int64_t b_sid = sqlite3_column_int64(b->stmt, 0);
    if (a_sid != b_sid)
        return a_sid < b_sid;
    return sqlite3_column_int64(a->stmt, 1) < sqlite3_column_int64(b->stmt, 1);
}

static int part_step(const struct rows_read *read, struct day_part *part)
{
    int rc = db_step(part->stmt, read->err);
    part->has_row = rc > 0;
    return rc < 0 ? rc : 0;
}

static int merge_all(struct rows_read *read)
{
    for (size_t i = 0; i < read->part_count; i++) {
        struct day_part *part = &read->parts[i];
        const char *wanted = read->range->sids ? " AND baro_wanted(sid)" : "";
        /* The unary plus keeps SQLite from walking the index where a sort is less. */
        int rc = read->sorts || part->to_ms - part->from_ms < WALK_MS
                     ? part_prepare(read, part, wanted, "+sid, +timestamp")
                     : part_prepare_walk(read, part, wanted);
        if (rc == 0)
            rc = part_step(read, &read->parts[i]);
        if (rc < 0)
            return rc;
    }
    for (;;) {
        struct day_part *first = NULL;
        for (size_t i = 0; i < read->part_count; i++) {
            struct day_part *part = &read->parts[i];
            if (part->has_row && (!first || part_is_first(part, first)))
                first = part;
        }
        if (!first)
            return 0;
        int rc = part_emit(read, first);
        if (rc == 0)
            rc = part_step(read, first);
        if (rc < 0)
            return rc;
    }
}

static bool probes_pay(const struct row_range *range, size_t part_count)
{
    if (!range->sids)
        return false;
    if (range->sid_count <= PROBE_SIDS_ALWAYS)
        return true;
    uint64_t minutes = (uint64_t)(range->to_ms - range->from_ms) / (60 * MS_PER_S) + 1;
    return range->sid_count * part_count * PROBE_COST_ROWS < minutes * ROWS_A_MINUTE;
}

/* How many rows a part has, if those of its day are spread evenly from its first to its
 * last. */
static int part_rows_estimate(const struct rows_read *read, const struct day_part *part,
                              int64_t *ret)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    const struct sql_conn conn = sqlite_conn(read->r->db);
    const char *kind = target_kind_name(read->range->kind);
    const struct sql_value values[] = { sql_i64(part->to_ms), sql_i64(part->from_ms),
                                        sql_text(span_of(kind)), sql_i64(part->day) };
    strbuf_addf(&sql,
                "SELECT row_count * max(0, min(last, $1) - max(first, $2)) / "
                "max(1, last - first) FROM jobstats_days, "
                "(SELECT min(timestamp) AS first FROM jobstats_%s_%d), "
                "(SELECT max(timestamp) AS last FROM jobstats_%s_%d) "
                "WHERE kind = $3 AND day = $4",
                kind, part->day, kind, part->day);
    *ret = 0;
    return strbuf_error(&sql) ? strbuf_error(&sql)
                              : sql_number(&conn, strbuf_text(&sql), values,
                                           COUNT_OF(values), ret, read->err);
}

/* Are most rows of the range wanted?  That is assumed where each series would have no
 * more than a row a minute if they had all of them. */
static int sorting_pays(const struct rows_read *read, bool *ret)
{
    const struct row_range *range = read->range;
    int64_t row_count = 0, length_ms = 0, rows;
    for (size_t i = 0; i < read->part_count; i++) {
        if (read->parts[i].is_after)
            continue;
        int rc = part_rows_estimate(read, &read->parts[i], &rows);
        if (rc < 0)
            return rc;
        length_ms += read->parts[i].to_ms - read->parts[i].from_ms;
        row_count += rows;
    }
    double minutes = (double)length_ms / (60.0 * MS_PER_S);
    *ret = row_count >= SORTED_ROWS_MIN && row_count <= SORTED_ROWS_MAX &&
           (double)row_count <= minutes * (double)range->sid_count;
    return 0;
}

static void packed_columns_add(struct strbuf *columns, const struct row_range *range)
{
    if (!range->with_more)
        strbuf_adds(columns, "sid, \"timestamp\", baro_pack(");
    row_columns_add(columns, range);
    if (!range->with_more)
        strbuf_adds(columns, ")");
}

static int read_in(struct engine_reader *r, const struct row_range *range,
                   records_row_fn *fn, void *arg, struct err *err)
{
    AUTO(rows_read_done)
    struct rows_read read = {
        .r = r, .range = range, .fn = fn, .arg = arg, .err = err
    };
    const struct sql_conn conn = sqlite_conn(r->db);
    int rc = sqlite_servers_load(r, err);
    if (rc == 0)
        rc = day_list_load(&read.days, &conn, range->kind, 0, err);
    if (rc == 0)
        rc = parts_make(&read);
    if (rc < 0)
        return rc;
    packed_columns_add(&read.columns, range);
    if (strbuf_error(&read.columns))
        return strbuf_error(&read.columns);
    bool probes = probes_pay(range, read.part_count);
    if (probes && range->sid_count >= SORTED_SIDS_MIN)
        rc = sorting_pays(&read, &read.sorts);
    if (rc < 0)
        return rc;
    return probes && !read.sorts ? probe_all(&read) : merge_all(&read);
}

int sqlite_reader_rows(struct engine_reader *r, const struct row_range *range,
                       records_row_fn *fn, void *arg, struct err *err)
{
    bool began = false;
    int rc = reader_begin(r, &began, err);
    if (rc < 0)
        return rc;
    const struct row_range *outer = r->range;
    r->range = range;
    rc = read_in(r, range, fn, arg, err);
    r->range = outer;
    reader_end(r, began);
    return rc;
}
