/* SPDX-License-Identifier: Apache-2.0 */
/* test_series_name - names and labels of the series of counters of jobs. */
#include "api/jobstats/series_name.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "base/test/testing.h"

static void names_follow_one_rule(void **state)
{
    (void)state;
    static const struct {
        enum series_level level;
        const char *measure, *name;
    } cases[] = {
        { LEVEL_ENTRY, "write_bytes", "jobstats_write_bytes_total" },
        { LEVEL_ENTRY, "open_usecs", "jobstats_open_usecs_total" },
        { LEVEL_JOB, "metadata", "job:jobstats_metadata:rate" },
        { LEVEL_EXECUTABLE, "crossdir_rename",
          "executable:jobstats_crossdir_rename:rate" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[SERIES_NAME_MAX];
        struct measure measure;
        assert_int_equal(measure_parse(span_of(cases[i].measure), &measure, NULL), 0);
        assert_true(
            span_is(series_name_print(text, cases[i].level, &measure), cases[i].name));
    }
}

static void each_name_stands_once_and_is_one_of_the_language(void **state)
{
    (void)state;
    struct hashmap seen = { 0 };
    struct measure measure;
    char text[SERIES_NAME_MAX];
    size_t total = 0;
    for (enum series_level level = 0; level < SERIES_LEVEL_COUNT; level++) {
        size_t count = 0;
        for (; series_measure_at(level, count, &measure); count++) {
            bool is_new = false;
            struct span name = series_name_print(text, level, &measure);
            assert_true(name.size < SERIES_NAME_MAX && metric_name_is_valid(name));
            assert_non_null(hashmap_put(&seen, name, &is_new));
            assert_true(is_new);
        }
        assert_true(count <= SERIES_MEASURES_MAX);
        assert_true(level == LEVEL_ENTRY || count <= MEASURES_MAX);
        total += count;
    }
    assert_int_equal(total, 4 + OP_COUNT + OP_COUNT - 2 +
                                (SERIES_LEVEL_COUNT - 1) * (4 + OP_COUNT));
    hashmap_done(&seen);
}

static void labels_of_a_level_are_sorted(void **state)
{
    (void)state;
    for (enum series_level level = 0; level < SERIES_LEVEL_COUNT; level++) {
        const struct series_level_info *info = &series_levels[level];
        assert_true(info->label_count < SERIES_LABELS_MAX);
        for (size_t i = 0; i < info->label_count; i++) {
            const char *name = series_label_name(info->labels[i]);
            assert_true(series_level_has_label(level, span_of(name)));
            assert_true(i == 0 ||
                        strcmp(series_label_name(info->labels[i - 1]), name) < 0);
        }
        assert_false(series_level_has_label(level, SPAN("hostname")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_follow_one_rule),
        cmocka_unit_test(each_name_stands_once_and_is_one_of_the_language),
        cmocka_unit_test(labels_of_a_level_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
