/* SPDX-License-Identifier: Apache-2.0 */
/* test_rollup_late - rows come in any order, hours are made at any time: a clean hour
 * holds what would be made of all rows now.
 */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/query.h"

#include <stdio.h>
#include <unistd.h>

#define T0_MS INT64_C(1795219200000) /* 2026-11-21T00:00:00Z */
#define MINUTE_MS INT64_C(60000)
#define HOURS 160
#define ROWS_MAX 800
#define BATCHES 10
#define SEEDS 5
#define T_END_MS (T0_MS + HOURS * ROLLUP_HOUR_MS)

static const char *const targets[] = { "scratch-OST0000", "scratch-OST0001" };
static const char *const jobs[] = { "7:1:a", "8:2:b" };
static const char *const servers[] = { "oss01", "oss02", "" };

/* A row that was observed, and when it comes. */
struct sent {
    size_t target, job, server;
    int64_t t_ms, since_ms, previous_ms, arrives_ms;
    uint64_t counted;
    bool is_reset;
};

static struct sent sent[ROWS_MAX];
static size_t sent_count;

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (random_state >> 33) % below;
}

static bool chance(unsigned percent)
{
    return draw(100) < percent;
}

static void observe_series(size_t target, size_t job)
{
    int64_t t_ms = T0_MS + (int64_t)draw(3 * 3600) * 1000;
    int64_t last_ms[COUNT_OF(servers)] = { T_NONE, T_NONE, T_NONE };
    uint64_t counted = 0;
    size_t server = draw(COUNT_OF(servers));
    while (t_ms < T_END_MS && sent_count < ROWS_MAX) {
        bool is_reset = chance(10);
        server = chance(15) ? draw(COUNT_OF(servers)) : server;
        counted = is_reset ? draw(50) : counted + draw(1000);
        struct sent *s = &sent[sent_count++];
        *s = (struct sent){ target,          job,  server, t_ms,    T_NONE,
                            last_ms[server], t_ms, 0,      is_reset };
        s->counted = counted;
        if (last_ms[server] != T_NONE)
            s->since_ms = chance(50) ? last_ms[server]
                                     : last_ms[server] + (t_ms - last_ms[server]) / 2;
        if (chance(25)) /* from a spool, or never */
            s->arrives_ms += (int64_t)draw(140) * ROLLUP_HOUR_MS;
        last_ms[server] = t_ms;
        t_ms += MINUTE_MS * (int64_t)(2 + draw(90));
        if (chance(8))
            t_ms += (int64_t)draw(70) * ROLLUP_HOUR_MS;
    }
}

static int by_arrival(const void *a, const void *b)
{
    const struct sent *x = a, *y = b;
    return (x->arrives_ms > y->arrives_ms) - (x->arrives_ms < y->arrives_ms);
}

/* ---- a database ---- */

struct database {
    char dir[128], path[160];
    struct config *config;
    struct site *site;
    struct records *records;
    struct records_reader *reader;
};

static void database_start(struct database *db)
{
    static const char text[] = "[filesystem scratch]\njobid_name = %j:%u:%H\n";
    const char *base = getenv("TMPDIR");
    struct err err = { 0 };
    *db = (struct database){ 0 };
    (void)snprintf(db->dir, sizeof db->dir, "%s/baro-late-XXXXXX",
                   base ? base : "/tmp");
    assert_non_null(mkdtemp(db->dir));
    (void)snprintf(db->path, sizeof db->path, "%s/records.db", db->dir);
    struct records_opts opts = { .path = db->path,
                                 .retention_ns = 10 * INT64_C(86400) * NS_PER_S };
    if (config_parse("test.conf", span_of(text), &site_config_section, 1, &db->config,
                     &err) < 0 ||
        site_new(db->config, &db->site, &err) < 0 ||
        records_open(&opts, db->site, &db->records, &err) < 0 ||
        records_reader_open(db->records, &db->reader, &err) < 0)
        fail_msg("%s", err.text);
}

static void database_stop(struct database *db)
{
    records_reader_close(db->reader);
    records_close(db->records);
    site_free(db->site);
    config_free(db->config);
    assert_int_equal(unlink(db->path), 0);
    assert_int_equal(rmdir(db->dir), 0);
}

static void put_some(struct database *db, size_t from, size_t to)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    struct records_response answer;
    jobbatch_init(&batch, 0);
    for (size_t i = from; i < to; i++) {
        const struct sent *s = &sent[i];
        struct jobrow *row = jobbatch_add_row(&batch);
        assert_non_null(row);
        *row = (struct jobrow){ .fs = SPAN("scratch"),
                                .server = span_of(servers[s->server]),
                                .target = span_of(targets[s->target]),
                                .kind = TARGET_OST,
                                .entry_id = span_of(jobs[s->job]),
                                .id_exact = true,
                                .t_ms = s->t_ms,
                                .since_ms = s->since_ms,
                                .previous_ms = s->previous_ms,
                                .reset = s->is_reset ? RESET_YES : RESET_NO,
                                .snapshot_ns = s->t_ms * NS_PER_MS,
                                .start_ns = T_NONE,
                                .has_sum = UINT64_C(1) << OP_WRITE_BYTES };
        row->sum[OP_WRITE_BYTES] = s->counted;
    }
    assert_int_equal(
        records_put(db->records, &batch, T_END_MS, &answer, NULL, NULL, NULL), 0);
    assert_int_equal(answer.refused, 0);
}

