/* SPDX-License-Identifier: Apache-2.0 */
/* test_live_race - rows that arrive while a window is read, out of the database and out
 * of memory, are counted once or not yet.
 *
 *     begin ── hours ── rows, cells ── end ── memory
 *        ▲       ▲          ▲           ▲
 *        └───────┴── stored, announced ─┘      at each call that reads the database
 */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/query.h"

#include <stdio.h>
#include <unistd.h>

#define T0_MS INT64_C(1795219200000) /* 2026-11-21T00:00:00Z */
#define MINUTE_MS INT64_C(60000)
#define HOURS 30
#define T_END_MS (T0_MS + HOURS * ROLLUP_HOUR_MS)
#define SEEDS 4
#define READINGS 60
#define ROWS_MAX 2500
#define AT_ONCE_MAX 3
#define STEPS 14 /* calls that a reading makes, about */

static const char *const targets[] = { "scratch-OST0000", "scratch-OST0001" };
static const char *const jobs[] = { "7:1:a", "8:2:b", "9:3:c" };
static const char *const servers[] = { "oss01", "oss02" };

#define SERIES_COUNT (COUNT_OF(targets) * COUNT_OF(jobs))

struct sent {
    size_t series, server;
    int64_t t_ms, previous_ms;
    uint64_t counted;
    bool is_reset, is_held;
};

static struct sent sent[ROWS_MAX];
static size_t sent_count;
/* Of each series what comes later, in the order in which it comes. */
static size_t held[SERIES_COUNT][ROWS_MAX];
static size_t held_count[SERIES_COUNT], held_next[SERIES_COUNT];

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

/* Only the first row of a server begins by itself: what comes after a row that is not
 * counted yet must not be counted without it. */
static void observe_series(size_t series)
{
    int64_t t_ms = T0_MS + (int64_t)draw(3 * 3600) * 1000;
    /* About where the reading changes from the database to memory. */
    int64_t held_from_ms = T_END_MS - (int64_t)(2 + draw(6)) * ROLLUP_HOUR_MS;
    int64_t last_ms[COUNT_OF(servers)] = { T_NONE, T_NONE };
    uint64_t counted[COUNT_OF(servers)] = { 0 };
    size_t server = draw(COUNT_OF(servers));
    unsigned percent = chance(50) ? 100 : 40;
    while (t_ms <= T_END_MS) {
        bool is_reset = chance(4);
        assert_true(sent_count < ROWS_MAX);
        server = chance(10) ? draw(COUNT_OF(servers)) : server;
        counted[server] = (is_reset ? 0 : counted[server]) + 1 + draw(100000);
        sent[sent_count++] =
            (struct sent){ .series = series,
                           .server = server,
                           .t_ms = t_ms,
                           .previous_ms = last_ms[server],
                           .counted = counted[server],
                           .is_reset = is_reset || last_ms[server] == T_NONE,
                           .is_held = chance(t_ms > held_from_ms ? percent : 8) };
        last_ms[server] = t_ms;
        t_ms += MINUTE_MS * (int64_t)(4 + draw(50));
        if (chance(2))
            t_ms += (int64_t)draw(5) * ROLLUP_HOUR_MS;
    }
}

/* Some series' rows come in the order of time, as out of a spool. */
static void hold_rows(void)
{
    memset(held_count, 0, sizeof held_count);
    memset(held_next, 0, sizeof held_next);
    for (size_t i = 0; i < sent_count; i++)
        if (sent[i].is_held)
            held[sent[i].series][held_count[sent[i].series]++] = i;
    for (size_t s = 0; s < SERIES_COUNT; s++)
        for (size_t i = held_count[s]; i > 1 && s % 2; i--) {
            size_t k = draw(i), other = held[s][i - 1];
            held[s][i - 1] = held[s][k];
            held[s][k] = other;
        }
}

/* ---- a database ---- */

static struct database {
    char dir[128], path[160];
    struct config *config;
    struct site *site;
    struct records *records;
    struct records_reader *rows, *series;        /* of the reading */
    struct records_reader *plain, *plain_series; /* of what it is compared with */
} db;

static struct live *live;
static struct cell_cache *cells;

