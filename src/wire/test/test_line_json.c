/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_json - a text of line protocol as JSON, one point or one error a line. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "wire/wire.h"

static const char text[] =
    "cpu_load,hostname=n1,type=node value=0.5 1669010520\n"
    "net\\ x,a\\ b=c\\,d i=-7i,u=18446744073709551615u,b=true,s=\"q\\\"t\" 1669010520\n"
    "bad line=\n"
    "no_time value=1\n";

static const char want[] =
    "{\"line\":1,\"name\":\"cpu_load\",\"tags\":{\"hostname\":\"n1\",\"type\":\"node\"}"
    ","
    "\"fields\":{\"value\":0.5},\"t_ns\":1669010520000000000}\n"
    "{\"line\":2,\"name\":\"net x\",\"tags\":{\"a b\":\"c,d\"},\"fields\":{\"i\":-7,"
    "\"u\":18446744073709551615,\"b\":true,\"s\":\"q\\\"t\"},"
    "\"t_ns\":1669010520000000000}\n";

/* The text in pieces of size bytes. */
static void feed(struct line_json *lines, size_t size, struct strbuf *out)
{
    for (size_t at = 0; at < sizeof text - 1; at += size) {
        size_t rest = sizeof text - 1 - at;
        const struct span piece = { text + at, rest < size ? rest : size };
        assert_int_equal(line_json_feed(lines, piece, out), 0);
    }
    assert_int_equal(line_json_feed(lines, SPAN(""), out), 0);
}

static void where_the_text_is_cut_changes_nothing(void **state)
{
    static const size_t sizes[] = { 1, 2, 7, 53, sizeof text };
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        AUTO(line_json_free) struct line_json *lines = NULL;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        assert_int_equal(line_json_new(NS_PER_S, &lines), 0);
        feed(lines, sizes[i], &out);
        if (!span_starts(strbuf_span(&out), want))
            fail_msg("%zu: %s", sizes[i], strbuf_text(&out));
        assert_non_null(strstr(strbuf_text(&out), "{\"line\":3,\"column\":"));
        const struct line_json_counts *counts = line_json_counts(lines);
        assert_int_equal(counts->points, 3);
        assert_int_equal(counts->fields, 6);
        assert_int_equal(counts->bad_lines, 1);
        if (i == 0)
            strbuf_add_span(&whole, strbuf_span(&out));
        assert_string_equal(strbuf_text(&out), strbuf_text(&whole));
    }
}

static void lines_are_counted_without_being_printed(void **state)
{
    AUTO(line_json_free) struct line_json *lines = NULL;
    (void)state;
    assert_int_equal(line_json_new(NS_PER_S, &lines), 0);
    feed(lines, 10, NULL);
    assert_int_equal(line_json_counts(lines)->points, 3);
    assert_int_equal(line_json_counts(lines)->bad_lines, 1);
}

static void units_have_names(void **state)
{
    static const struct {
        const char *name;
        int64_t want_ns;
    } cases[] = {
        { "ns", 1 },
        { "us", 1000 },
        { "ms", 1000000 },
        { "s", NS_PER_S },
        { "auto", LINE_UNIT_AUTO },
    };
    struct err err = { 0 };
    int64_t unit_ns = 7;
    (void)state;
    assert_int_equal(line_json_unit_parse("h", &unit_ns, &err), -EINVAL);
    assert_string_equal(err.text, "invalid value 'h' (choose ns, us, ms, s, auto)");
    assert_int_equal(unit_ns, 7);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(line_json_unit_parse(cases[i].name, &unit_ns, &err), 0);
        assert_int_equal(unit_ns, cases[i].want_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_the_text_is_cut_changes_nothing),
        cmocka_unit_test(lines_are_counted_without_being_printed),
        cmocka_unit_test(units_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
