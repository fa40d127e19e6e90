/* SPDX-License-Identifier: Apache-2.0 */
/* test_identity - the identity is read without the batches. */
#include "base/test/testing.h"
#include "records/sqlite/identity.h"

static int note_batches(void *arg, int action, const char *table, const char *column,
                        const char *database, const char *trigger)
{
    bool *is_read = arg;
    (void)column;
    (void)database;
    (void)trigger;
    if (action == SQLITE_READ && strcmp(table, "batches") == 0)
        *is_read = true;
    return SQLITE_OK;
}

/* It is read in every second transaction: batches has no index of arrivals, and
 * millions of rows. */
static void an_identity_is_read_without_the_batches(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = NULL;
    struct database_identity identity = { .arrived_ms = 0 };
    bool is_read = false;
    int64_t arrived_ms = 0;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(
        db_exec(
            db,
            "CREATE TABLE batches (arrived INTEGER); "
            "CREATE TABLE records_identity (id BLOB, epoch INTEGER, writer BLOB);"
            "INSERT INTO batches VALUES (5), (7), (6);"
            "INSERT INTO records_identity VALUES (randomblob(16), 3, randomblob(16))",
            NULL),
        0);
    assert_int_equal(sqlite3_set_authorizer(db, note_batches, &is_read), SQLITE_OK);
    assert_int_equal(sqlite_identity_read(db, &identity, NULL), 0);
    assert_int_equal(identity.epoch, 3);
    assert_false(is_read);
    assert_int_equal(sqlite_identity_arrived(db, &arrived_ms, NULL), 0);
    assert_int_equal(arrived_ms, 7);
    assert_true(is_read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_identity_is_read_without_the_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
