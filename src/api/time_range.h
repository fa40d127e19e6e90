/* SPDX-License-Identifier: Apache-2.0 */
/* time_range - the window of a route, out of its parameters from, to and last; private
 * to api.
 *
 *     from ──────────── to          to: now, if it is not named
 *          ◀─── last ───▶           last: in place of from
 *
 * Units    nanoseconds since 1970.
 */
#ifndef API_TIME_RANGE_H
#define API_TIME_RANGE_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdint.h>

struct time_range {
    int64_t from_ns, to_ns, last_ns;
};

/* Until now; so long, if neither from nor last comes. */
struct time_range time_range_of_last(int64_t last_ns);

/* Read one of the three.  Returns 1, 0 if the parameter is another, or -EINVAL: no
 * time, or a length that is not more than 0. */
int time_range_param(struct time_range *range, struct span name, struct span value);

/* After the last parameter: from_ns is there.  Errors: -EINVAL (from is not before to).
 */
int time_range_finish(struct time_range *range, struct err *err);

#endif
