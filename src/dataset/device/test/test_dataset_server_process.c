/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_server_process - a server that ends, and when it is started again. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "dataset/device/server_process.h"

#include <signal.h>
#include <string.h>

static void pauses_grow_up_to_a_bound(void **state)
{
    int64_t pause_ns = 0, sum_ns = 0;
    (void)state;
    for (int i = 0; i < 7; i++) {
        pause_ns = server_pause_next(pause_ns, 0);
        sum_ns += pause_ns;
    }
    assert_int_equal(sum_ns, 127 * SERVER_PAUSE_FIRST_NS);
    for (int i = 0; i < 100; i++)
        pause_ns = server_pause_next(pause_ns, SERVER_SETTLED_NS - 1);
    assert_int_equal(pause_ns, SERVER_PAUSE_MAX_NS);
    assert_int_equal(server_pause_next(pause_ns, SERVER_SETTLED_NS),
                     SERVER_PAUSE_FIRST_NS);
}

static void an_end_is_seen_and_has_its_reason(void **state)
{
    char *argv[] = { "@name", "-c", "exit 3", NULL };
    struct server_process server = { .path = "/bin/sh", .argv = argv };
    char text[32];
    (void)state;
    assert_int_equal(server_process_start(&server, NULL), 0);
    assert_true(server.pid > 0);
    server_process_wait(&server);
    assert_true(server_process_has_ended(&server));
    server_process_describe(server.status, text, sizeof text);
    assert_string_equal(text, "status 3");
    assert_int_equal(server.pause_ns, SERVER_PAUSE_FIRST_NS);
    argv[2] = "kill -9 $$";
    assert_int_equal(server_process_start(&server, NULL), 0);
    server_process_wait(&server);
    server_process_describe(server.status, text, sizeof text);
    assert_string_equal(text, "signal 9");
    assert_int_equal(server.pause_ns, 2 * SERVER_PAUSE_FIRST_NS);
    assert_int_equal(server.starts, 2);
}

static void it_has_no_capabilities(void **state)
{
    char *argv[] = { "@name", "-c",
                     "grep -qE '^CapEff:.*[1-9a-f]' /proc/self/status && exit 1\n"
                     "grep -qE '^NoNewPrivs:.*1' /proc/self/status",
                     NULL };
    struct server_process server = { .path = "/bin/sh", .argv = argv };
    (void)state;
    if (geteuid() != 0)
        skip(); /* who is not root has none to lose, and may not change the bound */
    assert_int_equal(server_process_start(&server, NULL), 0);
    server_process_wait(&server);
    assert_int_equal(server.status, 0);
}

static void what_cannot_be_executed_ends_at_once(void **state)
{
    char *argv[] = { "nosuch", NULL };
    struct server_process server = { .path = "/nosuch", .argv = argv };
    char text[32];
    (void)state;
    assert_int_equal(server_process_start(&server, NULL), 0);
    server_process_wait(&server);
    server_process_describe(server.status, text, sizeof text);
    assert_string_equal(text, "status 127");
    server_process_end(&server); /* there is none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_grow_up_to_a_bound),
        cmocka_unit_test(an_end_is_seen_and_has_its_reason),
        cmocka_unit_test(it_has_no_capabilities),
        cmocka_unit_test(what_cannot_be_executed_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
