/* SPDX-License-Identifier: Apache-2.0 */
/* test_http - one connection to a barod: requests, and what its responses mean. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "client/client.h"
#include "client/test/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_JSON "{\"columns\":[{\"name\":\"a\",\"type\":\"u64\"}],\"rows\":[[7]]}"

static struct server server;

static int setup(void **state)
{
    (void)state;
    (void)unsetenv("BARO_SERVER");
    (void)unsetenv("BARO_TOKEN_FILE");
    server_start(&server);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    server_stop(&server);
    return 0;
}

static struct client_http *http_new(void)
{
    const struct client_endpoint endpoint = { .server = server.url };
    struct client_http *http = NULL;
    struct err err = { 0 };
    if (client_http_open(&endpoint, &http, &err) < 0)
        fail_msg("%s", err.text);
    return http;
}

static void a_status_becomes_an_error_with_the_servers_reason(void **state)
{
    static const struct {
        unsigned status;
        int want;
        const char *text;
    } cases[] = {
        { 200, 0, "" },
        { 400, -EBADMSG, "the server responds with 400: why" },
        { 401, -EPERM, "the server responds with 401: why; see --token-file" },
        { 403, -EACCES,
          "the server responds with 403: why; --token-file names the token of another "
          "role, which an admin of the site makes with 'baro token new --role'" },
        { 404, -ENOENT, "the server responds with 404: why" },
        { 413, -EMSGSIZE, "the server responds with 413: why" },
        { 422, -ERANGE, "the server responds with 422: why" },
        { 429, -EAGAIN, "the server responds with 429: why" },
        { 503, -EAGAIN, "the server responds with 503: why" },
        { 500, -EIO, "the server responds with 500: why" },
    };
    AUTO(client_http_close) struct client_http *http = http_new();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct server_response response = { cases[i].status, "why", "0", false };
        struct span body = SPAN("untouched");
        struct err err = { 0 };
        server_script(&server, &response, 1);
        int rc = client_http_get(http, "/v1/table", &body, &err);
        if (rc != cases[i].want || strcmp(err.text, cases[i].text) != 0)
            fail_msg("%u: %d %s", cases[i].status, rc, err.text);
        assert_true(span_is(body, rc == 0 ? "why" : "untouched"));
        assert_int_equal(server.requests, 1);
    }
}

static void what_a_person_typed_wrong_is_misuse(void **state)
{
    static const struct server_response script[] = { { 400, "why", NULL, false },
                                                     { 404, "why", NULL, false } };
    AUTO(client_http_close) struct client_http *http = http_new();
    AUTO(net_url_done) struct net_url url = { 0 };
    struct span body;
    struct err err = { 0 };
    (void)state;
    net_url_init(&url, "/v1/table");
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(client_http_get_typed(http, &url, &body, &err), -EINVAL);
    assert_string_equal(err.text, "the server responds with 400: why");
    assert_int_equal(client_http_get_typed(http, &url, &body, &err), -ENOENT);
}

static void where_nothing_listens_the_option_is_named(void **state)
{
    const struct client_endpoint endpoint = { .server = "unix:/nonexistent/sock" };
    AUTO(client_http_close) struct client_http *http = NULL;
    struct span body;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(client_http_open(&endpoint, &http, &err), 0);
    assert_int_equal(client_http_get(http, "/v1/table", &body, &err), -ENOTCONN);
    assert_non_null(strstr(err.text, "--server or BARO_SERVER"));
    assert_int_equal(client_http_get(http, "/v1/table", &body, NULL), -ENOTCONN);
}

static void an_url_that_is_none_is_refused(void **state)
{
    const struct client_endpoint endpoint = { .server = "ftp://a" };
    struct client_http *http = NULL;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(client_http_open(&endpoint, &http, &err), -EINVAL);
    assert_null(http);
}

static void what_the_server_cannot_accept_now_is_sent_again(void **state)
{
    static const struct server_response script[] = { { 503, "busy", "1", false },
                                                     { 429, "slow", "0", false },
                                                     { 200, "done", NULL, false } };
    AUTO(client_http_close) struct client_http *http = http_new();
    struct span body;
    struct err err = { 0 };
    (void)state;
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(
        client_http_post(http, "/v1/jobs", "text/plain", SPAN("abc"), &body, &err), 0);
    assert_true(span_is(body, "done"));
    assert_int_equal(server.requests, 3);
    assert_string_equal(server.last, "POST /v1/jobs [abc]");
}

static void what_the_server_refuses_is_not_sent_again(void **state)
{
    static const struct server_response script[] = { { 400, "bad", NULL, false } };
    AUTO(client_http_close) struct client_http *http = http_new();
    struct span body;
    struct err err = { 0 };
    (void)state;
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(
        client_http_post(http, "/v1/jobs", "text/plain", SPAN("abc"), &body, &err),
        -EBADMSG);
    assert_int_equal(server.requests, 1);
}

/* A limit of requests a second is waited for; a server that is full is not. */
static void a_paced_request_waits_for_the_rate_alone(void **state)
{
    static const struct server_response limited[] = { { 429, "slow", "1", false },
                                                      { 200, "ok", NULL, false } };
    static const struct server_response full[] = { { 503, "full", "1", false },
                                                   { 200, "ok", NULL, false } };
    AUTO(client_http_close) struct client_http *http = http_new();
    struct span body;
    struct err err = { 0 };
    (void)state;
    server_script(&server, limited, COUNT_OF(limited));
    assert_int_equal(client_http_get_paced(http, "/v1/table", &body, &err), 0);
    assert_true(span_is(body, "ok") && server.requests == 2);
    server_script(&server, full, COUNT_OF(full));
    assert_int_equal(client_http_get_paced(http, "/v1/table", &body, &err), -EAGAIN);
    assert_int_equal(server.requests, 1);
}

