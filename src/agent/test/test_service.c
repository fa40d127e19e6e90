/* SPDX-License-Identifier: Apache-2.0 */
/* test_service - the agent as a whole: one round and its end, signals, counters; a
 * script stands in for lctl and a server in this process for barod.
 */
#include "agent/service.h"
#include "agent/test/barod.h"
#include "agent/test/lctl.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#define ACCEPTED "{\"accepted\":1,\"duplicate\":0,\"refused\":0,\"errors\":[]}"

static struct agent_reports reports = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct agent_report report = { agent_reports_add, &reports };
static const struct agent_folds no_folds;

/* A service lives as long as the process. */
static struct played {
    struct agent_opts opts;
    const struct agent_report *report;
    struct agent_service *service;
    char lctl[128], state[128], spool[128], metrics[128];
} plays[8];
static size_t play_count;

static struct played *play_new(const struct lctl_script *script, const char *server)
{
    struct played *p = &plays[play_count++];
    char name[32];
    static const char *const names[] = { "lctl", "state", "spool", "metrics" };
    char *const paths[] = { p->lctl, p->state, p->spool, p->metrics };
    assert_true(play_count < COUNT_OF(plays));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)snprintf(name, sizeof name, "%zu.%s", play_count, names[i]);
        (void)snprintf(paths[i], sizeof p->lctl, "%s", scratch_path(name));
    }
    p->report = &report;
    lctl_write(p->lctl, script);
    reports.text[0] = '\0';
    p->opts = (struct agent_opts){ .server = server,
                                   .host = "oss01",
                                   .source = "lctl",
                                   .lctl = p->lctl,
                                   .state = p->state,
                                   .spool = p->spool,
                                   .metrics = p->metrics,
                                   .spool_bytes_max = 1 << 20,
                                   .entries_max = 1000,
                                   .backoff_max_ns = NS_PER_MS,
                                   .timeout_ns = 10 * NS_PER_S,
                                   .interval_ns = 60 * NS_PER_S,
                                   .deadline_ns = 60 * NS_PER_S };
    return p;
}

static int play_run(struct played *p, enum service_mode mode, struct err *err)
{
    int rc = agent_service_new(&p->opts, &no_folds, p->report, &p->service, err);
    return rc < 0 ? rc : agent_service_run(p->service, mode, err);
}

static void expect_counter(struct played *p, const char *line)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    agent_service_counters(p->service, &text);
    if (!strstr(strbuf_text(&text), line))
        fail_msg("no '%s' in\n%s", line, strbuf_text(&text));
}

static void one_round_is_read_and_sent(void **state)
{
    static const struct lctl_script script = { LCTL_LIST, NULL, LCTL_DUMP("a", "5"),
                                               NULL };
    struct barod barod;
    struct err err = { 0 };
    (void)state;
    barod_start(&barod, 200, ACCEPTED);
    struct played *p = play_new(&script, barod.url);
    int rc = play_run(p, SERVICE_ONCE, &err);
    if (rc != 0)
        fail_msg("%d %s %s", rc, err.text, reports.text);
    assert_int_equal(barod.requests, 1);
    assert_non_null(strstr(strbuf_text(&barod.bodies), "\"entry_id\":\"a\""));
    assert_non_null(strstr(strbuf_text(&barod.bodies), "\"oss01\""));
    /* The counters are reported at the end, and no comment lines. */
    assert_non_null(strstr(reports.text, "3 baro_agent_reads_total 1\n"));
    assert_null(strstr(reports.text, "# TYPE"));
    assert_int_equal(access(p->metrics, R_OK), 0);
    barod_stop(&barod);
}

static void what_is_not_sent_waits_and_is_an_error(void **state)
{
    static const struct lctl_script script = { LCTL_LIST, NULL, LCTL_DUMP("a", "5"),
                                               NULL };
    struct barod barod;
    struct err err = { 0 };
    (void)state;
    barod_start(&barod, 503, "");
    struct played *p = play_new(&script, barod.url);
    assert_int_equal(play_run(p, SERVICE_ONCE, &err), -EAGAIN);
    assert_non_null(strstr(reports.text, "3 baro_spool_records 1\n"));
    barod_stop(&barod);
}

static void a_read_that_fails_is_an_error(void **state)
{
    static const struct lctl_script script = { LCTL_LIST, NULL, "exit 1", NULL };
    static const struct lctl_script no_list = { "exit 1", NULL, NULL, NULL };
    struct barod barod;
    struct err err = { 0 };
    (void)state;
    barod_start(&barod, 200, ACCEPTED);
    assert_int_equal(play_run(play_new(&script, barod.url), SERVICE_ONCE, &err), -EIO);
    assert_int_equal(play_run(play_new(&no_list, barod.url), SERVICE_ONCE, &err), -EIO);
    barod_stop(&barod);
}

/* Each signal is sent when the one before it was reported: threads of a process may
 * take signals that wait together in any order.
 */
static void report_and_signal(void *arg, enum log_level level, enum agent_event event,
                              const char *text)
{
    agent_reports_add(arg, level, event, text);
    if (strstr(text, "baro_agent_rounds_total"))
        (void)kill(getpid(), SIGHUP);
    else if (strstr(text, "SIGHUP"))
        (void)kill(getpid(), SIGTERM);
}

static void signals_are_heard(void **state)
{
    static const struct lctl_script script = { "kill -USR1 $PPID; sleep 600", NULL,
                                               NULL, NULL };
    static const struct agent_report signalling = { report_and_signal, &reports };
    struct err err = { 0 };
    (void)state;
    struct played *p = play_new(&script, "http://127.0.0.1:1");
    p->opts.interval_ns = 100 * NS_PER_MS;
    p->opts.deadline_ns = 60 * NS_PER_S;
    p->report = &signalling;
    assert_int_equal(play_run(p, SERVICE_FOREVER, &err), 0);
    assert_non_null(strstr(reports.text, "3 baro_agent_rounds_total 1\n"));
    assert_non_null(strstr(reports.text, "2 SIGHUP changes nothing"));
    expect_counter(p, "# TYPE baro_agent_rounds_total counter\n");
}

static void what_cannot_be_started_is_an_error(void **state)
{
    static const struct lctl_script script = { NULL, NULL, NULL, NULL };
    struct err err = { 0 };
    (void)state;
    struct played *p = play_new(&script, "ftp://x");
    assert_int_equal(play_run(p, SERVICE_ONCE, &err), -EINVAL);
    p = play_new(&script, "http://127.0.0.1:1");
    p->opts.totals_interval_ns = NS_PER_MS;
    assert_int_equal(play_run(p, SERVICE_FOREVER, &err), -EINVAL);
    assert_string_equal(err.text, "agent.totals_interval: less than 1s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_round_is_read_and_sent),
        cmocka_unit_test(what_is_not_sent_waits_and_is_an_error),
        cmocka_unit_test(a_read_that_fails_is_an_error),
        cmocka_unit_test(signals_are_heard),
        cmocka_unit_test(what_cannot_be_started_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
