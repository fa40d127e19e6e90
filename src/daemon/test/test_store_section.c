/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_section - the texts of [store] and [metric NAME], and what they mean. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "daemon/config/config.h"

#include <string.h>

static int parse(const char *text, struct config **ret, struct err *err)
{
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    return config_parse("barod.conf", span_of(text), sections, count, ret, err);
}

static void a_step_is_a_time_or_one_of_two_words(void **state)
{
    static const struct {
        const char *text;
        int want;
        int64_t step_ns;
    } cases[] = {
        { "10s", 0, 10 * NS_PER_S },  { "1ms", 0, NS_PER_MS },
        { "1h", 0, 3600 * NS_PER_S }, { "none", 0, 0 },
        { "found", 0, STEP_SOUGHT },  { "0s", -EINVAL, 0 },
        { "999us", -EINVAL, 0 },      { "10", -EINVAL, 0 },
        { "", -EINVAL, 0 },           { "often", -EINVAL, 0 },
        { "-10s", -EINVAL, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t step_ns = 77;
        int rc = daemon_step_parse(span_of(cases[i].text), &step_ns);
        if (rc != cases[i].want || step_ns != (rc < 0 ? 77 : cases[i].step_ns))
            fail_msg("'%s': %d, %lld", cases[i].text, rc, (long long)step_ns);
    }
}

static void a_section_is_a_metric(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    struct metric m;
    assert_int_equal(parse("[metric flops]\nstep = 10s\nunit = Flops\n"
                           "aggregation = sum\nkind = counter\n[metric load]\n",
                           &config, NULL),
                     0);
    assert_int_equal(daemon_metric_read(config, "flops", &m, NULL), 0);
    assert_true(span_is(m.name, "flops") && span_is(m.unit, "Flops"));
    assert_true(m.step_ns == 10 * NS_PER_S);
    assert_int_equal(m.aggregation, AGGREGATE_SUM);
    assert_int_equal(m.kind, METRIC_COUNTER);
    assert_int_equal(daemon_metric_read(config, "load", &m, NULL), 0);
    assert_true(m.step_ns == 60 * NS_PER_S);
    assert_int_equal(m.aggregation, AGGREGATE_NONE);
    assert_int_equal(m.kind, METRIC_GAUGE);
}

static void a_value_that_is_none_of_the_choices_is_refused_with_them(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        { "[metric a]\naggregation = mean\n", "\"mean\" (choose sum, avg, none)" },
        { "[metric a]\nkind = rate\n", "\"rate\" (choose gauge, counter)" },
        { "[metric a]\nstep = soon\n", "metric a: step: 'soon'" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(config_free) struct config *config = NULL;
        struct metric m = { .step_ns = 77 };
        struct err err = { 0 };
        assert_int_equal(parse(cases[i].text, &config, NULL), 0);
        if (daemon_metric_read(config, "a", &m, &err) != -EINVAL || m.step_ns != 77 ||
            !strstr(err.text, cases[i].error))
            fail_msg("%s: %s", cases[i].error, err.text);
    }
}

static void compat_and_archive_are_words(void **state)
{
    static const struct {
        const char *compat, *archive;
        int compat_rc, archive_rc;
        enum metric_strictness strictness;
        bool is_deleted;
    } cases[] = {
        { "strict", "compress", 0, 0, METRIC_STRICT, false },
        { "better", "delete", 0, 0, METRIC_TOLERANT, true },
        { "Strict", "", -EINVAL, -EINVAL, METRIC_TOLERANT, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct daemon_store_opts opts = { .compat = cases[i].compat,
                                                .archive = cases[i].archive };
        enum metric_strictness strictness = METRIC_TOLERANT;
        bool is_deleted = false;
        assert_int_equal(daemon_strictness(&opts, &strictness, NULL),
                         cases[i].compat_rc);
        assert_int_equal(daemon_store_archive(&opts, &is_deleted, NULL),
                         cases[i].archive_rc);
        assert_int_equal(strictness, cases[i].strictness);
        assert_int_equal(is_deleted, cases[i].is_deleted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_a_time_or_one_of_two_words),
        cmocka_unit_test(a_section_is_a_metric),
        cmocka_unit_test(a_value_that_is_none_of_the_choices_is_refused_with_them),
        cmocka_unit_test(compat_and_archive_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
