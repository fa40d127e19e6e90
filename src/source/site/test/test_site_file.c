/* SPDX-License-Identifier: Apache-2.0 */
/* test_site_file - a site's file systems, clocks and zone out of its file. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/test/scratch.h"
#include "source/site/site_file.h"

#include <errno.h>
#include <string.h>

static int site_read(const char *text, struct site_file **ret, struct err *err)
{
    const char *path = scratch_path("site.conf");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return site_file_open(path, ret, err);
}

static const char two[] = "[filesystem scratch]\n"
                          "path = /scratch\n"
                          "path = /old/scratch/\n"
                          "fsname = snx11168\n"
                          "kind = Lustre\n"
                          "peak = 48GB\n"
                          "servers = 24\n"
                          "fabric = san\n"
                          "fabric = ib0\n"
                          "series = scratch_*.hdf5\n"
                          "series = s1_*\n"
                          "[filesystem home]\n"
                          "path = /scratch/home\n"
                          "fabric = ib0\n"
                          "series = *_h.hdf5\n"
                          "[filesystem root]\n"
                          "path = /\n"
                          "[clock series]\n"
                          "offset = -3s\n"
                          "[site]\n"
                          "zone = Europe/Berlin\n"
                          "[probes]\n"
                          "measure = 90s\n"
                          "core_hours = 20\n";

static void what_is_there_is_read(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    size_t count = 0;
    assert_int_equal(site_read(two, &site, NULL), 0);
    const struct site_filesystem *all = site_file_filesystems(site, &count);
    assert_int_equal(count, 3);
    assert_string_equal(all[0].name, "scratch");
    assert_string_equal(all[0].fsname, "snx11168");
    assert_string_equal(all[0].kind, "Lustre");
    assert_int_equal(all[0].peak_bytes_per_s, 48000000000);
    assert_int_equal(all[0].servers, 24);
    assert_int_equal(all[0].targets, 0);
    assert_null(all[1].fsname);
    assert_int_equal(all[1].peak_bytes_per_s, 0);
    const struct site_clock *clocks = site_file_clocks(site, &count);
    assert_int_equal(count, 1);
    assert_string_equal(clocks[0].source, "series");
    assert_string_equal(clocks[0].offset, "-3s");
    assert_string_equal(site_file_place(site)->zone, "Europe/Berlin");
    assert_int_equal(site_file_probes(site)->measure_ns, 90 * NS_PER_S);
}

static void an_empty_file_has_defaults(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    size_t count = 1;
    assert_int_equal(site_read("", &site, NULL), 0);
    (void)site_file_filesystems(site, &count);
    assert_int_equal(count, 0);
    (void)site_file_clocks(site, &count);
    assert_int_equal(count, 0);
    assert_null(site_file_place(site)->zone);
    assert_int_equal(site_file_probes(site)->measure_ns, 60 * NS_PER_S);
    assert_null(site_file_at(site, "/scratch"));
    assert_null(site_file_named(site, "scratch"));
    assert_null(site_file_owner(site, "scratch_1.hdf5"));
}

static void a_directory_belongs_to_the_longest_path_above_it(void **state)
{
    (void)state;
    static const struct {
        const char *dir, *name;
    } cases[] = {
        { "/scratch", "scratch" },
        { "/scratch/u/x", "scratch" },
        { "/scratch/home", "home" },
        { "/scratch/home/x", "home" },
        { "/scratch/homes", "scratch" },
        { "/scratchy", "root" },
        { "/old/scratch", "scratch" },
        { "/old/scratch/x", "scratch" },
        { "/tmp", "root" },
        { "/", "root" },
    };
    AUTO(site_file_close) struct site_file *site = NULL;
    assert_int_equal(site_read(two, &site, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct site_filesystem *fs = site_file_at(site, cases[i].dir);
        if (!fs || strcmp(fs->name, cases[i].name) != 0)
            fail_msg("%s: %s", cases[i].dir, fs ? fs->name : "none");
    }
}

/* By the name of the file alone, wherever it lies; the first that fits. */
static void a_series_belongs_to_whom_its_name_fits(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name;
    } cases[] = {
        { "scratch_2018-01-28.hdf5", "scratch" },
        { "/lmt/s1_x.sqlite3", "scratch" },
        { "/s1_x/other.hdf5", NULL },
        { "x_h.hdf5", "home" },
        { "scratch_h.hdf5", "scratch" },
        { "", NULL },
    };
    AUTO(site_file_close) struct site_file *site = NULL;
    assert_int_equal(site_read(two, &site, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct site_filesystem *fs = site_file_owner(site, cases[i].path);
        if (cases[i].name ? !fs || strcmp(fs->name, cases[i].name) != 0 : fs != NULL)
            fail_msg("%s: %s", cases[i].path, fs ? fs->name : "none");
    }
}

static void a_fabric_is_shared_by_those_that_name_it(void **state)
{
    (void)state;
    AUTO(site_file_close) struct site_file *site = NULL;
    assert_int_equal(site_read(two, &site, NULL), 0);
    const struct site_filesystem *first = site_file_named(site, "scratch");
    const struct site_filesystem *home = site_file_named(site, "home");
    const struct site_filesystem *root = site_file_named(site, "root");
    assert_string_equal(site_file_fabric(first, home), "ib0");
    assert_string_equal(site_file_fabric(first, first), "san");
    assert_null(site_file_fabric(first, root));
}

static void what_is_wrong_is_an_error_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } cases[] = {
        { "[filesystem a]\npeak = 3\n", ":2:" },
        { "[filesystem a]\n\nservers = many\n", ":3:" },
        { "[filesystem a]\ncolour = red\n", ":2:" },
        { "[nothing]\n", ":1:" },
        { "[probes]\nmeasure = 1ms\n", ":2:" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct site_file *site = NULL;
        struct err err = { 0 };
        if (site_read(cases[i].text, &site, &err) >= 0)
            fail_msg("%s is taken", cases[i].text);
        if (!strstr(err.text, cases[i].line))
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_null(site);
    }
    struct site_file *site = NULL;
    assert_int_equal(site_file_open("/nonexistent/site.conf", &site, NULL), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_is_read),
        cmocka_unit_test(an_empty_file_has_defaults),
        cmocka_unit_test(a_directory_belongs_to_the_longest_path_above_it),
        cmocka_unit_test(a_series_belongs_to_whom_its_name_fits),
        cmocka_unit_test(a_fabric_is_shared_by_those_that_name_it),
        cmocka_unit_test(what_is_wrong_is_an_error_with_its_line),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
