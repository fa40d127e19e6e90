/* SPDX-License-Identifier: Apache-2.0 */
/* observation - what an observer knows about one entry beside the entry itself.
 *
 *     time ──▶  previous_ms ······ since_ms ────────── t_ms
 *               last row       last observation        this row
 *
 * The increment is the difference to the row at previous_ms (to zero where reset is
 * set) and accrued within (since_ms, t_ms].  A previous_ms at which no row is says that
 * something was not seen: with reset, the end of the old generation
 * (doc/decisions/0380).  A previous_ms that is t_ms itself makes a base: the row adds
 * nothing, and others follow it (doc/decisions/0381).
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
    bool is_doubtful; /* nobody can say whether it is a reset: null; reset is false */
    bool is_zero;     /* a zero record: every operation 0, snapshot null, at t_ms */
};

#endif
