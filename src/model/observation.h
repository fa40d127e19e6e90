/* SPDX-License-Identifier: Apache-2.0 */
/* observation - what an observer knows about one entry beside the entry itself.
 *
 *     time ──▶  previous_ms ······ since_ms ────────── t_ms
 *               last row           last look           this row
 *
 * The increment is the difference to the row at previous_ms (to zero where reset is
 * set) and accrued within (since_ms, t_ms].
 */
#ifndef MODEL_OBSERVATION_H
#define MODEL_OBSERVATION_H

#include <stdbool.h>
#include <stdint.h>

struct observation {
    int64_t t_ms;
    int64_t since_ms;    /* T_NONE: null */
    int64_t previous_ms; /* T_NONE: null */
    bool reset;
    bool is_zero; /* a zero record: every operation 0, snapshot null, at t_ms */
};

#endif
