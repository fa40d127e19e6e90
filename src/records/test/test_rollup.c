/* SPDX-License-Identifier: Apache-2.0 */
/* test_rollup - hours and their cells: what is stored, and when it is believed. */
#include "base/span.h"
#include "records/test/fixture.h"

#define OST1 "scratch-OST0001"
#define JOB_A "11317854:17627127:r01c01"
#define JOB_B "11317855:17627127:r01c02"

static const int64_t now_ms = T0_MS + 12 * MS_PER_HOUR;

#define EACH_ENGINE(f)                                                       \
    for (size_t engine_ = 0; engine_ < fixture_engine_count(); engine_++)    \
        for (struct fixture f,                                               \
             *once_ = (fixture_start(&f, fixture_engines[engine_], ""), &f); \
             once_; fixture_stop(once_), once_ = NULL)

static int64_t hour(int n)
{
    return T0_MS + n * ROLLUP_HOUR_MS;
}

static void put_row(struct fixture *f, const char *id, int64_t t_ms)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    jobbatch_init(&batch, 0);
    fixture_count(fixture_row(&batch, OST1, id, t_ms), OP_WRITE, 1);
    assert_int_equal(fixture_put(f, &batch, now_ms).accepted, 1);
}

static int print_hour(void *arg, int64_t hour_ms, bool is_clean, int64_t changes)
{
    (void)changes;
    strbuf_addf(arg, "%s%lld", is_clean ? " " : " !",
                (long long)((hour_ms - T0_MS) / ROLLUP_HOUR_MS));
    return 0;
}

static void expect_hours(struct fixture *f, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    if (records_read_hours(f->reader, TARGET_OST, hour(0), hour(24), print_hour, &text,
                           &err) < 0)
        fail_msg("%s", err.text);
    strbuf_add(&text, "", 1);
    assert_string_equal(strbuf_text(&text), want);
}

static int print_cell(void *arg, const struct rollup_cell *cell)
{
    strbuf_addf(arg,
                "%lld %lld.%u " SPAN_FMT " %lld..%lld f=%x n=%llu m=%llx/%llx "
                "w=%llu/%llu p=%llu\n",
                (long long)cell->sid, (long long)((cell->hour_ms - T0_MS) / 3600000),
                cell->part, SPAN_ARG(cell->server), (long long)(cell->since_ms - T0_MS),
                (long long)(cell->t_ms - T0_MS), cell->flags,
                (unsigned long long)cell->count,
                (unsigned long long)cell->missing_samples,
                (unsigned long long)cell->missing_sum,
                (unsigned long long)cell->samples[OP_WRITE_BYTES],
                (unsigned long long)cell->sum[OP_WRITE_BYTES],
                (unsigned long long)cell->samples[OP_PUNCH]);
    return 0;
}

static void expect_cells(struct fixture *f, const struct cell_range *range,
                         const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    if (records_read_cells(f->reader, range, print_cell, &text, &err) < 0)
        fail_msg("%s", err.text);
    strbuf_add(&text, "", 1);
    assert_string_equal(strbuf_text(&text), want);
}

static struct records_roller *roller_of(struct fixture *f)
{
    struct records_roller *roller = NULL;
    struct err err = { 0 };
    if (records_roller_open(f->records, &roller, &err) < 0)
        fail_msg("%s", err.text);
    return roller;
}

static int64_t begin(struct records_roller *roller, int n)
{
    struct err err = { 0 };
    int64_t ticket = 0;
    if (records_roller_begin(roller, TARGET_OST, hour(n), &ticket, &err) < 0)
        fail_msg("%s", err.text);
    return ticket;
}

static int put(struct records_roller *roller, int n, int64_t ticket,
               const struct rollup_cell *cells, size_t count)
{
    return records_roller_put(roller, TARGET_OST, hour(n), ticket, cells, count, NULL);
}

static int end(struct records_roller *roller, int n, int64_t ticket)
{
    return records_roller_end(roller, TARGET_OST, hour(n), ticket, NULL);
}

static void make(struct records_roller *roller, int n)
{
    struct rollup_cell cell = { .hour_ms = hour(n), .sid = 1, .count = 1 };
    int64_t ticket = begin(roller, n);
    assert_int_equal(put(roller, n, ticket, &cell, 1), 0);
    assert_int_equal(end(roller, n, ticket), 0);
}

