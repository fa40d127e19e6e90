/* SPDX-License-Identifier: Apache-2.0 */
/* test_jobstats_routes - how POST /v1/jobstats responds to which sender. */
#include "base/clock.h"
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/ingest.h"

#include <errno.h>
#include <stdio.h>
#include <zstd.h>

struct fixture {
    char dir[32];
    char socket[64], key_file[64], url[80], tcp_url[64];
    struct net_opts opts;
    struct token_key *key;
    struct net_server *server;
    struct ingest_writer *writer;
    struct jobstats_routes *ingest;
    int put_rc;
    size_t put_rows;
    char put_server[64];
};

/* Stands in for records: row 1 is always refused, a sequence of 9 is known. */
static int put(void *arg, const struct jobbatch *batch, struct batch_result *ret,
               struct err *err)
{
    struct fixture *f = arg;
    f->put_rows = batch->row_count;
    (void)snprintf(f->put_server, sizeof f->put_server, SPAN_FMT,
                   SPAN_ARG(batch->row_count ? batch->rows[0].server : batch->server));
    if (f->put_rc < 0)
        return err_set(err, f->put_rc, "the database is away");
    *ret = (struct batch_result){ .accepted = batch->row_count,
                                  .replayed = batch->sequence == 9 };
    if (batch->row_count > 1) {
        ret->accepted--;
        ret->refused = 1;
        ret->refusals[ret->refusal_count++] =
            (struct batch_refusal){ .row = 1, .reason = "too old" };
    }
    return 0;
}

static void start(struct fixture *f)
{
    static const char *const listen[] = { "127.0.0.1:0" };
    *f = (struct fixture){ .dir = "/tmp/baro-ingest.XXXXXX" };
    assert_non_null(mkdtemp(f->dir));
    (void)snprintf(f->socket, sizeof f->socket, "%s/sock", f->dir);
    (void)snprintf(f->url, sizeof f->url, "unix:%s", f->socket);
    (void)snprintf(f->key_file, sizeof f->key_file, "%s/key", f->dir);
    AUTO(strbuf_done) struct strbuf pem = STRBUF_INIT;
    assert_int_equal(token_key_new(&f->key, NULL), 0);
    assert_int_equal(token_key_print_public(f->key, &pem), 0);
    assert_int_equal(file_replace(f->key_file, pem.data, pem.size, 0644, NULL), 0);
    net_opts_default(&f->opts);
    f->opts.listen.items = (const char **)(uintptr_t)listen;
    f->opts.listen.count = 1;
    f->opts.socket = f->socket;
    f->opts.key = f->key_file;
    f->opts.threads = 2;
    const struct ingest_writer_opts writer = { .put = put, .arg = f };
    struct err err = { 0 };
    assert_int_equal(ingest_writer_start(&writer, &f->writer, &err), 0);
    assert_int_equal(net_server_new(&f->opts, &f->server, &err), 0);
    assert_int_equal(
        jobstats_routes_new(f->server, f->writer, NULL, 1 << 20, &f->ingest), 0);
    assert_int_equal(net_server_start(f->server, &err), 0);
    (void)snprintf(f->tcp_url, sizeof f->tcp_url, "http://127.0.0.1:%u",
                   net_server_port(f->server, 0));
}

static void stop(struct fixture *f)
{
    net_server_free(f->server);
    jobstats_routes_free(f->ingest);
    ingest_writer_free(f->writer);
    token_key_free(f->key);
    (void)unlink(f->key_file);
    (void)rmdir(f->dir);
}
DEFINE_AUTO_DONE(struct fixture, stop);

static unsigned post(const char *url, const char *token, const char *encoding,
                     struct span body, char *ret, size_t size)
{
    struct net_client *client = NULL;
    AUTO(net_response_done) struct net_response response = { 0 };
    struct err err = { 0 };
    const struct net_client_opts opts = { .url = url, .token = token };
    if (net_client_new(&opts, &client, &err) < 0 ||
        net_client_post(client, "/v1/jobstats", "application/json; charset=utf-8",
                        encoding, body, &response, &err) < 0)
        fail_msg("%s", err.text);
    net_client_free(client);
    (void)snprintf(ret, size, "%s", strbuf_text(&response.body));
    return response.status;
}

#define HEAD(server, sequence)                                                  \
    "{\"format\":\"baro-jobstats-1\",\"server\":\"" server "\","                \
    "\"agent\":\"8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11\",\"sequence\":" sequence \
    ",\"targets\":["
#define TARGET(name, entries)                                          \
    "{\"target\":\"" name "\",\"timestamp\":\"2022-11-21T06:02:00Z\"," \
    "\"entries\":[" entries "]}"
#define ENTRY(id) "{\"entry_id\":\"" id "\"}"

