/* SPDX-License-Identifier: Apache-2.0 */
/* job_recorded - a job's record where rows of others are found for it: whose it is,
 * which number the batch system gave it, and its nodes; private to api. */
#ifndef API_HISTORY_JOB_RECORDED_H
#define API_HISTORY_JOB_RECORDED_H

#include "access/access.h"
#include "base/span_type.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

struct job_recorded {
    struct span cluster, raw_id, user, uid, nodes;
    int64_t start_ns, end_ns;
};

/* Whether rows can be its: they have its user, its number and a time of its run. */
bool job_recorded_is_whole(const struct job_recorded *job);
struct access_owner job_recorded_owner(const struct job_recorded *job);
/* *ret NULL: its nodes are not known, or are no set.  Errors: -ENOMEM. */
int job_recorded_nodes(const struct job_recorded *job, struct hostset **ret);
/* An agent may state a row of any job; it knows its own node alone, which has to be one
 * of the job's.  nodes NULL: none is foreign. */
bool job_recorded_is_foreign(const struct hostset *nodes, struct span host);

#endif
