/* SPDX-License-Identifier: Apache-2.0 */
/* test_grafana_folder - what differs by site in the files for Grafana. */
#include "base/file.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "client/grafana/grafana.h"

#include <stdlib.h>

static char dir[] = "/tmp/baro-test-grafana.XXXXXX";

static void count_file(void *arg, const char *path)
{
    (void)path;
    ++*(size_t *)arg;
}

static void read_text(const char *name, struct strbuf *ret)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct err err = { 0 };
    strbuf_addf(&path, "%s/%s", dir, name);
    if (file_read(strbuf_text(&path), 1 << 20, ret, &err) < 0)
        fail_msg("%s", err.text);
}

static void check_has(const char *name, const char *wanted)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    read_text(name, &text);
    if (!strstr(strbuf_text(&text), wanted))
        fail_msg("%s has no '%s'", name, wanted);
}

static void a_folder_is_of_its_site(void **state)
{
    (void)state;
    AUTO(grafana_site_done)
    struct grafana_site site = { .url = "https://control.example:8443",
                                 .postgresql = "db/baro" };
    struct err err = { 0 };
    size_t count = 0;
    strbuf_adds(&site.cluster, "alex");
    strbuf_adds(&site.fs, "scr\"atch");
    assert_int_equal(grafana_folder_write(dir, &site, count_file, &count, &err), 0);
    assert_int_equal(count, 11);
    check_has("provisioning/datasources/barograph.yaml",
              "url: https://control.example:8443\n");
    check_has("provisioning/datasources/barograph-postgresql.yaml", "url: db:5432\n");
    check_has("provisioning/datasources/barograph-postgresql.yaml", "database: baro\n");
    check_has("provisioning/dashboards/barograph.yaml", dir);
    check_has("dashboards/node.json",
              "\"current\": {\"selected\": false, \"text\": \"alex\", \"value\": "
              "\"alex\"}");
    check_has("dashboards/job.json", "\"value\": \"scr\\\"atch\"}");
    check_has("dashboards/job-postgresql.json", "\"value\": \"barograph-postgresql\"}");
    /* What nothing is known of chooses by itself. */
    check_has("dashboards/node.json", "\"name\": \"node\",\n    \"current\": {}");
}

static void an_address_that_would_be_more_than_one_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *url, *postgresql;
    } cases[] = {
        { "unix:/run/barograph/barod.sock", NULL },
        { "http://a b", NULL },
        { "http://a\n  type: x", NULL },
        { "http://$HOME", NULL },
        { "http://a", "db" },
        { "http://a", "db:5432/x #" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct grafana_site site = { .url = cases[i].url,
                                     .postgresql = cases[i].postgresql };
        struct err err = { 0 };
        size_t count = 0;
        assert_int_equal(grafana_folder_write(dir, &site, count_file, &count, &err),
                         -EINVAL);
        assert_int_equal(count, 0);
        assert_true(err.text[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_of_its_site),
        cmocka_unit_test(an_address_that_would_be_more_than_one_is_refused),
    };
    if (!mkdtemp(dir))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) || failed;
}