static void the_response_states_what_became_of_each_entry(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned status;
        const char *response; /* a part of it */
    } cases[] = {
        { HEAD("oss01", "1") TARGET("s-OST0001", ENTRY("a")) "]}", 200,
          "{\"accepted\":1,\"duplicate\":0,\"refused\":0,\"replayed\":false,\"errors\":"
          "[]}" },
        { HEAD("oss01", "9") TARGET("s-OST0001", ENTRY("a")) "]}", 200,
          "\"replayed\":true" },
        { HEAD("oss01", "2") TARGET("s-OST0001", "7," ENTRY("a") "," ENTRY("b")) "]}",
          200,
          "{\"accepted\":1,\"duplicate\":0,\"refused\":2,\"replayed\":false,\"errors\":"
          "["
          "{\"entry\":0,\"reason\":\"not an object\"},"
          "{\"entry\":2,\"reason\":\"too old\"}]}" },
        { HEAD("oss01", "3") "]}", 200, "{\"accepted\":0" },
        { "[{\"target\":\"s-OST0001\",\"entry_id\":\"a\",\"read\":1,"
          "\"timestamp\":\"2022-11-21T06:02:00Z\"}]",
          200, "{\"accepted\":1" },
        { "[", 400, "ends too early" },
        { "", 400, "" },
        { "{\"format\":\"baro-jobstats-7\"}", 415, "baro-jobstats-1" },
    };
    AUTO(stop) struct fixture f;
    start(&f);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char response[1000];
        unsigned status =
            post(f.url, NULL, NULL, span_of(cases[i].text), response, sizeof response);
        if (status != cases[i].status || !strstr(response, cases[i].response))
            fail_msg("case %zu: %u %s", i, status, response);
    }
    struct jobstats_stats stats;
    jobstats_routes_stats(f.ingest, &stats);
    assert_true(stats.batches == 5 && stats.failed == 3 && stats.bad == 1);
}

static void a_database_that_is_away_costs_nothing(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    char response[1000];
    start(&f);
    f.put_rc = -EAGAIN;
    static const char text[] = HEAD("oss01", "1") TARGET("s-OST0001", ENTRY("a")) "]}";
    assert_int_equal(post(f.url, NULL, NULL, SPAN(text), response, sizeof response),
                     503);
    assert_non_null(strstr(response, "the database is away"));
    f.put_rc = 0;
    assert_int_equal(post(f.url, NULL, NULL, SPAN(text), response, sizeof response),
                     200);
}

static void an_agent_speaks_for_its_host_and_targets_only(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char response[1000];
    start(&f);
    struct token token = { .role = NET_ROLE_AGENT,
                           .id = "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11",
                           .host = "oss01",
                           .target_count = 1,
                           .targets = { "s-OST*" } };
    token.issued_s = clock_now_ns() / 1000000000;
    token.expires_s = token.issued_s + 100;
    assert_int_equal(token_sign(f.key, &token, &text, NULL), 0);
    const char *t = strbuf_text(&text);
    static const char other[] = HEAD("oss02", "1") TARGET("s-OST0001", ENTRY("a")) "]}";
    assert_int_equal(post(f.tcp_url, t, NULL, SPAN(other), response, sizeof response),
                     403);
    assert_non_null(strstr(response, "the token is for the host oss01"));
    assert_int_equal(post(f.tcp_url, "", NULL, SPAN(other), response, sizeof response),
                     401);
    static const char both[] = HEAD("oss01", "1")
        TARGET("s-MDT0000", ENTRY("a")) "," TARGET("s-OST0001",
                                                   ENTRY("b") "," ENTRY("c")) "]}";
    assert_int_equal(post(f.tcp_url, t, NULL, SPAN(both), response, sizeof response),
                     200);
    assert_string_equal(
        response, "{\"accepted\":1,\"duplicate\":0,\"refused\":2,\"replayed\":false,"
                  "\"errors\":[{\"entry\":0,\"reason\":\"the token is not for "
                  "this target\"},{\"entry\":2,\"reason\":\"too old\"}]}");
    assert_int_equal(f.put_rows, 2);
    static const char flat[] = "[{\"target\":\"s-OST0001\",\"entry_id\":\"a\","
                               "\"timestamp\":\"2022-11-21T06:02:00Z\"}]";
    assert_int_equal(post(f.tcp_url, t, NULL, SPAN(flat), response, sizeof response),
                     200);
    assert_string_equal(f.put_server, "oss01");
}

static void compressed_batches_are_taken_and_big_ones_refused(void **state)
{
    (void)state;
    AUTO(stop) struct fixture f;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char response[1000];
    start(&f);
    strbuf_adds(&text, HEAD("oss01", "1"));
    for (int i = 0; i < 500; i++)
        strbuf_addf(&text, "%s" TARGET("s-OST%04x", ENTRY("job%d")), i ? "," : "", i,
                    i);
    size_t small = text.size;
    strbuf_adds(&text, "]}");
    char zipped[40000];
    size_t size = ZSTD_compress(zipped, sizeof zipped, text.data, text.size, 3);
    assert_false(ZSTD_isError(size));
    struct span body = { zipped, size };
    assert_int_equal(post(f.url, NULL, "zstd", body, response, sizeof response), 200);
    assert_non_null(strstr(response, "{\"accepted\":499"));
    body.size /= 2;
    assert_int_equal(post(f.url, NULL, "zstd", body, response, sizeof response), 400);
    text.size = small;
    for (int i = 0; i < 5000; i++)
        strbuf_addf(&text, "," TARGET("s-OST%04x", ENTRY("job%d")), i, i);
    strbuf_adds(&text, "]}");
    assert_int_equal(
        post(f.url, NULL, NULL, strbuf_span(&text), response, sizeof response), 413);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_response_states_what_became_of_each_entry),
        cmocka_unit_test(a_database_that_is_away_costs_nothing),
        cmocka_unit_test(an_agent_speaks_for_its_host_and_targets_only),
        cmocka_unit_test(compressed_batches_are_taken_and_big_ones_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
