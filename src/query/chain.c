/* SPDX-License-Identifier: Apache-2.0 */
/* chain - which row each row of a series goes on from. */
#include "query/chain.h"

#include "query/increment.h"
#include "records/records.h"

void chain_clear(struct chain *chain)
{
    chain->count = 0;
    chain->counted = NULL;
    chain->hour_ms = T_NONE;
    chain->last_ms = T_NONE;
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

/* What is older than from_ms goes, but for the row at edge_ms. */
static void forget(struct chain *chain, int64_t from_ms, int64_t edge_ms)
{
    const struct jobrow *counted = chain->counted;
    if (counted && counted->t_ms <= from_ms && counted->t_ms != edge_ms)
        chain->counted = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < chain->count; i++) {
        const struct jobrow *row = &chain->links[i].row;
        if (row->t_ms <= from_ms && row->t_ms != edge_ms)
            continue;
        if (kept != i) {
            if (chain->counted == row)
                chain->counted = &chain->links[kept].row;
            link_set(&chain->links[kept], row);
        }
        kept++;
    }
    chain->count = kept;
}

int64_t chain_from_ms(int64_t from_ms)
{
    return rollup_hour_of(from_ms + 1) - ROLLUP_HOUR_MS;
}

void chain_enter(struct chain *chain, const struct jobrow *row)
{
    int64_t hour_ms = rollup_hour_of(row->t_ms);
    if (chain->hour_ms == hour_ms)
        return;
    int64_t from_ms = hour_ms - ROLLUP_HOUR_MS;
    /* The last row at or before from_ms, and what the first one after it follows. */
    int64_t edge_ms = chain->last_ms, previous_ms = row->previous_ms;
    if (chain->hour_ms == from_ms) {
        edge_ms = chain->edge_ms;
        previous_ms = chain->first_previous_ms;
    }
    int64_t floor_ms =
        previous_ms != T_NONE && previous_ms < from_ms ? previous_ms : from_ms;
    if (edge_ms != T_NONE && edge_ms < floor_ms - RECORDS_LOOKBACK_MS)
        edge_ms = T_NONE;
    if (chain->last_ms != T_NONE)
        forget(chain, from_ms, edge_ms);
    chain->edge_ms = chain->last_ms;
    chain->first_previous_ms = row->previous_ms;
    chain->hour_ms = hour_ms;
}

void chain_add(struct chain *chain, const struct jobrow *row)
{
    chain->last_ms = row->t_ms;
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
