/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_footprint - what a job's nodes did, out of samples whose truth is known. */
#include "analysis/footprint/footprint.h"
#include "base/number.h"
#include "base/test/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOSTS 16
#define WINDOWS 40
#define METRICS 12

enum { LOAD, FLOPS, CLOCK, USED, TOTAL, SWAP, GPU, BANDWIDTH, NETWORK };

static const struct {
    const char *name, *unit;
    double usual;
    bool is_device;
} kinds[] = {
    [LOAD] = { "cpu_load", "", 72, false },
    [FLOPS] = { "flops_any", "GF/s", 400, false },
    [CLOCK] = { "clock", "MHz", 2400, false },
    [USED] = { "mem_used", "GB", 90, false },
    [TOTAL] = { "mem_total", "GB", 256, false },
    [SWAP] = { "swap_used", "GB", 0, false },
    [GPU] = { "acc_utilization", "%", 60, true },
    [BANDWIDTH] = { "mem_bw", "GB/s", 150, false },
    [NETWORK] = { "net_bw", "MB/s", 40, false },
};

/* Nodes that all do the same, with some noise; a test changes what it wants. */
struct play {
    size_t hosts;
    double values[METRICS][HOSTS][WINDOWS];
    struct node_samples_row rows[METRICS][HOSTS];
    struct node_samples_metric metrics[METRICS];
    const char *names[HOSTS];
    char texts[HOSTS][8];
    struct node_samples samples;
    struct footprint_job job;
    struct arena arena;
    struct footprint result;
};

static double noise(unsigned *seed)
{
    *seed = *seed * 1103515245U + 12345U;
    return 1 + 0.03 * ((double)(*seed >> 16 & 1023) / 512 - 1);
}

static void play_begin(struct play *p, size_t hosts, unsigned seed)
{
    *p = (struct play){
        .hosts = hosts, .job = { .is_over = true, .gpus = -1, .has_whole_nodes = true }
    };
    node_samples_windows(&p->samples, 1500000000 * NS_PER_S,
                         (1500000000 + WINDOWS * 60) * NS_PER_S, 60 * NS_PER_S);
    for (size_t m = 0; m < COUNT_OF(kinds); m++)
        for (size_t h = 0; h < hosts; h++)
            for (size_t w = 0; w < WINDOWS; w++)
                p->values[m][h][w] = kinds[m].usual * (m == TOTAL ? 1 : noise(&seed));
}

static void play_end(struct play *p)
{
    arena_init(&p->arena, 0);
    for (size_t h = 0; h < p->hosts; h++) {
        (void)snprintf(p->texts[h], sizeof p->texts[h], "c%02u",
                       (unsigned)(h + 1) % 99);
        p->names[h] = p->texts[h];
    }
    for (size_t m = 0; m < COUNT_OF(kinds); m++) {
        for (size_t h = 0; h < p->hosts; h++) {
            struct node_samples_row *row = &p->rows[m][h];
            *row = (struct node_samples_row){
                .host = h,
                .device = kinds[m].is_device ? "accelerator:0" : "",
                .min = NAN,
                .max = NAN,
                .values = p->values[m][h],
            };
            for (size_t w = 0; w < WINDOWS; w++) {
                row->samples += !isnan(row->values[w]);
                row->min = fmin(row->min, row->values[w]);
                row->max = fmax(row->max, row->values[w]);
            }
        }
        p->metrics[m] = (struct node_samples_metric){ .name = kinds[m].name,
                                                      .unit = kinds[m].unit,
                                                      .rows = p->rows[m],
                                                      .row_count = p->hosts };
    }
    p->samples.hosts = p->names;
    p->samples.host_count = p->hosts;
    p->samples.metrics = p->metrics;
    p->samples.metric_count = COUNT_OF(kinds);
    assert_int_equal(footprint_make(&p->samples, &p->job, &p->arena, &p->result), 0);
}

