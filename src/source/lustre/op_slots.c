/* SPDX-License-Identifier: Apache-2.0 */
/* op_slots - what the lines of the entry before began with. */
#include "source/lustre/op_slots.h"

#include "base/span.h"

#include <errno.h>

size_t op_slots_match(const struct op_slots *slots, size_t index, struct span line)
{
    if (index >= ENTRY_OPS_MAX)
        return 0;
    const struct op_slot *slot = &slots->slots[index];
    size_t size = slot->prefix_size;
    if (line.size < size || memcmp(line.data, slot->prefix, size) != 0)
        return 0;
    return size;
}

struct span op_slots_name(const struct op_slots *slots, size_t index)
{
    const struct op_slot *slot = &slots->slots[index];
    return (struct span){ slot->name, slot->name_size };
}

int op_slots_set(struct op_slots *slots, size_t index, struct span name,
                 struct span prefix)
{
    if (name.size > OP_NAME_BYTES_MAX)
        return -EINVAL;
    for (size_t i = 0; i < ENTRY_OPS_MAX; i++) {
        if (i == index || !span_eq(op_slots_name(slots, i), name))
            continue;
        if (i < index)
            return -EEXIST;
        slots->slots[i].prefix_size = 0;
    }
    struct op_slot *slot = &slots->slots[index];
    memcpy(slot->name, name.data, name.size);
    slot->name_size = name.size;
    slot->prefix_size = 0;
    if (prefix.size <= sizeof slot->prefix) {
        memcpy(slot->prefix, prefix.data, prefix.size);
        slot->prefix_size = prefix.size;
    }
    return 0;
}
