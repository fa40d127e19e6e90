/* SPDX-License-Identifier: Apache-2.0 */
/* test_helper - where a helper is looked for. */
#include "base/system/helper.h"
#include "base/test/testing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void an_installed_helper_is_used(void **state)
{
    char path[PATH_MAX] = "";
    (void)state;
    assert_string_equal(helper_find("/bin/sh", path), "/bin/sh");
}

static void without_it_the_one_beside_the_program_is(void **state)
{
    char self[PATH_MAX] = "", installed[PATH_MAX], path[PATH_MAX];
    (void)state;
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    const char *name = strrchr(self, '/');
    (void)snprintf(installed, sizeof installed, "/nonexistent%.200s", name);
    assert_string_equal(helper_find(installed, path), self);
}

static void where_there_is_none_the_installed_path_is_named(void **state)
{
    char path[PATH_MAX];
    (void)state;
    assert_string_equal(helper_find("/nonexistent/baro-none", path),
                        "/nonexistent/baro-none");
    assert_string_equal(helper_find("baro-none", path), "baro-none");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_installed_helper_is_used),
        cmocka_unit_test(without_it_the_one_beside_the_program_is),
        cmocka_unit_test(where_there_is_none_the_installed_path_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