/* Of one hour, with values at the borders of what a cell can hold. */
static void three_cells(struct rollup_cell cells[static 3])
{
    cells[0] = (struct rollup_cell){ hour(1),   7,           0,     SPAN("oss01"),
                                     T0_MS - 5, hour(1) + 9, 0x12,  1,
                                     0,         0,           { 0 }, { 0 } };
    cells[1] =
        (struct rollup_cell){ hour(1), 7,    1,          { 0 }, hour(1) + 1,
                              hour(2), 0,    UINT64_MAX, 5,     UINT64_C(1) << 63,
                              { 0 },   { 0 } };
    cells[1].samples[OP_WRITE_BYTES] = 11;
    cells[1].sum[OP_WRITE_BYTES] = UINT64_MAX;
    cells[1].samples[OP_PUNCH] = UINT64_C(1) << 63;
    cells[2] =
        (struct rollup_cell){ hour(1), 9, 0, SPAN("oss01"), hour(1) + 2, hour(2), 0,
                              3,       0, 0, { 0 },         { 0 } };
    cells[2].samples[OP_PUNCH] = 3;
}

/* ---- */

/* Chosen series, hours and operations; and the hour begun again. */
static void expect_chosen(struct fixture *f, struct cell_range range,
                          struct records_roller *roller)
{
    range.from_ms = hour(1);
    range.sums = 0;
    range.samples = UINT64_C(1) << OP_PUNCH;
    const int64_t sids[] = { 3, 9 };
    range.sids = sids;
    range.sid_count = COUNT_OF(sids);
    expect_cells(f, &range, "9 1.0 oss01 3600002..7200000 f=0 n=3 m=0/0 w=0/0 p=3\n");
    range.kind = TARGET_MDT;
    expect_cells(f, &range, "");
    (void)begin(roller, 1);
    range.kind = TARGET_OST;
    expect_cells(f, &range, "");
}

static void cells_come_back_as_they_were_put(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        AUTO(records_roller_close) struct records_roller *roller = roller_of(&f);
        put_row(&f, JOB_A, hour(0) + 1); /* so that the server has a number */
        struct rollup_cell cells[3];
        three_cells(cells);
        int64_t ticket = begin(roller, 1);
        assert_int_equal(put(roller, 1, ticket, &cells[2], 1), 0);
        assert_int_equal(put(roller, 1, ticket, cells, 2), 0);
        assert_int_equal(end(roller, 1, ticket), 0);
        struct rollup_cell other = { .hour_ms = hour(0), .sid = 8, .count = 2 };
        ticket = begin(roller, 0);
        assert_int_equal(put(roller, 0, ticket, &other, 1), 0);

        const uint64_t ops = UINT64_C(1) << OP_WRITE_BYTES | UINT64_C(1) << OP_PUNCH;
        struct cell_range range = { .kind = TARGET_OST,
                                    .from_ms = hour(0),
                                    .to_ms = hour(2),
                                    .samples = ops,
                                    .sums = ops };
        expect_cells(&f, &range,
                     "7 1.0 oss01 -5..3600009 f=12 n=1 m=0/0 w=0/0 p=0\n"
                     "7 1.1  3600001..7200000 f=0 n=18446744073709551615 "
                     "m=5/8000000000000000 w=11/18446744073709551615 "
                     "p=9223372036854775808\n"
                     "8 0.0  -1795219200000..-1795219200000 f=0 n=2 m=0/0 w=0/0 p=0\n"
                     "9 1.0 oss01 3600002..7200000 f=0 n=3 m=0/0 w=0/0 p=3\n");
        expect_chosen(&f, range, roller);
    }
}

static void an_hour_is_clean_when_all_of_it_is_put(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        AUTO(records_roller_close) struct records_roller *roller = roller_of(&f);
        expect_hours(&f, "");
        int64_t first = begin(roller, 3);
        expect_hours(&f, " !3");
        /* Two at once: the second wins. */
        AUTO(records_roller_close) struct records_roller *other = roller_of(&f);
        int64_t second = begin(other, 3);
        struct rollup_cell cell = { .hour_ms = hour(3), .sid = 1 };
        assert_int_equal(put(roller, 3, first, &cell, 1), -ESTALE);
        assert_int_equal(end(roller, 3, first), -ESTALE);
        expect_hours(&f, " !3");
        assert_int_equal(put(other, 3, second, &cell, 1), 0);
        assert_int_equal(end(other, 3, second), 0);
        expect_hours(&f, " 3");
    }
}

