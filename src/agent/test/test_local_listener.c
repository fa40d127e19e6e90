/* SPDX-License-Identifier: Apache-2.0 */
/* test_local_listener - the socket as programs meet it: responses in order, a limit for
 * each user; whatever a program sends or omits, others are served.
 */
#include "agent/local/local_listener.h"
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static struct {
    unsigned count;
    char job[32], name[64];
    double value;
    uid_t uid;
} got;

/* What waits is through when it was asked about so often. */
static unsigned settles;

static const char *on_settle(void *arg, uint64_t ticket)
{
    (void)arg;
    assert_int_equal(ticket, 7);
    if (settles-- > 1)
        return local_waits;
    return got.count == 2 ? LOCAL_LATER "the disk is full" : NULL;
}

static const char *on_submission(void *arg, const struct local_submission *submission,
                                 uint64_t *ret_ticket)
{
    (void)arg;
    if (submission->request->kind == LOCAL_SESSION) {
        got.count++;
        (void)snprintf(got.job, sizeof got.job, "%s", submission->job);
        *ret_ticket = 7;
        settles = 3;
        return local_waits;
    }
    if (span_is(submission->request->name, "never"))
        return "never";
    got.count++;
    got.uid = submission->uid;
    got.value = submission->request->value;
    (void)snprintf(got.job, sizeof got.job, "%s", submission->job);
    (void)snprintf(got.name, sizeof got.name, SPAN_FMT,
                   SPAN_ARG(submission->request->name));
    return NULL;
}

static uv_loop_t loop;
static struct local_listener *listener;
static struct local_watchers *watchers;
static char root[100], path[100];

static void text_put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
}

/* This process is in job 4711 of the played /proc. */
static void begin(void)
{
    char name[512];
    struct err err = { 0 };
    (void)snprintf(root, sizeof root, "%s", scratch_path("root"));
    (void)snprintf(path, sizeof path, "%s", scratch_path("socket"));
    (void)mkdir(root, 0700);
    (void)snprintf(name, sizeof name, "%s/proc", root);
    (void)mkdir(name, 0700);
    (void)snprintf(name, sizeof name, "%s/proc/%d", root, (int)getpid());
    (void)mkdir(name, 0700);
    (void)snprintf(name, sizeof name, "%s/proc/%d/cgroup", root, (int)getpid());
    text_put(name, "0::/system.slice/slurmstepd.scope/job_4711/step_0\n");
    memset(&got, 0, sizeof got);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(local_watchers_new(&watchers), 0);
    const struct local_opts opts = { path, root,     on_submission, on_settle,
                                     NULL, watchers, NULL };
    if (local_listener_start(&opts, &loop, &listener, &err) < 0)
        fail_msg("%s", err.text);
}

static void end(void)
{
    local_listener_stop(listener);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    local_watchers_free(watchers);
    assert_int_equal(access(path, F_OK), -1);
}

static int client(void)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
    assert_true(fd >= 0 && connect(fd, (struct sockaddr *)&un, sizeof un) == 0);
    return fd;
}

static void expect(int fd, const char *response)
{
    char text[4096] = "";
    size_t size = 0;
    for (int i = 0; i < 50; i++) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        ssize_t n = read(fd, text + size, sizeof text - 1 - size);
        size += n > 0 ? (size_t)n : 0;
    }
    assert_string_equal(text, response);
}

static void send_text(int fd, const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void each_line_has_its_response(void **state)
{
    (void)state;
    begin();
    int fd = client();
    send_text(fd, "metric steps_per_s 4.1\nmetric X 1\nmetric ne");
    expect(fd,
           "ok\nrefused: a metric's name has a lower-case letter, then at most 47 of "
           "a-z, 0-9 and '_'\n");
    assert_string_equal(got.job, "4711");
    assert_string_equal(got.name, "steps_per_s");
    assert_true(got.value == 4.1 && got.uid == getuid());
    send_text(fd, "ver 1\nevent site.x y\n");
    expect(fd, "refused: never\nok\n");
    assert_int_equal(got.count, 2);
    close(fd);
    end();
}

static void what_waits_for_a_disk_holds_back_what_follows(void **state)
{
    (void)state;
    begin();
    int fd = client(), other = client();
    send_text(fd, "session {}\nevent site.x y\nsession {}\nevent site.y");
    for (int i = 0; i < 500 && got.count < 3; i++) {
        expect(other, "");
        (void)poll(NULL, 0, 5);
    }
    assert_string_equal(got.job, "4711");
    send_text(fd, " z\n");
    for (int i = 0; i < 500 && settles > 0; i++) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        (void)poll(NULL, 0, 1);
    }
    expect(fd, "ok\nok\nok\nok\n");
    assert_int_equal(got.count, 4);
    close(fd);
    close(other);
    end();
}

