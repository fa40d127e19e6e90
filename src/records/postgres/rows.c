/* SPDX-License-Identifier: Apache-2.0 */
/* rows - rows of a time range out of PostgreSQL, ordered by (sid, time).
 *
 *     few series    by the index (sid, timestamp)
 *     hours         the time range by the primary key, sorted by PostgreSQL
 *     longer        pieces of some 100,000 rows, by sid: nothing that is sorted is
 * large
 */
#include "records/postgres/reader.h"
#include "records/postgres/statement.h"
#include "records/tables/tables.h"

/* From here on rows are read in pieces; the first is small, so that the first rows come
 * soon, and each is four times the one before, up to so many. */
#define PIECES_MS (4 * MS_PER_HOUR)
#define PIECE_ROWS_FIRST 1000
#define PIECE_ROWS_MAX 400000

struct rows_read {
    struct engine_reader *r;
    const struct row_range *range;
    records_row_fn *fn;
    void *arg;
    struct err *err;
    struct strbuf sql;
    struct strbuf sids;   /* as an array */
    int64_t after_ms;     /* the end of looking ahead */
    int64_t first, until; /* the piece: first < sid <= until; until 0: no pieces */
    int64_t piece_rows;
};

static void rows_read_done(struct rows_read *read)
{
    strbuf_done(&read->sql);
    strbuf_done(&read->sids);
}
DEFINE_AUTO_DONE(struct rows_read, rows_read_done);

static int row_emit(void *arg, const struct sql_row *row)
{
    const struct rows_read *read = arg;
    struct jobrow out;
    row_read(row, read->range, &read->r->servers, &out);
    return read->fn(read->arg, row_sid(row), &out);
}

/* How far after to_ms a row may lie that reaches back before it: by the days' spans. */
static int after_end(struct engine_reader *r, const struct row_range *range,
                     int64_t *ret_ms, struct err *err)
{
    AUTO(day_list_done) struct day_list days = { 0 };
    const struct sql_conn conn = pg_sql(&r->conn);
    int rc = day_list_load(&days, &conn, range->kind, day_of(range->to_ms), err);
    if (rc < 0)
        return rc;
    *ret_ms = range->to_ms;
    for (size_t i = 0; i < days.count; i++) {
        int64_t start_ms = day_start_ms(days.days[i].day);
        int64_t end_ms = range->reach_ms + days.days[i].span_ms;
        if (end_ms < start_ms)
            continue; /* no row of that day reaches back so far */
        if (end_ms > start_ms + MS_PER_DAY)
            end_ms = start_ms + MS_PER_DAY;
        if (end_ms > *ret_ms)
            *ret_ms = end_ms;
    }
    if (*ret_ms > range->until_ms)
        *ret_ms = range->until_ms > range->to_ms ? range->until_ms : range->to_ms;
    return 0;
}

/* $1 from, $2 to, $3 the end of looking ahead, $4 the end for the flat form, $5 the
 * floor of looking back, $6 before what a row after must reach, $7 sids, or $7 and $8
 * the piece. */
static void rows_sql(struct rows_read *read)
{
    const struct row_range *range = read->range;
    const char *table = target_kind_name(range->kind);
    const char *wanted = range->sids   ? " AND sid = ANY ($7)"
                         : read->until ? " AND sid > $7 AND sid <= $8"
                                       : "";
    AUTO(strbuf_done) struct strbuf columns = STRBUF_INIT;
    row_columns_add(&columns, range);
    strbuf_addf(&read->sql,
                "WITH part AS (SELECT %s FROM jobstats_%s WHERE \"timestamp\" > $1 AND "
                "\"timestamp\" <= $2%s",
                strbuf_text(&columns), table, wanted);
    if (range->with_after)
        strbuf_addf(&read->sql,
                    " UNION ALL (SELECT DISTINCT ON (sid) %s FROM jobstats_%s WHERE "
                    "\"timestamp\" > $2 AND \"timestamp\" <= $3 AND (since < $6 OR "
                    "previous < $6 OR (start_time < %lld AND start_time >= 0 AND "
                    "(since IS NULL OR reset IS DISTINCT FROM true)) OR "
                    "(since IS NULL AND reset IS NULL AND \"timestamp\" <= $4))%s "
                    "ORDER BY sid, \"timestamp\")",
                    strbuf_text(&columns), table,
                    (long long)(range->reach_ms * NS_PER_MS), wanted);
    strbuf_addf(&read->sql, ") SELECT %s FROM part", strbuf_text(&columns));
    if (range->with_before)
        strbuf_addf(
            &read->sql,
            " UNION ALL SELECT b.* FROM (SELECT DISTINCT ON (sid) sid, least(previous, "
            "CASE WHEN start_time >= 0 AND (since IS NULL OR reset IS DISTINCT FROM "
            "true) "
            "THEN timestamptz 'epoch' + start_time / 1000000 * interval '1 "
            "millisecond' "
            "END) AS reach FROM part ORDER BY sid, \"timestamp\") f CROSS JOIN LATERAL "
            "(SELECT %s FROM "
            "jobstats_%s r WHERE r.sid = f.sid AND r.\"timestamp\" <= $1 AND "
            "r.\"timestamp\" >= least(f.reach - INTERVAL '%lld seconds', $5) "
            "ORDER BY r.\"timestamp\" DESC LIMIT 1) b",
            strbuf_text(&columns), table, (long long)(RECORDS_LOOKBACK_MS / MS_PER_S));
    strbuf_adds(&read->sql, " ORDER BY sid, \"timestamp\"");
    if (strbuf_error(&columns))
        read->sql.error = strbuf_error(&columns);
}

