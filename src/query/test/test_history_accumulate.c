/* SPDX-License-Identifier: Apache-2.0 */
/* test_history_accumulate - rows in, sums by group and window out: by hand and at
 * random. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/test/rows.h"

#include <stdlib.h>

#define S(seconds) ((seconds)*INT64_C(1000))
#define T0 S(INT64_C(1669010400)) /* 2022-11-21T06:00:00Z */

static struct rows *rows;
static struct history history;

static int setup(void **state)
{
    (void)state;
    rows = calloc(1, sizeof *rows);
    assert_non_null(rows);
    rows_history(rows, &history);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(rows);
    return 0;
}

static void put(int64_t sid, int64_t t_s, int64_t since_s, int64_t previous_s,
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
    rows_add(rows, sid, &row);
}

/* Ask with "name=value name=value ..."; the answer is a rates table. */
static void ask(const char *query, struct table *ret, bool is_top)
{
    static const struct selection_defaults defaults = { .ops = "write_bytes",
                                                        .by = "",
                                                        .last_ms = S(3600) };
    struct err err = { 0 };
    AUTO(selection_done) struct selection sel;
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    selection_init(&sel, T0 + S(7200));
    struct span rest = span_of(query), pair, name;
    while (rest.size) {
        (void)span_cut(&rest, ' ', &pair);
        (void)span_cut(&pair, '=', &name);
        if (selection_set(&sel, name, pair, &err) < 0)
            fail_msg("%s: %s", query, err.text);
    }
    if (selection_settle(&sel, &defaults, T_NONE, &err) < 0)
        fail_msg("%s: %s", query, err.text);
    assert_int_equal(accumulator_new(&sel, &accumulator, &err), 0);
    assert_int_equal(history_accumulate(&history, &sel, &accumulator, 1, &err), 0);
    assert_int_equal(accumulator_finish(accumulator, &err), 0);
    struct result_extent extent = { T0, T0 + S(7200), false };
    table_init(ret);
    assert_int_equal((is_top ? result_top : result_rates)(accumulator, &extent, ret),
                     0);
}

static uint64_t cell(const struct table *table, size_t row, const char *column)
{
    int i = table_find_column(table, column);
    if (i < 0 || row >= table->row_count)
        fail_msg("no column %s or no row %zu of %zu", column, row, table->row_count);
    const struct table_cell *c = table_at(table, row, (size_t)i);
    assert_false(c->is_null);
    return c->u64;
}

static bool has_note(const struct table *table, const char *words)
{
    for (size_t i = 0; i < table->note_count; i++)
        if (strstr(table->notes[i], words))
            return true;
    return false;
}

