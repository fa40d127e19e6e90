/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_peer - the words that cc-metric-store has for bad lines. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/line_peer.h"

#include <errno.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const struct {
    const char *line, *want; /* "": taken */
} cases[] = {
    { "m,a=b value=1 5\n", "" },
    { "m value=1", "" },
    { "m value=1,value=2i", "" },
    { "m value=\"a\\\"b\" 5", "" },
    { "m,a=1,a=2 value=1 5\n", "" },
    { "m value=1 soon\n", "" },
    { "\x01 value=1",
      "1: invalid character '\\x01' found at start of measurement name" },
    { "m,\n", "3: expected tag key after comma; got white space instead" },
    { "m,", "3: expected tag key after comma; got end of input" },
    { "m", "2: expected tag key or field but found end of input instead" },
    { "m\n", "2: expected tag key or field but found '\\n' instead" },
    { "m,a\n", "3: expected '=' after tag key \"a\", but got '\\n' instead" },
    { "m,a", "3: expected '=' after tag key \"a\", but got end of input instead" },
    { "m,=b value=1\n", "3: empty tag key" },
    { "m,a= value=1\n", "5: expected tag value after tag key \"a\", but none found" },
    { "m,a=b", "6: expected field key but none found" },
    { "m \n", "3: invalid character '\\n' found at start of field key" },
    { "m value\n", "8: want '=' after field key \"value\", found '\\n'" },
    { "m value", "8: want '=' after field key \"value\", found end of input" },
    { "m value=", "9: expected value for field \"value\", found end of input" },
    { "m value= 5\n", "9: missing field value for field \"value\"" },
    { "m value=\n", "9: value for field \"value\" (\"\") has unrecognized type" },
    { "m value=abc 5\n",
      "9: value for field \"value\" (\"abc\") has unrecognized type" },
    { "m value=+5 5\n", "9: value for field \"value\" (\"+5\") has unrecognized type" },
    { "m value=tru 5\n",
      "9: cannot parse value for field key \"value\": invalid bool value \"tru\"" },
    { "m value=1.1.1\n",
      "9: cannot parse value for field key \"value\": invalid float value syntax" },
    { "m value=1ii\n",
      "9: cannot parse value for field key \"value\": invalid integer value syntax" },
    { "m value=-1u\n",
      "9: cannot parse value for field key \"value\": invalid unsigned "
      "integer value syntax" },
    { "m value=99999999999999999999i\n",
      "9: cannot parse value for field key \"value\": line-protocol value out of "
      "range" },
    { "m value=\"abc",
      "9: expected closing quote for string field \"value\", found end of input" },
    { "m value=\"a\"b\n", "12: unexpected character 'b' after field \"value\"" },
    { "m,a=\xff value=1\n", "5: invalid utf-8 sequence in token \"\\xff\"" },
};

static void the_first_fault_is_named_as_the_peer_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
        int rc = line_peer_check(span_of(cases[i].line), 7, &got);
        if (cases[i].want[0])
            strbuf_addf(&want, "at line 7:%s", cases[i].want);
        assert_int_equal(rc, cases[i].want[0] ? -EBADMSG : 0);
        if (strcmp(strbuf_text(&got), strbuf_text(&want)) != 0)
            fail_msg("%s\n got  %s\n want %s", cases[i].line, strbuf_text(&got),
                     strbuf_text(&want));
    }
}

static void a_measurement_ends_where_its_tags_begin(void **state)
{
    (void)state;
    struct span name = line_peer_measurement(SPAN("a\\ b,c=d value=1"));
    assert_true(span_is(name, "a\\ b"));
    assert_int_equal(line_peer_measurement(SPAN("\n")).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_fault_is_named_as_the_peer_does),
        cmocka_unit_test(a_measurement_ends_where_its_tags_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
