/* SPDX-License-Identifier: Apache-2.0 */
/* id_names_of_jobs - what runs of jobs report about users and groups; private. */
#ifndef RECORDS_NAMES_ID_NAMES_OF_JOBS_H
#define RECORDS_NAMES_ID_NAMES_OF_JOBS_H

#include "records/names/id_names.h"

/* Store the names of the users and groups of jobs, seen from a run's submission to its
 * end, or to now; each once.  What cannot be stored is passed over.
 * Errors: as records_put_id_names. */
int id_names_put_of_jobs(struct records *records, const struct job *jobs, size_t count,
                         int64_t now_ms, struct err *err);

#endif
