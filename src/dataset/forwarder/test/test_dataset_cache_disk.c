/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_cache_disk - chunks on a disk: there after a restart, bounded by bytes,
 * whatever lies in the directory. */
#include "base/test/testing.h"
#include "dataset/forwarder/cache_disk.h"
#include "dataset/forwarder/index_files.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define CHUNK 200000U
#define BYTES_MAX (UINT64_C(16) << 20)

static char dir[] = "/tmp/baro-cache-disk.XXXXXX";

static int dir_make(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/baro-cache-disk.XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int dir_remove(void **state)
{
    char command[PATH_MAX];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command); /* NOLINT */
}

static struct digest digest_number(uint32_t number)
{
    struct digest digest = { 0 };
    memcpy(digest.bytes, &number, sizeof number);
    return digest;
}

static const struct forwarder_report silent;

static struct cache_disk *disk_open_with(uint64_t segments_max)
{
    const struct cache_disk_opts opts = { dir, BYTES_MAX, segments_max, &silent };
    struct cache_disk *disk = NULL;
    struct err err = { 0 };
    assert_int_equal(cache_disk_open(&opts, &disk, &err), 0);
    return disk;
}

static struct cache_disk *disk_open(void)
{
    return disk_open_with(cache_disk_segments(BYTES_MAX));
}

static void put(struct cache_disk *disk, uint32_t number)
{
    AUTO_FREE uint8_t *data = malloc(CHUNK);
    struct digest digest = digest_number(number);
    struct disk_position position;
    memset(data, (int)number, CHUNK);
    assert_int_equal(cache_disk_reserve(disk, &digest, CHUNK, CHUNK + 1, &position), 0);
    assert_int_equal(cache_disk_write(&position, data), 0);
    cache_disk_commit(disk, &position);
    cache_disk_release(&position);
}

static bool get(struct cache_disk *disk, uint32_t number)
{
    AUTO_FREE uint8_t *data = malloc(CHUNK);
    struct digest digest = digest_number(number);
    struct disk_position position;
    if (!cache_disk_find(disk, &digest, &position))
        return false;
    assert_int_equal(position.stored, CHUNK);
    assert_int_equal(position.plain, CHUNK + 1);
    assert_int_equal(cache_disk_read(&position, data), 0);
    assert_int_equal(data[0], number % 256);
    assert_int_equal(data[CHUNK - 1], number % 256);
    cache_disk_release(&position);
    return true;
}

static void chunks_are_there_after_a_restart(void **state)
{
    struct cache_disk *disk = disk_open();
    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        put(disk, i);
    cache_disk_close(disk);
    disk = disk_open();
    assert_int_equal(cache_disk_count(disk), 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_true(get(disk, i));
    put(disk, 20);
    cache_disk_close(disk);
    disk = disk_open();
    assert_true(get(disk, 3) && get(disk, 20));
    cache_disk_close(disk);
}

/* Also a slot that was reserved, and not written by a killed process. */
static void what_was_not_committed_is_not_there(void **state)
{
    struct cache_disk *disk = disk_open();
    struct digest digest = digest_number(1);
    struct disk_position position;
    (void)state;
    assert_int_equal(cache_disk_reserve(disk, &digest, CHUNK, CHUNK + 1, &position), 0);
    assert_false(get(disk, 1));
    cache_disk_release(&position);
    put(disk, 2);
    cache_disk_close(disk);
    disk = disk_open();
    assert_false(get(disk, 1));
    assert_true(get(disk, 2));
    cache_disk_close(disk);
}

static uint64_t dir_bytes(void)
{
    AUTO_CLOSEDIR DIR *entries = opendir(dir);
    uint64_t bytes = 0;
    struct dirent *entry;
    struct stat st;
    while ((entry = readdir(entries)) != NULL)
        if (fstatat(dirfd(entries), entry->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
            bytes += (uint64_t)st.st_size;
    return bytes;
}

static void it_is_bounded_by_bytes(void **state)
{
    struct cache_disk *disk = disk_open();
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        put(disk, i);
        assert_true(cache_disk_bytes(disk) <= BYTES_MAX + (UINT64_C(2) << 20));
    }
    assert_true(dir_bytes() <= BYTES_MAX + (UINT64_C(2) << 20));
    assert_false(get(disk, 0));
    assert_true(get(disk, 299));
    cache_disk_close(disk);
    disk = disk_open();
    assert_true(cache_disk_bytes(disk) <= BYTES_MAX);
    assert_true(get(disk, 299));
    cache_disk_close(disk);
}

/* As flights does: what is read out of an old segment is written again. */
static void what_is_read_is_stored_for_longer(void **state)
{
    struct cache_disk *disk = disk_open();
    struct digest digest = digest_number(0);
    struct disk_position position;
    (void)state;
    for (uint32_t i = 0; i < 400; i++) {
        put(disk, i);
        assert_true(cache_disk_find(disk, &digest, &position));
        bool is_old = position.is_old;
        cache_disk_release(&position);
        if (is_old)
            put(disk, 0);
    }
    assert_true(get(disk, 0));
    assert_false(get(disk, 1));
    cache_disk_close(disk);
}

static void damage_is_removed_for_good(void **state)
{
    struct cache_disk *disk = disk_open();
    struct digest digest = digest_number(5);
    (void)state;
    put(disk, 5);
    put(disk, 6);
    cache_disk_remove(disk, &digest);
    assert_false(get(disk, 5));
    cache_disk_close(disk);
    disk = disk_open();
    assert_false(get(disk, 5));
    assert_true(get(disk, 6));
    cache_disk_close(disk);
}

static void file_make(const char *name, const char *data, size_t size, size_t offset)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, data, size, (off_t)offset), size);
}

