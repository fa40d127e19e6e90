/* SPDX-License-Identifier: Apache-2.0 */
/* test_target - the name of a Lustre target, taken apart. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "model/target.h"

#include <errno.h>

static void names_are_taken_apart(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int rc;
        const char *fs;
        enum target_kind kind;
        uint32_t index;
    } cases[] = {
        { "scratch-OST000f", 0, "scratch", TARGET_OST, 15 },
        { "scratch-MDT0000", 0, "scratch", TARGET_MDT, 0 },
        { "scratch-OST0023", 0, "scratch", TARGET_OST, 0x23 },
        { "my-MDT-fs-OST00FF", 0, "my-MDT-fs", TARGET_OST, 255 },
        { "OST0001", 0, "", TARGET_OST, 1 },
        { "-OST0001", -EINVAL, "", 0, 0 },
        { "scratchOST0001", -EINVAL, "", 0, 0 },
        { "scratch-OST001", -EINVAL, "", 0, 0 },
        { "scratch-OST000g", -EINVAL, "", 0, 0 },
        { "scratch-MGS0000", -EINVAL, "", 0, 0 },
        { "scra tch-OST0001", -EINVAL, "", 0, 0 },
        { "a/b-OST0001", -EINVAL, "", 0, 0 },
        { "", -EINVAL, "", 0, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct target_name name = { 0 };
        int rc = target_parse(span_of(cases[i].name), &name);
        if (rc != cases[i].rc || !span_is(name.fs, cases[i].fs) ||
            name.kind != cases[i].kind || name.index != cases[i].index)
            fail_msg("'%s': got %d", cases[i].name, rc);
    }
}

static void a_name_over_the_limit_is_refused(void **state)
{
    (void)state;
    char name[TARGET_BYTES_MAX + 1];
    memset(name, 'a', sizeof name);
    memcpy(name + sizeof name - 8, "-OST0001", 8);
    struct target_name parts;
    assert_int_equal(target_parse((struct span){ name, sizeof name }, &parts), -EINVAL);
    assert_int_equal(target_parse((struct span){ name + 1, sizeof name - 1 }, &parts),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_taken_apart),
        cmocka_unit_test(a_name_over_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
