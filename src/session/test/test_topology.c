/* SPDX-License-Identifier: Apache-2.0 */
/* test_topology - who is whose parent. */
#include "base/span.h"
#include "session/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_k_ary_tree(void **state)
{
    (void)state;
    AUTO(topology_free) struct topology *t = NULL;
    assert_int_equal(topology_new(14, 3, SPAN(""), &t, NULL), 0);
    assert_int_equal(t->parents[1], 0);
    assert_int_equal(t->parents[3], 0);
    assert_int_equal(t->parents[4], 1);
    assert_int_equal(t->parents[13], 4);
    assert_int_equal(t->height, 3);
    assert_int_equal(topology_ancestor(t, 13, 0), 4);
    assert_int_equal(topology_ancestor(t, 13, 1), 1);
    assert_int_equal(topology_ancestor(t, 13, 9), 0);
    assert_true(topology_is_below(t, 13, 1));
    assert_true(topology_is_below(t, 13, 0));
    assert_false(topology_is_below(t, 13, 2));
    assert_false(topology_is_below(t, 1, 13));
}

static void a_tree_by_its_parents(void **state)
{
    (void)state;
    AUTO(topology_free) struct topology *t = NULL;
    assert_int_equal(topology_new(4, 32, SPAN("3, 1,0"), &t, NULL), 0);
    assert_int_equal(t->depths[2], 3);
    assert_true(topology_is_below(t, 2, 3));
}

static void what_is_no_tree_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t size, fanout;
        const char *parents;
    } cases[] = {
        { "no nodes", 0, 2, "" },      { "no fanout", 4, 0, "" },
        { "too few", 4, 2, "0,0" },    { "too many", 3, 2, "0,0,0" },
        { "a circle", 4, 2, "2,1,0" }, { "its own parent", 3, 2, "1,0" },
        { "beyond", 3, 2, "0,3" },     { "not a number", 3, 2, "0,x" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct topology *t = NULL;
        struct err err = { 0 };
        int rc = topology_new(cases[i].size, cases[i].fanout, span_of(cases[i].parents),
                              &t, &err);
        if (rc != -EINVAL || t || !err.text[0])
            fail_msg("%s: %d", cases[i].name, rc);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_k_ary_tree),
        cmocka_unit_test(a_tree_by_its_parents),
        cmocka_unit_test(what_is_no_tree_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
