/* SPDX-License-Identifier: Apache-2.0 */
/* test_server - lines are submitted by whole bodies; what a barod refuses of them. */
#include "client/job/job.h"
#include "client/job/test/barod.h"

#include <errno.h>
#include <string.h>

static void on_log(void *arg, const char *text)
{
    strbuf_addf(arg, "%s\n", text);
}

static struct job_server *server_open(void)
{
    const struct client_endpoint endpoint = { .server = barod.url, .token_file = "" };
    struct job_server *server = NULL;
    assert_int_equal(job_server_open(&endpoint, &server, NULL), 0);
    return server;
}

static void submit(struct job_server *server, enum job_server_kind kind,
                   const char *line)
{
    struct err err = { 0 };
    if (job_server_submit(server, kind, span_of(line), &err) < 0)
        fail_msg("%s: %s", line, err.text);
}

static void lines_are_held_until_they_are_wanted(void **state)
{
    (void)state;
    static const struct barod_response response = {
        NULL, 200,
        "{\"accepted\":2,\"changed\":3,\"duplicate\":4,\"refused\":5,\"other\":6,"
        "\"refusals\":[{\"accepted\":100}]}",
        false
    };
    AUTO(job_server_close) struct job_server *server = server_open();
    const struct job_server_counts *counts = job_server_counts(server);
    barod_script(&barod, &response, 1);
    submit(server, JOB_SERVER_JOBS, "a\n");
    submit(server, JOB_SERVER_JOBS, "b\n");
    assert_string_equal(strbuf_text(&barod.requests), "");
    assert_int_equal(job_server_flush(server, NULL), 0);
    assert_string_equal(strbuf_text(&barod.requests), "POST /v1/jobs [a\nb\n]\n");
    assert_int_equal(job_server_flush(server, NULL), 0); /* nothing is left */
    assert_string_equal(strbuf_text(&barod.requests), "POST /v1/jobs [a\nb\n]\n");
    assert_int_equal(counts->accepted, 2);
    assert_int_equal(counts->changed, 3);
    assert_int_equal(counts->duplicate, 4);
    assert_int_equal(counts->refused, 5);
}

static void another_kind_has_a_body_of_its_own(void **state)
{
    (void)state;
    static const struct barod_response response = { NULL, 200, "{\"accepted\":1}",
                                                    false };
    AUTO(job_server_close) struct job_server *server = server_open();
    barod_script(&barod, &response, 1);
    submit(server, JOB_SERVER_JOBS, "a\n");
    submit(server, JOB_SERVER_SUMMARIES, "b\n");
    assert_string_equal(strbuf_text(&barod.requests), "POST /v1/jobs [a\n]\n");
    submit(server, JOB_SERVER_JOBS, "c\n");
    assert_int_equal(job_server_flush(server, NULL), 0);
    assert_string_equal(strbuf_text(&barod.requests),
                        "POST /v1/jobs [a\n]\nPOST /v1/summaries [b\n]\n"
                        "POST /v1/jobs [c\n]\n");
    assert_int_equal(job_server_counts(server)->accepted, 3);
}

static void a_full_body_is_sent(void **state)
{
    (void)state;
    static const struct barod_response response = { NULL, 200, "{\"accepted\":1}",
                                                    false };
    static char line[JOB_SERVER_BODY_BYTES / 2];
    AUTO(job_server_close) struct job_server *server = server_open();
    const struct span half = { line, sizeof line };
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    barod_script(&barod, &response, 1);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(job_server_submit(server, JOB_SERVER_SUMMARIES, half, NULL),
                         0);
    assert_string_equal(strbuf_text(&barod.requests), ""); /* just full */
    submit(server, JOB_SERVER_SUMMARIES, "y\n");
    assert_true(span_starts(strbuf_span(&barod.requests), "POST /v1/summaries [xxx"));
    strbuf_clear(&barod.requests);
    assert_int_equal(job_server_flush(server, NULL), 0);
    assert_string_equal(strbuf_text(&barod.requests), "POST /v1/summaries [y\n]\n");
}

static void refused_lines_are_counted_from_the_first_that_was_sent(void **state)
{
    (void)state;
    static const struct barod_response first = {
        NULL, 200,
        "{\"refused\":1,\"refusals\":[{\"line\":2,\"reason\":\"it has no id\"}]}", false
    };
    static const struct barod_response second = {
        NULL, 200,
        "{\"refused\":1,\"refusals\":[{\"line\":1,\"reason\":\"\\u001b[31mred\"}]}",
        false
    };
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    AUTO(job_server_close) struct job_server *server = server_open();
    job_server_set_log(server, on_log, &log);
    barod_script(&barod, &first, 1);
    submit(server, JOB_SERVER_JOBS, "a\nb\nc\n");
    assert_int_equal(job_server_flush(server, NULL), 0);
    barod_script(&barod, &second, 1);
    submit(server, JOB_SERVER_JOBS, "d\n");
    assert_int_equal(job_server_flush(server, NULL), 0);
    assert_string_equal(strbuf_text(&log), "the server refused line 2: it has no id\n"
                                           "the server refused line 4: \\x1B[31mred\n");
    assert_int_equal(job_server_counts(server)->refused, 2);
    job_server_set_log(server, NULL, NULL);
    submit(server, JOB_SERVER_JOBS, "e\n");
    assert_int_equal(job_server_flush(server, NULL), 0);
    assert_int_equal(job_server_counts(server)->refused, 3);
}

