/* SPDX-License-Identifier: Apache-2.0 */
/* test_param - how Lustre's parameters are requested, and when. */
#include "agent/agent.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

static void a_parameter_is_taken_apart(void **state)
{
    (void)state;
    static const struct {
        const char *param, *last;
        int rc;
        const char *name;
        enum target_kind kind;
    } cases[] = {
        { "obdfilter.s-OST0001.job_stats", "job_stats", 0, "s-OST0001", TARGET_OST },
        { "mdt.s-MDT0000.job_stats", "job_stats", 0, "s-MDT0000", TARGET_MDT },
        { "mdt.s-MDT0000.job_cleanup_interval", "job_cleanup_interval", 0, "s-MDT0000",
          TARGET_MDT },
        { "obdfilter.a.b.job_stats", "job_stats", 0, "a.b", TARGET_OST },
        { "obdfilter.s-OST0001.job_stats", "job_cleanup_interval", -EINVAL, "", 0 },
        { "obdfilter.job_stats", "job_stats", -EINVAL, "", 0 },
        { "obdfilter..job_stats", "job_stats", -EINVAL, "", 0 },
        { "obdfilter.s-OST0001job_stats", "job_stats", -EINVAL, "", 0 },
        { "osc.s-OST0001.job_stats", "job_stats", -EINVAL, "", 0 },
        { "job_stats", "job_stats", -EINVAL, "", 0 },
        { "", "job_stats", -EINVAL, "", 0 },
        { "mdt.../../etc.job_stats", "job_stats", -EINVAL, "", 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct span name = SPAN("untouched");
        enum target_kind kind = TARGET_OST;
        int rc =
            agent_parse_param(span_of(cases[i].param), cases[i].last, &name, &kind);
        if (rc != cases[i].rc)
            fail_msg("'%s': %d", cases[i].param, rc);
        if (rc < 0) {
            assert_true(span_is(name, "untouched"));
            continue;
        }
        assert_true(span_is(name, cases[i].name));
        assert_int_equal(kind, cases[i].kind);
    }
}

static void a_name_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char param[TARGET_BYTES_MAX + 64], name[TARGET_BYTES_MAX + 2];
    struct span ret;
    enum target_kind kind;
    for (size_t size = TARGET_BYTES_MAX; size <= TARGET_BYTES_MAX + 1; size++) {
        memset(name, 'x', size);
        name[size] = '\0';
        (void)snprintf(param, sizeof param, "mdt.%s.job_stats", name);
        assert_int_equal(agent_parse_param(span_of(param), "job_stats", &ret, &kind),
                         size > TARGET_BYTES_MAX ? -EINVAL : 0);
    }
}

static void check_argv(char *const *argv, const char *const *want)
{
    size_t i = 0;
    for (; want[i]; i++)
        assert_string_equal(argv[i], want[i]);
    assert_null(argv[i]);
}

static void the_command_follows_the_source(void **state)
{
    (void)state;
    char *argv[AGENT_ARGV_MAX];
    struct agent_opts opts = {
        .source = "lctl", .lctl = "/sbin/lctl", .reader = "/r", .root = "/t"
    };
    agent_get_param(&opts, "-n", "mdt.*.job_stats", NULL, argv);
    check_argv(argv, (const char *const[]){ "/sbin/lctl", "get_param", "-n",
                                            "mdt.*.job_stats", NULL });
    agent_get_param(&opts, NULL, "one", "two", argv);
    check_argv(argv,
               (const char *const[]){ "/sbin/lctl", "get_param", "one", "two", NULL });
    opts.source = "files";
    agent_get_param(&opts, "-N", "one", "two", argv);
    check_argv(argv, (const char *const[]){ "/r", "--root", "/t", "get_param", "-N",
                                            "one", "two", NULL });
}

static void rounds_are_aligned_to_the_clock(void **state)
{
    (void)state;
    const int64_t interval_ns = 120 * NS_PER_S;
    assert_int_equal(agent_round_at(0, interval_ns), 0);
    assert_int_equal(agent_round_at(1, interval_ns), interval_ns);
    assert_int_equal(agent_round_at(interval_ns, interval_ns), interval_ns);
    assert_int_equal(agent_round_at(interval_ns + 1, interval_ns), 2 * interval_ns);
}

static void a_target_has_one_offset_in_the_first_part_of_a_round(void **state)
{
    (void)state;
    const int64_t interval_ns = 120 * NS_PER_S;
    bool differs = false;
    int64_t first_ns = agent_round_offset(SPAN("s-OST0000"), interval_ns);
    for (unsigned i = 0; i < 100; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "s-OST%04x", i);
        int64_t ns = agent_round_offset(span_of(name), interval_ns);
        assert_in_range(ns, 0, interval_ns / 20 - 1);
        assert_int_equal(ns % NS_PER_MS, 0);
        assert_int_equal(ns, agent_round_offset(span_of(name), interval_ns));
        differs |= ns != first_ns;
    }
    assert_true(differs);
    assert_int_equal(agent_round_offset(SPAN("s-OST0000"), NS_PER_MS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parameter_is_taken_apart),
        cmocka_unit_test(a_name_that_is_too_long_is_refused),
        cmocka_unit_test(the_command_follows_the_source),
        cmocka_unit_test(rounds_are_aligned_to_the_clock),
        cmocka_unit_test(a_target_has_one_offset_in_the_first_part_of_a_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
