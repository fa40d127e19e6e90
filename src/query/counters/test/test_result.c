/* SPDX-License-Identifier: Apache-2.0 */
/* test_result - sums by group and window as tables, with what a reader must know.
 *
 * Reference values are computed by hand beside each case.
 */
#include "base/span.h"
#include "base/test/testing.h"
#include "query/counters/counters.h"

#include <stdio.h>

#define T0_MS INT64_C(1669010400000) /* 2022-11-21T06:00:00Z */
#define S(seconds) ((seconds)*INT64_C(1000))

struct fed {
    const char *job, *user;
    int64_t since_s, t_s; /* after T0 */
    uint64_t bytes;
    unsigned flags;
};

static const struct selection_defaults defaults = {
    .ops = "write_bytes", .by = "job", .last_ms = S(100), .lookback_ms = S(1000)
};

static void words_set(struct selection *sel, const char *words)
{
    struct span rest = span_of(words), word, name;
    struct err err = { 0 };
    selection_init(sel, T0_MS + S(100));
    while (rest.size) {
        (void)span_cut(&rest, ' ', &word);
        (void)span_cut(&word, '=', &name);
        if (selection_set(sel, name, word, &err) < 0)
            fail_msg("%s: %s", words, err.text);
    }
    if (selection_settle(sel, &defaults, T_NONE, &err) < 0)
        fail_msg("%s: %s", words, err.text);
}

/* The window is T0 .. T0 + 100 s, in steps of 10 s where cut. */
static struct accumulator *accumulate(const struct selection *sel,
                                      const struct fed *fed, size_t count)
{
    struct accumulator *a = NULL;
    struct err err = { 0 };
    assert_int_equal(accumulator_new(sel, &a, &err), 0);
    for (size_t i = 0; i < count; i++) {
        const struct series series = { .sid = (int64_t)i + 1,
                                       .target = SPAN("scratch-OST0001"),
                                       .kind = TARGET_OST,
                                       .job = span_of(fed[i].job),
                                       .user = span_of(fed[i].user) };
        struct increment inc = { .since_ms = T0_MS + S(fed[i].since_s),
                                 .t_ms = T0_MS + S(fed[i].t_s),
                                 .flags = fed[i].flags };
        inc.has_sum = UINT64_C(1) << OP_WRITE_BYTES;
        inc.sum[OP_WRITE_BYTES] = fed[i].bytes;
        accumulator_series(a, &series);
        accumulator_server(a, SPAN("oss01"));
        accumulator_add(a, &inc);
    }
    assert_int_equal(accumulator_finish(a, &err), 0);
    return a;
}

static const struct table_cell *cell(const struct table *table, size_t row,
                                     const char *column)
{
    int index = table_find_column(table, column);
    if (index < 0 || row >= table->row_count)
        fail_msg("%s: column %d, %zu rows", column, index, table->row_count);
    return table_at(table, row, (size_t)index);
}

static bool has_note(const struct table *table, const char *text)
{
    bool is_there = false;
    for (size_t i = 0; i < table->note_count; i++)
        is_there = is_there || strstr(table->notes[i], text);
    return is_there;
}

/* 6000 + 3000 + 1000 bytes in 100 s: 60, 30 and 10 bytes/s, 60, 30 and 10 %. */
static void top_ranks_by_share(void **state)
{
    static const struct fed fed[] = {
        { "2", "bob", 0, 100, 3000, 0 },
        { "1", "alice", 0, 100, 6000, 0 },
        { "3", "bob", 90, 100, 1000, 0 },
    };
    static const struct {
        const char *job, *user;
        double rate, share;
    } want[] = { { "1", "alice", 60, 60 },
                 { "2", "bob", 30, 30 },
                 { "3", "bob", 10, 10 } };
    const struct result_extent extent = { T0_MS, T0_MS + S(100), false };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    (void)state;
    words_set(&sel, "");
    selection_cut(&sel, 10);
    AUTO(accumulator_free) struct accumulator *a = accumulate(&sel, fed, COUNT_OF(fed));
    table_init(&table);
    assert_int_equal(result_top(a, &extent, &table), 0);
    assert_int_equal(table.row_count, 3);
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        assert_string_equal(cell(&table, i, "job")->text, want[i].job);
        assert_string_equal(cell(&table, i, "user")->text, want[i].user);
        assert_true(cell(&table, i, "write_bytes_rate")->dbl == want[i].rate);
        assert_true(cell(&table, i, "share")->dbl == want[i].share);
        assert_string_equal(cell(&table, i, "share_of")->text, "write_bytes");
    }
    /* evenly over ten steps, and in the last one alone */
    assert_string_equal(cell(&table, 0, "trend")->text, "8888888888");
    assert_string_equal(cell(&table, 2, "trend")->text, "0000000008");
    assert_int_equal(cell(&table, 2, "since")->i64, T0_MS + S(90));
}

