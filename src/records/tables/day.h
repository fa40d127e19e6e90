/* SPDX-License-Identifier: Apache-2.0 */
/* day - the tables are one a day: its number, and how far back its rows reach.
 *
 * A day is of UTC, and known by a number as people write it: 20261121.
 */
#ifndef RECORDS_TABLES_DAY_H
#define RECORDS_TABLES_DAY_H

#include "base/number.h"
#include "records/tables/keyed_row.h"

#define MS_PER_HOUR (INT64_C(3600) * MS_PER_S)
#define MS_PER_DAY (INT64_C(24) * MS_PER_HOUR)

/* A row without since (flat form) may reach this far back. */
#define FLAT_SPAN_MS MS_PER_HOUR

/* 20261121 of a time, and the time at which such a day begins. */
int32_t day_of(int64_t t_ms);
int64_t day_start_ms(int32_t day);

/* How far before its time the increment of a row begins, for the look-ahead. */
int64_t day_row_span_ms(const struct jobrow *row);

/* The largest span of rows that are of one day and kind. */
struct day_span {
    int32_t day;
    int64_t span_ms;
};
/* Of rows sorted by time: up to count_max days; returns how many there are. */
size_t day_spans(const struct keyed_row *rows, size_t count, struct day_span *ret,
                 size_t count_max);

#endif
