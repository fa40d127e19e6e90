/* SPDX-License-Identifier: Apache-2.0 */
/* test_live - what is kept in memory answers as the database does. */
#include "base/span.h"
#include "base/test/testing.h"
#include "query/test/rows.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define S(seconds) ((seconds)*INT64_C(1000))
#define T0 S(INT64_C(1669010400))

static struct rows *rows;
static struct history history;
static struct live *live;
static int64_t now_ms;

static int64_t played_now_ms(void)
{
    return now_ms;
}

static void start_live(size_t bytes_max)
{
    struct live_opts opts = { .bytes_max = bytes_max, .now_ms = played_now_ms };
    live_free(live);
    live = NULL;
    assert_int_equal(live_new(&opts, &live), 0);
}

static int setup(void **state)
{
    (void)state;
    rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    rows_history(rows, &history);
    now_ms = T0;
    start_live(0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    live_free(live);
    live = NULL;
    free(rows);
    return 0;
}

static void warm(void)
{
    struct err err = { 0 };
    assert_int_equal(live_warm(live, &history, now_ms, &err), 0);
}

static struct jobrow make_row(int64_t t_s, int64_t since_s, int64_t previous_s,
                              enum jobrow_reset reset, uint64_t bytes)
{
    struct jobrow row = { .server = SPAN("oss01"),
                          .t_ms = T0 + S(t_s),
                          .since_ms = since_s < 0 ? T_NONE : T0 + S(since_s),
                          .previous_ms = previous_s < 0 ? T_NONE : T0 + S(previous_s),
                          .reset = reset,
                          .snapshot_ns = 1,
                          .start_ns = T_NONE };
    row.has_samples = row.has_sum = UINT64_C(1) << OP_WRITE_BYTES;
    row.sum[OP_WRITE_BYTES] = bytes;
    row.samples[OP_WRITE_BYTES] = bytes / 100;
    return row;
}

/* The row is stored, and then announced, as a writer does. */
static void arrive(int64_t sid, const struct jobrow *row)
{
    rows_add(rows, sid, row);
    live_accept(live, &rows->series[sid - 1], row);
}

static const struct selection_defaults defaults = {
    .ops = "write_bytes,iops",
    .by = "job",
    .last_ms = S(600),
    .lookback_ms = S(3600),
    .limit = 100,
};

/* The answer as JSON; from memory when from_live.  Returns what live_accumulate says.
 */
static int ask(const char *by, int64_t from_ms, int64_t to_ms, struct live *from_live,
               struct strbuf *out)
{
    struct err err = { 0 };
    AUTO(selection_done) struct selection sel;
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    AUTO(table_done) struct table table;
    table_init(&table);
    selection_init(&sel, now_ms);
    sel.from_ms = from_ms;
    sel.to_ms = to_ms;
    sel.step_ms = (to_ms - from_ms + 9) / 10;
    assert_int_equal(selection_set(&sel, SPAN("by"), span_of(by), &err), 0);
    assert_int_equal(selection_settle(&sel, &defaults, T_NONE, &err), 0);
    assert_int_equal(accumulator_new(&sel, &accumulator, &err), 0);
    int rc = from_live ? live_accumulate(from_live, &history, &sel, accumulator, &err)
                       : history_accumulate(&history, &sel, &accumulator, 1, &err);
    if (rc < 0)
        return rc;
    assert_int_equal(accumulator_finish(accumulator, &err), 0);
    struct result_extent extent = { T0, now_ms, false };
    assert_int_equal(result_top(accumulator, &extent, &table), 0);
    strbuf_clear(out);
    table_to_json(&table, out);
    return 0;
}

static void expect_same(const char *name, const char *by, int64_t from_ms,
                        int64_t to_ms)
{
    AUTO(strbuf_done) struct strbuf memory = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf database = STRBUF_INIT;
    int rc = ask(by, from_ms, to_ms, live, &memory);
    if (rc < 0)
        fail_msg("%s: memory says %d", name, rc);
    assert_int_equal(ask(by, from_ms, to_ms, NULL, &database), 0);
    if (!span_eq(strbuf_span(&memory), strbuf_span(&database)))
        fail_msg("%s, by %s:\nmemory   %s\ndatabase %s", name, by, strbuf_text(&memory),
                 strbuf_text(&database));
}

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (random_state >> 33) % below;
}

