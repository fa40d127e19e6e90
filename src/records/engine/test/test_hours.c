/* SPDX-License-Identifier: Apache-2.0 */
/* test_hours - the state of an hour, and its cells column by column. */
#include "records/engine/hours.h"

#include "base/span.h"
#include "base/test/testing.h"
#include "records/engine/cell_read.h"
#include "records/engine/test/scripted.h"

static void a_ticket_holds_until_rows_came(void **state)
{
    (void)state;
    static const struct scripted_cell rows[][SCRIPTED_COLUMNS_MAX] = {
        { CELL_NUMBER(7) },
    };
    static const struct {
        int64_t ticket;
        size_t row_count;
        int want;
    } cases[] = {
        { 7, 1, 0 },       { 6, 1, -ESTALE },
        { 8, 1, -ESTALE }, { 7, 0, -ESTALE }, /* the hour was dropped */
        { 0, 0, -ESTALE },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(scripted_done)
        struct scripted script = { .rows = rows, .row_count = cases[i].row_count };
        const struct sql_conn conn = scripted_conn(&script);
        struct err err = { 0 };
        int rc = hour_check_ticket(&conn, TARGET_OST, 3600000, cases[i].ticket,
                                   " FOR SHARE", &err);
        if (rc != cases[i].want || (rc < 0) != (*err.text != '\0'))
            fail_msg("case %zu: %d %s", i, rc, err.text);
        assert_non_null(strstr(strbuf_text(&script.sql), "hour = $2 FOR SHARE"));
        assert_true(span_is(script.values[0].text, "ost"));
        assert_int_equal(script.values[1].i64, 3600000);
    }
}

static void an_hour_that_begins_gives_its_ticket(void **state)
{
    (void)state;
    static const struct scripted_cell rows[][SCRIPTED_COLUMNS_MAX] = {
        { CELL_NUMBER(12) },
    };
    AUTO(scripted_done) struct scripted script = { .rows = rows, .row_count = 1 };
    const struct sql_conn conn = scripted_conn(&script);
    int64_t ticket = 0;
    assert_int_equal(hour_begin(&conn, TARGET_MDT, 7200000, &ticket, NULL), 0);
    assert_int_equal(ticket, 12);
    script.fails = -EAGAIN;
    ticket = 3;
    assert_int_equal(hour_begin(&conn, TARGET_MDT, 7200000, &ticket, NULL), -EAGAIN);
    assert_int_equal(ticket, 3);
}

static void edges_of_no_hours_are_none(void **state)
{
    (void)state;
    static const struct scripted_cell none[][SCRIPTED_COLUMNS_MAX] = { { CELL_NULL } };
    static const struct scripted_cell one[][SCRIPTED_COLUMNS_MAX] = { { CELL_NUMBER(
        3600000) } };
    AUTO(scripted_done) struct scripted script = { .rows = none, .row_count = 1 };
    const struct sql_conn conn = scripted_conn(&script);
    int64_t hour_ms = 0;
    assert_int_equal(hours_oldest(&conn, TARGET_OST, &hour_ms, NULL), 0);
    assert_int_equal(hour_ms, T_NONE);
    assert_non_null(strstr(strbuf_text(&script.sql), "min(hour)"));
    script.rows = one;
    assert_int_equal(hours_newest(&conn, TARGET_OST, &hour_ms, NULL), 0);
    assert_int_equal(hour_ms, 3600000);
    assert_non_null(strstr(strbuf_text(&script.sql), "max(hour)"));
}

static void deletions_name_the_table_of_their_kind(void **state)
{
    (void)state;
    AUTO(scripted_done) struct scripted script = { 0 };
    const struct sql_conn conn = scripted_conn(&script);
    assert_int_equal(hour_delete_cells(&conn, TARGET_MDT, 1, NULL), 0);
    assert_string_equal(strbuf_text(&script.sql),
                        "DELETE FROM rollup_mdt WHERE hour = $1");
    assert_int_equal(script.values[0].type, SQL_VALUE_TIME);
    assert_int_equal(hour_delete_state(&conn, TARGET_MDT, 1, NULL), 0);
    assert_non_null(strstr(strbuf_text(&script.sql), "rollup_hours"));
    assert_int_equal(hour_end(&conn, TARGET_MDT, 1, NULL), 0);
    assert_non_null(strstr(strbuf_text(&script.sql), "is_clean = true"));
}

static void every_column_of_a_cell_is_read(void **state)
{
    (void)state;
    static const struct scripted_cell cells[SCRIPTED_COLUMNS_MAX] = {
        CELL_NUMBER(3600000),
        CELL_NUMBER(5),
        CELL_NUMBER(2),
        CELL_NUMBER(7),
        CELL_NUMBER(3500000),
        CELL_NUMBER(7000000),
        CELL_NUMBER(9),
        CELL_NUMBER(100),
        CELL_NUMBER(11),
        CELL_NULL,
        CELL_NUMBER(3),
        CELL_NUMBER(-1),
        CELL_NULL,
    };
    struct server_name name = { .server = 7, .name = SPAN("oss07") };
    const struct server_names servers = { .names = &name, .count = 1 };
    /* Samples of reads, sums of reads and writes: three columns. */
    const struct cell_range range = { .kind = TARGET_OST,
                                      .samples = UINT64_C(1) << OP_READ_BYTES,
                                      .sums = UINT64_C(1) << OP_READ_BYTES |
                                              UINT64_C(1) << OP_WRITE_BYTES };
    const struct sql_row row = scripted_row(cells);
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    struct rollup_cell cell;
    cell_read(&row, &range, &servers, &cell);
    assert_int_equal(cell.hour_ms, 3600000);
    assert_int_equal(cell.sid, 5);
    assert_int_equal(cell.part, 2);
    assert_true(span_is(cell.server, "oss07"));
    assert_int_equal(cell.since_ms, 3500000);
    assert_int_equal(cell.t_ms, 7000000);
    assert_int_equal(cell.flags, 9);
    assert_int_equal(cell.count, 100);
    assert_int_equal(cell.missing_samples, 11);
    assert_int_equal(cell.missing_sum, 0); /* null is zero */
    assert_int_equal(cell.samples[OP_READ_BYTES], 3);
    assert_true(cell.sum[OP_READ_BYTES] == UINT64_MAX);
    assert_int_equal(cell.sum[OP_WRITE_BYTES], 0);
    cell_columns_add(&sql, &range);
    assert_string_equal(strbuf_text(&sql),
                        "hour, sid, part, server, since, \"timestamp\", flags, count, "
                        "missing, missing_sum, \"read_bytes\", \"read_bytes_sum\", "
                        "\"write_bytes_sum\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ticket_holds_until_rows_came),
        cmocka_unit_test(an_hour_that_begins_gives_its_ticket),
        cmocka_unit_test(edges_of_no_hours_are_none),
        cmocka_unit_test(deletions_name_the_table_of_their_kind),
        cmocka_unit_test(every_column_of_a_cell_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
