/* SPDX-License-Identifier: Apache-2.0 */
/* test_link - two ends over a unix socket: bounds of bodies, and acknowledgements. */
#include "base/span.h"
#include "base/test/testing.h"
#include "session/link.h"
#include "session/listener.h"
#include "session/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHILD, PARENT, ENDS };

struct end {
    struct session_link *link; /* NULL: closed */
    size_t frames, acknowledges, drains;
    struct strbuf body; /* the last */
    char reason[128];   /* why it was closed */
    bool answers;       /* a frame where it should acknowledge */
};

static uv_loop_t loop;
static struct session_listener listener;
static struct end ends[ENDS];
static struct link_opts opts;
static char path[64];

static void on_opened(void *owner)
{
    (void)owner;
}

static void on_frame(void *owner, uint8_t type, struct span body)
{
    struct end *end = owner;
    (void)type;
    end->frames++;
    strbuf_clear(&end->body);
    strbuf_add_span(&end->body, body);
}

static void on_closed(void *owner, const char *reason)
{
    struct end *end = owner;
    end->link = NULL;
    (void)snprintf(end->reason, sizeof end->reason, "%s", reason);
}

static void on_drained(void *owner)
{
    struct end *end = owner;
    end->drains++;
}

static void on_acknowledge(void *owner)
{
    struct end *end = owner;
    end->acknowledges++;
    if (end->answers)
        assert_int_equal(link_send(end->link, SESSION_HEARTBEAT, SPAN("")), 0);
}

static const struct link_events events = { on_opened, on_frame, on_closed, on_drained,
                                           on_acknowledge };

static void on_connection(uv_stream_t *stream, int status)
{
    assert_int_equal(status, 0);
    assert_int_equal(link_accept(&opts, stream, &ends[PARENT].link), 0);
    link_set_owner(ends[PARENT].link, &ends[PARENT]);
}

/* What is there now is read and written. */
static void run_loop(void)
{
    for (int i = 0; i < 100; i++)
        (void)uv_run(&loop, UV_RUN_NOWAIT);
}

static int open_pair(void **state)
{
    (void)state;
    char address[80];
    memset(ends, 0, sizeof ends);
    (void)snprintf(path, sizeof path, "/tmp/baro-link.%d", (int)getpid());
    (void)snprintf(address, sizeof address, "unix:%s", path);
    opts = (struct link_opts){ .loop = &loop,
                               .events = &events,
                               .queue_bytes_max = SESSION_QUEUE_BYTES_MIN };
    if (uv_loop_init(&loop) < 0 ||
        session_listen(&listener, &loop, address, 0600, on_connection, NULL, NULL) < 0)
        return -1;
    int rc = link_connect(&opts, address, &ends[CHILD], &ends[CHILD].link);
    run_loop();
    return rc == 0 && ends[PARENT].link ? 0 : -1;
}

static int close_pair(void **state)
{
    (void)state;
    for (int i = 0; i < ENDS; i++) {
        if (ends[i].link)
            link_close(ends[i].link);
        strbuf_done(&ends[i].body);
    }
    uv_close(&listener.handle, NULL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    (void)unlink(path);
    return uv_loop_close(&loop);
}

/* Every second rank of a session. */
static void print_hello(uint32_t size, struct strbuf *out)
{
    AUTO(rank_set_done) struct rank_set ranks = { 0 };
    char name[SESSION_TEXT_MAX];
    memset(name, 'n', sizeof name);
    for (uint32_t r = 0; r < size; r += 2)
        assert_int_equal(rank_set_add(&ranks, r, r), 0);
    const struct session_hello hello = { .protocol = SESSION_PROTOCOL,
                                         .name = { name, sizeof name },
                                         .host = { name, sizeof name },
                                         .heartbeat_ns = INT64_MAX,
                                         .rank = RANKS_MAX - 1,
                                         .incarnation = UINT64_MAX >> 16,
                                         .sequence = UINT64_MAX >> 16,
                                         .ranks = ranks };
    session_hello_encode(&hello, out);
    assert_int_equal(strbuf_error(out), 0);
}

static void a_hello_of_many_ranges_is_received(void **state)
{
    (void)state;
    static const uint32_t sizes[] = { 8192, RANKS_MAX };
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
        print_hello(sizes[i], &body);
        assert_true(body.size > 4096);
        assert_true(body.size <= SESSION_HELLO_MAX);
        assert_int_equal(link_send(ends[CHILD].link, SESSION_HELLO, strbuf_span(&body)),
                         0);
        run_loop();
        assert_int_equal(ends[PARENT].frames, i + 1);
        struct session_hello hello = { 0 };
        assert_int_equal(session_hello_decode(strbuf_span(&ends[PARENT].body), &hello),
                         0);
        assert_int_equal(rank_set_size(&hello.ranks), sizes[i] / 2);
        rank_set_done(&hello.ranks);
    }
}

