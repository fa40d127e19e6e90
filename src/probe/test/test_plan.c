/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan - how much a probe writes, and whether it can end. */
#include "probe/plan.h"

#include "base/cleanup.h"
#include "base/number.h"

#include "base/test/testing.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_HOUR (INT64_C(3600) * NS_PER_S)

static uint64_t written_bytes(const struct plan *plan, const struct shape *shape)
{
    return shape_rank_bytes(shape, SHAPE_WRITE, plan_items(plan, shape)) *
           plan->processes;
}

static void a_size_wins_over_the_peak_and_this_over_the_shape(void **state)
{
    (void)state;
    for (size_t i = 0; i < shape_count; i++) {
        const struct shape *shape = shapes[i];
        struct plan plan = { .processes = 4, .measure_ns = 10 * NS_PER_S };
        assert_int_equal(written_bytes(&plan, shape),
                         4 * shape_rank_bytes(shape, SHAPE_WRITE, shape->items));
        plan.peak_bytes_per_s = 1e9;
        uint64_t at_peak = written_bytes(&plan, shape);
        assert_in_range(at_peak, 9000000000, 11000000000);
        plan.size_bytes = UINT64_C(4) << 30;
        assert_in_range(written_bytes(&plan, shape), (uint64_t)3 << 30,
                        (uint64_t)5 << 30);
    }
}

static void what_cannot_end_is_not_begun(void **state)
{
    const struct shape *shape = shapes[0];
    struct plan plan = { .processes = 2,
                         .peak_bytes_per_s = 1e6,
                         .measure_ns = 10 * NS_PER_S,
                         .deadline_ns = 100 * NS_PER_S,
                         .file_system = "scratch" };
    uint64_t items = plan_items(&plan, shape);
    struct err err = { 0 };
    (void)state;
    assert_int_equal(plan_check(&plan, shape, items, 0, &err), 0);
    assert_int_equal(plan_check(&plan, shape, items, 99 * NS_PER_S, &err), -ETIME);
    assert_non_null(strstr(err.text, "at the peak of 'scratch'"));
    assert_int_equal(plan_check(&plan, shape, items, 200 * NS_PER_S, &err), -ETIME);
    assert_non_null(strstr(err.text, " 0.0 s of the core-hours are left"));
    plan.deadline_ns = 0;
    assert_int_equal(plan_check(&plan, shape, items, 99 * NS_PER_S, &err), 0);
    plan.deadline_ns = 1;
    plan.peak_bytes_per_s = 0.0; /* not known */
    assert_int_equal(plan_check(&plan, shape, items, 99 * NS_PER_S, &err), 0);
}

static void core_hours_are_of_all_processes(void **state)
{
    (void)state;
    assert_int_equal(plan_deadline_ns(7, 0.0, 4), 0);
    assert_int_equal(plan_deadline_ns(7, 2.0, 4), 7 + NS_PER_HOUR / 2);
    assert_true(plan_core_hours(NS_PER_HOUR / 2, 4) == 2.0);
    assert_true(plan_core_hours(0, 4) == 0.0);
}

static void an_id_has_time_process_and_probe(void **state)
{
    char id[PLAN_ID_BYTES];
    char want[PLAN_ID_BYTES];
    (void)state;
    plan_probe_id(id, 1700000000 * NS_PER_S + 123456789, 42, shapes[0]);
    (void)snprintf(want, sizeof want, "20231114T221320Z-42-%s", shapes[0]->name);
    assert_string_equal(id, want);
}

static void probes_are_chosen_by_name(void **state)
{
    char hacc[] = "hacc", vpic[] = "vpic", none[] = "none";
    char *const two[] = { vpic, hacc };
    char *const bad[] = { hacc, none };
    char *many[64];
    const struct shape *wanted[64];
    size_t count = 77;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(plan_choose(0, NULL, wanted, &count, &err), 0);
    assert_int_equal(count, shape_count);
    assert_int_equal(plan_choose(2, two, wanted, &count, &err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(wanted[0]->name, "vpic");
    assert_int_equal(plan_choose(2, bad, wanted, &count, &err), -EINVAL);
    assert_string_equal(err.text, "there is no probe 'none': see --list");
    assert_int_equal(count, 2);
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = hacc;
    assert_int_equal(plan_choose((int)shape_count + 1, many, wanted, &count, &err),
                     -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_wins_over_the_peak_and_this_over_the_shape),
        cmocka_unit_test(what_cannot_end_is_not_begun),
        cmocka_unit_test(core_hours_are_of_all_processes),
        cmocka_unit_test(an_id_has_time_process_and_probe),
        cmocka_unit_test(probes_are_chosen_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
