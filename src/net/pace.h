/* SPDX-License-Identifier: Apache-2.0 */
/* pace - does a peer move bytes as fast as it must?
 *
 *     allowance ┬▔▔▔▔╲      ╱▔▔╲           time passes: down by it
 *               │     ╲    ╱    ╲          bytes move:  up by what they take at
 * rate_min 0 ┴      ╲__╱      ╲▁ slow   and never above the allowance
 *
 * So what was moved long ago earns nothing: in every stretch of time a peer may fall
 * behind rate_min by the allowance at most.
 *
 * Threads  the sweeping thread alone.
 */
#ifndef NET_PACE_H
#define NET_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
    int64_t begun_ns; /* of the phase that it is about */
    int64_t seen_ns;
    int64_t left_ns;
    uint64_t bytes; /* that were counted */
};

struct pace_limit {
    int64_t allowance_ns;
    uint64_t rate_min; /* bytes a second, > 0 */
};

enum pace_time {
    PACE_THEIRS,
    PACE_OURS, /* the peer waited for us since the last look */
};

/* bytes: moved since begun_ns.  Returns false when the peer has become too slow. */
bool pace_is_kept(struct pace *pace, const struct pace_limit *limit, int64_t begun_ns,
                  int64_t now_ns, uint64_t bytes, enum pace_time whose);

#endif
