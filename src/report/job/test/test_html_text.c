/* SPDX-License-Identifier: Apache-2.0 */
/* test_html_text - words from anywhere as text of HTML. */
#include "base/test/testing.h"
#include "report/job/html_text.h"

static void words_cannot_leave_their_place(void **state)
{
    static const struct {
        const char *text, *escaped;
    } cases[] = {
        { "<script>alert('x')</script>",
          "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;" },
        { "\" onload=\"x", "&quot; onload=&quot;x" },
        { "a&amp;b", "a&amp;amp;b" },
        { "a\nb\x01\x7f\x1b[31m", "a\nb???[31m" },
        { "gr\xfc"
          "n",
          "gr?n" },
        { "gr\xc3\xbcn", "gr\xc3\xbcn" },
        { "evil\xe2\x80\xaegpj.exe\xe2\x80\xac", "evil?gpj.exe?" },
        { "\xe2\x81\xa6x\xe2\x81\xa9 \xd8\x9c", "?x? ?" },
        { "\xe2\x80\x93", "\xe2\x80\x93" }, /* a dash stays */
        { "\xe2\x80", "??" },
        { "", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        html_add_escaped(&out, span_of(cases[i].text));
        assert_string_equal(strbuf_text(&out), cases[i].escaped);
    }
}

static void an_element_has_its_class_and_escaped_text(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)state;
    html_element(&out, "td", "num", span_of("1 < 2"));
    html_element(&out, "p", NULL, span_of(""));
    assert_string_equal(strbuf_text(&out), "<td class='num'>1 &lt; 2</td>\n<p></p>\n");
}

static void lines_are_sentences_or_columns(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "One.\n\nTwo <b>.\n", "<p>One.</p>\n<p>Two &lt;b&gt;.</p>\n" },
        { "Head:\na   1\nb   2\nEnd.",
          "<p>Head:</p>\n<pre>a   1\nb   2\n</pre>\n<p>End.</p>\n" },
        { " indented\n", "<pre> indented\n</pre>\n" },
        { "a  b", "<pre>a  b</pre>\n" },
        { "\n\n", "" },
        { "", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        html_lines(&out, span_of(cases[i].text));
        assert_string_equal(strbuf_text(&out), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_cannot_leave_their_place),
        cmocka_unit_test(an_element_has_its_class_and_escaped_text),
        cmocka_unit_test(lines_are_sentences_or_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
