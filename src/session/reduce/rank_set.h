/* SPDX-License-Identifier: Apache-2.0 */
/* rank_set - a set of ranks as sorted ranges: {0..12, 14, 20..40}.
 *
 * Threads  none inside.
 */
#ifndef SESSION_REDUCE_RANK_SET_H
#define SESSION_REDUCE_RANK_SET_H

#include "base/cleanup.h"
#include "base/octets.h"

#define RANKS_MAX 131072

struct rank_range {
    uint32_t first, last;
};

struct rank_set {
    struct rank_range *ranges; /* in order; none touches the next */
    size_t count, capacity;
};

void rank_set_done(struct rank_set *set);
DEFINE_AUTO_DONE(struct rank_set, rank_set_done);
void rank_set_clear(struct rank_set *set);

/* Errors of what follows: -ENOMEM; then the set may hold a part of it. */
int rank_set_add(struct rank_set *set, uint32_t first, uint32_t last);
int rank_set_unite(struct rank_set *set, const struct rank_set *other);
int rank_set_subtract(struct rank_set *set, const struct rank_set *other);
int rank_set_copy(struct rank_set *set, const struct rank_set *other);

bool rank_set_has(const struct rank_set *set, uint32_t rank);
bool rank_set_equal(const struct rank_set *a, const struct rank_set *b);
uint32_t rank_set_size(const struct rank_set *set); /* how many ranks */

void rank_set_encode(const struct rank_set *set, struct strbuf *out);
/* Of ranks below size.  Errors: -EBADMSG, -ENOMEM; *set is an empty one before. */
int rank_set_decode(struct octets *in, uint32_t size, struct rank_set *set);

#endif
