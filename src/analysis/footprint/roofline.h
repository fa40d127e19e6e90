/* SPDX-License-Identifier: Apache-2.0 */
/* roofline - how many floating point operations a job's nodes did for each byte of
 * memory, and how fast, against what they can do at best.
 *
 *     flop/s │        ╱───────── peak_flops        the ridge is where both meet:
 *            │      ╱                             peak_flops / peak_bytes
 *            │    ╱ ● a node of the job
 *            │  ╱   peak_bytes × intensity
 *            └───────────────────▶ flop/byte
 *
 * S. Williams, A. Waterman, D. Patterson, Roofline: an insightful visual performance
 * model for multicore architectures, Communications of the ACM 52, 2009.
 *
 * Bytes are those that the metric counts: between memory and caches.  A unit that is no
 * rate of operations, or of bytes, gives no roofline; peaks that are not configured
 * give no roof.
 *
 * Memory   texts are the samples'.  Threads  none inside.
 */
#ifndef ANALYSIS_FOOTPRINT_ROOFLINE_H
#define ANALYSIS_FOOTPRINT_ROOFLINE_H

#include "analysis/footprint/job_phases.h"
#include "analysis/footprint/node_samples.h"

/* Over the nodes and windows in which both were observed. */
struct roofline_point {
    uint64_t n;   /* how many those are; 0: the rest is NaN */
    double flops; /* a second, of a node on average, as bytes */
    double bytes;
    double intensity; /* flops / bytes; NaN: there were no bytes */
    double roof;      /* what a node can do at best at that intensity; NaN: not known */
};

enum roofline_state {
    ROOFLINE_NONE,       /* one of both metrics is missing, or both */
    ROOFLINE_NO_UNIT,    /* the unit of one of them is no such rate */
    ROOFLINE_NO_SAMPLES, /* no node has both at the same time */
    ROOFLINE_KNOWN,
};

struct roofline {
    enum roofline_state state;
    const char *flops, *bandwidth; /* metrics; NULL: ROOFLINE_NONE */
    const char *odd;               /* NO_UNIT: the metric, and its unit */
    const char *odd_unit;
    struct roofline_point job;
    struct roofline_point phases[JOB_PHASES_MAX]; /* of each phase */
    size_t phase_count;
    double peak_flops, peak_bytes; /* 0: not configured */
    const char *peakless;          /* as of node_samples */
};

void roofline_make(const struct node_samples *samples, const struct job_phases *phases,
                   struct roofline *ret);

/* Where both roofs meet; NaN: there are none. */
double roofline_ridge(const struct roofline *roofline);
/* The part of the roof that was reached; NaN: not known. */
double roofline_share(const struct roofline_point *point);

#endif
