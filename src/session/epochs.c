/* SPDX-License-Identifier: Apache-2.0 */
/* epochs - the trigger, and what a subtree contributes to each. */
#include "session/epochs.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "session/peers.h"

#include <errno.h>

static struct session_instant instant_of(const struct session_node *node,
                                         const struct node_epoch *e)
{
    return (struct session_instant){
        .incarnation = e->trigger.incarnation,
        .epoch = e->trigger.epoch,
        .instant_ns = e->trigger.instant_ns,
        .period_ns = e->trigger.period_ns,
        .rank = node->rank,
    };
}

/* ---- closing ---- */

static void report_result(struct session_node *node, struct node_epoch *e)
{
    AUTO(rank_set_done) struct rank_set missing = { 0 };
    if (!node->callbacks.result || rank_set_copy(&missing, &node->all) < 0 ||
        rank_set_subtract(&missing, &e->trigger.idle) < 0)
        return;
    uint32_t expected = rank_set_size(&missing);
    if (rank_set_subtract(&missing, &e->bundle.ranks) < 0)
        return;
    const struct session_result result = {
        .at = instant_of(node, e),
        .expected = expected,
        .bundle = &e->bundle,
        .missing = &missing,
        .late = node->late_unsent,
        .closed_ns = clock_now_ns(),
    };
    node->callbacks.result(node->callbacks.arg, &result);
    node->late_unsent = 0;
}

static void send_contribution(struct session_node *node, struct node_epoch *e)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    const struct session_contribution c = { .incarnation = e->trigger.incarnation,
                                            .epoch = e->trigger.epoch,
                                            .late = node->late_unsent,
                                            .bundle = e->bundle };
    session_contribution_encode(&c, &body);
    if (body.size > SESSION_BODY_MAX)
        node_notice(node, SESSION_WARNING,
                    "what this subtree contributes is too long to be sent: %zu bytes",
                    body.size);
    else if (node->parent && peer_send(node->parent, SESSION_CONTRIBUTION, &body) == 0)
        node->late_unsent = 0;
}

static void merge_own(struct node_epoch *e)
{
    if (e->is_held)
        (void)bundle_merge(&e->bundle, &e->own);
    bundle_done(&e->own);
    e->own = (struct bundle){ 0 };
    e->is_held = false;
}

static void close_epoch(struct session_node *node, struct node_epoch *e)
{
    merge_own(e);
    if (node_is_control(node))
        report_result(node, e);
    else
        send_contribution(node, e);
    bundle_done(&e->bundle);
    rank_set_done(&e->waiting);
    rank_set_done(&e->trigger.idle);
    *e = (struct node_epoch){ 0 };
}

/* Does what it has wait for others, who merge it? */
static bool is_being_reduced(const struct session_node *node, struct node_epoch *e)
{
    const struct session_instant at = instant_of(node, e);
    if (!e->is_reduced && !e->is_reducing && node->callbacks.reduce) {
        e->is_reducing = true;
        e->is_reducing = node->callbacks.reduce(node->callbacks.arg, &at, &e->bundle);
    }
    return e->is_reducing;
}

static void close_if_complete(struct session_node *node, struct node_epoch *e)
{
    if (e->is_open && e->is_sampled && !e->is_held && e->waiting.count == 0 &&
        !is_being_reduced(node, e))
        close_epoch(node, e);
}

/* ---- sampling ---- */

static void put_own(struct session_node *node, struct bundle *bundle)
{
    static const struct {
        const char *name;
        enum reduce_kind kind;
    } own[] = {
        { "session.skew_s", REDUCE_MOMENTS },
        { "session.skew_s", REDUCE_MAX },
        { "session.burst_s", REDUCE_MAX },
        { "session.missed", REDUCE_SUM },
        { "session.clock_difference_s", REDUCE_MIN },
        { "session.clock_difference_s", REDUCE_MAX },
    };
    const struct session_node_stats *s = &node->stats;
    const double values[] = { (double)s->skew_ns / 1e9,
                              (double)s->skew_ns / 1e9,
                              (double)s->burst_max_ns / 1e9,
                              (double)s->missed,
                              (double)s->clock_difference_ns / 1e9,
                              (double)s->clock_difference_ns / 1e9 };
    _Static_assert(COUNT_OF(own) == COUNT_OF(values), "a value each");
    for (size_t i = 0; i < COUNT_OF(own); i++) {
        struct reduce_input input = { .value = values[i], .rank = node->rank };
        (void)bundle_put(bundle, span_of(own[i].name), own[i].kind, &input);
    }
}

/* A node that comes too late for an instant disturbs its job alone: it leaves it out.
 */
