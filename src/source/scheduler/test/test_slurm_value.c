/* SPDX-License-Identifier: Apache-2.0 */
/* test_slurm_value - amounts as Slurm and PBS write them. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/scheduler/slurm_value.h"

#include <errno.h>
#include <inttypes.h>

static void times_are_read_to_the_millisecond(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t want_ms; /* -1: refused */
    } cases[] = {
        { "00:00.034", 34 },
        { "00:12.345678", 12345 },
        { "02:03:04", 7384000 },
        { "1-02:03:04", 93784000 },
        { "7-00:00:00", 604800000 },
        { "26:03:01", 93781000 },
        { "01:02", 62000 },
        { "00:00:00", 0 },
        { "", -1 },
        { "5", -1 },
        { "UNLIMITED", -1 },
        { "Partition_Limit", -1 },
        { "1-", -1 },
        { "-1:00:00", -1 },
        { "1:2:3:4", -1 },
        { "1:", -1 },
        { "1:2x", -1 },
        { "1:2.", -1 },
        { "99999999-00:00:00", -1 },
        { "9999999999:00", -1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t ms = -1;
        int rc = slurm_duration_parse(span_of(cases[i].text), &ms);
        if (ms != cases[i].want_ms || (rc < 0) != (cases[i].want_ms < 0))
            fail_msg("'%s': %d, %" PRId64, cases[i].text, rc, ms);
    }
}

static void sizes_are_of_1024(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t want; /* -1: refused */
    } cases[] = {
        { "0", 0 },
        { "12664832", 12664832 },
        { "12345K", 12641280 },
        { "123kb", 125952 },
        { "190000M", INT64_C(199229440000) },
        { "1.5T", INT64_C(1649267441664) },
        { "4GB", INT64_C(4294967296) },
        { "16b", 16 },
        { "", -1 },
        { "M", -1 },
        { "1.2.3G", -1 },
        { "4X", -1 },
        { "4GG", -1 },
        { "-4G", -1 },
        { "9999999E", -1 },
        { "nan", -1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t bytes = -1;
        int rc = slurm_size_parse(span_of(cases[i].text), &bytes);
        if (bytes != cases[i].want || (rc < 0) != (cases[i].want < 0))
            fail_msg("'%s': %d, %" PRId64, cases[i].text, rc, bytes);
    }
}

static int64_t value_of(const struct job_resources *r, enum job_resource what)
{
    return job_resource_known(r, what) ? r->value[what] : -1;
}

static void lists_of_resources_give_cpus_memory_and_gpus(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t cpus, memory, gpus;
    } cases[] = {
        { "billing=4,cpu=4,mem=8G,node=1", 4, INT64_C(8589934592), 0 },
        { "cpu=4,gres/gpu=2,gres/gpu:a100=2", 4, -1, 2 },
        { "cpu=4,gres/gpu:a100=2,gres/gpu:v100=1", 4, -1, 3 },
        { "gres/gpu:a100=2", -1, -1, -1 },
        { "cpu=x,mem=1K,gres/gpumem=4G", -1, 1024, -1 },
        { "cpu=8,gres/gpuutil=4", 8, -1, 0 },
        { "", -1, -1, -1 },
        { ",,=,cpu,=4,/=2", -1, -1, -1 },
        { "cpu=99999999999999999999", -1, -1, -1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct job_resources r = { 0 };
        slurm_tres_parse(span_of(cases[i].text), &r);
        if (value_of(&r, JOB_CPUS) != cases[i].cpus ||
            value_of(&r, JOB_MEMORY_BYTES) != cases[i].memory ||
            value_of(&r, JOB_GPUS) != cases[i].gpus)
            fail_msg("'%s': %" PRId64 " %" PRId64 " %" PRId64, cases[i].text,
                     value_of(&r, JOB_CPUS), value_of(&r, JOB_MEMORY_BYTES),
                     value_of(&r, JOB_GPUS));
    }
}

static void what_is_known_stays(void **state)
{
    (void)state;
    struct job_resources r = { 0 };
    slurm_tres_parse(SPAN("cpu=4"), &r);
    slurm_tres_parse(SPAN("cpu=8,mem=1M"), &r);
    assert_int_equal(value_of(&r, JOB_CPUS), 4);
    assert_int_equal(value_of(&r, JOB_MEMORY_BYTES), 1048576);
}

static void the_memory_of_a_list_of_what_was_used(void **state)
{
    (void)state;
    int64_t bytes = -1;
    assert_int_equal(
        slurm_tres_memory(SPAN("cpu=00:01:02,fs/disk=7,mem=12368K"), &bytes), 0);
    assert_int_equal(bytes, 12368 * 1024);
    assert_int_equal(slurm_tres_memory(SPAN("cpu=1,vmem=12K"), &bytes), -ENOENT);
    assert_int_equal(slurm_tres_memory(SPAN(""), &bytes), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read_to_the_millisecond),
        cmocka_unit_test(sizes_are_of_1024),
        cmocka_unit_test(lists_of_resources_give_cpus_memory_and_gpus),
        cmocka_unit_test(what_is_known_stays),
        cmocka_unit_test(the_memory_of_a_list_of_what_was_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
