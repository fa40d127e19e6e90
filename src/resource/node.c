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

struct stated **stated_find(const struct node *node, struct span source)
{
    for (uint32_t i = 0; i < node->stated_count; i++)
        if (span_eq(node->stated[i]->s.source, source))
            return &node->stated[i];
    return NULL;
}

void node_host_path(const struct resource_hosts *hosts, size_t index,
                    struct strbuf *path)
{
    strbuf_adds(path, hosts->cluster);
    strbuf_addc(path, '/');
    component_print_name(path, span_of(hostset_at(hosts->names, index)));
}

uint32_t node_of_host(const struct resource_table *table,
                      const struct resource_hosts *hosts, size_t index)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    node_host_path(hosts, index, &path);
    return strbuf_error(&path) < 0 ? NO_NODE : node_find(table, strbuf_span(&path));
}