static void sample_epoch(struct session_node *node, struct node_epoch *e)
{
    int64_t begin_ns = clock_now_ns(), began_ns = clock_monotonic_ns();
    int64_t skew_ns = begin_ns - e->trigger.instant_ns;
    const struct session_instant at = instant_of(node, e);
    e->is_sampled = true;
    if (rank_set_has(&e->trigger.idle, node->rank))
        return; /* what is below it still is merged here */
    if (skew_ns > e->trigger.period_ns / 2) {
        node->stats.missed++;
        return;
    }
    node->stats.epochs++;
    node->stats.skew_ns = skew_ns;
    if (skew_ns > node->stats.skew_max_ns)
        node->stats.skew_max_ns = skew_ns;
    if (bundle_begin(&e->own, node->rank) < 0)
        return;
    node->sampling = e;
    if (node->callbacks.sample)
        node->callbacks.sample(node->callbacks.arg, &at, &e->own);
    node->sampling = NULL;
    node->stats.burst_ns = clock_monotonic_ns() - began_ns;
    if (node->stats.burst_ns > node->stats.burst_max_ns)
        node->stats.burst_max_ns = node->stats.burst_ns;
    put_own(node, &e->own);
    if (!e->is_held) {
        e->is_held = true;
        merge_own(e);
    }
}

/* ---- what comes after the sample ---- */

struct bundle *epochs_held(struct session_node *node, const struct session_instant *at)
{
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++) {
        struct node_epoch *e = &node->epochs[i];
        if (e->is_open && e->is_held && e->trigger.epoch == at->epoch &&
            e->trigger.incarnation == at->incarnation)
            return &e->own;
    }
    return NULL;
}

void epochs_release(struct session_node *node, const struct session_instant *at)
{
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++) {
        struct node_epoch *e = &node->epochs[i];
        if (!e->is_held || &e->own != epochs_held(node, at))
            continue;
        merge_own(e);
        close_if_complete(node, e);
        return;
    }
}

static struct node_epoch *epoch_reducing(struct session_node *node,
                                         const struct session_instant *at)
{
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++) {
        struct node_epoch *e = &node->epochs[i];
        if (e->is_open && e->is_reducing && e->trigger.epoch == at->epoch &&
            e->trigger.incarnation == at->incarnation)
            return e;
    }
    return NULL;
}

struct bundle *epochs_reducing(struct session_node *node,
                               const struct session_instant *at)
{
    struct node_epoch *e = epoch_reducing(node, at);
    return e ? &e->bundle : NULL;
}

void epochs_reduced(struct session_node *node, const struct session_instant *at)
{
    struct node_epoch *e = epoch_reducing(node, at);
    if (!e)
        return; /* its deadline came first */
    e->is_reducing = false;
    e->is_reduced = true;
    close_if_complete(node, e);
}

/* ---- a trigger ---- */

static struct node_epoch *epoch_find(struct session_node *node, uint64_t incarnation,
                                     uint64_t epoch)
{
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++)
        if (node->epochs[i].is_open && node->epochs[i].trigger.epoch == epoch &&
            node->epochs[i].trigger.incarnation == incarnation)
            return &node->epochs[i];
    return NULL;
}

/* Where all are in use, the oldest closes. */
static struct node_epoch *epoch_slot(struct session_node *node)
{
    struct node_epoch *oldest = &node->epochs[0];
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++) {
        struct node_epoch *e = &node->epochs[i];
        if (!e->is_open)
            return e;
        if (e->trigger.instant_ns < oldest->trigger.instant_ns)
            oldest = e;
    }
    close_epoch(node, oldest);
    return oldest;
}

static void send_trigger(struct session_node *node, struct node_epoch *e)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    session_trigger_encode(&e->trigger, &body);
    for (struct session_peer *p = node->peers; p; p = p->next)
        if (p->role == PEER_CHILD && peer_send(p, SESSION_TRIGGER, &body) == 0)
            (void)rank_set_add(&e->waiting, p->rank, p->rank);
}

void epochs_trigger(struct session_node *node, const struct session_trigger *trigger)
{
    if (epoch_find(node, trigger->incarnation, trigger->epoch))
        return;
    struct node_epoch *e = epoch_slot(node);
    const struct topology *t = node->topology;
    int64_t share = t->height + 1 - t->depths[node->rank];
    *e = (struct node_epoch){ .is_open = true, .trigger = *trigger };
    e->trigger.idle = (struct rank_set){ 0 };
    if (rank_set_copy(&e->trigger.idle, &trigger->idle) < 0) {
        node_notice(node, SESSION_WARNING, "out of memory for an epoch: left out");
        rank_set_done(&e->trigger.idle);
        *e = (struct node_epoch){ 0 };
        return;
    }
    e->closes_ns = trigger->instant_ns + trigger->deadline_ns / (t->height + 1) * share;
    node->epoch = trigger->epoch;
    send_trigger(node, e);
}

/* ---- contributions ---- */

