/* SPDX-License-Identifier: Apache-2.0 */
/* test_fabric - what others on a fabric moved: without series.
 */
#include "analysis/weather/fabric.h"
#include "base/test/testing.h"

#include <math.h>

struct taken {
    size_t calls;
    int rc;
};

static int nothing_taken(void *arg, int64_t from_s, int64_t to_s,
                         struct lmt_series ***ret, size_t *ret_count, struct err *err)
{
    struct taken *taken = arg;
    (void)from_s;
    (void)to_s;
    taken->calls++;
    *ret = NULL;
    *ret_count = 0;
    return taken->rc < 0 ? err_set(err, -taken->rc, "no") : 0;
}

static void what_nobody_measured_is_not_known(void **state)
{
    (void)state;
    struct taken taken = { 0 };
    struct fabric_member member = { "fs0",
                                    { nothing_taken, &taken, 0, INT64_MAX, NULL } };
    struct fabric f;
    assert_int_equal(fabric_read(&member, 1, "san", 1000, 1060, &f, NULL), 0);
    assert_false(f.is_known);
    assert_string_equal(f.fabrics, "san");
    assert_null(f.names);
    assert_true(isnan(f.read) && isnan(f.times) && isnan(f.usual));
    assert_int_equal(taken.calls, 1); /* other days are not asked then */
    fabric_done(&f);
    assert_int_equal(fabric_read(NULL, 0, "san", 1000, 1060, &f, NULL), 0);
    assert_false(f.is_known);
    fabric_done(&f);
}

static void failures_leave_the_answer_alone(void **state)
{
    (void)state;
    struct taken taken = { .rc = -EIO };
    struct fabric_member member = { "fs0", { nothing_taken, &taken, 0, 1, NULL } };
    struct fabric f = { .count = 77 };
    assert_int_equal(fabric_read(&member, 1, "san", 0, 60, &f, NULL), -EIO);
    assert_int_equal(fabric_read(&member, 1, "san", 60, 60, &f, NULL), -EINVAL);
    assert_int_equal(f.count, 77);
}

static void a_chance_wants_days(void **state)
{
    (void)state;
    static const struct {
        size_t as_much, days;
        double want;
    } cases[] = {
        { 0, 0, NAN }, { 0, 4, NAN }, { 0, 9, 0.1 }, { 1, 9, 0.2 }, { 28, 28, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double got = fabric_chance(cases[i].as_much, cases[i].days);
        if (!(isnan(cases[i].want) ? isnan(got) : got == cases[i].want))
            fail_msg("%zu of %zu: %g", cases[i].as_much, cases[i].days, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_measured_is_not_known),
        cmocka_unit_test(failures_leave_the_answer_alone),
        cmocka_unit_test(a_chance_wants_days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
