/* SPDX-License-Identifier: Apache-2.0 */
/* job_log - a job's Darshan log, opened once and read in one pass for all who need it.
 *
 *     log ─▶ LUSTRE ──────────────────────▶ profile
 *            POSIX, STDIO, MPI-IO ─▶ totals ─┬▶ profile
 *                                            └▶ facts
 *            HDF5, PnetCDF, AutoPerf ─────▶ profile: each for itself
 *            heat map, traces ────▶ traffic
 *
 * Memory   that of the readers; records are read one by one and never gathered.
 * Threads  none inside.
 */
#ifndef ANALYSIS_JOB_JOB_LOG_H
#define ANALYSIS_JOB_JOB_LOG_H

#include "analysis/job/job_facts.h"
#include "analysis/job/job_traffic.h"
#include "analysis/job/profile.h"

struct job_log;

/* *ret is the caller's, to job_log_close().  Errors: as darshan_log_open(); -ENOMEM. */
int job_log_open(const char *path, struct job_log **ret, struct err *err);
/* The same out of memory, which must outlive *ret. */
int job_log_open_memory(const void *data, size_t size, struct job_log **ret,
                        struct err *err);
/* Likewise one that is not trusted: so many bytes of each of its parts, and no longer
 * than until_ns of clock_monotonic_ns(). */
struct job_log_limits {
    uint64_t region_bytes_max, names_bytes_max;
    int64_t until_ns;
};
int job_log_open_limited(const void *data, size_t size,
                         const struct job_log_limits *limits, struct job_log **ret,
                         struct err *err);
void job_log_close(struct job_log *log);
DEFINE_AUTO(struct job_log, job_log_close);

/* Read facts, profile or both; NULL: not wanted.  Texts of facts are put into arena.  A
 * log that is damaged is read as far as it goes, and both say so.
 * Errors: -ENODATA (no records of POSIX, STDIO, DFS or DAOS, where a profile is
 * wanted), -ENOMEM; then neither is touched. */
int job_log_read(struct job_log *log, struct arena *arena, struct job_facts *ret_facts,
                 struct profile *ret_profile, struct err *err);

/* The profile alone of a log that is opened for it.  Errors: as opening and reading. */
int job_log_profile(const char *path, struct profile *ret, struct err *err);
int job_log_profile_memory(const void *data, size_t size, struct profile *ret,
                           struct err *err);

/* What was wrong but not fatal so far, a line each; "" where nothing was. */
const char *job_log_faults(const struct job_log *log);

/* What was done through each interface and in each file, and the bytes over time; names
 * are the log's.  Both are to be done with in any case.  Errors: -ENOMEM. */
int job_log_detail(struct job_log *log, struct log_work *ret_work,
                   struct log_heat *ret_heat, struct err *err);

/* The bytes second by second.  Errors: as job_traffic_read(). */
int job_log_traffic(struct job_log *log, struct job_traffic *ret, struct err *err);

#endif
