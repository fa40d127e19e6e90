/* SPDX-License-Identifier: Apache-2.0 */
/* test_check - what a check finds of a server and of directories, and its words. */
#include "agent/check/check.h"
#include "base/file.h"
#include "base/number.h"
#include "base/test/scratch.h"

#include <errno.h>

#define NOW "\"now\":\"2026-11-22T12:00:00Z\""
#define NOW_NS (INT64_C(1795348800) * NS_PER_S)

static void judge(const char *body, unsigned status, struct check_server *ret)
{
    AUTO(net_response_done) struct net_response response = { .status = status };
    const struct agent_opts opts = { .host = "oss01" };
    strbuf_adds(&response.body, body);
    (void)snprintf(response.content_type, sizeof response.content_type,
                   "application/json");
    *ret = (struct check_server){ .ahead_ns = 0 };
    check_server_judge(&opts, &response, NOW_NS + NS_PER_S, ret);
}

static void a_token_lets_us_send_or_not(void **state)
{
    (void)state;
    static const struct {
        unsigned status;
        const char *body;
        enum check_server_state want;
        bool is_good;
        const char *targets;
    } cases[] = {
        { 200, "{\"roles\":[\"agent\"],\"host\":\"oss01\",\"targets\":[]," NOW "}",
          CHECK_SERVER_ACCEPTS, true, "" },
        { 200,
          "{\"roles\":[\"agent\"],\"host\":\"oss01\",\"targets\":[\"a*\",\"b\"]," NOW
          "}",
          CHECK_SERVER_ACCEPTS, true, "a*, b" },
        { 200, "{\"roles\":[\"agent\"],\"host\":\"oss02\"," NOW "}",
          CHECK_SERVER_OTHER_HOST, false, "" },
        { 200, "{\"roles\":[\"admin\"],\"host\":null,\"targets\":[\"x\"]," NOW "}",
          CHECK_SERVER_ACCEPTS, true, "" },
        { 200, "{\"roles\":[\"reader\",\"of-later\"]," NOW "}",
          CHECK_SERVER_QUERIES_ONLY, false, "" },
        { 200, "{\"roles\":[]," NOW "}", CHECK_SERVER_QUERIES_ONLY, false, "" },
        { 200, "{\"roles\":[\"agent\"],\"host\":\"oss01\"}", CHECK_SERVER_NOT_BAROD,
          false, "" },
        { 200, "<html>", CHECK_SERVER_NOT_BAROD, false, "" },
        { 204, "", CHECK_SERVER_FAILS, false, "" },
        { 401, "{\"title\":\"x\"}", CHECK_SERVER_REFUSES, false, "" },
        { 403, "", CHECK_SERVER_REFUSES, false, "" },
        { 404, "", CHECK_SERVER_FAILS, false, "" },
        { 503, "", CHECK_SERVER_BUSY, true, "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct check_server server;
        judge(cases[i].body, cases[i].status, &server);
        if (server.state != cases[i].want ||
            check_server_is_good(&server) != cases[i].is_good ||
            strcmp(strbuf_text(&server.targets), cases[i].targets) != 0)
            fail_msg("%u %s: %d '%s'", cases[i].status, cases[i].body, server.state,
                     strbuf_text(&server.targets));
        strbuf_done(&server.targets);
    }
}

static void times_of_the_server_are_read(void **state)
{
    (void)state;
    struct check_server server;
    judge("{\"roles\":[\"agent\"],\"host\":\"oss01\","
          "\"expires\":\"2026-11-30T00:00:00Z\"," NOW "}",
          200, &server);
    assert_int_equal(server.server_now_ns, NOW_NS);
    assert_int_equal(server.ahead_ns, NS_PER_S);
    assert_true(server.expires_ns > NOW_NS);
    strbuf_done(&server.targets);
}

static void directories_are_judged_and_none_is_made(void **state)
{
    (void)state;
    struct err err = { 0 };
    const char *file = scratch_path("file");
    assert_int_equal(file_replace(file, "x", 1, 0600, &err), 0);
    struct check_dir dir = check_dir("state", scratch_path("."));
    assert_int_equal(dir.state, CHECK_DIR_WRITABLE);
    dir = check_dir("state", scratch_path("a/b/c"));
    assert_int_equal(dir.state, CHECK_DIR_TO_BE_MADE);
    assert_string_equal(dir.above, scratch);
    assert_true(access(scratch_path("a"), F_OK) < 0);
    dir = check_dir("spool", scratch_path("file/below"));
    assert_int_equal(dir.state, CHECK_DIR_BARRED);
    assert_int_equal(dir.error, ENOTDIR);
    dir = check_dir("spool", file);
    assert_int_equal(dir.state, CHECK_DIR_BARRED);
    dir = check_dir("spool", "/proc/none/agent");
    assert_int_equal(dir.state,
                     geteuid() == 0 ? CHECK_DIR_TO_BE_MADE : CHECK_DIR_CANNOT_MAKE);
}

/* ---- words ---- */

static struct check_target targets[] = {
    { .name = "s-OST0001",
      .is_read = true,
      .entries = 7,
      .size_bytes = 4096,
      .cleanup_s = 600 },
    { .name = "s-OST0002",
      .is_read = true,
      .counts_from_boot = true,
      .cleanup_s = 100 },
    { .name = "s-OST0003", .is_read = true, .cleanup_s = -1 },
    { .name = "s-OST0004", .complaint = "no such thing" },
};

static const struct agent_opts opts = { .host = "oss01",
                                        .server = "unix:/s",
                                        .source = "lctl",
                                        .lctl = "/sbin/lctl",
                                        .interval_ns = 120 * NS_PER_S };

static struct check_result good_result(void)
{
    return (struct check_result){
        .opts = &opts,
        .sources = { .targets = targets, .target_count = 3 },
        .server = { .state = CHECK_SERVER_ACCEPTS,
                    .expires_ns = T_NONE,
                    .server_now_ns = T_NONE },
        .dirs = { { .what = "state", .path = "/a" },
                  { .what = "spool", .path = "/b" } },
    };
}

static void each_thing_found_is_printed(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "this server reports as 'oss01' to unix:/s\n",
        "  s-OST0001: 7 entries, 4096 bytes, job_cleanup_interval 600 s\n",
        ", times count from boot, job_cleanup_interval 100 s\n    warning: ",
        "job_cleanup_interval cannot be read (600 s is assumed)\n",
        "  s-OST0004: cannot be read: no such thing\n",
        "server: responds, and lets us send\n",
        "state '/a': can be written\n",
        "spool '/b': can be written\n",
        "  warning: the token is valid until 2026-11-23T",
        "  warning: this clock is 3600 s behind the server's",
    };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct check_result result = good_result();
    result.sources.target_count = 4;
    result.server.server_now_ns = NOW_NS;
    result.server.expires_ns = NOW_NS + 86400 * NS_PER_S;
    result.server.ahead_ns = -3600 * NS_PER_S;
    check_print(&result, &out);
    for (size_t i = 0; i < COUNT_OF(wanted); i++)
        if (!strstr(strbuf_text(&out), wanted[i]))
            fail_msg("'%s' is not in:\n%s", wanted[i], strbuf_text(&out));
}

static void what_a_service_cannot_run_with_is_not_good(void **state)
{
    (void)state;
    struct check_result result = good_result();
    assert_true(check_is_good(&result));
    result.sources.target_count = 4;
    assert_false(check_is_good(&result));
    result = good_result();
    result.sources.target_count = 0;
    assert_false(check_is_good(&result));
    result = good_result();
    result.sources.error = -ENOENT;
    assert_false(check_is_good(&result));
    result = good_result();
    result.server.state = CHECK_SERVER_OTHER_HOST;
    assert_false(check_is_good(&result));
    result = good_result();
    result.dirs[1].state = CHECK_DIR_CANNOT_MAKE;
    assert_false(check_is_good(&result));
    result.dirs[1].is_units = true;
    assert_true(check_is_good(&result));
    result.dirs[0].state = CHECK_DIR_BARRED;
    assert_false(check_is_good(&result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_lets_us_send_or_not),
        cmocka_unit_test(times_of_the_server_are_read),
        cmocka_unit_test(directories_are_judged_and_none_is_made),
        cmocka_unit_test(each_thing_found_is_printed),
        cmocka_unit_test(what_a_service_cannot_run_with_is_not_good),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
