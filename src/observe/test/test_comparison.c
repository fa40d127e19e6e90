/* SPDX-License-Identifier: Apache-2.0 */
/* test_comparison - what one entry reveals of its target's mount, and signs of one. */
#include "base/test/testing.h"
#include "observe/comparison.h"
#include "observe/test/rows.h"

/* A target whose only entry "a" was observed at T0 as row says, in a round that began
 * two minutes later. */
static struct observe_target *observed_once(struct observe *observe,
                                            const struct entry *entry,
                                            struct rows *rows)
{
    struct observe_target *target = list_one(observe, T0 - 1);
    assert_int_equal(observe_round_begin(target, T0, rows_add, rows), 0);
    assert_int_equal(observe_entry(target, entry), 0);
    assert_int_equal(observe_round_end(target), 0);
    assert_int_equal(observe_round_begin(target, T0 + MIN2, rows_add, rows), 0);
    return target;
}

struct evidence_case {
    const char *name;
    int64_t start_then_ns, start_now_ns;
    int64_t moved_then_ms, moved_now_ms; /* snapshot_time */
    uint64_t bytes_then, bytes_now;
    bool is_continued;
    enum remount_sign sign;
};

static const struct evidence_case evidence_cases[] = {
    { "the same start", 5, 5, T0, T0 + 1000, 10, 20, true, REMOUNT_NO_SIGN },
    { "the same start, though it fell", 5, 5, T0, T0 + 1000, 20, 10, true,
      REMOUNT_NO_SIGN },
    { "a later start, too soon for a cleanup", S_NS(T0 - 1000), S_NS(T0 + 1000), T0,
      T0 + 1000, 10, 5, false, REMOUNT_CERTAIN },
    { "an earlier start", S_NS(T0 - 1000), S_NS(T0 - 9000), T0, T0, 10, 5, false,
      REMOUNT_NO_SIGN },
    { "it grew", T_NONE, T_NONE, T0, T0 + 60000, 10, 20, false, REMOUNT_NO_SIGN },
    { "it fell", T_NONE, T_NONE, T0, T0 + 60000, 20, 10, false, REMOUNT_CERTAIN },
    { "it moved, and shows what it showed", T_NONE, T_NONE, T0, T0 + 60000, 10, 10,
      false, REMOUNT_PERHAPS },
    { "it has not moved since long", T_NONE, T_NONE, T0 - 9000, T0 - 9000, 10, 10, true,
      REMOUNT_NO_SIGN },
    { "it has not moved, but was moving when it was read", T_NONE, T_NONE, T0, T0, 10,
      10, false, REMOUNT_NO_SIGN },
};

static void an_entry_reveals_whether_the_mount_goes_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(evidence_cases); i++) {
        const struct evidence_case *c = &evidence_cases[i];
        struct observe *observe = observe_of(MIN2);
        struct rows rows = { .count = 0 };
        struct entry then = entry_of("a", c->start_then_ns, 1, c->bytes_then);
        struct entry now = entry_of("a", c->start_now_ns, 1, c->bytes_now);
        then.snapshot_ns = S_NS(c->moved_then_ms);
        now.snapshot_ns = S_NS(c->moved_now_ms);
        struct observe_target *target = observed_once(observe, &then, &rows);
        size_t count = rows.count;
        struct evidence evidence;
        assert_int_equal(comparison_evidence(target, &now, &evidence), 0);
        if (!evidence.generation || evidence.is_seen ||
            evidence.is_continued != c->is_continued || evidence.sign != c->sign)
            fail_msg("%s: continued %d, sign %d", c->name, evidence.is_continued,
                     evidence.sign);
        assert_int_equal(rows.count, count); /* it emits nothing */
        observe_free(observe);
    }
}

static void an_entry_that_is_new_reveals_nothing(void **state)
{
    (void)state;
    struct observe *observe = observe_of(MIN2);
    struct rows rows = { .count = 0 };
    struct entry then = entry_of("a", T_NONE, 1, 1), now = entry_of("b", T_NONE, 1, 1);
    struct observe_target *target = observed_once(observe, &then, &rows);
    struct evidence evidence;
    assert_int_equal(comparison_evidence(target, &now, &evidence), 0);
    assert_null(evidence.generation);
    assert_false(evidence.is_continued);
    assert_int_equal(evidence.sign, REMOUNT_NO_SIGN);
    observe_free(observe);
}

static void witnesses_must_be_four_and_twice_those_that_grew(void **state)
{
    (void)state;
    static const struct {
        size_t certain, gone, grown, faint;
        enum settled want;
    } cases[] = {
        { 0, 0, 0, 0, SETTLED_UNSAID },   { 0, 0, 9, 0, SETTLED_UNSAID },
        { 0, 0, 1, 1, SETTLED_DOUBTFUL }, { 3, 0, 0, 0, SETTLED_DOUBTFUL },
        { 4, 0, 0, 0, SETTLED_RESET },    { 0, 4, 0, 0, SETTLED_RESET },
        { 2, 2, 2, 0, SETTLED_RESET },    { 2, 2, 3, 0, SETTLED_DOUBTFUL },
        { 1, 0, 0, 0, SETTLED_DOUBTFUL }, { 5, 1, 3, 3, SETTLED_RESET },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct observe_target target = {
            .certain_signs = cases[i].certain,
            .faint_signs = cases[i].faint,
            .grown = cases[i].grown,
        };
        if (remount_judge(&target, cases[i].gone) != cases[i].want)
            fail_msg("case %zu", i);
    }
}

static void recent_is_what_no_cleanup_can_have_removed(void **state)
{
    (void)state;
    static const struct {
        int64_t cleanup_ms, moved_ms, at_ms;
        bool want;
    } cases[] = {
        { 600000, T0, T0 + 594999, true }, { 600000, T0, T0 + 595000, false },
        { 600000, T_NONE, T0, false },     { 0, T_NONE, T0, true },
        { 0, T0, T0 + 86400000, true },    { 600000, T0, T0 - 1, true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct observe_target target = { .cleanup_ms = cases[i].cleanup_ms };
        const struct generation generation = { .moved_ms = cases[i].moved_ms };
        if (remount_is_recent(&target, &generation, cases[i].at_ms) != cases[i].want)
            fail_msg("case %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_reveals_whether_the_mount_goes_on),
        cmocka_unit_test(an_entry_that_is_new_reveals_nothing),
        cmocka_unit_test(witnesses_must_be_four_and_twice_those_that_grew),
        cmocka_unit_test(recent_is_what_no_cleanup_can_have_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