static void what_is_longer_is_refused_until_admitted(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    for (size_t i = 0; i < SESSION_BODY_MAX; i++)
        strbuf_addc(&body, 'b');
    struct span all = strbuf_span(&body);
    link_set_limit(ends[PARENT].link, SESSION_BODY_MAX);
    assert_int_equal(link_send(ends[CHILD].link, SESSION_MEMBERS, all), 0);
    run_loop();
    assert_int_equal(ends[PARENT].frames, 1);
    assert_int_equal(ends[PARENT].body.size, SESSION_BODY_MAX);
    strbuf_addc(&body, 'b');
    assert_int_equal(link_send(ends[CHILD].link, SESSION_MEMBERS, strbuf_span(&body)),
                     -EMSGSIZE);
    link_set_limit(ends[PARENT].link, SESSION_HELLO_MAX);
    ends[PARENT].answers = true;
    assert_int_equal(link_send(ends[PARENT].link, SESSION_HEARTBEAT, SPAN("")), 0);
    run_loop();
    all.size = SESSION_HELLO_MAX + 1;
    assert_int_equal(link_send(ends[CHILD].link, SESSION_HELLO, all), 0);
    run_loop();
    assert_null(ends[PARENT].link);
    assert_null(ends[CHILD].link);
    assert_int_equal(ends[PARENT].frames, 1);
}

/* As a burst of events: it goes on when half of what may wait is acknowledged, without
 * a heartbeat. */
static void send_burst(size_t size, size_t count)
{
    static char bytes[65536];
    for (size_t sent = 0, rounds = 0; sent < count; rounds++) {
        assert_true(rounds < count);
        while (sent < count && link_is_ready(ends[CHILD].link)) {
            assert_int_equal(link_send(ends[CHILD].link, SESSION_EVENT,
                                       (struct span){ bytes, size }),
                             0);
            sent++;
        }
        run_loop();
        if (sent < count)
            assert_true(link_is_ready(ends[CHILD].link));
    }
    assert_int_equal(ends[PARENT].frames, count);
}

static void a_burst_of_small_frames_does_not_wait(void **state)
{
    (void)state;
    ends[PARENT].answers = true;
    send_burst(20, 20000);
    assert_true(ends[PARENT].acknowledges >= 20000 / 512);
}

static void a_burst_of_large_frames_does_not_wait(void **state)
{
    (void)state;
    ends[PARENT].answers = true;
    send_burst(60000, 1000);
    assert_true(ends[PARENT].acknowledges >= 60);
}

static uint64_t source_of(const char *address)
{
    struct sockaddr_storage peer = { 0 };
    if (uv_ip4_addr(address, 7, (struct sockaddr_in *)&peer) < 0)
        assert_int_equal(uv_ip6_addr(address, 7, (struct sockaddr_in6 *)&peer), 0);
    return link_source_of(&peer);
}

/* Else one host that opens many connections takes the slots of all. */
static void hosts_of_ipv4_are_sources_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(source_of("::ffff:10.1.2.3"), source_of("10.1.2.3"));
    assert_int_not_equal(source_of("::ffff:10.1.2.3"), source_of("::ffff:10.1.2.4"));
    assert_int_not_equal(source_of("10.1.2.3"), source_of("10.1.2.4"));
    assert_int_equal(source_of("2001:db8::1"), source_of("2001:db8::2"));
    assert_int_not_equal(source_of("2001:db8::1"), source_of("2001:db8:0:1::1"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_pair, close_pair)
    const struct CMUnitTest tests[] = {
        TEST(a_hello_of_many_ranges_is_received),
        TEST(what_is_longer_is_refused_until_admitted),
        TEST(a_burst_of_small_frames_does_not_wait),
        TEST(a_burst_of_large_frames_does_not_wait),
        cmocka_unit_test(hosts_of_ipv4_are_sources_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
