/* SPDX-License-Identifier: Apache-2.0 */
/* rollup_schedule - which hours of rows are added up next. */
#include "daemon/rollup/rollup_schedule.h"

#include "query/query.h"

/* From which hour on cells can be made of rows.  Where rows from before have been
 * dropped, the first ones stored have no predecessor to continue: their hours
 * have been made, and stay. */
static int64_t first_hour(const struct records_extent *extent)
{
    int64_t first_ms = rollup_hour_of(extent->first_ms);
    if (extent->rollup_first_ms != T_NONE && extent->rollup_first_ms < first_ms)
        first_ms += RECORDS_LOOKBACK_MS + 2 * ROLLUP_HOUR_MS;
    return first_ms;
}

/* Hours that no row has reached are left alone: by a clock that is ahead they would be
 * years, and every row that comes when it is right would be a late one. */
bool rollup_schedule_range(const struct records_extent *extent, int64_t now_ms,
                           int64_t retention_ms, int64_t *ret_from_ms,
                           int64_t *ret_to_ms)
{
    int64_t from_ms = first_hour(extent);
    int64_t to_ms = rollup_hour_of(now_ms - ROLLUP_DELAY_MS); /* not over */
    int64_t end_ms = rollup_hour_of(extent->last_ms) + ROLLUP_HOUR_MS;
    int64_t oldest_ms = rollup_hour_of(now_ms - retention_ms) + ROLLUP_HOUR_MS;
    if (to_ms > end_ms)
        to_ms = end_ms;
    if (from_ms < oldest_ms)
        from_ms = oldest_ms;
    if (from_ms >= to_ms)
        return false;
    *ret_from_ms = from_ms;
    *ret_to_ms = to_ms;
    return true;
}

bool rollup_schedule_next(const bool *clean, struct rollup_run *run)
{
    size_t end = run->begin;
    while (end > 0 && clean[end - 1])
        end--;
    size_t begin = end;
    while (begin > 0 && !clean[begin - 1] && end - begin < ROLLUP_HOURS_AT_ONCE)
        begin--;
    *run = (struct rollup_run){ begin, end };
    return begin < end;
}
