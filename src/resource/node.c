/* SPDX-License-Identifier: Apache-2.0 */
/* node - one component of the table: found by its path, and as others see it. */
#include "base/span.h"
#include "resource/table_private.h"

uint32_t node_find(const struct resource_table *table, struct span path)
{
    const uintptr_t *index = hashmap_get(&table->by_path, path);
    return index ? (uint32_t)(*index - 1) : NO_NODE;
}

void node_view(const struct resource_table *table, const struct node *node,
               struct resource_view *ret)
{
    const struct stated *by = node->effect.by;
    *ret = (struct resource_view){
        .component = node_path(node),
        .health = node->effect.health,
        .since_ns = node->effect.since_ns,
        .reason = by ? by->s.reason : SPAN(""),
        .source = by ? by->s.source : SPAN(""),
        .by = by ? by->s.by : SPAN(""),
        .cause = node_path(&table->nodes[node->effect.cause]),
        .part_count = node->part_count,
    };
}
