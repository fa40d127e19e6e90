/* SPDX-License-Identifier: Apache-2.0 */
/* test_statement - the statements of both engines, as SQLite runs them. */
#include "base/span.h"
#include "base/test/testing.h"
#include "records/sqlite/schema_sql.h"
#include "records/sqlite/statement.h"

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
    const struct sql_conn conn = sqlite_conn(db);
    assert_int_equal(sqlite3_set_authorizer(db, note_batches, &is_read), SQLITE_OK);
    assert_int_equal(identity_read(&conn, &identity, NULL), 0);
    assert_int_equal(identity.epoch, 3);
    assert_false(is_read);
    assert_int_equal(identity_read_arrived(&conn, &arrived_ms, NULL), 0);
    assert_int_equal(arrived_ms, 7);
    assert_true(is_read);
}

/* A database with our tables, in memory. */
static sqlite3 *tables_open(void)
{
    sqlite3 *db = NULL;
    struct err err = { 0 };
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    if (sqlite_migrate(db, &err) < 0)
        fail_msg("%s", err.text);
    return db;
}

static int text_gather(void *arg, const struct sql_row *row)
{
    struct span text = sql_row_text(row, 0);
    strbuf_add_span(arg, text.data ? text : SPAN("null"));
    strbuf_addc(arg, ';');
    return span_is(text, "enough");
}

static void values_go_in_and_rows_come_out(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    const struct sql_conn conn = sqlite_conn(db);
    const struct sql_value values[] = { sql_text(SPAN("a")),
                                        sql_text((struct span){ 0 }),
                                        sql_text(SPAN("enough")), sql_i64(7) };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    int64_t number = 0;
    assert_int_equal(sql_run(&conn,
                             "SELECT $1 UNION ALL SELECT $2 UNION ALL SELECT $3 "
                             "UNION ALL SELECT $4",
                             values, COUNT_OF(values), text_gather, &out, NULL),
                     0);
    assert_string_equal(strbuf_text(&out), "a;null;enough;");
    assert_int_equal(sql_number(&conn, "SELECT 40 + 2", NULL, 0, &number, NULL), 0);
    assert_int_equal(number, 42);
    assert_int_equal(sql_number(&conn, "SELECT 1 WHERE 0", NULL, 0, &number, NULL), 0);
    assert_int_equal(number, 42);
    struct err err = { 0 };
    assert_true(sql_number(&conn, "SELECT FROM", NULL, 0, &number, &err) < 0);
    assert_non_null(strstr(err.text, "syntax"));
}

static void a_batch_is_found_with_its_response(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = tables_open();
    const struct sql_conn conn = sqlite_conn(db);
    const struct uuid agent = { .bytes = { 1 } }, other = { .bytes = { 2 } };
    const struct stored_response response = { 5, 6, 7, "0:1,3:2" };
    struct stored_response back = { 0 };
    struct arena arena;
    bool found = true;
    arena_init(&arena, 0);
    assert_int_equal(batch_find(&conn, &agent, 1, &arena, &found, &back, NULL), 0);
    assert_false(found);
    assert_int_equal(batch_add(&conn, &agent, UINT64_MAX, 99, &response, NULL), 0);
    assert_int_equal(batch_find(&conn, &agent, UINT64_MAX, &arena, &found, &back, NULL),
                     0);
    assert_true(found);
    assert_true(back.accepted == 5 && back.duplicate == 6 && back.refused == 7);
    assert_string_equal(back.refusals, "0:1,3:2");
    assert_int_equal(batch_find(&conn, &other, UINT64_MAX, &arena, &found, &back, NULL),
                     0);
    assert_false(found);
    assert_true(batch_add(&conn, &agent, UINT64_MAX, 99, &response, NULL) < 0);
    arena_done(&arena);
}