static void database_start(void)
{
    static const char text[] = "[filesystem scratch]\njobid_name = %j:%u:%H\n";
    const char *base = getenv("TMPDIR");
    struct err err = { 0 };
    db = (struct database){ 0 };
    (void)snprintf(db.dir, sizeof db.dir, "%s/baro-race-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(db.dir));
    (void)snprintf(db.path, sizeof db.path, "%s/records.db", db.dir);
    struct records_opts opts = { .path = db.path,
                                 .retention_ns = 10 * INT64_C(86400) * NS_PER_S };
    if (config_parse("test.conf", span_of(text), &site_config_section, 1, &db.config,
                     &err) < 0 ||
        site_new(db.config, &db.site, &err) < 0 ||
        records_open(&opts, db.site, &db.records, &err) < 0 ||
        records_reader_open(db.records, &db.rows, &err) < 0 ||
        records_reader_open(db.records, &db.series, &err) < 0 ||
        records_reader_open(db.records, &db.plain, &err) < 0 ||
        records_reader_open(db.records, &db.plain_series, &err) < 0)
        fail_msg("%s", err.text);
}

static void database_stop(void)
{
    records_reader_close(db.rows);
    records_reader_close(db.series);
    records_reader_close(db.plain);
    records_reader_close(db.plain_series);
    records_close(db.records);
    site_free(db.site);
    config_free(db.config);
    assert_int_equal(unlink(db.path), 0);
    assert_int_equal(rmdir(db.dir), 0);
}

static struct jobrow make_row(const struct sent *s)
{
    struct jobrow row = { .fs = SPAN("scratch"),
                          .server = span_of(servers[s->server]),
                          .target = span_of(targets[s->series % COUNT_OF(targets)]),
                          .kind = TARGET_OST,
                          .entry_id = span_of(jobs[s->series / COUNT_OF(targets)]),
                          .id_exact = true,
                          .t_ms = s->t_ms,
                          .since_ms = s->previous_ms,
                          .previous_ms = s->previous_ms,
                          .reset = s->is_reset ? RESET_YES : RESET_NO,
                          .snapshot_ns = s->t_ms * NS_PER_MS,
                          .start_ns = T_NONE,
                          .has_sum = UINT64_C(1) << OP_WRITE_BYTES };
    row.sum[OP_WRITE_BYTES] = s->counted;
    return row;
}

/* All that are not held, or the one. */
static void store(const struct sent *one)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    struct records_response response;
    jobbatch_init(&batch, 0);
    for (size_t i = 0; i < sent_count; i++) {
        if (one ? &sent[i] != one : sent[i].is_held)
            continue;
        struct jobrow *row = jobbatch_add_row(&batch);
        assert_non_null(row);
        *row = make_row(&sent[i]);
    }
    assert_int_equal(
        records_put(db.records, &batch, T_END_MS, &response, NULL, NULL, NULL), 0);
    assert_int_equal(response.refused, 0);
}

static int announce_series(void *arg, const struct series *series)
{
    const struct jobrow row = make_row(arg);
    live_accept(live, series, &row);
    return 0;
}

