/* SPDX-License-Identifier: Apache-2.0 */
/* rows - a database in an array, for tests. */
#include "query/test/rows.h"

#include "base/span.h"

#include "base/test/testing.h"

struct series *rows_add_series(struct rows *rows, enum target_kind kind,
                               const char *target, const char *job, const char *user,
                               const char *node)
{
    assert_true(rows->series_count < ROWS_SERIES_MAX);
    struct series *s = &rows->series[rows->series_count++];
    *s = (struct series){ .sid = (int64_t)rows->series_count,
                          .fs = SPAN("scratch"),
                          .target = span_of(target),
                          .kind = kind,
                          .job = span_of(job),
                          .user = span_of(user),
                          .node = span_of(node) };
    s->id.bytes[0] = (uint8_t)rows->series_count;
    return s;
}

void rows_add(struct rows *rows, int64_t sid, const struct jobrow *row)
{
    assert_true(rows->row_count < ROWS_MAX);
    size_t i = rows->row_count++;
    while (i > 0 &&
           (rows->rows[i - 1].sid > sid ||
            (rows->rows[i - 1].sid == sid && rows->rows[i - 1].row.t_ms > row->t_ms))) {
        rows->rows[i] = rows->rows[i - 1];
        i--;
    }
    rows->rows[i].sid = sid;
    rows->rows[i].row = *row;
}

static bool fits(struct span wanted, struct span text)
{
    return !wanted.data || (text.data && span_eq(wanted, text));
}

static bool has_sid(const int64_t *sids, size_t count, int64_t sid)
{
    for (size_t i = 0; i < count; i++)
        if (sids[i] == sid)
            return true;
    return !sids;
}

static int find_series(void *arg, const struct series_filter *f, records_series_fn *fn,
                       void *fn_arg, struct err *err)
{
    (void)err;
    const struct rows *rows = arg;
    for (size_t i = 0; i < rows->series_count; i++) {
        const struct series *s = &rows->series[i];
        if (!fits(f->job, s->job) || !fits(f->user, s->user) || !fits(f->fs, s->fs) ||
            !fits(f->node, s->node) || !has_sid(f->sids, f->sid_count, s->sid) ||
            (f->target && !span_glob(s->target, f->target)))
            continue;
        int rc = fn(fn_arg, s);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* As in records.h of with_after. */
static bool reaches_back(const struct jobrow *row, int64_t to_ms)
{
    if ((row->since_ms != T_NONE && row->since_ms < to_ms) ||
        jobrow_reach_ms(row) < to_ms)
        return true;
    return row->since_ms == T_NONE && row->reset == RESET_UNKNOWN &&
           row->t_ms <= to_ms + INT64_C(3600000);
}

/* As in records.h of with_before: next is the first row of the series. */
static int64_t before_floor_ms(const struct row_range *range, const struct jobrow *next)
{
    int64_t reach_ms = jobrow_reach_ms(next);
    return (reach_ms < range->from_ms ? reach_ms : range->from_ms) -
           RECORDS_LOOKBACK_MS;
}

/* The rows first .. end belong to one series. */
static int read_series(const struct rows *rows, const struct row_range *range,
                       size_t first, size_t end, records_row_fn *fn, void *fn_arg)
{
    size_t from = first;
    while (from < end && rows->rows[from].row.t_ms <= range->from_ms)
        from++;
    size_t to = from;
    while (to < end && rows->rows[to].row.t_ms <= range->to_ms)
        to++;
    size_t after = to;
    while (range->with_after && after < end &&
           !reaches_back(&rows->rows[after].row,
                         range->reach_ms ? range->reach_ms : range->to_ms))
        after++;
    bool has_after = range->with_after && after < end;
    if (from == to && !has_after)
        return 0;
    const struct jobrow *next = &rows->rows[from < to ? from : after].row;
    if (range->with_before && from > first &&
        rows->rows[from - 1].row.t_ms >= before_floor_ms(range, next))
        from--;
    int rc = 0;
    for (size_t i = from; rc >= 0 && i < to; i++)
        rc = fn(fn_arg, rows->rows[i].sid, &rows->rows[i].row);
    if (rc >= 0 && has_after)
        rc = fn(fn_arg, rows->rows[after].sid, &rows->rows[after].row);
    return rc;
}

static int read_rows(void *arg, const struct row_range *range, records_row_fn *fn,
                     void *fn_arg, struct err *err)
{
    (void)err;
    struct rows *rows = arg;
    rows->reads++;
    int rc = 0;
    for (size_t first = 0, end; rc >= 0 && first < rows->row_count; first = end) {
        int64_t sid = rows->rows[first].sid;
        for (end = first; end < rows->row_count && rows->rows[end].sid == sid;)
            end++;
        if (rows->series[sid - 1].kind == range->kind &&
            has_sid(range->sids, range->sid_count, sid))
            rc = read_series(rows, range, first, end, fn, fn_arg);
    }
    return rc < 0 ? rc : 0;
}

static int extent(void *arg, struct records_extent *ret, struct err *err)
{
    (void)err;
    const struct rows *rows = arg;
    *ret = (struct records_extent){ .first_ms = T_NONE,
                                    .last_ms = T_NONE,
                                    .series_count = rows->series_count,
                                    .row_count = rows->row_count };
    for (size_t i = 0; i < rows->row_count; i++) {
        int64_t t_ms = rows->rows[i].row.t_ms;
        if (ret->first_ms == T_NONE || t_ms < ret->first_ms)
            ret->first_ms = t_ms;
        if (t_ms > ret->last_ms)
            ret->last_ms = t_ms;
    }
    return 0;
}

void rows_history(struct rows *rows, struct history *ret)
{
    *ret = (struct history){ .find_series = find_series,
                             .read_rows = read_rows,
                             .extent = extent,
                             .arg = rows };
}
