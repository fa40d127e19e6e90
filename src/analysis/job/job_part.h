/* SPDX-License-Identifier: Apache-2.0 */
/* job_part - a context by its parts: what is missing of it, by the table of columns.
 *
 * A part was observed where any of its columns has a value.
 */
#ifndef ANALYSIS_JOB_JOB_PART_H
#define ANALYSIS_JOB_JOB_PART_H

#include "analysis/job/job_columns.h"

enum job_part {
    JOB_PART_IDENTITY,
    JOB_PART_FACTS,
    JOB_PART_WEATHER,
    JOB_PART_COVERAGE,
    JOB_PART_HEALTH,
    JOB_PART_CO_SCHEDULED,
    JOB_PART_TOPOLOGY,
    JOB_PART_SITE,
    JOB_PART_FABRIC,
    JOB_PART_SERVERS,
    JOB_PART_NODES,
    JOB_PART_COUNT,
};

/* All missing. */
void job_context_init(struct job_context *context);
/* *to is initialised.  What servers and nodes have stays with from.  Errors: -ENOMEM.
 */
int job_context_copy(const struct job_context *from, struct job_context *to);

/* "health" */
const char *job_part_name(enum job_part part);
/* Whether the column's value lies in the part. */
bool job_part_has_column(enum job_part part, const struct job_column *column);
/* Whether any value of the part was observed.  *ret_reason, which may be NULL, becomes
 * why not, or NULL where that is not known. */
bool job_context_has(const struct job_context *context, enum job_part part,
                     const char **ret_reason);

#endif
