/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_rules - what may be the matter with a job's nodes: each rule, in order. */
#include "analysis/footprint/footprint_rules.h"

#include "analysis/footprint/apart_nodes.h"
#include "analysis/footprint/idle_gpus.h"
#include "analysis/footprint/idle_nodes.h"
#include "analysis/footprint/node_memory.h"

#include <errno.h>

int footprint_rules_apply(const struct node_grid *grid, const struct footprint_job *job,
                          struct arena *arena, struct footprint *ret)
{
    struct footprint_search s = { grid, job,  arena,
                                  ret,  NULL, (double)(ret->to_s - ret->from_s) };
    bool is_swapping = false;
    s.marks = arena_alloc(arena, (grid->hosts + 1) * sizeof *s.marks);
    if (!s.marks)
        return -ENOMEM;
    int rc = idle_nodes_find(&s);
    if (rc == 0)
        rc = node_swap_find(&s, &is_swapping);
    if (rc == 0 && !is_swapping)
        rc = node_memory_find(&s);
    if (rc == 0)
        rc = idle_gpus_find(&s);
    size_t before = ret->finding_count;
    if (rc == 0 && !is_swapping)
        rc = slow_nodes_find(&s);
    if (rc == 0 && !is_swapping && ret->finding_count == before)
        rc = uneven_nodes_find(&s);
    return rc;
}
