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
            node->is_busy != want[i].is_busy ||
            strcmp(node->reason, want[i].reason) != 0)
            fail_msg("%s: %d %d %s", node->name, node->is_drained, node->is_busy,
                     node->reason);
    }
    assert_null(node_list_find(&list, SPAN("a7")));
}

static const struct {
    const char *state;
    bool is_drained, is_busy, is_down, is_unavailable;
} states[] = {
    { "idle", false, false, false, false },
    { "IDLE+DRAIN", true, false, false, false },
    { "idle*", false, false, false, false },
    { "mixed-", false, true, false, false },
    { "allocated+planned", false, true, false, false },
    { "reserved", false, false, false, false },
    { "down*", false, false, true, false },
    { "down+not_responding", false, false, true, false },
    { "down+drain+not_responding", true, false, true, false },
    { "draining$", true, true, false, true },
    { "drained^", true, false, false, true },
    { "reboot^", false, false, false, true },
    { "idle@", false, false, false, true },
    { "down+drain+reboot_issued", true, false, true, true },
    { "idle+drain+reboot_requested", true, false, false, true },
    { "idle~", false, false, false, true },
    { "idle!", false, false, false, true },
    { "idle%", false, false, false, true },
    { "mixed#", false, true, false, true },
    { "allocated*@", false, true, false, true },
    { "powering_up", false, true, false, true },
    { "idle+powered_down", false, false, false, true },
    { "fail", false, false, false, true },
    { "failing*", false, false, false, true },
    { "idle+fail", false, false, false, true },
    { "maint", false, false, false, true },
    { "future", false, false, false, true },
    { "inval", false, false, false, true },
    { "unknown", false, false, false, true },
    { "a word of tomorrow", false, false, false, true },
    { "", false, false, false, true },
};

static void states_and_marks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        AUTO(node_list_done) struct node_list list;
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        node_list_init(&list);
        strbuf_addf(&text, "a1|%s|none|\n", states[i].state);
        assert_int_equal(node_list_read(strbuf_span(&text), &list, NULL), 0);
        const struct scheduler_node *node = node_list_find(&list, SPAN("a1"));
        if (node->is_drained != states[i].is_drained ||
            node->is_busy != states[i].is_busy || node->is_down != states[i].is_down ||
            node->is_unavailable != states[i].is_unavailable)
            fail_msg("%s: %d %d %d %d", states[i].state, node->is_drained,
                     node->is_busy, node->is_down, node->is_unavailable);
    }
}

static void what_is_no_list_is_refused_as_a_whole(void **state)
{
    (void)state;
    static const char *const texts[] = { "a1", "a1|idle", "|idle|x",
                                         "slurm_load_node: error\na1|idle|none\n" };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(node_list_done) struct node_list list;
        struct err err = { 0 };
        node_list_init(&list);
        assert_int_equal(node_list_read(span_of(texts[i]), &list, &err), -EBADMSG);
        assert_true(err.text[0]);
    }
}

static void a_reason_of_several_lines_costs_no_other_node(void **state)
{
    (void)state;
    AUTO(node_list_done) struct node_list list;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    node_list_init(&list);
    strbuf_adds(&text, "a1|drained|ours\nand more\n|\na1|drained|ours\nand more\n|\n"
                       "a2|idle|none\na3|idle|none\n"
                       "a4|drained|x\na3|drained|forged\na5|idle|");
    for (int i = 0; i < 6000; i++)
        strbuf_addc(&text, 'y');
    strbuf_adds(&text, "\na6|idle|none\n");
    assert_int_equal(node_list_read(strbuf_span(&text), &list, NULL), 0);
    assert_int_equal(list.count, 6);
    assert_int_equal(list.odd_lines, 4);
    const struct scheduler_node *node = node_list_find(&list, SPAN("a1"));
    assert_string_equal(node->reason, "ours [and more]");
    assert_false(node->is_doubtful);
    assert_false(node_list_find(&list, SPAN("a2"))->is_doubtful);
    assert_true(node_list_find(&list, SPAN("a3"))->is_doubtful);
    assert_non_null(strstr(node_list_find(&list, SPAN("a5"))->reason, "y [and more]"));
    assert_string_equal(node_list_find(&list, SPAN("a6"))->reason, "");
}

/* To Slurm's programs they are several nodes, or an option: no line makes one. */
static void a_name_is_of_one_node(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool want;
    } names[] = {
        { "a0903", true },   { "n1.site.de", true }, { "gpu-1_b", true },
        { "allx", true },    { "all", false },       { "ALL", false },
        { "", false },       { "*", false },         { "-n1", false },
        { "n[1-9]", false }, { "n1,n2", false },     { "n 1", false },
        { "n1\tx", false },  { "n1\nx", false },     { "n\\x31", false },
        { "n1/x", false },   { "n\xc3\xa4", false }, { "n1\x7f", false },
    };
    char longest[NODE_NAME_BYTES_MAX + 1];
    memset(longest, 'x', sizeof longest);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        AUTO(node_list_done) struct node_list list;
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        node_list_init(&list);
        strbuf_addf(&text, "first|drained|one\n%s|idle|none\n", names[i].name);
        assert_int_equal(node_list_read(strbuf_span(&text), &list, NULL), 0);
        if (node_name_is_valid(span_of(names[i].name)) != names[i].want ||
            !!node_list_find(&list, span_of(names[i].name)) != names[i].want)
            fail_msg("%s", names[i].name);
    }
    assert_false(node_name_is_valid((struct span){ "n1\0x", 4 }));
    assert_true(node_name_is_valid((struct span){ longest, sizeof longest - 1 }));
    assert_false(node_name_is_valid((struct span){ longest, sizeof longest }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_of_one_node),
        cmocka_unit_test(nodes_have_their_states),
        cmocka_unit_test(states_and_marks),
        cmocka_unit_test(a_reason_of_several_lines_costs_no_other_node),
        cmocka_unit_test(what_is_no_list_is_refused_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
