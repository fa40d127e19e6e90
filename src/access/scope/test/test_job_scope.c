/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_scope - the condition in the database lets through what access_decide()
 * permits, and nothing else. */
#include "access/scope/scope.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <stdio.h>
#include <string.h>

#define NOW_MS INT64_C(1700000000000)
#define START_NS ((NOW_MS - 3600000) * NS_PER_MS)

static struct site *site;
static struct records *records;
static struct records_reader *reader;

/* Every combination of these is a job. */
static const char *const clusters[] = { "", "alex", "fritz" };
static const char *const users[] = {
    "", "alice", "Alice", "alice ", "bob", "1001", "%"
};
static const char *const uids[] = { "", "1001", "1002" };
static const char *const accounts[] = { "", "phys", "physics", "alice" };

enum {
    JOB_COUNT =
        COUNT_OF(clusters) * COUNT_OF(users) * COUNT_OF(uids) * COUNT_OF(accounts),
};

static struct job jobs[JOB_COUNT];
static char ids[JOB_COUNT][12];

static void jobs_make(void)
{
    for (size_t i = 0; i < JOB_COUNT; i++) {
        size_t n = i;
        (void)snprintf(ids[i], sizeof ids[i], "%zu", i);
        jobs[i] = (struct job){ .id = span_of(ids[i]),
                                .raw_id = span_of(ids[i]),
                                .submit_ns = JOB_TIME_NONE,
                                .start_ns = START_NS,
                                .end_ns = START_NS + NS_PER_S };
        jobs[i].cluster = span_of(clusters[n % COUNT_OF(clusters)]);
        n /= COUNT_OF(clusters);
        jobs[i].user = span_of(users[n % COUNT_OF(users)]);
        n /= COUNT_OF(users);
        jobs[i].uid = span_of(uids[n % COUNT_OF(uids)]);
        n /= COUNT_OF(uids);
        jobs[i].account = span_of(accounts[n]);
    }
}

static int setup(void **state)
{
    struct records_submission submission;
    struct err err = { 0 };
    if (scratch_make(state) < 0)
        return -1;
    const struct records_opts opts = { .engine = "sqlite",
                                       .path = scratch_path("records.db") };
    jobs_make();
    if (site_new(NULL, &site, &err) < 0 ||
        records_open(&opts, site, &records, &err) < 0 ||
        records_put_jobs(records, jobs, JOB_COUNT, NOW_MS, &submission, &err) < 0 ||
        records_reader_open(records, &reader, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(submission.accepted, JOB_COUNT);
    return 0;
}

static int teardown(void **state)
{
    records_reader_close(reader);
    records_close(records);
    site_free(site);
    return scratch_remove(state);
}

struct found {
    bool has[JOB_COUNT];
    size_t count;
};

static int on_job(void *arg, const struct job *job)
{
    struct found *found = arg;
    uint64_t index = 0;
    assert_int_equal(number_parse_u64(job->id, &index), 0);
    assert_true(index < JOB_COUNT && !found->has[index]);
    found->has[index] = true;
    found->count++;
    return 0;
}

static size_t expect_same(const char *name, const struct access_client *client)
{
    struct found found = { .count = 0 };
    struct job_scope scope;
    struct err err = { 0 };
    job_scope_init(&scope, client);
    const struct job_filter filter = { .owners = job_scope_owners(&scope),
                                       .from_ns = JOB_TIME_NONE,
                                       .to_ns = JOB_TIME_NONE };
    if (records_find_jobs(reader, &filter, on_job, &found, NULL, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    for (size_t i = 0; i < JOB_COUNT; i++)
        if (found.has[i] != job_scope_has(&scope, &jobs[i]))
            fail_msg("%s: job of '" SPAN_FMT "', uid '" SPAN_FMT "', account '" SPAN_FMT
                     "' on '" SPAN_FMT "': found %d",
                     name, SPAN_ARG(jobs[i].user), SPAN_ARG(jobs[i].uid),
                     SPAN_ARG(jobs[i].account), SPAN_ARG(jobs[i].cluster),
                     found.has[i]);
    return found.count;
}

static void the_database_finds_what_the_decision_permits(void **state)
{
    static const struct span own_accounts[] = { { "phys", 4 }, { "", 0 } };
    const unsigned manager = NET_ROLE_USER | NET_ROLE_MANAGER;
    const struct {
        const char *name;
        struct access_client client;
        size_t count;
    } cases[] = {
        { "reader", { .roles = NET_ROLE_READER }, JOB_COUNT },
        { "admin", { .roles = NET_ROLE_ADMIN }, JOB_COUNT },
        { "agent", { .roles = NET_ROLE_AGENT }, 0 },
        { "nobody", { 0 }, 0 },
        { "user", { .roles = NET_ROLE_USER, .user = SPAN("alice") }, 36 },
        { "no name", { .roles = NET_ROLE_USER, .user = SPAN("") }, 0 },
        { "a pattern", { .roles = NET_ROLE_USER, .user = SPAN("%") }, 36 },
        { "digits", { .roles = NET_ROLE_USER, .user = SPAN("1001") }, 36 },
        { "uid", { .roles = NET_ROLE_USER, .uid = SPAN("1001") }, 84 },
        { "on alex",
          { .roles = NET_ROLE_USER, .user = SPAN("alice"), .cluster = SPAN("alex") },
          12 },
        { "manager",
          { .roles = manager,
            .user = SPAN("carol"),
            .accounts = own_accounts,
            .account_count = 2 },
          63 },
        { "manager with jobs",
          { .roles = manager,
            .user = SPAN("alice"),
            .accounts = own_accounts,
            .account_count = 1 },
          90 },
        { "user with accounts",
          { .roles = NET_ROLE_USER,
            .user = SPAN("carol"),
            .accounts = own_accounts,
            .account_count = 1 },
          0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t count = expect_same(cases[i].name, &cases[i].client);
        if (count != cases[i].count)
            fail_msg("%s: %zu jobs, want %zu", cases[i].name, count, cases[i].count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_database_finds_what_the_decision_permits),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
