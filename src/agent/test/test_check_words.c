/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_words - the words for each thing that a check can find. */
#include "agent/check/check.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

#define NOW_NS (INT64_C(1795348800) * NS_PER_S)
#define DAY_NS (86400 * NS_PER_S)

static struct check_target targets[] = {
    { .name = "s-OST0001", .is_read = true, .cleanup_s = 600 },
};

static const struct agent_opts lctl_opts = { .host = "oss01",
                                             .server = "unix:/s",
                                             .source = "lctl",
                                             .lctl = "/sbin/lctl",
                                             .reader = "/x/reader",
                                             .interval_ns = 120 * NS_PER_S };

static struct check_result good_result(void)
{
    return (struct check_result){
        .opts = &lctl_opts,
        .sources = { .targets = targets, .target_count = 1 },
        .server = { .state = CHECK_SERVER_ACCEPTS,
                    .expires_ns = T_NONE,
                    .server_now_ns = T_NONE },
        .dirs = { { .what = "state", .path = "/a" },
                  { .what = "spool", .path = "/b" } },
    };
}

/* What is printed between two lines that a good result always has. */
static void expect_text(const struct check_result *result, const char *name,
                        const char *before, const char *after, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    check_print(result, &out);
    const char *begin = strstr(strbuf_text(&out), before);
    if (!begin || !strstr(begin, after))
        fail_msg("%s: no '%s' .. '%s' in\n%s", name, before, after, strbuf_text(&out));
    begin += strlen(before);
    if (!span_starts(span_of(begin), want) ||
        !span_starts(span_of(begin + strlen(want)), after))
        fail_msg("%s: '%s' does not begin with '%s'", name, begin, want);
}

static void a_good_result_is_printed_whole(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct check_result result = good_result();
    (void)state;
    check_print(&result, &out);
    assert_string_equal(strbuf_text(&out),
                        "this server reports as 'oss01' to unix:/s\n"
                        "source lctl:\n"
                        "  s-OST0001: 0 entries, 0 bytes, job_cleanup_interval 600 s\n"
                        "server: responds, and lets us send\n"
                        "state '/a': can be written\n"
                        "spool '/b': can be written\n");
}

