/* SPDX-License-Identifier: Apache-2.0 */
/* test_roofline - operations for each byte, units, and peaks as they are configured. */
#include "analysis/footprint/footprint.h"
#include "analysis/footprint/rate_unit.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define WINDOWS 4

static const char *const hosts[] = { "f01", "f02" };

struct play {
    double flops[2][WINDOWS], bytes[2][WINDOWS];
    struct node_samples_row flops_rows[3], bytes_rows[2];
    struct node_samples_metric metrics[2];
    struct node_samples samples;
    struct job_phases phases;
    struct job_phase items[2];
    struct roofline result;
};

static void play_begin(struct play *p)
{
    *p = (struct play){
        .flops = { { 100, 100, 300, 300 }, { 100, 100, 300, 300 } },
        .bytes = { { 50, 50, 50, 50 }, { 50, 50, 50, 50 } },
        .items = { { .from = 0, .to = 2 }, { .from = 2, .to = 4 } },
    };
    for (size_t h = 0; h < 2; h++) {
        p->flops_rows[h] = (struct node_samples_row){ h, "", 4, 0, 0, p->flops[h], 0 };
        p->bytes_rows[h] = (struct node_samples_row){ h, "", 4, 0, 0, p->bytes[h], 0 };
    }
    p->metrics[0] = (struct node_samples_metric){
        .name = "flops_any", .unit = "GF/s", .rows = p->flops_rows, .row_count = 2
    };
    p->metrics[1] = (struct node_samples_metric){
        .name = "mem_bw", .unit = "GB/s", .rows = p->bytes_rows, .row_count = 2
    };
    p->samples = (struct node_samples){ .cluster = "fritz",
                                        .hosts = hosts,
                                        .host_count = 2,
                                        .window_count = WINDOWS,
                                        .metrics = p->metrics,
                                        .metric_count = 2 };
    p->phases = (struct job_phases){ .items = p->items, .count = 2 };
}

static const struct roofline *play_end(struct play *p)
{
    roofline_make(&p->samples, &p->phases, &p->result);
    return &p->result;
}

static bool is_near(double value, double want)
{
    return fabs(value - want) <= 1e-9 * fabs(want);
}

static void intensity_is_operations_for_each_byte(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    const struct roofline *r = play_end(&p);
    assert_int_equal(r->state, ROOFLINE_KNOWN);
    assert_true(is_near(r->job.flops, 200e9) && is_near(r->job.bytes, 50e9));
    assert_true(is_near(r->job.intensity, 4));
    assert_int_equal(r->job.n, 8);
    assert_true(is_near(r->phases[0].intensity, 2) &&
                is_near(r->phases[1].intensity, 6));
    assert_true(isnan(r->job.roof) && isnan(roofline_ridge(r)));
    assert_true(isnan(roofline_share(&r->job)));
}

static void the_roof_is_the_lower_of_both(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    p.samples.peak_flops = 1e12;
    p.samples.peak_bytes = 200e9;
    const struct roofline *r = play_end(&p);
    assert_true(is_near(roofline_ridge(r), 5));
    assert_true(is_near(r->phases[0].roof, 400e9));
    assert_true(is_near(r->phases[1].roof, 1e12));
    assert_true(is_near(roofline_share(&r->phases[0]), 0.25));
}

static void only_what_is_observed_together_counts(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    p.flops[0][0] = NAN;
    p.bytes[1][1] = INFINITY;
    p.flops[1][3] = -4;
    p.flops[1][0] = 1e300;
    p.metrics[1].row_count = 1;
    p.bytes_rows[0].host = 1;
    p.bytes_rows[0].values = p.bytes[1];
    const struct roofline *r = play_end(&p);
    assert_int_equal(r->job.n, 1);
    assert_true(is_near(r->job.flops, 300e9));
    p.metrics[0].row_count = 1;
    r = play_end(&p);
    assert_int_equal(r->state, ROOFLINE_NO_SAMPLES);
}

static void devices_of_a_node_are_not_the_node(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    p.flops_rows[2] = p.flops_rows[1];
    p.flops_rows[1] =
        (struct node_samples_row){ 0, "hwthread:0", 4, 0, 0, p.flops[1], 0 };
    p.metrics[0].row_count = 3;
    assert_int_equal(play_end(&p)->job.n, 8);
    p.flops_rows[0].device = p.flops_rows[2].device = "socket:0";
    assert_int_equal(play_end(&p)->state, ROOFLINE_NONE);
}

static void without_bytes_there_is_no_intensity(void **state)
{
    (void)state;
    struct play p;
    play_begin(&p);
    p.samples.peak_flops = p.samples.peak_bytes = 1e12;
    memset(p.bytes, 0, sizeof p.bytes);
    const struct roofline *r = play_end(&p);
    assert_int_equal(r->state, ROOFLINE_KNOWN);
    assert_true(isnan(r->job.intensity) && isnan(r->job.roof));
}

