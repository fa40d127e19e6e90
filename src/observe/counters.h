/* SPDX-License-Identifier: Apache-2.0 */
/* counters - the samples and sums of one entry, small enough to keep for every entry.
 *
 *     entry ──▶ struct counters ──pack──▶ key samples sum | key samples sum | ...
 *               sorted by column           one byte and two varints each, zeros left
 * out
 *
 * Stored by column (model/op), not under printed names: "read" in bytes of Lustre 2.5
 * is the read_bytes of 2.12.  An operation that no column takes keeps its name.  min,
 * max, sumsq and hist are not here: nothing is decided by them.
 */
#ifndef OBSERVE_COUNTERS_H
#define OBSERVE_COUNTERS_H

#include "model/model.h"

#define COUNTERS_NAME_BYTES_MAX 255
#define COUNTERS_ITEM_BYTES_MAX (3 + COUNTERS_NAME_BYTES_MAX + 2 * 10)
#define COUNTERS_BYTES_MAX (ENTRY_OPS_MAX * COUNTERS_ITEM_BYTES_MAX)

struct counter_item {
    uint8_t column;   /* enum op, or OP_COUNT for one that keeps its name */
    uint8_t unit;     /* enum op_unit */
    struct span name; /* only with OP_COUNT */
    uint64_t samples, sum;
};

struct counters {
    size_t count;
    struct counter_item items[ENTRY_OPS_MAX];
};

/* Names point into the entry's text, or into packed. */
void counters_of_entry(const struct entry *entry, struct counters *ret);
/* Items that are zero are left out.  Returns the size. */
size_t counters_pack(const struct counters *counters,
                     uint8_t out[static COUNTERS_BYTES_MAX]);
/* Errors: -EBADMSG. */
int counters_unpack(const uint8_t *packed, size_t size, struct counters *ret);

/* Has samples or a sum of bytes gone backwards?  An operation missing from next proves
 * nothing: its line may have been lost. */
bool counters_decreased(const struct counters *before, const struct counters *next);
/* Does any counter of next differ, up or down? */
bool counters_changed(const struct counters *before, const struct counters *next);
/* Put into next what only before has, so that a line lost once is not a zero.  What
 * does not fit is left out. */
void counters_carry(const struct counters *before, struct counters *next);
/* total += next - before, item by item; before may be NULL.  A step backwards adds
 * nothing.  Names in total must outlive it: -ENOBUFS when there is no capacity. */
int counters_add(struct counters *total, const struct counters *before,
                 const struct counters *next);

#endif
