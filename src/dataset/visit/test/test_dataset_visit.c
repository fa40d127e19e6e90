/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_visit - directories as their user reaches them, those of a root, and
 * programs of a site. */
#include "base/span.h"
#include "base/test/testing.h"
#include "dataset/visit/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int opens(const char *path, const struct visit_user *user)
{
    int fd = visit_directory_open(path, user);
    if (fd >= 0)
        (void)close(fd);
    return fd < 0 ? fd : 0;
}

/* Of a process that is root: what only a group may enter. */
static void a_user_has_its_groups(void **state)
{
    struct visit_user user = { .uid = 4001, .gid = 4001, .groups = "4001.4003.4002" };
    const gid_t own[] = { 0, 4 };
    gid_t groups[8];
    char top[] = "/tmp/baro-visit.XXXXXX", path[64];
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_non_null(mkdtemp(top));
    assert_int_equal(chmod(top, 0750), 0);
    assert_int_equal(chown(top, 0, 4002), 0);
    (void)snprintf(path, sizeof path, "%s/inside", top);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(setgroups(COUNT_OF(own), own), 0);
    assert_int_equal(opens(path, &user), 0);
    (void)snprintf(user.groups, sizeof user.groups, "4001");
    assert_int_equal(opens(path, &user), -EACCES);
    assert_int_equal(opens(path, NULL), 0);
    assert_int_equal(getgroups(COUNT_OF(groups), groups), COUNT_OF(own));
    assert_int_equal(groups[1], own[1]);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(top), 0);
}

static void links_of_proc_lead_nowhere(void **state)
{
    (void)state;
    assert_int_equal(opens("/proc/self/cwd", NULL), -ELOOP);
    assert_int_equal(opens("/proc/self/root/tmp", NULL), -ELOOP);
    assert_int_equal(opens("/proc/self", NULL), 0);
}

static void nothing_is_made_in_what_is_bound(void **state)
{
    struct stat top, dev;
    (void)state;
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_true(root >= 0);
    assert_int_equal(fstat(root, &top), 0);
    assert_int_equal(stat("/dev", &dev), 0);
    if (top.st_dev != dev.st_dev) {
        assert_int_equal(root_path_open(root, "/dev/baro-visit/none", true), -EXDEV);
        assert_int_equal(stat("/dev/baro-visit", &dev), -1);
    }
    assert_int_equal(root_path_open(root, "/dev/../tmp", false), -EINVAL);
    (void)close(root);
}

static void file_make(const char *top, const char *name, mode_t mode)
{
    char path[96];
    (void)snprintf(path, sizeof path, "%s/%s", top, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, mode), 0);
    (void)close(fd);
}

/* By their names; what is put aside is none, and what others can write an error. */
static void hooks_are_programs_of_root(void **state)
{
    AUTO(visit_hooks_close) struct visit_hooks hooks = { 0 };
    char top[] = "/tmp/baro-visit.XXXXXX", command[64];
    struct err err;
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_non_null(mkdtemp(top));
    file_make(top, "20-two", 0755);
    file_make(top, "10-one", 0755);
    file_make(top, "30-aside", 0644);
    file_make(top, "README", 0666);
    file_make(top, "40-three.bak", 0755);
    (void)snprintf(command, sizeof command, "%s/old", top);
    assert_int_equal(mkdir(command, 0777), 0);
    assert_int_equal(visit_hooks_open(top, &hooks, &err), 0);
    assert_int_equal(hooks.count, 2);
    assert_string_equal(hooks.hooks[0].name, "10-one");
    visit_hooks_close(&hooks);
    file_make(top, "50-all", 0777);
    assert_int_equal(visit_hooks_open(top, &hooks, &err), -EPERM);
    static const char *const names[] = { "20-two", "10-one",       "30-aside",
                                         "README", "40-three.bak", "50-all" };
    assert_int_equal(rmdir(command), 0);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)snprintf(command, sizeof command, "%s/%s", top, names[i]);
        assert_int_equal(unlink(command), 0);
    }
    assert_int_equal(rmdir(top), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_has_its_groups),
        cmocka_unit_test(links_of_proc_lead_nowhere),
        cmocka_unit_test(nothing_is_made_in_what_is_bound),
        cmocka_unit_test(hooks_are_programs_of_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
