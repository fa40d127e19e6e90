/* SPDX-License-Identifier: Apache-2.0 */
/* test_svg - shapes and escaped words of a picture. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "draw/svg.h"

#include <string.h>

static void names_from_outside_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *escaped;
    } cases[] = {
        { "a < b & c > d", "a &lt; b &amp; c &gt; d" },
        { "\"'", "\"'" }, /* between tags, never within an attribute */
        { "\x01\n\x7f", "???" },
        { "grün", "grün" },
        { "gr\xfcn", "gr?n" }, /* Latin 1 is no UTF-8 */
        { "", "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        svg_add_escaped(&out, cases[i].text);
        assert_string_equal(strbuf_text(&out), cases[i].escaped);
    }
}

static void a_picture_has_its_size_and_title(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    svg_begin(&out, 640.4, 480, "a<b");
    svg_end(&out);
    const char *text = strbuf_text(&out);
    assert_non_null(strstr(text, "width='640' height='480' viewBox='0 0 640 480'"));
    assert_non_null(strstr(text, "<title>a&lt;b</title>"));
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_non_null(strstr(text, "</svg>\n"));
}

static void shapes_are_where_they_should_be(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    svg_line(&out, 1, 2, 3.25, 4, "s");
    svg_box(&out, 1, 2, 3, 4, "s");
    svg_circle(&out, 5, 6, 7, "s");
    svg_cross(&out, 10, 20, 3, "s");
    svg_text(&out, 1, 2, "end", "s", "x");
    assert_string_equal(strbuf_text(&out),
                        "<line x1='1.0' y1='2.0' x2='3.2' y2='4.0' s/>\n"
                        "<rect x='1.0' y='2.0' width='3.0' height='4.0' s/>\n"
                        "<circle cx='5.0' cy='6.0' r='7.0' s/>\n"
                        "<path d='M7.0 17.0l6.0 6.0m0 -6.0l-6.0 6.0' s/>\n"
                        "<text x='1.0' y='2.0' text-anchor='end' s>x</text>\n");
}

/* Ten corners, the first at the top: (10, 10 - 4). */
static void a_star_has_five_points(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    size_t lines = 0;
    svg_star(&out, 10, 10, 4, "s");
    for (const char *c = strbuf_text(&out); *c; c++)
        lines += *c == 'L';
    assert_int_equal(lines, 9);
    assert_non_null(strstr(strbuf_text(&out), "d='M10.0 6.0L"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_from_outside_are_escaped),
        cmocka_unit_test(a_picture_has_its_size_and_title),
        cmocka_unit_test(shapes_are_where_they_should_be),
        cmocka_unit_test(a_star_has_five_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
