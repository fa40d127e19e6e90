/* SPDX-License-Identifier: Apache-2.0 */
/* test_series - the three formats, the same numbers; what is missing; what is damaged.
 */
#include "base/file.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/lmt/lmt.h"
#include "source/lmt/test/series_maker.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>

static char dir[] = "/tmp/baro-lmt.XXXXXX";
static char database[64];
static char h5lmt[64];
static char tokio[64];

static int set_up(void **state)
{
    (void)state;
    const struct lmt_archive_opts whole = {
        .from_s = MAKER_START,
        .to_s = MAKER_START + MAKER_STEPS * MAKER_STEP,
        .now_s = 1,
    };
    struct lmt_series *series = NULL;
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(database, sizeof database, "%s/day.sqlite3", dir);
    (void)snprintf(h5lmt, sizeof h5lmt, "%s/day.h5lmt", dir);
    (void)snprintf(tokio, sizeof tokio, "%s/day.hdf5", dir);
    int rc = make_database(database, NULL, NULL) < 0 || make_h5lmt(h5lmt, NULL) < 0 ||
             lmt_series_open(database, NULL, &series, NULL) < 0 ||
             lmt_archive(series, &whole, tokio, NULL) < 0;
    lmt_series_close(series);
    return rc;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(database);
    (void)unlink(h5lmt);
    (void)unlink(tokio);
    return rmdir(dir);
}

static int grid_of(const char *path, enum lmt_measure measure, int64_t from, int64_t to,
                   struct lmt_grid *grid)
{
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    struct err err = { 0 };
    if (lmt_series_open(path, NULL, &series, &err) < 0)
        fail_msg("%s", err.text);
    lmt_grid_init(grid, from, to);
    return lmt_series_read(series, measure, grid, &err);
}

static double expected(enum lmt_measure measure, int64_t i, size_t k)
{
    double column = (double)k + 1;
    switch (measure) {
    case LMT_READ_BYTES:
        return column * 4096 * (double)i;
    case LMT_WRITE_BYTES:
        return column * 1048576;
    case LMT_OPENS:
        return (double)i;
    case LMT_GETATTRS:
        return 2 * (double)i;
    case LMT_OSS_CPU:
        return 10 * column + 0.5;
    default:
        return (double)i; /* LMT_MDS_CPU */
    }
}

static void all_formats_give_the_same_numbers(void **state)
{
    (void)state;
    const char *const paths[] = { database, h5lmt, tokio };
    static const enum lmt_measure measures[] = { LMT_READ_BYTES, LMT_WRITE_BYTES,
                                                 LMT_OPENS,      LMT_GETATTRS,
                                                 LMT_OSS_CPU,    LMT_MDS_CPU };
    for (size_t p = 0; p < COUNT_OF(paths); p++)
        for (size_t m = 0; m < COUNT_OF(measures); m++) {
            AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
            assert_int_equal(grid_of(paths[p], measures[m], MAKER_START + 12,
                                     MAKER_START + 50, &grid),
                             0);
            assert_int_equal(grid.start_s, MAKER_START + 10);
            assert_int_equal(grid.row_count, 8);
            for (size_t row = 0; row < grid.row_count; row++)
                for (size_t k = 0; k < grid.column_count; k++) {
                    double got = *lmt_grid_at(&grid, row, k);
                    double want = expected(measures[m], (int64_t)row + 2, k);
                    if (fabs(got - want) > 1e-6)
                        fail_msg("%s, measure %d, row %zu: %f, not %f", paths[p],
                                 (int)measures[m], row, got, want);
                }
        }
}

static void what_no_file_has_is_missing(void **state)
{
    (void)state;
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(lmt_grid_done) struct lmt_grid none = { 0 };
    AUTO(lmt_grid_done) struct lmt_grid far = { 0 };
    assert_int_equal(
        grid_of(tokio, LMT_WRITE_BYTES, MAKER_START - 10, MAKER_START + 5, &grid), 0);
    assert_int_equal(grid.row_count, 3);
    assert_true(isnan(*lmt_grid_at(&grid, 0, 0)));
    assert_true(isnan(*lmt_grid_at(&grid, 1, 1)));
    assert_true(*lmt_grid_at(&grid, 2, 0) == 1048576);
    assert_int_equal(grid_of(tokio, LMT_READ_OPS, MAKER_START, MAKER_START + 5, &none),
                     -ENOENT);
    assert_int_equal(grid_of(tokio, LMT_WRITE_BYTES, 1000, 2000, &far), -ENOENT);
}

