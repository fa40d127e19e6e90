/* SPDX-License-Identifier: Apache-2.0 */
/* chain - which row each row of a series goes on from. */
#include "query/chain.h"

#include "query/increment.h"

void chain_clear(struct chain *chain)
{
    chain->count = 0;
    chain->counted = NULL;
}

static struct chain_link *find_link(const struct chain *chain, struct span server)
{
    for (size_t i = 0; i < chain->count; i++)
        if (span_eq(chain->links[i].row.server, server))
            return (struct chain_link *)(uintptr_t)&chain->links[i];
    return NULL;
}

const struct jobrow *chain_before(const struct chain *chain, const struct jobrow *row)
{
    const struct chain_link *own = find_link(chain, row->server);
    if (!own)
        return chain->counted;
    if (increment_is_next(&own->row, row))
        return &own->row;
    if (chain->counted && chain->counted->t_ms > own->row.t_ms)
        return chain->counted;
    return &own->row;
}

static void link_set(struct chain_link *link, const struct jobrow *row)
{
    size_t size =
        row->server.size < sizeof link->server ? row->server.size : sizeof link->server;
    link->row = *row;
    if (size)
        memcpy(link->server, row->server.data, size);
    link->row.server = (struct span){ link->server, size };
    link->row.more = (struct span){ 0 };
}

/* A place for a server that is new: a free one, or that of the longest silent. */
static struct chain_link *free_link(struct chain *chain)
{
    if (chain->count < CHAIN_SERVERS_MAX)
        return &chain->links[chain->count++];
    struct chain_link *oldest = &chain->links[0];
    for (size_t i = 1; i < CHAIN_SERVERS_MAX; i++)
        if (chain->links[i].row.t_ms < oldest->row.t_ms)
            oldest = &chain->links[i];
    return oldest;
}

void chain_add(struct chain *chain, const struct jobrow *row)
{
    struct chain_link *link = find_link(chain, row->server);
    if (!link)
        link = free_link(chain);
    bool is_zero = increment_is_zero_record(row);
    if (is_zero && chain->counted == &link->row) {
        link_set(&chain->kept, &link->row);
        chain->counted = &chain->kept.row;
    }
    link_set(link, row);
    if (!is_zero)
        chain->counted = &link->row;
}
