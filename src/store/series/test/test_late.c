/* SPDX-License-Identifier: Apache-2.0 */
/* test_late - where late samples belong: in a block, in the gap between two, on which
 * grid. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "store/series/late.h"
#include "store/series/series.h"

#define STEP (10 * NS_PER_S)
#define BEGIN (INT64_C(1700000000) * NS_PER_S)
#define BLOCK CODEC_VALUES_MAX

static struct epoch epoch;
static struct memory memory;
static struct metric_series series;

static void put(int64_t t_ns, double value)
{
    struct series_counts counts = { 0 };
    assert_int_equal(series_put(&series, &memory, &counts, 0, t_ns, value), 0);
}

/* A block of slots 0 .. 255, a gap, one of slots 1000 .. 1255, and a head from 1256 on.
 */
static int begin(void **state)
{
    (void)state;
    epoch_init(&epoch);
    memory_init(&memory, &epoch);
    series_init(&series, STEP);
    for (int64_t i = 0; i < BLOCK; i++)
        put(BEGIN + i * STEP, 1);
    for (int64_t i = 1000; i < 1000 + BLOCK + 10; i++)
        put(BEGIN + i * STEP, 2);
    return 0;
}

static int end(void **state)
{
    (void)state;
    series_done(&series, &memory);
    memory_done(&memory);
    return 0;
}

static const struct series_view *view(void)
{
    return atomic_load(&series.view);
}

static void each_time_has_its_position(void **state)
{
    (void)state;
    static const struct {
        int64_t t_ns; /* from BEGIN */
        size_t position;
    } cases[] = {
        { -100 * STEP, 0 },
        { -6 * NS_PER_S, 0 },
        { -4 * NS_PER_S, 1 }, /* nearest to slot 0 */
        { 0, 1 },
        { 255 * STEP, 1 },
        { 255 * STEP + 4 * NS_PER_S, 1 },
        { 256 * STEP, 2 },
        { 999 * STEP, 2 },
        { 1000 * STEP - 4 * NS_PER_S, 3 },
        { 1255 * STEP, 3 },
        { 1256 * STEP, 5 },
        { 2000 * STEP, 5 },
    };
    assert_int_equal(view()->block_count, 2);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t position = late_position(view(), BEGIN + cases[i].t_ns);
        if (position != cases[i].position)
            fail_msg("case %zu: %zu, not %zu", i, position, cases[i].position);
    }
}

static void they_are_sorted_and_the_last_arrival_of_a_slot_is_left(void **state)
{
    (void)state;
    struct late_samples late;
    put(BEGIN + 1100 * STEP, 10);
    put(BEGIN + 500 * STEP + 2 * NS_PER_S, 11); /* in the gap: on its grid */
    put(BEGIN + 3 * STEP, 12);
    put(BEGIN + 3 * STEP + NS_PER_S, 13); /* the same slot */
    late_samples_of(view(), &late);
    assert_int_equal(late.count, 3);
    static const size_t positions[] = { 1, 2, 3 };
    static const int64_t slots[] = { 3, 500, 1100 };
    static const double values[] = { 13, 11, 10 };
    for (size_t i = 0; i < late.count; i++) {
        assert_int_equal(late.items[i].position, positions[i]);
        assert_true(late.items[i].t_ns == BEGIN + slots[i] * STEP);
        assert_true(bits_double(late.items[i].bits) == values[i]);
    }
    assert_true(late_samples_has(&late, 2));
    assert_false(late_samples_has(&late, 0));
    assert_false(late_samples_has(&late, 5));
}

static void merging_replaces_and_inserts_in_order_of_time(void **state)
{
    (void)state;
    struct late_samples late = {
        .count = 4,
        .items = { { 1, 5, double_bits(50) },
                   { 1, 20, double_bits(200) },
                   { 1, 40, double_bits(400) },
                   { 2, 30, double_bits(999) } },
    };
    struct samples samples = { .count = 2, .times = { 10, 20 }, .values = { 1, 2 } };
    static const int64_t times[] = { 5, 10, 20, 40 };
    static const double values[] = { 50, 1, 200, 400 };
    late_samples_merge(&late, 1, &samples);
    assert_int_equal(samples.count, COUNT_OF(times));
    assert_memory_equal(samples.times, times, sizeof times);
    assert_memory_equal(samples.values, values, sizeof values);
}

static void without_late_samples_there_are_none(void **state)
{
    (void)state;
    struct late_samples late = { .count = 7 };
    late_samples_of(view(), &late);
    assert_int_equal(late.count, 0);
}

#define in_memory(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_memory(each_time_has_its_position),
        in_memory(they_are_sorted_and_the_last_arrival_of_a_slot_is_left),
        in_memory(merging_replaces_and_inserts_in_order_of_time),
        in_memory(without_late_samples_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
