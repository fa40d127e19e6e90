/* SPDX-License-Identifier: Apache-2.0 */
/* test_rate - buckets, debts, and a table that others fill up. */
#include "base/span.h"
#include "base/test/testing.h"
#include "net/rate.h"

#include <stdio.h>

#define S INT64_C(1000000000)

static const struct rate_limit limits[RATE_KIND_COUNT] = {
    [RATE_REQUESTS] = { 10, 20 },
    [RATE_BYTES] = { 100, 1000 },
};

DEFINE_AUTO(struct rate, rate_free);

static void a_burst_passes_and_then_the_rate(void **state)
{
    (void)state;
    AUTO(rate_free) struct rate *rate = rate_new(limits);
    uint64_t key = rate_key(SPAN("oss01")), other = rate_key(SPAN("oss02"));
    for (int i = 0; i < 20; i++) {
        assert_int_equal(rate_wait_ns(rate, key, RATE_REQUESTS, S), 0);
        rate_charge(rate, key, RATE_REQUESTS, 1, S);
    }
    int64_t wait_ns = rate_wait_ns(rate, key, RATE_REQUESTS, S);
    assert_true(wait_ns > S / 10 - 1000 && wait_ns < S / 10 + 1000);
    assert_int_equal(rate_wait_ns(rate, other, RATE_REQUESTS, S), 0);
    assert_int_equal(rate_wait_ns(rate, key, RATE_REQUESTS, S + wait_ns), 0);
    /* However long the quiet time, no more than the burst. */
    for (int i = 0; i < 20; i++)
        rate_charge(rate, key, RATE_REQUESTS, 1, 1000000 * S);
    assert_true(rate_wait_ns(rate, key, RATE_REQUESTS, 1000000 * S) > 0);
}

static void what_is_larger_than_the_burst_is_paid_afterwards(void **state)
{
    (void)state;
    AUTO(rate_free) struct rate *rate = rate_new(limits);
    uint64_t key = rate_key(SPAN("oss01"));
    assert_int_equal(rate_wait_ns(rate, key, RATE_BYTES, S), 0);
    rate_charge(rate, key, RATE_BYTES, 2000, S);
    assert_true(rate_wait_ns(rate, key, RATE_BYTES, S) > 10 * S);
    assert_true(rate_wait_ns(rate, key, RATE_BYTES, 11 * S) > 0);
    assert_int_equal(rate_wait_ns(rate, key, RATE_BYTES, 12 * S), 0);
    /* Without a rate there is no limit. */
    rate_charge(rate, key, RATE_FAILURES, 1000, S);
    assert_int_equal(rate_wait_ns(rate, key, RATE_FAILURES, S), 0);
}

static void many_senders_push_out_who_is_quiet(void **state)
{
    (void)state;
    AUTO(rate_free) struct rate *rate = rate_new(limits);
    uint64_t quiet = rate_key(SPAN("quiet")), busy = rate_key(SPAN("busy"));
    rate_charge(rate, quiet, RATE_REQUESTS, 100, S);
    for (int i = 0; i < 100000; i++) {
        char name[24];
        int n = snprintf(name, sizeof name, "stranger%d", i);
        int64_t now_ns = S + i * 1000;
        rate_charge(rate, rate_key((struct span){ name, (size_t)n }), RATE_REQUESTS, 1,
                    now_ns);
        rate_charge(rate, busy, RATE_REQUESTS, 1, now_ns);
    }
    assert_true(rate_knows(rate, busy));
    assert_true(rate_wait_ns(rate, busy, RATE_REQUESTS, S) > 1000 * S);
    assert_false(rate_knows(rate, quiet));
    struct rate_stats stats;
    rate_stats(rate, &stats);
    assert_int_equal(stats.senders, RATE_SENDERS);
    assert_int_equal(stats.senders + stats.forgotten, 100002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_passes_and_then_the_rate),
        cmocka_unit_test(what_is_larger_than_the_burst_is_paid_afterwards),
        cmocka_unit_test(many_senders_push_out_who_is_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
