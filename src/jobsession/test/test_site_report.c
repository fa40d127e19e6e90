/* SPDX-License-Identifier: Apache-2.0 */
/* test_site_report - what the site is to have: sent until an agent has accepted it. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "jobsession/site/site_report.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* An agent that responds with these, one after the other, then always ok; to lines with
 * never in them always later. */
static struct {
    const char *responses[8];
    const char *never;
    size_t lines;
    char got[8192];
    char ended[8192]; /* the last line that it ended */
    int fd;
    pthread_t thread;
} agent;

static void serve(int fd)
{
    char line[8192];
    size_t size = 0;
    while (size < sizeof line && read(fd, line + size, 1) == 1 && line[size] != '\n')
        size++;
    const char *response = agent.lines < 8 && agent.responses[agent.lines]
                               ? agent.responses[agent.lines]
                               : "ok\n";
    if (agent.never && memmem(line, size, agent.never, strlen(agent.never)))
        response = "later: the disk is full\n";
    if (memmem(line, size, "\"ended\"", 7))
        (void)snprintf(agent.ended, sizeof agent.ended, "%.*s", (int)size, line);
    bool is_sequence = memmem(line, size, "\"sequence\":", 11) != NULL;
    const char *at = is_sequence ? memmem(line, size, "\"sequence\":", 11)
                                 : memmem(line, size, "\"state\":", 8);
    (void)snprintf(agent.got + strlen(agent.got), 64, "%.*s ", is_sequence ? 12 : 16,
                   at);
    agent.lines++;
    assert_true(write(fd, response, strlen(response)) > 0);
}

static void *play_agent(void *arg)
{
    (void)arg;
    for (;;) {
        int fd = accept(agent.fd, NULL, NULL);
        if (fd < 0)
            return NULL;
        serve(fd);
        (void)close(fd);
    }
}

static void agent_start(const char *path)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    agent.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)snprintf(un.sun_path, sizeof un.sun_path, "%s", path);
    assert_int_equal(bind(agent.fd, (struct sockaddr *)&un, sizeof un), 0);
    assert_int_equal(listen(agent.fd, 8), 0);
    assert_int_equal(pthread_create(&agent.thread, NULL, play_agent, NULL), 0);
}

static void agent_stop(void)
{
    (void)shutdown(agent.fd, SHUT_RDWR);
    (void)pthread_join(agent.thread, NULL);
    (void)close(agent.fd);
}

static const char *numbers; /* NULL: none */

static struct site_report *open_at(const char *path)
{
    struct site_report *report = NULL;
    const struct site_report_opts opts = {
        .path = path,
        .self = { .session = SPAN("0123456789abcdef0123456789abcdef"),
                  .name = SPAN("x"),
                  .start_ns = NS_PER_S },
        .beat_ns = 3600 * NS_PER_S,
        .numbers = numbers,
    };
    assert_int_equal(site_report_open(&opts, &report, NULL), 0);
    return report;
}

static void it_is_sent_again_until_it_is_accepted(void **state)
{
    (void)state;
    struct site_report_counts counts;
    const char *path = scratch_path("agent.sock");
    agent.responses[1] = "later: the disk is full\n"; /* one of the events */
    agent_start(path);
    struct site_report *report = open_at(path);
    site_report_event(report, SPAN("a.b"), SPAN("1"), NS_PER_S);
    site_report_event(report, SPAN("a.c"), SPAN("2"), NS_PER_S);
    site_report_end(report, "exit status 0", &counts);
    agent_stop();
    assert_int_equal(counts.lost, 0);
    assert_int_equal(counts.sent, agent.lines - 1);
    const char *ended = strstr(agent.got, "\"state\":\"ended\"");
    assert_non_null(ended);
    assert_true(strstr(agent.got, "\"sequence\":1 \"sequence\":1 \"sequence\":2 ") ||
                strstr(agent.got, "\"sequence\":1 \"sequence\":2 \"sequence\":2 "));
    assert_null(strstr(ended, "sequence"));
}

static void the_end_is_reported_with_what_is_lost(void **state)
{
    (void)state;
    struct site_report_counts counts;
    const char *path = scratch_path("full.sock");
    memset(&agent, 0, sizeof agent);
    agent.never = "\"sequence\":2,";
    agent_start(path);
    struct site_report *report = open_at(path);
    for (char n = '1'; n <= '4'; n++)
        site_report_event(report, SPAN("a.b"), (struct span){ &n, 1 }, NS_PER_S);
    site_report_end(report, "exit status 3", &counts);
    agent_stop();
    assert_int_equal(counts.lost, 3); /* 2, and those after it */
    assert_non_null(strstr(counts.error, "the disk is full"));
    assert_non_null(strstr(agent.ended, "\"exit status 3; 3 events for the site are "
                                        "lost\""));
    assert_non_null(strstr(agent.ended, "\"events\":4"));
}

static void what_no_agent_has_is_lost_and_counted(void **state)
{
    (void)state;
    struct site_report_counts counts;
    struct site_report *report = open_at(scratch_path("none.sock"));
    site_report_event(report, SPAN("a.b"), SPAN("1"), NS_PER_S);
    site_report_event(report, SPAN("a b"), SPAN("no name"), NS_PER_S);
    site_report_end(report, "exit status 0", &counts);
    assert_int_equal(counts.sent, 0);
    assert_int_equal(counts.lost, 3); /* both, and the session */
    assert_non_null(strstr(counts.error, "no agent"));
}

/* As after a kill -9: what was sent is not known, and no number is used twice. */
static void one_that_goes_on_leaves_numbers_out(void **state)
{
    (void)state;
    struct site_report_counts counts;
    const char *path = scratch_path("again.sock");
    memset(&agent, 0, sizeof agent);
    numbers = scratch_path("numbers");
    agent_start(path);
    for (int i = 0; i < 2; i++) {
        struct site_report *report = open_at(path);
        site_report_event(report, SPAN("a.b"), SPAN("1"), NS_PER_S);
        site_report_end(report, "killed", &counts);
        assert_int_equal(counts.lost, 0);
    }
    agent_stop();
    assert_non_null(strstr(agent.got, "\"sequence\":1 "));
    assert_non_null(strstr(agent.got, "\"sequence\":6"));
    assert_non_null(strstr(agent.ended, "\"events\":65"));
    numbers = NULL;
}

static void what_has_no_number_on_the_disk_is_not_sent(void **state)
{
    (void)state;
    struct site_report_counts counts;
    struct rlimit before, none;
    const char *path = scratch_path("noted.sock");
    memset(&agent, 0, sizeof agent);
    numbers = scratch_path("numbers.full");
    agent_start(path);
    struct site_report *report = open_at(path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    site_report_event(report, SPAN("a.b"), SPAN("1"), NS_PER_S);
    site_report_end(report, "ended", &counts);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    agent_stop();
    assert_null(strstr(agent.got, "sequence"));
    assert_int_equal(counts.lost, 1);
    assert_non_null(strstr(counts.error, "numbers.full"));
    numbers = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_sent_again_until_it_is_accepted),
        cmocka_unit_test(the_end_is_reported_with_what_is_lost),
        cmocka_unit_test(what_no_agent_has_is_lost_and_counted),
        cmocka_unit_test(one_that_goes_on_leaves_numbers_out),
        cmocka_unit_test(what_has_no_number_on_the_disk_is_not_sent),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