static void files_that_are_damaged_do_no_harm(void **state)
{
    static const char noise[6000] = "noise, which is no slot";
    struct cache_disk *disk = disk_open();
    (void)state;
    put(disk, 1);
    put(disk, 2);
    cache_disk_close(disk);
    file_make("0000000000000077.chunks", "barodsgm, but no segment", 24, 0);
    file_make("0000000000000078.chunks", "", 0, 0);
    file_make("other", "of another program", 18, 0);
    file_make("0000000000000000.chunks", noise, 56, 32); /* the first slot */
    file_make("0000000000000000.chunks", noise, sizeof noise, 32 + 56 * 2);
    disk = disk_open();
    assert_false(get(disk, 1));
    assert_true(get(disk, 2));
    assert_int_equal(cache_disk_count(disk), 1);
    cache_disk_close(disk);
}

/* What a slot that is damaged since names is not used after its segment has gone. */
static void a_table_that_is_damaged_meanwhile_does_no_harm(void **state)
{
    static const char noise[56 * 8] = "noise";
    struct cache_disk *disk = disk_open();
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        put(disk, i);
    file_make("0000000000000000.chunks", noise, sizeof noise, 32);
    for (uint32_t i = 100; i < 300; i++)
        put(disk, i);
    for (uint32_t i = 0; i < 5; i++)
        assert_false(get(disk, i));
    put(disk, 3);
    assert_true(get(disk, 3) && get(disk, 299));
    cache_disk_close(disk);
}

static void one_process_uses_it(void **state)
{
    struct cache_disk *disk = disk_open(), *other = NULL;
    struct err err = { 0 };
    (void)state;
    const struct cache_disk_opts opts = { dir, BYTES_MAX, 99, &silent };
    assert_int_equal(cache_disk_open(&opts, &other, &err), -EBUSY);
    assert_non_null(strstr(err.text, "is used by another process"));
    assert_int_equal(cache_disk_check(dir, &err), -EBUSY);
    cache_disk_close(disk);
}

static unsigned segments_there(void)
{
    AUTO_CLOSEDIR DIR *entries = opendir(dir);
    unsigned count = 0;
    struct dirent *entry;
    while ((entry = readdir(entries)) != NULL)
        count += strstr(entry->d_name, ".chunks") != NULL;
    return count;
}

