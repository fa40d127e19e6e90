/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock_offset - a planted offset is found again, and none is claimed of noise. */
#include "analysis/job/job.h"
#include "base/test/testing.h"

#include <math.h>

#define STEP 5
#define STEPS 600
#define START INT64_C(1500000000)

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* A job of two minutes that writes in three bursts of unlike length. */
static void job_make(struct job_traffic *job, double *bytes, int64_t start_s)
{
    *job = (struct job_traffic){ .start_s = start_s, .count = 120, .bytes = bytes };
    for (size_t i = 0; i < job->count; i++)
        bytes[i] = (i > 10 && i < 25) || (i > 50 && i < 58) || i > 95 ? 1e6 : 0;
}

/* What servers see from START on: others' noise, and the job, late by offset_s. */
static void servers_make(double *servers, const struct job_traffic *job,
                         int64_t offset_s, double noise, uint64_t *random)
{
    for (size_t i = 0; i < STEPS; i++)
        servers[i] = noise * (double)(next_random(random) % 1000) / 1000;
    for (size_t i = 0; i < job->count; i++)
        servers[(job->start_s + (int64_t)i + offset_s - START) / STEP] += job->bytes[i];
}

static void a_planted_offset_is_found(void **state)
{
    (void)state;
    static const struct {
        int64_t offset_s;
        double noise;
        size_t jobs;
        size_t holes; /* every so many steps one is missing; 0: none */
    } cases[] = {
        { 0, 0, 1, 0 },     { 35, 0, 1, 0 },     { -200, 1e6, 1, 0 },
        { 295, 4e6, 2, 0 }, { -35, 8e6, 12, 0 }, { 100, 1e6, 3, 7 },
    };
    uint64_t random = 3;
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        AUTO(clock_estimate_done) struct clock_estimate e = { 0 };
        struct clock_answer answer;
        double bytes[120];
        static double servers[STEPS];
        assert_int_equal(clock_estimate_init(&e, STEP, 300), 0);
        for (size_t i = 0; i < cases[c].jobs; i++) {
            struct job_traffic job;
            job_make(&job, bytes, START + 1400 + (int64_t)i * STEP);
            servers_make(servers, &job, cases[c].offset_s, cases[c].noise, &random);
            for (size_t s = 0; cases[c].holes && s < STEPS; s += cases[c].holes)
                servers[s] = NAN;
            assert_int_equal(clock_estimate_add(&e, &job, START, servers, STEPS), 0);
        }
        assert_int_equal(clock_estimate_get(&e, &answer), 0);
        if (answer.offset_s != cases[c].offset_s || e.jobs != cases[c].jobs)
            fail_msg("case %zu: %lld s, r %g", c, (long long)answer.offset_s, answer.r);
        if (cases[c].noise <= 1e6 && !answer.is_clear)
            fail_msg("case %zu: not clear: %g, %g", c, answer.r, answer.next_r);
    }
}

static void of_noise_nothing_is_claimed(void **state)
{
    (void)state;
    uint64_t random = 8;
    size_t claimed = 0;
    for (size_t round = 0; round < 200; round++) {
        AUTO(clock_estimate_done) struct clock_estimate e = { 0 };
        struct clock_answer answer;
        struct job_traffic job;
        double bytes[120];
        static double servers[STEPS];
        job_make(&job, bytes, START + 1400);
        for (size_t i = 0; i < STEPS; i++)
            servers[i] = (double)(next_random(&random) % 1000);
        assert_int_equal(clock_estimate_init(&e, STEP, 300), 0);
        assert_int_equal(clock_estimate_add(&e, &job, START, servers, STEPS), 0);
        assert_int_equal(clock_estimate_get(&e, &answer), 0);
        claimed += answer.is_clear;
    }
    if (claimed > 2)
        fail_msg("of 200 rounds of noise %zu were claimed", claimed);
}

static void of_another_time_there_is_no_answer(void **state)
{
    (void)state;
    AUTO(clock_estimate_done) struct clock_estimate e = { 0 };
    struct clock_answer answer;
    struct job_traffic job;
    double bytes[120];
    double servers[10] = { 0 };
    job_make(&job, bytes, START);
    assert_int_equal(clock_estimate_init(&e, STEP, 300), 0);
    assert_int_equal(clock_estimate_add(&e, &job, START + 864000, servers, 10), 0);
    assert_int_equal(clock_estimate_get(&e, &answer), -ENODATA);
    assert_int_equal(clock_estimate_init(&e, 0, 300), -EINVAL);
    assert_int_equal(clock_estimate_init(&e, 1, 1000000), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_offset_is_found),
        cmocka_unit_test(of_noise_nothing_is_claimed),
        cmocka_unit_test(of_another_time_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
