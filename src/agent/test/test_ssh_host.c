/* SPDX-License-Identifier: Apache-2.0 */
/* test_ssh_host - a server that is read through ssh: its rows, its problems, its end; a
 * shell stands in for ssh.
 */
#include "agent/ssh/ssh_host.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

#include <errno.h>

#define T0 INT64_C(1669010520000)
#define SCRIPT "sh -c \"$BARO_TEST_SCRIPT\" sh"
#define LIST "obdfilter.s-OST0001.job_cleanup_interval=600\\n"
#define DUMP(id, sum)                                   \
    "obdfilter.s-OST0001.job_stats=\\njob_stats:\\n"    \
    "- job_id: " id "\\n  snapshot_time: 1669010520\\n" \
    "  write_bytes: { samples: 1, unit: bytes, min: 1, max: 1, sum: " sum " }\\n"

static int add_row(void *arg, struct span server, const struct entry *entry,
                   const struct observation *seen)
{
    struct strbuf *rows = arg;
    strbuf_addf(rows, SPAN_FMT "/" SPAN_FMT "@%lld ", SPAN_ARG(server),
                SPAN_ARG(entry->id), (long long)((seen->t_ms - T0) / 1000));
    return 0;
}

static struct ssh_host *host_new(const char *name, const char *command,
                                 struct strbuf *rows)
{
    const struct ssh_host_opts opts = { .name = name,
                                        .command = command,
                                        .interval_ms = 30000,
                                        .fn = add_row,
                                        .arg = rows };
    struct ssh_host *host = NULL;
    struct err err = { 0 };
    if (ssh_host_new(&opts, &host, &err) < 0)
        fail_msg("%s", err.text);
    return host;
}

/* One round to its end. */
static void read_round(struct ssh_host *host, int64_t t_ms)
{
    struct err err = { 0 };
    if (ssh_host_start(host, t_ms, &err) < 0)
        fail_msg("%s", err.text);
    while (ssh_host_is_busy(host)) {
        struct pollfd fds[2];
        size_t count = ssh_host_poll(host, fds);
        (void)poll(fds, count, count ? 1000 : 1);
        ssh_host_read(host);
    }
}

static void a_round_gives_rows_or_a_problem(void **state)
{
    static const struct {
        const char *name, *command, *rows, *problem;
        size_t targets;
    } cases[] = {
        { "a dump", "printf '" LIST DUMP("a", "5") "'", "oss1/a@0 ", "", 1 },
        { "ssh refuses", "echo 'Permission denied' >&2; echo more >&2; exit 255", "",
          "oss1: reading failed: Permission denied", 0 },
        { "ssh refuses and says nothing", "exit 255", "", "oss1: reading failed", 0 },
        { "no target", "printf 'hello\\n'", "",
          "oss1: no target with job_stats was named", 0 },
        { "broken off", "printf '" LIST DUMP("a", "5") "- job_id: b\\n'; exit 3",
          "oss1/a@0 ", "oss1: reading failed", 1 },
        { "killed", "printf '" LIST DUMP("a", "5") "- job_id: b\\n'; kill -9 $$",
          "oss1/a@0 ", "oss1: reading failed", 1 },
        { "words of a success are no problem",
          "echo warning >&2; printf '" LIST DUMP("a", "5") "'", "oss1/a@0 ", "", 1 },
        { "the host and the command are given",
          "test \"$1 $2\" = 'oss1 baro-ssh-read' "
          "|| exit 9; printf '" LIST DUMP("a", "5") "'",
          "oss1/a@0 ", "", 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
        (void)setenv("BARO_TEST_SCRIPT", cases[i].command, 1);
        AUTO(ssh_host_free) struct ssh_host *host = host_new("oss1", SCRIPT, &rows);
        read_round(host, T0);
        if (strcmp(strbuf_text(&rows), cases[i].rows) != 0 ||
            strcmp(ssh_host_problem(host), cases[i].problem) != 0 ||
            ssh_host_target_count(host) != cases[i].targets)
            fail_msg("%s: '%s' '%s' %zu", cases[i].name, strbuf_text(&rows),
                     ssh_host_problem(host), ssh_host_target_count(host));
    }
}

static void a_problem_lasts_until_the_next_round(void **state)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    (void)state;
    AUTO(ssh_host_free)
    struct ssh_host *host = host_new("oss1", SCRIPT, &rows);
    (void)setenv("BARO_TEST_SCRIPT", "exit 1", 1);
    read_round(host, T0);
    assert_string_not_equal(ssh_host_problem(host), "");
    (void)setenv("BARO_TEST_SCRIPT", "printf '" LIST DUMP("a", "5") "'", 1);
    read_round(host, T0 + 30000);
    assert_string_equal(ssh_host_problem(host), "");
    (void)setenv("BARO_TEST_SCRIPT", "printf '" LIST DUMP("a", "7") "'", 1);
    read_round(host, T0 + 60000);
    assert_string_equal(strbuf_text(&rows), "oss1/a@30 oss1/a@60 ");
}

static void what_hangs_is_given_up_with_what_it_has_begun(void **state)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    struct err err = { 0 };
    struct pollfd fds[2];
    (void)state;
    AUTO(ssh_host_free)
    struct ssh_host *host = host_new("oss1", "sh -c 'sleep 600 & wait' sh", &rows);
    assert_int_equal(ssh_host_poll(host, fds), 0);
    assert_int_equal(ssh_host_start(host, T0, &err), 0);
    assert_int_equal(ssh_host_start(host, T0, &err), -EBUSY);
    assert_true(ssh_host_is_busy(host));
    assert_int_equal(ssh_host_poll(host, fds), 2);
    ssh_host_give_up(host);
    assert_false(ssh_host_is_busy(host));
    assert_int_equal(ssh_host_poll(host, fds), 0);
    assert_string_equal(ssh_host_problem(host), "oss1: Connection timed out");
    ssh_host_give_up(host); /* once more changes nothing */
    assert_string_equal(ssh_host_problem(host), "oss1: Connection timed out");
}

static void a_name_that_would_be_an_option_is_refused(void **state)
{
    const struct ssh_host_opts opts = { .name = "-oProxyCommand=x",
                                        .interval_ms = 30000,
                                        .fn = add_row };
    const struct ssh_host_opts no_interval = { .name = "oss1", .fn = add_row };
    struct ssh_host *host = NULL;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(ssh_host_new(&opts, &host, &err), -EINVAL);
    assert_string_equal(err.text, "'-oProxyCommand=x' is not a host name");
    assert_int_equal(ssh_host_new(&no_interval, &host, &err), -EINVAL);
    assert_null(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_gives_rows_or_a_problem),
        cmocka_unit_test(a_problem_lasts_until_the_next_round),
        cmocka_unit_test(what_hangs_is_given_up_with_what_it_has_begun),
        cmocka_unit_test(a_name_that_would_be_an_option_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
