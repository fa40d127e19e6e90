/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_plot - a table of samples as lines of a picture. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/report.h"

#include <stdio.h>

static void samples_begin(struct table *table)
{
    table_init(table);
    table_add_column(table, "component", TABLE_TEXT, "");
    table_add_column(table, "metric", TABLE_TEXT, "");
    table_add_column(table, "time", TABLE_TIME, "");
    table_add_column(table, "value", TABLE_DOUBLE, "");
}

static void sample_add(struct table *table, const char *component, const char *metric,
                       int64_t t_ms, double value)
{
    table_add_row(table);
    table_set_text(table, 0, span_of(component));
    table_set_text(table, 1, span_of(metric));
    table_set_i64(table, 2, t_ms);
    table_set_double(table, 3, value);
}

static void each_series_is_a_line(void **state)
{
    AUTO(table_done) struct table table;
    AUTO(metric_plot_done) struct metric_plot plot = { 0 };
    struct err err = { 0 };
    (void)state;
    samples_begin(&table);
    sample_add(&table, "a/n1", "load", 0, 1);
    sample_add(&table, "a/n1", "load", 60000, 2);
    sample_add(&table, "a/n1", "load", 70000, 3);
    sample_add(&table, "a/n1", "mem", 0, 4); /* another metric of the same one */
    sample_add(&table, "a/n2", "mem", 5000, 5);
    assert_int_equal(metric_plot_make(&table, &plot, &err), 0);
    assert_int_equal(plot.line_count, 3);
    assert_int_equal(plot.lines[0].count, 3);
    assert_int_equal(plot.lines[1].count, 1);
    assert_string_equal(plot.lines[0].name, "a/n1 load"); /* there are two metrics */
    assert_string_equal(plot.lines[2].name, "a/n2 mem");
    assert_true(plot.lines[0].points[2].value == 3 &&
                plot.lines[0].points[2].t_ms == 70000);
    assert_int_equal(plot.step_ms, 10000); /* within a line, not from one to the next */
}

static void more_series_than_lines_become_bands_over_all(void **state)
{
    AUTO(table_done) struct table table;
    AUTO(metric_plot_done) struct metric_plot plot = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf svg = STRBUF_INIT;
    const struct metric_plot_opts opts = { "load", METRIC_PLOT_BRAILLE, 60, 9 };
    const struct metric_plot_opts pixels = { "load", METRIC_PLOT_SVG, 300, 100 };
    struct err err = { 0 };
    (void)state;
    samples_begin(&table);
    for (int i = 0; i <= LINE_PLOT_LINES_MAX; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "a/n%d", i);
        sample_add(&table, name, "load", 60000, i);
        sample_add(&table, name, "load", 120000, 2 * i);
    }
    assert_int_equal(metric_plot_make(&table, &plot, &err), 0);
    assert_int_equal(plot.line_count, 0);
    assert_int_equal(plot.series_count, 17);
    assert_int_equal(plot.band_count, 2);
    assert_int_equal(plot.step_ms, 60000);
    const struct line_plot_band *b = &plot.bands[1];
    assert_true(b->t_ms == 120000 && b->least == 0 && b->lower == 8 &&
                b->median == 16 && b->upper == 24 && b->greatest == 32);
    assert_int_equal(metric_plot_draw(&plot, &opts, &text, &err), 0);
    assert_non_null(strstr(strbuf_text(&text), "17 series: "));
    assert_int_equal(metric_plot_draw(&plot, &pixels, &svg, &err), 0);
    assert_non_null(strstr(strbuf_text(&svg), "least to greatest of 17 series"));
}

static void sixteen_series_are_lines(void **state)
{
    AUTO(table_done) struct table table;
    AUTO(metric_plot_done) struct metric_plot plot = { 0 };
    struct err err = { 0 };
    (void)state;
    samples_begin(&table);
    for (int i = 0; i < LINE_PLOT_LINES_MAX; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "a/n%d", i);
        sample_add(&table, name, "load", 60000, i);
    }
    assert_int_equal(metric_plot_make(&table, &plot, &err), 0);
    assert_int_equal(plot.line_count, LINE_PLOT_LINES_MAX);
    assert_int_equal(plot.band_count, 0);
}

