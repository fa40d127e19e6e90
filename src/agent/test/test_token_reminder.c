/* SPDX-License-Identifier: Apache-2.0 */
/* test_token_reminder - when the end of a token is reported, and that another one is
 * there.
 */
#include "agent/test/lctl.h"
#include "agent/token_reminder.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#define DAY_S INT64_C(86400)
#define ID "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b10"

static uv_loop_t loop;
static struct agent_reports reports = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct agent_report report = { agent_reports_add, &reports };

static void write_token(const char *path, const char *id, int64_t left_s)
{
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int64_t now_s = clock_now_ns() / NS_PER_S;
    struct token token = { .role = NET_ROLE_AGENT,
                           .host = "oss01",
                           .issued_s = now_s - 100 * DAY_S,
                           .expires_s = now_s + left_s };
    (void)snprintf(token.id, sizeof token.id, "%s", id);
    assert_int_equal(token_key_new(&key, NULL), 0);
    assert_int_equal(token_sign(key, &token, &text, NULL), 0);
    assert_int_equal(file_replace(path, text.data, text.size, 0600, NULL), 0);
}

static void start(struct token_reminder *r, const char *path)
{
    reports.text[0] = '\0';
    assert_int_equal(uv_loop_init(&loop), 0);
    token_reminder_start(r, path, &loop, &report);
}

static void stop(struct token_reminder *r)
{
    if (r->file)
        uv_close((uv_handle_t *)&r->timer, NULL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    token_file_free(r->file);
}

static void an_end_within_thirty_days_is_reported_at_the_start(void **state)
{
    static const struct {
        int64_t left_s;
        const char *want;
    } cases[] = {
        { 31 * DAY_S, "" },
        { 30 * DAY_S - 100, "1 token_file: the token " ID " expires in 29 days, at " },
        { 3700, "1 token_file: the token " ID " expires in 1 hours, at " },
        { -3600, "0 token_file: the token " ID " has expired: batches wait in the" },
    };
    const char *path = scratch_path("token");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct token_reminder r;
        write_token(path, ID, cases[i].left_s);
        start(&r, path);
        if (strncmp(reports.text, cases[i].want, strlen(cases[i].want)) != 0 ||
            (!cases[i].want[0] && reports.text[0]))
            fail_msg("%lld s: %s", (long long)cases[i].left_s, reports.text);
        assert_true(r.expires_s != 0);
        /* Not again before a day has passed. */
        reports.text[0] = '\0';
        r.timer.timer_cb(&r.timer);
        assert_string_equal(reports.text, "");
        stop(&r);
    }
}

static void a_token_that_has_no_end_for_us_is_never_reported(void **state)
{
    static const char *const others[] = { NULL, "", "/nonexistent/token" };
    const char *path = scratch_path("others");
    struct token_reminder r;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        start(&r, others[i]);
        assert_null(r.file);
        assert_int_equal(r.expires_s, 0);
        assert_string_equal(reports.text, "");
        stop(&r);
    }
    assert_int_equal(file_replace(path, "another.programs.token", 22, 0600, NULL), 0);
    start(&r, path);
    assert_non_null(r.file);
    assert_int_equal(r.expires_s, 0);
    r.timer.timer_cb(&r.timer);
    assert_string_equal(reports.text, "");
    stop(&r);
}

static void another_token_in_its_place_is_used_and_reported(void **state)
{
    const char *path = scratch_path("replaced");
    struct token_reminder r;
    (void)state;
    write_token(path, ID, 100 * DAY_S);
    start(&r, path);
    int64_t before_s = r.expires_s;
    write_token(path, "00000000-0d6c-4f5e-9a58-0d8f6f1f0b11", 10 * DAY_S + 100);
    r.timer.timer_cb(&r.timer);
    assert_true(r.expires_s < before_s);
    assert_non_null(strstr(reports.text, "2 token_file: another token is there and is "
                                         "used from now on: 00000000-"));
    assert_non_null(strstr(reports.text, "b11 expires in 10 days"));
    /* It goes away: the one that was read stays. */
    reports.text[0] = '\0';
    assert_int_equal(unlink(path), 0);
    r.timer.timer_cb(&r.timer);
    assert_true(r.expires_s < before_s && r.expires_s > 0);
    assert_non_null(strstr(reports.text, "the token that was read before is used"));
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_within_thirty_days_is_reported_at_the_start),
        cmocka_unit_test(a_token_that_has_no_end_for_us_is_never_reported),
        cmocka_unit_test(another_token_in_its_place_is_used_and_reported),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
