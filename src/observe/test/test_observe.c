/* SPDX-License-Identifier: Apache-2.0 */
/* test_observe - which rows the rounds of a target make. */
#include "base/span.h"
#include "observe/test/rows.h"

static void the_first_round_knows_nothing_before_it(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], T0, T_NONE, T_NONE, false, false);
}

static void a_start_time_gives_the_first_round_its_zero_record(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", S_NS(T0 - 5000) + 999999, 3, 30), &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.rows[0], T0 - 5000, T_NONE, T_NONE, true, true);
    /* Not known whether rows of this generation went out before this observer's time.
     */
    assert_row(&rows.rows[1], T0, T0 - 5000, T0 - 5000, false, false);
}

static void a_new_identifier_begins_at_the_previous_round(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of(target, T0 + 7, NULL, 0, &rows);
    round_of_one(target, T0 + MIN2 + 9, entry_of("a", T_NONE, 3, 30), &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.rows[0], T0 + 7, T_NONE, T_NONE, true, true);
    assert_row(&rows.rows[1], T0 + MIN2 + 9, T0 + 7, T0 + 7, true, false);
}

static void unchanged_counters_make_no_row_but_count_as_looked_at(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    round_of_one(target, T0 + MIN2, entry_of("a", T_NONE, 3, 30), &rows);
    assert_int_equal(rows.count, 0);
    round_of_one(target, T0 + 2 * MIN2, entry_of("a", T_NONE, 4, 40), &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], T0 + 2 * MIN2, T0 + MIN2, T0, false, false);
}

static void an_unmoved_snapshot_time_alone_proves_nothing(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    struct entry entry = entry_of("a", T_NONE, 3, 31);
    round_of_one(target, T0 + MIN2, entry, &rows);
    assert_int_equal(rows.count, 1);
}

static void an_entry_skipped_in_one_dump_is_the_same_generation(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry both[] = { idle_entry(), entry_of("a", T_NONE, 3, 30) };
    round_of(target, T0, both, 2, &rows);
    round_of(target, T0 + MIN2, both, 1, &rows);
    both[1] = entry_of("a", T_NONE, 5, 50);
    round_of(target, T0 + 2 * MIN2, both, 2, &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], T0 + 2 * MIN2, T0, T0, false, false);
}

