/* SPDX-License-Identifier: Apache-2.0 */
/* test_server_target - imported samples to a running barod. */
#include "migrate/server_target.h"

#include "base/number.h"
#include "migrate/test/peer.h"

#include <math.h>

static const struct import_series series = { .path = { "c/h", 3 },
                                             .metric = { "m", 1 },
                                             .step_ns = 60 * NS_PER_S,
                                             .start_ns = 600 * NS_PER_S };

static void samples_are_sent_as_lines(void **state)
{
    static const char *const responses[] = { "" };
    struct test_peer peer = { .responses = responses, .response_count = 1 };
    const struct http_peer barod = test_peer_make(&peer);
    const double values[] = { 1.5, NAN, 2.0 };
    const struct import_series bad = { .path = { "c/h", 3 }, .metric = { "m\n", 2 } };
    struct import_target target;
    struct import_target_counts counts;
    (void)state;
    assert_int_equal(server_target_open(&barod, &target, NULL), 0);
    assert_int_equal(target.put(target.state, &series, values, 3, NULL), 0);
    assert_int_equal(target.put(target.state, &bad, values, 3, NULL), 0);
    assert_int_equal(peer.requests, 0);
    assert_int_equal(target.end(target.state, &counts, NULL), 0);
    assert_string_equal(strbuf_text(&peer.paths),
                        "/api/writem,cluster=c,hostname=h value=1.5 600\n"
                        "m,cluster=c,hostname=h value=2 720\n\n");
    assert_int_equal(counts.samples, 2);
    assert_int_equal(counts.refused, 0);
    assert_int_equal(counts.skipped_series, 1);
    strbuf_done(&peer.paths);
}

static void lines_that_barod_refused_are_counted_by_request(void **state)
{
    static const char *const responses[] = { "{\"samples_refused\":{\"share\":1}}" };
    struct test_peer peer = { .responses = responses, .response_count = 1 };
    const struct http_peer barod = test_peer_make(&peer);
    const double value = 1.0;
    struct import_target target;
    struct import_target_counts counts;
    (void)state;
    assert_int_equal(server_target_open(&barod, &target, NULL), 0);
    assert_int_equal(target.put(target.state, &series, &value, 1, NULL), 0);
    assert_int_equal(target.end(target.state, &counts, NULL), 0);
    assert_int_equal(counts.refused, 1);
    strbuf_done(&peer.paths);
}

static void an_error_of_the_server_ends_it(void **state)
{
    struct test_peer peer = { .error = -ENOTCONN };
    const struct http_peer barod = test_peer_make(&peer);
    const double value = 1.0;
    struct err err = { 0 };
    struct import_target target;
    struct import_target_counts counts;
    (void)state;
    assert_int_equal(server_target_open(&barod, &target, NULL), 0);
    assert_int_equal(target.put(target.state, &series, &value, 1, NULL), 0);
    assert_int_equal(target.end(target.state, &counts, &err), -ENOTCONN);
    assert_string_equal(err.text, "no response 0");
    strbuf_done(&peer.paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_sent_as_lines),
        cmocka_unit_test(lines_that_barod_refused_are_counted_by_request),
        cmocka_unit_test(an_error_of_the_server_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
