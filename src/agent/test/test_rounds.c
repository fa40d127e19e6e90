/* SPDX-License-Identifier: Apache-2.0 */
/* test_rounds - what is read in a round, and what becomes of reads that fail; a script
 * stands in for lctl.
 */
#include "agent/param.h"
#include "agent/rounds.h"
#include "agent/test/lctl.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>

/* Rounds live as long as the loop, and both as long as the process. */
struct house {
    struct agent_opts agent;
    uv_loop_t loop;
    struct observe *observe;
    struct commit_log log;
    struct agent_report report;
    struct agent_reports reports;
    struct rounds *rounds;
    unsigned begun, committed, finished;
    unsigned stop_after; /* rounds */
    char lctl[128], state[128], spool[128];
};

static struct house houses[24];
static size_t house_count;

static void on_begin(void *arg)
{
    struct house *h = arg;
    if (++h->begun == h->stop_after)
        uv_stop(&h->loop);
}

static void on_committed(void *arg)
{
    struct house *h = arg;
    h->committed++;
}

static void on_finished(void *arg)
{
    struct house *h = arg;
    h->finished++;
    uv_stop(&h->loop);
}

static struct house *house_new(const struct lctl_script *script)
{
    struct house *h = &houses[house_count++];
    char name[32];
    assert_true(house_count < COUNT_OF(houses));
    (void)snprintf(name, sizeof name, "h%zu.lctl", house_count);
    (void)snprintf(h->lctl, sizeof h->lctl, "%s", scratch_path(name));
    (void)snprintf(name, sizeof name, "h%zu.state", house_count);
    (void)snprintf(h->state, sizeof h->state, "%s", scratch_path(name));
    (void)snprintf(name, sizeof name, "h%zu.spool", house_count);
    (void)snprintf(h->spool, sizeof h->spool, "%s", scratch_path(name));
    lctl_write(h->lctl, script);
    (void)pthread_mutex_init(&h->reports.lock, NULL);
    h->report = (struct agent_report){ agent_reports_add, &h->reports };
    h->agent = (struct agent_opts){ .host = "oss01",
                                    .source = "lctl",
                                    .lctl = h->lctl,
                                    .interval_ns = 60 * NS_PER_S,
                                    .deadline_ns = 60 * NS_PER_S };
    return h;
}

static void house_open(struct house *h)
{
    struct observe_opts observe = { .interval_ms = h->agent.interval_ns / NS_PER_MS,
                                    .generations_max = 1000 };
    struct err err = { 0 };
    assert_int_equal(uv_loop_init(&h->loop), 0);
    assert_int_equal(observe_new(&observe, &h->observe), 0);
    const struct commit_opts commit = {
        .state_dir = h->state,
        .spool = { .dir = h->spool, .bytes_max = 1 << 20 },
        .observe = h->observe,
        .report = &h->report,
    };
    if (commit_log_open(&h->log, &commit, &err) < 0)
        fail_msg("%s", err.text);
}

static void house_run(struct house *h, enum rounds_mode mode, struct rounds_counts *ret)
{
    const struct rounds_opts opts = {
        .agent = &h->agent,
        .loop = &h->loop,
        .log = &h->log,
        .observe = h->observe,
        .report = &h->report,
        .mode = mode,
        .begin_fn = on_begin,
        .committed_fn = on_committed,
        .finished_fn = on_finished,
        .arg = h,
    };
    assert_int_equal(rounds_start(&opts, &h->rounds), 0);
    if (!h->finished)
        (void)uv_run(&h->loop, UV_RUN_DEFAULT);
    rounds_stop(h->rounds);
    (void)uv_run(&h->loop, UV_RUN_NOWAIT);
    rounds_count(h->rounds, ret);
}

/* ---- one round ---- */