static void a_unit_is_never_assumed(void **state)
{
    (void)state;
    static const struct {
        const char *flops, *bytes;
        bool is_counter;
        const char *odd; /* NULL: both are known */
    } cases[] = {
        { "GF/s", "GB/s", false, NULL },
        { "MFlops/s", "MBytes/s", false, NULL },
        { "FLOPS", "KiB/s", false, NULL },
        { "Flops", "B", true, NULL },
        { "", "GB/s", false, "flops_any" },
        { "GF/s", "", false, "mem_bw" },
        { "GF/s", "GB", false, "mem_bw" },
        { "GF", "GB/s", false, "flops_any" },
        { "Percent", "GB/s", false, "flops_any" },
        { "GF/s", "Gb/s", false, "mem_bw" },
    };
    struct play p;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        play_begin(&p);
        p.metrics[0].unit = cases[i].flops;
        p.metrics[1].unit = cases[i].bytes;
        p.metrics[0].is_counter = p.metrics[1].is_counter = cases[i].is_counter;
        const struct roofline *r = play_end(&p);
        if ((r->state == ROOFLINE_NO_UNIT) != (cases[i].odd != NULL))
            fail_msg("%s, %s", cases[i].flops, cases[i].bytes);
        if (cases[i].odd)
            assert_string_equal(r->odd, cases[i].odd);
    }
}

static void rates_are_read_with_their_units(void **state)
{
    (void)state;
    double value = 0;
    assert_int_equal(rate_parse(RATE_FLOPS, SPAN("9.2TF/s"), &value), 0);
    assert_true(is_near(value, 9.2e12));
    assert_int_equal(rate_parse(RATE_FLOPS, SPAN("4608 GFLOPS"), &value), 0);
    assert_true(is_near(value, 4608e9));
    assert_int_equal(rate_parse(RATE_BYTES, SPAN(" 350GB/s "), &value), 0);
    assert_true(is_near(value, 350e9));
    assert_int_equal(rate_parse(RATE_BYTES, SPAN("1GiB/s"), &value), 0);
    assert_true(is_near(value, 1073741824.0));
    static const char *const bad[] = { "",       "9.2",    "TF/s",     "0F/s",
                                       "-1GF/s", "nanF/s", "1e400F/s", "9.2TF",
                                       "350GB",  "1ZF/s",  "9..2F/s" };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (rate_parse(RATE_FLOPS, span_of(bad[i]), &value) != -EINVAL)
            fail_msg("'%s'", bad[i]);
}

/* ---- peaks ---- */

static int peaks_read(const char *text, struct node_peaks **ret, struct err *err)
{
    AUTO(config_free) struct config *config = NULL;
    int rc = config_parse("test.conf", span_of(text), &subcluster_config_section, 1,
                          &config, err);
    return rc < 0 ? rc : node_peaks_new(config, ret, err);
}

static void peaks_are_those_of_the_nodes(void **state)
{
    (void)state;
    AUTO(node_peaks_free) struct node_peaks *peaks = NULL;
    AUTO(arena_done) struct arena arena;
    struct play p;
    arena_init(&arena, 0);
    assert_int_equal(peaks_read("[subcluster other]\ncluster = alex\nflops = 1F/s\n"
                                "memory_bandwidth = 1B/s\n"
                                "[subcluster new]\ncluster = fritz\nnodes = f[02-09]\n"
                                "flops = 3TF/s\nmemory_bandwidth = 400GB/s\n"
                                "[subcluster old]\nnodes = f01\nflops = 1TF/s\n"
                                "memory_bandwidth = 200GB/s\n",
                                &peaks, NULL),
                     0);
    play_begin(&p);
    assert_int_equal(node_peaks_set(peaks, &arena, &p.samples), 0);
    assert_true(is_near(p.samples.peak_flops, 2e12) &&
                is_near(p.samples.peak_bytes, 300e9));
    assert_null(p.samples.peakless);
    static const char *const stranger[] = { "f01", "g01" };
    play_begin(&p);
    p.samples.hosts = stranger;
    assert_int_equal(node_peaks_set(peaks, &arena, &p.samples), 0);
    assert_true(p.samples.peak_flops == 0);
    assert_string_equal(p.samples.peakless, "g01");
    assert_int_equal(node_peaks_set(NULL, &arena, &p.samples), 0);
}

static void bad_peaks_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "[subcluster a]\nflops = 1TF/s\n", "memory_bandwidth is missing" },
        { "[subcluster a]\nmemory_bandwidth = 1GB/s\n", "flops is missing" },
        { "[subcluster a]\nflops = 9.2\nmemory_bandwidth = 1GB/s\n",
          "'9.2' is not a rate such as 9.2TF/s" },
        { "[subcluster a]\nflops = 1TF/s\nmemory_bandwidth = 1GF/s\n",
          "'1GF/s' is not a rate such as 350GB/s" },
        { "[subcluster a]\nflops = 1TF/s\nmemory_bandwidth = 1GB/s\nnodes = f[1\n",
          "subcluster a: nodes" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(node_peaks_free) struct node_peaks *peaks = NULL;
        struct err err = { 0 };
        assert_int_equal(peaks_read(cases[i].text, &peaks, &err), -EINVAL);
        if (!strstr(err.text, cases[i].want))
            fail_msg("%s", err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intensity_is_operations_for_each_byte),
        cmocka_unit_test(the_roof_is_the_lower_of_both),
        cmocka_unit_test(only_what_is_observed_together_counts),
        cmocka_unit_test(devices_of_a_node_are_not_the_node),
        cmocka_unit_test(without_bytes_there_is_no_intensity),
        cmocka_unit_test(a_unit_is_never_assumed),
        cmocka_unit_test(rates_are_read_with_their_units),
        cmocka_unit_test(peaks_are_those_of_the_nodes),
        cmocka_unit_test(bad_peaks_are_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
