/* SPDX-License-Identifier: Apache-2.0 */
/* test_joined_table - the row of a second table that was right at a time. */
#include "analysis/table/joined_table.h"

#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <unistd.h>

static char path[] = "/tmp/test_joined_table.XXXXXX";

static void file_write(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static const struct table_join by_time = { .name = "w",
                                           .path = path,
                                           .key = "fs",
                                           .key_column = "fs",
                                           .time = "t",
                                           .time_column = "t",
                                           .within_ns = 100 * NS_PER_S };

/* What is in the column; NAN: there is no row. */
static double found(const struct joined_table *t, const char *key, int64_t t_s,
                    const char *column)
{
    size_t row = 0;
    if (!joined_table_find(t, span_of(key), t_s * NS_PER_S, &row))
        return -1;
    struct value v =
        joined_table_value(t, row, joined_table_column(t, span_of(column)));
    return value_as_number(&v);
}

static void the_last_row_of_the_key_at_or_before_counts(void **state)
{
    (void)state;
    AUTO(joined_table_free) struct joined_table *t = NULL;
    struct err err = { 0 };
    file_write("t,fs,load\n1000,a,1\n1300,a,4\n1100,a,2\n1050,b,7\n1100,a,3\n");
    assert_int_equal(joined_table_load(&by_time, &t, &err), 0);
    assert_true(found(t, "a", 999, "load") == -1);
    assert_true(found(t, "a", 1000, "load") == 1);
    assert_true(found(t, "a", 1099, "load") == 1);
    assert_true(found(t, "a", 1100, "load") == 3); /* of equal times the later row */
    assert_true(found(t, "a", 1200, "load") == 3);
    assert_true(found(t, "a", 1201, "load") == -1); /* too old */
    assert_true(found(t, "a", 9000, "load") == -1);
    assert_true(found(t, "b", 1060, "load") == 7);
    assert_true(found(t, "", 1060, "load") == -1);
    assert_true(found(t, "ab", 1060, "load") == -1);
    assert_int_equal(joined_table_column(t, SPAN("lode")), -1);
}

static void without_times_a_key_is_there_once(void **state)
{
    (void)state;
    AUTO(joined_table_free) struct joined_table *t = NULL;
    struct table_join join = by_time;
    struct err err = { 0 };
    join.time_column = NULL;
    file_write("fs,peak\na,10\nb,20\n");
    assert_int_equal(joined_table_load(&join, &t, &err), 0);
    assert_true(found(t, "b", 0, "peak") == 20);
    assert_true(found(t, "b", INT32_MAX, "peak") == 20);
    assert_true(found(t, "c", 0, "peak") == -1);
    file_write("fs,peak\na,10\nb,20\na,30\n");
    AUTO(joined_table_free) struct joined_table *twice = NULL;
    assert_int_equal(joined_table_load(&join, &twice, &err), -EINVAL);
    assert_non_null(strstr(err.text, ":4: 'a' is there twice"));
}

static void what_cannot_be_joined_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        { "t,system,load\n1,a,1\n", "has no column 'fs'" },
        { "t,fs,load\n1,a,1\nsoon,a,2\n", ":3: t: 'soon'" },
        { "t,fs,load\n1,a\n", ":2: has 2 fields, not 3" },
        { "", "the file is empty" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(joined_table_free) struct joined_table *t = NULL;
        struct err err = { 0 };
        file_write(cases[i].text);
        assert_true(joined_table_load(&by_time, &t, &err) < 0);
        if (!strstr(err.text, cases[i].error))
            fail_msg("'%s' is not in '%s'", cases[i].error, err.text);
        assert_null(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_row_of_the_key_at_or_before_counts),
        cmocka_unit_test(without_times_a_key_is_there_once),
        cmocka_unit_test(what_cannot_be_joined_is_refused_with_its_line),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return EXIT_FAILURE;
    (void)close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return failed;
}
