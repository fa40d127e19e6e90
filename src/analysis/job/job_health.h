/* SPDX-License-Identifier: Apache-2.0 */
/* job_health - how a file system was when a job began: full, or served by too few.
 *
 * Out of what a collector keeps of `lfs df` and `lctl dl -t` (source/health): of each
 * the last reading at or before the job's start, with its age.  One that is too old is
 * refused and said, never taken in silence.
 */
#ifndef ANALYSIS_JOB_JOB_HEALTH_H
#define ANALYSIS_JOB_JOB_HEALTH_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span_type.h"

/* One target at that time; missing (job_value.h) where fullness is not known. */
struct job_health_target {
    const char *name; /* "OST000e"; of GPFS the disk's */
    int64_t index;
    int64_t used_kib;
    double pct;
};

/* All is missing where no reading fits; refused then says why where there were any. */
struct job_health {
    int64_t requested_s;    /* Unix time */
    int64_t actual_s;       /* of the reading */
    double fullness_lead_s; /* how old the reading of fullness was */
    int64_t ost_count;
    int64_t mean_kib;
    double mean_pct;
    struct job_health_target fullest, emptiest;
    double servers_lead_s;
    int64_t overloaded_servers; /* with targets of others */
    int64_t overloaded_targets;
    double overloaded_pct;
    double targets_per_server; /* of those */
    double overload_factor;
    const char *refused; /* NULL: nothing is */
};

/* texts: whole files.  file_system: a mount point or its last part, or the name in
 * Lustre.  A text without a reading that fits is named in refused.  Texts of *ret are
 * put into arena.  Errors: -ENOMEM; then *ret is untouched. */
int job_health_read(const struct span *texts, size_t count, const char *file_system,
                    int64_t start_s, int64_t age_max_ns, struct arena *arena,
                    struct job_health *ret);

#endif
