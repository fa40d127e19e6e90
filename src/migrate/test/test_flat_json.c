/* SPDX-License-Identifier: Apache-2.0 */
/* test_flat_json - JSON as paths with values. */
#include "base/span.h"
#include "migrate/flat_json.h"

#include "base/strbuf.h"

#include "base/test/testing.h"

static void values_have_the_path_of_their_names(void **state)
{
    static const char json[] =
        "{\"a\": {\"b\": 1, \"c\": [true, {\"d\": \"x\"}, null]}, \"e\": -2.5,"
        " \"\": false, \"f\": {}, \"g\": [[7], 8]}";
    static const char *const want[][2] = {
        { "a/b", "1" },  { "a/c/0", "true" }, { "a/c/1/d", "x" }, { "a/c/2", "null" },
        { "e", "-2.5" }, { "", "false" },     { "g/0/0", "7" },   { "g/1", "8" },
    };
    AUTO(flat_json_done) struct flat_json flat = { 0 };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(flat_json_parse(span_of(json), &flat, &err), 0);
    assert_int_equal(flat.count, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        assert_string_equal(flat.items[i].path, want[i][0]);
        assert_string_equal(flat.items[i].value, want[i][1]);
        assert_int_equal(flat.items[i].is_null, i == 3);
        assert_false(flat.items[i].is_used);
    }
}

static void what_is_looked_up_counts_as_used(void **state)
{
    AUTO(flat_json_done) struct flat_json flat = { 0 };
    (void)state;
    assert_int_equal(
        flat_json_parse(SPAN("{\"a\":1,\"b\":null,\"c\":\"\",\"d\":\"null\"}"), &flat,
                        NULL),
        0);
    assert_string_equal(flat_json_use(&flat, "a"), "1");
    assert_null(flat_json_use(&flat, "b"));
    assert_null(flat_json_use(&flat, "c"));
    assert_null(flat_json_use(&flat, "nowhere"));
    for (size_t i = 0; i < flat.count; i++)
        assert_int_equal(flat.items[i].is_used, i < 3);
    assert_string_equal(flat_json_use(&flat, "d"), "null");
}

static void what_is_no_json_is_refused(void **state)
{
    static const struct {
        const char *json;
        int want;
    } cases[] = {
        { "", -EBADMSG },
        { "{\"a\": 1", -EBADMSG },
        { "{\"a\" 1}", -EBADMSG },
        { "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", -EBADMSG },
        { "{} {}", -EBADMSG },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(flat_json_done) struct flat_json flat = { 0 };
        struct err err = { 0 };
        assert_int_equal(flat_json_parse(span_of(cases[i].json), &flat, &err),
                         cases[i].want);
        assert_int_equal(flat.count, 0);
        assert_true(err.text[0]);
    }
}

static void a_path_has_a_limit(void **state)
{
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(flat_json_done) struct flat_json flat = { 0 };
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        strbuf_clear(&json);
        strbuf_adds(&json, "{\"");
        for (int i = 0; i < FLAT_JSON_PATH_MAX + extra; i++)
            strbuf_addc(&json, 'x');
        strbuf_adds(&json, "\": 1}");
        assert_int_equal(flat_json_parse(strbuf_span(&json), &flat, NULL),
                         extra ? -EMSGSIZE : 0);
        flat_json_done(&flat);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_path_of_their_names),
        cmocka_unit_test(what_is_looked_up_counts_as_used),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(a_path_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
