/* SPDX-License-Identifier: Apache-2.0 */
/* test_site_watch - an agent that refuses, ends, or sends faster than is accepted: what
 * it sent comes once, in order, and it is connected to again from where it was.
 */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "jobsession/site/site_watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static uv_loop_t loop;
static struct site_watch *watch;
static char path[100];
static int server;
static char lines[1 << 16];
static int refused; /* so often line_fn has no place for one */

static int on_line(void *arg, struct span line)
{
    (void)arg;
    if (refused > 0) {
        refused--;
        return -EAGAIN;
    }
    size_t size = strlen(lines);
    (void)snprintf(lines + size, sizeof lines - size, SPAN_FMT "\n", SPAN_ARG(line));
    return 0;
}

static void begin(void)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    (void)snprintf(path, sizeof path, "%s", scratch_path("agent"));
    (void)snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server, (struct sockaddr *)&un, sizeof un), 0);
    assert_int_equal(listen(server, 4), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    lines[0] = '\0';
    const struct site_watch_opts opts = { .path = path, .line_fn = on_line };
    assert_int_equal(site_watch_start(&opts, &loop, &watch), 0);
}

static void end(void)
{
    site_watch_end(watch);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    site_watch_free(watch);
    assert_int_equal(uv_loop_close(&loop), 0);
    close(server);
    assert_int_equal(unlink(path), 0);
}

/* The next connection, whose request is this. */
static int next_client(const char *request)
{
    char text[200] = "";
    size_t size = 0;
    int fd = accept(server, NULL, NULL);
    while (!strchr(text, '\n')) {
        ssize_t n = read(fd, text + size, sizeof text - 1 - size);
        assert_true(n > 0);
        size += (size_t)n;
    }
    assert_string_equal(text, request);
    return fd;
}

static void send_text(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void expect(const char *wanted)
{
    for (int i = 0; i < 3000 && strlen(lines) < strlen(wanted); i++) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        (void)poll(NULL, 0, 1);
    }
    assert_string_equal(lines, wanted);
    lines[0] = '\0';
}

static void lines_come_and_one_that_is_away_is_resumed(void **state)
{
    (void)state;
    begin();
    int fd = next_client("watch node\n");
    send_text(fd, "later: not yet\n");
    close(fd);
    fd = next_client("watch node\n");
    send_text(fd, "ok\nhealth {1}\nevent 7.3 5 0 a b");
    expect("health {1}\n");
    send_text(fd, " c\nat 7.9\n");
    expect("event 7.3 5 0 a b c\n");
    close(fd);
    fd = next_client("watch node 7.9\n");
    send_text(fd, "ok\nhealth {1}\ngap 8 1 4\nhealth {2}\n");
    expect("gap 8 1 4\nhealth {2}\n");
    close(fd);
    fd = next_client("watch node 8.4\n");
    close(fd);
    end();
}

/* Whatever it sends: none comes twice. */
static void what_came_already_does_not_come_again(void **state)
{
    (void)state;
    begin();
    int fd = next_client("watch node\n");
    send_text(fd, "ok\nevent 7.3 5 0 a\nevent 7.2 5 0 b\nevent 7.3 5 0 a\n"
                  "event 6.9 5 0 b\nrest 7 4\nevent 8.1 5 0 c\nat 2.1\n"
                  "event 2.2 5 0 d\n");
    expect("event 7.3 5 0 a\nrest 7 4\nevent 8.1 5 0 c\nevent 2.2 5 0 d\n");
    close(fd);
    end();
}

static void what_is_not_accepted_comes_again_in_its_order(void **state)
{
    (void)state;
    begin();
    int fd = next_client("watch node\n");
    refused = 2;
    send_text(fd, "ok\nevent 7.1 5 0 a\nevent 7.2 5 0 a\n");
    expect("event 7.1 5 0 a\nevent 7.2 5 0 a\n");
    close(fd);
    end();
}

/* The agent's own queue is where it is lost, and counted. */
static void while_nothing_is_accepted_nothing_is_read(void **state)
{
    char text[1000];
    size_t sent = 0;
    (void)state;
    begin();
    int fd = next_client("watch node\n");
    refused = 1 << 30;
    send_text(fd, "ok\n");
    uint64_t number = 1;
    for (int idle = 0; idle < 200;) {
        (void)snprintf(text, sizeof text, "event 7.%06llu 5 0 a %0900d\n",
                       (unsigned long long)number, 1);
        ssize_t n = send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
        idle = n < 0 ? idle + 1 : 0;
        sent += n < 0 ? 0 : (size_t)n;
        number += n > 0;
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        (void)poll(NULL, 0, n < 0);
    }
    assert_true(sent < (4 << 20));
    refused = 0;
    close(fd);
    end(); /* also while its thread waits */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_and_one_that_is_away_is_resumed),
        cmocka_unit_test(what_came_already_does_not_come_again),
        cmocka_unit_test(what_is_not_accepted_comes_again_in_its_order),
        cmocka_unit_test(while_nothing_is_accepted_nothing_is_read),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
