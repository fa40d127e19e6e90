/* SPDX-License-Identifier: Apache-2.0 */
/* fullness - how full the targets of one file system are.
 *
 * A target is used/total full, as the file system's own reserve counts as free; lfs
 * prints used/(used + available), which is a little more.  Inactive targets, and
 * targets of size 0, are in no figure.
 */
#ifndef SOURCE_HEALTH_FULLNESS_H
#define SOURCE_HEALTH_FULLNESS_H

#include "source/health/sample.h"

struct health_fullness {
    size_t count;          /* targets with known space */
    size_t inactive_count; /* targets said to be inactive */
    double mean_used_kib;
    double mean_pct; /* of the used shares, each target alike; 0 .. 100 */
    double max_pct;
    double min_pct;
    const struct health_target *fullest;
    const struct health_target *emptiest; /* of equals the first named */
    int64_t t_ns;                         /* the oldest among them; -1: not known */
};

/* Errors: -ENOENT (no target of that kind with known space). */
int health_fullness(const struct health_sample *sample, struct span fs,
                    enum target_kind kind, struct health_fullness *ret);

#endif
