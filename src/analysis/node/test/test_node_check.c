/* SPDX-License-Identifier: Apache-2.0 */
/* test_node_check - which nodes differ from comparable ones, in what, and since when.
 *
 * NODE_SEEDS=100 plays so many clean clusters, and prints how many were reported.
 */
#include "analysis/node/test/node_players.h"

#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>

#define WINDOWS 12

/* One metric alone; the check is the caller's. */
static struct node_check *checked(const struct played *p, bool is_counter,
                                  const struct node_results **ret)
{
    struct node_check *check = NULL;
    const struct node_check_opts opts = played_opts(p, 1);
    const struct node_metric metric = { "mem_bw", "GB/s", is_counter, p->values,
                                        p->series };
    assert_int_equal(node_check_new(&opts, &check), 0);
    assert_int_equal(node_check_add_metric(check, &metric), 0);
    assert_int_equal(node_check_finish(check, ret), 0);
    return check;
}

static void value_set(struct played *p, size_t host, size_t first, size_t end, double v)
{
    for (size_t w = first; w < end; w++)
        p->values[host * p->windows + w] = v;
}

static void a_slow_node_is_named_with_how_much_and_since_when(void **state)
{
    (void)state;
    uint64_t seed = 7;
    struct played p;
    const struct node_results *r = NULL;
    played_init(&p, 64, WINDOWS);
    played_fill(&p, SHAPE_NOISY, &seed);
    value_set(&p, 17, 5, WINDOWS, 70);
    AUTO(node_check_free) struct node_check *check = checked(&p, false, &r);
    assert_int_equal(r->count, 1);
    const struct node_finding *f = &r->findings[0];
    assert_int_equal(f->host, 17);
    assert_int_equal(f->problem, NODE_LOW);
    assert_string_equal(f->metric, "mem_bw");
    assert_float_equal(f->value, 70, 0);
    assert_in_range((uint64_t)f->median, 98, 102);
    assert_true(f->deviations < -8 && f->chance < 1e-6);
    assert_int_equal(f->others, 63);
    assert_int_equal(f->since_ns, PLAYED_FROM_NS + 5 * PLAYED_WINDOW_NS);
    assert_int_equal(f->until_ns, PLAYED_FROM_NS + WINDOWS * PLAYED_WINDOW_NS);
    assert_int_equal(f->out, 7);
    assert_int_equal(f->windows, 7);
    assert_false(f->is_longer);
    assert_false(f->is_over);
    assert_int_equal(r->selected, 64);
    assert_int_equal(r->compared, 64);
    assert_int_equal(r->comparisons, 64 * WINDOWS);
    assert_int_equal(r->metrics, 1);
    played_done(&p);
}

static void what_ended_is_reported_as_over_and_a_moment_not_at_all(void **state)
{
    (void)state;
    uint64_t seed = 8;
    struct played p;
    const struct node_results *r = NULL;
    played_init(&p, 40, WINDOWS);
    played_fill(&p, SHAPE_NOISY, &seed);
    value_set(&p, 3, 0, 6, 300);
    p.values[3 * WINDOWS + 2] = 100; /* one window between may be well */
    p.values[3 * WINDOWS + 4] = NAN; /* and one not observed */
    value_set(&p, 9, 4, 6, 300);     /* two windows are a moment */
    AUTO(node_check_free) struct node_check *check = checked(&p, false, &r);
    assert_int_equal(r->count, 1);
    assert_int_equal(r->findings[0].host, 3);
    assert_int_equal(r->findings[0].problem, NODE_HIGH);
    assert_true(r->findings[0].is_longer);
    assert_true(r->findings[0].is_over);
    assert_int_equal(r->findings[0].out, 4);
    assert_int_equal(r->findings[0].windows, 5);
    assert_int_equal(r->findings[0].until_ns, PLAYED_FROM_NS + 6 * PLAYED_WINDOW_NS);
    played_done(&p);
}