static void expect(struct play *p, const char *kind, const char *nodes)
{
    const struct footprint_finding *f = &p->result.findings[0];
    play_end(p);
    if (!kind)
        assert_int_equal(p->result.finding_count, 0);
    else
        assert_true(p->result.finding_count > 0);
    if (kind) {
        assert_string_equal(footprint_kind_name(f->kind), kind);
        assert_string_equal(f->nodes, nodes);
    }
    arena_done(&p->arena);
}

static void set(struct play *p, size_t metric, size_t host, size_t from, double value)
{
    for (size_t w = from; w < WINDOWS; w++)
        p->values[metric][host][w] = value;
}

static void scale(struct play *p, size_t metric, size_t host, double factor)
{
    for (size_t w = 0; w < WINDOWS; w++)
        p->values[metric][host][w] *= factor;
}

static void nothing(struct play *p, size_t host, size_t from)
{
    set(p, LOAD, host, from, 0.1);
    set(p, FLOPS, host, from, 0);
    set(p, GPU, host, from, 0);
}

static struct play play; /* too large for a stack */

static void healthy_jobs_of_any_size_have_no_finding(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 2, 3, 4, 8, 16 };
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (unsigned seed = 1; seed <= 20; seed++) {
            play_begin(&play, sizes[i], seed);
            expect(&play, NULL, NULL);
        }
}

static void what_is_usual_is_no_finding(void **state)
{
    (void)state;
    play_begin(&play, 8, 1); /* one node reads the input */
    for (size_t h = 1; h < 8; h++)
        for (size_t w = 0; w < 5; w++)
            play.values[LOAD][h][w] = 0.2, play.values[FLOPS][h][w] = 0;
    expect(&play, NULL, NULL);
    play_begin(&play, 8, 2); /* the work runs out */
    for (size_t h = 0; h < 7; h++)
        nothing(&play, h, WINDOWS - 1 - h);
    expect(&play, NULL, NULL);
    play_begin(&play, 8, 3); /* a master process */
    set(&play, LOAD, 0, 0, 1.4);
    set(&play, FLOPS, 0, 0, 0);
    expect(&play, NULL, NULL);
    play_begin(&play, 8, 4); /* a node without samples for a while, one without any */
    set(&play, LOAD, 3, 30, NAN);
    set(&play, LOAD, 4, 0, NAN);
    expect(&play, NULL, NULL);
}

/* A minute in two the job opens files: all wait, the master too, whose load is no
 * little one then. */
static void a_job_with_a_waiting_master(unsigned seed)
{
    play_begin(&play, 8, seed);
    for (size_t w = 0; w < WINDOWS; w += 2)
        for (size_t h = 0; h < 8; h++)
            play.values[FLOPS][h][w] *= 0.01, play.values[BANDWIDTH][h][w] *= 0.05;
    for (size_t w = 0; w < WINDOWS; w++) {
        play.values[LOAD][0][w] = w % 2 == 0 ? 72 : 1.4;
        play.values[FLOPS][0][w] = w % 2 == 0 ? 4 : 0.4;
        play.values[BANDWIDTH][0][w] = w % 2 == 0 ? 7 : 1.5;
        play.values[CLOCK][0][w] = 1500; /* it has little to do */
        play.values[NETWORK][0][w] = 90;
    }
}

static void a_master_that_waits_for_files_is_no_slow_node(void **state)
{
    (void)state;
    a_job_with_a_waiting_master(5);
    expect(&play, NULL, NULL);
    a_job_with_a_waiting_master(6); /* less is known of it: nothing false */
    set(&play, NETWORK, 0, 0, NAN);
    expect(&play, NULL, NULL);
    a_job_with_a_waiting_master(7); /* it sends nothing: it is no master */
    set(&play, NETWORK, 0, 0, 1);
    expect(&play, "slow-node", "c01");
    play_begin(&play, 4, 9); /* work along a ramp: the node with least is no master */
    for (size_t h = 0; h < 4; h++)
        scale(&play, FLOPS, h, 0.05 + 0.65 * (double)h);
    expect(&play, "uneven-nodes", "c04");
    play_begin(&play, 8, 8); /* it does less, but it does its part */
    scale(&play, CLOCK, 0, 0.5);
    scale(&play, FLOPS, 0, 0.5);
    expect(&play, "slow-node", "c01");
}

