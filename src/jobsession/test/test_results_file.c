/* SPDX-License-Identifier: Apache-2.0 */
/* test_results_file - a file that is locked, whose file system hangs, or that is
 * replaced by a link. */
#include "base/number.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "jobsession/results_file.h"

#include <semaphore.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX ((uint64_t)1 << 20)
#define SHORT_NS (50 * NS_PER_MS)
#define LONG_NS (300 * NS_PER_S)

static struct results_file *file_at(const char *path)
{
    struct results_file *file = NULL;
    struct err err = { 0 };
    if (results_file_open(path, BYTES_MAX, &file, &err) < 0)
        fail_msg("%s", err.text);
    return file;
}

/* What a person does who looks at her data: no COMMIT gets through meanwhile. */
static sqlite3 *read_lock(const char *path)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "BEGIN; SELECT count(*) FROM session", NULL, NULL, NULL),
        SQLITE_OK);
    return db;
}

/* Longer than a lock was waited for once. */
static void a_lock_loses_no_row(void **state)
{
    const char *path = scratch_path("locked.db");
    struct results_file *file = file_at(path);
    struct results_counts counts;
    sqlite3 *reader = read_lock(path);
    (void)state;
    results_file_note(file, "name", "one");
    const struct timespec pause = { .tv_sec = 11 };
    (void)nanosleep(&pause, NULL);
    (void)sqlite3_close(reader);
    results_file_flush(file, LONG_NS);
    results_file_count(file, &counts);
    assert_int_equal(counts.written, 1);
    assert_int_equal(counts.lost, 0);
    assert_true(results_file_end(file, LONG_NS));
}

static void a_lock_that_stays_holds_up_no_end(void **state)
{
    const char *path = scratch_path("stays.db");
    struct results_file *file = file_at(path);
    struct results_counts counts;
    sqlite3 *reader = read_lock(path);
    (void)state;
    for (int i = 0; i < 3; i++)
        results_file_note(file, "name", "one");
    results_file_flush(file, SHORT_NS);
    results_file_note(file, "late", "one");
    results_file_count(file, &counts);
    assert_int_equal(counts.written, 0);
    assert_int_equal(counts.lost, 4);
    assert_true(counts.error[0] != '\0');
    assert_true(results_file_end(file, LONG_NS));
    (void)sqlite3_close(reader);
}

static sem_t disk;

static ssize_t hang(int fd, const void *bytes, size_t size, off_t offset)
{
    (void)sem_wait(&disk);
    return pwrite(fd, bytes, size, offset);
}

static void set_call(const char *name, sqlite3_syscall_ptr call)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    (void)vfs->xSetSystemCall(vfs, name, call);
}

static void a_disk_that_hangs_holds_up_no_end(void **state)
{
    struct results_file *file = file_at(scratch_path("hangs.db"));
    struct results_counts counts;
    (void)state;
    assert_int_equal(sem_init(&disk, 0, 0), 0);
    set_call("pwrite", (sqlite3_syscall_ptr)hang);
    set_call("pwrite64", (sqlite3_syscall_ptr)hang);
    results_file_note(file, "name", "one");
    results_file_flush(file, SHORT_NS);
    results_file_count(file, &counts);
    assert_int_equal(counts.lost, 1);
    assert_false(results_file_end(file, SHORT_NS));
    for (int i = 0; i < 100; i++) /* its thread goes on */
        (void)sem_post(&disk);
    set_call("pwrite", NULL);
    set_call("pwrite64", NULL);
}

static char other[256], swapped[256];

/* Just before SQLite looks at the path. */
static int swap_lstat(const char *path, struct stat *st)
{
    if (strcmp(path, swapped) == 0) {
        (void)unlink(path);
        (void)symlink(other, path);
    }
    return lstat(path, st);
}

static void no_link_is_followed(void **state)
{
    struct results_file *file = NULL;
    struct stat st;
    struct err err = { 0 };
    (void)state;
    (void)snprintf(other, sizeof other, "%s", scratch_path("hers"));
    (void)snprintf(swapped, sizeof swapped, "%s", scratch_path("swapped.db"));
    FILE *hers = fopen(other, "w");
    assert_non_null(hers);
    (void)fclose(hers);
    set_call("lstat", (sqlite3_syscall_ptr)swap_lstat);
    assert_int_equal(results_file_open(swapped, BYTES_MAX, &file, &err), -EIO);
    set_call("lstat", NULL);
    assert_int_equal(stat(other, &st), 0);
    assert_int_equal(st.st_size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_loses_no_row),
        cmocka_unit_test(a_lock_that_stays_holds_up_no_end),
        cmocka_unit_test(no_link_is_followed),
        cmocka_unit_test(a_disk_that_hangs_holds_up_no_end),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
