/* SPDX-License-Identifier: Apache-2.0 */
/* test_verify - a directory looked through: what is wrong is named, by file and byte,
 * and nothing is changed. */
#include "store/test/fixture.h"

#include <dirent.h>
#include <errno.h>

/* Two checkpoints and a log behind them, as after the death of the process. */
static void make_store(void)
{
    char copy[DIRECTORY_PATH_MAX];
    const struct metric_store_options options = { .dir = dir, .shard_count = 1 };
    struct metric_store *store = open_store(options);
    struct err err = { 0 };
    for (int64_t i = 0; i < 2; i++) {
        fill(store, i * 600, i * 600 + 600);
        assert_int_equal(metric_store_checkpoint(store, &err), 0);
    }
    fill(store, 1200, 1250);
    (void)snprintf(copy, sizeof copy, "%.500s.dead", dir);
    directory_copy(dir, copy);
    metric_store_close(store);
    directory_remove(dir);
    assert_int_equal(rename(copy, dir), 0);
}

static void newest(const char *kind, char name[static 64])
{
    DIR *d = opendir(dir);
    const struct dirent *entry;
    name[0] = '\0';
    while (d && (entry = readdir(d)))
        if (strncmp(entry->d_name, kind, strlen(kind)) == 0 &&
            strcmp(entry->d_name, name) > 0)
            (void)snprintf(name, 64, "%.63s", entry->d_name);
    assert_non_null(d);
    (void)closedir(d);
}

/* The one fault that is there; its file begins with kind. */
static struct store_fault only_fault(const char *kind)
{
    AUTO(store_verified_done) struct store_verified v = { 0 };
    struct err err = { 0 };
    struct store_fault fault = { 0 };
    assert_int_equal(store_verify(dir, &v, &err), 0);
    for (size_t i = 0; i < v.item_count; i++) {
        if (v.items[i].is_note)
            continue;
        fault = v.items[i];
        if (strncmp(fault.file, kind, strlen(kind)) != 0)
            fail_msg("%s: %s", fault.file, fault.what);
    }
    assert_int_equal(v.fault_count, 1);
    return fault;
}

static void a_whole_directory_has_no_faults(void **state)
{
    (void)state;
    AUTO(store_verified_done) struct store_verified v = { 0 };
    struct err err = { 0 };
    make_store();
    assert_int_equal(store_verify(dir, &v, &err), 0);
    assert_int_equal(v.fault_count, 0);
    assert_int_equal(v.series, HOSTS);
    assert_int_equal(v.blocks, HOSTS * 4);
    assert_true(v.log_samples >= HOSTS * 50);
    assert_true(v.bytes > 0 && v.files >= 5);
}

static void a_damaged_block_is_named_with_its_series(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    char name[64];
    make_store();
    newest("blocks-", name);
    directory_read(dir, name, &bytes);
    bytes.data[48 + 8 + 60] ^= 1; /* in the first block behind the header */
    directory_write(dir, name, bytes.data, bytes.size);
    struct store_fault fault = only_fault("blocks-");
    assert_true(fault.at >= 0);
    assert_non_null(strstr(fault.what, "is damaged"));
    assert_non_null(strstr(fault.what, "c/h"));
    assert_non_null(strstr(fault.what, "load"));
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    char name[64], path[DIRECTORY_PATH_MAX];
    AUTO(store_verified_done) struct store_verified v = { 0 };
    struct err err = { 0 };
    make_store();
    newest("blocks-", name);
    (void)snprintf(path, sizeof path, "%.400s/%s", dir, name);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(store_verify(dir, &v, &err), 0);
    assert_true(v.fault_count >= 1);
    bool is_named = false;
    for (size_t i = 0; i < v.item_count; i++)
        is_named |= strcmp(v.items[i].file, name) == 0 &&
                    strstr(v.items[i].what, "it is not there") != NULL;
    assert_true(is_named);
}

static void a_damaged_index_is_named_with_a_remedy(void **state)
{
    (void)state;
    make_store();
    flip("index-");
    struct store_fault fault = only_fault("index-");
    assert_non_null(strstr(fault.remedy, "start barod"));
}

static void a_damaged_manifest_is_named(void **state)
{
    (void)state;
    make_store();
    flip("manifest-");
    AUTO(store_verified_done) struct store_verified v = { 0 };
    struct err err = { 0 };
    assert_int_equal(store_verify(dir, &v, &err), 0);
    assert_int_equal(v.fault_count, 1);
}

static void a_damaged_log_is_named_with_its_byte(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    char name[64];
    make_store();
    newest("log-0-", name);
    directory_read(dir, name, &bytes);
    bytes.data[bytes.size / 2] ^= 1;
    directory_write(dir, name, bytes.data, bytes.size);
    struct store_fault fault = only_fault("log-0-");
    assert_true(fault.at > 0 && fault.at <= (int64_t)bytes.size / 2);
}

static void other_files_are_notes(void **state)
{
    (void)state;
    AUTO(store_verified_done) struct store_verified v = { 0 };
    struct err err = { 0 };
    size_t notes = 0;
    make_store();
    directory_write(dir, "letter.txt", "hello", 5);
    directory_write(dir, "log-0-00000001.damaged", "x", 1);
    directory_write(dir, "index-00099999-0", "x", 1);
    directory_write(dir, "senders", "barod's", 7);
    assert_int_equal(store_verify(dir, &v, &err), 0);
    assert_int_equal(v.fault_count, 0);
    for (size_t i = 0; i < v.item_count; i++) {
        assert_true(v.items[i].is_note);
        notes += strcmp(v.items[i].file, "letter.txt") == 0 ||
                 strcmp(v.items[i].file, "log-0-00000001.damaged") == 0 ||
                 strcmp(v.items[i].file, "index-00099999-0") == 0;
        assert_string_not_equal(v.items[i].file, "senders");
    }
    assert_int_equal(notes, 3);
}

static void a_directory_that_is_none_is_refused(void **state)
{
    (void)state;
    struct store_verified v = { 0 };
    struct err err = { 0 };
    assert_int_equal(store_verify(dir, &v, &err), -ENOENT);
    assert_non_null(strstr(err.text, dir));
    assert_int_equal(store_verify("/tmp/baro-test.none", &v, &err), -ENOENT);
    assert_null(v.items);
}

int main(void)
{
    begin_clock();
    const struct CMUnitTest tests[] = {
        in_a_directory(a_whole_directory_has_no_faults),
        in_a_directory(a_damaged_block_is_named_with_its_series),
        in_a_directory(a_missing_file_is_named),
        in_a_directory(a_damaged_index_is_named_with_a_remedy),
        in_a_directory(a_damaged_manifest_is_named),
        in_a_directory(a_damaged_log_is_named_with_its_byte),
        in_a_directory(other_files_are_notes),
        in_a_directory(a_directory_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
