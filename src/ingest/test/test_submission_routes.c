/* SPDX-License-Identifier: Apache-2.0 */
/* test_submission_routes - what POST /v1/jobs, /v1/summaries and /v1/health respond to
 * which lines.
 */
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/ingest.h"

#include <stdio.h>

struct fixture {
    char dir[32];
    char socket[64], url[80];
    struct net_opts opts;
    struct net_server *server;
    struct ingest_writer *writer;
    struct submission_routes *routes;
    int put_rc;
    size_t put_count;
    char last_id[32];
};

/* Stands in for records: the second of each put is refused. */
static int respond_of(struct fixture *f, size_t count, struct submission_result *ret,
                      struct err *err)
{
    f->put_count = count;
    if (f->put_rc < 0)
        return err_set(err, f->put_rc, "the database is away");
    *ret = (struct submission_result){ .accepted = count - (count > 1),
                                       .refused = count > 1 };
    if (count > 1)
        ret->refusals[ret->refusal_count++] =
            (struct submission_refusal){ 1, "too old" };
    return 0;
}

static int put_jobs(void *arg, const struct job *jobs, size_t count,
                    struct submission_result *ret, struct err *err)
{
    struct fixture *f = arg;
    if (count > 0)
        (void)snprintf(f->last_id, sizeof f->last_id, SPAN_FMT,
                       SPAN_ARG(jobs[count - 1].id));
    return respond_of(f, count, ret, err);
}

static int put_summaries(void *arg, const struct summary *summaries, size_t count,
                         struct submission_result *ret, struct err *err)
{
    struct fixture *f = arg;
    if (count > 0)
        (void)snprintf(f->last_id, sizeof f->last_id, SPAN_FMT,
                       SPAN_ARG(summaries[count - 1].scalars[SUMMARY_JOB].text));
    return respond_of(f, count, ret, err);
}

static int put_readings(void *arg, const struct target_reading *readings, size_t count,
                        struct submission_result *ret, struct err *err)
{
    struct fixture *f = arg;
    if (count > 0)
        (void)snprintf(f->last_id, sizeof f->last_id, SPAN_FMT,
                       SPAN_ARG(readings[count - 1].target));
    return respond_of(f, count, ret, err);
}

static int put_batch(void *arg, const struct jobbatch *batch, struct batch_result *ret,
                     struct err *err)
{
    (void)arg, (void)batch, (void)ret, (void)err;
    return 0;
}

