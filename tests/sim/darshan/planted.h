/* SPDX-License-Identifier: Apache-2.0 */
/* planted - Darshan logs of a job with one known difference, for tests.
 *
 * The job: 64 processes write a file each, on 8 targets, in accesses of 1 MiB.  Times
 * have noise of about 10 %, drawn from the seed; counters have none.
 */
#ifndef ANALYSIS_TEST_PLANTED_H
#define ANALYSIS_TEST_PLANTED_H

#include "base/strbuf.h"

#include <stdint.h>

enum planted {
    PLANTED_NOTHING,
    PLANTED_SMALL,
    PLANTED_UNALIGNED,
    PLANTED_RANDOM,
    PLANTED_IMBALANCE,
    PLANTED_METADATA,
    PLANTED_FEWER_PROCESSES,
    PLANTED_PROGRAM,
    PLANTED_CONTENTION,
    PLANTED_SLOW_TARGET,
    PLANTED_STRIPES,
    PLANTED_MORE_FILES,
    PLANTED_READS,
    PLANTED_COUNT,
};

/* Also the family of the difference that must come first; "" for nothing. */
const char *planted_family(enum planted kind);

/* The log in out. */
void planted_make(enum planted kind, uint64_t seed, struct strbuf *out);

#endif
