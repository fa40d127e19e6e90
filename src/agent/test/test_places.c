/* SPDX-License-Identifier: Apache-2.0 */
/* test_places - how many reads run at a time, and how many may hang. */
#include "agent/places.h"
#include "base/test/testing.h"

static void eight_run_at_a_time(void **state)
{
    (void)state;
    struct places places = { 0 };
    for (int i = 0; i < PLACES_RUNNING_MAX; i++) {
        assert_true(places_has(&places, false));
        places_take(&places, false);
    }
    assert_false(places_has(&places, false));
    places_leave(&places, false, false);
    assert_true(places_has(&places, false));
}

static void those_that_were_late_get_half(void **state)
{
    (void)state;
    struct places places = { 0 };
    for (int i = 0; i < PLACES_LATE_MAX; i++) {
        assert_true(places_has(&places, true));
        places_take(&places, true);
    }
    assert_false(places_has(&places, true));
    assert_true(places_has(&places, false));
    places_leave(&places, true, true);
    assert_true(places_has(&places, true));
    assert_int_equal(places.hanging, 1);
}

static void where_forty_hang_none_is_started(void **state)
{
    (void)state;
    struct places places = { 0 };
    for (int i = 0; i < PLACES_HANGING_MAX; i++) {
        assert_true(places_has(&places, false));
        places_take(&places, false);
        places_leave(&places, false, true);
    }
    assert_int_equal(places.running, 0);
    assert_false(places_has(&places, false));
    places_returned(&places);
    assert_true(places_has(&places, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_run_at_a_time),
        cmocka_unit_test(those_that_were_late_get_half),
        cmocka_unit_test(where_forty_hang_none_is_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