static void each_state_of_a_server_has_its_words(void **state)
{
    static const struct {
        enum check_server_state state;
        const char *targets, *want;
        bool is_good;
    } cases[] = {
        { CHECK_SERVER_ACCEPTS, "", "responds, and lets us send", true },
        { CHECK_SERVER_ACCEPTS, "a*, b",
          "responds, and lets us send; of the targets a*, b", true },
        { CHECK_SERVER_QUERIES_ONLY, "",
          "responds, and lets us query but not send: that wants a token of an agent; "
          "see token_file",
          false },
        { CHECK_SERVER_OTHER_HOST, "",
          "would refuse us: the token is for the host 'oss02', this one reports as "
          "'oss01'; see token_file and host",
          false },
        { CHECK_SERVER_NOT_BAROD, "", "what responds there is not barod; see server",
          false },
        { CHECK_SERVER_REFUSES, "", "why; see token_file", false },
        { CHECK_SERVER_FAILS, "", "why; see server", false },
        { CHECK_SERVER_BUSY, "", "why; batches would wait in the spool", true },
        { CHECK_SERVER_AWAY, "",
          "does not respond: why; batches would wait in the spool", true },
        { CHECK_SERVER_INVALID, "", "why", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
        struct check_result result = good_result();
        result.server.state = cases[i].state;
        strbuf_adds(&result.server.targets, cases[i].targets);
        (void)snprintf(result.server.reason, sizeof result.server.reason, "why");
        (void)snprintf(result.server.host, sizeof result.server.host, "oss02");
        strbuf_addf(&want, "%s\n", cases[i].want);
        expect_text(&result, cases[i].want, "server: ", "state '", strbuf_text(&want));
        assert_int_equal(check_is_good(&result), cases[i].is_good);
        strbuf_done(&result.server.targets);
    }
}

static void a_token_that_cannot_be_read_is_named(void **state)
{
    struct check_result result = good_result();
    (void)state;
    result.server.state = CHECK_SERVER_NO_TOKEN;
    (void)snprintf(result.server.reason, sizeof result.server.reason, "open '/t': x");
    expect_text(&result, "token", "600 s\n", "state '", "token_file: open '/t': x\n");
    assert_false(check_is_good(&result));
}

static void what_ends_soon_and_clocks_that_differ_are_warnings(void **state)
{
    static const struct {
        const char *name;
        int64_t now_ns, expires_ns, ahead_ns;
        const char *want;
    } cases[] = {
        { "nothing is known", T_NONE, NOW_NS, 3600 * NS_PER_S, "" },
        { "no end", NOW_NS, T_NONE, 0, "" },
        { "14 days", NOW_NS, NOW_NS + 14 * DAY_NS, 0,
          "  the token is valid until 2026-12-06T12:00:00Z\n" },
        { "less", NOW_NS, NOW_NS + 14 * DAY_NS - 1, 0,
          "  warning: the token is valid until 2026-12-06T11:59:59.999999999Z\n" },
        { "it has ended", NOW_NS, NOW_NS - DAY_NS, 0,
          "  warning: the token is valid until 2026-11-21T12:00:00Z\n" },
        { "a clock within 10 s", NOW_NS, T_NONE, 10 * NS_PER_S - 1, "" },
        { "ahead", NOW_NS, T_NONE, 10 * NS_PER_S,
          "  warning: this clock is 10 s ahead of the server's: rows more than an hour "
          "ahead are refused\n" },
        { "behind within 10 s", NOW_NS, T_NONE, 1 - 10 * NS_PER_S, "" },
        { "behind", NOW_NS, T_NONE, -11 * NS_PER_S,
          "  warning: this clock is 11 s behind the server's: rows more than an hour "
          "ahead are refused\n" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct check_result result = good_result();
        result.server.server_now_ns = cases[i].now_ns;
        result.server.expires_ns = cases[i].expires_ns;
        result.server.ahead_ns = cases[i].ahead_ns;
        expect_text(&result, cases[i].name, "lets us send\n", "state '", cases[i].want);
    }
}

static void each_place_has_its_words(void **state)
{
    static const struct {
        int error;
        const char *want;
    } cases[] = {
        { 0, "can be read\n" },
        { EACCES, "needs root or CAP_DAC_READ_SEARCH (job_stats does not lie there; "
                  "server totals of 2.12 and later do)\n" },
        { EIO, "cannot be read\n" },
        { ENOENT, "No such file or directory\n" },
    };
    struct agent_opts opts = lctl_opts;
    (void)state;
    opts.source = "files";
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct check_result result = good_result();
        result.opts = &opts;
        result.sources.place_count = 1;
        result.sources.places[0].error = cases[i].error;
        (void)snprintf(result.sources.places[0].path,
                       sizeof result.sources.places[0].path, "/proc/fs/lustre");
        expect_text(&result, "a place",
                    "source files:\n  /proc/fs/lustre: ", "  s-OST0001", cases[i].want);
        assert_true(check_is_good(&result)); /* the targets count */
    }
}

static void without_a_target_it_is_not_good_and_there_is_a_hint(void **state)
{
    struct agent_opts files = lctl_opts;
    struct check_result result = good_result();
    (void)state;
    result.sources.target_count = 0;
    (void)snprintf(result.sources.complaint, sizeof result.sources.complaint,
                   "error: get_param: x");
    expect_text(&result, "no target", "source lctl:\n", "server: ",
                "  no target is found: is this a Lustre server, and are its targets "
                "mounted?\n  error: get_param: x\n");
    result.sources.error = -ENOENT;
    expect_text(&result, "no program", "source lctl:\n", "server: ",
                "  '/sbin/lctl' cannot be started: No such file or directory\n"
                "  is this a Lustre server? where the program lies elsewhere, set "
                "agent.lctl\n");
    files.source = "files";
    result.opts = &files;
    expect_text(&result, "no reader", "source files:\n", "server: ",
                "  '/x/reader' cannot be started: No such file or directory\n"
                "  is this a Lustre server? where the program lies elsewhere, set "
                "agent.reader\n");
}

static void an_interval_has_to_be_half_of_the_cleanup_at_most(void **state)
{
    static const struct {
        int64_t cleanup_s;
        bool is_warned;
    } cases[] = {
        { 240, false }, { 239, true }, { 1, true }, { 0, false }, /* never cleaned */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct check_result result = good_result();
        struct check_target target = targets[0];
        target.cleanup_s = cases[i].cleanup_s;
        result.sources.targets = &target;
        check_print(&result, &out);
        if (!!strstr(strbuf_text(&out), "warning: the interval is more than half") !=
            cases[i].is_warned)
            fail_msg("%s", strbuf_text(&out));
    }
}

static void each_state_of_a_directory_has_its_words(void **state)
{
    static const struct {
        struct check_dir dir;
        const char *want;
        bool is_good;
    } cases[] = {
        { { .state = CHECK_DIR_WRITABLE }, "can be written\n", true },
        { { .state = CHECK_DIR_BARRED, .error = EACCES },
          "Permission denied\n",
          false },
        { { .state = CHECK_DIR_TO_BE_MADE, .above = "/var" },
          "is not there yet, and can be made in '/var'\n",
          true },
        { { .state = CHECK_DIR_CANNOT_MAKE, .error = EROFS, .above = "/usr" },
          "is not there, and cannot be made in '/usr': Read-only file system; make it, "
          "and give it to the service's user\n",
          false },
        { { .state = CHECK_DIR_CANNOT_MAKE,
            .error = EACCES,
            .above = "/var/lib",
            .is_units = true },
          "is not there, and cannot be made in '/var/lib': Permission denied; the unit "
          "makes it at its first start (StateDirectory)\n",
          true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct check_result result = good_result();
        result.dirs[0] = cases[i].dir;
        result.dirs[0].what = "state";
        result.dirs[0].path = "/a";
        expect_text(&result, "a directory", "state '/a': ", "spool '/b'",
                    cases[i].want);
        assert_int_equal(check_is_good(&result), cases[i].is_good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_result_is_printed_whole),
        cmocka_unit_test(each_state_of_a_server_has_its_words),
        cmocka_unit_test(a_token_that_cannot_be_read_is_named),
        cmocka_unit_test(what_ends_soon_and_clocks_that_differ_are_warnings),
        cmocka_unit_test(each_place_has_its_words),
        cmocka_unit_test(without_a_target_it_is_not_good_and_there_is_a_hint),
        cmocka_unit_test(an_interval_has_to_be_half_of_the_cleanup_at_most),
        cmocka_unit_test(each_state_of_a_directory_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
