/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock_table - by how much clocks differ, as a table with what to do about it. */
#include "base/test/testing.h"
#include "report/clock_table.h"

#include <errno.h>
#include <string.h>

/* An estimate out of the mean r of each offset of -2 .. 2 steps of 5 s, of one job. */
static struct clock_estimate estimate_of(double *sums, size_t *counts, size_t jobs)
{
    return (struct clock_estimate){
        .step_s = 5, .reach = 2, .sums = sums, .counts = counts, .jobs = jobs
    };
}

static void a_clear_offset_has_a_correction(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    double sums[] = { 0.1, 0.2, 0.25, 0.375, 0.875 };
    size_t counts[] = { 1, 1, 1, 1, 1 };
    const struct clock_estimate estimate = estimate_of(sums, counts, 1);
    const struct table_print_opts raw = { .raw_units = true };
    table_init(&t);
    table_add_note(&t, "a.darshan: cannot be read");
    assert_int_equal(clock_table_make(&estimate, &t, NULL), 0);
    table_print(&t, TABLE_FORM_CSV, &raw, &csv);
    assert_string_equal(strbuf_text(&csv),
                        "offset_s,step_s,jobs,r,next_r,is_clear,correction\n"
                        "10,5,1,0.875,0.2,true,series=-10s\n");
    assert_int_equal(t.note_count, 3);
    assert_string_equal(t.notes[0], "a.darshan: cannot be read");
    assert_string_equal(t.notes[1],
                        "in the site file: [clock series] with offset = -10s");
    assert_string_equal(t.notes[2], "the servers' clocks are ahead by offset_s, to a "
                                    "step; give the correction to --clock");
}

/* r is below CLOCK_R_MIN; and another offset, far away, is nearly as good. */
static void of_an_unclear_one_nothing_is_claimed(void **state)
{
    (void)state;
    static const double sums_of[][5] = { { 0.4, 0.1, 0.1, 0.1, 0.1 },
                                         { 0.9, 0.1, 0.1, 0.1, 0.875 } };
    for (size_t i = 0; i < COUNT_OF(sums_of); i++) {
        AUTO(table_done) struct table t;
        double sums[5];
        size_t counts[] = { 1, 1, 1, 1, 1 };
        memcpy(sums, sums_of[i], sizeof sums);
        const struct clock_estimate estimate = estimate_of(sums, counts, 1);
        table_init(&t);
        assert_int_equal(clock_table_make(&estimate, &t, NULL), 0);
        assert_int_equal(table_at(&t, 0, 0)->i64, -10);
        assert_false(table_at(&t, 0, 5)->flag);
        assert_true(table_at(&t, 0, 6)->is_null);
        assert_int_equal(t.note_count, 1);
        assert_string_equal(t.notes[0], "nothing is claimed: r is below 0.5, or "
                                        "another offset is as good to 0.05");
    }
}

/* With no offset more than two steps away there is no other to compare with. */
static void a_single_offset_has_no_next(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    double sums[] = { 0.875 };
    size_t counts[] = { 1 };
    const struct clock_estimate estimate = {
        .step_s = 60, .reach = 0, .sums = sums, .counts = counts, .jobs = 1
    };
    table_init(&t);
    assert_int_equal(clock_table_make(&estimate, &t, NULL), 0);
    assert_true(table_at(&t, 0, 4)->is_null);
}

static void without_a_job_the_table_stays_as_it_was(void **state)
{
    (void)state;
    AUTO(table_done) struct table t;
    double sums[5] = { 0 };
    size_t counts[5] = { 0 };
    struct err err = { 0 };
    const struct clock_estimate estimate = estimate_of(sums, counts, 0);
    table_init(&t);
    table_add_note(&t, "a.darshan: no series has enough of its time");
    assert_int_equal(clock_table_make(&estimate, &t, &err), -ENODATA);
    assert_string_equal(err.text, "no log and series have a time in common");
    assert_int_equal(t.column_count, 0);
    assert_int_equal(t.note_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clear_offset_has_a_correction),
        cmocka_unit_test(of_an_unclear_one_nothing_is_claimed),
        cmocka_unit_test(a_single_offset_has_no_next),
        cmocka_unit_test(without_a_job_the_table_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