static void what_was_not_stored_may_be_sent_again(void **state)
{
    (void)state;
    begin();
    int fd = client();
    send_text(fd, "event site.x\nsession {}\n");
    for (int i = 0; i < 500 && (settles > 0 || got.count < 2); i++) {
        (void)uv_run(&loop, UV_RUN_NOWAIT);
        (void)poll(NULL, 0, 1);
    }
    expect(fd, "ok\nlater: the disk is full\n");
    close(fd);
    end();
}

static void a_program_that_waits_may_go(void **state)
{
    (void)state;
    begin();
    int fd = client();
    send_text(fd, "session {}\n");
    for (int i = 0; i < 500 && got.count < 1; i++)
        (void)uv_run(&loop, UV_RUN_NOWAIT);
    close(fd);
    end(); /* and so may the listener */
}

static void a_process_without_a_job_submits_no_metric(void **state)
{
    char name[512];
    (void)state;
    begin();
    (void)snprintf(name, sizeof name, "%s/proc/%d/cgroup", root, (int)getpid());
    text_put(name, "0::/user.slice\n");
    int fd = client();
    send_text(fd, "metric s 1\nevent a\n");
    expect(fd, "refused: this process is in no job of Slurm on this node\nok\n");
    assert_int_equal(got.count, 1);
    close(fd);
    end();
}

static void a_user_has_a_quarter_of_the_connections(void **state)
{
    int fds[LOCAL_PEERS_MAX / 4 + 1];
    (void)state;
    begin();
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        fds[i] = client();
        expect(fds[i], i + 1 < COUNT_OF(fds) ? "" : "refused: too many connections\n");
    }
    close(fds[0]);
    expect(fds[1], "");
    int fd = client();
    send_text(fd, "metric s 1\n");
    expect(fd, "ok\n");
    for (size_t i = 1; i < COUNT_OF(fds); i++)
        close(fds[i]);
    close(fd);
    end();
}

static void what_no_line_ends_is_closed(void **state)
{
    char text[LOCAL_LINE_BYTES_MAX];
    struct local_counts before, after;
    (void)state;
    begin();
    memset(text, 'x', sizeof text);
    int fd = client();
    assert_int_equal(write(fd, text, sizeof text), (ssize_t)sizeof text);
    expect(fd, "refused: a line is too long\n");
    assert_int_equal(read(fd, text, sizeof text), 0);
    close(fd);
    /* One that does not read its responses is closed, and others are served. */
    local_listener_count(&before);
    fd = client();
    for (int i = 0; i < 20000; i++) {
        (void)!send(fd, "metric X 1\n", 11, MSG_NOSIGNAL);
        (void)uv_run(&loop, UV_RUN_NOWAIT);
    }
    local_listener_count(&after);
    assert_true(after.refused > before.refused &&
                after.refused < before.refused + 20000);
    int other = client();
    send_text(other, "event a\n");
    expect(other, "refused: too many requests: 10 a second, and 100 at once\n");
    close(fd);
    close(other);
    end();
}

static void a_left_socket_is_replaced_and_a_served_one_is_not(void **state)
{
    struct local_listener *second = NULL;
    struct err err = { 0 };
    (void)state;
    begin();
    const struct local_opts opts = {
        .path = path, .root = root, .submit = on_submission, .settle = on_settle
    };
    assert_int_equal(local_listener_start(&opts, &loop, &second, &err), -EADDRINUSE);
    assert_non_null(strstr(err.text, "served by another process"));
    end();
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    (void)snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof un), 0);
    close(fd); /* killed: the path remains */
    begin();
    end();
    text_put(path, "a file\n");
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(local_listener_start(&opts, &loop, &second, &err), -EEXIST);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* Who sends all the same is no load of the agent's loop. */
static void one_that_watches_is_closed_when_it_sends(void **state)
{
    char byte;
    (void)state;
    begin();
    int fd = client();
    send_text(fd, "watch node\n");
    expect(fd, "ok\n");
    assert_true(read(fd, &byte, 1) < 0 && errno == EAGAIN);
    send_text(fd, "x");
    expect(fd, "");
    assert_int_equal(read(fd, &byte, 1), 0);
    close(fd);
    fd = client();
    send_text(fd, "watch node\nx");
    expect(fd, "ok\n");
    assert_int_equal(read(fd, &byte, 1), 0);
    close(fd);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_watches_is_closed_when_it_sends),
        cmocka_unit_test(each_line_has_its_response),
        cmocka_unit_test(what_waits_for_a_disk_holds_back_what_follows),
        cmocka_unit_test(what_was_not_stored_may_be_sent_again),
        cmocka_unit_test(a_program_that_waits_may_go),
        cmocka_unit_test(a_process_without_a_job_submits_no_metric),
        cmocka_unit_test(a_user_has_a_quarter_of_the_connections),
        cmocka_unit_test(what_no_line_ends_is_closed),
        cmocka_unit_test(a_left_socket_is_replaced_and_a_served_one_is_not),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
