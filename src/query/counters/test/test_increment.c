/* SPDX-License-Identifier: Apache-2.0 */
/* test_increment - what one row adds, for every way in which rows can follow. */
#include "base/span.h"
#include "base/test/testing.h"
#include "query/counters/increment.h"

#define S(seconds) ((seconds)*INT64_C(1000))

/* A row with write_bytes (bytes) and write (usecs) counters. */
struct row_case {
    int64_t t_s, since_s, previous_s; /* -1: none */
    enum jobrow_reset reset;
    int64_t start_s; /* -1: none */
    const char *server;
    uint64_t bytes, usecs, opens;
    bool lacks_opens;
    bool is_zero; /* no snapshot */
};

static int64_t or_none(int64_t seconds)
{
    return seconds < 0 ? T_NONE : S(seconds);
}

static struct jobrow make_row(const struct row_case *c)
{
    struct jobrow row = {
        .server = span_of(c->server),
        .t_ms = S(c->t_s),
        .since_ms = or_none(c->since_s),
        .previous_ms = or_none(c->previous_s),
        .reset = c->reset,
        .snapshot_ns = c->is_zero ? T_NONE : c->t_s * 1000000000,
        .start_ns = c->start_s < 0 ? T_NONE : c->start_s * 1000000000,
    };
    row.has_sum = UINT64_C(1) << OP_WRITE_BYTES | UINT64_C(1) << OP_WRITE;
    row.sum[OP_WRITE_BYTES] = c->bytes;
    row.sum[OP_WRITE] = c->usecs;
    if (!c->lacks_opens)
        row.has_samples = UINT64_C(1) << OP_OPEN;
    row.samples[OP_OPEN] = c->opens;
    return row;
}

struct expected {
    int64_t since_s, t_s;
    unsigned flags;
    uint64_t bytes, usecs, opens;
};

static void expect(const char *name, const struct increment *inc,
                   const struct expected *want)
{
    if (inc->since_ms != S(want->since_s) || inc->t_ms != S(want->t_s))
        fail_msg("%s: accrued in (%lld, %lld]", name, (long long)inc->since_ms,
                 (long long)inc->t_ms);
    if (inc->flags != want->flags)
        fail_msg("%s: flags 0x%x, want 0x%x", name, inc->flags, want->flags);
    if (inc->sum[OP_WRITE_BYTES] != want->bytes || inc->sum[OP_WRITE] != want->usecs ||
        inc->samples[OP_OPEN] != want->opens)
        fail_msg("%s: %llu bytes, %llu usecs, %llu opens", name,
                 (unsigned long long)inc->sum[OP_WRITE_BYTES],
                 (unsigned long long)inc->sum[OP_WRITE],
                 (unsigned long long)inc->samples[OP_OPEN]);
}

static void first_rows_add_only_what_they_can_tell(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct row_case row;
        struct expected want;
    } cases[] = {
        { "a new life since the last round",
          { 240, 120, -1, RESET_YES, -1, "a", 100, 10, 1, false, false },
          { 120, 240, INCREMENT_RESET, 100, 10, 1 } },
        { "nothing known before",
          { 240, -1, -1, RESET_NO, -1, "a", 100, 10, 1, false, false },
          { 240, 240, INCREMENT_UNKNOWN, 100, 10, 1 } },
        { "nothing known before, flat form",
          { 240, -1, -1, RESET_UNKNOWN, -1, "", 100, 10, 1, false, false },
          { 240, 240, INCREMENT_UNKNOWN, 100, 10, 1 } },
        { "nothing known but the entry's creation",
          { 240, -1, -1, RESET_NO, 50, "a", 100, 10, 1, false, false },
          { 50, 240, INCREMENT_RESET, 100, 10, 1 } },
        { "rows before it are gone, the creation is known",
          { 240, 120, 120, RESET_NO, 50, "a", 100, 10, 1, false, false },
          { 50, 240, INCREMENT_RESET | INCREMENT_INTERPOLATED, 100, 10, 1 } },
        { "rows before it are gone",
          { 240, 120, 120, RESET_NO, -1, "a", 100, 10, 1, false, false },
          { 240, 240, INCREMENT_UNKNOWN, 100, 10, 1 } },
        { "a zero record",
          { 120, -1, -1, RESET_YES, -1, "a", 0, 0, 0, false, true },
          { 120, 120, 0, 0, 0, 0 } },
        { "a zero record that follows what nobody saw",
          { 120, -1, 60, RESET_YES, -1, "a", 0, 0, 0, false, true },
          { 120, 120, INCREMENT_LOST_TAIL, 0, 0, 0 } },
        { "since in the future is now",
          { 240, 300, -1, RESET_YES, -1, "a", 100, 10, 1, false, false },
          { 240, 240, INCREMENT_RESET, 100, 10, 1 } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jobrow row = make_row(&cases[i].row);
        struct increment inc;
        increment_between(NULL, &row, &inc);
        expect(cases[i].name, &inc, &cases[i].want);
    }
}

struct next_case {
    const char *name;
    struct row_case before, row;
    struct expected want;
};