/* ---- hours ---- */

struct making {
    struct records_roller *roller;
    int64_t hour_ms, ticket;
};

static int put_cell(void *arg, const struct rollup_cell *cell)
{
    struct making *m = arg;
    return records_roller_put(m->roller, TARGET_OST, m->hour_ms, m->ticket, cell, 1,
                              NULL);
}

static int print_cell(void *arg, const struct rollup_cell *cell)
{
    strbuf_addf(arg, "%lld %lld.%u " SPAN_FMT " %lld-%lld flags %u count %llu: %llu\n",
                (long long)cell->hour_ms, (long long)cell->sid, cell->part,
                SPAN_ARG(cell->server), (long long)cell->since_ms,
                (long long)cell->t_ms, cell->flags, (unsigned long long)cell->count,
                (unsigned long long)cell->sum[OP_WRITE_BYTES]);
    return 0;
}

static bool clean[HOURS];

static int note_clean(void *arg, int64_t hour_ms, bool is_clean, int64_t changes)
{
    (void)changes;
    (void)arg;
    clean[(hour_ms - T0_MS) / ROLLUP_HOUR_MS] = is_clean;
    return 0;
}

static void expect_hours(struct database *db)
{
    memset(clean, 0, sizeof clean);
    assert_int_equal(records_read_hours(db->reader, TARGET_OST, T0_MS, T_END_MS,
                                        note_clean, NULL, NULL),
                     0);
}

static void history_open(struct database *db, struct history_readers *readers,
                         struct history *ret)
{
    *readers = (struct history_readers){ .rows = db->reader };
    history_of_records(readers, ret);
}

static void make_some(struct database *db)
{
    AUTO(records_roller_close) struct records_roller *roller = NULL;
    struct history_readers readers;
    struct history history;
    assert_int_equal(records_roller_open(db->records, &roller, NULL), 0);
    history_open(db, &readers, &history);
    expect_hours(db);
    for (int i = 0; i < HOURS; i++) {
        if (clean[i] || chance(10))
            continue;
        struct making m = { .roller = roller, .hour_ms = T0_MS + i * ROLLUP_HOUR_MS };
        assert_int_equal(
            records_roller_begin(roller, TARGET_OST, m.hour_ms, &m.ticket, NULL), 0);
        assert_int_equal(rollup_make(&history, TARGET_OST, m.hour_ms,
                                     m.hour_ms + ROLLUP_HOUR_MS, put_cell, &m, NULL),
                         0);
        assert_int_equal(
            records_roller_end(roller, TARGET_OST, m.hour_ms, m.ticket, NULL), 0);
    }
}

static void expect_true_hours(struct database *db, uint64_t seed)
{
    AUTO(strbuf_done) struct strbuf kept = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf fresh = STRBUF_INIT;
    struct history_readers readers;
    struct history history;
    history_open(db, &readers, &history);
    expect_hours(db);
    for (int i = 0; i < HOURS; i++) {
        int64_t hour_ms = T0_MS + i * ROLLUP_HOUR_MS;
        struct cell_range range = { .kind = TARGET_OST,
                                    .from_ms = hour_ms,
                                    .to_ms = hour_ms + ROLLUP_HOUR_MS,
                                    .samples = UINT64_MAX,
                                    .sums = UINT64_MAX };
        if (!clean[i])
            continue;
        strbuf_clear(&kept);
        strbuf_clear(&fresh);
        assert_int_equal(
            records_read_cells(db->reader, &range, print_cell, &kept, NULL), 0);
        assert_int_equal(rollup_make(&history, TARGET_OST, hour_ms, range.to_ms,
                                     print_cell, &fresh, NULL),
                         0);
        if (!span_eq(strbuf_span(&kept), strbuf_span(&fresh)))
            fail_msg("seed %llu, hour %d is clean and holds\n%snot\n%s",
                     (unsigned long long)seed, i, strbuf_text(&kept),
                     strbuf_text(&fresh));
    }
}

static void a_clean_hour_holds_what_its_rows_say(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct database db;
        database_start(&db);
        random_state = seed * 104729;
        sent_count = 0;
        for (size_t target = 0; target < COUNT_OF(targets); target++)
            for (size_t job = 0; job < COUNT_OF(jobs); job++)
                observe_series(target, job);
        qsort(sent, sent_count, sizeof *sent, by_arrival);
        for (size_t i = 0; i < BATCHES; i++) {
            put_some(&db, sent_count * i / BATCHES, sent_count * (i + 1) / BATCHES);
            expect_true_hours(&db, seed);
            make_some(&db);
        }
        database_stop(&db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_hour_holds_what_its_rows_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
