/* SPDX-License-Identifier: Apache-2.0 */
/* test_part - parts of tables: which keys each has, what their rows add up to. */
#include "base/span.h"
#include "base/test/testing.h"
#include "records/copy/part.h"

static const struct copy_table numbers = {
    .name = "series", .key = COPY_BY_NUMBER, .key_column = "sid", .width = 65536
};

static void each_key_is_in_one_part(void **state)
{
    (void)state;
    static const struct {
        int64_t key, floor, from, to;
    } cases[] = {
        { 0, INT64_MIN, 0, 65535 },
        { 65535, INT64_MIN, 0, 65535 },
        { 65536, 65536, 65536, 131071 },
        { -1, INT64_MIN, -65536, -1 },
        { -65536, INT64_MIN, -65536, -1 },
        { -65537, INT64_MIN, -131072, -65537 },
        { INT64_MAX, 0, INT64_MAX - 65535, INT64_MAX },
        { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN + 65535 },
        { 70000, 69999, 69999, 131071 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct copy_part part;
        copy_part_make(&numbers, cases[i].key, cases[i].floor, &part);
        assert_int_equal(part.from, cases[i].from);
        assert_int_equal(part.to, cases[i].to);
    }
}

static void a_width_that_divides_no_extreme_stays_in_range(void **state)
{
    (void)state;
    const struct copy_table days = { .name = "job_runs", .width = 86400000000000 };
    const int64_t keys[] = { INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX };
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        struct copy_part part;
        copy_part_make(&days, keys[i], INT64_MIN, &part);
        assert_true(part.from <= keys[i] && keys[i] <= part.to);
    }
}

static void days_of_either_side_are_parts_once(void **state)
{
    (void)state;
    const struct copy_table rows = { .name = "jobstats_ost",
                                     .key = COPY_BY_DAY,
                                     .kind = TARGET_OST };
    struct copy_side sides[2] = { 0 };
    AUTO(copy_part_list_done) struct copy_part_list list = { 0 };
    const int32_t from[] = { 20261119, 20261121 }, to[] = { 20261120, 20261121 };
    for (size_t i = 0; i < 2; i++) {
        const struct day_span a = { .day = from[i] }, b = { .day = to[i] };
        assert_int_equal(day_list_add(&sides[0].days[TARGET_OST], a), 0);
        assert_int_equal(day_list_add(&sides[1].days[TARGET_OST], b), 0);
    }
    assert_int_equal(copy_parts_find(&rows, sides, &list, NULL), 0);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.parts[0].name, "jobstats_ost 20261119");
    assert_string_equal(list.parts[2].name, "jobstats_ost 20261121");
    assert_int_equal(list.parts[1].to - list.parts[1].from, MS_PER_DAY - 1);
    day_list_done(&sides[0].days[TARGET_OST]);
    day_list_done(&sides[1].days[TARGET_OST]);
}

static void ids_have_a_part_for_each_first_byte(void **state)
{
    (void)state;
    const struct copy_table batches = { .name = "batches",
                                        .key = COPY_BY_ID_BYTE0,
                                        .key_column = "agent" };
    const struct copy_side sides[2] = { 0 };
    AUTO(copy_part_list_done) struct copy_part_list list = { 0 };
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    struct sql_value values[2];
    struct uuid ids[2];
    assert_int_equal(copy_parts_find(&batches, sides, &list, NULL), 0);
    assert_int_equal(list.count, 256);
    assert_int_equal(copy_part_where(&list.parts[0xc0], ids, values, &sql), 2);
    assert_string_equal(strbuf_text(&sql), " WHERE \"agent\" BETWEEN $1 AND $2");
    assert_int_equal(ids[0].bytes[0], 0xc0);
    assert_int_equal(ids[0].bytes[15], 0);
    assert_int_equal(ids[1].bytes[0], 0xc0);
    assert_int_equal(ids[1].bytes[15], 0xff);
}

static void every_table_has_its_columns_and_room_for_them(void **state)
{
    (void)state;
    AUTO(copy_tables_done) struct copy_tables tables = { 0 };
    assert_int_equal(copy_tables_make(&tables), 0);
    for (size_t i = 0; i < COPY_TABLE_COUNT; i++) {
        const struct copy_table *table = &tables.tables[i];
        bool has_key = table->key == COPY_WHOLE;
        assert_non_null(table->name);
        assert_in_range(table->column_count, 2, COPY_COLUMNS_MAX);
        for (size_t c = 0; c < table->column_count; c++)
            has_key = has_key || strcmp(table->columns[c].name, table->key_column) == 0;
        assert_true(has_key);
    }
}

/* ---- sums ---- */

/* Servers as a statement returns them; a NULL name and the number 0 are null. */
struct server {
    int64_t number;
    const char *name;
};
struct server_list {
    const struct server *servers;
    size_t count, given;
    char sql[64];
};

static int servers_run(void *conn, const char *sql, const struct sql_value *values,
                       size_t count, sql_row_fn *fn, void *arg, struct err *err);

