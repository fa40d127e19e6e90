/* SPDX-License-Identifier: Apache-2.0 */
/* test_remount - a target that was mounted anew between two rounds, and what only looks
 * like it. */
#include "base/span.h"
#include "observe/test/rows.h"

static struct entry moved_at(const char *id, int64_t start_ns, uint64_t bytes,
                             int64_t moved_ms)
{
    struct entry entry = entry_of(id, start_ns, bytes, bytes);
    entry.snapshot_ns = S_NS(moved_ms);
    return entry;
}

static const struct got_row *row_of(const struct rows *rows, const char *id,
                                    bool is_zero)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->rows[i].id, id) == 0 && rows->rows[i].seen.is_zero == is_zero)
            return &rows->rows[i];
    return NULL;
}

enum want { GOES_ON, NEW_GENERATION, NOT_KNOWN };

#define BESIDE 6

struct mount_case {
    const char *name;
    struct entry first[BESIDE];  /* beside a */
    struct entry second[BESIDE]; /* without an id: is not there */
    enum want want;
};

/* "a" grows from 100 to 151; what else the dumps show decides. */
static void expect_of_a(const struct mount_case *c)
{
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry dump[BESIDE + 1] = { moved_at("a", T_NONE, 100, T0 - 30000) };
    size_t count = 1;
    for (size_t k = 0; k < BESIDE; k++)
        if (c->first[k].id.size)
            dump[count++] = c->first[k];
    round_of(target, T0, dump, count, &rows);
    dump[0] = moved_at("a", T_NONE, 151, T0 + MIN2 - 1000);
    count = 1;
    for (size_t k = 0; k < BESIDE; k++)
        if (c->second[k].id.size)
            dump[count++] = c->second[k];
    round_of(target, T0 + MIN2, dump, count, &rows);
    const struct got_row *a = row_of(&rows, "a", false);
    if (!a || a->seen.reset != (c->want == NEW_GENERATION) ||
        a->seen.is_doubtful != (c->want == NOT_KNOWN))
        fail_msg("%s: %s", c->name,
                 !a                    ? "no row"
                 : a->seen.reset       ? "a new generation"
                 : a->seen.is_doubtful ? "doubtful"
                                       : "goes on");
    /* What it follows was not seen: its old generation may have moved at last. */
    if (a->seen.previous_ms != (c->want == NEW_GENERATION ? T0 + 1 : T0))
        fail_msg("%s: previous", c->name);
}

static void who_fell_or_is_gone_too_soon_tells_of_a_mount(void **state)
{
    (void)state;
    const int64_t t1 = T0 + MIN2, long_ago = T0 - 9 * 60000, just = T0 - 30000;
    const int64_t s1 = S_NS(T0 - 3600000), s2 = S_NS(t1 - 30000);
    static const struct entry none = { .id = { 0 } };
    const struct mount_case cases[] = {
        { "one that moved just now is gone: it alone may have been cleared",
          { moved_at("b", T_NONE, 7, just) },
          { none },
          NOT_KNOWN },
        { "one that moved just now fell",
          { moved_at("b", T_NONE, 7, just) },
          { moved_at("b", T_NONE, 1, t1 - 9) },
          NOT_KNOWN },
        { "four are gone or fell",
          { moved_at("b", T_NONE, 7, just), moved_at("c", T_NONE, 7, just),
            moved_at("d", T_NONE, 7, just), moved_at("e", T_NONE, 7, just) },
          { moved_at("b", T_NONE, 1, t1 - 9), moved_at("c", T_NONE, 1, t1 - 9) },
          NEW_GENERATION },
        { "three are gone",
          { moved_at("b", T_NONE, 7, just), moved_at("c", T_NONE, 7, just),
            moved_at("d", T_NONE, 7, just) },
          { none },
          NOT_KNOWN },
        { "four fell, and of those that grew there are too many",
          { moved_at("b", T_NONE, 7, just), moved_at("c", T_NONE, 7, just),
            moved_at("d", T_NONE, 7, just), moved_at("e", T_NONE, 7, just),
            moved_at("f", T_NONE, 7, just), moved_at("g", T_NONE, 7, just) },
          { moved_at("b", T_NONE, 1, t1 - 9), moved_at("c", T_NONE, 1, t1 - 9),
            moved_at("d", T_NONE, 1, t1 - 9), moved_at("e", T_NONE, 1, t1 - 9),
            moved_at("f", T_NONE, 8, t1 - 9), moved_at("g", T_NONE, 8, t1 - 9) },
          NOT_KNOWN },
        { "one that was idle for long is gone",
          { moved_at("b", T_NONE, 7, long_ago) },
          { none },
          GOES_ON },
        { "one that was idle for long fell",
          { moved_at("b", T_NONE, 7, long_ago) },
          { moved_at("b", T_NONE, 1, t1 - 9) },
          GOES_ON },
        { "one is gone, another is as it was",
          { moved_at("b", T_NONE, 7, just), moved_at("c", T_NONE, 7, long_ago) },
          { moved_at("c", T_NONE, 7, long_ago) },
          GOES_ON },
        { "one is gone where another was removed: the dump may have left it out",
          { moved_at("b", T_NONE, 7, just), moved_at("c", T_NONE, 7, long_ago) },
          { none },
          NOT_KNOWN },
        { "one moved, and shows what it showed",
          { moved_at("b", T_NONE, 7, just) },
          { moved_at("b", T_NONE, 7, t1 - 9) },
          NOT_KNOWN },
        { "one has another start, too soon",
          { moved_at("b", s1, 7, just) },
          { moved_at("b", s2, 9, t1 - 9) },
          NOT_KNOWN },
        { "one has its start still",
          { moved_at("b", s1, 7, just) },
          { moved_at("b", s1, 9, t1 - 9) },
          GOES_ON },
        { "nothing else is there", { none }, { none }, GOES_ON },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_of_a(&cases[i]);
}

static void who_is_gone_with_a_mount_leaves_word_of_it(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, moved_at("a", T_NONE, 5, T0 - 1000), &rows);
    round_of(target, T0 + MIN2, NULL, 0, &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], T0 + MIN2, T0, T0 + 1, true, true);
    /* One alone may have been cleared: it is remembered, and is reported once. */
    assert_int_equal(observe_counts(o)->target_resets, 0);
    for (int k = 2; k < 14; k++) {
        round_of(target, T0 + k * MIN2, NULL, 0, &rows);
        assert_int_equal(rows.count, 0);
    }
    assert_int_equal(observe_generation_count(o), 0);
}

