/* SPDX-License-Identifier: Apache-2.0 */
/* region - where the performance of late runs parts from that of the season.
 *
 *     short average  ╭──╮      ╭─╮
 *     long average  ─┼──┼──────┼─┼───
 *                    └──┘──────└─┘      regions: between two crossings
 *
 * Both averages are centred on each run: over runs with t - w/2 <= time < t + w/2.  A
 * region begins with the run at which the sign of their difference is another than at
 * the run before; what lies before the first crossing and after the last has only one
 * border and is no region.  Equal averages count as below.
 *
 * Source: Lockwood et al., A Year in the Life of a Parallel File System, SC18.
 */
#ifndef ANALYSIS_REGION_H
#define ANALYSIS_REGION_H

#include "base/cleanup.h"

#include <stddef.h>
#include <stdint.h>

struct region {
    size_t first, end; /* runs first .. end - 1 */
};

/* Averages of values (0 to 1) over window_ns, at each of times (ascending). */
void moving_average(const int64_t *times, const double *values, size_t count,
                    int64_t window_ns, double *ret);

/* What is averaged: values in parts of the peak of each one's set.  Averages are
 * compared as the exact fractions that they are, for values within 32 bits of the
 * greatest of their set. */
struct region_values {
    const int64_t *times; /* ascending */
    const double *values; /* 0 or more, finite */
    const uint32_t *sets; /* below that of work; NULL: all are of set 0 */
    const double *peaks;  /* by set; 0: its values count as 0 */
    size_t count;
};

/* Room for the sums of so many sets, to be used again and again.  Errors: -ENOMEM. */
struct region_work;
int region_work_new(size_t set_count, struct region_work **ret);
void region_work_free(struct region_work *work);
DEFINE_AUTO(struct region_work, region_work_free);

/* Regions into ret, which has room for count of them; returns how many. */
size_t regions_find(struct region_work *work, const struct region_values *values,
                    int64_t short_ns, int64_t long_ns, struct region *ret);

#endif
