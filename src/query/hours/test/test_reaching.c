/* SPDX-License-Identifier: Apache-2.0 */
/* test_reaching - rows far behind a window that reach back into it, by the hour. */
#include "base/test/testing.h"
#include "query/hours/reaching.h"

#include <errno.h>

#define HOUR_MS INT64_C(3600000)
#define T0_MS (INT64_C(470000) * HOUR_MS)

struct stored {
    struct reaching_row rows[300];
    size_t count;
    int rc;
    struct row_range range; /* that was read */
};

static int read_rows(void *arg, const struct row_range *range, records_row_fn *fn,
                     void *fn_arg, struct err *err)
{
    struct stored *s = arg;
    s->range = *range;
    for (size_t i = 0; i < s->count; i++) {
        const struct jobrow row = { .t_ms = s->rows[i].t_ms };
        int rc = fn(fn_arg, s->rows[i].sid, &row);
        if (rc < 0)
            return rc;
    }
    return s->rc < 0 ? err_set(err, -s->rc, "no database") : 0;
}

static int rows_find(struct stored *s, int64_t until_ms, struct reaching *ret,
                     struct err *err)
{
    const struct history history = { .read_rows = read_rows, .arg = s };
    const struct row_range range = { .kind = TARGET_OST,
                                     .from_ms = T0_MS - 5 * HOUR_MS,
                                     .to_ms = T0_MS - 4 * HOUR_MS,
                                     .reach_ms = T0_MS - 5 * HOUR_MS,
                                     .with_before = true };
    return reaching_find(&history, &range, T0_MS, until_ms, ret, err);
}

static void rows_come_by_hour_then_series_then_time(void **state)
{
    struct stored s = { .rows = { { 7, T0_MS + HOUR_MS + 5 },
                                  { 9, T0_MS + 30 },
                                  { 3, T0_MS + HOUR_MS + 1 },
                                  { 3, T0_MS + 50 },
                                  { 3, T0_MS + 40 },
                                  { 1, T0_MS + 2 * HOUR_MS } },
                        .count = 6 };
    /* A row at the full hour ends that hour. */
    static const struct reaching_row want[] = {
        { 3, T0_MS + 40 },          { 3, T0_MS + 50 },
        { 9, T0_MS + 30 },          { 1, T0_MS + 2 * HOUR_MS },
        { 3, T0_MS + HOUR_MS + 1 }, { 7, T0_MS + HOUR_MS + 5 },
    };
    static const size_t ends[] = { 3, 3, 3, 6, 6, 6 };
    AUTO(reaching_done) struct reaching found = { 0 };
    (void)state;
    assert_int_equal(rows_find(&s, T0_MS + 9 * HOUR_MS, &found, NULL), 0);
    assert_int_equal(found.count, COUNT_OF(want));
    for (size_t i = 0; i < found.count; i++) {
        assert_int_equal(found.rows[i].sid, want[i].sid);
        assert_int_equal(found.rows[i].t_ms, want[i].t_ms);
        assert_int_equal(reaching_hour_end(&found, i), ends[i]);
    }
    assert_true(reaching_has(&found, 0, 3, 9, T0_MS + 30));
    assert_true(reaching_has(&found, 3, 6, 3, T0_MS + HOUR_MS + 1));
    assert_false(reaching_has(&found, 0, 3, 9, T0_MS + 31));
    assert_false(reaching_has(&found, 0, 3, 8, T0_MS + 30));
    assert_false(reaching_has(&found, 3, 6, 9, T0_MS + 30)); /* of another hour */
}

static void only_what_lies_behind_is_read(void **state)
{
    struct stored s = { .rows = { { 1, T0_MS + 10 }, { 2, T0_MS + 11 } }, .count = 2 };
    AUTO(reaching_done) struct reaching found = { 0 };
    (void)state;
    assert_int_equal(rows_find(&s, T0_MS + 10, &found, NULL), 0);
    assert_int_equal(found.count, 1); /* the end is part of it, what follows is not */
    assert_int_equal(found.rows[0].sid, 1);
    assert_int_equal(s.range.kind, TARGET_OST);
    assert_int_equal(s.range.from_ms, T0_MS);
    assert_int_equal(s.range.to_ms, T0_MS);
    assert_true(s.range.with_after && !s.range.with_before);
    assert_int_equal(s.range.until_ms, T0_MS + 10);
    assert_int_equal(s.range.reach_ms, T0_MS - 5 * HOUR_MS);
}

static void there_may_be_none_or_many(void **state)
{
    static struct stored s;
    AUTO(reaching_done) struct reaching none = { 0 };
    AUTO(reaching_done) struct reaching many = { 0 };
    (void)state;
    assert_int_equal(rows_find(&s, INT64_MAX, &none, NULL), 0);
    assert_int_equal(none.count, 0);
    for (s.count = 0; s.count < COUNT_OF(s.rows); s.count++)
        s.rows[s.count] =
            (struct reaching_row){ (int64_t)(s.count * 7 % COUNT_OF(s.rows)), T0_MS };
    assert_int_equal(rows_find(&s, INT64_MAX, &many, NULL), 0);
    assert_int_equal(many.count, COUNT_OF(s.rows));
    for (size_t i = 0; i < many.count; i++)
        assert_int_equal(many.rows[i].sid, i);
    assert_int_equal(reaching_hour_end(&many, 0), COUNT_OF(s.rows));
}

static void what_cannot_be_read_is_an_error(void **state)
{
    struct stored s = { .rows = { { 1, T0_MS + 10 } }, .count = 1, .rc = -EIO };
    struct reaching found = { .count = 77 };
    struct err err = { 0 };
    (void)state;
    assert_int_equal(rows_find(&s, INT64_MAX, &found, &err), -EIO);
    assert_string_equal(err.text, "no database");
    assert_int_equal(found.count, 77); /* untouched */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_by_hour_then_series_then_time),
        cmocka_unit_test(only_what_lies_behind_is_read),
        cmocka_unit_test(there_may_be_none_or_many),
        cmocka_unit_test(what_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
