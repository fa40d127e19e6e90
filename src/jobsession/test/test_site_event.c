/* SPDX-License-Identifier: Apache-2.0 */
/* test_site_event - lines of an agent as events of a session, and hostile ones as none.
 */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "jobsession/site/site_event.h"
#include "session/session.h"

#include <errno.h>

static void a_line_is_an_event_that_is_marked(void **state)
{
    static const struct {
        const char *line;
        int rc;
        const char *name, *payload;
    } lines[] = {
        { "event 7.3 1669014000000000000 0 kernel.mce bank \"4\" a", 0,
          "site.kernel.mce",
          "{\"number\":\"7.3\",\"t\":1669014000,\"uid\":\"0\",\"payload\":\"bank "
          "\\\"4\\\" "
          "a\"}" },
        { "event 7.3 5 0 a ", 0, "site.a",
          "{\"number\":\"7.3\",\"t\":0.000000005,\"uid\":\"0\",\"payload\":\"\"}" },
        { "health {\"health\":\"up\"}", 0, "site.health", "{\"health\":\"up\"}" },
        { "lost 3", 0, "site.lost", "{\"count\":3}" },
        { "gap 7 4 9", 0, "site.gap", "{\"incarnation\":7,\"first\":4,\"last\":9}" },
        { "rest 7 4", 0, "site.rest", "{\"incarnation\":7,\"first\":4}" },
        { "event 7.3 x 0 a ", -EBADMSG, NULL, NULL },
        { "event 7.3 5 0", -EBADMSG, NULL, NULL },
        { "event", -EBADMSG, NULL, NULL },
        { "event 7.3 5 0 a/b x", -EBADMSG, NULL, NULL },
        { "lost", -EBADMSG, NULL, NULL },
        { "lost x", -EBADMSG, NULL, NULL },
        { "gap 7 4", -EBADMSG, NULL, NULL },
        { "session {}", -EBADMSG, NULL, NULL },
        { "", -EBADMSG, NULL, NULL },
    };
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        int rc = site_event_print(span_of(lines[i].line), &name, &payload);
        if (rc != lines[i].rc)
            fail_msg("%s: %d", lines[i].line, rc);
        if (rc < 0)
            continue;
        assert_string_equal(strbuf_text(&name), lines[i].name);
        assert_string_equal(strbuf_text(&payload), lines[i].payload);
        assert_true(site_event_is_foreign(strbuf_span(&name)));
    }
    assert_false(site_event_is_foreign(SPAN("plan.site.low")));
}

static void what_is_too_long_is_cut_at_a_character(void **state)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    (void)state;
    strbuf_adds(&line, "event 7.3 5 0 a ");
    for (int i = 0; i < 1365; i++)
        strbuf_adds(&line, i % 2 ? "\xe2\x82\xac" : "\"\\/");
    assert_int_equal(site_event_print(strbuf_span(&line), &name, &payload), 0);
    assert_true(payload.size <= SESSION_PAYLOAD_MAX && payload.size > 3000);
    assert_non_null(strstr(strbuf_text(&payload), ",\"cut\":true}"));
}

static void a_report_is_an_event_of_a_child(void **state)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct session_report r = { .session = SPAN("00112233445566778899aabbccddeeff"),
                                .sequence = 2,
                                .name = SPAN("plan.low"),
                                .payload = SPAN("{}"),
                                .start_ns = 2 * NS_PER_S };
    (void)state;
    assert_int_equal(child_event_print(&r, &name, &payload), 0);
    assert_string_equal(strbuf_text(&name), "child.plan.low");
    assert_string_equal(strbuf_text(&payload),
                        "{\"session\":\"00112233445566778899aabbccddeeff\","
                        "\"sequence\":2,\"t\":2,\"payload\":\"{}\"}");
    r.sequence = 0;
    r.has_ended = true;
    r.name = SPAN("inner");
    r.reason = SPAN("exit status 3");
    assert_int_equal(child_event_print(&r, &name, &payload), 0);
    assert_string_equal(strbuf_text(&name), "child.session");
    assert_string_equal(strbuf_text(&payload),
                        "{\"session\":\"00112233445566778899aabbccddeeff\","
                        "\"name\":\"inner\",\"state\":\"ended\","
                        "\"reason\":\"exit status 3\"}");
    assert_int_equal(child_lost_print(SPAN("3"), &name, &payload), 0);
    assert_string_equal(strbuf_text(&name), "child.lost");
    assert_string_equal(strbuf_text(&payload), "{\"count\":3}");
    assert_int_equal(child_gap_print(r.session, 3, 9, &name, &payload), 0);
    assert_string_equal(strbuf_text(&name), "child.gap");
    assert_non_null(strstr(strbuf_text(&payload), "\"first\":3,\"last\":9}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_an_event_that_is_marked),
        cmocka_unit_test(what_is_too_long_is_cut_at_a_character),
        cmocka_unit_test(a_report_is_an_event_of_a_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
