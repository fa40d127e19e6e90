/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_resources - what is known of a job's resources, and what is not. */
#include "base/test/testing.h"
#include "model/job_resources.h"

#include <math.h>

static void a_struct_of_zeros_knows_nothing(void **state)
{
    (void)state;
    const struct job_resources r = { 0 };
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++) {
        assert_false(job_resource_known(&r, i));
        assert_non_null(job_resource_names[i]);
    }
    assert_true(isnan(job_cpu_share(&r, 10)));
    assert_true(isnan(job_memory_share(&r)));
}

static void no_gpu_is_another_thing_than_unknown(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    assert_true(job_resource_set(&r, JOB_GPUS, 0));
    assert_true(job_resource_known(&r, JOB_GPUS));
    job_resource_add(&r, JOB_GPUS, 4);
    assert_int_equal(r.value[JOB_GPUS], 0);
}

static void impossible_values_stay_unknown(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    assert_false(job_resource_set(&r, JOB_CPUS, -1));
    assert_false(job_resource_set(&r, JOB_CPUS, JOB_RESOURCE_MAX + 1));
    assert_int_equal(r.known, 0);
    assert_true(job_resource_set(&r, JOB_CPUS, JOB_RESOURCE_MAX));
}

static void the_higher_peak_holds_in_any_order(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    job_resource_raise(&r, JOB_MEMORY_PEAK_BYTES, 5);
    job_resource_raise(&r, JOB_MEMORY_PEAK_BYTES, 9);
    job_resource_raise(&r, JOB_MEMORY_PEAK_BYTES, 7);
    assert_int_equal(r.value[JOB_MEMORY_PEAK_BYTES], 9);
}

static void what_one_does_not_know_the_other_brings(void **state)
{
    (void)state;
    struct job_resources a = { 0 }, b = { 0 };
    (void)job_resource_set(&a, JOB_CPUS, 4);
    (void)job_resource_set(&b, JOB_CPUS, 8);
    (void)job_resource_set(&b, JOB_ENERGY_J, 100);
    job_resources_unite(&a, &b);
    assert_int_equal(a.value[JOB_CPUS], 4);
    assert_int_equal(a.value[JOB_ENERGY_J], 100);
    assert_false(job_resource_known(&a, JOB_GPUS));
}

static void shares_are_of_what_was_allocated(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    (void)job_resource_set(&r, JOB_CPUS, 4);
    (void)job_resource_set(&r, JOB_CPU_TIME_MS, 30000);
    (void)job_resource_set(&r, JOB_MEMORY_BYTES, 400);
    (void)job_resource_set(&r, JOB_MEMORY_PEAK_BYTES, 100);
    assert_float_equal(job_cpu_share(&r, 10), 0.75, 1e-12);
    assert_float_equal(job_memory_share(&r), 0.25, 1e-12);
    assert_true(isnan(job_cpu_share(&r, 0)));
    (void)job_resource_set(&r, JOB_MEMORY_BYTES, 0);
    assert_true(isnan(job_memory_share(&r)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_struct_of_zeros_knows_nothing),
        cmocka_unit_test(no_gpu_is_another_thing_than_unknown),
        cmocka_unit_test(impossible_values_stay_unknown),
        cmocka_unit_test(the_higher_peak_holds_in_any_order),
        cmocka_unit_test(what_one_does_not_know_the_other_brings),
        cmocka_unit_test(shares_are_of_what_was_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
