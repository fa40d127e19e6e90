/* SPDX-License-Identifier: Apache-2.0 */
/* test_effect - the health of a component out of what is stated about it. */
#include "base/span.h"
#include "base/test/testing.h"
#include "resource/effect.h"

/* "source health time", some of them; what decides, by its source; and then the health.
 */
static const struct {
    const char *stated[4];
    const char *decisive;
    enum resource_health health;
} cases[] = {
    { { NULL }, NULL, RESOURCE_UNKNOWN },
    { { "system:a up 1" }, "system:a", RESOURCE_UP },
    { { "system:a up 1", "system:b degraded 2" }, "system:b", RESOURCE_DEGRADED },
    { { "system:a down 1", "system:b degraded 2" }, "system:a", RESOURCE_DOWN },
    { { "system:a up 1", "system:b unknown 2" }, "system:b", RESOURCE_UNKNOWN },
    { { "system:a unknown 1", "system:b degraded 2" }, "system:b", RESOURCE_DEGRADED },
    /* Of equal ones the earliest: since then it is so. */
    { { "system:a down 5", "system:b down 2" }, "system:b", RESOURCE_DOWN },
    /* Why a host is silent goes before that it is so. */
    { { "system:presence unknown 1", "system:bmc unknown 9" },
      "system:bmc",
      RESOURCE_UNKNOWN },
    { { "system:presence unknown 1", "system:bmc up 9" },
      "system:presence",
      RESOURCE_UNKNOWN },
    { { "system:edac degraded 1", "system:bmc unknown 9" },
      "system:edac",
      RESOURCE_DEGRADED },
    /* What an administrator drained is drained, whatever else is stated. */
    { { "system:a down 1", "admin drained 9" }, "admin", RESOURCE_DRAINED },
    { { "system:a up 10", "admin drained 9" }, "admin", RESOURCE_DRAINED },
    /* Resumed: what systems state counts again. */
    { { "system:a down 1", "admin up 10" }, "system:a", RESOURCE_DOWN },
    { { "system:a up 1", "admin up 10" }, "system:a", RESOURCE_UP },
    { { "system:a up 1", "admin down 10" }, "admin", RESOURCE_DOWN },
    /* Opinions change nothing, whatever they are. */
    { { "user:eve down 1" }, NULL, RESOURCE_UNKNOWN },
    { { "user:eve down 1", "system:a up 2" }, "system:a", RESOURCE_UP },
    { { "user:eve down 1", "system:a degraded 2" }, "system:a", RESOURCE_DEGRADED },
    { { "user:eve up 3", "system:a down 2" }, "system:a", RESOURCE_DOWN },
};

static size_t statements_read(const char *const texts[4],
                              struct resource_statement ret[4])
{
    size_t count = 0;
    for (; count < 4 && texts[count]; count++) {
        struct span rest = span_of(texts[count]), health;
        (void)span_cut(&rest, ' ', &ret[count].source);
        (void)span_cut(&rest, ' ', &health);
        assert_int_equal(resource_health_parse(health, &ret[count].health), 0);
        ret[count].t_ns = atoll(rest.data);
    }
    return count;
}

static void the_worst_of_systems_counts_and_an_administrator_last(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct resource_statement statements[4] = { 0 };
        size_t count = statements_read(cases[i].stated, statements);
        int at = resource_decide(statements, count);
        enum resource_health health = at < 0 ? RESOURCE_UNKNOWN : statements[at].health;
        bool is_right = cases[i].decisive ? at >= 0 && span_is(statements[at].source,
                                                               cases[i].decisive)
                                          : at < 0;
        if (!is_right || health != cases[i].health)
            fail_msg("case %zu: %d, %s", i, at, resource_health_name(health));
    }
}

static void an_opinion_is_confirmed_by_a_system_alone(void **state)
{
    (void)state;
    static const struct {
        const char *stated[4];
        bool is_confirmed; /* the first */
    } opinions[] = {
        { { "user:eve down 1" }, false },
        { { "user:eve down 1", "user:bob down 1" }, false },
        { { "user:eve down 1", "system:a unknown 1" }, false },
        { { "user:eve down 1", "system:a degraded 1" }, false },
        { { "user:eve down 1", "system:a down 1" }, true },
        { { "user:eve degraded 1", "system:a down 1" }, true },
        { { "user:eve down 1", "admin drained 1" }, true },
        { { "user:eve up 1", "system:a down 1" }, false },
        { { "user:eve unknown 1", "system:a down 1" }, false },
    };
    for (size_t i = 0; i < COUNT_OF(opinions); i++) {
        struct resource_statement statements[4] = { 0 };
        size_t count = statements_read(opinions[i].stated, statements);
        if (resource_is_confirmed(&statements[0], statements, count) !=
            opinions[i].is_confirmed)
            fail_msg("case %zu", i);
    }
}

static void parts_and_enclosures_make_what_the_rules_state(void **state)
{
    (void)state;
    static const struct {
        enum resource_health is, down, makes_whole, makes_member;
    } table[] = {
        { RESOURCE_UP, RESOURCE_DEGRADED, RESOURCE_UP, RESOURCE_UP },
        { RESOURCE_UNKNOWN, RESOURCE_DEGRADED, RESOURCE_UP, RESOURCE_UP },
        { RESOURCE_DEGRADED, RESOURCE_DEGRADED, RESOURCE_DEGRADED, RESOURCE_UP },
        { RESOURCE_DEGRADED, RESOURCE_DOWN, RESOURCE_DEGRADED, RESOURCE_UP },
        { RESOURCE_DEGRADED, RESOURCE_UP, RESOURCE_UP, RESOURCE_UP },
        { RESOURCE_DOWN, RESOURCE_DEGRADED, RESOURCE_DEGRADED, RESOURCE_DEGRADED },
        { RESOURCE_DOWN, RESOURCE_DOWN, RESOURCE_DOWN, RESOURCE_DOWN },
        { RESOURCE_DOWN, RESOURCE_UNKNOWN, RESOURCE_UNKNOWN, RESOURCE_UNKNOWN },
        { RESOURCE_DOWN, RESOURCE_UP, RESOURCE_UP, RESOURCE_UP },
        { RESOURCE_DRAINED, RESOURCE_DOWN, RESOURCE_DEGRADED, RESOURCE_DRAINED },
        { RESOURCE_DRAINED, RESOURCE_UP, RESOURCE_UP, RESOURCE_DRAINED },
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (resource_of_part(table[i].is, table[i].down) != table[i].makes_whole ||
            resource_of_enclosure(table[i].is, table[i].down) != table[i].makes_member)
            fail_msg("case %zu", i);
}

static void unknown_and_degraded_are_no_reason(void **state)
{
    (void)state;
    assert_true(resource_is_usable(RESOURCE_UP));
    assert_true(resource_is_usable(RESOURCE_UNKNOWN));
    assert_true(resource_is_usable(RESOURCE_DEGRADED));
    assert_false(resource_is_usable(RESOURCE_DOWN));
    assert_false(resource_is_usable(RESOURCE_DRAINED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_of_systems_counts_and_an_administrator_last),
        cmocka_unit_test(an_opinion_is_confirmed_by_a_system_alone),
        cmocka_unit_test(parts_and_enclosures_make_what_the_rules_state),
        cmocka_unit_test(unknown_and_degraded_are_no_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