static void a_new_generation_is_known_by_start_time_else_by_a_fall(void **state)
{
    (void)state;
    int64_t s1 = S_NS(T0 - 60000), s2 = S_NS(T0 + 60000) + 1;
    static const uint64_t more[2] = { 5, 50 }, fewer[2] = { 1, 10 };
    const struct {
        const char *name;
        int64_t before, next;
        const uint64_t *counters;
        bool want;
    } cases[] = {
        { "another start, more counted", s1, s2, more, true },
        { "another start, less counted", s1, s2, fewer, true },
        { "one start, more counted", s1, s1, more, false },
        { "one start, less counted: counted as a fault", s1, s1, fewer, false },
        { "no start, more counted", T_NONE, T_NONE, more, false },
        { "no start, less counted", T_NONE, T_NONE, fewer, true },
        { "start no longer printed", s1, T_NONE, more, false },
        { "start printed now, from before", T_NONE, s1, more, false },
        { "start printed now, later", T_NONE, s2, more, true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(observe_free) struct observe *o = observe_of(MIN2);
        struct observe_target *target = list_one(o, T0);
        struct rows rows = { 0 };
        round_of_one(target, T0, entry_of("a", cases[i].before, 3, 30), &rows);
        round_of_one(
            target, T0 + MIN2,
            entry_of("a", cases[i].next, cases[i].counters[0], cases[i].counters[1]),
            &rows);
        if (rows.count == 0 || rows.rows[rows.count - 1].seen.reset != cases[i].want)
            fail_msg("%s: %zu rows", cases[i].name, rows.count);
        bool has_zero = cases[i].want && cases[i].next != T_NONE;
        if (rows.count != 1 + (size_t)has_zero)
            fail_msg("%s: %zu rows", cases[i].name, rows.count);
    }
}

static void a_new_generation_begins_at_its_start(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    int64_t born_ms = T0 + 60000;
    round_of_one(target, T0, entry_of("a", S_NS(T0 - 9000), 3, 30), &rows);
    round_of_one(target, T0 + MIN2, entry_of("a", S_NS(born_ms), 1, 10), &rows);
    assert_int_equal(rows.count, 2);
    /* It had not been idle for long: what the old generation did at last was not seen.
     */
    assert_row(&rows.rows[0], born_ms, T_NONE, T0 + 1, true, true);
    assert_row(&rows.rows[1], T0 + MIN2, born_ms, born_ms, true, false);
}

static void without_a_start_a_new_generation_began_after_the_last_look(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    round_of_one(target, T0 + MIN2, entry_of("a", T_NONE, 3, 30), &rows);
    round_of_one(target, T0 + 2 * MIN2, entry_of("a", T_NONE, 1, 10), &rows);
    assert_int_equal(rows.count, 1);
    /* It had not been idle for long: what it follows was not seen. */
    assert_row(&rows.rows[0], T0 + 2 * MIN2, T0 + MIN2, T0 + MIN2 + 1, true, false);
}

static void an_entry_made_while_it_was_printed_begins_before_its_row(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of(target, T0, NULL, 0, &rows);
    int64_t t_ms = T0 + MIN2;
    round_of_one(target, t_ms, entry_of("a", S_NS(t_ms + 40), 1, 10), &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.rows[0], t_ms - 1, T_NONE, T_NONE, true, true);
    assert_row(&rows.rows[1], t_ms, t_ms - 1, t_ms - 1, true, false);
    assert_int_equal(observe_counts(o)->future_times, 0);
}

static void a_new_generation_never_writes_among_the_rows_of_the_old(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", S_NS(T0 - 9000), 3, 30), &rows);
    /* The clock was set back meanwhile: the new generation says it began before T0. */
    round_of_one(target, T0 + MIN2, entry_of("a", S_NS(T0 - 5), 1, 10), &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], T0 + MIN2, T0, T0 + 1, true, false);
}

static void times_in_the_future_are_counted_and_ignored(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", S_NS(T0 + 86400000), 3, 30), &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], T0, T_NONE, T_NONE, false, false);
    assert_int_equal(observe_counts(o)->future_times, 1);
}