static const struct one_case {
    const char *name;
    struct lctl_script script;
    uint64_t reads, reads_failed, given_up, bad_lines, lists_failed;
    unsigned committed; /* targets whose rows were committed */
    const char *reported, *reported_too;
    int64_t deadline_ms;
} one_cases[] = {
    { "a target",
      { LCTL_LIST, NULL, LCTL_DUMP("a", "5"), NULL },
      1,
      0,
      0,
      0,
      0,
      1,
      "",
      "",
      0 },
    { "an OST and an MDT",
      { LCTL_LIST "; echo mdt.s-MDT0000.job_stats", NULL, LCTL_DUMP("a", "5"), NULL },
      2,
      0,
      0,
      0,
      0,
      2,
      "",
      "",
      0 },
    { "no target", { NULL, NULL, NULL, NULL }, 0, 0, 0, 0, 0, 0, "", "", 0 },
    { "the list fails",
      { LCTL_LIST "; echo no lnet >&2; exit 1", NULL, LCTL_DUMP("a", "5"), NULL },
      0,
      0,
      0,
      0,
      1,
      0,
      "the list of targets could not be read:  no lnet",
      "",
      0 },
    { "the list fails without a reason",
      { "exit 1", NULL, NULL, NULL },
      0,
      0,
      0,
      0,
      1,
      0,
      "the list of targets could not be read",
      "",
      0 },
    { "there is nothing of one kind",
      { LCTL_LIST "; echo 'mdt.*: No such file or directory' >&2; exit 2", NULL,
        LCTL_DUMP("a", "5"), NULL },
      1,
      0,
      0,
      0,
      0,
      1,
      "",
      "",
      0 },
    { "the list ends at no deadline",
      { "exec sleep 600", NULL, NULL, NULL },
      0,
      0,
      0,
      0,
      1,
      0,
      "could not be read: Connection timed out",
      "",
      200 },
    { "a bad line costs its entry",
      { LCTL_LIST, NULL,
        LCTL_DUMP("a", "5") "; printf -- '- job_id: b\\n  what is this\\n'", NULL },
      1,
      0,
      0,
      1,
      0,
      1,
      "s-OST0001.job_stats:",
      "dropping: '",
      0 },
    { "a read that fails stores what was whole",
      { LCTL_LIST, NULL, LCTL_DUMP("a", "5") "; echo broken >&2; exit 5", NULL },
      1,
      1,
      0,
      0,
      0,
      1,
      "1 target s-OST0001: read failed: broken; trying again in the next round",
      "",
      0 },
    { "a read past its deadline is given up",
      { LCTL_LIST, NULL, "exec sleep 600", NULL },
      1,
      1,
      1,
      0,
      0,
      1,
      "read failed: no response before the deadline",
      "",
      200 },
    { "resets that no round can see",
      { LCTL_LIST, "echo obdfilter.s-OST0001.job_cleanup_interval=100",
        LCTL_DUMP("a", "5"), NULL },
      1,
      0,
      0,
      0,
      0,
      1,
      "the interval of 60 s is more than half of its job_cleanup_interval of 100 s",
      "",
      0 },
    { "an interval of twice the round is enough",
      { LCTL_LIST, "echo obdfilter.s-OST0001.job_cleanup_interval=120",
        LCTL_DUMP("a", "5"), NULL },
      1,
      0,
      0,
      0,
      0,
      1,
      "",
      "",
      0 },
};

static void one_round_reads_each_target_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(one_cases); i++) {
        const struct one_case *c = &one_cases[i];
        struct house *h = house_new(&c->script);
        struct rounds_counts counts;
        if (c->deadline_ms)
            h->agent.deadline_ns = c->deadline_ms * NS_PER_MS;
        house_open(h);
        house_run(h, ROUNDS_ONE, &counts);
        if (h->finished != 1 || h->begun != 1 || counts.rounds != 1 ||
            counts.reading.reads != c->reads ||
            counts.reading.reads_failed != c->reads_failed ||
            counts.reading.reads_given_up != c->given_up ||
            counts.reading.bad_lines != c->bad_lines ||
            counts.lists_failed != c->lists_failed || h->committed != c->committed)
            fail_msg("%s: finished %u, reads %llu, failed %llu, bad %llu, lists %llu, "
                     "committed %u; %s",
                     c->name, h->finished, (unsigned long long)counts.reading.reads,
                     (unsigned long long)counts.reading.reads_failed,
                     (unsigned long long)counts.reading.bad_lines,
                     (unsigned long long)counts.lists_failed, h->committed,
                     h->reports.text);
        if (!strstr(h->reports.text, c->reported) ||
            !strstr(h->reports.text, c->reported_too) ||
            (!c->reported[0] && h->reports.text[0]))
            fail_msg("%s: %s", c->name, h->reports.text);
        assert_int_equal(counts.reading.reads_not_stored, 0);
        assert_int_equal(counts.reads_skipped, 0);
    }
}

static void file_systems_that_are_not_wanted_are_not_read(void **state)
{
    static const struct lctl_script script = { LCTL_LIST, NULL, LCTL_DUMP("a", "5"),
                                               NULL };
    static const char *patterns[] = { "other*" };
    struct rounds_counts counts;
    (void)state;
    struct house *h = house_new(&script);
    h->agent.filesystems = (struct config_list){ .items = patterns, .count = 1 };
    house_open(h);
    house_run(h, ROUNDS_ONE, &counts);
    assert_int_equal(counts.reading.reads, 0);
    assert_int_equal(h->finished, 1);
}

