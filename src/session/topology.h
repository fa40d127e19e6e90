/* SPDX-License-Identifier: Apache-2.0 */
/* topology - who is whose parent: a k-ary tree, or any tree by a list of parents.
 *
 *            0                 rank 0 is the control node; a parent's rank may be any,
 *          / | \               as long as every rank reaches 0
 *         1  2  3
 *        /|
 *       4 5
 * Threads  read by any after topology_new().
 */
#ifndef SESSION_TOPOLOGY_H
#define SESSION_TOPOLOGY_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

#define TOPOLOGY_FANOUT_MAX 4096

struct topology {
    uint32_t size;
    uint32_t height;   /* depth of the deepest rank; the control node has depth 0 */
    uint64_t digest;   /* of size and parents */
    uint32_t *parents; /* of rank 0: 0 */
    uint32_t *depths;
};

/* parents: of ranks 1 .. size - 1 with commas between them ("0,0,1,1"); empty: k-ary.
 * Errors: -EINVAL (size, fanout, a list of another length, a circle), -ENOMEM. */
int topology_new(uint32_t size, uint32_t fanout, struct span parents,
                 struct topology **ret, struct err *err);
void topology_free(struct topology *topology);
DEFINE_AUTO(struct topology, topology_free);

/* The nth ancestor: 0 is the parent; the control node where there are fewer. */
uint32_t topology_ancestor(const struct topology *t, uint32_t rank, uint32_t nth);
/* Whether rank is top, or below it. */
bool topology_is_below(const struct topology *t, uint32_t rank, uint32_t top);

#endif
