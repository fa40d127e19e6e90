/* SPDX-License-Identifier: Apache-2.0 */
/* players - a session in memory: nodes in one process, whose links are queues. */
#include "session/test/players.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define QUEUE_MAX (1 << 20)

struct queued_frame {
    struct queued_frame *next;
    uint8_t type;
    size_t size;
    char bytes[];
};

/* One direction of a connection; its peer is the other. */
struct player_link {
    struct player_link *next, *other;
    struct player *owner;
    struct session_peer *peer;          /* NULL: closed here */
    struct queued_frame *first, **last; /* to be received here */
    size_t bytes;
    bool is_connecting, is_ended; /* ended: the other side is closed */
};

static struct player_link *link_make(struct player *owner)
{
    struct player_link *link = calloc(1, sizeof *link);
    if (!link)
        abort();
    link->owner = owner;
    link->last = &link->first;
    link->next = owner->players->links;
    owner->players->links = link;
    return link;
}

static int play_connect(void *arg, uint32_t rank, struct session_peer *peer,
                        void **ret_link)
{
    struct player *player = arg;
    struct player *to = &player->players->players[rank];
    if (!to->node)
        return -ECONNREFUSED;
    struct player_link *a = link_make(player), *b = link_make(to);
    a->other = b;
    b->other = a;
    a->peer = peer;
    a->is_connecting = b->is_connecting = true;
    *ret_link = a;
    return 0;
}

static int play_send(void *link, uint8_t type, struct span body)
{
    struct player_link *to = ((struct player_link *)link)->other;
    struct players *p = to->owner->players;
    if (to->bytes + body.size > QUEUE_MAX)
        return -ENOBUFS;
    struct queued_frame *frame = malloc(sizeof *frame + body.size);
    if (!frame)
        abort();
    *frame = (struct queued_frame){ .type = type, .size = body.size };
    if (body.size)
        memcpy(frame->bytes, body.data, body.size);
    *to->last = frame;
    to->last = &frame->next;
    to->bytes += body.size;
    p->frames++;
    p->bytes += body.size + 32;
    return 0;
}

static void play_close(void *arg)
{
    struct player_link *link = arg;
    link->peer = NULL;
    link->other->is_ended = true;
}

/* Its links are queues, which have no limit of a body. */
static void play_admit(void *link)
{
    (void)link;
}

static bool play_is_ready(void *link)
{
    return ((struct player_link *)link)->other->bytes < QUEUE_MAX / 2;
}

static void on_play_result(void *arg, const struct session_result *result)
{
    struct players *p = ((struct player *)arg)->players;
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    p->results++;
    p->late += result->late;
    p->result_ns = result->closed_ns - result->at.instant_ns;
    bundle_done(&p->last);
    bundle_encode(result->bundle, &bytes);
    struct octets in = { .rest = strbuf_span(&bytes) };
    if (bundle_decode(&in, p->count, &p->last) < 0 ||
        rank_set_copy(&p->missing, result->missing) < 0)
        abort();
}

static void on_play_event(void *arg, const struct session_event *event,
                          const struct session_gap *gap)
{
    struct player *player = arg;
    if (gap)
        player->gaps += gap->last - gap->first + 1;
    else
        strbuf_addf(&player->log, "%llu.%llu " SPAN_FMT " " SPAN_FMT "\n",
                    (unsigned long long)event->incarnation,
                    (unsigned long long)event->sequence, SPAN_ARG(event->name),
                    SPAN_ARG(event->payload));
}

static void on_play_sample(void *arg, const struct session_instant *at,
                           struct bundle *bundle)
{
    const struct player *player = arg;
    if (player->players->sample)
        player->players->sample(arg, at, bundle);
}

void players_init(struct players *p, uint32_t count, uint32_t fanout)
{
    struct err err = { 0 };
    *p = (struct players){
        .count = count,
        .opts = { .name = "played",
                  .size = count,
                  .rank = "0",
                  .address = "unix:%r",
                  .fanout = fanout,
                  .heartbeat_ns = 200 * NS_PER_MS,
                  .period_ns = 400 * NS_PER_MS,
                  .lead_ns = 100 * NS_PER_MS,
                  .deadline_ns = 200 * NS_PER_MS,
                  .queue_bytes_max = QUEUE_MAX,
                  .event_rate = 1000,
                  .event_burst = 1000 },
    };
    p->players = calloc(count, sizeof *p->players);
    if (!p->players || session_plan_make(&p->opts, &p->plan, &err) < 0) {
        fprintf(stderr, "players: %s\n", err.text);
        abort();
    }
}

