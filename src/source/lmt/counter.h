/* SPDX-License-Identifier: Apache-2.0 */
/* counter - what a sum that only grows says of the time between two samples.
 *
 *     1000  1100  0  0  1400          100  -  -  300      not read twice
 *     1000  1100  0  0    70          100  -  -   -       begun anew: not known
 */
#ifndef SOURCE_LMT_COUNTER_H
#define SOURCE_LMT_COUNTER_H

#include <math.h>
#include <stdbool.h>

struct lmt_counter {
    bool has_last;
    double last; /* of the samples that counted */
};

/* What a counter grew by since its last sample that counted; NaN: not known. */
static inline double lmt_counter_increment(struct lmt_counter *c, double value)
{
    double ret = NAN;
    if (value == 0 && c->has_last && c->last > 0)
        return ret;
    if (c->has_last && value >= c->last)
        ret = value - c->last;
    c->has_last = true;
    c->last = value;
    return ret;
}

#endif
