/* SPDX-License-Identifier: Apache-2.0 */
/* test_scrape_target - when a target is due. */
#include "ingest/scrape_target.h"

#include "base/number.h"
#include "base/test/testing.h"

#define NOW (INT64_C(1700000003) * NS_PER_S)

static void a_target_is_due_once_an_interval_at_its_own_moment(void **state)
{
    static const int64_t intervals_s[] = { 1, 10, 60, 3600 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(intervals_s); i++) {
        struct scrape_section section = { .opts.interval_ns =
                                              intervals_s[i] * NS_PER_S };
        char url[] = "http://n1:9100/metrics";
        const struct scrape_target target = { .section = &section, .url = url };
        int64_t interval_ns = section.opts.interval_ns;
        int64_t due_ns = scrape_target_next_due(&target, NOW);
        assert_true(due_ns > NOW && due_ns <= NOW + interval_ns);
        assert_true(scrape_target_next_due(&target, due_ns) == due_ns + interval_ns);
        assert_true(scrape_target_next_due(&target, due_ns - 1) == due_ns);
        /* The same after a start at another time. */
        assert_true(
            (scrape_target_next_due(&target, NOW + 12345) - due_ns) % interval_ns == 0);
    }
}

static void many_targets_are_spread_over_the_interval(void **state)
{
    (void)state;
    struct scrape_section section = { .opts.interval_ns = 10 * NS_PER_S };
    bool is_used[10] = { false };
    for (int i = 0; i < 200; i++) {
        char url[40];
        (void)snprintf(url, sizeof url, "http://n%d:9100/metrics", i);
        const struct scrape_target target = { .section = &section, .url = url };
        int64_t due_ns = scrape_target_next_due(&target, NOW);
        is_used[due_ns % (10 * NS_PER_S) / NS_PER_S] = true;
    }
    for (size_t i = 0; i < COUNT_OF(is_used); i++)
        assert_true(is_used[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_is_due_once_an_interval_at_its_own_moment),
        cmocka_unit_test(many_targets_are_spread_over_the_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
