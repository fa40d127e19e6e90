/* SPDX-License-Identifier: Apache-2.0 */
/* chain - which row each row of a series goes on from. */
#include "query/counters/chain.h"

#include "base/span.h"

#include "query/counters/increment.h"
#include "records/records.h"

void chain_clear(struct chain *chain)
{
    chain->count = 0;
    chain->counted = NULL;
    chain->hour_ms = T_NONE;
    chain->last_ms = T_NONE;
}

/* The server's newest, and how many it has. */
static struct chain_link *find_link(const struct chain *chain, struct span server,
                                    size_t *ret_count)
{
    const struct chain_link *newest = NULL;
    *ret_count = 0;
    for (size_t i = 0; i < chain->count; i++) {
        const struct chain_link *link = &chain->links[i];
        if (!span_eq(link->row.server, server))
            continue;
        ++*ret_count;
        if (!newest || link->row.t_ms >= newest->row.t_ms)
            newest = link;
    }
    return (struct chain_link *)(uintptr_t)newest;
}

/* The one of its server that row says it follows, or NULL. */
static struct chain_link *find_followed(const struct chain *chain,
                                        const struct jobrow *row)
{
    for (size_t i = 0; i < chain->count; i++) {
        const struct chain_link *link = &chain->links[i];
        if (span_eq(link->row.server, row->server) &&
            increment_is_next(&link->row, row))
            return (struct chain_link *)(uintptr_t)link;
    }
    return NULL;
}

/* Newer than what row follows, on one server: of another order of reading. */
static bool is_other_order(const struct jobrow *before, const struct jobrow *row)
{
    return row->previous_ms != T_NONE && before->t_ms > row->previous_ms &&
           span_eq(before->server, row->server);
}

static const struct jobrow *find_before(const struct chain *chain,
                                        const struct jobrow *row)
{
    const struct chain_link *followed = find_followed(chain, row);
    if (followed)
        return &followed->row;
    size_t count = 0;
    const struct chain_link *own = find_link(chain, row->server, &count);
    const struct jobrow *before = own ? &own->row : chain->counted;
    if (own && chain->counted && chain->counted->t_ms > own->row.t_ms)
        before = chain->counted;
    return before && is_other_order(before, row) ? &increment_before_unknown : before;
}

bool chain_is_in_reach(const struct jobrow *before, const struct jobrow *row)
{
    int64_t floor_ms = rollup_hour_of(row->t_ms) - ROLLUP_HOUR_MS;
    int64_t reach_ms = jobrow_reach_ms(row);
    if (reach_ms < floor_ms)
        floor_ms = reach_ms;
    return before->t_ms >= floor_ms - RECORDS_LOOKBACK_MS;
}

const struct jobrow *chain_before(const struct chain *chain, const struct jobrow *row)
{
    const struct jobrow *before = find_before(chain, row);
    if (!before || before == &increment_before_unknown)
        return before;
    return chain_is_in_reach(before, row) ? before : NULL;
}

/* Older rows of its server are not the newest, and what is newer than that is known. */
bool chain_is_sure_behind(const struct jobrow *own, int64_t last_ms,
                          const struct jobrow *row)
{
    int64_t followed_ms = row->previous_ms != T_NONE ? row->previous_ms : row->since_ms;
    if (own && (followed_ms == T_NONE || followed_ms >= own->t_ms))
        return true;
    return increment_is_base(row) ||
           (!increment_needs_before(row) && row->since_ms >= last_ms);
}

bool chain_is_sure(const struct chain *chain, const struct jobrow *row, int64_t from_ms)
{
    size_t count = 0;
    const struct chain_link *own = find_link(chain, row->server, &count);
    int64_t last_ms = chain->last_ms;
    if (last_ms == T_NONE)
        last_ms = from_ms - RECORDS_LOOKBACK_MS;
    return find_followed(chain, row) ||
           chain_is_sure_behind(own ? &own->row : NULL, last_ms, row);
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
    int64_t edge_ms = chain->last_ms, reach_ms = jobrow_reach_ms(row);
    if (chain->hour_ms == from_ms) {
        edge_ms = chain->edge_ms;
        reach_ms = chain->first_reach_ms;
    }
    int64_t floor_ms = reach_ms < from_ms ? reach_ms : from_ms;
    if (edge_ms != T_NONE && edge_ms < floor_ms - RECORDS_LOOKBACK_MS)
        edge_ms = T_NONE;
    if (chain->last_ms != T_NONE)
        forget(chain, from_ms, edge_ms);
    chain->edge_ms = chain->last_ms;
    chain->first_reach_ms = jobrow_reach_ms(row);
    chain->hour_ms = hour_ms;
}

void chain_add(struct chain *chain, const struct jobrow *row)
{
    chain->last_ms = row->t_ms;
    size_t count = 0;
    bool is_zero = increment_is_zero_record(row);
    struct chain_link *link = find_followed(chain, row);
    if (!link) {
        link = find_link(chain, row->server, &count);
        /* Where a server has several orders, a beginning belongs to none of them yet.
         */
        if (!link || increment_is_base(row) || is_other_order(&link->row, row) ||
            (is_zero && count > 1))
            link = free_link(chain);
    }
    if (chain->counted == &link->row && !span_eq(link->row.server, row->server))
        chain->counted = NULL; /* it was the longest silent */
    if (is_zero && chain->counted == &link->row) {
        link_set(&chain->kept, &link->row);
        chain->counted = &chain->kept.row;
    }
    link_set(link, row);
    if (!is_zero)
        chain->counted = &link->row;
}
