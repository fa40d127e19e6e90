/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_use - what a job used on each node, out of a record and metrics. */
#include "analysis/footprint/footprint.h"
#include "base/number.h"
#include "base/test/testing.h"

#include <math.h>

#define HOSTS 2
#define WINDOWS 10
#define GPUS 2 /* a node */

/* Two nodes for 300 s: 8 CPUs, 20 GB and 4 GPUs in all. */
struct play {
    double load[HOSTS][WINDOWS], used[HOSTS][WINDOWS], busy[HOSTS * GPUS][WINDOWS],
        gpu_used[HOSTS * GPUS][WINDOWS];
    struct node_samples_row rows[2][HOSTS], devices[3][HOSTS * GPUS];
    struct node_samples_metric metrics[5];
    struct node_samples samples;
    bool is_shared[HOSTS];
    struct job_resources resources;
    struct arena arena;
    struct job_use use;
};

static const char *const host_names[HOSTS] = { "a", "b" };
static const char *const device_names[GPUS] = { "accelerator:0", "accelerator:1" };

static void given_set(struct play *p, enum job_resource what, int64_t value)
{
    p->resources.known &= ~(UINT32_C(1) << what);
    (void)job_resource_set(&p->resources, what, value);
}

static void play_begin(struct play *p)
{
    *p = (struct play){ 0 };
    for (size_t w = 0; w < WINDOWS; w++) {
        for (size_t h = 0; h < HOSTS; h++) {
            p->load[h][w] = h == 0 ? 3 : 1;
            p->used[h][w] = h == 0 ? 4 : 8;
        }
        for (size_t i = 0; i < HOSTS * GPUS; i++) {
            p->busy[i][w] = 10 * (double)(i + 1);
            p->gpu_used[i][w] = (double)(i + 1);
        }
    }
    given_set(p, JOB_CPUS, 8);
    given_set(p, JOB_MEMORY_BYTES, 20000000000);
    given_set(p, JOB_GPUS, HOSTS * GPUS);
    given_set(p, JOB_CPU_TIME_MS, 800000);
    p->samples.hosts = host_names;
    p->samples.host_count = HOSTS;
    p->samples.metric_count = COUNT_OF(p->metrics);
    p->samples.window_count = WINDOWS;
    p->samples.window_ns = 30 * NS_PER_S;
}

static struct node_samples_row row_of(size_t host, const char *device,
                                      const double *values)
{
    struct node_samples_row row = {
        .host = host, .device = device, .min = NAN, .max = NAN, .values = values
    };
    for (size_t w = 0; w < WINDOWS; w++) {
        row.samples += !isnan(values[w]);
        row.max = fmax(row.max, values[w]);
    }
    return row;
}

static void play_end(struct play *p)
{
    static const double total[WINDOWS] = { 16, 16, 16, 16, 16, 16, 16, 16, 16, 16 };
    const struct job_use_evidence evidence = { &p->samples, p->is_shared, &p->resources,
                                               300 };
    for (size_t i = 0; i < HOSTS * GPUS; i++) {
        size_t host = i / GPUS;
        const char *name = device_names[i % GPUS];
        p->devices[0][i] = row_of(host, name, p->busy[i]);
        p->devices[1][i] = row_of(host, name, p->gpu_used[i]);
        p->devices[2][i] = row_of(host, name, total);
    }
    for (size_t h = 0; h < HOSTS; h++) {
        p->rows[0][h] = row_of(h, "", p->load[h]);
        p->rows[1][h] = row_of(h, "", p->used[h]);
    }
    const struct node_samples_metric metrics[] = {
        { .name = "acc_mem_total",
          .unit = "GB",
          .rows = p->devices[2],
          .row_count = HOSTS * GPUS },
        { .name = "acc_mem_used",
          .unit = "GB",
          .rows = p->devices[1],
          .row_count = HOSTS * GPUS },
        { .name = "acc_utilization",
          .unit = "%",
          .rows = p->devices[0],
          .row_count = HOSTS * GPUS },
        { .name = "cpu_load",
          .unit = "",
          .rows = p->rows[0],
          .row_count = p->samples.host_count },
        { .name = "mem_used",
          .unit = "GB",
          .rows = p->rows[1],
          .row_count = p->samples.host_count },
    };
    for (size_t i = 0; i < COUNT_OF(metrics); i++)
        p->metrics[i] = metrics[i];
    p->samples.metrics = p->metrics;
    arena_init(&p->arena, 0);
    assert_int_equal(job_use_make(&evidence, &p->arena, &p->use), 0);
}