static void who_was_cleared_is_in_doubt_when_it_comes_back(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        bool want_reset, want_doubt;
    } cases[] = { { 9, false, true }, { 3, true, false } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(observe_free) struct observe *o = observe_of(MIN2);
        struct observe_target *target = list_one(o, T0);
        struct rows rows = { 0 };
        /* The idle one proves that there was no mount. */
        struct entry both[] = { idle_entry(), moved_at("a", T_NONE, 5, T0 - 1000) };
        round_of(target, T0, both, 2, &rows);
        round_of(target, T0 + MIN2, both, 1, &rows);
        assert_int_equal(rows.count, 0);
        both[1] = moved_at("a", T_NONE, cases[i].bytes, T0 + MIN2 + 1000);
        round_of(target, T0 + 2 * MIN2, both, 2, &rows);
        const struct got_row *a = row_of(&rows, "a", false);
        assert_int_equal(a->seen.reset, cases[i].want_reset);
        assert_int_equal(a->seen.is_doubtful, cases[i].want_doubt);
        /* What it did before it was cleared was not seen. */
        assert_int_equal(a->seen.previous_ms, cases[i].want_reset ? T0 + 1 : T0);
        both[1] = moved_at("a", T_NONE, cases[i].bytes + 1, T0 + 2 * MIN2 + 1000);
        round_of(target, T0 + 3 * MIN2, both, 2, &rows);
        a = row_of(&rows, "a", false);
        assert_false(a->seen.reset);
        assert_false(a->seen.is_doubtful);
    }
}

static void who_was_cleared_before_a_mount_is_told_of_with_it(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    static const char *const ids[] = { "b", "c", "d", "e", "f" };
    struct entry dump[7] = { idle_entry(), moved_at("a", T_NONE, 5, T0 - 1000) };
    round_of(target, T0, dump, 2, &rows);
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        dump[1 + i] = moved_at(ids[i], T_NONE, 5, T0 + MIN2 - 1000);
    round_of(target, T0 + MIN2, dump, 6, &rows); /* a is gone, idle proves no mount */
    assert_null(row_of(&rows, "a", true));
    round_of(target, T0 + 2 * MIN2, NULL, 0, &rows);
    assert_int_equal(observe_counts(o)->target_resets, 1);
    assert_row(row_of(&rows, "a", true), T0 + 2 * MIN2, T0, T0 + 1, true, true);
    assert_int_equal(observe_generation_count(o), 0);
}

static void who_was_cleared_and_stays_away_is_told_of_when_it_is_forgotten(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry both[] = { idle_entry(), moved_at("a", T_NONE, 5, T0 - 1000) };
    round_of(target, T0, both, 2, &rows);
    for (int k = 1; k <= 9; k++) {
        round_of(target, T0 + k * MIN2, both, 1, &rows);
        assert_int_equal(rows.count, 0);
    }
    round_of(target, T0 + 10 * MIN2, both, 1, &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], T0 + 10 * MIN2, T0, T0 + 1, true, true);
    assert_int_equal(observe_generation_count(o), 1);
}

