/* SPDX-License-Identifier: Apache-2.0 */
/* test_text - series out of what monitors print, and the choice of the reader. */
#include "client/series/test/series_texts.h"

#include "client/series/open.h"
#include "client/series/text.h"

#include <errno.h>
#include <string.h>

struct logged {
    size_t count;
    char last[512];
};

static void on_log(void *arg, const char *text)
{
    struct logged *logged = arg;
    logged->count++;
    (void)snprintf(logged->last, sizeof logged->last, "%s", text);
}

/* Counters 0, 100, 200, 300 at 1000, 1005, 1010, 1015 are three steps of 100 bytes. */
static void counters_become_counts_of_steps(void **state)
{
    (void)state;
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    int64_t from_s = 0, to_s = 0;
    mmpmon_write("day.txt", 1000, 4);
    assert_int_equal(series_open(scratch_path("day.txt"), NULL, &(struct lmt_opts){ 0 },
                                 &series, NULL),
                     0);
    assert_string_equal(lmt_series_format(series), "mmpmon -p");
    assert_int_equal(
        lmt_series_times(series, LMT_CLIENT_READ_BYTES, &from_s, &to_s, NULL), 0);
    assert_int_equal(lmt_series_step(series, LMT_CLIENT_READ_BYTES), 5);
    lmt_grid_init(&grid, from_s, to_s);
    assert_int_equal(lmt_series_read(series, LMT_CLIENT_READ_BYTES, &grid, NULL), 0);
    assert_int_equal(grid.column_count, 1);
    assert_string_equal(grid.columns[0], "gpfs2@n1");
    size_t steps = 0;
    for (size_t row = 0; row < grid.row_count; row++) {
        double value = *lmt_grid_at(&grid, row, 0);
        if (value == value) {
            assert_true(value == 100);
            steps++;
        }
    }
    assert_int_equal(steps, 3);
}

static void an_offset_is_added_to_times(void **state)
{
    (void)state;
    AUTO(lmt_series_close) struct lmt_series *plain = NULL;
    AUTO(lmt_series_close) struct lmt_series *moved = NULL;
    int64_t from_s = 0, to_s = 0, moved_from_s = 0, moved_to_s = 0;
    const struct lmt_opts opts = { .clock_offset_s = -30 };
    mmpmon_write("day.txt", 1000, 4);
    const char *path = scratch_path("day.txt");
    assert_int_equal(series_open(path, NULL, &(struct lmt_opts){ 0 }, &plain, NULL), 0);
    assert_int_equal(series_open(path, NULL, &opts, &moved, NULL), 0);
    assert_int_equal(
        lmt_series_times(plain, LMT_CLIENT_READ_BYTES, &from_s, &to_s, NULL), 0);
    assert_int_equal(lmt_series_times(moved, LMT_CLIENT_READ_BYTES, &moved_from_s,
                                      &moved_to_s, NULL),
                     0);
    assert_int_equal(moved_from_s, from_s - 30);
    assert_int_equal(moved_to_s, to_s - 30);
}

/* The first bad line in full, then how many: a damaged day is not a screen of text. */
static void bad_lines_are_logged_once_and_counted(void **state)
{
    (void)state;
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    struct logged logged = { 0 };
    const struct series_opts way = { .log = on_log, .log_arg = &logged };
    mmpmon_write("bad.txt", 1000, 4);
    FILE *file = fopen(scratch_path("bad.txt"), "a");
    assert_non_null(file);
    for (int i = 0; i < 3; i++)
        assert_true(fputs("_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ x\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(series_open(scratch_path("bad.txt"), &way, &(struct lmt_opts){ 0 },
                                 &series, NULL),
                     0);
    assert_int_equal(logged.count, 2);
    assert_non_null(strstr(logged.last, "3 lines could not be read"));
}

static void a_directory_is_read_without_what_is_unknown(void **state)
{
    (void)state;
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    struct logged logged = { 0 };
    const struct series_opts way = { .log = on_log, .log_arg = &logged };
    int64_t from_s = 0, to_s = 0;
    assert_int_equal(mkdir(scratch_path("days"), 0755), 0);
    mmpmon_write("days/1.txt", 1000, 4);
    mmpmon_write("days/2.txt", 1020, 4);
    text_write("days/note.txt", "nothing of a monitor\n");
    text_write("days/.hidden", "nothing either\n");
    assert_int_equal(
        series_open(scratch_path("days"), &way, &(struct lmt_opts){ 0 }, &series, NULL),
        0);
    assert_int_equal(
        lmt_series_times(series, LMT_CLIENT_READ_BYTES, &from_s, &to_s, NULL), 0);
    assert_true(to_s - from_s >= 30);
    assert_int_equal(logged.count, 1);
    assert_non_null(strstr(logged.last, "note.txt: skipped"));
}

static void what_holds_no_series_is_an_error(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct lmt_series *series = NULL;
    assert_int_equal(mkdir(scratch_path("empty"), 0755), 0);
    assert_int_equal(series_open(scratch_path("empty"), NULL, &(struct lmt_opts){ 0 },
                                 &series, &err),
                     -EBADMSG);
    assert_true(series_open(scratch_path("not-there"), NULL, &(struct lmt_opts){ 0 },
                            &series, &err) < 0);
    assert_int_equal(
        series_open("map:only", NULL, &(struct lmt_opts){ 0 }, &series, &err), -EINVAL);
    assert_non_null(strstr(err.text, "map:MAPPING:SOURCE"));
    assert_null(series);
}

static void kinds_are_recognized_by_content(void **state)
{
    (void)state;
    mmpmon_write("x.hdf5", 1000, 2);
    text_write("y.txt", "time,a,b\n1,2,3\n");
    text_write("empty.txt", "");
    assert_true(series_text_is(scratch_path("x.hdf5")));
    assert_false(series_text_is(scratch_path("y.txt")));
    assert_false(series_text_is(scratch_path("empty.txt")));
    assert_false(series_text_is(scratch_path("not-there")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_become_counts_of_steps),
        cmocka_unit_test(an_offset_is_added_to_times),
        cmocka_unit_test(bad_lines_are_logged_once_and_counted),
        cmocka_unit_test(a_directory_is_read_without_what_is_unknown),
        cmocka_unit_test(what_holds_no_series_is_an_error),
        cmocka_unit_test(kinds_are_recognized_by_content),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
