/* SPDX-License-Identifier: Apache-2.0 */
/* test_space_check - file systems and their targets: used, growth, full when. */
#include "analysis/space/space.h"
#include "base/test/testing.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define HOUR_NS (3600 * (int64_t)1000000000)
#define DAY_NS (24 * HOUR_NS)
#define HOURS 120
#define FROM_NS (20000 * DAY_NS)
#define END_NS (FROM_NS + HOURS * HOUR_NS)
#define TARGETS_MAX 6

static struct {
    double used[TARGETS_MAX][SPACE_WHAT_COUNT][HOURS];
    struct space_target targets[TARGETS_MAX];
    size_t count;
} site;

/* A target that grows by so much an hour, of 1000 bytes and 2000 inodes. */
static struct space_target *target_add(const char *fs, const char *name, bool is_mdt,
                                       double begin, double an_hour)
{
    struct space_target *t = &site.targets[site.count];
    *t = (struct space_target){ "lustre", fs, name, is_mdt, END_NS, { { 0 } } };
    for (int what = 0; what < SPACE_WHAT_COUNT; what++) {
        double *used = site.used[site.count][what];
        double size = what == SPACE_BYTES ? 1000 : 2000;
        for (size_t i = 0; i < HOURS; i++)
            used[i] = begin + an_hour * (double)i;
        t->series[what] =
            (struct space_series){ used, used[HOURS - 1], size - used[HOURS - 1] };
    }
    site.count++;
    return t;
}

static double *used_of(size_t target)
{
    return site.used[target][SPACE_BYTES];
}

static struct space_check_opts check_opts(void)
{
    return (struct space_check_opts){ site.targets, site.count, HOURS, FROM_NS,
                                      HOUR_NS,      DAY_NS,     DAY_NS };
}

static void check(struct space_results *ret)
{
    const struct space_check_opts opts = check_opts();
    assert_int_equal(space_check(&opts, ret), 0);
}

static int setup(void **state)
{
    (void)state;
    memset(&site, 0, sizeof site);
    return 0;
}

