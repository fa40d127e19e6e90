/* SPDX-License-Identifier: Apache-2.0 */
/* test_heatmap - a picture of many components over time. */
#include "base/span.h"
#include "base/test/testing.h"
#include "draw/heatmap.h"

#include <math.h>
#include <string.h>

/* Rows of ten seconds; 0 everywhere. */
static void grid_make(struct lmt_grid *grid, size_t rows, const char *const *names,
                      size_t columns)
{
    struct span spans[64];
    size_t map[64];
    struct err err = { 0 };
    for (size_t i = 0; i < columns; i++)
        spans[i] = span_of(names[i]);
    lmt_grid_init(grid, 1500000000, 1500000000 + (int64_t)rows * 10);
    assert_int_equal(lmt_grid_shape(grid, 10, 1500000000, &err), 0);
    assert_int_equal(lmt_grid_columns(grid, spans, columns, map, &err), 0);
    for (size_t i = 0; i < rows * columns; i++)
        grid->values[i] = 0;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

static void names_stand_in_their_natural_order(void **state)
{
    (void)state;
    static const char *const names[] = { "fs-OST0010", "fs-OST000a",  "bb10:nvme1n1",
                                         "fs-OST0009", "bb9:nvme1n1", "a&b" };
    static const char *const wanted[] = { "a&amp;b",    "bb9:nvme1n1", "bb10:nvme1n1",
                                          "fs-OST0009", "fs-OST000a",  "fs-OST0010" };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    grid_make(&grid, 6, names, COUNT_OF(names));
    assert_int_equal(heatmap_print_svg(&grid, LMT_WRITE_BYTES, "t", &out), 0);
    const char *at = strbuf_text(&out);
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        const char *found = strstr(at, wanted[i]);
        if (!found) {
            fail_msg("%s is not there, or not in its place", wanted[i]);
            return;
        }
        at = found;
    }
}

static void what_is_missing_is_no_colour(void **state)
{
    (void)state;
    static const char *const names[] = { "a", "b" };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    grid_make(&grid, 6, names, COUNT_OF(names));
    *lmt_grid_at(&grid, 1, 0) = NAN;
    *lmt_grid_at(&grid, 2, 0) = NAN; /* one box with the one before it */
    *lmt_grid_at(&grid, 4, 1) = 50;
    assert_int_equal(heatmap_print_svg(&grid, LMT_OPENS, "t", &out), 0);
    assert_int_equal(count_of(strbuf_text(&out), "url(#missing)"), 2); /* and legend */
    assert_non_null(strstr(strbuf_text(&out), ">5 ops/s<")); /* 50 in ten seconds */
    assert_int_equal(count_of(strbuf_text(&out), ">missing<"), 1);
}

static void a_trace_is_not_drawn_as_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "a" };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(strbuf_done) struct strbuf nothing = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf trace = STRBUF_INIT;
    grid_make(&grid, 6, names, 1);
    *lmt_grid_at(&grid, 5, 0) = 1e12;
    assert_int_equal(heatmap_print_svg(&grid, LMT_READ_BYTES, "t", &nothing), 0);
    *lmt_grid_at(&grid, 1, 0) = 1;
    assert_int_equal(heatmap_print_svg(&grid, LMT_READ_BYTES, "t", &trace), 0);
    assert_int_equal(count_of(strbuf_text(&trace), "<rect"),
                     count_of(strbuf_text(&nothing), "<rect") + 1);
}

/* A day of 5 s steps: the picture does not grow with it. */
static void long_windows_are_gathered(void **state)
{
    (void)state;
    static const char *const names[] = { "a", "b", "c", "d" };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    grid_make(&grid, 17280, names, COUNT_OF(names));
    for (size_t i = 0; i < 17280 * COUNT_OF(names); i++)
        grid.values[i] = i % 3 ? (double)(i * 7919 % 1000) : NAN;
    assert_int_equal(heatmap_print_svg(&grid, LMT_WRITE_BYTES, "t", &out), 0);
    assert_true(out.size < 300000);
}

static void too_many_components_are_refused(void **state)
{
    (void)state;
    struct lmt_grid grid = { .column_count = HEATMAP_TARGETS_MAX + 1 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(heatmap_print_svg(&grid, LMT_WRITE_BYTES, "t", &out), -E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stand_in_their_natural_order),
        cmocka_unit_test(what_is_missing_is_no_colour),
        cmocka_unit_test(a_trace_is_not_drawn_as_nothing),
        cmocka_unit_test(long_windows_are_gathered),
        cmocka_unit_test(too_many_components_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
