/* SPDX-License-Identifier: Apache-2.0 */
/* test_pictures - small inputs become exactly the pictures that lie in pictures/.
 *
 * Each was looked at when it was written.  After a change of a picture on purpose,
 * write them anew with BARO_PICTURES=src/draw/test/pictures, and look at the
 * difference.
 */
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "draw/draw.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_NS (86400 * NS_PER_S)
#define BEGIN_S INT64_C(1500000000)
#define BEGIN_NS (BEGIN_S * NS_PER_S)

static void picture_write(const char *dir, const char *name, const struct strbuf *out)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    else {
        assert_int_equal(fwrite(out->data, 1, out->size, file), out->size);
        assert_int_equal(fclose(file), 0);
    }
}

static void picture_expect(const char *name, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf wanted = STRBUF_INIT;
    const char *dir = getenv("BARO_PICTURES");
    char path[512];
    assert_int_equal(strbuf_error(out), 0);
    if (dir)
        picture_write(dir, name, out);
    (void)snprintf(path, sizeof path, PICTURES_DIR "/%s", name);
    assert_int_equal(file_read(path, 1 << 20, &wanted, NULL), 0);
    const char *want = strbuf_text(&wanted);
    const char *got = strbuf_text(out);
    for (size_t line = 1; strcmp(want, got) != 0; line++) {
        size_t want_size = strcspn(want, "\n");
        size_t got_size = strcspn(got, "\n");
        if (want_size != got_size || strncmp(want, got, got_size) != 0 || !*want)
            fail_msg("%s:%zu:\n%.*s\nis now\n%.*s", name, line, (int)want_size, want,
                     (int)got_size, got);
        want += want_size + (want[want_size] == '\n');
        got += got_size + (got[got_size] == '\n');
    }
}

/* ---- weather ---- */

static const double read_bytes[2][8] = {
    { 5e6, 1e7, 0, NAN, NAN, 9e6, 2e6, 4e6 },
    { 1e6, 3e6, 0, NAN, 8e6, 5e6, 0, 7e6 },
};

static void series_make(enum lmt_measure measure, const double (*values)[8],
                        struct lmt_series **ret)
{
    static const char *const names[] = { "fs-OST0001", "fs-OST000a" };
    struct lmt_points *points = NULL;
    assert_int_equal(lmt_points_new(&points), 0);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (size_t step = 0; step < 8; step++)
            if (!isnan(values[i][step]))
                assert_int_equal(lmt_points_add(points, measure, LMT_POINT_COUNT,
                                                span_of(names[i]),
                                                BEGIN_S + 300 * (int64_t)step,
                                                values[i][step], NULL),
                                 0);
    assert_int_equal(lmt_series_of_points(points, "points", ret, NULL), 0);
}

static void weather_has_curves_what_is_usual_and_maps(void **state)
{
    static const double written[2][8] = {
        { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN },
        { 1e9, 2e9, 0, 0, 5e8, 0, 0, 0 },
    };
    static const double days[] = { 1e4, 1.2e4, 2e4, 2.5e4, 3e4, 4e4 };
    AUTO(lmt_series_close) struct lmt_series *read = NULL;
    AUTO(lmt_series_close) struct lmt_series *write = NULL;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct weather weather = { .from_s = BEGIN_S, .to_s = BEGIN_S + 2400 };
    (void)state;
    weather.lines[LMT_READ_BYTES] = (struct weather_line){
        .peak = 14e6 / 300, .days = days, .day_count = COUNT_OF(days)
    };
    weather.lines[LMT_WRITE_BYTES] = (struct weather_line){ .peak = 2e9 / 300 };
    series_make(LMT_READ_BYTES, read_bytes, &read);
    series_make(LMT_WRITE_BYTES, written, &write);
    struct lmt_series *const all[] = { read, write };
    assert_int_equal(weather_print_svg(&weather, all, 2, &out, NULL), 0);
    picture_expect("weather.svg", &out);
    strbuf_clear(&out);
    /* Of too few other days nothing is usual; the window ends where nothing is
     * measured. */
    weather.lines[LMT_READ_BYTES].day_count = PERCENTILE_OTHERS_MIN - 1;
    weather.to_s += 600;
    assert_int_equal(weather_print_svg(&weather, all, 1, &out, NULL), 0);
    picture_expect("weather_of_reads.svg", &out);
}