static void a_node_that_computes_nothing_is_named(void **state)
{
    (void)state;
    play_begin(&play, 8, 1);
    nothing(&play, 3, 0);
    expect(&play, "idle-node", "c04");
    play_begin(&play, 8, 1); /* a worker died */
    nothing(&play, 2, 12);
    nothing(&play, 3, 15);
    expect(&play, "idle-node", "c[03-04]");
    play_begin(&play, 2, 1);
    nothing(&play, 1, 0);
    expect(&play, "idle-node", "c02");
    play_begin(&play, 1, 1); /* against its own allocation */
    nothing(&play, 0, 0);
    expect(&play, "idle-node", "c01");
    play_begin(&play, 2, 1); /* the GPUs do the work */
    set(&play, LOAD, 0, 0, 0.2), set(&play, LOAD, 1, 0, 0.2);
    expect(&play, NULL, NULL);
}

static void the_cost_of_an_idle_node_is_its_part_of_the_run_at_most(void **state)
{
    (void)state;
    play_begin(&play, 4, 1);
    nothing(&play, 3, 0);
    play_end(&play);
    const struct footprint_finding *f = &play.result.findings[0];
    assert_true(f->low_s == 0 && f->high_s == WINDOWS * 60 / 4.0);
    assert_true(f->unused_s == WINDOWS * 60);
    assert_int_equal(f->from_s, 1500000000);
    assert_int_equal(f->others, 3);
    arena_done(&play.arena);
}

static void a_throttled_node_is_named_where_there_are_enough_others(void **state)
{
    (void)state;
    play_begin(&play, 8, 1);
    scale(&play, CLOCK, 5, 0.7);
    expect(&play, "slow-node", "c06");
    play_begin(&play, 3, 1);
    scale(&play, CLOCK, 1, 0.7);
    expect(&play, NULL, NULL);
    play_begin(&play, 8, 1); /* half of them: another kind of node */
    for (size_t h = 0; h < 4; h++)
        scale(&play, CLOCK, h, 0.7);
    expect(&play, NULL, NULL);
    play_begin(&play, 8, 1); /* processes that are not the job's */
    for (size_t w = 0; w < WINDOWS; w++)
        play.values[LOAD][2][w] += 20;
    expect(&play, "slow-node", "c03");
}

static void memory_at_its_limit_and_swapping_are_told_from_much_memory(void **state)
{
    (void)state;
    play_begin(&play, 4, 1);
    for (size_t h = 0; h < 4; h++)
        set(&play, USED, h, 0, 0.88 * 256);
    expect(&play, NULL, NULL);
    play_begin(&play, 4, 1);
    set(&play, USED, 1, 30, 0.98 * 256);
    expect(&play, "memory-limit", "c02");
    play_begin(&play, 4, 1);
    set(&play, USED, 1, 30, 0.98 * 256);
    set(&play, SWAP, 1, 31, 12);
    expect(&play, "swapping", "c02");
    play_begin(&play, 4, 1); /* the batch system reports it, the samples do not */
    play.job.is_out_of_memory = true;
    expect(&play, "memory-limit", "");
}

static void gpus_without_use_are_named_and_those_not_allocated_are_not(void **state)
{
    (void)state;
    play_begin(&play, 4, 1);
    set(&play, GPU, 2, 0, 0);
    play_end(&play);
    assert_int_equal(play.result.finding_count, 1);
    assert_string_equal(play.result.findings[0].devices, "c03/accelerator:0");
    arena_done(&play.arena);
    play_begin(&play, 4, 1); /* three of four are the job's */
    set(&play, GPU, 2, 0, 0);
    play.job.gpus = 3;
    expect(&play, NULL, NULL);
    play_begin(&play, 4, 1); /* how many are its, on nodes of several jobs? */
    set(&play, GPU, 2, 0, 0);
    play.job.has_whole_nodes = false;
    expect(&play, NULL, NULL);
    play_begin(&play, 4, 1); /* a node without work has no work for its GPU */
    set(&play, GPU, 2, 0, 0);
    set(&play, LOAD, 2, 0, 0.1);
    set(&play, FLOPS, 2, 0, 0);
    expect(&play, "idle-node", "c03");
    play_begin(&play, 4, 1); /* little is not none */
    for (size_t h = 0; h < 4; h++)
        set(&play, GPU, h, 0, 14);
    expect(&play, NULL, NULL);
}