#define NEAR(value, wanted)                                            \
    do {                                                               \
        if (!(fabs((value) - (wanted)) < 1e-6))                        \
            fail_msg("%s is %.12g, not %.12g", #value, value, wanted); \
    } while (0)

static void a_file_system_is_the_sum_of_its_targets(void **state)
{
    AUTO(space_results_done) struct space_results r = { 0 };
    (void)state;
    target_add("scratch", "scratch-MDT0000", true, 100, 0.5);
    target_add("scratch", "scratch-OST0000", false, 100, 1);
    target_add("scratch", "scratch-OST0001", false, 200, 2);
    target_add("work", "work-OST0000", false, 300, 0);
    check(&r);
    assert_int_equal(r.count, 6);
    assert_int_equal(r.fs_count, 2);
    const struct space_row *fs = &r.rows[0];
    assert_true(fs->is_fs);
    assert_int_equal(fs->osts, 2);
    assert_int_equal(fs->mdts, 1);
    /* Bytes of the OSTs, inodes of the MDT. */
    NEAR(fs->use[SPACE_BYTES].used, 300 + 3 * 119.0);
    NEAR(fs->use[SPACE_BYTES].available, 2000 - 300 - 3 * 119.0);
    NEAR(fs->use[SPACE_BYTES].trend.growth * 3600, 3.0);
    NEAR(fs->use[SPACE_INODES].used, 100 + 0.5 * 119);
    NEAR(fs->use[SPACE_INODES].trend.growth * 3600, 0.5);
    NEAR(space_share(&fs->use[SPACE_BYTES]), (300 + 3 * 119.0) / 2000);
    assert_int_equal(fs->since_ns, 0);
    assert_false(r.rows[1].is_fs);
    assert_string_equal(r.rows[3].target->name, "scratch-OST0001");
    NEAR(r.rows[3].use[SPACE_BYTES].trend.growth * 3600, 2.0);
    /* From the newest value on. */
    int64_t full_ns = r.rows[3].use[SPACE_BYTES].trend.full_ns;
    assert_true(llabs(full_ns - END_NS - 281 * HOUR_NS) < HOUR_NS);
    const struct space_row *work = &r.rows[4];
    assert_string_equal(work->target->fs, "work");
    assert_true(work->is_fs);
    assert_false(work->use[SPACE_INODES].is_known); /* it has no MDT here */
    assert_int_equal(work->use[SPACE_BYTES].trend.outlook, SPACE_UNCLEAR);
}

static void the_same_name_in_two_clusters_is_two_file_systems(void **state)
{
    AUTO(space_results_done) struct space_results r = { 0 };
    (void)state;
    target_add("scratch", "scratch-OST0000", false, 100, 1);
    target_add("scratch", "scratch-OST0000", false, 100, 1)->cluster = "other";
    check(&r);
    assert_int_equal(r.fs_count, 2);
    NEAR(r.rows[0].use[SPACE_BYTES].used, 219.0);
}

static void a_new_target_had_nothing_before(void **state)
{
    AUTO(space_results_done) struct space_results r = { 0 };
    (void)state;
    target_add("s", "s-OST0000", false, 100, 4);
    target_add("s", "s-OST0001", false, 0, 2);
    /* From hour 60 on the new one gets half of what the other got. */
    for (size_t i = 0; i < HOURS; i++) {
        used_of(1)[i] = i < 60 ? NAN : 2.0 * (double)(i - 60);
        used_of(0)[i] = i < 60 ? 100 + 4.0 * (double)i : 340 + 2.0 * (double)(i - 60);
    }
    site.targets[1].series[SPACE_BYTES].used_now = 118;
    check(&r);
    assert_true(r.rows[2].is_new);
    assert_false(r.rows[1].is_new);
    assert_true(r.rows[0].is_new);
    /* The file system's own growth went on; each target's is that since. */
    assert_int_equal(r.rows[0].use[SPACE_BYTES].trend.values, HOURS);
    NEAR(r.rows[0].use[SPACE_BYTES].trend.growth * 3600, 4.0);
    assert_int_equal(r.rows[1].use[SPACE_BYTES].trend.values, 60);
    NEAR(r.rows[1].use[SPACE_BYTES].trend.growth * 3600, 2.0);
    assert_true(r.rows[1].since_ns == FROM_NS + 60 * HOUR_NS);
}

static void a_target_that_was_not_observed_cuts_the_history(void **state)
{
    AUTO(space_results_done) struct space_results r = { 0 };
    (void)state;
    target_add("s", "s-OST0000", false, 100, 1);
    target_add("s", "s-OST0001", false, 300, 1);
    for (size_t i = 0; i < 40; i++)
        used_of(1)[i] = NAN;
    used_of(1)[70] = NAN; /* in the middle: that value is unknown */
    check(&r);
    assert_false(r.rows[2].is_new);
    assert_int_equal(r.rows[0].use[SPACE_BYTES].trend.values, HOURS - 41);
    NEAR(r.rows[0].use[SPACE_BYTES].trend.growth * 3600, 2.0);
    assert_true(r.rows[0].since_ns == FROM_NS + 40 * HOUR_NS);
    assert_int_equal(r.rows[1].use[SPACE_BYTES].trend.values, HOURS);
}

static void a_silent_target_counts_in_no_sum(void **state)
{
    AUTO(space_results_done) struct space_results r = { 0 };
    (void)state;
    target_add("s", "s-OST0000", false, 100, 1);
    target_add("s", "s-OST0001", false, 300, 1)->newest_ns = END_NS - DAY_NS;
    check(&r);
    assert_false(r.rows[2].is_stale); /* a day is not over a day */
    NEAR(r.rows[0].use[SPACE_BYTES].used, 638.0);
    assert_true(r.rows[0].newest_ns == END_NS - DAY_NS);
    space_results_done(&r);
    site.targets[1].newest_ns--;
    check(&r);
    assert_true(r.rows[2].is_stale);
    assert_int_equal(r.rows[0].stale, 1);
    NEAR(r.rows[0].use[SPACE_BYTES].used, 219.0);
    assert_true(r.rows[0].newest_ns == END_NS);
}

static void what_is_not_known_is_not_known(void **state)
{
    AUTO(space_results_done) struct space_results r = { 0 };
    (void)state;
    struct space_target *t = target_add("s", "s-OST0000", false, 100, 1);
    t->series[SPACE_BYTES].available_now = NAN;
    t->series[SPACE_INODES] = (struct space_series){ NULL, 0, 0 };
    check(&r);
    assert_false(r.rows[1].use[SPACE_BYTES].is_known);
    assert_false(r.rows[1].use[SPACE_INODES].is_known);
    assert_true(isnan(space_share(&r.rows[0].use[SPACE_BYTES])));
}

static void bad_options_are_refused_and_no_target_is_no_row(void **state)
{
    (void)state;
    struct space_results r = { .count = 7 };
    struct space_check_opts opts = check_opts();
    opts.count = 0;
    assert_int_equal(space_check(&opts, &r), -EINVAL);
    opts.count = SPACE_VALUES_MAX + 1;
    assert_int_equal(space_check(&opts, &r), -EINVAL);
    opts = check_opts();
    opts.step_ns = 0;
    assert_int_equal(space_check(&opts, &r), -EINVAL);
    assert_int_equal(r.count, 7);
    check(&r);
    assert_int_equal(r.count, 0);
    space_results_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_file_system_is_the_sum_of_its_targets, setup),
        cmocka_unit_test_setup(the_same_name_in_two_clusters_is_two_file_systems,
                               setup),
        cmocka_unit_test_setup(a_new_target_had_nothing_before, setup),
        cmocka_unit_test_setup(a_target_that_was_not_observed_cuts_the_history, setup),
        cmocka_unit_test_setup(a_silent_target_counts_in_no_sum, setup),
        cmocka_unit_test_setup(what_is_not_known_is_not_known, setup),
        cmocka_unit_test_setup(bad_options_are_refused_and_no_target_is_no_row, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