/* The write counter of target 1 at sample 6 .. 11, and what its steps become. */
static void a_counter_may_pause_or_begin_anew(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *sql;
        double want[6]; /* steps 5 .. 10 */
    } cases[] = {
        { "a zero is no sample: the rest goes to the last step",
          "UPDATE OST_DATA SET WRITE_BYTES = 0 WHERE OST_ID = 1 AND TS_ID IN "
          "(107,108);",
          { 1048576, NAN, NAN, 3 * 1048576, 1048576, 1048576 } },
        { "samples that are not there",
          "DELETE FROM OST_DATA WHERE OST_ID = 1 AND TS_ID IN (107, 108);",
          { 1048576, NAN, NAN, 3 * 1048576, 1048576, 1048576 } },
        { "begun anew: what happened meanwhile is not known",
          "UPDATE OST_DATA SET WRITE_BYTES = WRITE_BYTES - 5000000 - 7 * 1048576 "
          "WHERE OST_ID = 1 AND TS_ID >= 107;",
          { 1048576, NAN, NAN, 1048576, 1048576, 1048576 } },
        { "a null",
          "UPDATE OST_DATA SET WRITE_BYTES = NULL WHERE OST_ID = 1 AND TS_ID = 107;",
          { 1048576, NAN, 2 * 1048576, 1048576, 1048576, 1048576 } },
    };
    char path[64];
    (void)snprintf(path, sizeof path, "%s/gap.sqlite3", dir);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        assert_int_equal(make_database(path, cases[i].sql, NULL), 0);
        assert_int_equal(
            grid_of(path, LMT_WRITE_BYTES, MAKER_START + 25, MAKER_START + 55, &grid),
            0);
        for (size_t row = 0; row < COUNT_OF(cases[i].want); row++) {
            double got = *lmt_grid_at(&grid, row, 0);
            double want = cases[i].want[row];
            if (isnan(want) ? !isnan(got) : got != want)
                fail_msg("%s: step %zu is %f", cases[i].name, row + 5, got);
        }
    }
    (void)unlink(path);
}

/* A dataset of the TOKIO layout as a test wants it. */
static void dataset_put(const char *path, const double *cells, const int64_t *times,
                        hsize_t rows, hsize_t columns, hsize_t stamps)
{
    const hsize_t dims[2] = { rows, columns };
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group =
        H5Gcreate2(file, "datatargets", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(columns > 0 ? 2 : 1, dims, NULL);
    hid_t id = H5Dcreate2(group, "writerates", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                          H5P_DEFAULT, H5P_DEFAULT);
    hid_t line = H5Screate_simple(1, &stamps, NULL);
    hid_t when = H5Dcreate2(group, "timestamps", H5T_NATIVE_INT64, line, H5P_DEFAULT,
                            H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) >=
                0);
    assert_true(
        H5Dwrite(when, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0);
    (void)H5Dclose(when);
    (void)H5Sclose(line);
    (void)H5Dclose(id);
    (void)H5Sclose(space);
    (void)H5Gclose(group);
    (void)H5Fclose(file);
}

static void rates_become_counts_and_minus_zero_is_missing(void **state)
{
    (void)state;
    /* The times have a hole after the first, and one stands twice. */
    static const int64_t times[] = { 1000, 1020, 1030, 1040, 1040 };
    static const double cells[] = { 1, -0.0, 2, 0.0, 3, NAN, 4, 5, 6, 7 };
    static const double want[] = { 10, NAN, NAN, NAN, 20, 0, 30, NAN, 60, 70 };
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    char path[64];
    (void)snprintf(path, sizeof path, "%s/rates.hdf5", dir);
    dataset_put(path, cells, times, 5, 2, 5);
    assert_int_equal(grid_of(path, LMT_WRITE_BYTES, 1000, 1050, &grid), 0);
    assert_int_equal(grid.step_s, 10);
    assert_string_equal(grid.columns[1], "1");
    for (size_t i = 0; i < COUNT_OF(want); i++)
        if (isnan(want[i]) ? !isnan(grid.values[i]) : grid.values[i] != want[i])
            fail_msg("cell %zu is %f", i, grid.values[i]);
    (void)unlink(path);
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const int64_t times[] = { 1000, 1010, 1020, INT64_MAX };
    static const int64_t still[] = { 1000, 1000, 1000, 1000 };
    static const double cells[8] = { 0 };
    static const struct {
        const char *name;
        const int64_t *times;
        hsize_t rows, columns, stamps;
    } cases[] = {
        { "fewer times than rows", times, 4, 2, 3 },
        { "no second dimension", times, 4, 0, 4 },
        { "a time that cannot be", times, 4, 2, 4 },
        { "times that stand still", still, 4, 2, 4 },
    };
    char path[64];
    (void)snprintf(path, sizeof path, "%s/odd.hdf5", dir);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        dataset_put(path, cells, cases[i].times, cases[i].rows, cases[i].columns,
                    cases[i].stamps);
        int rc = grid_of(path, LMT_WRITE_BYTES, 1000, 1050, &grid);
        if (rc != -EBADMSG)
            fail_msg("%s: got %d", cases[i].name, rc);
    }
    (void)unlink(path);
}

