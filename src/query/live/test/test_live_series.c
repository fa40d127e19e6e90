/* SPDX-License-Identifier: Apache-2.0 */
/* test_live_series - one series in memory: what is pushed comes out, packed or not. */
#include "base/span.h"
#include "base/test/testing.h"
#include "query/live/live_series.h"

#include <stdlib.h>

static const struct live_wanted all = { UINT32_MAX, UINT32_MAX };

static struct increment increment_of(int64_t since_ms, int64_t t_ms, uint64_t value)
{
    struct increment inc = { .since_ms = since_ms, .t_ms = t_ms };
    inc.has_samples = inc.has_sum = UINT64_C(1) << OP_WRITE_BYTES | UINT64_C(1)
                                                                        << OP_OPEN;
    inc.sum[OP_WRITE_BYTES] = value;
    inc.samples[OP_OPEN] = value / 2;
    return inc;
}

static void series_begin(struct live_series *s)
{
    const struct series series = { .sid = 7,
                                   .target = SPAN("scratch-OST0001"),
                                   .job = SPAN("4711") };
    assert_int_equal(live_series_init(s, &series), 0);
}

static void what_is_pushed_comes_out(void **state)
{
    static const uint64_t values[] = { 2, 127, 128, 300, UINT32_MAX, UINT64_MAX };
    struct live_series s;
    struct increment got;
    uint32_t server = 0;
    (void)state;
    series_begin(&s);
    assert_true(span_is(s.series.job, "4711"));
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        struct increment inc =
            increment_of((int64_t)i * 1000, (int64_t)(i + 1) * 1000, values[i]);
        inc.flags = i == 3 ? INCREMENT_DECREASED : 0;
        assert_int_equal(live_series_push(&s, &inc, (uint32_t)i), 0);
    }
    struct live_cursor at = { .at = s.head };
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        assert_true(live_series_next(&s, &all, &at, &got, &server));
        assert_true(got.since_ms == (int64_t)i * 1000 &&
                    got.t_ms == (int64_t)(i + 1) * 1000);
        assert_true(got.sum[OP_WRITE_BYTES] == values[i]);
        assert_true(got.samples[OP_OPEN] == values[i] / 2);
        assert_int_equal(got.flags, i == 3 ? INCREMENT_DECREASED : 0);
        assert_int_equal(server, i);
    }
    assert_false(live_series_next(&s, &all, &at, &got, &server));
    live_series_done(&s);
}

static void old_increments_are_passed_over_and_pruned(void **state)
{
    struct live_series s;
    struct increment got;
    uint32_t server = 0;
    (void)state;
    series_begin(&s);
    for (int64_t i = 0; i < 1000; i++) {
        struct increment inc = increment_of(i * 1000, (i + 1) * 1000, (uint64_t)i + 1);
        assert_int_equal(live_series_push(&s, &inc, 0), 0);
    }
    struct live_cursor at = { .at = live_series_after(&s, 500000) };
    assert_true(live_series_next(&s, &all, &at, &got, &server));
    assert_int_equal(got.t_ms, 501000); /* what ends at 500 s is over */
    assert_int_equal(live_series_after(&s, INT64_MIN), s.head);
    assert_int_equal(live_series_after(&s, 1000000), s.size);
    size_t before = live_series_bytes(&s);
    live_series_prune(&s, 999000);
    at = (struct live_cursor){ .at = s.head };
    assert_int_equal(live_series_after(&s, INT64_MIN), at.at);
    assert_true(live_series_next(&s, &all, &at, &got, &server));
    assert_int_equal(got.t_ms, 1000000);
    assert_false(live_series_next(&s, &all, &at, &got, &server));
    assert_true(live_series_bytes(&s) <= before);
    live_series_done(&s);
}

static void the_first_that_counts_is_found_from_either_end(void **state)
{
    struct live_series s;
    (void)state;
    series_begin(&s);
    size_t ends[101] = { 0 };
    for (int64_t i = 0; i < 100; i++) {
        struct increment inc = increment_of(i * 1000, (i + 1) * 1000, (uint64_t)i + 1);
        const struct jobrow row = { .t_ms = inc.t_ms };
        assert_int_equal(live_series_push(&s, &inc, 0), 0);
        assert_int_equal(live_series_set_last(&s, &row, 0), 0);
        ends[i + 1] = s.size;
    }
    for (int64_t t_ms = -1000; t_ms <= 101000; t_ms += 500) {
        int64_t over = t_ms < 0 ? 0 : t_ms > 100000 ? 100 : t_ms / 1000;
        assert_int_equal(live_series_after(&s, t_ms), ends[over]);
    }
    live_series_done(&s);
}

