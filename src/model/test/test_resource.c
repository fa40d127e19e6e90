/* SPDX-License-Identifier: Apache-2.0 */
/* test_resource - a statement about a resource as a line of JSON and back; which
 * replace others. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "model/resource.h"

static void a_line_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"component\":\"alex/a0903/dimm:3\",\"health\":\"degraded\","
        "\"reason\":\"14 uncorrected errors\",\"source\":\"edac\",\"t\":1669014000."
        "500000000}\n",
        "{\"component\":\"alex/a0903\",\"health\":\"up\"}\n",
        "{\"component\":\"alex/a0903\",\"health\":\"drained\",\"reason\":\"\xC3\xA9\"}"
        "\n",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        AUTO(arena_done) struct arena arena;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct resource_statement statement = { 0 };
        struct err err = { 0 };
        arena_init(&arena, 0);
        if (resource_statement_read_line(span_of(lines[i]), &arena, &statement, &err) <
            0)
            fail_msg("line %zu: %s", i, err.text);
        resource_statement_print_line(&statement, &out);
        assert_string_equal(strbuf_text(&out), lines[i]);
    }
}

static void a_bad_line_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        { "[]", "object" },
        { "{\"component\":1}", "not a text" },
        { "{\"component\":\"a/b\",\"component\":\"a/b\"}", "twice" },
        { "{\"color\":1}", "not a key" },
        { "{\"component\":\"a/b\",\"reason\":\"r\"}", "'health' is missing" },
        { "{\"component\":\"a/b\",\"health\":\"sick\"}", "not up, degraded" },
        { "{\"component\":\"a/b\",\"health\":\"down\"}", "reason is missing" },
        { "{\"component\":\"a/b\",\"health\":\"down\",\"reason\":\" \"}",
          "reason is missing" },
        { "{\"component\":\"a/b\",\"health\":\"down\",\"reason\":\"a\\u0007\"}",
          "control" },
        { "{\"component\":\"a/b\",\"health\":\"up\",\"source\":\"a b\"}", "one word" },
        { "{\"component\":\"a/b\",\"health\":\"up\",\"source\":\"\"}", NULL },
        { "{\"component\":\"a/b\",\"health\":\"up\",\"t\":-1}", "time in seconds" },
        { "{\"component\":\"a/b\",\"health\":\"up\",\"t\":\"now\"}", "not a number" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct resource_statement statement;
        struct err err = { 0 };
        arena_init(&arena, 0);
        int rc = resource_statement_read_line(span_of(cases[i].line), &arena,
                                              &statement, &err);
        if (!cases[i].reason && rc == 0)
            continue;
        if (rc != -EBADMSG || !cases[i].reason || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d, %s", cases[i].line, rc, err.text);
    }
}

static void a_component_is_a_path_in_its_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool is_valid;
    } cases[] = {
        { "alex/a1", true },
        { "alex/a1/dimm:3", true },
        { "alex/a1/x:1/y:2", true },
        { "alex/a1/gpu:00:49:00.0", true },
        { "alex/a1/memory", true },
        { "", false },
        { "alex", false },
        { "alex/", false },
        { "/a1", false },
        { "alex//a1", false },
        { "alex/a1/x/y/z", false },
        { "alex/a*", false },
        { "alex/a b", false },
        { "alex/a:1", false },
        { "alex/a1/:1", false },
        { "alex/a1/x:", false },
        { "alex/a\x01", false },
        { "alex/\xff", false },
        { "scratch/scratch-OST0001", true },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (resource_component_is_valid(span_of(cases[i].path)) != cases[i].is_valid)
            fail_msg("'%s'", cases[i].path);
}

static void a_source_is_of_three_kinds(void **state)
{
    (void)state;
    struct span name;
    assert_int_equal(resource_source_kind(SPAN("admin"), &name), RESOURCE_SOURCE_ADMIN);
    assert_int_equal(resource_source_kind(SPAN("system:edac"), &name),
                     RESOURCE_SOURCE_SYSTEM);
    assert_true(span_is(name, "edac"));
    assert_int_equal(resource_source_kind(SPAN("user:carol"), NULL),
                     RESOURCE_SOURCE_USER);
    assert_int_equal(resource_source_kind(SPAN("system:"), NULL), RESOURCE_SOURCE_NONE);
    assert_int_equal(resource_source_kind(SPAN("edac"), NULL), RESOURCE_SOURCE_NONE);
}

static void only_an_administrator_drains(void **state)
{
    (void)state;
    struct resource_statement s = { .component = SPAN("alex/a1"),
                                    .source = SPAN("system:edac"),
                                    .reason = SPAN("r"),
                                    .health = RESOURCE_DRAINED };
    assert_non_null(resource_statement_check(&s));
    s.source = SPAN("user:carol");
    assert_non_null(resource_statement_check(&s));
    s.source = SPAN("admin");
    assert_null(resource_statement_check(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_comes_back_as_it_was),
        cmocka_unit_test(a_bad_line_is_refused_with_its_reason),
        cmocka_unit_test(a_component_is_a_path_in_its_one_form),
        cmocka_unit_test(a_source_is_of_three_kinds),
        cmocka_unit_test(only_an_administrator_drains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
