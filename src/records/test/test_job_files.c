/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_files - files of jobs in the database, the same for both engines. */
#include "base/number.h"
#include "base/span.h"
#include "records/job/job_files.h"
#include "records/test/fixture.h"

/* Run body on an empty database of each engine. */
#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

#define RUN "00000000000000000000000000000001"
#define T(s) ((T0_MS / MS_PER_S - 1000 + (s)) * NS_PER_S)

static void retention_set(struct fixture *f, int64_t retention_ns)
{
    f->opts.retention_provenance_ns = retention_ns;
    fixture_reopen(f);
}

static struct job_file library(const char *name, const char *build_id, int64_t size)
{
    return (struct job_file){ JOB_FILE_LIBRARY, span_of(name), span_of(build_id), size,
                              1700000000,       SPAN("") };
}

static struct job_file_list of_job(const char *job, int64_t uid, int64_t t_ns,
                                   const struct job_file *files, size_t count)
{
    return (struct job_file_list){ SPAN("alex"), span_of(job), SPAN("n1"), SPAN(RUN),
                                   uid,          t_ns,         files,      count };
}

static void put(struct fixture *f, const struct job_file_list *files, int64_t now_ms,
                struct records_submission *ret)
{
    struct err err = { 0 };
    *ret = (struct records_submission){ 0 };
    if (records_put_job_files(f->records, files, 1, now_ms, ret, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
}

static int seen_print(void *arg, const struct job_file_seen *seen)
{
    strbuf_addf(arg, "%lld-%lld ", (long long)((seen->first_ns - T(0)) / NS_PER_S),
                (long long)((seen->last_ns - T(0)) / NS_PER_S));
    job_file_print(&seen->file, arg);
    strbuf_addc(arg, '\n');
    return 0;
}

static void check(struct fixture *f, const char *job, const char *uid, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    const struct job_file_filter filter = { SPAN("alex"), span_of(job), span_of(uid),
                                            T(0), T(500) };
    fixture_reopen(f);
    if (records_find_job_files(f->reader, &filter, seen_print, &text, &err) < 0)
        fail_msg("%s: %s", f->engine, err.text);
    assert_string_equal(strbuf_text(&text), want);
}

static void what_comes_twice_changes_nothing(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct job_file files[] = { library("/usr/lib/libx.so", "aa", 10),
                                    library("/usr/lib/libx.so", "bb", 11),
                                    { JOB_FILE_WRITTEN, SPAN("/home/eva/out"), SPAN(""),
                                      5, 6, SPAN("") } };
        struct job_file_list of = of_job("7", 1000, T(10), files, 3);
        struct records_submission got;
        retention_set(&f, 86400 * NS_PER_S);
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.accepted, 1);
        put(&f, &of, T0_MS + 5, &got);
        assert_int_equal(got.duplicate, 1);
        files[2].size = 500;
        of.t_ns = T(20);
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.changed, 1);
        files[2].size = 50;
        of.t_ns = T(15); /* it was on its way for long */
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.duplicate, 1);
        check(&f, "7", "1000",
              "10-20 library 10 1700000000 - aa /usr/lib/libx.so\n"
              "10-20 library 11 1700000000 - bb /usr/lib/libx.so\n"
              "10-20 written 500 6 - - /home/eva/out\n");
        check(&f, "7", "1001", "");
        check(&f, "8", "1000", "");
    }
}

static void a_job_has_so_many_at_most(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct job_file files[JOB_FILE_LIST_MAX];
        char names[JOB_FILE_LIST_MAX][24];
        struct job_file_list of = of_job("7", 1000, T(10), files, COUNT_OF(files));
        struct records_submission got = { 0 };
        retention_set(&f, 86400 * NS_PER_S);
        for (size_t put_count = 0; put_count <= 4096 / COUNT_OF(files); put_count++) {
            assert_int_equal(got.refused, 0);
            for (size_t i = 0; i < COUNT_OF(files); i++) {
                (void)snprintf(names[i], sizeof names[i], "/home/%zu/%zu", put_count,
                               i);
                files[i] = library(names[i], "", 1);
            }
            put(&f, &of, T0_MS, &got);
        }
        assert_int_equal(got.refused, 1);
        assert_string_equal(got.refusals[0].reason, "a job has 4,096 files at most");
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_files"), 4097);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_files WHERE "
                                            "kind = 'more' AND name = 'site'"),
                         1);
        files[0] = library("/home/0/0", "", 2);
        of.count = 1;
        of.t_ns = T(11);
        fixture_reopen(&f); /* what is remembered is read again */
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.refused, 1);
        files[0] =
            (struct job_file){ JOB_FILE_HOST, SPAN("n1"), SPAN(""), 0, 0, SPAN("") };
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.accepted, 1);
        of.uid = 1001; /* another's job of that number is another */
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.accepted, 1);
    }
}

