/* SPDX-License-Identifier: Apache-2.0 */
/* test_service_user - as whom a check is made. */
#include "daemon/service_user.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <pwd.h>
#include <stdbool.h>
#include <string.h>

static void root_checks_as_the_user_that_is_named(void **state)
{
    static const struct {
        const char *name, *config, *user;
        uid_t uid;
        int want;
        const char *as, *error;
    } cases[] = {
        { "root names a user", NULL, "nobody", 0, 0, "nobody", NULL },
        { "root names root", NULL, "root", 0, 0, NULL, NULL },
        { "nobody is there by that name", NULL, "no such user", 0, -EINVAL, NULL,
          "there is no user" },
        { "a user names another", NULL, "root", 12345, -EINVAL, NULL, "only root" },
        { "a user checks a file of theirs", "/home/x/barod.conf", NULL, 12345, 0, NULL,
          NULL },
        { "root checks a file elsewhere", "/root/try.conf", NULL, 0, 0, NULL, NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct service_user user;
        struct err err = { 0 };
        int rc = service_user_find(cases[i].config, cases[i].user, cases[i].uid, &user,
                                   &err);
        const char *as = rc == 0 ? service_user_name(&user) : NULL;
        bool is_as = cases[i].as ? as && strcmp(as, cases[i].as) == 0 : !as;
        if (rc != cases[i].want || !is_as ||
            (cases[i].error && !strstr(err.text, cases[i].error)))
            fail_msg("%s: %d, %s, %s", cases[i].name, rc, as ? as : "-", err.text);
    }
}

static void the_installed_file_is_checked_as_the_service_where_it_has_a_user(
    void **state)
{
    (void)state;
    static const char *const configs[] = { NULL, "/etc/barograph/barod.conf" };
    bool has_user = getpwnam("barograph") != NULL;
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        struct service_user user;
        assert_int_equal(service_user_find(configs[i], NULL, 0, &user, NULL), 0);
        assert_int_equal(service_user_name(&user) != NULL, has_user);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_checks_as_the_user_that_is_named),
        cmocka_unit_test(
            the_installed_file_is_checked_as_the_service_where_it_has_a_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
