/* SPDX-License-Identifier: Apache-2.0 */
/* test_setup - from a file and --set to options and a budget. */
#include "base/file.h"
#include "base/log.h"
#include "base/test/testing.h"
#include "daemon/setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[40];

static int set_up(void **state)
{
    (void)state;
    log_set_level(LOG_LEVEL_ERROR); /* a small machine would be warned */
    memcpy(path, "/tmp/test_setup.XXXXXX", sizeof "/tmp/test_setup.XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

static int load(const char *text, const struct option_list *set, struct daemon_setup *s,
                struct err *err)
{
    const struct daemon_args args = { .config = path, .set = set };
    assert_int_equal(file_replace(path, text, strlen(text), 0600, NULL), 0);
    return daemon_setup_load(&args, s, err);
}

static void an_option_wins_over_the_file(void **state)
{
    (void)state;
    static const char *items[] = { "barod.log_level=warn", "net.connections_max=10" };
    const struct option_list set = { .items = items, .count = 2 };
    struct daemon_setup s = { 0 };
    assert_int_equal(load("[barod]\nlog_level = debug\nlive = 2h\n", &set, &s, NULL),
                     0);
    assert_int_equal(s.opts.barod.level, LOG_LEVEL_WARN);
    assert_int_equal(s.opts.net.connections_max, 10);
    assert_true(s.opts.barod.live_ns == INT64_C(7200000000000));
    daemon_setup_done(&s);
    assert_null(s.config);
}

static void the_budget_has_what_the_options_have(void **state)
{
    (void)state;
    const struct option_list none = { 0 };
    struct daemon_setup s = { 0 };
    assert_int_equal(load("[net]\nbody_budget = 100MiB\n", &none, &s, NULL), 0);
    assert_ptr_equal(s.opts.net.requests, budget_find(&s.budget, "requests"));
    assert_int_equal(s.opts.net.requests->limit_bytes, 100 << 20);
    assert_null(budget_find(&s.budget, "store"));
    daemon_setup_done(&s);
}

static void mistakes_end_the_load_with_their_line(void **state)
{
    static const char *bad_set[] = { "barod.live=never" };
    static const struct {
        const char *name, *text;
        struct option_list set;
        const char *error;
    } cases[] = {
        { "a key", "[net]\nlisten = none\nsockett = x\n", { 0 }, ":3: sockett" },
        { "an option", "", { .items = bad_set, .count = 1 }, "live" },
        { "too little memory", "[barod]\nmemory_max = 1MiB\n", { 0 }, "memory_max" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct daemon_setup s = { 0 };
        struct err err = { 0 };
        int rc = load(cases[i].text, &cases[i].set, &s, &err);
        if (rc != -EINVAL || !strstr(err.text, cases[i].error))
            fail_msg("%s: %d, %s", cases[i].name, rc, err.text);
        daemon_setup_done(&s);
    }
}

static void a_file_that_is_named_must_be_there(void **state)
{
    (void)state;
    const struct option_list none = { 0 };
    const struct daemon_args args = { .config = "/nonexistent/barod.conf",
                                      .set = &none };
    struct daemon_setup s = { 0 };
    struct err err = { 0 };
    assert_int_equal(daemon_setup_load(&args, &s, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/barod.conf"));
    daemon_setup_done(&s);
}

static void a_real_clock_allows_every_address(void **state)
{
    (void)state;
    const struct option_list none = { 0 };
    struct daemon_setup s = { 0 };
    assert_int_equal(load("[net]\nlisten = 0.0.0.0:8091\n", &none, &s, NULL), 0);
    assert_int_equal(daemon_setup_check_clock(&s, NULL), 0);
    daemon_setup_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_wins_over_the_file),
        cmocka_unit_test(the_budget_has_what_the_options_have),
        cmocka_unit_test(mistakes_end_the_load_with_their_line),
        cmocka_unit_test(a_file_that_is_named_must_be_there),
        cmocka_unit_test(a_real_clock_allows_every_address),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
