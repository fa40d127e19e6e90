/* SPDX-License-Identifier: Apache-2.0 */
/* test_component_class - of which class a component is, by its path. */
#include "analysis/reliability/reliability.h"

#include "base/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_path_has_its_class(void **state)
{
    static const struct {
        const char *path, *name, *host;
    } cases[] = {
        { "alex/a1", "host", "alex/a1" },
        { "alex/a1/dimm:A1", "dimm", "alex/a1" },
        { "alex/a1/GPU:00000000:49:00.0", "gpu", "alex/a1" },
        { "alex/a1/GPU:0/fan:1", "fan", "alex/a1" },
        { "alex/a1/memory", "memory", "alex/a1" },
        { "scratch/scratch-OST0001", "ost", "scratch/scratch-OST0001" },
        { "scratch/scratch-MDT00aF", "mdt", "scratch/scratch-MDT00aF" },
        { "scratch/MGS", "mgt", "scratch/MGS" },
        { "scratch/scratch-OST", "host", "scratch/scratch-OST" },
        { "scratch/-OST0001", "host", "scratch/-OST0001" },
        { "scratch/scratch-OST00g1", "host", "scratch/scratch-OST00g1" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[COMPONENT_CLASS_SIZE];
        component_class(span_of(cases[i].path), name);
        assert_string_equal(name, cases[i].name);
        struct span host = component_host_path(span_of(cases[i].path));
        assert_true(span_is(host, cases[i].host));
    }
}

static void a_type_that_is_too_long_is_cut(void **state)
{
    char path[300] = "alex/a1/", name[COMPONENT_CLASS_SIZE];
    (void)state;
    memset(path + 8, 'x', 200);
    component_class(span_of(path), name);
    assert_int_equal(strlen(name), COMPONENT_CLASS_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_has_its_class),
        cmocka_unit_test(a_type_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
