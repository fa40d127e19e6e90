/* SPDX-License-Identifier: Apache-2.0 */
/* test_server_export - samples through a barod, as text. */
#include "migrate/server_export.h"

#include "base/number.h"
#include "migrate/test/peer.h"

#define LIST "component,metric,step\nc/h,m,60\nc/h,n*,60\nc,own,60\n"
#define NAMES "component,metric,time,value\n"

static const struct export_selection all = { .metric = "*",
                                             .component = "",
                                             .window = { 0, 100 * NS_PER_S } };

static int export_all(struct test_peer *peer, const struct export_selection *selection,
                      struct sample_text *text, struct strbuf *out, struct err *err)
{
    const struct http_peer barod = test_peer_make(peer);
    text->write = test_collect;
    text->write_arg = out;
    return server_export(&barod, selection, 50 * NS_PER_S, text, err);
}

static void each_series_is_queried(void **state)
{
    static const char *const responses[] = {
        LIST,
        NAMES "c/h,m,1970-01-01T00:01:00Z,1.5\nc/h,m,1970-01-01T00:02:00Z,\n"
              "c/h2,m,1970-01-01T00:02:00Z,9\n",
        NAMES "c/h,n*,1970-01-01T00:01:00Z,2\nc/h,nx,1970-01-01T00:01:00Z,3\n",
    };
    struct test_peer peer = { .responses = responses, .response_count = 3 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(sample_text_done) struct sample_text text = { 0 };
    (void)state;
    assert_int_equal(export_all(&peer, &all, &text, &out, NULL), 0);
    assert_string_equal(strbuf_text(&out), "m,cluster=c,hostname=h value=1.5 60\n"
                                           "n*,cluster=c,hostname=h value=2 60\n");
    assert_string_equal(
        strbuf_text(&peer.paths),
        "/v1/series?format=csv\n"
        "/v1/query?component=c%2Fh&metric=m&from=1970-01-01T00%3A00%3A00Z&to="
        "1970-01-01T00%3A01%3A40Z&format=csv\n"
        "/v1/query?component=c%2Fh&metric=n%3F&from=1970-01-01T00%3A00%3A00Z&to="
        "1970-01-01T00%3A01%3A40Z&format=csv\n");
    assert_int_equal(text.skipped_series, 1); /* a cluster's own */
    strbuf_done(&peer.paths);
}

static void only_metrics_that_match_are_queried(void **state)
{
    static const char *const responses[] = { LIST, NAMES };
    const struct export_selection selection = { .metric = "m,x*",
                                                .component = "c/*",
                                                .window = { 0, INT64_MAX } };
    struct test_peer peer = { .responses = responses, .response_count = 2 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(sample_text_done) struct sample_text text = { 0 };
    (void)state;
    assert_int_equal(export_all(&peer, &selection, &text, &out, NULL), 0);
    assert_int_equal(peer.requests, 2);
    /* Without an end it is a second after now. */
    assert_non_null(strstr(strbuf_text(&peer.paths), "&to=1970-01-01T00%3A00%3A51Z&"));
    strbuf_done(&peer.paths);
}

/* The second request is too much for a response; its halves are not. */
static int respond_in_halves(void *arg, const char *path, struct span body,
                             struct span *ret, struct err *err)
{
    struct test_peer *peer = arg;
    if (peer->requests == 1) {
        peer->requests++;
        return err_set(err, EMSGSIZE, "too long");
    }
    return test_peer_respond(arg, path, body, ret, err);
}

static void a_range_that_is_too_long_is_queried_in_halves(void **state)
{
    static const char *const responses[] = {
        "component,metric,step\nc/h,m,60\n",
        NULL,
        NAMES "c/h,m,1970-01-01T00:00:10Z,1\n",
        NAMES "c/h,m,1970-01-01T00:01:00Z,2\n",
    };
    struct test_peer peer = { .responses = responses, .response_count = 4 };
    const struct http_peer barod = { respond_in_halves, NULL, &peer };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(sample_text_done)
    struct sample_text text = { .write = test_collect, .write_arg = &out };
    (void)state;
    assert_int_equal(server_export(&barod, &all, 0, &text, NULL), 0);
    assert_string_equal(strbuf_text(&out), "m,cluster=c,hostname=h value=1 10\n"
                                           "m,cluster=c,hostname=h value=2 60\n");
    assert_non_null(strstr(strbuf_text(&peer.paths), "from=1970-01-01T00%3A00%3A00Z&to="
                                                     "1970-01-01T00%3A00%3A50Z"));
    assert_non_null(strstr(strbuf_text(&peer.paths), "from=1970-01-01T00%3A00%3A50Z&to="
                                                     "1970-01-01T00%3A01%3A40Z"));
    strbuf_done(&peer.paths);
}

static void halving_ends(void **state)
{
    static const char *const responses[] = { "component,metric,step\nc/h,m,60\n" };
    struct test_peer peer = { .responses = responses,
                              .response_count = 1,
                              .error = -EMSGSIZE };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(sample_text_done) struct sample_text text = { 0 };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(export_all(&peer, &all, &text, &out, &err), -EMSGSIZE);
    assert_true(peer.requests < 60);
    strbuf_done(&peer.paths);
}

static void a_response_that_is_none_ends_it(void **state)
{
    static const char *const bad[] = { NAMES "c/h,m,yesterday,1\n", NAMES "\"", NULL };
    static const int want[] = { -EBADMSG, -EBADMSG, -EIO };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const char *const responses[] = { "component,metric,step\nc/h,m,60\n", bad[i] };
        struct test_peer peer = { .responses = responses, .response_count = 2 };
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(sample_text_done) struct sample_text text = { 0 };
        struct err err = { 0 };
        assert_int_equal(export_all(&peer, &all, &text, &out, &err), want[i]);
        assert_true(err.text[0]);
        strbuf_done(&peer.paths);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_series_is_queried),
        cmocka_unit_test(only_metrics_that_match_are_queried),
        cmocka_unit_test(a_range_that_is_too_long_is_queried_in_halves),
        cmocka_unit_test(halving_ends),
        cmocka_unit_test(a_response_that_is_none_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
