/* SPDX-License-Identifier: Apache-2.0 */
/* census - the control node announces who joined and who is lost. */
#include "session/census.h"

#include "base/clock.h"
#include "base/span.h"
#include "session/events.h"
#include "session/members.h"

#define LOST_HEARTBEATS 3

/* As many events as their payloads need. */
static void announce(struct session_node *node, const char *name,
                     const struct rank_set *ranks)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < ranks->count; i++) {
        members_print_range(&text, ranks->ranges[i]);
        if (text.size > SESSION_PAYLOAD_MAX - 32 || i + 1 == ranks->count) {
            (void)events_announce(node, span_of(name), strbuf_span(&text));
            strbuf_clear(&text);
        }
    }
}

static void announce_joins(struct session_node *node)
{
    AUTO(rank_set_done) struct rank_set joined = { 0 };
    if (rank_set_copy(&joined, &node->below) == 0 &&
        rank_set_subtract(&joined, &node->online) == 0)
        announce(node, "session.join", &joined);
}

void census_update(struct session_node *node)
{
    int64_t now_ns = clock_steady_ns();
    node->gone_since_ns = INT64_MAX;
    for (size_t i = 0; i < node->online.count; i++)
        for (uint32_t r = node->online.ranges[i].first;
             r <= node->online.ranges[i].last; r++) {
            int64_t *gone_ns = &node->gone_ns[r];
            if (rank_set_has(&node->below, r))
                *gone_ns = 0;
            else if (*gone_ns == 0)
                *gone_ns = now_ns;
            if (*gone_ns && *gone_ns < node->gone_since_ns)
                node->gone_since_ns = *gone_ns;
        }
    announce_joins(node);
}

int64_t census_due_ns(const struct session_node *node)
{
    if (node->gone_since_ns == INT64_MAX)
        return INT64_MAX;
    return node->gone_since_ns + LOST_HEARTBEATS * node->opts->heartbeat_ns;
}

void census_run(struct session_node *node)
{
    AUTO(rank_set_done) struct rank_set lost = { 0 };
    int64_t now_ns = clock_steady_ns();
    if (now_ns < census_due_ns(node))
        return;
    for (uint32_t r = 0; r < node->size; r++)
        if (node->gone_ns[r] &&
            now_ns - node->gone_ns[r] >= LOST_HEARTBEATS * node->opts->heartbeat_ns) {
            node->gone_ns[r] = 0;
            (void)rank_set_add(&lost, r, r);
        }
    announce(node, "session.lost", &lost);
    census_update(node);
}