/* A daemon that is restarted again and again has as many files as one that runs. */
static void a_segment_goes_on_after_a_restart(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        struct cache_disk *disk = disk_open();
        put(disk, i);
        cache_disk_close(disk);
    }
    struct cache_disk *disk = disk_open();
    for (uint32_t i = 0; i < 20; i++)
        assert_true(get(disk, i));
    assert_int_equal(segments_there(), 4); /* five chunks fit one */
    cache_disk_close(disk);
}

static void segments_are_as_many_as_descriptors_allow(void **state)
{
    struct cache_disk *disk = disk_open();
    (void)state;
    for (uint32_t i = 0; i < 50; i++)
        put(disk, i);
    assert_int_equal(segments_there(), 10);
    cache_disk_close(disk);
    disk = disk_open_with(6);
    assert_int_equal(segments_there(), 6);
    for (uint32_t i = 50; i < 100; i++)
        put(disk, i);
    assert_int_equal(segments_there(), 6);
    assert_true(get(disk, 99) && !get(disk, 20));
    cache_disk_close(disk);
}

/* A directory in the place of a segment can be neither read nor removed. */
static void what_cannot_be_read_is_left_out(void **state)
{
    char path[PATH_MAX];
    struct cache_disk *disk = disk_open();
    (void)state;
    put(disk, 1);
    cache_disk_close(disk);
    (void)snprintf(path, sizeof path, "%s/0000000000000001.chunks", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/0000000000000002.chunks", dir);
    assert_int_equal(symlink("/dev/full", path), 0);
    disk = disk_open();
    for (uint32_t i = 2; i < 20; i++)
        put(disk, i);
    assert_true(get(disk, 1) && get(disk, 19));
    assert_int_equal(access(path, F_OK), -1);
    cache_disk_close(disk);
}

static void a_check_changes_nothing(void **state)
{
    char path[PATH_MAX];
    struct err err = { 0 };
    (void)state;
    (void)snprintf(path, sizeof path, "%s/a/cache", dir);
    assert_int_equal(cache_disk_check(path, &err), 0);
    assert_int_equal(cache_disk_check(dir, &err), 0);
    assert_int_equal(rmdir(dir), 0); /* it is empty */
    assert_int_equal(mkdir(dir, 0700), 0);
    file_make("file", "x", 1, 0);
    (void)snprintf(path, sizeof path, "%s/file/cache", dir);
    assert_true(cache_disk_check(path, &err) < 0);
}

/* What is no regular file is not counted, and not removed; and it has an end. */
static void other_things_among_indexes_do_no_harm(void **state)
{
    char path[PATH_MAX];
    AUTO(payload_unref) struct payload *encoded = payload_new(1000);
    struct payload *read = NULL;
    struct digest first = digest_number(1), second = digest_number(2);
    (void)state;
    if (!encoded)
        abort();
    memset(encoded->data, 3, 1000);
    (void)snprintf(path, sizeof path, "%s/indexes", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/indexes/directory", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    index_file_write(dir, &first, encoded, 1500);
    assert_int_equal(index_file_read(dir, &first, &read), 0);
    payload_unref(read);
    const struct timespec old[] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
    char text[DIGEST_TEXT_SIZE];
    digest_print(&first, text);
    (void)snprintf(path, sizeof path, "%s/indexes/%s", dir, text);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    index_file_write(dir, &second, encoded, 1500);
    assert_int_equal(index_file_read(dir, &first, &read), -ENOENT);
    assert_int_equal(index_file_read(dir, &second, &read), 0);
    payload_unref(read);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, dir_make, dir_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(chunks_are_there_after_a_restart),
        CASE(what_was_not_committed_is_not_there),
        CASE(it_is_bounded_by_bytes),
        CASE(what_is_read_is_stored_for_longer),
        CASE(damage_is_removed_for_good),
        CASE(files_that_are_damaged_do_no_harm),
        CASE(a_table_that_is_damaged_meanwhile_does_no_harm),
        CASE(one_process_uses_it),
        CASE(a_segment_goes_on_after_a_restart),
        CASE(segments_are_as_many_as_descriptors_allow),
        CASE(what_cannot_be_read_is_left_out),
        CASE(a_check_changes_nothing),
        CASE(other_things_among_indexes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
