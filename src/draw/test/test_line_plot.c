/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_plot - lines over time: where points come to lie. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "draw/line_plot.h"

#include <errno.h>
#include <string.h>

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        count++;
    return count;
}

static void has(const struct strbuf *out, const char *text)
{
    if (!strstr(strbuf_text((struct strbuf *)(uintptr_t)out), text))
        fail_msg("there is no '%s' in:\n%s", text, out->data);
}

/* Two points in the corners of a canvas of 20 x 2 characters, 40 x 8 dots: a line of
 * 40 dots.  Dot y of column x is round(7 - x * 7 / 39) from above; the character at the
 * lower left has x 0 and 1, y 7 and 7: dots 7 and 8 of the lowest row, 0x40 | 0x80. */
static void braille_joins_two_corners(void **state)
{
    (void)state;
    static const struct line_plot_point points[] = { { 0, 0 }, { 60000, 10 } };
    static const struct line_plot_line line = { "alex/a01", points, COUNT_OF(points) };
    static const struct line_plot plot = {
        .title = "cpu_load", .lines = &line, .line_count = 1, .gap_ms = 0
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(line_plot_braille(&plot, 31, 2, &out), 0);
    has(&out, "cpu_load\n");
    has(&out, "       10 \xe2\x94\x82");
    has(&out, "        0 \xe2\x94\x82\xe2\xa3\x80"); /* U+28C0: 0x40 | 0x80 */
    has(&out, "1970-01-01T00:00:00Z");
    has(&out, "1970-01-01T00:01:00Z\n");
    has(&out, "           alex/a01\n");
    assert_int_equal(count_of(strbuf_text(&out), "\n"), 1 + 2 + 1 + 1);
}

/* Points further apart than gap_ms stand alone: a line is no claim about the time
 * between. */
static void a_gap_is_not_drawn_over(void **state)
{
    (void)state;
    static const struct line_plot_point points[] = {
        { 0, 1 }, { 1000, 1 }, { 9000, 1 }, { 10000, 1 }
    };
    static const struct line_plot_line line = { "x", points, COUNT_OF(points) };
    static const struct {
        const char *name;
        int64_t gap_ms;
        size_t moves, lines;
    } cases[] = {
        { "all are joined", 0, 1, 3 },
        { "a gap divides", 2000, 2, 2 },
        { "the gap itself is joined", 8000, 1, 3 },
        { "none is joined", 999, 4, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct line_plot plot = {
            .title = "t", .lines = &line, .line_count = 1, .gap_ms = cases[i].gap_ms
        };
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        assert_int_equal(line_plot_svg(&plot, 100, 50, &out), 0);
        const char *path = strstr(strbuf_text(&out), " d=\"");
        assert_non_null(path);
        size_t moves = 0, lines = 0;
        for (path += strlen(" d=\""); *path != '"'; path++) {
            moves += *path == 'M';
            lines += *path == 'L';
        }
        if (moves != cases[i].moves || lines != cases[i].lines)
            fail_msg("%s: %zu moves, %zu lines", cases[i].name, moves, lines);
    }
}

/* The area is 100 x 50 from (80, 40): t 0 of 0..10 s is x 80, t 5 s 130, t 10 s 180;
 * value 4 of 0..4 is y 40, 1 is 40 + 50 * 3 / 4 = 77.5, 0 is 90. */
static void svg_has_points_where_values_say(void **state)
{
    (void)state;
    static const struct line_plot_point points[] = { { 0, 0 },
                                                     { 5000, 1 },
                                                     { 10000, 4 } };
    static const struct line_plot_line line = { "x", points, COUNT_OF(points) };
    static const struct line_plot plot = {
        .title = "t", .lines = &line, .line_count = 1, .gap_ms = 0
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(line_plot_svg(&plot, 100, 50, &out), 0);
    has(&out, " d=\"M80.0 90.0L130.0 77.5L180.0 40.0\"");
    has(&out, "width=\"200\""); /* 80 + 100 + 20 */
}

/* Without a range there is still a place: the middle. */
static void a_level_line_lies_in_the_middle(void **state)
{
    (void)state;
    static const double values[] = { 0, 5, -5, 1e300 };
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        const struct line_plot_point points[] = { { 0, values[i] }, { 10, values[i] } };
        const struct line_plot_line line = { "x", points, COUNT_OF(points) };
        const struct line_plot plot = {
            .title = "t", .lines = &line, .line_count = 1, .gap_ms = 0
        };
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        assert_int_equal(line_plot_svg(&plot, 100, 50, &out), 0);
        has(&out, " d=\"M80.0 65.0L180.0 65.0\"");
    }
}

static void lines_differ_in_more_than_colour(void **state)
{
    (void)state;
    static const struct line_plot_point points[] = { { 0, 0 }, { 1, 1 } };
    struct line_plot_line lines[LINE_PLOT_LINES_MAX];
    const struct line_plot plot = {
        .title = "t", .lines = lines, .line_count = LINE_PLOT_LINES_MAX, .gap_ms = 0
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < LINE_PLOT_LINES_MAX; i++)
        lines[i] = (struct line_plot_line){ "x", points, COUNT_OF(points) };
    assert_int_equal(line_plot_svg(&plot, 100, 50, &out), 0);
    assert_int_equal(count_of(strbuf_text(&out), "<path"), LINE_PLOT_LINES_MAX);
    /* Eight dashes, each with two colours, as a line and in the legend. */
    assert_int_equal(count_of(strbuf_text(&out), "stroke-dasharray=\"7 3\""), 4);
    assert_int_equal(count_of(strbuf_text(&out), "stroke-dasharray=\"1 4\""), 4);
    /* And never with the same one. */
    assert_int_equal(count_of(strbuf_text(&out),
                              "stroke=\"#1f6feb\" stroke-width=\"1.6\" "
                              "stroke-dasharray=\"none\""),
                     1);
    assert_int_equal(count_of(strbuf_text(&out),
                              "stroke=\"#1f6feb\" stroke-width=\"1.6\" "
                              "stroke-dasharray=\"7 3\""),
                     1);
}

/* Two level lines and one of a single point: each has its letter, also where they lie
 * on each other. */
static void each_of_several_lines_has_its_letter(void **state)
{
    (void)state;
    static const struct line_plot_point a[] = { { 0, 1 }, { 60000, 1 } };
    static const struct line_plot_point c[] = { { 60000, 1 } };
    static const struct line_plot_line lines[] = { { "n1", a, 2 },
                                                   { "n2", a, 2 },
                                                   { "n3", c, 1 } };
    static const struct line_plot plot = { .title = "t",
                                           .lines = lines,
                                           .line_count = 3 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(line_plot_braille(&plot, 41, 4, &out), 0);
    has(&out, "           a  n1\n           b  n2\n           c  n3\n");
    char *legend = strstr(strbuf_text(&out), "a  n1");
    assert_non_null(legend);
    *legend = '\0'; /* of the picture alone */
    const char *first = strchr(strbuf_text(&out), 'a');
    assert_non_null(first);
    assert_true(strchr(strbuf_text(&out), 'b') > first);
    assert_int_equal(count_of(strbuf_text(&out), "c"), 1);
}

static void bands_have_shades_and_say_over_how_many_series(void **state)
{
    (void)state;
    static const struct line_plot_band bands[] = { { 0, 0, 2, 4, 6, 8 },
                                                   { 60000, 0, 2, 4, 6, 8 },
                                                   { 600000, 0, 2, 4, 6, 8 } };
    static const struct line_plot plot = { .title = "t",
                                           .gap_ms = 120000,
                                           .bands = bands,
                                           .band_count = 3,
                                           .series_count = 40 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(line_plot_braille(&plot, 41, 9, &out), 0);
    has(&out, "40 series: ");
    has(&out, "        8 \xe2\x94\x82\xe2\x96\x91"); /* greatest */
    has(&out, "        4 \xe2\x94\x82\xe2\x94\x81"); /* median */
    has(&out, "        0 \xe2\x94\x82\xe2\x96\x91");
    strbuf_clear(&out);
    assert_int_equal(line_plot_svg(&plot, 100, 80, &out), 0);
    has(&out, "least to greatest of 40 series");
    has(&out, ">median<");
    /* Two pieces: the gap is not filled. */
    has(&out, "M80.0 40.0L90.0 40.0L90.0 120.0L80.0 120.0ZM180.0 40.0L180.0 120.0Z");
}

static void names_from_outside_are_escaped(void **state)
{
    (void)state;
    static const struct line_plot_point points[] = { { 0, 0 } };
    static const struct line_plot_line line = { "<script>&\x01\xff", points, 1 };
    static const struct line_plot plot = {
        .title = "a<b", .lines = &line, .line_count = 1, .gap_ms = 0
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(line_plot_svg(&plot, 100, 50, &out), 0);
    has(&out, "&lt;script&gt;&amp;??");
    has(&out, "a&lt;b");
    assert_null(strstr(strbuf_text(&out), "<script>"));
}

static void nothing_to_draw_is_an_error(void **state)
{
    (void)state;
    static const struct line_plot_line line = { "x", NULL, 0 };
    static const struct line_plot plots[] = {
        { .title = "t", .lines = NULL, .line_count = 0, .gap_ms = 0 },
        { .title = "t", .lines = &line, .line_count = 1, .gap_ms = 0 }
    };
    for (size_t i = 0; i < COUNT_OF(plots); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        assert_int_equal(line_plot_svg(&plots[i], 100, 50, &out), -ENODATA);
        assert_int_equal(line_plot_braille(&plots[i], 80, 20, &out), -ENODATA);
        assert_int_equal(out.size, 0);
    }
}

static void a_tiny_terminal_gets_the_smallest_picture(void **state)
{
    (void)state;
    static const struct line_plot_point points[] = { { 0, 0 }, { 1000, 1 } };
    static const struct line_plot_line line = { "x", points, COUNT_OF(points) };
    static const struct line_plot plot = {
        .title = "t", .lines = &line, .line_count = 1, .gap_ms = 0
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(line_plot_braille(&plot, 0, 0, &out), 0);
    assert_int_equal(count_of(strbuf_text(&out), "\n"), 1 + 2 + 1 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(braille_joins_two_corners),
        cmocka_unit_test(a_gap_is_not_drawn_over),
        cmocka_unit_test(svg_has_points_where_values_say),
        cmocka_unit_test(a_level_line_lies_in_the_middle),
        cmocka_unit_test(lines_differ_in_more_than_colour),
        cmocka_unit_test(each_of_several_lines_has_its_letter),
        cmocka_unit_test(bands_have_shades_and_say_over_how_many_series),
        cmocka_unit_test(names_from_outside_are_escaped),
        cmocka_unit_test(nothing_to_draw_is_an_error),
        cmocka_unit_test(a_tiny_terminal_gets_the_smallest_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