static void equal_shares_are_in_the_order_of_their_names(void **state)
{
    static const struct fed fed[] = {
        { "b", "u", 0, 100, 500, 0 },
        { "a", "u", 0, 100, 500, 0 },
        { "ab", "u", 0, 100, 500, 0 },
    };
    const struct result_extent extent = { T0_MS, T0_MS + S(100), false };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    (void)state;
    words_set(&sel, "limit=2");
    AUTO(accumulator_free) struct accumulator *a = accumulate(&sel, fed, COUNT_OF(fed));
    table_init(&table);
    assert_int_equal(result_top(a, &extent, &table), 0);
    assert_int_equal(table.row_count, 2);
    assert_string_equal(cell(&table, 0, "job")->text, "a");
    assert_string_equal(cell(&table, 1, "job")->text, "ab");
    assert_true(has_note(&table, "2 of 3 shown; a higher limit shows more"));
}

/* 1000 bytes over 20 .. 70 s: steps of 50 s have 600 and 400, 12 and 8 bytes/s. */
static void rates_apportion_an_increment_to_its_steps(void **state)
{
    static const struct fed fed[] = { { "1", "alice", 20, 70, 1000, 0 } };
    const struct result_extent extent = { T0_MS, T0_MS + S(100), false };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    (void)state;
    words_set(&sel, "by= step=50s");
    AUTO(accumulator_free) struct accumulator *a = accumulate(&sel, fed, COUNT_OF(fed));
    table_init(&table);
    assert_int_equal(result_rates(a, &extent, &table), 0);
    assert_int_equal(table.row_count, 2);
    assert_int_equal(cell(&table, 0, "from")->i64, T0_MS);
    assert_int_equal(cell(&table, 0, "to")->i64, T0_MS + S(50));
    assert_int_equal(cell(&table, 0, "write_bytes")->u64, 600);
    assert_int_equal(cell(&table, 1, "write_bytes")->u64, 400);
    assert_true(cell(&table, 0, "write_bytes_rate")->dbl == 12);
    assert_true(cell(&table, 1, "write_bytes_rate")->dbl == 8);
}

/* 5 and 30 bytes/s are decades 1 .. 10 and 10 .. 100. */
static void densities_count_groups_by_decade(void **state)
{
    static const struct fed fed[] = {
        { "1", "u", 0, 100, 500, 0 },
        { "2", "u", 0, 100, 3000, 0 },
        { "3", "u", 0, 100, 4000, 0 },
    };
    const struct result_extent extent = { T0_MS, T0_MS + S(100), false };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    (void)state;
    words_set(&sel, "density=yes");
    AUTO(accumulator_free) struct accumulator *a = accumulate(&sel, fed, COUNT_OF(fed));
    table_init(&table);
    assert_int_equal(result_rates(a, &extent, &table), 0);
    assert_int_equal(table.row_count, 2);
    assert_true(cell(&table, 0, "rate_from")->dbl == 1);
    assert_int_equal(cell(&table, 0, "groups")->u64, 1);
    assert_int_equal(cell(&table, 0, "write_bytes")->u64, 500);
    assert_true(cell(&table, 1, "rate_to")->dbl == 100);
    assert_int_equal(cell(&table, 1, "groups")->u64, 2);
    assert_int_equal(cell(&table, 1, "write_bytes")->u64, 7000);
}

