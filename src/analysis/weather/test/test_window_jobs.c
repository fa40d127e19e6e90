/* SPDX-License-Identifier: Apache-2.0 */
/* test_window_jobs - the jobs of a window, the largest first. */
#include "analysis/weather/window_jobs.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

static struct job a_job(const char *cluster, const char *id, int64_t start_s,
                        int64_t end_s, uint64_t nodes)
{
    return (struct job){
        .cluster = span_of(cluster),
        .id = span_of(id),
        .submit_ns = JOB_TIME_NONE,
        .start_ns = start_s * NS_PER_S,
        .end_ns = end_s < 0 ? JOB_TIME_NONE : end_s * NS_PER_S,
        .node_count = nodes,
    };
}

static void jobs_make(struct job_list *list)
{
    const struct job jobs[] = {
        a_job("a", "small", 0, 7200, 1),      /* 1 h within 3600..7200: 1 node-hour */
        a_job("a", "large", 3600, 5400, 8),   /* 0.5 h: 4 */
        a_job("a", "running", 5400, -1, 6),   /* to the end: 3 */
        a_job("a", "after", 7200, 9000, 100), /* begins as the window ends */
        a_job("b", "other", 3600, 7200, 2),   /* 2, of another cluster */
        a_job("a", "unknown", 3600, 7200, 0), /* its nodes are unknown: 0 */
        a_job("a", "equal", 3600, 7200, 1),   /* 1 as well, later in the list */
    };
    job_list_init(list);
    for (size_t i = 0; i < COUNT_OF(jobs); i++)
        assert_int_equal(job_list_add(list, &jobs[i]), 0);
}

static void the_most_node_hours_come_first(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        double node_hours;
    } expected[] = { { "large", 4 }, { "running", 3 }, { "other", 2 },
                     { "small", 1 }, { "equal", 1 },   { "unknown", 0 } };
    AUTO(job_list_done) struct job_list list;
    AUTO(window_jobs_done) struct window_jobs w = { 0 };
    jobs_make(&list);
    const struct job_query query = { .from_ns = 3600 * NS_PER_S,
                                     .to_ns = 7200 * NS_PER_S };
    assert_int_equal(window_jobs_make(&list, &query, &w), 0);
    assert_int_equal(w.count, COUNT_OF(expected));
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        if (!span_is(w.jobs[i].job->id, expected[i].id) ||
            w.jobs[i].node_hours != expected[i].node_hours)
            fail_msg("%zu: " SPAN_FMT " %g", i, SPAN_ARG(w.jobs[i].job->id),
                     w.jobs[i].node_hours);
    }
    assert_true(w.node_hours == 11); /* 4 + 3 + 2 + 1 + 1 */
}

static void a_query_limits_them(void **state)
{
    (void)state;
    static const struct {
        const char *cluster;
        int64_t from_s, to_s;
        size_t count;
        double node_hours;
    } cases[] = {
        { "b", 3600, 7200, 1, 2 }, { "c", 3600, 7200, 0, 0 },
        { "a", 0, 1800, 1, 0.5 },  { "", 100000, 103600, 1, 6 }, /* the running one */
        { "b", 7200, 9000, 0, 0 },
    };
    AUTO(job_list_done) struct job_list list;
    jobs_make(&list);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(window_jobs_done) struct window_jobs w = { 0 };
        const struct job_query query = { .cluster = span_of(cases[i].cluster),
                                         .from_ns = cases[i].from_s * NS_PER_S,
                                         .to_ns = cases[i].to_s * NS_PER_S };
        assert_int_equal(window_jobs_make(&list, &query, &w), 0);
        if (w.count != cases[i].count || w.node_hours != cases[i].node_hours)
            fail_msg("%zu: %zu jobs, %g node-hours", i, w.count, w.node_hours);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_node_hours_come_first),
        cmocka_unit_test(a_query_limits_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
