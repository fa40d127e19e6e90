/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_topology - how far apart a job's nodes were, and whose gateways it shared.
 */
#include "analysis/job/job.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>

#define FROM_S 100
#define TO_S 200

static const char places[] = "n1 0 0 0\nn2 6 8 0\nn3 0 0 0\n"
                             "n[1-3] via g[1-2]\nn4 via g2\nn5 via g9\n";

struct world {
    struct node_map map;
    struct job_list jobs;
};

static void job_put(struct world *w, const char *id, const char *nodes, int64_t from_s,
                    int64_t to_s)
{
    const struct job job = { .cluster = SPAN("a"),
                             .id = span_of(id),
                             .raw_id = span_of(id),
                             .nodes = span_of(nodes),
                             .node_count = 1,
                             .submit_ns = JOB_TIME_NONE,
                             .start_ns = from_s * NS_PER_S,
                             .end_ns = to_s * NS_PER_S };
    assert_int_equal(job_list_add(&w->jobs, &job), 0);
}

static int world_new(void **state)
{
    static struct world w;
    node_map_init(&w.map);
    job_list_init(&w.jobs);
    assert_int_equal(node_map_add(&w.map, span_of(places), NULL, NULL), 0);
    job_put(&w, "1", "n[1-2]", FROM_S, TO_S);  /* the job: places and gateways */
    job_put(&w, "2", "n4", FROM_S - 50, TO_S); /* shares g2 with it */
    job_put(&w, "3", "n5", FROM_S, TO_S);      /* another gateway */
    job_put(&w, "4", "n3", TO_S, TO_S + 50);   /* later */
    job_put(&w, "5", "", FROM_S, TO_S);        /* whose nodes are not known */
    job_put(&w, "6", "x[1-2]", FROM_S, TO_S);  /* nodes that no map has */
    *state = &w;
    return 0;
}

static int world_free(void **state)
{
    struct world *w = *state;
    node_map_done(&w->map);
    job_list_done(&w->jobs);
    return 0;
}

static void a_job_has_a_radius_and_shares_gateways(void **state)
{
    const struct world *w = *state;
    struct job_topology t;
    assert_int_equal(
        job_topology_read(&w->map, &w->jobs, SPAN(""), "1", FROM_S, TO_S, &t), 0);
    assert_null(t.refused);
    assert_int_equal(t.nodes, 2);
    assert_int_equal(t.unplaced_nodes, 0);
    assert_true(t.radius_max == 5 && t.radius_min == 5 && t.radius_mean == 5);
    assert_int_equal(t.gateways, 2);
    assert_int_equal(t.unrouted_nodes, 0);
    assert_true(t.shared_fraction == 0.5);
    assert_int_equal(t.sharing_jobs, 1);
    assert_int_equal(t.unplaced_jobs, 1);
}

static void what_the_map_lacks_is_missing(void **state)
{
    const struct world *w = *state;
    struct job_topology t;
    assert_int_equal(
        job_topology_read(&w->map, &w->jobs, SPAN("a"), "6", FROM_S, TO_S, &t), 0);
    assert_int_equal(t.nodes, 2);
    assert_true(isnan(t.radius_mean) && t.unplaced_nodes == JOB_I64_NONE);
    assert_true(t.gateways == JOB_I64_NONE && isnan(t.shared_fraction));
    assert_true(t.unplaced_jobs == JOB_I64_NONE);
    assert_int_equal(
        job_topology_read(&w->map, &w->jobs, SPAN("a"), "2", FROM_S, TO_S, &t), 0);
    assert_true(isnan(t.radius_mean)); /* routed, but in no place */
    assert_int_equal(t.gateways, 1);
    assert_true(t.shared_fraction == 1);
}

static void a_job_without_nodes_is_refused_with_its_reason(void **state)
{
    const struct world *w = *state;
    static const struct {
        const char *cluster, *id, *want;
    } cases[] = {
        { "", "99", "does not know the job" },
        { "b", "1", "does not know the job" },
        { "a", "5", "has no nodes of the job" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct job_topology t;
        assert_int_equal(job_topology_read(&w->map, &w->jobs, span_of(cases[i].cluster),
                                           cases[i].id, FROM_S, TO_S, &t),
                         0);
        if (!t.refused || !strstr(t.refused, cases[i].want) || t.nodes != JOB_I64_NONE)
            fail_msg("%s: %s", cases[i].id, t.refused ? t.refused : "-");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_has_a_radius_and_shares_gateways),
        cmocka_unit_test(what_the_map_lacks_is_missing),
        cmocka_unit_test(a_job_without_nodes_is_refused_with_its_reason),
    };
    return cmocka_run_group_tests(tests, world_new, world_free);
}
