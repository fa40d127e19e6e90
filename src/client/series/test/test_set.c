/* SPDX-License-Identifier: Apache-2.0 */
/* test_set - many files, few of them open: which ones a window gets. */
#include "client/series/test/series_texts.h"

#include "client/series/set.h"

#include <errno.h>
#include <string.h>

#define DAYS 12
#define DAY_S 1000

/* Twelve files of 5 observations each, at 0, 1000, 2000 ... */
static int days_make(void **state)
{
    if (scratch_make(state) < 0)
        return -1;
    for (int i = 0; i < DAYS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "day%02d_%s", i, i % 2 ? "home" : "scratch");
        mmpmon_write(name, DAY_S * (int64_t)(i + 1), 5);
    }
    return 0;
}

static char names[DAYS][160];

static void set_open(struct series_set *set)
{
    const char *paths[DAYS];
    for (int i = 0; i < DAYS; i++) {
        (void)snprintf(names[i], sizeof names[i], "%s/day%02d_%s", scratch, i,
                       i % 2 ? "home" : "scratch");
        paths[i] = names[i];
    }
    assert_int_equal(series_set_open(set, paths, DAYS, NULL, NULL, NULL), 0);
}

static size_t open_count(const struct series_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        count += set->files[i].series != NULL;
    return count;
}

static void a_window_gets_the_files_of_its_time(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t from_s, to_s;
        size_t count;
    } cases[] = {
        { "one day", 1005, 1010, 1 },
        { "two days", 1010, 2010, 2 },
        { "between days", 1500, 1600, 0 },
        { "before all", 0, 900, 0 },
        { "all", 0, 100000, DAYS },
        { "a step after its end it is still asked", 990, 996, 1 },
    };
    AUTO(series_set_done) struct series_set set = { 0 };
    set_open(&set);
    assert_int_equal(open_count(&set), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct series_request request = { .from_s = cases[i].from_s,
                                                .to_s = cases[i].to_s };
        struct lmt_series **series = NULL;
        size_t count = 99;
        assert_int_equal(series_set_get(&set, &request, &series, &count, NULL, NULL),
                         0);
        if (count != cases[i].count)
            fail_msg("%s: %zu files", cases[i].name, count);
    }
}

static void few_stay_open(void **state)
{
    (void)state;
    AUTO(series_set_done) struct series_set set = { 0 };
    struct lmt_series **series = NULL;
    size_t count = 0;
    set_open(&set);
    for (int64_t day = 1; day <= DAYS; day++) {
        const struct series_request request = { .from_s = day * DAY_S,
                                                .to_s = day * DAY_S + 20 };
        assert_int_equal(series_set_get(&set, &request, &series, &count, NULL, NULL),
                         0);
        assert_int_equal(count, 1);
        assert_true(open_count(&set) <= SERIES_SET_OPEN_MAX);
        assert_int_equal(set.open_count, open_count(&set));
    }
    /* The first were not used for longest. */
    assert_null(set.files[0].series);
    assert_non_null(set.files[DAYS - 1].series);
    /* What one window needs is open, however many they are. */
    const struct series_request all = { .from_s = 0, .to_s = 100000 };
    assert_int_equal(series_set_get(&set, &all, &series, &count, NULL, NULL), 0);
    assert_int_equal(count, DAYS);
    assert_int_equal(open_count(&set), DAYS);
}

static void a_scope_chooses_by_file_system(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    AUTO(series_set_done) struct series_set set = { 0 };
    struct lmt_series **series = NULL;
    size_t count = 0;
    text_write("site.conf", "[filesystem scratch]\nseries = *_scratch\n"
                            "[filesystem other]\nseries = *_other\n");
    assert_int_equal(site_file_open(scratch_path("site.conf"), &site, NULL), 0);
    set_open(&set);
    assert_int_equal(series_set_assign(&set, site, NULL), 0);
    assert_null(series_set_zone(&set));
    const struct site_filesystem *scratch_fs = site_file_named(site, "scratch");
    const struct site_filesystem *other = site_file_named(site, "other");
    const struct {
        const char *name;
        enum series_scope scope;
        const struct site_filesystem *of;
        size_t count;
    } cases[] = {
        { "all", SERIES_SCOPE_ALL, scratch_fs, DAYS },
        { "its own and those of none", SERIES_SCOPE_OWN, scratch_fs, DAYS },
        { "those of none alone", SERIES_SCOPE_OWN, other, DAYS / 2 },
        { "only its own", SERIES_SCOPE_ONLY, scratch_fs, DAYS / 2 },
        { "none is its own", SERIES_SCOPE_ONLY, other, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct series_request request = {
            .from_s = 0, .to_s = 100000, .scope = cases[i].scope, .owner = cases[i].of
        };
        assert_int_equal(series_set_get(&set, &request, &series, &count, NULL, NULL),
                         0);
        if (count != cases[i].count)
            fail_msg("%s: %zu files", cases[i].name, count);
    }
}

static void a_zone_of_the_site_must_exist(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    AUTO(series_set_done) struct series_set set = { 0 };
    struct err err = { 0 };
    text_write("site.conf", "[site]\nzone = Nowhere\n");
    assert_int_equal(site_file_open(scratch_path("site.conf"), &site, NULL), 0);
    set_open(&set);
    assert_int_equal(series_set_assign(&set, site, &err), -EINVAL);
    assert_non_null(strstr(err.text, "[site] zone"));
    assert_null(series_set_zone(&set));
}

static void names_and_reference_are_of_the_last_request(void **state)
{
    (void)state;
    AUTO(series_set_done) struct series_set set = { 0 };
    AUTO(strbuf_done) struct strbuf used = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf reference = STRBUF_INIT;
    struct lmt_series **series = NULL;
    size_t count = 0;
    const struct series_request all = { .from_s = 0, .to_s = 100000 };
    const struct series_request one = { .from_s = 2005, .to_s = 2010 };
    set_open(&set);
    assert_int_equal(series_set_get(&set, &all, &series, &count, NULL, NULL), 0);
    assert_int_equal(series_set_get(&set, &one, &series, &count, &used, NULL), 0);
    assert_string_equal(strbuf_text(&used), names[1]);
    series_set_reference_print(&set, &reference);
    assert_non_null(strstr(strbuf_text(&reference), "day01_home"));
    assert_null(strstr(strbuf_text(&reference), "day00"));
    assert_null(strstr(strbuf_text(&reference), "day02"));
}

static void a_file_that_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    AUTO(series_set_done) struct series_set set = { 0 };
    const char *paths[] = { scratch_path("not-there") };
    const struct series_opts way = { .zone = "Nowhere" };
    struct err err = { 0 };
    assert_int_equal(series_set_open(&set, paths, 1, NULL, NULL, &err), -ENOENT);
    assert_non_null(strstr(err.text, "not-there"));
    series_set_done(&set);
    assert_int_equal(series_set_open(&set, paths, 1, &way, NULL, &err), -EINVAL);
    assert_non_null(strstr(err.text, "--zone"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_gets_the_files_of_its_time),
        cmocka_unit_test(few_stay_open),
        cmocka_unit_test(a_scope_chooses_by_file_system),
        cmocka_unit_test(a_zone_of_the_site_must_exist),
        cmocka_unit_test(names_and_reference_are_of_the_last_request),
        cmocka_unit_test(a_file_that_cannot_be_opened_is_an_error),
    };
    return cmocka_run_group_tests(tests, days_make, scratch_remove);
}
