/* SPDX-License-Identifier: Apache-2.0 */
/* test_reads - which files a plugin gets, and which it does not. */
#include "base/file.h"
#include "base/test/testing.h"
#include "plugin/reads.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static char root[] = "/tmp/baro-reads.XXXXXX";

static void tree_file(const char *path, mode_t mode)
{
    char full[PATH_MAX], *slash;
    (void)snprintf(full, sizeof full, "%s%s", root, path);
    slash = strrchr(full, '/');
    *slash = '\0';
    assert_int_equal(file_make_dirs(full, 0755, NULL), 0);
    *slash = '/';
    assert_int_equal(file_replace(full, "x\n", 2, mode, NULL), 0);
    assert_int_equal(chmod(full, mode), 0);
}

static void link_to(const char *target, const char *path)
{
    char full[PATH_MAX];
    (void)snprintf(full, sizeof full, "%s%s", root, path);
    assert_int_equal(symlink(target, full), 0);
}

static int tree_make(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(root));
    tree_file("/proc/loadavg", 0444);
    tree_file("/proc/42/environ", 0444);
    tree_file("/sys/class/hwmon/hwmon0/temp1_input", 0444);
    tree_file("/sys/class/hwmon/hwmon0/temp2_input", 0444);
    tree_file("/sys/class/hwmon/hwmon1/temp1_input", 0444);
    tree_file("/sys/class/secret", 0400);
    tree_file("/etc/passwd", 0444);
    tree_file("/dev/watchdog", 0444);
    link_to("/etc/passwd", "/sys/class/out");
    link_to("../../etc/passwd", "/sys/class/out2");
    char fifo[PATH_MAX];
    (void)snprintf(fifo, sizeof fifo, "%s/sys/class/fifo", root);
    assert_int_equal(mkfifo(fifo, 0644), 0);
    return 0;
}

static void cases_hold(void **state)
{
    static const struct {
        const char *read;
        size_t count, refused;
    } cases[] = {
        { "/proc/loadavg", 1, 0 },
        { "/proc/net/none", 0, 0 },
        { "/sys/class/hwmon/hwmon*/temp*_input", 3, 0 },
        { "/sys/class/secret", 0, 1 },
        { "/sys/class/out", 0, 1 },
        { "/sys/class/out2", 0, 1 },
        { "/sys/class/fifo", 0, 1 },
        { "/sys/class/hwmon", 0, 1 },
        { "/etc/passwd", 0, 1 },
        { "/dev/watchdog", 0, 1 },
        { "/proc/42/environ", 0, 1 },
        { "/*/passwd", 0, 1 },
        { "/sys/class/*/*/*/*", 0, 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct plugin_manifest m = { .read_count = 1 };
        AUTO(reads_close) struct reads reads;
        (void)snprintf(m.reads[0], sizeof m.reads[0], "%s", cases[i].read);
        reads_open(root, &m, reads_default, reads_default_count, &reads);
        if (reads.count != cases[i].count || reads.refused != cases[i].refused)
            fail_msg("%s: %zu, refused %zu: %s", cases[i].read, reads.count,
                     reads.refused, reads.why);
        for (size_t k = 0; k < reads.count; k++)
            assert_int_equal(strncmp(reads.paths[k], root, strlen(root)) == 0, 0);
    }
}

static void a_file_of_this_machine_is_read(void **state)
{
    struct plugin_manifest m = { .read_count = 2 };
    AUTO(reads_close) struct reads reads;
    (void)state;
    (void)snprintf(m.reads[0], sizeof m.reads[0], "/proc/meminfo");
    (void)snprintf(m.reads[1], sizeof m.reads[1], "/proc/net/dev");
    reads_open("", &m, reads_default, reads_default_count, &reads);
    assert_int_equal(reads.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold),
        cmocka_unit_test(a_file_of_this_machine_is_read),
    };
    return cmocka_run_group_tests_name("reads", tests, tree_make, NULL);
}