static void an_entry_that_stands_twice_makes_one_row(void **state)
{
    (void)state;
    int64_t s1 = S_NS(T0 - 60000), s2 = S_NS(T0 + 60000);
    const struct {
        const char *name;
        struct entry first, second;
        uint64_t want_now; /* bytes of this round's row; 0: none */
        size_t want_deferred;
    } cases[] = {
        { "old generation unmoved, then the new one", entry_of("a", s1, 3, 30),
          entry_of("a", s2, 1, 10), 10, 0 },
        { "new generation, then the old one", entry_of("a", s2, 1, 10),
          entry_of("a", s1, 3, 30), 10, 0 },
        { "old generation moved: its end is kept, the new one waits",
          entry_of("a", s1, 4, 40), entry_of("a", s2, 1, 10), 40, 1 },
        { "no start, the larger later", entry_of("a", T_NONE, 4, 40),
          entry_of("a", T_NONE, 5, 50), 40, 1 },
        { "no start, the larger first", entry_of("a", T_NONE, 5, 50),
          entry_of("a", T_NONE, 4, 40), 50, 0 },
        { "twice the same", entry_of("a", s1, 5, 50), entry_of("a", s1, 5, 50), 50, 1 },
        { "unmoved, then moved", entry_of("a", s1, 3, 30), entry_of("a", s1, 5, 50), 50,
          0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(observe_free) struct observe *o = observe_of(MIN2);
        struct observe_target *target = list_one(o, T0);
        struct rows rows = { 0 };
        bool with_start = cases[i].first.start_ns != T_NONE;
        round_of_one(target, T0, entry_of("a", with_start ? s1 : T_NONE, 3, 30), &rows);
        struct entry both[] = { cases[i].first, cases[i].second };
        round_of(target, T0 + MIN2, both, 2, &rows);
        size_t at_t = 0;
        uint64_t bytes = 0;
        for (size_t k = 0; k < rows.count; k++) {
            if (rows.rows[k].seen.is_zero)
                continue;
            at_t++;
            bytes = rows.rows[k].bytes;
        }
        if (at_t != 1 || bytes != cases[i].want_now)
            fail_msg("%s: %zu rows, %llu bytes", cases[i].name, at_t,
                     (unsigned long long)bytes);
        if (observe_counts(o)->duplicates != 1 ||
            observe_counts(o)->duplicates_deferred != cases[i].want_deferred)
            fail_msg("%s: counts", cases[i].name);
    }
}

static void what_a_duplicate_deferred_is_in_the_next_round(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", S_NS(T0 - 60000), 3, 30), &rows);
    int64_t born_ms = T0 + MIN2 + 20;
    struct entry both[] = { entry_of("a", S_NS(T0 - 60000), 4, 40),
                            entry_of("a", S_NS(born_ms), 1, 10) };
    round_of(target, T0 + MIN2, both, 2, &rows);
    round_of_one(target, T0 + 2 * MIN2, both[1], &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.rows[0], born_ms, T_NONE, T0 + MIN2 + 1, true, true);
    assert_row(&rows.rows[1], T0 + 2 * MIN2, born_ms, born_ms, true, false);
}

static void a_generation_is_remembered_beyond_the_cleanup_interval_and_no_longer(
    void **state)
{
    (void)state;
    /* 1.5 x 10 min + 2 x 2 min = 19 min after it was last seen. */
    static const struct {
        int rounds_absent;
        bool want_same;
    } cases[] = { { 8, true }, { 9, false } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(observe_free) struct observe *o = observe_of(MIN2);
        struct observe_target *target = list_one(o, T0);
        struct rows rows = { 0 };
        int64_t t_ms = T0;
        struct entry both[] = { idle_entry(), entry_of("a", T_NONE, 3, 30) };
        round_of(target, t_ms, both, 2, &rows);
        for (int k = 0; k < cases[i].rounds_absent; k++)
            round_of(target, t_ms += MIN2, both, 1, &rows);
        int64_t last_ms = t_ms;
        both[1] = entry_of("a", T_NONE, 5, 50);
        t_ms += MIN2;
        both[1].snapshot_ns = S_NS(t_ms - 1000);
        round_of(target, t_ms, both, 2, &rows);
        if (cases[i].want_same) {
            assert_int_equal(rows.count, 1);
            assert_true(rows.rows[0].seen.is_doubtful);
            assert_row(&rows.rows[0], t_ms, T0, T0, false, false);
        } else {
            /* It was gone sooner than a cleanup removes it: what it did last is not
             * known. */
            assert_int_equal(rows.count, 2);
            assert_row(&rows.rows[0], last_ms, T_NONE, T0 + 1, true, true);
            assert_row(&rows.rows[1], t_ms, last_ms, last_ms, true, false);
        }
    }
}

static void a_pause_of_the_observer_forgets_nobody(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    int64_t next_day = T0 + 86400000;
    round_of_one(target, next_day, entry_of("a", T_NONE, 5, 50), &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], next_day, T0, T0, false, false);
}

/* The one dump without it proves nothing, and nobody looked in the twenty minutes
 * behind it: counting all of it again would count twice. */
static void an_entry_skipped_before_a_pause_is_the_same_generation(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry both[] = { idle_entry(), entry_of("a", T_NONE, 2, 20) };
    round_of(target, T0, both, 2, &rows);
    round_of(target, T0 + MIN2, both, 1, &rows);
    int64_t later = T0 + 10 * MIN2;
    both[1] = entry_of("a", T_NONE, 6, 60);
    round_of(target, later, both, 2, &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.rows[0], later, T0, T0, false, false);
}

static void what_was_forgotten_takes_no_memory(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    for (int k = 1; k < 12; k++)
        round_of(target, T0 + k * MIN2, NULL, 0, &rows);
    assert_int_equal(observe_generation_count(o), 0);
    assert_int_equal(observe_counts(o)->generations_forgotten, 1);
}

