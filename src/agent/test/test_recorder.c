/* SPDX-License-Identifier: Apache-2.0 */
/* test_recorder - a capture is recorded, and replayed: there and back without a server.
 */
#include "agent/capture/capture.h"
#include "agent/capture/capture_file.h"
#include "agent/packed.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "wire/wire.h"

#include <dirent.h>
#include <errno.h>

#define LIST "obdfilter.s-OST0001.job_stats\nmdt.s-MDT0000.job_stats\nnonsense\n"
#define CLEANUP "obdfilter.s-OST0001.job_cleanup_interval=600\n"
#define DUMP                         \
    "job_stats:\n- job_id: anna.7\n" \
    "  snapshot_time: 1669010520\n"  \
    "  write_bytes: { samples: %u, unit: bytes, min: 1, max: 2, sum: %u }\n"

static volatile sig_atomic_t is_ended;
static unsigned reads;

/* ---- a server that is played ---- */

static int read_played(const struct agent_opts *opts, const char *flag, const char *one,
                       const char *two, struct param_result *ret)
{
    (void)opts;
    (void)two;
    *ret = (struct param_result){ .is_gone = true };
    if (flag && strcmp(flag, "-N") == 0)
        strbuf_adds(&ret->text, LIST);
    else if (!flag)
        strbuf_adds(&ret->text, CLEANUP);
    else if (strstr(one, "MDT0000"))
        ret->status = 2; /* this target cannot be read */
    else {
        reads++;
        strbuf_addf(&ret->text, DUMP, reads, reads * 10);
    }
    return 0;
}

static int read_nothing(const struct agent_opts *opts, const char *flag,
                        const char *one, const char *two, struct param_result *ret)
{
    (void)opts;
    (void)flag;
    (void)one;
    (void)two;
    (void)ret;
    return -ENOENT;
}

static void count_report(void *arg, enum log_level level, enum agent_event event,
                         const char *text)
{
    unsigned *count = arg;
    (void)level;
    (void)event;
    assert_non_null(strstr(text, "left out"));
    ++*count;
}

static struct recorder_opts opts_of(const char *name, const struct agent_report *report)
{
    return (struct recorder_opts){
        .dir = scratch_path(name),
        .host = "oss01",
        .source = { .lctl = "lctl" },
        .interval_ns = NS_PER_MS * 20,
        .rounds = 1,
        .bytes_max = 1 << 20,
        .read_fn = read_played,
        .is_ended = &is_ended,
        .report = report,
    };
}

static size_t file_count(const char *dir)
{
    size_t count = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    (void)closedir(d);
    return count;
}

static void a_round_is_the_list_and_what_can_be_read(void **state)
{
    (void)state;
    unsigned reports = 0;
    const struct agent_report report = { count_report, &reports };
    struct recorder_opts opts = opts_of("round", &report);
    struct recorder_counts counts = { 0 };
    struct err err = { 0 };
    assert_int_equal(recorder_run(&opts, &counts, &err), 0);
    assert_int_equal(counts.dumps, 1);
    assert_int_equal(reports, 1);
    assert_true(counts.bytes > strlen(LIST CLEANUP));
    assert_int_equal(file_count(scratch_path("round/oss01")), 2);
}

static void the_oldest_files_go(void **state)
{
    (void)state;
    const struct agent_report silent = { NULL, NULL };
    struct recorder_opts opts = opts_of("bounded", &silent);
    struct recorder_counts counts = { 0 };
    struct err err = { 0 };
    opts.rounds = 5;
    opts.bytes_max = 400;
    assert_int_equal(recorder_run(&opts, &counts, &err), 0);
    assert_int_equal(counts.dumps, 5);
    size_t left = file_count(scratch_path("bounded/oss01"));
    assert_true(left > 0 && left < 10);
}

static void an_end_is_obeyed_and_errors_are_named(void **state)
{
    (void)state;
    const struct agent_report silent = { NULL, NULL };
    struct recorder_opts opts = opts_of("errors", &silent);
    struct recorder_counts counts = { 0 };
    struct err err = { 0 };
    is_ended = 1;
    assert_int_equal(recorder_run(&opts, &counts, &err), 0);
    assert_int_equal(counts.dumps, 0);
    is_ended = 0;
    opts.read_fn = read_nothing;
    assert_int_equal(recorder_run(&opts, &counts, &err), -ENOENT);
    assert_non_null(strstr(err.text, "start 'lctl'"));
    opts.host = "a/b";
    assert_int_equal(recorder_check(&opts, &err), -EINVAL);
    opts.host = "";
    assert_int_equal(recorder_check(&opts, &err), -EINVAL);
    opts.host = "oss01";
    assert_int_equal(recorder_check(&opts, &err), 0);
}

/* ---- replayed ---- */

struct sink {
    unsigned batches, rows;
    unsigned status;
    const char *body;
    char agents[8][40];
    uint64_t sequences[8];
    int64_t paused_ms;
};

