/* SPDX-License-Identifier: Apache-2.0 */
/* backoff - the pause before the next attempt to reach a server. */
#include "agent/send/backoff.h"

#include "base/number.h"

#define BACKOFF_FIRST_NS NS_PER_S
#define RETRY_AFTER_MAX_S 3600

int64_t backoff_next(struct backoff *backoff, uint32_t random, int64_t retry_after_s)
{
    backoff->pause_ns = backoff->pause_ns ? backoff->pause_ns * 2 : BACKOFF_FIRST_NS;
    if (backoff->pause_ns > backoff->max_ns)
        backoff->pause_ns = backoff->max_ns;
    int64_t half_ns = backoff->pause_ns / 2;
    int64_t ns = half_ns + half_ns / 1000 * (int64_t)(random % 1000);
    if (retry_after_s > 0 && retry_after_s <= RETRY_AFTER_MAX_S &&
        retry_after_s * NS_PER_S > ns)
        ns = retry_after_s * NS_PER_S;
    return ns;
}

void backoff_reset(struct backoff *backoff)
{
    backoff->pause_ns = 0;
}
