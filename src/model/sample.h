/* SPDX-License-Identifier: Apache-2.0 */
/* sample - one value of one series at one time, from the decoder to the store.
 *
 * Who decodes a text fills an array of them, and the store reads that array: nobody in
 * between copies it.
 *
 * Units    t_ns: nanoseconds since the Unix epoch, UTC.
 */
#ifndef MODEL_SAMPLE_H
#define MODEL_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* A series as the store that gave it knows it: opaque elsewhere.  It stays where it is
 * as long as the store is open. */
struct level_series;

struct sample {
    struct level_series *series;
    int64_t t_ns;
    double value;
};

/* What became of some samples. */
struct sample_counts {
    size_t accepted;
    size_t too_old; /* before the retention, or no time at all */
};

#endif
