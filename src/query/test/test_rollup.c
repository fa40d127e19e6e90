/* SPDX-License-Identifier: Apache-2.0 */
/* test_rollup - an answer is the same with cells and without. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/query.h"
#include "query/test/rows.h"

#include <stdio.h>
#include <stdlib.h>

#define MINUTE_MS INT64_C(60000)
#define T0 INT64_C(1669010400000) /* 2022-11-21T06:00:00Z */
#define HOURS 200
#define CELLS_MAX 200000

struct kept_cell {
    enum target_kind kind;
    struct rollup_cell cell;
    char server[16];
};

static struct rows *rows;
static struct history history;
static struct kept_cell *cells;
static size_t cell_count;
static size_t cells_read, rows_read;
static bool clean[TARGET_KIND_COUNT][HOURS];
static struct live *live;        /* of the last hours; NULL: none */
static struct cell_cache *cache; /* likewise */
static int64_t changes[TARGET_KIND_COUNT][HOURS];

/* ---- a database of cells in an array ---- */

static enum target_kind making;

static int keep_cell(void *arg, const struct rollup_cell *cell)
{
    (void)arg;
    assert_true(cell_count < CELLS_MAX);
    struct kept_cell *kept = &cells[cell_count++];
    kept->kind = making;
    kept->cell = *cell;
    assert_true(cell->server.size < sizeof kept->server);
    if (cell->server.size)
        memcpy(kept->server, cell->server.data, cell->server.size);
    kept->cell.server = (struct span){ kept->server, cell->server.size };
    return 0;
}

