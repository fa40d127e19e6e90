/* SPDX-License-Identifier: Apache-2.0 */
/* test_climate_runs - a mapping and its runs out of files; why there are none. */
#include "client/climate/climate_runs.h"

#include "base/cleanup.h"
#include "base/test/scratch.h"

#include <errno.h>
#include <string.h>

static const char *text_write(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char map_text[] = "[study]\n"
                               "time = when\n"
                               "performance = speed\n"
                               "class = app\n"
                               "[drop failed]\n"
                               "when = state = \"bad\"\n";

static void runs_of_two_tables_are_together(void **state)
{
    (void)state;
    AUTO(climate_runs_done) struct climate_runs found = { 0 };
    const char *names[] = {
        text_write("a.csv", "app,when,speed,state\nior,1500000000,3,ok\n"
                            "ior,1500000060,6,ok\n"),
        text_write("b.csv", "app,when,speed,state\nior,1500000120,1,ok\n"
                            "ior,1500000180,1,bad\n"),
    };
    struct err err = { 0 };
    int rc = climate_runs_load(text_write("map.conf", map_text), names, 2, NULL, &found,
                               &err);
    if (rc < 0)
        fail_msg("%s", err.text);
    assert_int_equal(found.runs.count, 3);
    assert_int_equal(found.runs.rows, 4);
    assert_int_equal(found.runs.dropped[0], 1);
    assert_int_equal(found.runs.set_count, 1);
    assert_null(found.truncated);
    assert_true(found.runs.sets[0].best == 6);
    assert_true(found.runs.runs[0].fraction == 0.5); /* 3 of 6 */
}

static void without_a_run_the_reason_is_given(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        { "app,when,speed,state\n", "have no rows" },
        { "app,when,speed,state\nior,1500000000,3,bad\n", "[drop failed]" },
        { "app,when,speed,state\nior,,3,ok\n", "none of 1 rows is a run" },
    };
    const char *map = text_write("map.conf", map_text);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct climate_runs found = { .truncated = "untouched" };
        struct err err = { 0 };
        const char *names[] = { text_write("c.csv", cases[i].text) };
        int rc = climate_runs_load(map, names, 1, NULL, &found, &err);
        if (rc != -ENODATA || !strstr(err.text, cases[i].reason))
            fail_msg("%zu: %d: %s", i, rc, err.text);
        assert_string_equal(found.truncated, "untouched");
    }
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    struct climate_runs found = { 0 };
    struct err err = { 0 };
    const char *names[] = { scratch_path("not-there.csv") };
    assert_int_equal(climate_runs_load(NULL, names, 1, NULL, &found, &err), -EINVAL);
    assert_non_null(strstr(err.text, "--map"));
    const char *map = text_write("map.conf", map_text);
    assert_int_equal(climate_runs_load(map, names, 0, NULL, &found, &err), -EINVAL);
    assert_int_equal(climate_runs_load(map, names, 1, NULL, &found, &err), -ENOENT);
    assert_non_null(strstr(err.text, "not-there.csv"));
    assert_true(climate_runs_load("/nonexistent", names, 1, NULL, &found, &err) < 0);
}

static void a_file_keeps_its_path(void **state)
{
    (void)state;
    AUTO(runs_files_done) struct runs_files files = { 0 };
    const char *names[] = { "a.csv", "dir/b.csv.gz" };
    assert_int_equal(runs_files_open(names, 2, NULL, &files, NULL), 0);
    assert_int_equal(files.count, 2);
    assert_string_equal(files.paths[1], "dir/b.csv.gz");
    assert_int_equal(files.fds[0], -1);
    assert_null(files.truncated);
}

static void a_barod_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    AUTO(runs_files_done) struct runs_files files = { 0 };
    const char *names[] = { "unix:/nonexistent/barod.sock" };
    struct err err = { 0 };
    assert_int_equal(runs_files_open(names, 1, NULL, &files, &err), -ENOTCONN);
    assert_non_null(strstr(err.text, "the runs of unix:/nonexistent/barod.sock"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_two_tables_are_together),
        cmocka_unit_test(without_a_run_the_reason_is_given),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(a_file_keeps_its_path),
        cmocka_unit_test(a_barod_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
