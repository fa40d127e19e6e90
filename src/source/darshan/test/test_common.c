/* SPDX-License-Identifier: Apache-2.0 */
/* test_common - the commonest values of many records. */
#include "base/test/testing.h"
#include "source/darshan/common.h"

#define RECORDS_MAX 3

static void the_commonest_come_first(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t records[RECORDS_MAX][8];
        int64_t want[8];
    } cases[] = {
        { "nothing", { { 0 } }, { 0 } },
        { "one record", { { 5, 6, 0, 0, 2, 1 } }, { 5, 6, 0, 0, 2, 1 } },
        { "a record out of order",
          { { 5, 6, 7, 8, 1, 3, 2, 4 } },
          { 8, 6, 7, 5, 4, 3, 2, 1 } },
        { "of equal counts the larger value",
          { { 5, 7, -6, 9, 2, 2, 2, 2 } },
          { 9, 7, 5, -6, 2, 2, 2, 2 } },
        { "counts add up past others",
          { { 5, 6, 0, 0, 4, 3 }, { 6, 5, 0, 0, 2, 1 }, { 6, 0, 0, 0, 1 } },
          { 6, 5, 0, 0, 6, 5 } },
        { "a fifth value that becomes common",
          { { 1, 2, 3, 4, 9, 8, 7, 6 }, { 5, 0, 0, 0, 5 }, { 5, 0, 0, 0, 5 } },
          { 5, 1, 2, 3, 10, 9, 8, 7 } },
        { "a value behind an empty place",
          { { 0, 6, 0, 8, 9, 1, 9, 2 } },
          { 8, 6, 0, 0, 2, 1 } },
        { "counts that are no counts",
          { { 5, 6, 7, 8, -1, 0, INT64_MIN, 1 } },
          { 8, 0, 0, 0, 1 } },
        { "counts beyond the highest number",
          { { 5, 0, 0, 0, INT64_MAX }, { 5, 0, 0, 0, INT64_MAX } },
          { 5, 0, 0, 0, INT64_MAX } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct darshan_common c = { 0 };
        int64_t got[8];
        for (size_t k = 0; k < RECORDS_MAX; k++)
            assert_int_equal(darshan_common_add(&c, cases[i].records[k]), 0);
        darshan_common_top(&c, got);
        darshan_common_done(&c);
        if (memcmp(got, cases[i].want, sizeof got) != 0)
            fail_msg("%s: %lld %lld %lld %lld", cases[i].name, (long long)got[0],
                     (long long)got[1], (long long)got[2], (long long)got[3]);
    }
}

static void values_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    static const int64_t first[8] = { 5, 6, 7, 8, 4, 3, 2, 1 };
    static const int64_t second[8] = { 6, 9, 0, 0, 10, INT64_MAX };
    static const int64_t want[8] = { 6, 5, 0, 0, 13, 4 };
    struct darshan_common c = { .values_max = 2 };
    int64_t got[8];
    assert_int_equal(darshan_common_add(&c, first), 0);
    assert_int_equal(c.left_out, 3);
    assert_int_equal(darshan_common_add(&c, second), 0);
    darshan_common_top(&c, got);
    assert_memory_equal(got, want, sizeof got);
    assert_true(c.left_out == INT64_MAX);
    darshan_common_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_commonest_come_first),
        cmocka_unit_test(values_beyond_the_limit_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
