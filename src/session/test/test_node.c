/* SPDX-License-Identifier: Apache-2.0 */
/* test_node - a session in memory: what all contribute, who is lost, events in order.
 */
#include "base/number.h"
#include "base/span.h"
#include "session/state.h"
#include "session/test/players.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define NODES 40

static void put_samples(void *arg, const struct session_instant *at,
                        struct bundle *bundle)
{
    struct reduce_input input = { .value = at->rank * 1.5, .rank = at->rank };
    (void)arg;
    for (int kind = REDUCE_COUNT; kind <= REDUCE_MOMENTS; kind++)
        assert_int_equal(bundle_put(bundle, SPAN("value"), kind, &input), 0);
    input.text = at->rank % 2 ? SPAN("odd") : SPAN("even");
    assert_int_equal(bundle_put(bundle, SPAN("state"), REDUCE_STATES, &input), 0);
}

static bool all_contribute(struct players *p)
{
    return p->results && rank_set_size(&p->last.ranks) == p->count;
}

static bool all_are_online(struct players *p)
{
    for (uint32_t r = 0; r < p->count; r++)
        if (p->players[r].node &&
            rank_set_size(node_online(p->players[r].node)) != p->count)
            return false;
    return true;
}

static void start_all(struct players *p, uint32_t fanout)
{
    players_init(p, NODES, fanout);
    p->sample = put_samples;
    for (uint32_t r = 0; r < p->count; r++)
        player_start(p, r);
    assert_true(players_until(p, all_contribute, 20000));
    assert_true(players_until(p, all_are_online, 20000));
}

static const struct reduction *value_of(struct players *p, enum reduce_kind kind)
{
    const struct bundle_item *item = bundle_find(&p->last, SPAN("value"), kind);
    assert_non_null(item);
    return &item->reduction;
}

static void the_result_is_that_of_a_direct_computation(void **state)
{
    (void)state;
    for (uint32_t fanout = 1; fanout <= NODES; fanout = fanout * 3 + 1) {
        struct players p;
        start_all(&p, fanout);
        double sum = 0, squares = 0;
        for (int r = 0; r < NODES; r++)
            sum += r * 1.5;
        for (int r = 0; r < NODES; r++)
            squares += pow(r * 1.5 - sum / NODES, 2);
        assert_int_equal(value_of(&p, REDUCE_COUNT)->count, NODES);
        assert_true(reduction_sum(value_of(&p, REDUCE_SUM)) == sum);
        assert_int_equal(value_of(&p, REDUCE_MAX)->extreme.rank, NODES - 1);
        assert_true(fabs(value_of(&p, REDUCE_MOMENTS)->moments.mean - sum / NODES) <
                    1e-9);
        assert_true(fabs(reduction_variance(value_of(&p, REDUCE_MOMENTS)) -
                         squares / NODES) < 1e-6);
        const struct bundle_item *states =
            bundle_find(&p.last, SPAN("state"), REDUCE_STATES);
        assert_int_equal(states->reduction.states.count, 2);
        assert_int_equal(rank_set_size(&states->reduction.states.states[0].ranks),
                         NODES / 2);
        players_done(&p);
    }
}

/* ---- losses ---- */

static bool one_is_missing(struct players *p)
{
    return rank_set_size(&p->last.ranks) == p->count - 1 &&
           rank_set_size(&p->missing) == 1 && rank_set_has(&p->missing, 1);
}

static bool rank_one_is_lost(struct players *p)
{
    for (uint32_t r = 0; r < p->count; r++)
        if (p->players[r].node && (!rank_set_has(node_online(p->players[0].node), 0) ||
                                   rank_set_has(node_online(p->players[r].node), 1)))
            return false;
    return true;
}

static bool right_parents(struct players *p)
{
    for (uint32_t r = 1; r < p->count; r++) {
        struct session_node_stats stats;
        node_stats(p->players[r].node, &stats);
        if (stats.parent_rank != (int64_t)p->plan.topology->parents[r])
            return false;
    }
    return true;
}

static bool children_of_one_are_adopted(struct players *p)
{
    struct session_node_stats stats;
    for (uint32_t r = 4; r <= 6; r++) {
        node_stats(p->players[r].node, &stats);
        if (stats.parent_rank != 0)
            return false;
    }
    return true;
}

