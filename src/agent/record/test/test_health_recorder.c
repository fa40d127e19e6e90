/* SPDX-License-Identifier: Apache-2.0 */
/* test_health_recorder - which samples are stored of what scripts print that stand in
 * for lfs and lctl, and what is reported where there is none. */
#include "agent/record/health_recorder.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/scratch.h"
#include "source/health/health.h"

#include <errno.h>
#include <string.h>

#define SPACE "echo 'fs-OST0000_UUID 1000 200 800 20% /fs[OST:0]'\n"
#define SERVERS "echo '  4 UP osc fs-OST0000-osc-ffff88 8dbd 5 oss1@tcp'\n"

/* A directory, two programs, and what was reported. */
struct played {
    char dir[128], lfs[128], lctl[128];
    struct strbuf log;
    struct health_recorder_opts opts;
};

static void log_add(void *arg, const char *text)
{
    struct played *p = arg;
    strbuf_addf(&p->log, "%s\n", text);
}

static void program_write(const char *path, const char *commands)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "#!/bin/sh\n%s", commands);
    assert_int_equal(file_replace(path, text.data, text.size, 0755, NULL), 0);
}

/* Each program wants the words that it is called with. */
static void play_begin(struct played *p, const char *name, const char *lfs)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char base[64];
    *p = (struct played){ .log = STRBUF_INIT };
    (void)snprintf(p->dir, sizeof p->dir, "%s", scratch_path(name));
    (void)snprintf(base, sizeof base, "%s.lfs", name);
    (void)snprintf(p->lfs, sizeof p->lfs, "%s", scratch_path(base));
    (void)snprintf(base, sizeof base, "%s.lctl", name);
    (void)snprintf(p->lctl, sizeof p->lctl, "%s", scratch_path(base));
    strbuf_addf(&text, "[ \"$*\" = df ] || exit 9\n%s", lfs);
    program_write(p->lfs, strbuf_text(&text));
    program_write(p->lctl, "[ \"$*\" = 'dl -t' ] || exit 9\n" SERVERS);
    p->opts = (struct health_recorder_opts){
        .dir = p->dir, .lfs = p->lfs, .lctl = p->lctl, .log = log_add, .log_arg = p
    };
}

/* Whether it is whole. */
static bool play_run(struct played *p)
{
    struct err err = { 0 };
    bool is_whole = false;
    strbuf_clear(&p->log);
    if (health_recorder_run(&p->opts, &is_whole, &err) < 0)
        fail_msg("%s", err.text);
    return is_whole;
}

/* The samples of the last day, each one's time as "T". */
static void samples_read(const struct played *p, enum health_kind kind,
                         struct strbuf *out)
{
    AUTO(health_dir_close) struct health_dir *dir = NULL;
    struct span text, line;
    const char *name;
    strbuf_clear(out);
    assert_int_equal(health_dir_open(p->dir, &dir, NULL), 0);
    if (health_dir_at(dir, kind, clock_now_ns(), &text, &name, NULL) < 0)
        return;
    while (text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        if (span_starts(line, "BEGIN 1") || span_starts(line, "BEGIN 2"))
            strbuf_adds(out, "BEGIN T\n");
        else
            strbuf_addf(out, SPAN_FMT "\n", SPAN_ARG(line));
    }
}

static void expect_samples(const struct played *p, enum health_kind kind,
                           const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    samples_read(p, kind, &text);
    if (strcmp(strbuf_text(&text), want) != 0)
        fail_msg("'%s' is not '%s'", strbuf_text(&text), want);
}

#define SPACE_SAMPLE "BEGIN T\nfs-OST0000_UUID 1000 200 800 20% /fs[OST:0]\n"
#define SERVERS_SAMPLE "BEGIN T\n  4 UP osc fs-OST0000-osc-ffff88 8dbd 5 oss1@tcp\n"

static void a_sample_of_each_kind_is_stored(void **state)
{
    struct played p;
    (void)state;
    play_begin(&p, "each", SPACE);
    assert_true(play_run(&p));
    assert_string_equal(strbuf_text(&p.log), "");
    expect_samples(&p, HEALTH_KIND_SPACE, SPACE_SAMPLE);
    expect_samples(&p, HEALTH_KIND_SERVERS, SERVERS_SAMPLE);
    /* The next one is put behind it. */
    p.opts.deadline_ns = 60 * NS_PER_S;
    assert_true(play_run(&p));
    expect_samples(&p, HEALTH_KIND_SPACE, SPACE_SAMPLE SPACE_SAMPLE);
    strbuf_done(&p.log);
}

