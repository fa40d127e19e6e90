/* SPDX-License-Identifier: Apache-2.0 */
/* test_gpfs_recorder - which rows are stored of what a script prints that stands in for
 * mmpmon, and what is reported of steps that are lost. */
#include "agent/record/gpfs_recorder.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define LINE(node, fs, bytes)                                                         \
    "echo _fs_io_s_ _n_ 10.0.0.1 _nn_ " node " _rc_ 0 _t_ 1579358234 _tu_ 1 _cl_ "    \
    "gpfs.site _fs_ " fs " _d_ 4 _br_ " bytes " _bw_ $calls _oc_ $calls _cc_ $calls " \
    "_rdc_ $calls _wc_ $calls _dir_ $calls _iu_ $calls\n"

#define HEADER                                                                      \
    "time,step_s,cluster,side,owner,fs,nodes,unknown_nodes,read_bytes,write_bytes," \
    "opens,closes,reads,writes,readdirs,inode_updates\n"

/* A run: a directory and a program of its own, and what was reported. */
struct played {
    char dir[128], command[160];
    struct strbuf log;
    struct gpfs_recorder_opts opts;
    bool has_lost;
};

static void log_add(void *arg, const char *text)
{
    struct played *p = arg;
    strbuf_addf(&p->log, "%s\n", text);
}

/* The commands find the number of the call in $calls, the directory in $dir. */
static void play_begin(struct played *p, const char *name, const char *commands)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    *p = (struct played){ .log = STRBUF_INIT };
    (void)snprintf(p->dir, sizeof p->dir, "%s", scratch_path(name));
    (void)snprintf(p->command, sizeof p->command, "%s/mmpmon", p->dir);
    assert_int_equal(mkdir(p->dir, 0755), 0);
    strbuf_addf(&text,
                "#!/bin/sh\ndir='%s'\ncalls=0\n"
                "[ ! -e $dir/calls ] || read -r calls <$dir/calls\n"
                "calls=$((calls + 1))\necho $calls >$dir/calls\n%s",
                p->dir, commands);
    assert_int_equal(file_replace(p->command, text.data, text.size, 0755, NULL), 0);
    p->opts = (struct gpfs_recorder_opts){ .dir = p->dir,
                                           .cluster = "viz",
                                           .side = "server",
                                           .command = p->command,
                                           .step_ns = NS_PER_S,
                                           .rounds = 1,
                                           .log = log_add,
                                           .log_arg = p };
}

static int play_run(struct played *p)
{
    struct err err = { 0 };
    int rc = gpfs_recorder_run(&p->opts, &p->has_lost, &err);
    if (rc < 0)
        strbuf_addf(&p->log, "error: %s\n", err.text);
    return rc;
}

static void expect_log(struct played *p, const char *want)
{
    if (strcmp(strbuf_text(&p->log), want) != 0)
        fail_msg("'%s' is not '%s'", strbuf_text(&p->log), want);
}

/* All files of days, one after the other; how many there are. */
static size_t rows_read(const struct played *p, struct strbuf *out)
{
    size_t count = 0;
    DIR *dir = opendir(p->dir);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[512];
        if (strncmp(e->d_name, "gpfs-20", 7) != 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", p->dir, e->d_name);
        assert_int_equal(file_read(path, 1 << 20, out, NULL), 0);
        count++;
    }
    (void)closedir(dir);
    return count;
}

static void a_row_is_the_sum_of_what_nodes_grew_by(void **state)
{
    static const char row[] = "1,viz,server,gpfs.site,scratch,2,0,1100,2,2,2,2,2,2,2";
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct played p;
    size_t rows = 0, headers = 0;
    (void)state;
    play_begin(&p, "sums",
               LINE("n1", "scratch", "$((calls * 100))")
                   LINE("n2", "scratch", "$((calls * 1000))"));
    p.opts.rounds = 3;
    assert_int_equal(play_run(&p), 0);
    size_t files = rows_read(&p, &text);
    struct span rest = strbuf_span(&text), line, time;
    while (rest.size > 0) {
        assert_true(span_cut(&rest, '\n', &line));
        struct span whole = line;
        assert_true(span_cut(&line, ',', &time));
        if (span_is(time, "time"))
            headers++;
        else if (span_is(line, row))
            rows++;
        else
            fail_msg("a row " SPAN_FMT, SPAN_ARG(whole));
    }
    /* A file of each day has names of columns, once. */
    assert_int_equal(headers, files);
    /* A busy machine may lose a step; there is no row of the next one, then. */
    if (!p.has_lost) {
        assert_int_equal(rows, 2);
        expect_log(&p, "");
    }
    strbuf_done(&p.log);
}