static void announce(struct sent *s)
{
    const struct jobrow row = make_row(s);
    struct series_filter filter = { .target = targets[s->series % COUNT_OF(targets)],
                                    .entry_id = row.entry_id };
    assert_int_equal(
        records_find_series(db.plain_series, &filter, announce_series, s, NULL), 0);
    live_store_end(live);
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

static bool clean[HOURS];

static int note_clean(void *arg, int64_t hour_ms, bool is_clean, int64_t changes)
{
    (void)changes;
    (void)arg;
    clean[(hour_ms - T0_MS) / ROLLUP_HOUR_MS] = is_clean;
    return 0;
}

static void make_hours(unsigned left_percent)
{
    AUTO(records_roller_close) struct records_roller *roller = NULL;
    struct history_readers readers = { .rows = db.plain, .series = db.plain_series };
    struct history history;
    assert_int_equal(records_roller_open(db.records, &roller, NULL), 0);
    history_of_records(&readers, &history);
    memset(clean, 0, sizeof clean);
    assert_int_equal(records_read_hours(db.plain, TARGET_OST, T0_MS, T_END_MS,
                                        note_clean, NULL, NULL),
                     0);
    int end = HOURS - 1 - (int)draw(5);
    for (int i = 0; i < end; i++) {
        if (clean[i] || chance(left_percent))
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

/* ---- queries ---- */

struct question {
    const char *by, *op;
    bool is_top;
    int64_t from_ms, to_ms;
};

static void draw_question(struct question *ret)
{
    static const char *const bys[] = { "job", "server,target", "op", "job,server" };
    bool is_short = chance(20);
    ret->is_top = chance(50);
    ret->by = bys[draw(ret->is_top ? 2 : COUNT_OF(bys))];
    ret->op = "write_bytes";
    ret->to_ms = T_END_MS - (chance(80) ? 0 : (int64_t)draw(6 * 3600000));
    ret->from_ms = ret->to_ms - 600000 -
                   (int64_t)draw(is_short ? 6000000 : 20 * (uint64_t)ROLLUP_HOUR_MS);
    /* Memory that begins within the hour before shows activity since then alone. */
    int64_t stored_ms = live_stored_from_ms(live);
    if (stored_ms <= ret->from_ms && stored_ms > ret->to_ms - ROLLUP_HOUR_MS)
        ret->from_ms = stored_ms - 1;
}

/* But for the note's phrase of where it was read. */
static void drop_phrase(struct strbuf *text)
{
    static const char phrase[] = ", read from memory";
    AUTO(strbuf_done) struct strbuf kept = STRBUF_INIT;
    const char *at = strbuf_text(text), *found;
    while ((found = strstr(at, phrase))) {
        strbuf_add_span(&kept, (struct span){ at, (size_t)(found - at) });
        at = found + strlen(phrase);
    }
    strbuf_adds(&kept, at);
    strbuf_clear(text);
    strbuf_add_span(text, strbuf_span(&kept));
}

static void ask(const struct query_ctx *ctx, const struct question *question,
                struct strbuf *out)
{
    struct err err = { 0 };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    table_init(&table);
    selection_init(&sel, T_END_MS);
    sel.from_ms = question->from_ms;
    sel.to_ms = question->to_ms;
    assert_int_equal(selection_set(&sel, SPAN("by"), span_of(question->by), &err), 0);
    assert_int_equal(selection_set(&sel, SPAN("op"), span_of(question->op), &err), 0);
    int rc = question->is_top ? query_top(ctx, &sel, &table, &err)
                              : query_rates(ctx, &sel, &table, &err);
    if (rc < 0)
        fail_msg("by %s: %s", question->by, err.text);
    strbuf_clear(out);
    table_to_json(&table, out);
    drop_phrase(out);
}

/* ---- rows that arrive while the database is read ---- */

static struct history calls; /* what really reads */

/* One reading: what is to arrive at which of its steps, and every answer that is right
 * by then. */
static struct {
    const struct question *question;
    struct sent *rows[AT_ONCE_MAX];
    unsigned at[AT_ONCE_MAX], announced_after[AT_ONCE_MAX];
    size_t count, stored, announced, right_count;
    struct strbuf right[AT_ONCE_MAX + 1];
    unsigned step;
    bool waits, is_moment; /* steps are counted from the database's moment on */
} reading;

static void note_right(void)
{
    struct history_readers readers = { .rows = db.plain, .series = db.plain_series };
    struct history history;
    const struct query_ctx ctx = { .history = &history };
    history_of_records(&readers, &history);
    history.read_hours = NULL; /* and no cells */
    struct strbuf *right = &reading.right[reading.right_count++];
    ask(&ctx, reading.question, right);
}

/* Another one reads marked series again, while rows are being stored. */
static void read_other(void)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct history_readers readers = { .rows = db.plain, .series = db.plain_series };
    struct history history;
    const struct query_ctx ctx = { .history = &history, .live = live };
    struct question question = { "job", "write_bytes", true, T_END_MS - 6000000,
                                 T_END_MS };
    history_of_records(&readers, &history);
    ask(&ctx, &question, &out);
}

static void announce_next(void)
{
    announce(reading.rows[reading.announced++]);
}

static void store_next(void)
{
    if (reading.announced < reading.stored) /* there is one writer */
        announce_next();
    live_store_begin(live);
    store(reading.rows[reading.stored++]);
    note_right();
    if (chance(30))
        read_other();
}

static void step(void)
{
    if (reading.waits && !reading.is_moment)
        return;
    unsigned at = reading.step++;
    while (reading.stored < reading.count && reading.at[reading.stored] <= at)
        store_next();
    size_t last = reading.stored - 1;
    if (reading.announced < reading.stored &&
        reading.at[last] + reading.announced_after[last] <= at)
        announce_next();
}

static int step_find_series(void *arg, const struct series_filter *filter,
                            records_series_fn *fn, void *fn_arg, struct err *err)
{
    step();
    return calls.find_series(arg, filter, fn, fn_arg, err);
}

static int step_read_rows(void *arg, const struct row_range *range, records_row_fn *fn,
                          void *fn_arg, struct err *err)
{
    step();
    int rc = calls.read_rows(arg, range, fn, fn_arg, err);
    step();
    return rc;
}

static int step_begin(void *arg, struct err *err)
{
    step();
    int rc = calls.begin(arg, err);
    step();
    return rc;
}

static void step_end(void *arg)
{
    step();
    calls.end(arg);
    step();
}

static int step_read_hours(void *arg, enum target_kind kind, int64_t from_ms,
                           int64_t to_ms, records_hour_fn *fn, void *fn_arg,
                           struct err *err)
{
    int rc = calls.read_hours(arg, kind, from_ms, to_ms, fn, fn_arg, err);
    reading.is_moment = true;
    step();
    return rc;
}

static int step_read_cells(void *arg, const struct cell_range *range,
                           records_cell_fn *fn, void *fn_arg, struct err *err)
{
    step();
    int rc = calls.read_cells(arg, range, fn, fn_arg, err);
    step();
    return rc;
}

static void make_steps(struct history *ret)
{
    *ret = calls;
    ret->find_series = step_find_series;
    ret->read_rows = step_read_rows;
    ret->begin = step_begin;
    ret->end = step_end;
    ret->read_hours = step_read_hours;
    ret->read_cells = step_read_cells;
}

static void draw_arrivals(void)
{
    size_t series = draw(SERIES_COUNT), count = 1 + draw(AT_ONCE_MAX);
    reading.waits = chance(60);
    reading.is_moment = false;
    unsigned at = (unsigned)draw(reading.waits ? STEPS / 2 : STEPS);
    reading.count = reading.stored = reading.announced = reading.right_count = 0;
    reading.step = 0;
    while (reading.count < count && held_next[series] < held_count[series]) {
        size_t i = reading.count++;
        reading.rows[i] = &sent[held[series][held_next[series]++]];
        reading.at[i] = at;
        reading.announced_after[i] = chance(85) ? 0 : 1 + (unsigned)draw(STEPS);
        at += (unsigned)draw(4);
    }
}

/* While it was read, or after. */
static void let_all_arrive(void)
{
    while (reading.stored < reading.count)
        store_next();
    while (reading.announced < reading.stored)
        announce_next();
}

static size_t same_bytes(const struct strbuf *a, const struct strbuf *b)
{
    size_t same = 0;
    while (same < a->size && same < b->size &&
           strbuf_text(a)[same] == strbuf_text(b)[same])
        same++;
    return same;
}

static void expect_right(uint64_t seed, int n, const struct strbuf *got)
{
    const struct question *q = reading.question;
    for (size_t i = 0; i < reading.right_count; i++)
        if (span_eq(strbuf_span(got), strbuf_span(&reading.right[i])))
            return;
    for (size_t i = 0; i < reading.right_count; i++) {
        size_t same = same_bytes(got, &reading.right[i]);
        same -= same < 60 ? same : 60;
        print_error("with %zu of %zu rows: %.150s\n             got: %.150s\n", i,
                    reading.count, strbuf_text(&reading.right[i]) + same,
                    strbuf_text(got) + same);
    }
    fail_msg("seed %llu, reading %d, hours %.2f to %.2f by %s",
             (unsigned long long)seed, n,
             (double)(q->from_ms - T0_MS) / (double)ROLLUP_HOUR_MS,
             (double)(q->to_ms - T0_MS) / (double)ROLLUP_HOUR_MS, q->by);
}

static size_t read_once(uint64_t seed, int n)
{
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    struct history_readers readers = { .rows = db.rows, .series = db.series };
    struct history history;
    const struct query_ctx ctx = { .history = &history, .live = live, .cells = cells };
    struct question question;
    draw_question(&question);
    reading.question = &question;
    history_of_records(&readers, &calls);
    make_steps(&history);
    draw_arrivals();
    note_right();
    ask(&ctx, &question, &got);
    expect_right(seed, n, &got);
    size_t came = reading.stored;
    let_all_arrive();
    return came;
}

static int64_t end_ms(void)
{
    return T_END_MS;
}

static void begin(uint64_t seed)
{
    struct err err = { 0 };
    struct history_readers readers;
    struct history history;
    random_state = seed * 104729;
    sent_count = 0;
    database_start();
    for (size_t series = 0; series < SERIES_COUNT; series++)
        observe_series(series);
    /* A note says when the newest row is of: it is there from the beginning. */
    sent[sent_count - 1].t_ms = T_END_MS;
    sent[sent_count - 1].is_held = false;
    hold_rows();
    store(NULL);
    readers = (struct history_readers){ .rows = db.plain, .series = db.plain_series };
    history_of_records(&readers, &history);
    const struct live_opts opts = { .window_ms =
                                        (int64_t)(3 + draw(12)) * ROLLUP_HOUR_MS,
                                    .now_ms = end_ms };
    assert_int_equal(live_new(&opts, &live), 0);
    assert_int_equal(live_warm(live, &history, T_END_MS, &err), 0);
    if (seed % 2)
        assert_int_equal(cell_cache_new(64 << 20, &cells), 0);
}

static void end(void)
{
    live_free(live);
    cell_cache_free(cells);
    live = NULL;
    cells = NULL;
    database_stop();
}

static void rows_that_arrive_meanwhile_are_counted_once(void **state)
{
    (void)state;
    size_t came = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        begin(seed);
        for (int i = 0; i < READINGS; i++) {
            if (i % 5 == 0)
                make_hours(i ? 10 : 0);
            came += read_once(seed, i);
        }
        end();
    }
    assert_true(came > SEEDS * READINGS / 2);
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(reading.right); i++)
        strbuf_done(&reading.right[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rows_that_arrive_meanwhile_are_counted_once,
                                  teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
