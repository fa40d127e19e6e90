/* SPDX-License-Identifier: Apache-2.0 */
/* job_scope - whose runs and summaries a client sees, as a condition of the database.
 *
 *     access_client ─▶ access_decide ─▶ permitted: no condition, nothing is looked up
 *                                       partly: owners, of a filter; each run that
 *                                               comes back is decided once more
 *
 * The client outlives it.
 *
 * Threads  none inside.
 */
#ifndef ACCESS_SCOPE_JOB_SCOPE_H
#define ACCESS_SCOPE_JOB_SCOPE_H

#include "access/access.h"
#include "records/records.h"

struct job_scope {
    const struct access_client *client;
    enum access_verdict verdict; /* of jobs in general */
    struct job_owners own;
};

void job_scope_init(struct job_scope *scope, const struct access_client *client);
/* For a filter; NULL: everyone's. */
const struct job_owners *job_scope_owners(const struct job_scope *scope);
bool job_scope_is_partial(const struct job_scope *scope);
bool job_scope_has(const struct job_scope *scope, const struct job *job);

#endif
