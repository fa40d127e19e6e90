/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_resample - many values as fewer. */
#include "query/metric/metric_resample.h"

#include "base/test/testing.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define COUNT 1200

static double values[COUNT];

static void draw(void)
{
    for (int i = 0; i < COUNT; i++)
        values[i] = i % 7;
    values[333] = 1e6; /* a peak */
}

static void triangles_keep_ends_and_peaks(void **state)
{
    (void)state;
    bool has_peak = false;
    draw();
    values[0] = -3;
    values[COUNT - 1] = -4;
    size_t count = metric_resample(RESAMPLE_TRIANGLES, values, COUNT, 10);
    assert_int_equal(count, 120);
    assert_true(values[0] == -3 && values[count - 1] == -4);
    for (size_t i = 0; i < count; i++)
        has_peak |= values[i] == 1e6;
    assert_true(has_peak);
}

static void a_gap_is_still_seen(void **state)
{
    (void)state;
    size_t missing = 0;
    draw();
    for (int i = 600; i < 640; i++)
        values[i] = NAN;
    size_t count = metric_resample(RESAMPLE_TRIANGLES, values, COUNT, 10);
    for (size_t i = 0; i < count; i++)
        missing += isnan(values[i]) != 0;
    assert_true(missing >= 4 && missing <= 7);
}

/* As ClusterCockpit's resampler, 1.5.4: the buckets are 1..2, 3..5, 6..7 of 0..9, the
 * means those of 3..6, 6..8, 8..8. */
static void the_last_point_without_a_triangle_is_chosen(void **state)
{
    (void)state;
    static const struct {
        double values[10], want[5];
    } cases[] = {
        { { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, { 0, 1, 3, 6, 9 } },
        /* missing in its own bucket: the gap is seen, and after it the last value */
        { { 0, 1, 2, 3, NAN, 5, 6, 7, 8, 9 }, { 0, 2, NAN, 7, 9 } },
        /* missing in the next bucket only: the last value stands */
        { { 0, 9, 2, 3, 4, 5, NAN, 7, 8, 9 }, { 0, 2, 5, NAN, 9 } },
        /* of two missing the last is chosen, which is missing as well */
        { { 0, NAN, NAN, 3, 4, 5, 6, 7, 8, 9 }, { 0, NAN, 5, 6, 9 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double v[10];
        memcpy(v, cases[i].values, sizeof v);
        assert_int_equal(metric_resample(RESAMPLE_TRIANGLES, v, 10, 2), 5);
        for (size_t k = 0; k < 5; k++) {
            double want = cases[i].want[k];
            if (isnan(want) ? !isnan(v[k]) : v[k] != want)
                fail_msg("case %zu, point %zu: %g, not %g", i, k, v[k], want);
        }
    }
}

static void averages_are_of_the_numbers(void **state)
{
    (void)state;
    double v[] = { 1, 2, 3, NAN, NAN, NAN, 7 };
    assert_int_equal(metric_resample(RESAMPLE_AVERAGE, v, 7, 2), 3);
    assert_true(v[0] == 1.5 && v[1] == 3 && isnan(v[2]));
}

static void what_would_become_nothing_stays(void **state)
{
    (void)state;
    double v[] = { 1, 2, 3 };
    assert_int_equal(metric_resample(RESAMPLE_TRIANGLES, v, 3, 4), 3);
    assert_int_equal(metric_resample(RESAMPLE_TRIANGLES, v, 3, 1), 3);
    assert_int_equal(metric_resample(RESAMPLE_TRIANGLES, v, 3, 2), 2);
    assert_true(v[0] == 1 && v[1] == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_keep_ends_and_peaks),
        cmocka_unit_test(a_gap_is_still_seen),
        cmocka_unit_test(the_last_point_without_a_triangle_is_chosen),
        cmocka_unit_test(averages_are_of_the_numbers),
        cmocka_unit_test(what_would_become_nothing_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