static void a_lost_parent_is_replaced_and_comes_back(void **state)
{
    (void)state;
    struct players p;
    start_all(&p, 3);
    player_kill(&p, 1);
    assert_true(players_until(&p, children_of_one_are_adopted,
                              3 * p.opts.heartbeat_ns / NS_PER_MS));
    assert_true(players_until(&p, one_is_missing, 20000));
    assert_true(players_until(&p, rank_one_is_lost, 20000));
    player_start(&p, 1);
    assert_true(players_until(&p, right_parents, 20000));
    assert_true(players_until(&p, all_contribute, 20000));
    assert_true(players_until(&p, all_are_online, 20000));
    players_done(&p);
}

static void a_parent_that_hangs_is_replaced_within_three_heartbeats(void **state)
{
    (void)state;
    struct players p;
    start_all(&p, 3);
    p.players[1].hangs = true;
    assert_true(players_until(&p, children_of_one_are_adopted,
                              3 * p.opts.heartbeat_ns / NS_PER_MS));
    p.players[1].hangs = false;
    assert_true(players_until(&p, right_parents, 20000));
    assert_true(players_until(&p, all_contribute, 20000));
    players_done(&p);
}

static bool rank_one_has_no_parent(struct players *p)
{
    struct session_node_stats stats;
    node_stats(p->players[1].node, &stats);
    return stats.parent_rank == -1;
}

static void all_are_back_after_the_control_node_began_anew(void **state)
{
    (void)state;
    struct players p;
    start_all(&p, 3);
    player_kill(&p, 0);
    assert_true(players_until(&p, rank_one_has_no_parent, 20000));
    player_start(&p, 0);
    assert_true(players_until(&p, right_parents, 3 * p.opts.heartbeat_ns / NS_PER_MS));
    p.results = 0;
    assert_true(players_until(&p, all_contribute, 20000));
    assert_true(players_until(&p, all_are_online, 20000));
    players_done(&p);
}

/* ---- events ---- */

#define EVENTS_EACH 5

static size_t count_lines(struct player *player, const char *with)
{
    struct span rest = strbuf_span(&player->log), line;
    size_t count = 0;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        count += memmem(line.data, line.size, with, strlen(with)) != NULL;
    }
    return count;
}

static uint32_t publishers;

static bool all_events_are_everywhere(struct players *p)
{
    for (uint32_t r = 0; r < p->count; r++)
        if (p->players[r].node &&
            count_lines(&p->players[r], " test.event ") < publishers * EVENTS_EACH)
            return false;
    return true;
}

static void publish_all(struct players *p, uint32_t first, int round)
{
    for (uint32_t r = first; r < p->count; r++) {
        char text[64];
        (void)snprintf(text, sizeof text, "r%u n%d", r, round);
        if (p->players[r].node)
            assert_int_equal(node_publish(p->players[r].node, 4711, SPAN("test.event"),
                                          span_of(text)),
                             0);
    }
}

/* "2.17 test.event r5 n3"; false: it is another event. */
static bool parse_line(struct span line, uint64_t *ret_rank, uint64_t *ret_round)
{
    struct span number, name, rank;
    (void)span_cut(&line, ' ', &number);
    (void)span_cut(&line, ' ', &name);
    (void)span_cut(&line, ' ', &rank);
    if (!span_is(name, "test.event"))
        return false;
    assert_int_equal(number_parse_u64(span_skip(rank, 1), ret_rank), 0);
    assert_int_equal(number_parse_u64(span_skip(line, 1), ret_round), 0);
    assert_true(*ret_rank < NODES);
    return true;
}

/* Each event of each publisher once, and those of an origin in their order. */
static void check_order(struct player *player, uint32_t first_publisher)
{
    uint64_t next[NODES] = { 0 };
    struct span rest = strbuf_span(&player->log), line;
    while (rest.size) {
        uint64_t rank = 0, round = 0;
        (void)span_cut(&rest, '\n', &line);
        if (!parse_line(line, &rank, &round))
            continue;
        if (round != next[rank])
            fail_msg("rank %u: event %d of rank %d, %d is next", player->rank,
                     (int)round, (int)rank, (int)next[rank]);
        next[rank]++;
    }
    for (uint32_t r = 0; r < NODES; r++)
        assert_int_equal(next[r], r < first_publisher ? 0 : EVENTS_EACH);
}