static const struct next_case next_cases[] = {
    { "the next round",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 240, 120, 120, RESET_NO, -1, "a", 150, 12, 4, false, false },
      { 120, 240, 0, 50, 2, 3 } },
    { "after rounds without a change",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 600, 480, 120, RESET_NO, -1, "a", 150, 12, 4, false, false },
      { 480, 600, 0, 50, 2, 3 } },
    { "a reset that the observer saw",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 600, 480, 120, RESET_YES, -1, "a", 150, 12, 4, false, false },
      { 480, 600, INCREMENT_RESET, 150, 12, 4 } },
    { "a lost row between",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 360, 240, 240, RESET_NO, -1, "a", 150, 12, 4, false, false },
      { 120, 360, INCREMENT_INTERPOLATED, 50, 2, 3 } },
    { "a lost row between, then a reset",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 360, 240, 240, RESET_YES, -1, "a", 150, 12, 4, false, false },
      { 240, 360, INCREMENT_RESET | INCREMENT_LOST_TAIL, 150, 12, 4 } },
    { "a reset hidden by a lost row shows in the start time",
      { 120, 0, 0, RESET_NO, 1, "a", 100, 10, 1, false, false },
      { 360, 240, 240, RESET_NO, 200, "a", 150, 12, 4, false, false },
      { 200, 360,
        INCREMENT_RESET | INCREMENT_HIDDEN_RESET | INCREMENT_LOST_TAIL |
            INCREMENT_INTERPOLATED,
        150, 12, 4 } },
    { "a reset hidden by a lost row shows in a decrease",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 360, 240, 240, RESET_NO, -1, "a", 50, 12, 4, false, false },
      { 120, 360,
        INCREMENT_RESET | INCREMENT_DECREASED | INCREMENT_LOST_TAIL |
            INCREMENT_INTERPOLATED,
        50, 12, 4 } },
    { "the observer forgot what it knew",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 360, -1, -1, RESET_NO, -1, "a", 150, 12, 4, false, false },
      { 120, 360, INCREMENT_INTERPOLATED, 50, 2, 3 } },
    { "the observer forgot, the life is new",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 3600, 3480, -1, RESET_YES, -1, "a", 50, 12, 4, false, false },
      { 3480, 3600, INCREMENT_RESET, 50, 12, 4 } },
    { "flat rows: the neighbour is believed",
      { 120, -1, -1, RESET_UNKNOWN, -1, "", 100, 10, 1, false, false },
      { 240, -1, -1, RESET_UNKNOWN, -1, "", 150, 12, 4, false, false },
      { 120, 240, 0, 50, 2, 3 } },
    { "flat rows: a decrease is a reset and no fault",
      { 120, -1, -1, RESET_UNKNOWN, -1, "", 100, 10, 1, false, false },
      { 240, -1, -1, RESET_UNKNOWN, -1, "", 50, 12, 4, false, false },
      { 120, 240, INCREMENT_RESET, 50, 12, 4 } },
    { "another server is another life",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 240, -1, -1, RESET_UNKNOWN, -1, "b", 150, 12, 4, false, false },
      { 120, 240, INCREMENT_RESET, 150, 12, 4 } },
    { "nobody can say whether the life is new: the difference at least",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 240, 120, 120, RESET_UNKNOWN, -1, "a", 150, 12, 4, false, false },
      { 120, 240, INCREMENT_LOST_TAIL, 50, 2, 3 } },
    { "a reset that follows what nobody saw",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 240, 120, 121, RESET_YES, -1, "a", 50, 12, 4, false, false },
      { 120, 240, INCREMENT_RESET | INCREMENT_LOST_TAIL, 50, 12, 4 } },
    { "a life that ended unseen, and nothing after it",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 240, 120, 121, RESET_YES, -1, "a", 0, 0, 0, false, true },
      { 120, 240, INCREMENT_RESET | INCREMENT_LOST_TAIL, 0, 0, 0 } },
    { "a sum of time may go backwards",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 240, 120, 120, RESET_NO, -1, "a", 150, 8, 4, false, false },
      { 120, 240, INCREMENT_USECS_BACK, 50, 0, 3 } },
    { "a counter of one row only",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, true, false },
      { 240, 120, 120, RESET_NO, -1, "a", 150, 12, 4, false, false },
      { 120, 240, INCREMENT_MISSING, 50, 2, 0 } },
    { "after a zero record every counter counts",
      { 120, -1, -1, RESET_YES, -1, "a", 0, 0, 0, true, true },
      { 240, 120, 120, RESET_NO, -1, "a", 150, 12, 4, false, false },
      { 120, 240, 0, 150, 12, 4 } },
    { "since before the row before is cut",
      { 120, 0, 0, RESET_NO, -1, "a", 100, 10, 1, false, false },
      { 240, 60, 120, RESET_NO, -1, "a", 150, 12, 4, false, false },
      { 120, 240, 0, 50, 2, 3 } },
};

static void next_rows_add_what_changed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(next_cases); i++) {
        struct jobrow before = make_row(&next_cases[i].before);
        struct jobrow row = make_row(&next_cases[i].row);
        struct increment inc;
        increment_between(&before, &row, &inc);
        expect(next_cases[i].name, &inc, &next_cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_rows_add_only_what_they_can_tell),
        cmocka_unit_test(next_rows_add_what_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
