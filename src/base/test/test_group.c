/* SPDX-License-Identifier: Apache-2.0 */
/* test_group - a group is found however many members it has. */
#include "base/system/group.h"
#include "base/test/testing.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In place of the C library's, which reads files that only root may write. */
static struct {
    size_t members;
    int rc;
    int calls;
} service;

int getgrnam_r(const char *restrict name, struct group *restrict ret,
               char *restrict buffer, size_t size, struct group **restrict found)
{
    size_t wanted = service.members * (sizeof(char *) + sizeof "user0000");
    service.calls++;
    *found = NULL;
    if (service.rc != 0)
        return service.rc;
    if (strcmp(name, "hpc-admins") != 0)
        return 0;
    if (size < wanted)
        return ERANGE;
    memset(buffer, 'x', wanted); /* as far as it was said to be */
    *ret = (struct group){ .gr_gid = 4711 };
    *found = ret;
    return 0;
}

static void a_group_of_any_size_is_found(void **state)
{
    (void)state;
    static const struct {
        size_t members;
        int calls;
    } cases[] = { { 0, 1 }, { 900, 1 }, { 1500, 2 }, { 100000, 8 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gid_t gid = 0;
        service.members = cases[i].members;
        service.calls = service.rc = 0;
        assert_int_equal(group_find("hpc-admins", &gid), 0);
        assert_int_equal(gid, 4711);
        assert_int_equal(service.calls, cases[i].calls);
    }
}

static void a_failure_is_no_missing_group(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t members;
        int rc, want;
    } cases[] = {
        { "nosuch", 0, 0, -ENOENT },
        { "hpc-admins", 0, ENOENT, -ENOENT },
        { "hpc-admins", 0, ESRCH, -ENOENT },
        { "hpc-admins", 0, EIO, -EIO },
        { "hpc-admins", 0, EMFILE, -EMFILE },
        { "hpc-admins", 100u << 20, 0, -EMSGSIZE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gid_t gid = 7;
        service.members = cases[i].members;
        service.rc = cases[i].rc;
        if (group_find(cases[i].name, &gid) != cases[i].want || gid != 7)
            fail_msg("case %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_of_any_size_is_found),
        cmocka_unit_test(a_failure_is_no_missing_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
