/* SPDX-License-Identifier: Apache-2.0 */
/* test_floor - floors against all pairs, and what has none. */
#include "analysis/climate/floor.h"

#include "base/cleanup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 400 };

struct table {
    struct run runs[RUNS];
    struct run_set sets[2];
    struct runs all;
};

/* count runs in the first set, the others in the second; alike by i % groups. */
static void table_fill(struct table *t, size_t count, size_t groups)
{
    uint64_t random = 7;
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < RUNS; i++) {
        random = random * UINT64_C(6364136223846793005) + 99;
        t->runs[i] = (struct run){ .t_ns = (int64_t)i,
                                   .raw = 1 + (double)(random >> 40),
                                   .alike = 1 + i % groups,
                                   .set = i >= count,
                                   .id = "" };
    }
    t->sets[0] = (struct run_set){ .name = "one", .first = 0, .count = count };
    t->sets[1] =
        (struct run_set){ .name = "two", .first = count, .count = RUNS - count };
    t->all = (struct runs){
        .runs = t->runs, .count = RUNS, .sets = t->sets, .set_count = 2
    };
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of groups of one size, each pair counts alike: the quantile by sorting all. */
static double brute_q95(const struct table *t, size_t first, size_t count)
{
    AUTO_FREE double *pairs = calloc(count * count, sizeof *pairs);
    size_t n = 0;
    for (size_t i = first; i < first + count; i++)
        for (size_t k = i + 1; k < first + count; k++)
            if (t->runs[i].alike == t->runs[k].alike)
                pairs[n++] = fmax(t->runs[i].raw, t->runs[k].raw) /
                             fmin(t->runs[i].raw, t->runs[k].raw);
    qsort(pairs, n, sizeof *pairs, by_value);
    return pairs[(size_t)ceil(0.95 * (double)n) - 1];
}

static void floors_are_those_of_all_pairs(void **state)
{
    (void)state;
    static const struct {
        size_t count, groups;
    } cases[] = { { 100, 1 }, { 120, 4 }, { 100, 10 }, { 90, 3 } };
    struct table *t = calloc(1, sizeof *t);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(floors_done) struct floors floors = { 0 };
        table_fill(t, cases[i].count, cases[i].groups);
        assert_int_equal(floors_make(&t->all, &floors), 0);
        assert_int_equal(floors.sets[0].groups, cases[i].groups);
        double want = brute_q95(t, 0, cases[i].count);
        assert_true(fabs(floors.sets[0].any.q95 - want) < 1e-9 * want);
        assert_true(floor_timed(&floors.sets[0]) == floors.sets[0].any.q95 - 1);
    }
    free(t);
}

static void what_lacks_a_counter_or_is_wanted_has_no_part(void **state)
{
    (void)state;
    AUTO(floors_done) struct floors floors = { 0 };
    struct table *t = calloc(1, sizeof *t);
    table_fill(t, 10, 1);
    t->runs[3].alike = 0;
    t->runs[4].raw = 0;
    t->runs[5].wanted = 1;
    t->runs[5].raw = 1e30;
    assert_int_equal(floors_make(&t->all, &floors), 0);
    assert_int_equal(floors.sets[0].runs, 7);
    assert_int_equal(floors.sets[0].unknown_runs, 2);
    assert_true(floors.sets[0].any.q99 < 1e20);
    free(t);
}

static void a_set_of_few_pairs_has_the_floor_of_all(void **state)
{
    (void)state;
    AUTO(floors_done) struct floors floors = { 0 };
    AUTO(floors_done) struct floors none = { 0 };
    struct table *t = calloc(1, sizeof *t);
    table_fill(t, 4, 1);
    assert_int_equal(floors_make(&t->all, &floors), 0);
    assert_ptr_equal(floors_find(&floors, "one"), &floors.all);
    assert_ptr_equal(floors_find(&floors, "two"), &floors.sets[1]);
    assert_ptr_equal(floors_find(&floors, "three"), &floors.all);
    assert_ptr_equal(floors_find(&floors, NULL), &floors.all);
    table_fill(t, 4, RUNS);
    assert_int_equal(floors_make(&t->all, &none), 0);
    assert_null(floors_find(&none, "two"));
    assert_true(isnan(none.all.any.median));
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors_are_those_of_all_pairs),
        cmocka_unit_test(what_lacks_a_counter_or_is_wanted_has_no_part),
        cmocka_unit_test(a_set_of_few_pairs_has_the_floor_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
