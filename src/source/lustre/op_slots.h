/* SPDX-License-Identifier: Apache-2.0 */
/* op_slots - what the lines of the entry before began with.
 *
 *     slot 0   "  read_bytes:      {"      name "read_bytes"
 *     slot 1   "  write_bytes:     {"      name "write_bytes"
 *
 * Dumps repeat themselves: entry after entry prints the same operations in the same
 * order.  While the line at one place begins as it did in the entry before, one
 * comparison replaces taking it apart.  Valid slots never share a name, so that a line
 * that fits its slot is known to name no operation that the entry has already.
 */
#ifndef SOURCE_LUSTRE_OP_SLOTS_H
#define SOURCE_LUSTRE_OP_SLOTS_H

#include "model/model.h"

#define OP_NAME_BYTES_MAX 64
#define OP_PREFIX_BYTES_MAX 96

/* All zeros: nothing is remembered. */
struct op_slots {
    struct op_slot {
        size_t prefix_size; /* 0: never fits */
        size_t name_size;
        char prefix[OP_PREFIX_BYTES_MAX]; /* up to the opening brace */
        char name[OP_NAME_BYTES_MAX];
    } slots[ENTRY_OPS_MAX];
};

/* How many bytes of line fit the slot: its prefix, or 0. */
size_t op_slots_match(const struct op_slots *slots, size_t index, struct span line);

/* From now on the operation at index, below ENTRY_OPS_MAX, has that name and its line
 * begins with prefix.  Slots below index are those of the same entry.
 * Errors: -EINVAL (name is over OP_NAME_BYTES_MAX), -EEXIST (the entry has it). */
int op_slots_set(struct op_slots *slots, size_t index, struct span name,
                 struct span prefix);

/* Valid until the slot is set again: as long as the entry. */
struct span op_slots_name(const struct op_slots *slots, size_t index);

#endif
