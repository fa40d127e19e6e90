/* SPDX-License-Identifier: Apache-2.0 */
/* test_exempt - hosts that are exempt, each until a time. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "store/exempt.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>

#define NOW (INT64_C(1700000000) * NS_PER_S)
#define HOUR (3600 * NS_PER_S)

static void a_host_is_exempt_until_its_time(void **state)
{
    (void)state;
    struct exempt_hosts hosts;
    exempt_hosts_init(&hosts);
    assert_false(exempt_hosts_has(&hosts, SPAN("c/a"), NOW));
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/a"), NOW + HOUR, NOW), 0);
    assert_true(exempt_hosts_has(&hosts, SPAN("c/a"), NOW));
    assert_true(exempt_hosts_has(&hosts, SPAN("c/a"), NOW + HOUR - NS_PER_S));
    assert_false(exempt_hosts_has(&hosts, SPAN("c/a"), NOW + HOUR));
    assert_false(exempt_hosts_has(&hosts, SPAN("c/b"), NOW));
    exempt_hosts_done(&hosts);
}

static void the_last_time_counts_and_a_past_one_ends_it(void **state)
{
    (void)state;
    struct exempt_hosts hosts;
    exempt_hosts_init(&hosts);
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/a"), NOW + 2 * HOUR, NOW), 0);
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/a"), NOW + HOUR, NOW), 0);
    assert_false(exempt_hosts_has(&hosts, SPAN("c/a"), NOW + HOUR));
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/a"), NOW, NOW), 0);
    assert_false(exempt_hosts_has(&hosts, SPAN("c/a"), NOW));
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/never"), 0, NOW), 0);
    assert_int_equal(exempt_hosts_count(&hosts, NOW), 0);
    exempt_hosts_done(&hosts);
}

static void those_whose_time_is_over_are_not_counted(void **state)
{
    (void)state;
    struct exempt_hosts hosts;
    exempt_hosts_init(&hosts);
    for (int i = 0; i < 100; i++) {
        char host[16];
        (void)snprintf(host, sizeof host, "c/h%d", i);
        assert_int_equal(
            exempt_hosts_put(&hosts, span_of(host), NOW + (i + 1) * NS_PER_S, NOW), 0);
    }
    assert_int_equal(exempt_hosts_count(&hosts, NOW), 100);
    assert_int_equal(exempt_hosts_count(&hosts, NOW + 40 * NS_PER_S), 60);
    assert_int_equal(exempt_hosts_count(&hosts, NOW + HOUR), 0);
    exempt_hosts_done(&hosts);
}

static void past_the_limit_only_known_hosts_go_on(void **state)
{
    (void)state;
    struct exempt_hosts hosts;
    char host[16];
    exempt_hosts_init(&hosts);
    for (int i = 0; i < METRIC_EXEMPT_MAX; i++) {
        (void)snprintf(host, sizeof host, "c/h%d", i);
        assert_int_equal(exempt_hosts_put(&hosts, span_of(host), NOW + HOUR, NOW), 0);
    }
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/one"), NOW + HOUR, NOW), -ENOSPC);
    assert_false(exempt_hosts_has(&hosts, SPAN("c/one"), NOW));
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/h7"), NOW + 2 * HOUR, NOW), 0);
    assert_true(exempt_hosts_has(&hosts, SPAN("c/h7"), NOW + HOUR));
    /* One that ends makes room. */
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/h8"), 0, NOW), 0);
    assert_int_equal(exempt_hosts_put(&hosts, SPAN("c/one"), NOW + HOUR, NOW), 0);
    exempt_hosts_done(&hosts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_is_exempt_until_its_time),
        cmocka_unit_test(the_last_time_counts_and_a_past_one_ends_it),
        cmocka_unit_test(those_whose_time_is_over_are_not_counted),
        cmocka_unit_test(past_the_limit_only_known_hosts_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
