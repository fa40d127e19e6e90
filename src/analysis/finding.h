/* SPDX-License-Identifier: Apache-2.0 */
/* finding - what may have cost a run its speed, as its log shows it; in plain words.
 *
 * A finding is a measure of the profile beyond a threshold.  The thresholds are rules
 * of thumb: a share of accesses counts only where there are FINDING_ACCESSES_MIN of
 * them, anything timed only where the run did FINDING_IO_S_MIN seconds of I/O.
 */
#ifndef ANALYSIS_FINDING_H
#define ANALYSIS_FINDING_H

#include "analysis/profile.h"

#define FINDING_ACCESSES_MIN 1000
#define FINDING_IO_S_MIN 1.0
#define FINDINGS_MAX 8

struct finding {
    const char *name; /* "small": for programs */
    const char *words;
    enum profile_measure measure; /* the evidence */
    double value;
    double threshold;
    uint64_t n; /* accesses or processes that the value is made of */
};

/* In the order of value / threshold, the worst first.  Returns how many. */
size_t findings_make(const struct profile *p, struct finding *ret);

#endif
