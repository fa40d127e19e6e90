/* SPDX-License-Identifier: Apache-2.0 */
/* test_counter - when a life is new, and how an increment is shared out. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "model/model.h"

static struct jobrow row_of(enum op op, uint64_t samples, uint64_t sum)
{
    struct jobrow row = { 0 };
    row.has_samples = row.has_sum = UINT64_C(1) << op;
    row.samples[op] = samples;
    row.sum[op] = sum;
    return row;
}

static void only_samples_and_sums_of_bytes_show_a_new_life(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum op op;
        uint64_t before[2], next[2];
        bool want;
    } cases[] = {
        { "nothing moved", OP_OPEN, { 5, 0 }, { 5, 0 }, false },
        { "samples grew", OP_OPEN, { 5, 0 }, { 6, 0 }, false },
        { "samples fell", OP_OPEN, { 5, 0 }, { 4, 0 }, true },
        { "bytes fell", OP_WRITE_BYTES, { 5, 900 }, { 6, 899 }, true },
        { "usecs fell, which per-CPU sums may", OP_WRITE, { 5, 900 }, { 6, 1 }, false },
        { "64 bits", OP_OPEN, { UINT64_MAX, 0 }, { 0, 0 }, true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jobrow a = row_of(cases[i].op, cases[i].before[0], cases[i].before[1]);
        struct jobrow b = row_of(cases[i].op, cases[i].next[0], cases[i].next[1]);
        if (counter_decreased(&a, &b) != cases[i].want)
            fail_msg("%s", cases[i].name);
    }
}

static void an_operation_missing_from_one_reading_shows_nothing(void **state)
{
    (void)state;
    struct jobrow a = row_of(OP_OPEN, 5, 0);
    struct jobrow b = row_of(OP_CLOSE, 1, 0);
    assert_false(counter_decreased(&a, &b));
    b = row_of(OP_OPEN, 0, 0);
    b.has_samples = 0;
    assert_false(counter_decreased(&a, &b));
}

static void parts_of_adjoining_windows_add_up(void **state)
{
    (void)state;
    static const struct {
        uint64_t amount;
        int64_t since_ms, t_ms;
    } cases[] = {
        { 1, 0, 120000 },
        { 7, 3, 10 },
        { UINT64_MAX, 1000, 1000 + 86400000 },
        { 1000000007, -50, 49 },
        { 42, T_NONE, 500 },
        { 42, 600, 500 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t begin = -100, end = INT64_C(100000000);
        for (int64_t step = 1; step < end; step = step * 3 + 1) {
            uint64_t total = 0;
            int windows = 0;
            for (int64_t at = begin; at < end && windows < 1000; at += step) {
                int64_t to = ++windows == 1000 ? end : at + step;
                total += counter_part(cases[i].amount, cases[i].since_ms, cases[i].t_ms,
                                      at, to);
            }
            if (total != cases[i].amount)
                fail_msg("case %zu, step %lld: %llu", i, (long long)step,
                         (unsigned long long)total);
        }
    }
}

static void without_a_beginning_all_of_it_lies_at_its_end(void **state)
{
    (void)state;
    assert_int_equal(counter_part(9, T_NONE, 100, 99, 100), 9);
    assert_int_equal(counter_part(9, T_NONE, 100, 100, 200), 0);
    assert_int_equal(counter_part(9, 100, 100, 0, 100), 9);
    assert_int_equal(counter_part(9, 0, 100, 50, 50), 0);
    assert_int_equal(counter_part(10, 0, 100, 0, 50), 5);
    assert_int_equal(counter_part(10, 0, 100, -50, 5), 0);
    assert_int_equal(counter_part(10, 0, 100, 95, 500), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_samples_and_sums_of_bytes_show_a_new_life),
        cmocka_unit_test(an_operation_missing_from_one_reading_shows_nothing),
        cmocka_unit_test(parts_of_adjoining_windows_add_up),
        cmocka_unit_test(without_a_beginning_all_of_it_lies_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
