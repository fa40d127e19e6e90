/* SPDX-License-Identifier: Apache-2.0 */
/* test_ccms_config - cc-metric-store's configuration as sections of barod.conf. */
#include "base/span.h"
#include "migrate/ccms_config.h"

#include "base/test/testing.h"

static void keys_become_lines(void **state)
{
    static const struct {
        const char *json, *want; /* want is part of the result */
        size_t comments;
    } cases[] = {
        { "{\"main\":{\"addr\":\":8081\"}}", "listen = 0.0.0.0:8081\n", 0 },
        { "{\"main\":{\"addr\":\":8081\"}}", "plaintext = yes\n", 0 },
        { "{\"main\":{\"addr\":\"localhost:8081\"}}", "listen = 127.0.0.1:8081\n", 0 },
        { "{\"http-api\":{\"address\":\"10.0.0.1:80\"}}", "listen = 10.0.0.1:80\n", 0 },
        { "{\"main\":{\"addr\":\"h:1\"},\"http-api\":{\"address\":\"old:2\"}}",
          "listen = h:1\n", 0 },
        { "{\"jwt-public-key\":\"abc=\"}", "jwt_public_key = abc=\n", 0 },
        { "{\"main\":{\"addr\":\"h:1\",\"https-cert-file\":\"/"
          "c\",\"https-key-file\":\"/"
          "k\"}}",
          "tls_certificate = /c\ntls_key = /k\n", 0 },
        { "{\"retention-in-memory\":\"48h\"}", "[store]\nretention = 2d\n", 0 },
        { "{\"retention-in-memory\":\"1h30m\"}", "retention = 90m\n", 0 },
        { "{\"retention-in-memory\":7200}", "retention = 2h\n", 0 },
        { "{\"retention-in-memory\":\"soon\"}", "# retention = soon: not a duration\n",
          0 },
        { "{\"metric-store\":{\"memory-cap\":64}}", "memory_max = 64GB\n", 0 },
        { "{\"archive\":{\"interval\":\"168h\",\"delete-instead\":true}}",
          "archive_after = 7d\narchive = delete\n", 0 },
        { "{\"checkpoints\":{\"directory\":\"/var/cp\"}}",
          "#   baro store import '/var/cp' --into /var/lib/barograph/store\n", 0 },
        { "{\"metrics\":{\"a/b\":{\"frequency\":15,\"aggregation\":\"sum\",\"unit\":{"
          "\"base\":\"B\"}}}}",
          "[metric a/b]\nstep = 15s\naggregation = sum\nunit = B\n", 0 },
        { "{\"metrics\":{\"m\":{\"frequency\":15,\"aggregation\":\"median\"}}}",
          "[metric m]\nstep = 15s\n\n", 0 },
        { "{\"nats\":{\"address\":\"h:4222\",\"username\":\"u\",\"password\":\"p\"}}",
          "[nats]\naddress = nats://h:4222\nusername = u\n", 1 },
        { "{\"nats\":{\"address\":\"tls://"
          "h\"},\"metric-store\":{\"nats-subscriptions\":"
          "[{\"subscribe-to\":\"s\",\"cluster-tag\":\"c\"}]}}",
          "[nats_subscription 1]\nsubscribe_to = s\ncluster_tag = c\n", 0 },
        { "{\"debug\":{\"dump\":\"x\"}}",
          "# Not converted:\n# debug/dump = x: see baro store status and /metrics\n",
          1 },
        { "{\"debug\":{},\"new\":[1,2],\"nats\":null}",
          "# new/1 = 2: barod has no counterpart\n", 2 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        size_t comments = SIZE_MAX;
        assert_int_equal(
            ccms_config_convert(span_of(cases[i].json), &out, &comments, NULL), 0);
        if (!strstr(strbuf_text(&out), cases[i].want) || comments != cases[i].comments)
            fail_msg("%s: %zu comments, got %s", cases[i].json, comments,
                     strbuf_text(&out));
    }
}

static void a_password_does_not_come_along(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    size_t comments;
    (void)state;
    assert_int_equal(
        ccms_config_convert(
            SPAN("{\"nats\":[{\"address\":\"h\",\"password\":\"s3cret\"}],"
                 "\"other\":{\"password\":\"s3cret\"},\"password\":[\"s3cret\"]}"),
            &out, &comments, NULL),
        0);
    assert_null(strstr(strbuf_text(&out), "s3cret"));
    assert_int_equal(comments, 3);
}

/* A text of the file is not a line of another. */
static void no_text_begins_a_line_of_its_own(void **state)
{
    static const char *const files[] = {
        "{\"retention-in-memory\":\"1h\\nmemory_max = 1\"}",
        "{\"main\":{\"addr\":\"h:1\\nmemory_max = 1\"}}",
        "{\"nats\":{\"address\":\"h\\nmemory_max = 1\",\"username\":\"u\\nmemory_max = "
        "1\"}}",
        "{\"metrics\":{\"m]\\nmemory_max = 1\":{\"frequency\":1}}}",
        "{\"metrics\":{\"m\":{\"frequency\":1,\"unit\":{\"base\":\"B\\nmemory_max = "
        "1\"}}}}",
        "{\"jwt-public-key\":\"k\",\"new\\nmemory_max = 1\":\"x\\nmemory_max = 1\"}",
        "{\"checkpoints\":{\"directory\":\"/x\\nmemory_max = 1\"}}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        size_t comments;
        assert_int_equal(ccms_config_convert(span_of(files[i]), &out, &comments, NULL),
                         0);
        if (strstr(strbuf_text(&out), "\nmemory_max"))
            fail_msg("%s: %s", files[i], strbuf_text(&out));
    }
}

static void another_programs_configuration_is_refused_with_what_it_has(void **state)
{
    static const struct {
        const char *json, *has; /* what the message ends with */
    } rows[] = {
        { "{}", "retention-in-memory" },
        { "{\"sinks\":{\"a\":{\"type\":\"http\"},\"b\":1},\"receivers\":\"x\"}",
          "retention-in-memory, but sinks, receivers" },
        { "[1,2]", "retention-in-memory, but 0, 1" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        size_t comments = 77;
        int rc = ccms_config_convert(span_of(rows[i].json), &out, &comments, &err);
        size_t size = strlen(err.text), has_size = strlen(rows[i].has);
        if (rc != -EBADMSG || out.size > 0 || comments != 77 || size < has_size ||
            strcmp(err.text + size - has_size, rows[i].has) != 0 ||
            !strstr(err.text, "is no configuration of cc-metric-store"))
            fail_msg("%s: %d '%s'", rows[i].json, rc, err.text);
    }
}

static void what_is_no_json_changes_nothing(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    size_t comments = 77;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(ccms_config_convert(SPAN("{\"main\""), &out, &comments, &err),
                     -EBADMSG);
    assert_int_equal(out.size, 0);
    assert_int_equal(comments, 77);
    assert_true(err.text[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_become_lines),
        cmocka_unit_test(a_password_does_not_come_along),
        cmocka_unit_test(no_text_begins_a_line_of_its_own),
        cmocka_unit_test(another_programs_configuration_is_refused_with_what_it_has),
        cmocka_unit_test(what_is_no_json_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
