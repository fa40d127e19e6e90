/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_phases - phases of runs whose truth is known, in noise of many seeds.
 *
 * PHASE_SEEDS=2000 plays so many of each, and prints how many were right.
 */
#include "analysis/footprint/footprint.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOSTS_MAX 16
#define WINDOWS_MAX 120
#define SEEDS_USUAL 200
#define T0 INT64_C(1500000000)

enum { LOAD, FLOPS, MEM_BW, USED, POWER, NET, READ, WRITE, GPU, METRICS };

static const struct {
    const char *name, *unit;
    double noise; /* of its value */
} kinds[METRICS] = {
    [LOAD] = { "cpu_load", "", 0.02 },
    [FLOPS] = { "flops_any", "GF/s", 0.1 },
    [MEM_BW] = { "mem_bw", "GB/s", 0.1 },
    [USED] = { "mem_used", "GB", 0.01 },
    [POWER] = { "cpu_power", "W", 0.05 },
    [NET] = { "net_bw", "MB/s", 0.2 },
    [READ] = { "lustre_read_bw", "MB/s", 0.3 },
    [WRITE] = { "lustre_write_bw", "MB/s", 0.3 },
    [GPU] = { "acc_utilization", "%", 0.05 },
};

/* What the nodes do: levels of the metrics. */
static const double computing[METRICS] = { 72, 400, 120, 90, 350, 20, 1, 1, 0 };
static const double reading[METRICS] = { 20, 4, 8, 90, 220, 900, 800, 1, 0 };
static const double writing[METRICS] = { 20, 4, 8, 90, 220, 900, 1, 800, 0 };
static const double resting[METRICS] = { 0.05, 0.002, 0.2, 4, 180, 0.1, 0.01, 0.01, 0 };
static const double on_gpus[METRICS] = { 3, 5, 8, 90, 600, 2, 0.1, 0.1, 95 };

struct play {
    size_t hosts, windows;
    uint64_t state;
    double values[METRICS][HOSTS_MAX][WINDOWS_MAX];
    struct node_samples_row rows[METRICS][HOSTS_MAX];
    struct node_samples_metric metrics[METRICS];
    struct node_samples samples;
    struct arena arena;
    struct job_phases result;
};

static uint64_t seeds_of(void)
{
    const char *text = getenv("PHASE_SEEDS");
    uint64_t seeds = SEEDS_USUAL;
    if (text)
        assert_int_equal(number_parse_u64(span_of(text), &seeds), 0);
    return seeds;
}

static void wrong_print(const char *what, size_t runs, size_t wrong)
{
    if (getenv("PHASE_SEEDS"))
        print_message("# %zu %s: %zu are wrong\n", runs, what, wrong);
}

static double uniform(struct play *p)
{
    p->state = p->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(p->state >> 33) + 1) / 2147483649.0;
}

static double normal(struct play *p)
{
    return sqrt(-2 * log(uniform(p))) * cos(6.283185307179586 * uniform(p));
}

static void play_begin(struct play *p, size_t hosts, size_t windows, uint64_t seed)
{
    *p = (struct play){ .hosts = hosts, .windows = windows, .state = seed * 7919 };
    p->samples = (struct node_samples){
        .from_ns = T0 * NS_PER_S,
        .to_ns = (T0 + (int64_t)windows * 60) * NS_PER_S,
        .window_ns = 60 * NS_PER_S,
        .window_count = windows,
        .host_count = hosts,
    };
}

/* Windows from .. to - 1 are of these levels; all nodes share half of the noise. */
static void play_do(struct play *p, size_t from, size_t to,
                    const double levels[static METRICS])
{
    for (size_t m = 0; m < METRICS; m++)
        for (size_t w = from; w < to; w++) {
            double shared = kinds[m].noise * normal(p);
            for (size_t h = 0; h < p->hosts; h++) {
                double own = kinds[m].noise * normal(p);
                p->values[m][h][w] = levels[m] * fmax(0, 1 + shared + own);
            }
        }
}

