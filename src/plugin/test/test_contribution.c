/* SPDX-License-Identifier: Apache-2.0 */
/* test_contribution - what a sink has of what nodes contributed, and its bounds. */
#include "base/span.h"
#include "base/test/testing.h"
#include "plugin/plugin.h"

#include <stdio.h>

#define MEMORY ((size_t)1 << 20)

static void put(struct bundle *bundle, const char *name, double value)
{
    const struct reduce_input input = { .value = value };
    assert_int_equal(bundle_put(bundle, span_of(name), REDUCE_SUM, &input), 0);
}

static void fill(struct bundle *bundle, const char *plugin, unsigned count)
{
    char name[BUNDLE_NAME_MAX];
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "%s.%03u", plugin, i);
        put(bundle, name, i);
    }
}

static void a_sink_has_the_numbers_of_its_plugin(void **state)
{
    AUTO(bundle_done) struct bundle bundle = { 0 };
    AUTO(plugin_inputs_done) struct plugin_inputs inputs = { 0 };
    (void)state;
    assert_int_equal(bundle_begin(&bundle, 0), 0);
    put(&bundle, "fds.open", 3);
    put(&bundle, "fdsx.open", 4);
    put(&bundle, "fds.used", 5);
    assert_int_equal(plugin_inputs_make(&bundle, "fds", MEMORY, &inputs), 0);
    assert_int_equal(inputs.count, 2);
    assert_int_equal(inputs.cut, 0);
    assert_true(span_eq(inputs.items[0].name, SPAN("open_sum")));
    assert_true(inputs.items[0].value == 3);
    assert_true(span_eq(inputs.items[1].name, SPAN("used_sum")));
    assert_true(inputs.items[1].value == 5);
    plugin_inputs_done(&inputs);
    assert_int_equal(plugin_inputs_make(&bundle, "none", MEMORY, &inputs), 0);
    assert_int_equal(inputs.count, 0);
}

static void what_has_no_place_is_counted(void **state)
{
    static const struct {
        unsigned put;
        size_t memory, count;
    } cases[] = {
        { PLUGIN_INPUTS_MAX, MEMORY, PLUGIN_INPUTS_MAX },
        { PLUGIN_INPUTS_MAX + 44, MEMORY, PLUGIN_INPUTS_MAX },
        { PLUGIN_INPUTS_MAX, 65536, 65536 / 4 / (256 + sizeof "000_sum" - 1) },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(bundle_done) struct bundle bundle = { 0 };
        AUTO(plugin_inputs_done) struct plugin_inputs inputs = { 0 };
        assert_int_equal(bundle_begin(&bundle, 0), 0);
        fill(&bundle, "a", cases[i].put);
        assert_int_equal(plugin_inputs_make(&bundle, "a", cases[i].memory, &inputs), 0);
        assert_int_equal(inputs.count, cases[i].count);
        assert_int_equal(inputs.count + inputs.cut, cases[i].put);
        assert_true(inputs.items[inputs.count - 1].value == (double)inputs.count - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sink_has_the_numbers_of_its_plugin),
        cmocka_unit_test(what_has_no_place_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
