/* SPDX-License-Identifier: Apache-2.0 */
/* test_days - the tables of days: made, listed, dropped; the view over them. */
#include "base/test/testing.h"
#include "records/sqlite/days.h"
#include "records/sqlite/schema_sql.h"
#include "records/sqlite/statement.h"

static sqlite3 *tables_open(void)
{
    sqlite3 *db = NULL;
    struct err err = { 0 };
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    if (sqlite_migrate(db, &err) < 0)
        fail_msg("%s", err.text);
    return db;
}

static int64_t number_of(sqlite3 *db, const char *sql)
{
    int64_t number = -1;
    struct err err = { 0 };
    if (db_number(db, sql, &number, &err) < 0)
        fail_msg("%s", err.text);
    return number;
}

static void need(sqlite3 *db, struct day_list *days, int32_t day, int64_t span_ms)
{
    const struct day_span want = { day, span_ms };
    assert_int_equal(days_need(db, TARGET_OST, days, &want, NULL), 0);
}

static void days_are_made_in_any_order_and_listed_in_theirs(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = tables_open();
    const struct sql_conn conn = sqlite_conn(db);
    AUTO(day_list_done) struct day_list days = { 0 };
    AUTO(day_list_done) struct day_list again = { 0 };
    need(db, &days, 20261122, 5);
    need(db, &days, 20261120, 7);
    need(db, &days, 20261121, 9);
    need(db, &days, 20261121, 3); /* a smaller span changes nothing */
    need(db, &days, 20261122, 8);
    assert_int_equal(day_list_load(&again, &conn, TARGET_OST, 0, NULL), 0);
    assert_int_equal(again.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(again.days[i].day, 20261120 + (int)i);
        assert_int_equal(again.days[i].day, days.days[i].day);
        assert_int_equal(again.days[i].span_ms, days.days[i].span_ms);
    }
    assert_int_equal(day_list_find(&again, 20261121)->span_ms, 9);
    assert_int_equal(day_list_find(&again, 20261122)->span_ms, 8);
    assert_null(day_list_find(&again, 20261119));
    assert_int_equal(day_list_load(&again, &conn, TARGET_MDT, 0, NULL), 0);
    assert_int_equal(again.count, 0);
}

static void the_view_shows_the_days_that_are_there(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = tables_open();
    AUTO(day_list_done) struct day_list days = { 0 };
    assert_int_equal(number_of(db, "SELECT count(*) FROM jobstats_ost"), 0);
    need(db, &days, 20261120, 0);
    need(db, &days, 20261121, 0);
    assert_int_equal(
        db_exec(db,
                "INSERT INTO jobstats_ost_20261120 (timestamp, sid) VALUES (1, 1);"
                "INSERT INTO jobstats_ost_20261121 (timestamp, sid) VALUES (2, 1), "
                "(3, 1)",
                NULL),
        0);
    assert_int_equal(number_of(db, "SELECT count(*) FROM jobstats_ost"), 3);
    assert_int_equal(days_drop(db, TARGET_OST, &days, day_start_ms(20261121), NULL), 0);
    assert_int_equal(days.count, 1);
    assert_int_equal(number_of(db, "SELECT count(*) FROM jobstats_ost"), 2);
    assert_int_equal(number_of(db, "SELECT count(*) FROM jobstats_days"), 1);
    assert_int_equal(days_drop(db, TARGET_OST, &days, day_start_ms(20261122) - 1, NULL),
                     0);
    assert_int_equal(days.count, 1); /* a part of it is still within */
    assert_int_equal(days_drop(db, TARGET_OST, &days, INT64_MAX, NULL), 0);
    assert_int_equal(days.count, 0);
    assert_int_equal(number_of(db, "SELECT count(*) FROM jobstats_ost"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_are_made_in_any_order_and_listed_in_theirs),
        cmocka_unit_test(the_view_shows_the_days_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
