/* SPDX-License-Identifier: Apache-2.0 */
/* portion - parts of a limit: what is fixed stays, the others shrink until all fit. */
#include "base/system/portion.h"

#include <errno.h>
#include <stdbool.h>

uint64_t portion_sum(const struct portion *portions, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += portions[i].bytes;
    return sum;
}

static uint64_t floor_of(const struct portion *p, bool is_least)
{
    uint64_t floor = is_least ? p->least_bytes : p->comfortable_bytes;
    return floor < p->bytes ? floor : p->bytes;
}

/* Each gives as much of what it can spare as the others do. */
static void shrink(struct portion *portions, size_t count, uint64_t limit,
                   bool is_least)
{
    uint64_t sum = portion_sum(portions, count), spare = 0;
    if (sum <= limit)
        return;
    for (size_t i = 0; i < count; i++)
        spare += portions[i].bytes - floor_of(&portions[i], is_least);
    double part = spare ? (double)(sum - limit) / (double)spare : 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t own = portions[i].bytes - floor_of(&portions[i], is_least);
        double gives = part < 1 ? (double)own * part + 1 : (double)own;
        portions[i].bytes -= gives < (double)own ? (uint64_t)gives : own;
    }
}

int portion_fit(struct portion *portions, size_t count, uint64_t comfortable_limit,
                uint64_t limit)
{
    shrink(portions, count, comfortable_limit, false);
    if (portion_sum(portions, count) <= limit)
        return 0;
    shrink(portions, count, limit, true);
    return portion_sum(portions, count) <= limit ? 0 : -ENOSPC;
}