static void a_long_reason_is_cut(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    AUTO(job_server_close) struct job_server *server = server_open();
    strbuf_adds(&body, "{\"refusals\":[{\"line\":1,\"reason\":\"");
    for (size_t i = 0; i < 1000; i++)
        strbuf_addc(&body, 'r');
    strbuf_adds(&body, "\"}]}");
    const struct barod_response response = { NULL, 200, strbuf_text(&body), false };
    job_server_set_log(server, on_log, &log);
    barod_script(&barod, &response, 1);
    submit(server, JOB_SERVER_JOBS, "a\n");
    assert_int_equal(job_server_flush(server, NULL), 0);
    assert_int_equal(log.size, strlen("the server refused line 1: \n") + 256);
}

static void a_body_that_was_not_accepted_is_sent_again(void **state)
{
    (void)state;
    static const struct {
        struct barod_response response;
        int rc;
    } cases[] = {
        { { NULL, 200, "no JSON", false }, -EBADMSG },
        { { NULL, 200, "{\"accepted\":-1}", false }, -EBADMSG },
        { { NULL, 200, "{\"accepted\":1.5}", false }, -EBADMSG },
        { { NULL, 400, "why", false }, -EBADMSG },
        { { NULL, 413, "too long", false }, -EMSGSIZE },
        { { NULL, 403, "no", false }, -EACCES },
    };
    static const struct barod_response well = { NULL, 200, "{\"accepted\":1}", false };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(job_server_close) struct job_server *server = server_open();
        struct err err = { 0 };
        barod_script(&barod, &cases[i].response, 1);
        submit(server, JOB_SERVER_JOBS, "a\n");
        int rc = job_server_flush(server, &err);
        if (rc != cases[i].rc || !err.text[0])
            fail_msg("%zu: %d: %s", i, rc, err.text);
        /* Nor is one of another kind begun before it is sent. */
        rc = job_server_submit(server, JOB_SERVER_SUMMARIES, SPAN("b\n"), &err);
        assert_int_equal(rc, cases[i].rc);
        barod_script(&barod, &well, 1);
        assert_int_equal(job_server_flush(server, NULL), 0);
        assert_string_equal(strbuf_text(&barod.requests), "POST /v1/jobs [a\n]\n");
        assert_int_equal(job_server_counts(server)->accepted, 1);
    }
}

static int logs_get(const char *body, const char *cluster, struct hashmap *ret,
                    struct err *err)
{
    const struct barod_response response = { NULL, 200, body, false };
    AUTO(job_server_close) struct job_server *server = server_open();
    barod_script(&barod, &response, 1);
    return job_server_logs(server, cluster, ret, err);
}

#define COLUMN(name, type) "{\"name\":\"" name "\",\"type\":\"" type "\",\"unit\":\"\"}"

static void logs_that_have_a_summary_are_keys(void **state)
{
    (void)state;
    struct hashmap logs = { 0 };
    struct err err = { 0 };
    int rc = logs_get("{\"columns\":[" COLUMN("_jobid", "text") "," COLUMN(
                          "_log", "text") "],\"rows\":[[\"1\",\"/a.darshan\"],"
                                          "[\"2\",null],[\"3\",\"/b.darshan\"]]}",
                      "alex", &logs, &err);
    if (rc < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&barod.requests),
                        "GET /v1/summaries cluster=alex limit=100000 format=table\n");
    assert_int_equal(logs.count, 2);
    assert_non_null(hashmap_get(&logs, SPAN("/a.darshan")));
    assert_non_null(hashmap_get(&logs, SPAN("/b.darshan")));
    assert_null(hashmap_get(&logs, SPAN("/c.darshan")));
    hashmap_done(&logs);
}

static void a_response_without_logs_is_an_error(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"columns\":[" COLUMN("_jobid", "text") "],\"rows\":[]}",
        "{\"columns\":[" COLUMN("_log", "double") "],\"rows\":[]}",
        "{\"columns\":[" COLUMN("_log", "text") "],\"rows\":[[1,2]]}",
        "none",
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct hashmap logs = { 0 };
        struct err err = { 0 };
        int rc = logs_get(bodies[i], NULL, &logs, &err);
        if (rc != -EBADMSG || logs.count != 0 || !err.text[0])
            fail_msg("%zu: %d, %zu: %s", i, rc, logs.count, err.text);
        assert_string_equal(strbuf_text(&barod.requests),
                            "GET /v1/summaries limit=100000 format=table\n");
        hashmap_done(&logs);
    }
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    const struct client_endpoint away = { .server = "unix:/no/sock", .token_file = "" };
    const struct client_endpoint secret = { .server = barod.url,
                                            .token_file = "/no/token" };
    struct job_server *server = NULL;
    struct err err = { 0 };
    assert_int_equal(job_server_open(&secret, &server, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/token"));
    assert_null(server);
    assert_int_equal(job_server_open(&away, &server, &err), 0); /* nothing is sent */
    submit(server, JOB_SERVER_JOBS, "a\n");
    assert_int_equal(job_server_flush(server, &err), -ENOTCONN);
    assert_non_null(strstr(err.text, "--server"));
    job_server_close(server);
    job_server_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_held_until_they_are_wanted),
        cmocka_unit_test(another_kind_has_a_body_of_its_own),
        cmocka_unit_test(a_full_body_is_sent),
        cmocka_unit_test(refused_lines_are_counted_from_the_first_that_was_sent),
        cmocka_unit_test(a_long_reason_is_cut),
        cmocka_unit_test(a_body_that_was_not_accepted_is_sent_again),
        cmocka_unit_test(logs_that_have_a_summary_are_keys),
        cmocka_unit_test(a_response_without_logs_is_an_error),
        cmocka_unit_test(what_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, barod_begin, barod_end);
}
