/* SPDX-License-Identifier: Apache-2.0 */
/* test_config_site - the site alone of a barod.conf. */
#include "base/span.h"
#include "base/test/testing.h"
#include "daemon/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/test_config_site.XXXXXX";
static char path[sizeof directory + 16];

static void file_write(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The job of an identifier of a target of scratch. */
static void assert_job(const struct config_site *site, const char *id, const char *want)
{
    AUTO(arena_done) struct arena arena;
    struct series series = { 0 };
    arena_init(&arena, 0);
    assert_int_equal(site_describe(site->site, SPAN("scratch"), SPAN("scratch-OST0000"),
                                   TARGET_OST, span_of(id), true, &arena, &series),
                     0);
    if (!span_eq(series.job, span_of(want)))
        fail_msg("%s: '" SPAN_FMT "', not '%s'", id, SPAN_ARG(series.job), want);
}

static void without_a_file_identifiers_have_the_usual_formats(void **state)
{
    (void)state;
    AUTO(config_site_done) struct config_site site = { 0 };
    assert_int_equal(config_site_load(NULL, &site, NULL), 0);
    assert_null(site.config);
    assert_job(&site, "77:1000:n1", "77");
}

static void a_file_says_the_formats_of_its_file_systems(void **state)
{
    (void)state;
    AUTO(config_site_done) struct config_site site = { 0 };
    struct err err = { 0 };
    file_write("[filesystem scratch]\njobid_name = %u:%j:%H\n");
    if (config_site_load(path, &site, &err) < 0)
        fail_msg("%s", err.text);
    assert_job(&site, "1000:77:n1", "77");
}

static void bad_files_leave_the_site_untouched(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *error;
    } cases[] = {
        { "an unknown key", "[filesystem scratch]\njob = %j\n", ":2: job" },
        { "a format", "[filesystem scratch]\njobid_name = %q\n", "%q" },
        { "no section", "jobid_name = %j\n", ":1: " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config_site site = { 0 };
        struct err err = { 0 };
        file_write(cases[i].text);
        int rc = config_site_load(path, &site, &err);
        if (rc != -EINVAL || site.site || site.config ||
            !strstr(err.text, cases[i].error))
            fail_msg("%s: %d, '%s'", cases[i].name, rc, err.text);
    }
    struct config_site site = { 0 };
    assert_int_equal(config_site_load("/nonexistent/barod.conf", &site, NULL), -ENOENT);
    assert_null(site.site);
    config_site_done(&site);
}

int main(void)
{
    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof path, "%s/barod.conf", directory);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_identifiers_have_the_usual_formats),
        cmocka_unit_test(a_file_says_the_formats_of_its_file_systems),
        cmocka_unit_test(bad_files_leave_the_site_untouched),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    (void)rmdir(directory);
    return failed;
}
