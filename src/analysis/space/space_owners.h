/* SPDX-License-Identifier: Apache-2.0 */
/* space_owners - what users, groups or projects hold of file systems, out of what each
 * of the largest holds on each target.
 *
 *     scratch-OST0000   1001: 40  1002: 30  others: 5  ─┐   1001: 40 .. 70
 *     scratch-OST0001   1002: 60  1003: 30  others: 9  ─┴▶  1002: 90
 *                                                           1003: 30 .. 60
 *
 * A target lists its largest only, and the rest as SPACE_OTHERS.  An owner that it does
 * not list holds at most what the smallest listed one does there: a sum has a bound.
 * Bytes are those of OSTs, inodes those of MDTs.
 */
#ifndef ANALYSIS_SPACE_SPACE_OWNERS_H
#define ANALYSIS_SPACE_SPACE_OWNERS_H

#include "analysis/space/space_check.h"

#define SPACE_OTHERS "others"

/* One owner on one target. */
struct space_holding {
    const char *cluster, *fs, *target, *owner;
    bool is_mdt;
    double now;        /* its newest value: bytes on an OST, inodes on an MDT */
    int64_t newest_ns; /* when that was */
    bool is_current;   /* it is of the target's newest reading: set here */
};

struct space_owner {
    const struct space_holding *holdings; /* those of one owner and file system */
    size_t holding_count;
    bool is_others;
    int64_t newest_ns;
    /* NaN: no target of that kind was read. */
    double used[SPACE_WHAT_COUNT], used_max[SPACE_WHAT_COUNT];
    double share[SPACE_WHAT_COUNT];             /* of what all hold, 0 .. 1 */
    struct space_trend trend[SPACE_WHAT_COUNT]; /* where has_trend */
    bool has_trend[SPACE_WHAT_COUNT];
};

struct space_owners {
    struct space_owner *items; /* the largest first, others last */
    size_t count;
};

/* Holdings are put in order.  ret is the caller's, to space_owners_done(); it refers to
 * holdings.  Errors: -ENOMEM; then ret is untouched. */
int space_owners_find(struct space_holding *holdings, size_t count,
                      struct space_owners *ret);
void space_owners_done(struct space_owners *owners);
DEFINE_AUTO_DONE(struct space_owners, space_owners_done);

/* How an owner's sum grew: values as of space_trend_opts; its capacity is the most it
 * ever held.  Errors: as space_trend_of(). */
int space_owner_trend(struct space_owner *owner, enum space_what what,
                      const double *used, size_t count, int64_t step_ns,
                      int64_t history_ns_min);

#endif