static const struct job_phases *play_end(struct play *p)
{
    static const char *const names[HOSTS_MAX] = { "c01", "c02", "c03", "c04",
                                                  "c05", "c06", "c07", "c08" };
    arena_init(&p->arena, 0);
    for (size_t m = 0; m < METRICS; m++) {
        for (size_t h = 0; h < p->hosts; h++)
            p->rows[m][h] = (struct node_samples_row){
                .host = h,
                .device = m == GPU ? "accelerator:0" : "",
                .samples = p->windows,
                .values = p->values[m][h],
            };
        p->metrics[m] = (struct node_samples_metric){ .name = kinds[m].name,
                                                      .unit = kinds[m].unit,
                                                      .rows = p->rows[m],
                                                      .row_count = p->hosts };
    }
    p->samples.hosts = names;
    p->samples.metrics = p->metrics;
    p->samples.metric_count = METRICS;
    assert_int_equal(job_phases_make(&p->samples, &p->arena, &p->result), 0);
    return &p->result;
}

static void play_done(struct play *p)
{
    arena_done(&p->arena);
}

/* Phases follow one another without a gap, from the first window to the last. */
static void phases_are_whole(const struct play *p)
{
    const struct job_phases *r = &p->result;
    double share = 0;
    for (size_t i = 0; i < r->count; i++) {
        assert_int_equal(r->items[i].from, i > 0 ? r->items[i - 1].to : 0);
        assert_true(r->items[i].to > r->items[i].from);
        share += r->items[i].share;
    }
    assert_int_equal(r->items[r->count - 1].to, p->windows);
    assert_true(fabs(share - 1) < 1e-9);
}

static size_t metric_at(const struct job_phases *r, const char *name)
{
    for (size_t i = 0; i < r->metric_count; i++)
        if (strcmp(r->metrics[i].name, name) == 0)
            return i;
    fail_msg("no metric %s", name);
    return 0;
}

static const size_t planted_ends[] = { 7, 61, 70, 110, 120 };

static bool is_as_planted(const struct job_phases *r)
{
    static const unsigned want[] = { PHASE_READS | PHASE_USES_NETWORK, PHASE_COMPUTES,
                                     PHASE_WRITES | PHASE_USES_NETWORK, PHASE_COMPUTES,
                                     PHASE_IDLE };
    if (r->count != COUNT_OF(want))
        return false;
    for (size_t i = 0; i < r->count; i++)
        if (r->items[i].to + 1 < planted_ends[i] ||
            r->items[i].to > planted_ends[i] + 1 || r->items[i].acts != want[i])
            return false;
    const struct job_phase *writes = &r->items[2];
    return writes->levels[metric_at(r, "lustre_write_bw")].mark == 1 &&
           writes->levels[metric_at(r, "flops_any")].mark == -1 &&
           r->items[1].levels[metric_at(r, "flops_any")].mark == 0;
}

static void planted_phases_are_found(void **state)
{
    (void)state;
    static struct play p;
    static const double *const acts[] = { reading, computing, writing, computing,
                                          resting };
    uint64_t seeds = seeds_of();
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        play_begin(&p, 1 + seed % 8, 120, seed);
        for (size_t i = 0; i < COUNT_OF(planted_ends); i++)
            play_do(&p, i > 0 ? planted_ends[i - 1] : 0, planted_ends[i], acts[i]);
        wrong += !is_as_planted(play_end(&p));
        phases_are_whole(&p);
        play_done(&p);
    }
    wrong_print("runs of five phases", seeds, wrong);
    assert_true(wrong <= seeds / 100);
}

static void a_flat_run_is_one_phase(void **state)
{
    (void)state;
    static struct play p;
    uint64_t seeds = seeds_of();
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        size_t windows = seed % 4 == 0 ? 40 : 120;
        play_begin(&p, 1 + seed % 8, windows, seed + 5000);
        play_do(&p, 0, windows, seed % 2 == 0 ? computing : resting);
        const struct job_phases *r = play_end(&p);
        wrong += r->count != 1;
        if (r->count == 1)
            assert_int_equal(r->items[0].acts,
                             seed % 2 == 0 ? PHASE_COMPUTES : PHASE_IDLE);
        phases_are_whole(&p);
        play_done(&p);
    }
    wrong_print("flat runs", seeds, wrong);
    assert_true(wrong <= seeds / 50);
}

/* Noise that goes up and down slowly (autoregressive), and with bursts. */
static void noise_that_wanders_makes_no_phases(void **state)
{
    (void)state;
    static struct play p;
    uint64_t seeds = seeds_of();
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        play_begin(&p, 4, 120, seed + 9000);
        play_do(&p, 0, 120, computing);
        for (size_t m = 0; m < METRICS; m++) {
            double wander = 0;
            for (size_t w = 0; w < 120; w++) {
                wander = 0.9 * wander + 0.03 * normal(&p);
                double burst = uniform(&p) < 0.03 ? 5 : 1;
                for (size_t h = 0; h < 4; h++)
                    p.values[m][h][w] *= burst * exp(wander);
            }
        }
        wrong += play_end(&p)->count != 1;
        play_done(&p);
    }
    wrong_print("runs whose noise wanders", seeds, wrong);
    assert_true(wrong <= seeds / 50);
}