static void a_server_has_one_number(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = tables_open();
    const struct sql_conn conn = sqlite_conn(db);
    int32_t first = 0, again = 0, other = 0;
    assert_int_equal(server_find(&conn, SPAN("oss01"), &first, NULL), 0);
    assert_int_equal(server_find(&conn, SPAN("oss02"), &other, NULL), 0);
    assert_int_equal(server_find(&conn, SPAN("oss01"), &again, NULL), 0);
    assert_int_equal(first, again);
    assert_int_not_equal(first, other);

    struct server_names names;
    server_names_init(&names);
    assert_int_equal(server_names_load(&names, &conn, NULL), 0);
    assert_true(span_is(server_names_find(&names, first), "oss01"));
    const char *text = server_names_find(&names, other).data;
    assert_int_equal(server_names_load(&names, &conn, NULL), 0);
    assert_ptr_equal(server_names_find(&names, other).data, text); /* nothing is new */
    assert_int_equal(server_names_find(&names, 0).size, 0);
    assert_int_equal(server_names_find(&names, 4711).size, 0);
    assert_int_equal(server_find(&conn, SPAN("oss03"), &again, NULL), 0);
    assert_int_equal(server_names_load(&names, &conn, NULL), 0);
    assert_true(span_is(server_names_find(&names, again), "oss03"));
    assert_int_equal(
        db_exec(db, "UPDATE servers SET name = 'x' WHERE name = 'oss01'", NULL), 0);
    assert_int_equal(server_names_load(&names, &conn, NULL), 0);
    assert_true(span_is(server_names_find(&names, first), "x"));
    /* The last one is gone: the database was restored from an earlier copy. */
    assert_int_equal(db_exec(db, "DELETE FROM servers WHERE name = 'oss03'", NULL), 0);
    assert_int_equal(server_names_load(&names, &conn, NULL), 0);
    assert_int_equal(server_names_find(&names, again).size, 0);
    server_names_done(&names);
}

static int name_gather(void *arg, struct span name)
{
    strbuf_add_span(arg, name);
    strbuf_addc(arg, ';');
    return 0;
}

static int count_up(void *arg, const struct uuid *ns)
{
    (void)ns;
    ++*(int *)arg;
    return 0;
}

static void a_namespace_is_of_one_file_system_and_format(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = tables_open();
    const struct sql_conn conn = sqlite_conn(db);
    const struct uuid one = { .bytes = { 1 } }, two = { .bytes = { 2 } };
    struct uuid back = { 0 };
    bool found = true;
    int count = 0;
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    assert_int_equal(namespace_find(&conn, SPAN("s"), SPAN("%j"), &found, &back, NULL),
                     0);
    assert_false(found);
    assert_int_equal(namespace_add(&conn, SPAN("s"), SPAN("%j"), &one, NULL), 0);
    assert_int_equal(namespace_add(&conn, SPAN("s"), SPAN("%j"), &two, NULL), 0);
    assert_int_equal(namespace_find(&conn, SPAN("s"), SPAN("%j"), &found, &back, NULL),
                     0);
    assert_true(found && back.bytes[0] == 1); /* the first one holds */
    assert_int_equal(namespace_add(&conn, SPAN("t"), SPAN("%j"), &one, NULL), -EEXIST);
    assert_int_equal(namespace_set(&conn, SPAN("t"), SPAN("%j"), &one, NULL), -EEXIST);
    assert_int_equal(namespace_set(&conn, SPAN("s"), SPAN("%j"), &two, NULL), 0);
    assert_int_equal(namespace_add(&conn, SPAN("s"), (struct span){ 0 }, &one, NULL),
                     0);
    assert_int_equal(namespace_find(&conn, SPAN("s"), SPAN(""), &found, &back, NULL),
                     0);
    assert_true(found && back.bytes[0] == 1); /* no format is the empty one */
    assert_int_equal(namespace_each(&conn, count_up, &count, NULL), 0);
    assert_int_equal(count, 2);

    assert_int_equal(namespace_names(&conn, &one, SPAN("s"), name_gather, &names, NULL),
                     0);
    assert_int_equal(
        namespace_names(&conn, &one, SPAN("new"), name_gather, &names, NULL), 0);
    assert_string_equal(strbuf_text(&names), "s;");
}