static void increments_are_cut_where_windows_are(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    put(1, 120, 0, -1, RESET_YES, 1200);   /* 10 a second from 0 to 120 */
    put(1, 240, 120, 120, RESET_NO, 1800); /* 5 a second */
    static const struct {
        const char *window;
        uint64_t want;
    } cases[] = {
        { "from=2022-11-21T06:00Z to=2022-11-21T06:04Z", 1800 },
        { "from=2022-11-21T06:00Z to=2022-11-21T06:01Z", 600 },
        { "from=2022-11-21T06:01Z to=2022-11-21T06:03Z", 900 },
        { "from=2022-11-21T06:03:59Z to=2022-11-21T06:10Z", 5 },
        { "from=2022-11-21T05:00Z to=2022-11-21T06:00:01Z", 10 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        ask(cases[i].window, &table, false);
        if (cell(&table, 0, "write_bytes") != cases[i].want)
            fail_msg("%s: %llu", cases[i].window,
                     (unsigned long long)cell(&table, 0, "write_bytes"));
        assert_int_equal(cell(&table, 0, "write_bytes_at_most"), cases[i].want);
    }
}

static uint64_t bytes_of(const char *window, const char *note)
{
    AUTO(table_done) struct table table;
    ask(window, &table, false);
    if (note && !has_note(&table, note))
        fail_msg("%s: no note of '%s'", window, note);
    return cell(&table, 0, "write_bytes");
}

static void a_first_reading_tells_of_all_hours_since_the_start(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    put(1, 4 * 3600, -1, -1, RESET_UNKNOWN, 4000);
    rows->rows[0].row.start_ns = T0 * NS_PER_MS;
    const char *guessed = "increments of more than five minutes";
    assert_int_equal(bytes_of("from=2022-11-21T08:00Z to=2022-11-21T10:00Z", guessed),
                     2000);
    assert_int_equal(bytes_of("from=2022-11-21T06:00Z to=2022-11-21T08:00Z", guessed),
                     2000);
    assert_int_equal(bytes_of("from=2022-11-21T06:30Z to=2022-11-21T06:39Z", guessed),
                     150);
    assert_int_equal(bytes_of("from=2022-11-21T06:00Z to=2022-11-21T10:00Z", NULL),
                     4000);
}

static void readings_lost_for_hours_are_spread_over_all_of_them(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    put(1, 120, 0, -1, RESET_YES, 1200);
    put(1, 120 + 4 * 3600, 4 * 3600, 4 * 3600, RESET_NO, 1200 + 1440);
    const char *guessed = "readings follow lost ones";
    assert_int_equal(bytes_of("from=2022-11-21T06:02Z to=2022-11-21T08:02Z", guessed),
                     720);
    assert_int_equal(bytes_of("from=2022-11-21T08:02Z to=2022-11-21T09:02Z", guessed),
                     360);
    assert_int_equal(bytes_of("from=2022-11-21T09:02Z to=2022-11-21T12:02Z", guessed),
                     360);
    assert_int_equal(bytes_of("from=2022-11-21T06:00Z to=2022-11-21T12:02Z", guessed),
                     2640);
}

static void a_gap_longer_than_two_days_counts_nothing_twice(void **state)
{
    (void)state;
    enum { DAY_S = 86400 };
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    put(1, 120, 0, -1, RESET_YES, 1000);
    put(1, 5 * DAY_S, 5 * DAY_S - 60, 5 * DAY_S - 60, RESET_NO, 1500);
    for (int i = 0; i < 2; i++)
        rows->rows[i].row.start_ns = T0 * NS_PER_MS;
    assert_int_equal(bytes_of("from=2022-11-21T06:00Z to=2022-11-27T06:00Z", NULL),
                     1500);
    uint64_t sum = 0;
    static const char *const windows[] = {
        "from=2022-11-21T06:00Z to=2022-11-21T06:20Z",
        "from=2022-11-21T06:20Z to=2022-11-23T06:20Z",
        "from=2022-11-23T06:20Z to=2022-11-25T23:20Z",
        "from=2022-11-25T23:20Z to=2022-11-27T06:00Z",
    };
    for (size_t i = 0; i < COUNT_OF(windows); i++)
        sum += bytes_of(windows[i], NULL);
    assert_int_equal(sum, 1500);
}

static void a_total_of_more_than_64_bits_is_at_least(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    rows_add_series(rows, TARGET_OST, "scratch-OST0002", "7", "1000", "n1");
    for (int sid = 1; sid <= 2; sid++)
        put(sid, 120, 0, -1, RESET_YES, UINT64_MAX - 7);
    AUTO(table_done) struct table table;
    ask("from=2022-11-21T06:00Z to=2022-11-21T06:04Z", &table, false);
    assert_true(cell(&table, 0, "write_bytes") == UINT64_MAX);
    int most = table_find_column(&table, "write_bytes_at_most");
    assert_true(table_at(&table, 0, (size_t)most)->is_null);
    assert_true(has_note(&table, "1 totals are more than 64 bits hold"));
}

static void a_step_that_nobody_observed_has_no_numbers(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    put(1, 3600, 0, -1, RESET_YES, 3600);
    AUTO(table_done) struct table table;
    /* Observed is from 06:00 to 08:00, as ask() has it. */
    ask("from=2022-11-21T04:00Z to=2022-11-21T10:00Z step=1h", &table, false);
    assert_int_equal(table.row_count, 6);
    for (size_t i = 0; i < 6; i++) {
        bool is_observed = i == 2 || i == 3;
        for (size_t c = 2; c < table.column_count; c++)
            assert_int_equal(table_at(&table, i, c)->is_null, !is_observed);
    }
    assert_int_equal(cell(&table, 2, "write_bytes"), 3600);
    assert_int_equal(cell(&table, 3, "write_bytes"), 0);
    assert_true(has_note(&table, "4 of 6 steps were not observed"));
}

static void steps_have_rates_of_their_own(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    put(1, 120, 0, -1, RESET_YES, 1200);
    put(1, 240, 120, 120, RESET_NO, 1800);
    AUTO(table_done) struct table table;
    ask("from=2022-11-21T06:01Z to=2022-11-21T06:04:30Z step=1m", &table, false);
    assert_int_equal(table.row_count, 4);
    static const uint64_t want[] = { 600, 300, 300, 0 };
    int rate = table_find_column(&table, "write_bytes_rate");
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        assert_int_equal(cell(&table, i, "write_bytes"), want[i]);
        assert_true(table_at(&table, i, (size_t)rate)->dbl == (double)want[i] / 60);
    }
    assert_int_equal(cell(&table, 3, "to") - cell(&table, 3, "from"), 30000);
}

