/* SPDX-License-Identifier: Apache-2.0 */
/* test_component - paths of things that are watched. */
#include "base/span.h"
#include "model/component.h"

#include "base/test/testing.h"

static const struct {
    struct component names;
    const char *path;
} cases[] = {
    { { .cluster = { "alex", 4 }, .host = { "a0903", 5 } }, "alex/a0903" },
    { { { "alex", 4 }, { "a0903", 5 }, { "hwthread", 8 }, { "7", 1 }, { 0 }, { 0 } },
      "alex/a0903/hwthread:7" },
    { { { "f", 1 },
        { "f0104", 5 },
        { "accelerator", 11 },
        { "0:49:00.0", 9 },
        { 0 },
        { 0 } },
      "f/f0104/accelerator:0:49:00.0" },
    { { { "a", 1 }, { "b", 1 }, { "c", 1 }, { "1", 1 }, { "d", 1 }, { "2", 1 } },
      "a/b/c:1/d:2" },
    { { { "a b", 3 }, { "x/y:*", 5 }, { "t:", 2 }, { "a\\b/", 4 }, { 0 }, { 0 } },
      "a\\x20b/x\\x2Fy\\x3A\\x2A/t\\x3A:a\\x5Cb\\x2F" },
    { { .cluster = { "only", 4 } }, "only" },
};

static void assert_name(struct span part, struct span want)
{
    char name[64];
    size_t size = component_unescape(part, name);
    assert_int_equal(size, want.size);
    if (size > 0)
        assert_memory_equal(name, want.data, size);
}

static void a_path_tells_its_names_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        struct component back;
        component_print(&path, &cases[i].names);
        assert_string_equal(strbuf_text(&path), cases[i].path);
        component_parse(strbuf_span(&path), &back);
        assert_name(back.cluster, cases[i].names.cluster);
        assert_name(back.host, cases[i].names.host);
        assert_name(back.type, cases[i].names.type);
        assert_name(back.id, cases[i].names.id);
        assert_name(back.subtype, cases[i].names.subtype);
        assert_name(back.sub_id, cases[i].names.sub_id);
    }
}

static void a_backslash_that_begins_nothing_stands_for_itself(void **state)
{
    (void)state;
    assert_name(SPAN("\\x"), SPAN("\\x"));
    assert_name(SPAN("\\xG0"), SPAN("\\xG0"));
    assert_name(SPAN("a\\x4"), SPAN("a\\x4"));
}

static void the_last_level_is_named_as_cc_metric_store_does(void **state)
{
    static const struct {
        const char *path, *want;
    } names[] = {
        { "alex", "alex" },
        { "alex/a0903", "a0903" },
        { "alex/a0903/hwthread:7", "hwthread7" },
        { "f/f0104/accelerator:0:49:00.0", "accelerator0:49:00.0" },
        { "a/b/socket:0/core:12", "core12" },
        { "a/b\\x20c", "b c" },
        { "", "" },
    };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct span name;
        assert_int_equal(component_last_name(span_of(names[i].path), &text, &name), 0);
        if (!span_is(name, names[i].want))
            fail_msg("%s: got '" SPAN_FMT "', want '%s'", names[i].path, SPAN_ARG(name),
                     names[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_tells_its_names_again),
        cmocka_unit_test(the_last_level_is_named_as_cc_metric_store_does),
        cmocka_unit_test(a_backslash_that_begins_nothing_stands_for_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
