/* SPDX-License-Identifier: Apache-2.0 */
/* test_written - files that an earlier build wrote are read, bit by bit.
 *
 * test/written holds three hosts with three metrics each, 910 samples of each series:
 * an archive with the oldest, two files of blocks, the indexes of two checkpoints, and
 * logs that have samples which no checkpoint has.  One sample came late, for a block.
 * The formats are promised (doc/formats/store-files.md): this directory stays as it is.
 */
#include "base/number.h"
#include "base/span.h"
#include "base/test/directory.h"
#include "store/store.h"

#define HOSTS 3
#define METRICS 3
#define STEPS 910
#define BEGIN_NS (INT64_C(1700000000) * NS_PER_S)
#define STEP_NS (10 * NS_PER_S)
#define LATE_STEP 700
#define LATE_VALUE 4711

static char dir[DIRECTORY_PATH_MAX];

static int copy_written(void **state)
{
    (void)state;
    directory_make(dir);
    (void)rmdir(dir);
    directory_copy(WRITTEN_DIR, dir);
    return 0;
}

static int remove_copy(void **state)
{
    (void)state;
    directory_remove(dir);
    return 0;
}

/* Integers, decimals, and numbers of all bits; every 17th is 0, or -0. */
static double value_of(int64_t step, int series)
{
    if (series == 0 && step == LATE_STEP)
        return LATE_VALUE;
    if ((step + series) % 17 == 0)
        return series % METRICS == 2 ? -0.0 : 0;
    if (series % METRICS == 0)
        return (double)(step % 50 + series);
    if (series % METRICS == 1)
        return (double)(step * 37 % 1000) / 100;
    return (double)(step + series) / 3;
}

/* The third metric has no step: each sample has a time of its own. */
static int64_t time_of(int64_t step, int series)
{
    int64_t t_ns = BEGIN_NS + step * STEP_NS;
    return series % METRICS == 2 ? t_ns + step * 7 % 1000 * NS_PER_MS : t_ns;
}

struct reading {
    int series;
    int64_t step; /* the next */
};

static int check_samples(void *arg, const int64_t *times, const double *values,
                         size_t count)
{
    struct reading *r = arg;
    for (size_t i = 0; i < count; i++, r->step++) {
        double want = value_of(r->step, r->series);
        if (times[i] != time_of(r->step, r->series) ||
            double_bits(values[i]) != double_bits(want))
            fail_msg("series %d, step %d: %g, not %g", r->series, (int)r->step,
                     values[i], want);
    }
    return 0;
}

static const char *const metrics[METRICS] = { "load", "power", "flow" };

/* Returns METRIC_FROM_*. */
static unsigned check_series(struct metric_store *store, int n)
{
    char path[32];
    struct reading reading = { .series = n };
    struct metric_read read = { 0 };
    (void)snprintf(path, sizeof path, "c/h%d", n / METRICS);
    const struct metric *metric =
        metric_find(metric_store_metrics(store), span_of(metrics[n % METRICS]));
    assert_non_null(metric);
    const struct level_series *series = metric_store_find(store, span_of(path), metric);
    assert_non_null(series);
    const struct metric_range all = { 0, INT64_MAX, check_samples, &reading };
    assert_int_equal(metric_store_read(store, series, &all, &read), 0);
    assert_int_equal(reading.step, STEPS);
    assert_int_equal(read.unreadable, 0);
    return read.from;
}

static void check_all(bool is_read_only)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    const struct metric_store_options options = { .dir = dir,
                                                  .is_read_only = is_read_only };
    struct err err = { 0 };
    unsigned from = 0;
    if (metric_store_open(&options, &store, &err) < 0)
        fail_msg("%s", err.text);
    unsigned reader = metric_store_enter(store);
    for (int i = 0; i < HOSTS * METRICS; i++)
        from |= check_series(store, i);
    metric_store_leave(store, reader);
    assert_true(from & METRIC_FROM_ARCHIVE);
    assert_true(from & METRIC_FROM_MEMORY);
}

static void every_sample_is_read(void **state)
{
    (void)state;
    check_all(true);
}

static void every_sample_is_read_again_after_a_checkpoint(void **state)
{
    (void)state;
    check_all(false); /* its logs are replayed, and closing writes files anew */
    check_all(true);
}

static void the_directory_has_no_fault(void **state)
{
    AUTO(store_verified_done) struct store_verified verified = { 0 };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(store_verify(dir, &verified, &err), 0);
    for (size_t i = 0; i < verified.item_count; i++)
        if (!verified.items[i].is_note)
            fail_msg("%s: %s", verified.items[i].file, verified.items[i].what);
    assert_int_equal(verified.fault_count, 0);
    assert_int_equal(verified.checkpoint, 6);
    assert_int_equal(verified.series, HOSTS * METRICS);
    assert_true(verified.archived_blocks > 0 && verified.blocks > 0);
    assert_true(verified.log_samples > 0);
}

#define in_a_copy(test) cmocka_unit_test_setup_teardown(test, copy_written, remove_copy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_copy(every_sample_is_read),
        in_a_copy(every_sample_is_read_again_after_a_checkpoint),
        in_a_copy(the_directory_has_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
