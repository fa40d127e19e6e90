/* SPDX-License-Identifier: Apache-2.0 */
/* test_checkpoint - what a checkpoint writes, names and removes. */
#include "store/test/fixture.h"

#include <dirent.h>
#include <errno.h>

static size_t count_files(const char *kind)
{
    size_t count = 0;
    DIR *d = opendir(dir);
    const struct dirent *entry;
    while (d && (entry = readdir(d)))
        count += strncmp(entry->d_name, kind, strlen(kind)) == 0;
    assert_non_null(d);
    (void)closedir(d);
    return count;
}

static void two_checkpoints_are_there_and_no_more(void **state)
{
    (void)state;
    const struct metric_store_options options = { .dir = dir, .shard_count = 2 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct err err = { 0 };
    for (int64_t i = 0; i < 5; i++) {
        fill(store, i * 50, i * 50 + 50);
        assert_int_equal(metric_store_checkpoint(store, &err), 0);
    }
    assert_int_equal(count_files("manifest-"), 2);
    assert_int_equal(count_files("index-"), 4);
    assert_int_equal(count_files("log-"), 4);
    assert_int_equal(count_good(store), HOSTS * 250);
}

static void blocks_leave_memory_for_files(void **state)
{
    (void)state;
    const struct metric_store_options options = { .dir = dir, .shard_count = 2 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct err err = { 0 };
    fill(store, 0, 2000);
    uint64_t before = status_of(store).memory.used_bytes;
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    struct metric_store_status status = status_of(store);
    assert_true(status.memory.used_bytes < before / 2);
    assert_int_equal(status.workers[METRIC_WORKER_CHECKPOINT].failures, 0);
    /* One of each shard: the hash has a random key, which may put all hosts into one.
     */
    assert_in_range(status.block_files, 1, 2);
    assert_int_equal(count_good(store), HOSTS * 2000);
    /* Nothing is written twice. */
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    assert_int_equal(status_of(store).block_files, status.block_files);
}

static void half_a_manifest_and_unnamed_files_are_removed(void **state)
{
    (void)state;
    const struct metric_store_options options = { .dir = dir, .shard_count = 1 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct err err = { 0 };
    directory_write(dir, "manifest-00000001.new", "half", 4);
    directory_write(dir, "index-00099999-0", "unnamed", 7);
    directory_write(dir, "blocks-00099999-0", "unnamed", 7);
    directory_write(dir, "log-0-00000001.17.torn", "stays", 5);
    directory_write(dir, "notes", "stays", 5);
    fill(store, 0, 10);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    assert_int_equal(count_files("manifest-00000001.new"), 0);
    assert_int_equal(count_files("index-00099999"), 0);
    assert_int_equal(count_files("blocks-00099999"), 0);
    assert_int_equal(count_files("log-0-00000001.17.torn"), 1);
    assert_int_equal(count_files("notes"), 1);
}

static void one_that_fails_leaves_the_store_as_it_was(void **state)
{
    (void)state;
    const struct metric_store_options options = { .dir = dir, .shard_count = 1 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct err err = { 0 };
    char block[32];
    fill(store, 0, 1000);
    uint64_t checkpoint = status_of(store).checkpoint;
    /* Its index is there already, and so cannot be made. */
    (void)snprintf(block, sizeof block, "index-%08u-0", (unsigned)checkpoint + 1);
    directory_write(dir, block, "in the way", 10);
    assert_int_equal(metric_store_checkpoint(store, &err), -EEXIST);
    assert_non_null(strstr(err.text, block));
    struct metric_store_status status = status_of(store);
    assert_int_equal(status.checkpoint, checkpoint);
    assert_int_equal(status.workers[METRIC_WORKER_CHECKPOINT].failures, 1);
    assert_int_equal(count_good(store), HOSTS * 1000);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    assert_int_equal(count_good(store), HOSTS * 1000);
}

static void a_store_in_memory_has_none(void **state)
{
    (void)state;
    const struct metric_store_options options = { .shard_count = 1 };
    AUTO(metric_store_close) struct metric_store *store = open_store(options);
    struct err err = { 0 };
    fill(store, 0, 10);
    assert_int_equal(metric_store_checkpoint(store, &err), 0);
    assert_int_equal(metric_store_shutdown(store, &err), 0);
    assert_int_equal(status_of(store).checkpoint, 0);
}

int main(void)
{
    begin_clock();
    const struct CMUnitTest tests[] = {
        in_a_directory(two_checkpoints_are_there_and_no_more),
        in_a_directory(blocks_leave_memory_for_files),
        in_a_directory(half_a_manifest_and_unnamed_files_are_removed),
        in_a_directory(one_that_fails_leaves_the_store_as_it_was),
        in_a_directory(a_store_in_memory_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
