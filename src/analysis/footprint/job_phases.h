/* SPDX-License-Identifier: Apache-2.0 */
/* job_phases - the phases of a run: from when to when its nodes did the same, and what
 * that was.
 *
 *     flops   ▁▁▁▇▇▇▇▇▇▇▇▁▁      medians over the nodes, in units of their noise
 *     net     ▇▇▇▁▁▁▁▁▁▁▁▁▁  ─▶ change_points ─▶ segments
 *                                                  │ similar, or too little apart:
 * joined 1 reads   2 computes 3 idle ◀────────────────┘ A B A B A B: one that
 * alternates
 *
 * Of each kind of metric that is known by its name (phase_metric) one is used, as its
 * median over the nodes, or devices.  Two segments stay apart where in one metric their
 * medians differ by PHASE_EFFECT_MIN of its greatest level in any segment, by
 * PHASE_NOISE_MIN times the deviation within them, and at the border itself, which the
 * slow growth of a memory does not; most of each must be nearer to its own level, and
 * of one that is shorter than twice the least length all, or another metric shows the
 * same: a few bursts are no phase.
 *
 * A window in which fewer than half of a metric's nodes have a number is one without.
 *
 * Memory   all of it lies in the arena, or is the samples'.  Threads  none inside.
 */
#ifndef ANALYSIS_FOOTPRINT_JOB_PHASES_H
#define ANALYSIS_FOOTPRINT_JOB_PHASES_H

#include "analysis/footprint/node_samples.h"
#include "analysis/footprint/phase_metric.h"
#include "base/arena.h"

#define JOB_PHASES_MAX 12
#define PHASE_WINDOWS_MIN 3     /* of a phase */
#define PHASE_SHARE_MIN 0.03    /* of the run's windows */
#define PHASE_EFFECT_MIN 0.25   /* of the greatest level */
#define PHASE_NOISE_MIN 3       /* standard deviations */
#define PHASE_ALTERNATING_MIN 6 /* segments A B A B A B that are one phase */

/* What the nodes did, as far as metrics show it: bits. */
enum phase_act {
    PHASE_COMPUTES = 1 << 0,
    PHASE_COMPUTES_ON_GPUS = 1 << 1,
    PHASE_USES_NETWORK = 1 << 2,
    PHASE_READS = 1 << 3,
    PHASE_WRITES = 1 << 4,
    PHASE_READS_OR_WRITES = 1 << 5, /* one metric has both */
    PHASE_IDLE = 1 << 6,
};
#define PHASE_ACT_COUNT 7

/* A metric in a phase. */
struct phase_level {
    double median; /* over the phase of the medians over the nodes; NaN: not observed */
    int mark;      /* 1: higher than the run's median, -1: lower, 0: as that */
};

struct phase_metric {
    const char *name, *unit;
    enum phase_kind kind;
    double median; /* of the whole run, likewise */
};

struct job_phase {
    size_t from, to; /* windows: to is the first one that is not of it */
    int64_t from_s, to_s;
    double share; /* of the run's time */
    unsigned acts;
    size_t changes; /* so often it goes from one to the other of two levels; 0: it does
                       not */
    const struct phase_level *levels; /* one of each metric */
};

struct job_phases {
    const struct phase_metric *metrics;
    size_t metric_count;
    const struct job_phase *items; /* one after the other, without a gap */
    size_t count;                  /* 0: no metric of the nodes is known by its name */
};

/* Errors: -ENOMEM; then *ret is untouched. */
int job_phases_make(const struct node_samples *samples, struct arena *arena,
                    struct job_phases *ret);

/* "computes", "moves data over the network", for people; "computes",
 * "uses-network", for programs. */
const char *phase_act_text(enum phase_act act);
const char *phase_act_name(enum phase_act act);

#endif
