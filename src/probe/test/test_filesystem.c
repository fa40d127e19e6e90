/* SPDX-License-Identifier: Apache-2.0 */
/* test_filesystem - what the site file has of the file system that is measured. */
#include "probe/filesystem.h"

#include "base/cleanup.h"
#include "base/number.h"

#include "base/test/scratch.h"

#include <errno.h>
#include <string.h>

/* A site file whose "SCRATCH" is this test's directory. */
static const char *write_site(const char *text)
{
    const char *path = scratch_path("site.conf");
    const char *mark = strstr(text, "SCRATCH");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "%.*s%s%s", (int)(mark - text), text, scratch,
                        mark + strlen("SCRATCH")) > 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

#define TWO                                           \
    "[filesystem deep]\npath = SCRATCH\npeak = 2GB\n" \
    "[filesystem root]\npath = /\npeak = 1GB\n[probes]\n"

static void a_directory_is_below_the_longest_path(void **state)
{
    const char *path = write_site(TWO "measure = 10s\ncore_hours = 1.5\n");
    struct filesystem fs;
    (void)state;
    assert_int_equal(filesystem_read(path, NULL, scratch, &fs, NULL), 0);
    assert_string_equal(fs.name, "deep");
    assert_true(fs.peak_bytes_per_s == 2e9);
    assert_int_equal(fs.measure_ns, 10 * NS_PER_S);
    assert_true(fs.core_hours == 1.5);
    assert_int_equal(filesystem_read(path, NULL, "/", &fs, NULL), 0);
    assert_string_equal(fs.name, "root");
    assert_int_equal(filesystem_read(path, "root", scratch, &fs, NULL), 0);
    assert_string_equal(fs.name, "root");
}

static void without_a_site_file_only_the_name_is_known(void **state)
{
    struct filesystem fs;
    (void)state;
    assert_int_equal(filesystem_read(NULL, NULL, scratch, &fs, NULL), 0);
    assert_string_equal(fs.name, "unknown");
    assert_true(fs.peak_bytes_per_s == 0.0 && fs.core_hours == 0.0);
    assert_int_equal(filesystem_read(NULL, "mine", scratch, &fs, NULL), 0);
    assert_string_equal(fs.name, "mine");
}

static void what_is_wrong_is_named_and_changes_nothing(void **state)
{
    static const struct {
        const char *site, *name, *dir, *want;
        int rc;
    } cases[] = {
        { TWO, "other", "/", "no [filesystem other]", -EINVAL },
        { "[filesystem a]\npath = /nowhereSCRATCH\n[probes]\n", NULL, "/",
          "give --file-system", -EINVAL },
        { TWO "core_hours = many\n", NULL, "/", "core_hours", -EINVAL },
        { TWO "core_hours = -1\n", NULL, "/", "core_hours", -EINVAL },
        { TWO, NULL, "/nowhere", "'/nowhere'", -ENOENT },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct filesystem fs = { .name = "before" };
        struct err err = { 0 };
        int rc = filesystem_read(write_site(cases[i].site), cases[i].name, cases[i].dir,
                                 &fs, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].want))
            fail_msg("case %zu: %d '%s'", i, rc, err.text);
        assert_string_equal(fs.name, "before");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_is_below_the_longest_path),
        cmocka_unit_test(without_a_site_file_only_the_name_is_known),
        cmocka_unit_test(what_is_wrong_is_named_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