static void what_is_no_series_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
    } cases[] = {
        { "nothing", "", 0 },
        { "text", "hello\n", 6 },
        { "HDF5 that ends at once", "\x89HDF\r\n\x1a\n\0\0\0\0\0\0\0\0", 16 },
        { "SQLite that ends at once", "SQLite format 3", 16 },
    };
    char path[64];
    (void)snprintf(path, sizeof path, "%s/none", dir);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct lmt_series *series = NULL;
        struct err err = { 0 };
        assert_int_equal(file_replace(path, cases[i].bytes, cases[i].size, 0600, NULL),
                         0);
        int rc = lmt_series_open(path, NULL, &series, &err);
        if (rc != -EBADMSG || !err.text[0])
            fail_msg("%s: got %d", cases[i].name, rc);
    }
    (void)unlink(path);
}

/* Defect 10 of doc/tokio-defects.md. */
static void what_is_archived_has_a_version_and_a_unit(void **state)
{
    (void)state;
    static const char *const attrs[][2] = { { "version", "1" }, { "units", "bytes" } };
    hid_t file = H5Fopen(tokio, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t id = H5Dopen2(file, "datatargets/readbytes", H5P_DEFAULT);
    assert_true(file >= 0 && id >= 0);
    for (size_t i = 0; i < COUNT_OF(attrs); i++) {
        char text[16] = "";
        hid_t attr = H5Aopen(id, attrs[i][0], H5P_DEFAULT);
        hid_t type = H5Aget_type(attr);
        assert_true(H5Tget_size(type) < sizeof text);
        assert_true(H5Aread(attr, type, text) >= 0);
        assert_string_equal(text, attrs[i][1]);
        (void)H5Tclose(type);
        (void)H5Aclose(attr);
    }
    (void)H5Dclose(id);
    (void)H5Fclose(file);
}

/* 40,000 steps, with holes, a counter that begins anew and one that pauses; disorder:
 * is run last. */
static void make_long(const char *path, const char *disorder)
{
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    struct err err = { 0 };
    strbuf_adds(
        &sql,
        "CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 125 UNION ALL SELECT i "
        "+ 1"
        " FROM n WHERE i < 40000) SELECT i FROM n;"
        "INSERT INTO TIMESTAMP_INFO SELECT i, datetime(1500000000 + (i - 100) * 5,"
        " 'unixepoch') FROM n;"
        "INSERT INTO OST_DATA SELECT o.OST_ID, i, 9000000 + i * 11 * o.OST_ID, "
        "90000000 +"
        " (i * 7919) % 1000 + i * 2000, 800, 200 + i, 90, 10 FROM n JOIN OST_INFO o"
        " WHERE i % 977 < 970 ORDER BY i, o.OST_ID;"
        "INSERT INTO MDS_OPS_DATA SELECT 1, i, 1, i * 3 FROM n;"
        "UPDATE OST_DATA SET READ_BYTES = READ_BYTES - 9000000 WHERE TS_ID > 20000;"
        "UPDATE OST_DATA SET WRITE_BYTES = 0 WHERE TS_ID BETWEEN 16300 AND 16600;");
    strbuf_adds(&sql, disorder);
    if (make_database(path, strbuf_text(&sql), &err) < 0)
        fail_msg("%s", err.text);
}

struct steps_seen {
    size_t calls, done, count;
};

static void steps_note(void *arg, size_t done, size_t count)
{
    struct steps_seen *seen = arg;
    assert_true(done <= count);
    if (seen->calls > 0)
        assert_int_equal(count, seen->count); /* one figure for all measures */
    *seen = (struct steps_seen){ seen->calls + 1, done, count };
}

/* What an archive gives is what the database gives, measure by measure. */
static void archive_is_held_against(const char *path, const char *archive)
{
    static const enum lmt_measure asked[] = { LMT_READ_BYTES, LMT_WRITE_BYTES,
                                              LMT_USED_BYTES, LMT_OPENS, LMT_OSS_CPU };
    const int64_t from = MAKER_START + 50;
    const int64_t to = from + 39000 * MAKER_STEP;
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    assert_int_equal(lmt_series_open(path, NULL, &series, NULL), 0);
    struct steps_seen seen = { 0 };
    const struct lmt_archive_opts opts = {
        .from_s = from, .to_s = to, .now_s = 1, .progress = steps_note, .arg = &seen
    };
    assert_int_equal(lmt_archive(series, &opts, archive, NULL), 0);
    assert_true(seen.calls > COUNT_OF(asked)); /* on the way, too */
    assert_int_equal(seen.done, seen.count);
    for (size_t m = 0; m < COUNT_OF(asked); m++) {
        AUTO(lmt_grid_done) struct lmt_grid got = { 0 };
        AUTO(lmt_grid_done) struct lmt_grid want = { 0 };
        assert_int_equal(grid_of(archive, asked[m], from, to, &got), 0);
        assert_int_equal(grid_of(path, asked[m], from, to, &want), 0);
        assert_int_equal(got.row_count, 39000);
        assert_int_equal(got.column_count, want.column_count);
        for (size_t i = 0; i < want.row_count * want.column_count; i++)
            if (got.values[i] != want.values[i] &&
                !(isnan(got.values[i]) && isnan(want.values[i])))
                fail_msg("measure %zu, cell %zu: %g is not %g", m, i, got.values[i],
                         want.values[i]);
    }
}

static void an_archive_has_what_the_database_gives(void **state)
{
    (void)state;
    static const char *const orders[] = {
        "",
        /* rows as no LMT writes them: the latest first */
        "CREATE TEMP TABLE d AS SELECT * FROM OST_DATA ORDER BY TS_ID DESC;"
        "DELETE FROM OST_DATA; INSERT INTO OST_DATA SELECT * FROM d;",
    };
    char path[64], archive[64];
    (void)snprintf(path, sizeof path, "%s/long.sqlite3", dir);
    (void)snprintf(archive, sizeof archive, "%s/long.hdf5", dir);
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        make_long(path, orders[i]);
        archive_is_held_against(path, archive);
        (void)unlink(path);
        (void)unlink(archive);
    }
}