static void start(struct fixture *f, size_t body_bytes_max)
{
    *f = (struct fixture){ .dir = "/tmp/baro-told.XXXXXX" };
    assert_non_null(mkdtemp(f->dir));
    (void)snprintf(f->socket, sizeof f->socket, "%s/sock", f->dir);
    (void)snprintf(f->url, sizeof f->url, "unix:%s", f->socket);
    net_opts_default(&f->opts);
    static const char *const listen[] = { "none" };
    f->opts.listen.items = (const char **)(uintptr_t)listen;
    f->opts.listen.count = 1;
    f->opts.socket = f->socket;
    f->opts.threads = 2;
    const struct ingest_writer_opts writer = { .put = put_batch, .arg = f };
    const struct submission_sink sink = { .put_jobs = put_jobs,
                                          .put_summaries = put_summaries,
                                          .put_readings = put_readings,
                                          .arg = f };
    struct err err = { 0 };
    assert_int_equal(ingest_writer_start(&writer, &f->writer, &err), 0);
    if (net_server_new(&f->opts, &f->server, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(
        submission_routes_new(f->server, f->writer, &sink, body_bytes_max, &f->routes),
        0);
    assert_int_equal(net_server_start(f->server, &err), 0);
}

static void stop(struct fixture *f)
{
    net_server_free(f->server);
    submission_routes_free(f->routes);
    ingest_writer_free(f->writer);
    (void)rmdir(f->dir);
}
DEFINE_AUTO_DONE(struct fixture, stop);

static unsigned post(const struct fixture *f, const char *path, const char *type,
                     struct span body, char *ret, size_t size)
{
    struct net_client *client = NULL;
    AUTO(net_response_done) struct net_response response = { 0 };
    struct err err = { 0 };
    const struct net_client_opts opts = { .url = f->url };
    if (net_client_new(&opts, &client, &err) < 0 ||
        net_client_post(client, path, type, NULL, body, &response, &err) < 0)
        fail_msg("%s", err.text);
    net_client_free(client);
    (void)snprintf(ret, size, "%s", strbuf_text(&response.body));
    return response.status;
}

#define NDJSON "application/x-ndjson"

static void the_response_states_what_became_of_each_line(void **state)
{
    (void)state;
    static const struct {
        const char *path, *body, *response;
    } cases[] = {
        { "/v1/jobs", "",
          "{\"accepted\":0,\"changed\":0,\"duplicate\":0,\"refused\":0,\"refusals\":[]}"
          "\n" },
        { "/v1/jobs", "\n \n",
          "{\"accepted\":0,\"changed\":0,\"duplicate\":0,\"refused\":0,\"refusals\":[]}"
          "\n" },
        { "/v1/jobs", "{\"id\":\"1\"}",
          "{\"accepted\":1,\"changed\":0,\"duplicate\":0,\"refused\":0,\"refusals\":[]}"
          "\n" },
        { "/v1/jobs", "x\n{\"id\":\"1\"}\n\n{\"id\":\"2\"}\r\n{\"id\":3}\n",
          "{\"accepted\":1,\"changed\":0,\"duplicate\":0,\"refused\":3,\"refusals\":["
          "{\"line\":1,\"reason\":\"" },
        { "/v1/summaries", "{\"_jobid\":\"1\",\"_log\":\"a\"}\n{\"_jobid\":\"2\"}\n",
          "{\"accepted\":1,\"changed\":0,\"duplicate\":0,\"refused\":1,\"refusals\":["
          "{\"line\":2,\"reason\":\"it has no _log\"}]}\n" },
    };
    AUTO(stop) struct fixture f;
    start(&f, 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char response[1000];
        unsigned status = post(&f, cases[i].path, NDJSON, span_of(cases[i].body),
                               response, sizeof response);
        if (status != 200 || !strstr(response, cases[i].response))
            fail_msg("%s: %u %s", cases[i].body, status, response);
    }
    char response[1000];
    assert_int_equal(post(&f, "/v1/jobs", NDJSON,
                          SPAN("{\"id\":\"1\"}\nx\n{\"id\":\"2\"}"), response,
                          sizeof response),
                     200);
    assert_non_null(strstr(response, "{\"line\":3,\"reason\":\"too old\"}"));
    struct submission_stats stats;
    submission_routes_stats(f.routes, SUBMISSION_JOBS, &stats);
    assert_int_equal(stats.bodies, 5);
    assert_int_equal(stats.accepted, 3);
    assert_int_equal(stats.refused, 5);
}

/* The body arrives in pieces that end wherever they end. */
static void lines_go_on_from_piece_to_piece(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    char response[1000], want[64];
    start(&f, 0);
    for (int i = 0; i < COUNT; i++)
        strbuf_addf(&body, "{\"id\":\"%d\",\"name\":\"%.*s\"}\n", i, i % 64,
                    "0123456789012345678901234567890123456789012345678901234567890123");
    assert_int_equal(
        post(&f, "/v1/jobs", NDJSON, strbuf_span(&body), response, sizeof response),
        200);
    (void)snprintf(want, sizeof want, "{\"accepted\":%d,", COUNT - 1);
    assert_true(span_starts(span_of(response), want));
    assert_int_equal(f.put_count, COUNT);
    assert_string_equal(f.last_id, "29999");
}

static void a_line_that_is_too_long_costs_itself_alone(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    char response[1000];
    start(&f, 0);
    strbuf_adds(&body, "{\"_jobid\":\"1\",\"_log\":\"");
    while (body.size < 3 * SUMMARY_LINE_BYTES_MAX)
        strbuf_adds(&body, "a long name of a log ");
    strbuf_adds(&body, "\"}\n{\"_jobid\":\"2\",\"_log\":\"b\"}");
    assert_int_equal(post(&f, "/v1/summaries", NDJSON, strbuf_span(&body), response,
                          sizeof response),
                     200);
    assert_non_null(strstr(response, "{\"accepted\":1,"));
    assert_non_null(
        strstr(response, "{\"line\":1,\"reason\":\"the line is too long\"}"));
    assert_string_equal(f.last_id, "2");
}

static void what_cannot_be_kept_is_refused_as_a_whole(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    char response[1000];
    start(&f, 1 << 20);
    f.put_rc = -EAGAIN;
    assert_int_equal(
        post(&f, "/v1/jobs", NDJSON, SPAN("{\"id\":\"1\"}"), response, sizeof response),
        503);
    f.put_rc = 0;
    f.put_count = 0;
    assert_int_equal(post(&f, "/v1/jobs", "text/html", SPAN("{\"id\":\"1\"}"), response,
                          sizeof response),
                     415);
    for (int i = 0; i < 20000; i++)
        strbuf_addf(&body, "{\"id\":\"%d\"}\n", i);
    assert_int_equal(
        post(&f, "/v1/jobs", NDJSON, strbuf_span(&body), response, sizeof response),
        413);
    assert_non_null(strstr(response, "send it in parts"));
    assert_int_equal(f.put_count, 0);
    struct submission_stats stats;
    submission_routes_stats(f.routes, SUBMISSION_JOBS, &stats);
    assert_int_equal(stats.bodies, 0);
    assert_int_equal(stats.failed, 2);
}

static void readings_of_targets_are_submitted_alike(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    char response[1000];
    start(&f, 0);
    assert_int_equal(
        post(&f, "/v1/health", NDJSON,
             SPAN("{\"target\":\"s-OST0001\",\"t\":1,\"server\":\"oss1@tcp\"}\n"
                  "{\"target\":\"s-OST0002\",\"t\":1}\n"),
             response, sizeof response),
        200);
    assert_non_null(strstr(response, "{\"accepted\":1,"));
    assert_non_null(strstr(response, "{\"line\":2,\"reason\":\"it has neither"));
    assert_string_equal(f.last_id, "s-OST0001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_response_states_what_became_of_each_line),
        cmocka_unit_test(readings_of_targets_are_submitted_alike),
        cmocka_unit_test(lines_go_on_from_piece_to_piece),
        cmocka_unit_test(a_line_that_is_too_long_costs_itself_alone),
        cmocka_unit_test(what_cannot_be_kept_is_refused_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
