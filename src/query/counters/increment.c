/* SPDX-License-Identifier: Apache-2.0 */
/* increment - what one row adds to what was known before it. */
#include "query/counters/increment.h"

#include "base/number.h"
#include "base/span.h"

static bool counters_are_zero(const struct jobrow *row)
{
    for (int op = 0; op < OP_COUNT; op++) {
        if ((row->has_samples >> op & 1) && row->samples[op])
            return false;
        if ((row->has_sum >> op & 1) && row->sum[op])
            return false;
    }
    return true;
}

bool increment_is_zero_record(const struct jobrow *row)
{
    return row->snapshot_ns == T_NONE && counters_are_zero(row);
}

/* When the life began, in whole milliseconds, not later than it did. */
static int64_t start_ms(const struct jobrow *row)
{
    if (row->start_ns == T_NONE || row->start_ns < 0)
        return T_NONE;
    int64_t ms = row->start_ns / NS_PER_MS;
    return ms < row->t_ms ? ms : T_NONE;
}

bool increment_is_base(const struct jobrow *row)
{
    return row->reset == RESET_NO && row->previous_ms != T_NONE &&
           row->previous_ms == row->t_ms;
}

bool increment_needs_before(const struct jobrow *row)
{
    if (increment_is_base(row))
        return false;
    return row->reset != RESET_YES || row->since_ms == T_NONE ||
           row->previous_ms != T_NONE;
}

static void take_all(const struct jobrow *row, struct increment *ret)
{
    ret->has_samples = row->has_samples;
    ret->has_sum = row->has_sum;
    for (int op = 0; op < OP_COUNT; op++) {
        ret->samples[op] = row->has_samples >> op & 1 ? row->samples[op] : 0;
        ret->sum[op] = row->has_sum >> op & 1 ? row->sum[op] : 0;
    }
}

static void take_differences(const struct jobrow *before, const struct jobrow *row,
                             struct increment *ret)
{
    ret->has_samples = before->has_samples & row->has_samples;
    ret->has_sum = before->has_sum & row->has_sum;
    ret->missing_samples = before->has_samples ^ row->has_samples;
    ret->missing_sum = before->has_sum ^ row->has_sum;
    if (ret->missing_samples | ret->missing_sum)
        ret->flags |= INCREMENT_MISSING;
    for (int op = 0; op < OP_COUNT; op++) {
        if (ret->has_samples >> op & 1)
            ret->samples[op] = row->samples[op] - before->samples[op];
        if (!(ret->has_sum >> op & 1))
            continue;
        if (row->sum[op] >= before->sum[op])
            ret->sum[op] = row->sum[op] - before->sum[op];
        else
            ret->flags |= INCREMENT_USECS_BACK; /* bytes never come here */
    }
}

const struct jobrow increment_before_unknown = { .t_ms = T_NONE };

/* No row before: only a row that states its own beginning adds anything. */
static void first_row(const struct jobrow *row, bool is_start_told,
                      struct increment *ret)
{
    if (counters_are_zero(row)) {
        /* It follows what was not observed (doc/decisions/0380), or what is no more. */
        if (row->reset == RESET_YES && row->previous_ms != T_NONE)
            ret->flags |= INCREMENT_LOST_TAIL;
        take_all(row, ret);
        return;
    }
    int64_t start = is_start_told ? start_ms(row) : T_NONE;
    if (row->reset == RESET_YES && row->since_ms != T_NONE) {
        ret->since_ms = row->since_ms;
        ret->flags |= INCREMENT_RESET;
    } else if (start != T_NONE) {
        /* Counters run from the entry's creation, so the amount is exact; when it
         * accrued is known only if no row stood between. */
        ret->since_ms = start;
        ret->flags |= INCREMENT_RESET;
        if (row->previous_ms != T_NONE)
            ret->flags |= INCREMENT_INTERPOLATED;
    } else {
        ret->flags |= INCREMENT_UNKNOWN;
    }
    if (ret->since_ms > row->t_ms)
        ret->since_ms = row->t_ms;
    take_all(row, ret);
}

static bool is_other_life(const struct jobrow *before, const struct jobrow *row)
{
    if (before->start_ns != T_NONE && row->start_ns != T_NONE &&
        before->start_ns != row->start_ns)
        return true;
    return before->server.size && row->server.size &&
           !span_eq(before->server, row->server);
}

/* Did the life of row begin after before was read? */
static bool is_restarted(const struct jobrow *before, const struct jobrow *row,
                         struct increment *ret)
{
    if (row->reset == RESET_YES)
        return true;
    if (is_other_life(before, row)) {
        if (row->reset == RESET_NO)
            ret->flags |= INCREMENT_HIDDEN_RESET;
        return true;
    }
    if (!counter_decreased(before, row))
        return false;
    if (row->reset == RESET_NO)
        ret->flags |= INCREMENT_DECREASED;
    return true;
}

bool increment_is_next(const struct jobrow *before, const struct jobrow *row)
{
    if (row->previous_ms != T_NONE)
        return row->previous_ms == before->t_ms;
    return row->since_ms == before->t_ms;
}

/* From when the increment accrued, given the row that really stands before. */
static int64_t since_of(const struct jobrow *before, const struct jobrow *row,
                        const struct increment *inc)
{
    int64_t since = T_NONE;
    if (inc->flags & INCREMENT_RESET) {
        /* Only a reset that the observer saw itself lies within its own interval. */
        if (row->reset == RESET_YES)
            since = row->since_ms;
        if (since == T_NONE)
            since = start_ms(row);
    } else if (increment_is_next(before, row)) {
        since = row->since_ms;
    }
    if (since == T_NONE || since < before->t_ms)
        since = before->t_ms;
    return since < row->t_ms ? since : row->t_ms;
}

static void next_row(const struct jobrow *before, const struct jobrow *row,
                     struct increment *ret)
{
    /* A flat row says nothing about what it follows: its neighbour is believed. */
    bool is_lost = !increment_is_next(before, row) && row->reset != RESET_UNKNOWN;
    bool begins_life = row->reset == RESET_YES && row->previous_ms == T_NONE;
    bool from_zero = increment_is_zero_record(before);

    if (is_restarted(before, row, ret)) {
        ret->flags |= INCREMENT_RESET;
        if (is_lost && !begins_life && !from_zero)
            ret->flags |= INCREMENT_LOST_TAIL;
    } else if (row->reset == RESET_UNKNOWN && row->previous_ms != T_NONE) {
        /* The observer looked, and could not say: the difference is the least. */
        ret->flags |= INCREMENT_LOST_TAIL;
    }
    ret->since_ms = since_of(before, row, ret);
    if (is_lost && row->reset != RESET_YES)
        ret->flags |= INCREMENT_INTERPOLATED;
    if ((ret->flags & INCREMENT_RESET) || from_zero)
        take_all(row, ret);
    else
        take_differences(before, row, ret);
}

void increment_between(const struct jobrow *before, const struct jobrow *row,
                       struct increment *ret)
{
    *ret = (struct increment){ .since_ms = row->t_ms, .t_ms = row->t_ms };
    if (increment_is_base(row))
        return;
    if (before && before != &increment_before_unknown)
        next_row(before, row, ret);
    else
        first_row(row, !before, ret);
}
