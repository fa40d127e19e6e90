/* SPDX-License-Identifier: Apache-2.0 */
/* test_targets - which targets a server serves, below a root. */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/test/testing.h"
#include "source/lustre/lustre.h"

#include <ftw.h>
#include <sys/stat.h>

static char root[] = "/tmp/baro-targets.XXXXXX";

static void touch(const char *path)
{
    AUTO(strbuf_done) struct strbuf full = STRBUF_INIT;
    strbuf_addf(&full, "%s/%s", root, path);
    char *slash = strrchr(full.data, '/');
    *slash = '\0';
    assert_int_equal(file_make_dirs(full.data, 0755, NULL), 0);
    *slash = '/';
    AUTO_FCLOSE FILE *file = fopen(full.data, "w");
    assert_non_null(file);
}

static int make_root(void **state)
{
    (void)state;
    if (!mkdtemp(root))
        return -1;
    touch("proc/fs/lustre/mdt/scratch-MDT0000/job_stats");
    touch("proc/fs/lustre/obdfilter/scratch-OST0002/job_stats");
    touch("proc/fs/lustre/obdfilter/scratch-OST0001/job_stats");
    touch("proc/fs/lustre/obdfilter/scratch-OST0003/stats");
    touch("proc/fs/lustre/obdfilter/num_refs");
    touch("proc/fs/lustre/obdfilter/od d/job_stats");
    touch("sys/fs/lustre/obdfilter/scratch-OST0001/job_cleanup_interval");
    touch("sys/kernel/debug/lustre/obdfilter/scratch-OST0001/job_stats");
    touch("sys/kernel/debug/lustre/obdfilter/scratch-OST0009/job_stats");
    touch("sys/fs/lustre/health_check");
    touch("proc/fs/lustre/osd-zfs/scratch-OST0001/kbytesfree");
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag,
                      struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int list(void *arg, const struct lustre_target *target)
{
    strbuf_addf(arg, "%s %s %s %s\n", target_kind_name(target->kind), target->name,
                target->job_stats + sizeof root,
                target->cleanup ? target->cleanup + sizeof root : "-");
    return 0;
}

static void each_target_is_found_once_where_its_file_is(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    assert_int_equal(lustre_find_targets(root, list, &out, &err), 0);
    assert_string_equal(
        strbuf_text(&out),
        "mdt scratch-MDT0000 proc/fs/lustre/mdt/scratch-MDT0000/job_stats -\n"
        "ost scratch-OST0001 proc/fs/lustre/obdfilter/scratch-OST0001/job_stats"
        " sys/fs/lustre/obdfilter/scratch-OST0001/job_cleanup_interval\n"
        "ost scratch-OST0002 proc/fs/lustre/obdfilter/scratch-OST0002/job_stats -\n"
        "ost scratch-OST0009"
        " sys/kernel/debug/lustre/obdfilter/scratch-OST0009/job_stats -\n");
}

static int stop(void *arg, const struct lustre_target *target)
{
    (void)target;
    ++*(int *)arg;
    return -ECANCELED;
}

static void the_caller_may_end_the_search(void **state)
{
    (void)state;
    int calls = 0;
    assert_int_equal(lustre_find_targets(root, stop, &calls, NULL), -ECANCELED);
    assert_int_equal(calls, 1);
}

static void a_host_without_lustre_has_no_targets(void **state)
{
    (void)state;
    int calls = 0;
    assert_int_equal(lustre_find_targets("/nowhere/at/all", stop, &calls, NULL), 0);
    assert_int_equal(calls, 0);
}

static void files_are_found_in_any_area_and_by_pattern(void **state)
{
    (void)state;
    static const struct {
        const char *device, *name, *file, *path;
        int rc;
    } cases[] = {
        { NULL, NULL, "health_check", "sys/fs/lustre/health_check", 0 },
        { "osd-*", "scratch-OST0001", "kbytesfree",
          "proc/fs/lustre/osd-zfs/scratch-OST0001/kbytesfree", 0 },
        { "osd-*", "scratch-OST0002", "kbytesfree", NULL, -ENOENT },
        { "obdfilter", "scratch-OST0003", "stats",
          "proc/fs/lustre/obdfilter/scratch-OST0003/stats", 0 },
        { "obdfilter", "scratch-OST0003", "job_stats", NULL, -ENOENT },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char path[LUSTRE_PATH_MAX];
        int rc =
            lustre_find_file(root, cases[i].device, cases[i].name, cases[i].file, path);
        if (rc != cases[i].rc)
            fail_msg("%s: got %d", cases[i].file, rc);
        if (cases[i].path)
            assert_string_equal(path + sizeof root, cases[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_target_is_found_once_where_its_file_is),
        cmocka_unit_test(the_caller_may_end_the_search),
        cmocka_unit_test(a_host_without_lustre_has_no_targets),
        cmocka_unit_test(files_are_found_in_any_area_and_by_pattern),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
