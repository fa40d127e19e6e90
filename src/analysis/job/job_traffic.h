/* SPDX-License-Identifier: Apache-2.0 */
/* job_traffic - the bytes that a job moved, second by second, as its log tells.
 *
 * Out of the first of these that the log has: heat maps (of POSIX and STDIO), traced
 * accesses (DXT_POSIX), or each file's first and last access, between which its bytes
 * are laid out evenly.
 */
#ifndef ANALYSIS_JOB_TRAFFIC_H
#define ANALYSIS_JOB_TRAFFIC_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define JOB_TRAFFIC_SECONDS_MAX ((size_t)1 << 20) /* twelve days */

struct job_traffic {
    int64_t start_s; /* Unix time of the first second */
    size_t count;    /* seconds */
    double *bytes;   /* read and written in each */
    double total;
    const char *source; /* "heat map", "traces", "times of files" */
};

struct darshan_log;

/* What a log says of accesses outside of the job's time counts at its ends.
 * Errors: -ENODATA (the log tells of no bytes and times), -EFBIG (over
 * JOB_TRAFFIC_SECONDS_MAX), -ENOMEM; then *ret is untouched. */
int job_traffic_read(struct darshan_log *log, struct job_traffic *ret, struct err *err);
void job_traffic_done(struct job_traffic *traffic);
DEFINE_AUTO_DONE(struct job_traffic, job_traffic_done);

#endif
