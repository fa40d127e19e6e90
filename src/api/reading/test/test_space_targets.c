/* SPDX-License-Identifier: Apache-2.0 */
/* test_space_targets - what the targets of file systems hold, out of the metric store.
 */
#include "api/reading/test/played_store.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct played_store played;

static int setup(void **state)
{
    (void)state;
    played_store_open(&played);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    metric_store_close(played.store);
    return 0;
}

static void put(const char *path, const char *name, double hour, double value)
{
    played_store_put(&played, path, name, hour, value);
}

/* All of a target at one time. */
static void put_target(const char *path, double hour, double used)
{
    put(path, "lustre_capacity_bytes", hour, 1000);
    put(path, "lustre_free_bytes", hour, 1000 - used);
    put(path, "lustre_available_bytes", hour, 950 - used);
    put(path, "lustre_files_total", hour, 500);
    put(path, "lustre_files_free", hour, 500 - used / 10);
}

static int read_targets(const char *fs, int (*watch)(void *arg),
                        struct space_targets *ret, struct err *err)
{
    struct budget_hold hold = { 0 };
    const struct space_targets_opts opts = { .store = played.store,
                                             .watch = watch,
                                             .fs = fs,
                                             .from_ns = played.from_ns,
                                             .step_ns = HOUR_NS,
                                             .value_count = HOURS,
                                             .hold = &hold };
    return space_targets_read(&opts, ret, err);
}

static void a_target_that_moved_has_one_history(void **state)
{
    AUTO(space_targets_done) struct space_targets t = { 0 };
    struct err err = { 0 };
    (void)state;
    put_target("lustre/oss01/ost:s-OST0000", 0.1, 100);
    put_target("lustre/oss01/ost:s-OST0000", 0.9, 110);
    put_target("lustre/oss02/ost:s-OST0000", 2.5, 130);
    put_target("lustre/oss02/mdt:s-MDT0000", 3.5, 50);
    if (read_targets("*", NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.count, 2);
    const struct space_target *mdt = &t.items[0], *ost = &t.items[1];
    assert_string_equal(mdt->name, "s-MDT0000");
    assert_true(mdt->is_mdt);
    assert_string_equal(ost->cluster, "lustre");
    assert_string_equal(ost->fs, "s");
    assert_false(ost->is_mdt);
    /* The newest of each hour; nothing is made up for the others. */
    const double *used = ost->series[SPACE_BYTES].used;
    assert_true(fabs(used[0] - 110) < 1e-9);
    assert_true(isnan(used[1]));
    assert_true(fabs(used[2] - 130) < 1e-9);
    assert_true(isnan(used[3]));
    assert_true(fabs(ost->series[SPACE_BYTES].used_now - 130) < 1e-9);
    assert_true(fabs(ost->series[SPACE_BYTES].available_now - 820) < 1e-9);
    assert_true(fabs(ost->series[SPACE_INODES].used_now - 13) < 1e-9);
    assert_true(fabs(ost->series[SPACE_INODES].available_now - 487) < 1e-9);
    assert_true(ost->newest_ns == played.from_ns + 5 * HOUR_NS / 2);
}

static void only_targets_of_the_file_system_are_read(void **state)
{
    AUTO(space_targets_done) struct space_targets t = { 0 };
    struct err err = { 0 };
    (void)state;
    put_target("lustre/oss01/ost:s-OST0000", 1, 100);
    put_target("lustre/oss01/ost:work-OST0000", 1, 100);
    put_target("lustre/oss01/socket:s-OST0001", 1, 100); /* no target */
    put_target("lustre/oss01/ost:OST0001", 1, 100);      /* of no file system */
    put("lustre/oss01/ost:work-OST0002", "lustre_read_bytes", 1, 5);
    if (read_targets("wor?", NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.count, 1);
    assert_string_equal(t.items[0].name, "work-OST0000");
    space_targets_done(&t);
    if (read_targets("*", NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.count, 2);
}

static void what_is_not_there_is_named(void **state)
{
    AUTO(space_targets_done) struct space_targets t = { 0 };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(read_targets("*", NULL, &t, &err), -ENOENT);
    space_targets_done(&t);
    put_target("lustre/oss01/ost:s-OST0000", 1, 100);
    assert_int_equal(read_targets("other", NULL, &t, &err), -ENOENT);
    assert_non_null(strstr(err.text, "'other'"));
    space_targets_done(&t);
    /* Before the range. */
    put_target("lustre/oss01/ost:old-OST0000", -1, 100);
    assert_int_equal(read_targets("old", NULL, &t, &err), -ENOENT);
}

static void without_inodes_they_are_unknown(void **state)
{
    AUTO(space_targets_done) struct space_targets t = { 0 };
    struct err err = { 0 };
    (void)state;
    put("lustre/oss01/ost:s-OST0000", "lustre_capacity_bytes", 1, 1000);
    put("lustre/oss01/ost:s-OST0000", "lustre_free_bytes", 1, 400);
    put("lustre/oss01/ost:s-OST0000", "lustre_available_bytes", 1, 300);
    assert_int_equal(read_targets("*", NULL, &t, &err), 0);
    assert_true(fabs(t.items[0].series[SPACE_BYTES].used_now - 600) < 1e-9);
    assert_true(isnan(t.items[0].series[SPACE_INODES].used_now));
}

static void without_what_users_may_have_it_is_what_is_free(void **state)
{
    AUTO(space_targets_done) struct space_targets t = { 0 };
    struct err err = { 0 };
    (void)state;
    put("lustre/oss01/ost:s-OST0000", "lustre_capacity_bytes", 1, 1000);
    put("lustre/oss01/ost:s-OST0000", "lustre_free_bytes", 1, 400);
    assert_int_equal(read_targets("*", NULL, &t, &err), 0);
    assert_true(fabs(t.items[0].series[SPACE_BYTES].used_now - 600) < 1e-9);
    assert_true(fabs(t.items[0].series[SPACE_BYTES].available_now - 400) < 1e-9);
}

static int end_now(void *arg)
{
    (void)arg;
    return -ECANCELED;
}

static void a_reading_ends_when_its_client_is_gone(void **state)
{
    AUTO(space_targets_done) struct space_targets t = { 0 };
    struct err err = { 0 };
    (void)state;
    put_target("lustre/oss01/ost:s-OST0000", 1, 100);
    assert_int_equal(read_targets("*", end_now, &t, &err), -ECANCELED);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_target_that_moved_has_one_history, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(only_targets_of_the_file_system_are_read, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(without_inodes_they_are_unknown, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(without_what_users_may_have_it_is_what_is_free,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_reading_ends_when_its_client_is_gone, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
