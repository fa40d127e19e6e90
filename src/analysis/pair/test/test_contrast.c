/* SPDX-License-Identifier: Apache-2.0 */
/* test_contrast - all in which two runs differ, in one order. */
#include "analysis/pair/contrast.h"
#include "base/test/testing.h"

#include <math.h>

#define OF_LOG(n, s, because, effect)                                      \
    {                                                                      \
        .name = (n), .floor = 0.05, .score = (s), .is_because = (because), \
        .is_effect = (effect)                                              \
    }
#define VALUE(n, a, b, within, p, cause)                                            \
    {                                                                               \
        .name = (n), .before = (a), .value = (b), .apart = (within), .chance = (p), \
        .is_contributor = (cause)                                                   \
    }

static const char *name_of(const struct contrast_item *item)
{
    return item->of_log ? item->of_log->name : item->around->name;
}

static void causes_come_first_by_how_unusual_they_are(void **state)
{
    (void)state;
    const struct differences found = {
        .items = { OF_LOG("access", 3, false, false), OF_LOG("files", 30, true, false),
                   OF_LOG("speed", 90, false, true) },
        .count = 3,
    };
    struct climate_value values[] = {
        VALUE(JOB_CLIMATE_SPEED, 1, 0.2, 0.1, 0.01, false),
        VALUE("cpu", 10, 90, 8, 0.01, true),
        VALUE("io_time", 1, 9, 0.5, 0.01, false),
        VALUE("jobs", 10, 30, 10, 0.05, true),
        VALUE("usual", 10, 30, 10, 0.5, true),
    };
    const struct job_climate climate = { .values = values, .count = 5 };
    static const struct {
        const char *name;
        enum contrast_kind kind;
    } wants[] = {
        { "cpu", CONTRAST_AROUND },           { "access", CONTRAST_DID },
        { "jobs", CONTRAST_AROUND },          { "files", CONTRAST_FOLLOWS },
        { "io_time", CONTRAST_FOLLOWS },      { "speed", CONTRAST_WENT },
        { JOB_CLIMATE_SPEED, CONTRAST_WENT },
    };
    struct contrast all;
    contrast_make(&found, &climate, &all);
    assert_int_equal(all.count, sizeof wants / sizeof wants[0]);
    assert_int_equal(all.looked_at, 5);
    for (size_t i = 0; i < all.count; i++)
        if (strcmp(name_of(&all.items[i]), wants[i].name) != 0 ||
            all.items[i].kind != wants[i].kind)
            fail_msg("place %zu: %s %s, want %s", i + 1,
                     contrast_word(all.items[i].kind), name_of(&all.items[i]),
                     wants[i].name);
}

static void a_trifle_is_no_difference_where_no_pair_differs(void **state)
{
    (void)state;
    const struct differences found = { .count = 0 };
    static const struct {
        const char *name;
        double a, b, chance;
        size_t want;
    } cases[] = {
        { "a trifle", 100, 101, 0.01, 0 },   { "ten percent", 100, 112, 0.01, 1 },
        { "too likely", 100, 200, 0.11, 0 }, { "chance unknown", 100, 200, NAN, 0 },
        { "the same", 100, 100, 0.01, 0 },   { "nothing twice", 0, 0, 0.01, 0 },
        { "from nothing", 0, 5, 0.01, 1 },   { "below nothing", -1, -2, 0.01, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct climate_value value =
            VALUE("v", cases[i].a, cases[i].b, 0, cases[i].chance, true);
        const struct job_climate climate = { .values = &value, .count = 1 };
        struct contrast all;
        contrast_make(&found, &climate, &all);
        if (all.count != cases[i].want || (all.count && !isfinite(all.items[0].score)))
            fail_msg("%s: %zu reported", cases[i].name, all.count);
    }
}

static void what_has_no_room_is_counted(void **state)
{
    (void)state;
    struct differences found = { .count = PROFILE_MEASURE_COUNT + 1 };
    struct climate_value values[CONTRAST_AROUND_MAX + 7];
    for (size_t i = 0; i < found.count; i++)
        found.items[i] = (struct difference)OF_LOG("d", 2, false, false);
    for (size_t i = 0; i < CONTRAST_AROUND_MAX + 7; i++)
        values[i] = (struct climate_value)VALUE("v", 1, 9, 1, 0.01, true);
    const struct job_climate climate = { .values = values,
                                         .count = CONTRAST_AROUND_MAX + 7 };
    struct contrast all;
    contrast_make(&found, &climate, &all);
    assert_int_equal(all.count, CONTRAST_MAX);
    assert_int_equal(all.left_out, 7);
}

static void without_a_climate_the_order_is_that_of_the_logs(void **state)
{
    (void)state;
    const struct differences found = {
        .items = { OF_LOG("a", 5, false, false), OF_LOG("b", 5, false, false),
                   OF_LOG("c", 9, true, false) },
        .count = 3,
    };
    struct contrast all;
    contrast_make(&found, NULL, &all);
    assert_int_equal(all.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_ptr_equal(all.items[i].of_log, &found.items[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_come_first_by_how_unusual_they_are),
        cmocka_unit_test(a_trifle_is_no_difference_where_no_pair_differs),
        cmocka_unit_test(what_has_no_room_is_counted),
        cmocka_unit_test(without_a_climate_the_order_is_that_of_the_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