static void events_have_one_order_everywhere(void **state)
{
    (void)state;
    struct players p;
    start_all(&p, 3);
    publishers = NODES;
    for (uint32_t r = 0; r < NODES; r++)
        strbuf_clear(&p.players[r].log);
    for (int round = 0; round < EVENTS_EACH; round++) {
        publish_all(&p, 0, round);
        players_step(&p, 1);
    }
    assert_true(players_until(&p, all_events_are_everywhere, 20000));
    for (uint32_t r = 0; r < NODES; r++) {
        check_order(&p.players[r], 0);
        assert_string_equal(strbuf_text(&p.players[r].log),
                            strbuf_text(&p.players[0].log));
        assert_int_equal(p.players[r].gaps, 0);
    }
    players_done(&p);
}

static void no_event_is_lost_or_seen_twice_while_nodes_die(void **state)
{
    (void)state;
    struct players p;
    start_all(&p, 3);
    publishers = NODES - 2; /* not those that die */
    for (uint32_t r = 0; r < NODES; r++)
        strbuf_clear(&p.players[r].log);
    for (int round = 0; round < EVENTS_EACH; round++) {
        if (round == 1)
            player_kill(&p, 1);
        if (round == 2)
            player_kill(&p, 0);
        publish_all(&p, 2, round);
        for (int i = 0; i < 20; i++)
            players_step(&p, 5);
        if (round == 2)
            player_start(&p, 0);
    }
    assert_true(players_until(&p, all_events_are_everywhere, 20000));
    for (uint32_t r = 2; r < NODES; r++)
        check_order(&p.players[r], 2);
    players_done(&p);
}

static void a_publisher_is_limited(void **state)
{
    (void)state;
    struct players p;
    char big[SESSION_PAYLOAD_MAX + 1] = "";
    players_init(&p, 1, 3);
    p.opts.event_rate = 1;
    p.opts.event_burst = 3;
    player_start(&p, 0);
    struct session_node *node = p.players[0].node;
    assert_int_equal(node_publish(node, 0, SPAN("a b"), SPAN("")), -EINVAL);
    assert_int_equal(node_publish(node, 0, SPAN("session.join"), SPAN("")), -EINVAL);
    assert_int_equal(node_publish(node, 0, SPAN("a"), (struct span){ big, sizeof big }),
                     -EMSGSIZE);
    for (int i = 0; i < 3; i++)
        assert_int_equal(node_publish(node, 0, SPAN("a"), SPAN("")), 0);
    assert_int_equal(node_publish(node, 0, SPAN("a"), SPAN("")), -EAGAIN);
    players_done(&p);
}

/* ---- frames that a test sends ---- */

static char noticed[4096]; /* what was logged, a line each */

static void keep_notice(void *arg, enum session_notice notice, const char *text)
{
    (void)arg;
    (void)notice;
    size_t size = strlen(noticed);
    (void)snprintf(noticed + size, sizeof noticed - size, "%s\n", text);
}

static size_t count_noticed(const char *text)
{
    size_t count = 0;
    for (const char *at = noticed; (at = strstr(at, text)); at++)
        count++;
    return count;
}

static struct session_peer *connecting; /* the last one */

static int no_connect(void *arg, uint32_t rank, struct session_peer *peer,
                      void **ret_link)
{
    (void)arg;
    (void)rank;
    connecting = peer;
    *ret_link = arg;
    return 0;
}

static int no_send(void *link, uint8_t type, struct span body)
{
    (void)link;
    (void)type;
    (void)body;
    return 0;
}

static void close_or_admit(void *link)
{
    (void)link;
}

static bool always_ready(void *link)
{
    (void)link;
    return true;
}

/* What a link is to these: where it comes from, and whether it has the key. */
struct link_of_test {
    uint64_t source;
    bool is_proven, is_closed;
};

static void mark_closed(void *link)
{
    ((struct link_of_test *)link)->is_closed = true;
}

static bool is_marked_proven(void *link)
{
    return ((struct link_of_test *)link)->is_proven;
}

static uint64_t marked_source(void *link)
{
    return ((struct link_of_test *)link)->source;
}

/* Of a session of three below each other: the one with this rank, alone. */
static struct session_node *node_alone(struct players *p, uint32_t rank)
{
    static char link;
    struct session_node *node = NULL;
    players_init(p, 3, 1);
    p->plan.rank = rank;
    const struct session_node_opts opts = {
        .opts = &p->opts,
        .plan = &p->plan,
        .transport = { &link, no_connect, no_send, close_or_admit, close_or_admit,
                       always_ready },
        .callbacks = { .notice = keep_notice },
        .boot = 1,
        .incarnation = rank == 0,
    };
    noticed[0] = '\0';
    assert_int_equal(node_new(&opts, &node), 0);
    return node;
}