static void a_recent_sample_is_enough(void **state)
{
    struct played p;
    (void)state;
    play_begin(&p, "recent", SPACE);
    p.opts.not_within_ns = 3600 * NS_PER_S;
    assert_true(play_run(&p));
    p.opts.lfs = p.opts.lctl = "/nowhere/at/all"; /* it is not started */
    assert_true(play_run(&p));
    assert_string_equal(strbuf_text(&p.log), "");
    expect_samples(&p, HEALTH_KIND_SPACE, SPACE_SAMPLE);
    p.opts.not_within_ns = 1;
    assert_false(play_run(&p));
    strbuf_done(&p.log);
}

static void what_is_no_sample_is_reported_and_the_other_kind_is_stored(void **state)
{
    static const struct {
        const char *name, *lfs, *want;
        bool is_whole;
    } cases[] = {
        { "empty", "", "lfs df: no sample: it printed nothing\n", false },
        { "fails", "exit 3\n", "lfs df: no sample: it printed nothing\n", false },
        { "complains", "echo no file system is mounted >&2; exit 2\n",
          "lfs df: no sample: its error output: no file system is mounted: it printed "
          "nothing\n",
          false },
        { "other", "echo hello\n", "lfs df: no sample: it names no target\n", false },
        { "cut", "printf 'fs-OST0000_UUID 1000 200 800 20%% /fs[OST:0]'\n",
          "lfs df: no sample: its text is cut\n", false },
        { "two", SPACE "echo BEGIN 5\n",
          "lfs df: no sample: its text has a line that begins with BEGIN\n", false },
        { "long", "exec cat /dev/zero\n", "lfs df: no sample: its text is too long\n",
          false },
        /* What complains and prints a sample is one. */
        { "both", SPACE "echo OST0001 is away >&2; exit 5\n",
          "lfs df: ended with 5: OST0001 is away\n", true },
        { "quiet", SPACE "exit 5\n", "lfs df: ended with 5: \n", true },
        { "warns", SPACE "echo OST0001 is away >&2\n",
          "lfs df: ended with 0: OST0001 is away\n", true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct played p;
        play_begin(&p, cases[i].name, cases[i].lfs);
        p.opts.deadline_ns = 120 * NS_PER_S;
        bool is_whole = play_run(&p);
        if (is_whole != cases[i].is_whole ||
            strcmp(strbuf_text(&p.log), cases[i].want) != 0)
            fail_msg("%s: %d '%s'", cases[i].name, is_whole, strbuf_text(&p.log));
        expect_samples(&p, HEALTH_KIND_SERVERS, SERVERS_SAMPLE);
        if (!is_whole)
            expect_samples(&p, HEALTH_KIND_SPACE, "");
        strbuf_done(&p.log);
    }
}

static void a_program_that_is_not_there_is_no_sample(void **state)
{
    struct played p;
    (void)state;
    play_begin(&p, "nowhere", SPACE);
    p.opts.lctl = "/nowhere/lctl";
    assert_false(play_run(&p));
    assert_string_equal(strbuf_text(&p.log),
                        "lctl dl -t: no sample: No such file or directory\n");
    expect_samples(&p, HEALTH_KIND_SPACE, SPACE_SAMPLE);
    /* With no log it is the same. */
    p.opts.log = NULL;
    assert_false(play_run(&p));
    strbuf_done(&p.log);
}

static void programs_are_found_on_the_path(void **state)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO_FREE char *before = strdup(getenv("PATH"));
    struct played p;
    (void)state;
    assert_non_null(before);
    play_begin(&p, "path", SPACE);
    assert_int_equal(mkdir(scratch_path("bin"), 0755), 0);
    assert_int_equal(rename(p.lfs, scratch_path("bin/lfs")), 0);
    assert_int_equal(rename(p.lctl, scratch_path("bin/lctl")), 0);
    p.opts.lfs = p.opts.lctl = NULL;
    strbuf_addf(&path, "%s:%s", scratch_path("bin"), before);
    (void)setenv("PATH", strbuf_text(&path), 1);
    assert_true(play_run(&p));
    (void)setenv("PATH", before, 1);
    expect_samples(&p, HEALTH_KIND_SERVERS, SERVERS_SAMPLE);
    strbuf_done(&p.log);
}

