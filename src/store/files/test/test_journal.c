/* SPDX-License-Identifier: Apache-2.0 */
/* test_journal - records go into segments, one after another, each with its sequence.
 */
#include "base/test/directory.h"
#include "store/files/file_name.h"
#include "store/files/journal.h"

#include <errno.h>

static char dir[DIRECTORY_PATH_MAX];

static int make(void **state)
{
    (void)state;
    directory_make(dir);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    directory_remove(dir);
    return 0;
}

static struct journal *open_journal(uint64_t segment, uint64_t next_sequence)
{
    const struct journal_options options = {
        .dir = dir, .shard = 2, .segment = segment, .next_sequence = next_sequence
    };
    struct journal *journal = NULL;
    struct err err = { 0 };
    if (journal_open(&options, &journal, &err) < 0)
        fail_msg("%s", err.text);
    return journal;
}

/* One sample of series 1. */
static int append(struct journal *journal, double value)
{
    struct record *record = journal_record(journal);
    bool is_bare;
    journal_lock(journal);
    int rc = journal_ready(journal, &is_bare, NULL);
    if (rc == 0)
        rc = record_reserve(record, 0, 1);
    record->name_count = 0;
    record->count = 1;
    record->numbers[0] = 1;
    record->times[0] = 1000;
    record->values[0] = value;
    if (rc == 0)
        rc = journal_append(journal);
    journal_unlock(journal);
    return rc;
}

struct reading {
    uint64_t first, count;
};

static int check_record(void *arg, struct span payload)
{
    struct reading *r = arg;
    AUTO(record_done) struct record record = { 0 };
    assert_int_equal(record_decode(payload, &record), 0);
    assert_true(record.sequence == r->first + r->count);
    assert_true(record.values[0] == (double)(r->first + r->count));
    r->count++;
    return 0;
}

/* A segment that has the records first .. first + count - 1. */
static void check_segment(uint64_t number, uint64_t first, uint64_t count)
{
    char path[STORE_PATH_MAX];
    const struct store_file file = { STORE_FILE_LOG, number, 2 };
    struct reading reading = { .first = first };
    struct log_read read = { 0 };
    struct err err = { 0 };
    store_file_path(path, dir, &file);
    if (log_read(path, check_record, &reading, &read, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(read.end, LOG_WHOLE);
    assert_int_equal(read.kind, LOG_BATCHES);
    assert_true(read.number == number && reading.count == count);
}

static void records_have_sequences_one_after_the_other(void **state)
{
    (void)state;
    struct journal *journal = open_journal(7, 100);
    assert_true(journal_sequence(journal) == 99);
    for (int i = 0; i < 10; i++)
        assert_int_equal(append(journal, 100 + i), 0);
    assert_true(journal_sequence(journal) == 109);
    journal_close(journal);
    check_segment(7, 100, 10);
}

static void rotation_begins_the_next_segment(void **state)
{
    (void)state;
    struct journal *journal = open_journal(7, 1);
    struct journal_rotation rotation;
    struct journal_status status;
    struct err err = { 0 };
    bool is_bare = false;
    assert_int_equal(append(journal, 1), 0);
    journal_lock(journal);
    journal_has_names(journal);
    journal_unlock(journal);
    assert_int_equal(journal_rotate(journal, &rotation, &err), 0);
    assert_true(rotation.segment == 8 && rotation.sync_rc == 0);
    assert_int_equal(append(journal, 2), 0);
    assert_int_equal(append(journal, 3), 0);
    journal_status(journal, &status);
    assert_true(status.segment == 8 && status.records == 3 && status.failures == 0);
    assert_true(status.bytes_rotated > 0 && status.bytes_rotated < status.bytes);
    /* Names are those of the checkpoint that rotated. */
    journal_lock(journal);
    assert_int_equal(journal_ready(journal, &is_bare, &err), 0);
    journal_unlock(journal);
    assert_false(is_bare);
    journal_close(journal);
    check_segment(7, 1, 1);
    check_segment(8, 2, 2);
}

static void what_is_synced_is_not_synced_again(void **state)
{
    (void)state;
    AUTO(journal_close) struct journal *journal = open_journal(1, 1);
    struct journal_status status;
    assert_int_equal(append(journal, 1), 0);
    assert_int_equal(journal_sync(journal), 0);
    assert_int_equal(journal_sync(journal), 0);
    assert_int_equal(journal_sync_to(journal, 1), 0);
    journal_status(journal, &status);
    assert_true(status.syncs == 1);
    assert_int_equal(append(journal, 2), 0);
    assert_int_equal(journal_sync_to(journal, 1), 0); /* is durable already */
    journal_status(journal, &status);
    assert_true(status.syncs == 1);
    assert_int_equal(journal_sync_to(journal, 2), 0);
    journal_status(journal, &status);
    assert_true(status.syncs == 2);
}

static void a_segment_that_is_there_is_passed_over(void **state)
{
    (void)state;
    struct journal *journal = open_journal(7, 1);
    struct journal_rotation rotation = { 0 };
    struct journal_status status;
    struct err err = { 0 };
    directory_write(dir, "log-2-00000008", "of somebody", 11);
    assert_int_equal(journal_rotate(journal, &rotation, &err), -EEXIST);
    assert_non_null(strstr(err.text, "log-2-00000008"));
    assert_int_equal(append(journal, 1), 0);
    journal_status(journal, &status);
    assert_true(status.segment == 7);
    journal_close(journal);
    check_segment(7, 1, 1);
}

static void a_directory_that_is_not_there_is_reported(void **state)
{
    (void)state;
    const struct journal_options options = { .dir = "/tmp/baro-test.none/none",
                                             .segment = 1,
                                             .next_sequence = 1 };
    struct journal *journal = NULL;
    struct err err = { 0 };
    assert_int_equal(journal_open(&options, &journal, &err), -ENOENT);
    assert_null(journal);
    assert_non_null(strstr(err.text, "/tmp/baro-test.none/none/log-0-00000001"));
}

#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, make, remove_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_directory(records_have_sequences_one_after_the_other),
        in_a_directory(rotation_begins_the_next_segment),
        in_a_directory(what_is_synced_is_not_synced_again),
        in_a_directory(a_segment_that_is_there_is_passed_over),
        cmocka_unit_test(a_directory_that_is_not_there_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
