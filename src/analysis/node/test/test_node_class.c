/* SPDX-License-Identifier: Apache-2.0 */
/* test_node_class - classes of comparable nodes. */
#include "analysis/node/node.h"
#include "base/test/testing.h"

static void nodes_of_one_cluster_with_the_same_metrics_are_a_class(void **state)
{
    (void)state;
    static const uint64_t plain[2] = { 0xff, 0 }, gpu[2] = { 0xff, 0xff };
    struct node_metric_set sets[30];
    size_t classes[30];
    for (size_t i = 0; i < 30; i++)
        sets[i] = (struct node_metric_set){ i / 20, i % 2 ? gpu : plain };
    assert_int_equal(node_class_assign(sets, 30, 2, classes), 0);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(classes[i], i % 2);
    for (size_t i = 20; i < 30; i++) /* another cluster: too few, and half in common */
        assert_int_equal(classes[i], 2 + i % 2);
    assert_int_equal(node_class_assign(NULL, 0, 2, NULL), 0);
}

static void a_node_that_lacks_a_metric_joins_the_others(void **state)
{
    (void)state;
    static const uint64_t all = 0xff, lacks = 0x7f, more = 0x1ff, other = 0xff00;
    struct node_metric_set sets[12];
    size_t classes[12];
    for (size_t i = 0; i < 12; i++)
        sets[i] = (struct node_metric_set){ 0, &all };
    sets[0].bits = &lacks;
    sets[5].bits = &more;
    sets[7].bits = &other;
    assert_int_equal(node_class_assign(sets, 12, 1, classes), 0);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(classes[i], i == 7);
    sets[1].cluster = 1; /* alone there */
    assert_int_equal(node_class_assign(sets, 12, 1, classes), 0);
    assert_int_equal(classes[0], 0);
    assert_int_equal(classes[1], 1);
    assert_int_equal(classes[7], 2);
}

static void of_two_classes_it_joins_the_one_with_more_in_common(void **state)
{
    (void)state;
    static const uint64_t few = 0xff, many = 0x3ff, lacks = 0x37f, none = 0;
    struct node_metric_set sets[18];
    size_t classes[18];
    for (size_t i = 0; i < 17; i++)
        sets[i] = (struct node_metric_set){ 0, i < 8 ? &few : &many };
    sets[16].bits = &lacks;
    sets[17] = (struct node_metric_set){ 0, &none };
    assert_int_equal(node_class_assign(sets, 18, 1, classes), 0);
    assert_int_equal(classes[0], 0);
    assert_int_equal(classes[8], 1);
    assert_int_equal(classes[16], 1);
    assert_int_equal(classes[17], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_one_cluster_with_the_same_metrics_are_a_class),
        cmocka_unit_test(a_node_that_lacks_a_metric_joins_the_others),
        cmocka_unit_test(of_two_classes_it_joins_the_one_with_more_in_common),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
