/* SPDX-License-Identifier: Apache-2.0 */
/* space_check - file systems and their targets: used, growth, full when.
 *
 *     targets ─▶ group by file system ─▶ sum of its OSTs (bytes) and MDTs (inodes)
 *                                     └▶ each target by itself
 *
 * A target that begins within the range with SPACE_NEW_SHARE of its capacity or less is
 * new: its file system had nothing there before, and the trends of its other targets
 * begin with it, because from then on each of them gets a smaller part of the data.
 * Where another target begins within the range, the file system's history begins there:
 * what it held before is unknown.
 *
 * A target that was last observed over stale_ns before the newest of its file system
 * counts in no sum.
 */
#ifndef ANALYSIS_SPACE_SPACE_CHECK_H
#define ANALYSIS_SPACE_SPACE_CHECK_H

#include "analysis/space/space_trend.h"
#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>

#define SPACE_NEW_SHARE 0.01

enum space_what { SPACE_BYTES, SPACE_INODES, SPACE_WHAT_COUNT };

struct space_series {
    const double *used; /* count values; NaN: not observed.  NULL: none at all */
    double used_now, available_now; /* NaN: unknown */
};

struct space_target {
    const char *cluster, *fs, *name;
    bool is_mdt;
    int64_t newest_ns;
    struct space_series series[SPACE_WHAT_COUNT];
};

struct space_check_opts {
    const struct space_target *targets; /* by cluster, then fs, then name */
    size_t target_count;
    size_t count; /* values of each; 1 .. SPACE_VALUES_MAX */
    int64_t from_ns, step_ns;
    int64_t history_ns_min, stale_ns;
};

struct space_use {
    bool is_known;
    double used, available; /* now */
    struct space_trend trend;
};

struct space_row {
    const struct space_target *target; /* of a file system: its first */
    bool is_fs, is_stale, is_new;
    size_t osts, mdts, stale; /* of a file system */
    int64_t newest_ns;        /* of a file system: the oldest of what was summed */
    int64_t since_ns;         /* of the history: later than the range's; else 0 */
    struct space_use use[SPACE_WHAT_COUNT];
};

struct space_results {
    struct space_row *rows; /* a file system, its targets, the next file system */
    size_t count, fs_count;
};

/* ret is the caller's, to space_results_done().  It refers to the targets.
 * Errors: -EINVAL (options out of their limits), -ENOMEM; then ret is untouched. */
int space_check(const struct space_check_opts *opts, struct space_results *ret);
void space_results_done(struct space_results *results);
DEFINE_AUTO_DONE(struct space_results, space_results_done);

/* The share that is used of what is used or available, 0 .. 1; NaN: unknown. */
double space_share(const struct space_use *use);

#endif