static void a_periodic_run_does_not_shatter(void **state)
{
    (void)state;
    static struct play p;
    static const struct {
        size_t period, busy;
    } cases[] = { { 2, 1 },  { 3, 2 },  { 5, 3 },   { 7, 5 },   { 8, 4 },
                  { 10, 7 }, { 12, 8 }, { 15, 10 }, { 20, 10 }, { 20, 16 } };
    size_t many = 0, runs = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (uint64_t seed = 1; seed <= seeds_of() / 10; seed++) {
            play_begin(&p, 4, 120, seed + i * 100);
            for (size_t w = 0; w < 120; w++)
                play_do(&p, w, w + 1,
                        w % cases[i].period < cases[i].busy ? computing : writing);
            const struct job_phases *r = play_end(&p);
            runs++;
            many += r->count > 3;
            if (r->count > 8)
                fail_msg("period %zu of %zu, seed %d: %zu phases", cases[i].period,
                         cases[i].busy, (int)seed, r->count);
            play_done(&p);
        }
    wrong_print("periodic runs, more than 3 phases", runs, many);
    assert_true(many <= runs / 50);
}

static void what_alternates_is_one_phase_with_both(void **state)
{
    (void)state;
    static struct play p;
    play_begin(&p, 4, 120, 77);
    play_do(&p, 0, 10, reading);
    for (size_t w = 10; w < 110; w++)
        play_do(&p, w, w + 1, (w - 10) % 20 < 12 ? computing : writing);
    play_do(&p, 110, 120, resting);
    const struct job_phases *r = play_end(&p);
    assert_int_equal(r->count, 3);
    assert_int_equal(r->items[0].changes, 0);
    assert_int_equal(r->items[1].changes, 9);
    assert_int_equal(r->items[1].acts,
                     PHASE_COMPUTES | PHASE_WRITES | PHASE_USES_NETWORK);
    play_done(&p);
}

/* A memory that grows has no steps; one that is filled at once has. */
static void slow_growth_is_no_phase(void **state)
{
    (void)state;
    static struct play p;
    for (uint64_t seed = 1; seed <= SEEDS_USUAL; seed++) {
        bool is_step = seed % 2 == 0;
        play_begin(&p, 4, 120, seed);
        play_do(&p, 0, 120, computing);
        for (size_t w = 0; w < 120; w++)
            for (size_t h = 0; h < 4; h++)
                p.values[USED][h][w] *=
                    is_step ? (w < 50 ? 0.3 : 1) : 0.05 + 0.95 * (double)w / 120;
        const struct job_phases *r = play_end(&p);
        if (r->count != (is_step ? 2U : 1U))
            fail_msg("seed %d: %zu phases", (int)seed, r->count);
        play_done(&p);
    }
}

/* Five windows in which nothing but the operations is less. */
static void a_short_phase_of_one_metric_is_found(void **state)
{
    (void)state;
    static struct play p;
    uint64_t seeds = seeds_of();
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        play_begin(&p, 4, 120, seed);
        play_do(&p, 0, 120, computing);
        for (size_t w = 50; w < 55; w++)
            for (size_t h = 0; h < 4; h++)
                p.values[FLOPS][h][w] *= 0.02;
        const struct job_phases *r = play_end(&p);
        wrong += r->count != 3 || r->items[1].from != 50 || r->items[1].to != 55;
        play_done(&p);
    }
    wrong_print("runs with a short phase of one metric", seeds, wrong);
    assert_true(wrong <= seeds / 20);
}

static void missing_samples_are_no_phase(void **state)
{
    (void)state;
    static struct play p;
    for (uint64_t seed = 1; seed <= SEEDS_USUAL; seed++) {
        play_begin(&p, 8, 120, seed);
        play_do(&p, 0, 60, computing);
        play_do(&p, 60, 120, resting);
        for (size_t m = 0; m < METRICS; m++)
            for (size_t h = 0; h < 8; h++)
                for (size_t w = 0; w < 120; w++)
                    if (uniform(&p) < 0.2 || (w > 20 && w < 35) || (h < 3 && w > 80))
                        p.values[m][h][w] = NAN;
        const struct job_phases *r = play_end(&p);
        if (r->count != 2)
            fail_msg("seed %d: %zu phases", (int)seed, r->count);
        assert_in_range(r->items[0].to, 59, 61);
        play_done(&p);
    }
}

