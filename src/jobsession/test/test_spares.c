/* SPDX-License-Identifier: Apache-2.0 */
/* test_spares - which ranks work, and which wait to replace one of them. */
#include "jobsession/spares.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct spares *make(uint32_t ranks, uint32_t count)
{
    struct spares *s = NULL;
    assert_int_equal(spares_new(ranks, count, &s), 0);
    for (uint32_t r = 0; r <= ranks; r++)
        spares_joined(s, r);
    return s;
}

static void check(struct spares *s, uint32_t lost, uint32_t successor,
                  const char *reason)
{
    struct replacement r;
    assert_true(spares_replace(s, &r));
    assert_int_equal(r.lost, lost);
    assert_int_equal(r.successor, successor);
    assert_string_equal(r.reason, reason);
}

static void check_idle(const struct spares *s, const char *want)
{
    AUTO(rank_set_done) struct rank_set idle = { 0 };
    char text[32] = "";
    size_t size = 0;
    assert_int_equal(spares_idle(s, &idle), 0);
    for (uint32_t r = 0; r < 10; r++)
        if (rank_set_has(&idle, r))
            text[size++] = (char)('0' + r);
    assert_string_equal(text, want);
}

static void nothing_is_replaced_while_all_work(void **state)
{
    (void)state;
    AUTO(spares_free) struct spares *s = make(4, 2);
    struct replacement r;
    spares_begin(s);
    assert_false(spares_replace(s, &r));
    spares_lost(s, 3); /* a spare */
    assert_false(spares_replace(s, &r));
    check_idle(s, "34");
}

static void a_spare_replaces_a_lost_rank_which_is_one_afterwards(void **state)
{
    (void)state;
    AUTO(spares_free) struct spares *s = make(4, 1);
    struct replacement r;
    spares_lost(s, 2);
    check(s, 2, 4, "lost");
    check_idle(s, "2");
    assert_false(spares_replace(s, &r));
    spares_joined(s, 2);
    assert_false(spares_replace(s, &r));
    spares_lost(s, 4);
    check(s, 4, 2, "lost");
    check_idle(s, "4");
    struct spares_counts counts;
    spares_count(s, &counts);
    assert_int_equal(counts.replaced, 2);
    assert_int_equal(counts.waiting, 0);
}

static void that_none_is_left_comes_once(void **state)
{
    (void)state;
    AUTO(spares_free) struct spares *s = make(4, 1);
    struct replacement r;
    spares_begin(s);
    spares_lost(s, 1);
    check(s, 1, 4, "lost");
    spares_lost(s, 2);
    check(s, 2, 0, "lost");
    spares_lost(s, 3);
    assert_false(spares_replace(s, &r));
    spares_joined(s, 2); /* was not replaced: it works on */
    check_idle(s, "1");
    spares_joined(s, 1);
    check(s, 3, 1, "lost");
    assert_false(spares_replace(s, &r));
    spares_lost(s, 2);
    check(s, 2, 0, "lost"); /* once more: there was one meanwhile */
}

static void one_that_is_condemned_is_replaced_and_replaces_none(void **state)
{
    (void)state;
    AUTO(spares_free) struct spares *s = make(4, 2);
    struct replacement r;
    spares_begin(s);
    assert_int_equal(spares_condemn(s, 3, "down: fan"), 0);
    assert_int_equal(spares_condemn(s, 99, "down"), 0);
    assert_int_equal(spares_condemn(s, 1, "down: dimm"), 0);
    check(s, 1, 4, "down: dimm");
    check_idle(s, "13");
    spares_lost(s, 2);
    check(s, 2, 0, "lost");
    assert_int_equal(spares_condemn(s, 1, NULL), 0);
    check(s, 2, 1, "lost");
    assert_false(spares_replace(s, &r));
}

static void one_that_did_not_join_is_replaced_when_its_time_is_over(void **state)
{
    (void)state;
    AUTO(spares_free) struct spares *s = NULL;
    struct replacement r;
    assert_int_equal(spares_new(3, 1, &s), 0);
    spares_joined(s, 1);
    spares_joined(s, 3);
    assert_false(spares_replace(s, &r));
    spares_begin(s);
    check(s, 2, 3, "did not join");
}

static void that_none_is_left_is_not_known_while_some_may_join(void **state)
{
    (void)state;
    AUTO(spares_free) struct spares *s = NULL;
    struct replacement r;
    assert_int_equal(spares_new(2, 1, &s), 0);
    spares_joined(s, 1);
    assert_int_equal(spares_condemn(s, 1, "down: fan"), 0);
    assert_false(spares_replace(s, &r));
    assert_false(spares_are_due(s));
    spares_joined(s, 2);
    assert_true(spares_are_due(s));
    check(s, 1, 2, "down: fan");
    assert_false(spares_are_due(s));
    spares_lost(s, 2);
    assert_false(spares_replace(s, &r));
    spares_begin(s);
    check(s, 2, 0, "lost");
}

static void what_is_lost_has_a_spare_before_what_is_condemned(void **state)
{
    (void)state;
    AUTO(spares_free) struct spares *s = make(5, 2);
    spares_begin(s);
    assert_int_equal(spares_condemn(s, 1, "down: fan"), 0);
    spares_lost(s, 3);
    check(s, 3, 4, "lost");
    check(s, 1, 5, "down: fan");
}

static void one_at_least_works(void **state)
{
    (void)state;
    struct spares *s = NULL;
    assert_int_equal(spares_new(2, 2, &s), -EINVAL);
    assert_int_equal(spares_new(2, UINT32_MAX, &s), -EINVAL);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_replaced_while_all_work),
        cmocka_unit_test(a_spare_replaces_a_lost_rank_which_is_one_afterwards),
        cmocka_unit_test(that_none_is_left_comes_once),
        cmocka_unit_test(one_that_is_condemned_is_replaced_and_replaces_none),
        cmocka_unit_test(one_that_did_not_join_is_replaced_when_its_time_is_over),
        cmocka_unit_test(that_none_is_left_is_not_known_while_some_may_join),
        cmocka_unit_test(what_is_lost_has_a_spare_before_what_is_condemned),
        cmocka_unit_test(one_at_least_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
