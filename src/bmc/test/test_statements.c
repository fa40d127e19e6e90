/* SPDX-License-Identifier: Apache-2.0 */
/* test_statements - when something is stated of a host. */
#include "base/clock.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "bmc/statements.h"

#define T0 (INT64_C(1764374400) * NS_PER_S)

static size_t stated(const struct silence_facts *facts, struct silence_stated *state)
{
    static const struct bmc_target target = { .component = "alex/a1" };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    statements_of_silence(&target, facts, state, T0, &out);
    return out.size;
}

static void that_it_is_heard_ends_an_earlier_statement_alone(void **state)
{
    const struct silence_facts heard = { .seen_ns = T0,
                                         .is_responding = true,
                                         .power = BMC_POWER_ON };
    struct silence_facts off = heard;
    struct silence_stated own = { 0 }, before = { .has_stated = true };
    (void)state;
    off.power = BMC_POWER_OFF;
    /* Nothing is known of a host that barod never heard. */
    assert_int_equal(stated(&heard, &own), 0);
    assert_true(stated(&off, &own) > 0);
    assert_int_equal(stated(&off, &own), 0);
    assert_true(stated(&heard, &own) > 0);
    assert_int_equal(stated(&heard, &own), 0);
    assert_true(stated(&heard, &before) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(that_it_is_heard_ends_an_earlier_statement_alone),
    };
    struct err err = { 0 };
    if (clock_start(&err) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
