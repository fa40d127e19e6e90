/* SPDX-License-Identifier: Apache-2.0 */
/* entry - one job's counters in one target's jobstats. */
#include "model/entry.h"

#include "base/span.h"

const struct op_stat *entry_find_op(const struct entry *entry, struct span name)
{
    for (size_t i = 0; i < entry->op_count; i++)
        if (span_eq(entry->ops[i].name, name))
            return &entry->ops[i];
    return NULL;
}
