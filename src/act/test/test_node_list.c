/* SPDX-License-Identifier: Apache-2.0 */
/* test_node_list - what sinfo prints of nodes. */
#include "act/node_list.h"
#include "base/span.h"
#include "base/test/testing.h"

static void nodes_have_their_states(void **state)
{
    (void)state;
    AUTO(node_list_done) struct node_list list;
    struct err err = { 0 };
    static const struct {
        const char *name;
        bool is_drained, is_busy;
        const char *reason;
    } want[] = {
        { "a1", false, false, "" },     { "a2", true, false, "board | swap" },
        { "a3", true, true, "x" },      { "a4", false, true, "" },
        { "a5", false, false, "dead" }, { "a6", true, false, "y" },
    };
    node_list_init(&list);
    if (node_list_read(SPAN("a1|idle|none\na1|idle|none\na2|drained*|board | swap\n"
                            "a3|draining@|x\na4|mixed|none\na5|down*|dead\n\n"
                            "a6|idle+drain~|y\n"),
                       &list, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(list.count, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        const struct scheduler_node *node =
            node_list_find(&list, span_of(want[i].name));
        assert_non_null(node);
        if (node->is_drained != want[i].is_drained ||
            node->is_busy != want[i].is_busy || strcmp(node->reason, want[i].reason))
            fail_msg("%s: %d %d %s", node->name, node->is_drained, node->is_busy,
                     node->reason);
    }
    assert_null(node_list_find(&list, SPAN("a7")));
}

static void what_is_no_list_is_refused_as_a_whole(void **state)
{
    (void)state;
    static const char *const texts[] = { "a1", "a1|idle", "|idle|x",
                                         "a1|idle|none\nslurm_load_node: error\n" };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(node_list_done) struct node_list list;
        struct err err = { 0 };
        node_list_init(&list);
        assert_int_equal(node_list_read(span_of(texts[i]), &list, &err), -EBADMSG);
        assert_true(err.text[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_have_their_states),
        cmocka_unit_test(what_is_no_list_is_refused_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
