/* SPDX-License-Identifier: Apache-2.0 */
/* test_local_quota - what one user submits counts for no other. */
#include "agent/local/local_quota.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdio.h>

static struct local_quota quota;

static void a_user_has_a_burst_and_then_a_rate(void **state)
{
    int64_t now_ns = 1;
    (void)state;
    quota = (struct local_quota){ 0 };
    for (int i = 0; i < LOCAL_BURST; i++)
        assert_true(local_quota_request(&quota, 1000, now_ns));
    for (int i = 0; i < 1000; i++)
        assert_false(local_quota_request(&quota, 1000, now_ns));
    assert_true(local_quota_request(&quota, 1001, now_ns));
    int accepted = 0;
    for (int i = 0; i < 1000; i++) {
        now_ns += 10 * NS_PER_MS;
        accepted += local_quota_request(&quota, 1000, now_ns);
    }
    assert_in_range(accepted, 10 * LOCAL_RATE - 1, 10 * LOCAL_RATE + 1);
}

static void many_users_take_nothing_from_those_that_are_there(void **state)
{
    (void)state;
    quota = (struct local_quota){ 0 };
    for (uid_t uid = 0; uid < LOCAL_USERS_MAX; uid++)
        assert_true(local_quota_request(&quota, uid, 1));
    assert_false(local_quota_request(&quota, 5000, 2));
    assert_true(local_quota_request(&quota, 0, 3));
    /* Who has been silent for long enough to have all again is forgotten. */
    assert_true(local_quota_request(&quota, 5000, 11 * NS_PER_S));
}

static void a_job_has_so_many_metrics(void **state)
{
    char name[16];
    (void)state;
    quota = (struct local_quota){ 0 };
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < LOCAL_NAMES_OF_JOB + 3; i++) {
            (void)snprintf(name, sizeof name, "m%d", i);
            bool is_allowed = i < LOCAL_NAMES_OF_JOB;
            assert_int_equal(local_quota_metric(&quota, "7", span_of(name), round + 1),
                             is_allowed);
        }
        assert_true(local_quota_metric(&quota, "8", SPAN("m99"), round + 1));
    }
    /* After an hour without a sample a name is free again. */
    assert_true(local_quota_metric(&quota, "7", SPAN("m99"), 3601 * NS_PER_S));
    for (int job = 0; job < LOCAL_NAMES_MAX - 1; job++) {
        (void)snprintf(name, sizeof name, "%d", 100 + job);
        assert_true(local_quota_metric(&quota, name, SPAN("m"), 3601 * NS_PER_S));
    }
    assert_false(local_quota_metric(&quota, "5", SPAN("m"), 3601 * NS_PER_S));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_has_a_burst_and_then_a_rate),
        cmocka_unit_test(many_users_take_nothing_from_those_that_are_there),
        cmocka_unit_test(a_job_has_so_many_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
