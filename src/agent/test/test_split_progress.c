/* SPDX-License-Identifier: Apache-2.0 */
/* test_split_progress - what is remembered of a batch that goes in parts. */
#include "agent/send/split_progress.h"
#include "base/cleanup.h"
#include "base/test/testing.h"

static struct uuid name_of(uint8_t first)
{
    return (struct uuid){ .bytes = { first } };
}

static void a_part_is_remembered_until_what_it_is_of_is_done(void **state)
{
    (void)state;
    static const struct {
        uint8_t part;
        enum split_state set;
        enum split_state want[4]; /* of the parts 0 to 3 from then on */
        size_t count;
    } cases[] = {
        { 0, SPLIT_CUT, { SPLIT_CUT, 0, 0, 0 }, 1 },
        { 1, SPLIT_DONE, { SPLIT_CUT, SPLIT_DONE, 0, 0 }, 2 },
        { 0, SPLIT_BEGUN, { SPLIT_BEGUN, SPLIT_DONE, 0, 0 }, 2 },
        { 2, SPLIT_CUT, { SPLIT_BEGUN, SPLIT_DONE, SPLIT_CUT, 0 }, 3 },
        { 3, SPLIT_DONE, { SPLIT_BEGUN, SPLIT_DONE, SPLIT_CUT, SPLIT_DONE }, 4 },
        { 2, SPLIT_DONE, { SPLIT_BEGUN, SPLIT_DONE, SPLIT_DONE, 0 }, 3 },
        { 0, SPLIT_DONE, { SPLIT_DONE, 0, 0, 0 }, 1 },
    };
    struct split_progress progress = { .sequence = 0 };
    split_progress_of(&progress, 7);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct uuid name = name_of(cases[i].part);
        split_progress_set(&progress, &name, cases[i].set);
        split_progress_of(&progress, 7);
        assert_int_equal(progress.count, cases[i].count);
        for (uint8_t part = 0; part < 4; part++) {
            name = name_of(part);
            assert_int_equal(split_progress_get(&progress, &name), cases[i].want[part]);
        }
    }
    split_progress_of(&progress, 8);
    struct uuid whole = name_of(0);
    assert_int_equal(split_progress_get(&progress, &whole), SPLIT_NONE);
}

static void what_finds_no_room_is_not_remembered(void **state)
{
    (void)state;
    struct split_progress progress = { .sequence = 0 };
    for (unsigned i = 0; i < SPLIT_PARTS_MAX + 3; i++) {
        struct uuid name = name_of((uint8_t)i);
        split_progress_set(&progress, &name, SPLIT_CUT);
    }
    struct uuid last = name_of(SPLIT_PARTS_MAX), first = name_of(0);
    assert_int_equal(progress.count, SPLIT_PARTS_MAX);
    assert_int_equal(split_progress_get(&progress, &last), SPLIT_NONE);
    assert_int_equal(split_progress_get(&progress, &first), SPLIT_CUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_remembered_until_what_it_is_of_is_done),
        cmocka_unit_test(what_finds_no_room_is_not_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
