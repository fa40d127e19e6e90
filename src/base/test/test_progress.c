/* SPDX-License-Identifier: Apache-2.0 */
/* test_progress - a line of progress comes when it has something new. */
#include "base/number.h"
#include "base/strbuf.h"
#include "base/terminal/progress.h"
#include "base/test/testing.h"

#include <string.h>

static void lines_come_a_quarter_of_a_second_apart(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        size_t done;
        const char *want; /* NULL: no line */
    } cases[] = {
        { 1000, 10, "10 of 100 logs, 10 a second, 9 s left  " },
        { 1100, 11, NULL },
        { 1249, 12, NULL },
        { 1250, 25, "25 of 100 logs, 20 a second, 4 s left  " },
        { 1260, 100, "100 of 100 logs, 79 a second          \n" },
    };
    struct progress progress;
    progress_begin(&progress, "logs", 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        progress_print(&progress, cases[i].done, 100, cases[i].ms * NS_PER_MS, &out);
        if (!cases[i].want)
            assert_int_equal(out.size, 0);
        else
            assert_non_null(strstr(strbuf_text(&out), cases[i].want));
    }
}

static void one_of_one_is_no_progress(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct progress progress;
    progress_begin(&progress, "logs", 0);
    progress_print(&progress, 1, 1, NS_PER_S, &out);
    progress_print(&progress, 0, 0, NS_PER_S, &out);
    assert_int_equal(out.size, 0);
}

static void no_time_left_is_stated_before_anything_is_known(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct progress progress;
    progress_begin(&progress, "logs", NS_PER_S);
    progress_print(&progress, 1, 5, NS_PER_S, &out);
    assert_non_null(strstr(strbuf_text(&out), "1 of 5 logs, 0 a second"));
    assert_null(strstr(strbuf_text(&out), "left"));
}

static void an_estimate_has_what_is_left_of_it(void **state)
{
    (void)state;
    static const struct {
        int64_t s;
        const char *want;
    } cases[] = {
        { 0, "migrating: 0 s, about 100 s left" },
        { 40, "migrating: 40 s, about 60 s left" },
        { 100, "migrating: 100 s, about 0 s left" },
        { 101, "migrating: 101 s, estimated were 100 s" },
    };
    struct progress progress;
    progress_begin(&progress, "migrating", 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        progress_print_estimate(&progress, 100, cases[i].s * NS_PER_S, &out);
        assert_non_null(strstr(strbuf_text(&out), cases[i].want));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_a_quarter_of_a_second_apart),
        cmocka_unit_test(one_of_one_is_no_progress),
        cmocka_unit_test(no_time_left_is_stated_before_anything_is_known),
        cmocka_unit_test(an_estimate_has_what_is_left_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
