/* SPDX-License-Identifier: Apache-2.0 */
/* test_file_name - names of files, printed and taken apart. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/directory.h"
#include "store/files/file_name.h"
#include "store/files/listing.h"

static void names_come_back(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        struct store_file file;
    } cases[] = {
        { "d/manifest-00000017", { STORE_FILE_MANIFEST, 17, 0 } },
        { "d/archive-00000012", { STORE_FILE_ARCHIVE, 12, 0 } },
        { "d/index-00000017-3", { STORE_FILE_INDEX, 17, 3 } },
        { "d/blocks-123456789-0", { STORE_FILE_BLOCKS, 123456789, 0 } },
        { "d/log-3-00000021", { STORE_FILE_LOG, 21, 3 } },
        { "d/log-63-18446744073709551615", { STORE_FILE_LOG, UINT64_MAX, 63 } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char path[STORE_PATH_MAX];
        struct store_file back;
        store_file_path(path, "d", &cases[i].file);
        assert_string_equal(path, cases[i].path);
        assert_true(store_file_parse(path + 2, &back));
        assert_true(back.kind == cases[i].file.kind &&
                    back.number == cases[i].file.number &&
                    back.shard == cases[i].file.shard);
    }
}

static void other_names_are_none(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "lock",
        "manifest",
        "manifest-",
        "manifest-00000017.new",
        "manifest-00000017-0",
        "index-00000017",
        "index-00000017-",
        "index-00000017-x",
        "index--0",
        "log-0",
        "log-0-00000021.damaged",
        "log-0-00000021.17.torn",
        "blocks-00000017-4294967296",
        "blocks-99999999999999999999-0",
        "archives-00000012",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct store_file file;
        if (store_file_parse(names[i], &file))
            fail_msg("'%s' is taken for a file of a store", names[i]);
    }
}

static void the_newest_manifest_is_that_of_the_highest_number(void **state)
{
    (void)state;
    char dir[DIRECTORY_PATH_MAX];
    directory_make(dir);
    assert_true(store_newest_manifest(dir) == 0);
    directory_write(dir, "manifest-00000009", "", 0);
    directory_write(dir, "manifest-100000000", "", 0);
    directory_write(dir, "manifest-00000010", "", 0);
    directory_write(dir, "index-200000000-0", "", 0);
    assert_true(store_newest_manifest(dir) == 100000000);
    directory_remove(dir);
    assert_true(store_newest_manifest(dir) == 0);
}

static void a_listing_has_manifests_and_segments_in_order(void **state)
{
    (void)state;
    static const char *const names[] = {
        "manifest-00000012",
        "manifest-00000003",
        "log-0-00000030",
        "log-0-00000004",
        "log-2-00000005",
        "index-00000099-1",
        "lock",
        "notes",
        "log-64-00000001",
        "log-0-00000001.torn",
        "archive-99999999999999999999",
    };
    char dir[DIRECTORY_PATH_MAX];
    AUTO(listing_done) struct store_listing l = { 0 };
    struct err err = { 0 };
    directory_make(dir);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        directory_write(dir, names[i], "", 0);
    assert_int_equal(listing_read(dir, &l, &err), 0);
    directory_remove(dir);
    assert_int_equal(l.manifest_count, 2);
    assert_true(l.manifests[0] == 3 && l.manifests[1] == 12);
    assert_int_equal(l.logs[0].count, 2);
    assert_true(l.logs[0].numbers[0] == 4 && l.logs[0].numbers[1] == 30);
    assert_int_equal(l.logs[1].count, 0);
    assert_int_equal(l.logs[2].count, 1);
    assert_true(l.last_checkpoint == 99 && l.last_segment == 30);
}

static void a_listing_of_no_directory_is_enoent(void **state)
{
    (void)state;
    struct store_listing l = { .last_segment = 7 };
    struct err err = { 0 };
    assert_int_equal(listing_read("/tmp/baro-test.none/none", &l, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/tmp/baro-test.none/none"));
    assert_true(l.last_segment == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_come_back),
        cmocka_unit_test(other_names_are_none),
        cmocka_unit_test(the_newest_manifest_is_that_of_the_highest_number),
        cmocka_unit_test(a_listing_has_manifests_and_segments_in_order),
        cmocka_unit_test(a_listing_of_no_directory_is_enoent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