static void computing_on_gpus_is_no_rest(void **state)
{
    (void)state;
    static struct play p;
    play_begin(&p, 2, 60, 5);
    play_do(&p, 0, 30, resting);
    play_do(&p, 30, 60, on_gpus);
    const struct job_phases *r = play_end(&p);
    assert_int_equal(r->count, 2);
    assert_int_equal(r->items[0].acts, PHASE_IDLE);
    assert_int_equal(r->items[1].acts & ~(unsigned)PHASE_USES_NETWORK,
                     PHASE_COMPUTES | PHASE_COMPUTES_ON_GPUS);
    play_done(&p);
}

static void little_is_one_phase_or_none(void **state)
{
    (void)state;
    static struct play p;
    for (size_t windows = 0; windows < 6; windows++) {
        play_begin(&p, 1, windows, 3);
        play_do(&p, 0, windows, computing);
        const struct job_phases *r = play_end(&p);
        assert_int_equal(r->count, windows > 0);
        play_done(&p);
    }
    play_begin(&p, 1, 10, 3);
    for (size_t m = 0; m < METRICS; m++)
        for (size_t w = 0; w < 10; w++)
            p.values[m][0][w] = NAN;
    assert_int_equal(play_end(&p)->count, 0);
    play_done(&p);
    play_begin(&p, 0, 10, 3);
    assert_int_equal(play_end(&p)->count, 0);
    play_done(&p);
}

/* No value breaks it, and of what is infinite nothing is claimed. */
static void absurd_values_do_no_harm(void **state)
{
    (void)state;
    static struct play p;
    static const double absurd[] = { INFINITY, -INFINITY, 1e308, -1e308, 5e-324,
                                     -0.0,     NAN,       1e300, 0,      -1 };
    for (uint64_t seed = 1; seed <= SEEDS_USUAL; seed++) {
        play_begin(&p, 3, 120, seed);
        play_do(&p, 0, 120, computing);
        for (size_t m = 0; m < METRICS; m++)
            for (size_t h = 0; h < 3; h++)
                for (size_t w = 0; w < 120; w++)
                    if (seed % 5 == 0 || uniform(&p) < 0.3)
                        p.values[m][h][w] =
                            absurd[(size_t)(uniform(&p) * 1000) % COUNT_OF(absurd)];
        const struct job_phases *r = play_end(&p);
        assert_in_range(r->count, 1, JOB_PHASES_MAX);
        phases_are_whole(&p);
        play_done(&p);
    }
}

static void metrics_are_known_by_their_names(void **state)
{
    (void)state;
    size_t rank = 0;
    assert_int_equal(phase_kind_of("flops_any", &rank), PHASE_KIND_FLOPS);
    assert_int_equal(phase_kind_of("ib_recv", &rank), PHASE_KIND_NETWORK_IN);
    assert_int_equal(phase_kind_of("lustre_write_bw", &rank), PHASE_KIND_WRITE);
    assert_int_equal(phase_kind_of("mem_total", &rank), PHASE_KIND_NONE);
    assert_int_equal(phase_kind_of("vmstat_pgfault", &rank), PHASE_KIND_NONE);
    assert_string_equal(phase_act_text(PHASE_USES_NETWORK),
                        "moves data over the network");
    assert_string_equal(phase_act_name(PHASE_IDLE), "idle");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_phases_are_found),
        cmocka_unit_test(a_flat_run_is_one_phase),
        cmocka_unit_test(noise_that_wanders_makes_no_phases),
        cmocka_unit_test(a_periodic_run_does_not_shatter),
        cmocka_unit_test(what_alternates_is_one_phase_with_both),
        cmocka_unit_test(slow_growth_is_no_phase),
        cmocka_unit_test(a_short_phase_of_one_metric_is_found),
        cmocka_unit_test(missing_samples_are_no_phase),
        cmocka_unit_test(computing_on_gpus_is_no_rest),
        cmocka_unit_test(little_is_one_phase_or_none),
        cmocka_unit_test(absurd_values_do_no_harm),
        cmocka_unit_test(metrics_are_known_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
