/* SPDX-License-Identifier: Apache-2.0 */
/* job_health - how a file system was when a job began, full, or served by too few; and
 * which targets moved to another server while it ran.
 *
 * Out of what a collector stores of `lfs df` and `lctl dl -t` (source/health): of each
 * the last reading at or before the job's start, with its age, and those until its end.
 * One that is too old is refused, with its reason.
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
    const char *full_targets; /* "OST000d:99.0 OST000f:97.5": more than 90 % */
    double servers_lead_s;
    int64_t overloaded_servers; /* with targets of others */
    int64_t overloaded_targets;
    double overloaded_pct;
    double targets_per_server; /* of those */
    double overload_factor;
    int64_t moved_count; /* targets that another server had by the end; 0: none */
    const char
        *moved_targets; /* "scratch-OST0004 scratch-OST0005", the first of them */
    const char *moved_from, *moved_to; /* servers, of those that moved first */
    int64_t moved_s;                   /* of the first reading with that */
    const char *refused;               /* NULL: nothing is */
};

#define JOB_HEALTH_MOVED_MAX 32 /* names of targets */
#define JOB_HEALTH_FULL_PCT 90.0
#define JOB_HEALTH_FULL_MAX 32

/* The time in which readings count: the last before it, and those in it. */
struct job_health_window {
    int64_t from_s, to_s;
    int64_t age_max_ns;
};

/* texts: whole files.  file_system: a mount point or its last part, or the name in
 * Lustre.  A text without a reading that fits is named in refused.  Texts of *ret are
 * put into arena.  Errors: -ENOMEM; then *ret is untouched. */
int job_health_read(const struct span *texts, size_t count, const char *file_system,
                    const struct job_health_window *window, struct arena *arena,
                    struct job_health *ret);
/* The moves alone, of texts that reach to the end of the window, into *health, where it
 * has none yet.  Errors: as above. */
int job_health_read_moves(const struct span *texts, size_t count,
                          const char *file_system,
                          const struct job_health_window *window, struct arena *arena,
                          struct job_health *health);

#endif
