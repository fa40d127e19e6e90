/* SPDX-License-Identifier: Apache-2.0 */
/* test_engine - the writer's session when it ends in the middle of a transaction.
 *
 * It needs a server: BARO_TEST_POSTGRES, which tests/0200 sets.
 */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/postgres/postgres.h"
#include "records/postgres/statement.h"

static char schema[48];

static void server_run(const char *sql)
{
    PGconn *pg = PQconnectdb(getenv("BARO_TEST_POSTGRES"));
    AUTO_RESULT PGresult *result = PQexec(pg, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK &&
        PQresultStatus(result) != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(pg));
    PQfinish(pg);
}

/* Every session of ours but the one that ends them. */
static void sessions_end(void)
{
    server_run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE "
               "datname = current_database() AND application_name = 'barograph' AND "
               "pid <> pg_backend_pid()");
}

static int server_schema_make(void **state)
{
    char sql[96];
    (void)snprintf(schema, sizeof schema, "baro_engine_%d", (int)getpid());
    (void)snprintf(sql, sizeof sql, "CREATE SCHEMA %s", schema);
    *state = NULL;
    if (getenv("BARO_TEST_POSTGRES"))
        server_run(sql);
    return 0;
}

static int server_schema_drop(void **state)
{
    char sql[96];
    (void)state;
    (void)snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", schema);
    if (getenv("BARO_TEST_POSTGRES"))
        server_run(sql);
    return 0;
}

static struct records_backend *writer_open(void)
{
    const struct records_opts opts = { .access = RECORDS_WRITE,
                                       .connection = getenv("BARO_TEST_POSTGRES"),
                                       .schema = schema,
                                       .timeout_ns = 20 * INT64_C(1000000000) };
    struct records_backend *b = NULL;
    struct err err = { 0 };
    if (records_postgres.open(&opts, &b, &err) < 0)
        fail_msg("%s", err.text);
    return b;
}

static int64_t namespace_count(struct records_backend *b)
{
    struct sql_conn conn;
    int64_t count = -1;
    assert_int_equal(records_postgres.writer_sql(b, &conn, NULL), 0);
    assert_int_equal(
        sql_number(&conn, "SELECT count(*) FROM namespaces", NULL, 0, &count, NULL), 0);
    return count;
}

static void a_session_that_ends_in_a_transaction_is_not_replaced_within_it(void **state)
{
    (void)state;
    static const struct uuid ns = { .bytes = { 1 } }, other = { .bytes = { 2 } };
    if (!getenv("BARO_TEST_POSTGRES"))
        skip();
    struct records_backend *b = writer_open();
    struct sql_conn conn;
    struct uuid found_ns;
    bool found = false;
    assert_int_equal(records_postgres.begin(b, NULL), 0);
    assert_int_equal(records_postgres.writer_sql(b, &conn, NULL), 0);
    assert_int_equal(namespace_add(&conn, SPAN("scratch"), SPAN(""), &ns, NULL), 0);
    sessions_end();
    /* Whatever is tried fails: the first part of the transaction is lost. */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(records_postgres.writer_sql(b, &conn, NULL), 0);
        assert_int_equal(
            namespace_find(&conn, SPAN("scratch"), SPAN(""), &found, &found_ns, NULL),
            -EAGAIN);
        assert_int_equal(namespace_add(&conn, SPAN("home"), SPAN(""), &other, NULL),
                         -EAGAIN);
    }
    assert_true(records_postgres.commit(b, NULL) < 0);
    records_postgres.rollback(b);
    /* The next transaction has a session of its own, and nothing of the lost one. */
    assert_int_equal(namespace_count(b), 0);
    assert_int_equal(records_postgres.begin(b, NULL), 0);
    assert_int_equal(records_postgres.writer_sql(b, &conn, NULL), 0);
    assert_int_equal(namespace_add(&conn, SPAN("home"), SPAN(""), &other, NULL), 0);
    assert_int_equal(records_postgres.commit(b, NULL), 0);
    assert_int_equal(namespace_count(b), 1);
    records_postgres.close(b);
}

static void a_session_that_ends_between_transactions_is_made_again(void **state)
{
    (void)state;
    if (!getenv("BARO_TEST_POSTGRES"))
        skip();
    struct records_backend *b = writer_open();
    struct sql_conn conn;
    int64_t count = -1;
    sessions_end();
    /* The first statement finds it out, the next one is in a new session. */
    assert_int_equal(records_postgres.writer_sql(b, &conn, NULL), 0);
    (void)sql_number(&conn, "SELECT count(*) FROM series", NULL, 0, &count, NULL);
    assert_int_equal(records_postgres.writer_sql(b, &conn, NULL), 0);
    assert_int_equal(
        sql_number(&conn, "SELECT count(*) FROM series", NULL, 0, &count, NULL), 0);
    assert_int_equal(count, 0);
    records_postgres.close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_that_ends_between_transactions_is_made_again),
        cmocka_unit_test(
            a_session_that_ends_in_a_transaction_is_not_replaced_within_it),
    };
    return cmocka_run_group_tests(tests, server_schema_make, server_schema_drop);
}
