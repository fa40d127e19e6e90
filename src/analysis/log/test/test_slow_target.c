/* SPDX-License-Identifier: Apache-2.0 */
/* test_slow_target - which target was slow, and how likely that is by chance. */
#include "analysis/log/slow_target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FILES_MAX = 1 << 15 };

static struct target_file files[FILES_MAX];

static double draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1;
    return (double)(*random >> 33) / 2147483648.0;
}

/* Files on targets in turn; those on target 2 take slow times as long. */
static struct slow_target found_of(size_t targets, size_t each, double slow,
                                   uint64_t seed)
{
    struct slow_target found;
    for (size_t i = 0; i < targets * each; i++) {
        bool is_slow = i % targets == 2;
        files[i] = (struct target_file){ 1e8, (1 + draw(&seed)) * (is_slow ? slow : 1),
                                         (uint32_t)i, (int32_t)(i % targets) };
    }
    assert_int_equal(slow_target_find(files, targets * each, &found), 0);
    return found;
}

static void a_slow_target_is_found_with_its_chance(void **state)
{
    (void)state;
    struct slow_target found = found_of(8, 16, 10, 1);
    assert_int_equal(found.ost, 2);
    assert_int_equal(found.targets, 8);
    assert_int_equal(found.files, 128);
    assert_true(found.ratio > 8 && found.ratio < 12);
    assert_true(found.p == 1.0 / (SLOW_TARGET_DEALS + 1));
    assert_true(found.usual_q05 < found.usual_q50 && found.usual_q50 < found.usual_q95);
}

static void few_files_cannot_have_a_small_chance(void **state)
{
    (void)state;
    /* Both slow files fall together on one of 8 targets in 1 of 15 deals; in some of
     * these the median target is quicker or slower. */
    struct slow_target found = found_of(8, 2, 10, 1);
    assert_int_equal(found.ost, 2);
    assert_true(found.p > 0.01 && found.p < 0.1);
}

static void with_no_slow_target_chances_are_even(void **state)
{
    (void)state;
    size_t rare = 0;
    for (uint64_t seed = 1; seed <= 200; seed++)
        rare += found_of(8, 8, 1, seed * 7919).p <= 0.1;
    if (rare < 8 || rare > 36) /* 20 of 200, and 3.7 times its error */
        fail_msg("%zu of 200", rare);
}

static void the_same_files_have_the_same_chance_in_any_order(void **state)
{
    (void)state;
    struct slow_target one = found_of(8, 4, 2, 5);
    struct slow_target other;
    for (size_t i = 0; i < 16; i++) {
        struct target_file file = files[i];
        files[i] = files[31 - i];
        files[31 - i] = file;
    }
    assert_int_equal(slow_target_find(files, 32, &other), 0);
    assert_true(one.p == other.p && one.ratio == other.ratio);
}

static void small_files_are_dealt_among_small_ones(void **state)
{
    (void)state;
    struct slow_target found;
    /* Target 0 holds all the small files, which take longer by the byte: no deal gives
     * them to another target, so that it is no rare thing. */
    for (size_t i = 0; i < 64; i++) {
        bool is_small = i % 8 == 0;
        files[i] = (struct target_file){ is_small ? 1e3 : 1e8, is_small ? 0.01 : 1,
                                         (uint32_t)i, (int32_t)(i % 8) };
    }
    assert_int_equal(slow_target_find(files, 64, &found), 0);
    assert_int_equal(found.ost, 0);
    assert_true(found.ratio > 100);
    assert_true(found.p == 1);
}

static void few_targets_say_nothing(void **state)
{
    (void)state;
    struct slow_target found = found_of(2, 8, 1, 1);
    assert_int_equal(found.ost, -1);
    assert_true(isnan(found.ratio) && isnan(found.p));
    found = found_of(8, 1, 1, 1); /* a file alone may be slow for its process */
    assert_int_equal(found.ost, -1);
    assert_int_equal(slow_target_find(files, 0, &found), 0);
    assert_int_equal(found.ost, -1);
}

static void of_many_files_some_are_drawn(void **state)
{
    (void)state;
    struct slow_target found = found_of(16, FILES_MAX / 16, 1, 3);
    assert_int_equal(found.files, FILES_MAX);
    assert_true(found.p > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_target_is_found_with_its_chance),
        cmocka_unit_test(few_files_cannot_have_a_small_chance),
        cmocka_unit_test(with_no_slow_target_chances_are_even),
        cmocka_unit_test(the_same_files_have_the_same_chance_in_any_order),
        cmocka_unit_test(small_files_are_dealt_among_small_ones),
        cmocka_unit_test(few_targets_say_nothing),
        cmocka_unit_test(of_many_files_some_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
