/* SPDX-License-Identifier: Apache-2.0 */
/* test_route - percent-encoding taken apart, hostile ones refused. */
#include "base/span.h"
#include "net/route.h"

#include "base/test/testing.h"

static void texts_are_decoded_by_where_they_stand(void **state)
{
    static const struct {
        const char *text;
        bool is_query;
        int want;
        const char *decoded;
    } cases[] = {
        { "", false, 0, "" },
        { "a/b", false, 0, "a/b" },
        { "a%2Fb", false, 0, "a/b" },
        { "%c3%BC", false, 0, "\xc3\xbc" },
        { "a+b", false, 0, "a+b" },
        { "a+b", true, 0, "a b" },
        { "a%2Bb", true, 0, "a+b" },
        { "%00", false, -EINVAL, NULL },
        { "%", false, -EINVAL, NULL },
        { "%2", false, -EINVAL, NULL },
        { "%zz", false, -EINVAL, NULL },
        { "%2g", true, -EINVAL, NULL },
        { "%25", false, 0, "%" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct span got = { 0 };
        arena_init(&arena, 4096);
        int rc = route_decode(&arena, span_of(cases[i].text), cases[i].is_query, &got);
        if (rc != cases[i].want || (rc == 0 && !span_is(got, cases[i].decoded)))
            fail_msg("'%s': %d, '" SPAN_FMT "'", cases[i].text, rc, SPAN_ARG(got));
    }
}

static void a_text_that_is_too_long_for_its_request_is_refused(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    static char text[REQUEST_ARENA_BYTES_MAX + 1];
    struct span got;
    memset(text, 'x', sizeof text);
    arena_init(&arena, REQUEST_ARENA_BYTES_MAX);
    assert_int_equal(
        route_decode(&arena, (struct span){ text, sizeof text }, false, &got),
        -EMSGSIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_decoded_by_where_they_stand),
        cmocka_unit_test(a_text_that_is_too_long_for_its_request_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
