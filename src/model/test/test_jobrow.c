/* SPDX-License-Identifier: Apache-2.0 */
/* test_jobrow - which number of an operation goes where in a row. */
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "model/jobrow.h"

#include <errno.h>

enum { ALL = 63 };

static struct op_stat stat_of(const char *name, enum op_unit unit, unsigned has)
{
    return (struct op_stat){
        .name = span_of(name),
        .unit = unit,
        .has = has,
        .samples = 7,
        .min = 1,
        .max = 4,
        .sum = UINT64_MAX,
        .sumsq = 30,
        .hist = SPAN("32K: 1, 1M: 5"),
    };
}

static void operations_land_by_name_and_unit(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum op_unit unit;
        unsigned has;
        int column; /* OP_NONE: more */
        const char *more;
    } cases[] = {
        { "open", OP_UNIT_REQS, OP_HAS_SAMPLES, OP_OPEN, "" },
        { "read", OP_UNIT_BYTES, OP_HAS_SAMPLES | OP_HAS_SUM, OP_READ_BYTES, "" },
        { "read", OP_UNIT_USECS, OP_HAS_SAMPLES | OP_HAS_SUM | OP_HAS_MAX, OP_READ,
          "{\"read\":{\"max\":4}}" },
        { "write_bytes", OP_UNIT_BYTES, ALL, OP_WRITE_BYTES,
          "{\"write_bytes\":{\"min\":1,\"max\":4,\"sumsq\":30,"
          "\"hist\":\"32K: 1, 1M: 5\"}}" },
        { "punch", OP_UNIT_NONE, OP_HAS_SAMPLES, OP_NONE,
          "{\"punch\":{\"samples\":7}}" },
        { "say \"hi\"", OP_UNIT_REQS, OP_HAS_SAMPLES | OP_HAS_SUM, OP_NONE,
          "{\"say \\\"hi\\\"\":{\"samples\":7,\"unit\":\"reqs\","
          "\"sum\":18446744073709551615}}" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jobrow row = { 0 };
        AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
        AUTO(arena_done) struct arena arena;
        arena_init(&arena, 0);
        struct op_stat stat = stat_of(cases[i].name, cases[i].unit, cases[i].has);
        jobrow_add_op(&row, &stat, &more);
        assert_int_equal(jobrow_set_more(&row, &more, &arena), 0);
        uint64_t want = cases[i].column == OP_NONE ? 0 : UINT64_C(1) << cases[i].column;
        if (row.has_samples != want || !span_is(row.more, cases[i].more))
            fail_msg("%s: mask %llx, more " SPAN_FMT, cases[i].name,
                     (unsigned long long)row.has_samples, SPAN_ARG(row.more));
        if (want && cases[i].has & OP_HAS_SUM)
            assert_true(row.sum[cases[i].column] == UINT64_MAX);
    }
}

static void what_never_happened_leaves_nothing_in_more(void **state)
{
    (void)state;
    struct jobrow row = { 0 };
    AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
    struct op_stat known = stat_of("sync", OP_UNIT_USECS, ALL);
    known.samples = 0;
    jobrow_add_op(&row, &known, &more);
    assert_int_equal(more.size, 0);
    struct op_stat unknown = stat_of("prefetch", OP_UNIT_REQS, OP_HAS_SAMPLES);
    unknown.samples = 0;
    jobrow_add_op(&row, &unknown, &more);
    assert_string_equal(strbuf_text(&more),
                        "{\"prefetch\":{\"samples\":0,\"unit\":\"reqs\"}");
}

static void an_operation_printed_twice_counts_once(void **state)
{
    (void)state;
    struct jobrow row = { 0 };
    AUTO(strbuf_done) struct strbuf more = STRBUF_INIT;
    struct op_stat stat = stat_of("punch", OP_UNIT_REQS, OP_HAS_SAMPLES | OP_HAS_MAX);
    jobrow_add_op(&row, &stat, &more);
    stat.samples = 99;
    jobrow_add_op(&row, &stat, &more);
    jobrow_add_op(&row, &stat, &more);
    assert_true(row.samples[OP_PUNCH] == 7);
    assert_string_equal(strbuf_text(&more), "{\"punch\":{\"max\":4}");
    /* The old and the new name of one column in one entry: both are kept. */
    struct op_stat old = stat_of("read", OP_UNIT_BYTES, OP_HAS_SAMPLES);
    struct op_stat new = stat_of("read_bytes", OP_UNIT_BYTES, OP_HAS_SAMPLES);
    jobrow_add_op(&row, &old, &more);
    jobrow_add_op(&row, &new, &more);
    assert_string_equal(
        strbuf_text(&more),
        "{\"punch\":{\"max\":4},\"read_bytes\":{\"samples\":7,\"unit\":\"bytes\"}");
}

static void counters_differ_where_any_number_does(void **state)
{
    (void)state;
    struct jobrow a = { .more = SPAN("{}") };
    struct jobrow b = a;
    b.t_ms = 5;
    b.has_samples = 1; /* an operation that is new, with zero samples */
    assert_true(jobrow_same_counters(&a, &b));
    b.sum[OP_READ_BYTES] = 1;
    assert_false(jobrow_same_counters(&a, &b));
    b = a;
    b.samples[OP_COUNT - 1] = 1;
    assert_false(jobrow_same_counters(&a, &b));
    b = a;
    b.more = SPAN("{\"x\":1}");
    assert_false(jobrow_same_counters(&a, &b));
}

static void a_batch_grows_to_its_limits_and_keeps_its_rows(void **state)
{
    (void)state;
    AUTO(jobbatch_done) struct jobbatch batch;
    jobbatch_init(&batch, 0);
    for (size_t i = 0; i < JOBBATCH_ROWS_MAX; i++) {
        struct jobrow *row = jobbatch_add_row(&batch);
        assert_non_null(row);
        assert_true(row->since_ms == T_NONE && row->start_ns == T_NONE);
        row->t_ms = (int64_t)i;
    }
    assert_null(jobbatch_add_row(&batch));
    assert_int_equal(batch.row_count, JOBBATCH_ROWS_MAX);
    for (size_t i = 0; i < batch.row_count; i++)
        assert_true(batch.rows[i].t_ms == (int64_t)i);

    AUTO(jobbatch_done) struct jobbatch small;
    jobbatch_init(&small, 200000);
    size_t count = 0;
    while (jobbatch_add_row(&small))
        count++;
    assert_true(count > 0 && count < 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_land_by_name_and_unit),
        cmocka_unit_test(what_never_happened_leaves_nothing_in_more),
        cmocka_unit_test(an_operation_printed_twice_counts_once),
        cmocka_unit_test(counters_differ_where_any_number_does),
        cmocka_unit_test(a_batch_grows_to_its_limits_and_keeps_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