static void groups_are_ranked_and_counted(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    rows_add_series(rows, TARGET_OST, "scratch-OST0002", "7", "1000", "n2");
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "8", "1001", "n1");
    put(1, 7200, 7080, -1, RESET_YES, 100);
    put(2, 7200, 7080, -1, RESET_YES, 200);
    put(3, 7200, 7080, -1, RESET_YES, 700);
    AUTO(table_done) struct table table;
    ask("by=job op=write_bytes last=10m", &table, true);
    assert_int_equal(table.row_count, 2);
    assert_string_equal(table_at(&table, 0, 0)->text, "8");
    assert_int_equal(cell(&table, 0, "write_bytes"), 700);
    assert_int_equal(cell(&table, 1, "write_bytes"), 300);
    assert_int_equal(cell(&table, 1, "targets"), 2);
    assert_int_equal(cell(&table, 1, "nodes"), 2);
    int share = table_find_column(&table, "share");
    assert_true(table_at(&table, 0, (size_t)share)->dbl == 70.0);
    int user = table_find_column(&table, "user");
    assert_string_equal(table_at(&table, 1, (size_t)user)->text, "1000");
}

/* Of many jobs with many steps; memory is charged while it grows. */
static void what_an_accumulator_holds_is_charged_and_given_back(void **state)
{
    (void)state;
    static const struct selection_defaults defaults = { .ops = "write_bytes",
                                                        .by = "job",
                                                        .last_ms = S(3600) };
    static const struct {
        uint64_t limit, share;
        uint64_t others; /* what the same sender holds besides */
        int want;
    } cases[] = {
        { 64 << 20, 0, 0, 0 },
        { 1 << 20, 0, 0, -EMSGSIZE },
        { 12 << 20, 4 << 20, 3 << 20, -EDQUOT },
    };
    char jobs[200][8];
    for (int64_t sid = 1; sid <= 200; sid++) {
        char *job = jobs[sid - 1];
        (void)snprintf(job, sizeof jobs[0], "%d", (int)sid);
        rows_add_series(rows, TARGET_OST, "scratch-OST0001", job, "1000", "n1");
        put(sid, 120, 0, -1, RESET_YES, 1200);
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        struct budget_account account;
        budget_account_init(&account, "questions", cases[i].limit);
        struct budget_hold hold = { .account = &account,
                                    .owner = 1,
                                    .share_bytes = cases[i].share };
        struct budget_hold other = hold;
        assert_int_equal(budget_hold_set(&other, cases[i].others), 0);
        AUTO(selection_done) struct selection sel;
        AUTO(accumulator_free) struct accumulator *accumulator = NULL;
        selection_init(&sel, T0 + S(7200));
        sel.hold = &hold;
        assert_int_equal(selection_set(&sel, SPAN("step"), SPAN("1s"), &err), 0);
        assert_int_equal(selection_set(&sel, SPAN("from"), SPAN("@1669010400"), &err),
                         0);
        assert_int_equal(selection_set(&sel, SPAN("to"), SPAN("@1669012400"), &err), 0);
        if (selection_settle(&sel, &defaults, T_NONE, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(accumulator_new(&sel, &accumulator, &err), 0);
        (void)history_accumulate(&history, &sel, &accumulator, 1, &err);
        int rc = accumulator_finish(accumulator, &err);
        if (rc != cases[i].want || hold.refused != cases[i].want)
            fail_msg("case %zu: got %d", i, rc);
        if (rc == 0) /* 200 jobs of 2000 sums of 16 bytes */
            assert_in_range(hold.bytes, 200 * 2000 * 16, 8 << 20);
        accumulator_free(accumulator);
        accumulator = NULL;
        assert_int_equal(hold.bytes, 0);
        assert_int_equal(account.used_bytes, cases[i].others);
        budget_hold_done(&other);
    }
}

/* However few groups there are: texts, and which of them a group has had, grow too. */
static void texts_of_one_group_are_charged(void **state)
{
    (void)state;
    static const struct selection_defaults defaults = { .ops = "write_bytes",
                                                        .by = "",
                                                        .last_ms = S(3600) };
    struct budget_account account;
    struct err err = { 0 };
    budget_account_init(&account, "questions", 2 << 20);
    struct budget_hold hold = { .account = &account, .owner = 1 };
    AUTO(selection_done) struct selection sel;
    AUTO(accumulator_free) struct accumulator *accumulator = NULL;
    selection_init(&sel, T0 + S(7200));
    sel.hold = &hold;
    if (selection_settle(&sel, &defaults, T_NONE, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(accumulator_new(&sel, &accumulator, &err), 0);
    struct increment inc = { .since_ms = T0 + S(7000), .t_ms = T0 + S(7060) };
    inc.has_sum = UINT64_C(1) << OP_WRITE_BYTES;
    inc.sum[OP_WRITE_BYTES] = 1;
    uint64_t charged = 0;
    int64_t sid;
    for (sid = 1; sid <= 30000; sid++) {
        char job[32];
        (void)snprintf(job, sizeof job, "job-%d", (int)sid);
        const struct series series = { .sid = sid,
                                       .kind = TARGET_OST,
                                       .target = SPAN("scratch-OST0001"),
                                       .job = span_of(job) };
        accumulator_series(accumulator, &series);
        accumulator_server(accumulator, SPAN("oss01"));
        accumulator_add(accumulator, &inc);
        if (sid == 3000) {
            charged = hold.bytes;
            assert_int_equal(hold.refused, 0);
        }
    }
    assert_int_equal(accumulator->group_count, 1);
    assert_in_range(charged, 256 << 10, 2 << 20);
    assert_int_equal(accumulator_finish(accumulator, &err), -EMSGSIZE);
    assert_in_range(accumulator->notes.series, 3000, 29999);
    accumulator_free(accumulator);
    accumulator = NULL;
    assert_int_equal(account.used_bytes, 0);
}

static void filters_choose_series(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    rows_add_series(rows, TARGET_OST, "scratch-OST0002", "7", "1000", "n2");
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "8", "1001", "n1");
    put(1, 7200, 7080, -1, RESET_YES, 1);
    put(2, 7200, 7080, -1, RESET_YES, 10);
    put(3, 7200, 7080, -1, RESET_YES, 100);
    static const struct {
        const char *filter;
        uint64_t want;
    } cases[] = {
        { "job=7", 11 },          { "target=*-OST0001", 101 }, { "user=1001", 100 },
        { "node=n2", 10 },        { "server=oss01", 111 },     { "fs=scratch", 111 },
        { "target=*1 job=7", 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_done) struct table table;
        ask(cases[i].filter, &table, false);
        if (cell(&table, 0, "write_bytes") != cases[i].want)
            fail_msg("%s", cases[i].filter);
    }
    AUTO(table_done) struct table table;
    ask("server=oss02", &table, false);
    assert_int_equal(table.row_count, 0);
}

static void what_is_not_known_is_said(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "8", "1000", "n1");
    put(1, 7000, -1, -1, RESET_NO, 500); /* nothing known before */
    put(1, 7120, 7000, 7000, RESET_NO, 600);
    put(2, 6400, 6280, -1, RESET_YES, 10);
    put(2, 7120, 7000, 7000, RESET_NO, 82); /* the row of 7000 is lost */
    AUTO(table_done) struct table table;
    ask("by=job from=2022-11-21T07:00Z to=2022-11-21T08:00Z", &table, false);
    assert_int_equal(cell(&table, 0, "write_bytes"), 100);
    assert_int_equal(cell(&table, 0, "write_bytes_at_most"), 600);
    assert_int_equal(cell(&table, 1, "write_bytes"), 82);
    assert_true(has_note(&table, "1 beginnings are not known"));
    assert_true(has_note(&table, "1 readings follow lost ones"));
}

static void a_lost_tail_has_no_upper_bound(void **state)
{
    (void)state;
    rows_add_series(rows, TARGET_OST, "scratch-OST0001", "7", "1000", "n1");
    put(1, 6400, 6280, -1, RESET_YES, 10);
    put(1, 7120, 7000, 6520, RESET_YES, 5);
    AUTO(table_done) struct table table;
    ask("job=7", &table, false);
    assert_int_equal(cell(&table, 0, "write_bytes"), 15);
    int i = table_find_column(&table, "write_bytes_at_most");
    assert_true(table_at(&table, 0, (size_t)i)->is_null);
    assert_true(has_note(&table, "lower bounds"));
}

static void densities_count_groups_by_decade(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        rows_add_series(rows, TARGET_OST, "scratch-OST0001",
                        (const char *[]){ "1", "2", "3", "4", "5" }[i], "1000", "n1");
    static const uint64_t per_hour[] = { 3600, 7200, 32400, 36000, 360000 };
    for (int i = 0; i < 5; i++)
        put(i + 1, 7200, 3600, -1, RESET_YES, per_hour[i]);
    AUTO(table_done) struct table table;
    ask("by=job density=yes last=1h", &table, false);
    assert_int_equal(table.row_count, 3);
    static const uint64_t want[] = { 3, 1, 1 }; /* 1..10, 10..100, 100..1000 a second */
    for (size_t i = 0; i < COUNT_OF(want); i++)
        assert_int_equal(cell(&table, i, "groups"), want[i]);
    assert_true(table_at(&table, 0, 2)->dbl == 1.0);
}

/* A generator of our own, so that a failure can be repeated. */
static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (random_state >> 33) % below;
}

static void fill_at_random(void)
{
    static const char *const jobs[] = { "1", "2", "3", "4" };
    for (int s = 0; s < 12; s++) {
        const struct series *series = rows_add_series(
            rows, s % 3 ? TARGET_OST : TARGET_MDT,
            s % 2 ? "scratch-OST0001" : "scratch-OST0002", jobs[draw(4)], "1000", "n1");
        int64_t t = (int64_t)draw(600), previous = -1;
        uint64_t bytes = 0;
        for (int i = 0; i < 60; i++) {
            int64_t since = t;
            t += 1 + (int64_t)draw(240);
            bool is_new = draw(10) == 0;
            bytes = (is_new ? 0 : bytes) + draw(UINT64_C(1) << draw(40));
            enum jobrow_reset reset = is_new || previous < 0 ? RESET_YES : RESET_NO;
            if (draw(20))
                put(series->sid, t, since, previous, reset, bytes);
            previous = t;
        }
    }
}

static void sums_of_windows_are_the_sum_of_the_whole(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        random_state = seed;
        memset(rows, 0, sizeof *rows);
        fill_at_random();
        char query[200];
        for (int i = 0; i < 10; i++) {
            int64_t from = (int64_t)draw(6000), to = from + 2 + (int64_t)draw(6000);
            int64_t cut = from + 1 + (int64_t)draw((uint64_t)(to - from - 1));
            uint64_t parts[4] = { 0 };
            const int64_t windows[3][2] = { { from, to }, { from, cut }, { cut, to } };
            for (int w = 0; w < 3; w++) {
                AUTO(table_done) struct table table;
                (void)snprintf(query, sizeof query, "from=@%lld to=@%lld fs=scratch",
                               (long long)(T0 / 1000 + windows[w][0]),
                               (long long)(T0 / 1000 + windows[w][1]));
                ask(query, &table, false);
                parts[w] = table.row_count ? cell(&table, 0, "write_bytes") : 0;
            }
            AUTO(table_done) struct table steps;
            (void)snprintf(query, sizeof query, "from=@%lld to=@%lld step=%llus by=job",
                           (long long)(T0 / 1000 + from), (long long)(T0 / 1000 + to),
                           (unsigned long long)(7 + draw(500)));
            ask(query, &steps, false);
            for (size_t r = 0; r < steps.row_count; r++)
                parts[3] += cell(&steps, r, "write_bytes");
            if (parts[0] != parts[1] + parts[2] || parts[0] != parts[3])
                fail_msg("seed %llu: %s: %llu, %llu + %llu, %llu",
                         (unsigned long long)seed, query, (unsigned long long)parts[0],
                         (unsigned long long)parts[1], (unsigned long long)parts[2],
                         (unsigned long long)parts[3]);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(increments_are_cut_where_windows_are),
        TEST(a_first_reading_tells_of_all_hours_since_the_start),
        TEST(readings_lost_for_hours_are_spread_over_all_of_them),
        TEST(a_gap_longer_than_two_days_counts_nothing_twice),
        TEST(a_total_of_more_than_64_bits_is_at_least),
        TEST(a_step_that_nobody_observed_has_no_numbers),
        TEST(steps_have_rates_of_their_own),
        TEST(groups_are_ranked_and_counted),
        TEST(what_an_accumulator_holds_is_charged_and_given_back),
        TEST(texts_of_one_group_are_charged),
        TEST(filters_choose_series),
        TEST(what_is_not_known_is_said),
        TEST(a_lost_tail_has_no_upper_bound),
        TEST(densities_count_groups_by_decade),
        TEST(sums_of_windows_are_the_sum_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