/* Heads of any length, alike and not, and numbers of any length behind others. */
static void what_is_drawn_comes_out(void **state)
{
    enum { COUNT = 3000 };
    struct live_series s;
    struct increment got, *drawn = calloc(COUNT, sizeof *drawn);
    uint32_t server = 0, seed = 1;
    (void)state;
    assert_non_null(drawn);
    series_begin(&s);
    for (int64_t i = 0; i < COUNT; i++) {
        struct increment *inc = &drawn[i];
        *inc = increment_of(i * 1000, (i + 1) * 1000, 0);
        for (int op = 0; op < OP_COUNT; op++) {
            seed = seed * 1103515245 + 12345;
            inc->has_samples |= (uint64_t)((seed >> 8 & 7) == 0) << op;
            inc->has_sum |= (uint64_t)((seed >> 12 & 7) == 0) << op;
            inc->samples[op] = UINT64_MAX >> (seed >> 16 & 63);
            inc->sum[op] = (UINT64_MAX >> (seed >> 22 & 63)) ^ (seed >> 20 & 1);
        }
        if (seed >> 9 & 1 && i > 0) { /* as the one before */
            inc->has_samples = drawn[i - 1].has_samples;
            inc->has_sum = drawn[i - 1].has_sum;
        }
        inc->flags = (seed >> 10 & 15) == 0 ? INCREMENT_MISSING : 0;
        inc->missing_sum = seed;
        assert_int_equal(live_series_push(&s, inc, seed >> 13 & 3 ? 1 : seed >> 3), 0);
    }
    for (int op = 0; op < OP_COUNT; op++) {
        struct live_cursor at = { .at = s.head };
        const struct live_wanted one = { UINT32_C(1) << op, op % 3 ? 0 : 1U << op };
        while (live_series_next(&s, &one, &at, &got, &server)) {
            const struct increment *want = &drawn[got.since_ms / 1000];
            bool has_samples = want->has_samples >> op & 1 && want->samples[op];
            bool has_sum = op % 3 == 0 && want->has_sum >> op & 1 && want->sum[op];
            assert_int_equal(got.has_samples >> op & 1, has_samples);
            assert_int_equal(got.has_sum >> op & 1, has_sum);
            assert_true(!has_samples || got.samples[op] == want->samples[op]);
            assert_true(!has_sum || got.sum[op] == want->sum[op]);
            assert_int_equal(got.flags, want->flags);
            assert_true(!got.flags || got.missing_sum == want->missing_sum);
        }
    }
    free(drawn);
    live_series_done(&s);
}

static void only_what_is_wanted_is_unpacked(void **state)
{
    static const struct live_wanted sum = { 0, 1U << OP_WRITE_BYTES },
                                    samples = { 1U << OP_OPEN, 0 }, nothing = { 0, 0 };
    struct live_series s;
    struct increment got = { 0 };
    struct increment inc = increment_of(0, 1000, 300);
    uint32_t server = 0;
    (void)state;
    series_begin(&s);
    inc.has_samples |= UINT64_C(1) << OP_CLOSE | UINT64_C(1) << OP_WRITE_BYTES;
    inc.samples[OP_CLOSE] = UINT64_MAX;
    inc.samples[OP_WRITE_BYTES] = 1;
    for (int i = 0; i < 2; i++)
        assert_int_equal(live_series_push(&s, &inc, 7), 0);
    struct live_cursor at = { .at = s.head };
    assert_true(live_series_next(&s, &sum, &at, &got, &server));
    assert_true(got.sum[OP_WRITE_BYTES] == 300 && got.has_sum == sum.sums);
    assert_int_equal(got.has_samples, 0);
    assert_true(live_series_next(&s, &samples, &at, &got, &server));
    assert_true(got.samples[OP_OPEN] == 150 && got.has_samples == samples.samples);
    assert_int_equal(got.has_sum, 0);
    assert_int_equal(server, 7);
    at = (struct live_cursor){ .at = s.head };
    assert_true(live_series_next(&s, &nothing, &at, &got, &server));
    assert_true(!got.has_sum && !got.has_samples && got.t_ms == 1000);
    live_series_done(&s);
}

static void an_increment_of_nothing_takes_no_place(void **state)
{
    struct live_series s;
    struct increment got;
    uint32_t server = 0;
    struct increment nothing = increment_of(0, 1000, 0);
    (void)state;
    series_begin(&s);
    assert_int_equal(live_series_push(&s, &nothing, 0), 0);
    struct live_cursor at = { .at = s.head };
    assert_false(live_series_next(&s, &all, &at, &got, &server));
    live_series_done(&s);
}

static void the_last_row_is_what_was_set(void **state)
{
    struct live_series s;
    struct jobrow row = { .t_ms = 5000, .snapshot_ns = 7, .start_ns = 3 }, got = { 0 };
    (void)state;
    row.has_sum = UINT64_C(1) << OP_WRITE_BYTES;
    row.has_samples = UINT64_C(1) << OP_OPEN | UINT64_C(1) << OP_CLOSE;
    row.sum[OP_WRITE_BYTES] = UINT64_MAX;
    row.samples[OP_OPEN] = 1;
    row.samples[OP_CLOSE] = 9;
    series_begin(&s);
    assert_int_equal(live_series_set_last(&s, &row, 4), 0);
    live_series_last(&s, &got);
    assert_true(got.t_ms == 5000 && got.snapshot_ns == 7 && got.start_ns == 3);
    assert_true(got.has_sum == row.has_sum && got.has_samples == row.has_samples);
    assert_true(got.sum[OP_WRITE_BYTES] == UINT64_MAX);
    assert_true(got.samples[OP_OPEN] == 1 && got.samples[OP_CLOSE] == 9);
    assert_int_equal(s.last->server, 4);
    live_series_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_pushed_comes_out),
        cmocka_unit_test(old_increments_are_passed_over_and_pruned),
        cmocka_unit_test(the_first_that_counts_is_found_from_either_end),
        cmocka_unit_test(what_is_drawn_comes_out),
        cmocka_unit_test(only_what_is_wanted_is_unpacked),
        cmocka_unit_test(an_increment_of_nothing_takes_no_place),
        cmocka_unit_test(the_last_row_is_what_was_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
