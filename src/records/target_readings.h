/* SPDX-License-Identifier: Apache-2.0 */
/* target_readings - how full targets were, and which servers had them: submitted,
 * found. */
#ifndef RECORDS_TARGET_READINGS_H
#define RECORDS_TARGET_READINGS_H

#include "records/jobs.h"

/* All of readings in one durable transaction; what is submitted again changes nothing.
 * Refused one by one: what target_reading_check() refuses, a time still to come, and
 * one before the retention of rows.  Errors: -EMSGSIZE (over RECORDS_READINGS_MAX),
 * else as in records.h. */
#define RECORDS_READINGS_MAX ((size_t)200000)
int records_put_target_readings(struct records *records,
                                const struct target_reading *readings, size_t count,
                                int64_t now_ms, struct records_submission *ret,
                                struct err *err);

/* Of [from_ns, to_ns).  Spans with data NULL: any. */
struct target_reading_filter {
    struct span fs;
    int64_t from_ns, to_ns;
};

/* reading is valid during the call. */
typedef int records_target_reading_fn(void *arg, const struct target_reading *reading);

/* By cluster and target, then by time.  A negative return of fn ends the reading and is
 * returned; 1 ends it well.  Errors: as in records.h; a database of before there were
 * readings (barod migrates it when it starts) has no table of them. */
int records_find_target_readings(struct records_reader *reader,
                                 const struct target_reading_filter *filter,
                                 records_target_reading_fn *fn, void *arg,
                                 struct err *err);

#endif
