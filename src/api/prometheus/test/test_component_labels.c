/* SPDX-License-Identifier: Apache-2.0 */
/* test_component_labels - paths of components as labels. */
#include "api/prometheus/component_labels.h"
#include "base/span.h"
#include "base/test/testing.h"

static void check_labels(const char *path, const char *metric, const char *expected)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct component_labels c = { 0 };
    component_labels_init(&c, span_of(path));
    component_labels_set_metric(&c, span_of(metric));
    labels_print(&text, &c.labels);
    assert_string_equal(strbuf_text(&text), expected);
    for (size_t i = 1; i < c.labels.count; i++)
        assert_true(strncmp(c.pairs[i - 1].name.data, c.pairs[i].name.data, 64) < 0);
}

static void each_level_is_a_pair_of_labels(void **state)
{
    (void)state;
    check_labels("alex", "m", "{__name__=\"m\", cluster=\"alex\"}");
    check_labels("alex/a0903", "m",
                 "{__name__=\"m\", cluster=\"alex\", hostname=\"a0903\"}");
    check_labels("alex/a0903/hwthread:7", "cpu_load",
                 "{__name__=\"cpu_load\", cluster=\"alex\", hostname=\"a0903\", "
                 "type=\"hwthread\", type_id=\"7\"}");
    check_labels("f/n/socket:0/core:3", "x.y",
                 "{__name__=\"x.y\", cluster=\"f\", hostname=\"n\", subtype=\"core\", "
                 "subtype_id=\"3\", type=\"socket\", type_id=\"0\"}");
}

static void what_is_escaped_in_a_path_is_not_in_a_label(void **state)
{
    (void)state;
    check_labels("a\\x2Fb/n/accelerator:00000000:49:00.0", "m",
                 "{__name__=\"m\", cluster=\"a/b\", hostname=\"n\", "
                 "type=\"accelerator\", type_id=\"00000000:49:00.0\"}");
}

static void tags_are_labels_of_their_own(void **state)
{
    (void)state;
    check_labels("c/n/tags:UUID=1,mode=idle", "m",
                 "{UUID=\"1\", __name__=\"m\", cluster=\"c\", hostname=\"n\", "
                 "mode=\"idle\"}");
    check_labels("c/n/tags:cluster=,hostname=,instance=n:9100,job=node", "m",
                 "{__name__=\"m\", instance=\"n:9100\", job=\"node\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_is_a_pair_of_labels),
        cmocka_unit_test(tags_are_labels_of_their_own),
        cmocka_unit_test(what_is_escaped_in_a_path_is_not_in_a_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