static void a_late_row_touches_what_depends_on_it(void **state)
{
    static const struct {
        const char *what;
        int64_t t_ms;
        const char *hours;
    } cases[] = {
        { "its hour and the next", T0_MS + 4 * 3600000 + 1000, " 2 3 !4 !5 6 7 8 9" },
        { "the last millisecond of an hour", T0_MS + 4 * 3600000,
          " 2 !3 !4 5 6 7 8 9" },
        { "the hours of the row that follows it", T0_MS + 2 * 3600000 + 1000,
          " !2 !3 4 5 6 !7 !8 9" },
        { "the newest hour", T0_MS + 9 * 3600000 + 5, " 2 3 4 5 6 7 8 !9" },
        { "none: it is not late", T0_MS + 10 * 3600000 + 5, " 2 3 4 5 6 7 8 9" },
        { "the first: there is none before", T0_MS + 3600000 + 5,
          " !2 3 4 5 6 !7 !8 9" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EACH_ENGINE(f)
        {
            AUTO(records_roller_close) struct records_roller *roller = roller_of(&f);
            put_row(&f, JOB_A, hour(7) + 30);
            put_row(&f, JOB_A, hour(9) + 30);
            put_row(&f, JOB_B, hour(3) + 30);
            for (int n = 2; n < 10; n++)
                make(roller, n);
            bool is_alone = i == 0 || i == 1;
            put_row(&f, is_alone ? JOB_B : JOB_A, cases[i].t_ms);
            print_message("%s\n", cases[i].what);
            expect_hours(&f, cases[i].hours);
        }
    }
}

static void a_row_that_comes_while_an_hour_is_made_is_not_missed(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        AUTO(records_roller_close) struct records_roller *roller = roller_of(&f);
        struct rollup_cell cell = { .hour_ms = hour(3), .sid = 1 };
        int64_t ticket = begin(roller, 3);
        assert_int_equal(put(roller, 3, ticket, &cell, 1), 0);
        put_row(&f, JOB_A, hour(3) + 5);
        cell.sid = 2;
        assert_int_equal(put(roller, 3, ticket, &cell, 1), -ESTALE);
        assert_int_equal(end(roller, 3, ticket), -ESTALE);
        expect_hours(&f, " !3");
        /* The same row again is no new one, and touches nothing. */
        make(roller, 3);
        AUTO(jobbatch_done) struct jobbatch batch;
        jobbatch_init(&batch, 0);
        fixture_count(fixture_row(&batch, OST1, JOB_A, hour(3) + 5), OP_WRITE, 1);
        assert_int_equal(fixture_put(&f, &batch, now_ms).duplicate, 1);
        expect_hours(&f, " 3");
    }
}

static void old_hours_go_one_by_one(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        AUTO(records_roller_close) struct records_roller *roller = roller_of(&f);
        struct err err = { 0 };
        struct cell_range range = { .kind = TARGET_OST, .to_ms = INT64_MAX / 2 };
        bool dropped = true;
        make(roller, 1);
        make(roller, 2);
        assert_int_equal(
            records_roller_drop(roller, TARGET_OST, hour(2) - 1, &dropped, &err), 0);
        assert_false(dropped);
        assert_int_equal(
            records_roller_drop(roller, TARGET_OST, hour(2), &dropped, &err), 0);
        assert_true(dropped);
        expect_hours(&f, " 2");
        range.to_ms = hour(24);
        expect_cells(&f, &range,
                     "1 2.0  -1795219200000..-1795219200000 f=0 n=1 m=0/0 w=0/0 p=0\n");
        struct records_extent extent;
        assert_int_equal(records_extent(f.reader, &extent, &err), 0);
        assert_int_equal(extent.rollup_first_ms, hour(2));
        assert_int_equal(extent.first_ms, T_NONE);
    }
}

static void a_reader_stays_at_its_moment(void **state)
{
    (void)state;
    EACH_ENGINE(f)
    {
        AUTO(records_roller_close) struct records_roller *roller = roller_of(&f);
        struct err err = { 0 };
        make(roller, 3);
        assert_int_equal(records_reader_begin(f.reader, &err), 0);
        expect_hours(&f, " 3");
        make(roller, 4);
        put_row(&f, JOB_A, hour(3) + 5);
        expect_hours(&f, " 3");
        records_reader_end(f.reader);
        expect_hours(&f, " !3 !4");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_come_back_as_they_were_put),
        cmocka_unit_test(an_hour_is_clean_when_all_of_it_is_put),
        cmocka_unit_test(a_late_row_touches_what_depends_on_it),
        cmocka_unit_test(a_row_that_comes_while_an_hour_is_made_is_not_missed),
        cmocka_unit_test(old_hours_go_one_by_one),
        cmocka_unit_test(a_reader_stays_at_its_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
