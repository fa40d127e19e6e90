/* SPDX-License-Identifier: Apache-2.0 */
/* test_row_read - a row of the operations' tables, column by column. */
#include "records/engine/row_read.h"

#include "base/span.h"
#include "base/test/testing.h"
#include "records/engine/test/scripted.h"
#include "records/tables/tables.h"

enum { READ_SAMPLES = 8, READ_SUM, WRITE_SAMPLES, WRITE_SUM, MORE };

static struct row_range range_of_reads_and_writes(void)
{
    return (struct row_range){ .kind = TARGET_OST,
                               .ops = UINT64_C(1) << OP_READ_BYTES |
                                      UINT64_C(1) << OP_WRITE_BYTES,
                               .with_more = true };
}

static struct server_names servers_of(struct server_name *name)
{
    *name = (struct server_name){ .server = 7, .name = SPAN("oss07") };
    return (struct server_names){ .names = name, .count = 1 };
}

static void every_column_is_read(void **state)
{
    (void)state;
    static const struct scripted_cell cells[SCRIPTED_COLUMNS_MAX] = {
        CELL_NUMBER(42),
        CELL_NUMBER(5000),
        CELL_NUMBER(4000),
        CELL_NUMBER(3000),
        CELL_NUMBER(1),
        CELL_NUMBER(7),
        CELL_NUMBER(4999000000),
        CELL_NUMBER(1000000000),
        [READ_SAMPLES] = CELL_NUMBER(3),
        [READ_SUM] = CELL_NUMBER(-1),
        [WRITE_SAMPLES] = CELL_NUMBER(0),
        [WRITE_SUM] = CELL_NULL,
        [MORE] = CELL_TEXT("{\"x\":1}"),
    };
    struct server_name name;
    const struct server_names servers = servers_of(&name);
    const struct row_range range = range_of_reads_and_writes();
    const struct sql_row row = scripted_row(cells);
    struct jobrow out;
    row_read(&row, &range, &servers, &out);
    assert_int_equal(row_sid(&row), 42);
    assert_int_equal(out.kind, TARGET_OST);
    assert_int_equal(out.t_ms, 5000);
    assert_int_equal(out.since_ms, 4000);
    assert_int_equal(out.previous_ms, 3000);
    assert_int_equal(out.reset, RESET_YES);
    assert_int_equal(out.snapshot_ns, 4999000000);
    assert_int_equal(out.start_ns, 1000000000);
    assert_true(span_is(out.server, "oss07"));
    assert_int_equal(out.samples[OP_READ_BYTES], 3);
    assert_true(out.sum[OP_READ_BYTES] == UINT64_MAX); /* 64 bits, whatever the sign */
    assert_true(span_is(out.more, "{\"x\":1}"));
    /* A zero is a counter, null is none. */
    assert_true(out.has_samples == range.ops);
    assert_true(out.has_sum == UINT64_C(1) << OP_READ_BYTES);
}

static void null_is_unknown(void **state)
{
    (void)state;
    static const struct scripted_cell cells[SCRIPTED_COLUMNS_MAX] = {
        CELL_NUMBER(1), CELL_NUMBER(5000)
    };
    struct server_name name;
    const struct server_names servers = servers_of(&name);
    const struct row_range range = range_of_reads_and_writes();
    const struct sql_row row = scripted_row(cells);
    struct jobrow out;
    row_read(&row, &range, &servers, &out);
    assert_int_equal(out.since_ms, T_NONE);
    assert_int_equal(out.previous_ms, T_NONE);
    assert_int_equal(out.reset, RESET_UNKNOWN);
    assert_int_equal(out.snapshot_ns, T_NONE);
    assert_int_equal(out.start_ns, T_NONE);
    assert_int_equal(out.server.size, 0);
    assert_true(out.has_samples == 0 && out.has_sum == 0);
    assert_null(out.more.data);
}

static void a_reset_of_zero_is_known_to_be_none(void **state)
{
    (void)state;
    static const struct scripted_cell cells[SCRIPTED_COLUMNS_MAX] = {
        CELL_NUMBER(1), CELL_NUMBER(5000), CELL_NULL, CELL_NULL, CELL_NUMBER(0)
    };
    const struct server_names none = { 0 };
    const struct row_range range = range_of_reads_and_writes();
    const struct sql_row row = scripted_row(cells);
    struct jobrow out;
    row_read(&row, &range, &none, &out);
    assert_int_equal(out.reset, RESET_NO);
}

static void a_row_reaches_back_as_its_times_say(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct scripted_cell cells[SCRIPTED_COLUMNS_MAX];
    } cases[] = {
        { "previous",
          { CELL_NUMBER(1), CELL_NUMBER(9000), CELL_NUMBER(8000), CELL_NUMBER(7000),
            CELL_NUMBER(0) } },
        { "start",
          { CELL_NUMBER(1), CELL_NUMBER(9000), CELL_NULL, CELL_NULL, CELL_NULL,
            CELL_NULL, CELL_NULL, CELL_NUMBER(2000000000) } },
        { "nothing", { CELL_NUMBER(1), CELL_NUMBER(9000) } },
    };
    const struct server_names none = { 0 };
    const struct row_range range = range_of_reads_and_writes();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct sql_row row = scripted_row(cases[i].cells);
        struct jobrow whole;
        row_read(&row, &range, &none, &whole);
        if (row_reach_ms(&row) != jobrow_reach_ms(&whole))
            fail_msg("%s: %lld", cases[i].name, (long long)row_reach_ms(&row));
    }
}

static void columns_are_those_that_are_read(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf sql = STRBUF_INIT;
    struct row_range range = range_of_reads_and_writes();
    row_columns_add(&sql, &range);
    assert_string_equal(strbuf_text(&sql),
                        "sid, \"timestamp\", since, previous, reset, server, "
                        "snapshot_time, start_time, \"read_bytes\", "
                        "\"read_bytes_sum\", \"write_bytes\", \"write_bytes_sum\", "
                        "more");
    /* No mask: all operations of the kind, and of no other. */
    strbuf_clear(&sql);
    range = (struct row_range){ .kind = TARGET_MDT };
    row_columns_add(&sql, &range);
    assert_non_null(strstr(strbuf_text(&sql), "\"open\", \"open_sum\""));
    assert_null(strstr(strbuf_text(&sql), "more"));
    size_t commas = 0;
    for (const char *c = strbuf_text(&sql); *c; c++)
        commas += *c == ',';
    assert_int_equal(commas,
                     7 + 2 * (size_t)__builtin_popcountll(schema_ops(TARGET_MDT)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_is_read),
        cmocka_unit_test(null_is_unknown),
        cmocka_unit_test(a_reset_of_zero_is_known_to_be_none),
        cmocka_unit_test(a_row_reaches_back_as_its_times_say),
        cmocka_unit_test(columns_are_those_that_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