static void a_silent_node_comes_first_and_its_metrics_are_not_listed(void **state)
{
    (void)state;
    uint64_t seed = 9;
    struct played p;
    const struct node_results *r = NULL;
    int64_t end_ns = PLAYED_FROM_NS + 4 * PLAYED_WINDOW_NS;
    played_init(&p, 30, WINDOWS);
    played_fill(&p, SHAPE_NOISY, &seed);
    value_set(&p, 20, 4, WINDOWS, NAN);
    p.series[20].last_ns = end_ns;
    value_set(&p, 4, 0, WINDOWS, 1000);
    p.series[25].last_ns = INT64_MIN; /* known by name only */
    p.series[25].count = 0;
    value_set(&p, 25, 0, WINDOWS, NAN);
    AUTO(node_check_free) struct node_check *check = checked(&p, false, &r);
    assert_int_equal(r->count, 2);
    assert_int_equal(r->findings[0].host, 20);
    assert_int_equal(r->findings[0].problem, NODE_SILENT);
    assert_int_equal(r->findings[0].since_ns, end_ns);
    assert_null(r->findings[0].metric);
    assert_int_equal(r->findings[1].host, 4);
    assert_int_equal(r->silent, 1);
    assert_int_equal(r->found, 2);
    assert_int_equal(r->unknown, 1);
    assert_int_equal(r->newest_ns, p.series[0].last_ns);
    played_done(&p);
}

static void a_metric_that_stopped_is_named_of_a_node_that_sends_others(void **state)
{
    (void)state;
    uint64_t seed = 10;
    struct played p;
    const struct node_results *r = NULL;
    struct node_check *check = NULL;
    played_init(&p, 40, WINDOWS);
    const struct node_check_opts opts = played_opts(&p, 2);
    const struct node_metric metric = { "cpu_temp", "C", false, p.values, p.series };
    const struct node_metric other = { "mem_bw", "", false, p.values, p.series };
    assert_int_equal(node_check_new(&opts, &check), 0);
    played_fill(&p, SHAPE_NOISY, &seed);
    p.series[6].last_ns = PLAYED_FROM_NS;
    assert_int_equal(node_check_add_metric(check, &metric), 0);
    played_fill(&p, SHAPE_NOISY, &seed);
    assert_int_equal(node_check_add_metric(check, &other), 0);
    assert_int_equal(node_check_finish(check, &r), 0);
    assert_int_equal(r->count, 1);
    assert_int_equal(r->findings[0].problem, NODE_STOPPED);
    assert_int_equal(r->findings[0].host, 6);
    assert_string_equal(r->findings[0].metric, "cpu_temp");
    assert_int_equal(r->findings[0].since_ns, PLAYED_FROM_NS);
    node_check_free(check);

    /* Where more than one in twenty has stopped, they are meant to. */
    for (size_t i = 0; i < 3; i++)
        p.series[i].last_ns = PLAYED_FROM_NS;
    check = NULL;
    assert_int_equal(node_check_new(&opts, &check), 0);
    assert_int_equal(node_check_add_metric(check, &metric), 0);
    played_fill(&p, SHAPE_NOISY, &seed);
    assert_int_equal(node_check_add_metric(check, &other), 0);
    assert_int_equal(node_check_finish(check, &r), 0);
    assert_int_equal(r->count, 0);
    node_check_free(check);
    played_done(&p);
}

static void a_stuck_sensor_is_found_among_those_that_change(void **state)
{
    (void)state;
    uint64_t seed = 11;
    struct played p;
    const struct node_results *r = NULL;
    played_init(&p, 50, WINDOWS);
    played_fill(&p, SHAPE_STEADY, &seed);
    value_set(&p, 30, 0, WINDOWS, 101.5);
    p.series[30].min = p.series[30].max = 101.5;
    p.series[31].min = p.series[31].max = 0; /* idle, not stuck */
    AUTO(node_check_free) struct node_check *check = checked(&p, false, &r);
    assert_int_equal(r->count, 1);
    assert_int_equal(r->findings[0].host, 30);
    assert_int_equal(r->findings[0].problem, NODE_STUCK);
    assert_float_equal(r->findings[0].value, 101.5, 0);
    const struct node_results *none = NULL;
    AUTO(node_check_free) struct node_check *counters = checked(&p, true, &none);
    assert_int_equal(none->count, 0); /* rates of counters may stand */
    played_done(&p);
}