static void weather_without_bytes_is_an_error(void **state)
{
    static const double opens[2][8] = { { 1, 2, 3, 4, 5, 6, 7, 8 },
                                        { 1, 2, 3, 4, 5, 6, 7, 8 } };
    const struct weather weather = { .from_s = BEGIN_S, .to_s = BEGIN_S + 2400 };
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    series_make(LMT_OPENS, opens, &series);
    assert_int_equal(weather_print_svg(&weather, &series, 1, &out, &err), -ENOENT);
    assert_string_equal(err.text, "no series has bytes of this time");
    assert_int_equal(weather_print_svg(&weather, &series, 0, &out, &err), -ENOENT);
    assert_int_equal(out.size, 0);
}

/* ---- a study ---- */

static void a_timeline_of_twelve_runs(void **state)
{
    static const double fractions[] = { 0.9,  0.8, 0.95, 0.2,  0.1, 0.25,
                                        0.15, 0.9, 1,    0.85, 0.3, 0.35 };
    static const int days[] = { 0, 3, 5, 9, 12, 14, 17, 40, 43, 44, 49, 53 };
    static const struct mapping mapping = { .short_ns = 10 * DAY_NS,
                                            .long_ns = 49 * DAY_NS };
    struct run run[COUNT_OF(days)];
    struct run_set set = {
        .name = "ior", .group = "ior", .best = 1, .count = COUNT_OF(days)
    };
    const struct runs runs = {
        .runs = run, .count = COUNT_OF(days), .sets = &set, .set_count = 1
    };
    const struct study study = { .mapping = &mapping, .runs = &runs };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(days); i++)
        run[i] = (struct run){ .t_ns = BEGIN_NS + days[i] * DAY_NS,
                               .clock_ns = BEGIN_NS + days[i] * DAY_NS,
                               .raw = fractions[i],
                               .fraction = fractions[i],
                               .best = 1,
                               .id = "" };
    assert_int_equal(study_timeline_svg(&study, "ior", &out), 0);
    picture_expect("timeline.svg", &out);
}

static void quantiles_of_three_sets(void **state)
{
    static struct run_set run_sets[] = {
        { .name = "hacc read", .group = "hacc", .count = 12 },
        { .name = "hacc write", .group = "hacc", .count = 7 },
        { .name = "ior", .group = "ior", .count = 3 },
    };
    static struct study_set sets[] = {
        { &run_sets[0], 0.1, 0.2, 0.3, 0.4, 0.5, 0 },
        { &run_sets[1], NAN, NAN, NAN, NAN, NAN, 0 },
        { &run_sets[2], 0.2, 0.4, 0.6, 0.8, 1.0, 0 },
    };
    const struct runs runs = { .sets = run_sets, .set_count = COUNT_OF(run_sets) };
    const struct study study = { .runs = &runs, .sets = sets };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    study_quantiles_svg(&study, &out);
    picture_expect("quantiles.svg", &out);
}

