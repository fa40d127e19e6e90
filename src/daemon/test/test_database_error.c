/* SPDX-License-Identifier: Apache-2.0 */
/* test_database_error - errors that only barod's side can mend. */
#include "daemon/database_error.h"

#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static void the_sender_is_asked_to_wait_without_details(void **state)
{
    static const struct {
        int rc, want;
        const char *text;
    } cases[] = {
        { -EACCES, -EAGAIN, "does not let barod write" },
        { -EBADMSG, -EAGAIN, "newer" },
        { -EUCLEAN, -EAGAIN, "damaged" },
        { -EAGAIN, -EAGAIN, "details of the database" },
        { -ENOSPC, -ENOSPC, "details of the database" },
        { -EINVAL, -EINVAL, "details of the database" },
        { 0, 0, "details of the database" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = { "details of the database" };
        assert_int_equal(database_error(cases[i].rc, &err), cases[i].want);
        assert_non_null(strstr(err.text, cases[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sender_is_asked_to_wait_without_details),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
