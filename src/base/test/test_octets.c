/* SPDX-License-Identifier: Apache-2.0 */
/* test_octets - what was written is read; what is cut or too long is bad. */
#include "base/octets.h"
#include "base/span.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void what_is_written_is_read(void **state)
{
    (void)state;
    static const uint64_t values[] = { 0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        octets_add_varint(&out, values[i]);
        octets_add_u64(&out, values[i]);
    }
    octets_add_double(&out, -0.125);
    octets_add_text(&out, SPAN("load"));
    struct octets in = { .rest = strbuf_span(&out) };
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        assert_int_equal(octets_varint(&in), values[i]);
        assert_int_equal(octets_u64(&in), values[i]);
    }
    assert_true(octets_double(&in) == -0.125);
    assert_true(span_is(octets_text(&in, 4), "load"));
    assert_int_equal(octets_done(&in), 0);
}

static void what_is_cut_or_too_long_is_bad(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct span bytes;
        size_t limit;
    } cases[] = {
        { "nothing", SPAN(""), 10 },
        { "a text cut short",
          SPAN("\x05"
               "abcd"),
          10 },
        { "a text over its limit",
          SPAN("\x05"
               "abcde"),
          4 },
        { "a length without end", SPAN("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), 4 },
        { "a length of 65 bits", SPAN("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02"), 4 },
        { "more than was read",
          SPAN("\x01"
               "ab"),
          10 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct octets in = { .rest = cases[i].bytes };
        (void)octets_text(&in, cases[i].limit);
        if (octets_done(&in) != -EBADMSG)
            fail_msg("%s is accepted", cases[i].name);
    }
}

static void a_double_that_is_no_number_is_bad(void **state)
{
    (void)state;
    static const double values[] = { NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        octets_add_double(&out, values[i]);
        struct octets in = { .rest = strbuf_span(&out) };
        assert_true(octets_double(&in) == 0);
        assert_int_equal(octets_done(&in), -EBADMSG);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_cut_or_too_long_is_bad),
        cmocka_unit_test(a_double_that_is_no_number_is_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
