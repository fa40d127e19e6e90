/* SPDX-License-Identifier: Apache-2.0 */
/* test_statement - what readers of a result ask of the engine. */
#include "base/span.h"
#include "base/test/testing.h"
#include "records/engine/hours.h"
#include "records/engine/identity_row.h"
#include "records/engine/names.h"
#include "records/engine/server_names.h"

/* A connection that gives each statement so many rows, and notes what was returned. */
struct played {
    size_t row_count;
    size_t more; /* with each statement */
    size_t given;
    int returned; /* the last that was not 0 */
};

static int played_run(void *conn, const char *sql, const struct sql_value *values,
                      size_t count, sql_row_fn *fn, void *arg, struct err *err);

static bool played_is_null(const struct sql_row *row, int column)
{
    (void)row, (void)column;
    return false;
}

static struct span played_text(const struct sql_row *row, int column)
{
    (void)row, (void)column;
    return SPAN("name");
}

static int64_t played_number(const struct sql_row *row, int column)
{
    (void)column;
    return row->index + 1;
}

static double played_double(const struct sql_row *row, int column)
{
    (void)row, (void)column;
    return 1;
}

static int played_uuid(const struct sql_row *row, int column, struct uuid *ret)
{
    (void)row, (void)column;
    *ret = (struct uuid){ .bytes = { 1 } };
    return 0;
}

static const struct sql_dialect played_dialect = {
    .run = played_run,
    .is_null = played_is_null,
    .text = played_text,
    .i64 = played_number,
    .dbl = played_double,
    .time = played_number,
    .uuid = played_uuid,
};

static int played_run(void *conn, const char *sql, const struct sql_value *values,
                      size_t count, sql_row_fn *fn, void *arg, struct err *err)
{
    struct played *played = conn;
    (void)sql, (void)values, (void)count, (void)err;
    for (size_t i = 0; fn && i < played->row_count; i++) {
        const struct sql_row row = { &played_dialect, NULL, (int)i };
        int rc = fn(arg, &row);
        played->given++;
        if (rc == 0)
            continue;
        played->returned = rc;
        return rc < 0 ? rc : 0;
    }
    played->row_count += played->more;
    return 0;
}

/* To stop a statement PostgreSQL is sent a cancel, by a connection and a process of its
 * own, while the writer's transaction goes on. */
static void a_single_row_is_read_without_stopping_its_statement(void **state)
{
    (void)state;
    struct played played = { .row_count = 1 };
    const struct sql_conn conn = { &played_dialect, &played };
    struct err err = { 0 };
    int64_t number = 0;
    int32_t server = 0;
    struct database_identity identity;
    assert_int_equal(sql_number(&conn, "", NULL, 0, &number, &err), 0);
    assert_int_equal(number, 1);
    assert_int_equal(hours_newest(&conn, TARGET_OST, &number, &err), 0);
    assert_int_equal(identity_read(&conn, &identity, &err), 0);
    assert_int_equal(identity_read_arrived(&conn, &number, &err), 0);
    assert_int_equal(server_find(&conn, SPAN("oss01"), &server, &err), 0);
    assert_int_equal(server, 1);
    const struct database_identity left = { .id = { .bytes = { 1 } }, .epoch = 0 };
    assert_int_equal(identity_advance(&conn, &left, &left.id, &number, &err), 0);
    assert_int_equal(played.given, 6);
    assert_int_equal(played.returned, 0);
}

static void no_row_leaves_a_number_as_it_was(void **state)
{
    (void)state;
    struct played played = { 0 };
    const struct sql_conn conn = { &played_dialect, &played };
    struct err err = { 0 };
    int64_t number = -7;
    struct database_identity identity;
    assert_int_equal(sql_number(&conn, "", NULL, 0, &number, &err), 0);
    assert_int_equal(number, -7);
    assert_int_equal(hours_newest(&conn, TARGET_OST, &number, &err), 0);
    assert_int_equal(number, T_NONE);
    assert_int_equal(identity_read(&conn, &identity, &err), -EAGAIN);
}

static void servers_that_come_meanwhile_are_left_out(void **state)
{
    (void)state;
    struct played played = { .row_count = 2, .more = 1 };
    const struct sql_conn conn = { &played_dialect, &played };
    struct err err = { 0 };
    struct server_names names;
    server_names_init(&names);
    assert_int_equal(server_names_load(&names, &conn, &err), 0);
    assert_int_equal(names.count, 2);
    assert_int_equal(played.given, 5);
    assert_int_equal(played.returned, 0);
    assert_true(span_is(server_names_find(&names, 2), "name"));
    assert_int_equal(server_names_find(&names, 3).size, 0);
    server_names_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_row_is_read_without_stopping_its_statement),
        cmocka_unit_test(no_row_leaves_a_number_as_it_was),
        cmocka_unit_test(servers_that_come_meanwhile_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
