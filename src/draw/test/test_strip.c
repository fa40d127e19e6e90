/* SPDX-License-Identifier: Apache-2.0 */
/* test_strip - parts of a time as a picture. */
#include "base/test/testing.h"
#include "draw/strip.h"

#include <errno.h>
#include <string.h>

static const struct strip_part parts[] = {
    { 0, 10, 1, "reads" },
    { 10, 11, 0, "<b>" },
    { 11, 12, 3, "idle" },
    { 12, 40, 99, "computes" },
};

static void parts_lie_where_their_time_is(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct strip strip = { "a <title>", parts,      COUNT_OF(parts),
                                 40,          1500000000, 1500014400 };
    assert_int_equal(strip_svg(&strip, &out), 0);
    const char *text = strbuf_text(&out);
    assert_non_null(strstr(text, "<rect class='part1' x='128.0' y='14.0' "
                                 "width='146.0' height='22.0'><title>reads</title>"));
    assert_non_null(strstr(text, "<title>&lt;b&gt;</title>"));
    assert_non_null(strstr(text, "<title>a &lt;title&gt;</title>"));
    assert_non_null(strstr(text, "<rect class='part3'"));
    assert_non_null(strstr(text, ">1</text>"));
    assert_non_null(strstr(text, ">4</text>"));
}

static void numbers_that_do_not_fit_are_left_out(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    static const struct strip_part thin[] = { { 0, 1, 0, "" },
                                              { 1, 2, 0, "" },
                                              { 2, 120, 0, "" } };
    const struct strip strip = { "", thin, COUNT_OF(thin), 120, 0, 3600 };
    assert_int_equal(strip_svg(&strip, &out), 0);
    assert_non_null(strstr(strbuf_text(&out), ">1</text>"));
    assert_null(strstr(strbuf_text(&out), ">2</text>"));
    assert_non_null(strstr(strbuf_text(&out), ">3</text>"));
}

static void of_nothing_there_is_no_picture(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct strip strip = { "", parts, 0, 40, 0, 0 };
    assert_int_equal(strip_svg(&strip, &out), -ENODATA);
    strip.part_count = 1;
    strip.columns = 0;
    assert_int_equal(strip_svg(&strip, &out), -ENODATA);
    assert_int_equal(out.size, 0);
    strip.columns = 40;
    assert_int_equal(strip_svg(&strip, &out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_lie_where_their_time_is),
        cmocka_unit_test(numbers_that_do_not_fit_are_left_out),
        cmocka_unit_test(of_nothing_there_is_no_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
