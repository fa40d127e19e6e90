/* SPDX-License-Identifier: Apache-2.0 */
/* test_hour_touch - which hours the rows of a batch make wrong. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "records/hour_touch.h"

#define HOUR ROLLUP_HOUR_MS

/* What the engine would say, and what it was told. */
struct records_backend {
    int64_t newest_ms;
    int64_t next_ms; /* of each late row */
    size_t late_count, touch_count;
    int64_t hours[16];
};

static int newest_give(struct records_backend *b, enum target_kind kind,
                       int64_t *ret_hour_ms, struct err *err)
{
    (void)kind;
    (void)err;
    *ret_hour_ms = b->newest_ms;
    return 0;
}

static int next_give(struct records_backend *b, enum target_kind kind,
                     const struct keyed_row *const *rows, size_t count,
                     int64_t *ret_next_ms, struct err *err)
{
    (void)kind;
    (void)rows;
    (void)err;
    b->late_count = count;
    for (size_t i = 0; i < count; i++)
        ret_next_ms[i] = b->next_ms;
    return 0;
}

static int touch_note(struct records_backend *b, enum target_kind kind,
                      const int64_t *hours, size_t count, struct err *err)
{
    (void)kind;
    (void)err;
    assert_true(count <= COUNT_OF(b->hours));
    memcpy(b->hours, hours, count * sizeof *hours);
    b->touch_count = count;
    return 0;
}

static const struct {
    const char *name;
    int64_t newest_ms, next_ms, t_ms[3];
    bool is_known; /* the rows were stored before */
    size_t row_count, late_count, touch_count;
    int64_t hours[5];
} cases[] = {
    { "no hour is made yet", T_NONE, T_NONE, { 5 }, false, 1, 0, 0, { 0 } },
    { "a row behind the newest hour",
      4 * HOUR,
      T_NONE,
      { 6 * HOUR },
      false,
      1,
      0,
      0,
      { 0 } },
    { "a row of the newest hour",
      4 * HOUR,
      T_NONE,
      { 4 * HOUR + 1 },
      false,
      1,
      0,
      1,
      { 4 * HOUR } },
    { "a row at the very end of an hour is of that hour",
      4 * HOUR,
      T_NONE,
      { 5 * HOUR },
      false,
      1,
      0,
      1,
      { 4 * HOUR } },
    { "a row of the hour before the newest",
      4 * HOUR,
      T_NONE,
      { 3 * HOUR + 1 },
      false,
      1,
      0,
      2,
      { 3 * HOUR, 4 * HOUR } },
    { "a late row",
      9 * HOUR,
      T_NONE,
      { 2 * HOUR + 1 },
      false,
      1,
      1,
      2,
      { 2 * HOUR, 3 * HOUR } },
    { "a late row and the one after it",
      9 * HOUR,
      6 * HOUR + 1,
      { 2 * HOUR + 1 },
      false,
      1,
      1,
      4,
      { 2 * HOUR, 3 * HOUR, 6 * HOUR, 7 * HOUR } },
    { "rows of one hour touch it once",
      9 * HOUR,
      3 * HOUR + 9,
      { 2 * HOUR + 1, 2 * HOUR + 2, 2 * HOUR + 3 },
      false,
      3,
      3,
      3,
      { 2 * HOUR, 3 * HOUR, 4 * HOUR } },
    { "rows that were there change nothing",
      9 * HOUR,
      T_NONE,
      { 2 * HOUR + 1 },
      true,
      1,
      0,
      0,
      { 0 } },
};

static void rows_touch_their_hours_and_those_that_depend_on_them(void **state)
{
    (void)state;
    static const struct records_engine engine = { .rollup_newest = newest_give,
                                                  .next_rows = next_give,
                                                  .rollup_touch = touch_note };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct records_backend backend = { .newest_ms = cases[i].newest_ms,
                                           .next_ms = cases[i].next_ms };
        struct records records = { .engine = &engine, .backend = &backend };
        struct jobrow rows[3] = { 0 };
        struct keyed_row keyed[3] = { 0 };
        arena_init(&records.arena, 0);
        for (size_t k = 0; k < cases[i].row_count; k++) {
            rows[k].t_ms = cases[i].t_ms[k];
            keyed[k] =
                (struct keyed_row){ .row = &rows[k], .is_new = !cases[i].is_known };
        }
        assert_int_equal(
            hour_touch_rows(&records, TARGET_OST, keyed, cases[i].row_count, NULL), 0);
        if (backend.late_count != cases[i].late_count ||
            backend.touch_count != cases[i].touch_count ||
            memcmp(backend.hours, cases[i].hours,
                   cases[i].touch_count * sizeof(int64_t)) != 0)
            fail_msg("%s: %zu late, %zu touched", cases[i].name, backend.late_count,
                     backend.touch_count);
        arena_done(&records.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_touch_their_hours_and_those_that_depend_on_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
