/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_neighbours - jobs, nodes and node-hours while a job ran, and its own. */
#include "analysis/job/job_neighbours.h"
#include "analysis/job/job_value.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

static struct job a_job(const char *cluster, const char *id, int64_t start_s,
                        int64_t end_s, uint64_t nodes)
{
    return (struct job){
        .cluster = span_of(cluster),
        .id = span_of(id),
        .user = span_of(id),
        .submit_ns = JOB_TIME_NONE,
        .start_ns = start_s * NS_PER_S,
        .end_ns = end_s * NS_PER_S,
        .node_count = nodes,
    };
}

static bool is_same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

static void node_hours_are_those_within_the_time_of_the_job(void **state)
{
    const struct job jobs[] = {
        a_job("a", "7", 3600, 7200, 4),    /* the job: 4 node-hours */
        a_job("a", "8", 0, 5400, 2),       /* half an hour of it: 1 */
        a_job("a", "9", 5400, 100000, 6),  /* the other half hour: 3 */
        a_job("a", "10", 7200, 9000, 100), /* begins as it ends */
        a_job("b", "11", 3600, 7200, 50),  /* another cluster's */
        a_job("a", "12", 3600, 7200, 0),   /* does not tell its nodes */
    };
    static const struct {
        const char *cluster, *id;
        int64_t start_s, end_s;
        int64_t jobs, nodes;
        double node_hours, own; /* NaN: unknown */
    } cases[] = {
        { "", "7", 3600, 7200, 4, 12, 8, 4 },
        { "a", "7", 3600, 7200, 4, 12, 8, 4 },
        { "a", "7", 3600, 5400, 3, 6, 3, 2 },
        { "b", "7", 3600, 7200, 1, 50, 50, NAN },
        { "", "99", 3600, 7200, 5, 62, 58, NAN },
        { "a", "12", 3600, 7200, 4, 12, 8, NAN },
        { "a", "7", 200000, 300000, JOB_I64_NONE, JOB_I64_NONE, NAN, NAN },
    };
    AUTO(job_list_done) struct job_list list;
    (void)state;
    job_list_init(&list);
    for (size_t i = 0; i < COUNT_OF(jobs); i++)
        assert_int_equal(job_list_add(&list, &jobs[i]), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct job_neighbours n;
        job_neighbours_read(&list, span_of(cases[i].cluster), cases[i].id,
                            cases[i].start_s, cases[i].end_s, &n);
        if (n.jobs != cases[i].jobs || n.nodes != cases[i].nodes ||
            !is_same(n.node_hours, cases[i].node_hours) ||
            !is_same(n.own_node_hours, cases[i].own))
            fail_msg("%zu: %lld jobs, %lld nodes, %g node-hours, own %g", i,
                     (long long)n.jobs, (long long)n.nodes, n.node_hours,
                     n.own_node_hours);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_hours_are_those_within_the_time_of_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
