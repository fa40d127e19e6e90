/* SPDX-License-Identifier: Apache-2.0 */
/* log_dirs - where Darshan writes logs, and those of one job found there; the room's
 * door.
 *
 *     [darshan]
 *     directory = /darshan/%Y/%m/%d      1.2.2026 is 2026/2/1, as Darshan makes them,
 * and directory = /scratch/darshan-logs  2026/02/01
 *
 * Threads  a struct log_dirs is read-only once made: any number at once.
 */
#ifndef ANALYSIS_LOG_DIRS_LOG_DIRS_H
#define ANALYSIS_LOG_DIRS_LOG_DIRS_H

#include "base/config.h"
#include "base/strbuf.h"
#include "model/model.h"

#define LOG_DIRS_MAX 16
#define LOG_DAYS_MAX 35 /* of one job */

struct log_dirs;

extern const struct config_section darshan_config_section;

/* Read [darshan].  *ret is NULL where it names no directory.  Errors: -EINVAL with
 * file, line and key, -ENOMEM. */
int log_dirs_new(const struct config *config, struct log_dirs **ret, struct err *err);
/* A thread that hangs holds what it needs. */
void log_dirs_free(struct log_dirs *dirs);
DEFINE_AUTO(struct log_dirs, log_dirs_free);

/* The directories of a pattern on the day of t_s, the day that UTC has: one, or two
 * where month or day have one digit.  Returns how many were added to ret, each ended by
 * NUL.  A failure of the memory is ret's. */
size_t log_dirs_of_day(const char *pattern, int64_t t_s, struct strbuf *ret);

/* Whether a file of this name is a log of the job: "ann_a.out_id4711-20_11-8-..." */
bool log_dirs_is_named(struct span file, struct span id);

/* The run whose logs are wanted. */
struct log_query {
    struct span id, raw_id; /* as people and as the system number it; empty: the same */
    struct span user;       /* of the batch system's record; one of both */
    struct span uid;
    struct span log; /* the name of a log: no other one is wanted; empty: any */
    int64_t start_s, end_s;
};

/* One log, whole. */
struct found_log {
    struct strbuf path, bytes;
    size_t count;     /* so many logs are the run's */
    int64_t until_ns; /* the rest of time_max: of clock_monotonic_ns() */
};
void found_log_done(struct found_log *found);
DEFINE_AUTO_DONE(struct found_log, found_log_done);

/* The log of the run that ran longest, of those that began while it ran.
 * Errors: -ENOENT (there is none), -ETIMEDOUT, -EBUSY (others hang), -ENOMEM; err has
 * the reason. */
int log_dirs_find(struct log_dirs *dirs, const struct log_query *query,
                  struct found_log *ret, struct err *err);

#endif
