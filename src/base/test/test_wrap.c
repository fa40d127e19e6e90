/* SPDX-License-Identifier: Apache-2.0 */
/* test_wrap - lines broken at blanks. */
#include "base/span.h"
#include "base/terminal/wrap.h"
#include "base/test/testing.h"

#include <stdlib.h>

static void long_lines_go_on_below_their_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wrapped;
    } cases[] = {
        { "", "" },
        { "\n", "\n" },
        { "short\n\nline", "short\n\nline" },
        { "forty columns are what this line has got", /* to the last of them */
          "forty columns are what this line has got" },
        { "forty columns are less than this line's has\n",
          "forty columns are less than this line's\nhas\n" },
        { "small   many reads and writes are below one mebibyte\n",
          "small   many reads and writes are below\n        one mebibyte\n" },
        { "    many reads and writes are below one mebibyte\n",
          "    many reads and writes are below one\n    mebibyte\n" },
        { "OST0000   12 MiB   of others, which is a row of a table\n",
          "OST0000   12 MiB   of others, which is a row of a table\n" },
        { "Command: /a/path/of/which/no/part/may/stand/alone -x\n",
          "Command:\n/a/path/of/which/no/part/may/stand/alone\n-x\n" },
        { "oneverylongwordthatcannotbebrokenanywhereatall\n",
          "oneverylongwordthatcannotbebrokenanywhereatall\n" },
        { "f\xC3\xBCnfzig f\xC3\xBCnfzig f\xC3\xBCnfzig f\xC3\xBCnfzig f\xC3\xBCnfzi\n",
          "f\xC3\xBCnfzig f\xC3\xBCnfzig f\xC3\xBCnfzig f\xC3\xBCnfzig "
          "f\xC3\xBCnfzi\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        wrap_lines(span_of(cases[i].text), 40, &out);
        assert_string_equal(strbuf_text(&out), cases[i].wrapped);
    }
}

static void the_environment_says_how_wide_a_page_is(void **state)
{
    (void)state;
    assert_int_equal(setenv("COLUMNS", "72", 1), 0);
    assert_int_equal(wrap_columns(-1), 72);
    assert_int_equal(setenv("COLUMNS", "3", 1), 0);
    assert_int_equal(wrap_columns(-1), WRAP_COLUMNS_MIN);
    assert_int_equal(setenv("COLUMNS", "wide", 1), 0);
    assert_int_equal(wrap_columns(-1), WRAP_COLUMNS_DEFAULT);
    assert_int_equal(unsetenv("COLUMNS"), 0);
    assert_int_equal(wrap_columns(-1), WRAP_COLUMNS_DEFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lines_go_on_below_their_text),
        cmocka_unit_test(the_environment_says_how_wide_a_page_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