static void totals_beyond_64_bits_are_the_greatest_number(void **state)
{
    static const struct fed fed[] = {
        { "1", "u", 0, 100, UINT64_MAX, 0 },
        { "1", "u", 0, 100, 5, 0 },
    };
    const struct result_extent extent = { T0_MS, T0_MS + S(100), false };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    (void)state;
    words_set(&sel, "");
    AUTO(accumulator_free) struct accumulator *a = accumulate(&sel, fed, COUNT_OF(fed));
    table_init(&table);
    assert_int_equal(result_rates(a, &extent, &table), 0);
    assert_true(cell(&table, 0, "write_bytes")->u64 == UINT64_MAX);
    assert_true(cell(&table, 0, "write_bytes_at_most")->is_null);
    assert_true(has_note(&table, "1 totals are more than 64 bits hold"));
    assert_true(result_total((accumulator_sum)UINT64_MAX + 1) == UINT64_MAX);
    assert_true(result_total(7) == 7);
}

static void notes_say_what_was_guessed_and_what_is_old(void **state)
{
    static const struct fed fed[] = {
        { "1", "u", 0, 100, 10, INCREMENT_DECREASED },
        { "2", "u", 0, 100, 10, INCREMENT_DECREASED | INCREMENT_HIDDEN_RESET },
    };
    static const struct {
        struct result_extent extent;
        const char *want;
    } cases[] = {
        { { T0_MS, T0_MS + S(100), true }, "read from memory" },
        { { T0_MS, T0_MS + S(100), false }, "2 readings went backwards" },
        { { T0_MS, T0_MS + S(100), false }, "1 resets were found by start time" },
        { { T0_MS, T0_MS + S(60), false }, "the newest observation is of 2022-11-21" },
        { { T_NONE, T_NONE, false }, "nothing was ever observed" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        AUTO(table_done) struct table table;
        words_set(&sel, "");
        AUTO(accumulator_free)
        struct accumulator *a = accumulate(&sel, fed, COUNT_OF(fed));
        table_init(&table);
        result_add_notes(a, &cases[i].extent, &table);
        if (!has_note(&table, cases[i].want))
            fail_msg("%zu: %s", i, table.note_count ? table.notes[0] : "none");
    }
}

static void a_name_that_entries_do_not_have_is_explained(void **state)
{
    static const struct fed fed[] = { { NULL, "u", 0, 100, 10, 0 } };
    const struct result_extent extent = { T0_MS, T0_MS + S(100), false };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    (void)state;
    words_set(&sel, "");
    AUTO(accumulator_free) struct accumulator *a = accumulate(&sel, fed, COUNT_OF(fed));
    table_init(&table);
    assert_int_equal(result_top(a, &extent, &table), 0);
    assert_true(cell(&table, 0, "job")->is_null);
    assert_true(has_note(&table, "a row without job"));
}

static void where_nothing_moved_the_table_says_so(void **state)
{
    const struct result_extent extent = { T0_MS, T0_MS + S(100), false };
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    (void)state;
    words_set(&sel, "");
    AUTO(accumulator_free) struct accumulator *a = accumulate(&sel, NULL, 0);
    table_init(&table);
    assert_int_equal(result_top(a, &extent, &table), 0);
    assert_int_equal(table.row_count, 0);
    assert_true(has_note(&table, "moved in this window"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_ranks_by_share),
        cmocka_unit_test(equal_shares_are_in_the_order_of_their_names),
        cmocka_unit_test(rates_apportion_an_increment_to_its_steps),
        cmocka_unit_test(densities_count_groups_by_decade),
        cmocka_unit_test(totals_beyond_64_bits_are_the_greatest_number),
        cmocka_unit_test(notes_say_what_was_guessed_and_what_is_old),
        cmocka_unit_test(a_name_that_entries_do_not_have_is_explained),
        cmocka_unit_test(where_nothing_moved_the_table_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
