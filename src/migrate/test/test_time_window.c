/* SPDX-License-Identifier: Apache-2.0 */
/* test_time_window - from when to when. */
#include "migrate/time_window.h"

#include "base/cleanup.h"
#include "base/number.h"

#include "base/test/testing.h"

#define NOW_S INT64_C(1700000000)

static void a_window_is_what_is_given(void **state)
{
    static const struct {
        struct time_window_text text;
        int64_t from_s, to_s;
    } cases[] = {
        { { NULL, NULL, NULL }, NOW_S - 3720, NOW_S - 120 },
        { { NULL, "@1600000000", NULL }, 1599996400, 1600000000 },
        { { "@1600000000", NULL, NULL }, 1600000000, NOW_S - 120 },
        { { NULL, NULL, "10m" }, NOW_S - 720, NOW_S - 120 },
        { { NULL, "now", "2h" }, NOW_S - 7200, NOW_S },
        { { "-2h", "now", "10m" }, NOW_S - 7200, NOW_S },
        { { NULL, "@60", "1h" }, 0, 60 },
        { { "@5", "@5", NULL }, 5, 5 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        struct time_window w = time_window_settled(NOW_S * NS_PER_S);
        assert_int_equal(time_window_parse(&cases[i].text, NOW_S * NS_PER_S, &w, &err),
                         0);
        assert_int_equal(w.from_ns, cases[i].from_s * NS_PER_S);
        assert_int_equal(w.to_ns, cases[i].to_s * NS_PER_S);
    }
}

static void without_a_default_it_is_all_of_time(void **state)
{
    struct time_window w = time_window_all();
    const struct time_window_text none = { 0 };
    const struct time_window_text until = { .to = "@100" };
    (void)state;
    assert_int_equal(time_window_parse(&none, 0, &w, NULL), 0);
    assert_int_equal(w.from_ns, 0);
    assert_int_equal(w.to_ns, INT64_MAX);
    assert_int_equal(time_window_parse(&until, 0, &w, NULL), 0);
    assert_int_equal(w.from_ns, 0);
    assert_int_equal(w.to_ns, 100 * NS_PER_S);
}

static void what_is_wrong_is_named_and_changes_nothing(void **state)
{
    static const struct {
        struct time_window_text text;
        const char *want;
    } cases[] = {
        { { "soon", NULL, NULL }, "--from: 'soon' is not a time" },
        { { NULL, "", NULL }, "--to: '' is not a time" },
        { { NULL, NULL, "much" }, "--last: 'much' is not a duration" },
        { { "@10", "@5", NULL }, "--from: is after --to" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        struct time_window w = { 1, 2 };
        assert_int_equal(time_window_parse(&cases[i].text, NOW_S * NS_PER_S, &w, &err),
                         -EINVAL);
        assert_string_equal(err.text, cases[i].want);
        assert_int_equal(w.from_ns, 1);
        assert_int_equal(w.to_ns, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_is_what_is_given),
        cmocka_unit_test(without_a_default_it_is_all_of_time),
        cmocka_unit_test(what_is_wrong_is_named_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