static void the_nodes_that_are_wanted_are_in_the_requests(void **state)
{
    static const char *nodes[] = { "n1", "n2" };
    static const struct {
        const char *name;
        size_t count;
        const char *want;
    } cases[] = { { "none", 0, "-p -i\nfs_io_s\n" },
                  { "two", 2, "-p -i\nnlist new n1 n2\nfs_io_s\n" } };
    AUTO_FREE char *path = strdup(getenv("PATH"));
    assert_non_null(path);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf seen = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf paths = STRBUF_INIT;
        struct played p;
        play_begin(&p, cases[i].name, "{ echo $1 $2; cat \"$3\"; } >$dir/seen\n");
        p.opts.command = NULL; /* mmpmon on the path */
        p.opts.nodes.items = nodes;
        p.opts.nodes.count = cases[i].count;
        strbuf_addf(&paths, "%s:%s", p.dir, path);
        (void)setenv("PATH", strbuf_text(&paths), 1);
        assert_int_equal(play_run(&p), 0);
        (void)setenv("PATH", path, 1);
        strbuf_addf(&text, "%s/seen", p.dir);
        assert_int_equal(file_read(strbuf_text(&text), 4096, &seen, NULL), 0);
        assert_string_equal(strbuf_text(&seen), cases[i].want);
        strbuf_done(&p.log);
    }
}

#define LOST "; steps are lost until it responds\n"

static bool is_slow(struct played *p)
{
    return strstr(strbuf_text(&p->log), "slower than a step" LOST) ||
           strstr(strbuf_text(&p->log), "does not respond" LOST);
}

static void what_is_lost_is_reported_once(void **state)
{
    static const struct {
        const char *name, *commands;
        uint64_t rounds;
        const char *want;
    } cases[] = {
        { "fails", "exit 3\n", 2, "mmpmon fails" LOST },
        { "signal", "kill -KILL $$\n", 1, "mmpmon fails" LOST },
        { "back", "[ $calls -gt 1 ] || exit 1\n", 2,
          "mmpmon fails" LOST "1 steps were lost\n" },
        { "disk", "mkdir $dir/gpfs-$(date -u +%Y-%m-%d).csv\n", 1,
          "Is a directory" LOST },
        { "refused", "echo _fs_io_s_ _n_ 1 _nn_ n3 _rc_ 1 _t_ 1 _tu_ 1 _cl_ - _fs_ -\n",
          1, "line 1 of mmpmon: the request failed\n" },
        { "more", "for fs in $(seq 1100); do\n" LINE("n1", "$fs", "1") "done\n", 1,
          "there are more nodes or file systems than can be stored" LOST },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct played p;
        play_begin(&p, cases[i].name, cases[i].commands);
        p.opts.rounds = cases[i].rounds;
        p.opts.step_ns = (i == COUNT_OF(cases) - 1 ? 2 : 1) * NS_PER_S;
        assert_int_equal(play_run(&p), 0);
        /* On a busy machine a script may be slower than a step. */
        if (!is_slow(&p)) {
            expect_log(&p, cases[i].want);
            assert_int_equal(p.has_lost, strstr(cases[i].want, LOST) != NULL);
        }
        strbuf_done(&p.log);
    }
}

static void a_program_that_is_not_there_loses_each_step(void **state)
{
    struct played p;
    (void)state;
    play_begin(&p, "nowhere", "");
    p.opts.command = "/nowhere/mmpmon";
    p.opts.rounds = 2;
    assert_int_equal(play_run(&p), 0);
    assert_true(p.has_lost);
    expect_log(&p, "mmpmon cannot be started" LOST);
    /* With no log it is the same. */
    p.opts.log = NULL;
    p.opts.rounds = 1;
    p.has_lost = false;
    assert_int_equal(play_run(&p), 0);
    assert_true(p.has_lost);
    strbuf_done(&p.log);
}

static void one_that_hangs_is_left_to_itself(void **state)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    struct played p;
    (void)state;
    play_begin(&p, "hangs", "exec sleep 60\n");
    assert_int_equal(play_run(&p), 0);
    assert_true(p.has_lost);
    if (!is_slow(&p))
        fail_msg("%s", strbuf_text(&p.log));
    assert_int_equal(rows_read(&p, &rows), 0);
    strbuf_done(&p.log);
}

static void a_text_without_end_is_not_read_to_its_end(void **state)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    struct played p;
    (void)state;
    play_begin(&p, "long", "exec cat /dev/zero\n");
    p.opts.step_ns = 2 * NS_PER_S;
    assert_int_equal(play_run(&p), 0);
    assert_true(p.has_lost);
    assert_int_equal(rows_read(&p, &rows), 0);
    strbuf_done(&p.log);
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
    struct played p;
    (void)state;
    play_begin(&p, "gone", "");
    p.opts.dir = "/nowhere/at/all";
    assert_int_equal(play_run(&p), -ENOENT);
    assert_non_null(strstr(strbuf_text(&p.log), "/nowhere/at/all"));
    strbuf_done(&p.log);
}

/* In a process of its own, since one that a signal ends leaves its loop as it is. */
static void a_signal_ends_it(void **state)
{
    struct played p;
    int status = 0;
    (void)state;
    play_begin(&p, "signals", "kill -TERM $PPID\n");
    p.opts.rounds = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)alarm(60);
        _exit(play_run(&p) == 0 ? 7 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_the_sum_of_what_nodes_grew_by),
        cmocka_unit_test(the_nodes_that_are_wanted_are_in_the_requests),
        cmocka_unit_test(what_is_lost_is_reported_once),
        cmocka_unit_test(a_program_that_is_not_there_loses_each_step),
        cmocka_unit_test(one_that_hangs_is_left_to_itself),
        cmocka_unit_test(a_text_without_end_is_not_read_to_its_end),
        cmocka_unit_test(a_directory_that_is_not_there_is_an_error),
        cmocka_unit_test(a_signal_ends_it),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
