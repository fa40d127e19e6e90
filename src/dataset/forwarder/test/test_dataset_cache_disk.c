/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_cache_disk - chunks on a disk: there after a restart, bounded by bytes,
 * whatever lies in the directory. */
#include "base/test/testing.h"
#include "dataset/forwarder/cache_disk.h"

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

static struct cache_disk *disk_open(void)
{
    struct cache_disk *disk = NULL;
    struct err err = { 0 };
    assert_int_equal(cache_disk_open(dir, BYTES_MAX, &disk, &err), 0);
    return disk;
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
    assert_int_equal(cache_disk_open(dir, BYTES_MAX, &other, &err), -EBUSY);
    assert_non_null(strstr(err.text, "is used by another process"));
    cache_disk_close(disk);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
