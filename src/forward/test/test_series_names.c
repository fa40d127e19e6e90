/* SPDX-License-Identifier: Apache-2.0 */
/* test_series_names - numbers of series, and their names after a restart. */
#include "base/span.h"
#include "base/test/testing.h"
#include "forward/series_names.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SERIES = 5000 };

static char texts[SERIES][32];

static void describe(void *arg, const struct level_series *series,
                     struct series_name *ret)
{
    (void)arg;
    const char *text = (const char *)series;
    *ret = (struct series_name){ span_of(text), SPAN("m") };
    if ((size_t)(text - texts[0]) / sizeof texts[0] % 10 == 3)
        ret->metric = SPAN("unwanted");
}

static bool is_wanted(void *arg, struct span metric)
{
    (void)arg;
    return span_is(metric, "m");
}

static const struct level_series *series_at(size_t i)
{
    return (const struct level_series *)(const void *)texts[i];
}

static size_t file_count(const char *dir)
{
    char pattern[256];
    glob_t found;
    (void)snprintf(pattern, sizeof pattern, "%s/series-*", dir);
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    if (count > 0)
        globfree(&found);
    return count;
}

static struct series_names *open_names(const char *dir)
{
    const struct series_names_opts opts = { .dir = dir,
                                            .describe = describe,
                                            .is_wanted = is_wanted };
    struct series_names *names = NULL;
    assert_int_equal(series_names_new(&opts, &names, NULL), 0);
    return names;
}

/* As loss of power may leave it: longer than what was written. */
static void add_zeros(const char *dir, uint64_t list)
{
    char path[256];
    static const char zeros[64];
    (void)snprintf(path, sizeof path, "%s/series-%020" PRIu64, dir, list);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_int_equal(fwrite(zeros, 1, sizeof zeros, file), sizeof zeros);
    assert_int_equal(fclose(file), 0);
}

static void numbers_name_series_also_after_a_restart(void **state)
{
    (void)state;
    char dir[] = "/tmp/series-names-XXXXXX";
    assert_non_null(mkdtemp(dir));
    struct series_names *names = open_names(dir);
    uint64_t list = series_names_list(names);
    static uint32_t numbers[SERIES];
    struct series_name name;
    for (size_t i = 0; i < SERIES; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "c/host%zu", i);
        assert_int_equal(series_names_number(names, series_at(i), &numbers[i]), 0);
        if (i % 10 == 3)
            assert_true(numbers[i] == SERIES_UNWANTED);
    }
    assert_int_equal(series_names_store(names), 0);
    for (size_t i = 0; i < SERIES; i++) {
        uint32_t again;
        assert_int_equal(series_names_number(names, series_at(i), &again), 0);
        assert_int_equal(again, numbers[i]);
    }
    series_names_free(names);
    add_zeros(dir, list);
    /* Another process: other numbers, the old list beside them. */
    names = open_names(dir);
    assert_true(series_names_list(names) > list);
    assert_int_equal(file_count(dir), 2);
    assert_int_equal(series_names_open(names, list, NULL), 0);
    for (size_t i = 0; i < SERIES; i++) {
        if (i % 10 == 3)
            continue;
        assert_true(series_names_get(names, numbers[i], &name));
        assert_true(span_is(name.path, texts[i]) && span_is(name.metric, "m"));
    }
    assert_false(series_names_get(names, 0, &name));
    assert_true(series_names_get(names, SERIES / 10 * 9, &name));
    assert_false(series_names_get(names, SERIES / 10 * 9 + 1, &name));
    /* The next list is read: the first is done with. */
    assert_int_equal(series_names_open(names, series_names_list(names), NULL), 0);
    assert_int_equal(file_count(dir), 1);
    struct err err = { 0 };
    assert_int_equal(series_names_open(names, list, &err), -ENOENT);
    series_names_forget(names);
    assert_int_equal(file_count(dir), 1);
    series_names_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_name_series_also_after_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