/* One entry as its observer knows it. */
struct played {
    int64_t last_s, row_s; /* -1: never */
    uint64_t bytes;
};

/* A round of two minutes: entries move, rest, reset; rows are lost and come late. */
static void play_round(struct played *entries, size_t count, int64_t t_s,
                       struct jobrow *held, int64_t *held_sid)
{
    now_ms = T0 + S(t_s);
    if (*held_sid && draw(2)) {
        arrive(*held_sid, held);
        *held_sid = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct played *e = &entries[i];
        int64_t at_s = t_s + (int64_t)(i % 7); /* each target has its offset */
        int64_t since_s = e->last_s;
        e->last_s = at_s;
        if (draw(3) == 0)
            continue;
        bool is_new = draw(25) == 0;
        e->bytes = (is_new ? 0 : e->bytes) + 1 + draw(UINT64_C(1) << draw(36));
        struct jobrow row =
            make_row(at_s, since_s, e->row_s,
                     is_new || e->row_s < 0 ? RESET_YES : RESET_NO, e->bytes);
        if (draw(30) == 0)
            row.server = SPAN("oss02");
        if (draw(40) == 0)
            row.reset = RESET_UNKNOWN;
        e->row_s = at_s;
        if (draw(40) == 0)
            continue; /* lost */
        if (draw(40) == 0 && !*held_sid) {
            *held = row;
            *held_sid = (int64_t)i + 1;
            continue;
        }
        arrive((int64_t)i + 1, &row);
    }
}

static void memory_and_database_give_the_same_answer(void **state)
{
    (void)state;
    static const char *const jobs[] = { "1", "2", "3", "4", "5", "6" };
    static const char *const bys[] = { "job", "user", "node", "target", "job,server" };
    enum { COUNT = 40, ROUNDS = 90 };
    for (uint64_t seed = 1; seed <= 6; seed++) {
        random_state = seed;
        memset(rows, 0, sizeof *rows);
        start_live(0);
        struct played entries[COUNT];
        struct jobrow held;
        int64_t held_sid = 0;
        for (size_t i = 0; i < COUNT; i++) {
            entries[i] = (struct played){ .last_s = -1, .row_s = -1 };
            rows_add_series(rows, i % 4 ? TARGET_OST : TARGET_MDT,
                            i % 2 ? "scratch-OST0001" : "scratch-OST0002",
                            jobs[draw(6)], jobs[draw(3)], jobs[draw(5)]);
        }
        now_ms = T0;
        warm();
        for (int64_t round = 1; round <= ROUNDS; round++) {
            play_round(entries, COUNT, round * 120, &held, &held_sid);
            if (round == ROUNDS / 2) { /* a restart */
                start_live(0);
                warm();
            }
            if (round < 40 || draw(4))
                continue;
            int64_t to = now_ms - S((int64_t)draw(300));
            int64_t from = to - S(1 + (int64_t)draw(1800));
            if (round % 2)
                to = now_ms + S(10);
            expect_same("random", bys[draw(COUNT_OF(bys))], from, to);
        }
        struct live_stats stats;
        live_get_stats(live, &stats);
        assert_true(stats.rows > 500);
        assert_true(stats.marked > 0);
    }
}

static void a_query_of_now_reads_no_database(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    warm();
    size_t reads = rows->reads;
    for (int64_t i = 1; i <= 10; i++) {
        now_ms = T0 + S(i * 120);
        struct jobrow row =
            make_row(i * 120, (i - 1) * 120, i == 1 ? -1 : (i - 1) * 120,
                     i == 1 ? RESET_YES : RESET_NO, (uint64_t)i * 1000);
        arrive(1, &row);
    }
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(ask("job", now_ms - S(600), now_ms, live, &out), 0);
    assert_int_equal(rows->reads, reads);
    assert_non_null(strstr(strbuf_text(&out), "\"7\""));
}

