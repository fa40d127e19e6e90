/* SPDX-License-Identifier: Apache-2.0 */
/* test_space_holdings - what users hold on targets, out of the metric store. */
#include "api/reading/test/played_store.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct {
    struct played_store played;
    struct budget_hold hold;
    struct space_targets_opts opts;
} house;

static int setup(void **state)
{
    (void)state;
    played_store_open(&house.played);
    house.hold = (struct budget_hold){ 0 };
    house.opts = (struct space_targets_opts){ .store = house.played.store,
                                              .fs = "*",
                                              .from_ns = house.played.from_ns,
                                              .step_ns = HOUR_NS,
                                              .value_count = HOURS,
                                              .hold = &house.hold };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    metric_store_close(house.played.store);
    return 0;
}

static void put(const char *path, const char *name, double hour, double value)
{
    played_store_put(&house.played, path, name, hour, value);
}

#define OST0 "lustre/oss01/ost:s-OST0000"
#define OST1 "lustre/oss02/ost:s-OST0001"

static const struct space_holding *holding(const struct space_holdings *h,
                                           const char *target, const char *owner)
{
    for (size_t i = 0; i < h->count; i++)
        if (strcmp(h->items[i].target, target) == 0 &&
            strcmp(h->items[i].owner, owner) == 0)
            return &h->items[i];
    fail_msg("%s holds nothing on %s", owner, target);
    return NULL;
}

static void the_newest_value_of_each_owner_and_target_is_read(void **state)
{
    AUTO(space_holdings_done) struct space_holdings h = { 0 };
    struct err err = { 0 };
    (void)state;
    put(OST0 "/user:7", "lustre_user_bytes", 0.5, 10);
    put(OST0 "/user:7", "lustre_user_bytes", 2.5, 20);
    put(OST0 "/user:others", "lustre_user_bytes", 2.5, 3);
    put(OST0 "/group:9", "lustre_group_bytes", 2.5, 99); /* another kind */
    put(OST0 "/user:7", "lustre_user_inodes", 2.5, 5);   /* of an OST: objects */
    put("lustre/mds01/mdt:s-MDT0000/user:7", "lustre_user_inodes", 1.5, 6);
    put("lustre/mds01/mdt:s-MDT0000/user:7", "lustre_user_bytes", 1.5, 777);
    put(OST1 "/user:7", "lustre_user_bytes", 2.5, 40);
    if (space_holdings_read(&house.opts, "user", 4 * HOUR_NS, &h, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(h.count, 4);
    const struct space_holding *seven = holding(&h, "s-OST0000", "7");
    assert_true(fabs(seven->now - 20) < 1e-9);
    assert_true(seven->newest_ns == house.played.from_ns + 5 * HOUR_NS / 2);
    assert_string_equal(seven->cluster, "lustre");
    assert_string_equal(seven->fs, "s");
    assert_false(seven->is_mdt);
    assert_true(fabs(holding(&h, "s-OST0000", "others")->now - 3) < 1e-9);
    assert_true(fabs(holding(&h, "s-OST0001", "7")->now - 40) < 1e-9);
    const struct space_holding *mdt = holding(&h, "s-MDT0000", "7");
    assert_true(mdt->is_mdt);
    assert_true(fabs(mdt->now - 6) < 1e-9);
}

static void a_target_that_moved_counts_once_with_its_newest(void **state)
{
    AUTO(space_holdings_done) struct space_holdings h = { 0 };
    struct err err = { 0 };
    (void)state;
    put(OST0 "/user:7", "lustre_user_bytes", 0.5, 10);
    put("lustre/oss02/ost:s-OST0000/user:7", "lustre_user_bytes", 2.5, 20);
    put("lustre/oss03/ost:s-OST0000/user:7", "lustre_user_bytes", 1.5, 15);
    assert_int_equal(space_holdings_read(&house.opts, "user", 4 * HOUR_NS, &h, &err),
                     0);
    assert_int_equal(h.count, 1);
    assert_true(fabs(h.items[0].now - 20) < 1e-9);
}

static void what_is_old_is_none(void **state)
{
    AUTO(space_holdings_done) struct space_holdings h = { 0 };
    struct err err = { 0 };
    (void)state;
    put(OST0 "/user:7", "lustre_user_bytes", 0.5, 10);
    assert_int_equal(space_holdings_read(&house.opts, "user", 2 * HOUR_NS, &h, &err),
                     -ENOENT);
    assert_non_null(strstr(err.text, "no user has been sent lately"));
    space_holdings_done(&h);
    put(OST0 "/user:8", "lustre_user_bytes", 2.5, 10);
    assert_int_equal(space_holdings_read(&house.opts, "user", 2 * HOUR_NS, &h, &err),
                     0);
    assert_int_equal(h.count, 1);
    assert_string_equal(h.items[0].owner, "8");
    space_holdings_done(&h);
    assert_int_equal(space_holdings_read(&house.opts, "project", 4 * HOUR_NS, &h, &err),
                     -ENOENT);
}

static void a_history_is_the_sum_where_all_targets_were_read(void **state)
{
    AUTO(space_holdings_done) struct space_holdings h = { 0 };
    AUTO(space_owners_done) struct space_owners owners = { 0 };
    struct err err = { 0 };
    double values[HOURS];
    (void)state;
    for (int hour = 0; hour < HOURS; hour++) {
        put(OST0 "/user:7", "lustre_user_bytes", hour + 0.2, 10 * hour);
        if (hour != 1)
            put(OST1 "/user:7", "lustre_user_bytes", hour + 0.2, 100);
        put(OST0 "/user:8", "lustre_user_bytes", hour + 0.2, 1);
    }
    assert_int_equal(space_holdings_read(&house.opts, "user", 4 * HOUR_NS, &h, &err),
                     0);
    assert_int_equal(space_owners_find(h.items, h.count, &owners), 0);
    assert_string_equal(owners.items[0].holdings->owner, "7");
    assert_int_equal(space_holdings_history(&house.opts, "user", &owners.items[0],
                                            SPACE_BYTES, values),
                     0);
    assert_true(fabs(values[0] - 100) < 1e-9);
    assert_true(isnan(values[1]));
    assert_true(fabs(values[2] - 120) < 1e-9);
    assert_true(fabs(values[3] - 130) < 1e-9);
    /* No MDT lists it: nothing is known of its inodes. */
    assert_int_equal(space_holdings_history(&house.opts, "user", &owners.items[0],
                                            SPACE_INODES, values),
                     0);
    for (size_t i = 0; i < HOURS; i++)
        assert_true(isnan(values[i]));
}

static int end_now(void *arg)
{
    (void)arg;
    return -ECANCELED;
}

static void a_reading_ends_when_its_client_is_gone(void **state)
{
    AUTO(space_holdings_done) struct space_holdings h = { 0 };
    struct err err = { 0 };
    (void)state;
    put(OST0 "/user:7", "lustre_user_bytes", 0.5, 10);
    house.opts.watch = end_now;
    assert_int_equal(space_holdings_read(&house.opts, "user", 4 * HOUR_NS, &h, &err),
                     -ECANCELED);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            the_newest_value_of_each_owner_and_target_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(a_target_that_moved_counts_once_with_its_newest,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_old_is_none, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_history_is_the_sum_where_all_targets_were_read, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reading_ends_when_its_client_is_gone, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
