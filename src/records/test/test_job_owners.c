/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_owners - runs and summaries of some owners only, the same for both engines.
 */
#include "base/span.h"
#include "records/test/fixture.h"

#include "records/jobs.h"
#include "records/summaries.h"

#include <stdio.h>

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

/* Seconds after the day before the fixture's now. */
#define BASE_S (T0_MS / MS_PER_S - 86400)
#define AT(second) ((BASE_S + (second)) * NS_PER_S)

static void jobs_put(struct fixture *f)
{
    const struct job jobs[] = {
        { .cluster = SPAN("alex"),
          .id = SPAN("5"),
          .raw_id = SPAN("5"),
          .user = SPAN("alice"),
          .uid = SPAN("1001"),
          .account = SPAN("phys"),
          .submit_ns = JOB_TIME_NONE,
          .start_ns = AT(1000),
          .end_ns = AT(2000) },
        /* The number came again, an hour later. */
        { .cluster = SPAN("alex"),
          .id = SPAN("5"),
          .raw_id = SPAN("5"),
          .user = SPAN("bob"),
          .account = SPAN("chem"),
          .submit_ns = JOB_TIME_NONE,
          .start_ns = AT(6000),
          .end_ns = AT(7000) },
        { .cluster = SPAN("fritz"),
          .id = SPAN("5"),
          .raw_id = SPAN("5"),
          .user = SPAN("eve"),
          .account = SPAN("phys"),
          .submit_ns = JOB_TIME_NONE,
          .start_ns = AT(1000),
          .end_ns = AT(2000) },
        { .cluster = SPAN("alex"),
          .id = SPAN("9_1"),
          .raw_id = SPAN("10"),
          .user = SPAN("alice"),
          .uid = SPAN("1001"),
          .submit_ns = JOB_TIME_NONE,
          .start_ns = AT(3000),
          .end_ns = JOB_TIME_NONE },
        { .cluster = SPAN("alex"),
          .id = SPAN("11"),
          .raw_id = SPAN("11"),
          .submit_ns = JOB_TIME_NONE,
          .start_ns = AT(3000),
          .end_ns = AT(3001) },
    };
    struct records_submission counts;
    struct err err = { 0 };
    if (records_put_jobs(f->records, jobs, COUNT_OF(jobs), T0_MS, &counts, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_int_equal(counts.accepted, COUNT_OF(jobs));
}

/* Each has its log's name, which says whose it is. */
static void summaries_put(struct fixture *f)
{
    static const struct {
        const char *cluster, *job, *log;
        int64_t start; /* after BASE_S; below 0: not known */
    } rows[] = {
        { "alex", "5", "alice", 1001 },      { "alex", "5", "bob", 6001 },
        { "fritz", "5", "eve", 1001 },       { "alex", "10", "raw", 3001 },
        { "alex", "9_1", "element", 50000 }, { "alex", "5", "between", 4000 },
        { "", "5", "nowhere", 1001 },        { "alex", "5", "no-time", -1 },
        { "alex", "77", "no-run", 1001 },    { "alex", "11", "no-owner", 3000 },
    };
    struct summary summaries[COUNT_OF(rows)];
    struct records_submission counts;
    struct err err = { 0 };
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char line[300], start[60] = "";
        if (rows[i].start >= 0)
            (void)snprintf(start, sizeof start, ",\"darshan_start_time\":%lld",
                           (long long)(BASE_S + rows[i].start));
        (void)snprintf(line, sizeof line,
                       "{\"_cluster\":\"%s\",\"_jobid\":\"%s\",\"_log\":\"%s\","
                       "\"jobsdb_user\":\"alice\"%s}",
                       rows[i].cluster, rows[i].job, rows[i].log, start);
        if (summary_read_line(span_of(line), &arena, &summaries[i], &err) < 0)
            fail_msg("%s: %s", line, err.text);
    }
    if (records_put_summaries(f->records, summaries, COUNT_OF(rows), T0_MS, &counts,
                              &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_int_equal(counts.accepted, COUNT_OF(rows));
}

static int on_job(void *arg, const struct job *job)
{
    strbuf_addf(arg, SPAN_FMT "/" SPAN_FMT "@%lld ", SPAN_ARG(job->cluster),
                SPAN_ARG(job->id), (long long)(job->start_ns / NS_PER_S - BASE_S));
    return 0;
}

static int on_summary(void *arg, const struct summary *summary)
{
    strbuf_addf(arg, SPAN_FMT " ", SPAN_ARG(summary->scalars[SUMMARY_LOG].text));
    return 0;
}

static const struct span phys[] = { { "phys", 4 }, { "none", 4 } };

static const struct {
    struct job_owners owners;
    const char *jobs, *summaries;
} cases[] = {
    { { .user = { "alice", 5 } }, "alex/9_1@3000 alex/5@1000 ", "element raw alice " },
    { { .uid = { "1001", 4 } }, "alex/9_1@3000 alex/5@1000 ", "element raw alice " },
    { { .user = { "bob", 3 } }, "alex/5@6000 ", "bob " },
    { { .user = { "eve", 3 } }, "fritz/5@1000 ", "eve " },
    { { .user = { "eve", 3 }, .cluster = { "alex", 4 } }, "", "" },
    { { .user = { "bob", 3 }, .accounts = phys, .account_count = 2 },
      "alex/5@6000 alex/5@1000 fritz/5@1000 ",
      "bob alice eve " },
    { { .user = { "", 0 } }, "", "" },
    { { .user = { NULL, 0 } }, "", "" },
    { { .user = { "a", 1 } }, "", "" },
};

static void runs_and_their_summaries_are_found_by_their_owners(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        jobs_put(&f);
        summaries_put(&f);
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
            struct err err = { 0 };
            bool has_more = false;
            const struct job_filter jobs = { .owners = &cases[i].owners,
                                             .from_ns = JOB_TIME_NONE,
                                             .to_ns = JOB_TIME_NONE };
            const struct summary_filter summaries = { .owners = &cases[i].owners,
                                                      .from_ns = JOB_TIME_NONE,
                                                      .to_ns = JOB_TIME_NONE };
            if (records_find_jobs(f.reader, &jobs, on_job, &text, &has_more, &err) < 0)
                fail_msg("%s: %s", f.engine, err.text);
            assert_string_equal(strbuf_text(&text), cases[i].jobs);
            strbuf_clear(&text);
            if (records_find_summaries(f.reader, &summaries, on_summary, &text,
                                       &has_more, &err) < 0)
                fail_msg("%s: %s", f.engine, err.text);
            assert_string_equal(strbuf_text(&text), cases[i].summaries);
        }
    }
}

static void what_others_have_is_not_more(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        bool has_more = true;
        const struct job_owners bob = { .user = SPAN("bob") };
        const struct job_filter filter = { .owners = &bob,
                                           .id = SPAN("5"),
                                           .from_ns = JOB_TIME_NONE,
                                           .to_ns = JOB_TIME_NONE,
                                           .limit = 1 };
        jobs_put(&f);
        assert_int_equal(
            records_find_jobs(f.reader, &filter, on_job, &text, &has_more, NULL), 0);
        assert_string_equal(strbuf_text(&text), "alex/5@6000 ");
        assert_false(has_more);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_their_summaries_are_found_by_their_owners),
        cmocka_unit_test(what_others_have_is_not_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
