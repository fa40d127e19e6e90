/* SPDX-License-Identifier: Apache-2.0 */
/* test_schedule - which BMC is read next, and when. */
#include "base/number.h"
#include "base/test/testing.h"
#include "bmc/schedule.h"

#define COUNT 100

static struct schedule *schedule_of(size_t in_flight)
{
    struct schedule *s = NULL;
    const struct schedule_opts opts = { .count = COUNT,
                                        .in_flight = in_flight,
                                        .backoff_max_ns = 600 * NS_PER_S };
    assert_int_equal(schedule_new(&opts, &s), 0);
    for (size_t i = 0; i < COUNT; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "alex/a%zu", i);
        schedule_add(s, i, name, 60 * NS_PER_S, 0);
    }
    return s;
}

static void they_are_spread_over_the_interval(void **state)
{
    (void)state;
    AUTO(schedule_free) struct schedule *s = schedule_of(8);
    size_t index, in_half = 0, count = 0;
    int64_t due_ns = 0;
    while (schedule_next(s, 30 * NS_PER_S, &index, &due_ns)) {
        schedule_done(s, index, true, 30 * NS_PER_S);
        in_half++;
    }
    assert_in_range(in_half, COUNT / 4, 3 * COUNT / 4);
    while (schedule_next(s, 60 * NS_PER_S, &index, &due_ns) && count < COUNT)
        count++;
    assert_int_equal(in_half + count, COUNT);
}

static void each_comes_once_an_interval(void **state)
{
    (void)state;
    AUTO(schedule_free) struct schedule *s = schedule_of(8);
    unsigned readings[COUNT] = { 0 };
    for (int64_t t = 0; t < 600; t++) {
        size_t index;
        int64_t due_ns;
        while (schedule_next(s, t * NS_PER_S, &index, &due_ns)) {
            readings[index]++;
            schedule_done(s, index, true, t * NS_PER_S);
        }
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_in_range(readings[i], 9, 11);
}

static void silent_ones_come_seldom_and_hold_half_of_the_threads(void **state)
{
    (void)state;
    AUTO(schedule_free) struct schedule *s = schedule_of(8);
    unsigned readings = 0;
    for (int64_t t = 0; t < 6000; t++) {
        size_t index;
        int64_t due_ns;
        while (schedule_next(s, t * NS_PER_S, &index, &due_ns)) {
            readings++;
            schedule_done(s, index, false, t * NS_PER_S);
        }
    }
    /* 60, 120, 240, 480, then 600 seconds apart, in place of a hundred times. */
    assert_in_range(readings / COUNT, 10, 16);
    struct schedule_counts counts;
    schedule_count(s, 0, &counts);
    assert_int_equal(counts.silent, COUNT);
    size_t index, taken = 0;
    int64_t due_ns;
    while (taken < COUNT && schedule_next(s, 100000 * NS_PER_S, &index, &due_ns))
        taken++;
    assert_int_equal(taken, 4);
    assert_int_equal(due_ns, INT64_MAX);
}

static void one_that_is_hurried_is_due_now(void **state)
{
    (void)state;
    AUTO(schedule_free) struct schedule *s = schedule_of(8);
    size_t index = COUNT;
    int64_t due_ns;
    while (schedule_next(s, 60 * NS_PER_S, &index, &due_ns))
        schedule_done(s, index, true, 60 * NS_PER_S);
    schedule_hurry(s, 17, 61 * NS_PER_S - 1);
    for (;;) {
        assert_true(schedule_next(s, 61 * NS_PER_S, &index, &due_ns));
        if (index == 17)
            break;
    }
    schedule_hurry(s, 17, 61 * NS_PER_S);
    schedule_done(s, 17, true, 61 * NS_PER_S);
    bool is_there = false;
    while (schedule_next(s, 61 * NS_PER_S, &index, &due_ns))
        is_there |= index == 17;
    assert_true(is_there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_spread_over_the_interval),
        cmocka_unit_test(each_comes_once_an_interval),
        cmocka_unit_test(silent_ones_come_seldom_and_hold_half_of_the_threads),
        cmocka_unit_test(one_that_is_hurried_is_due_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
