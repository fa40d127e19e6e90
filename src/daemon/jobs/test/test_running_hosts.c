/* SPDX-License-Identifier: Apache-2.0 */
/* test_running_hosts - which runs count as running. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "daemon/jobs/running_hosts.h"

#define HOUR (3600 * NS_PER_S)
#define DAY (24 * HOUR)
#define NOW (40000 * DAY)

static void a_run_counts_until_it_is_overdue(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t start_ns, end_ns, limit_s; /* limit 0: none */
        bool want;
    } cases[] = {
        { "it waits", JOB_TIME_NONE, JOB_TIME_NONE, 0, false },
        { "it runs", NOW - HOUR, JOB_TIME_NONE, 0, true },
        { "it has ended", NOW - HOUR, NOW - 1, 0, false },
        { "it has the rest of a day", NOW - DAY, JOB_TIME_NONE, 3600, true },
        { "its end was lost", NOW - DAY - HOUR, JOB_TIME_NONE, 3600, false },
        { "no limit, for a month", NOW - 31 * DAY, JOB_TIME_NONE, 0, true },
        { "no limit, lost", NOW - 32 * DAY, JOB_TIME_NONE, 0, false },
        { "a limit of years", NOW - 32 * DAY, JOB_TIME_NONE, 1 << 30, false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct job run = { .start_ns = cases[i].start_ns, .end_ns = cases[i].end_ns };
        if (cases[i].limit_s > 0)
            (void)job_resource_set(&run.resources, JOB_TIME_LIMIT_S, cases[i].limit_s);
        if (run_is_going_on(&run, NOW) != cases[i].want)
            fail_msg("%s", cases[i].name);
    }
}

static void before_the_records_were_read_every_host_counts(void **state)
{
    (void)state;
    struct running_hosts *running = NULL;
    assert_int_equal(running_hosts_new(&running), 0);
    assert_true(running_hosts_has(running, SPAN("alex/a1")));
    running_hosts_wake(running);
    running_hosts_stop(running);
    running_hosts_free(running);
    running_hosts_free(NULL);
    running_hosts_wake(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_counts_until_it_is_overdue),
        cmocka_unit_test(before_the_records_were_read_every_host_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