static void bands_of_a_long_range_are_of_several_steps(void **state)
{
    AUTO(table_done) struct table table;
    AUTO(metric_plot_done) struct metric_plot plot = { 0 };
    struct err err = { 0 };
    (void)state;
    samples_begin(&table);
    for (int i = 0; i < 17; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "a/n%d", i);
        for (int t = 0; t < 1000; t++)
            sample_add(&table, name, "load", t * INT64_C(1000), i);
    }
    assert_int_equal(metric_plot_make(&table, &plot, &err), 0);
    assert_int_equal(plot.step_ms, 3000);
    assert_int_equal(plot.band_count, 334);
    assert_true(plot.bands[333].least == 0 && plot.bands[333].greatest == 16);
}

static void another_table_is_refused(void **state)
{
    AUTO(table_done) struct table table, swapped;
    struct metric_plot plot = { .step_ms = 7 };
    struct err err = { 0 };
    (void)state;
    table_init(&table);
    assert_int_equal(metric_plot_make(&table, &plot, &err), -EBADMSG);
    samples_begin(&swapped);
    swapped.columns[3].type = TABLE_TEXT;
    assert_int_equal(metric_plot_make(&swapped, &plot, &err), -EBADMSG);
    assert_int_equal(plot.step_ms, 7);
}

static void a_title_has_the_unit_where_it_is_known(void **state)
{
    AUTO(table_done) struct table samples, none, bare;
    AUTO(strbuf_done) struct strbuf title = STRBUF_INIT;
    (void)state;
    table_init(&none);
    samples_begin(&bare);
    samples_begin(&samples);
    samples.columns[3].unit = "B/s";
    metric_plot_title("read", &samples, &title);
    strbuf_addc(&title, '|');
    metric_plot_title("read", &bare, &title);
    strbuf_addc(&title, '|');
    metric_plot_title("read", &none, &title);
    assert_string_equal(strbuf_text(&title), "read, in B/s|read|read");
}

static void a_picture_is_drawn_or_there_is_no_sample(void **state)
{
    AUTO(table_done) struct table table, none;
    AUTO(metric_plot_done) struct metric_plot plot = { 0 }, empty = { 0 };
    AUTO(strbuf_done) struct strbuf svg = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct metric_plot_opts pixels = { "load", METRIC_PLOT_SVG, 100, 50 };
    const struct metric_plot_opts characters = { "load", METRIC_PLOT_BRAILLE, 40, 10 };
    struct err err = { 0 };
    (void)state;
    samples_begin(&table);
    samples_begin(&none);
    sample_add(&table, "a/n1", "load", 0, 1);
    sample_add(&table, "a/n1", "load", 60000, 2);
    assert_int_equal(metric_plot_make(&table, &plot, &err), 0);
    assert_int_equal(metric_plot_draw(&plot, &pixels, &svg, &err), 0);
    assert_non_null(strstr(strbuf_text(&svg), "</svg>"));
    assert_int_equal(metric_plot_draw(&plot, &characters, &text, &err), 0);
    assert_non_null(strstr(strbuf_text(&text), "a/n1"));
    assert_int_equal(metric_plot_make(&none, &empty, &err), 0);
    assert_int_equal(metric_plot_draw(&empty, &pixels, &svg, &err), -ENODATA);
    assert_string_equal(err.text, "there are no samples in this range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_series_is_a_line),
        cmocka_unit_test(more_series_than_lines_become_bands_over_all),
        cmocka_unit_test(sixteen_series_are_lines),
        cmocka_unit_test(bands_of_a_long_range_are_of_several_steps),
        cmocka_unit_test(another_table_is_refused),
        cmocka_unit_test(a_title_has_the_unit_where_it_is_known),
        cmocka_unit_test(a_picture_is_drawn_or_there_is_no_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
