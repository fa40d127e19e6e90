/* SPDX-License-Identifier: Apache-2.0 */
/* test_servers - what a barod's servers counted of a job, requested by its id. */
#include "client/job/job.h"
#include "client/job/test/barod.h"

#include <errno.h>
#include <string.h>

#define START_S INT64_C(1500000000) /* 2017-07-14T02:40:00Z */

#define COLUMN(name, type) "{\"name\":\"" name "\",\"type\":\"" type "\",\"unit\":\"\"}"
#define SUMMARY_OF(from, to, fs)                                                 \
    "{\"summary\":{\"columns\":[" COLUMN("from", "time") "," COLUMN(             \
        "to", "time") "," COLUMN("fs", "text") "],\"rows\":[[\"" from "\",\"" to \
                                               "\"," fs "]]}}"
#define NUMBERS                                                                      \
    COLUMN("write_bytes", "u64")                                                     \
    "," COLUMN("read_bytes", "u64") "," COLUMN("iops", "u64") "," COLUMN("metadata", \
                                                                         "u64")
#define FLOW                                                                        \
    "{\"columns\":[" COLUMN("target", "text") "," COLUMN("job", "text") "," COLUMN( \
        "user", "text") "," NUMBERS "],\"rows\":["

static const struct client_endpoint *endpoint(void)
{
    static struct client_endpoint there;
    there = (struct client_endpoint){ .server = barod.url, .token_file = "" };
    return &there;
}

static const struct job_request job_77 = { .id = "77",
                                           .start_s = START_S,
                                           .end_s = START_S + 600 };

static const struct barod_response rows_of_77[] = {
    { "GET /v1/jobstats/job/77", 200,
      SUMMARY_OF("2017-07-14T02:39:59Z", "2017-07-14T02:50:00Z", "\"scratch\""),
      false },
    { "job=77", 200, FLOW "[\"scratch-OST0001\",null,\"ann\",100,0,0,0]]}", false },
    { "target=scratch-OST0001", 200,
      FLOW "[\"scratch-OST0001\",\"77\",\"ann\",100,0,0,0],"
           "[\"scratch-OST0001\",\"78\",\"bob\",900,0,0,0]]}",
      false },
    { "GET /v1/jobstats/rates", 200,
      FLOW "[\"scratch-OST0001\",null,null,1000,0,0,0]]}", false },
};

static void a_job_has_its_targets_and_their_other_jobs(void **state)
{
    (void)state;
    AUTO(job_servers_done) struct job_servers servers = { 0 };
    struct err err = { 0 };
    barod_script(&barod, rows_of_77, COUNT_OF(rows_of_77));
    if (job_servers_query(endpoint(), &job_77, &servers, &err) < 0)
        fail_msg("%s\n%s", err.text, strbuf_text(&barod.requests));
    assert_string_equal(servers.fs, "scratch");
    assert_string_equal(servers.user, "ann");
    assert_int_equal(servers.from_ms, (START_S - 1) * 1000);
    assert_int_equal(servers.to_ms, (START_S + 600) * 1000);
    assert_int_equal(servers.target_count, 1);
    assert_string_equal(servers.targets[0].name, "scratch-OST0001");
    assert_int_equal(servers.targets[0].own.written_bytes, 100);
    assert_int_equal(servers.targets[0].others.written_bytes, 900);
    assert_int_equal(servers.targets[0].neighbour_count, 1);
    assert_string_equal(servers.targets[0].neighbours[0].job, "78");
    assert_string_equal(servers.targets[0].neighbours[0].user, "bob");
}

static void what_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct barod_response response;
        int rc;
    } cases[] = {
        { "no such job", { "GET /none", 200, "", false }, -ENOENT },
        { "no summary", { NULL, 200, "{\"totals\":{}}", false }, -EBADMSG },
        { "no JSON", { NULL, 200, "none", false }, -EBADMSG },
        { "other columns", { NULL, 200, "{\"summary\":" FLOW "]}}", false }, -EBADMSG },
        { "refused", { NULL, 403, "no", false }, -EACCES },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct job_servers servers = { .from_ms = 5 };
        struct err err = { 0 };
        barod_script(&barod, &cases[i].response, 1);
        int rc = job_servers_query(endpoint(), &job_77, &servers, &err);
        if (rc != cases[i].rc || !err.text[0] || servers.from_ms != 5)
            fail_msg("%s: %d: %s", cases[i].name, rc, err.text);
    }
}

static void nothing_is_requested_of_what_is_no_id(void **state)
{
    (void)state;
    static const char *const ids[] = { NULL, "0" };
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        const struct job_request job = { .id = ids[i] };
        struct job_servers servers = { 0 };
        barod_script(&barod, NULL, 0);
        assert_int_equal(job_servers_query(endpoint(), &job, &servers, NULL), -ENOENT);
        assert_string_equal(strbuf_text(&barod.requests), "");
    }
}

static void a_barod_that_is_away_is_an_error(void **state)
{
    (void)state;
    static const struct client_endpoint away[] = {
        { .server = "unix:/no/sock", .token_file = "" },
        { .server = "ftp:x", .token_file = "" },
        { .records = "sqlite:/no/records.db", .token_file = "" },
    };
    for (size_t i = 0; i < COUNT_OF(away); i++) {
        struct job_servers servers = { 0 };
        struct err err = { 0 };
        if (job_servers_query(&away[i], &job_77, &servers, &err) >= 0 || !err.text[0])
            fail_msg("%zu: %s", i, err.text);
    }
}

/* ---- as inputs ---- */

static void inputs_are_of_the_endpoint(void **state)
{
    (void)state;
    struct job_endpoint there = { endpoint(), "alex", false };
    const struct job_inputs inputs = job_endpoint_inputs(&there);
    AUTO(job_servers_done) struct job_servers servers = { 0 };
    assert_string_equal(inputs.cluster, "alex");
    assert_true(!inputs.log && !inputs.series && !inputs.climate && inputs.nodes &&
                inputs.record);
    barod_script(&barod, rows_of_77, COUNT_OF(rows_of_77));
    assert_int_equal(inputs.servers(inputs.arg, &job_77, &servers, NULL), 0);
    assert_int_equal(servers.target_count, 1);
}

static void a_stored_summary_is_read_by_its_id(void **state)
{
    (void)state;
    static const struct barod_response one = {
        "/v1/summaries job=77 cluster=alex", 200,
        "{\"_jobid\":\"77\",\"_log\":\"/no/a.darshan\"}\n", false
    };
    struct job_endpoint there = { endpoint(), "alex", false };
    const struct job_inputs inputs = job_endpoint_inputs(&there);
    AUTO(job_context_done) struct job_context context;
    struct err err = { 0 };
    job_context_init(&context);
    barod_script(&barod, &one, 1);
    if (inputs.stored(inputs.arg, "77", &context, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(context.identity.log, "/no/a.darshan");
    assert_int_equal(inputs.stored(inputs.arg, "78", &context, &err), -ENOENT);
    assert_int_equal(inputs.stored(inputs.arg, "a/b.darshan", &context, &err), -ENOENT);
    assert_string_equal(err.text, "a/b.darshan: a file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_has_its_targets_and_their_other_jobs),
        cmocka_unit_test(what_cannot_be_read_is_an_error),
        cmocka_unit_test(nothing_is_requested_of_what_is_no_id),
        cmocka_unit_test(a_barod_that_is_away_is_an_error),
        cmocka_unit_test(inputs_are_of_the_endpoint),
        cmocka_unit_test(a_stored_summary_is_read_by_its_id),
    };
    return cmocka_run_group_tests(tests, barod_begin, barod_end);
}
