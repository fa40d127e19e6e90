/* SPDX-License-Identifier: Apache-2.0 */
/* test_measure - the names of measures as users write them. */
#include "base/test/testing.h"
#include "client/series/measure.h"

#include <errno.h>

static void every_measure_is_found_by_its_name(void **state)
{
    (void)state;
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        char name[SERIES_MEASURE_NAME_SIZE];
        enum lmt_measure found = LMT_MEASURES;
        series_measure_name(m, name);
        assert_int_equal(series_measure_find(name, &found), 0);
        assert_int_equal(found, m);
    }
}

static void a_name_is_group_and_dataset(void **state)
{
    (void)state;
    char name[SERIES_MEASURE_NAME_SIZE];
    series_measure_name(LMT_READ_BYTES, name);
    assert_string_equal(name, "datatargets/readbytes");
}

static void no_other_name_is_found(void **state)
{
    (void)state;
    static const char *const names[] = { "",
                                         "datatargets",
                                         "datatargets/",
                                         "readbytes",
                                         "datatargets/readbytes ",
                                         "DataTargets/readbytes" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enum lmt_measure found = LMT_MEASURES;
        assert_int_equal(series_measure_find(names[i], &found), -ENOENT);
        assert_int_equal(found, LMT_MEASURES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_measure_is_found_by_its_name),
        cmocka_unit_test(a_name_is_group_and_dataset),
        cmocka_unit_test(no_other_name_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