static void a_response_that_was_cut_at_its_limit_says_so(void **state)
{
    static const struct server_response script[] = { { 200, "1", NULL, true },
                                                     { 200, "2", NULL, false } };
    AUTO(client_http_close) struct client_http *http = http_new();
    struct span body;
    struct err err = { 0 };
    (void)state;
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(client_http_get(http, "/v1/table", &body, &err), 0);
    assert_true(client_http_has_more(http));
    assert_int_equal(client_http_get(http, "/v1/table", &body, &err), 0);
    assert_false(client_http_has_more(http));
}

static void a_get_may_carry_a_body(void **state)
{
    static const struct server_response script[] = { { 200, "[]", NULL, false } };
    AUTO(client_http_close) struct client_http *http = http_new();
    struct span body;
    struct err err = { 0 };
    (void)state;
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(
        client_http_get_with(http, "/api/query/", SPAN("{\"a\":1}"), &body, &err), 0);
    assert_string_equal(server.last, "GET /api/query/ [{\"a\":1}]");
}

static void a_table_is_read_from_json(void **state)
{
    static const struct {
        const char *body;
        int want;
    } cases[] = {
        { TABLE_JSON, 0 },
        { "[1,2", -EBADMSG },
        { "", -EBADMSG },
    };
    const struct client_endpoint endpoint = { .server = server.url };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct server_response response = { 200, cases[i].body, NULL, false };
        AUTO(net_url_done) struct net_url url;
        AUTO(table_done) struct table table;
        struct err err = { 0 };
        net_url_init(&url, "/v1/table");
        net_url_add(&url, "format", "table");
        table_init(&table);
        server_script(&server, &response, 1);
        int rc = client_http_fetch_table(&endpoint, &url, &table, &err);
        if (rc != cases[i].want)
            fail_msg("%s: %d %s", cases[i].body, rc, err.text);
        if (rc == 0)
            assert_int_equal(table_at(&table, 0, 0)->u64, 7);
        assert_string_equal(server.last, "GET /v1/table format=table");
    }
}

static void a_body_is_appended(void **state)
{
    static const struct server_response script[] = { { 200, "def", NULL, false } };
    const struct client_endpoint endpoint = { .server = server.url };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    strbuf_adds(&text, "abc");
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(client_http_fetch(&endpoint, "/v1/table", &text, &err), 0);
    assert_string_equal(strbuf_text(&text), "abcdef");
}

/* Blanks and line ends around it are no part of it; others may not read it. */
static void the_token_is_read_from_a_file_of_ones_own(void **state)
{
    static const struct server_response script[] = { { 200, "", NULL, false } };
    char path[64];
    struct client_endpoint endpoint = { .server = server.url, .token_file = path };
    struct client_http *http = NULL;
    struct err err = { 0 };
    (void)state;
    (void)snprintf(path, sizeof path, "%s/token", server.dir);
    server_script(&server, script, COUNT_OF(script));
    assert_int_equal(file_replace(path, "  abc \n\n", 8, 0600, &err), 0);
    assert_int_equal(client_http_open(&endpoint, &http, &err), 0);
    client_http_close(http);
    http = NULL;
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(client_http_open(&endpoint, &http, &err), -EACCES);
    assert_null(http);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(client_http_open(&endpoint, &http, &err), -ENOENT);
    endpoint.token_file = "";
    assert_int_equal(client_http_open(&endpoint, &http, &err), 0);
    client_http_close(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_becomes_an_error_with_the_servers_reason),
        cmocka_unit_test(what_a_person_typed_wrong_is_misuse),
        cmocka_unit_test(where_nothing_listens_the_option_is_named),
        cmocka_unit_test(an_url_that_is_none_is_refused),
        cmocka_unit_test(what_the_server_cannot_accept_now_is_sent_again),
        cmocka_unit_test(what_the_server_refuses_is_not_sent_again),
        cmocka_unit_test(a_paced_request_waits_for_the_rate_alone),
        cmocka_unit_test(a_response_that_was_cut_at_its_limit_says_so),
        cmocka_unit_test(a_get_may_carry_a_body),
        cmocka_unit_test(a_table_is_read_from_json),
        cmocka_unit_test(a_body_is_appended),
        cmocka_unit_test(the_token_is_read_from_a_file_of_ones_own),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