static int post_to_sink(void *arg, struct span payload, struct net_response *ret,
                        struct err *err)
{
    struct sink *sink = arg;
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(jobbatch_done) struct jobbatch batch;
    AUTO(jobstats_decoder_free) struct jobstats_decoder *decoder = NULL;
    jobbatch_init(&batch, 0);
    assert_int_equal(packed_read(payload, 1 << 20, &json), 0);
    assert_int_equal(jobstats_decoder_new(&batch, &decoder), 0);
    assert_int_equal(jobstats_decoder_feed(decoder, json.data, json.size, err), 0);
    assert_int_equal(jobstats_decoder_finish(decoder, err), 0);
    assert_true(sink->batches < COUNT_OF(sink->agents));
    uuid_print(sink->agents[sink->batches], &batch.agent);
    sink->sequences[sink->batches++] = batch.sequence;
    sink->rows += (unsigned)batch.row_count;
    ret->status = sink->status;
    strbuf_clear(&ret->body);
    strbuf_adds(&ret->body, sink->body);
    return 0;
}

static void pause_sink(void *arg, int64_t ms)
{
    struct sink *sink = arg;
    assert_true(ms > 0);
    sink->paused_ms += ms;
}

/* Two dumps of one target, two minutes apart. */
static void write_capture(const char *dir)
{
    struct err err = { 0 };
    const int64_t t_ms = 1669010520000;
    char dump[256];
    assert_int_equal(
        capture_write(dir, "oss01", t_ms, SPAN("list"), SPAN(LIST CLEANUP), &err), 0);
    for (unsigned i = 0; i < 2; i++) {
        int size = snprintf(dump, sizeof dump, DUMP, i + 1, i * 5 + 7);
        assert_int_equal(capture_write(dir, "oss01", t_ms + i * 120000,
                                       SPAN("obdfilter.s-OST0001"),
                                       (struct span){ dump, (size_t)size }, &err),
                         0);
    }
}

static struct replay_opts replay_of(const char *dir, struct sink *sink)
{
    *sink = (struct sink){ .status = 200, .body = "{\"accepted\":1}" };
    return (struct replay_opts){ .dir = dir,
                                 .interval_ms = 120000,
                                 .post_fn = post_to_sink,
                                 .pause_fn = pause_sink,
                                 .arg = sink };
}

static void a_replay_that_is_repeated_sends_the_same_batches(void **state)
{
    (void)state;
    const char *dir = scratch_path("replayed");
    struct sink first, second;
    struct replay_counts counts;
    struct err err = { 0 };
    write_capture(dir);
    struct replay_opts opts = replay_of(dir, &first);
    assert_int_equal(replay_run(&opts, &counts, &err), 0);
    assert_int_equal(counts.dumps, 2);
    assert_int_equal(counts.batches, 2);
    assert_int_equal(counts.rows, 2);
    assert_int_equal(counts.bad_lines, 0);
    assert_int_equal(first.rows, 2);
    assert_int_equal(first.paused_ms, 120000);
    opts = replay_of(dir, &second);
    assert_int_equal(replay_run(&opts, &counts, &err), 0);
    assert_memory_equal(first.agents, second.agents, sizeof first.agents);
    assert_memory_equal(first.sequences, second.sequences, sizeof first.sequences);
    assert_true(first.sequences[0] < first.sequences[1]);
}

static void without_a_server_it_is_counted(void **state)
{
    (void)state;
    const char *dir = scratch_path("counted");
    const struct replay_opts opts = { .dir = dir, .interval_ms = 120000 };
    struct replay_counts counts;
    struct err err = { 0 };
    write_capture(dir);
    assert_int_equal(replay_run(&opts, &counts, &err), 0);
    assert_int_equal(counts.rows, 2);
}

static void only_barods_word_counts(void **state)
{
    (void)state;
    static const struct {
        unsigned status;
        const char *body;
        int rc;
    } cases[] = {
        { 200, "<html>", -EBADMSG },
        { 403, "{\"title\":\"no\"}", -EACCES },
        { 503, "", -EAGAIN },
    };
    const char *dir = scratch_path("refused");
    write_capture(dir);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sink sink;
        struct replay_counts counts;
        struct err err = { 0 };
        struct replay_opts opts = replay_of(dir, &sink);
        sink.status = cases[i].status;
        sink.body = cases[i].body;
        assert_int_equal(replay_run(&opts, &counts, &err), cases[i].rc);
        assert_int_equal(sink.batches, 1);
        assert_non_null(strstr(err.text, "oss01/")); /* the file */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_is_the_list_and_what_can_be_read),
        cmocka_unit_test(the_oldest_files_go),
        cmocka_unit_test(an_end_is_obeyed_and_errors_are_named),
        cmocka_unit_test(a_replay_that_is_repeated_sends_the_same_batches),
        cmocka_unit_test(without_a_server_it_is_counted),
        cmocka_unit_test(only_barods_word_counts),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
