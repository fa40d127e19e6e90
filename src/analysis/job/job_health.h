/* SPDX-License-Identifier: Apache-2.0 */
/* job_health - how a file system was when a job began: full, or served by too few.
 *
 * Out of what a collector keeps of `lfs df` and `lctl dl -t` (source/health): of each
 * the last reading at or before the job's start, with its age.  One that is too old is
 * refused and said, never taken in silence.
 */
#ifndef ANALYSIS_JOB_JOB_HEALTH_H
#define ANALYSIS_JOB_JOB_HEALTH_H

#include "analysis/table/table.h"
#include "base/err.h"
#include "base/span.h"

/* What is kept of one target: names outlive the texts. */
struct job_health_target {
    char name[64]; /* "OST000e"; of GPFS the disk's, cut off */
    uint32_t index;
    uint64_t used_kib;
    double pct;
};

struct job_health {
    bool has_fullness, has_servers;
    int64_t start_s;    /* asked for */
    int64_t fullness_s; /* when it was read */
    int64_t servers_s;
    uint64_t ost_count;
    double mean_kib, mean_pct;
    struct job_health_target fullest, emptiest;
    uint64_t overloaded_servers, overloaded_targets, mapped_targets;
    double targets_per_overloaded, overload_factor;
    char refused[512]; /* why a text has no part in it; "" */
};

/* texts: whole files.  file_system: a mount point or its last part, or the name in
 * Lustre.  A text without a reading that fits is named in refused.
 * Errors: -ENOMEM. */
int job_health_read(const struct span *texts, size_t count, const char *file_system,
                    int64_t start_s, int64_t age_max_ns, struct job_health *ret);

/* The columns fshealth_*. */
void job_health_put(const struct job_health *health, struct job_row *row);

#endif
