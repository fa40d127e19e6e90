/* SPDX-License-Identifier: Apache-2.0 */
/* test_axis - round ticks of values and times. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "draw/axis.h"

#include <math.h>
#include <string.h>

static void joined(const struct axis *axis, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < axis->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "|" : "",
                                 axis->labels[i]);
}

static void values_have_round_ticks(void **state)
{
    (void)state;
    static const struct {
        double greatest;
        const char *unit;
        const char *labels;
    } cases[] = {
        { 341.0 * 1024 * 1024, "bytes/s",
          "0 MiB/s|100 MiB/s|200 MiB/s|300 MiB/s|400 MiB/s" },
        { 1, "bytes", "0 B|0.2 B|0.4 B|0.6 B|0.8 B|1 B" },
        { 1024.0 * 1024, "bytes", "0 MiB|0.2 MiB|0.4 MiB|0.6 MiB|0.8 MiB|1 MiB" },
        { 97, "%", "0 %|20 %|40 %|60 %|80 %|100 %" },
        { 0.3, "", "0|0.1|0.2|0.3" },
        { 0, "ops/s", "0 ops/s|0.2 ops/s|0.4 ops/s|0.6 ops/s|0.8 ops/s|1 ops/s" },
        { NAN, "", "0|0.2|0.4|0.6|0.8|1" },
        { INFINITY, "", "0|0.2|0.4|0.6|0.8|1" },
        { 1e300, "", "0|2e+299|4e+299|6e+299|8e+299|1e+300" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct axis axis;
        char labels[512];
        axis_of_values(cases[i].greatest, cases[i].unit, 5, &axis);
        joined(&axis, labels, sizeof labels);
        if (strcmp(labels, cases[i].labels) != 0)
            fail_msg("%g %s: %s", cases[i].greatest, cases[i].unit, labels);
        if (isfinite(cases[i].greatest) && axis.top < cases[i].greatest * 0.999999)
            fail_msg("%g %s: the top is %g", cases[i].greatest, cases[i].unit,
                     axis.top);
    }
}

static void ranges_have_round_ticks_within(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        size_t ticks;
        const char *labels;
    } cases[] = {
        { 0, 1, 6, "0.0|0.2|0.4|0.6|0.8|1.0" },
        { -0.3, 0.35, 4, "-0.2|0.0|0.2" },
        { 13, 87, 5, "20|40|60|80" },
        { 0, 3e9, 4, "0|1.00 G|2.00 G|3.00 G" },
        { 0.0101, 0.0109, 3, "0.0105" },
        { 5, 5, 4, "" },
        { NAN, 5, 4, "" },
        { 0, INFINITY, 4, "" },
        { -1e308, 1e308, 4, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct axis axis;
        char labels[512] = "";
        axis_of_range(cases[i].low, cases[i].high, cases[i].ticks, &axis);
        joined(&axis, labels, sizeof labels);
        if (strcmp(labels, cases[i].labels) != 0)
            fail_msg("case %zu: %s", i, labels);
    }
}

static void times_have_round_ticks(void **state)
{
    (void)state;
    static const struct {
        int64_t from_s, to_s;
        const char *labels;
    } cases[] = {
        { 1517126395, 1517126700, "08:00|08:01|08:02|08:03|08:04|08:05" },
        { 1517126400, 1517126460,
          "08:00:00|08:00:10|08:00:20|08:00:30|08:00:40|08:00:50|08:01:00" },
        { 1517097600, 1517184000,
          "2018-01-28|03:00|06:00|09:00|12:00|15:00|18:00|21:00|2018-01-29" },
        { 1517097600, 1517097600 + 40 * 86400,
          "2018-02-01|2018-02-08|2018-02-15|2018-02-22|2018-03-01|2018-03-08" },
        { 1487030400, 1518652800, "2017-03|2017-05|2017-07|2017-09|2017-11|2018-01" },
        { 1000000000, 2000000000, "2005|2010|2015|2020|2025|2030" },
        { 5, 5, "00:00:05" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct axis axis;
        char labels[512] = "";
        axis_of_times(cases[i].from_s, cases[i].to_s, 9, &axis);
        joined(&axis, labels, sizeof labels);
        if (strcmp(labels, cases[i].labels) != 0)
            fail_msg("case %zu: %s", i, labels);
    }
}

static void ticks_are_never_too_many(void **state)
{
    (void)state;
    struct axis axis;
    for (int64_t span = 1; span < INT64_C(9000000000); span = span * 3 + 1)
        for (size_t ticks = 2; ticks < AXIS_TICKS_MAX; ticks += 7) {
            axis_of_times(1000000007, 1000000007 + span, ticks, &axis);
            if (axis.count > ticks + 1)
                fail_msg("%lld s: %zu ticks", (long long)span, axis.count);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_round_ticks),
        cmocka_unit_test(ranges_have_round_ticks_within),
        cmocka_unit_test(times_have_round_ticks),
        cmocka_unit_test(ticks_are_never_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
