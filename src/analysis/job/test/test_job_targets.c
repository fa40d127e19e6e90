/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_targets - how full targets were, and which moved while a job ran. */
#include "analysis/job/job.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

static void space_add(struct table *space, const char *name, double share)
{
    if (space->column_count == 0) {
        table_init(space);
        table_add_column(space, "target", TABLE_TEXT, "");
        table_add_column(space, "share", TABLE_DOUBLE, "%");
    }
    table_add_row(space);
    table_set_text(space, 0, span_of(name));
    table_set_double(space, 1, share);
}

static void move_add(struct table *moves, const char *name, const char *to,
                     int64_t last_s, int64_t first_s)
{
    if (moves->column_count == 0) {
        table_init(moves);
        table_add_column(moves, "target", TABLE_TEXT, "");
        table_add_column(moves, "from_server", TABLE_TEXT, "");
        table_add_column(moves, "to_server", TABLE_TEXT, "");
        table_add_column(moves, "last", TABLE_TIME, "");
        table_add_column(moves, "first", TABLE_TIME, "");
    }
    table_add_row(moves);
    table_set_text(moves, 0, span_of(name));
    table_set_text(moves, 1, SPAN("oss02"));
    table_set_text(moves, 2, span_of(to));
    table_set_i64(moves, 3, last_s * MS_PER_S);
    table_set_i64(moves, 4, first_s * MS_PER_S);
}

static struct job_targets targets_of(const struct table *space,
                                     const struct table *moves)
{
    struct job_targets t = { 0 };
    assert_int_equal(job_targets_make(space, moves, 1000, 2000, &t), 0);
    return t;
}

static void a_target_is_once_with_all_that_is_known_of_it(void **state)
{
    (void)state;
    struct table space = { 0 }, moves = { 0 };
    space_add(&space, "s-OST0003", 96.5);
    space_add(&space, "s-MDT0001", 10);
    move_add(&moves, "s-OST0003", "oss01", 1100, 1300);
    move_add(&moves, "s-OST001f", "oss01", 1100, 1300);
    struct job_targets t = targets_of(&space, &moves);
    assert_int_equal(t.count, 3);
    assert_true(t.items[0].is_mdt && !t.items[0].from);
    assert_string_equal(t.items[1].name, "s-OST0003");
    assert_true(t.items[1].used_pct == 96.5 && t.items[1].index == 3);
    assert_string_equal(t.items[1].from, "oss02");
    assert_string_equal(t.items[1].to, "oss01");
    assert_int_equal(t.items[1].last_s, 1100);
    assert_int_equal(t.items[1].first_s, 1300);
    assert_int_equal(t.items[2].index, 31);
    assert_true(isnan(t.items[2].used_pct));
    job_targets_done(&t);
    table_done(&space);
    table_done(&moves);
}

static void a_move_counts_that_ended_while_the_job_ran(void **state)
{
    (void)state;
    static const struct {
        int64_t last_s, first_s;
        bool is_its;
    } cases[] = { { 500, 999, false },
                  { 900, 1000, true },
                  { 1500, 1700, true },
                  { 1900, 2000, true },
                  { 1900, 2001, false } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct table space = { 0 }, moves = { 0 };
        table_init(&space);
        move_add(&moves, "s-OST0003", "oss01", cases[i].last_s, cases[i].first_s);
        struct job_targets t = targets_of(&space, &moves);
        assert_int_equal(t.count, cases[i].is_its);
        job_targets_done(&t);
        table_done(&space);
        table_done(&moves);
    }
}

static void of_several_moves_the_first_counts(void **state)
{
    (void)state;
    struct table space = { 0 }, moves = { 0 };
    table_init(&space);
    move_add(&moves, "s-OST0003", "oss01", 1100, 1300);
    move_add(&moves, "s-OST0003", "oss07", 1500, 1600);
    struct job_targets t = targets_of(&space, &moves);
    assert_int_equal(t.count, 1);
    assert_string_equal(t.items[0].to, "oss01");
    job_targets_done(&t);
    table_done(&space);
    table_done(&moves);
}

static void what_is_no_target_or_no_share_is_left_out(void **state)
{
    (void)state;
    static const double shares[] = { -1, 101, NAN, INFINITY };
    struct table space = { 0 }, other = { 0 };
    for (size_t i = 0; i < COUNT_OF(shares); i++)
        space_add(&space, "s-OST0003", shares[i]);
    space_add(&space, "oss01", 5);
    space_add(&space, "", 5);
    table_add_row(&space); /* nulls */
    table_init(&other);
    table_add_column(&other, "target", TABLE_U64, "");
    struct job_targets t = targets_of(&space, &other);
    assert_int_equal(t.count, 0);
    job_targets_done(&t);
    table_done(&space);
    table_done(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_is_once_with_all_that_is_known_of_it),
        cmocka_unit_test(a_move_counts_that_ended_while_the_job_ran),
        cmocka_unit_test(of_several_moves_the_first_counts),
        cmocka_unit_test(what_is_no_target_or_no_share_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
