/* SPDX-License-Identifier: Apache-2.0 */
/* test_weather_usual_text - whether a window was as usual: in a sentence, as a table.
 */
#include "base/test/testing.h"
#include "report/unusual/unusual.h"

#include <math.h>
#include <string.h>

#define MIB 1048576.0

static const double days[] = { 1 * MIB, 2 * MIB, 2 * MIB, 3 * MIB, 3 * MIB, 4 * MIB };
static const double none[] = { 0, 0, 0, 0, 0, 0 };

static struct weather_line line_of(double mean, const double *others, size_t count)
{
    return (struct weather_line){
        .is_known = true, .mean = mean, .days = others, .day_count = count
    };
}

static void printed(const struct weather *w, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    weather_usual_print(w, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static void what_is_unusual_comes_first_with_how_much(void **state)
{
    (void)state;
    struct weather w = { .other_days = 8 };
    w.lines[LMT_READ_BYTES] = line_of(20 * MIB, days, 6);
    w.lines[LMT_WRITE_BYTES] = line_of(2.5 * MIB, days, 6);
    w.lines[LMT_OPENS] = line_of(7, none, 6);
    w.lines[LMT_CLOSES] = line_of(7, none, 2);
    w.lines[LMT_OSS_CPU] = line_of(NAN, none, 6);
    printed(&w,
            "Not as usual at these hours: datatargets/readbytes 8 times the median "
            "(20.0 MiB/s; usual 2.00 MiB/s to 3.00 MiB/s; more than in all 6 other "
            "days), mdtargets/opens, of which there usually is none (7/s; usual 0/s "
            "to 0/s; more than in all 6 other days).\n"
            "As usual: datatargets/writebytes.\n"
            "Not compared, with fewer than 5 other days: mdtargets/closes, "
            "dataservers/cpuload.\n"
            "Of 8 other days 2 were not observed at these hours.\n");
}

static void without_other_days_nothing_is_claimed(void **state)
{
    (void)state;
    struct weather w = { .other_days = 30 };
    w.lines[LMT_READ_BYTES] = line_of(20 * MIB, days, 4);
    printed(&w, "Whether that is usual is not known: fewer than 5 other days were "
                "observed at these hours.\n"
                "Of 30 other days 26 were not observed at these hours.\n");
    w.other_days = 6;
    w.lines[LMT_READ_BYTES] = line_of(2 * MIB, days, 6);
    printed(&w, "As usual at these hours, against 6 other days.\n"
                "As usual: datatargets/readbytes.\n");
}

static void the_table_has_a_row_for_each_measure(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    struct weather w = { .other_days = 6 };
    w.lines[LMT_READ_BYTES] = line_of(20 * MIB, days, 6);
    w.lines[LMT_OPENS] = line_of(7, none, 6);
    table_init(&t);
    weather_usual_table(&w, &t);
    assert_int_equal(table_error(&t), 0);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(table_at(&t, 0, 1)->text, "more");
    assert_float_equal(table_at(&t, 0, 3)->dbl, 2.5 * MIB, 0);
    assert_float_equal(table_at(&t, 0, 6)->dbl, 8, 0);
    assert_true(table_at(&t, 1, 6)->is_null); /* no ratio to nothing */
    assert_true(table_at(&t, 1, 7)->is_null);
    assert_int_equal(table_at(&t, 1, 8)->u64, 6);
    assert_float_equal(table_at(&t, 1, 9)->dbl, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_unusual_comes_first_with_how_much),
        cmocka_unit_test(without_other_days_nothing_is_claimed),
        cmocka_unit_test(the_table_has_a_row_for_each_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
