/* SPDX-License-Identifier: Apache-2.0 */
/* counter - what a raw counter says about the time between two readings. */
#include "model/counter.h"

/* The columns whose sums are bytes: those of all others are usecs, when there are any.
 */
#define BYTES_SUMS ((UINT64_C(1) << OP_READ_BYTES) | (UINT64_C(1) << OP_WRITE_BYTES))

bool counter_decreased(const struct jobrow *before, const struct jobrow *next)
{
    uint64_t samples = before->has_samples & next->has_samples;
    uint64_t sums = before->has_sum & next->has_sum & BYTES_SUMS;
    for (int op = 0; op < OP_COUNT; op++) {
        uint64_t bit = UINT64_C(1) << op;
        if ((samples & bit) && next->samples[op] < before->samples[op])
            return true;
        if ((sums & bit) && next->sum[op] < before->sum[op])
            return true;
    }
    return false;
}

/* How much of amount has accrued by at_ms.  One function of time, rounded down: the
 * difference of its values at the borders of windows is what makes them add up. */
uint64_t counter_accrued(uint64_t amount, int64_t since_ms, int64_t t_ms, int64_t at_ms)
{
    if (at_ms >= t_ms)
        return amount;
    if (at_ms <= since_ms)
        return 0;
    uint64_t length = (uint64_t)t_ms - (uint64_t)since_ms;
    uint64_t passed = (uint64_t)at_ms - (uint64_t)since_ms;
    uint64_t product;
    if (!__builtin_mul_overflow(amount, passed, &product)) /* a tenth of the time */
        return product / length;
    return (uint64_t)((unsigned __int128)amount * passed / length);
}

uint64_t counter_part(uint64_t amount, int64_t since_ms, int64_t t_ms, int64_t from_ms,
                      int64_t to_ms)
{
    if (from_ms >= to_ms)
        return 0;
    if (since_ms == T_NONE || since_ms >= t_ms)
        return from_ms < t_ms && t_ms <= to_ms ? amount : 0;
    return counter_accrued(amount, since_ms, t_ms, to_ms) -
           counter_accrued(amount, since_ms, t_ms, from_ms);
}
