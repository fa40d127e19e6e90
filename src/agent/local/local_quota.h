/* SPDX-License-Identifier: Apache-2.0 */
/* local_quota - how much one user, and one job, may submit on this node.
 *
 * A user has LOCAL_BURST requests, and LOCAL_RATE more a second; a job has
 * LOCAL_NAMES_OF_JOB metrics.  No user loses hers to another: where all entries are in
 * use a new one is refused.  Memory is of a fixed size.
 * Threads: one at a time.
 */
#ifndef AGENT_LOCAL_LOCAL_QUOTA_H
#define AGENT_LOCAL_LOCAL_QUOTA_H

#include "agent/local/local_request.h"
#include "base/system/process_job.h"

#include <stdint.h>

#define LOCAL_BURST 100
#define LOCAL_RATE 10
#define LOCAL_NAMES_OF_JOB 32

enum { LOCAL_USERS_MAX = 64, LOCAL_NAMES_MAX = 512 };

struct local_quota {
    struct {
        uid_t uid;
        int64_t since_ns; /* when its requests were counted last; 0: not in use */
        double left;
    } users[LOCAL_USERS_MAX];
    struct {
        char job[JOB_ID_BYTES], name[LOCAL_NAME_BYTES_MAX];
        int64_t used_ns; /* 0: not in use */
    } names[LOCAL_NAMES_MAX];
};

/* now_ns: a clock that is never set, over 0. */
bool local_quota_request(struct local_quota *quota, uid_t uid, int64_t now_ns);
/* May the job have a metric of this name?  One that it has is found again for an hour
 * after its last sample. */
bool local_quota_metric(struct local_quota *quota, const char *job, struct span name,
                        int64_t now_ns);

#endif