/* What is stored of the last row grows and shrinks with its operations. */
static void operations_of_an_entry_come_and_go(void **state)
{
    (void)state;
    static const unsigned counts[] = { 1, 2, 8, 1, 3, 8, 0, 5, 8 };
    static const enum op ops[] = { OP_WRITE_BYTES, OP_READ_BYTES, OP_OPEN,  OP_CLOSE,
                                   OP_GETATTR,     OP_SETATTR,    OP_MKNOD, OP_SYNC };
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    warm();
    for (int64_t i = 0; i < (int64_t)COUNT_OF(counts); i++) {
        now_ms = T0 + S((i + 1) * 60);
        struct jobrow row = make_row((i + 1) * 60, i * 60, i ? i * 60 : -1,
                                     i ? RESET_NO : RESET_YES, 0);
        row.has_samples = row.has_sum = 0;
        for (unsigned k = 0; k < counts[i]; k++) {
            row.has_samples |= UINT64_C(1) << ops[k];
            row.has_sum |= UINT64_C(1) << ops[k];
            row.samples[ops[k]] = (uint64_t)(i + 1) * 10 + k;
            row.sum[ops[k]] = (uint64_t)(i + 1) * 1000 + k;
        }
        arrive(1, &row);
        expect_same("operations come and go", "op", T0, now_ms);
    }
}

static void what_is_older_than_kept_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(ask("job", T0 - S(600), T0, live, &out), -ERANGE); /* not warm */
    warm();
    assert_int_equal(ask("job", T0 - S(600), T0, live, &out), 0);
    assert_int_equal(ask("job", T0 - S(7200), T0, live, &out), -ERANGE);
}

static void memory_is_bounded_and_the_answers_stay_right(void **state)
{
    (void)state;
    static const char *const jobs[] = { "1", "2", "3" };
    start_live(64 << 10);
    warm();
    for (int i = 0; i < 150; i++)
        rows_add_series(rows, TARGET_OST, "scratch-OST0001", jobs[i % 3], "1000", "n1");
    for (int64_t round = 1; round <= 40; round++) {
        now_ms = T0 + S(round * 120);
        for (int64_t sid = 1; sid <= 150; sid++) {
            struct jobrow row = make_row(
                round * 120, (round - 1) * 120, round == 1 ? -1 : (round - 1) * 120,
                round == 1 ? RESET_YES : RESET_NO, (uint64_t)(round * sid));
            arrive(sid, &row);
        }
    }
    struct live_stats stats;
    live_get_stats(live, &stats);
    assert_true(stats.shortened > 0);
    assert_true(stats.bytes < 2 * (64 << 10));
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(ask("job", now_ms - S(600), now_ms, live, &out), -ERANGE);
}

/* A row each minute, each of a server that nobody has heard of. */
static void names_of_servers_are_bounded(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct live_stats before, after;
    start_live(1 << 20);
    warm();
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "1", "1000", "n1");
    live_get_stats(live, &before);
    for (int i = 0; i < ROWS; i++) {
        char name[256];
        int size = snprintf(name, sizeof name, "%0200d", i);
        now_ms = T0 + S(i + 1);
        struct jobrow row = make_row(i + 1, i, i, RESET_YES, 1);
        row.server = (struct span){ name, (size_t)size };
        live_accept(live, &rows->series[0], &row);
    }
    live_get_stats(live, &after);
    assert_true(after.lost_rows > before.lost_rows);
    assert_true(after.lost_rows < ROWS);
    assert_true(after.bytes < 1 << 20);
    /* What is not known here is asked of the database, not answered short. */
    assert_int_equal(ask("server", T0, T0 + S(600), live, &out), -ERANGE);
}

