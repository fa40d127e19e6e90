/* SPDX-License-Identifier: Apache-2.0 */
/* schema - what both engines' tables have in common: columns, days, look-around.
 *
 * doc/formats/records.md describes the tables for people with psql or Grafana.
 */
#ifndef RECORDS_SCHEMA_H
#define RECORDS_SCHEMA_H

#include "base/number.h"
#include "base/strbuf.h"
#include "records/records.h"

#define SCHEMA_VERSION 5
/* The oldest that has all tables which readers use: rows, series, hours. */
#define SCHEMA_VERSION_READABLE 3
/* The index of time_series_id is sorted by (sid >> this, time_series_id): ids are
 * random, and new ones must not be spread over an index of all of them.  A part of the
 * schema: another value is another version. */
#define SCHEMA_ID_GROUP_BITS 14
#define MS_PER_HOUR (INT64_C(3600) * MS_PER_S)
#define MS_PER_DAY (INT64_C(24) * MS_PER_HOUR)

/* How far before its own `previous` a series' last row is looked for: a row may have
 * been lost, more than two days of them count as unknown. */
#define SCHEMA_LOOKBACK_MS RECORDS_LOOKBACK_MS
/* A row that does not say since (flat form) may reach this far back. */
#define SCHEMA_FLAT_SPAN_MS MS_PER_HOUR

/* Errors: -EBADMSG (the version is none that this program knows). */
int schema_version_check(int64_t version, struct err *err);
/* For who only reads; version 0: there are no tables of ours.
 * Errors: as schema_version_check, and -ENODATA. */
int schema_version_check_readable(int64_t version, struct err *err);

/* Appends `, "open"TYPE, "open_sum"TYPE ...` for each operation of kind in ops. */
void schema_add_ops(struct strbuf *out, enum target_kind kind, uint64_t ops,
                    const char *type);
/* The mask of all operations of kind. */
uint64_t schema_ops(enum target_kind kind);

/* 20261121 of a time, and the time at which such a day begins. */
int32_t schema_day(int64_t t_ms);
int64_t schema_day_start_ms(int32_t day);

/* How far before its time the increment of a row begins, for the look-ahead. */
int64_t schema_row_span_ms(const struct jobrow *row);

/* The largest span of rows that are of one day and kind. */
struct day_span {
    int32_t day;
    int64_t span_ms;
};
/* Of rows sorted by time: up to count_max days; returns how many there are. */
struct put_row;
size_t schema_days_of(const struct put_row *rows, size_t count, struct day_span *ret,
                      size_t count_max);

#endif