static void an_identity_advances_by_one_from_what_was_left(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = tables_open();
    const struct sql_conn conn = sqlite_conn(db);
    const struct uuid writer = { .bytes = { 9 } };
    struct database_identity identity;
    int64_t epoch = 0;
    assert_int_equal(identity_read(&conn, &identity, NULL), 0);
    assert_int_equal(identity.epoch, 0);
    assert_true(identity.arrived_ms == T_NONE);
    assert_int_equal(identity_advance(&conn, &identity, &writer, &epoch, NULL), 0);
    assert_int_equal(epoch, 1);
    assert_int_equal(identity_advance(&conn, &identity, &writer, &epoch, NULL),
                     -ESTALE);
    assert_int_equal(db_exec(db, "DELETE FROM records_identity", NULL), 0);
    assert_int_equal(identity_read(&conn, &identity, NULL), -EAGAIN);
    assert_int_equal(identity_advance(&conn, &identity, &writer, &epoch, NULL),
                     -EAGAIN);
}

static int hour_gather(void *arg, int64_t hour_ms, bool is_clean, int64_t changes)
{
    strbuf_addf(arg, "%lld%s %lld;", (long long)(hour_ms / ROLLUP_HOUR_MS),
                is_clean ? "" : "?", (long long)changes);
    return 0;
}

static void hours_are_those_of_a_kind_within_a_range(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = tables_open();
    const struct sql_conn conn = sqlite_conn(db);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    int64_t newest_ms = 0;
    assert_int_equal(hours_newest(&conn, TARGET_OST, &newest_ms, NULL), 0);
    assert_true(newest_ms == T_NONE);
    assert_int_equal(
        db_exec(
            db,
            "INSERT INTO rollup_hours VALUES ('ost', 7200000, 1, 0),"
            "('ost', 3600000, 0, 2), ('ost', 10800000, 1, 0), ('mdt', 36000000, 1, 0)",
            NULL),
        0);
    assert_int_equal(hours_newest(&conn, TARGET_OST, &newest_ms, NULL), 0);
    assert_int_equal(newest_ms, 3 * ROLLUP_HOUR_MS);
    assert_int_equal(hours_read(&conn, TARGET_OST, ROLLUP_HOUR_MS, 3 * ROLLUP_HOUR_MS,
                                hour_gather, &out, NULL),
                     0);
    assert_string_equal(strbuf_text(&out), "1? 2;2 0;");
}

static int row_count(void *arg, const struct scalar *row)
{
    struct strbuf *out = arg;
    strbuf_add_span(out, row[1].text);
    strbuf_addc(out, ';');
    return span_is(row[1].text, "2");
}

static void a_ledger_is_read_until_it_is_enough(void **state)
{
    (void)state;
    AUTO_DB sqlite3 *db = tables_open();
    const struct sql_conn conn = sqlite_conn(db);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct ledger_term terms[] = {
        { "cluster = @", SCALAR_TEXT, scalar_text(SPAN("alex")), false },
        { "start_ns > @ OR start_ns = @", SCALAR_I64, scalar_i64(0), false },
    };
    const struct ledger_query query = { .ledger = &ledger_jobs,
                                        .terms = terms,
                                        .term_count = COUNT_OF(terms),
                                        .order = "id" };
    assert_int_equal(
        db_exec(db,
                "INSERT INTO job_runs (cluster, id, start_ns, told_ms) VALUES "
                "('alex', '3', 1, 1), ('alex', '1', 0, 1), ('fritz', '0', 1, 1),"
                "('alex', '2', 5, 1)",
                NULL),
        0);
    assert_int_equal(ledger_select(&conn, &query, row_count, &out, NULL), 0);
    assert_string_equal(strbuf_text(&out), "1;2;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_identity_is_read_without_the_batches),
        cmocka_unit_test(values_go_in_and_rows_come_out),
        cmocka_unit_test(a_batch_is_found_with_its_response),
        cmocka_unit_test(a_server_has_one_number),
        cmocka_unit_test(a_namespace_is_of_one_file_system_and_format),
        cmocka_unit_test(an_identity_advances_by_one_from_what_was_left),
        cmocka_unit_test(hours_are_those_of_a_kind_within_a_range),
        cmocka_unit_test(a_ledger_is_read_until_it_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
