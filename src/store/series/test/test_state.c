/* SPDX-License-Identifier: Apache-2.0 */
/* test_state - a series captured and restored goes on as if nothing had happened;
 * states that cannot have been are refused. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "store/series/series.h"

#include <errno.h>

#define STEP (10 * NS_PER_S)
#define BEGIN (INT64_C(1700000003) * NS_PER_S)

static struct epoch epoch;
static struct memory memory;
static struct metric_series series, back;
static struct series_state captured;

static int begin(void **state)
{
    (void)state;
    epoch_init(&epoch);
    memory_init(&memory, &epoch);
    return 0;
}

static int end(void **state)
{
    (void)state;
    series_done(&series, &memory);
    series_done(&back, &memory);
    memory_done(&memory);
    return 0;
}

static struct series_counts put(struct metric_series *to, int64_t t_ns, double value)
{
    struct series_counts counts = { 0 };
    assert_int_equal(series_put(to, &memory, &counts, 0, t_ns, value), 0);
    return counts;
}

/* Into both, which must count the same. */
static void put_both(int64_t t_ns, double value)
{
    struct series_counts a = put(&series, t_ns, value);
    struct series_counts b = put(&back, t_ns, value);
    assert_memory_equal(&a, &b, sizeof a);
}

/* slots of a series, of which the first are in no block; some come late. */
static void fill(int64_t step_ns, int64_t slots)
{
    series_init(&series, step_ns);
    series_init(&back, step_ns);
    for (int64_t i = 0; i < slots; i++)
        (void)put(&series, BEGIN + i * STEP, (double)(i % 100) / 3);
    for (int64_t i = 0; slots > 300 && i < 5; i++)
        (void)put(&series, BEGIN + (i * 20 + 3) * STEP, -1);
}

struct samples_seen {
    size_t count;
    int64_t times[1000];
    double values[1000];
};

static int note(void *arg, const int64_t *times, const double *values, size_t count)
{
    struct samples_seen *seen = arg;
    assert_true(seen->count + count <= COUNT_OF(seen->times));
    memcpy(seen->times + seen->count, times, count * sizeof *times);
    memcpy(seen->values + seen->count, values, count * sizeof *values);
    seen->count += count;
    return 0;
}

static void check_same(void)
{
    static struct samples_seen a, b;
    a.count = b.count = 0;
    assert_int_equal(series_read(&series, 0, INT64_MAX / 2, note, &a), 0);
    assert_int_equal(series_read(&back, 0, INT64_MAX / 2, note, &b), 0);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.times, b.times, a.count * sizeof a.times[0]);
    assert_memory_equal(a.values, b.values, a.count * sizeof a.values[0]);
    assert_true(series_last_ns(&series) == series_last_ns(&back));
}

static void a_series_comes_back_and_goes_on(void **state)
{
    (void)state;
    static const int64_t steps[] = { STEP, 0, STEP_SOUGHT };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        fill(steps[i], 100); /* all in the head: blocks are of their files */
        assert_true(series_capture(&series, &captured));
        assert_int_equal(captured.block_count, 0);
        back.step_ns = series.step_ns;
        assert_int_equal(series_restore(&back, &memory, &captured), 0);
        check_same();
        put_both(BEGIN + 99 * STEP, 1); /* the newest again */
        for (int64_t n = 100; n < 400; n++)
            put_both(BEGIN + n * STEP + n % 3, (double)n);
        check_same();
        series_done(&series, &memory);
        series_done(&back, &memory);
    }
}

static void late_samples_come_back_in_order_of_arrival(void **state)
{
    (void)state;
    fill(STEP, 400);
    assert_true(series_capture(&series, &captured));
    assert_int_equal(captured.late_count, 5);
    for (int64_t i = 0; i < 5; i++)
        assert_true(captured.late_times[i] == BEGIN + (i * 20 + 3) * STEP);
    assert_int_equal(captured.block_count, 1);
}

static void an_empty_series_has_no_state(void **state)
{
    (void)state;
    series_init(&series, STEP);
    series_init(&back, STEP);
    assert_false(series_capture(&series, &captured));
}

static void states_that_cannot_have_been_are_refused(void **state)
{
    (void)state;
    static struct series_state bad;
    fill(0, 50);
    assert_true(series_capture(&series, &captured));
    for (int i = 0; i < 8; i++) {
        bad = captured;
        switch (i) {
        case 0:
            bad.start_ns = -1;
            break;
        case 1:
            bad.last_ns = INT64_MAX;
            break;
        case 2:
            bad.head.count = CODEC_VALUES_MAX + 1;
            break;
        case 3:
            bad.late_count = SERIES_LATE_MAX + 1;
            break;
        case 4:
            bad.late_count = 1;
            bad.late_times[0] = -1;
            break;
        case 5:
            bad.head.times[7] = bad.head.times[6];
            break;
        case 6:
            bad.head.times[7] = -1;
            break;
        default:
            bad.start_ns = INT64_MIN;
        }
        if (series_restore(&back, &memory, &bad) != -EBADMSG)
            fail_msg("bad state %d is restored", i);
        assert_false(series_has_view(&back));
    }
    assert_int_equal(series_restore(&back, &memory, &captured), 0);
    /* Over another one. */
    assert_int_equal(series_restore(&back, &memory, &captured), -EBADMSG);
}

#define in_memory(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_memory(a_series_comes_back_and_goes_on),
        in_memory(late_samples_come_back_in_order_of_arrival),
        in_memory(an_empty_series_has_no_state),
        in_memory(states_that_cannot_have_been_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
