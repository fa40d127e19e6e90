/* SPDX-License-Identifier: Apache-2.0 */
/* test_darshan_log - names of logs beside records, found and removed. */
#include "probe/darshan_log.h"
#include "probe/record_drop.h"

#include "base/file.h"
#include "base/test/scratch.h"

#include <errno.h>
#include <string.h>

static const char *touch(const char *name)
{
    char dir[512];
    const char *path = scratch_path(name);
    (void)snprintf(dir, sizeof dir, "%s", path);
    *strrchr(dir, '/') = '\0';
    assert_int_equal(file_make_dirs(dir, 0755, NULL), 0);
    assert_int_equal(file_replace(path, "x", 1, 0600, NULL), 0);
    return path;
}

static bool is_there(const char *name)
{
    return access(scratch_path(name), F_OK) == 0;
}

static void logs_have_the_names_of_their_records(void **state)
{
    char path[RUN_PATH_MAX], day[DARSHAN_LOG_DAY_BYTES], longest[RUN_PATH_MAX];
    (void)state;
    assert_int_equal(darshan_log_path(path, "2026/11/21/ID", SHAPE_READ, 4095), 0);
    assert_string_equal(path, "2026/11/21/ID-read.4095.darshan");
    darshan_log_day(day, INT64_C(1795848480) * 1000000000);
    assert_string_equal(day, "2026/11/28");
    memset(longest, 'x', sizeof longest - 8);
    longest[sizeof longest - 8] = '\0';
    assert_int_equal(darshan_log_path(path, longest, SHAPE_READ, 0), -ENAMETOOLONG);
    assert_false(darshan_log_is_expected()); /* it is not loaded here */
}

static void those_that_are_there_are_found(void **state)
{
    struct run_rank write[2] = { 0 }, read[1] = { { .is_logged = true } };
    struct run_result result = {
        .phases = { { .phase = SHAPE_WRITE, .count = 2, .ranks = write },
                    { .phase = SHAPE_READ, .count = 1, .ranks = read } }
    };
    (void)state;
    touch("found/ID-write.1.darshan");
    assert_int_equal(darshan_log_find(scratch_path("found/ID"), &result), 2);
    assert_true(!write[0].is_logged && write[1].is_logged && !read[0].is_logged);
}

static void names_of_others_are_none(void **state)
{
    static const char *const others[] = {
        "20261121T030000Z-47.json",
        "20261121T030000Z-.darshan",
        "20261121T030000Z-47-hacc.darshan",
        "20261121T03000Z-47.darshan",
        "ann_a.out_id7.darshan",
        "20261121T030000Z-47.darshan.gz",
        "",
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(darshan_log_is_of_all(others[i]));
    const char *log = "a/20261121T030000Z-47.darshan";
    assert_true(darshan_log_is_of(log, "b/20261122T000001Z-47-hacc.json"));
    assert_false(darshan_log_is_of(log, "b/20261122T000001Z-471-hacc.json"));
    assert_false(darshan_log_is_of(log, "b/x.json"));
}

/* Of the oldest record everything goes; the log of all ranks with the last of them. */
static void they_go_with_their_records(void **state)
{
    char dir[128];
    (void)state;
    (void)snprintf(dir, sizeof dir, "%s", scratch_path("drop"));
    touch("drop/2026/11/21/20261121T030000Z-47-hacc.json");
    touch("drop/2026/11/21/20261121T030000Z-47-hacc-write.0.darshan");
    touch("drop/2026/11/21/20261121T030000Z-47-hacc-other.darshan");
    touch("drop/2026/11/21/20261121T025959Z-47.darshan");
    touch("drop/2026/11/22/20261122T000001Z-47-vpic.json");
    touch("drop/2026/11/22/20261122T000001Z-47-vpic-read.3.darshan");
    touch("drop/2026/11/23/20261123T000001Z-48-vpic.json");
    touch("drop/2026/11/23/20261123T000001Z-48.darshan");
    record_drop_oldest(dir, 2);
    assert_false(is_there("drop/2026/11/21/20261121T030000Z-47-hacc.json"));
    assert_false(is_there("drop/2026/11/21/20261121T030000Z-47-hacc-write.0.darshan"));
    assert_true(is_there("drop/2026/11/21/20261121T030000Z-47-hacc-other.darshan"));
    assert_true(is_there("drop/2026/11/21/20261121T025959Z-47.darshan"));
    assert_true(is_there("drop/2026/11/22/20261122T000001Z-47-vpic-read.3.darshan"));
    record_drop_oldest(dir, 1);
    assert_false(is_there("drop/2026/11/21/20261121T025959Z-47.darshan"));
    assert_false(is_there("drop/2026/11/22"));
    assert_true(is_there("drop/2026/11/23/20261123T000001Z-48.darshan"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_have_the_names_of_their_records),
        cmocka_unit_test(those_that_are_there_are_found),
        cmocka_unit_test(names_of_others_are_none),
        cmocka_unit_test(they_go_with_their_records),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
