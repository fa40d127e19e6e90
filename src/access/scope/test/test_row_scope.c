/* SPDX-License-Identifier: Apache-2.0 */
/* test_row_scope - the windows of runs that a client may see, out of a real database.
 */
#include "access/scope/scope.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MINUTE_MS INT64_C(60000)
#define NOW_MS INT64_C(1700000000000)
/* Minutes before now. */
#define AGO(minutes) (NOW_MS - (minutes)*MINUTE_MS)

static struct site *site;
static struct records *records;
static struct records_reader *reader;

static struct job run_of(const char *cluster, const char *id, const char *user,
                         int64_t from_ms, int64_t to_ms)
{
    return (struct job){ .cluster = span_of(cluster),
                         .id = span_of(id),
                         .raw_id = span_of(id),
                         .user = span_of(user),
                         .submit_ns = JOB_TIME_NONE,
                         .start_ns =
                             from_ms == T_NONE ? JOB_TIME_NONE : from_ms * NS_PER_MS,
                         .end_ns =
                             to_ms == T_NONE ? JOB_TIME_NONE : to_ms * NS_PER_MS };
}

static void jobs_put(void)
{
    const struct job jobs[] = {
        run_of("alex", "5", "bob", AGO(1000), AGO(900)),
        run_of("alex", "5", "alice", AGO(895), AGO(800)),
        run_of("alex", "5", "bob", AGO(300), AGO(200)),
        run_of("alex", "6", "alice", AGO(60), T_NONE),
        run_of("alex", "7", "alice", AGO(100), AGO(50)),
        run_of("fritz", "7", "bob", AGO(70), AGO(60)),
        run_of("alex", "8", "alice", AGO(300), AGO(250)),
        run_of("alex", "8", "alice", AGO(240), AGO(200)),
        run_of("alex", "9", "alice", T_NONE, T_NONE),
        run_of("alex", "10", "", AGO(60), T_NONE),
    };
    struct records_submission submission;
    struct err err = { 0 };
    if (records_put_jobs(records, jobs, COUNT_OF(jobs), NOW_MS, &submission, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(submission.accepted, COUNT_OF(jobs));
}

static int setup(void **state)
{
    struct err err = { 0 };
    if (scratch_make(state) < 0)
        return -1;
    const struct records_opts opts = { .engine = "sqlite",
                                       .path = scratch_path("records.db") };
    if (site_new(NULL, &site, &err) < 0 ||
        records_open(&opts, site, &records, &err) < 0)
        fail_msg("%s", err.text);
    jobs_put();
    return records_reader_open(records, &reader, &err);
}

static int teardown(void **state)
{
    records_reader_close(reader);
    records_close(records);
    site_free(site);
    return scratch_remove(state);
}

static struct access_client alice(void)
{
    return (struct access_client){ .roles = NET_ROLE_USER, .user = SPAN("alice") };
}

static int narrow(enum row_scope scope, const struct access_client *client,
                  const char *params, struct selection *sel)
{
    struct span rest = span_of(params), pair, name;
    struct err err = { 0 };
    selection_done(sel); /* of the query before */
    selection_init(sel, NOW_MS);
    while (rest.size > 0) {
        (void)span_cut(&rest, '&', &pair);
        (void)span_cut(&pair, '=', &name);
        assert_int_equal(selection_set(sel, name, pair, &err), 0);
    }
    int rc = row_scope_check(scope, client, sel, &err);
    return rc < 0 ? rc : row_scope_narrow(scope, client, reader, sel, &err);
}

static void a_query_about_a_job_has_the_window_of_her_run(void **state)
{
    static const struct {
        const char *params;
        int rc;
        int64_t not_before_ms, to_ms;
    } cases[] = {
        /* Bob's 5 ended five minutes before hers began. */
        { "job=5", 0, AGO(900), AGO(790) },
        { "job=5&last=100000m", 0, AGO(900), AGO(790) },
        { "job=6", 0, AGO(70), T_NONE },
        { "job=8", 0, AGO(310), AGO(190) },
        { "job=7", -ENOENT, 0, 0 },  /* at the same time as bob's on fritz */
        { "job=9", -ENOENT, 0, 0 },  /* not begun */
        { "job=10", -ENOENT, 0, 0 }, /* of no stated user */
        { "job=11", -ENOENT, 0, 0 },
        { "job=5&from=@1699982600&to=@1699987000", -ENOENT, 0,
          0 }, /* when it was bob's */
    };
    (void)state;
    const struct access_client client = alice();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel = { 0 };
        int rc = narrow(ROW_SCOPE_RUN, &client, cases[i].params, &sel);
        if (rc != cases[i].rc)
            fail_msg("%s: %d, want %d", cases[i].params, rc, cases[i].rc);
        if (rc == 0 && (sel.not_before_ms != cases[i].not_before_ms ||
                        sel.to_ms != cases[i].to_ms))
            fail_msg("%s: from %lld to %lld minutes", cases[i].params,
                     (long long)(NOW_MS - sel.not_before_ms) / MINUTE_MS,
                     (long long)(NOW_MS - sel.to_ms) / MINUTE_MS);
    }
}

static void what_was_requested_lies_within_that_window(void **state)
{
    (void)state;
    const struct access_client client = alice();
    AUTO(selection_done) struct selection sel = { 0 };
    assert_int_equal(narrow(ROW_SCOPE_RUN, &client, "job=5&from=@0&to=now", &sel), 0);
    assert_true(sel.from_ms == AGO(900) && sel.to_ms == AGO(790));
    assert_int_equal(narrow(ROW_SCOPE_TOTALS, &client, "job=5&last=20m", &sel), 0);
    assert_true(sel.from_ms == AGO(810) && sel.to_ms == AGO(790));
}

static void an_id_that_was_anothers_too_has_no_list(void **state)
{
    (void)state;
    const struct access_client client = alice();
    AUTO(selection_done) struct selection sel = { 0 };
    assert_int_equal(narrow(ROW_SCOPE_ID, &client, "job=8", &sel), 0);
    assert_int_equal(narrow(ROW_SCOPE_ID, &client, "job=5", &sel), -ENOENT);
    assert_int_equal(narrow(ROW_SCOPE_ID, &client, "job=11", &sel), -ENOENT);
    assert_int_equal(narrow(ROW_SCOPE_ID, &client, "fs=scratch", &sel), -EACCES);
}

static void totals_name_no_job(void **state)
{
    static const struct {
        enum row_scope scope;
        const char *params;
        int rc;
    } cases[] = {
        { ROW_SCOPE_TOTALS, "", 0 },
        { ROW_SCOPE_TOTALS, "by=fs,target,server,op&fs=scratch&target=s*&server=o", 0 },
        { ROW_SCOPE_TOTALS, "by=target,job", -EACCES },
        { ROW_SCOPE_TOTALS, "by=user", -EACCES },
        { ROW_SCOPE_TOTALS, "by=group", -EACCES },
        { ROW_SCOPE_TOTALS, "by=node", -EACCES },
        { ROW_SCOPE_TOTALS, "by=executable", -EACCES },
        { ROW_SCOPE_TOTALS, "user=bob", -EACCES },
        { ROW_SCOPE_TOTALS, "user=alice", -EACCES },
        { ROW_SCOPE_TOTALS, "group=7", -EACCES },
        { ROW_SCOPE_TOTALS, "node=n1", -EACCES },
        { ROW_SCOPE_TOTALS, "executable=cp", -EACCES },
        { ROW_SCOPE_TOTALS, "entry=x", -EACCES },
        { ROW_SCOPE_TOTALS, "id=8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11", -EACCES },
        { ROW_SCOPE_TOTALS, "density=yes&step=1h", -EACCES },
        { ROW_SCOPE_TOP, "", -EACCES },
        { ROW_SCOPE_TOP, "by=target", 0 },
        { ROW_SCOPE_TOP, "by=", 0 },
        { ROW_SCOPE_RUN, "", -EACCES },
        { ROW_SCOPE_NONE, "", 0 },
    };
    (void)state;
    const struct access_client client = alice();
    const struct access_client reader_client = { .roles = NET_ROLE_READER };
    const struct access_client nameless = { .roles = NET_ROLE_USER };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel = { 0 };
        int rc = narrow(cases[i].scope, &client, cases[i].params, &sel);
        if (rc != cases[i].rc)
            fail_msg("%s: %d, want %d", cases[i].params, rc, cases[i].rc);
        assert_int_equal(narrow(cases[i].scope, &reader_client, cases[i].params, &sel),
                         0);
        if (cases[i].scope != ROW_SCOPE_NONE)
            assert_int_equal(narrow(cases[i].scope, &nameless, cases[i].params, &sel),
                             -EACCES);
    }
}

static void without_a_database_no_job_is_hers(void **state)
{
    (void)state;
    const struct access_client client = alice();
    AUTO(selection_done) struct selection sel = { 0 };
    selection_init(&sel, NOW_MS);
    assert_int_equal(selection_set(&sel, SPAN("job"), SPAN("8"), NULL), 0);
    assert_int_equal(row_scope_narrow(ROW_SCOPE_RUN, &client, NULL, &sel, NULL),
                     -EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_about_a_job_has_the_window_of_her_run),
        cmocka_unit_test(what_was_requested_lies_within_that_window),
        cmocka_unit_test(an_id_that_was_anothers_too_has_no_list),
        cmocka_unit_test(totals_name_no_job),
        cmocka_unit_test(without_a_database_no_job_is_hers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
