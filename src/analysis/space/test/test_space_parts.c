/* SPDX-License-Identifier: Apache-2.0 */
/* test_space_parts - the parts of a history between which data was cleaned up. */
#include "analysis/space/space.h"
#include "base/test/testing.h"

#include <math.h>

#define N SPACE_NO_PART
#define CAPACITY 1000.0

static const struct {
    const char *name;
    double used[12];
    size_t parts[12];
    size_t cleanups;
    double removed;
} cases[] = {
    { "steady growth is one part",
      { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
      { 0 },
      0,
      0 },
    { "a clean-up at once",
      { 100, 101, 102, 103, 104, 105, 50, 51, 52, 53, 54, 55 },
      { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1 },
      1,
      55 },
    { "one that takes three steps: what is between is of no part",
      { 100, 101, 102, 103, 104, 90, 70, 50, 51, 52, 53, 54 },
      { 0, 0, 0, 0, 0, N, N, 1, 1, 1, 1, 1 },
      1,
      54 },
    { "two clean-ups",
      { 100, 101, 102, 60, 61, 62, 63, 64, 30, 31, 32, 33 },
      { 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2 },
      2,
      76 },
    { "a slow fall is growth below 0",
      { 200, 195, 190, 185, 180, 175, 170, 165, 160, 155, 150, 145 },
      { 0 },
      0,
      0 },
    { "a temporary file that comes and goes",
      { 100, 101, 102, 103, 300, 105, 106, 107, 108, 109, 110, 111 },
      { 0 },
      0,
      0 },
    { "one that goes together with older data",
      { 100, 101, 102, 103, 300, 50, 51, 52, 53, 54, 55, 56 },
      { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 },
      1,
      250 },
    { "less than 2 % of the capacity",
      { 100, 101, 102, 103, 104, 85, 86, 87, 88, 89, 90, 91 },
      { 0 },
      0,
      0 },
    { "2 % of it",
      { 100, 101, 102, 103, 104, 84, 85, 86, 87, 88, 89, 90 },
      { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 },
      1,
      20 },
    { "values that jump all the time",
      { 100, 130, 95, 140, 90, 120, 60, 110, 100, 140, 80, 120 },
      { 0 },
      0,
      0 },
    { "missing values are of no part, and a fall over them is by step",
      { 100, 101, 102, 103, NAN, NAN, 50, 51, 52, 53, 54, 55 },
      { 0, 0, 0, 0, N, N, 1, 1, 1, 1, 1, 1 },
      1,
      53 },
    { "nothing but one value",
      { NAN, NAN, 7, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN },
      { N, N, 0, N, N, N, N, N, N, N, N, N },
      0,
      0 },
};

static void parts_of_histories(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t parts[12];
        struct space_cleanups c;
        assert_int_equal(space_parts_find(cases[i].used, 12, CAPACITY, parts, &c), 0);
        for (size_t k = 0; k < 12; k++)
            if (parts[k] != cases[i].parts[k])
                fail_msg("%s: value %zu is of part %zu", cases[i].name, k, parts[k]);
        if (c.count != cases[i].cleanups || fabs(c.removed - cases[i].removed) > 1e-9)
            fail_msg("%s: %zu removed %g", cases[i].name, c.count, c.removed);
    }
}

static void no_values_have_no_parts(void **state)
{
    (void)state;
    struct space_cleanups c = { 7, 7 };
    assert_int_equal(space_parts_find(NULL, 0, CAPACITY, NULL, &c), 0);
    assert_int_equal(c.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_histories),
        cmocka_unit_test(no_values_have_no_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
