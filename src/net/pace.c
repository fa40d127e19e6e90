/* SPDX-License-Identifier: Apache-2.0 */
/* pace - does a peer move bytes as fast as it must? */
#include "net/pace.h"

#define NS_A_SECOND INT64_C(1000000000)

/* What bytes take at rate_min, at most the allowance. */
static int64_t earned_by(uint64_t bytes, const struct pace_limit *limit)
{
    double ns = (double)bytes / (double)limit->rate_min * (double)NS_A_SECOND;
    return ns < (double)limit->allowance_ns ? (int64_t)ns : limit->allowance_ns;
}

bool pace_is_kept(struct pace *pace, const struct pace_limit *limit, int64_t begun_ns,
                  int64_t now_ns, uint64_t bytes, enum pace_time whose)
{
    if (pace->begun_ns != begun_ns)
        *pace = (struct pace){ begun_ns, begun_ns, limit->allowance_ns, 0 };
    if (bytes < pace->bytes) /* counted anew */
        pace->bytes = 0;
    if (whose == PACE_THEIRS)
        pace->left_ns -= now_ns - pace->seen_ns;
    int64_t earned_ns = earned_by(bytes - pace->bytes, limit);
    pace->left_ns += earned_ns;
    if (pace->left_ns > limit->allowance_ns)
        pace->left_ns = limit->allowance_ns;
    pace->seen_ns = now_ns;
    pace->bytes = bytes;
    return pace->left_ns >= 0;
}
