/* SPDX-License-Identifier: Apache-2.0 */
/* test_submitted - what is submitted to a ledger: counted, refused, of which age. */
#include "records/submitted.h"

#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/records_private.h"

#define NOW_MS INT64_C(1700000000000)
#define HOUR_NS (INT64_C(3600) * NS_PER_S)

static struct records records;

static int begin(void **state)
{
    (void)state;
    records = (struct records){ .opts = { .retention_jobs_ns = 2 * HOUR_NS } };
    arena_init(&records.arena, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&records.arena);
    return 0;
}

static void more_than_allowed_at_once_is_refused(void **state)
{
    (void)state;
    struct submission put;
    struct err err = { 0 };
    assert_int_equal(submission_begin(&put, &records, &ledger_jobs, 3, 3, NOW_MS, &err),
                     0);
    assert_int_equal(submission_begin(&put, &records, &ledger_jobs, 4, 3, NOW_MS, &err),
                     -EMSGSIZE);
    assert_non_null(strstr(err.text, "4 at once, 3 are allowed"));
}

static void age_is_held_against_retention_and_the_clock(void **state)
{
    (void)state;
    static const int64_t now_ns = NOW_MS * NS_PER_MS;
    static const struct {
        int64_t t_ns;
        const char *reason; /* NULL: it is stored */
    } cases[] = {
        { INT64_MIN, NULL },
        { now_ns, NULL },
        { now_ns - 2 * HOUR_NS, NULL },
        { now_ns - 2 * HOUR_NS - 1, "retention_jobs" },
        { 0, "retention_jobs" },
        { now_ns + RECORDS_FUTURE_MS * NS_PER_MS, NULL },
        { now_ns + RECORDS_FUTURE_MS * NS_PER_MS + 1, "still to come" },
        { INT64_MAX, "still to come" },
    };
    struct submission put;
    assert_int_equal(submission_begin(&put, &records, &ledger_jobs, 0, 1, NOW_MS, NULL),
                     0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *reason = submission_check_age(&put, cases[i].t_ns);
        if (!reason != !cases[i].reason || (reason && !strstr(reason, cases[i].reason)))
            fail_msg("case %zu: %s", i, reason ? reason : "stored");
    }
}

static void without_retention_nothing_is_too_old(void **state)
{
    (void)state;
    struct submission put;
    records.opts.retention_jobs_ns = 0;
    assert_int_equal(submission_begin(&put, &records, &ledger_jobs, 0, 1, NOW_MS, NULL),
                     0);
    assert_null(submission_check_age(&put, 0));
    assert_null(submission_check_age(&put, -HOUR_NS));
}

static void all_refusals_are_counted_and_the_first_are_listed(void **state)
{
    (void)state;
    struct submission put;
    assert_int_equal(submission_begin(&put, &records, &ledger_jobs, 0, 1, NOW_MS, NULL),
                     0);
    for (size_t i = 0; i < RECORDS_SUBMISSION_REFUSALS_MAX + 3; i++)
        submission_refuse(&put, 2 * i, "a reason");
    assert_int_equal(put.result.refused, RECORDS_SUBMISSION_REFUSALS_MAX + 3);
    assert_int_equal(put.result.refusal_count, RECORDS_SUBMISSION_REFUSALS_MAX);
    assert_int_equal(put.result.refusals[1].index, 2);
    assert_string_equal(put.result.refusals[1].reason, "a reason");
}

static void terms_are_of_what_is_wanted(void **state)
{
    (void)state;
    struct ledger_terms terms = { 0 };
    terms_add_text(&terms, "\"user\" = @", (struct span){ 0 });
    assert_int_equal(terms.count, 0);
    terms_add_text(&terms, "\"user\" = @", SPAN(""));
    terms_add_i64(&terms, "end_ns >= @", 0);
    assert_int_equal(terms.count, 2);
    assert_int_equal(terms.terms[0].type, SCALAR_TEXT);
    assert_int_equal(terms.terms[1].type, SCALAR_I64);
    assert_int_equal(terms.terms[1].value.i64, 0);
    assert_string_equal(terms.terms[1].sql, "end_ns >= @");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(more_than_allowed_at_once_is_refused, begin,
                                        end),
        cmocka_unit_test_setup_teardown(age_is_held_against_retention_and_the_clock,
                                        begin, end),
        cmocka_unit_test_setup_teardown(without_retention_nothing_is_too_old, begin,
                                        end),
        cmocka_unit_test_setup_teardown(
            all_refusals_are_counted_and_the_first_are_listed, begin, end),
        cmocka_unit_test(terms_are_of_what_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
