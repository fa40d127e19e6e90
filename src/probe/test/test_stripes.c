/* SPDX-License-Identifier: Apache-2.0 */
/* test_stripes - files on all targets, by a program that says so or not at all. */
#include "probe/stripes.h"

#include "base/test/scratch.h"

static void a_directory_that_is_not_on_lustre_stays_as_it_is(void **state)
{
    char text[STRIPES_BYTES] = "before";
    (void)state;
    assert_int_equal(stripes_set(NULL, scratch_path(""), text, NULL), 0);
    assert_string_equal(text, "");
}

static void the_program_that_is_given_decides(void **state)
{
    static const struct {
        const char *lfs;
        int want;
        const char *text;
    } cases[] = {
        { "true", 0, "-c -1" },
        { "false", -EIO, "" },
        { "/nowhere/lfs", -ENOENT, "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[STRIPES_BYTES] = "before";
        struct err err = { 0 };
        assert_int_equal(stripes_set(cases[i].lfs, scratch, text, &err), cases[i].want);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(err.text[0] != '\0', cases[i].want < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_that_is_not_on_lustre_stays_as_it_is),
        cmocka_unit_test(the_program_that_is_given_decides),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
