/* SPDX-License-Identifier: Apache-2.0 */
/* rollup_schedule - which hours of rows are added up next.
 *
 *     first row ... │ hours of rows, clean or not │ the hour that is not over
 *                   from_ms                      to_ms
 *
 * Units  milliseconds since the Unix epoch; hours begin at whole ones.
 */
#ifndef DAEMON_ROLLUP_SCHEDULE_H
#define DAEMON_ROLLUP_SCHEDULE_H

#include "records/records.h"

#include <stdbool.h>

/* Rows of an hour are waited for so long: a round, its sending, and some patience. */
#define ROLLUP_DELAY_MS INT64_C(600000)
/* Hours next to each other are made of one reading: each reading begins an hour before
 * the first. */
#define ROLLUP_HOURS_AT_ONCE 6

/* The hours that cells can be made of.  False: there are none. */
bool rollup_schedule_range(const struct records_extent *extent, int64_t now_ms,
                           int64_t retention_ms, int64_t *ret_from_ms,
                           int64_t *ret_to_ms);

/* Hours begin <= n < end next to each other that are not clean. */
struct rollup_run {
    size_t begin, end;
};
/* The next run, going back in time; run->begin is where the last one began, at first
 * the count of hours.  False: there is none. */
bool rollup_schedule_next(const bool *clean, struct rollup_run *run);

#endif