/* The same samples, of a job that goes on: windows of a minute, so many until now. */
static void play_until(size_t hosts, unsigned seed, size_t windows)
{
    play_begin(&play, hosts, seed);
    play.job.is_over = false;
    play.samples.window_count = windows;
    play.samples.to_ns = play.samples.from_ns + (int64_t)windows * 60 * NS_PER_S;
}

static void of_a_job_that_begins_nothing_is_claimed_yet(void **state)
{
    (void)state;
    for (size_t now = 4; now <= 13; now++) {
        play_until(8, 1, now); /* one node reads the input */
        for (size_t h = 1; h < 8; h++)
            for (size_t w = 0; w < 11; w++)
                play.values[LOAD][h][w] = 0.2, play.values[FLOPS][h][w] = 0;
        for (size_t w = 0; w < 11; w++)
            play.values[LOAD][0][w] = 1;
        expect(&play, NULL, NULL);
        play_until(8, 2, now);
        nothing(&play, 3, 0);
        expect(&play, NULL, NULL);
        play_until(8, 3, now);
        scale(&play, CLOCK, 5, 0.7);
        expect(&play, NULL, NULL);
        play_until(8, 4, now);
        scale(&play, FLOPS, 6, 2);
        expect(&play, NULL, NULL);
        play_until(4, 5, now); /* all GPUs wait for their data, or one of them */
        for (size_t h = now % 2; h < 4; h++)
            set(&play, GPU, h, 0, 0);
        expect(&play, NULL, NULL);
    }
}

static void what_has_lasted_is_claimed_so_far(void **state)
{
    (void)state;
    static const struct {
        int metric;
        double factor;
        const char *kind, *nodes;
    } cases[] = { { CLOCK, 0.7, "slow-node", "c04" },
                  { FLOPS, 2, "uneven-nodes", "c04" } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        play_until(8, 1, 20);
        scale(&play, (size_t)cases[i].metric, 3, cases[i].factor);
        expect(&play, cases[i].kind, cases[i].nodes);
        assert_true(play.result.findings[0].is_so_far);
    }
    play_until(8, 1, 20);
    nothing(&play, 3, 0);
    expect(&play, "idle-node", "c04");
    play_until(8, 1, 10); /* memory is at its limit as soon as it is */
    set(&play, USED, 1, 4, 0.98 * 256);
    expect(&play, "memory-limit", "c02");
    play_until(4, 1, 20);
    set(&play, GPU, 2, 0, 0);
    expect(&play, "gpu-unused", "c03");
    play_begin(&play, 4, 1);
    set(&play, GPU, 2, 0, 0);
    expect(&play, "gpu-unused", "c03");
    assert_false(play.result.findings[0].is_so_far);
}

/* One process before the others: a third of the time so far, a twelfth in the end. */
static void what_one_node_did_before_the_others_is_no_uneven_work(void **state)
{
    (void)state;
    play_until(8, 1, 26);
    for (size_t h = 1; h < 8; h++)
        for (size_t w = 0; w < 10; w++)
            play.values[FLOPS][h][w] = 0;
    expect(&play, NULL, NULL);
}

static void uneven_work_is_no_slow_node(void **state)
{
    (void)state;
    play_begin(&play, 8, 1);
    scale(&play, FLOPS, 6, 2);
    expect(&play, "uneven-nodes", "c07");
}