static void series_that_ended_are_forgotten(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        rows_add_series(rows, TARGET_OST, "scratch-OST0001", "1", "1000", "n1");
    warm();
    for (int64_t sid = 1; sid <= 99; sid++) {
        struct jobrow row = make_row(1, 0, -1, RESET_YES, 1);
        arrive(sid, &row);
    }
    for (int64_t i = 1; i <= 2000; i++) {
        now_ms = T0 + S(i * 10);
        struct jobrow row = make_row(i * 10, i * 10 - 10, i == 1 ? -1 : i * 10 - 10,
                                     i == 1 ? RESET_YES : RESET_NO, (uint64_t)i);
        arrive(100, &row);
        for (int64_t sid = 1; sid <= 99 && i > 1000; sid += 14) {
            row.since_ms = row.t_ms - 1;
            live_accept(live, &rows->series[99], &row); /* known already: only sweeps */
        }
    }
    struct live_stats stats;
    live_get_stats(live, &stats);
    /* Only the shards into which rows come are swept. */
    assert_true(stats.series < 99);
}

/* The zero record of the server that a target moved to stands among the last rows of
 * the server that it left. */
static void rows_of_two_servers_may_stand_mixed(void **state)
{
    (void)state;
    (void)rows_add_series(rows, TARGET_OST, "scratch-OST0001", "1", "1000", "n1");
    warm();
    struct jobrow mixed[] = {
        make_row(120, -1, -1, RESET_NO, 0),    make_row(240, 120, 120, RESET_NO, 1000),
        make_row(300, -1, -1, RESET_NO, 0),    make_row(360, 240, 240, RESET_NO, 1300),
        make_row(480, 300, 300, RESET_NO, 70), make_row(600, 480, 480, RESET_NO, 90),
    };
    mixed[0].snapshot_ns = mixed[2].snapshot_ns = T_NONE;
    mixed[2].server = mixed[4].server = mixed[5].server = SPAN("oss02");
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
        now_ms = mixed[i].t_ms;
        arrive(1, &mixed[i]);
        expect_same("mixed", "server", T0, now_ms);
    }
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(ask("job", T0, now_ms, live, &out), 0);
    /* 1000 + 300 + 70 + 20 bytes in 600 s */
    assert_non_null(strstr(strbuf_text(&out), ",2.316666666666667,"));
}

/* A COMMIT whose answer is lost may have been one: its rows are never announced. */
static void rows_that_were_stored_unannounced_are_not_missed(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (int64_t sid = 1; sid <= 2; sid++)
        (void)rows_add_series(rows, TARGET_OST, "scratch-OST0001", sid == 1 ? "1" : "2",
                              "1000", "n1");
    warm();
    for (int64_t i = 1; i <= 9; i++) {
        struct jobrow row =
            make_row(i * 120, (i - 1) * 120, i == 1 ? -1 : (i - 1) * 120,
                     i == 1 ? RESET_YES : RESET_NO, (uint64_t)(i * i) * 1000);
        struct jobrow other = make_row(i * 120, 480, -1, RESET_YES, 500);
        now_ms = row.t_ms;
        if (i != 5) {
            arrive(1, &row);
            continue;
        }
        rows_add(rows, 1, &row);
        rows_add(rows, 2, &other);
        live_doubt(live, row.t_ms);
    }
    assert_int_equal(ask("job", T0 + S(400), now_ms, live, &out), -ERANGE);
    struct err err = { 0 };
    AUTO(selection_done) struct selection sel;
    AUTO(accumulator_free) struct accumulator *memory = NULL, *database = NULL;
    selection_init(&sel, now_ms);
    sel.from_ms = T0 + S(660);
    sel.to_ms = now_ms;
    const struct selection_defaults plain = { .ops = "write_bytes", .by = "job" };
    assert_int_equal(selection_settle(&sel, &plain, T_NONE, &err), 0);
    assert_int_equal(accumulator_new(&sel, &memory, &err), 0);
    assert_int_equal(live_accumulate(live, &history, &sel, memory, &err), 0);
    assert_int_equal(accumulator_new(&sel, &database, &err), 0);
    assert_int_equal(history_accumulate(&history, &sel, &database, 1, &err), 0);
    assert_int_equal(memory->group_count, 1);
    assert_int_equal(database->group_count, 1);
    assert_true(accumulator_total(memory, memory->groups[0], 0) ==
                accumulator_total(database, database->groups[0], 0));
}