/* A requeued job has its number again: what its first run had is not the second's. */
static void runs_of_one_number_are_two(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        struct job_file file = library("/usr/lib/libx.so", "aa", 10);
        struct job_file_list lists[] = { of_job("7", 1000, T(-40), &file, 1),
                                         of_job("7", 1000, T(10), &file, 1) };
        struct records_submission got;
        struct err err = { 0 };
        lists[1].run = SPAN("00000000000000000000000000000002");
        retention_set(&f, 86400 * NS_PER_S);
        assert_int_equal(records_put_job_files(f.records, lists, 2, T0_MS, &got, &err),
                         0);
        assert_int_equal(got.accepted, 2);
        check(&f, "7", "1000", "10-10 library 10 1700000000 - aa /usr/lib/libx.so\n");
    }
}

/* Once the batch system's record is there. */
static void a_host_that_is_none_of_the_jobs_is_refused(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct job job = { .cluster = SPAN("alex"),
                                 .id = SPAN("7"),
                                 .raw_id = SPAN("7"),
                                 .user = SPAN("eva"),
                                 .uid = SPAN("1000"),
                                 .nodes = SPAN("n[2-3]"),
                                 .submit_ns = T(0),
                                 .start_ns = T(0),
                                 .end_ns = JOB_TIME_NONE,
                                 .state = SPAN("RUNNING") };
        struct job_file file = library("/usr/lib/libx.so", "aa", 10);
        struct job_file_list of = of_job("7", 1000, T(10), &file, 1);
        struct records_submission got = { 0 };
        struct err err = { 0 };
        retention_set(&f, 86400 * NS_PER_S);
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.accepted, 1); /* not known yet */
        assert_int_equal(records_put_jobs(f.records, &job, 1, T0_MS, &got, &err), 0);
        of.t_ns = T(20);
        put(&f, &of, T0_MS + 1, &got);
        assert_int_equal(got.refused, 1);
        assert_string_equal(got.refusals[0].reason,
                            "its host is not a node of the job");
        of.host = SPAN("n3");
        put(&f, &of, T0_MS + 2, &got);
        assert_int_equal(got.refused, 0);
        file = (struct job_file){ JOB_FILE_HOST, SPAN("n2"), SPAN(""), 0, 0, SPAN("") };
        put(&f, &of, T0_MS + 2, &got);
        assert_string_equal(got.refusals[0].reason, "it speaks for another host");
    }
}

/* Also where nothing came since: nothing else would end it. */
static void what_is_old_goes(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        const struct job_file file = library("/usr/lib/libx.so", "aa", 10);
        const struct job_file_list of = of_job("7", 1000, T(10), &file, 1);
        struct records_submission got;
        struct err err = { 0 };
        retention_set(&f, 0);
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.refused, 1);
        retention_set(&f, 3600 * NS_PER_S);
        put(&f, &of, T0_MS, &got);
        assert_int_equal(got.accepted, 1);
        assert_int_equal(records_maintain(f.records, T0_MS + 2000 * MS_PER_S, &err), 0);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_files"), 1);
        assert_int_equal(records_maintain(f.records, T0_MS + 7200 * MS_PER_S, &err), 0);
        assert_int_equal(fixture_number(&f, "SELECT count(*) FROM job_files"), 0);
        put(&f, &of, T0_MS + 7200 * MS_PER_S, &got);
        assert_int_equal(got.refused, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_twice_changes_nothing),
        cmocka_unit_test(a_job_has_so_many_at_most),
        cmocka_unit_test(runs_of_one_number_are_two),
        cmocka_unit_test(a_host_that_is_none_of_the_jobs_is_refused),
        cmocka_unit_test(what_is_old_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
