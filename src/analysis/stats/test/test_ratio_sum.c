/* SPDX-License-Identifier: Apache-2.0 */
/* test_ratio_sum - the sign of a sum of ratios, exactly, where doubles fail. */
#include "analysis/stats/ratio_sum.h"
#include "base/cleanup.h"
#include "base/test/testing.h"

#define P53 ((UINT64_C(1) << 53) - 1) /* the largest denominator */

static void the_sign_is_exact(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct ratio ratios[3];
        int sign;
    } cases[] = {
        { "nothing", { { 0, 1, 0 }, { 0, 1, 0 }, { 0, 1, 0 } }, 0 },
        { "one", { { 1, 3, 0 }, { 0, 1, 0 }, { 0, 1, 0 } }, 1 },
        { "less than none", { { -1, 3, 0 }, { 0, 1, 0 }, { 0, 1, 0 } }, -1 },
        /* 1/3 + 1/6 - 1/2 = 0, in doubles -5.6e-17 or so */
        { "thirds", { { 1, 3, 0 }, { 1, 6, 0 }, { -1, 2, 0 } }, 0 },
        { "a shift", { { 1, 3, 1 }, { -2, 3, 0 }, { 0, 1, 0 } }, 0 },
        { "a far shift", { { 1, 3, 64 }, { -1, 3, 63 }, { -1, 3, 63 } }, 0 },
        /* 1/(n-1) against 1/n: differ by 1.2e-32 */
        { "close denominators", { { 1, P53 - 1, 0 }, { -1, P53, 0 }, { 0, 1, 0 } }, 1 },
        { "the other way", { { -1, P53 - 1, 0 }, { 1, P53, 0 }, { 0, 1, 0 } }, -1 },
        /* (2^90 + 1)/7 - 2^90/7 = 1/7 */
        { "large numerators",
          { { ((__int128)1 << 90) + 1, 7, 0 },
            { -((__int128)1 << 90), 7, 0 },
            { 0, 1, 0 } },
          1 },
        { "and one less",
          { { ((__int128)1 << 90) - 1, 7, 0 },
            { -((__int128)1 << 90), 7, 0 },
            { 0, 1, 0 } },
          -1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int sign = ratio_sum_sign(cases[i].ratios, COUNT_OF(cases[i].ratios));
        if (sign != cases[i].sign)
            fail_msg("%s: %d", cases[i].name, sign);
    }
    assert_int_equal(ratio_sum_sign(NULL, 0), 0);
}

/* n/n! style: sum of 1/k minus the same sum in the other order is 0, for many terms. */
static void many_terms_that_cancel_are_none(void **state)
{
    (void)state;
    enum { TERMS = RATIO_SUM_EXACT_MAX / 2 };
    struct ratio ratios[2 * TERMS];
    for (int i = 0; i < TERMS; i++) {
        ratios[i] = (struct ratio){ 1, (uint64_t)i + 2, 0 };
        ratios[2 * TERMS - 1 - i] = (struct ratio){ -1, (uint64_t)i + 2, 0 };
    }
    assert_int_equal(ratio_sum_sign(ratios, 2 * TERMS), 0);
    ratios[0].over = 2;
    assert_int_equal(ratio_sum_sign(ratios, 2 * TERMS), 1);
    ratios[0].over = 0;
    assert_int_equal(ratio_sum_sign(ratios, 2 * TERMS), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sign_is_exact),
        cmocka_unit_test(many_terms_that_cancel_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
