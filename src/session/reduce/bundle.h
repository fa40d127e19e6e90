/* SPDX-License-Identifier: Apache-2.0 */
/* bundle - what a subtree contributes to one epoch: named reductions, and whose.
 *
 *     load_one  moments   all            ranks: of all that are in it
 *     load_one  max       all            an item whose ranks are fewer names them
 *     gpu_temp  max       {4..7}
 *
 * A node fills one with what its sources yield, merges those of its children into it,
 * and sends it on: one message, however many nodes are below.  Items with one name and
 * kind are merged; bounds hold for what comes from outside and what is yielded, too.
 */
#ifndef SESSION_REDUCE_BUNDLE_H
#define SESSION_REDUCE_BUNDLE_H

#include "base/err.h"
#include "session/reduce/reduction.h"

#define BUNDLE_NAME_MAX 64
#define BUNDLE_ITEMS_MAX 1024
#define BUNDLE_BYTES_MAX (1 << 20) /* encoded */

struct bundle_item {
    uint8_t name_size;
    bool is_of_all; /* every rank of the bundle put something */
    char name[BUNDLE_NAME_MAX];
    struct reduction reduction;
    struct rank_set ranks; /* empty where is_of_all */
};

struct bundle {
    struct bundle_item *items; /* by name and kind */
    size_t count, capacity;
    struct rank_set ranks;
    uint64_t refused; /* items that could not be merged: other bounds, too many, not
                         finite */
};

void bundle_done(struct bundle *bundle);
DEFINE_AUTO_DONE(struct bundle, bundle_done);

/* A node's own: all that it puts is of this rank. */
int bundle_begin(struct bundle *bundle, uint32_t rank);
/* name: letters, digits and "_.:-".  input->rank is the bundle's own.  A second value
 * with one name and kind is merged, as those of several devices of a node.
 * Errors: -EINVAL (name, value), -E2BIG (too many), -ERANGE (as
 * reduction_merge()), -ENOMEM. */
int bundle_put(struct bundle *bundle, struct span name, enum reduce_kind kind,
               const struct reduce_input *input);

/* Errors: -ENOMEM.  What does not merge is counted, and costs that item only. */
int bundle_merge(struct bundle *bundle, const struct bundle *other);

static inline struct span bundle_name(const struct bundle_item *item)
{
    return (struct span){ item->name, item->name_size };
}
/* NULL: there is none. */
const struct bundle_item *bundle_find(const struct bundle *bundle, struct span name,
                                      enum reduce_kind kind);
/* Entries in place of those that a top has: what they were merged into.  How many
 * values were put, and by whom, stays.  count 0: it is removed. Errors:
 * -ENOENT, -EINVAL (as reduction_init()), -ENOMEM; nothing is changed then. */
int bundle_set_top(struct bundle *bundle, struct span name,
                   const struct reduce_input *entries, size_t count);
/* A top was lost: it is removed, and those that put an entry are added to the hosts of
 * lost.  Errors: -ENOENT, -EINVAL (a name), -E2BIG, -ENOMEM. */
int bundle_lose_top(struct bundle *bundle, struct span name, struct span lost);

/* Whose it is. */
const struct rank_set *bundle_item_ranks(const struct bundle *bundle,
                                         const struct bundle_item *item);

/* Whether every rank that its items name is one of its own: what a subtree may
 * contribute. */
bool bundle_is_own(const struct bundle *bundle);

void bundle_encode(const struct bundle *bundle, struct strbuf *out);
/* Of a session of so many ranks.  Errors: -EBADMSG, -ENOMEM; free it in any case. */
int bundle_decode(struct octets *in, uint32_t ranks, struct bundle *ret);

#endif