static int read_hours(void *arg, enum target_kind kind, int64_t from_ms, int64_t to_ms,
                      records_hour_fn *fn, void *fn_arg, struct err *err)
{
    (void)arg, (void)err;
    for (int i = 0; i < HOURS; i++) {
        int64_t hour_ms = T0 + i * ROLLUP_HOUR_MS;
        if (hour_ms < from_ms || hour_ms >= to_ms)
            continue;
        int rc = fn(fn_arg, hour_ms, clean[kind][i], changes[kind][i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int read_cells(void *arg, const struct cell_range *range, records_cell_fn *fn,
                      void *fn_arg, struct err *err)
{
    (void)arg, (void)err;
    for (size_t i = 0; i < cell_count; i++) {
        const struct rollup_cell *cell = &cells[i].cell;
        bool is_wanted = !range->sids;
        for (size_t s = 0; s < range->sid_count; s++)
            is_wanted |= range->sids[s] == cell->sid;
        if (!is_wanted || cells[i].kind != range->kind ||
            cell->hour_ms < range->from_ms || cell->hour_ms >= range->to_ms ||
            (range->reach_ms && cell->since_ms >= range->reach_ms))
            continue;
        assert_true(!rollup_is_long(range) ||
                    cell->t_ms - cell->since_ms > ROLLUP_LONG_MS);
        struct rollup_cell given = *cell;
        for (int op = 0; op < OP_COUNT; op++) {
            given.samples[op] *= range->samples >> op & 1;
            given.sum[op] *= range->sums >> op & 1;
        }
        cells_read++;
        int rc = fn(fn_arg, &given);
        if (rc < 0)
            return rc;
    }
    return 0;
}

struct counting {
    records_row_fn *fn;
    void *arg;
};

static int (*rows_read_rows)(void *, const struct row_range *, records_row_fn *, void *,
                             struct err *);

static int count_row(void *arg, int64_t sid, const struct jobrow *row)
{
    struct counting *counting = arg;
    rows_read++;
    return counting->fn(counting->arg, sid, row);
}

static int read_rows(void *arg, const struct row_range *range, records_row_fn *fn,
                     void *fn_arg, struct err *err)
{
    struct counting counting = { fn, fn_arg };
    return rows_read_rows(arg, range, count_row, &counting, err);
}

static int setup(void **state)
{
    (void)state;
    rows = calloc(1, sizeof *rows);
    cells = calloc(CELLS_MAX, sizeof *cells);
    assert_non_null(rows);
    assert_non_null(cells);
    rows_history(rows, &history);
    rows_read_rows = history.read_rows;
    history.read_rows = read_rows;
    history.read_hours = read_hours;
    history.read_cells = read_cells;
    cell_count = cells_read = rows_read = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(rows);
    free(cells);
    return 0;
}

/* ---- random rows ---- */

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

/* What one server counts of one series. */
struct counting_server {
    const char *name;
    uint64_t counted[OP_COUNT];
    int64_t last_ms, start_ns;
};

static const enum op ops[TARGET_KIND_COUNT][3] = {
    [TARGET_MDT] = { OP_OPEN, OP_CLOSE, OP_MKDIR },
    [TARGET_OST] = { OP_WRITE_BYTES, OP_READ_BYTES, OP_PUNCH },
};

static void work(struct counting_server *server, enum target_kind kind)
{
    for (size_t i = 0; i < COUNT_OF(ops[kind]); i++)
        if (chance(60))
            server->counted[ops[kind][i]] += draw(1000) + (chance(2) ? 1 << 20 : 0);
}

static void counters_out(const struct counting_server *server, enum target_kind kind,
                         struct jobrow *row)
{
    for (size_t i = 0; i < COUNT_OF(ops[kind]); i++) {
        enum op op = ops[kind][i];
        if (chance(1))
            continue; /* a counter that this reading lacks */
        row->has_samples |= UINT64_C(1) << op;
        row->samples[op] = server->counted[op] / 7;
        row->has_sum |= UINT64_C(1) << op;
        row->sum[op] = server->counted[op];
        if (op != OP_WRITE_BYTES && op != OP_READ_BYTES && chance(2))
            row->sum[op] /= 2; /* a time that went backwards */
    }
}

static void add_zero(int64_t sid, enum target_kind kind,
                     const struct counting_server *server, int64_t t_ms)
{
    static const struct counting_server nothing;
    struct jobrow row = { .server = span_of(server->name),
                          .t_ms = t_ms,
                          .since_ms = T_NONE,
                          .previous_ms = T_NONE,
                          .reset = RESET_YES,
                          .snapshot_ns = T_NONE,
                          .start_ns = T_NONE };
    counters_out(&nothing, kind, &row);
    rows_add(rows, sid, &row);
}

static void add_reading(int64_t sid, enum target_kind kind, bool is_flat,
                        struct counting_server *server, int64_t t_ms)
{
    bool restarts = chance(5);
    if (restarts)
        memset(server->counted, 0, sizeof server->counted);
    if (restarts && chance(50))
        server->start_ns = (t_ms - (int64_t)draw(100000)) * NS_PER_MS;
    work(server, kind);
    struct jobrow row = { .server = span_of(server->name),
                          .t_ms = t_ms,
                          .since_ms = T_NONE,
                          .previous_ms = server->last_ms,
                          .reset = restarts && chance(80) ? RESET_YES : RESET_NO,
                          .snapshot_ns = 1,
                          .start_ns = server->start_ns };
    if (server->last_ms != T_NONE)
        row.since_ms =
            server->last_ms + (chance(30) ? (t_ms - server->last_ms) / 2 : 0);
    if (is_flat) {
        row.previous_ms = row.since_ms = T_NONE;
        row.reset = RESET_UNKNOWN;
    }
    server->last_ms = t_ms;
    counters_out(server, kind, &row);
    if (!chance(5)) /* lost */
        rows_add(rows, sid, &row);
}

static void play_series(int64_t sid, enum target_kind kind)
{
    struct counting_server servers[3] = { { .name = "oss01" },
                                          { .name = "oss02" },
                                          { .name = "oss03" } };
    bool is_flat = chance(15);
    size_t serving = draw(3);
    int64_t phase_ms = chance(30) ? 0 : (int64_t)draw(120000);
    int64_t t_ms = T0 + (int64_t)draw(30) * ROLLUP_HOUR_MS + phase_ms;
    for (size_t i = 0; i < COUNT_OF(servers); i++)
        servers[i].last_ms = servers[i].start_ns = T_NONE;
    while (t_ms < T0 + HOURS * ROLLUP_HOUR_MS) {
        if (chance(3)) {
            serving = draw(3);
            if (chance(70))
                add_zero(sid, kind, &servers[serving], t_ms - 1000);
        }
        /* Sometimes two servers count at once. */
        size_t by = chance(4) ? draw(3) : serving;
        add_reading(sid, kind, is_flat, &servers[by], t_ms);
        t_ms += MINUTE_MS * (int64_t)(chance(80) ? 2 : 2 + draw(30));
        if (chance(2))
            t_ms += (int64_t)draw(chance(20) ? 110 : 6) * ROLLUP_HOUR_MS;
    }
}

static void play(uint64_t seed)
{
    static const char *const jobs[] = { "7", "8", "9", "10" };
    static const char *const targets[TARGET_KIND_COUNT][3] = {
        [TARGET_MDT] = { "scratch-MDT0000", "scratch-MDT0001", "scratch-MDT0002" },
        [TARGET_OST] = { "scratch-OST0000", "scratch-OST0001", "scratch-OST0002" },
    };
    static const char *const nodes[] = { "r01c01", "r01c02" };
    rows->series_count = rows->row_count = 0;
    random_state = seed * 7919 + 1;
    for (int64_t sid = 1; sid <= 10; sid++) {
        enum target_kind kind = chance(30) ? TARGET_MDT : TARGET_OST;
        (void)rows_add_series(rows, kind, targets[kind][draw(3)], jobs[draw(4)],
                              draw(2) ? "1001" : "bob", nodes[draw(2)]);
        play_series(sid, kind);
    }
}

/* ---- making and asking ---- */

static void make_hours(int first, int count)
{
    struct err err = { 0 };
    int64_t from_ms = T0 + first * ROLLUP_HOUR_MS;
    for (enum target_kind kind = 0; kind < TARGET_KIND_COUNT; kind++) {
        making = kind;
        assert_int_equal(rollup_make(&history, kind, from_ms,
                                     from_ms + count * ROLLUP_HOUR_MS, keep_cell, NULL,
                                     &err),
                         0);
        for (int i = first; i < first + count; i++) {
            clean[kind][i] = true;
            changes[kind][i]++;
        }
    }
}

/* Readings of any length give the same cells. */
static void make_all(void)
{
    cell_count = 0;
    for (int hour = 0; hour < HOURS;) {
        int count = 1 + (int)draw(7);
        count = count < HOURS - hour ? count : HOURS - hour;
        make_hours(hour, count);
        hour += count;
    }
}

struct question {
    const char *pairs;
    bool is_top;
};

static void ask(const struct question *question, int64_t from_ms, int64_t to_ms,
                struct strbuf *out)
{
    struct err err = { 0 };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    struct query_ctx ctx = { .history = &history, .live = live, .cells = cache };
    table_init(&table);
    selection_init(&sel, to_ms);
    sel.from_ms = from_ms;
    sel.to_ms = to_ms;
    struct span rest = span_of(question->pairs), pair, name;
    while (rest.size) {
        (void)span_cut(&rest, ' ', &pair);
        (void)span_cut(&pair, '=', &name);
        if (selection_set(&sel, name, pair, &err) < 0)
            fail_msg("%s: %s", question->pairs, err.text);
    }
    int rc = question->is_top ? query_top(&ctx, &sel, &table, &err)
                              : query_rates(&ctx, &sel, &table, &err);
    if (rc < 0)
        fail_msg("%s: %s", question->pairs, err.text);
    strbuf_clear(out);
    table_to_json(&table, out);
}

static void ask_page(int64_t from_ms, int64_t to_ms, struct strbuf *out)
{
    struct err err = { 0 };
    AUTO(selection_done) struct selection sel;
    struct table parts[QUERY_JOB_PART_COUNT];
    struct query_ctx ctx = { .history = &history };
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
    selection_init(&sel, to_ms);
    if (from_ms)
        sel.from_ms = from_ms;
    assert_int_equal(selection_set(&sel, SPAN("job"), SPAN("7"), &err), 0);
    int rc = query_job(&ctx, &sel, parts, &err);
    strbuf_clear(out);
    if (rc < 0)
        strbuf_adds(out, err.text);
    else
        query_job_to_json(parts, out);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
}

/* But for the note's word of where it was read. */
static void expect_same(uint64_t seed, const char *what, const struct strbuf *with,
                        const struct strbuf *without)
{
    static const char word[] = ", read from memory";
    const char *a = strbuf_text(with), *b = strbuf_text(without);
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    if (live && !strncmp(a + same, word, strlen(word))) {
        a += same + strlen(word);
        b += same;
        for (same = 0; a[same] && a[same] == b[same];)
            same++;
    }
    if (a[same] == b[same])
        return;
    same -= same < 100 ? same : 100;
    fail_msg("seed %llu, %s:\nwith    %.200s\nwithout %.200s", (unsigned long long)seed,
             what, a + same, b + same);
}

static const struct question questions[] = {
    { "op=write_bytes,punch,metadata", true },
    { "by=user,server", true },
    { "by=target op=open_usecs,mkdir,iops", true },
    { "by=job server=oss02", true },
    { "by=node target=*OST0001 user=1001", true },
    { "by=op", false },
    { "by=user step=1h", false },
    { "by=server,job op=all", false },
    { "op=read_bytes step=3h job=8", false },
    { "density=yes op=write_bytes step=5h", false },
};

static void ask_both(uint64_t seed, int64_t from_ms, int64_t to_ms)
{
    AUTO(strbuf_done) struct strbuf with = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf without = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(questions); i++) {
        ask(&questions[i], from_ms, to_ms, &with);
        history.read_hours = NULL;
        ask(&questions[i], from_ms, to_ms, &without);
        history.read_hours = read_hours;
        expect_same(seed, questions[i].pairs, &with, &without);
    }
    for (int whole = 0; whole < 2; whole++) {
        ask_page(whole ? 0 : from_ms, to_ms, &with);
        history.read_hours = NULL;
        ask_page(whole ? 0 : from_ms, to_ms, &without);
        history.read_hours = read_hours;
        expect_same(seed, "the job's page", &with, &without);
    }
}

static void an_answer_is_the_same_with_cells_and_without(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        play(seed);
        make_all();
        /* Some hours are not clean; their neighbours still are. */
        for (int i = 0; i < HOURS; i++)
            for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
                clean[kind][i] = seed % 3 == 0 || !chance(6);
        for (int i = 0; i < 3; i++) {
            int64_t from_ms = T0 + (int64_t)draw(120) * ROLLUP_HOUR_MS;
            int64_t to_ms = from_ms + (int64_t)(10 + draw(30)) * ROLLUP_HOUR_MS;
            if (i > 0) {
                from_ms += (int64_t)draw(3600000);
                to_ms += (int64_t)draw(3600000);
            }
            ask_both(seed, from_ms, to_ms);
        }
    }
    assert_true(cells_read > 1000);
}

/* ---- with hours and the newest rows in memory ---- */

static int64_t end_of_all_ms(void)
{
    return T0 + HOURS * ROLLUP_HOUR_MS;
}

static void fill_memory(struct live **ret, int64_t window_ms)
{
    const struct live_opts opts = { .window_ms = window_ms, .now_ms = end_of_all_ms };
    struct err err = { 0 };
    assert_int_equal(live_new(&opts, ret), 0);
    assert_int_equal(live_warm(*ret, &history, end_of_all_ms(), &err), 0);
}

static void ask_with_memory(uint64_t seed, struct live *newest,
                            struct cell_cache *hours, int64_t from_ms, int64_t to_ms)
{
    AUTO(strbuf_done) struct strbuf with = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf without = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(questions); i++) {
        ask(&questions[i], from_ms, to_ms, &without);
        live = newest;
        cache = hours;
        ask(&questions[i], from_ms, to_ms, &with);
        expect_same(seed, questions[i].pairs, &with, &without);
        live = NULL;
        cache = NULL;
    }
}

static void ask_windows(uint64_t seed, struct live *newest, struct cell_cache *hours)
{
    for (int i = 0; i < 4; i++) {
        int64_t to_ms = end_of_all_ms() - (i < 2 ? 0 : (int64_t)draw(40000000));
        int64_t from_ms = to_ms - (int64_t)(8 + draw(120)) * ROLLUP_HOUR_MS;
        if (i == 3)
            from_ms += (int64_t)draw(3600000);
        ask_with_memory(seed, newest, hours, from_ms, to_ms);
    }
}

/* Some hours are made again, with other cells. */
static void make_hours_again(void)
{
    for (int i = 0; i < 40 && cell_count > 0; i++) {
        struct kept_cell *kept = &cells[draw(cell_count)];
        for (int op = 0; op < OP_COUNT; op++)
            kept->cell.sum[op] += kept->cell.sum[op] / 3;
        changes[kept->kind][(kept->cell.hour_ms - T0) / ROLLUP_HOUR_MS]++;
    }
}

static void an_answer_is_the_same_out_of_memory(void **state)
{
    (void)state;
    struct cell_cache_stats stats;
    AUTO(cell_cache_free) struct cell_cache *large = NULL;
    AUTO(cell_cache_free) struct cell_cache *small = NULL;
    assert_int_equal(cell_cache_new(64 << 20, &large), 0);
    assert_int_equal(cell_cache_new(100000, &small), 0);
    for (uint64_t seed = 11; seed <= 17; seed++) {
        AUTO(live_free) struct live *newest = NULL;
        play(seed);
        make_all();
        for (int i = 0; i < HOURS; i++)
            for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
                clean[kind][i] = i < HOURS - 2 && (seed % 3 == 0 || !chance(4));
        fill_memory(&newest, (int64_t)(2 + draw(24)) * ROLLUP_HOUR_MS);
        ask_windows(seed, seed % 2 ? newest : NULL, seed % 3 ? large : small);
        make_hours_again(); /* memory of rows knows nothing of that */
        ask_windows(seed, NULL, large);
        cell_cache_forget(large);
        cell_cache_forget(small);
        cell_cache_get_stats(small, &stats);
        assert_int_equal(stats.bytes, 0);
    }
    cell_cache_get_stats(large, &stats);
    assert_true(stats.hits > stats.misses);
}

/* Of the next reading: no rows at all, and no cells, of what memory has. */
static void hours_and_rows_in_memory_are_not_read_again(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(cell_cache_free) struct cell_cache *hours = NULL;
    AUTO(live_free) struct live *newest = NULL;
    static const struct question question = { "by=target step=1h", false };
    play(1);
    make_all();
    for (enum target_kind kind = 0; kind < TARGET_KIND_COUNT; kind++)
        clean[kind][HOURS - 1] = false;
    assert_int_equal(cell_cache_new(64 << 20, &hours), 0);
    fill_memory(&newest, 5 * ROLLUP_HOUR_MS);
    live = newest;
    cache = hours;
    for (int i = 0; i < 2; i++) {
        cells_read = rows_read = 0;
        ask(&question, T0 + 20 * ROLLUP_HOUR_MS, end_of_all_ms(), &out);
        if (i > 0) /* then there were series to be read again */
            assert_int_equal(rows_read, 0);
        assert_true(i == 0 ? cells_read > 0 : cells_read == 0);
    }
    cell_cache_forget(hours);
    ask(&question, T0 + 20 * ROLLUP_HOUR_MS, end_of_all_ms(), &out);
    assert_true(cells_read > 0);
    live = NULL;
    cache = NULL;
}

/* ---- sums alone ---- */

static int compare_groups(const void *a, const void *b, void *arg)
{
    const struct accumulator_group *const *x = a, *const *y = b;
    const struct accumulator *sums = arg;
    int order = 0;
    for (size_t k = 0; k < sums->sel->by_count && !order; k++) {
        struct span s = accumulator_text(sums, (*x)->key[k]);
        struct span t = accumulator_text(sums, (*y)->key[k]);
        order = (s.size > t.size) - (s.size < t.size);
        if (!order && s.size)
            order = memcmp(s.data, t.data, s.size);
    }
    return order;
}

static void print_group(const struct accumulator *sums,
                        const struct accumulator_group *g, struct strbuf *out)
{
    size_t sum_count = sums->step_count * sums->sel->measure_count;
    accumulator_sum all = 0;
    for (size_t k = 0; k < sum_count; k++)
        all += g->sums[k];
    if (all == 0)
        return; /* what is not known is in no sum, and may make no group */
    for (size_t k = 0; k < sums->sel->by_count; k++) {
        strbuf_add_span(out, accumulator_text(sums, g->key[k]));
        strbuf_addc(out, ' ');
    }
    for (size_t k = 0; k < sum_count; k++)
        strbuf_addf(out, "%llu ", (unsigned long long)g->sums[k]);
    strbuf_addc(out, '\n');
}

static void print_sums(struct accumulator *sums, struct strbuf *out)
{
    if (sums->group_count > 1)
        qsort_r(sums->groups, sums->group_count, sizeof(struct accumulator_group *),
                compare_groups, sums);
    for (size_t i = 0; i < sums->group_count; i++)
        print_group(sums, sums->groups[i], out);
}

static void ask_sums(const char *by, const char *measures, int64_t step_ms,
                     bool is_sums, struct strbuf *out)
{
    struct err err = { 0 };
    static const struct selection_defaults defaults = { .ops = "write_bytes",
                                                        .by = "" };
    AUTO(selection_done) struct selection sel;
    AUTO(accumulator_free) struct accumulator *sums = NULL;
    const struct query_ctx ctx = { .history = &history, .live = live, .cells = cache };
    selection_init(&sel, end_of_all_ms());
    sel.from_ms = T0 + 170 * ROLLUP_HOUR_MS - step_ms / 3;
    sel.to_ms = end_of_all_ms();
    sel.step_ms = step_ms;
    sel.is_sums = is_sums;
    assert_int_equal(selection_set(&sel, SPAN("by"), span_of(by), &err), 0);
    assert_int_equal(selection_set(&sel, SPAN("op"), span_of(measures), &err), 0);
    assert_int_equal(selection_settle(&sel, &defaults, T_NONE, &err), 0);
    assert_int_equal(query_sums(&ctx, &sel, &sums, &err), 0);
    strbuf_clear(out);
    print_sums(sums, out);
}

static void sums_alone_are_the_same_sums(void **state)
{
    (void)state;
    static const char *const by[] = { "", "target", "job,user", "server,fs" };
    static const char *const measures[] = { "write_bytes", "metadata,iops",
                                            "read_bytes,open" };
    static const int64_t steps_ms[] = { 60000, 130000, 7 * 60000, 3600000, 5400000 };
    AUTO(strbuf_done) struct strbuf plain = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf alone = STRBUF_INIT;
    for (uint64_t seed = 21; seed <= 23; seed++) {
        AUTO(live_free) struct live *newest = NULL;
        play(seed);
        make_all();
        fill_memory(&newest, 40 * ROLLUP_HOUR_MS);
        for (size_t i = 0; i < COUNT_OF(by) * COUNT_OF(measures) * COUNT_OF(steps_ms);
             i++) {
            const char *b = by[i % 4], *o = measures[i / 4 % 3];
            live = NULL;
            ask_sums(b, o, steps_ms[i / 12], false, &plain);
            ask_sums(b, o, steps_ms[i / 12], true, &alone);
            expect_same(seed, b, &alone, &plain);
            live = newest;
            ask_sums(b, o, steps_ms[i / 12], false, &plain);
            ask_sums(b, o, steps_ms[i / 12], true, &alone);
            live = NULL;
            assert_true(alone.size > 0);
            expect_same(seed, b, &alone, &plain);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_answer_is_the_same_out_of_memory, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(hours_and_rows_in_memory_are_not_read_again,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(sums_alone_are_the_same_sums, setup, teardown),
        cmocka_unit_test_setup_teardown(an_answer_is_the_same_with_cells_and_without,
                                        setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
