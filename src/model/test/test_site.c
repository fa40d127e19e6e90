/* SPDX-License-Identifier: Apache-2.0 */
/* test_site - which file system a target belongs to, and what a series is called. */
#include "base/span.h"
#include "base/test/testing.h"
#include "model/site.h"

#define SEED_NAMESPACE "2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe"
#define OTHER_NAMESPACE "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

static int make(const char *text, struct config **ret_config, struct site **ret,
                struct err *err)
{
    int rc = config_parse("test.conf", span_of(text), &site_config_section, 1,
                          ret_config, err);
    return rc < 0 ? rc : site_new(*ret_config, ret, err);
}

static void a_target_belongs_to_the_instance_its_server_serves(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_free) struct site *site = NULL;
    struct err err = { 0 };
    if (make("[filesystem alpha]\nfsname = scratch\nservers = a-oss[1-4],a-mds1\n"
             "[filesystem beta]\nfsname = scratch\nservers = b-oss[1-4]\n"
             "[filesystem home]\nservers = h1\n",
             &config, &site, &err) < 0)
        fail_msg("%s", err.text);
    static const struct {
        const char *server, *target, *fs;
    } cases[] = {
        { "a-oss2", "scratch-OST0001", "alpha" },
        { "a-mds1", "scratch-MDT0000", "alpha" },
        { "b-oss4", "scratch-OST0001", "beta" },
        { "c-oss1", "scratch-OST0001", "scratch" },
        { "h1", "home-OST0000", "home" },
        { "h2", "home-OST0000", "home@other" },
        { "", "work-MDT0003", "work" },
        { "", "OST0001", "OST0001" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct span fs =
            site_fs(site, span_of(cases[i].server), span_of(cases[i].target));
        if (!span_is(fs, cases[i].fs))
            fail_msg("%s on %s: got '" SPAN_FMT "'", cases[i].target, cases[i].server,
                     SPAN_ARG(fs));
    }
}

static bool span_or_null_is(struct span s, const char *text)
{
    return text ? s.data && span_is(s, text) : !s.data;
}

static void identifiers_are_described_by_the_first_format_that_fits(void **state)
{
    (void)state;
    AUTO(site_free) struct site *site = NULL;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    assert_int_equal(site_new(NULL, &site, NULL), 0);
    static const struct {
        const char *id;
        const char *format, *job, *user, *node, *executable;
        unsigned flags;
        bool is_login;
    } cases[] = {
        { "11317854:17627127:r01c01", "%j:%u:%H", "11317854", "17627127", "r01c01",
          NULL, 0, false },
        { "rsync.1000", "%e.%u", "rsync.1000", "1000", NULL, "rsync", 0, true },
        { ":17627127:r01c01", "%j:%u:%H", NULL, "17627127", "r01c01", NULL,
          SPLIT_MISSING_JOB, false },
        { "no format", NULL, NULL, NULL, NULL, NULL, SPLIT_MALFORMED, false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct series s;
        assert_int_equal(site_describe(site, SPAN("scratch"), SPAN("scratch-OST0001"),
                                       TARGET_OST, span_of(cases[i].id), true, &arena,
                                       &s),
                         0);
        if (!span_or_null_is(s.format, cases[i].format) ||
            !span_or_null_is(s.job, cases[i].job) ||
            !span_or_null_is(s.user, cases[i].user) ||
            !span_or_null_is(s.node, cases[i].node) ||
            !span_or_null_is(s.executable, cases[i].executable) ||
            s.flags != cases[i].flags || s.is_login != cases[i].is_login)
            fail_msg("%s: format '" SPAN_FMT "', job '" SPAN_FMT "', flags %u",
                     cases[i].id, SPAN_ARG(s.format), SPAN_ARG(s.job), s.flags);
    }
}

static void fields_are_in_their_text_form(void **state)
{
    (void)state;
    AUTO(site_free) struct site *site = NULL;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    struct series s;
    assert_int_equal(site_new(NULL, &site, NULL), 0);
    assert_int_equal(site_describe(site, SPAN("scratch"), SPAN("scratch-OST0001"),
                                   TARGET_OST, SPAN("a\xff\x01.7"), true, &arena, &s),
                     0);
    assert_true(span_is(s.executable, "a\\xFF\\x01"));
    assert_true(span_is(s.job, "a\\xFF\\x01.7"));
    assert_true(span_eq(s.entry_id, SPAN("a\xff\x01.7")));
}

static void the_seeds_series_has_the_seeds_identifier(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_free) struct site *site = NULL;
    struct err err = { 0 };
    if (make("[filesystem scratch]\njobid_name = %j:%u:%H\n"
             "namespace = %j:%u:%H " SEED_NAMESPACE "\n"
             "namespace = unmatched " OTHER_NAMESPACE "\n",
             &config, &site, &err) < 0)
        fail_msg("%s", err.text);
    struct uuid ns, id;
    char text[UUID_TEXT_SIZE];
    assert_true(site_namespace(site, SPAN("scratch"), SPAN("%j:%u:%H"), &ns));
    assert_int_equal(
        series_id(&ns, SPAN("scratch-OST0001"), SPAN("11317854:17627127:r01c01"), &id),
        0);
    uuid_print(text, &id);
    assert_string_equal(text, "af854063-c381-585f-b551-ce0b6c4440a3");
    assert_true(site_namespace(site, SPAN("scratch"), (struct span){ 0 }, &ns));
    uuid_print(text, &ns);
    assert_string_equal(text, OTHER_NAMESPACE);
    assert_false(site_namespace(site, SPAN("scratch"), SPAN("%e.%u"), &ns));
    assert_false(site_namespace(site, SPAN("home"), SPAN("%j:%u:%H"), &ns));

    size_t cursor = 0, count = 0;
    struct span fs, format;
    while (site_next_namespace(site, &cursor, &fs, &format, &ns))
        count++;
    assert_int_equal(count, 2);
}

