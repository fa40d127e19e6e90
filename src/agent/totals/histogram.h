/* SPDX-License-Identifier: Apache-2.0 */
/* histogram - brw_stats from one reading to the next, as quantiles of what came.
 *
 *     buckets of a target ──histograms_add──▶ counts now ──▶ minus those of the reading
 *     before ──▶ the bucket in which 50, 90 and 99 percent lie
 *
 * Threads  one at a time.
 */
#ifndef AGENT_TOTALS_HISTOGRAM_H
#define AGENT_TOTALS_HISTOGRAM_H

#include "source/lustre/lustre.h"

struct histogram;

struct histograms {
    struct histogram *first;
    size_t count;
};

/* One bucket of brw_stats; what is none of the known parts is passed over, and so is
 * what finds no memory, or no capacity (64 buckets, 2048 histograms). */
void histograms_add(struct histograms *histograms, const struct lustre_total *total);
/* The quantiles of what grew since the last call; in the first, and where nothing grew,
 * there are none.  name: "io_bytes", suffix: "_read_p50". */
typedef void histogram_fn(void *arg, struct span target, const char *name,
                          const char *suffix, double value);
void histograms_emit(struct histograms *histograms, histogram_fn *fn, void *arg);
void histograms_done(struct histograms *histograms);

#endif
