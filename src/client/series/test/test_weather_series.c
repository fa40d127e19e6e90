/* SPDX-License-Identifier: Apache-2.0 */
/* test_weather_series - which series the weather of a file system is made of. */
#include "client/series/test/series_texts.h"

#include "client/series/weather_series.h"

#include <errno.h>
#include <string.h>

static char paths[2][160];

static void set_open(struct series_set *set)
{
    static const char *const names[] = { "one_scratch", "two_home" };
    const char *all[2];
    for (size_t i = 0; i < 2; i++) {
        mmpmon_write(names[i], 1000, 5);
        (void)snprintf(paths[i], sizeof paths[i], "%s", scratch_path(names[i]));
        all[i] = paths[i];
    }
    assert_int_equal(series_set_open(set, all, 2, NULL, NULL, NULL), 0);
}

static void site_open(struct site_file **ret)
{
    text_write("site.conf", "[filesystem scratch]\nseries = *_scratch\nfabric = ib\n"
                            "[filesystem home]\nseries = *_home\nfabric = ib\n"
                            "[filesystem far]\nseries = *_far\nfabric = other\n");
    assert_int_equal(site_file_open(scratch_path("site.conf"), ret, NULL), 0);
}

static void a_name_must_be_known(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    AUTO(series_set_done) struct series_set set = { 0 };
    struct weather_series series = { .fs = "untouched" };
    struct err err = { 0 };
    set_open(&set);
    site_open(&site);
    assert_int_equal(weather_series_init(&series, &set, site, "nope", &err), -EINVAL);
    assert_non_null(strstr(err.text, "has no 'nope'"));
    assert_int_equal(weather_series_init(&series, &set, NULL, "scratch", &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "--site, or a barod"));
    assert_string_equal(series.fs, "untouched");
    assert_int_equal(weather_series_init(&series, &set, NULL, NULL, NULL), 0);
    assert_null(series.of);
}

static void a_file_system_gets_its_files(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    AUTO(series_set_done) struct series_set set = { 0 };
    struct lmt_series **found = NULL;
    static const struct {
        const char *name;
        size_t count;
    } cases[] = { { NULL, 2 }, { "scratch", 1 }, { "far", 0 } };
    set_open(&set);
    site_open(&site);
    assert_int_equal(series_set_assign(&set, site, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct weather_series series;
        size_t count = 99;
        assert_int_equal(weather_series_init(&series, &set, site, cases[i].name, NULL),
                         0);
        assert_int_equal(weather_series_get(&series, 1000, 1020, &found, &count, NULL),
                         0);
        assert_int_equal(count, cases[i].count);
    }
}

/* Of scratch both on its fabric, itself included; far shares its own with none. */
static void fabrics_are_those_that_are_shared(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    AUTO(series_set_done) struct series_set set = { 0 };
    static const struct {
        const char *name;
        size_t count;
    } cases[] = { { NULL, 2 }, { "scratch", 2 }, { "far", 1 } };
    set_open(&set);
    site_open(&site);
    assert_int_equal(series_set_assign(&set, site, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct weather_series series;
        struct fabric_filesystem *found = NULL;
        size_t count = 99;
        assert_int_equal(weather_series_init(&series, &set, site, cases[i].name, NULL),
                         0);
        assert_int_equal(
            weather_series_fabrics(&series, site, 1000, 1020, &found, &count, NULL), 0);
        if (count != cases[i].count)
            fail_msg("%zu: %zu", i, count);
        for (size_t k = 0; k < count; k++)
            fabric_done(&found[k].traffic);
        free(found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_must_be_known),
        cmocka_unit_test(a_file_system_gets_its_files),
        cmocka_unit_test(fabrics_are_those_that_are_shared),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
