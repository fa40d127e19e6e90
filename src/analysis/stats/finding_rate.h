/* SPDX-License-Identifier: Apache-2.0 */
/* finding_rate - how often a finding is false, as it was measured.
 *
 *     doc/measured/findings.md ──▶ tools/finding-rates --write ──▶ finding_rate_table.h
 *
 * What was around a run was measured on runs of the SC18 study, each with the weather
 * of another run of its class; everything else on healthy jobs of a simulated centre.
 * A finding that is in neither was not measured.
 *
 * Threads  none inside; the table is constant.
 */
#ifndef ANALYSIS_STATS_FINDING_RATE_H
#define ANALYSIS_STATS_FINDING_RATE_H

#include <stdbool.h>
#include <stdint.h>

enum finding_rate_basis {
    FINDING_RATE_HEALTHY,   /* healthy jobs of the simulated centre */
    FINDING_RATE_CLIMATE,   /* runs with other weather, against their climate */
    FINDING_RATE_THRESHOLD, /* the same by thresholds */
    FINDING_RATE_BASIS_COUNT,
};

struct finding_rate {
    const char *name; /* of the finding: "small" */
    enum finding_rate_basis basis;
    uint64_t jobs;  /* that it was measured on */
    double percent; /* of these that had it, falsely */
};

/* is_by_climate: it was made by its p, not by a threshold.  NULL: not measured. */
const struct finding_rate *finding_rate_of(const char *name, bool is_by_climate);

/* "healthy-jobs", for programs; it stays. */
const char *finding_rate_basis_name(enum finding_rate_basis basis);

#endif
