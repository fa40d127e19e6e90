/* SPDX-License-Identifier: Apache-2.0 */
/* members - who is online, as the control node announces it to all in one order. */
#include "session/members.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "session/peers.h"

#include <errno.h>

void members_print_range(struct strbuf *out, struct rank_range range)
{
    if (out->size)
        strbuf_addc(out, ',');
    strbuf_add_u64(out, range.first);
    if (range.last > range.first) {
        strbuf_addc(out, '-');
        strbuf_add_u64(out, range.last);
    }
}

int members_parse(struct span text, uint32_t size, struct rank_set *ret)
{
    struct span word, first;
    int rc = 0;
    while (rc == 0 && text.size) {
        uint64_t from, to;
        (void)span_cut(&text, ',', &word);
        bool is_range = span_cut(&word, '-', &first);
        if (number_parse_u64(first, &from) < 0 ||
            number_parse_u64(is_range ? word : first, &to) < 0 || to < from ||
            to >= size)
            return -EBADMSG;
        rc = rank_set_add(ret, (uint32_t)from, (uint32_t)to);
    }
    return rc;
}

void members_apply(struct session_node *node, const struct session_event *event)
{
    AUTO(rank_set_done) struct rank_set ranks = { 0 };
    if (members_parse(event->payload, node->size, &ranks) < 0)
        return;
    if (span_is(event->name, "session.join"))
        (void)rank_set_unite(&node->online, &ranks);
    else if (span_is(event->name, "session.lost"))
        (void)rank_set_subtract(&node->online, &ranks);
}

bool members_are_below(const struct session_node *node, const struct rank_set *ranks,
                       uint32_t top)
{
    for (size_t i = 0; i < ranks->count; i++)
        for (uint32_t r = ranks->ranges[i].first; r <= ranks->ranges[i].last; r++)
            if (r >= node->size || !topology_is_below(node->topology, r, top))
                return false;
    return true;
}

/* ---- who is below ---- */

static int gather(struct session_node *node, struct rank_set *ret)
{
    int rc = rank_set_add(ret, node->rank, node->rank);
    for (struct session_peer *p = node->peers; rc == 0 && p; p = p->next)
        if (p->role == PEER_CHILD)
            rc = rank_set_unite(ret, &p->below);
    return rc;
}

void members_report(struct session_node *node)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    rank_set_encode(&node->below, &body);
    if (node->parent)
        (void)peer_send(node->parent, SESSION_MEMBERS, &body);
}

bool members_update(struct session_node *node)
{
    AUTO(rank_set_done) struct rank_set below = { 0 };
    int64_t now_ns = clock_steady_ns();
    if (!node->has_below_changed || now_ns < node->members_ns)
        return false;
    node->members_ns = now_ns + MEMBERS_EACH(node->opts->heartbeat_ns);
    if (gather(node, &below) < 0)
        return false;
    node->has_below_changed = false;
    if (rank_set_equal(&below, &node->below))
        return false;
    if (rank_set_copy(&node->below, &below) < 0)
        node->has_below_changed = true;
    else
        members_report(node);
    return true;
}
