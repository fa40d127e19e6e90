/* SPDX-License-Identifier: Apache-2.0 */
/* readings - a counter that was read now and then, as what happened in each step.
 *
 *     readings     1000     1100         1400       70    90
 *     steps     |     100      |  150  |  150  |  -    |  20  |
 *
 * Between two readings the counter tells the sum, and nobody when: it is shared evenly,
 * in whole numbers, so that the steps add up to it.  Where the counter went backwards
 * it began anew, and where two readings lie further apart than gap_ms nobody watched:
 * then nothing is known of the time between.  A step is known when all of it is.
 *
 * Times  milliseconds since 1970.
 */
#ifndef SOURCE_LMT_READINGS_H
#define SOURCE_LMT_READINGS_H

#include "source/lmt/grid.h"

#include <stdbool.h>

struct lmt_readings {
    struct lmt_grid *grid;
    size_t column;
    int64_t gap_ms;
    bool has_last;
    double last;
    int64_t last_ms;
    int64_t known_from_ms; /* without a hole up to last_ms */
    double part;           /* of the step that last_ms lies in */
};

/* The next reading, later than those before; another one of the same time is none.
 * What two counters did in one step is added up. */
void lmt_readings_put(struct lmt_readings *r, int64_t t_ms, double value);

#endif