static void each_metric_has_median_spread_and_ends(void **state)
{
    (void)state;
    play_begin(&play, 4, 1);
    for (size_t h = 0; h < 4; h++)
        set(&play, FLOPS, h, 0, 100 * (double)(h + 1));
    play_end(&play);
    const struct footprint_metric *m = &play.result.metrics[FLOPS];
    assert_true(m->median == 250 && m->average == 250);
    assert_true(m->lowest_value == 100 && m->highest_value == 400);
    assert_string_equal(m->lowest, "c01");
    assert_string_equal(m->highest, "c04");
    assert_int_equal(m->nodes, 4);
    arena_done(&play.arena);
}

static void a_job_without_samples_has_nodes_and_no_finding(void **state)
{
    (void)state;
    play_begin(&play, 2, 1);
    for (size_t m = 0; m < COUNT_OF(kinds); m++)
        for (size_t h = 0; h < 2; h++)
            set(&play, m, h, 0, NAN);
    play_end(&play);
    assert_int_equal(play.result.observed, 0);
    assert_string_equal(play.result.unobserved, "c[01-02]");
    assert_int_equal(play.result.finding_count, 0);
    assert_int_equal(play.result.metric_count, 0);
    arena_done(&play.arena);
}

static void windows_are_as_long_as_the_interval_of_metrics(void **state)
{
    (void)state;
    static const struct {
        int64_t length_s, interval_s, window_s, count;
    } cases[] = {
        { 180, 0, 30, 6 },       { 180, 30, 30, 6 },      { 180, 60, 60, 3 },
        { 180, 61, 90, 2 },      { 3600, 0, 30, 120 },    { 3601, 0, 60, 61 },
        { 36000, 60, 300, 120 }, { 36000, 600, 600, 60 }, { 10, 600, 600, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct node_samples s = { 0 };
        node_samples_windows(&s, 5 * NS_PER_S, (5 + cases[i].length_s) * NS_PER_S,
                             cases[i].interval_s * NS_PER_S);
        if (s.window_ns != cases[i].window_s * NS_PER_S ||
            s.window_count != (size_t)cases[i].count)
            fail_msg("%zu: %lld s, %zu", i, (long long)(s.window_ns / NS_PER_S),
                     s.window_count);
    }
}

static void units_and_names_of_metrics_are_known(void **state)
{
    (void)state;
    assert_int_equal(metric_role_of("flops_any", NULL), METRIC_ROLE_FLOPS);
    assert_int_equal(metric_role_of("mystery", NULL), METRIC_ROLE_NONE);
    assert_true(metric_unit_scale("KiB") == 1024);
    assert_true(metric_unit_scale("GB/s") == 1e9);
    assert_true(metric_unit_scale("") == 1 && metric_unit_scale("M") == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy_jobs_of_any_size_have_no_finding),
        cmocka_unit_test(what_is_usual_is_no_finding),
        cmocka_unit_test(a_master_that_waits_for_files_is_no_slow_node),
        cmocka_unit_test(a_node_that_computes_nothing_is_named),
        cmocka_unit_test(the_cost_of_an_idle_node_is_its_part_of_the_run_at_most),
        cmocka_unit_test(a_throttled_node_is_named_where_there_are_enough_others),
        cmocka_unit_test(memory_at_its_limit_and_swapping_are_told_from_much_memory),
        cmocka_unit_test(gpus_without_use_are_named_and_those_not_allocated_are_not),
        cmocka_unit_test(of_a_job_that_begins_nothing_is_claimed_yet),
        cmocka_unit_test(what_has_lasted_is_claimed_so_far),
        cmocka_unit_test(what_one_node_did_before_the_others_is_no_uneven_work),
        cmocka_unit_test(uneven_work_is_no_slow_node),
        cmocka_unit_test(each_metric_has_median_spread_and_ends),
        cmocka_unit_test(a_job_without_samples_has_nodes_and_no_finding),
        cmocka_unit_test(windows_are_as_long_as_the_interval_of_metrics),
        cmocka_unit_test(units_and_names_of_metrics_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
