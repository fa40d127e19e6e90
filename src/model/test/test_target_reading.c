/* SPDX-License-Identifier: Apache-2.0 */
/* test_target_reading - a reading of a target as a line of JSON and back. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "model/target_reading.h"

#define SPACE_LINE                                                                   \
    "{\"cluster\":\"alex\",\"target\":\"my-fs-OST0001\",\"t\":1669014000.500000000," \
    "\"mount\":\"/my "                                                               \
    "fs\",\"total_kib\":1000,\"used_kib\":420,\"available_kib\":580}\n"
#define SERVER_LINE                                     \
    "{\"target\":\"scratch-MDT0000\",\"t\":1669014000," \
    "\"server\":\"10.1.1.2@o2ib2\",\"active\":true,\"source\":\"login1\"}\n"
#define INACTIVE_LINE "{\"target\":\"scratch-OST0002\",\"t\":1,\"active\":false}\n"

static void a_line_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const lines[] = { SPACE_LINE, SERVER_LINE, INACTIVE_LINE };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        AUTO(arena_done) struct arena arena;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct target_reading reading = { 0 };
        struct err err = { 0 };
        arena_init(&arena, 0);
        if (target_reading_read_line(span_of(lines[i]), &arena, &reading, &err) < 0)
            fail_msg("line %zu: %s", i, err.text);
        target_reading_print_line(&reading, &out);
        assert_string_equal(strbuf_text(&out), lines[i]);
    }
}

static void the_file_system_is_of_the_target(void **state)
{
    (void)state;
    const struct target_reading reading = { .target = SPAN("my-fs-OST0001") };
    assert_true(span_is(target_reading_fs(&reading), "my-fs"));
}

static void a_bad_line_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        { "[]", "object" },
        { "{\"target\":1}", "not a text" },
        { "{\"target\":\"a-OST0000\",\"target\":\"b\"}", "twice" },
        { "{\"color\":1}", "not a key" },
        { "{\"target\":\"x\",\"t\":1,\"active\":false}", "target of Lustre" },
        { "{\"target\":\"OST0001\",\"t\":1,\"active\":false}", "target of Lustre" },
        { "{\"target\":\"a-OST0000\",\"t\":1}", "neither" },
        { "{\"target\":\"a-OST0000\",\"t\":1,\"active\":true}", "neither" },
        { "{\"target\":\"a-OST0000\",\"active\":false}", "time" },
        { "{\"target\":\"a-OST0000\",\"t\":1,\"active\":1}", "truth value" },
        { "{\"target\":\"a-OST0000\",\"t\":1,\"total_kib\":1}", "together" },
        { "{\"target\":\"a-OST0000\",\"t\":1,\"total_kib\":1,\"used_kib\":2,"
          "\"available_kib\":0}",
          "more is used" },
        { "{\"target\":\"a-OST0000\",\"t\":1,\"total_kib\":9223372036854775807,"
          "\"used_kib\":2,\"available_kib\":0}",
          "too large" },
        { "{\"target\":\"a-OST0000\",\"t\":1,\"server\":\"a b\"}", "one word" },
        { "{\"target\":\"a-OST0000\",\"t\":1,\"server\":\"a\\u001b\"}", "one word" },
        { "{\"target\":\"a-OST0000\",\"t\":1,\"active\":false,\"mount\":\"/a[\"}",
          "path" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct target_reading reading;
        struct err err = { 0 };
        arena_init(&arena, 0);
        int rc =
            target_reading_read_line(span_of(cases[i].line), &arena, &reading, &err);
        if (rc != -EBADMSG || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d, %s", cases[i].line, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_comes_back_as_it_was),
        cmocka_unit_test(the_file_system_is_of_the_target),
        cmocka_unit_test(a_bad_line_is_refused_with_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