static void a_torn_sample_is_cut_off_before_the_next(void **state)
{
    AUTO(health_dir_close) struct health_dir *dir = NULL;
    struct played p;
    struct span text;
    const char *name;
    char path[512];
    (void)state;
    play_begin(&p, "torn", SPACE);
    assert_true(play_run(&p));
    assert_int_equal(health_dir_open(p.dir, &dir, NULL), 0);
    assert_int_equal(
        health_dir_at(dir, HEALTH_KIND_SPACE, clock_now_ns(), &text, &name, NULL), 0);
    (void)snprintf(path, sizeof path, "%s/%s", p.dir, name);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_true(fputs("BEGIN 9\nfs-OST", file) >= 0 && fclose(file) == 0);
    assert_true(play_run(&p));
    assert_string_equal(strbuf_text(&p.log),
                        "lfs df: a torn sample of 14 bytes was cut off\n");
    expect_samples(&p, HEALTH_KIND_SPACE, SPACE_SAMPLE SPACE_SAMPLE);
    strbuf_done(&p.log);
}

static void another_recorder_bars_its_kind_only(void **state)
{
    AUTO(health_state_done) struct health_state other = { .fd = -1 };
    struct played p;
    (void)state;
    play_begin(&p, "busy", SPACE);
    assert_int_equal(mkdir(p.dir, 0755), 0);
    assert_int_equal(health_state_open(p.dir, HEALTH_KIND_SPACE, &other, NULL), 0);
    assert_false(play_run(&p));
    assert_string_equal(strbuf_text(&p.log),
                        "lfs df: no sample: another sample is being recorded, or the "
                        "command of an earlier one still hangs\n");
    expect_samples(&p, HEALTH_KIND_SERVERS, SERVERS_SAMPLE);
    strbuf_done(&p.log);
}

static void days_that_are_over_are_removed(void **state)
{
    static const char *const names[] = { "df-2020-01-01.txt", "dl-2020-01-01.txt.gz",
                                         "notes-2020-01-01.txt" };
    char paths[COUNT_OF(names)][256];
    struct played p;
    (void)state;
    play_begin(&p, "days", SPACE);
    assert_int_equal(mkdir(p.dir, 0755), 0);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)snprintf(paths[i], sizeof paths[i], "%s/%s", p.dir, names[i]);
        assert_int_equal(file_replace(paths[i], "x", 1, 0644, NULL), 0);
    }
    assert_true(play_run(&p));
    assert_int_equal(access(paths[0], F_OK), 0); /* all are, without keep_ns */
    p.opts.keep_ns = 400 * 86400 * NS_PER_S;
    assert_true(play_run(&p));
    assert_true(access(paths[0], F_OK) < 0 && access(paths[1], F_OK) < 0);
    assert_int_equal(access(paths[2], F_OK), 0);
    expect_samples(&p, HEALTH_KIND_SPACE, SPACE_SAMPLE SPACE_SAMPLE);
    strbuf_done(&p.log);
}

static void a_directory_that_cannot_be_made_is_an_error(void **state)
{
    struct played p;
    struct err err = { 0 };
    bool is_whole = true;
    (void)state;
    play_begin(&p, "file", SPACE);
    p.opts.dir = scratch_path("file.lfs/below");
    assert_int_equal(health_recorder_run(&p.opts, &is_whole, &err), -ENOTDIR);
    assert_non_null(strstr(err.text, "file.lfs"));
    strbuf_done(&p.log);
}

/* The last one: its process may still point into what the recorder has. */
static void one_that_hangs_is_given_up_at_the_deadline(void **state)
{
    struct played p;
    (void)state;
    play_begin(&p, "hangs", "exec sleep 60\n");
    p.opts.lctl = "/nowhere/lctl";
    p.opts.deadline_ns = 200 * NS_PER_MS;
    int64_t begin_ns = clock_now_ns();
    assert_false(play_run(&p));
    assert_true(clock_now_ns() - begin_ns < 50 * NS_PER_S);
    if (!strstr(strbuf_text(&p.log), "lfs df: no sample: no response "))
        fail_msg("%s", strbuf_text(&p.log));
    expect_samples(&p, HEALTH_KIND_SPACE, "");
    strbuf_done(&p.log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_of_each_kind_is_stored),
        cmocka_unit_test(a_recent_sample_is_enough),
        cmocka_unit_test(what_is_no_sample_is_reported_and_the_other_kind_is_stored),
        cmocka_unit_test(a_program_that_is_not_there_is_no_sample),
        cmocka_unit_test(programs_are_found_on_the_path),
        cmocka_unit_test(a_torn_sample_is_cut_off_before_the_next),
        cmocka_unit_test(another_recorder_bars_its_kind_only),
        cmocka_unit_test(days_that_are_over_are_removed),
        cmocka_unit_test(a_directory_that_cannot_be_made_is_an_error),
        cmocka_unit_test(one_that_hangs_is_given_up_at_the_deadline),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
