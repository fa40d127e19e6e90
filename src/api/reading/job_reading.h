/* SPDX-License-Identifier: Apache-2.0 */
/* job_reading - the nodes and the time of a job, for a query that names the job.
 *
 *     "4711", "alex/4711", "5_1"  ─▶  the last run's record  ─▶  hosts, [start, end]
 *
 * A job that has not ended is read until now.
 */
#ifndef API_JOB_READING_H
#define API_JOB_READING_H

#include "access/scope/scope.h"
#include "query/query.h"
#include "records/records.h"

#define JOB_READING_BYTES_MAX 512 /* of CLUSTER/ID */

struct job_reading {
    struct hostset *hosts;
    struct strbuf cluster;
    struct strbuf component; /* what it has of its own on each host: "job:4711" */
    int64_t from_ns, to_ns;  /* with the last second */
};

#define JOB_READING_INIT                     \
    {                                        \
        NULL, STRBUF_INIT, STRBUF_INIT, 0, 0 \
    }

void job_reading_done(struct job_reading *job);
DEFINE_AUTO_DONE(struct job_reading, job_reading_done);

/* The newest run that the scope has; of others there is none.  reader is used by this
 * thread alone.  Errors: -ENOENT (no run of it is stored, or the record lacks what is
 * needed: err has what to do), those of the reader. */
int job_reading_find(struct records_reader *reader, const struct job_scope *scope,
                     struct span id, struct job_reading *ret, struct err *err);
/* Those of its hosts that have metrics, and the others as missing.  Between enter and
 * leave of the store.  Errors: -ENOENT (none has), -ENOMEM. */
int job_reading_levels(const struct metric_store *store, const struct job_reading *job,
                       struct metric_levels *ret, struct metric_missing *missing,
                       struct err *err);

#endif
