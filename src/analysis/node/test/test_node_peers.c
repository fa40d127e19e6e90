/* SPDX-License-Identifier: Apache-2.0 */
/* test_node_peers - how unusual one value is among those of comparable nodes. */
#include "analysis/node/test/node_players.h"

#include "base/test/testing.h"

#include <math.h>

#define APART_NODES 32

static struct node_score scored(const double *values, size_t count, double value,
                                bool is_integral)
{
    AUTO(node_peers_done) struct node_peers peers = { 0 };
    assert_int_equal(node_peers_set(&peers, values, count, is_integral), 0);
    return node_peers_score(&peers, value);
}

static void few_others_support_nothing(void **state)
{
    (void)state;
    const double values[] = { 1, 2, 3, 4, 5, 6, NAN, 1000 };
    assert_int_equal(scored(values, 8, 1000, false).others, 0);
    const double enough[] = { 1, 2, 3, 4, 5, 6, 7, 1000 };
    struct node_score s = scored(enough, 8, 1000, false);
    assert_int_equal(s.others, 7);
    assert_true(s.chance > 1e-3); /* seven support no less */
}

static void a_node_does_not_widen_its_own_yardstick(void **state)
{
    (void)state;
    const double values[] = { 98, 99, 100, 101, 102, 99, 101, 100, 98, 102, 1e6 };
    struct node_score s = scored(values, 11, 1e6, false);
    assert_float_equal(s.median, 100, 1e-9);
    assert_true(s.deviations > 100);
    assert_false(s.is_apart);
}

static void the_others_of_a_usual_value_have_no_low_chance(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double values[100];
    for (size_t i = 0; i < 100; i++)
        values[i] = 100 + 10 * drawn_normal(&seed);
    size_t low = 0;
    AUTO(node_peers_done) struct node_peers peers = { 0 };
    assert_int_equal(node_peers_set(&peers, values, 100, false), 0);
    for (size_t i = 0; i < 100; i++)
        low += node_peers_score(&peers, values[i]).chance < 0.001;
    assert_int_equal(low, 0);
}

/* Fifteen others, and the value that is judged. */
static const struct judged {
    const char *name;
    double others[15], value;
    bool integral, is_apart;
    double chance_min, chance_max, deviations_min, deviations_max;
} cases[] = {
    { "idle among varied loads",
      { 60, 70, 80, 90, 100, 110, 120, 130, 140, 65, 75, 85, 95, 105, 115 },
      0.01,
      false,
      false,
      0,
      1e-4,
      -1e9,
      -10 },
    { "within ten percent, however exact the others are",
      { 100, 100.1, 99.9, 100, 100.1, 99.9, 100, 100.1, 99.9, 100, 100.1, 99.9, 100,
        100.1, 99.9 },
      105,
      false,
      false,
      1,
      1,
      10,
      1e9 },
    { "one degree more",
      { 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40 },
      41,
      true,
      false,
      1,
      1,
      2,
      2 },
    { "less memory, among too few to call that rare",
      { 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256 },
      192,
      false,
      false,
      NAN,
      NAN,
      -INFINITY,
      -INFINITY },
    { "a long tail",
      { 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987 },
      4000,
      false,
      false,
      0.01,
      1,
      0,
      10 },
    { "counts that are mostly 0",
      { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 5 },
      9,
      true,
      false,
      0.001,
      1,
      0,
      10 },
    { "negative values among which one is far away",
      { -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, -6, 6, -7, 7 },
      500,
      false,
      false,
      0,
      1e-4,
      50,
      1e9 },
    { "two kinds of nodes",
      { 0, 0, 0, 0, 0, 0, 0, 90, 91, 92, 93, 94, 95, 96, 97 },
      95,
      false,
      false,
      0.05,
      1,
      -5,
      5 },
};

static void each_case_is_judged_as_a_person_would(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double values[16];
        memcpy(values, cases[i].others, sizeof cases[i].others);
        values[15] = cases[i].value;
        struct node_score s = scored(values, 16, cases[i].value, cases[i].integral);
        bool is_chance =
            isnan(cases[i].chance_min)
                ? isnan(s.chance)
                : s.chance >= cases[i].chance_min && s.chance <= cases[i].chance_max;
        if (s.others != 15 || !is_chance || s.is_apart != cases[i].is_apart ||
            !(s.deviations >= cases[i].deviations_min &&
              s.deviations <= cases[i].deviations_max))
            fail_msg("%s: chance %g, deviations %g, apart %d", cases[i].name, s.chance,
                     s.deviations, s.is_apart);
    }
}

static void equal_others_leave_at_most_one_in_a_hundred_apart(void **state)
{
    (void)state;
    double values[300] = { 0 };
    values[0] = 5.5, values[1] = 7.5, values[2] = 9.5;
    assert_true(scored(values, 300, 7.5, false).is_apart);
    values[3] = 1.5;
    assert_false(scored(values, 300, 7.5, false).is_apart);
    assert_false(scored(values, 300, 0, false).is_apart);
    const double one[APART_NODES] = { [3] = 192 };
    assert_true(scored(one, APART_NODES, 192, false).is_apart);
    assert_false(scored(one, APART_NODES - 1, 192, false).is_apart);
}

static void infinite_values_are_left_out(void **state)
{
    (void)state;
    const double values[] = { 1, 2, 3, 4, 5, 6, 7, 8, INFINITY, -INFINITY };
    assert_int_equal(scored(values, 10, 8, false).others, 7);
    assert_int_equal(scored(NULL, 0, 8, false).others, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_others_support_nothing),
        cmocka_unit_test(a_node_does_not_widen_its_own_yardstick),
        cmocka_unit_test(the_others_of_a_usual_value_have_no_low_chance),
        cmocka_unit_test(each_case_is_judged_as_a_person_would),
        cmocka_unit_test(equal_others_leave_at_most_one_in_a_hundred_apart),
        cmocka_unit_test(infinite_values_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
