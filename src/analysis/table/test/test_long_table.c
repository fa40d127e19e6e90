/* SPDX-License-Identifier: Apache-2.0 */
/* test_long_table - rows with a metric each become runs. */
#include "analysis/table/table.h"
#include "base/span.h"
#include "base/test/testing.h"

static const char *by[] = { "run", "host" };
static const struct sheet form = { .long_by = { by, 2 },
                                   .long_name = "metric",
                                   .long_value = "value" };
static const struct span header[] = { SPAN("run"), SPAN("host"), SPAN("metric"),
                                      SPAN("value") };

static void rows_of_a_run_come_together_in_any_order(void **state)
{
    (void)state;
    static const struct span rows[][4] = {
        { SPAN("1"), SPAN("a"), SPAN("speed"), SPAN("10") },
        { SPAN("2"), SPAN("a"), SPAN("speed"), SPAN("20") },
        { SPAN("1"), SPAN("b"), SPAN("speed"), SPAN("30") },
        { SPAN("1"), SPAN("a"), SPAN("load"), SPAN("5") },
        { SPAN("1 "), SPAN("a"), SPAN(" load"), SPAN("6") }, /* reported before */
    };
    AUTO(long_table_free) struct long_table *table = NULL;
    const struct span *fields;
    struct err err = { 0 };
    uint64_t line = 0;
    assert_int_equal(long_table_new(&form, header, 4, &table, &err), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(long_table_add(table, rows[i], i + 2, &err), 0);
    assert_int_equal(long_table_metrics(table, &fields), 2);
    assert_true(span_is(fields[0], "speed") && span_is(fields[1], "load"));
    assert_true(long_table_run(table, 0, &fields, &line));
    assert_true(line == 2 && span_is(fields[4], "10") && span_is(fields[5], "5"));
    assert_true(long_table_run(table, 1, &fields, &line));
    assert_true(line == 3 && span_is(fields[4], "20") && fields[5].size == 0);
    assert_true(long_table_run(table, 2, &fields, &line));
    assert_true(span_is(fields[1], "b") && span_is(fields[4], "30"));
    assert_false(long_table_run(table, 3, &fields, &line));
    assert_int_equal(long_table_doubles(table), 1);
}

static void names_that_are_no_columns_are_told(void **state)
{
    (void)state;
    struct sheet other = form;
    struct long_table *table = NULL;
    struct err err = { 0 };
    other.long_value = "amount";
    assert_int_equal(long_table_new(&other, header, 4, &table, &err), -EINVAL);
    assert_non_null(strstr(err.text, "'amount'"));
    assert_null(table);
}

static void more_metrics_than_columns_can_be_are_refused(void **state)
{
    (void)state;
    AUTO(long_table_free) struct long_table *table = NULL;
    struct err err = { 0 };
    int rc = long_table_new(&form, header, 4, &table, &err);
    for (int i = 0; rc == 0 && i < CSV_FIELDS_MAX; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "m%d", i);
        const struct span row[] = { SPAN("1"), SPAN("a"), span_of(name), SPAN("1") };
        rc = long_table_add(table, row, 2, &err);
    }
    assert_int_equal(rc, -E2BIG);
    assert_non_null(strstr(err.text, "'metric'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_run_come_together_in_any_order),
        cmocka_unit_test(names_that_are_no_columns_are_told),
        cmocka_unit_test(more_metrics_than_columns_can_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
