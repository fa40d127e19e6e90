/* SPDX-License-Identifier: Apache-2.0 */
/* test_spank_datasets - the list of a step's datasets as text. */
#include "base/span.h"
#include "base/test/testing.h"
#include "dataset/spank/datasets.h"

#include <string.h>

static void lists_are_read_and_printed(void **state)
{
    static const struct {
        const char *text, *printed; /* NULL: it is none */
    } rows[] = {
        { "a:v1", "a:v1" },
        { "a:v1,b:/opt", "a:v1,b:/opt" },
        { "a,b,a", "a,b" },
        { "none", "none" },
        { "", "none" },
        { "a,none", "none" },
        { "none,a", "a" },
        { "a,none,b,none,c", "c" },
        { "nonesuch", "nonesuch" },
        { "a,", NULL },
        { ",", NULL },
        { "a b", NULL },
        { "a\nb", NULL },
        { ":/opt", NULL },
    };
    char out[DATASETS_TEXT_SIZE];
    struct datasets datasets;
    struct err err;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int rc = datasets_parse(span_of(rows[i].text), &datasets, &err);
        assert_int_equal(rc, rows[i].printed ? 0 : -EINVAL);
        if (rc < 0)
            continue;
        datasets_print(&datasets, out);
        assert_string_equal(out, rows[i].printed);
    }
}

static void options_are_one_list(void **state)
{
    struct datasets datasets = { 0 };
    char out[DATASETS_TEXT_SIZE];
    (void)state;
    assert_int_equal(datasets_add(&datasets, span_of("a"), NULL), 0);
    assert_int_equal(datasets_add(&datasets, span_of("b,c"), NULL), 0);
    datasets_print(&datasets, out);
    assert_string_equal(out, "a,b,c");
    assert_int_equal(datasets_add(&datasets, span_of("none"), NULL), 0);
    datasets_print(&datasets, out);
    assert_string_equal(out, "none");
}

static void lists_have_bounds(void **state)
{
    struct datasets datasets = { 0 };
    char word[DATASETS_TEXT_SIZE], out[DATASETS_TEXT_SIZE];
    (void)state;
    for (char c = 'A'; datasets.count < VISIT_DATASETS_MAX; c++)
        assert_int_equal(datasets_add(&datasets, (struct span){ &c, 1 }, NULL), 0);
    assert_int_equal(datasets_add(&datasets, span_of("a"), NULL), -E2BIG);
    assert_int_equal(datasets_add(&datasets, span_of("A"), NULL), 0);
    memset(word, 'x', sizeof word);
    assert_int_equal(
        datasets_parse((struct span){ word, sizeof word - 1 }, &datasets, NULL), 0);
    datasets_print(&datasets, out);
    assert_int_equal(strlen(out), sizeof word - 1);
    assert_int_equal(datasets_add(&datasets, span_of("a"), NULL), -ENAMETOOLONG);
    assert_int_equal(
        datasets_parse((struct span){ word, sizeof word }, &datasets, NULL),
        -ENAMETOOLONG);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_and_printed),
        cmocka_unit_test(options_are_one_list),
        cmocka_unit_test(lists_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
