/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_dirs - patterns, days, and names of logs. */
#include "analysis/log_dirs/log_dirs.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <string.h>

static void a_day_has_the_directories_that_darshan_makes(void **state)
{
    static const struct {
        const char *pattern;
        int64_t t_s;
        size_t count;
        const char *first, *second;
    } cases[] = {
        { "/d/%Y/%m/%d", 1669010520, 1, "/d/2022/11/21", NULL },
        { "/d/%Y/%m/%d", 1675209600, 2, "/d/2023/2/1", "/d/2023/02/01" },
        { "/d/%Y", 1675209600, 1, "/d/2023", NULL },
        { "/logs", 1675209600, 1, "/logs", NULL },
        { "/100%%/%d", 1675209600, 2, "/100%/1", "/100%/01" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AUTO(strbuf_done) struct strbuf paths = STRBUF_INIT;
        assert_int_equal(log_dirs_of_day(cases[i].pattern, cases[i].t_s, &paths),
                         cases[i].count);
        assert_string_equal(paths.data, cases[i].first);
        if (cases[i].second)
            assert_string_equal(paths.data + strlen(paths.data) + 1, cases[i].second);
    }
}

static void a_name_has_the_whole_id(void **state)
{
    static const struct {
        const char *file, *id;
        bool is_named;
    } cases[] = {
        { "ann_a.out_id4711_11-8-64415-69361_1.darshan", "4711", true },
        { "ann_a.out_id4711-202103_11-8-64415-69361_1.darshan", "4711", true },
        { "ann_a.out_id47110_11-8-64415-69361_1.darshan", "4711", false },
        { "ann_a.out_id14711_11-8-64415-69361_1.darshan", "4711", false },
        { "ann_id4711_id12_11-8-1-2_1.darshan", "12", true },
        { "ann_id12_id4711_11-8-1-2_1.darshan", "12", true }, /* its header tells */
        { "ann_a.out_id4711_1.darshan_partial", "4711", false },
        { "_id", "4711", false },
        { "x_id4711", "4711", false },
        { "ann_a.out_id4711_1.darshan", "", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (log_dirs_is_named(span_of(cases[i].file), span_of(cases[i].id)) !=
            cases[i].is_named)
            fail_msg("%s", cases[i].file);
}

static int dirs_of(const char *text, struct log_dirs **ret, struct err *err)
{
    AUTO(config_free) struct config *config = NULL;
    int rc = config_parse("test.conf", span_of(text), &darshan_config_section, 1,
                          &config, err);
    return rc < 0 ? rc : log_dirs_new(config, ret, err);
}

static void a_pattern_is_checked(void **state)
{
    static const char *const bad[] = {
        "[darshan]\ndirectory = logs/%Y\n", "[darshan]\ndirectory = /logs/%H\n",
        "[darshan]\ndirectory = /logs/%\n", "[darshan]\nfiles_max = 0\n",
        "[darshan]\ntime_max = 1\n",
    };
    AUTO(log_dirs_free) struct log_dirs *dirs = NULL;
    struct err err = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (dirs_of(bad[i], &dirs, &err) != -EINVAL)
            fail_msg("%s", bad[i]);
        assert_null(dirs);
    }
    assert_int_equal(dirs_of("[darshan]\nfiles_max = 7\n", &dirs, &err), 0);
    assert_null(dirs);
    assert_int_equal(dirs_of("[darshan]\ndirectory = /l/%Y/%m/%d\n", &dirs, &err), 0);
    assert_non_null(dirs);
    const struct log_query without_owner = { .id = SPAN("1") };
    struct found_log found = { .path = STRBUF_INIT, .bytes = STRBUF_INIT };
    assert_int_equal(log_dirs_find(dirs, &without_owner, &found, &err), -ENOENT);
    const struct log_query query = { .id = SPAN("1"), .uid = SPAN("0") };
    err = (struct err){ 0 };
    assert_int_equal(log_dirs_find(dirs, &query, &found, &err), -ENOENT);
    assert_string_equal(err.text, "no log has its id");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_day_has_the_directories_that_darshan_makes),
        cmocka_unit_test(a_name_has_the_whole_id),
        cmocka_unit_test(a_pattern_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
