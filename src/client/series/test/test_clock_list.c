/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock_list - which offset is added to the times of a source. */
#include "base/cleanup.h"
#include "base/test/scratch.h"
#include "client/series/clock_list.h"

#include <errno.h>
#include <string.h>

static struct option_list list_of(const char **items, size_t count)
{
    return (struct option_list){ items, count };
}

static void offsets_are_whole_seconds_of_a_week_at_most(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_good;
    } cases[] = {
        { "series=-30s", true },    { "series=+2m", true },
        { "series=30s", true },     { "jobs=0s", true },
        { "a=b=1s", true },         { "series=7d", true },
        { "series=-7d", true },     { "series=604801s", false },
        { "series=1500ms", false }, { "series=1000ms", true },
        { "series=", false },       { "series", false },
        { "=3s", false },           { "series=3", false },
        { "series=--3s", false },   { "series=-+3s", false },
        { "series= 3s", false },    { "", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *items[] = { cases[i].text };
        const struct option_list list = list_of(items, 1);
        struct err err = { 0 };
        int rc = clock_list_check(&list, &err);
        if ((rc == 0) != cases[i].is_good)
            fail_msg("%s: %d", cases[i].text, rc);
        if (rc < 0 && !strstr(err.text, cases[i].text))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

static void the_last_that_fits_counts(void **state)
{
    (void)state;
    const char *items[] = { "series=-30s", "health=5s", "day_*.hdf5=2m", "series=1s",
                            "day_2.hdf5=-3s" };
    const struct option_list list = list_of(items, COUNT_OF(items));
    static const struct {
        const char *kind, *path;
        int64_t offset_s;
    } cases[] = {
        { "series", NULL, 1 },
        { "series", "/lmt/other.hdf5", 1 },
        { "series", "/lmt/day_1.hdf5", 1 }, /* "series" comes after its own */
        { "series", "/lmt/day_2.hdf5", -3 },
        { "series", "/day_2.hdf5/x", 1 }, /* names of files, not of directories */
        { "health", NULL, 5 },
        { "jobs", NULL, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(clock_list_offset(&list, cases[i].kind, cases[i].path),
                         cases[i].offset_s);
}

static void site_make(const char *text, struct site_file **ret)
{
    const char *path = scratch_path("site.conf");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(site_file_open(path, ret, NULL), 0);
}

static void an_option_replaces_the_same_source_of_the_site(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    AUTO(clock_list_done) struct clock_list list = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const char *items[] = { "series=9s" };
    const struct option_list given = list_of(items, 1);
    site_make("[clock series]\noffset = -3s\n[clock jobs]\noffset = 2m\n", &site);
    assert_int_equal(clock_list_join(site, &given, &list, NULL), 0);
    assert_int_equal(clock_list_offset(&list.all, "series", NULL), 9);
    assert_int_equal(clock_list_offset(&list.all, "jobs", NULL), 120);
    clock_list_print(&list, &out);
    assert_string_equal(strbuf_text(&out), "jobs=2m, series=9s");
}

static void without_a_site_there_is_what_was_given(void **state)
{
    (void)state;
    AUTO(clock_list_done) struct clock_list list = { 0 };
    const struct option_list none = { 0 };
    assert_int_equal(clock_list_join(NULL, &none, &list, NULL), 0);
    assert_int_equal(list.all.count, 0);
    assert_int_equal(clock_list_offset(&list.all, "series", "x"), 0);
}

static void a_bad_offset_of_the_site_is_named(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    AUTO(clock_list_done) struct clock_list list = { 0 };
    const struct option_list none = { 0 };
    struct err err = { 0 };
    site_make("[clock series]\noffset = soon\n", &site);
    assert_int_equal(clock_list_join(site, &none, &list, &err), -EINVAL);
    assert_non_null(strstr(err.text, "[clock series]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_whole_seconds_of_a_week_at_most),
        cmocka_unit_test(the_last_that_fits_counts),
        cmocka_unit_test(an_option_replaces_the_same_source_of_the_site),
        cmocka_unit_test(without_a_site_there_is_what_was_given),
        cmocka_unit_test(a_bad_offset_of_the_site_is_named),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