static int rows_stream(struct rows_read *read)
{
    const struct row_range *range = read->range;
    struct pg_args args = { 0 };
    pg_add_time(&args, range->from_ms);
    pg_add_time(&args, range->to_ms);
    pg_add_time(&args, read->after_ms);
    pg_add_time(&args, range->reach_ms + FLAT_SPAN_MS);
    pg_add_time(&args, range->from_ms - RECORDS_LOOKBACK_MS);
    pg_add_time(&args, range->reach_ms);
    if (range->sids) {
        pg_add_binary(&args, PG_OID_INT8_ARRAY, strbuf_span(&read->sids));
    } else if (read->until) {
        pg_add_i64(&args, read->first);
        pg_add_i64(&args, read->until);
    }
    return pg_run(&read->r->conn, strbuf_text(&read->sql), &args, row_emit, read,
                  read->err);
}

/* The sid with which the piece after `first` is full; INT64_MAX: it is the last. */
static int piece_end(struct rows_read *read, struct err *err)
{
    AUTO_RESULT PGresult *result = NULL;
    struct pg_args args = { 0 };
    char sql[192];
    (void)snprintf(sql, sizeof sql,
                   "SELECT sid FROM jobstats_%s WHERE sid > $1 AND \"timestamp\" > $2 "
                   "AND \"timestamp\" <= $3 ORDER BY sid LIMIT 1 OFFSET %lld",
                   target_kind_name(read->range->kind), (long long)read->piece_rows);
    pg_add_i64(&args, read->first);
    pg_add_time(&args, read->range->from_ms);
    pg_add_time(&args, read->after_ms);
    int rc = pg_query(&read->r->conn, sql, &args, &result, err);
    if (rc == 0)
        read->until = PQntuples(result) ? pg_i64(result, 0, 0) : INT64_MAX;
    return rc;
}

/* Sorted at once, the rows of a week of a busy site fill a disk with temporary files.
 * Series that came together stand together, in the index as in the table: a piece of
 * them touches few pages more than once. */
static int rows_in_pieces(struct rows_read *read)
{
    int rc = 0;
    for (read->first = 0; rc == 0; read->first = read->until) {
        rc = piece_end(read, read->err);
        if (rc == 0)
            rc = rows_stream(read);
        if (read->until == INT64_MAX)
            break;
        if (read->piece_rows < PIECE_ROWS_MAX)
            read->piece_rows *= 4;
    }
    return rc;
}

/* All pieces are of one moment. */
static int rows_in_snapshot(struct rows_read *read)
{
    bool began = !read->r->in_snapshot;
    int rc = began ? pg_reader_begin(read->r, read->err) : 0;
    if (rc < 0)
        return rc;
    rc = rows_in_pieces(read);
    if (began)
        pg_reader_end(read->r);
    return rc;
}

int pg_reader_rows(struct engine_reader *r, const struct row_range *range,
                   records_row_fn *fn, void *arg, struct err *err)
{
    AUTO(rows_read_done)
    struct rows_read read = { .r = r,
                              .range = range,
                              .fn = fn,
                              .arg = arg,
                              .err = err,
                              .sql = STRBUF_INIT,
                              .sids = STRBUF_INIT,
                              .after_ms = range->to_ms,
                              .piece_rows = PIECE_ROWS_FIRST };
    int rc = pg_reader_connected(r, err);
    if (rc == 0)
        rc = pg_servers_load(r, err);
    if (rc == 0 && range->with_after)
        rc = after_end(r, range, &read.after_ms, err);
    if (rc < 0)
        return rc;
    bool in_pieces = !range->sids && range->to_ms - range->from_ms >= PIECES_MS;
    if (in_pieces)
        read.until = INT64_MAX; /* the statement has their arguments */
    if (range->sids)
        pg_put_sids(&read.sids, range->sids, range->sid_count);
    rows_sql(&read);
    if (strbuf_error(&read.sql) || strbuf_error(&read.sids))
        return -ENOMEM;
    return in_pieces ? rows_in_snapshot(&read) : rows_stream(&read);
}