static void a_wrong_section_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
    } cases[] = {
        { "[filesystem s]\njobid_name = %q\n", "jobid_name" },
        { "[filesystem s]\nservers = oss[1\n", "servers" },
        { "[filesystem s]\nnamespace = " SEED_NAMESPACE "\n", "namespace" },
        { "[filesystem s]\nnamespace = %e.%u 1234\n", "namespace" },
        { "[filesystem s]\nnamespace = %e.%u " SEED_NAMESPACE "\n"
          "[filesystem t]\nnamespace = %e.%u " SEED_NAMESPACE "\n",
          "filesystem t" },
        { "[filesystem s]\nnamespace = %e.%u " SEED_NAMESPACE "\n"
          "namespace = %e.%u " OTHER_NAMESPACE "\n",
          "twice" },
        { "[filesystem s]\nfsname = x\n[filesystem t]\nfsname = x\n", "test.conf:3: " },
        { "[filesystem s]\n[filesystem t]\nfsname = s\n", "servers" },
        { "[filesystem s]\nfsname = x\nservers = a,b\n[filesystem t]\nfsname = x\n",
          "test.conf:4: " },
        { "[filesystem s]\nfsname = x\nservers = a[1-9]\n"
          "[filesystem t]\nfsname = x\nservers = b,a9\n",
          "servers" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(config_free) struct config *config = NULL;
        AUTO(site_free) struct site *site = NULL;
        struct err err = { 0 };
        int rc = make(cases[i].text, &config, &site, &err);
        if (rc != -EINVAL || site || !strstr(err.text, cases[i].word))
            fail_msg("case %zu: got %d, '%s'", i, rc, err.text);
    }
}

static void a_file_system_is_of_the_clusters_that_it_names(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_free) struct site *site = NULL;
    struct err err = { 0 };
    struct span fs;
    size_t cursor = 0;
    if (make("[filesystem scratch]\ncluster = nova\n"
             "[filesystem work]\ncluster = luna\ncluster = terra\n",
             &config, &site, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(site_names_clusters(site));
    assert_true(site_fs_is_of(site, SPAN("scratch"), SPAN("nova")));
    assert_false(site_fs_is_of(site, SPAN("scratch"), SPAN("luna")));
    assert_true(site_fs_is_of(site, SPAN("scratch"), SPAN("")));
    assert_true(site_fs_is_of(site, SPAN("other"), SPAN("luna")));
    assert_true(site_clusters_meet(site, SPAN("luna"), SPAN("terra")));
    assert_false(site_clusters_meet(site, SPAN("luna"), SPAN("nova")));
    assert_true(site_clusters_meet(site, SPAN("mars"), SPAN("mars")));
    assert_true(site_next_fs_of(site, SPAN("terra"), &cursor, &fs));
    assert_true(span_is(fs, "work"));
    assert_false(site_next_fs_of(site, SPAN("terra"), &cursor, &fs));
}

static void without_a_cluster_named_all_use_all(void **state)
{
    (void)state;
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_free) struct site *site = NULL;
    struct err err = { 0 };
    assert_int_equal(make("[filesystem scratch]\n", &config, &site, &err), 0);
    assert_false(site_names_clusters(site));
    assert_true(site_clusters_meet(site, SPAN("luna"), SPAN("nova")));
    assert_true(site_fs_is_of(site, SPAN("scratch"), SPAN("luna")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_belongs_to_the_instance_its_server_serves),
        cmocka_unit_test(identifiers_are_described_by_the_first_format_that_fits),
        cmocka_unit_test(fields_are_in_their_text_form),
        cmocka_unit_test(the_seeds_series_has_the_seeds_identifier),
        cmocka_unit_test(a_wrong_section_is_refused_by_name),
        cmocka_unit_test(a_file_system_is_of_the_clusters_that_it_names),
        cmocka_unit_test(without_a_cluster_named_all_use_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
