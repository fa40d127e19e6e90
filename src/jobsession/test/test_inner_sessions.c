/* SPDX-License-Identifier: Apache-2.0 */
/* test_inner_sessions - each event once, in its order; what did not come is known. */
#include "base/span.h"
#include "base/test/testing.h"
#include "jobsession/site/inner_sessions.h"

#include <stdio.h>

static struct inner_sessions *inner;
static char id[SESSION_ID_BYTES + 1];

static struct session_report report(unsigned session, uint64_t sequence)
{
    (void)snprintf(id, sizeof id, "%032x", session);
    return (struct session_report){ .session = span_of(id), .sequence = sequence };
}

/* 1: it is new; more: so many before it did not come. */
static uint64_t come(const struct session_report *r)
{
    struct inner_news news;
    inner_sessions_compare(inner, r, &news);
    if (news.gap_first > 0)
        inner_sessions_skip(inner, r, &news);
    if (news.is_new)
        inner_sessions_had(inner, r);
    return news.is_new + (news.gap_first > 0 ? news.gap_last - news.gap_first + 1 : 0);
}

static uint64_t event_come(unsigned session, uint64_t sequence)
{
    const struct session_report r = report(session, sequence);
    return come(&r);
}

static void an_event_is_new_once_and_a_gap_is_seen(void **state)
{
    (void)state;
    assert_int_equal(inner_sessions_new(&inner), 0);
    assert_int_equal(event_come(1, 1), 1);
    assert_int_equal(event_come(1, 1), 0);
    assert_int_equal(event_come(2, 1), 1);
    assert_int_equal(event_come(1, 2), 1);
    assert_int_equal(event_come(1, 5), 3); /* 3, 4 and itself */
    assert_int_equal(event_come(1, 4), 0);
    assert_int_equal(event_come(2, 2), 1);
    inner_sessions_free(inner);
}

static void a_state_is_new_once_and_the_end_counts_events(void **state)
{
    (void)state;
    assert_int_equal(inner_sessions_new(&inner), 0);
    struct session_report r = report(1, 0);
    assert_int_equal(come(&r), 1);
    assert_int_equal(come(&r), 0);
    assert_int_equal(event_come(1, 1), 1);
    r.has_ended = true;
    r.events = 3;
    assert_int_equal(come(&r), 3);
    assert_int_equal(come(&r), 0);
    inner_sessions_free(inner);
}

/* Until it was handed on it comes again. */
static void what_could_not_be_handed_on_is_still_new(void **state)
{
    struct inner_news news;
    (void)state;
    assert_int_equal(inner_sessions_new(&inner), 0);
    assert_int_equal(event_come(1, 1), 1);
    const struct session_report r = report(1, 4);
    for (int i = 0; i < 2; i++) {
        inner_sessions_compare(inner, &r, &news);
        assert_true(news.is_new && news.gap_first == 2 && news.gap_last == 3);
    }
    inner_sessions_skip(inner, &r, &news);
    inner_sessions_compare(inner, &r, &news);
    assert_true(news.is_new && news.gap_first == 0);
    inner_sessions_free(inner);
}

/* As for one that was resumed: they may well have come before. */
static void what_came_before_the_first_is_no_gap(void **state)
{
    (void)state;
    assert_int_equal(inner_sessions_new(&inner), 0);
    struct session_report r = report(2, 0);
    r.events = 5;
    assert_int_equal(come(&r), 1);
    assert_int_equal(event_come(1, 5), 1);
    assert_int_equal(event_come(1, 7), 2); /* 6 and itself */
    assert_int_equal(event_come(2, 5), 1);
    r = report(3, 0);
    r.has_ended = true;
    r.events = 9;
    assert_int_equal(come(&r), 1);
    inner_sessions_free(inner);
}

static void the_least_recent_is_forgotten(void **state)
{
    (void)state;
    assert_int_equal(inner_sessions_new(&inner), 0);
    for (unsigned i = 1; i <= INNER_SESSIONS_MAX; i++)
        assert_int_equal(event_come(i, 1), 1);
    assert_int_equal(event_come(1, 1), 0);
    assert_int_equal(event_come(INNER_SESSIONS_MAX + 1, 1), 1);
    assert_int_equal(event_come(1, 1), 0);
    assert_int_equal(event_come(2, 1), 1);
    inner_sessions_free(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_is_new_once_and_a_gap_is_seen),
        cmocka_unit_test(a_state_is_new_once_and_the_end_counts_events),
        cmocka_unit_test(what_could_not_be_handed_on_is_still_new),
        cmocka_unit_test(what_came_before_the_first_is_no_gap),
        cmocka_unit_test(the_least_recent_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
