/* SPDX-License-Identifier: Apache-2.0 */
/* test_session - what a server issues itself: found, ended, bounded. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "net/token/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct session session_of(const char *user, int64_t expires_s)
{
    struct session session = { .roles = NET_ROLE_USER };
    session.token.role = NET_ROLE_USER;
    session.token.expires_s = expires_s;
    (void)snprintf(session.token.user, sizeof session.token.user, "%s", user);
    return session;
}

static void it_holds_until_its_time(void **state)
{
    (void)state;
    AUTO(sessions_free) struct sessions *sessions = NULL;
    char text[SESSION_TEXT_SIZE];
    struct session alice = session_of("alice", 200), found;
    assert_int_equal(sessions_new(&sessions), 0);
    assert_int_equal(session_issue(sessions, &alice, 100, text), 0);
    assert_int_equal(strlen(text), SESSION_TEXT_SIZE - 1);
    assert_int_equal(session_find(sessions, span_of(text), 199, &found), 0);
    assert_string_equal(found.token.user, "alice");
    assert_string_equal(found.token.id, alice.token.id);
    assert_int_equal(found.token.issued_s, 100);
    assert_int_equal(session_find(sessions, span_of(text), 200, &found), -EPERM);
}

static void what_was_not_issued_is_none(void **state)
{
    (void)state;
    AUTO(sessions_free) struct sessions *sessions = NULL;
    char text[SESSION_TEXT_SIZE], other[SESSION_TEXT_SIZE];
    struct session alice = session_of("alice", 200), found;
    assert_int_equal(sessions_new(&sessions), 0);
    assert_int_equal(session_issue(sessions, &alice, 100, text), 0);
    memcpy(other, text, sizeof other);
    other[7] = other[7] == 'A' ? 'B' : 'A';
    assert_int_equal(session_find(sessions, span_of(other), 100, &found), -EPERM);
    assert_int_equal(session_find(sessions, SPAN(""), 100, &found), -EPERM);
    assert_int_equal(session_find(sessions, (struct span){ text, 42 }, 100, &found),
                     -EPERM);
    assert_int_equal(session_find(sessions, (struct span){ text, 44 }, 100, &found),
                     -EPERM);
    assert_false(session_end(sessions, span_of(other), NULL));
    assert_int_equal(sessions_count(sessions), 1);
}

static void it_can_be_ended(void **state)
{
    (void)state;
    AUTO(sessions_free) struct sessions *sessions = NULL;
    char text[SESSION_TEXT_SIZE], other[SESSION_TEXT_SIZE];
    struct session alice = session_of("alice", 200), found;
    assert_int_equal(sessions_new(&sessions), 0);
    assert_int_equal(session_issue(sessions, &alice, 100, text), 0);
    assert_int_equal(session_issue(sessions, &alice, 100, other), 0);
    assert_string_not_equal(text, other);
    assert_true(session_end(sessions, span_of(text), &found));
    assert_string_equal(found.token.user, "alice");
    assert_false(session_end(sessions, span_of(text), NULL));
    assert_int_equal(session_find(sessions, span_of(text), 100, &found), -EPERM);
    assert_int_equal(session_find(sessions, span_of(other), 100, &found), 0);
}

/* Who signs in again and again ends her own sessions, never another's. */
static void a_user_has_so_many(void **state)
{
    (void)state;
    AUTO(sessions_free) struct sessions *sessions = NULL;
    char bobs[SESSION_TEXT_SIZE], first[SESSION_TEXT_SIZE] = "";
    char text[SESSION_TEXT_SIZE] = "";
    struct session bob = session_of("bob", 200), found;
    assert_int_equal(sessions_new(&sessions), 0);
    assert_int_equal(session_issue(sessions, &bob, 100, bobs), 0);
    for (int i = 0; i < 3 * SESSIONS_OF_USER_MAX; i++) {
        struct session alice = session_of("alice", 1000 + i);
        assert_int_equal(session_issue(sessions, &alice, 100, i ? text : first), 0);
    }
    assert_int_equal(sessions_count(sessions), SESSIONS_OF_USER_MAX + 1);
    assert_int_equal(session_find(sessions, span_of(first), 100, &found), -EPERM);
    assert_int_equal(session_find(sessions, span_of(text), 100, &found), 0);
    assert_int_equal(session_find(sessions, span_of(bobs), 100, &found), 0);
    /* Those that have ended take no place. */
    assert_int_equal(
        session_issue(sessions, &bob, 1000 + 3 * SESSIONS_OF_USER_MAX, text), 0);
    assert_int_equal(sessions_count(sessions), 1);
}

static void the_table_is_bounded(void **state)
{
    (void)state;
    AUTO(sessions_free) struct sessions *sessions = NULL;
    char text[SESSION_TEXT_SIZE], user[16];
    struct session found;
    assert_int_equal(sessions_new(&sessions), 0);
    for (int i = 0; i < SESSIONS_MAX + 3; i++) {
        (void)snprintf(user, sizeof user, "u%d", i);
        struct session session = session_of(user, 1000 + i);
        assert_int_equal(session_issue(sessions, &session, 100, text), 0);
    }
    assert_int_equal(sessions_count(sessions), SESSIONS_MAX);
    assert_int_equal(session_find(sessions, span_of(text), 100, &found), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_holds_until_its_time),
        cmocka_unit_test(what_was_not_issued_is_none),
        cmocka_unit_test(it_can_be_ended),
        cmocka_unit_test(a_user_has_so_many),
        cmocka_unit_test(the_table_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