static void a_cleanup_interval_of_zero_keeps_all(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    observe_target_set_cleanup(target, 0);
    struct rows rows = { 0 };
    struct entry both[] = { idle_entry(), entry_of("a", T_NONE, 3, 30) };
    round_of(target, T0, both, 2, &rows);
    for (int k = 1; k < 100; k++)
        round_of(target, T0 + k * MIN2, both, 1, &rows);
    assert_int_equal(observe_generation_count(o), 2);
}

static void a_target_mounted_in_between_has_only_new_entries(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_listed listed[] = {
        { SPAN("scratch-OST0000"), TARGET_OST },
        { SPAN("scratch-OST0001"), TARGET_OST },
    };
    assert_int_equal(observe_list(o, T0, listed, 1), 0);
    assert_int_equal(observe_list(o, T0 + MIN2, listed, 2), 0);
    struct observe_target *target = observe_target_find(o, listed[1].name);
    struct rows rows = { 0 };
    round_of_one(target, T0 + MIN2 + 5, entry_of("a", T_NONE, 3, 30), &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.rows[0], T0, T_NONE, T_NONE, true, true);
    assert_row(&rows.rows[1], T0 + MIN2 + 5, T0, T0, true, false);
}

static void a_target_that_left_and_came_back_begins_anew(void **state)
{
    (void)state;
    static const struct {
        bool with_start, same_start;
        bool want_reset;
    } cases[] = {
        { false, false, true },
        { true, false, true },
        { true, true, false }, /* it never left: the list was wrong */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(observe_free) struct observe *o = observe_of(MIN2);
        struct observe_target *target = list_one(o, T0);
        struct rows rows = { 0 };
        int64_t s1 = cases[i].with_start ? S_NS(T0 - 1000) : T_NONE;
        int64_t s2 = !cases[i].with_start  ? T_NONE
                     : cases[i].same_start ? s1
                                           : S_NS(T0 + MIN2 + 1000);
        round_of_one(target, T0, entry_of("a", s1, 3, 30), &rows);
        assert_int_equal(observe_list(o, T0 + MIN2, NULL, 0), 0);
        assert_false(observe_target_is_there(target));
        assert_int_equal(observe_round_begin(target, T0 + MIN2, rows_add, &rows),
                         -ENOENT);
        assert_ptr_equal(list_one(o, T0 + 2 * MIN2), target);
        round_of_one(target, T0 + 2 * MIN2, entry_of("a", s2, 30, 300), &rows);
        assert_int_equal(rows.rows[rows.count - 1].seen.reset, cases[i].want_reset);
        int64_t zero_ms = cases[i].with_start ? T0 + MIN2 + 1000 : T0 + MIN2;
        if (cases[i].want_reset) {
            assert_int_equal(rows.count, 2);
            assert_row(&rows.rows[0], zero_ms, T_NONE, T0 + 1, true, true);
            assert_row(&rows.rows[1], T0 + 2 * MIN2, zero_ms, zero_ms, true, false);
        }
        assert_int_equal(observe_counts(o)->targets_gone, 1);
    }
}

static void half_a_dump_is_no_proof_of_absence(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    for (int k = 1; k < 20; k++) {
        assert_int_equal(observe_round_begin(target, T0 + k * MIN2, rows_add, &rows),
                         0);
        assert_int_equal(observe_round_cut(target), 0);
    }
    int64_t t_ms = T0 + 20 * MIN2;
    struct entry both[] = { entry_of("a", T_NONE, 5, 50),
                            entry_of("b", T_NONE, 1, 10) };
    round_of(target, t_ms, both, 2, &rows);
    assert_int_equal(rows.count, 3);
    assert_row(&rows.rows[0], t_ms, T0, T0, false, false);
    assert_row(&rows.rows[1], T0, T_NONE, T_NONE, true, true);
    assert_row(&rows.rows[2], t_ms, T0, T0, true, false);
    assert_int_equal(observe_counts(o)->rounds_cut, 19);
}