void player_start(struct players *p, uint32_t rank)
{
    struct player *player = &p->players[rank];
    player->players = p;
    player->rank = rank;
    player->plan = p->plan;
    player->plan.rank = rank;
    const struct session_node_opts opts = {
        .opts = &p->opts,
        .plan = &player->plan,
        .transport = { player, play_connect, play_send, play_close, play_admit,
                       play_is_ready },
        .callbacks = { .arg = player,
                       .sample = on_play_sample,
                       .result = on_play_result,
                       .event = on_play_event },
        .boot = ++p->boots,
        .incarnation = rank == 0 ? ++p->incarnation : 0,
    };
    if (node_new(&opts, &player->node) < 0)
        abort();
}

void player_kill(struct players *p, uint32_t rank)
{
    struct player *player = &p->players[rank];
    for (struct player_link *l = p->links; l; l = l->next)
        if (l->owner == player && (l->peer || l->is_connecting))
            play_close(l);
    node_free(player->node);
    player->node = NULL;
    player->hangs = false;
}

/* ---- time ---- */

static void link_accept_now(struct player_link *link)
{
    link->is_connecting = false;
    if (!link->owner->node || link->is_ended) {
        link->other->is_ended = true;
        return;
    }
    link->peer = node_accepted(link->owner->node, link);
}

static bool link_deliver(struct player_link *link)
{
    if (link->owner->hangs)
        return false;
    if (link->is_connecting && !link->peer) { /* the side that accepts */
        link_accept_now(link);
        if (link->other->peer && !link->is_ended) {
            link->other->is_connecting = false;
            node_connected(link->other->peer);
        }
        return true;
    }
    struct queued_frame *frame = link->first;
    if (!frame || link->is_connecting) {
        if (link->is_ended && link->peer && !frame) {
            struct session_peer *peer = link->peer;
            link->peer = NULL;
            node_closed(peer, "the link ended");
            return true;
        }
        return false;
    }
    bool was_full = link->bytes >= QUEUE_MAX / 2;
    link->first = frame->next;
    if (!link->first)
        link->last = &link->first;
    link->bytes -= frame->size;
    if (link->peer)
        node_frame(link->peer, frame->type, (struct span){ frame->bytes, frame->size });
    free(frame);
    if (was_full && link->bytes < QUEUE_MAX / 2 && link->other->peer)
        node_drained(link->other->peer);
    return true;
}

static void links_sweep(struct players *p)
{
    for (struct player_link **at = &p->links; *at;) {
        struct player_link *link = *at;
        bool is_over = !link->peer && !link->is_connecting && link->other &&
                       !link->other->peer && !link->other->is_connecting;
        if (link->other && !is_over) {
            at = &link->next;
            continue;
        }
        if (link->other)
            link->other->other = NULL; /* swept next */
        *at = link->next;
        while (link->first) {
            struct queued_frame *frame = link->first;
            link->first = frame->next;
            free(frame);
        }
        free(link);
    }
}

static void nodes_run(struct players *p, int64_t *ret_wait_ns)
{
    for (uint32_t r = 0; r < p->count; r++) {
        struct session_node *node = p->players[r].node;
        if (!node || p->players[r].hangs)
            continue;
        int64_t due_ns = node_due_ns(node);
        int64_t left_ns = node_due_steady_ns(node) - clock_steady_ns();
        if (due_ns && due_ns - clock_now_ns() < left_ns)
            left_ns = due_ns - clock_now_ns();
        if (left_ns <= 0) {
            node_run(node);
            left_ns = 0;
        }
        if (left_ns < *ret_wait_ns)
            *ret_wait_ns = left_ns;
    }
}

void players_step(struct players *p, int64_t wait_ms)
{
    int64_t wait_ns = wait_ms * NS_PER_MS;
    bool is_busy = false;
    for (struct player_link *l = p->links; l; l = l->next)
        while (link_deliver(l))
            is_busy = true;
    links_sweep(p);
    links_sweep(p); /* the other ends */
    nodes_run(p, &wait_ns);
    if (is_busy || wait_ns <= 0)
        return;
    if (wait_ns > NS_PER_MS * 5)
        wait_ns = NS_PER_MS * 5;
    const struct timespec pause = { .tv_nsec = wait_ns };
    (void)nanosleep(&pause, NULL);
}

bool players_until(struct players *p, bool (*is_so)(struct players *p), int64_t wait_ms)
{
    int64_t end_ns = clock_monotonic_ns() + wait_ms * NS_PER_MS;
    while (!is_so(p)) {
        if (clock_monotonic_ns() > end_ns)
            return false;
        players_step(p, 5);
    }
    return true;
}

void players_done(struct players *p)
{
    for (uint32_t r = 0; r < p->count; r++) {
        if (p->players[r].node)
            player_kill(p, r);
        strbuf_done(&p->players[r].log);
    }
    for (struct player_link *l = p->links; l; l = l->next) {
        l->peer = NULL;
        l->is_connecting = false;
    }
    links_sweep(p);
    links_sweep(p);
    free(p->players);
    session_plan_done(&p->plan);
    bundle_done(&p->last);
    rank_set_done(&p->missing);
}