static void contributors_and_correlations(void **state)
{
    static const struct mapping mapping = {
        .p_contributor = 0.1,
        .p_region = 0.01,
        .measures = { .items = { { .label = "load" }, { .label = "free space" } },
                      .count = 2 }
    };
    static struct run_set sets[] = { { .name = "g", .group = "g", .count = 3 },
                                     { .name = "h", .group = "h", .count = 3 } };
    static struct study_correlation found[] = {
        { "all", "load", { 9, 0.5, 0.001 } }, { "all", "free", { 9, -0.5, 0.009 } },
        { "g", "load", { 9, 0.25, 0.01 } },   { "g", "free", { 2, NAN, NAN } },
        { "h", "load", { 9, 0, 0.9 } },       { "h", "free", { 9, -1, 0 } },
    };
    const struct runs runs = { .sets = sets, .set_count = COUNT_OF(sets) };
    const struct study study = {
        .mapping = &mapping,
        .runs = &runs,
        .contributors = { { "c", "chance", 10, 1, 0.1, 0.65 },
                          { "n", "never seen", 0, 0, NAN, NAN },
                          { "z", "zero", 4, 0, 0, 1 },
                          { "a", "the longest of all", 10, 5, 0.5, 0.001 } },
        .contributor_count = 4,
        .correlations = found,
        .correlation_count = COUNT_OF(found),
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    study_contributors_svg(&study, &out);
    picture_expect("contributors.svg", &out);
    strbuf_clear(&out);
    study_correlations_svg(&study, &out);
    picture_expect("correlations.svg", &out);
}

/* ---- UMAMI ---- */

static const double load[] = { 1, 2, NAN, 3, 4, 20, 8.5 };
static const double load_sorted[] = { 1, 2, 3, 4, 20 };
static const double level[] = { 7, 7, 7, 7, 7, 7, 7 };
static const double absent[] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };
static const int64_t times[] = { BEGIN_NS,
                                 BEGIN_NS + 1 * DAY_NS,
                                 BEGIN_NS + 3 * DAY_NS,
                                 BEGIN_NS + 4 * DAY_NS,
                                 BEGIN_NS + 7 * DAY_NS,
                                 BEGIN_NS + 8 * DAY_NS,
                                 BEGIN_NS + 9 * DAY_NS };

static struct umami_row umami_rows[] = {
    { "load", "Load of servers", false, 8.5, load, 5, load_sorted, 1.2, 2, 3, 4, 16.8,
      UMAMI_WORST },
    { "fraction", "Performance", true, 3, load, 5, load_sorted, 1.2, 2, 3, 4, 16.8,
      UMAMI_BETTER },
    { "level", "Level \x01", true, 7, level, 6, level, 7, 7, 7, 7, 7, UMAMI_SAME },
    { "absent", "Absent", false, NAN, absent, 0, absent, NAN, NAN, NAN, NAN, NAN,
      UMAMI_UNKNOWN },
};

static const struct umami umami = { .set = "ior",
                                    .id = "run7",
                                    .t_ns = BEGIN_NS + 9 * DAY_NS,
                                    .times = times,
                                    .count = COUNT_OF(times),
                                    .rows = umami_rows,
                                    .row_count = COUNT_OF(umami_rows) };

static void an_umami_diagram(void **state)
{
    static const struct {
        const char *name;
        unsigned width;
    } texts[] = { { "umami_80.txt", 80 }, { "umami_200.txt", 200 } };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    umami_print_svg(&umami, &out);
    picture_expect("umami.svg", &out);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        strbuf_clear(&out);
        umami_print_text(&umami, texts[i].width, &out);
        picture_expect(texts[i].name, &out);
    }
}

/* Ten columns for 24 runs: each is the mean of two or three. */
static void more_runs_than_columns_are_averaged(void **state)
{
    enum { COUNT = 25 };
    double history[COUNT];
    int64_t days[COUNT];
    struct umami_row row = umami_rows[0];
    const struct umami many = { .set = "ior",
                                .id = "run25",
                                .t_ns = BEGIN_NS,
                                .times = days,
                                .count = COUNT,
                                .rows = &row,
                                .row_count = 1 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        history[i] = i == 11 ? NAN : (double)(i * i % 17);
        days[i] = BEGIN_NS + (int64_t)i * DAY_NS;
    }
    row.history = history;
    row.q95 = 15.5;
    umami_print_text(&many, 0, &out);
    picture_expect("umami_of_many.txt", &out);
}