static bool is_of_subtree(const struct session_node *node, const struct rank_set *ranks,
                          uint32_t top)
{
    for (size_t i = 0; i < ranks->count; i++)
        for (uint32_t r = ranks->ranges[i].first; r <= ranks->ranges[i].last; r++)
            if (!topology_is_below(node->topology, r, top))
                return false;
    return true;
}

static bool overlaps(const struct rank_set *a, const struct rank_set *b)
{
    for (size_t i = 0; i < b->count; i++)
        for (uint32_t r = b->ranges[i].first; r <= b->ranges[i].last; r++)
            if (rank_set_has(a, r))
                return true;
    return false;
}

void epochs_contribution(struct session_peer *child, struct session_contribution *c)
{
    struct session_node *node = child->node;
    struct node_epoch *e = epoch_find(node, c->incarnation, c->epoch);
    struct rank_set self = { .ranges = &(struct rank_range){ child->rank, child->rank },
                             .count = 1 };
    node->late_unsent = reduce_count_add(node->late_unsent, c->late);
    if (!e) {
        node->stats.late++;
        node->late_unsent = reduce_count_add(node->late_unsent, 1);
        return;
    }
    if (!is_of_subtree(node, &c->bundle.ranks, child->rank) ||
        overlaps(&e->trigger.idle, &c->bundle.ranks) || !bundle_is_own(&c->bundle)) {
        node->stats.foreign++;
        node_notice(node, SESSION_WARNING,
                    "node '%s' contributed for nodes that are not below it, or idle; "
                    "dropped",
                    node_host(node, child->rank));
    } else if (overlaps(&e->bundle.ranks, &c->bundle.ranks)) {
        node->stats.overlapping++;
    } else if (bundle_merge(&e->bundle, &c->bundle) < 0) {
        node_notice(node, SESSION_WARNING, "out of memory for an epoch's contribution");
    }
    (void)rank_set_subtract(&e->waiting, &self);
    close_if_complete(node, e);
}

void epochs_child_gone(struct session_node *node, uint32_t rank)
{
    struct rank_set gone = { .ranges = &(struct rank_range){ rank, rank }, .count = 1 };
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++) {
        struct node_epoch *e = &node->epochs[i];
        (void)rank_set_subtract(&e->waiting, &gone);
        close_if_complete(node, e);
    }
}

/* ---- the control node's own clock ---- */

/* The first multiple of the period that can still be announced with its lead. */
static void plan_next(struct session_node *node, int64_t now_ns)
{
    int64_t period_ns = node->opts->period_ns;
    int64_t from_ns = now_ns + node->opts->lead_ns;
    if (from_ns < node->next.instant_ns + NS_PER_MS)
        from_ns = node->next.instant_ns + NS_PER_MS;
    node->next.instant_ns = from_ns - from_ns % period_ns + period_ns;
    node->next.epoch++;
    node->next.incarnation = node->incarnation;
    node->next.period_ns = period_ns;
    node->next.deadline_ns = node->opts->deadline_ns;
}

static void announce_next(struct session_node *node)
{
    int64_t now_ns = clock_now_ns();
    bool was_set_back = node->next.instant_ns >
                        now_ns + 2 * node->opts->period_ns + node->opts->lead_ns;
    if (node->next.instant_ns == 0 || was_set_back) {
        node->next.instant_ns = 0;
        plan_next(node, now_ns);
    }
    if (now_ns < node->next.instant_ns - node->opts->lead_ns)
        return;
    struct session_trigger trigger = node->next;
    trigger.idle = node->idle; /* lent */
    plan_next(node, now_ns);
    epochs_trigger(node, &trigger);
}

void epochs_run(struct session_node *node)
{
    if (node_is_control(node))
        announce_next(node);
    int64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++) {
        struct node_epoch *e = &node->epochs[i];
        if (e->is_open && !e->is_sampled && now_ns >= e->trigger.instant_ns) {
            sample_epoch(node, e);
            close_if_complete(node, e);
        }
        if (e->is_open && clock_now_ns() >= e->closes_ns)
            close_epoch(node, e);
    }
}

int64_t epochs_due_ns(const struct session_node *node)
{
    int64_t due_ns = node_is_control(node) && node->next.instant_ns
                         ? node->next.instant_ns - node->opts->lead_ns
                         : INT64_MAX;
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++) {
        const struct node_epoch *e = &node->epochs[i];
        int64_t at_ns = e->is_sampled ? e->closes_ns : e->trigger.instant_ns;
        if (e->is_open && at_ns < due_ns)
            due_ns = at_ns;
    }
    return due_ns == INT64_MAX ? 0 : due_ns;
}

void epochs_done(struct session_node *node)
{
    for (size_t i = 0; i < EPOCHS_OPEN_MAX; i++) {
        bundle_done(&node->epochs[i].own);
        bundle_done(&node->epochs[i].bundle);
        rank_set_done(&node->epochs[i].waiting);
        rank_set_done(&node->epochs[i].trigger.idle);
    }
}
