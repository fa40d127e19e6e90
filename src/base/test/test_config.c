/* SPDX-License-Identifier: Apache-2.0 */
/* test_config - what a configuration file may say, and what it is told when it errs. */
#include "base/cleanup.h"
#include "base/config.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

struct opts {
    int64_t interval_ns;
    uint64_t size_bytes;
    const char *server;
    bool loud;
    struct config_list formats;
};

static const struct config_key keys[] = {
    { "interval", CONFIG_DURATION, offsetof(struct opts, interval_ns), "2m", NS_PER_S,
      3600 * NS_PER_S, "How often the servers are read." },
    { "size", CONFIG_SIZE, offsetof(struct opts, size_bytes), "1MiB", 0, 0, "A size." },
    { "server", CONFIG_TEXT, offsetof(struct opts, server), NULL, 0, 0, "A place." },
    { "loud", CONFIG_BOOL, offsetof(struct opts, loud), "no", 0, 0, "A flag." },
    { "format", CONFIG_LIST, offsetof(struct opts, formats), "%j", 0, 0, "A list." },
};
static const struct config_section sections[] = {
    { "agent", false, keys, COUNT_OF(keys), "The agent." },
    { "filesystem", true, keys, COUNT_OF(keys), "One file system." },
};

static int parse(const char *text, struct config **ret, struct err *err)
{
    return config_parse("a.conf", span_of(text), sections, COUNT_OF(sections), ret,
                        err);
}

static void a_silent_file_means_the_defaults(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    struct opts opts;
    assert_int_equal(parse("", &config, NULL), 0);
    assert_int_equal(config_fill(config, "agent", NULL, &opts, NULL), 0);
    assert_true(opts.interval_ns == 120 * NS_PER_S);
    assert_true(opts.size_bytes == 1 << 20);
    assert_null(opts.server);
    assert_false(opts.loud);
    assert_int_equal(opts.formats.count, 1);
}

static void what_the_file_says_holds(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    struct opts opts;
    struct err err = { 0 };
    if (parse("# words\n[agent]\n interval = 10s \nserver=a b = c\nloud = on\n"
              "[filesystem scratch]\nformat = %j:%u\nformat = %e.%u\n"
              "[filesystem home]\n",
              &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(config_fill(config, "agent", NULL, &opts, NULL), 0);
    assert_true(opts.interval_ns == 10 * NS_PER_S);
    assert_string_equal(opts.server, "a b = c");
    assert_true(opts.loud);
    assert_int_equal(config_name_count(config, "filesystem"), 2);
    assert_string_equal(config_name(config, "filesystem", 1), "home");
    assert_int_equal(config_fill(config, "filesystem", "scratch", &opts, NULL), 0);
    assert_int_equal(opts.formats.count, 2);
    assert_string_equal(opts.formats.items[1], "%e.%u");
    assert_int_equal(config_fill(config, "filesystem", "none", &opts, NULL), -ENOENT);
    assert_int_equal(config_set(config, SPAN("agent.interval=5s"), NULL), 0);
    assert_int_equal(config_fill(config, "agent", NULL, &opts, NULL), 0);
    assert_true(opts.interval_ns == 5 * NS_PER_S);
}

static void errors_name_file_line_key_and_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        { "[agent]\ninterval = 0s\n", "a.conf:2: interval: '0s' is not in 1s .. 1h" },
        { "[agent]\ninterval = 5\n", "a.conf:2: interval: '5' is not a length of time "
                                     "with its unit, such as 10s, 2m "
                                     "or 7d" },
        { "[agent]\n\nintervall = 5s\n", "a.conf:3: intervall: there is no such key in "
                                         "[agent]; it has: interval, size, "
                                         "server, loud, format; did you mean "
                                         "'interval'?" },
        { "interval = 5s\n", "a.conf:1: a key stands before the first [section]" },
        { "[agents]\n",
          "a.conf:1: [agents]: there is no such section; did you mean 'agent'?" },
        { "[zoo]\n", "a.conf:1: [zoo]: there is no such section" },
        { "[agent x]\n", "a.conf:1: [agent] has no name: write [agent]" },
        { "[filesystem]\n", "a.conf:1: [filesystem] wants a name: [filesystem NAME]" },
        { "[filesystem a]\n[filesystem a]\n",
          "a.conf:2: [filesystem a] stands in the file twice" },
        { "[agent]\nloud = yes\nloud = no\n",
          "a.conf:3: loud: is set twice; only one can hold" },
        { "[agent]\nwhat\n", "a.conf:2: neither [section] nor key = value" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct config *config = NULL;
        struct err err = { 0 };
        assert_int_equal(parse(cases[i].text, &config, &err), -EINVAL);
        assert_string_equal(err.text, cases[i].error);
    }
}

static void a_key_on_the_command_line_is_a_word_about_its_section(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    assert_int_equal(parse("[filesystem home]\n", &config, NULL), 0);
    assert_true(config_has(config, "filesystem"));
    assert_false(config_has(config, "agent"));
    assert_false(config_has(config, "nothing"));
    assert_int_equal(config_set(config, SPAN("agent.interval=5s"), NULL), 0);
    assert_true(config_has(config, "agent"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_file_means_the_defaults),
        cmocka_unit_test(what_the_file_says_holds),
        cmocka_unit_test(errors_name_file_line_key_and_remedy),
        cmocka_unit_test(a_key_on_the_command_line_is_a_word_about_its_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
