/* SPDX-License-Identifier: Apache-2.0 */
/* id_names - the names of users and groups, stored when they are seen.
 *
 * The runs of jobs that records_put_jobs() stores bring theirs along.  A number is
 * never looked up where rows are stored or read.
 */
#ifndef RECORDS_NAMES_ID_NAMES_H
#define RECORDS_NAMES_ID_NAMES_H

#include "base/err.h"
#include "model/model.h"
#include "records/jobs.h"

/* All of names in one durable transaction; a name seen again reaches from its first to
 * its last time.  Refused one by one: what id_name_check() refuses, and a time still
 * to come.  Errors: -EMSGSIZE (over RECORDS_JOBS_MAX), else as in records.h. */
int records_put_id_names(struct records *records, const struct id_name *names,
                         size_t count, int64_t now_ms, struct records_submission *ret,
                         struct err *err);

/* The names of these numbers, or the numbers of one name. */
struct id_name_filter {
    enum id_kind kind;
    const struct span *numbers; /* what is no number is passed over; NULL: any */
    size_t number_count;
    struct span name; /* data NULL: any */
};

/* name is valid during the call. */
typedef int records_id_name_fn(void *arg, const struct id_name *name);

/* By number, then by the time first seen.  A negative return of fn ends the reading and
 * is returned.  Errors: as in records.h, also for a database of before there were names
 * (barod migrates it when it starts). */
int records_find_id_names(struct records_reader *reader,
                          const struct id_name_filter *filter, records_id_name_fn *fn,
                          void *arg, struct err *err);

#endif
