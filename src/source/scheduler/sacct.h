/* SPDX-License-Identifier: Apache-2.0 */
/* sacct - the accounting of Slurm, as sacct prints it.
 *
 *     SLURM_TIME_FORMAT=%s sacct -a -D --noconvert -P -o \
 *         JobID,JobIDRaw,User,Account,Partition,Cluster,State,Submit,Start,End,NNodes,\
 *         NodeList,JobName
 *
 * Columns are known by their names in the header, in any order; further ones are passed
 * over.  -p and any one-byte --delimiter will do too.  A row with more fields than
 * columns has the delimiter in its job name: the rest of the row tells where it ends.
 */
#ifndef SOURCE_SCHEDULER_SACCT_H
#define SOURCE_SCHEDULER_SACCT_H

#include "source/scheduler/job_list.h"

struct sacct_opts {
    bool has_zone; /* times without a zone (2026-11-21T02:25:20) are this zone's */
    int64_t zone_east_s;    /* seconds to take off for UTC: 3600 for +01:00 */
    job_fault_fn *on_fault; /* may be NULL */
    void *arg;
};

/* Add every job of text.  Steps (12.batch, 12.0) are none: they lie within their job;
 * only where a job's own line is not there, its steps' first start and last end stand
 * for it.  A row that cannot be read costs that row. Errors: -EINVAL (no header, or it
 * lacks JobID, Start or End: err says which), -ENOMEM, -E2BIG. */
int sacct_read(struct span text, const struct sacct_opts *opts, struct job_list *list,
               struct err *err);

#endif
