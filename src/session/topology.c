/* SPDX-License-Identifier: Apache-2.0 */
/* topology - who is whose parent: a k-ary tree, or any tree by a list of parents. */
#include "session/topology.h"

#include "base/number.h"
#include "base/span.h"
#include "session/reduce/reduce.h"

#include <xxhash.h>

void topology_free(struct topology *topology)
{
    if (!topology)
        return;
    free(topology->parents);
    free(topology->depths);
    free(topology);
}

static int read_parents(struct topology *t, struct span list, struct err *err)
{
    struct span word;
    for (uint32_t rank = 1; rank < t->size; rank++) {
        uint64_t parent;
        if (list.size == 0)
            return err_set(err, EINVAL,
                           "parents: %u of them for a session of %u nodes, which needs "
                           "%u",
                           rank - 1, t->size, t->size - 1);
        (void)span_cut(&list, ',', &word);
        if (number_parse_u64(span_trim(word), &parent) < 0 || parent >= t->size)
            return err_set(err, EINVAL,
                           "parents: '" SPAN_FMT "' is not a rank of 0 to %u",
                           SPAN_ARG(word), t->size - 1);
        t->parents[rank] = (uint32_t)parent;
    }
    return list.size == 0 ? 0
                          : err_set(err, EINVAL,
                                    "parents: more than the %u that a session of %u "
                                    "nodes needs",
                                    t->size - 1, t->size);
}

static int measure_depths(struct topology *t, struct err *err)
{
    for (uint32_t rank = 1; rank < t->size; rank++) {
        uint32_t depth = 0;
        for (uint32_t at = rank; at != 0; at = t->parents[at])
            if (++depth >= t->size)
                return err_set(err, EINVAL,
                               "parents: rank %u does not reach rank 0: a circle",
                               rank);
        t->depths[rank] = depth;
        if (depth > t->height)
            t->height = depth;
    }
    return 0;
}

int topology_new(uint32_t size, uint32_t fanout, struct span parents,
                 struct topology **ret, struct err *err)
{
    if (size == 0 || size > RANKS_MAX)
        return err_set(err, EINVAL, "a session has 1 to %d nodes, not %u", RANKS_MAX,
                       size);
    if (fanout == 0 || fanout > TOPOLOGY_FANOUT_MAX)
        return err_set(err, EINVAL, "fanout: %u is not in 1..%d", fanout,
                       TOPOLOGY_FANOUT_MAX);
    AUTO(topology_free) struct topology *t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    t->size = size;
    t->parents = calloc(size, sizeof *t->parents);
    t->depths = calloc(size, sizeof *t->depths);
    if (!t->parents || !t->depths)
        return -ENOMEM;
    for (uint32_t rank = 1; rank < size; rank++)
        t->parents[rank] = (rank - 1) / fanout;
    int rc = parents.size ? read_parents(t, parents, err) : 0;
    if (rc == 0)
        rc = measure_depths(t, err);
    if (rc < 0)
        return rc;
    t->digest = XXH3_64bits(t->parents, size * sizeof *t->parents);
    *ret = TAKE(t);
    return 0;
}

uint32_t topology_ancestor(const struct topology *t, uint32_t rank, uint32_t nth)
{
    uint32_t at = t->parents[rank];
    while (nth-- > 0 && at != 0)
        at = t->parents[at];
    return at;
}

bool topology_is_below(const struct topology *t, uint32_t rank, uint32_t top)
{
    while (rank != top && rank != 0 && t->depths[rank] > t->depths[top])
        rank = t->parents[rank];
    return rank == top;
}
