/* SPDX-License-Identifier: Apache-2.0 */
/* test_session_report - a report of a session as a line of JSON and back. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "model/session_report.h"

#define ID "0123456789abcdef0123456789abcdef"

static void a_report_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"session\":\"" ID "\",\"name\":\"step0.job-4711.alex\",\"hosts\":\"a[1-2]\","
        "\"ranks\":2,\"address\":\"10.0.0.1:20011\",\"beat\":30000,"
        "\"start\":1669014000,\"state\":\"running\"}\n",
        "{\"session\":\"" ID "\",\"name\":\"x\",\"parent\":\"" ID "\","
        "\"reason\":\"exit status 3\",\"start\":1669014000.500000000,\"uid\":\"1000\","
        "\"cluster\":\"alex\",\"host\":\"a1\",\"job\":\"4711\","
        "\"t\":1669014001,\"state\":\"ended\"}\n",
        "{\"session\":\"" ID "\",\"sequence\":3,\"event\":\"fds.high\","
        "\"payload\":\"{\\\"n\\\":1}\",\"start\":1669014000}\n",
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        AUTO(arena_done) struct arena arena;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct session_report report = { 0 };
        struct err err = { 0 };
        arena_init(&arena, 0);
        if (session_report_read_line(span_of(lines[i]), &arena, &report, &err) < 0)
            fail_msg("line %zu: %s", i, err.text);
        session_report_print_line(&report, &out);
        assert_string_equal(strbuf_text(&out), lines[i]);
    }
}

#define OF "{\"session\":\"" ID "\",\"start\":1,"

static void a_bad_report_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        { "[]", "object" },
        { "{}", "of a session" },
        { OF "\"name\":\"x\"}", "'state' is missing" },
        { OF "\"name\":\"x\",\"state\":\"lost\"}", "not running or ended" },
        { OF "\"name\":\"x\",\"event\":\"y\",\"state\":\"ended\"}", "of a session" },
        { OF "\"event\":\"y\"}", "of a session" },
        { OF "\"event\":\"y\",\"sequence\":1,\"state\":\"ended\"}", "no state" },
        { OF "\"name\":\"x\",\"sequence\":1,\"state\":\"ended\"}", "of a session" },
        { OF "\"event\":\"y\",\"sequence\":10001}", "at most 10,000" },
        { OF "\"event\":\"y\",\"sequence\":-1}", "whole number" },
        { OF "\"name\":\"a/b\",\"state\":\"ended\"}", "other bytes" },
        { OF "\"name\":\".x\",\"state\":\"ended\"}", "other bytes" },
        { OF "\"name\":\"x\",\"state\":\"ended\",\"parent\":\"..\"}", "32 hexa" },
        { "{\"session\":\"x\",\"start\":1,\"name\":\"x\",\"state\":\"ended\"}",
          "32 hexa" },
        { "{\"session\":\"" ID "\",\"name\":\"x\",\"state\":\"ended\"}", "'start'" },
        { OF "\"name\":\"x\",\"state\":\"ended\",\"hosts\":\"\\u0007\"}", "control" },
        { OF "\"name\":\"x\",\"state\":\"ended\",\"ranks\":1e9}", "whole number" },
        { OF "\"name\":\"x\",\"state\":\"ended\",\"beat\":99999999999}", "more than" },
        { OF "\"name\":\"x\",\"state\":\"ended\",\"t\":\"now\"}", "not a number" },
        { OF "\"name\":\"x\",\"name\":\"x\"}", "twice" },
        { OF "\"color\":1}", "not a key" },
        { OF "\"event\":\"y\",\"sequence\":10000}", NULL },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct session_report report;
        struct err err = { 0 };
        arena_init(&arena, 0);
        int rc =
            session_report_read_line(span_of(cases[i].line), &arena, &report, &err);
        if (!cases[i].reason && rc == 0)
            continue;
        if (rc != -EBADMSG || !cases[i].reason || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d, %s", cases[i].line, rc, err.text);
    }
}

static void what_the_agent_adds_is_checked_by_itself(void **state)
{
    (void)state;
    struct session_report r = { .uid = SPAN("0"), .host = SPAN("a1"), .t_ns = 1 };
    assert_null(session_report_check_sender(&r));
    r.uid = SPAN("root");
    assert_non_null(session_report_check_sender(&r));
    r.uid = SPAN("42949672950");
    assert_non_null(session_report_check_sender(&r));
    r.uid = SPAN("1000");
    r.host = SPAN("a/1");
    assert_non_null(session_report_check_sender(&r));
    r.host = SPAN("a1");
    r.t_ns = 0;
    assert_non_null(session_report_check_sender(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_comes_back_as_it_was),
        cmocka_unit_test(a_bad_report_is_refused_with_its_reason),
        cmocka_unit_test(what_the_agent_adds_is_checked_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
