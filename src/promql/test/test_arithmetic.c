/* SPDX-License-Identifier: Apache-2.0 */
/* test_arithmetic - operators on numbers, parts of a date, ranks of values. */
#include "promql/arithmetic.h"
#include "promql/ranking.h"

#include "base/cleanup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void operators_give_numbers_and_truth(void **state)
{
    (void)state;
    static const struct {
        enum operation operation;
        double left, right, want;
    } cases[] = {
        { OPERATION_ADD, 2, 3, 5 },        { OPERATION_SUB, 2, 3, -1 },
        { OPERATION_MUL, 2, 3, 6 },        { OPERATION_DIV, 3, 2, 1.5 },
        { OPERATION_MOD, 7, -4, 3 },       { OPERATION_MOD, -7, 4, -3 },
        { OPERATION_POW, 2, 10, 1024 },    { OPERATION_ATAN2, 0, 1, 0 },
        { OPERATION_EQ, 2, 2, 1 },         { OPERATION_NE, 2, 2, 0 },
        { OPERATION_GT, 3, 2, 1 },         { OPERATION_LT, 3, 2, 0 },
        { OPERATION_GE, 2, 2, 1 },         { OPERATION_LE, 3, 2, 0 },
        { OPERATION_DIV, 1, 0, INFINITY },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_true(operation_of_scalars(cases[i].operation, cases[i].left,
                                         cases[i].right) == cases[i].want);
    double value = 0;
    assert_true(operation_apply(OPERATION_GT, 3, 2, &value));
    assert_true(value == 3);
    assert_false(operation_apply(OPERATION_EQ, NAN, NAN, &value));
}

static void parts_of_a_date_are_those_of_the_calendar(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        double parts[8]; /* in the order of ids */
    } cases[] = {
        { 0, { 1970, 1, 1, 1, 4, 31, 0, 0 } },
        { 951827696, { 2000, 2, 29, 60, 2, 29, 12, 34 } },
        { 1709251199, { 2024, 2, 29, 60, 4, 29, 23, 59 } },
        { 4107542400, { 2100, 3, 1, 60, 1, 31, 0, 0 } },
        { 1735689599.9, { 2024, 12, 31, 366, 2, 31, 23, 59 } },
        { -1, { 1969, 12, 31, 365, 3, 31, 23, 59 } },
        { NAN, { 292277026596, 12, 4, 339, 0, 31, 15, 30 } },
    };
    static const enum function_id ids[] = {
        FUNCTION_YEAR,        FUNCTION_MONTH,       FUNCTION_DAY_OF_MONTH,
        FUNCTION_DAY_OF_YEAR, FUNCTION_DAY_OF_WEEK, FUNCTION_DAYS_IN_MONTH,
        FUNCTION_HOUR,        FUNCTION_MINUTE,
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double *want = cases[i].parts;
        for (size_t n = 0; n < COUNT_OF(ids); n++) {
            double got = calendar_function(ids[n])(cases[i].seconds);
            if (got != want[n])
                fail_msg("%g, part %zu: got %g, want %g", cases[i].seconds, n, got,
                         want[n]);
        }
    }
    assert_null(calendar_function(FUNCTION_ABS));
}

static void functions_of_one_number_are_found(void **state)
{
    (void)state;
    assert_true(number_function(FUNCTION_SGN)(-3) == -1);
    assert_true(number_function(FUNCTION_SGN)(3) == 1);
    assert_true(isnan(number_function(FUNCTION_SGN)(NAN)));
    assert_true(number_function(FUNCTION_DEG)(M_PI) == 180);
    assert_true(number_function(FUNCTION_RAD)(180) == M_PI);
    assert_null(number_function(FUNCTION_RATE));
}

static void the_best_values_stay_in_order(void **state)
{
    (void)state;
    static const double values[] = {
        3, NAN, 1, 5, 4, 1, NAN, 9, 2, 6, 8, 7, 0, 10, 11
    };
    static const double top[] = { 11, 10, 9, 8 }, bottom[] = { 0, 1, 1, 2 };
    for (enum ranking ranking = RANKING_TOP; ranking <= RANKING_BOTTOM; ranking++) {
        struct ranked entries[4], all[COUNT_OF(values)];
        struct ranking_heap heap = { ranking, 0, 4, entries };
        for (uint32_t i = 0; i < COUNT_OF(values); i++) {
            ranking_put(&heap, (struct ranked){ values[i], i });
            all[i] = (struct ranked){ values[i], i };
        }
        assert_int_equal(heap.count, 4);
        ranking_sort(ranking, entries, 4);
        ranking_sort(ranking, all, COUNT_OF(values));
        for (size_t i = 0; i < 4; i++) {
            assert_true(entries[i].value == (ranking == RANKING_TOP ? top : bottom)[i]);
            assert_true(all[i].value == entries[i].value);
        }
        assert_true(isnan(all[COUNT_OF(values) - 1].value));
        assert_true(isnan(all[COUNT_OF(values) - 2].value));
    }
}

static void nan_is_chosen_where_nothing_else_is_left(void **state)
{
    (void)state;
    struct ranked entries[2];
    struct ranking_heap heap = { RANKING_BOTTOM, 0, 2, entries };
    ranking_put(&heap, (struct ranked){ NAN, 0 });
    ranking_put(&heap, (struct ranked){ 1, 1 });
    ranking_put(&heap, (struct ranked){ NAN, 2 });
    ranking_sort(RANKING_BOTTOM, entries, 2);
    assert_int_equal(entries[0].row, 1);
    assert_int_equal(entries[1].row, 0);
    ranking_put(&heap, (struct ranked){ 5, 3 });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_give_numbers_and_truth),
        cmocka_unit_test(parts_of_a_date_are_those_of_the_calendar),
        cmocka_unit_test(functions_of_one_number_are_found),
        cmocka_unit_test(the_best_values_stay_in_order),
        cmocka_unit_test(nan_is_chosen_where_nothing_else_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