/* Defect 9 of doc/tokio-defects.md: the hour that comes twice. */
static void an_hour_that_comes_twice_is_told_apart_by_order(void **state)
{
    (void)state;
    AUTO(lmt_series_close) struct lmt_series *series = NULL;
    AUTO(zone_done) struct zone zone = { 0 };
    const struct lmt_opts opts = { .zone = &zone };
    int64_t from = 0;
    int64_t to = 0;
    char path[64];
    (void)snprintf(path, sizeof path, "%s/autumn.sqlite3", dir);
    assert_int_equal(
        make_database(path,
                      "DELETE FROM TIMESTAMP_INFO; INSERT INTO TIMESTAMP_INFO VALUES"
                      "(100, '2017-11-05 00:30:00'), (101, '2017-11-05 01:00:00'),"
                      "(102, '2017-11-05 01:30:00'), (103, '2017-11-05 01:00:00'),"
                      "(104, '2017-11-05 01:30:00'), (105, '2017-11-05 02:00:00');",
                      NULL),
        0);
    if (zone_load("America/Los_Angeles", &zone, NULL) < 0)
        skip(); /* no zone database */
    assert_int_equal(lmt_series_open(path, &opts, &series, NULL), 0);
    assert_int_equal(lmt_series_times(series, LMT_OSS_CPU, &from, &to, NULL), 0);
    assert_int_equal(from, 1509867000); /* 00:30 of summer time */
    assert_int_equal(to, 1509867000 + 6 * 1800);
    (void)unlink(path);
}

static void a_view_is_not_run(void **state)
{
    (void)state;
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    char path[64];
    (void)snprintf(path, sizeof path, "%s/view.sqlite3", dir);
    /* Rows without end. */
    assert_int_equal(
        make_database(path,
                      "DROP TABLE OST_DATA; CREATE VIEW OST_DATA AS WITH RECURSIVE n(i)"
                      " AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 OST_ID,"
                      " 100 TS_ID, i READ_BYTES, i WRITE_BYTES FROM n;",
                      NULL),
        0);
    assert_int_equal(
        grid_of(path, LMT_WRITE_BYTES, MAKER_START, MAKER_START + 10, &grid), -EBADMSG);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_give_the_same_numbers),
        cmocka_unit_test(what_no_file_has_is_missing),
        cmocka_unit_test(a_counter_may_pause_or_begin_anew),
        cmocka_unit_test(rates_become_counts_and_minus_zero_is_missing),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(what_is_no_series_is_refused),
        cmocka_unit_test(what_is_archived_has_a_version_and_a_unit),
        cmocka_unit_test(an_archive_has_what_the_database_gives),
        cmocka_unit_test(a_view_is_not_run),
        cmocka_unit_test(an_hour_that_comes_twice_is_told_apart_by_order),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