static struct session_hello hello_of(const struct players *p, uint32_t rank,
                                     struct rank_set ranks)
{
    return (struct session_hello){ .protocol = SESSION_PROTOCOL,
                                   .name = span_of(p->opts.name),
                                   .host = SPAN("h"),
                                   .hosts_digest = p->plan.hosts_digest,
                                   .shape_digest = p->plan.topology->digest,
                                   .heartbeat_ns = p->opts.heartbeat_ns,
                                   .rank = rank,
                                   .boot = 7,
                                   .ranks = ranks };
}

static void send_hello(struct session_peer *peer, uint8_t type,
                       const struct session_hello *hello)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    session_hello_encode(hello, &body);
    node_frame(peer, type, strbuf_span(&body));
}

static void send_publish(struct session_peer *peer, uint64_t publication)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    const struct session_event event = {
        .origin = 1, .boot = 7, .publication = publication, .base = 1, .name = SPAN("e")
    };
    session_event_encode(&event, &body);
    node_frame(peer, SESSION_PUBLISH, strbuf_span(&body));
}

static void a_child_that_publishes_without_end_is_limited(void **state)
{
    (void)state;
    struct players p;
    struct rank_range range = { 1, 1 };
    struct session_node_stats stats;
    char link;
    struct session_node *node = node_alone(&p, 0);
    p.opts.event_rate = 1;
    p.opts.event_burst = 2;
    p.opts.heartbeat_ns = NS_PER_S / 5;
    struct session_peer *child = node_accepted(node, &link);
    const struct session_hello hello =
        hello_of(&p, 1, (struct rank_set){ .ranges = &range, .count = 1 });
    send_hello(child, SESSION_HELLO, &hello);
    const uint64_t max = 2 + 1 + 256;
    uint64_t next = 1;
    for (int interval = 1; interval <= 2; interval++) {
        node_stats(node, &stats);
        uint64_t seen = stats.events;
        for (uint64_t i = 0; i < 2 * max; i++)
            send_publish(child, next++);
        next -= max; /* what was dropped is sent again */
        node_stats(node, &stats);
        assert_int_equal(stats.events - seen, max);
        assert_int_equal(stats.events_dropped, max * (uint64_t)interval);
        assert_int_equal(count_noticed("(rank 1) sent more than 259 events"), interval);
        assert_int_equal(stats.children, 1);
        (void)usleep(250000);
    }
    node_free(node);
    players_done(&p);
}

static void send_contribution_of(struct session_peer *child, uint32_t rank)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct session_contribution c = { .incarnation = child->node->incarnation,
                                      .epoch = child->node->epoch };
    assert_int_equal(bundle_begin(&c.bundle, rank), 0);
    session_contribution_encode(&c, &body);
    bundle_done(&c.bundle);
    node_frame(child, SESSION_CONTRIBUTION, strbuf_span(&body));
}

/* A node and its spare would both count. */
static void who_is_idle_contributes_nothing(void **state)
{
    (void)state;
    struct players p;
    struct rank_range range = { 1, 2 }, first = { 1, 1 };
    const struct rank_set idle = { .ranges = &first, .count = 1 };
    struct session_node_stats stats;
    char link;
    struct session_node *node = node_alone(&p, 0);
    struct session_peer *child = node_accepted(node, &link);
    const struct session_hello hello =
        hello_of(&p, 1, (struct rank_set){ .ranges = &range, .count = 1 });
    send_hello(child, SESSION_HELLO, &hello);
    assert_int_equal(node_set_idle(node, &idle), 0);
    for (int i = 0; i < 1000 && node->epoch == 0; i++) {
        node_run(node);
        (void)usleep(10000);
    }
    noticed[0] = '\0';
    for (uint32_t rank = 2; rank > 0; rank--) {
        send_contribution_of(child, rank);
        node_stats(node, &stats);
        assert_int_equal(stats.foreign, rank == 1);
        assert_int_equal(count_noticed("not below it, or idle"), rank == 1);
    }
    node_free(node);
    players_done(&p);
}