static void a_line_that_was_not_understood_may_have_been_the_one_that_is_missing(
    void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry both[] = { moved_at("a", T_NONE, 5, T0 - 1000),
                            moved_at("b", T_NONE, 5, T0 - 1000) };
    round_of(target, T0, both, 2, &rows);
    both[0] = moved_at("a", T_NONE, 9, T0 + 1000);
    rows.count = 0;
    assert_int_equal(observe_round_begin(target, T0 + MIN2, rows_add, &rows), 0);
    assert_int_equal(observe_entry(target, &both[0]), 0);
    observe_entry_lost(target);
    assert_int_equal(observe_round_end(target), 0);
    assert_int_equal(rows.count, 1);
    assert_false(rows.rows[0].seen.reset);
    assert_true(rows.rows[0].seen.is_doubtful);
    assert_int_equal(observe_generation_count(o), 2);
}

/* Of a dump in which fell_count of five fell, and which broke off before the last. */
static void half_a_dump(size_t fell_count, enum want want)
{
    static const char *const ids[] = { "a", "b", "c", "d", "e" };
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry dump[COUNT_OF(ids)];
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        dump[i] = moved_at(ids[i], T_NONE, 5, T0 - 1000);
    round_of(target, T0, dump, COUNT_OF(ids), &rows);
    rows.count = 0;
    assert_int_equal(observe_round_begin(target, T0 + MIN2, rows_add, &rows), 0);
    for (size_t i = 0; i < fell_count; i++) {
        struct entry fell = moved_at(ids[i], T_NONE, 1, T0 + 1000);
        assert_int_equal(observe_entry(target, &fell), 0);
    }
    assert_int_equal(observe_round_cut(target), 0);
    assert_true(rows.rows[0].seen.reset);
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        dump[i] = moved_at(ids[i], T_NONE, 6, T0 + MIN2 + 1000);
    round_of(target, T0 + 2 * MIN2, dump, COUNT_OF(ids), &rows);
    assert_false(row_of(&rows, "a", false)->seen.reset);
    const struct got_row *last = row_of(&rows, "e", false);
    assert_int_equal(last->seen.reset, want == NEW_GENERATION);
    assert_int_equal(last->seen.is_doubtful, want == NOT_KNOWN);
}

static void half_a_dump_that_shows_a_mount_makes_the_rest_new(void **state)
{
    (void)state;
    half_a_dump(4, NEW_GENERATION);
    half_a_dump(1, NOT_KNOWN);
}

static void more_entries_than_may_wait_are_looked_at(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    AUTO_FREE struct rows *rows = calloc(1, sizeof *rows);
    AUTO_FREE char *hist = calloc(1, 1 << 20);
    assert_non_null(rows);
    assert_non_null(hist);
    memset(hist, '1', (1 << 20) - 1);
    char ids[40][8];
    struct entry dump[40];
    for (size_t i = 0; i < COUNT_OF(dump); i++) {
        (void)snprintf(ids[i], sizeof ids[i], "j%zu", i);
        dump[i] = moved_at(ids[i], T_NONE, 5, T0 - 1000);
    }
    round_of(target, T0, dump, COUNT_OF(dump), rows);
    for (size_t i = 0; i < COUNT_OF(dump); i++) {
        dump[i] = moved_at(ids[i], T_NONE, 9, T0 + 1000);
        dump[i].ops[0].has |= OP_HAS_HIST;
        dump[i].ops[0].hist = span_of(hist);
    }
    round_of(target, T0 + MIN2, dump, COUNT_OF(dump), rows);
    assert_int_equal(rows->count, COUNT_OF(dump));
    for (size_t i = 0; i < rows->count; i++)
        assert_row(&rows->rows[i], T0 + MIN2, T0, T0, false, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_fell_or_is_gone_too_soon_tells_of_a_mount),
        cmocka_unit_test(who_is_gone_with_a_mount_leaves_word_of_it),
        cmocka_unit_test(who_was_cleared_is_in_doubt_when_it_comes_back),
        cmocka_unit_test(who_was_cleared_before_a_mount_is_told_of_with_it),
        cmocka_unit_test(
            who_was_cleared_and_stays_away_is_told_of_when_it_is_forgotten),
        cmocka_unit_test(
            a_line_that_was_not_understood_may_have_been_the_one_that_is_missing),
        cmocka_unit_test(half_a_dump_that_shows_a_mount_makes_the_rest_new),
        cmocka_unit_test(more_entries_than_may_wait_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
