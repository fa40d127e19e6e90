/* SPDX-License-Identifier: Apache-2.0 */
/* test_local_watchers - what each watcher reads: its node's events in order, from where
 * it was; a gap or a loss is stated; a slow one costs no other.
 */
#include "agent/local/local_watchers.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

static uv_loop_t loop;
static struct local_watchers *all;

struct reader {
    uv_pipe_t pipe;
    int fd;
    struct local_watcher *watcher;
    char text[1 << 20];
};

static struct reader one, other;

static int64_t now_ns = 100 * NS_PER_S;

static const char *job = "4711";

static const char session_id[] = "00112233445566778899aabbccddeeff";

static void begin(void)
{
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(local_watchers_new(&all), 0);
    one.fd = other.fd = -1;
}

static void reader_close(struct reader *r)
{
    if (r->fd < 0)
        return;
    local_watcher_end(r->watcher);
    uv_close((uv_handle_t *)&r->pipe, NULL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    local_watcher_free(r->watcher);
    (void)close(r->fd);
    r->fd = -1;
    r->watcher = NULL;
}

static void end(void)
{
    reader_close(&one);
    reader_close(&other);
    local_watchers_free(all);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static const char *watch(struct reader *r, uid_t uid, const char *line)
{
    struct local_request request;
    const char *why = NULL;
    int fds[2];
    assert_int_equal(local_request_parse(span_of(line), &request, &why), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(uv_pipe_init(&loop, &r->pipe, 0), 0);
    assert_int_equal(uv_pipe_open(&r->pipe, fds[0]), 0);
    r->fd = fds[1];
    assert_int_equal(fcntl(r->fd, F_SETFL, O_NONBLOCK), 0);
    why = local_watchers_add(all, uid, job, &request, (uv_stream_t *)&r->pipe,
                             &r->watcher);
    if (!why)
        local_watcher_begin(r->watcher, now_ns);
    return why;
}

/* Its job watched before. */
static void job_come(void)
{
    assert_null(watch(&one, 1000, "watch node"));
    reader_close(&one);
}

/* What there is to read, and has not been read. */
static const char *read_all(struct reader *r)
{
    size_t size = 0;
    for (int i = 0; i < 50; i++) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        ssize_t n = read(r->fd, r->text + size, sizeof r->text - 1 - size);
        size += n > 0 ? (size_t)n : 0;
    }
    r->text[size] = '\0';
    return r->text;
}

static void event_come(uint64_t incarnation, uint64_t sequence, uid_t uid,
                       const char *name, const char *payload)
{
    const struct session_event event = { .incarnation = incarnation,
                                         .sequence = sequence,
                                         .t_ns = 5,
                                         .uid = (uint32_t)uid,
                                         .name = span_of(name),
                                         .payload = span_of(payload) };
    local_watchers_event(all, &event, name[0] != '-');
}

static void its_nodes_events_come_in_order_and_no_others(void **state)
{
    (void)state;
    begin();
    assert_null(watch(&one, 1000, "watch node"));
    event_come(7, 1, 0, "kernel.mce", "bank 4\nand \xff more");
    event_come(7, 2, 0, "-foreign", "of another node");
    event_come(7, 3, 1000, "user.mine", "");
    event_come(7, 4, 1001, "user.theirs", "");
    assert_string_equal(read_all(&one), "event 7.1 5 0 kernel.mce bank 4\\x0Aand \\xFF "
                                        "more\nevent 7.3 5 1000 user.mine \n");
    local_watchers_position(all);
    assert_string_equal(read_all(&one), "at 7.4\n");
    end();
}

static void one_that_comes_back_resumes_where_it_was(void **state)
{
    (void)state;
    begin();
    job_come();
    for (uint64_t i = 1; i <= 4; i++)
        event_come(7, i, 0, "a", "");
    assert_null(watch(&one, 1000, "watch node 7.2"));
    assert_string_equal(read_all(&one), "event 7.3 5 0 a \nevent 7.4 5 0 a \nat 7.4\n");
    assert_null(watch(&other, 1000, "watch node 8.2"));
    assert_string_equal(read_all(&other), "at 7.4\n");
    end();
}

static void what_is_not_stored_is_a_gap(void **state)
{
    (void)state;
    begin();
    job_come();
    for (uint64_t i = 11; i < 21 + LOCAL_EVENTS_STORED; i++)
        event_come(7, i, 0, "a", "");
    assert_null(watch(&one, 1000, "watch node 7.15"));
    assert_memory_equal(read_all(&one), "gap 7 16 20\nevent 7.21 ", 23);
    assert_null(watch(&other, 1000, "watch node 6.99"));
    assert_memory_equal(read_all(&other), "rest 6 100\ngap 7 1 20\nevent 7.21 ", 33);
    end();
}

/* No gap ends before it begins. */
static void of_an_incarnation_that_is_over_the_rest_is_not_known(void **state)
{
    (void)state;
    begin();
    job_come();
    event_come(8, 1, 0, "a", "");
    assert_null(watch(&one, 1000, "watch node 7.5"));
    assert_string_equal(read_all(&one), "rest 7 6\nevent 8.1 5 0 a \nat 8.1\n");
    end();
}

static void what_came_before_its_job_is_not_for_a_watcher(void **state)
{
    (void)state;
    begin();
    job_come();
    for (uint64_t i = 1; i <= 3; i++)
        event_come(7, i, 0, "a", "");
    job = "4712";
    assert_null(watch(&one, 1000, "watch node 7.1"));
    event_come(7, 4, 0, "a", "");
    assert_string_equal(read_all(&one), "gap 7 2 3\nat 7.3\nevent 7.4 5 0 a \n");
    reader_close(&one);
    assert_null(watch(&one, 1000, "watch node 7.1"));
    assert_string_equal(read_all(&one), "gap 7 2 3\nevent 7.4 5 0 a \nat 7.4\n");
    job = "4711";
    assert_null(watch(&other, 1000, "watch node 7.2"));
    assert_string_equal(read_all(&other),
                        "event 7.3 5 0 a \nevent 7.4 5 0 a \nat 7.4\n");
    end();
}

/* As after its start: how far the session is it does not know. */
static void an_agent_without_events_states_the_gap_when_it_has_one(void **state)
{
    (void)state;
    begin();
    job_come();
    assert_null(watch(&one, 1000, "watch node 7.15"));
    assert_string_equal(read_all(&one), "");
    event_come(7, 31, 0, "a", "");
    assert_string_equal(read_all(&one), "gap 7 16 30\nevent 7.31 5 0 a \n");
    end();
}

static void a_gap_of_the_session_is_one_of_each(void **state)
{
    const struct session_gap gap = { .incarnation = 7, .first = 2, .last = 9 };
    (void)state;
    begin();
    event_come(7, 1, 0, "a", "");
    assert_null(watch(&one, 1000, "watch node"));
    local_watchers_gap(all, &gap);
    assert_string_equal(read_all(&one), "at 7.1\ngap 7 2 9\n");
    assert_null(watch(&other, 1000, "watch node 7.1"));
    assert_string_equal(read_all(&other), "gap 7 2 9\nat 7.9\n");
    end();
}

static void its_health_comes_first_and_when_it_changes(void **state)
{
    (void)state;
    begin();
    local_watchers_health(all, SPAN("{1}"), now_ns);
    assert_null(watch(&one, 1000, "watch node"));
    local_watchers_health(all, SPAN("{1}"), now_ns);
    local_watchers_health(all, SPAN("{2}"), now_ns);
    assert_string_equal(read_all(&one), "health {1}\nhealth {2}\n");
    end();
}

/* While none watched the site was not looked at. */
static void a_health_of_before_is_not_for_one_that_begins(void **state)
{
    (void)state;
    begin();
    assert_null(watch(&one, 1000, "watch node"));
    local_watchers_health(all, SPAN("{down}"), now_ns);
    assert_string_equal(read_all(&one), "health {down}\n");
    reader_close(&one);
    assert_null(watch(&other, 1001, "watch node"));
    assert_string_equal(read_all(&other), "");
    local_watchers_health(all, SPAN("{up}"), now_ns);
    assert_string_equal(read_all(&other), "health {up}\n");
    /* The site does not respond for a minute, and has the same after that. */
    now_ns += 60 * NS_PER_S;
    assert_null(watch(&one, 1000, "watch node"));
    assert_string_equal(read_all(&one), "");
    local_watchers_health(all, SPAN("{up}"), now_ns);
    assert_string_equal(read_all(&one), "health {up}\n");
    assert_string_equal(read_all(&other), "");
    end();
}

static void reports_are_for_the_user_and_the_session_that_they_name(void **state)
{
    char line[80];
    (void)state;
    begin();
    (void)snprintf(line, sizeof line, "watch session %s", session_id);
    assert_null(watch(&one, 1000, line));
    assert_null(watch(&other, 1001, line));
    local_watchers_report(all, 1000, span_of(session_id), SPAN("{}"));
    local_watchers_report(all, 1000, SPAN("10112233445566778899aabbccddeeff"),
                          SPAN("{another}"));
    event_come(7, 1, 0, "a", "");
    local_watchers_health(all, SPAN("{1}"), now_ns);
    assert_string_equal(read_all(&one), "session {}\n");
    assert_string_equal(read_all(&other), "");
    end();
}

static void one_that_does_not_read_loses_counted_and_costs_no_other(void **state)
{
    char payload[2001];
    struct local_watch_counts before, after;
    (void)state;
    begin();
    memset(payload, 'x', sizeof payload - 1);
    payload[sizeof payload - 1] = '\0';
    assert_null(watch(&one, 1000, "watch node"));
    assert_null(watch(&other, 1000, "watch node"));
    local_watchers_count(&before);
    size_t lines = 0;
    for (uint64_t i = 1; i <= 2000; i++) {
        event_come(7, i, 0, "a", payload);
        for (const char *at = read_all(&other); (at = strchr(at, '\n')) != NULL; at++)
            lines++;
    }
    assert_int_equal(lines, 2000);
    local_watchers_count(&after);
    const char *text = read_all(&one);
    unsigned long long lost = 0, got = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        uint64_t count = 0;
        if (strncmp(at, "lost ", 5) != 0) {
            got++;
            continue;
        }
        assert_int_equal(
            number_parse_u64((struct span){ at + 5, strcspn(at + 5, "\n") }, &count),
            0);
        lost += count;
    }
    assert_true(lost > 0 && lost == after.lost - before.lost);
    assert_int_equal(lost + got, 2000);
    event_come(7, 2001, 0, "b", "");
    assert_non_null(strstr(read_all(&one), "event 7.2001 "));
    end();
}

static void a_user_has_eight_in_a_job(void **state)
{
    static struct reader readers[LOCAL_WATCHERS_OF_USER + 1];
    (void)state;
    begin();
    for (int i = 0; i < LOCAL_WATCHERS_OF_USER; i++)
        assert_null(watch(&readers[i], 1000, "watch node"));
    assert_int_equal(local_watchers_of_node(all), LOCAL_WATCHERS_OF_USER);
    assert_non_null(watch(&readers[LOCAL_WATCHERS_OF_USER], 1000, "watch node"));
    job = "4712";
    assert_null(watch(&other, 1000, "watch node"));
    job = "4711";
    assert_null(watch(&one, 1001, "watch node"));
    reader_close(&readers[LOCAL_WATCHERS_OF_USER]);
    reader_close(&readers[0]);
    assert_null(watch(&readers[0], 1000, "watch node"));
    for (int i = 0; i <= LOCAL_WATCHERS_OF_USER; i++)
        reader_close(&readers[i]);
    end();
}

static void the_last_slots_are_for_users_that_have_none(void **state)
{
    static struct reader readers[LOCAL_WATCHERS_MAX + 1];
    const int most = LOCAL_WATCHERS_MAX - LOCAL_WATCHERS_OF_NEW;
    char name[8];
    (void)state;
    begin();
    job = name;
    for (int i = 0; i <= most; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        assert_true((watch(&readers[i], 1000, "watch node") == NULL) == (i < most));
    }
    reader_close(&readers[most]);
    for (int i = most; i <= LOCAL_WATCHERS_MAX; i++)
        assert_true((watch(&readers[i], 1000 + (uid_t)i, "watch node") == NULL) ==
                    (i < LOCAL_WATCHERS_MAX));
    for (int i = 0; i <= LOCAL_WATCHERS_MAX; i++)
        reader_close(&readers[i]);
    job = "4711";
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_nodes_events_come_in_order_and_no_others),
        cmocka_unit_test(one_that_comes_back_resumes_where_it_was),
        cmocka_unit_test(what_is_not_stored_is_a_gap),
        cmocka_unit_test(an_agent_without_events_states_the_gap_when_it_has_one),
        cmocka_unit_test(a_gap_of_the_session_is_one_of_each),
        cmocka_unit_test(its_health_comes_first_and_when_it_changes),
        cmocka_unit_test(a_health_of_before_is_not_for_one_that_begins),
        cmocka_unit_test(reports_are_for_the_user_and_the_session_that_they_name),
        cmocka_unit_test(one_that_does_not_read_loses_counted_and_costs_no_other),
        cmocka_unit_test(a_user_has_eight_in_a_job),
        cmocka_unit_test(the_last_slots_are_for_users_that_have_none),
        cmocka_unit_test(of_an_incarnation_that_is_over_the_rest_is_not_known),
        cmocka_unit_test(what_came_before_its_job_is_not_for_a_watcher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
