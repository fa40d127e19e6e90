/* SPDX-License-Identifier: Apache-2.0 */
/* test_space_owners - what users hold of file systems. */
#include "analysis/space/space.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOW 1000

static struct space_holding holding(const char *fs, const char *target,
                                    const char *owner, double now, int64_t newest_ns)
{
    return (struct space_holding){ .cluster = "lustre",
                                   .fs = fs,
                                   .target = target,
                                   .owner = owner,
                                   .is_mdt = strstr(target, "MDT") != NULL,
                                   .now = now,
                                   .newest_ns = newest_ns };
}

#define OWNS(item, name, bytes, bytes_max)                                \
    do {                                                                  \
        assert_string_equal((item).holdings->owner, name);                \
        if (!(fabs((item).used[SPACE_BYTES] - (bytes)) < 1e-9) ||         \
            !(fabs((item).used_max[SPACE_BYTES] - (bytes_max)) < 1e-9))   \
            fail_msg("%s holds %g .. %g", name, (item).used[SPACE_BYTES], \
                     (item).used_max[SPACE_BYTES]);                       \
    } while (0)

static void sums_have_a_bound_where_a_target_does_not_list_the_owner(void **state)
{
    AUTO(space_owners_done) struct space_owners o = { 0 };
    (void)state;
    struct space_holding h[] = {
        holding("s", "s-OST0000", "1001", 40, NOW),
        holding("s", "s-OST0001", "1003", 30, NOW),
        holding("s", "s-OST0001", SPACE_OTHERS, 9, NOW),
        holding("s", "s-OST0000", "1002", 30, NOW),
        holding("s", "s-OST0000", SPACE_OTHERS, 5, NOW),
        holding("s", "s-OST0001", "1002", 60, NOW),
    };
    assert_int_equal(space_owners_find(h, 6, &o), 0);
    assert_int_equal(o.count, 4);
    OWNS(o.items[0], "1002", 90, 90);
    OWNS(o.items[1], "1001", 40, 70);
    OWNS(o.items[2], "1003", 30, 60);
    OWNS(o.items[3], SPACE_OTHERS, 14, 14); /* the last, whatever it holds */
    assert_true(o.items[3].is_others);
    assert_true(fabs(o.items[0].share[SPACE_BYTES] - 90.0 / 174) < 1e-9);
    assert_true(isnan(o.items[0].used[SPACE_INODES])); /* no MDT was read */
}

static void a_complete_list_bounds_nothing(void **state)
{
    AUTO(space_owners_done) struct space_owners o = { 0 };
    (void)state;
    struct space_holding h[] = {
        holding("s", "s-OST0000", "1", 40, NOW),
        holding("s", "s-OST0001", "2", 30, NOW), /* without others: all are listed */
    };
    assert_int_equal(space_owners_find(h, 2, &o), 0);
    OWNS(o.items[0], "1", 40, 40);
    OWNS(o.items[1], "2", 30, 30);
}

static void bytes_are_of_osts_and_inodes_of_mdts(void **state)
{
    AUTO(space_owners_done) struct space_owners o = { 0 };
    (void)state;
    struct space_holding h[] = {
        holding("s", "s-MDT0000", "1", 700, NOW),
        holding("s", "s-OST0000", "1", 40, NOW),
        holding("s", "s-MDT0000", "2", 100, NOW),
        holding("s", "s-MDT0000", SPACE_OTHERS, 200, NOW),
    };
    assert_int_equal(space_owners_find(h, 4, &o), 0);
    OWNS(o.items[0], "1", 40, 40);
    assert_true(fabs(o.items[0].used[SPACE_INODES] - 700) < 1e-9);
    assert_true(fabs(o.items[0].share[SPACE_INODES] - 0.7) < 1e-9);
    OWNS(o.items[1], "2", 0, 0);
}

static void what_a_target_lists_no_more_counts_no_more(void **state)
{
    AUTO(space_owners_done) struct space_owners o = { 0 };
    (void)state;
    struct space_holding h[] = {
        holding("s", "s-OST0000", "1", 40, NOW),
        holding("s", "s-OST0000", "2", 50, NOW - 1), /* an older reading */
        holding("s", "s-OST0000", SPACE_OTHERS, 10, NOW),
        holding("s", "s-OST0001", "2", 20, NOW - 9), /* another target's newest */
    };
    assert_int_equal(space_owners_find(h, 4, &o), 0);
    OWNS(o.items[0], "1", 40, 40);
    OWNS(o.items[1], "2", 20, 60);
    assert_true(o.items[1].newest_ns == NOW - 1);
}

static void file_systems_and_clusters_are_apart(void **state)
{
    AUTO(space_owners_done) struct space_owners o = { 0 };
    (void)state;
    struct space_holding h[] = {
        holding("a", "a-OST0000", "1", 40, NOW),
        holding("b", "b-OST0000", "1", 10, NOW),
        holding("b", "b-OST0000", SPACE_OTHERS, 30, NOW),
        holding("a", "a-OST0000", "1", 7, NOW),
    };
    h[3].cluster = "other";
    assert_int_equal(space_owners_find(h, 4, &o), 0);
    assert_int_equal(o.count, 4);
    OWNS(o.items[0], "1", 40, 40);
    assert_true(fabs(o.items[0].share[SPACE_BYTES] - 1) < 1e-9);
    OWNS(o.items[1], "1", 10, 10);
    assert_true(fabs(o.items[1].share[SPACE_BYTES] - 0.25) < 1e-9);
    OWNS(o.items[2], "1", 7, 7);
}

static void nothing_held_is_no_owner(void **state)
{
    AUTO(space_owners_done) struct space_owners o = { 0 };
    (void)state;
    assert_int_equal(space_owners_find(NULL, 0, &o), 0);
    assert_int_equal(o.count, 0);
}

static void an_owner_grows_and_cleans_up_by_its_own_size(void **state)
{
    (void)state;
    double used[48];
    struct space_owner owner = { 0 };
    for (size_t i = 0; i < 48; i++)
        used[i] = 100 + (double)i - (i >= 24 ? 50 : 0);
    assert_int_equal(space_owner_trend(&owner, SPACE_BYTES, used, 48, 1000000000, 0),
                     0);
    assert_true(owner.has_trend[SPACE_BYTES]);
    const struct space_trend *t = &owner.trend[SPACE_BYTES];
    assert_int_equal(t->outlook, SPACE_GROWS);
    assert_true(fabs(t->growth - 1) < 1e-9);
    assert_int_equal(t->cleanups.count, 1);
    assert_true(t->full_ns == SPACE_FULL_NEVER); /* no limit is known */
    assert_int_equal(space_owner_trend(&owner, SPACE_INODES, used, 0, 1000000000, 0),
                     -EINVAL);
    assert_false(owner.has_trend[SPACE_INODES]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_a_bound_where_a_target_does_not_list_the_owner),
        cmocka_unit_test(a_complete_list_bounds_nothing),
        cmocka_unit_test(bytes_are_of_osts_and_inodes_of_mdts),
        cmocka_unit_test(what_a_target_lists_no_more_counts_no_more),
        cmocka_unit_test(file_systems_and_clusters_are_apart),
        cmocka_unit_test(nothing_held_is_no_owner),
        cmocka_unit_test(an_owner_grows_and_cleans_up_by_its_own_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