static void nodes_of_a_job_are_compared_with_each_other(void **state)
{
    (void)state;
    uint64_t seed = 12;
    struct played p;
    const struct node_results *r = NULL;
    struct node_check *check = NULL;
    played_init(&p, 60, WINDOWS);
    const struct node_check_opts opts = played_opts(&p, 1);
    const struct node_metric metric = { "flops", "", false, p.values, p.series };
    played_fill(&p, SHAPE_NOISY, &seed);
    for (size_t i = 0; i < 30; i++) /* job 1 does a tenth */
        for (size_t w = 0; w < WINDOWS; w++)
            p.values[i * WINDOWS + w] /= 10;
    value_set(&p, 5, 0, WINDOWS, 100); /* as the other job's nodes */
    value_set(&p, 45, 0, WINDOWS, 10); /* as job 1's */
    assert_int_equal(node_check_new(&opts, &check), 0);
    for (size_t i = 0; i < 60; i++)
        node_check_add_job(check, i < 30 ? 1 : 0, i, PLAYED_FROM_NS, INT64_MAX);
    assert_int_equal(node_check_add_metric(check, &metric), 0);
    assert_int_equal(node_check_finish(check, &r), 0);
    assert_int_equal(r->count, 2);
    size_t high = r->findings[0].problem == NODE_HIGH ? 0 : 1;
    assert_int_equal(r->findings[high].host, 5);
    assert_int_equal(r->findings[high].job, 1);
    assert_int_equal(r->findings[high].others, 29);
    assert_int_equal(r->findings[1 - high].host, 45);
    assert_int_equal(r->findings[1 - high].job, 0);
    node_check_free(check);

    /* Without the jobs there are two kinds of nodes, and nothing to claim. */
    AUTO(node_check_free) struct node_check *blind = checked(&p, false, &r);
    assert_int_equal(r->count, 0);
    played_done(&p);
}

static void a_window_in_which_a_job_began_is_not_compared(void **state)
{
    (void)state;
    uint64_t seed = 13;
    struct played p;
    const struct node_results *r = NULL;
    struct node_check *check = NULL;
    played_init(&p, 20, WINDOWS);
    const struct node_check_opts opts = played_opts(&p, 1);
    const struct node_metric metric = { "load", "", false, p.values, p.series };
    played_fill(&p, SHAPE_NOISY, &seed);
    assert_int_equal(node_check_new(&opts, &check), 0);
    for (size_t i = 0; i < 20; i++)
        node_check_add_job(check, 0, i, PLAYED_FROM_NS + PLAYED_WINDOW_NS / 2,
                           PLAYED_FROM_NS + 3 * PLAYED_WINDOW_NS + 1);
    assert_int_equal(node_check_add_metric(check, &metric), 0);
    assert_int_equal(node_check_finish(check, &r), 0);
    assert_int_equal(r->comparisons, 20 * (WINDOWS - 2));
    node_check_free(check);
    played_done(&p);
}

static void nodes_of_small_jobs_are_compared_together(void **state)
{
    (void)state;
    uint64_t seed = 14;
    struct played p;
    const struct node_results *r = NULL;
    struct node_check *check = NULL;
    played_init(&p, 24, WINDOWS);
    const struct node_check_opts opts = played_opts(&p, 1);
    const struct node_metric metric = { "load", "", false, p.values, p.series };
    played_fill(&p, SHAPE_NOISY, &seed);
    value_set(&p, 2, 0, WINDOWS, 20);
    assert_int_equal(node_check_new(&opts, &check), 0);
    for (size_t i = 0; i < 20; i++) /* jobs of two nodes; four nodes have none */
        node_check_add_job(check, i / 2, i, 0, INT64_MAX);
    assert_int_equal(node_check_add_metric(check, &metric), 0);
    assert_int_equal(node_check_finish(check, &r), 0);
    assert_int_equal(r->comparisons, 20 * WINDOWS);
    assert_int_equal(r->count, 1);
    assert_int_equal(r->findings[0].host, 2);
    assert_true(r->findings[0].job > 1000);
    node_check_free(check);
    played_done(&p);
}

