/* SPDX-License-Identifier: Apache-2.0 */
/* test_json - what the writer writes, and what the reader takes and refuses. */
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/span.h"
#include "base/test/testing.h"

static int record(void *arg, enum json_event event, struct span text, unsigned depth)
{
    static const char *const names[] = { "{", "}", "[", "]", "K",
                                         "S", "N", "T", "F", "0" };
    struct strbuf *out = arg;
    strbuf_addf(out, "%s%u", names[event], depth);
    if (event >= JSON_KEY && event <= JSON_NUMBER)
        strbuf_addf(out, "(" SPAN_FMT ")", SPAN_ARG(text));
    strbuf_addc(out, ' ');
    return 0;
}

static const struct {
    const char *text;
    const char *events; /* NULL: refused */
} cases[] = {
    { "{}", "{0 }0 " },
    { " [1, -2.5e3 ,true,false,null] ", "[0 N1(1) N1(-2.5e3) T1 F1 01 ]0 " },
    { "{\"a\":{\"b\":[]},\"c\":\"d\"}", "{0 K0(a) {1 K1(b) [2 ]2 }1 K0(c) S1(d) }0 " },
    { "18446744073709551615", "N0(18446744073709551615) " },
    { "\"\\u00e9\\ud83d\\ude00\\n\"", "S0(\xc3\xa9\xf0\x9f\x98\x80\n) " },
    { "\"\xc3\xa9\"", "S0(\xc3\xa9) " },
    { "\"\xc3\"", NULL },
    { "\"\\ud83d\"", NULL },
    { "\"\\ude00\"", NULL },
    { "\"\\ud83dx\"", NULL },
    { "\"\\x41\"", NULL },
    { "01", NULL },
    { "1.", NULL },
    { "+1", NULL },
    { "[1,]", NULL },
    { "{\"a\":1,}", NULL },
    { "{a:1}", NULL },
    { "[1}", NULL },
    { "nul", NULL },
    { "nulll", NULL },
    { "1 2", NULL },
    { "", NULL },
    { "[", NULL },
    { "\"\t\"", NULL },
};

static void the_grammar_is_held(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf events = STRBUF_INIT;
        struct err err = { 0 };
        int rc = json_read(span_of(cases[i].text), record, &events, &err);
        if (!cases[i].events) {
            if (rc != -EBADMSG)
                fail_msg("'%s' was taken", cases[i].text);
        } else if (rc < 0 || strcmp(strbuf_text(&events), cases[i].events) != 0) {
            fail_msg("'%s': %d %s %s", cases[i].text, rc, err.text,
                     strbuf_text(&events));
        }
    }
}

static void a_cut_anywhere_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf events = STRBUF_INIT;
        AUTO(json_reader_done) struct json_reader r;
        json_reader_init(&r, NULL, record, &events);
        int rc = 0;
        for (const char *at = cases[i].text; *at && rc == 0; at++)
            rc = json_reader_feed(&r, at, 1, NULL);
        if (rc == 0)
            rc = json_reader_finish(&r, NULL);
        if ((rc == 0) != (cases[i].events != NULL))
            fail_msg("'%s': %d", cases[i].text, rc);
        if (rc == 0)
            assert_string_equal(strbuf_text(&events), cases[i].events);
    }
}

static void depth_and_length_have_limits(void **state)
{
    (void)state;
    char deep[100];
    memset(deep, '[', sizeof deep);
    AUTO(strbuf_done) struct strbuf events = STRBUF_INIT;
    assert_int_equal(
        json_read((struct span){ deep, sizeof deep }, record, &events, NULL), -EBADMSG);
    AUTO(json_reader_done) struct json_reader r;
    struct json_reader_opts opts = { .token_bytes_max = 4 };
    json_reader_init(&r, &opts, record, &events);
    assert_int_equal(json_reader_feed(&r, "\"12345\"", 7, NULL), -EMSGSIZE);
}

static void a_writer_puts_commas_and_escapes(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct json_writer w;
    json_writer_init(&w, &out);
    json_object(&w);
    json_key(&w, "a\"b");
    json_array(&w);
    json_u64(&w, UINT64_MAX);
    json_i64(&w, INT64_MIN);
    json_double(&w, 0.1);
    json_text(&w, NULL);
    json_array_end(&w);
    json_key(&w, "t");
    json_time_ms(&w, INT64_C(1669010520000));
    json_key(&w, "s");
    json_seconds(&w, INT64_C(1723114647887515895));
    json_key(&w, "bad");
    json_span(&w, SPAN("x\xff\\\n"));
    json_object_end(&w);
    assert_string_equal(
        strbuf_text(&out),
        "{\"a\\\"b\":[18446744073709551615,-9223372036854775808,0.1,null],"
        "\"t\":\"2022-11-21T06:02:00.000Z\",\"s\":1723114647.887515895,"
        "\"bad\":\"x\xef\xbf\xbd\\\\\\n\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grammar_is_held),
        cmocka_unit_test(a_cut_anywhere_changes_nothing),
        cmocka_unit_test(depth_and_length_have_limits),
        cmocka_unit_test(a_writer_puts_commas_and_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
