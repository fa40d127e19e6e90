/* SPDX-License-Identifier: Apache-2.0 */
/* test_log - how many lines a limit lets pass, also to many threads at once. */
#include "base/log.h"

#include "base/test/testing.h"

#include <pthread.h>
#include <stdio.h>

#define THREADS 8
#define TRIES 20000

static void a_burst_passes_and_the_rest_is_counted(void **state)
{
    (void)state;
    struct log_limit limit = LOG_LIMIT_INIT;
    uint64_t held_back = 99;
    limit.window_s = 3600;
    for (unsigned i = 0; i < limit.burst; i++) {
        assert_true(log_limit_pass(&limit, &held_back));
        assert_int_equal(held_back, 0);
    }
    held_back = 99;
    for (unsigned i = 0; i < 7; i++)
        assert_false(log_limit_pass(&limit, &held_back));
    assert_int_equal(held_back, 99);
    /* The window ends. */
    limit.window_start_ns -= INT64_C(3601) * 1000000000;
    assert_true(log_limit_pass(&limit, &held_back));
    assert_int_equal(held_back, 7);
    assert_true(log_limit_pass(&limit, &held_back));
    assert_int_equal(held_back, 0);
}

struct shared {
    struct log_limit limit;
    pthread_barrier_t begin;
};

static void *pass_often(void *arg)
{
    struct shared *shared = arg;
    uintptr_t passed = 0;
    uint64_t held_back;
    (void)pthread_barrier_wait(&shared->begin);
    for (unsigned i = 0; i < TRIES; i++)
        passed += log_limit_pass(&shared->limit, &held_back);
    return (void *)passed; /* NOLINT(performance-no-int-to-ptr) */
}

static void threads_share_one_burst_and_lose_no_count(void **state)
{
    (void)state;
    struct shared shared = { .limit = LOG_LIMIT_INIT };
    pthread_t threads[THREADS];
    uintptr_t passed = 0;
    shared.limit.window_s = 3600;
    assert_int_equal(pthread_barrier_init(&shared.begin, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, pass_often, &shared), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *of_thread = NULL;
        assert_int_equal(pthread_join(threads[i], &of_thread), 0);
        passed += (uintptr_t)of_thread;
    }
    (void)pthread_barrier_destroy(&shared.begin);
    assert_int_equal(passed, shared.limit.burst);
    uint64_t held_back = 0;
    shared.limit.window_start_ns -= INT64_C(3601) * 1000000000;
    assert_true(log_limit_pass(&shared.limit, &held_back));
    assert_int_equal(held_back, THREADS * TRIES - shared.limit.burst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_passes_and_the_rest_is_counted),
        cmocka_unit_test(threads_share_one_burst_and_lose_no_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
