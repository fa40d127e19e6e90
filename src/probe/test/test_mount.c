/* SPDX-License-Identifier: Apache-2.0 */
/* test_mount - where a file system begins, and that two do not lock it at once. */
#include "probe/mount.h"

#include "base/file.h"

#include "base/test/scratch.h"

#include <limits.h>
#include <sys/stat.h>

static void a_mount_point_is_the_topmost_directory_of_its_device(void **state)
{
    char mount[PATH_MAX], above[PATH_MAX + 4];
    struct stat dir, top, parent;
    const char *deep = scratch_path("a/b/c");
    (void)state;
    assert_int_equal(file_make_dirs(deep, 0755, NULL), 0);
    assert_int_equal(mount_find(deep, mount, sizeof mount, NULL), 0);
    (void)snprintf(above, sizeof above, "%s/..", mount);
    assert_int_equal(stat(deep, &dir) | stat(mount, &top) | stat(above, &parent), 0);
    assert_true(top.st_dev == dir.st_dev);
    /* The root is its own parent. */
    assert_true(parent.st_dev != top.st_dev || parent.st_ino == top.st_ino);
    assert_int_equal(mount_find("/proc/self", mount, sizeof mount, NULL), 0);
    assert_string_equal(mount, "/proc");
    assert_int_equal(mount_find(scratch_path("no"), mount, sizeof mount, NULL),
                     -ENOENT);
    assert_int_equal(mount_find("/proc/self", mount, 3, NULL), -ENAMETOOLONG);
}

static void one_holds_the_lock(void **state)
{
    AUTO_CLOSE int first = -1;
    AUTO_CLOSE int second = -1;
    struct err err = { 0 };
    const char *path = scratch_path("lock");
    (void)state;
    assert_int_equal(mount_lock(path, "/", &first, &err), 0);
    assert_int_equal(mount_lock(path, "/", &second, &err), -EBUSY);
    assert_int_equal(second, -1);
    assert_non_null(strstr(err.text, "another baro-abc runs on this file system"));
    (void)close(first);
    first = -1;
    assert_int_equal(mount_lock(path, "/", &second, &err), 0);
}

static void a_directory_is_locked_without_a_file_in_it(void **state)
{
    AUTO_CLOSE int fd = -1;
    const char *dir = scratch_path("directory");
    (void)state;
    assert_int_equal(file_make_dirs(dir, 0555, NULL), 0);
    assert_int_equal(mount_lock(dir, "/", &fd, NULL), 0);
    assert_int_equal(rmdir(dir), 0); /* it is empty */
}

static void a_lock_that_cannot_be_made_is_an_error(void **state)
{
    int fd = -1;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(mount_lock(scratch_path("no/lock"), "/", &fd, &err), -ENOENT);
    assert_int_equal(mount_lock(NULL, scratch_path("no"), &fd, &err), -ENOENT);
    assert_int_equal(fd, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mount_point_is_the_topmost_directory_of_its_device),
        cmocka_unit_test(one_holds_the_lock),
        cmocka_unit_test(a_directory_is_locked_without_a_file_in_it),
        cmocka_unit_test(a_lock_that_cannot_be_made_is_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