static void node_is(const struct play *p, size_t index, const char *host, double cpu_s,
                    double used)
{
    const struct node_use *node = &p->use.nodes[index];
    assert_true(index < p->use.node_count);
    assert_string_equal(node->host, host);
    assert_int_equal(node->cpus, 4);
    assert_true(fabs(node->cpu_s - cpu_s) < 1e-6);
    assert_true(fabs(node->memory_bytes - 1e10) < 1);
    assert_true(fabs(node->memory_used_bytes - used) < 1);
}

static void the_records_time_is_divided_by_load(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    play_end(&p);
    assert_int_equal(p.use.elapsed_s, 300);
    assert_int_equal(p.use.node_count, 2);
    node_is(&p, 0, "a", 600, 4e9);
    node_is(&p, 1, "b", 200, 8e9);
    arena_done(&p.arena);
}

static void gpus_are_the_jobs_where_it_had_all(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    play_end(&p);
    assert_int_equal(p.use.gpus, 4);
    assert_int_equal(p.use.nodes[1].gpu_count, 2);
    const struct gpu_use *gpu = &p.use.nodes[1].gpus[1];
    assert_string_equal(gpu->id, "1");
    assert_true(fabs(gpu->busy_percent - 40) < 1e-9);
    assert_true(fabs(gpu->memory_bytes - 16e9) < 1);
    assert_true(fabs(gpu->memory_used_bytes - 4e9) < 1);
    arena_done(&p.arena);
    play_begin(&p);
    given_set(&p, JOB_GPUS, 3);
    play_end(&p);
    assert_int_equal(p.use.gpus, 0);
    assert_int_equal(p.use.nodes[0].gpu_count, 0);
    arena_done(&p.arena);
}

static void without_the_records_time_a_load_is_the_time(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    p.resources.known &= ~(UINT32_C(1) << JOB_CPU_TIME_MS);
    for (size_t w = 0; w < WINDOWS; w++)
        p.load[1][w] = 70; /* of threads that wait for one of its 4 CPUs */
    play_end(&p);
    node_is(&p, 0, "a", 900, 4e9);
    node_is(&p, 1, "b", 1200, 8e9);
    arena_done(&p.arena);
}

/* Another job's processes are in the metrics of a node, too. */
static void of_a_shared_node_metrics_are_no_evidence(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    p.is_shared[0] = true;
    play_end(&p);
    assert_int_equal(p.use.node_count, 1);
    node_is(&p, 0, "b", 300, 8e9); /* its load: how much of the 800 s is not known */
    arena_done(&p.arena);
}

static void of_one_node_the_record_is_enough(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    p.samples.host_count = 1;
    p.samples.metric_count = 0;
    p.is_shared[0] = true;
    given_set(&p, JOB_CPUS, 4);
    given_set(&p, JOB_MEMORY_BYTES, 10000000000);
    given_set(&p, JOB_MEMORY_PEAK_BYTES, 3000000000);
    play_end(&p);
    node_is(&p, 0, "a", 800, 3e9);
    assert_int_equal(p.use.gpus, 0);
    arena_done(&p.arena);
}

static void what_was_observed_for_a_moment_is_no_evidence(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    for (size_t w = 3; w < WINDOWS; w++)
        p.used[0][w] = NAN;
    play_end(&p);
    assert_int_equal(p.use.node_count, 1);
    node_is(&p, 0, "b", 200, 8e9);
    arena_done(&p.arena);
}

static void nothing_known_is_no_node(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    p.resources = (struct job_resources){ 0 };
    play_end(&p);
    assert_int_equal(p.use.node_count, 0);
    arena_done(&p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_records_time_is_divided_by_load),
        cmocka_unit_test(gpus_are_the_jobs_where_it_had_all),
        cmocka_unit_test(without_the_records_time_a_load_is_the_time),
        cmocka_unit_test(of_a_shared_node_metrics_are_no_evidence),
        cmocka_unit_test(of_one_node_the_record_is_enough),
        cmocka_unit_test(what_was_observed_for_a_moment_is_no_evidence),
        cmocka_unit_test(nothing_known_is_no_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
