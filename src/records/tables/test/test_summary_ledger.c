/* SPDX-License-Identifier: Apache-2.0 */
/* test_summary_ledger - a summary of a job's log becomes a row, and a row a summary. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/tables/summary_ledger.h"

static void every_column_has_a_name_of_its_own(void **state)
{
    (void)state;
    const struct ledger *ledger = ledger_summaries();
    assert_ptr_equal(ledger, ledger_summaries());
    assert_int_equal(ledger->column_count, SUMMARY_COLUMN_COUNT + 4);
    for (size_t i = 0; i < ledger->column_count; i++) {
        assert_non_null(ledger->columns[i].name);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(ledger->columns[i].name, ledger->columns[k].name);
    }
    assert_string_equal(ledger->columns[ledger->column_count - 1].name, "told_ms");
}

static void a_summary_comes_back_as_it_was_submitted(void **state)
{
    (void)state;
    struct arena arena;
    struct scalar scalars[SUMMARY_COLUMN_COUNT] = { 0 }, back[SUMMARY_COLUMN_COUNT];
    const struct summary summary = { .cluster = SPAN("alex"), .scalars = scalars };
    struct summary read = { 0 };
    arena_init(&arena, 0);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++) {
        if (i % 5 == 4 && i != SUMMARY_JOB && i != SUMMARY_LOG)
            continue; /* missing */
        if (summary_columns[i].type == SCALAR_TEXT)
            scalars[i] = scalar_text(span_of(summary_columns[i].name));
        else if (summary_columns[i].type == SCALAR_I64)
            scalars[i] = scalar_i64((int64_t)i - 3);
        else
            scalars[i] = scalar_double((double)i / 4);
    }
    const struct scalar *row = summary_ledger_row(&summary, 99, &arena);
    assert_non_null(row);
    assert_int_equal(row[ledger_summaries()->column_count - 1].i64, 99);
    summary_ledger_summary(row, back, &read);
    assert_true(span_is(read.cluster, "alex"));
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        if (!scalar_eq(summary_columns[i].type, &read.scalars[i], &scalars[i]))
            fail_msg("column %s is another", summary_columns[i].name);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_has_a_name_of_its_own),
        cmocka_unit_test(a_summary_comes_back_as_it_was_submitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