struct writing {
    int64_t rounds;
    uint64_t series;
};

static void *write_rows(void *arg)
{
    const struct writing *w = arg;
    for (int64_t round = 1; round <= w->rounds; round++)
        for (uint64_t i = 0; i < w->series; i++) {
            struct jobrow row =
                make_row(round, round - 1, round == 1 ? -1 : round - 1,
                         round == 1 ? RESET_YES : RESET_NO, (uint64_t)round * 1000);
            live_accept(live, &rows->series[i], &row);
        }
    return NULL;
}

/* Built with ThreadSanitizer, this is what it looks at. */
static void questions_are_asked_while_rows_arrive(void **state)
{
    (void)state;
    struct writing writing = { .rounds = 200, .series = 40 };
    pthread_t writer;
    for (uint64_t i = 0; i < writing.series; i++)
        rows_add_series(rows, TARGET_OST, "scratch-OST0001", i % 2 ? "1" : "2", "1000",
                        "n1");
    warm();
    now_ms = T0 + S(600);
    assert_int_equal(pthread_create(&writer, NULL, write_rows, &writing), 0);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (int i = 0; i < 50; i++)
        assert_int_equal(ask("job", now_ms - S(600), now_ms, live, &out), 0);
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(ask("user", now_ms - S(600), now_ms, live, &out), 0);
    struct live_stats stats;
    live_get_stats(live, &stats);
    assert_int_equal(stats.rows, 200 * 40);
    assert_int_equal(stats.marked, 0);
}

/* Of a long window with many rows only the last 75 minutes are read at the start. */
static void a_start_reads_a_long_window_where_its_rows_are_few(void **state)
{
    (void)state;
    for (uint64_t rows_max = 10; rows_max <= 11; rows_max++) {
        struct live_opts opts = { .window_ms = S(90000),
                                  .warm_rows_max = rows_max,
                                  .now_ms = played_now_ms };
        now_ms = T0 + S(36000);
        live_free(live);
        live = NULL;
        assert_int_equal(live_new(&opts, &live), 0);
        if (rows->series_count == 0)
            rows_add_series(rows, TARGET_OST, "OST0000", "4711", "1000", "n1");
        for (int64_t hour = (int64_t)rows->row_count; hour <= 10; hour++) {
            struct jobrow row =
                make_row(hour * 3600, hour ? hour * 3600 - 3600 : -1,
                         hour ? hour * 3600 - 3600 : -1, hour ? RESET_NO : RESET_YES,
                         100 * (uint64_t)(hour + 1));
            rows_add(rows, 1, &row);
        }
        warm();
        bool is_whole = rows_max == 11;
        assert_int_equal(live_stored_from_ms(live),
                         now_ms - (is_whole ? S(90000) : S(4500)));
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        int rc = ask("job", T0, now_ms, live, &out);
        assert_int_equal(rc, is_whole ? 0 : -ERANGE);
        expect_same("what is there", "job", is_whole ? T0 : now_ms - S(600), now_ms);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_start_reads_a_long_window_where_its_rows_are_few),
        TEST(memory_and_database_give_the_same_answer),
        TEST(a_query_of_now_reads_no_database),
        TEST(operations_of_an_entry_come_and_go),
        TEST(what_is_older_than_kept_is_refused),
        TEST(names_of_servers_are_bounded),
        TEST(memory_is_bounded_and_the_answers_stay_right),
        TEST(series_that_ended_are_forgotten),
        TEST(rows_of_two_servers_may_stand_mixed),
        TEST(rows_that_were_stored_unannounced_are_not_missed),
        TEST(questions_are_asked_while_rows_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