static void only_selected_nodes_are_reported_but_all_are_compared_with(void **state)
{
    (void)state;
    uint64_t seed = 15;
    struct played p;
    const struct node_results *r = NULL;
    played_init(&p, 40, WINDOWS);
    played_fill(&p, SHAPE_NOISY, &seed);
    value_set(&p, 1, 0, WINDOWS, 10);
    value_set(&p, 2, 0, WINDOWS, 10);
    for (size_t i = 0; i < 40; i++)
        p.host[i].is_selected = i == 2 || i == 3;
    p.host[10].class = p.host[11].class = 1; /* too few of their class */
    AUTO(node_check_free) struct node_check *check = checked(&p, false, &r);
    assert_int_equal(r->count, 1);
    assert_int_equal(r->findings[0].host, 2);
    assert_int_equal(r->findings[0].others, 37);
    assert_int_equal(r->selected, 2);
    assert_int_equal(r->comparisons, 2 * WINDOWS);
    played_done(&p);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const struct node_host host = { "alex/a", 0, 0, true };
    static const struct {
        const char *name;
        struct node_check_opts opts;
    } cases[] = {
        { "no hosts", { .window_ns = 1, .window_count = 1 } },
        { "no windows", { .window_ns = 1, .hosts = &host, .host_count = 1 } },
        { "too many windows",
          { .window_ns = 1,
            .hosts = &host,
            .host_count = 1,
            .window_count = NODE_WINDOWS_MAX + 1 } },
        { "windows of no length",
          { .window_count = 1, .hosts = &host, .host_count = 1 } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct node_check *check = NULL;
        if (node_check_new(&cases[i].opts, &check) != -EINVAL || check)
            fail_msg("%s", cases[i].name);
    }
    assert_string_equal(node_problem_name(NODE_SILENT), "silent");
    assert_string_equal(node_problem_name(NODE_STUCK), "stuck");
}

/* How many findings clean nodes have, of two metrics of each shape. */
static size_t clean_findings(size_t hosts, uint64_t seed)
{
    struct played p;
    const struct node_results *r = NULL;
    struct node_check *check = NULL;
    played_init(&p, hosts, WINDOWS);
    const struct node_check_opts opts = played_opts(&p, 2 * SHAPE_COUNT);
    assert_int_equal(node_check_new(&opts, &check), 0);
    for (size_t i = 0; i < 2 * SHAPE_COUNT; i++) {
        const struct node_metric metric = { "metric", "", false, p.values, p.series };
        played_fill(&p, (enum shape)(i % SHAPE_COUNT), &seed);
        assert_int_equal(node_check_add_metric(check, &metric), 0);
    }
    assert_int_equal(node_check_finish(check, &r), 0);
    for (size_t i = 0; i < r->count; i++)
        print_message("# %s %g among %g, chance %g\n",
                      node_problem_name(r->findings[i].problem), r->findings[i].value,
                      r->findings[i].median, r->findings[i].chance);
    size_t count = r->count;
    node_check_free(check);
    played_done(&p);
    return count;
}

static void clean_nodes_are_not_reported(void **state)
{
    (void)state;
    const char *text = getenv("NODE_SEEDS");
    uint64_t seeds = 1;
    size_t found = 0;
    if (text)
        assert_int_equal(number_parse_u64(span_of(text), &seeds), 0);
    static const size_t hosts[] = { 16, 100, 1000 };
    for (size_t i = 0; i < COUNT_OF(hosts); i++) {
        found = 0;
        for (uint64_t seed = 1; seed <= seeds; seed++)
            found += clean_findings(hosts[i], seed * 1000 + i);
        print_message("# %zu clean clusters of %zu nodes, %d metrics: %zu findings\n",
                      (size_t)seeds, hosts[i], 2 * SHAPE_COUNT, found);
        if (!text)
            assert_int_equal(found, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_node_is_named_with_how_much_and_since_when),
        cmocka_unit_test(what_ended_is_reported_as_over_and_a_moment_not_at_all),
        cmocka_unit_test(a_silent_node_comes_first_and_its_metrics_are_not_listed),
        cmocka_unit_test(a_metric_that_stopped_is_named_of_a_node_that_sends_others),
        cmocka_unit_test(a_stuck_sensor_is_found_among_those_that_change),
        cmocka_unit_test(nodes_of_a_job_are_compared_with_each_other),
        cmocka_unit_test(a_window_in_which_a_job_began_is_not_compared),
        cmocka_unit_test(nodes_of_small_jobs_are_compared_together),
        cmocka_unit_test(only_selected_nodes_are_reported_but_all_are_compared_with),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(clean_nodes_are_not_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
