/* SPDX-License-Identifier: Apache-2.0 */
/* test_row_map - rows over time within a page. */
#include "base/test/testing.h"
#include "draw/row_map.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const double steady[] = { 10, 10, 10, 10 };
static const double half[] = { 10, 10, NAN, 0 };
static const double none[] = { NAN, NAN, NAN, INFINITY };

static struct row_map map_of(const struct row_map_row *rows, size_t count)
{
    return (struct row_map){ "load", rows, count, 4, 1500000000, 1500014400 };
}

static void a_range_begins_at_zero_or_just_below_what_is_even(void **state)
{
    static const struct {
        double values[4];
        double low, high;
    } cases[] = {
        { { 0, 1, 2, 8 }, 0, 8 },
        { { 2, 4, 6, 8 }, 0, 8 },
        { { 2390, 2400, 2400, 2400 }, 2160, 2400 },
        { { 1500, 2400, 2400, NAN }, 1500, 2400 },
        { { -5, 1, 2, 3 }, -5, 3 },
        { { NAN, NAN, INFINITY, NAN }, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct row_map_row row = { "c01", cases[i].values };
        const struct row_map map = map_of(&row, 1);
        double low, high;
        row_map_range(&map, &low, &high);
        assert_float_equal(low, cases[i].low, 1e-9);
        assert_float_equal(high, cases[i].high, 1e-9);
    }
}

static void what_was_not_measured_is_a_thin_line_and_nothing_is_no_cell(void **state)
{
    const struct row_map_row rows[] = { { "c01", steady }, { "c02", half } };
    const struct row_map map = map_of(rows, 2);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    assert_int_equal(row_map_svg(&map, &out), 0);
    const char *text = strbuf_text(&out);
    assert_non_null(strstr(text, "<path class='gap' d='M0 0M420.0 24.0H566.0'/>"));
    assert_non_null(strstr(
        text, "stroke-opacity='1.00' d='M0 0M128.0 8.0H712.0M128.0 24.0H420.0'/>"));
}

static void names_are_escaped_and_long_ones_keep_their_end(void **state)
{
    const struct row_map_row rows[] = {
        { "<script>alert(1)</script>", steady },
        { "a&b", steady },
    };
    struct row_map map = map_of(rows, 2);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    map.title = "</title><b>";
    assert_int_equal(row_map_svg(&map, &out), 0);
    assert_null(strstr(strbuf_text(&out), "script>"));
    assert_non_null(strstr(strbuf_text(&out), ">a&amp;b</text>"));
    assert_non_null(strstr(strbuf_text(&out), "&lt;/title&gt;"));
    assert_non_null(strstr(strbuf_text(&out), ">..&gt;alert(1)&lt;/script&gt;<"));
}

static void of_many_rows_those_that_differ_are_drawn(void **state)
{
    enum { ROWS = 300 };
    struct row_map_row rows[ROWS] = { 0 };
    char names[ROWS][16];
    const struct row_map map = map_of(rows, ROWS);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    size_t strokes = 0;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        (void)snprintf(names[i], sizeof names[i], "c%03zu", i);
        rows[i] = (struct row_map_row){ names[i], i == 277 ? half : steady };
    }
    assert_int_equal(row_map_svg(&map, &out), 0);
    /* The gap of the one that differs is there, in the last of 64 rows. */
    const char *gap = strstr(strbuf_text(&out), "<path class='gap' d='M0 0M420.0");
    assert_non_null(gap);
    for (const char *at = strstr(strbuf_text(&out), "stroke-opacity='1.00'");
         at && *at != '/'; at++)
        strokes += *at == 'H';
    assert_int_equal(strokes, ROW_MAP_ROWS_MAX);
}

static void without_a_number_there_is_no_picture(void **state)
{
    const struct row_map_row row = { "c01", none };
    const struct row_map map = map_of(&row, 1);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    assert_int_equal(row_map_svg(&map, &out), -ENODATA);
    assert_int_equal(out.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_begins_at_zero_or_just_below_what_is_even),
        cmocka_unit_test(what_was_not_measured_is_a_thin_line_and_nothing_is_no_cell),
        cmocka_unit_test(names_are_escaped_and_long_ones_keep_their_end),
        cmocka_unit_test(of_many_rows_those_that_differ_are_drawn),
        cmocka_unit_test(without_a_number_there_is_no_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