/* ---- heat maps and lines ---- */

static void heat_maps_of_a_count_and_of_a_gauge(void **state)
{
    static const char *const names[] = { "oss10", "oss9", "oss1" };
    static const double values[] = { 1, 50, NAN, 30, 20, 100, 0, NAN, 70, 10, 10, 10 };
    struct span spans[COUNT_OF(names)];
    size_t map[COUNT_OF(names)];
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        spans[i] = span_of(names[i]);
    lmt_grid_init(&grid, BEGIN_S, BEGIN_S + 40);
    assert_int_equal(lmt_grid_shape(&grid, 10, BEGIN_S, NULL), 0);
    assert_int_equal(lmt_grid_columns(&grid, spans, COUNT_OF(names), map, NULL), 0);
    memcpy(grid.values, values, sizeof values);
    assert_int_equal(heatmap_print_svg(&grid, LMT_OSS_CPU, "CPU", &out), 0);
    picture_expect("heatmap_of_a_gauge.svg", &out);
    strbuf_clear(&out);
    assert_int_equal(heatmap_print_svg(&grid, LMT_WRITE_BYTES, "bytes", &out), 0);
    picture_expect("heatmap_of_a_count.svg", &out);
}

/* Ten thousand steps in cells of some pixels: each is the mean of what was measured. */
static void a_heat_map_of_many_steps(void **state)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct span name = span_of("one");
    size_t map;
    (void)state;
    lmt_grid_init(&grid, BEGIN_S, BEGIN_S + 10000);
    assert_int_equal(lmt_grid_shape(&grid, 1, BEGIN_S, NULL), 0);
    assert_int_equal(lmt_grid_columns(&grid, &name, 1, &map, NULL), 0);
    for (size_t i = 0; i < 10000; i++)
        grid.values[i] = i > 4000 && i < 4500 ? NAN : (double)(i % 2000 * i);
    assert_int_equal(heatmap_print_svg(&grid, LMT_OSS_CPU, "many", &out), 0);
    picture_expect("heatmap_of_many.svg", &out);
}

static void lines_in_braille_and_as_svg(void **state)
{
    static const struct line_plot_point a[] = {
        { 0, 3 }, { 60000, 8 }, { 120000, -2 }, { 180000, 4 }, { 600000, 9 }
    };
    static const struct line_plot_point b[] = { { 30000, 6 },
                                                { 90000, 6.5 },
                                                { 500000, 1 } };
    static const struct line_plot_line lines[] = {
        { "alex/a01", a, COUNT_OF(a) },
        { "empty", NULL, 0 },
        { "alex/a02", b, COUNT_OF(b) },
    };
    static const struct line_plot plot = { .title = "cpu_load",
                                           .lines = lines,
                                           .line_count = COUNT_OF(lines),
                                           .gap_ms = 100000 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    assert_int_equal(line_plot_braille(&plot, 60, 8, &out), 0);
    picture_expect("lines.txt", &out);
    strbuf_clear(&out);
    assert_int_equal(line_plot_svg(&plot, 300, 120, &out), 0);
    picture_expect("lines.svg", &out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weather_has_curves_what_is_usual_and_maps),
        cmocka_unit_test(weather_without_bytes_is_an_error),
        cmocka_unit_test(a_timeline_of_twelve_runs),
        cmocka_unit_test(quantiles_of_three_sets),
        cmocka_unit_test(contributors_and_correlations),
        cmocka_unit_test(an_umami_diagram),
        cmocka_unit_test(more_runs_than_columns_are_averaged),
        cmocka_unit_test(heat_maps_of_a_count_and_of_a_gauge),
        cmocka_unit_test(a_heat_map_of_many_steps),
        cmocka_unit_test(lines_in_braille_and_as_svg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
