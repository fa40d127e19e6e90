/* SPDX-License-Identifier: Apache-2.0 */
/* test_sections - what barod.conf may contain, and files with a password in them. */
#include "base/span.h"
#include "base/test/testing.h"
#include "daemon/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int parse(const char *text, struct config **ret, struct err *err)
{
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    return config_parse("barod.conf", span_of(text), sections, count, ret, err);
}

static void defaults_hold_where_nothing_is_configured(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    struct daemon_opts opts;
    assert_int_equal(parse("", &config, NULL), 0);
    assert_int_equal(daemon_config_fill(config, &opts, NULL), 0);
    assert_int_equal(opts.barod.level, LOG_LEVEL_INFO);
    assert_int_equal(opts.barod.queue_bytes_max, 128 << 20);
    assert_int_equal(opts.barod.memory_max_bytes, 0);
    assert_string_equal(opts.store.compat, "better");
}

static void mistakes_are_named_with_file_and_line(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        { "[barod]\nlog_level = info\nqueue_bytes_max = 1\n",
          "barod.conf:3: queue_bytes_max" },
        { "[barod]\nrollup_evry = 1m\n", "barod.conf:2: rollup_evry" },
        { "\n\n[brod]\n", "barod.conf:3:" },
        { "[barod]\nlive = 1\n", "barod.conf:2: live" },
        { "[metric]\nstep = 10s\n", "barod.conf:1:" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(config_free) struct config *config = NULL;
        struct err err = { 0 };
        if (parse(cases[i].text, &config, &err) != -EINVAL ||
            !strstr(err.text, cases[i].error))
            fail_msg("%s: %s", cases[i].error, err.text);
    }
}

static void a_level_of_the_log_that_is_none_leaves_the_options_alone(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    struct daemon_opts opts = { .barod.rollup_ns = 77 };
    struct err err = { 0 };
    assert_int_equal(parse("[barod]\nlog_level = loud\n", &config, NULL), 0);
    assert_int_equal(daemon_config_fill(config, &opts, &err), -EINVAL);
    assert_non_null(strstr(err.text, "barod.log_level"));
    assert_non_null(strstr(err.text, "loud"));
    assert_int_equal(opts.barod.rollup_ns, 77);
}

static void the_sample_has_every_section_and_is_one_that_barod_reads(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf sample = STRBUF_INIT;
    AUTO(config_free) struct config *config = NULL;
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    daemon_config_describe(&sample);
    for (size_t i = 0; i < count; i++) {
        char head[64];
        (void)snprintf(head, sizeof head, "[%s", sections[i].kind);
        if (!strstr(strbuf_text(&sample), head))
            fail_msg("no %s]", head);
    }
    assert_int_equal(parse(strbuf_text(&sample), &config, NULL), 0);
}

static void a_file_with_a_password_is_its_owners_alone(void **state)
{
    static const struct {
        const char *text;
        mode_t mode;
        int want;
    } cases[] = {
        { "[barod]\nlive = 1h\n", 0644, 0 },
        { "[nats]\naddress = nats://a:4222\n", 0644, 0 },
        { "[nats]\npassword = secret\n", 0644, -EACCES },
        { "[nats]\ntoken = secret\n", 0640, 0 },
        { "[nats]\naddress = nats://u:secret@a:4222\n", 0644, -EACCES },
        { "[records]\nconnection = host=db password=secret\n", 0644, -EACCES },
        { "[records]\nconnection = host=db\n", 0644, 0 },
        { "[scrape a]\nurl = http://u:secret@a/metrics\n", 0644, -EACCES },
        { "[scrape a]\nurl = http://a/metrics\n", 0644, 0 },
        { "[nats]\npassword = secret\n", 0600, 0 },
    };
    (void)state;
    char path[] = "/tmp/test_sections.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(config_free) struct config *config = NULL;
        struct err err = { 0 };
        assert_int_equal(parse(cases[i].text, &config, NULL), 0);
        assert_int_equal(fchmod(fd, cases[i].mode), 0);
        int rc = daemon_config_check_secrets(path, config, &err);
        if (rc != cases[i].want)
            fail_msg("%s, %o: %d, %s", cases[i].text, cases[i].mode, rc, err.text);
    }
    (void)close(fd);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold_where_nothing_is_configured),
        cmocka_unit_test(mistakes_are_named_with_file_and_line),
        cmocka_unit_test(a_level_of_the_log_that_is_none_leaves_the_options_alone),
        cmocka_unit_test(the_sample_has_every_section_and_is_one_that_barod_reads),
        cmocka_unit_test(a_file_with_a_password_is_its_owners_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
