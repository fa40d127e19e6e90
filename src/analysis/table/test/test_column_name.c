/* SPDX-License-Identifier: Apache-2.0 */
/* test_column_name - what the name of a column shows of its values. */
#include "analysis/table/column_name.h"

#include "base/span.h"
#include "base/test/testing.h"

static void ids_are_words_of_a_name(void **state)
{
    (void)state;
    static const char *const ids[] = { "id",       "ID",      "job_id",  "JobID",
                                       "JobIDRaw", "jobid",   "run_uri", "run",
                                       "Job",      "uuid",    "job no",  "run_name",
                                       "stepid",   "user_id", "run #" };
    static const char *const others[] = {
        "runtime", "run_time_s", "job nodes", "grid",     "valid",  "fluid_model",
        "trunk",   "jobs",       "bid",       "run size", "period", "overrun",
    };
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        if (!column_name_is_id(span_of(ids[i])))
            fail_msg("'%s' is an id", ids[i]);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (column_name_is_id(span_of(others[i])))
            fail_msg("'%s' is no id", others[i]);
}

static void a_direction_is_a_word_too_and_the_rest_is_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum column_direction direction;
        const char *rest;
    } cases[] = {
        { "write_bw (MiB/s)", COLUMN_WRITE, "bw Mi B s " },
        { "read_bw (MiB/s)", COLUMN_READ, "bw Mi B s " },
        { "maxWrite", COLUMN_WRITE, "max " },
        { "randread", COLUMN_READ, "" },
        { "w", COLUMN_WRITE, "" },
        { "readwrite ratio", COLUMN_NEITHER, "readwrite ratio " },
        { "read/write", COLUMN_NEITHER, NULL },
        { "spread", COLUMN_NEITHER, "spread " },
        { "threads", COLUMN_NEITHER, "threads " },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf rest = STRBUF_INIT;
        assert_int_equal(column_direction_of(span_of(cases[i].name), &rest),
                         cases[i].direction);
        if (cases[i].rest)
            assert_string_equal(strbuf_text(&rest), cases[i].rest);
    }
}

static void scores_are_higher_for_surer_words(void **state)
{
    (void)state;
    assert_true(column_name_score(span_of("Start"), COLUMN_TIME) >
                column_name_score(span_of("Monat"), COLUMN_TIME));
    assert_true(column_name_score(span_of("MONAT"), COLUMN_TIME) > 0);
    assert_int_equal(column_name_score(span_of("colour"), COLUMN_SPEED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_words_of_a_name),
        cmocka_unit_test(a_direction_is_a_word_too_and_the_rest_is_the_same),
        cmocka_unit_test(scores_are_higher_for_surer_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
