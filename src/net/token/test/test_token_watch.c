/* SPDX-License-Identifier: Apache-2.0 */
/* test_token_watch - which of the tokens that were used end, and when. */
#include "base/number.h"
#include "base/test/testing.h"
#include "net/token/token_watch.h"

#define DAY_S INT64_C(86400)
#define NOW_S INT64_C(1700000000)

static struct token token_of(char last, int64_t left_s)
{
    struct token token = { .role = NET_ROLE_AGENT,
                           .id = "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b10",
                           .host = "oss01" };
    token.id[35] = last;
    token.expires_s = NOW_S + left_s;
    return token;
}

static void write_down(void *arg, const struct token *token, int64_t left_s)
{
    strbuf_addf(arg, "%c:%lld ", token->id[35], (long long)(left_s / DAY_S));
}

static void each_is_told_of_once_a_day_from_a_month_before(void **state)
{
    static const struct {
        int64_t after_s;
        const char *want;
    } cases[] = {
        { 0, "a:5 " },
        { 3600, "" },
        { DAY_S, "a:4 " },
        { DAY_S + 60, "" },
        { 2 * DAY_S, "a:3 b:30 " },
        { DAY_S, "" /* the clock was set back */ },
    };
    AUTO(token_watch_free) struct token_watch *watch = NULL;
    (void)state;
    assert_int_equal(token_watch_new(&watch), 0);
    struct token a = token_of('a', 5 * DAY_S), b = token_of('b', 32 * DAY_S),
                 c = token_of('c', 300 * DAY_S);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
        int64_t now_s = NOW_S + cases[i].after_s;
        token_watch_see(watch, &a, now_s);
        token_watch_see(watch, &b, now_s);
        token_watch_see(watch, &c, now_s);
        token_watch_remind(watch, now_s, write_down, &got);
        bool is_other_order = strcmp(strbuf_text(&got), "b:30 a:3 ") == 0 &&
                              strcmp(cases[i].want, "a:3 b:30 ") == 0;
        /* A clock set back may tell of one again; never of one that ends late. */
        if (i + 1 == COUNT_OF(cases))
            assert_null(strchr(strbuf_text(&got), 'c'));
        else if (!is_other_order)
            assert_string_equal(strbuf_text(&got), cases[i].want);
    }
}

static void what_is_left_is_of_the_first_that_is_still_used(void **state)
{
    AUTO(token_watch_free) struct token_watch *watch = NULL;
    AUTO(table_done) struct table table;
    int64_t left_s = -1;
    (void)state;
    assert_int_equal(token_watch_new(&watch), 0);
    assert_false(token_watch_left(watch, NOW_S, &left_s));
    struct token old = token_of('1', 9 * DAY_S), new = token_of('2', 300 * DAY_S);
    token_watch_see(watch, &new, NOW_S);
    token_watch_see(watch, &old, NOW_S);
    assert_true(token_watch_left(watch, NOW_S, &left_s));
    assert_int_equal(left_s, 9 * DAY_S);
    table_init(&table);
    token_watch_report(watch, NOW_S, &table);
    assert_int_equal(table.row_count, 2);
    assert_string_equal(table_at(&table, 0, 4)->text, old.id);
    assert_string_equal(table_at(&table, 0, 2)->text, "oss01");
    assert_true(table_at(&table, 0, 3)->is_null);
    /* Replaced: the old one is not shown any more. */
    int64_t later_s = NOW_S + (TOKEN_WATCH_DAYS + 1) * DAY_S;
    token_watch_see(watch, &new, later_s);
    assert_true(token_watch_left(watch, later_s, &left_s));
    assert_int_equal(left_s, new.expires_s - later_s);
    /* And one that has ended is not waited for. */
    assert_false(token_watch_left(watch, new.expires_s, &left_s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_told_of_once_a_day_from_a_month_before),
        cmocka_unit_test(what_is_left_is_of_the_first_that_is_still_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