static bool is_null(const struct sql_row *row, int column)
{
    const struct server *server = row->result;
    return column == 0 ? server->number == 0 : server->name == NULL;
}

static struct span name_of(const struct sql_row *row, int column)
{
    const struct server *server = row->result;
    assert_int_equal(column, 1);
    return span_of(server->name);
}

static int64_t number_of(const struct sql_row *row, int column)
{
    const struct server *server = row->result;
    assert_int_equal(column, 0);
    return server->number;
}

static const struct sql_dialect servers_dialect = {
    .run = servers_run, .is_null = is_null, .text = name_of, .i64 = number_of
};

static int servers_run(void *conn, const char *sql, const struct sql_value *values,
                       size_t count, sql_row_fn *fn, void *arg, struct err *err)
{
    struct server_list *list = conn;
    int rc = 0;
    (void)values, (void)count, (void)err;
    (void)snprintf(list->sql, sizeof list->sql, "%s", sql);
    for (size_t i = 0; i < list->count && rc == 0; i++) {
        const struct sql_row row = { &servers_dialect, &list->servers[i], 0 };
        list->given++;
        rc = fn(arg, &row);
    }
    return rc;
}

static struct bulk_column two[] = { { "server", BULK_I32 }, { "name", BULK_TEXT } };
static const struct copy_table servers = { .name = "servers",
                                           .columns = two,
                                           .column_count = 2 };

static struct copy_sum sum_of(const struct server *rows, size_t count)
{
    struct server_list list = { .servers = rows, .count = count };
    const struct copy_side side = { .sql = { &servers_dialect, &list } };
    const struct copy_part part = { .table = &servers };
    struct copy_sum sum;
    assert_int_equal(copy_part_read(&part, &side, NULL, NULL, &sum, NULL), 0);
    assert_string_equal(list.sql, "SELECT \"server\", \"name\" FROM servers");
    assert_int_equal(sum.count, count);
    return sum;
}

static void a_sum_does_not_depend_on_the_order_of_rows(void **state)
{
    (void)state;
    static const struct server there[] = { { 1, "oss01" }, { 2, "oss02" } };
    static const struct server back[] = { { 2, "oss02" }, { 1, "oss01" } };
    struct copy_sum a = sum_of(there, 2), b = sum_of(back, 2);
    assert_true(copy_sum_eq(&a, &b));
    b.span_ms = 1;
    assert_false(copy_sum_eq(&a, &b));
}

static void a_value_that_moves_or_changes_is_another_sum(void **state)
{
    (void)state;
    static const struct server base[] = { { 1, "a" }, { 2, "b" } };
    static const struct server others[][2] = {
        { { 1, "b" }, { 2, "a" } }, { { 1, "a" }, { 2, NULL } },
        { { 1, "a" }, { 2, "" } },  { { 1, "a" }, { 0, "b" } },
        { { 1, "a" }, { 3, "b" } }, { { 1, "a" }, { 1, "a" } },
    };
    const struct copy_sum sum = sum_of(base, 2);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct copy_sum other = sum_of(others[i], 2);
        assert_false(copy_sum_eq(&sum, &other));
    }
}

static void a_day_that_a_side_has_not_is_empty(void **state)
{
    (void)state;
    const struct copy_table rows = { .name = "jobstats_ost", .key = COPY_BY_DAY };
    const struct copy_part part = { .table = &rows, .day = 20261121 };
    const struct copy_side side = { 0 };
    struct copy_sum sum = { .count = 9 };
    assert_int_equal(copy_part_read(&part, &side, NULL, NULL, &sum, NULL), 0);
    assert_int_equal(sum.count, 0);
}

static int row_refuse(void *arg, const struct bulk_value *values)
{
    *(int64_t *)arg = values[0].i64;
    return -ENOSPC;
}

static void a_reading_ends_with_the_error_of_its_callback(void **state)
{
    (void)state;
    static const struct server cells[] = { { 7, "a" }, { 8, "b" } };
    struct server_list list = { .servers = cells, .count = 2 };
    const struct copy_side side = { .sql = { &servers_dialect, &list } };
    const struct copy_part part = { .table = &servers };
    struct copy_sum sum;
    int64_t got = 0;
    assert_int_equal(copy_part_read(&part, &side, row_refuse, &got, &sum, NULL),
                     -ENOSPC);
    assert_int_equal(got, 7);
    assert_int_equal(list.given, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_is_in_one_part),
        cmocka_unit_test(a_width_that_divides_no_extreme_stays_in_range),
        cmocka_unit_test(days_of_either_side_are_parts_once),
        cmocka_unit_test(ids_have_a_part_for_each_first_byte),
        cmocka_unit_test(every_table_has_its_columns_and_room_for_them),
        cmocka_unit_test(a_sum_does_not_depend_on_the_order_of_rows),
        cmocka_unit_test(a_value_that_moves_or_changes_is_another_sum),
        cmocka_unit_test(a_day_that_a_side_has_not_is_empty),
        cmocka_unit_test(a_reading_ends_with_the_error_of_its_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
