/* SPDX-License-Identifier: Apache-2.0 */
/* test_live_failover - memory answers as the database does where servers change. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/query.h"
#include "query/test/rows.h"

#include <stdlib.h>

#define MINUTE_MS INT64_C(60000)
#define T0 INT64_C(1669010400000) /* 2022-11-21T06:00:00Z */
#define SERVERS 3
#define ENTRIES 12
#define WINDOW_MS (9 * ROLLUP_HOUR_MS)

static struct rows *rows;
static struct history history;
static struct live *live;
static int64_t now_ms;

static int64_t played_now_ms(void)
{
    return now_ms;
}

static void start_live(void)
{
    const struct live_opts opts = { .window_ms = WINDOW_MS, .now_ms = played_now_ms };
    struct err err = { 0 };
    live_free(live);
    live = NULL;
    assert_int_equal(live_new(&opts, &live), 0);
    assert_int_equal(live_warm(live, &history, now_ms, &err), 0);
}

static int setup(void **state)
{
    (void)state;
    rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    rows_history(rows, &history);
    now_ms = T0;
    start_live();
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

/* ---- rows ---- */

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

static const char *const names[SERVERS] = { "oss01", "oss02", "oss03" };

/* One entry, as each server counts it. */
struct moved {
    int64_t sid, next_ms;
    size_t serving;
    bool is_flat; /* its rows do not say what they follow */
    uint64_t bytes[SERVERS];
    int64_t last_ms[SERVERS], start_ns[SERVERS];
};

static struct jobrow make_row(size_t server, int64_t t_ms, uint64_t bytes)
{
    struct jobrow row = { .server = span_of(names[server]),
                          .t_ms = t_ms,
                          .since_ms = T_NONE,
                          .previous_ms = T_NONE,
                          .snapshot_ns = 1,
                          .start_ns = T_NONE };
    row.has_samples = row.has_sum = UINT64_C(1) << OP_WRITE_BYTES;
    row.sum[OP_WRITE_BYTES] = bytes;
    row.samples[OP_WRITE_BYTES] = bytes / 7;
    return row;
}

static void arrive(int64_t sid, const struct jobrow *row)
{
    rows_add(rows, sid, row);
    live_accept(live, &rows->series[sid - 1], row);
}

static void arrive_zero(struct moved *e, int64_t t_ms)
{
    struct jobrow row = make_row(e->serving, t_ms, 0);
    row.reset = RESET_YES;
    row.snapshot_ns = T_NONE;
    e->bytes[e->serving] = 0;
    e->last_ms[e->serving] = t_ms;
    arrive(e->sid, &row);
}

static struct jobrow draw_row(struct moved *e, size_t by, int64_t t_ms)
{
    bool restarts = chance(4);
    bool is_known = e->last_ms[by] != T_NONE;
    if (restarts)
        e->bytes[by] = 0;
    if (restarts && chance(50))
        e->start_ns[by] = (t_ms - (int64_t)draw(100000)) * NS_PER_MS;
    e->bytes[by] += draw(100000);
    struct jobrow row = make_row(by, t_ms, e->bytes[by]);
    row.start_ns = e->start_ns[by];
    row.reset = restarts && chance(80) ? RESET_YES : RESET_NO;
    row.previous_ms = e->last_ms[by];
    row.since_ms =
        is_known && chance(30) ? (e->last_ms[by] + t_ms) / 2 : row.previous_ms;
    if (chance(4))
        row.previous_ms = T_NONE;
    if (chance(3))
        row.since_ms = T_NONE;
    if (chance(2))
        row.reset = RESET_UNKNOWN;
    if (chance(1)) /* the clock was set back: what it shows was counted before */
        row.previous_ms = t_ms;
    if (e->is_flat) {
        row.previous_ms = row.since_ms = T_NONE;
        row.reset = RESET_UNKNOWN;
    }
    e->last_ms[by] = t_ms;
    return row;
}

static void play_entry(struct moved *e)
{
    int64_t t_ms = e->next_ms;
    if (chance(3)) { /* a failover */
        e->serving = draw(SERVERS);
        if (chance(60))
            arrive_zero(e, t_ms - 1000);
    }
    size_t by = chance(4) ? draw(SERVERS) : e->serving;
    struct jobrow row = draw_row(e, by, t_ms);
    bool is_late = chance(1);
    if (is_late)
        row.t_ms -= (int64_t)draw((uint64_t)(3 * ROLLUP_HOUR_MS));
    if (row.previous_ms > row.t_ms)
        row.previous_ms = T_NONE;
    if (row.since_ms > row.t_ms)
        row.since_ms = T_NONE;
    if (!chance(4)) /* lost */
        arrive(e->sid, &row);
    e->next_ms += MINUTE_MS * (int64_t)(chance(85) ? 4 : 4 + draw(40));
    if (chance(4)) /* to the edge of an hour, just before it and behind it */
        e->next_ms = rollup_hour_of(e->next_ms + ROLLUP_HOUR_MS) + (int64_t)draw(3) - 1;
    if (chance(1))
        e->next_ms += (int64_t)draw(6) * ROLLUP_HOUR_MS;
}

static void begin_entries(struct moved *entries)
{
    static const char *const jobs[] = { "7", "8", "9" };
    memset(rows, 0, sizeof *rows);
    for (int64_t i = 0; i < ENTRIES; i++) {
        struct moved *e = &entries[i];
        *e = (struct moved){ .sid = i + 1,
                             .next_ms = T0 + (int64_t)draw(3 * 3600000),
                             .serving = draw(SERVERS),
                             .is_flat = chance(20) };
        for (size_t s = 0; s < SERVERS; s++)
            e->last_ms[s] = e->start_ns[s] = T_NONE;
        (void)rows_add_series(rows, TARGET_OST, "scratch-OST0001", jobs[draw(3)],
                              "1000", "n1");
    }
}

/* ---- queries ---- */

static const struct selection_defaults defaults = {
    .ops = "write_bytes,iops",
    .by = "job,server",
    .last_ms = 600000,
    .lookback_ms = 3600000,
    .limit = 100,
};

static int ask(bool is_live, int64_t from_ms, int64_t to_ms, struct strbuf *out)
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
    assert_int_equal(selection_settle(&sel, &defaults, T_NONE, &err), 0);
    assert_int_equal(accumulator_new(&sel, &accumulator, &err), 0);
    int rc = is_live ? live_accumulate(live, &history, &sel, accumulator, &err)
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

static void expect_same(uint64_t seed, int64_t from_ms, int64_t to_ms)
{
    AUTO(strbuf_done) struct strbuf memory = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf database = STRBUF_INIT;
    int rc = ask(true, from_ms, to_ms, &memory);
    if (rc < 0)
        fail_msg("seed %llu: memory says %d", (unsigned long long)seed, rc);
    assert_int_equal(ask(false, from_ms, to_ms, &database), 0);
    const char *a = strbuf_text(&memory), *b = strbuf_text(&database);
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    if (a[same] == b[same])
        return;
    same -= same < 100 ? same : 100;
    fail_msg("seed %llu, %lld to %lld:\nmemory   %.200s\ndatabase %.200s",
             (unsigned long long)seed, (long long)(from_ms - T0),
             (long long)(to_ms - T0), a + same, b + same);
}

static void play_until(struct moved *entries, int64_t t_ms)
{
    for (;;) {
        struct moved *next = &entries[0];
        for (size_t i = 1; i < ENTRIES; i++)
            if (entries[i].next_ms < next->next_ms)
                next = &entries[i];
        if (next->next_ms > t_ms)
            return;
        now_ms = next->next_ms;
        play_entry(next);
    }
}

static void ask_some(uint64_t seed)
{
    int64_t oldest_ms = live_stored_from_ms(live) + ROLLUP_HOUR_MS; /* the lookback */
    for (int i = 0; i < 3; i++) {
        int64_t to_ms = now_ms - (chance(50) ? 0 : (int64_t)draw(5400000));
        int64_t from_ms = to_ms - 1 - (int64_t)draw(chance(50) ? 7000000 : 28000000);
        from_ms = from_ms < oldest_ms ? oldest_ms : from_ms;
        if (from_ms < to_ms)
            expect_same(seed, from_ms, to_ms);
    }
}

static void memory_gives_what_the_database_gives(void **state)
{
    (void)state;
    struct moved entries[ENTRIES];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_state = seed * 7919;
        begin_entries(entries);
        now_ms = T0;
        start_live();
        for (int64_t minute = 10; minute < 26 * 60; minute += 7) {
            play_until(entries, T0 + minute * MINUTE_MS);
            now_ms = T0 + minute * MINUTE_MS;
            if (chance(2)) /* a restart */
                start_live();
            if (chance(40))
                ask_some(seed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_gives_what_the_database_gives, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
