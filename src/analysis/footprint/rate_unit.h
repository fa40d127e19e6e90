/* SPDX-License-Identifier: Apache-2.0 */
/* rate_unit - what rates of floating point operations and of bytes are worth, by their
 * unit: nothing is assumed of a unit that is not one.
 *
 *     "GF/s" "MFlops/s" "FLOPS"     operations a second: 1e9, 1e6, 1
 *     "GB/s" "MBytes/s" "KiB/s"     bytes a second: 1e9, 1e6, 1024
 */
#ifndef ANALYSIS_FOOTPRINT_RATE_UNIT_H
#define ANALYSIS_FOOTPRINT_RATE_UNIT_H

#include "base/span_type.h"

#include <stdbool.h>

enum rate_unit {
    RATE_FLOPS,
    RATE_BYTES,
};

/* Of what is counted the unit has no "/s": then its values are rates all the same.
 * Errors: -EINVAL (no such unit). */
int rate_unit_scale(enum rate_unit of, const char *unit, bool is_counter, double *ret);

/* "4.6TF/s", "350 GB/s" as a number of operations or bytes a second, above 0.  Errors:
 * -EINVAL. */
int rate_parse(enum rate_unit of, struct span text, double *ret);

#endif