static void times_grow_though_the_clock_steps_back(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    round_of_one(target, T0 - 60000, entry_of("a", T_NONE, 4, 40), &rows);
    assert_row(&rows.rows[0], T0 + 1, T0, T0, false, false);
    assert_int_equal(observe_counts(o)->clock_steps, 1);
    /* A day back: a base, and the row that follows it. */
    const int64_t day_ago = T0 - 86400000 + 1;
    round_of_one(target, T0 - 86400000, entry_of("a", T_NONE, 5, 50), &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.rows[0], day_ago - 16, T_NONE, day_ago - 16, false, false);
    assert_int_equal(rows.rows[0].bytes, 40);
    assert_row(&rows.rows[1], day_ago, day_ago - 16, day_ago - 16, false, false);
    assert_int_equal(rows.rows[1].bytes, 50);
    assert_int_equal(observe_counts(o)->clock_restarts, 1);
}

static void a_line_lost_once_is_no_new_generation(void **state)
{
    (void)state;
    AUTO(observe_free) struct observe *o = observe_of(MIN2);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    round_of_one(target, T0, entry_of("a", T_NONE, 3, 30), &rows);
    struct entry torn = entry_of("a", T_NONE, 3, 30);
    torn.op_count = 0;
    round_of_one(target, T0 + MIN2, torn, &rows);
    assert_int_equal(rows.count, 0);
    round_of_one(target, T0 + 2 * MIN2, entry_of("a", T_NONE, 3, 30), &rows);
    assert_int_equal(rows.count, 0);
    round_of_one(target, T0 + 3 * MIN2, entry_of("a", T_NONE, 2, 20), &rows);
    assert_true(rows.rows[0].seen.reset);
}

static void more_entries_than_allowed_are_counted_and_left_out(void **state)
{
    (void)state;
    struct observe_opts opts = { .interval_ms = MIN2, .generations_max = 1 };
    AUTO(observe_free) struct observe *o = NULL;
    assert_int_equal(observe_new(&opts, &o), 0);
    struct observe_target *target = list_one(o, T0);
    struct rows rows = { 0 };
    struct entry both[] = { entry_of("a", T_NONE, 5, 50),
                            entry_of("b", T_NONE, 1, 10) };
    round_of(target, T0, both, 2, &rows);
    assert_int_equal(rows.count, 1);
    assert_int_equal(observe_counts(o)->generations_refused, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_round_knows_nothing_before_it),
        cmocka_unit_test(a_start_time_gives_the_first_round_its_zero_record),
        cmocka_unit_test(a_new_identifier_begins_at_the_previous_round),
        cmocka_unit_test(unchanged_counters_make_no_row_but_count_as_looked_at),
        cmocka_unit_test(an_unmoved_snapshot_time_alone_proves_nothing),
        cmocka_unit_test(an_entry_skipped_in_one_dump_is_the_same_generation),
        cmocka_unit_test(a_new_generation_is_known_by_start_time_else_by_a_fall),
        cmocka_unit_test(a_new_generation_begins_at_its_start),
        cmocka_unit_test(without_a_start_a_new_generation_began_after_the_last_look),
        cmocka_unit_test(an_entry_made_while_it_was_printed_begins_before_its_row),
        cmocka_unit_test(a_new_generation_never_writes_among_the_rows_of_the_old),
        cmocka_unit_test(times_in_the_future_are_counted_and_ignored),
        cmocka_unit_test(an_entry_that_stands_twice_makes_one_row),
        cmocka_unit_test(what_a_duplicate_deferred_is_in_the_next_round),
        cmocka_unit_test(
            a_generation_is_remembered_beyond_the_cleanup_interval_and_no_longer),
        cmocka_unit_test(a_pause_of_the_observer_forgets_nobody),
        cmocka_unit_test(an_entry_skipped_before_a_pause_is_the_same_generation),
        cmocka_unit_test(what_was_forgotten_takes_no_memory),
        cmocka_unit_test(a_cleanup_interval_of_zero_keeps_all),
        cmocka_unit_test(a_target_mounted_in_between_has_only_new_entries),
        cmocka_unit_test(a_target_that_left_and_came_back_begins_anew),
        cmocka_unit_test(half_a_dump_is_no_proof_of_absence),
        cmocka_unit_test(times_grow_though_the_clock_steps_back),
        cmocka_unit_test(a_line_lost_once_is_no_new_generation),
        cmocka_unit_test(more_entries_than_allowed_are_counted_and_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