static void a_program_that_is_not_there_is_reported(void **state)
{
    static const struct lctl_script script = { NULL, NULL, NULL, NULL };
    struct rounds_counts counts;
    (void)state;
    struct house *h = house_new(&script);
    h->agent.lctl = "/nonexistent/lctl";
    house_open(h);
    house_run(h, ROUNDS_ONE, &counts);
    assert_int_equal(counts.lists_failed, 1);
    assert_int_equal(h->finished, 1);
    assert_non_null(strstr(h->reports.text,
                           "0 start '/nonexistent/lctl': No such file or directory"));
}

/* The list takes the program away: the targets are known, and none can be read. */
static void a_read_that_cannot_be_started_is_counted_and_reported(void **state)
{
    static const struct lctl_script script = { LCTL_LIST "; rm -f \"$0\"", NULL, NULL,
                                               NULL };
    struct rounds_counts counts;
    (void)state;
    struct house *h = house_new(&script);
    house_open(h);
    house_run(h, ROUNDS_ONE, &counts);
    assert_int_equal(counts.reading.reads, 0);
    assert_int_equal(counts.reading.reads_failed, 1);
    assert_int_equal(counts.lists_failed, 0);
    assert_int_equal(h->committed, 0);
    assert_int_equal(h->finished, 1);
    assert_non_null(strstr(h->reports.text, "': No such file or directory"));
}

/* What cannot be stored is as if it had not been read. */
static void a_read_that_cannot_be_stored_is_counted_and_reported(void **state)
{
    static const struct lctl_script script = { LCTL_LIST, NULL, LCTL_DUMP("a", "5"),
                                               NULL };
    struct rounds_counts counts;
    struct spool_counts spool;
    char path[256];
    (void)state;
    struct house *h = house_new(&script);
    house_open(h);
    (void)snprintf(path, sizeof path, "%s/s-OST0001.state", h->state);
    assert_int_equal(mkdir(path, 0700), 0);
    house_run(h, ROUNDS_ONE, &counts);
    assert_int_equal(counts.reading.reads, 1);
    assert_int_equal(counts.reading.reads_not_stored, 1);
    assert_int_equal(counts.reading.reads_failed, 0);
    assert_int_equal(counts.reading.batches, 0);
    assert_int_equal(h->committed, 0);
    spool_count(h->log.spool, &spool);
    assert_int_equal(spool.records, 0);
    assert_non_null(strstr(h->reports.text, "0 target s-OST0001: what was read at"));
    assert_non_null(strstr(h->reports.text, "the next read reports it again"));
}

static void a_list_that_cannot_be_stored_is_a_failure(void **state)
{
    static const struct lctl_script script = { LCTL_LIST, NULL, LCTL_DUMP("a", "5"),
                                               NULL };
    struct rounds_counts counts;
    char path[256];
    (void)state;
    struct house *h = house_new(&script);
    house_open(h);
    (void)snprintf(path, sizeof path, "%s/agent.list", h->state);
    assert_int_equal(mkdir(path, 0700), 0);
    house_run(h, ROUNDS_ONE, &counts);
    assert_int_equal(counts.lists_failed, 1);
    assert_non_null(
        strstr(h->reports.text, "0 the list of targets cannot be stored: "));
}

/* ---- round after round ---- */

static void rounds_go_on_until_they_are_stopped(void **state)
{
    static const struct lctl_script script = { LCTL_LIST, NULL, LCTL_DUMP("a", "5"),
                                               NULL };
    struct rounds_counts counts;
    (void)state;
    struct house *h = house_new(&script);
    h->agent.interval_ns = 200 * NS_PER_MS;
    h->stop_after = 4;
    house_open(h);
    house_run(h, ROUNDS_FOREVER, &counts);
    assert_int_equal(h->begun, 4);
    assert_int_equal(h->finished, 0); /* only one round has an end */
    assert_int_equal(counts.rounds, 4);
    assert_int_equal(counts.lists_failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_round_reads_each_target_once),
        cmocka_unit_test(file_systems_that_are_not_wanted_are_not_read),
        cmocka_unit_test(a_program_that_is_not_there_is_reported),
        cmocka_unit_test(a_read_that_cannot_be_started_is_counted_and_reported),
        cmocka_unit_test(a_read_that_cannot_be_stored_is_counted_and_reported),
        cmocka_unit_test(a_list_that_cannot_be_stored_is_a_failure),
        cmocka_unit_test(rounds_go_on_until_they_are_stopped),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