static void ranks_of_a_welcome_are_of_the_session(void **state)
{
    (void)state;
    static const struct rank_range beyond = { 0, 3 }, all = { 0, 2 };
    struct players p;
    struct session_node_stats stats;
    struct session_node *node = node_alone(&p, 1);
    for (int i = 0; i < 2; i++) {
        struct rank_range range = i ? all : beyond;
        const struct session_hello welcome =
            hello_of(&p, 0, (struct rank_set){ .ranges = &range, .count = 1 });
        connecting = NULL;
        for (int k = 0; k < 100 && !connecting; k++) {
            node_run(node);
            (void)usleep(10000);
        }
        assert_non_null(connecting);
        node_connected(connecting);
        send_hello(connecting, SESSION_WELCOME, &welcome);
        node_stats(node, &stats);
        assert_int_equal(stats.parent_rank, i ? 0 : -1);
        assert_int_equal(rank_set_size(node_online(node)), i ? 3 : 0);
    }
    node_free(node);
    players_done(&p);
}

/* Who opens many without the key loses his own. */
static void connections_without_the_key_have_few_slots(void **state)
{
    (void)state;
    struct players p;
    struct session_node_stats stats;
    static struct link_of_test links[500];
    struct session_node *node = node_alone(&p, 0);
    node->transport.close = mark_closed;
    node->transport.is_proven = is_marked_proven;
    node->transport.source = marked_source;
    for (size_t i = 0; i < COUNT_OF(links); i++) {
        links[i].source =
            i < 3 ? 100 + i : i % 2; /* two flood, three others came first */
        links[i].is_proven = i >= 200 && i < 300;
        assert_non_null(node_accepted(node, &links[i]));
    }
    for (size_t i = 0; i < 3; i++)
        assert_false(links[i].is_closed);
    for (size_t i = 200; i < 300; i++)
        assert_false(links[i].is_closed);
    node_stats(node, &stats);
    assert_int_equal(stats.half_open, 64 + 100);
    assert_int_equal(stats.half_open_dropped, 400 - 64);
    node_free(node);
    players_done(&p);
}

/* Each join as an event of its own were as many events as nodes, to as many nodes. */
static void joins_of_many_are_announced_together(void **state)
{
    (void)state;
    struct players p;
    struct session_node_stats stats;
    players_init(&p, 200, 8);
    p.opts.heartbeat_ns = NS_PER_S;
    player_start(&p, 0);
    for (uint32_t r = 1; r < p.count; r++) {
        player_start(&p, r);
        players_step(&p, 0);
    }
    assert_true(players_until(&p, all_are_online, 20000));
    node_stats(p.players[0].node, &stats);
    assert_in_range(stats.events, 1, 60);
    players_done(&p);
}

static bool all_but_two_contribute(struct players *p)
{
    return rank_set_size(&p->last.ranks) == p->count - 2 &&
           !rank_set_has(&p->last.ranks, 1);
}

/* With a fanout of two rank 1 has ranks below it. */
static void who_is_idle_is_not_expected_and_merges_what_is_below(void **state)
{
    (void)state;
    struct players p;
    AUTO(rank_set_done) struct rank_set idle = { 0 };
    AUTO(rank_set_done) struct rank_set none = { 0 };
    start_all(&p, 2);
    assert_int_equal(rank_set_add(&idle, 1, 1), 0);
    assert_int_equal(rank_set_add(&idle, p.count - 1, p.count - 1), 0);
    assert_int_equal(node_set_idle(p.players[0].node, &idle), 0);
    assert_true(players_until(&p, all_but_two_contribute, 20000));
    assert_int_equal(rank_set_size(&p.missing), 0);
    assert_false(rank_set_has(&p.last.ranks, p.count - 1));
    assert_int_equal(node_set_idle(p.players[0].node, &none), 0);
    assert_true(players_until(&p, all_contribute, 20000));
    assert_int_equal(node_announce(p.players[0].node, SPAN("other"), SPAN("")),
                     -EINVAL);
    players_done(&p);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_result_is_that_of_a_direct_computation),
        cmocka_unit_test(who_is_idle_is_not_expected_and_merges_what_is_below),
        cmocka_unit_test(a_lost_parent_is_replaced_and_comes_back),
        cmocka_unit_test(a_parent_that_hangs_is_replaced_within_three_heartbeats),
        cmocka_unit_test(all_are_back_after_the_control_node_began_anew),
        cmocka_unit_test(events_have_one_order_everywhere),
        cmocka_unit_test(no_event_is_lost_or_seen_twice_while_nodes_die),
        cmocka_unit_test(a_publisher_is_limited),
        cmocka_unit_test(a_child_that_publishes_without_end_is_limited),
        cmocka_unit_test(who_is_idle_contributes_nothing),
        cmocka_unit_test(ranks_of_a_welcome_are_of_the_session),
        cmocka_unit_test(connections_without_the_key_have_few_slots),
        cmocka_unit_test(joins_of_many_are_announced_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
