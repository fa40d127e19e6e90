/* SPDX-License-Identifier: Apache-2.0 */
/* test_store - the store that [store] describes, opened and checked. */
#include "daemon/store.h"

#include "base/log.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <string.h>
#include <unistd.h>

static int parse(const char *text, struct config **ret, struct err *err)
{
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    return config_parse("barod.conf", span_of(text), sections, count, ret, err);
}

static void a_store_is_there_where_a_section_asks_for_it(void **state)
{
    static const struct {
        const char *text;
        bool want;
        unsigned metrics;
    } cases[] = {
        { "", false, 0 },
        { "[store]\ndirectory = none\n", true, 0 },
        { "[metric a]\nstep = 10s\n[metric b]\n", true, 2 },
    };
    (void)state;
    log_set_level(LOG_LEVEL_ERROR);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(config_free) struct config *config = NULL;
        AUTO(metric_store_close) struct metric_store *store = NULL;
        struct daemon_opts opts;
        assert_int_equal(parse(cases[i].text, &config, NULL), 0);
        assert_int_equal(daemon_config_fill(config, &opts, NULL), 0);
        opts.store.directory = "none";
        assert_int_equal(daemon_store_open(config, &opts.store, NULL, &store, NULL), 0);
        assert_int_equal(store != NULL, cases[i].want);
        if (store)
            assert_int_equal(metric_count(metric_store_metrics(store)),
                             cases[i].metrics);
    }
}

static void mistakes_of_sections_are_errors_of_the_store(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        { "[store]\narchive = maybe\n", "store.archive: invalid value" },
        { "[metric a]\nkind = odd\n", "store: metric a: kind: invalid value" },
        { "[metric a]\nstep = odd\n", "store: metric a: step" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(config_free) struct config *config = NULL;
        struct metric_store *store = NULL;
        struct daemon_opts opts;
        struct err err = { 0 };
        assert_int_equal(parse(cases[i].text, &config, NULL), 0);
        assert_int_equal(daemon_config_fill(config, &opts, NULL), 0);
        opts.store.directory = "none";
        int rc = daemon_store_open(config, &opts.store, NULL, &store, &err);
        if (rc != -EINVAL || store || !strstr(err.text, cases[i].error))
            fail_msg("%s: %d, %s", cases[i].error, rc, err.text);
    }
}

static void a_check_makes_no_directory(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    AUTO(metric_store_close) struct metric_store *store = NULL;
    struct daemon_opts opts;
    assert_int_equal(parse("[store]\n", &config, NULL), 0);
    assert_int_equal(daemon_config_fill(config, &opts, NULL), 0);
    opts.store.directory = "/tmp/test_store.check/that/is/not/there";
    assert_int_equal(daemon_store_check(config, &opts.store, &store, NULL), 0);
    assert_non_null(store);
    assert_int_not_equal(access("/tmp/test_store.check", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_is_there_where_a_section_asks_for_it),
        cmocka_unit_test(mistakes_of_sections_are_errors_of_the_store),
        cmocka_unit_test(a_check_makes_no_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
