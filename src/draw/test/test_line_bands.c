/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_bands - points of many lines as bands. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "draw/line_bands.h"

#include <math.h>
#include <stdlib.h>

static void each_interval_has_its_quartiles(void **state)
{
    struct line_plot_point points[] = {
        { 15000, 5 }, { 1000, 1 }, { 19999, 7 },  { 2000, 3 },
        { 0, 2 },     { 9999, 4 }, { 40000, -1 }, { 3000, 0 },
    };
    AUTO_FREE struct line_plot_band *bands = NULL;
    size_t count = 0;
    (void)state;
    assert_int_equal(line_bands_make(points, COUNT_OF(points), 10000, &bands, &count),
                     0);
    assert_int_equal(count, 3); /* none of 20 to 40 s */
    assert_true(bands[0].t_ms == 0 && bands[0].least == 0 && bands[0].lower == 1 &&
                bands[0].median == 2 && bands[0].upper == 3 && bands[0].greatest == 4);
    assert_true(bands[1].t_ms == 10000 && bands[1].median == 6);
    assert_true(bands[2].t_ms == 40000 && bands[2].least == -1 &&
                bands[2].greatest == -1);
}

static void what_is_no_number_does_not_count(void **state)
{
    struct line_plot_point points[] = { { 0, NAN }, { 1, 3 }, { 10, NAN }, { -1, 8 } };
    AUTO_FREE struct line_plot_band *bands = NULL;
    size_t count = 0;
    (void)state;
    assert_int_equal(line_bands_make(points, COUNT_OF(points), 10, &bands, &count), 0);
    assert_int_equal(count, 2);
    assert_true(bands[0].t_ms == -10 && bands[0].median == 8);
    assert_true(bands[1].t_ms == 0 && bands[1].least == 3 && bands[1].greatest == 3);
}

static void no_points_are_no_bands(void **state)
{
    AUTO_FREE struct line_plot_band *bands = NULL;
    size_t count = 7;
    (void)state;
    assert_int_equal(line_bands_make(NULL, 0, 10, &bands, &count), 0);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_interval_has_its_quartiles),
        cmocka_unit_test(what_is_no_number_does_not_count),
        cmocka_unit_test(no_points_are_no_bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
